"""SQL cursors: DECLARE, FETCH, MOVE, CLOSE.

A cursor reads as of its declaration, whatever the block writes afterwards: its query is started by DECLARE
and drawn from as FETCH asks. Rows that have been drawn are kept, so that it can be scrolled; the
position is before the first row, on one, or after the last:

    0 | 1 2 3 ... n | n+1
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from executor.abc import ExecutionError, Portal, Prepared, Result, Rows, Stream
from executor.columnar.rows import batch_rows
from executor.session.locks.fetched_rows import LockingStream
from planner import statements as st
from planner.abc import KeyedRead, LockingQuery, Plan, Query, ResultColumn, SqlError
from planner.parse.queries import parse_query
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


_AT_ONCE: Final = 1_000
"""Rows that are locked before they are shown, where all are asked for."""


class CursorRows:
    """The rows of a cursor, drawn from its result as they are needed."""

    __slots__ = ("_limit", "_shown", "_types", "failure", "later", "position", "rows", "source")

    def __init__(
        self, result: Rows | Stream, columns: Sequence[ResultColumn], rows_max: int, shown: int | None = None
    ) -> None:
        self._types = [c.type for c in columns]
        self._shown = shown
        self._limit = rows_max
        self.rows: list[tuple[Datum, ...]] = list(result.rows) if isinstance(result, Rows) else []
        self.source = result if isinstance(result, Stream) else None
        self.position = 0
        self.failure: SqlError | None = None
        """What the query has raised where it was to begin: said when somebody asks for rows."""
        self.later: Callable[[], Awaitable[Result]] | None = None
        """Begins the query, if it is to begin when somebody asks for rows."""

    async def draw(self, count: int | None) -> None:
        """Makes at least `count` rows present, if there are so many (None: all)."""
        if self.failure is not None and count != 0:
            raise self.failure
        if self.later is not None and count != 0:
            begin, self.later = self.later, None
            result = await begin()
            self.rows = list(result.rows) if isinstance(result, Rows) else []
            self.source = result if isinstance(result, Stream) else None
        while self.source is not None and (count is None or len(self.rows) < count):
            if isinstance(self.source, LockingStream):
                self.source.ahead = _AT_ONCE if count is None else min(count - len(self.rows), _AT_ONCE)
            batch = await anext(self.source.batches, None)
            if batch is None:
                self.close()
                return
            self.rows += batch_rows(batch, self._types)
            self.refuse_more()

    def refuse_more(self) -> None:
        if len(self.rows) > self._limit:
            raise ExecutionError("54000", f"a cursor holds more than {self._limit} rows")

    def close(self) -> None:
        source, self.source, self.later = self.source, None, None
        if source is not None:
            source.close()

    async def fetch(self, direction: str, count: int | None) -> list[tuple[Datum, ...]]:
        """FETCH's rows; moves the position as PostgreSQL does."""
        if direction == "first":
            direction, count = "absolute", 1
        elif direction == "last":
            direction, count = "absolute", -1
        if direction == "absolute":
            assert count is not None
            if count < 0:
                await self.draw(None)
                count = max(0, len(self.rows) + 1 + count)
            return await self._at(count)
        if direction == "relative":
            assert count is not None
            return await self._at(self.position + count)
        if direction == "backward" and count is not None:
            count = -count
        if direction == "backward" and count is None:
            return self._back(None)
        if count is not None and count < 0:
            return self._back(-count)
        if count == 0:
            return await self._at(self.position)
        return await self._forward(count)

    def goes_back(self, direction: str, count: int | None) -> bool:
        """Whether FETCH goes back or begins anew, which a cursor without SCROLL does not."""
        if direction == "last" or count is None:
            return direction in ("last", "backward")
        if direction in ("first", "absolute"):
            wanted = 1 if direction == "first" else count
            return wanted < 0 or 0 < self.position >= wanted
        if direction == "backward":
            count = -count
        return count < 0 or (count == 0 and 1 <= self.position <= len(self.rows))

    async def _forward(self, count: int | None) -> list[tuple[Datum, ...]]:
        start = self.position
        await self.draw(None if count is None else start + count)
        total = len(self.rows)
        stop = total if count is None else min(start + count, total)
        rows = self._as_shown(self.rows[start:stop])
        reached_end = count is None or start + count > total
        self.position = total + 1 if reached_end else stop
        return rows

    def _back(self, count: int | None) -> list[tuple[Datum, ...]]:
        last = max(0, min(self.position, len(self.rows) + 1) - 1)  # the first row to return, 1-based
        first = 0 if count is None else max(0, last - count)
        rows = self._as_shown(self.rows[first:last][::-1])
        self.position = 0 if count is None or last - count < 0 else first + 1
        return rows

    async def _at(self, position: int) -> list[tuple[Datum, ...]]:
        await self.draw(max(position, 0))
        self.position = max(0, min(position, len(self.rows) + 1))
        return self._as_shown(self.rows[position - 1 : position]) if position > 0 else []

    def _as_shown(self, rows: list[tuple[Datum, ...]]) -> list[tuple[Datum, ...]]:
        """Without what says where the rows are (`planner.placed_queries`)."""
        return rows if self._shown is None else [row[: self._shown] for row in rows]

    @property
    def current(self) -> Sequence[Datum] | None:
        """The row on which the cursor stands, with all that is known of it."""
        return self.rows[self.position - 1] if 1 <= self.position <= len(self.rows) else None

    def replace(self, row: tuple[Datum, ...]) -> None:
        """The row on which it stands has gone elsewhere."""
        self.rows[self.position - 1] = row


