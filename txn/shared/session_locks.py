"""Locks between the sessions of all servers: asked for, waited for and lost.

    session of server A                     the log                        session of server B
    lock 7?  --admitted: it is free-->   | A's pid 3 holds 7 |
                                         | B's pid 5 waits   |  <--admitted: not free--  lock 7?  (waits)
    unlock 7 ------------------------>   | B's pid 5 holds 7 |  --learnt: granted----->  goes on

* **A request is a member of a commit group** (`_Request`), so it is decided on the present: an answer that changes nothing
  ("somebody else has it") is given after a look at the log's end, one that changes something when it is in the log. Waiting
  is following the log, which servers hear of by being told; nobody polls.
* **Who is silent loses everything** (`beat`): the locks of servers that are off the table of members are taken out by whichever
  server notices first, in one entry.
* **Who has lost his locks cannot go on as if he had them.** A commit of his can only be appended after that entry has
  been read; and whoever reads that he was expelled refuses the commits of those sessions (`SharedCommitter.outcasts`) and ends them,
  as PostgreSQL's sessions end when their server does. There is no moment in between, whatever the clocks say.
* **Deadlocks** are looked for before a request queues, among all servers' locks in the table, with the row locks of the own
  server in between (`KeyLocks.beyond` is the way back). A circle that goes through row locks of two servers ends by `lock_timeout`.

What a server's sessions count (how often a lock was taken) is the executor's (`executor.session.locks.shared_advisory`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from storage.abc import Timestamp
from txn.abc import DeadlockDetected, Group, LockNotAvailable, TxnError
from txn.lock_table import LockId, LockTable, Owner, Record
from txn.locks import LockLimitExceeded
from txn.log_entry import Entry
from txn.shared.group import SharedGroup

if TYPE_CHECKING:
    from txn.shared.environment import SharedEnvironment

_log = logging.getLogger("tidewire.txn")

LOCKS_MAX = 20_000
"""Locks of an environment that are held or awaited."""
CLAIMS_MAX = 2_000
"""Who may hold or await one lock: an entry carries all of them."""

_NAMED: Callable[[LockId], str] = lambda lock: f"lock {lock!r}"  # noqa: E731 - a default for `describe`


class LocksLost(TxnError):
    """57P01: this server was silent for so long that the others have given its sessions' locks away."""


