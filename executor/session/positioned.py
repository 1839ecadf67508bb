"""UPDATE and DELETE ... WHERE CURRENT OF: the key of the row on which a cursor stands, given to a write by key.

The plan is that write (`planner.parse.positioned`); its last parameters are the key. A cursor's columns know which
column of which table they come from, so the row that FETCH has returned last says the key, if the cursor selects it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from executor.abc import ExecutionError, Portal, Result
from executor.session.cursors import CursorRows
from planner import statements as st
from planner.abc import Plan, Table
from planner.parse.queries import parse_query
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


async def run(
    session: Session, plan: Plan, s: st.PositionedWrite, params: Sequence[Datum], autocommit: bool
) -> Result:
    """Raises 34000 for a cursor that is not there, 24000 for one that is on no row, or on none of the table's."""
    portal = session.portals.get(s.cursor)
    if portal is None:
        raise ExecutionError("34000", f'cursor "{s.cursor}" does not exist')
    inner: Plan = plan.extra["query"]
    key = current_key(portal, s.cursor, plan.extra["table"])
    return await session.run_plan(inner, (*params, *key), autocommit)


def current_key(portal: Portal, name: str, table: Table) -> tuple[Datum, ...]:
    cursor: CursorRows | None = portal.extra.get("cursor")
    if cursor is None:
        raise ExecutionError("24000", f'cursor "{name}" is not a SELECT query')
    if portal.extra.get("held"):
        raise ExecutionError("24000", f'cursor "{name}" is held from a previous transaction')
    row = cursor.rows[cursor.position - 1] if 1 <= cursor.position <= len(cursor.rows) else None
    return key_of(name, portal.prepared.plan, row, table)


def key_of(name: str, query: Plan, row: Sequence[Datum] | None, table: Table) -> tuple[Datum, ...]:
    """The key of a table's row in the row of a cursor. Raises 24000; 0A000 where the cursor does not select it."""
    places = {c.attnum: i for i, c in enumerate(query.columns or ()) if c.table_oid == table.oid and c.attnum}
    if not places or not _rows_of_tables(query):
        raise ExecutionError(
            "24000", f'cursor "{name}" is not a simply updatable scan of table "{table.name}"'
        )
    assert table.primary_key is not None
    if any(attnum not in places for attnum in table.primary_key.columns):
        raise ExecutionError(
            "0A000",
            f'WHERE CURRENT OF a cursor without the primary key of table "{table.name}" is not supported',
            hint="Let the cursor select the columns of the primary key as well.",
        )
    if row is None:
        raise ExecutionError("24000", f'cursor "{name}" is not positioned on a row')
    return tuple(row[places[attnum]] for attnum in table.primary_key.columns)


def _rows_of_tables(query: Plan) -> bool:
    """Whether each row is one of a table, or of several joined: not a group, not one of several that are alike."""
    tree = parse_query(query.text)
    if not isinstance(tree, exp.Select) or tree.args.get("group") or tree.args.get("distinct"):
        return False
    return not any(tree.find_all(exp.SetOperation, exp.Subquery))