class CursorPortal(Portal):
    """A portal whose rows come through FETCH."""

    def close(self) -> None:
        cursor = self.extra.get("cursor")
        if cursor is not None:
            cursor.close()
        super().close()


def _scrolls(query: Plan) -> bool | None:
    """Of a cursor that says nothing of it: False where PostgreSQL's plan goes forward alone, be it that of rows that are locked or of one
    that is of no table; None: it may go back here."""
    if isinstance(query.body, LockingQuery) and query.body.locks:
        return False
    tree = parse_query(query.text)
    plain = isinstance(tree, exp.Select) and tree.args.get("from_") is None
    return False if plain and not tree.args.get("order") and not tree.args.get("with_") else None


async def declare(
    session: Session, plan: Plan, s: st.DeclareCursor, params: Sequence[Datum], autocommit: bool
) -> Rows:
    block = session.block
    if not s.hold and (block is None or (block.implicit and autocommit)):
        raise ExecutionError("25P01", "DECLARE CURSOR can only be used in transaction blocks")
    if s.name in session.portals:
        raise ExecutionError("42P03", f'cursor "{s.name}" already exists')
    if len(session.portals) >= session.executor.limits.portals_per_session_max:
        raise ExecutionError("54000", "too many open cursors")
    inner: Plan = plan.extra["query"]
    failure: SqlError | None = None
    begin = partial(session.run_plan, inner, tuple(params), block is None, fetched=True)
    late = block is not None and _acts_alone(inner)
    try:
        result = Rows("SELECT 0", inner.columns) if late else await begin()
    except SqlError as error:
        if block is None or not _is_of_rows(inner, error):
            raise
        failure, result = error, Rows("SELECT 0", inner.columns)
        failure.position = 0
    if not isinstance(result, Rows | Stream):
        raise ExecutionError("0A000", "a cursor needs a query that returns rows")
    columns = shown_columns(inner)
    limit = session.executor.limits.cursor_rows_max
    cursor = CursorRows(
        result, inner.columns or (), limit, len(columns or ()) if "placed" in inner.extra else None
    )
    cursor.failure, cursor.later = failure, begin if late else None
    if "placed" in inner.extra:
        inner = dataclasses.replace(inner, columns=columns, wire=None)
    said = session.statement_text or plan.text
    portal = CursorPortal(
        s.name, Prepared("", said, inner, inner.parameters, True), tuple(params), from_sql=True
    )
    portal.advance = advance
    portal.extra.update(
        cursor=cursor,
        scroll=_scrolls(inner) if s.scroll is None else s.scroll,
        hold=s.hold,
        binary=s.binary,
        query=isinstance(inner.body, Query),
    )
    portal.extra["declared_us"] = session.statement_began_ns // 1000
    if s.hold and block is None:
        await cursor.draw(None)
        portal.extra["held"] = True
    session.portals[s.name] = portal
    return Rows("DECLARE CURSOR")


def shown_columns(query: Plan) -> tuple[ResultColumn, ...] | None:
    """Those of a cursor's query that FETCH shows."""
    hidden = sum(p.hidden for p in query.extra.get("placed", ()))
    return query.columns[: len(query.columns) - hidden] if query.columns is not None else None


def _acts_alone(query: Plan) -> bool:
    """Whether a query is of no table and runs what may do anything, which it does when its row is asked for: it has no rows of then to keep."""
    if not isinstance(query.body, Query) or not query.body.volatile or "runs" not in query.extra:
        return False
    tree = parse_query(query.text)
    return isinstance(tree, exp.Select) and len(list(tree.find_all(exp.Query, exp.Table))) == 1


def _is_of_rows(query: Plan, error: SqlError) -> bool:
    """Whether an error is one row's, which no FETCH may reach: of a value, in a query that does nothing but read."""
    reads = isinstance(query.body, Query | KeyedRead) and "runs" not in query.extra
    return reads and error.sqlstate[:2] in ("21", "22")


