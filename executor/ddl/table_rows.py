"""What a definition does to rows: it reads them as they were, writes them as they are to be, and asks whether they may be so.

rewritten, fill_moved   a table's rows into a new shape: at hand, where they are few, else by a query, in bulk
fill                    CREATE TABLE AS: those of its query
check                   a query that must find nothing: a new key, NOT NULL, CHECK, a foreign key on old rows
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.columnar.rows import batch_rows
from executor.ddl import at_hand, old_rows
from executor.ddl.schema import shard_schema
from executor.plans import refuse_unpopulated
from executor.procedural import calls
from executor.session import as_of, bulk, queries
from executor.session.blocks.block import Block
from executor.session.copying import staging
from planner import statements as st
from planner import types as t
from planner.abc import Plan, Query, Table, Utility
from planner.catalog import Catalog
from planner.ddl.plan import DataCheck, DdlPlan, KeyTest, Rewrite
from planner.plan_context import PlanContext
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session


def has_writes(block: Block, table: Table) -> bool:
    writes = block.tables.get(table.shard)
    return table.shard in block.created or (writes is not None and writes.has_rows)


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


async def rewritten(session: Session, block: Block, rewrite: Rewrite) -> Any:
    """The rows of a rewrite's new table, read while the old one is still there: a list, if they are at hand, or in Arrow."""
    old, user, around = rewrite.old, session.user, session.writing
    few = at_hand.reshaped(session, block, rewrite)
    if few is not None:
        return few
    if rewrite.plain and not has_writes(block, old) and _has_none(session, block, old):
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


async def fill_moved(session: Session, block: Block, table: Table, rows: Any, checked: bool) -> None:
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
        if e.sqlstate == "23514" and not e.datatype:
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


async def check(session: Session, block: Block, check: DataCheck) -> None:
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


async def fill(session: Session, block: Block, bound: DdlPlan, given: tuple[Datum, ...]) -> int:
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
        if "constants" in plan.extra:
            await queries.arrow(session, block, plan.extra["constants"], ())
        async with calls.asked(session, ()) if "runs" in plan.extra else nullcontext():
            found = await queries.arrow(session, block, plan.body, (), types)
        rows = batch_rows(found if within is not None else found.slice(0, 1), types)
    else:  # it is answered by key: rows within the bound of a partition by the table's key
        result = await session.run_in(block, session.compiled(plan), plan, ())
        assert isinstance(result, Rows)
        rows = result.rows
    return next((row for row in rows if within is None or not within(row)), None)
