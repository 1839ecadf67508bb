"""DDL, executed: one transaction with everything else in its block.

    bind_ddl        statement + catalog  ->  DdlPlan: catalog changes, work on data, checks
    shards          registered and forgotten by the very commit that changes the catalog
    data            a rewrite, TRUNCATE and CREATE TABLE AS fill a new shard; nothing is changed in place
    checks          queries that must find nothing (a new primary key, NOT NULL, CHECK on old rows)
    the step        changes become the block's own catalog at once, everybody's at its commit

TRUNCATE gives the table a new, empty shard: no row is touched, readers of the past keep the old one,
and whoever writes to the table concurrently is refused at admission, as with any other DDL.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.catalogs import NameTaken
from executor.ddl import at_hand, copies, in_use, old_rows, table_rows
from executor.ddl import in_place as standing
from executor.ddl.in_use import squashed
from executor.ddl.schema import schema_bytes
from executor.ddl.shape import same_shape
from executor.session import as_of
from executor.session.arguments import evaluate_in_place
from executor.session.blocks.block import Block
from executor.session.blocks.defining import DdlStep
from executor.session.executed import written_out
from executor.session.locks import definition_locks
from executor.session.locks.taking_turns import Turns
from executor.session.settings import session_defaults
from executor.triggers import events, firing
from planner import statements as st
from planner import triggers
from planner.abc import Plan, SqlError, Table
from planner.catalog import CatalogChange
from planner.catalog import Sequence as SequenceObject
from planner.ddl.partitions.bound_values import NotComputed
from planner.ddl.plan import DdlNotice, DdlPlan
from storage.abc import Datum, ShardId
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.session import Session


async def run(
    session: Session, plan: Plan, statement: Any, params: Sequence[Datum], autocommit: bool
) -> Rows:
    """Runs a DDL statement in the open block, or as a transaction of its own."""
    read_only = session.executor.read_only or session.settings.raw("default_transaction_read_only") == "on"
    if read_only and (session.block is None or session.block.read_only):
        raise _refused(plan, statement)
    if session.block is not None:
        return await _run(session, session.block, plan, statement, params)
    turns = Turns()
    for attempt in range(session.executor.limits.retries_max):
        block = session.open_block(implicit=True)
        block.isolation_name = (
            "serializable"  # what its checks have read must hold, whatever the session's level
        )
        try:
            await turns.take(session, block)
            result = await _run(session, block, plan, statement, params)
            await session.commit()
            return result
        except (SerializationFailure, NameTaken):  # IF NOT EXISTS and OR REPLACE find what has come
            turns.overtaken(block)
            session.rollback()
            if attempt + 1 == session.executor.limits.retries_max:
                raise
            await asyncio.sleep(0)
        except BaseException:
            session.rollback()
            raise
        finally:
            if block.txn is not None:
                session.executor.defining.pop(block.txn, None)
                session.executor.letting.pop(block.txn, None)
    raise AssertionError("unreachable")


def _refused(plan: Plan, statement: Any) -> ExecutionError:
    what = plan.tag
    if isinstance(statement, st.CreateTableAs):
        what = "CREATE MATERIALIZED VIEW" if statement.materialized else "CREATE TABLE AS"
    return ExecutionError("25006", f"cannot execute {what} in a read-only transaction")


async def _run(
    session: Session,
    block: Block,
    plan: Plan,
    statement: Any,
    params: Sequence[Datum],
) -> Rows:
    if block.read_only:
        raise _refused(plan, statement)
    block.statement()
    watched = events.of(session, block, plan, statement)
    if watched is not None:
        await watched.start()
    if isinstance(statement, st.CreateTableAs):
        statement = written_out(session, statement)
        if plan.parameters and statement.variables is None:
            bound_types = tuple(p.oid for p in plan.parameters)
            statement = dataclasses.replace(
                statement, parameters=bound_types, given=lambda _places: tuple(params)
            )
    if isinstance(statement, st.AlterSettings):
        statement = session_defaults.checked(session, statement)
    if isinstance(statement, st.CreateFunction | st.AlterFunction) and "set" in statement.options:
        statement = session_defaults.checked_for_function(session, statement)
    bound = await _bound(session, statement)
    looks = 0
    concurrently = isinstance(statement, st.CreateIndex | st.Drop) and statement.concurrently
    while (bound.changes or bound.truncated) and not await definition_locks.ours(
        session, block, bound, looks, concurrently=concurrently
    ):
        bound = await _bound(session, statement)  # as things are by now
        looks += 1
    _tell(session, bound.notices)
    if any(table.triggers for table in bound.truncated):
        await _truncate(session, block, bound, statement)
    elif bound.changes or bound.truncated:
        in_use.refuse(session, block, bound, statement)
        await apply(session, block, bound)
    tag = bound.tag
    if bound.query is not None and bound.created:
        assert isinstance(statement, st.CreateTableAs)
        given = statement.given(bound.query.extra.get("places", ())) if statement.given is not None else ()
        tag = f"SELECT {await table_rows.fill(session, block, bound, given)}"
    if watched is not None:
        await watched.end(bound)
    return Rows(tag)


async def _bound(session: Session, statement: Any) -> DdlPlan:
    computed: dict[int, Datum] = {}
    try:
        while True:
            try:
                return bound_now(session, statement, computed)
            except NotComputed as wanted:  # once for each expression of the statement, for it is there then
                assert wanted.said.offset not in computed
                computed[wanted.said.offset] = await evaluate_in_place(session, wanted.said, wanted.ref)
    except as_of.PastNotReached:  # CREATE TABLE AS SELECT ... AS OF
        await as_of.reach(session)
        return bound_now(session, statement)
    except SqlError as e:
        _tell(session, e.notices)
        raise


def bound_now(session: Session, statement: Any, computed: Mapping[int, Datum] | None = None) -> DdlPlan:
    executor = session.executor
    first = executor.catalogs.reserve_oids(session.catalog)
    bound = executor.planner.bind_ddl(statement, session.ddl_context(session.catalog, first), computed)
    executor.catalogs.took_oids(bound.next_oid)
    return bound


def _tell(session: Session, notices: Iterable[DdlNotice]) -> None:
    for n in notices:
        session.notice(
            n.severity, n.sqlstate, n.message, n.detail, n.hint, place=n.place, position=n.position
        )


async def _truncate(session: Session, block: Block, bound: DdlPlan, statement: st.Truncate) -> None:
    """TRUNCATE of tables with triggers, which fire once for each."""
    around, block.level = block.level, None
    try:
        fired = [
            made
            for table in bound.truncated
            if (made := firing.statement(session, block, table, triggers.TRUNCATE)) is not None
        ]
        before = session.catalog
        for made in fired:
            await made.begin(triggers.TRUNCATE)
        if session.catalog is not before:  # their functions have changed it
            bound = bound_now(session, statement)
        in_use.refuse(session, block, bound, statement)
        await apply(session, block, bound)
        for made in fired:
            await made.end(triggers.TRUNCATE)
        await firing.over(session, block)
    finally:
        block.level = around


async def apply(session: Session, block: Block, bound: DdlPlan) -> None:
    executor = session.executor
    txn = block.transaction()
    if bound.copies:
        await copies.until_still(session, block, bound)
    before = session.catalog  # as the statement was bound in it: others may commit while this one waits
    changes = list(bound.changes)
    catalog = bound.catalog
    counted: dict[str, int] = {}
    for change in bound.changes:
        if isinstance(change.new, SequenceObject):
            assert change.old is None or isinstance(change.old, SequenceObject)
            made = copies.standing(session, bound, change.new)
            settled = executor.sequences.settled(change.old, made)
            counted.update(executor.sequences.counted(change.old, settled))
            if settled != change.new:
                changes.append(CatalogChange(change.new, settled))
                catalog = catalog.with_changes([changes[-1]])
    created = {table.shard: table for table in bound.created}
    rewrites, in_place = [], set[ShardId]()
    for rewrite in bound.rewrites:
        stays = await standing.standing(session, block, rewrite)
        if stays is None:
            rewrites.append(rewrite)
            continue
        in_place.add(stays.shard)
        changes.append(CatalogChange(catalog.table(stays.oid), stays))
        catalog = catalog.with_changes(changes[-1:])
    created.update({r.new.shard: r.new for r in rewrites})
    dropped = {shard for shard in bound.dropped if shard not in in_place}
    dropped |= {r.old.shard for r in rewrites if r.old.shard != r.new.shard}
    emptied = set[ShardId]()
    for table in bound.truncated:
        current = catalog.table(table.oid)
        fresh = dataclasses.replace(current, shard=f"t{table.oid}_{executor.env.rids.next()}")
        change = CatalogChange(current, fresh)
        catalog = catalog.with_changes([change])
        changes.append(change)
        created[fresh.shard] = fresh
        dropped.add(current.shard)
        emptied.add(fresh.shard)
    for check in bound.checks:
        if check.before:
            await table_rows.check(session, block, check)
    if rewrites:
        _make_sequences_known(session, block, changes)
    moved: list[tuple[Table, Any, bool]] = [
        (rewrite.new, await table_rows.rewritten(session, block, rewrite), False) for rewrite in rewrites
    ]
    for change in squashed(changes):
        old, new = change.old, change.new
        if not isinstance(new, Table) or not isinstance(old, Table) or old.shard != new.shard:
            continue
        if new.shard in in_place or same_shape(old, new):
            continue
        few = at_hand.under(session, block, old, new)
        if block.implicit and not few and not table_rows.has_writes(block, old):
            # An image that is still being read back after the last change cannot take another one.
            await executor.store.image(old.shard).hydrated()
            continue
        # Nobody can write under two shapes at once: the table moves, with the block's own writes.
        fresh = dataclasses.replace(new, shard=f"t{new.oid}_{executor.env.rids.next()}")
        rows = few if few is not None else await old_rows.under(session, block, old, fresh)
        moved.append((fresh, rows, True))
        catalog = catalog.with_changes([CatalogChange(new, fresh)])
        changes.append(CatalogChange(new, fresh))
        created[fresh.shard] = fresh
        dropped.add(old.shard)
    step = DdlStep(squashed(changes), emptied=frozenset(emptied), counted=counted)
    for change in step.changes:
        old, new = change.old, change.new
        if isinstance(new, Table) and isinstance(old, Table) and old.shard == new.shard:
            step.altered.append(new)
    step.created = list(created.values())
    tables = [found for c in step.changes if isinstance(found := before.get(c.oid), Table)]
    step.dropped = [table for table in tables if table.shard in dropped]
    assert len(step.dropped) == len(dropped), "each dropped shard is that of a table that is changed"
    for table in step.altered:
        described = schema_bytes(table)
        if described != schema_bytes(before.table(table.oid)):
            txn.register(table.shard, described)
    for table in step.created:
        txn.register(table.shard, schema_bytes(table))
    for table in step.dropped:
        txn.forget(table.shard)
    # Each change has made a catalog of its own, with a version that no other has.
    block.add_step(step, executor.catalogs.renumbered(catalog) if catalog is before else catalog)
    session.meet_temporary(session.catalog)
    for table, rows, checked in moved:
        await table_rows.fill_moved(session, block, table, rows, checked)
    await copies.fill(session, block, bound)
    for check in bound.checks:
        if not check.before:
            await table_rows.check(session, block, check)


def _make_sequences_known(session: Session, block: Block, changes: Sequence[CatalogChange]) -> None:
    """The sequences that the statement makes, as a step of their own: rows that are there already get their values
    from them (ADD COLUMN ... serial) before the table has the column."""
    made = [c for c in squashed(changes) if c.old is None and isinstance(c.new, SequenceObject)]
    if made:
        block.add_step(DdlStep(made), session.catalog.with_changes(made))
