"""Policies asked about rows that are about to be written (`planner.binding.rights.row_security`), before any constraint is.

So who may not write a row learns nothing of others by it, such as that its key is taken; and the error shows no row. A statement's
rows are asked about at once; where triggers are asked before each of them, one by one, as the triggers have made them. Of a few rows the
keyed engine asks, where it can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows
from executor.constraints.rules import tell_row
from executor.keyed.compile import NotCompilable, compile_condition
from executor.session import queries, relations
from executor.session.restricted import refuse_off
from planner import types as t
from planner.abc import Column, Expr, Table, TypeRef
from planner.relations import GuardedTable
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

INSERTED, UPDATED, MET = "inserted", "updated", "met"
_NUMBER, _PLACE = TypeRef(t.INT4), TypeRef(t.INT8)
ROWS_MAX: Final = 100
"""Rows that are asked about one by one sooner than a query of DuckDB's has begun."""


def asks(table: Table) -> bool:
    """Whether policies are to be asked about rows of this form of a table."""
    return isinstance(table, GuardedTable) and table.row_checks is not None


@lru_cache(maxsize=512)
def compiled_tests(tests: tuple[Expr, ...]) -> tuple[Callable[[Sequence[Any], Any, Any], bool], ...]:
    """The tests as functions of a row; none if some are not for the keyed engine."""
    try:
        made = [compile_condition(e) for e in tests]
    except NotCompilable:
        return ()
    return tuple(f for f in made if f is not None)


async def check(session: Session, block: Block, table: Table, kind: str, rows: pa.Table) -> None:
    """`rows`: full rows in canonical Arrow, in the table's column order. Raises 42501."""
    if not isinstance(table, GuardedTable) or table.row_checks is None or not rows.num_rows:
        return
    asked = getattr(table.row_checks, kind)
    if asked is None:
        return
    if rows.num_rows <= ROWS_MAX and table.through is None:
        tests = compiled_tests(asked.tests)
        if tests:
            refuse_off(session, table)
            for row in batch_rows(rows, [c.type for c in table.columns]):
                for test, message in zip(tests, asked.messages, strict=True):
                    if not test((), row, session):
                        raise ExecutionError("42501", message)
            return
    form = table.through or table
    schema = relations.physical_schema(form)
    many = rows.num_rows
    rids = pa.array(range(many), pa.int64()) if asked.of_views else pa.nulls(many, pa.int64()).fill_null(0)
    columns = dict(zip((c.name for c in table.columns), rows.columns, strict=True))
    given = pa.table(
        [*(_column(columns, c, i, schema, many) for i, c in enumerate(form.columns)), rids], schema=schema
    )
    types = [_NUMBER, _PLACE] if asked.of_views else [_NUMBER]
    found = await queries.arrow(session, block, asked.query, (), types, {"new": (form, given)}, begins=False)
    if found.num_rows:
        ((number, *at),) = batch_rows(found, types)
        if asked.of_views:
            error = ExecutionError("44000", asked.messages[number])
            (row,) = batch_rows(
                given.slice(at[0], 1).select(range(len(form.columns))), [c.type for c in form.columns]
            )
            tell_row(error, form, row)
            raise error
        raise ExecutionError("42501", asked.messages[number])


def _column(columns: Mapping[str, Any], column: Column, place: int, schema: pa.Schema, rows: int) -> Any:
    """A column of the table above in the rows of a leaf. One that is hidden may not be there: it is an expression that
    another branch is parted by, and nobody's condition can name it."""
    found = columns.get(column.name)
    if found is None and column.hidden:
        return pa.nulls(rows, schema.field(place).type)
    return columns[column.name] if found is None else found


async def check_rows(session: Session, block: Block, table: Table, kind: str, rows: Sequence[Row]) -> None:
    """The same of rows as datums."""
    if asks(table) and rows:
        from executor.session.copying import staging

        await check(session, block, table, kind, staging.written_rows(table, rows).drop_columns(["_rid"]))


__all__ = [
    "INSERTED", "MET", "UPDATED", "asks", "check", "check_rows", "compiled_tests",
]  # fmt: skip
