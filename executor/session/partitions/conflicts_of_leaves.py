"""ON CONFLICT DO UPDATE of a partitioned table, in a leaf whose rows look otherwise: other places, or columns of its own indexes.

    (row of the leaf that is there, EXCLUDED)  ->  as rows of the table  ->  SET, WHERE, by an expression or a query  ->  as the leaf has it

What the clause says is said of the table's rows, so it is asked of these; what only the leaf has is computed behind it, as for
rows that are new (`executor.session.partitions.rows_of_leaves`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.keyed.insert import InsertPlan
from executor.session import bulk
from executor.session.partitions.rows_of_leaves import of_leaf
from executor.session.queries import Given
from executor.snapshot.columns import rows_to_arrays
from planner import types as t
from planner.abc import InsertValues, OnConflict, Table
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


async def made(
    session: Session,
    block: Block,
    leaf: Table,
    above: tuple[Table, OnConflict],
    params: Sequence[Datum],
    given: Mapping[str, Given] | None,
    pairs: Sequence[tuple[Row, Row]],
) -> list[Row]:
    """As `bulk.made_of`, of rows of the leaf."""
    table, said = above
    where = {c.name: i for i, c in enumerate(leaf.columns)}
    places = [where.get(c.name) for c in table.columns]  # hidden ones may be the table's alone

    def as_above(row: Row) -> Row:
        return tuple(None if i is None else row[i] for i in places)

    shown = [(as_above(old), as_above(new)) for old, new in pairs]
    found: Sequence[Row]
    if said.query is not None:
        found = await bulk.made_of(session, block, table, said.query, params, given, shown)
    else:
        plan = InsertPlan(InsertValues(table, (), None, said), session.rules(table))
        rows = [(n, plan.updated(params, old, new, session)) for n, (old, new) in enumerate(shown)]
        found = [(n, *row) for n, row in rows if row is not None]
    if not found:
        return []
    arrays = rows_to_arrays([row[1:] for row in found], [t.arrow_type(c.type) for c in table.columns])
    whole = pa.table(arrays, names=[f"c{c.attnum}" for c in table.columns])
    done = batch_rows(await of_leaf(session, block, table, leaf, whole), [c.type for c in leaf.columns])
    return [(row[0], *new) for row, new in zip(found, done, strict=True)]


__all__ = ["made"]
