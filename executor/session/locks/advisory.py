"""Advisory locks: numbers that applications lock, by functions in a query.

    session level      pg_advisory_lock ... pg_advisory_unlock      counted; held until unlocked as often, or the end
    transaction level  pg_advisory_xact_lock                        until the transaction ends

They are key locks in a keyspace of their own, owned by the session. A function is called on a thread of
DuckDB's, which must not wait: it would keep the thread from the very query that unlocks. So a call that
cannot have its lock fails the query, the session waits on the event loop, and the query runs again:

    query -> call: not free -> query fails, BLOCKED -> wait for the lock -> query again -> call: ours -> rows

What the failed run had locked before is given back first. The session's transactions own its row locks, in the name
of the same party: a circle of waits that goes through both is found.

Here they are one server's own, and everything happens at once. Where several servers share an environment their sessions
exclude each other, too: `executor.session.locks.shared_advisory` has the same methods over the environment's log.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

from executor.abc import ExecutionError
from txn.locks import KeyLocks, LockMode

T = TypeVar("T")

SPACE = "advisory"
LOCKS_MAX = 100_000
"""Advisory locks that one session may hold; more is 53200."""

BLOCKED = "TW001"
"""The SQLSTATE, never shown, with which a query fails that has to wait for an advisory lock."""

RELATION = "relation"
Key = Any
"""(database, number, None) or (database, number, number); of tables (`table_locks`) (database, oid, RELATION)."""
Counts = dict[tuple[Key, bool], int]
"""(key, shared) -> how often it is locked."""
Listed = tuple[Key, int, int, bool, bool]
"""(key, server, pid, shared, granted): a line of pg_locks. The only server is 1."""


class Owner:
    """One session's advisory locks. `id` is its pid."""

    kind = "process"
    __slots__ = ("asked", "before", "ended", "had", "held", "id", "party", "transaction", "wanted")

    def __init__(self, pid: int) -> None:
        self.id = pid
        self.party = pid
        self.held: Counts = {}
        self.transaction: Counts = {}
        self.before: tuple[Counts, Counts] | None = None
        self.wanted: tuple[Key, LockMode] | None = None
        self.asked: list[tuple[Key, int]] = []
        """Requests without an answer yet, where that takes time."""
        self.had: tuple[str, dict[str, int]] = "", {}
        """A query, and how many locks each of its calls has got that LIMIT ends."""
        self.ended = 0
        """How many transactions have ended: what comes too late for its transaction is not kept."""

    def begin(self) -> None:
        """Something is about to be locked: what a repeated query goes back to."""
        if self.before is None:
            self.before = dict(self.held), dict(self.transaction)
        if len(self.held) + len(self.transaction) >= LOCKS_MAX:
            raise ExecutionError("53200", f"more than {LOCKS_MAX} advisory locks are held")

    def go_back(self) -> None:
        """A query is to run again."""
        if self.before is not None:
            self.held, self.transaction = self.before
            self.before = None

    def count(self, key: Key, shared: bool, transaction: bool) -> None:
        counts = self.transaction if transaction else self.held
        counts[key, shared] = counts.get((key, shared), 0) + 1

    def mode(self, key: Key) -> LockMode | None:
        """The lock that the counts stand for."""
        for shared, mode in ((False, LockMode.UPDATE), (True, LockMode.SHARE)):
            if (key, shared) in self.held or (key, shared) in self.transaction:
                return mode
        return None


def describe(key: Key) -> str:
    """How errors name an advisory lock."""
    _, first, second = key
    if second == RELATION:
        return f"relation {first}"
    return f"advisory lock ({first})" if second is None else f"advisory lock ({first}, {second})"


def blocked() -> ExecutionError:
    return ExecutionError(BLOCKED, "the query waits for an advisory lock")


@contextlib.contextmanager
def refused_midway(locks: AdvisoryLocks, pid: int) -> Iterator[None]:
    """For results of which rows have gone out already: their query cannot run again."""
    try:
        yield
    except ExecutionError as e:
        if e.sqlstate != BLOCKED:
            raise
        locks.give_up(pid)
        raise ExecutionError(
            "0A000",
            "waiting for an advisory lock in the middle of a large result is not supported",
            hint="Lock with fewer rows at a time, or use pg_try_advisory_lock.",
        ) from None


