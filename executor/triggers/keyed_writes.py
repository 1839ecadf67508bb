"""INSERT VALUES, UPDATE and DELETE by key of a table with triggers: found and computed by the keyed engine, written as triggers want it.

    rows that the statement is of, locked  ->  BEFORE  ->  written  ->  what comes after is queued

If something has to be waited for after functions have been called, what they have done is undone, and the statement begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import Rows
from executor.keyed.insert import InsertPlan
from executor.keyed.plans import CompiledPlan
from executor.keyed.write import UpdatePlan
from executor.session.blocks import keyed
from executor.session.commands import NeedsLease
from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from executor.triggers import firing
from executor.triggers.rows import RowWriter, Written
from planner import triggers
from planner.abc import KeyedUpdate, Plan
from storage.abc import Datum, Row
from txn.columns import ALL_COLUMNS
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_MARK: Final = "\0fired"
"""The savepoint to which a statement returns before it begins anew. No client's is called so."""


async def run(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum], base: Any
) -> Rows:
    """One attempt. Raises what `executor.session.blocks.keyed.run_in_block` raises, with nothing done."""
    block.savepoint(_MARK, 0, {})
    try:
        with block.looking(begins=base is None):
            result = await _written(session, block, compiled, plan, params, base)
    except (keyed.WouldBlock, keyed.Unsettled, NeedsLease, NotHydrated, TooOldForKeyed):
        block.rollback_to(block.find(_MARK))
        block.release(block.find(_MARK))
        block.level = None
        raise
    block.release(block.find(_MARK))
    return result


async def _written(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum], base: Any
) -> Rows:
    from executor.session.references import at_work as references

    table, write = compiled.table, compiled.write
    assert table is not None and write is not None
    fired = firing.Statement(session, block, table)
    kinds = _kinds(compiled)
    for event, columns in kinds:
        fired.expect(event, columns)
    if not fired.row_by_row:
        for event, columns in kinds:
            await fired.begin(event, columns)
        made = await keyed.widely_checked_rows(session, block, compiled, params)
        result = keyed.run_in_block(session, block, compiled, plan, params, base, made)
        changes = list(block.last_changes)
        await keyed.check_wide(session, block, compiled)
        await fired.wrote_all(changes)
    else:
        done, returned = await _row_by_row(session, block, fired, write, kinds, params, base)
        changes = [c for c, _ in done]
        result = Rows(f"{write.tag}{len(done)}", plan.columns, returned)
    for event, _ in reversed(kinds):
        await fired.end(event)
    await references.enforce(session, block, table, changes)
    return result


def _kinds(compiled: CompiledPlan) -> list[tuple[int, Sequence[int]]]:
    """What the statement does, and the columns that it sets."""
    write = compiled.write
    if isinstance(write, InsertPlan):
        conflict = write.body.on_conflict
        kinds: list[tuple[int, Sequence[int]]] = [(triggers.INSERT, ())]
        if conflict is not None and conflict.assignments is not None:
            kinds.append((triggers.UPDATE, [i for i, _ in conflict.assignments]))
        return kinds
    assert isinstance(write, UpdatePlan)
    if isinstance(write.body, KeyedUpdate):
        return [(triggers.UPDATE, [i for i, _ in write.body.assignments])]
    return [(triggers.DELETE, ())]


async def _row_by_row(
    session: Session,
    block: Block,
    fired: firing.Statement,
    write: InsertPlan | UpdatePlan,
    kinds: Sequence[tuple[int, Sequence[int]]],
    params: Sequence[Datum],
    base: Any,
) -> tuple[list[Written], list[Row]]:
    from executor.session import bulk

    table, txn = write.rules.table, block.transaction()
    await bulk.hydrated(block, table)
    writer = RowWriter(session, block, fired)
    if isinstance(write, InsertPlan):
        rows = write.unchecked(params, session)
        await txn.settled()
        for event, columns in kinds:
            await fired.begin(event, columns)

        async def decide(there: tuple[Any, int, Row], row: Row) -> Row | None:
            return write.updated(params, there[2], row, session)

        done = await writer.insert(rows, write, decide if len(kinds) > 1 else None, base)
        told = [write.returned(params, _now(c[0]), session, c[0][1]) for c in done]
    else:
        moves = write.may_move and fired.changes_rows
        mode = LockMode.UPDATE if moves else write.lock_mode  # who is yet to be asked what the row is to be
        keyed.lock_for(session, block, txn, table, write, params, base, mode)
        view = block.view(table, ALL_COLUMNS, base)
        found = write.unchecked(params, session, view, txn.read_ts)
        block.since = txn.read_ts
        await txn.settled()
        ((event, columns),) = kinds
        await fired.begin(event, columns)
        if event == triggers.UPDATE:
            done = await writer.update(found, columns, locked=True)
        else:
            done = await writer.delete(found, locked=True)
        told = [write.returned(params, _now(c[0]), session) for c in done]
    return done, [row for row in told if row is not None]


def _now(change: Any) -> Row:
    """The row as RETURNING sees it: of DELETE as it was."""
    row: Row = change[4] if change[4] is not None else change[2]
    return row


__all__ = ["run"]
