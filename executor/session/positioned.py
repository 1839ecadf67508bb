"""UPDATE and DELETE ... WHERE CURRENT OF: the key, or the place, of the row on which a cursor stands, given to a write by it.

The plan is that write (`planner.parse.positioned`); its last parameters are the key. A cursor's columns know which
column of which table they come from, so the row that FETCH has returned last says the key, if the cursor selects it. Rows of
tables without a key, and of those with children, say their places in columns that FETCH does not show (`planner.placed_queries`). A row
that is updated through its cursor has another place from then on, which the cursor takes down; one that is deleted has none.
What others have made of it since, nobody knows who has only its place: that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from executor.abc import ExecutionError, Portal, Result, Rows, Stream
from executor.columnar.rows import batch_rows
from executor.session.cursors import CursorRows
from planner import statements as st
from planner.abc import Plan, Table
from planner.parse.queries import parse_query
from planner.placed_queries import Placed, by_place
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session
    from planner.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a cursor stands: its query, the row with all that is known of it, and how the cursor learns of its next place."""

    name: str
    query: Plan
    row: Sequence[Datum] | None
    replace: Callable[[tuple[Datum, ...]], None]

    def given(self, table: Table, catalog: Catalog) -> tuple[Datum, ...]:
        """The key of a table's row, or its place. Raises 24000; 0A000 where the cursor does not know it."""
        if not by_place(table):
            return key_of(self.name, self.query, self.row, table)
        column = _column(self.name, self.query, table, catalog)
        if self.row is None:
            raise ExecutionError("24000", f'cursor "{self.name}" is not positioned on a row')
        return (self.row[column],)

    async def written(self, result: Result, table: Table, catalog: Catalog) -> Result:
        """What the client sees of a write by place, after the cursor has taken down where the row is now. Raises 0A000."""
        if not by_place(table):
            return result
        assert isinstance(result, Rows | Stream) and self.row is not None
        column = _column(self.name, self.query, table, catalog)
        found = await _complete(result)
        place = found.rows[-1][-1] if found.rows and not found.tag.startswith("DELETE") else None
        if found.rows:
            self.replace((*self.row[:column], place, *self.row[column + 1 :]))
        elif self.row[column] is not None and not table.triggers and not table.policies:
            raise ExecutionError(
                "0A000",
                f'WHERE CURRENT OF a row of table "{table.name}" that others have written since cursor "{self.name}" found it is not supported',
                hint="A primary key that the cursor selects finds the row again.",
            )
        columns = found.columns[:-1] if found.columns is not None else ()
        return Rows(found.tag, columns or None, [row[:-1] for row in found.rows] if columns else ())


async def run(
    session: Session, plan: Plan, s: st.PositionedWrite, params: Sequence[Datum], autocommit: bool
) -> Result:
    """Raises 34000 for a cursor that is not there, 24000 for one that is on no row, or on none of the table's."""
    portal = session.portals.get(s.cursor)
    if portal is None:
        raise ExecutionError("34000", f'cursor "{s.cursor}" does not exist')
    inner: Plan = plan.extra["query"]
    table: Table = plan.extra["table"]
    at = standing(portal, s.cursor)
    key = at.given(table, session.catalog)
    return await at.written(
        await session.run_plan(inner, (*params, *key), autocommit), table, session.catalog
    )


def standing(portal: Portal, name: str) -> Standing:
    """Where a cursor of the session's stands. Raises 24000."""
    cursor: CursorRows | None = portal.extra.get("cursor")
    if cursor is None:
        raise ExecutionError("24000", f'cursor "{name}" is not a SELECT query')
    if portal.extra.get("held"):
        raise ExecutionError("24000", f'cursor "{name}" is held from a previous transaction')
    return Standing(name, portal.prepared.plan, cursor.current, cursor.replace)


def key_of(name: str, query: Plan, row: Sequence[Datum] | None, table: Table) -> tuple[Datum, ...]:
    """The key of a table's row in the row of a cursor. Raises 24000; 0A000 where the cursor does not select it."""
    places = {c.attnum: i for i, c in enumerate(query.columns or ()) if c.table_oid == table.oid and c.attnum}
    placed: Sequence[Placed] = [p for p in query.extra.get("placed", ()) if p.table == table.oid and p.key]
    if placed and table.primary_key is not None:
        own = next((p for p in placed if p.locked), placed[0])
        places = dict(zip(table.primary_key.columns, own.key, strict=True))
    if not places and _locks(query):
        message = f'cursor "{name}" does not have a FOR UPDATE/SHARE reference to table "{table.name}"'
        raise ExecutionError("24000", message)
    if not places or not _rows_of_tables(query):
        raise _no_scan(name, table)
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


def _column(name: str, query: Plan, table: Table, catalog: Catalog) -> int:
    """The column of a cursor's rows in which a table's say their places. Raises 24000, 0A000."""
    placed: Sequence[Placed] | None = query.extra.get("placed")
    if placed is None:
        if not _rows_of_tables(query, by_places=True) or all(
            c.table_oid != table.oid for c in query.columns or ()
        ):
            raise _no_scan(name, table)
        raise ExecutionError(
            "0A000",
            f'WHERE CURRENT OF cursor "{name}", whose rows of table "{table.name}" do not say their places, is not supported',
            hint="A primary key that the cursor selects finds the row again.",
        )
    above = _with_parents(table, catalog)
    mine = [p for p in placed if p.table in above]
    if not any(p.locked for p in placed):
        if not mine:
            raise _no_scan(name, table)
        return mine[0].column
    locked = [p for p in mine if p.locked]
    if not locked:
        message = f'cursor "{name}" does not have a FOR UPDATE/SHARE reference to table "{table.name}"'
        raise ExecutionError("24000", message)
    if len(locked) > 1:
        message = f'cursor "{name}" has multiple FOR UPDATE/SHARE references to table "{table.name}"'
        raise ExecutionError("24000", message)
    return locked[0].column


def _with_parents(table: Table, catalog: Catalog) -> set[int]:
    """A table and those above it, whose rows its own are as well."""
    found, waiting = {table.oid}, [table]
    while waiting:
        at = waiting.pop()
        for oid in (*at.parents, at.partition.parent if at.partition is not None else 0):
            above: Any = catalog.get(oid) if oid and oid not in found else None
            if isinstance(above, Table):
                found.add(above.oid)
                waiting.append(above)
    return found


async def _complete(result: Rows | Stream) -> Rows:
    if isinstance(result, Rows):
        return result
    types = [c.type for c in result.columns]
    try:
        rows = [row async for batch in result.batches for row in batch_rows(batch, types)]
    finally:
        result.close()
    return Rows(f"{result.tag} {len(rows)}", result.columns, rows)


def _no_scan(name: str, table: Table) -> ExecutionError:
    return ExecutionError("24000", f'cursor "{name}" is not a simply updatable scan of table "{table.name}"')


def _locks(query: Plan) -> bool:
    return bool(parse_query(query.text).args.get("locks"))


def _rows_of_tables(query: Plan, *, by_places: bool = False) -> bool:
    """Whether each row is one of a table, or of several joined: not a group, not one of several that are alike."""
    tree = parse_query(query.text)
    if not isinstance(tree, exp.Select) or tree.args.get("group") or tree.args.get("distinct"):
        return False
    if by_places and tree.args.get("joins") and not tree.args.get("locks"):
        return False
    if any(e.find(exp.Window) for e in tree.expressions):
        return False
    return not any(tree.find_all(exp.SetOperation, exp.Subquery))