class AdvisoryLocks:
    """The advisory locks of all sessions, by pid. Sessions that never used one cost a look into a dict."""

    awaited = False
    """Whether letting go takes time, so that who has ended a transaction waits for `let_go` before he says so."""

    def __init__(self, locks: KeyLocks) -> None:
        self._locks = locks
        self._owners: dict[int, Owner] = {}

    def _owner(self, pid: int) -> Owner:
        owner = self._owners.get(pid)
        if owner is None:
            owner = self._owners[pid] = Owner(pid)
        return owner

    # --- from a query ------------------------------------------------------------------------

    def try_lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> bool | Awaitable[bool]:
        """Whether the session has it now."""
        owner = self._owner(pid)
        owner.begin()
        mode = LockMode.SHARE if shared else LockMode.UPDATE
        if not self._locks.try_acquire(owner, SPACE, key, mode):
            return False
        owner.count(key, shared, transaction)
        return True

    async def try_first(
        self, pid: int, key: Key, most: int, call: str, query: str, *, shared: bool, transaction: bool
    ) -> bool:
        """The same of a call in a query's WHERE until LIMIT has as many rows as it wants: DuckDB asks for a batch of rows at a time, and
        nobody would know of the locks of those that are cut off."""
        owner = self._owner(pid)
        if owner.had[0] != query:
            owner.had = query, {}
        had = owner.had[1]
        if had.get(call, 0) >= most:
            return False
        done = self.try_lock(pid, key, shared=shared, transaction=transaction)
        if not isinstance(done, bool):
            done = await done
        had[call] = had.get(call, 0) + done
        return done

    def lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> bool | Awaitable[bool]:
        """Raises ExecutionError with BLOCKED: the session is to `wait`, and to run the query again."""
        if not self.try_lock(pid, key, shared=shared, transaction=transaction):
            self._owners[pid].wanted = key, LockMode.SHARE if shared else LockMode.UPDATE
            raise blocked()
        return True

    def unlock(self, pid: int, key: Key, *, shared: bool) -> bool | Awaitable[bool]:
        """False: it was not locked at session level."""
        owner = self._owners.get(pid)
        count = owner.held.get((key, shared), 0) if owner is not None else 0
        if owner is None or not count:
            return False
        if count > 1:
            owner.held[key, shared] = count - 1
            return True
        del owner.held[key, shared]
        return self._unlocked(owner, key)

    def _unlocked(self, owner: Owner, key: Key) -> bool | Awaitable[bool]:
        """The session has said its last unlock of a lock."""
        self._locks.weaken(owner, SPACE, key, owner.mode(key))
        return True

    def unlock_all(self, pid: int) -> bool | Awaitable[bool]:
        """Everything at session level."""
        owner = self._owners.get(pid)
        if owner is not None:
            owner.held.clear()
            self._settle(owner)
        return True

    # --- from the session --------------------------------------------------------------------

    def attempt(self, pid: int) -> None:
        """A query begins: what it locks from here on is given back if it is to run again."""
        owner = self._owners.get(pid)
        if owner is not None:
            owner.before, owner.had = None, ("", {})

    async def until_granted(self, pid: int, timeout_s: float | None, run: Callable[[], Awaitable[T]]) -> T:
        """Runs a query until it is not BLOCKED. Raises what it raises, and what `wait` raises."""
        while True:
            self.attempt(pid)
            try:
                return await run()
            except ExecutionError as e:
                if e.sqlstate != BLOCKED:
                    raise
            await self.wait(pid, timeout_s)

    def give_up(self, pid: int) -> None:
        """What a query was BLOCKED by is not waited for."""
        owner = self._owners.get(pid)
        if owner is not None:
            owner.wanted = None

    async def wait(self, pid: int, timeout_s: float | None) -> None:
        """Waits for what a query was BLOCKED by. Raises DeadlockDetected, LockNotAvailable."""
        wanted = self._wanted(pid)
        if wanted is not None:
            await self._locks.lock(self._owners[pid], SPACE, *wanted, timeout_s=timeout_s)

    def _wanted(self, pid: int) -> tuple[Key, LockMode] | None:
        """What the query was BLOCKED by; what else it has locked is given back."""
        owner = self._owners[pid]
        wanted, owner.wanted = owner.wanted, None
        owner.go_back()
        self._settle(owner)
        return wanted

    def mark(self, pid: int) -> Counts | None:
        """What a savepoint remembers of the transaction's locks; None: there are none."""
        owner = self._owners.get(pid)
        return dict(owner.transaction) if owner is not None and owner.transaction else None

    def back_to(self, pid: int, mark: Counts | None) -> None:
        """Lets go of what the transaction has locked since."""
        owner = self._owners.get(pid)
        if owner is None or not owner.transaction:
            return
        before = mark or {}
        for lock, count in list(owner.transaction.items()):
            had = before.get(lock, 0)
            if had == count:
                continue
            if had:
                owner.transaction[lock] = had
            else:
                del owner.transaction[lock]
        owner.before = None
        self._settle(owner)

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

    def holds_in_transaction(self, pid: int) -> bool:
        """Whether the end of the session's transaction lets go of something."""
        owner = self._owners.get(pid)
        return owner is not None and bool(owner.transaction)

    async def let_go(self, pid: int) -> None:
        """Done when what the session has let go of is free for everybody."""

    @property
    def server(self) -> int:
        """This server's number, as in what is listed."""
        return 1

    def listing(self) -> list[Listed]:
        """All of them, for pg_locks."""
        return [
            (key, 1, owner.id, mode < LockMode.UPDATE, granted)
            for key, owner, mode, granted in self._locks.listing(SPACE)
            if isinstance(owner, Owner)
        ]

    # --- inside ------------------------------------------------------------------------------

    def _settle(self, owner: Owner) -> None:
        """Lets go of what the counts no longer stand for."""
        for space, key in self._locks.held_by(owner):
            self._locks.weaken(owner, space, key, owner.mode(key))
