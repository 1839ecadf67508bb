"""Rows that are made and written one by one, for a function looks at what its statement has written so far (`planner.binding.writes.stepwise`).

    found rows, locked  ->  a row of the table is made  ->  written, keys and all  ->  RETURNING of it  ->  the next one

A statement of one row each, but for what holds of the whole: it began once (statement triggers, a row that ON CONFLICT meets twice), and its
foreign keys are looked at when all rows are there. Rows that exist are locked before the first function is called, so that a snapshot
that moves costs no call; but where a function is asked which rows it is about, those alone are locked, each when it is written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.constraints.rules import identity_of
from executor.keyed.compile import NotCompilable, compile_condition, compile_tuple
from executor.procedural import calls
from executor.procedural.inside import INSIDE
from executor.session import bulk, bulk_changes
from executor.session.partitions import partitioned
from executor.session.queries import Given, arrow, canonical_table
from executor.snapshot.columns import result_arrays
from planner.abc import DeleteQuery, InsertQuery, Step, UpdateQuery
from planner.binding.writes.stepwise import STEP
from storage.abc import Datum, Row
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

Body = InsertQuery | UpdateQuery | DeleteQuery
Homes: TypeAlias = "pa.ChunkedArray | None"
Write = Callable[[Body, pa.Table, Homes, int], Awaitable[tuple[pa.Table | None, int]]]
"""Writes rows of (statement, what its query finds, whose they are, the row id before its first); what RETURNING says, and how many."""


async def write(
    session: Session,
    block: Block,
    body: Body,
    found: pa.Table,
    homes: Homes,
    params: Sequence[Datum],
    given: Mapping[str, Given],
    one: Write,
) -> tuple[pa.Table | None, int]:
    """What RETURNING says, and how many rows were written. Raises SnapshotMoved, with rows written that are to be undone."""
    assert body.stepwise is not None
    steps, body = body.stepwise.steps, replace(body, stepwise=None)
    began = session.executor.env.rids.next()
    if found.num_rows and not isinstance(body, InsertQuery) and not any(step.asks for step in steps):
        await _lock(session, block, body, found.column(0), homes)
    given_rows = _given_rows(body, steps, found)
    returned: list[pa.Table] = []
    count = 0
    with partitioned.postponing(block, body.table) as postponed:
        for i in range(found.num_rows):
            row: pa.Table | None = found.slice(i, 1)
            if steps:
                step = steps[i] if len(steps) > 1 else steps[0]
                row = await _made(
                    session, block, body, step, row, given_rows[i] if given_rows else (), params, given
                )
            if row is not None:
                told, written = await one(body, row, None if homes is None else homes.slice(i, 1), began)
                count += written
                returned.append(told)
        if not returned:  # triggers of the statement fire, and RETURNING has columns
            told, _ = await one(body, found.slice(0, 0), None if homes is None else homes.slice(0, 0), began)
            returned.append(told)
    await partitioned.heed(session, block, postponed)
    return pa.concat_tables(returned) if body.returning is not None else None, count


def _given_rows(body: Body, steps: Sequence[Step], found: pa.Table) -> list[Row]:
    """What rows are made of, as Python's functions take it; nothing where none does."""
    if not steps or not steps[0].types or steps[0].outputs is None:
        return []
    types, first = list(steps[0].types), _first(body)
    return batch_rows(canonical_table(found.select(range(first, first + len(types))), types), types)


def _first(body: Body) -> int:
    """Where in the query's rows that begins which rows are made of."""
    return 0 if isinstance(body, InsertQuery) else 1


async def _made(
    session: Session,
    block: Block,
    body: Body,
    step: Step,
    found: pa.Table,
    row: Row,
    params: Sequence[Datum],
    given: Mapping[str, Given],
) -> pa.Table | None:
    """A row of the statement's query with what it is made of replaced by what it becomes; None: it is left alone."""
    first, last = _first(body), _first(body) + len(step.types)
    functions = _compiled(step)
    if functions is not None:
        test, outputs = functions
        around = INSIDE.set(session.pid)  # as where DuckDB asks
        try:
            if test is not None and not await calls.answered(session, test, params, row):
                return None
            values = await calls.answered(session, outputs, params, row) if step.outputs else ()
        finally:
            INSIDE.reset(around)
        types = [c.type for c in body.table.columns]
        made = (
            pa.table(result_arrays([values], types), names=[f"c{i}" for i in range(len(types))])
            if values
            else None
        )
    else:
        extra = dict(given)
        if step.types:
            extra[STEP] = (None, found.select(range(first, last)))
        made = await arrow(session, block, step.query, params, None, extra, begins=False)
        if not made.num_rows:
            return None
    if isinstance(body, InsertQuery):
        return made
    before, after = found.select(range(first)), found.select(range(last, found.num_columns))
    among = [before, made, after] if isinstance(body, UpdateQuery) else [before, after]
    return pa.table([c for x in among for c in x.columns], names=[n for x in among for n in x.column_names])


def _compiled(step: Step) -> tuple[Any, Any] | None:
    """What tests and makes a row; None: DuckDB does."""
    if step.outputs is None:
        return None
    if not step.compiled:
        try:
            step.compiled.append((compile_condition(step.test), compile_tuple(step.outputs)))
        except NotCompilable:
            step.compiled.append(None)
    return step.compiled[0]  # type: ignore[no-any-return]


async def _lock(
    session: Session, block: Block, body: UpdateQuery | DeleteQuery, rids: pa.ChunkedArray, homes: Homes
) -> None:
    mode = LockMode.UPDATE
    if isinstance(body, UpdateQuery) and set(identity_of(body.table)).isdisjoint(body.assigned):
        mode = LockMode.NO_KEY_UPDATE
    if homes is not None:
        await partitioned.lock_rids(session, block, rids, homes, mode)
    else:
        await bulk.hydrated(block, body.table)
        await bulk_changes.lock_rids(session, block, body.table, rids, mode)


__all__ = ["write"]
