"""Rows that are about to be written, asked about in SQL: generated columns computed, COPY's WHERE applied.

The planner plans a query over the table, and the relation in it is replaced by the rows at hand:

    SELECT a, CAST((a * 2) AS integer) AS b FROM (SELECT a, b FROM t OFFSET 0) AS t WHERE a > 4
                                                            `- given rows instead of the table's

(The subquery keeps the plan from being a lookup by key.)
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.session import queries
from executor.session.blocks.block import Block
from planner import types as t
from planner.abc import Column, PlanError, Query, SqlError, Table
from planner.catalog import quote_identifier, quote_qualified
from planner.ddl.constraints import definitions as constraints
from planner.inheritance import spreads
from planner.statements import Sql

if TYPE_CHECKING:
    from executor.session.session import Session


async def recomputed(
    session: Session, block: Block, table: Table, rows: pa.Table, where: str | None = None
) -> pa.Table:
    """Rows (physical column names, `_rid`) with their generated columns computed, without those that `where` refuses.

    The result has the table's columns in order, and no `_rid`.
    """
    names = [quote_identifier(c.name) for c in table.columns]
    schema = session.catalog.schema_of(table.schema_oid).name
    condition = f" WHERE ({where})" if where is not None else ""
    # Of a partitioned table itself: else the rows of its leaves are in the relation's place, and would be written again.
    only = "ONLY " if spreads(table) else ""
    name = quote_identifier(table.name)
    source = f"SELECT {', '.join(names)} FROM {only}{quote_qualified(schema, table.name)} OFFSET 0"
    if any(c.hidden for c in table.columns) and any(c.generated and not c.hidden for c in table.columns):
        # What indexes are made of is computed from the others, which are computed by then.
        cells = [quote_identifier(c.name) if c.hidden else _cell(c) for c in table.columns]
        source = f"SELECT {', '.join(cells)} FROM ({source}) AS {name} OFFSET 0"
        cells = [_cell(c) if c.hidden else quote_identifier(c.name) for c in table.columns]
    else:
        cells = [_cell(c) for c in table.columns]
    text = f"SELECT {', '.join(cells)} FROM ({source}) AS {name}{condition}"
    plan, _ = session.executor.planner.plan(text, session.trusted_context(), normalise=False)
    body = plan.body
    assert isinstance(body, Query), "a query over a subquery is a columnar one"
    slot = body.relations[0].slot
    types = [c.type for c in table.columns]
    made = await queries.arrow(session, block, body, (), types, {slot: (table, rows)}, begins=False)
    return made.rename_columns([f"c{c.attnum}" for c in table.columns])


def _cell(column: Column) -> str:
    name = quote_identifier(column.name)
    if not column.generated or column.default is None:
        return name
    return f"CAST(({column.default}) AS {t.format_type(column.type)}) AS {name}"


def verify_copy_condition(session: Session, table: Table, where: Sql) -> None:
    """COPY ... WHERE is bound before rows come. Raises 42703, 42804, 0A000, 42P10; positions are the statement's."""
    constraints.refuse_subqueries(where, "COPY FROM WHERE condition")
    named = constraints.columns_of(where, table)
    if any(n.name == table.name for n in constraints.columns_named(where)) and table.name not in {
        c.name for c in table.visible
    }:
        named = list(table.visible)  # the row as a whole
    for column in named:
        if column.generated:
            raise PlanError(
                "42P10",
                "generated columns are not supported in COPY FROM WHERE conditions",
                detail=f'Column "{column.name}" is a generated column.',
            )
    schema = session.catalog.schema_of(table.schema_oid).name
    head = "SELECT "
    text = (
        " " * (where.offset - len(head)) + head + where.text + f" FROM {quote_qualified(schema, table.name)}"
    )
    try:
        context = dataclasses.replace(session.trusted_context(), clause="COPY FROM WHERE conditions")
        plan, _ = session.executor.planner.plan(text, context, normalise=False)
    except SqlError as e:
        if e.position > where.offset + len(where.text):
            e.position = 0
        raise
    assert plan.columns is not None
    kind = plan.columns[0].type
    if kind.oid not in (t.BOOL, t.UNKNOWN):
        raise PlanError(
            "42804",
            f"argument of WHERE must be type boolean, not type {t.format_type(kind)}",
            position=where.offset + 1,
        )