class _Request:
    """A piece of work on the table at admission, and a future of what it returned."""

    __slots__ = ("_locks", "_result", "_work", "future", "party")

    def __init__(self, locks: SessionLocks, party: Hashable, work: Callable[[SharedGroup], bool]) -> None:
        self._locks, self._work, self.party = locks, work, party
        self._result = False
        self.future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def admit(self, group: Group) -> None:
        assert isinstance(group, SharedGroup)
        self._result = self._work(group)

    def committed(self, ts: Timestamp) -> None:
        if not self.future.done():
            self.future.set_result(self._result)
        self._locks.settle()  # in this turn: before another group changes the table that may still be taken back

    def failed(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class SessionLocks:
    """See the module. Sessions are named by their pids; all calls come on the event loop's thread."""

    def __init__(self, env: SharedEnvironment, *, locks_max: int = LOCKS_MAX) -> None:
        self._env, self._locks_max = env, locks_max
        self._waiters: dict[int, tuple[LockId, int, asyncio.Future[bool]]] = {}
        self.describe: Callable[[LockId], str] = _NAMED
        """How errors name a lock."""
        self.on_lost: Callable[[list[int]], None] = lambda waiting: None
        """Called when others have given this server's locks away: whoever relied on one, or waits, is to be `cast_out`."""
        self.on_beat: Callable[[], None] = lambda: None
        """Called every so often: what has failed can be tried again."""
        env.locks.beyond = self

    @property
    def table(self) -> LockTable:
        return self._env.txns.state.locks

    def owner(self, pid: int) -> Owner:
        return self._env.members.number, pid

    # --- asking ------------------------------------------------------------------------------

    def request(self, pid: int, lock: LockId, mode: int) -> asyncio.Future[bool]:
        """Takes the lock if that needs no waiting. Fails with LockLimitExceeded and what a commit fails with."""
        return self._submit(pid, lambda group: self._grant(group, self.owner(pid), lock, mode))

    def is_waiting(self, pid: int) -> bool:
        """Whether one of this server's sessions is in a queue, and the log says so."""
        return pid in self._waiters and self.table.awaited_by(self.owner(pid)) is not None

    def exceeds(self, pid: int, wanted: Callable[[LockId], int]) -> bool:
        """Whether there is anything to let go of for `keep`."""
        owner = self.owner(pid)
        held = self.table.held_by(owner)
        return self.table.awaited_by(owner) is not None or any(wanted(k) < m for k, m in held.items())

    def keep(self, pid: int, wanted: Callable[[LockId], int]) -> asyncio.Future[bool]:
        """Lets go of the session's locks down to the modes that `wanted` says (0: altogether), and of its wait."""

        def work(group: SharedGroup) -> bool:
            owner = self.owner(pid)
            excess = [lock for lock, mode in self.table.held_by(owner).items() if wanted(lock) < mode]
            awaited = None if pid in self._waiters else self.table.awaited_by(owner)
            for lock in excess if awaited is None else {*excess, awaited}:
                group.put_lock(lock, self.table[lock].reduced(owner.__eq__, wanted(lock)))
            return bool(excess)

        return self._submit(None, work)

    async def wait(self, pid: int, lock: LockId, mode: int, timeout_s: float | None) -> None:
        """Takes the lock, waiting for it. Afterwards `keep`, however it ended: what is granted too late must go.

        Raises DeadlockDetected, LockNotAvailable after `timeout_s`, LockLimitExceeded, and what a commit fails with.
        """
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiters[pid] = lock, mode, granted

        def asked(request: asyncio.Future[bool]) -> None:
            error = asyncio.CancelledError() if request.cancelled() else request.exception()
            if error is not None and not granted.done():
                granted.set_exception(error)

        self._submit(pid, lambda group: self._queue(group, self.owner(pid), lock, mode)).add_done_callback(
            asked
        )
        try:
            async with asyncio.timeout(timeout_s):
                await granted
        except TimeoutError:
            raise LockNotAvailable("canceling statement due to lock timeout") from None
        finally:
            if self._waiters.get(pid, (None, 0, None))[2] is granted:
                del self._waiters[pid]

    def _submit(self, party: int | None, work: Callable[[SharedGroup], bool]) -> asyncio.Future[bool]:
        request = _Request(self, party, work)
        self._env.committer.submit(request)
        return request.future

    # --- at admission ------------------------------------------------------------------------

    def _grant(self, group: SharedGroup, owner: Owner, lock: LockId, mode: int) -> bool:
        record = self.table[lock]
        if not record.is_free(owner, mode):
            return False
        if record.held(owner) < mode:
            self._put(group, lock, record.granted(owner, mode))
        return True

    def _queue(self, group: SharedGroup, owner: Owner, lock: LockId, mode: int) -> bool:
        # A wait that has ended may have left its claim behind: what lets go of it can fail, and is tried again later.
        older = self.table.awaited_by(owner)
        record = self.table[lock].withdrawn(owner)
        free = record.is_free(owner, mode)
        if not free:
            circle = self.table.circle(owner, lock, mode, self._row_locks)
            if circle:
                raise DeadlockDetected("deadlock detected", detail=self._spelled(circle, lock))
            record = record.queued(owner, mode)
        elif record.held(owner) < mode:
            record = record.granted(owner, mode)
        self._check_limits(lock, record)
        if older is not None and older != lock:
            group.put_lock(older, self.table[older].withdrawn(owner))
        if record != self.table[lock]:
            group.put_lock(lock, record)
        return free

    def _put(self, group: SharedGroup, lock: LockId, record: Record) -> None:
        self._check_limits(lock, record)
        group.put_lock(lock, record)

    def _check_limits(self, lock: LockId, record: Record) -> None:
        if len(record.holders) + len(record.queue) > CLAIMS_MAX:
            raise LockLimitExceeded(f"more than {CLAIMS_MAX} sessions hold or await one advisory lock")
        if len(self.table) >= self._locks_max and not self.table[lock].holders:
            raise LockLimitExceeded(f"more than {self._locks_max} advisory locks are held")

    # --- hearing of the outcome --------------------------------------------------------------

    def settle(self) -> None:
        """What is in the table is in the log: tells those whose turn it is."""
        for pid, (lock, mode, granted) in self._waiters.items():
            if not granted.done() and self.table[lock].held(self.owner(pid)) >= mode:
                granted.set_result(True)

    def learnt(self, entry: Entry) -> None:
        """An entry of another server that changes locks was applied."""
        if self._env.members.number in entry.expelled:
            self.lose()
            return
        self.settle()
        self._env.locks.recheck()

    # --- losing ------------------------------------------------------------------------------

    async def beat(self) -> None:
        """Takes out the locks of servers that are gone. Called whenever it is known anew who is there."""
        self.on_beat()
        gone = {server for server, _ in self.table.owners()} - self._env.members.numbers
        gone.discard(self._env.members.number)
        if not gone:
            return

        def work(group: SharedGroup) -> bool:
            silent = gone - self._env.members.numbers
            locks = self.table.of(lambda owner: owner[0] in silent)
            for lock in locks:
                group.put_lock(lock, self.table[lock].reduced(lambda owner: owner[0] in silent))
            group.expelled += sorted(silent)
            return bool(locks)

        if await self._submit(None, work):
            _log.warning(
                "the advisory locks of servers that gave no sign of life were taken from them: %s", gone
            )

    def lose(self) -> None:
        """This server's locks are no longer its own, or nobody can say whether they are."""
        waiters, self._waiters = self._waiters, {}
        self.on_lost(list(waiters))
        for pid, (_, _, granted) in waiters.items():
            if not granted.done():
                granted.set_exception(self.cast_out(pid))

    def cast_out(self, pid: int) -> LocksLost:
        """Nothing that this session has not committed by now will ever be committed."""
        error = LocksLost("advisory locks were lost, because this server gave no sign of life to the others")
        self._env.committer.outcasts[pid] = error
        return error

    @property
    def server(self) -> int:
        """This server's number among the members, as the table of locks has it."""
        return self._env.members.number

    async def leave(self) -> None:
        """This server stops: its locks are free."""
        mine = self._env.members.number
        if not any(server == mine for server, _ in self.table.owners()):
            return

        def work(group: SharedGroup) -> bool:
            for lock in self.table.of(lambda owner: owner[0] == mine):
                group.put_lock(lock, self.table[lock].reduced(lambda owner: owner[0] == mine))
            return True

        await self._submit(None, work)

    # --- circles that row locks are part of ----------------------------------------------------

    def _row_locks(self, owner: Owner) -> Iterable[Owner]:
        """Whom a session of this server waits for because of a row."""
        if owner[0] != self._env.members.number:
            return ()
        return [self.owner(pid) for pid in self._env.locks.blockers(owner[1]) if isinstance(pid, int)]

    def blockers(self, party: Hashable) -> list[Hashable]:
        """`txn.lock_queues.Beyond`: parties are pids of this server's sessions, and owners of others'."""
        owner = self.owner(party) if isinstance(party, int) else party
        mine = self._env.members.number
        return [pid if server == mine else (server, pid) for server, pid in self.table.blockers(owner)]  # type: ignore[arg-type]

    def spelled(self, party: Hashable, blocker: Hashable) -> str:
        owner: Owner = self.owner(party) if isinstance(party, int) else party  # type: ignore[assignment]
        other: Owner = self.owner(blocker) if isinstance(blocker, int) else blocker  # type: ignore[assignment]
        return self._line(owner, self.table.awaited_by(owner), other)

    def _spelled(self, circle: list[Owner], lock: LockId) -> str:
        """Who waits for what and whom, a line each; the first is about to wait for `lock`."""
        lines = []
        for i, owner in enumerate(circle):
            other = circle[(i + 1) % len(circle)]
            awaited = lock if i == 0 else self.table.awaited_by(owner)
            if awaited is None:
                lines.append(self._env.locks.spelled(owner[1]))
            else:
                lines.append(self._line(owner, awaited, other))
        return "\n".join(lines)

    def _line(self, owner: Owner, lock: LockId | None, other: Owner) -> str:
        what = "a lock" if lock is None else self.describe(lock)
        named = self._named(owner)
        return f"{named[0].upper()}{named[1:]} waits for {what}; blocked by {self._named(other)}."

    def _named(self, owner: Owner) -> str:
        server, pid = owner
        return f"process {pid}" if server == self._env.members.number else f"process {pid} of server {server}"


__all__ = ["LocksLost", "SessionLocks"]
