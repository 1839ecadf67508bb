"""One client's session: the two doors, and what is remembered between statements.

    plan_simple, plan, prepare      text -> plan (`executor.session.planning`)
    execute_now                     the fast door (`executor.session.fast_door`): keyed reads answer at once,
                                    keyed writes and COMMIT through a callback, BEGIN and ROLLBACK at once
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
    Done,
    ExecutionError,
    Result,
    Rows,
    aborted,
)
from executor.columnar.errors import canceled
from executor.keyed.plans import CompiledPlan, Door
from executor.procedural import calls
from executor.replication.follower import Follower
from executor.session import acts, as_of, commands, current, queries, read_only, readers, runners, scales
from executor.session.blocks import gathering, keyed, short_reads, transactions
from executor.session.blocks.block import Block
from executor.session.fast_door import FastDoor
from executor.session.heard import Notification
from executor.session.locks import definition_locks, fetched_rows, taking_turns
from executor.session.locks import found_rows as locking
from executor.session.planning import ends_block
from executor.session.values import session_value
from executor.snapshot.abc import TooFarToLook
from planner import statements as st
from planner.abc import LockingQuery, Plan, Query, SqlError, TypeRef, Utility
from planner.alone import refuse_with_others
from planner.catalog import rights
from planner.plan_context import PlanContext
from storage.abc import Datum

if TYPE_CHECKING:
    import pyarrow as pa


T = TypeVar("T")
_LETTING_GO = (st.Deallocate, st.Rollback, st.RollbackTo)


class Session(FastDoor):
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

    # --- what statements ask of it -----------------------------------------------------------

    def value_of(self, name: str) -> Datum:
        """What the session knows and does not change in the course of a statement (`planner.binding.keyed.closed_set.SESSION_VALUES`)."""
        return session_value(self, name, 0)

    def act(self, op: str, arguments: tuple[Datum, ...]) -> Datum:
        return acts.act(self, op, arguments)

    def reader(self, plan: Plan) -> readers.Reader | None:
        return readers.reader(self, plan)

    def runner(self, plan: Plan) -> runners.Runner | None:
        return runners.runner(self, plan)

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
        self.alone_since_us = 0
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
                refuse_with_others(body.statement, pipeline=block.implicit)
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