async def fetch(session: Session, plan: Plan, s: st.Fetch, params: Sequence[Datum], autocommit: bool) -> Rows:
    portal = session.portals.get(s.cursor)
    if portal is None:
        raise ExecutionError("34000", f'cursor "{s.cursor}" does not exist')
    cursor = portal.extra.get("cursor")
    if cursor is None:
        rows = await _fetch_bound(session, portal, s)
        if s.move:
            return Rows(f"MOVE {len(rows)}")
        return Rows(f"FETCH {len(rows)}", portal.prepared.plan.columns, rows)
    rows = await move(portal, s.direction, s.count)
    if s.move:
        return Rows(f"MOVE {len(rows)}")
    return Rows(f"FETCH {len(rows)}", portal.prepared.plan.columns, rows)


async def move(portal: Portal, direction: str, count: int | None) -> list[tuple[Datum, ...]]:
    """What FETCH finds there. Raises 55000, and what the query raises."""
    cursor: CursorRows = portal.extra["cursor"]
    _begin_move(portal)
    rows = await moved(cursor, portal.extra["scroll"], direction, count)
    portal.extra["failed"] = False
    return rows


async def moved(
    cursor: CursorRows, scroll: bool | None, direction: str, count: int | None
) -> list[tuple[Datum, ...]]:
    """Raises 55000 where a cursor without SCROLL would go back."""
    if scroll is False and cursor.goes_back(direction, count):
        raise ExecutionError(
            "55000",
            "cursor can only scan forward",
            hint="Declare it with SCROLL option to enable backward scan.",
        )
    return await cursor.fetch(direction, count)


def _begin_move(portal: Portal) -> None:
    """Raises 55000 for a cursor that has failed before."""
    if portal.extra.get("failed"):
        raise ExecutionError("55000", f'portal "{portal.name}" cannot be run')
    portal.extra["failed"] = True  # unless this goes well: an error is the last thing that a cursor says


async def advance(portal: Portal, limit: int) -> list[tuple[Datum, ...]]:
    """The next rows of a cursor for who runs it as a portal: up to `limit`, 0 for all that are left."""
    cursor: CursorRows = portal.extra["cursor"]
    _begin_move(portal)
    rows = await cursor.fetch("forward", limit or None)
    portal.extra["failed"] = False
    return rows


async def _fetch_bound(session: Session, portal: Portal, s: st.Fetch) -> list[tuple[Datum, ...]]:
    """FETCH from a portal that Bind has made: forward, from where the last Execute or FETCH stopped."""
    columns = portal.prepared.plan.columns
    if columns is None:
        raise ExecutionError("55000", f'portal "{portal.name}" cannot be run')
    if s.direction != "forward" or (s.count or 0) < 0:
        raise ExecutionError(
            "55000",
            "cursor can only scan forward",
            hint="Declare it with SCROLL option to enable backward scan.",
        )
    if portal.finished:
        return []
    if portal.result is None:
        portal.result = await session.run_plan(portal.prepared.plan, portal.params, False)
    result, rows = portal.result, list[tuple[Datum, ...]]()
    if isinstance(result, Rows):
        start: int = portal.pending or 0
        rows = list(result.rows[start : None if s.count is None else start + s.count])
        portal.pending = start + len(rows)
    elif isinstance(result, Stream):
        types = [c.type for c in result.columns or columns]
        left = portal.pending
        while s.count is None or len(rows) < s.count:
            if left is None or not left.num_rows:
                left = await anext(result.batches, None)
                if left is None:
                    break
            batch = left if s.count is None else left.slice(0, s.count - len(rows))
            left = left.slice(batch.num_rows)
            rows += batch_rows(batch, types)
            if len(rows) > session.executor.limits.cursor_rows_max:
                raise ExecutionError(
                    "54000", f"one FETCH holds more than {session.executor.limits.cursor_rows_max} rows"
                )
        portal.pending = left
    if s.count is None or len(rows) < s.count:  # the end, found by asking for more than there is
        portal.close()
        portal.finished, portal.pending = True, None
        portal.result = Rows("SELECT 0", columns, ())
    return rows


async def close(
    session: Session, plan: Plan, s: st.CloseCursor, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.name is None:
        for name in [n for n, p in session.portals.items() if p.from_sql]:
            session.portals.pop(name).close()
        return Rows("CLOSE CURSOR ALL")
    portal = session.portals.pop(s.name, None)
    if portal is None:
        raise ExecutionError("34000", f'cursor "{s.name}" does not exist')
    portal.close()
    return Rows("CLOSE CURSOR")


async def materialise(session: Session, portal: Any) -> None:
    """Draws everything that is left: the transaction ends, the cursor stays."""
    cursor = portal.extra.get("cursor")
    if cursor is not None:
        await cursor.draw(None)
