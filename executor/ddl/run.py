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
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, Rows
from executor.catalogs import NameTaken
from executor.columnar.rows import batch_rows
from executor.ddl import at_hand, copies, in_use, old_rows
from executor.ddl import in_place as standing
from executor.ddl.in_use import squashed
from executor.ddl.schema import schema_bytes, shard_schema
from executor.ddl.shape import same_shape
from executor.plans import refuse_unpopulated
from executor.procedural import calls
from executor.session import as_of, bulk, queries
from executor.session.arguments import evaluate_in_place
from executor.session.blocks.block import Block
from executor.session.blocks.defining import DdlStep
from executor.session.copying import staging
from executor.session.executed import written_out
from executor.session.locks import definition_locks, taking_turns
from executor.session.settings import session_defaults
from executor.triggers import events, firing
from planner import statements as st
from planner import triggers
from planner import types as t
from planner.abc import Plan, Query, SqlError, Table, Utility
from planner.catalog import Catalog, CatalogChange
from planner.catalog import Sequence as SequenceObject
from planner.ddl.partitions.bound_values import NotComputed
from planner.ddl.plan import DataCheck, DdlNotice, DdlPlan, KeyTest, Rewrite
from planner.planner import PlanContext
from storage.abc import Datum, Row, ShardId
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
    overtaken: Block | None = None
    for attempt in range(session.executor.limits.retries_max):
        block = session.open_block(implicit=True)
        block.isolation_name = (
            "serializable"  # what its checks have read must hold, whatever the session's level
        )
        try:
            before = overtaken if attempt >= taking_turns.PATIENCE else None
            result = await _run(session, block, plan, statement, params, before)
            await session.commit()
            return result
        except (SerializationFailure, NameTaken):  # IF NOT EXISTS and OR REPLACE find what has come
            overtaken = block
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
                session.executor.exclusive.pop(block.txn, None)
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
    overtaken: Block | None = None,
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
    if overtaken is not None:
        await taking_turns.take(session, block, overtaken)
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
        tag = f"SELECT {await _fill(session, block, bound, given)}"
    if watched is not None:
        await watched.end(bound)
    return Rows(tag)


async def _bound(session: Session, statement: Any) -> DdlPlan:
    computed: dict[int, Datum] = {}
    try:
        while True:
            try:
                return _bound_now(session, statement, computed)
            except NotComputed as wanted:  # once for each expression of the statement, for it is there then
                assert wanted.said.offset not in computed
                computed[wanted.said.offset] = await evaluate_in_place(session, wanted.said, wanted.ref)
    except as_of.PastNotReached:  # CREATE TABLE AS SELECT ... AS OF
        await as_of.reach(session)
        return _bound_now(session, statement)
    except SqlError as e:
        _tell(session, e.notices)
        raise


def _bound_now(session: Session, statement: Any, computed: Mapping[int, Datum] | None = None) -> DdlPlan:
    executor = session.executor
    first = executor.catalogs.reserve_oids(session.catalog)
    bound = executor.planner.bind_ddl(statement, session.ddl_context(session.catalog, first), computed)
    executor.catalogs.took_oids(bound.next_oid)
    return bound


def _tell(session: Session, notices: Iterable[DdlNotice]) -> None:
    for n in notices:
        session.notice(n.severity, n.sqlstate, n.message, n.detail, n.hint, place=n.place)


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
            bound = _bound_now(session, statement)
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
            await _check(session, block, check)
    if rewrites:
        _make_sequences_known(session, block, changes)
    moved: list[tuple[Table, Any, bool]] = [
        (rewrite.new, await _rewritten(session, block, rewrite), False) for rewrite in rewrites
    ]
    for change in squashed(changes):
        old, new = change.old, change.new
        if not isinstance(new, Table) or not isinstance(old, Table) or old.shard != new.shard:
            continue
        if new.shard in in_place or same_shape(old, new):
            continue
        few = at_hand.under(session, block, old, new)
        if block.implicit and not few and not _has_writes(block, old):
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
        if schema_bytes(table) != schema_bytes(before.table(table.oid)):
            txn.register(table.shard, schema_bytes(table))
    for table in step.created:
        txn.register(table.shard, schema_bytes(table))
    for table in step.dropped:
        txn.forget(table.shard)
    # Each change has made a catalog of its own, with a version that no other has.
    block.add_step(step, executor.catalogs.renumbered(catalog) if catalog is before else catalog)
    session.meet_temporary(session.catalog)
    for table, rows, checked in moved:
        await _fill_moved(session, block, table, rows, checked)
    await copies.fill(session, block, bound)
    for check in bound.checks:
        if not check.before:
            await _check(session, block, check)


def _make_sequences_known(session: Session, block: Block, changes: Sequence[CatalogChange]) -> None:
    """The sequences that the statement makes, as a step of their own: rows that are there already get their values
    from them (ADD COLUMN ... serial) before the table has the column."""
    made = [c for c in squashed(changes) if c.old is None and isinstance(c.new, SequenceObject)]
    if made:
        block.add_step(DdlStep(made), session.catalog.with_changes(made))


