"""What many rows at once are refused for, and which of them it was.

    NOT NULL, CHECK      `check_rows`, on a thread; those that DuckDB alone can compute: `check_wide`
    a key taken          `rules_violation`, once somebody has found it

An error in bulk is worded as it is for one row, and says which row it is about when it is asked (`ExecutionError.which`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows, canonical_array
from executor.constraints.rules import LATE, PARTITION_BOUND, TableRules
from executor.constraints.screens import doubtful
from executor.keyed.key_values import column_forms, datum_forms, picked
from executor.keyed.table_writes import TableWrites
from executor.keyed.write import Change
from executor.procedural import calls
from executor.session import queries
from executor.session.blocks.block import Block
from executor.session.copying import staging
from executor.snapshot.columns import row_reader
from planner import dealing
from planner import types as t
from planner.abc import (
    Constraint,
    Query,
    SqlError,
    Table,
    TypeRef,
)
from planner.catalog import quote_identifier, quote_qualified
from planner.types.arrow_columns import one_array
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.session import Session


T = TypeVar("T")

_DOUBTFUL_MAX = 1_000
"""More rows than this that a screen of columns is not sure of are not taken out one by one."""
PLACE_ROWS_MAX = 100_000
"""Among so many rows the one that an error is about is looked for: on the loop, while everybody waits."""


async def check_wide(
    session: Session, block: Block, table: Table, rows: pa.Table, *, but: str = "", only: str = ""
) -> None:
    """CHECKs that only DuckDB can compute, over rows with physical column names. Raises 23514.

    `but`, `only`: kinds of constraints, a letter each, that are left out, or that alone are asked.
    """
    rules = session.rules(table)
    asked = [c for c in rules.wide_checks if c.kind not in but and (not only or c.kind in only)]
    if not asked or not rows.num_rows:
        return
    schema = session.catalog.schema_of(table.schema_oid).name
    types = [c.type for c in table.columns]
    names = ", ".join(quote_identifier(c.name) for c in table.columns)
    for constraint in asked:
        only = "ONLY " if table.children else ""
        text = f"SELECT {names} FROM {only}{quote_qualified(schema, table.name)} WHERE NOT ({constraint.expression})"
        plan, _ = session.executor.planner.plan(text, session.trusted_context(), normalise=False)
        body = plan.body
        assert isinstance(body, Query), "a condition without a key is a columnar query"
        slot = body.relations[0].slot
        async with calls.asked(session, (table,)) if "runs" in plan.extra else nullcontext():
            found = await queries.arrow(session, block, body, (), types, {slot: (table, rows)}, begins=False)
        if found.num_rows:
            (row,) = batch_rows(found.slice(0, 1), types)
            error = rules.check_violation(constraint, row)
            error.which = partial(_place_of, row, rows, types)
            raise error


async def check_wide_proposed(session: Session, block: Block, table: Table, rows: Sequence[Row]) -> None:
    """The same of rows in whose place ON CONFLICT may find others: as PostgreSQL does, before it looks for any."""
    if session.rules(table).wide_checks:
        written = staging.written_rows(table, rows)
        await check_wide(session, block, table, written, but=LATE)


async def check_wide_decided(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
    """What `check_wide_proposed` has left when ON CONFLICT has been decided: the rows that UPDATE made, and of new ones
    what views and indexes ask, which ask nothing of a row that is not written."""
    if not session.rules(table).wide_checks:
        return
    new = [c[4] for c in changes if c[2] is None and c[4] is not None]
    made = [c[4] for c in changes if c[2] is not None and c[4] is not None]
    await check_wide(session, block, table, staging.written_rows(table, new), only=LATE)
    await check_wide(session, block, table, staging.written_rows(table, made))


def check_rows(rules: TableRules, rows: pa.Table, session: Any) -> None:
    """NOT NULL and CHECK of many rows. On a thread. An error says which row it is about."""
    not_null = [i for i in rules.not_null if rows.column(i).null_count]
    if not not_null and not rules.checks:
        return
    before, i = 0, 0
    try:
        if not not_null and all(c.kind == PARTITION_BOUND for c, _ in rules.checks):
            types = [c.type for c in rules.table.columns]
            at = dealing.first_outside(rules.table, lambda i: canonical_array(rows.column(i), types[i]))
            if at is not None:
                i = at
                rules.check(batch_rows(rows.slice(at, 1), types)[0], session)
            return
        if not not_null and rules.screens and type(rules) is TableRules:
            failing = doubtful(rules.screens, rows)
            if failing is not None and len(failing) <= _DOUBTFUL_MAX:
                for i in failing:
                    one = rows.slice(i, 1).combine_chunks().to_batches()[0]
                    rules.check(row_reader(one.columns)(0), session)
                return
        for batch in rows.to_batches():
            if not batch.num_rows:
                continue
            read = row_reader(batch.columns)
            for i in range(batch.num_rows):
                rules.check(read(i), session)
            before += batch.num_rows
    except SqlError as error:
        error.which = partial(int, before + i)
        raise


def rules_violation(writes: TableWrites, rows: pa.Table, oid: int, key: Any) -> ExecutionError:
    """23505 of a constraint by its OID, about one of these rows (`_rid` first)."""
    constraint = next(c for c in writes.table.constraints if c.oid == oid)
    which = partial(_row_of_key, writes.table, rows, constraint, key)
    error = writes.rules.unique_violation(
        constraint, key, _written_row(writes.table, rows, constraint, which)
    )
    error.which = which
    return error


def _written_row(
    table: Table, rows: pa.Table, constraint: Constraint, which: Callable[[], int | None]
) -> Row | None:
    """The row, where its key is not the cells that it has."""
    at = which() if datum_forms(table, constraint) else None
    return (
        None
        if at is None
        else batch_rows(rows.slice(at, 1), [TypeRef(t.INT8), *(c.type for c in table.columns)])[0][1:]
    )


def _place_of(row: Row, rows: pa.Table, types: Sequence[TypeRef]) -> int | None:
    """Which of the rows it is, the first of those that are equal. None: that would take long to find out."""
    if rows.num_rows > PLACE_ROWS_MAX:
        return None
    before = 0
    for batch in rows.select(range(len(types))).to_batches():
        for i, one in enumerate(batch_rows(batch, types)):
            if one == row:
                return before + i
        before += batch.num_rows
    return None


def _row_of_key(table: Table, rows: pa.Table, constraint: Constraint, key: Any) -> int | None:
    """Which of the rows has a key that is there already, or has it for the second time. None: that would take long to find out."""
    places = [table.index_of(a) + 1 for a in constraint.columns]
    forms = column_forms(table, constraint)
    if len(forms) == 1 and isinstance(key, str):  # of texts, which are asked all at once
        assert forms[0] is not None
        equal = pc.equal(forms[0](one_array(rows.column(places[0]))), key)
        found = pc.indices_nonzero(equal).slice(0, 2).to_pylist()
        return found[-1] if found else None
    if rows.num_rows > PLACE_ROWS_MAX:
        return None
    key_of = picked(range(len(places)), datum_forms(table, constraint))
    found = []
    before = 0
    for batch in rows.select(places).to_batches():
        read = row_reader(batch.columns) if batch.num_rows else None
        for i in range(batch.num_rows):
            assert read is not None
            if key == key_of(read(i)):
                found.append(before + i)
        before += batch.num_rows
        if len(found) > 1:
            break
    return found[:2][-1] if found else None


__all__ = ["check_rows", "check_wide", "check_wide_decided", "check_wide_proposed", "rules_violation"]
