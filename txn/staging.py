"""What transactions have staged and will never commit goes soon after it is certain, not with the daily garbage.

    rolled back, or refused before any append named it    all that it staged
    committed                                             what it staged and took back (ROLLBACK TO, a failed statement)
    cancelled while it was written                        at once: no transaction has been told of it
    failed on its way into the log                        nothing: whoever lists the orphans a day later, knows better

Names of staged blobs are unique and nobody else has been told them, so deleting needs no agreement. It happens with the upkeep, behind
everybody's back; what a crash leaves is an orphan like any other (`storage.gc`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from storage.abc import Blob, Part

if TYPE_CHECKING:
    from txn.transaction import Transaction

KEYS_MAX = 100_000
"""Blobs that may wait to be deleted; more are left to the collection of orphans."""


class Staging:
    """The blobs of one environment that no commit will name."""

    def __init__(self, blob: Blob) -> None:
        self._blob = blob
        self._useless: deque[str] = deque(maxlen=KEYS_MAX)

    def __len__(self) -> int:
        return len(self._useless)

    def staged(self, transaction: Transaction, part: Part) -> None:
        if part.key is not None:
            transaction.staged.append(part.key)

    def abandoned(self, key: str) -> None:
        """Its writer was cancelled while it was on its way: nobody has been told its name."""
        self._useless.append(key)

    def ended(self, transaction: Transaction, *, undone: bool) -> None:
        """`undone`: it is certain that nothing of it was or will be committed."""
        named = set() if undone else {p.key for b in transaction.writes.shards.values() for p in b.parts}
        self._useless.extend(key for key in transaction.staged if key not in named)

    async def discard(self) -> int:
        """Deletes what is useless; how many blobs. Raises what the store raises; then the rest waits for the next call."""
        count = 0
        while self._useless:
            await self._blob.delete(self._useless[0])
            self._useless.popleft()
            count += 1
        return count


__all__ = ["Staging"]
