"""Rows of a partitioned table in the shape of one of its leaves.

    t            a   b                          what the statement has made
    leaf         b   a   hidden: lower(b)       its columns are found by name

A leaf may have unique indexes of its own over expressions, or over some of its rows. What enforces them are columns that only the
leaf has (`planner.ddl.constraints.unique_indexes`), so no statement of the table has computed them: it is done here, when it is known where the
rows go. A few rows are computed one by one, many by a query over all of them. A table whose leaves have no such columns pays nothing.

A child of a table that others inherit from may have any columns besides (`planner.inheritance`). A statement of the parent leaves them as they
are, so they are read by the rows' ids; and what the child computes of its columns is computed anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from executor.columnar.rows import batch_rows, canonical_array
from executor.session import bulk_changes, relations
from executor.session.row_queries import recomputed
from executor.snapshot.columns import rows_to_arrays
from planner import types as t
from planner.abc import Table

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_FEW: Final = 64
"""So many rows are computed sooner than a query over them is planned."""


def places(table: Table, leaf: Table) -> list[int | None]:
    """Where in a row of the table the leaf's columns are; None: those that only the leaf has, or a child computes in its own way."""
    by_name = {c.name: i for i, c in enumerate(table.columns)}
    if leaf.oid == table.oid:
        return [None if c.hidden else i for i, c in enumerate(leaf.columns)]
    if leaf.partition is None:
        return [None if c.generated else by_name.get(c.name) for c in leaf.columns]
    return [by_name.get(c.name) if c.hidden else by_name[c.name] for c in leaf.columns]


def set_by(table: Table, leaf: Table, assigned: tuple[int, ...]) -> tuple[int, ...]:
    """Which of the leaf's columns are other ones where these of the table's are; what only the leaf has may be."""
    named = set(assigned)
    return tuple(
        i
        for i, (place, c) in enumerate(zip(places(table, leaf), leaf.columns, strict=True))
        if (c.generated if place is None else place in named)
    )


async def of_leaf(
    session: Session, block: Block, table: Table, leaf: Table, rows: pa.Table, first: int = 0
) -> pa.Table:
    """The rows as the leaf has them. `first`: the column in which they begin; what is before it stays.

    Raises what computing an index's expression raises.
    """
    where = places(table, leaf)
    if None not in where:
        return rows.select([*range(first), *(i + first for i in where if i is not None)])
    if any(i is None and not c.generated for i, c in zip(where, leaf.columns, strict=True)):
        rows, where = await _with_own(session, block, leaf, rows, where, first)
        if None not in where:
            return rows.select([*range(first), *(i + first for i in where if i is not None)])
    made = iter(
        await _computed(session, block, leaf, rows, [None if i is None else i + first for i in where])
    )
    columns = [*(rows.column(i) for i in range(first))]
    columns += [next(made) if i is None else rows.column(i + first) for i in where]
    names = [*rows.column_names[:first], *(f"c{c.attnum}" for c in leaf.columns)]
    return pa.table(columns, names=names)


async def _with_own(
    session: Session, block: Block, leaf: Table, rows: pa.Table, where: list[int | None], first: int
) -> tuple[pa.Table, list[int | None]]:
    """The rows of a parent's statement with what a child has besides, behind all others, and the places of the child's columns."""
    own = [
        i for i, (at, c) in enumerate(zip(where, leaf.columns, strict=True)) if at is None and not c.generated
    ]
    old = await bulk_changes.old_columns(session, block, leaf, rows.column(0), own)
    found = list(where)
    for i, cells in zip(own, old, strict=True):
        found[i] = rows.num_columns - first
        rows = rows.append_column(f"own {i}", cells)
    return rows, found


async def _computed(
    session: Session, block: Block, leaf: Table, rows: pa.Table, where: list[int | None]
) -> list[pa.Array]:
    """The columns that only the leaf has, in order."""
    schema = relations.physical_schema(leaf)
    many = rows.num_rows
    arrays = [
        pa.nulls(many, t.arrow_type(c.type)) if i is None else canonical_array(rows.column(i), c.type)
        for i, c in zip(where, leaf.columns, strict=True)
    ]
    own = [i for i, place in enumerate(where) if place is None]
    types = [c.type for c in leaf.columns]
    one_by_one = session.executor.triggers_of(leaf)
    if many <= _FEW and one_by_one.computes(session):
        given = batch_rows(pa.table(arrays, names=schema.names[:-1]), types)
        done = [await one_by_one.completed(session, block, row) for row in given]
        return rows_to_arrays([tuple(row[i] for i in own) for row in done], [schema.types[i] for i in own])
    whole = pa.table([*arrays, pa.array(np.arange(many))], schema=schema)
    found = await recomputed(session, block, leaf, whole)
    return [canonical_array(found.column(i), types[i]) for i in own]


__all__ = ["of_leaf", "places", "set_by"]