def leaves(session: Session, block: Block) -> bool:
    """Whether ON COMMIT of temporary tables asks for anything, now that the block is about to commit."""
    if not session.has_temporary and not block.steps:
        return False
    if session.catalog.find_schema(session.temporary_schema) is None:
        return False
    if any(_leaving(session, block, on_commit) is not None for on_commit in _ON_COMMIT):
        return True
    return any(_others_keys(session.catalog, t) for t in _temporary(session) if t.on_commit == "delete")


async def leave(session: Session, block: Block) -> None:
    """DROP and TRUNCATE as it asks, in the block: a table that has gone with its parent is not emptied. Raises 0A000."""
    if session.catalog.find_schema(session.temporary_schema) is None:
        return
    for emptied in _temporary(session):
        if emptied.on_commit == "delete" and (keeping := _others_keys(session.catalog, emptied)):
            raise ExecutionError(
                "0A000",
                "unsupported ON COMMIT and foreign key combination",
                detail=f'Table "{keeping[0].name}" references "{emptied.name}", but they do not have the same ON COMMIT setting.',
            )
    for on_commit in _ON_COMMIT:
        statement = _leaving(session, block, on_commit)
        if statement is not None:
            await apply(session, block, _bound_now(session, statement))


_ON_COMMIT: Final = ("drop", "delete")


def _temporary(session: Session) -> list[Table]:
    schema = session.catalog.find_schema(session.temporary_schema)
    things = session.catalog.inside(schema.oid) if schema is not None else ()
    return [t for t in things if isinstance(t, Table)]


def _leaving(session: Session, block: Block, on_commit: str) -> Any:
    names = tuple(
        st.Name(t.name, session.temporary_schema)
        for t in _temporary(session)
        if t.on_commit == on_commit and (on_commit == "drop" or _has_rows(block, t))
    )
    if not names:
        return None
    return st.Drop("table", names, cascade=True) if on_commit == "drop" else st.Truncate(names, cascade=True)


def _others_keys(catalog: Catalog, emptied: Table) -> list[Table]:
    """The tables that refer to one whose rows go with each transaction, and keep their own."""
    return [t for t in catalog.referring_to(emptied.oid) if t.on_commit != emptied.on_commit]


def _has_rows(block: Block, table: Table) -> bool:
    writes = block.tables.get(table.shard)
    return writes is not None and writes.has_rows


def _has_writes(block: Block, table: Table) -> bool:
    writes = block.tables.get(table.shard)
    return table.shard in block.created or (writes is not None and writes.has_rows)


# --- data ----------------------------------------------------------------------------------------


def plan_in(
    session: Session,
    sql: str,
    catalog: Catalog,
    search_path: tuple[str, ...] | None = None,
    role: str = "",
) -> Plan:
    """Plans an internal query in a given catalog, uncached. `role`: in whose name, if it is anybody's."""
    base = session.ddl_context(session.catalog)
    path = search_path or base.search_path
    context = PlanContext(
        catalog,
        catalog.reaching_extensions(path) if role else path,
        role or base.user,
        base.database,
        base.settings,
        trusted=not role,
        row_security=base.row_security,
    )
    plan, _ = session.executor.planner.plan(sql, context, normalise=False)
    return plan


async def _rewritten(session: Session, block: Block, rewrite: Rewrite) -> Any:
    """The rows of a rewrite's new table, read while the old one is still there: a list, if they are at hand, or in Arrow."""
    old, user, around = rewrite.old, session.user, session.writing
    few = at_hand.reshaped(session, block, rewrite)
    if few is not None:
        return few
    if rewrite.plain and not _has_writes(block, old) and _has_none(session, block, old):
        return shard_schema(rewrite.new).empty_table()
    session.writing = around | {old.oid}
    try:
        if rewrite.role:
            session.become(rewrite.role)  # whom its functions and policies see as current_user
        return await _selected(session, block, rewrite)
    finally:
        session.writing = around
        session.become(user)


async def _selected(session: Session, block: Block, rewrite: Rewrite) -> Any:
    plan = plan_in(session, rewrite.sql, rewrite.catalog, rewrite.search_path, rewrite.role)
    refuse_unpopulated(plan, rewrite.old.oid)
    if getattr(rewrite.old, "materialized", None) is None:  # whose rows are others', read as by any query
        old_rows.keep(block, plan.body)
    rows = await _found(session, block, plan, (), rewrite.new)
    _refuse_nulls(rewrite.new, rows)
    return rows


def _refuse_nulls(table: Table, rows: Any) -> None:
    """Raises 23502 where a column, or the primary key, has NULLs that it may not have."""
    for i, column in enumerate(table.columns):
        if (column.not_null or i in table.key_indexes) and rows.column(i).null_count:
            raise ExecutionError(
                "23502",
                f'column "{column.name}" of relation "{table.name}" contains null values',
                table=table.name,
                about_oid=table.oid,
                column=column.name,
            )


