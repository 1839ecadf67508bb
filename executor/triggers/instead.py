"""INSTEAD OF: a view's triggers write what a statement says of its rows.

    INSERT    the rows to insert                          -> trigger(NEW)       counts if it returns a row
    UPDATE    (number, new row, old row, FROM's columns)  -> trigger(OLD, NEW)
    DELETE    (number, old row, USING's columns)          -> trigger(OLD)

RETURNING shows what the trigger returned, and a view over this one WITH CHECK OPTION asks of that. Statement-level triggers of the view fire before and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows
from executor.session.returned import versions
from executor.triggers import firing
from planner import triggers
from planner import types as t
from planner.abc import DeleteQuery, InsertQuery, TypeRef, UpdateQuery
from planner.catalog import View
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

RID: Final = TypeRef(t.INT8)


async def write(
    session: Session, block: Block, body: InsertQuery | UpdateQuery | DeleteQuery, found: pa.Table
) -> tuple[pa.Table, int]:
    """Fires for each of the rows found. What RETURNING reads, and how many were written."""
    from executor.session.copying import staging
    from executor.session.queries import canonical_table

    view = session.catalog.get(body.table.oid)
    assert isinstance(view, View), "a plan is of its catalog"
    types = [c.type for c in body.table.columns]
    assigned: tuple[int, ...] = ()
    if isinstance(body, InsertQuery):
        event, layout = triggers.INSERT, types
    elif isinstance(body, UpdateQuery):
        event, assigned, layout = triggers.UPDATE, body.assigned, [RID, *types, *types]
    else:
        event, layout = triggers.DELETE, [RID, *types]
    fired = firing.Statement(session, block, view)
    await fired.begin(event, assigned)
    rules = session.rules(body.table)
    if rules.wide_checks:
        raise ExecutionError(
            "0A000",
            f'WITH CHECK OPTION of view "{rules.wide_checks[0].name}" is not supported, for it is over a view with triggers and its '
            "condition is no expression over one row",
        )
    done: list[tuple[int, Row]] = []
    width = len(types)
    for n, row in enumerate(batch_rows(canonical_table(found, layout), layout)):
        old, new = _sides(event, row, width)
        if not fired.of(event, triggers.INSTEAD, row=True):  # they are switched off
            made = new if new is not None else old
        else:
            made = await fired.instead_of_row(event, old, new)
        shown = old if new is None else made
        if made is not None and shown is not None:
            for constraint, passes in rules.guards if new is not None else ():
                if not passes((), shown, session):
                    raise rules.check_violation(constraint, shown)
            done.append((n if event == triggers.INSERT else row[0], shown))
    await fired.end(event)
    written = staging.written_rows(body.table, [row for _, row in done], [n for n, _ in done])
    return versions(written, written.column("_rid"), False), len(done)


def _sides(event: int, row: Row, width: int) -> tuple[Row | None, Row | None]:
    """OLD and NEW of a row that the statement's query found."""
    if event == triggers.INSERT:
        return None, tuple(row)
    if event == triggers.UPDATE:
        return tuple(row[1 + width : 1 + 2 * width]), tuple(row[1 : 1 + width])
    return tuple(row[1 : 1 + width]), None


__all__ = ["write"]
