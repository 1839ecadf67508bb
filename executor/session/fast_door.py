"""The fast door: what is answered as its message is read, with no task and nothing awaited.

    no block   keyed read       image at oracle.read_ts()               rows
               keyed write      a member of the next group              PENDING: `done` is called when it is durable
               constants, acts, queries that ask for little             rows
    in a block keyed            own writes over the block's snapshot    rows, or PENDING behind another's lock
    anywhere   COMMIT, ROLLBACK, BEGIN                                  at once, or with the group

None is always an answer: the wide door (`Session.execute`) takes what comes with a wait, a lease or DuckDB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.abc import (
    PENDING,
    Done,
    Rows,
    _Pending,
    aborted,
)
from executor.keyed.autocommit import WriteMember
from executor.keyed.parts_member import PartsMember
from executor.keyed.plans import CompiledPlan, Door, Shortcut
from executor.session import acts, commands, current
from executor.session.blocks import at_once, keyed, short_reads, transactions
from executor.session.blocks.block import Block
from executor.session.blocks.lanes import lane
from executor.session.locks.lock_wait import LockWait
from executor.session.planning import PlanningSession
from executor.snapshot.abc import NoKeyedAnswer
from planner import statements as st
from planner.abc import Plan, SqlError
from storage.abc import Datum
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    from executor.session.session import Session

SELECT_TAGS = tuple(f"SELECT {n}" for n in range(1000))


class FastDoor(PlanningSession):
    """What a session answers at once. Mixed into `executor.session.session.Session`."""

    def execute_now(  # type: ignore[misc]
        self: Session, plan: Plan, params: tuple[Datum, ...], done: Done, autocommit: bool
    ) -> Rows | _Pending | None:
        block = self.block
        executor = self.executor
        compiled = plan.compiled
        if (
            compiled is None
            or executor.catalogs.newest is not self._base
            or compiled.catalog is not self._seen
            or (block is not None and block.catalog is not None)
        ):
            compiled = self.compiled(plan)
        if executor.defining and compiled.door is not Door.END:
            return None
        if block is None:
            self.alone_since_us = 0
        elif compiled.views and not block.failed:
            block.look_through(compiled.views)
        if (
            compiled.leaves is not None
            and (found := compiled.leaves.find(self, params, now=True)) is not None
        ):
            plan, params = found
            compiled = self.compiled(plan)
        door = compiled.door
        if block is not None:
            if door is Door.WIDE:
                if compiled.parts is not None:
                    return at_once.in_block(self, block, compiled.parts, plan, params)
                by_range = compiled.by_range
                if by_range is None or block.failed:
                    return short_reads.in_block(self, block, compiled, plan, params)
                if not short_reads.writes_few(self, block, by_range, params):
                    return None
                compiled = by_range
            return self._now_in_block(block, compiled, plan, params, done)
        if not autocommit or self.pinned is not None:
            return None
        if door is Door.READ:
            if compiled.lock:
                return None
            try:
                rows = compiled.read.at_once(params, self, compiled.image, executor.read_ts())
            except LeaseLapsed:
                again = self.again(plan, params, done)
                return current.read_when_current(self, compiled, plan, params, done, again)
            except NoKeyedAnswer:
                few = compiled.beyond.shortcut if compiled.beyond is not None else None
                return None if few is None else self._short_read(few, plan, params)
            n, way = len(rows), compiled.way
            way.scans += 1
            way.rows += n
            self.counts.commit()
            return Rows(SELECT_TAGS[n] if n < 1000 else f"SELECT {n}", plan.columns, rows)
        if door is Door.WRITE:
            if compiled.target is None or executor.read_only or self.settings.read_only:
                return None
            try:
                member = WriteMember(compiled.target, params, self, done, plan)
            except (commands.NeedsLease, NoKeyedAnswer):
                return None
            executor.submit(member)
            return PENDING
        if door is Door.END:
            return transactions.end_now(self, compiled.statement, done)
        if compiled.parts_target is not None:
            target = compiled.parts_target
            if executor.read_only or self.settings.read_only or not target.worth_it:
                return None
            executor.submit(PartsMember(target, params, self, done, plan))
            return PENDING
        if compiled.constant is not None:
            row = compiled.constant(params, None, self)
            self.counts.commit()
            return Rows("SELECT 1", plan.columns, (row,))
        if compiled.act is not None:
            row = acts.answered(self, compiled.act, params)
            if row is None:
                return None
            self.counts.commit()
            return Rows("SELECT 1", plan.columns, (row,))
        if compiled.shortcut is not None:
            return self._short_read(compiled.shortcut, plan, params)
        return None

    def _short_read(self: Session, shortcut: Shortcut, plan: Plan, params: tuple[Datum, ...]) -> Rows | None:  # type: ignore[misc]
        """A query's answer from the keyed engine, if it asks for little; None: DuckDB's turn."""
        try:
            rows = shortcut.read(params, self, shortcut.image, self.executor.read_ts())
        except (NoKeyedAnswer, LeaseLapsed):
            return None
        if rows is None:
            return None
        self.counts.commit()
        for way in shortcut.ways:
            way.add(len(rows))
        return Rows(f"SELECT {len(rows)}", plan.columns, rows)

    def _now_in_block(  # type: ignore[misc]
        self: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...], done: Done
    ) -> Rows | _Pending | None:
        if compiled.door is Door.END:
            if block.failed and isinstance(compiled.statement, st.Begin):
                raise aborted()
            return transactions.end_now(self, compiled.statement, done)
        if block.failed:
            raise aborted()
        if not self._goes_now(block, compiled):
            return None
        shortly = None
        if block.catalog is None and self.executor.frontier is None:
            shortly = compiled.lane
            if shortly is None:
                shortly = lane(self.executor, compiled, plan)
        try:
            if shortly and (result := shortly(self, block, params)) is not None:
                return result  # type: ignore[no-any-return]
            return keyed.run_in_block(self, block, compiled, plan, params)
        except (keyed.WouldBlock, keyed.Unsettled) as waits:
            reason = waits
        except (NoKeyedAnswer, commands.NeedsLease, LeaseLapsed):
            return None
        except SqlError:
            if not keyed.too_early(block):
                raise
            reason = keyed.Unsettled()
        again = self.again(plan, params, done)
        return LockWait(self, block, compiled, plan, params, done, again, shortly or None).begin(reason)

    def _goes_now(self: Session, block: Block, compiled: CompiledPlan) -> bool:  # type: ignore[misc]
        """Whether a keyed statement may run in the block before anything is awaited."""
        if block.gathered is not None:
            return False
        frontier = self.executor.frontier
        if frontier is not None and current.takes_snapshot(self, block) and not frontier.is_valid:
            return False
        if block.as_of is not None or (block.read_only and compiled.door is Door.WRITE):
            return False
        rules = compiled.rules
        return rules is None or not (rules.wide_checks or compiled.related or compiled.fires)

    def at_once(self: Session, plan: Plan, params: tuple[Datum, ...], most: int = 0) -> Rows | None:  # type: ignore[misc]
        """A statement of a routine in the block, if it is answered without waiting; None: `run_plan`. `most`: of queries that lock rows,
        those of few rows only."""
        block = self.block
        if block is None or block.failed:
            return None
        compiled = self.compiled(plan)
        if compiled.views:
            block.look_through(compiled.views)
        if (
            compiled.leaves is not None
            and (found := compiled.leaves.find(self, tuple(params), now=True)) is not None
        ):
            plan, params = found
            compiled = self.compiled(plan)
        if compiled.door is Door.WIDE:
            if compiled.parts is not None:
                return at_once.in_block(self, block, compiled.parts, plan, params, most)
            return short_reads.in_block(self, block, compiled, plan, params)
        if compiled.door is Door.END or not self._goes_now(block, compiled):
            return None
        try:
            return keyed.run_in_block(self, block, compiled, plan, params)
        except (keyed.WouldBlock, NoKeyedAnswer, keyed.Unsettled, commands.NeedsLease, LeaseLapsed):
            return None
