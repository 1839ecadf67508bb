"""One client's session: the two doors, and what is remembered between statements.

    plan_simple, plan, prepare      text -> plan (`executor.session.planning`)
    execute_now                     the fast door: keyed reads answer at once, keyed writes and COMMIT
                                    through a callback, BEGIN and ROLLBACK at once
    execute                         the wide door: a coroutine, everything else

           no block                            BEGIN                         in a block
    read   image at oracle.read_ts()      -->  Block (no snapshot yet)  -->  own writes over the image at
    write  a member of the next group                                        the block's snapshot, buffered

One statement runs at a time. Whatever fails inside a block leaves it failed until ROLLBACK (25P02).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, Any, TypeVar

from executor.abc import (
    PENDING,
    Done,
    ExecutionError,
    Result,
    Rows,
    _Pending,
    aborted,
)
from executor.columnar.errors import canceled
from executor.keyed.autocommit import WriteMember
from executor.keyed.parts_member import PartsMember
from executor.keyed.plans import CompiledPlan, Door, Shortcut
from executor.procedural import calls
from executor.replication.follower import Follower
from executor.session import acts, as_of, commands, current, queries, read_only, readers, runners, scales
from executor.session.blocks import at_once, gathering, keyed, short_reads, transactions
from executor.session.blocks.block import Block
from executor.session.blocks.lanes import lane
from executor.session.heard import Notification
from executor.session.locks import definition_locks, fetched_rows, taking_turns
from executor.session.locks import found_rows as locking
from executor.session.locks.lock_wait import LockWait
from executor.session.planning import PlanningSession, ends_block
from executor.session.values import session_value
from executor.snapshot.abc import NoKeyedAnswer, TooFarToLook
from planner import statements as st
from planner.abc import LockingQuery, Plan, Query, SqlError, TypeRef, Utility
from planner.alone import refuse_with_others
from planner.catalog import rights
from planner.planner import PlanContext
from storage.abc import Datum
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    import pyarrow as pa


T = TypeVar("T")
SELECT_TAGS = tuple(f"SELECT {n}" for n in range(1000))
_LETTING_GO = (st.Deallocate, st.Rollback, st.RollbackTo)


class Session(PlanningSession):
    """See `executor.abc.Session`."""

    # --- replication -----------------------------------------------------------------------

    def follows(self, *, of_database: bool) -> None:
        if not rights.may_follow(self.catalog, self.user):
            raise ExecutionError("42501", "must be superuser or replication role to start walsender")
        self.follows_database = of_database

    def follower(self) -> Follower:
        return Follower(self)

    @property
    def sender_timeout_s(self) -> float:
        return float(self.settings.raw("wal_sender_timeout")) / 1000

    # --- which time it reads at -----------------------------------------------------------

    @property
    def behind(self) -> bool:
        frontier = self.executor.frontier
        if frontier is not None and not frontier.is_valid:
            return True
        block = self.block
        past = self.pinned is not None or (block is not None and block.as_of is not None)
        return (past or self.wanted is not None) and as_of.is_behind(self)

    def reading_at(self, text: str) -> PlanContext:
        return as_of.reading_at(self, text)

    async def caught_up(self) -> bool:
        return await current.caught_up(self)

    # --- the fast door ---------------------------------------------------------------------

    def execute_now(
        self, plan: Plan, params: tuple[Datum, ...], done: Done, autocommit: bool
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
            self._now_us = 0
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

    def value_of(self, name: str) -> Datum:
        """What the session knows and does not change in the course of a statement (`planner.binding.keyed.closed_set.SESSION_VALUES`)."""
        return session_value(self, name, 0)

    def act(self, op: str, arguments: tuple[Datum, ...]) -> Datum:
        return acts.act(self, op, arguments)

    def reader(self, plan: Plan) -> readers.Reader | None:
        return readers.reader(self, plan)

    def runner(self, plan: Plan) -> runners.Runner | None:
        return runners.runner(self, plan)

    def _short_read(self, shortcut: Shortcut, plan: Plan, params: tuple[Datum, ...]) -> Rows | None:
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

    async def run_plan(
        self, plan: Plan, params: tuple[Datum, ...], autocommit: bool, *, fetched: bool = False
    ) -> Result:
        """A plan inside another statement (EXECUTE, EXPLAIN ANALYZE, FETCH): as if it had been sent. `fetched`: its rows are asked for
        one by one, by a cursor or a loop."""
        return await self._execute(plan, params, autocommit, fetched=fetched)

    def hear(self, notifications: Sequence[Notification]) -> None:
        """Some are committed; pgwire drains `heard` and is woken by `on_notification`."""
        self.heard.hear(one for one in notifications if one[1] in self.channels)
        if self.heard and self.on_notification is not None:
            self.on_notification()

    def again(self, plan: Plan, params: tuple[Datum, ...], done: Done) -> Any:
        """What a member calls that cannot be admitted as it is: the wide door, from a task."""

        def again(_reason: Exception) -> None:
            async def run() -> None:
                try:
                    result = await self.execute(plan, params, autocommit=True)
                    assert isinstance(result, Rows)
                except Exception as e:  # noqa: BLE001 - whatever it is, the client is told
                    done(e)
                else:
                    done(result)
                finally:
                    self.drawn = None
                    self.drawn_in_parts.clear()

            self.executor.spawn(run())

        return again

    def _now_in_block(
        self, block: Block, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...], done: Done
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

    def _goes_now(self, block: Block, compiled: CompiledPlan) -> bool:
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

    def at_once(self, plan: Plan, params: tuple[Datum, ...], most: int = 0) -> Rows | None:
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

    # --- the wide door ---------------------------------------------------------------------

    async def execute(self, plan: Plan, params: tuple[Datum, ...], *, autocommit: bool) -> Result:
        counts, alone, began_ns = self.counts, self.block is None, perf_counter_ns()
        ended = counts.committed
        try:
            result = await self.interruptible(self._execute(plan, params, autocommit))
        finally:
            counts.active_ns += perf_counter_ns() - began_ns
        if alone and self.block is None and counts.committed == ended:
            counts.commit()  # it needed no block
        if self.executor.advisory.awaited:
            await self.executor.advisory.let_go(self.pid)
        return result

    def takes_batches(self, plan: Plan) -> Sequence[TypeRef] | None:
        batch = gathering.batch_of(self, plan) if not self.executor.defining else None
        return None if batch is None else batch.types

    async def insert_batch(self, plan: Plan, given: Sequence[pa.Array], *, executions: int) -> bool:
        count = len(given[0])
        try:
            await self.interruptible(gathering.insert(self, plan, given, count), executions)
        except gathering.Refused:
            return False
        return True

    async def interruptible(self, work: Coroutine[Any, Any, T], statements: int = 1) -> T:
        """Runs what a cancel request ends, and the time limit of so many statements (0: whoever calls sees to that)."""
        timeout_ms = self.settings.statement_timeout_ms * statements
        timer = None
        if timeout_ms:
            timer = asyncio.get_running_loop().call_later(timeout_ms / 1000, self.timed_out)
        outer = self._running
        if self.askings and outer is None:
            await calls.end_loose(self)
        self._running = asyncio.current_task()
        self._cancel_reason = self._told_late = None
        well = False
        try:
            result = await work
            well = True
            return result
        except asyncio.CancelledError:
            reason = self._cancel_reason
            task = asyncio.current_task()
            if reason is None or task is None:
                raise
            task.uncancel()
            self._cancel_reason = None
            raise reason from None
        finally:
            self._running = outer
            if timer is not None:
                timer.cancel()
            if self.unsettled:
                transactions.settle_statement(self, well=well)

    async def _execute(
        self, plan: Plan, params: tuple[Datum, ...], autocommit: bool, *, fetched: bool = False
    ) -> Result:
        self._now_us = 0
        block = self.block
        if block is not None and block.failed:
            if not ends_block(plan):
                raise aborted()
        else:
            if block is not None and block.gathered is not None and not ends_block(plan):
                await gathering.flush(self, block)
            if not self.executor.env.leadership.is_valid and not _gives_up(plan):
                await current.led(self, block)
        await self._reach(block, plan.body)
        if self.executor.defining:
            await definition_locks.behind(self, plan)
        if block is not None and block.altered:
            from executor.ddl import moving

            await moving.before(self, block, self.compiled(plan).plan)
        compiled = self.compiled(plan)
        views = compiled.views
        if views and block is not None:
            block.look_through(views)
        if compiled.leaves is not None and (found := compiled.leaves.find(self, params)) is not None:
            while (
                found is not None and self.executor.defining and await definition_locks.behind(self, found[0])
            ):
                compiled = self.compiled(plan)  # where the rows go by now
                found = None if compiled.leaves is None else compiled.leaves.find(self, params)
            if found is not None:
                plan, params = found
                compiled = self.compiled(plan)
        elif "numerics" in plan.extra and (scaled := scales.planned(self, plan, params)) is not None:
            plan, compiled = scaled, self.compiled(scaled)
        body = compiled.plan.body
        if isinstance(body, Utility):
            if block is not None:
                refuse_with_others(body.statement)
            if block is None and not autocommit and not isinstance(body.statement, commands.OWN_TRANSACTION):
                block = self.open_block(implicit=True)
            return await commands.run(self, compiled.plan, body.statement, params, autocommit)
        if "runs" in compiled.plan.extra:
            return await calls.run_statement(self, compiled, plan, params, autocommit)
        if block is None and not autocommit:
            block = self.open_block(implicit=True)
            block.look_through(views)
        if block is not None:
            try:
                return await self.run_in(block, compiled, plan, params, fetched=fetched)
            except SqlError:
                if keyed.too_early(block):
                    await block.transaction().settled()
                raise
        if isinstance(body, Query):
            return await queries.read(self, None, plan, body, params, as_of=self.pinned)
        return await self._retrying(compiled, plan, params)

    async def _reach(self, block: Block | None, body: Any) -> None:
        """Before a statement in the past: that the past is kept, and has come; its catalog.

        Statements that need no snapshot go on, or nobody could RESET a setting that has grown too old.
        """
        ts = self.pinned if block is None else block.as_of
        if ts is None or (
            isinstance(body, Utility) and isinstance(body.statement, commands.WITHOUT_SNAPSHOT)
        ):
            return
        if block is None or block.txn is None:
            await as_of.readable(self, ts)
        await as_of.look(self, block, ts)

    async def _retrying(self, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...]) -> Result:
        """A statement that is its own transaction: run and committed again after a conflict."""

        async def run(block: Block) -> Result:
            now = self.compiled(plan) if block.again else compiled
            return await self.run_in(block, now, plan, params)

        return await taking_turns.retried(self, run)

    async def run_in(
        self,
        block: Block,
        compiled: CompiledPlan,
        plan: Plan,
        params: tuple[Datum, ...],
        *,
        fetched: bool = False,
    ) -> Result:
        """A query or DML statement inside a block, waiting for locks and hydration as it must. `fetched` as for `run_plan`."""
        body = compiled.plan.body
        writes = compiled.door is Door.WRITE or (
            not isinstance(body, Query) and compiled.door is not Door.READ
        )
        if isinstance(body, LockingQuery):
            locking.check(self, block, body)
            if fetched and fetched_rows.applies(block, compiled.plan):
                return await fetched_rows.opened(self, block, compiled.plan, params)
        elif writes:
            read_only.refuse(self, block, body, plan.tag.split(" ")[0])
        if isinstance(body, Query):
            return await queries.read(self, block, plan, body, params)
        if compiled.door is Door.WIDE:
            if compiled.by_range is not None and short_reads.writes_few(
                self, block, compiled.by_range, params
            ):
                with contextlib.suppress(TooFarToLook):  # there are more rows by now
                    return await keyed.run_waiting(self, block, compiled.by_range, plan, params)
            return await queries.write(self, block, compiled.plan, body, params)
        try:
            return await keyed.run_waiting(self, block, compiled, plan, params)
        except TooFarToLook:
            beyond = compiled.beyond
            assert beyond is not None  # every range that is read to a LIMIT has one
        wide = beyond.plan.body
        if isinstance(wide, Query):
            return await queries.read(self, block, plan, wide, params)
        assert isinstance(wide, LockingQuery)
        locking.check(self, block, wide)
        return await queries.write(self, block, beyond.plan, wide, params)

    def executed(self, text: str, began_ns: int, tag: str) -> None:
        statements = self.executor.statements
        if statements.is_on:
            statements.executed(self, text, (time_ns() - began_ns) / 1e6, tag)

    def outside_block(self, statement: Any) -> None:
        transactions.outside_block(self, statement)

    # --- the end ---------------------------------------------------------------------------

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        if self._running is not None:
            self._cancel_reason = canceled("terminating connection")
            self._running.cancel()
        for portal in self.portals.values():
            portal.close()
        for query in list(self.streams):  # whoever reads it hears of it, and closes it
            query.cancel("terminating connection")
        self.portals.clear()
        self.statements.clear()
        self.rollback()
        self.executor.advisory.end_session(self.pid)
        self.executor.closed(self)
        self._context = None  # which knows the session: apart, both are freed at once


def _gives_up(plan: Plan) -> bool:
    """ROLLBACK, and DEALLOCATE, which drivers send along with it: they ask nothing of the log, and must succeed
    when it is out of reach."""
    return isinstance(plan.body, Utility) and isinstance(plan.body.statement, _LETTING_GO)


__all__ = ["Session", "aborted"]
