"""Advisory locks: numbers that applications lock, by functions in a query.

    session level      pg_advisory_lock ... pg_advisory_unlock      counted; held until unlocked as often, or the end
    transaction level  pg_advisory_xact_lock                        until the transaction ends

They are key locks in a keyspace of their own, owned by the session. A function is called on a thread of
DuckDB's, which must not wait: it would keep the thread from the very query that unlocks. So a call that
cannot have its lock fails the query, the session waits on the event loop, and the query runs again:

    query -> call: not free -> query fails, BLOCKED -> wait for the lock -> query again -> call: ours -> rows

What the failed run had locked before is given back first. The session's transactions own its row locks, in the name
of the same party: a circle of waits that goes through both is found.
"""

from __future__ import annotations

from typing import Any

from executor.abc import ExecutionError
from txn.locks import KeyLocks, LockMode

SPACE = "advisory"
LOCKS_MAX = 100_000
"""Advisory locks that one session may hold; more is 53200."""

BLOCKED = "TW001"
"""The SQLSTATE, never shown, with which a query fails that has to wait for an advisory lock."""

Key = Any
"""(database, number, None) or (database, number, number)."""
Counts = dict[tuple[Key, bool], int]
"""(key, shared) -> how often it is locked."""


class _Owner:
    """One session's advisory locks. `id` is its pid."""

    kind = "process"
    __slots__ = ("before", "held", "id", "party", "transaction", "wanted")

    def __init__(self, pid: int) -> None:
        self.id = pid
        self.party = pid
        self.held: Counts = {}
        self.transaction: Counts = {}
        self.before: tuple[Counts, Counts] | None = None
        self.wanted: tuple[Key, LockMode] | None = None

    def mode(self, key: Key) -> LockMode | None:
        """The lock that the counts stand for."""
        for shared, mode in ((False, LockMode.UPDATE), (True, LockMode.SHARE)):
            if (key, shared) in self.held or (key, shared) in self.transaction:
                return mode
        return None


def describe(key: Key) -> str:
    """How errors name an advisory lock."""
    _, first, second = key
    return f"advisory lock ({first})" if second is None else f"advisory lock ({first}, {second})"


class AdvisoryLocks:
    """The advisory locks of all sessions, by pid. Sessions that never used one cost a look into a dict."""

    __slots__ = ("_locks", "_owners")

    def __init__(self, locks: KeyLocks) -> None:
        self._locks = locks
        self._owners: dict[int, _Owner] = {}

    # --- from a query ------------------------------------------------------------------------

    def try_lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> bool:
        owner = self._owners.get(pid)
        if owner is None:
            owner = self._owners[pid] = _Owner(pid)
        if owner.before is None:
            owner.before = dict(owner.held), dict(owner.transaction)
        if len(owner.held) + len(owner.transaction) >= LOCKS_MAX:
            raise ExecutionError("53200", f"more than {LOCKS_MAX} advisory locks are held")
        mode = LockMode.SHARE if shared else LockMode.UPDATE
        if not self._locks.try_acquire(owner, SPACE, key, mode):
            return False
        counts = owner.transaction if transaction else owner.held
        counts[key, shared] = counts.get((key, shared), 0) + 1
        return True

    def lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> None:
        """Raises ExecutionError with BLOCKED: the session is to `wait`, and to run the query again."""
        if not self.try_lock(pid, key, shared=shared, transaction=transaction):
            self._owners[pid].wanted = key, LockMode.SHARE if shared else LockMode.UPDATE
            raise ExecutionError(BLOCKED, "the query waits for an advisory lock")

    def unlock(self, pid: int, key: Key, *, shared: bool) -> bool:
        """False: it was not locked at session level."""
        owner = self._owners.get(pid)
        count = owner.held.get((key, shared), 0) if owner is not None else 0
        if owner is None or not count:
            return False
        if count > 1:
            owner.held[key, shared] = count - 1
        else:
            del owner.held[key, shared]
            self._locks.weaken(owner, SPACE, key, owner.mode(key))
        return True

    def unlock_all(self, pid: int) -> None:
        """Everything at session level."""
        owner = self._owners.get(pid)
        if owner is not None:
            owner.held.clear()
            self._settle(owner)

    # --- from the session --------------------------------------------------------------------

    def attempt(self, pid: int) -> None:
        """A query begins: what it locks from here on is given back if it is to run again."""
        owner = self._owners.get(pid)
        if owner is not None:
            owner.before = None

    async def wait(self, pid: int, timeout_s: float | None) -> None:
        """Waits for what a query was BLOCKED by. Raises DeadlockDetected, LockNotAvailable."""
        owner = self._owners[pid]
        wanted, owner.wanted = owner.wanted, None
        if owner.before is not None:
            owner.held, owner.transaction = owner.before
            owner.before = None
        self._settle(owner)
        if wanted is not None:
            await self._locks.lock(owner, SPACE, *wanted, timeout_s=timeout_s)

    def end_transaction(self, pid: int) -> None:
        owner = self._owners.get(pid)
        if owner is not None:
            owner.transaction.clear()
            owner.before = None
            self._settle(owner)

    def end_session(self, pid: int) -> None:
        owner = self._owners.pop(pid, None)
        if owner is not None:
            self._locks.release_all(owner)

    # --- inside ------------------------------------------------------------------------------

    def _settle(self, owner: _Owner) -> None:
        """Lets go of what the counts no longer stand for."""
        for space, key in self._locks.held_by(owner):
            self._locks.weaken(owner, space, key, owner.mode(key))
