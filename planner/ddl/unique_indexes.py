"""CREATE UNIQUE INDEX: uniqueness that is no constraint, over columns, expressions, or some of the rows.

Whatever enforces UNIQUE constraints (newest versions, runs, bulk checks, admission) compares columns. So a
unique index is a `Constraint` that is not listed as one (`index_only`), over columns that may have been made for it:

    (a, b)                      the columns themselves
    (lower(name))               a hidden column, generated: lower(name)
    (a, b) WHERE active         a hidden column CASE WHEN active THEN a END, and b
                                rows outside the predicate have a NULL there, and NULLs are distinct

Hidden columns have no name that anybody could say, attribute numbers far above those of columns, and are in no list
of columns; they cost the room of the value. `settle` takes away what no index needs any more.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, PlanError, Table, TypeRef
from planner.catalog import Index, quote_identifier
from planner.catalog.system.definitions import index_column
from planner.ddl import constraints
from planner.ddl.scope import Scope

_UNORDERED: Final = frozenset((types.JSON, types.XML))


def hidden_columns(scope: Scope, table: Table, index: Index) -> tuple[Table, dict[int, str]]:
    """The table with the index's constraint and hidden columns, and their expressions over the old rows."""
    if index.predicate and index.nulls_not_distinct:
        raise PlanError("0A000", "partial unique indexes with NULLS NOT DISTINCT are not supported")
    by_attnum = {c.attnum: c for c in table.columns}
    attnums: list[int] = []
    shown: list[str] = []
    made: list[Column] = []
    for i, key in enumerate(index.keys):
        column = by_attnum[key.attnum] if key.attnum else None
        _refuse_unordered(column)
        text = quote_identifier(column.name) if column is not None else f"({key.expression})"
        shown.append(shown_key(scope, table, index, i + 1))
        partial = index.predicate and i == 0
        if column is not None and not partial:
            attnums.append(column.attnum)
            continue
        kind = column.type if column is not None else _type(scope, table, key.expression)
        value = f"CASE WHEN ({index.predicate}) THEN {text} END" if partial else text
        number = scope.allocate()  # no other column ever had it
        made.append(
            Column(
                f"........unique.{number}........", kind, number, default=value, generated=True, hidden=True
            )
        )
        attnums.append(number)
    constraint = Constraint(
        index.oid,
        index.name,
        "u",
        tuple(attnums),
        index_oid=index.oid,
        nulls_not_distinct=index.nulls_not_distinct,
        index_only=True,
        shown=tuple(shown) if made else (),
    )
    changed = dataclasses.replace(
        table, columns=(*table.columns, *made), constraints=(*table.constraints, constraint)
    )
    return changed, {c.attnum: c.default or "" for c in made}


def shown_key(scope: Scope, table: Table, index: Index, position: int) -> str:
    """A key of an index, 1-based, as PostgreSQL names it: a column, a call, or an expression in parentheses."""
    return index_column(table, index, position, scope.catalog, pretty=True)


def _refuse_unordered(column: Column | None) -> None:
    if column is not None and column.type.oid in _UNORDERED:
        raise PlanError(
            "42704",
            f'data type {types.format_type(column.type)} has no default operator class for access method "btree"',
            hint="You must specify an operator class for the index or define a default operator class "
            "for the data type.",
        )


def _type(scope: Scope, table: Table, expression: str) -> TypeRef:
    plan = scope.plan_expression(st.Sql(expression), constraints.qualified(scope, table))
    assert plan.columns is not None
    kind = plan.columns[0].type
    return TypeRef(types.TEXT) if kind.oid == types.UNKNOWN else kind


def settled(scope: Scope, table: Table) -> Table:
    """The table without constraints whose index is gone, and without hidden columns that no constraint needs."""
    kept = tuple(
        c for c in table.constraints if not c.index_only or scope.catalog.get(c.index_oid) is not None
    )
    needed = {a for c in kept for a in c.columns}
    columns = tuple(c for c in table.columns if not c.hidden or c.attnum in needed)
    return dataclasses.replace(table, constraints=kept, columns=columns)
