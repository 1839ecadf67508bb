"""The system relations' rows as one session sees them, kept as long as others see the same.

    (catalog, search path, user, database, style of intervals)  ->  Seen
        rows      of whole relations, as tuples of datums; in Arrow where DuckDB has asked for them
        found     by a value of a column: made of that object alone where the relation knows how (`planner.catalog.system.found`),
                  or else from a dictionary of the whole relation's rows

A catalog's version is no other's, so nothing here is ever renewed: a transaction that has changed the catalog sees with eyes of its own,
and what nobody has looked at for long is forgotten. Rows that only the running server knows are made each time, and so are the figures of size
that stand in pg_class (`planner.catalog.system.estimates`): of many rows at once each second.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.columnar.activity import blocking
from executor.keyed.system_steps import by_column
from executor.snapshot.columns import rows_to_arrays
from planner import types as t
from planner.catalog import system
from planner.catalog.catalog import Catalog
from planner.catalog.system import estimates, found
from planner.catalog.system.handles import is_open, opened
from planner.catalog.system.statistics import STATISTICS
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.context import SessionContext

Server = Mapping[str, Callable[[Any], list[dict[str, Any]]]]

SEEN_MAX: Final = 24
"""Ways to see the catalogs that are kept: of the roles and search paths that asked last,"""
ROWS_KEPT: Final = 500_000
"""and no more of them than have so many rows: of ten thousand tables one way alone may have half of these."""
ESTIMATED_ROWS: Final = 100
"""Of so many rows of pg_class how large the tables are is looked up each time; of more the answer is as old as"""
ESTIMATED_US: Final = 1_000_000
ASKED_MAX: Final = 16
"""Rows that are soon made are made for so many values by themselves; whoever asks for more has all of them made, and found by the column."""
FOUND_MAX: Final = 20_000
"""Answers by value that are kept of one."""

_Name = tuple[str, str]


class Seen:
    """What one way to look at one catalog has brought so far."""

    __slots__ = (
        "__weakref__",
        "_arrow",
        "_estimated",
        "_found",
        "_indexes",
        "_ref",
        "_rows",
        "_times",
        "asked",
        "catalog",
        "context",
        "key",
        "weight",
    )

    def __init__(self, key: tuple[Any, ...], catalog: Catalog, context: system.SystemContext) -> None:
        self.key, self.catalog, self.context = key, catalog, context
        self.asked: tuple[Any, ...] = ()
        """The same as `key`, with the whole path that was asked for last."""
        self._rows: dict[_Name, Sequence[Row]] = {}
        self._arrow: dict[_Name, pa.Table] = {}
        self._indexes: dict[tuple[_Name, int], dict[Any, list[Row]]] = {}
        self._found: dict[tuple[_Name, int, Any], Sequence[Row]] = {}
        self._estimated: dict[tuple[int, Any], tuple[int, Sequence[Row]]] = {}
        self._times: dict[tuple[_Name, int], int] = {}
        """How many values have been asked for by themselves."""
        self._ref = 0
        self.weight = 0
        """The rows that it keeps."""

    @property
    def ref(self) -> int:
        """The number under which functions in DuckDB find the context."""
        if not is_open(self._ref):
            self._ref = opened(self.context)
        return self._ref

    def rows(self, name: _Name) -> Sequence[Row]:
        """All rows of a relation, the columns that `*` does not show behind the others."""
        known = self._rows.get(name)
        if known is None:
            known = self._rows[name] = found.datums(name, system.rows(*name, self.context))
            self.weight += len(known)
        return known

    def arrow(self, name: _Name) -> pa.Table:
        """The same for DuckDB, without those columns."""
        known = self._arrow.get(name)
        if known is None:
            known = self._arrow[name] = arrow_of(name, self.rows(name))
        return known

    def with_value(self, name: _Name, column: int, value: Any) -> Sequence[Row]:
        """The rows that have this value in a column."""
        asked = (name, column, value)
        known = self._found.get(asked)
        if known is None:
            made = None
            if name not in self._rows:
                times = self._times[name, column] = self._times.get((name, column), 0) + 1
                if times <= ASKED_MAX or name not in found.OF_SHORT_ROWS:
                    made = found.rows_with(name, column, value, self.context)
            known = self._index(name, column).get(value, ()) if made is None else made
            if len(self._found) >= FOUND_MAX:
                self._found.clear()
            self._found[asked] = known
            self.weight += 0 if made is None else len(made)
        return known

    def estimated(self, asked: tuple[int, Any], rows: Sequence[Row], now_us: int) -> Sequence[Row]:
        """Rows of pg_class as their tables are now, `asked` by the value of a column; -1: all."""
        known = self._estimated.get(asked) if len(rows) > ESTIMATED_ROWS else None
        if known is not None and now_us - known[0] < ESTIMATED_US:
            return known[1]
        made = estimates.estimated(self.context, rows)
        if len(rows) > ESTIMATED_ROWS:
            if len(self._estimated) >= ESTIMATED_ROWS:
                self._estimated.clear()
            self._estimated[asked] = now_us, made
        return made

    def _index(self, name: _Name, column: int) -> dict[Any, list[Row]]:
        known = self._indexes.get((name, column))
        if known is None:
            known = self._indexes[name, column] = by_column(self.rows(name), column)
        return known


def arrow_of(name: _Name, rows: Sequence[Row]) -> pa.Table:
    """Rows of a relation in Arrow."""
    columns = system.relations()[name].columns
    width = len(columns)
    arrays = rows_to_arrays([row[:width] for row in rows], [t.arrow_type(c.type) for c in columns])
    return pa.table(arrays, names=[c.name for c in columns])


class SeenByAll:
    """Every session's, for one executor."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._kept: OrderedDict[tuple[Any, ...], Seen] = OrderedDict()

    def of(self, session: SessionContext) -> Seen:
        """What this session sees now."""
        catalog, types = session.catalog, session.settings.types
        style = types.interval_style, types.date_style
        last: Seen | None = session.seen()
        # Which of a path's schemas the user may use, the catalog says: functions ask once a row.
        asked = (catalog.version, session.whole_path(), session.user, session.database, style)
        if last is not None and last.asked == asked:
            return last
        path = session.search_path()
        key = (catalog.version, path, session.user, session.database, style)
        known = self._kept.get(key)
        if known is None:
            context = system.SystemContext(
                catalog,
                path,
                session.user,
                session.database,
                sizes=session.executor.sizes,
                blocking=partial(blocking, session.executor),
                interval_style=types.interval_style,
                date_style=types.date_style,
                statistics=session.executor.statistics,
            )
            known = Seen(key, catalog, context)
            self._make_room()
            self._kept[key] = known
        else:
            self._kept.move_to_end(key)
        known.asked = asked
        # A session that rests would keep a catalog of its own time, and another each.
        session.seen = weakref.ref(known)
        return known

    def _make_room(self) -> None:
        rows = sum(seen.weight for seen in self._kept.values())
        while self._kept and (len(self._kept) >= SEEN_MAX or rows > ROWS_KEPT):
            rows -= self._kept.popitem(last=False)[1].weight

    def is_fresh(self, name: _Name) -> bool:
        """Whether a relation's rows are only known to the running server."""
        return name[0] == "pg_catalog" and (name[1] in self._server or name[1] in STATISTICS)

    def fresh(self, session: SessionContext, name: _Name) -> Sequence[Row]:
        """The rows of such a relation, as they are at this moment."""
        seen = self.of(session).context
        context = system.SystemContext(
            seen.catalog,
            seen.search_path,
            seen.user,
            seen.database,
            {name[1]: self._server[name[1]](session)} if name[1] in self._server else {},
            seen.sizes,
            seen.blocking,
            seen.interval_style,
            seen.date_style,
            seen.statistics,
        )
        return found.datums(name, system.rows(*name, context))

    def rows(self, session: SessionContext, name: _Name) -> Sequence[Row]:
        if self.is_fresh(name):
            return self.fresh(session, name)
        seen = self.of(session)
        if name == estimates.NAME:
            return seen.estimated((-1, None), seen.rows(name), _now_us(session))
        return seen.rows(name)

    def arrow(self, session: SessionContext, name: _Name) -> pa.Table:
        if self.is_fresh(name):
            return arrow_of(name, self.fresh(session, name))
        if name == estimates.NAME:
            return _with_figures(self.of(session).arrow(name), self.rows(session, name))
        return self.of(session).arrow(name)

    def with_value(self, session: SessionContext, name: _Name, column: int, value: Any) -> Sequence[Row]:
        if self.is_fresh(name):
            return [row for row in self.fresh(session, name) if row[column] == value]
        seen = self.of(session)
        found = seen.with_value(name, column, value)
        return seen.estimated((column, value), found, _now_us(session)) if name == estimates.NAME else found


def _with_figures(table: pa.Table, rows: Sequence[Row]) -> pa.Table:
    """pg_class in Arrow, with the estimated columns of these rows."""
    places = estimates.columns()
    types = [system.relations()[estimates.NAME].columns[i].type for i in places]
    arrays = rows_to_arrays([tuple(row[i] for i in places) for row in rows], [t.arrow_type(x) for x in types])
    for i, array in zip(places, arrays, strict=True):
        table = table.set_column(i, table.field(i), array)
    return table


def _now_us(session: SessionContext) -> int:
    return session.executor.env.clock.now_us()


__all__ = ["Seen", "SeenByAll"]
