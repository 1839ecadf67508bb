"""Advisory locks that hold among the sessions of all servers of an environment.

    pg_advisory_lock(7)     asked of the log (`txn.shared.session_locks`): free there, it is this session's when the entry is durable
    counts                  how often, and at which level, this session has it: known here only, as on a single server
    COMMIT, unlock          the counts say what is left; the rest is let go of by an entry, and only then is the client answered

The methods are those of `executor.session.locks.advisory`, and what they return may have to be awaited. A function's call waits for
the entry on DuckDB's thread, which takes no longer than a commit; for *another session* it never waits there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

from executor.abc import ExecutionError
from executor.session.locks.advisory import AdvisoryLocks, Key, Listed, Owner, blocked, describe
from storage.abc import StorageError
from txn.abc import CommitUnknown, LockNotAvailable, TxnError
from txn.lock_table import EXCLUSIVE, SHARED
from txn.locks import LockLimitExceeded, LockMode
from txn.shared.session_locks import LocksLost, SessionLocks

_log = logging.getLogger("tidewire.executor")

_MODES = {None: 0, LockMode.SHARE: SHARED, LockMode.UPDATE: EXCLUSIVE}


class SharedAdvisoryLocks(AdvisoryLocks):
    """See the module. `end_session` is called with a session that has lost its locks, and why."""

    awaited = True

    def __init__(self, locks: SessionLocks, end: Callable[[int, ExecutionError], None]) -> None:
        self._owners: dict[int, Owner] = {}
        self._shared = locks
        self._end = end
        self._letting_go: dict[int, asyncio.Future[bool]] = {}
        self._to_settle: set[int] = set()
        """Sessions, living or not, of which something could not be let go of: tried again at the next beat."""
        locks.on_lost, locks.on_beat = self._lost, self._try_again
        locks.describe = describe

    # --- from a query ------------------------------------------------------------------------

    def try_lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> Awaitable[bool]:
        owner = self._owner(pid)
        owner.begin()
        ended, request = owner.ended, (key, SHARED if shared else EXCLUSIVE)
        try:
            asked = self._shared.request(pid, *request)
        except TxnError as error:
            raise _worded(error) from error
        owner.asked.append(request)

        def answered(_: asyncio.Future[bool]) -> None:
            owner.asked.remove(request)
            if asked.cancelled() or asked.exception() is not None or not asked.result():
                return
            if self._owners.get(pid) is owner and not (transaction and owner.ended != ended):
                owner.count(key, shared, transaction)
            else:  # who asked is over by now
                self._settle(owner, surely=True)

        asked.add_done_callback(answered)
        return _answer(asked)

    def lock(self, pid: int, key: Key, *, shared: bool, transaction: bool) -> Awaitable[bool]:
        owner = self._owner(pid)
        asked = self.try_lock(pid, key, shared=shared, transaction=transaction)

        async def locked() -> bool:
            if await asked:
                return True
            if owner.wanted is None:
                owner.wanted = key, LockMode.SHARE if shared else LockMode.UPDATE
            raise blocked()

        return locked()

    def unlock_all(self, pid: int) -> bool | Awaitable[bool]:
        owner = self._owners.get(pid)
        if owner is None or not owner.held:
            return True
        owner.held.clear()
        return self._let_go(owner)

    def _unlocked(self, owner: Owner, key: Key) -> Awaitable[bool]:
        return self._let_go(owner)

    async def _let_go(self, owner: Owner) -> bool:
        self._settle(owner)
        await self.let_go(owner.id)
        return True

    # --- from the session --------------------------------------------------------------------

    async def wait(self, pid: int, timeout_s: float | None) -> None:
        owner, wanted = self._owners[pid], self._wanted(pid)
        if wanted is not None:
            key, mode = wanted
            try:
                await self._shared.wait(pid, key, _MODES[mode], timeout_s)
            except LockNotAvailable:
                self._settle(owner, surely=True)
                await self.let_go(pid)  # who is told that he waits no more is in nobody's way any more
                raise
            except BaseException:
                self._settle(owner, surely=True)
                raise

    def end_transaction(self, pid: int) -> None:
        owner = self._owners.get(pid)
        if owner is not None:
            owner.ended += 1
            owner.before = None
            owner.transaction.clear()
            self._settle(owner)

    def end_session(self, pid: int) -> None:
        owner = self._owners.pop(pid, None)
        if owner is not None:
            owner.held.clear()
            owner.transaction.clear()
            self._settle(owner)

    async def let_go(self, pid: int) -> None:
        going = self._letting_go.get(pid)
        if going is not None:
            await asyncio.wait([going])

    @property
    def server(self) -> int:
        return self._shared.server

    def listing(self) -> list[Listed]:
        listed: list[Listed] = []
        for key, record in self._shared.table:
            for claims, granted in ((record.holders, True), (record.queue, False)):
                listed += [(key, server, pid, mode == SHARED, granted) for server, pid, mode in claims]
        return listed

    # --- inside ------------------------------------------------------------------------------

    def _settle(self, owner: Owner, *, surely: bool = False) -> None:
        """Lets go of what the counts no longer stand for, when its turn in the log has come.

        `surely`: also of what the log may still be about to give.
        """
        pid = owner.id

        def wanted(key: Key) -> int:
            asked = (mode for other, mode in owner.asked if other == key)
            return max(_MODES[owner.mode(key)], *asked, 0)

        if not surely and not self._shared.exceeds(pid, wanted):
            return
        try:
            going = self._shared.keep(pid, wanted)
        except TxnError as error:
            self._failed(pid, error)
            return
        self._letting_go[pid] = going

        def gone(done: asyncio.Future[bool]) -> None:
            if self._letting_go.get(pid) is done:
                del self._letting_go[pid]
            error = None if done.cancelled() else done.exception()
            if error is not None:
                self._failed(pid, error)

        going.add_done_callback(gone)

    def _failed(self, pid: int, error: BaseException) -> None:
        _log.warning("an advisory lock could not be let go of and will be later: %s", error)
        self._to_settle.add(pid)

    def _try_again(self) -> None:
        pids, self._to_settle = self._to_settle, set()
        for pid in pids:
            self._settle(self._owners.get(pid) or Owner(pid), surely=True)

    def _lost(self, waiting: Iterable[int]) -> None:
        """Others have given the locks away: whoever relied on one, or waited, is ended, as if his server had died."""
        relying = [pid for pid, owner in self._owners.items() if owner.held or owner.transaction]
        for pid in {*relying, *waiting}:
            owner = self._owners.pop(pid, None)
            if owner is not None:
                owner.held.clear()
                owner.transaction.clear()
            # If nobody has expelled this server after all, the log still says that they are his.
            self._to_settle.add(pid)
            self._end(pid, _worded(self._shared.cast_out(pid)))


async def _answer(asked: asyncio.Future[bool]) -> bool:
    try:
        return await asked
    except (TxnError, StorageError) as error:
        raise _worded(error) from error


def _worded(error: Exception) -> ExecutionError:
    """Errors of the log as the session of a function's call hears of them."""
    if isinstance(error, LockLimitExceeded):
        return ExecutionError("53200", "out of shared memory", detail=str(error))
    if isinstance(error, LocksLost):
        return ExecutionError(
            "57P01",
            "terminating connection because its advisory locks were lost",
            detail="This server gave no sign of life for so long that the others had to take it for dead.",
        )
    if isinstance(error, CommitUnknown):
        return ExecutionError("08007", f"whether an advisory lock was taken is unknown: {error}")
    return ExecutionError("58030", f"an advisory lock could not be asked for: {error}")
