"""Row ids: unique for ever, from blocks leased through the log.

Every inserted row gets a `_rid`, and no row ever gets the same one again, whatever crashes. A
block of ids is leased by writing the new high-water mark into the txns shard; a restart begins
at the mark. The mark rides in an append that is made anyway:

    used ......|.... leased, free ....|  mark in the log
               ^ next                 ^ leased

As the leader owns the environment, an id beyond the mark may even be handed out before the mark
moves, provided that the append which makes the row durable moves the mark as well: either both are
in the log or neither is. `due()` tells the committer. So `next()` never waits and costs an addition.
Where several processes share an environment (`exclusive=False`) that does not hold, and running
out of leased ids raises `RidsExhausted` until a new block is durable.
"""

from __future__ import annotations

from storage.abc import RID_MAX
from txn.abc import TxnError

BLOCK = 1 << 16


class RidsExhausted(TxnError):
    """No leased row id is left, and this process may not go beyond its lease: lease, then retry."""


class RidAllocator:
    """Hands out row ids; `start` is the high-water mark found in the log."""

    __slots__ = ("_leased", "_next", "block_size", "exclusive")

    def __init__(self, start: int, *, block_size: int = BLOCK, exclusive: bool = True) -> None:
        self._next = max(start, 1)
        self._leased = self._next
        self.block_size = block_size
        self.exclusive = exclusive

    def next(self) -> int:
        """A fresh row id. About 50 ns."""
        rid = self._next
        if rid >= self._leased and not self.exclusive:
            raise RidsExhausted("the leased block of row ids is used up")
        self._next = rid + 1
        return rid

    def take(self, n: int) -> int:
        """The first of `n` consecutive fresh row ids (a bulk load)."""
        if n < 0:
            raise ValueError("a block has no negative size")
        first = self._next
        if first + n > RID_MAX:
            raise RidsExhausted("all 2^63 row ids are used up")
        if first + n > self._leased and not self.exclusive:
            raise RidsExhausted("the leased block of row ids is too small")
        self._next = first + n
        return first

    def block(self, n: int) -> int:
        """`take`, by the name that says what one gets."""
        return self.take(n)

    def due(self) -> int | None:
        """The mark that the next append should record; None while half a block is still leased."""
        if self._next + self.block_size // 2 <= self._leased:
            return None
        return self._next + self.block_size

    def leased(self, mark: int) -> None:
        """A mark recorded by this process has become durable."""
        if mark > self._leased:
            self._leased = mark

    def new_block(self, first: int, mark: int) -> None:
        """`[first, mark)` was leased to this process alone (several servers on one environment)."""
        if self.exclusive:
            raise AssertionError("the only writer of an environment extends its block in place")
        if first > self._next:
            self._next = first
        self._leased = mark

    @property
    def mark(self) -> int:
        """All ids below it were handed out or given up."""
        return self._next
