"""The block of a session: how it begins, and each way in which it ends.

    open_block     BEGIN, or implicitly, around statements that are sent together
    commit_now     without leaving the turn of the loop: an answer, or PENDING until the group is durable
    commit         the same for whoever can wait: what was gathered, deferred or staged comes first
    rollback       undoes everything, at once

A statement that fails undoes an implicit block; another one has failed until ROLLBACK.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from executor.abc import (
    PENDING,
    Done,
    ExecutionError,
    Rows,
    _Pending,
)
from executor.ddl import on_commit
from executor.session import heard, queries
from executor.session.blocks import gathering, settling, unseen
from executor.session.blocks.block import Block
from executor.session.context import SessionContext
from executor.session.references import at_work as references
from planner import statements as st
from planner.catalog import Database
from storage.abc import Timestamp
from txn.abc import AnswerFailed, CommitUnknown, DeadlockDetected, TxnError

if TYPE_CHECKING:
    from executor.session.session import Session

_COMMITTED = Rows("COMMIT")


class BlockOwner(SessionContext):
    """A session, as far as it has a block."""

    def open_block(self, *, implicit: bool, begin: st.Begin | None = None) -> Block:
        """Begins a block with the session's defaults, or what BEGIN says."""
        assert self.block is None
        settings = self.settings
        isolation, read_only, deferrable = settings.isolation, settings.read_only, settings.deferrable
        if begin is not None:
            isolation = begin.isolation or isolation
            read_only = begin.read_only if begin.read_only is not None else read_only
            deferrable = begin.deferrable if begin.deferrable is not None else deferrable
        self.block = Block(
            self.executor,
            isolation,
            read_only or self.pinned is not None,
            implicit,
            self.executor.env.clock.now_us(),
            as_of=self.pinned,
            party=self.pid or None,
            deferrable=deferrable,
        )
        self.in_implicit = implicit
        self.transaction_status = b"I" if implicit else b"T"
        limit_ms = settings.transaction_timeout_ms
        if limit_ms:
            self._transaction_timer = asyncio.get_running_loop().call_later(
                limit_ms / 1000, self._transaction_too_long
            )
        return self.block

    def _transaction_too_long(self) -> None:
        reason = ExecutionError("25P04", "terminating connection due to transaction timeout")
        self._interrupt(reason)
        if self.on_terminate is not None:
            self.on_terminate(reason)

    def _close_block(self, ended_ts: Timestamp | None = None) -> None:
        """The block is over: committed at that time (0: it had written nothing), or rolled back (None)."""
        block, self.block = self.block, None
        self.transaction_status, self.in_implicit = b"I", False
        if self._transaction_timer is not None:
            self._transaction_timer.cancel()
            self._transaction_timer = None
        if block is not None and block.number:
            self.executor.numbers.end(block.number, ended_ts)
        if self.has_temporary and ended_ts and block is not None and block.catalog is not None:
            self.keeps_temporary = block.catalog.find_schema(self.temporary_schema) is not None
        if block is not None and self.portals:
            for name in [n for n, p in self.portals.items() if p.from_sql and not p.extra.get("hold")]:
                self.portals.pop(name).close()
        self.executor.advisory.end_transaction(self.pid)
        if block is None or block.catalog is not None or block.steps or block.as_of is not None:
            self._context = None  # else what a text means is what it meant: who parses it again has it still (`surroundings`)

    def _close_unheld(self) -> None:
        """Cursors WITH HOLD outlive a transaction only when it commits."""
        undone, self.holding = self.holding, []
        for name in [
            n for n, p in self.portals.items() if p.from_sql and ("held" not in p.extra or n in undone)
        ]:
            self.portals.pop(name).close()

    def rollback(self) -> None:
        """Ends the block, if any, undoing everything."""
        block = self.block
        if block is None:
            return
        self.counts.rolled_back += 1
        if block.txn is not None:
            block.txn.rollback()
        self._close_unheld()
        self.executor.discard(block)
        self._close_block()
        if self.settings.rollback():
            self.settings_changed()

    def commit_now(self: Session, done: Done) -> Rows | _Pending | None:  # type: ignore[misc]
        """COMMIT without leaving the turn: PENDING if anything was written. None: holdable cursors first."""
        block = self.block
        assert block is not None
        if self.portals and any(p.extra.get("hold") and "held" not in p.extra for p in self.portals.values()):
            return None
        if block.deferred or block.gathered is not None or on_commit.leaves(self, block):
            return None
        if not block.settled and settling.unsettled(block):
            return None
        if block.steps:
            self.executor.catalogs.row_writes(block)
        txn = block.txn
        if txn is None or (not block.wrote and txn.unsettled is None):
            if txn is not None:
                txn.rollback()  # it wrote nothing: there is nothing to validate or to keep
            self._committed(block)
            return _COMMITTED
        if txn.reads and unseen.by_all_others(self, block):
            txn.stay_at_snapshot()

        def ended(result: int | Exception) -> None:
            if isinstance(result, Exception):
                if block.number and isinstance(result, CommitUnknown | AnswerFailed):
                    self.executor.numbers.lose(block.number)
                    block.number = 0
                self.rollback()
                done(result)
            else:
                self._committed(block)
                done(_COMMITTED)

        try:
            txn.submit(ended)
        except TxnError:  # too many wait, or nobody may commit any more: with a COMMIT the block ends
            self.rollback()
            raise
        return PENDING

    def _committed(self: Session, block: Block) -> None:  # type: ignore[misc]
        if block.published is not None:
            self.executor.catalogs.publish(block)
            slots, catalog = self.executor.slots, self.executor.catalog
            if gone := [s for s in slots.all() if not isinstance(catalog.get(s.database_oid), Database)]:
                self.executor.spawn(slots.end(gone))
        self._close_block(block.commit_ts)
        self.counts.commit()
        if self.settings.commit():
            self.settings_changed()
        if block.notifications:
            for said in block.notifications:
                if isinstance(said, heard.Heeding):
                    said.take_effect(self.channels)
            self.executor.notify(self, heard.told(block.notifications), told=block.wrote)
        if (
            self.closed
        ):  # its client went away meanwhile: what the commit made for the session alone goes as well
            self.executor.closed(self)

    async def commit(self: Session) -> None:  # type: ignore[misc]
        """Ends the block, if any, durably. A cancel request comes too late once this has begun: who goes on behind it heeds that (`heed`)."""
        if self.block is None:
            return
        await gathering.flush(self, self.block)
        if self.block.deferred:
            await references.check_deferred(self, self.block)
        await queries.materialise_held(self)
        await on_commit.leave(self, self.block)
        if settling.unsettled(self.block):
            await settling.settle(self, self.block)
            self.block.settled = True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(result: Rows | Exception) -> None:
            if future.done():
                return
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(None)

        if isinstance(self.commit_now(done), Rows):
            self.holding.clear()
            return
        self._committing, self._told_late = True, None
        try:
            await future  # nobody else waits for it: a cancel that ends the wait ends nothing else
        finally:
            self._committing = False
        self.holding.clear()

    async def end_implicit(self: Session, *, commit: bool) -> None:  # type: ignore[misc]
        if self.block is None or not self.block.implicit:
            return
        if not commit or self.block.failed:
            self.rollback()
        else:
            try:
                await self.interruptible(self.commit(), 0)  # deferred triggers may work for long
            except BaseException:
                self.rollback()
                raise
        if self.executor.advisory.awaited:
            await self.executor.advisory.let_go(self.pid)

    def statement_failed(self, error: Exception) -> None:
        self.executor.slots.ended(self.pid)  # temporary ones, as in PostgreSQL
        if isinstance(error, DeadlockDetected):
            self.executor.plans.counts.database(self.catalog.database_oid).deadlocks += 1
        block = self.block
        if block is None:
            self.counts.rolled_back += 1
            return
        if block.implicit:
            self.rollback()
        else:
            block.fail()
            if not block.savepoints:
                self.executor.advisory.end_transaction(self.pid)  # others need not wait for ROLLBACK
            self.transaction_status = b"E"
