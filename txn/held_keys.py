"""Keys that transactions are about to bring: who else brings one of them waits until it is decided.

    A   INSERT 7                held by A                        one dictionary entry, no lock, no queue
    B   INSERT 7                a lock of A's, B in its queue    (`txn.locks`: deadlocks, time-outs, cancel requests)
    A   COMMIT                  B's lock; 7 is there: 23505
        ROLLBACK [TO]           B's lock; 7 is free: B's INSERT goes on

Every row that a transaction inserts has such keys and next to none is asked for by another, so a key is a lock only once
somebody waits for it. The keyspaces are those of constraints: a row's own lock is another thing, for who looks for a row that
nobody sees yet finds none, and does not wait.

As with locks, holding a key makes no commit correct: admission looks whether it is free. So a transaction that brings more keys
than are worth holding just stops holding them, and who brings one of those hears of it at COMMIT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from txn.abc import Key, Keyspace
from txn.locks import KeyLocks, LockMode

if TYPE_CHECKING:
    from txn.transaction import Transaction

HELD_MAX = 100_000
"""Keys that one transaction holds at most."""


class _Lent:
    """In place of who holds a key: it has become a lock, and is as yet that of `holder` (None: of who waited for it)."""

    __slots__ = ("holder",)

    def __init__(self, holder: Transaction) -> None:
        self.holder: Transaction | None = holder


class HeldKeys:
    """The keys that all transactions of the process hold."""

    __slots__ = ("_locks", "spaces")

    def __init__(self, locks: KeyLocks) -> None:
        self._locks = locks
        self.spaces: dict[Keyspace, dict[Key, Transaction | _Lent]] = {}
        """By keyspace and key; keyspaces in which nothing is held are not there."""

    def hold(self, txn: Transaction, space: Keyspace, key: Key) -> bool:
        """Whether it is the transaction's now. If not it is a lock, to be waited for (`KeyLocks.acquire`)."""
        keys = self.spaces.get(space)
        if keys is None:
            keys = self.spaces[space] = {}
        other = keys.get(key)
        if other is txn or (isinstance(other, _Lent) and other.holder is txn):
            return True
        held = txn.held
        if other is None:
            if len(held) < HELD_MAX:
                held.append((space, key))
                keys[key] = txn
            elif not keys:
                del self.spaces[space]
            return True
        held.append((space, key))  # whoever asked for a lock of it tidies up behind it
        return self._of_lock(txn, space, key, other)

    def is_free(self, txn: Transaction, space: Keyspace, key: Key) -> bool:
        """Whether nobody else holds it. If somebody does it is a lock, as behind `hold`."""
        keys = self.spaces.get(space)
        other = None if keys is None else keys.get(key)
        if other is None or other is txn or (isinstance(other, _Lent) and other.holder is txn):
            return True
        txn.held.append((space, key))
        return self._of_lock(txn, space, key, other)

    def _of_lock(self, txn: Transaction, space: Keyspace, key: Key, other: Transaction | _Lent) -> bool:
        """Whether a key that another held when somebody asked for it is now the transaction's, or free to be."""
        if isinstance(other, _Lent):
            if self._locks.is_free(space, key):
                self.spaces[space][key] = txn
                return True
            return self._locks.holds(txn, space, key) is not None
        self.spaces[space][key] = _Lent(other)
        self._locks.lend(other, space, key, LockMode.UPDATE)
        return False

    def release(self, txn: Transaction, locks_mark: int = -1, mark: int = 0) -> None:
        """Lets go of what was held after the mark, and of the locks after theirs (-1: of all): the transaction, or a part of
        it, is over. Those who waited go on in this turn of the loop."""
        released = txn.held[mark:]
        del txn.held[mark:]
        lent: list[tuple[Keyspace, Key]] = []
        for space, key in released:
            keys = self.spaces.get(space)
            other = None if keys is None else keys.get(key)
            if other is txn:
                assert keys is not None
                del keys[key]
                if not keys:
                    del self.spaces[space]
            elif isinstance(other, _Lent):
                lent.append((space, key))
        if locks_mark < 0:
            self._locks.release_all(txn)
        else:
            self._locks.release_to(txn, locks_mark)
        for space, key in lent:
            self._tidy(txn, space, key)

    def _tidy(self, txn: Transaction, space: Keyspace, key: Key) -> None:
        keys = self.spaces.get(space)
        other = None if keys is None else keys.get(key)
        if keys is None or not isinstance(other, _Lent):
            return
        if other.holder is txn:
            other.holder = None
            self._locks.take_back(txn, space, key)
        if keys.get(key) is other and self._locks.is_free(space, key):
            del keys[key]
            if not keys:
                del self.spaces[space]
