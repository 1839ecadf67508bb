"""Joins by keys: rows found one after another, each by a key that the ones before it make up.

    SELECT c.name, o.total FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = $1

    [()]  --orders: points-->  [(order)]  --customers: points-->  [(order, customer)]  -->  outputs

The joined row is the relations' columns side by side, in the order of the look-ups (`planner.binding.keyed.joins`). A **subquery**
is such a join whose rows begin with the values of the outer row that it names, instead of with nothing; it is run where its
value is needed, once for each of these values:

    EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id)      [(o.id,)]  --lines: a short range-->  is there any?

A few rows are joined in some microseconds each, where DuckDB needs milliseconds before the first. Once they are more than a few
(`ROWS_MAX` of a step, `LOOKED_AT_MAX` looked at by one or by all subqueries) the columnar plan has its turn: nothing has been computed yet that
could not be twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed import whole_tables
from executor.keyed.compile import compile_condition, compile_tuple
from executor.keyed.endings import Ending
from executor.keyed.in_vain import InVain
from executor.keyed.index_walk import IndexWalk, along_image, along_view
from executor.keyed.join_inside import footprints_of, queries_inside, read_whole
from executor.keyed.join_steps import ROWS_MAX, Step
from executor.keyed.lookup import KeyedView
from executor.keyed.ordering import Alike
from executor.keyed.overlay import OverlayView
from executor.keyed.system_steps import by_column
from executor.snapshot.abc import TooFarToLook
from planner import types as t
from planner.abc import (
    Handed,
    JoinStep,
    KeyedJoin,
    Query,
    RelationUse,
    Table,
    TypeRef,
)
from planner.keyed_plans import FirstRows
from storage.abc import Row, ShardId, Timestamp
from txn.abc import Key
from txn.columns import Columns

LOOKED_AT_MAX: Final = 3_000
"""Runs of subqueries and rows that their steps look at, together; also the rows that one step looks at. Most may fail its condition."""

OF_SYSTEM_MAX: Final = 20_000
"""The same of queries over system relations alone: to DuckDB these would have to be carried first."""

RECURSION_S_MAX: Final = 0.1
"""Of all steps of WITH RECURSIVE together."""

NOTHING_HANDED: Final[Mapping[str, Sequence[Row]]] = {}


class JoinPlan:
    """A compiled KeyedJoin, with all queries in it."""

    __slots__ = (
        "_far",
        "_first",
        "_most",
        "_queries",
        "_root",
        "first",
        "footprints",
        "handed",
        "steps",
        "tables",
        "types",
        "whole",
    )

    def __init__(self, body: KeyedJoin) -> None:
        """Raises NotCompilable."""
        self._queries: dict[int, tuple[_Query, ...]] = {}
        made: list[JoinStep] = []
        footprints: list[Columns] = []
        handed: list[Handed] = []
        whole_in: dict[int, list[int]] = {}
        read: set[int] = set()

        def compiled(query: KeyedJoin) -> _Query:
            first = len(made)
            whole = [first + i for i in read_whole(query)]
            read.update(whole)
            made.extend(step for step in query.steps if step.table is not None)
            handed.extend(step.lookup for step in query.steps if isinstance(step.lookup, Handed))
            footprints.extend(footprints_of(query))
            for number, inner in queries_inside(query):
                if number not in self._queries:
                    self._queries[number] = ()  # it has its place before those in it have theirs
                    self._queries[number] = made_inside = tuple(map(compiled, inner))
                    whole_in[number] = [i for one in made_inside for i in one.whole]
                whole += whole_in.get(number, ())
            otherwise = None if query.otherwise is None else compiled(query.otherwise)
            return _Query(query, first, whole, otherwise)

        self._root = compiled(body)
        self.first: FirstRows | None = body.first if not self._queries else None
        """How the first rows are found, where they are asked for alone."""
        self._first: IndexWalk | None = None
        if self.first is not None and body.steps[0].table is not None:
            x = self.first
            self._first = IndexWalk(body.steps[0].table, x.walk, x.limit, x.offset)
        self.steps: tuple[JoinStep, ...] = tuple(made)
        """Of all queries in it, those over tables."""
        self.tables: tuple[Table, ...] = tuple(step.table for step in made if step.table is not None)
        self.footprints: tuple[Columns, ...] = tuple(footprints)
        """What the join depends on of each table's rows."""
        self.whole = frozenset(read)
        """Which of them are read whole."""
        self._most = LOOKED_AT_MAX if self.tables or handed else OF_SYSTEM_MAX
        self._far: tuple[int, Any] = (0, None)
        """The catalog's version and the parameters with which there was too much to look at in system relations."""
        self.handed: tuple[Handed, ...] = tuple(handed)
        outputs = body.groups.outputs if body.groups is not None and body.groups.outputs else body.outputs
        self.types: tuple[TypeRef, ...] = tuple(e.type for e in outputs)

    def applies(self, params: Sequence[Any], session: Any) -> bool:
        """Whether what is asked before anything is looked up is so."""
        return self._root.applies(params, session)

    def noted(self, query: Query) -> tuple[Columns, ...]:
        """What is to be noted as read of each of `tables`, for the query that this is: nothing of those whose rows are known, or made sure
        of, in another way."""
        known: dict[ShardId, bool] = {}
        for use in query.relations:
            if isinstance(use, RelationUse):
                shard, elsewhere = use.table.shard, use.ranges is not None and not use.ranges
                known[shard] = known.get(shard, True) and elsewhere
        return tuple(
            0 if known.get(table.shard) else columns
            for table, columns in zip(self.tables, self.footprints, strict=True)
        )

    def first_rows(
        self,
        params: Sequence[Any],
        session: Any,
        view: Any,
        ts: Timestamp,
        more: int,
        free: Callable[[Key], bool] | None = None,
    ) -> Sequence[Row] | None:
        """The first rows in order, `more` than LIMIT says if there are; None: they are to be found another way. Raises NoKeyedAnswer.

        `free`: of the rows whose primary key it is true of.
        """
        walk = self._first
        if walk is None:
            return None

        found = walk.rows(
            params,
            session,
            *along_view(walk, view, ts),
            more,
            None if free is None else (free, view.key_of),
        )
        return None if found is None else self._root.ended(found, params, session)

    def short(self, params: Sequence[Any], session: Any, images: Any, ts: Timestamp) -> Sequence[Row]:
        """The result's rows. Raises NoKeyedAnswer where DuckDB is to find them."""
        if self.tables:
            return self.run(params, session, images, images, ts)
        asked = session.catalog.version, params
        if self._far == asked:
            raise TooFarToLook
        try:
            return self.run(params, session, images, images, ts)
        except TooFarToLook:
            self._far = asked
            raise

    def run(
        self,
        params: Sequence[Any],
        session: Any,
        views: Sequence[KeyedView],
        images: Sequence[Any],
        ts: Timestamp,
        handed: Mapping[str, Sequence[Row]] = NOTHING_HANDED,
        seen: dict[ShardId, dict[int, Row]] | None = None,
    ) -> Sequence[Row]:
        """The same where a transaction's own writes lie over the images. `views`, `images`: of each of `tables`.

        `seen`: takes the rows of steps that ask for row ids.
        """
        run = Run(self._queries, params, session, views, images, ts, handed, self._most)
        run.seen = {} if seen is None else seen
        return self._root.rows((), run)


