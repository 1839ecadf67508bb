"""EXCLUDE at work: rows that a statement has written, beside all others that its transaction sees.

    lock    the constraint's one key, until the transaction ends        who writes to the table next waits here
    look    mine JOIN theirs ON operators                               23P01
    note    nobody has written rows under the constraint since          a point of the constraint's own keyspace

Two transactions that write rows which exclude each other never both commit. On one server the second waits for the
first, its snapshot moves forward, and it meets the row. Where it cannot (it has read what has changed since), and between
servers, whose locks are their own, admission asks once more whether anybody wrote to the keyspace after the time as of
which was looked, and refuses it (40001).

Rows are looked at when the statement that wrote them is over, or, DEFERRABLE ones, at COMMIT; those of an INSERT with ON
CONFLICT DO NOTHING before they are written, one by one, to leave out what is excluded. DuckDB joins them, for no index is
searched: an equality among the operators makes that a hash join, ranges are joined by their bounds, and where there is neither
each row is compared with each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows
from executor.keyed import deferred_keys
from executor.keyed.write import Change
from executor.session import queries, relations
from executor.session.blocks import keyed
from executor.session.references.checks import Absence
from planner import types as t
from planner.abc import Constraint, Query, RelationUse, Table, Told
from planner.catalog.exclusions import MESSAGE, conflicts, exclusions, index_of
from planner.catalog.system.definitions import index_column
from storage.abc import Row
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_KEY = 0
"""The one key of a constraint's keyspace."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """Rows to be looked at before the commit, those of them that are left."""

    constraint_oid: int
    table_oid: int
    rows: pa.Table


async def enforce(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
    """After a statement has changed rows of a table. Raises 23P01."""
    if exclusions(table):
        rows = _written(block, table, [c[4] for c in changes if c[4] is not None])
        await _enforce(session, block, table, rows)


async def after_bulk(session: Session, block: Block, table: Table, numbered: pa.Table) -> None:
    """After rows (`_rid` first) were added in bulk. Raises 23P01."""
    if exclusions(table):
        from executor.session.copying import staging

        await _enforce(session, block, table, staging.physical(table, numbered))


async def excluded(
    session: Session, block: Block, table: Table, among: Sequence[Constraint], row: Row
) -> bool:
    """Whether a row that is to be inserted is excluded by one that is there, the statement's own earlier ones among them."""
    from executor.session.copying import staging

    for constraint in among:
        if table.shard not in block.created:
            await _alone(session, block, _space(table, constraint))
        proposed = staging.written_rows(table, [row], [session.executor.env.rids.take(1)])
        if await _conflict(session, block, table, constraint, proposed, False) is not None:
            return True
    return False


async def check_deferred(session: Session, block: Block, d: Deferred) -> None:
    """What was put off, before the commit or when the constraint becomes immediate. Raises 23P01."""
    table = session.catalog.get(d.table_oid)
    if not isinstance(table, Table):
        return  # dropped since
    for constraint in exclusions(table):
        if constraint.oid == d.constraint_oid:
            if d.rows.schema != relations.physical_schema(table):
                raise ExecutionError(
                    "0A000",
                    f'altering "{table.name}" while rows wait for its exclusion constraints is not supported',
                )
            await _look(session, block, table, constraint, d.rows, alive=True)


def _written(block: Block, table: Table, rows: Sequence[Row]) -> pa.Table:
    """These rows with the row ids under which the block has them: its newest, in any order."""
    from executor.session.copying import staging

    wanted = {id(row) for row in rows}
    rids: list[int] = []
    found: list[Row] = []
    for entry in reversed(block.writes(table).by_key.values()):
        if not wanted:
            break
        if entry is not None and id(entry[1]) in wanted:
            wanted.remove(id(entry[1]))
            rids.append(entry[0])
            found.append(entry[1])
    return staging.written_rows(table, found[::-1], rids[::-1])


async def _enforce(session: Session, block: Block, table: Table, rows: pa.Table) -> None:
    if not rows.num_rows:
        return
    for constraint in exclusions(table):
        if deferred_keys.is_deferred(constraint, block.constraint_modes):
            block.deferred.append(Deferred(constraint.oid, table.oid, rows))
        else:
            await _look(session, block, table, constraint, rows)


async def _look(
    session: Session,
    block: Block,
    table: Table,
    constraint: Constraint,
    rows: pa.Table,
    *,
    alive: bool = False,
) -> None:
    space = _space(table, constraint)
    if table.shard not in block.created:
        await _alone(session, block, space)
    found = await _conflict(session, block, table, constraint, rows, alive)
    if found is not None:
        raise found
    if table.shard not in block.created:
        txn = block.transaction()
        txn.wrote(space, _KEY, blind=True)
        why = f'rows were written that exclusion constraint "{constraint.name}" may exclude'
        block.reference_checks.append(Absence(space, frozenset((_KEY,)), txn.read_ts, why))


def _space(table: Table, constraint: Constraint) -> str:
    return f"{table.shard}/{constraint.oid}"


async def _alone(session: Session, block: Block, space: str) -> None:
    """Until the transaction ends nobody else here writes rows under the constraint, and what others wrote is seen."""
    env, txn = session.executor.env, block.transaction()
    while not env.locks.try_acquire(txn, space, _KEY, LockMode.UPDATE):
        await keyed.wait_for(session, block, keyed.WouldBlock(space, _KEY, LockMode.UPDATE))
    newest = env.conflicts.point(space, _KEY, txn.read_ts)
    if newest and not txn.refresh(newest):
        raise txn.stale(space, _KEY, newest)
    if txn.unsettled is not None and not txn.is_settled:
        await txn.settled()  # what is about to be looked at may not be durable yet


async def _conflict(
    session: Session, block: Block, table: Table, constraint: Constraint, rows: pa.Table, alive: bool
) -> ExecutionError | None:
    catalog = session.catalog
    index = index_of(catalog, constraint)
    text = conflicts(catalog, table, index, constraint.operators, alive=alive)
    plan, _ = session.executor.planner.plan(text, session.trusted_context(), normalise=False)
    body, columns = plan.body, plan.columns or ()
    assert isinstance(body, Query), "rows beside each other are a columnar query"
    # What is looked at is none of the transaction's reads: the keyspace stands for it.
    uses: list[Any] = [
        dataclasses.replace(use, ranges=()) if isinstance(use, RelationUse) else use for use in body.relations
    ]
    query = dataclasses.replace(body, relations=tuple(uses))
    given = {uses[0].slot: (table, rows)}
    types = [c.type for c in columns]
    found = await queries.arrow(session, block, query, (), types, given, begins=False)
    if not found.num_rows:
        return None
    values = batch_rows(found.slice(0, 1), types)[0]
    shown = [
        "null" if v is None else t.output_text(v, ref, session.type_settings)
        for v, ref in zip(values, types, strict=True)
    ]
    count = len(index.keys)
    keys = ", ".join(index_column(table, index, i + 1, catalog, pretty=True) for i in range(count))
    error = ExecutionError(
        "23P01",
        MESSAGE.format(constraint.name),
        detail=f"Key ({keys})=({', '.join(shown[:count])}) conflicts with existing key "
        f"({keys})=({', '.join(shown[count:])}).",
        table=table.name,
        constraint=constraint.name,
        about_oid=table.oid,
    )
    # Both rows' values: who may not read the columns, or sees the table through policies, is told of none.
    error.told = Told(
        table.oid, tuple(k.attnum for k in index.keys), lambda readable: "Key conflicts with existing key."
    )
    return error


__all__ = ["Deferred", "after_bulk", "check_deferred", "enforce", "excluded"]
