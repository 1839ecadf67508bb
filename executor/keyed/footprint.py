"""Which columns a statement uses and changes, as the conflict machinery names them (`txn.columns`).

    SELECT b FROM t WHERE id = 1 AND c > 0       reads {row, b, c}     (the key is how the row was found)
    UPDATE t SET b = b + 1 WHERE id = 1          writes {b}            if the row stays under its keys
    SELECT ... FOR UPDATE; what UPDATE and DELETE look at              all columns: see there why

Worked out when a statement is compiled; what runs carries an int. Columns are named by their attribute numbers, which
are given once, so a set means the same before and after an ALTER TABLE.
"""

from __future__ import annotations

from collections.abc import Iterable

from planner.abc import Ask, Call, Col, Expr, KeyedJoin, KeyedRead, RelationUse, Table
from planner.keyed_plans import ComputedColumns, PartialColumns
from txn.columns import ALL_COLUMNS, THE_ROW, Columns, column


def columns_at(table: Table, positions: Iterable[int]) -> Columns:
    """The set of the columns at these places of a row, of an index (`~i`: whether there is a value in column i), or that make up its keys."""
    out: Columns = 0
    if isinstance(positions, ComputedColumns):
        positions = columns_named(positions.keys)
    elif isinstance(positions, PartialColumns):
        positions = {*positions, *columns_named((positions.predicate,))}
    for i in positions:
        out |= column(table.columns[i if i >= 0 else ~i].attnum)
    return out


def read_by_key(body: KeyedRead) -> Columns:
    """What a SELECT by key depends on, of the rows that it looks at."""
    if body.lock:
        return ALL_COLUMNS
    named = columns_named((*body.outputs, body.condition, *order_of_rows(body)))
    return THE_ROW | columns_at(body.table, named)


def order_of_rows(body: KeyedRead | KeyedJoin) -> Iterable[Expr]:
    """What the rows found are ordered by: of groups it is nothing of theirs."""
    return (key.value for key in body.order) if body.groups is None else ()


def read_by_query(use: RelationUse) -> Columns:
    """What a query depends on of a relation's rows: it gets no other columns. One that asks for row ids asks for rows that
    are to be locked or written."""
    if use.columns is None or use.with_rid:
        return ALL_COLUMNS
    return THE_ROW | columns_at(use.table, use.columns)


def columns_named(expressions: Iterable[Expr | None]) -> set[int]:
    """The positions of columns in these expressions."""
    used: set[int] = set()
    for expression in expressions:
        if expression is not None:
            _collect(expression, used)
    return used


def _collect(expression: Expr, used: set[int]) -> None:
    if isinstance(expression, Col):
        used.add(expression.index)
    elif isinstance(expression, Call):
        for argument in expression.args:
            _collect(argument, used)
    elif isinstance(expression, Ask):
        for value in (*expression.given, *((expression.value,) if expression.value is not None else ())):
            _collect(value, used)