class Run:
    """One execution: what it reads from, and what its subqueries came to. It stands behind the parameters (`compile.ask`)."""

    __slots__ = (
        "_known",
        "_now",
        "_now_by",
        "_queries",
        "_sets",
        "by_key",
        "handed",
        "images",
        "iterated",
        "left",
        "looks",
        "most",
        "params",
        "seen",
        "session",
        "ts",
        "until",
        "views",
        "whole",
    )

    def __init__(
        self,
        queries: dict[int, tuple[_Query, ...]],
        params: Sequence[Any],
        session: Any,
        views: Sequence[KeyedView],
        images: Sequence[Any],
        ts: Timestamp,
        handed: Mapping[str, Sequence[Row]],
        looks: int,
    ) -> None:
        self._queries, self.handed = queries, handed
        self.looks = looks
        """So many rows one step may look at,"""
        self.most = ROWS_MAX if looks == LOOKED_AT_MAX else looks
        """and make."""
        self.params = (*params, self) if queries else params
        self.session, self.views, self.images, self.ts = session, views, images, ts
        self._known: dict[tuple[int, Row], Sequence[Row]] = {}
        self._sets: dict[tuple[int, Row], tuple[set[Any], bool]] = {}
        self._now: dict[tuple[str, str], Sequence[Row]] = {}
        self._now_by: dict[tuple[tuple[str, str], int], Mapping[Any, Sequence[Row]]] = {}
        self.left = looks
        self.until: float | None = None
        """What subqueries may look at yet."""
        self.seen: dict[ShardId, dict[int, Row]]
        self.whole: dict[int, Sequence[Row]] = {}
        """The rows of tables that are read whole, by number,"""
        self.by_key: dict[int, dict[Any, list[Row]]] = {}
        """and by their keys."""
        self.iterated: dict[int, Sequence[Row]] = {}
        """Of each recursion that is under way the rows that the step before has made."""

    def with_rid(self, table: Table, rid: int, row: Row) -> Row:
        self.seen.setdefault(table.shard, {})[rid] = row
        return (*row, rid)

    def system_rows(self, name: tuple[str, str]) -> Sequence[Row]:
        """All rows of a system relation; of what only the server knows those of one moment, however often they are asked for."""
        known = self._now.get(name)
        if known is None:
            known = self._now[name] = self.session.system_rows(name)
        return known

    def system_rows_with(self, name: tuple[str, str], column: int, value: Any) -> Sequence[Row]:
        """Those that have this value in a column."""
        if not self.session.executor.system.seen.is_fresh(name):
            rows: Sequence[Row] = self.session.system_rows_with(name, column, value)
            return rows
        known = self._now_by.get((name, column))
        if known is None:
            known = self._now_by[name, column] = by_column(self.system_rows(name), column)
        return known.get(value, ())

    def looked_at(self, rows: int) -> None:
        """Raises TooFarToLook."""
        self.left -= rows
        if self.left < 0:
            raise TooFarToLook

    def stepped(self) -> None:
        """A recursion is a step further: few rows may be long ones. Raises TooFarToLook."""
        self.looked_at(1)
        if self.until is None:
            self.until = perf_counter() + RECURSION_S_MAX
        elif perf_counter() > self.until:
            raise TooFarToLook

    def rows(self, number: int, given: Row) -> Sequence[Row]:
        """What a subquery finds for these values."""
        known = self._known.get((number, given))
        if known is None:
            self.looked_at(1)
            made = [query.rows(given, self) for query in self._queries[number]]
            known = self._known[number, given] = made[0] if len(made) == 1 else [r for m in made for r in m]
        return known

    def recursed(self, number: int, base: int, step: int, alike: Alike | None) -> Sequence[Row]:
        """The rows of WITH RECURSIVE. `alike`: of UNION, what rows have in common of which the first goes on alone."""
        kept = ~number, ()  # recursions and queries are numbered each by themselves
        known = self._known.get(kept)
        if known is not None:
            return known
        met: set[Any] = set()
        found: list[Row] = []
        (query,) = self._queries[step]
        last: Sequence[Row] = self.rows(base, ())
        while True:
            if alike is not None:
                fresh: dict[Any, Row] = {}
                for row in last:
                    like = alike(row)
                    if like not in met:
                        fresh.setdefault(like, row)
                met.update(fresh)
                last = list(fresh.values())
            found += last
            if len(found) > ROWS_MAX:
                raise TooFarToLook
            if not last:
                break
            self.stepped()
            self.iterated[number] = last
            self._known.clear()  # what was asked of the rows before
            self._sets.clear()
            last = query.rows((), self)
        self._known.clear()
        self._sets.clear()
        self._known[kept] = found
        return found

    def exists(self, number: int, given: Row) -> bool:
        return bool(self.rows(number, given))

    def scalar(self, number: int, given: Row) -> Any:
        rows = self.rows(number, given)
        if len(rows) > 1:
            raise ExecutionError("21000", "more than one row returned by a subquery used as an expression")
        return rows[0][0] if rows else None

    def array(self, number: int, given: Row, oid: int) -> Any:
        """ARRAY(SELECT ...)."""
        return t.array_datum([row[0] for row in self.rows(number, given)], oid)

    def _values(self, number: int, given: Row) -> tuple[set[Any], bool]:
        known = self._sets.get((number, given))
        if known is None:
            values = {row[0] for row in self.rows(number, given)}
            known = self._sets[number, given] = values - {None}, None in values
        return known

    def listed(self, number: int, given: Row) -> Iterable[Any]:
        return sorted(self._values(number, given)[0])

    def among(self, number: int, given: Row, value: Any) -> bool | None:
        values, has_null = self._values(number, given)
        if value is None:
            return None if values or has_null else False
        return True if value in values else None if has_null else False


