"""A keyed statement that waits for a row, without a task.

    run_in_block   WouldBlock  ->  LockWait  ->  PENDING
                                      |  the holder ends: `granted`, in that very turn of the loop
                                      v
                                   run_in_block again  ->  done(Rows)        or the next key's wait
                                      |  Unsettled: what it would say is on its way to the disk
                                      v
                                   and again when that is durable

On a hot row every transaction waits once, so the time between one that ends and the next that goes on is
what bounds them all: a task, two futures and their turns of the loop would be most of it. What else a
statement may have to wait for (hydration, history, a sequence's lease) is the wide door's business.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import PENDING, Done, ExecutionError, Rows, _Pending
from executor.columnar.errors import canceled
from executor.session import commands
from executor.session.blocks import keyed
from executor.session.blocks.block import Block
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import Plan, SqlError
from storage.abc import Datum, Row
from txn.abc import SerializationFailure
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    from executor.keyed.plans import CompiledPlan
    from executor.session.blocks.lanes import Lane
    from executor.session.session import Session


class LockWait:
    """One statement's wait for locks. `wide` runs it by the wide door, and tells `done` itself; `lane` runs it if all is as usual."""

    __slots__ = (
        "_block",
        "_compiled",
        "_done",
        "_lane",
        "_made",
        "_params",
        "_passing",
        "_plan",
        "_session",
        "_timer",
        "_wide",
    )

    def __init__(
        self,
        session: Session,
        block: Block,
        compiled: CompiledPlan,
        plan: Plan,
        params: Sequence[Datum],
        done: Done,
        wide: Callable[[Exception], None],
        lane: Lane | None = None,
    ) -> None:
        self._session, self._block, self._compiled = session, block, compiled
        self._plan, self._params = plan, params
        self._done, self._wide, self._lane = done, wide, lane
        self._timer: asyncio.TimerHandle | None = None
        self._made: Sequence[Row] | None = None
        """The rows of an INSERT: made once, for they have drawn numbers."""
        self._passing: Any = None
        """The lock that is let go at once (`WouldBlock.passing`), and how it was held before."""

    def begin(self, reason: keyed.WouldBlock | keyed.Unsettled) -> _Pending:
        """Queues for the lock; or it has it, and all is told before this returns. Raises DeadlockDetected."""
        session = self._session
        waits = True
        if isinstance(reason, keyed.WouldBlock):
            waits = self._queues(reason)
        session.lock_wait = self
        timeout_ms = session.settings.statement_timeout_ms
        if timeout_ms:
            self._timer = asyncio.get_running_loop().call_later(timeout_ms / 1000, self._timed_out)
        if not waits:
            self._granted(None)
        elif isinstance(reason, keyed.Unsettled):
            self._settles(reason)
        return PENDING

    def _queues(self, blocked: keyed.WouldBlock) -> bool:
        """Whether it has to wait: not if nobody but others in the queue was in the way, and these wait for this transaction."""
        session, txn = self._session, self._block.transaction()
        self._made = self._made or blocked.made
        if self._compiled.write is not None and self._compiled.table is not None:
            self._block.writing |= {self._compiled.table.oid}
        timeout_ms, locks = session.settings.lock_timeout_ms, session.executor.env.locks
        self._passing = None
        if blocked.passing:
            self._passing = blocked.space, blocked.key, locks.holds(txn, blocked.space, blocked.key)
        waiter = locks.queue(
            txn,
            blocked.space,
            blocked.key,
            blocked.mode,
            self._granted,
            timeout_s=timeout_ms / 1000 if timeout_ms else None,
        )
        return waiter is not None

    def _granted(self, error: Exception | None) -> None:
        if error is not None:
            self._finish(error)
            return
        txn = self._block.transaction()
        if self._passing is not None:
            self._session.executor.env.locks.weaken(txn, *self._passing)
        txn.follow(waited=True)
        self._go_on()

    def _go_on(self) -> None:
        """It begins anew."""
        result: Rows | Exception | None = None
        session, block = self._session, self._block
        params: Any = self._params
        try:
            if self._lane is not None and self._made is None:
                result = self._lane(session, block, params)
            if result is None:
                result = keyed.run_in_block(
                    session, block, self._compiled, self._plan, params, made=self._made
                )
        except keyed.WouldBlock as blocked:
            try:
                waits = self._queues(blocked)
            except Exception as refused:  # noqa: BLE001 - a deadlock, above all: the client is told
                self._finish(refused)
                return
            if not waits:
                self._granted(None)
            return
        except keyed.Unsettled as unsettled:
            self._settles(unsettled)
            return
        except (NoKeyedAnswer, commands.NeedsLease, LeaseLapsed) as reason:
            self._go_wide(reason)
            return
        except Exception as failed:  # noqa: BLE001 - whatever it is, the client is told
            result = failed
            try:
                early = isinstance(failed, SqlError) and keyed.too_early(block)
            except SerializationFailure as undone:
                result, early = undone, False
            if early:
                self._settles(keyed.Unsettled())
                return
        self._finish(result)

    def _settles(self, unsettled: keyed.Unsettled) -> None:
        """Goes on when what is in flight is durable, or taken back: then the statement raises."""
        self._made = self._made or unsettled.made
        committer = self._session.executor.env.committer
        if committer.in_flight_ts:
            committer.landing().add_done_callback(self._landed)
        else:
            self._go_wide(unsettled)  # the committer is closed: that door says so

    def _landed(self, _: object) -> None:
        session = self._session
        if session.lock_wait is self and session.block is self._block:  # else interrupted, or closed
            self._go_on()

    def _go_wide(self, reason: Exception) -> None:
        self._end()
        if self._made is not None and self._compiled.write is not None:
            self._session.drawn = self._compiled.write, self._made
        self._wide(reason)

    def interrupt(self, reason: ExecutionError | Any) -> None:
        """A cancel request or a time-out: the wait ends with that error."""
        txn = self._block.txn
        if txn is not None:
            self._session.executor.env.locks.cancel(txn)
        self._finish(reason)

    def _timed_out(self) -> None:
        self.interrupt(canceled("canceling statement due to statement timeout"))

    def _finish(self, result: Rows | Exception) -> None:
        self._end()
        self._done(result)

    def _end(self) -> None:
        self._session.lock_wait = None
        if self._block.txn is not None:
            self._block.txn.follow()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