async def _fill_moved(session: Session, block: Block, table: Table, rows: Any, checked: bool) -> None:
    """Rows that were there already, into the table's new shape. 23514 and 23505 are said of the table, not of a row."""
    if not len(rows):
        return
    if isinstance(rows, list):
        if at_hand.put(session, block, table, rows, checked=checked):
            return
        rows = staging.written_rows(table, rows).drop_columns(["_rid"])
    _refuse_nulls(table, rows)
    try:
        await bulk.insert_bulk(session, block, table, rows, checked=checked, moved=True)
    except ExecutionError as e:
        if e.sqlstate == "23514" and e.message.startswith("new row"):
            e.message = (
                f'check constraint "{e.constraint}" of relation "{table.name}" is violated by some row'
            )
            e.detail = ""
        elif e.sqlstate == "23505":
            e.message = f'could not create unique index "{e.constraint}"'
            e.detail = e.detail.replace(" already exists.", " is duplicated.")
        raise


def _has_none(session: Session, block: Block, table: Table) -> bool:
    """Whether the block surely sees no row of a table, nor will anybody before it is committed: as `old_rows.keep`."""
    writes = block.tables.get(table.shard)
    if writes is not None and writes.has_rows:
        return False
    if table.shard in block.created:
        return True
    if not session.executor.store.image(table.shard).is_empty:
        return False
    txn = block.transaction()
    txn.locked.setdefault(table.shard, txn.read_ts)
    return True


async def _check(session: Session, block: Block, check: DataCheck) -> None:
    with old_rows.unread(block) if old_rows.is_heeded(block, check) else nullcontext():
        await _ask(session, block, check)


async def _ask(session: Session, block: Block, check: DataCheck) -> None:
    of = check.rows_of or (check.table.oid if check.plain and check.table is not None else 0)
    if of:
        table = session.catalog.table(of)  # which may have moved
        if table.partitioning is None and not table.children and _has_none(session, block, table):
            return
    passes = await at_hand.passes(session, block, check)
    if passes:
        return
    if passes is not None:
        raise _violated(check)
    plan = plan_in(session, check.sql, session.catalog)
    columns = plan.columns or ()
    old_rows.keep(block, plan.body)
    row = await _first(session, block, plan, check.within)
    if row is None:
        return
    shown = [
        "null" if v is None else t.output_text(v, c.type, session.type_settings)
        for v, c in zip(row, columns, strict=True)
    ]
    raise _violated(check, *shown)


def _violated(check: DataCheck, *shown: str) -> ExecutionError:
    return ExecutionError(
        check.sqlstate,
        check.message,
        detail=check.detail.format(*shown),
        table=check.table.name if check.table is not None else "",
        about_oid=check.table.oid if check.table is not None else 0,
        constraint=check.constraint,
        column=check.column,
    )


async def _fill(session: Session, block: Block, bound: DdlPlan, given: tuple[Datum, ...]) -> int:
    """CREATE TABLE AS: the rows of the query. `given`: its parameters, a client's or a routine's."""
    table = bound.created[0]
    assert bound.query is not None
    body = bound.query.body
    if isinstance(body, Utility) and isinstance(body.statement, st.SelectAsOf):
        rows = await as_of.rows(session, bound.query, body.statement, table)
        if rows.num_rows:
            await bulk.insert_bulk(session, block, table, rows)
        return int(rows.num_rows)
    query = bound.query
    if "places" in query.extra or query.parameters:
        # Nothing has come since but the table itself, and whoever would plan it anew knows of no variables or parameters.
        query = dataclasses.replace(query, catalog_version=session.catalog.version)
    compiled = session.compiled(query)
    block.look_through(compiled.views)
    rows = await _found(session, block, compiled.plan, given, table)
    if rows.num_rows:
        await bulk.insert_bulk(session, block, table, rows)
    return int(rows.num_rows)


async def _found(session: Session, block: Block, query: Plan, given: tuple[Datum, ...], table: Table) -> Any:
    """The rows of a query as those of a table, in Arrow: looked up by key, it gives them one by one."""
    if isinstance(query.body, Query):
        return await queries.arrow(session, block, query.body, given, [c.type for c in table.columns])
    result = await session.run_in(block, session.compiled(query), query, given)
    assert isinstance(result, Rows)
    return staging.written_rows(table, result.rows).drop_columns(["_rid"])


async def _first(session: Session, block: Block, plan: Plan, within: KeyTest | None = None) -> Row | None:
    """The first row, of which `within` is not true if it is said."""
    rows: Iterable[Row]
    if isinstance(plan.body, Query):
        types = [c.type for c in plan.columns or ()]
        async with calls.asked(session, ()) if "runs" in plan.extra else nullcontext():
            found = await queries.arrow(session, block, plan.body, (), types)
        rows = batch_rows(found if within is not None else found.slice(0, 1), types)
    else:  # it is answered by key: rows within the bound of a partition by the table's key
        result = await session.run_in(block, session.compiled(plan), plan, ())
        assert isinstance(result, Rows)
        rows = result.rows
    return next((row for row in rows if within is None or not within(row)), None)