class _Query:
    """One query's steps, and what becomes of the rows."""

    __slots__ = (
        "_condition",
        "_ending",
        "_first",
        "_in_vain",
        "_of_first",
        "_otherwise",
        "_project",
        "_steps",
        "_walk",
        "whole",
    )

    def __init__(self, body: KeyedJoin, first: int, whole: Iterable[int], otherwise: _Query | None) -> None:
        """`first`: the number of its first table among those of the statement. `otherwise`: the same in another way."""
        self.whole = tuple(dict.fromkeys(whole))
        """The numbers of the tables that it and the queries in it read whole, if they are small."""
        self._steps: list[Step] = []
        self._walk: IndexWalk | None = None
        self._first, self._otherwise = first, otherwise
        self._in_vain = InVain()
        """Of the other way, where it was too long as well."""
        for i, step in enumerate(body.steps):
            if i == 0 and body.walk is not None and step.table is not None:
                self._walk = IndexWalk(step.table, body.walk, body.limit, body.offset)
                self._of_first = compile_condition(step.condition)
            else:
                self._steps.append(Step(step, first, first_step=i == 0))
            first += step.table is not None
        self._condition = compile_condition(body.condition)
        self._project = compile_tuple(body.outputs)
        self._ending = Ending(body)

    def applies(self, params: Sequence[Any], session: Any) -> bool:
        return self._condition is None or self._condition(params, (), session)

    def rows(self, given: Row, run: Run) -> Sequence[Row]:
        """Raises NoKeyedAnswer."""
        if self._otherwise is None:
            return self._rows(given, run)
        left = run.left
        try:
            return self._rows(given, run)
        except TooFarToLook:
            if self._in_vain.is_skipped():
                raise
        run.left = left
        try:
            found = self._otherwise.rows(given, run)
        except TooFarToLook:
            self._in_vain.led_too_far()
            raise
        self._in_vain.led_to_an_end()
        return found

    def _rows(self, given: Row, run: Run) -> Sequence[Row]:
        params, session = run.params, run.session
        if self.whole and not given:
            whole_tables.few(self.whole, run.views, run.images)
        walk = self._walk
        if walk is not None:
            return self._ending.rows(self._along(walk, run), self._project, params, session, grouped=True)
        found: list[Row] = [given]
        if self._condition is not None and not self._condition(params, given, session):
            found = []
        for step in self._steps:
            found = step.joined(found, run, inner=bool(given))
        return self.ended(found, params, session)

    def _along(self, walk: IndexWalk, run: Run) -> list[Row]:
        """The joined rows of the first table's as they come in order, until there are enough. Raises NoKeyedAnswer."""
        params, session, ts = run.params, run.session, run.ts
        view, image = run.views[self._first], run.images[self._first]
        condition, steps = self._of_first, self._steps
        ending, project = self._ending, self._project

        def joined(row: Row) -> Sequence[Row]:
            if condition is not None and not condition(params, row, session):
                return ()
            run.looked_at(1)
            found: list[Row] = [row]
            for step in steps:
                if not found:
                    break
                found = step.joined(found, run, inner=True)
            return ending.groups(found, project, params, session)

        found = walk.rows(
            params,
            session,
            *(along_view(walk, view, ts) if isinstance(view, OverlayView) else along_image(walk, image, ts)),
            then=joined,
        )
        if found is None:
            raise TooFarToLook
        return found

    def ended(self, found: list[Row], params: Sequence[Any], session: Any) -> Sequence[Row]:
        """What becomes of joined rows."""
        return self._ending.rows(found, self._project, params, session)


__all__ = ["LOOKED_AT_MAX", "ROWS_MAX", "JoinPlan"]
