"""SELECT by primary key, as one generated function.

    SELECT abalance FROM pgbench_accounts WHERE aid = $1

    def f(p, s, view, ts):
        h = view.get(p[0], ts)          the image, or a transaction's own view of it
        if h is None: return ()
        r = h[1]
        return ((r[2],),)

No transaction object, no task: a timestamp from the oracle, a look into the image, a tuple. Several
points and ranges take the general loop below it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count, islice
from typing import Any, Protocol

from executor.keyed.beginnings import NO_END
from executor.keyed.compile import (
    Compiled,
    _build,
    _key_part,
    _Writer,
    compile_condition,
    compile_expression,
    compile_key,
    compile_tuple,
)
from executor.keyed.endings import Ending, bounds
from executor.keyed.footprint import read_by_key
from executor.keyed.in_vain import STEPS_MAX, InVain
from executor.snapshot.abc import TooFarToLook
from planner.abc import Col, Expr, KeyedRead, Lookup, Points, Range, Table, TypeRef
from planner.keyed_plans import key_types
from planner.types.registry import array_items
from storage.abc import Row, Timestamp
from txn.abc import Key

SMALL_RANGE_ROWS_MAX = 1_000
"""A range of so many rows takes the keyed engine about as long as a statement takes DuckDB."""
SKIPPED_MIN = 200
"""An OFFSET of fewer rows is walked over."""
LISTED_LENGTH_MAX = 65_536
"""Characters of an array's text that are read to see how many keys it lists."""


class KeyedView(Protocol):
    """What keyed statements read: a table image, or a transaction's overlay of one."""

    def get(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None: ...

    def scan(
        self,
        low: Key | None,
        high: Key | None,
        ts: Timestamp,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
        descending: bool = False,
        at_once: bool = False,
    ) -> Iterator[tuple[Key, int, Row]]: ...

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None: ...


Hit = tuple[Key, int, Row]
Found = Callable[[Sequence[Any], Any, KeyedView, Timestamp, bool], Iterator[Hit]]
"""(params, session, view, ts, descending) -> hits in key order (ranges) or in the order of the points."""

Bounds = tuple[Key | None, Key | None, bool, bool]


class LookupPlan:
    """A compiled lookup: which keys or range it asks for, and the walk over what is there."""

    __slots__ = ("_values", "index", "index_range", "is_listed", "points", "range", "single", "unique")

    def __init__(
        self, table: Table, lookup: Lookup, unique: int = 0, index: tuple[int, ...] | None = None
    ) -> None:
        """`unique`, `index`: the UNIQUE constraint or the index's columns that points or ranges name, if not primary keys."""
        positions: Sequence[int] = index if index is not None else key_positions(table, unique)
        types = key_types(table, positions)
        self.unique = unique
        self.index = index or ()
        self.points: tuple[Callable[[Sequence[Any], Any], Key | None], ...] | None = None
        self.range: Callable[[Sequence[Any], Any], Bounds | None] | None = None
        """Of the primary key."""
        self.index_range: Callable[[Sequence[Any], Any], Bounds | None] | None = None
        if isinstance(lookup, Points):
            self.points = tuple(compile_key(k, types) for k in lookup.keys)
        elif index:
            self.index_range = compile_range(lookup, table, index)
        else:
            self.range = compile_range(lookup, table)
        self.single = self.points is not None and len(self.points) == 1
        self._values: Compiled | None = None
        """The values of several points on one column, at once."""
        self.is_listed = isinstance(lookup, Points) and lookup.listed is not None
        """Nobody knows beforehand how many points there are."""
        if isinstance(lookup, Points) and lookup.listed is not None:
            self._values = _elements(lookup.listed)
            if lookup.beside:
                self._values = of_list(lookup.beside, types, self._values)
        elif isinstance(lookup, Points) and len(types) == 1 and not self.single:
            self._values = compile_tuple([_key_part(k[0], types[0]) for k in lookup.keys])

    @property
    def name(self) -> Hashable:
        """Of the way to rows, as it is counted (`executor.statistics.counts`)."""
        return self.unique or self.index

    def asked_keys(self, params: Sequence[Any], session: Any) -> list[Key]:
        """The distinct keys that are asked for; NULL asks for none. Only for points."""
        assert self.points is not None
        if self.single:
            key = self.points[0](params, session)
            return [] if key is None else [key]
        if self._values is not None:
            found = dict.fromkeys(self._values(params, None, session))
            found.pop(None, None)
            return list(found)
        keys = (k(params, session) for k in self.points)
        return list(dict.fromkeys(k for k in keys if k is not None))

    def bounds(self, params: Sequence[Any], session: Any) -> Bounds | None:
        """The range asked for; None if a NULL bound makes it empty. Only for ranges."""
        assert self.range is not None
        return self.range(params, session)

    def hits(
        self,
        params: Sequence[Any],
        session: Any,
        view: KeyedView,
        ts: Timestamp,
        descending: bool = False,
        at_once: bool = False,
    ) -> Iterator[Hit]:
        """`at_once`: the caller takes what it wants of a range, maybe not all, before anything is written."""
        if self.index:
            yield from self._indexed(params, session, view, ts)
            return
        if self.unique:
            for key in self.asked_keys(params, session):
                found = view.find_unique(self.unique, key, ts)
                if found is not None:
                    yield found
            return
        if self.points is not None:
            get = view.get
            keys = self.asked_keys(params, session)
            if len(keys) > 1:
                keys.sort(reverse=descending)
            for key in keys:
                hit = get(key, ts)
                if hit is not None:
                    yield key, hit[0], hit[1]
            return
        bounds = self.bounds(params, session)
        if bounds is None:
            return
        low, high, low_inclusive, high_inclusive = bounds
        yield from view.scan(
            low,
            high,
            ts,
            low_inclusive=low_inclusive,
            high_inclusive=high_inclusive,
            descending=descending,
            at_once=at_once,
        )

    def _indexed(self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp) -> Iterator[Hit]:
        """By an index, which says which rows there are. Raises TooFarToLook.

        In the order of the primary key, whatever was asked for first: so writers of the same rows lock them in one order, and
        `n = n - 1` of a UNIQUE n meets the rows as it does by a range.
        """
        rows = self.indexed(params, session, view, ts, SMALL_RANGE_ROWS_MAX)
        if rows is None:
            raise TooFarToLook
        for key in sorted(map(view.key_of, rows)):  # type: ignore[attr-defined]
            hit = view.get(key, ts)
            if hit is not None:
                yield key, hit[0], hit[1]

    def indexed(
        self, params: Sequence[Any], session: Any, view: Any, ts: Timestamp, rows_max: int
    ) -> list[Row] | None:
        """The rows that the index finds in a transaction's view; None: more than so many, or nobody has sorted them yet."""
        if self.index_range is not None:
            bounds = self.index_range(params, session)
            return [] if bounds is None else view.between(self.index, bounds, ts, rows_max)
        asked = self.asked_keys(params, session)
        return rows_within(asked, rows_max, lambda key, most: view.by_index(self.index, key, ts, most))


def rows_within(
    keys: Sequence[Key], rows_max: int, find: Callable[[Key, int], list[Row] | None]
) -> list[Row] | None:
    """The rows of some keys of an index, if they are not more than so many together. `find`: those of one key."""
    found: list[Row] = []
    for key in keys:
        rows = find(key, rows_max - len(found))
        if rows is None:
            return None
        found = found + rows if found else rows
    return found


def key_positions(table: Table, unique: int) -> Sequence[int]:
    """Where the columns of a key are in the row."""
    if not unique:
        return table.key_indexes
    return [table.index_of(a) for c in table.constraints if c.oid == unique for a in c.columns]


def _elements(listed: Expr) -> Compiled:
    """The elements of an array, as datums. Raises TooFarToLook where there must be too many to be looked up."""
    array, oid = compile_expression(listed), listed.type.oid

    def elements(params: Sequence[Any], row: Any, session: Any) -> Sequence[Any]:
        datum = array(params, row, session)
        if datum is None:
            return ()
        if len(datum) > LISTED_LENGTH_MAX:
            raise TooFarToLook
        return array_items(datum, oid)

    return elements


def of_list(beside: Sequence[Expr | None], types: Sequence[TypeRef], elements: Compiled) -> Compiled:
    """Keys of several columns of which one is in a list. `beside`: the values of the others, and None where the elements belong."""
    at = beside.index(None)
    before = compile_tuple(
        [_key_part(e, c) for e, c in zip(beside[:at], types, strict=False) if e is not None]
    )
    behind = compile_tuple(
        [_key_part(e, c) for e, c in zip(beside[at + 1 :], types[at + 1 :], strict=True) if e is not None]
    )

    def keys(params: Sequence[Any], row: Any, session: Any) -> Sequence[Any]:
        head, tail = before(params, row, session), behind(params, row, session)
        if None in head or None in tail:
            return ()
        return [(*head, e, *tail) for e in elements(params, row, session) if e is not None]

    return keys


def compile_range(
    lookup: Range, table: Table, index: Sequence[int] | None = None
) -> Callable[..., Bounds | None]:
    """(params, session, and a row if the range is made of one) -> the range; None if a NULL bound makes it empty.

    `index`: the positions of an index's columns, if it is not of the primary key's.
    """
    types = key_types(table, table.key_indexes if index is None else index)
    width, fixed = len(types), len(lookup.prefix)
    prefix = compile_tuple([_key_part(e, c) for e, c in zip(lookup.prefix, types, strict=False)])
    low = compile_expression(_key_part(lookup.low, types[fixed])) if lookup.low is not None else None
    high = compile_expression(_key_part(lookup.high, types[fixed])) if lookup.high is not None else None
    low_inclusive, high_inclusive = lookup.low_inclusive, lookup.high_inclusive

    if fixed == width == 1:  # the whole of a key of one column, which is no tuple

        def one(params: Sequence[Any], session: Any, row: Row | None = None) -> Bounds | None:
            (value,) = prefix(params, row, session)
            return None if value is None else (value, value, True, True)

        return one

    def bounds(params: Sequence[Any], session: Any, row: Row | None = None) -> Bounds | None:
        start = prefix(params, row, session)
        if None in start:
            return None
        low_value = high_value = None
        if low is not None:
            low_value = low(params, row, session)
            if low_value is None:
                return None
        if high is not None:
            high_value = high(params, row, session)
            if high_value is None:
                return None
            if high_value is NO_END:
                if width == 1:
                    return low_value, None, low_inclusive, True
                return (*start, low_value), start or None, low_inclusive, True
        if width == 1:
            return low_value, high_value, low_inclusive, high_inclusive
        low_key = (*start, low_value) if low is not None else start or None
        high_key = (*start, high_value) if high is not None else start or None
        return (
            low_key,
            high_key,
            low_inclusive if low is not None else True,
            high_inclusive if high is not None else True,
        )

    return bounds


class ReadPlan:
    """A compiled KeyedRead. `run(params, session, view, ts)` gives the result's rows."""

    __slots__ = (
        "_ending", "_in_vain", "_offset", "at_once", "body", "columns", "condition", "footprint", "limit", "lookup", "point_columns",
        "project", "run",
    )  # fmt: skip

    def __init__(self, body: KeyedRead) -> None:
        self.body = body
        self.footprint = read_by_key(body)
        self.lookup = LookupPlan(body.table, body.lookup, body.unique)
        self.condition = compile_condition(body.condition)
        self.project: Compiled = compile_tuple(body.outputs)
        self.limit = compile_expression(body.limit) if body.limit is not None else None
        self._in_vain = InVain()
        self.columns: tuple[int, ...] | None = None
        """What is projected, if it is columns of a range and nothing else."""
        self._offset = compile_expression(body.offset) if body.offset is not None else None
        self._ending: Ending | None = None
        """What follows on rows that are not the result's, one for one, in its order."""
        if body.groups or body.order or body.distinct or (self._offset is not None and body.limit is None):
            self._ending = Ending(body)
        plain = [x.index for x in body.outputs if isinstance(x, Col)]
        whole = body.condition is None and body.limit is None and not body.descending and self._ending is None
        if self.lookup.range is not None and whole and len(plain) == len(body.outputs):
            self.columns = tuple(plain)
        self.run: Callable[[Sequence[Any], Any, KeyedView, Timestamp], Sequence[tuple[Any, ...]]]
        if self._ending is not None:
            self.run = self._ended
        elif self.lookup.single and body.limit is None and not body.unique:
            self.run = _single_point(body)
        elif self.lookup.single and body.limit is None:
            self.run = self._unique
        elif (
            self.lookup.points is not None
            and not body.unique
            and body.condition is None
            and body.limit is None
            and len(plain) == len(body.outputs)
        ):
            self.columns = tuple(plain)
            self.run = self._points
        else:
            self.run = self._general
        self.at_once = self.run
        """The same of a table image alone, which need not make the rest of a row."""
        self.point_columns: tuple[int, ...] | None = None
        """What is projected, if it is columns of the row under one primary key and nothing else."""
        if self.lookup.single and not body.unique and whole and len(plain) == len(body.outputs):
            self.point_columns = tuple(plain)
            self.at_once = _columns_of_point(body.table, body.lookup, self.point_columns)
        elif self.lookup.single and whole and len(plain) == len(body.outputs):
            self.columns = tuple(plain)
            self.at_once = self._columns_of_unique

    def short(
        self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]] | None:
        """The rows, if the keyed engine finds them faster than DuckDB: points, and short ranges. None: it does not.

        `image` is a table image: outside blocks only.
        """
        if self.lookup.range is not None:
            bounds = self.lookup.bounds(params, session)
            if bounds is None:
                folds = self._ending if self.body.groups else None
                return folds.rows([], None, params, session) if folds is not None else ()
            if self.columns is not None:
                found = image.short_scan(bounds, ts, self.columns, SMALL_RANGE_ROWS_MAX)
                if found is not None:
                    return found  # type: ignore[no-any-return]
            if image.count_at_most(*bounds) > SMALL_RANGE_ROWS_MAX:
                return None
        if self.lookup.is_listed and len(self.lookup.asked_keys(params, session)) > SMALL_RANGE_ROWS_MAX:
            return None
        return self.at_once(params, session, image, ts)

    def _unique(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """One point of a UNIQUE constraint."""
        key = self.lookup.points[0](params, session)  # type: ignore[index]
        found = view.find_unique(self.lookup.unique, key, ts) if key is not None else None
        if found is None or (self.condition is not None and not self.condition(params, found[2], session)):
            return ()
        return (self.project(params, found[2], session),)

    def _columns_of_unique(
        self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """The same of a table image, where nothing but columns is asked."""
        key = self.lookup.points[0](params, session)  # type: ignore[index]
        if key is None:
            return ()
        row = image.find_unique_columns(self.lookup.unique, key, ts, self.columns)
        return () if row is None else (row,)

    def _points(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """Several points, of which nothing but columns is asked: from an image all at once."""
        many = getattr(view, "get_many", None)  # an overlay has none: it notes each key that was read
        if many is None:
            return self._general(params, session, view, ts)
        keys = self.lookup.asked_keys(params, session)
        keys.sort(reverse=self.body.descending)
        return many(keys, ts, self.columns)  # type: ignore[no-any-return]

    def _general(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        project = self.project
        if self.condition is None or self.limit is None or self.lookup.range is None:
            return [project(params, row, session) for _, _, row in self.rows(params, session, view, ts)]
        if self._in_vain.is_skipped():
            raise TooFarToLook
        try:
            found = [project(params, row, session) for _, _, row in self.rows(params, session, view, ts)]
        except TooFarToLook:
            self._in_vain.led_too_far()
            raise
        self._in_vain.led_to_an_end()
        return found

    def _ended(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """Rows that were found in another order than they are asked for in, or more than are asked for, or are to be folded."""
        hits, condition = self.lookup.hits(params, session, view, ts, self.body.descending), self.condition
        found = [h[2] for h in hits if condition is None or condition(params, h[2], session)]
        assert self._ending is not None
        return self._ending.rows(found, self.project, params, session)

    def rows(self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp) -> Iterator[Hit]:
        """The hits that pass the condition, at most LIMIT of them. Raises TooFarToLook."""
        condition = self.condition
        hits = self.lookup.hits(
            params, session, view, ts, self.body.descending, at_once=self.limit is not None
        )
        if self.lookup.range is not None and self.limit is not None:
            hits = nearby(hits)
        if condition is not None:
            hits = (h for h in hits if condition(params, h[2], session))
        if self.limit is not None:
            start, stop = bounds(self._offset, self.limit, params, session)
            if start >= SKIPPED_MIN and stop is not None and condition is None:
                behind = self._behind(params, session, view, ts, start)
                if behind is not None:
                    return islice(behind, stop - start)
            first = getattr(view, "first", None)  # an overlay's: it notes how far the reader came
            if first is None or stop is None or self.lookup.range is None:
                return islice(hits, start, stop)
            span = self.lookup.bounds(params, session)
            if span is None:
                return iter(())
            passes = condition or _always
            descending, steps = self.body.descending, count(1)

            def wanted(row: Row) -> bool:
                if next(steps) > STEPS_MAX:
                    raise TooFarToLook
                return passes(params, row, session)

            return islice(first(span, ts, descending, stop, wanted), start, None)
        return hits

    def _behind(
        self, params: Sequence[Any], session: Any, view: Any, ts: Timestamp, skip: int
    ) -> Iterator[Hit] | None:
        """The rows of a range behind many that nobody has to look at; None: they are to be walked over. Of a table image alone."""
        scan = getattr(view, "scan_behind", None)
        if scan is None or self.lookup.range is None:
            return None
        span = self.lookup.bounds(params, session)
        hits = None if span is None else scan(span, ts, self.body.descending, skip)
        return None if hits is None else nearby(hits)


def nearby(hits: Iterator[Hit]) -> Iterator[Hit]:
    """Raises TooFarToLook after so many."""
    for steps, hit in enumerate(hits):
        if steps >= STEPS_MAX:
            raise TooFarToLook
        yield hit


def _always(*_: Any) -> bool:
    return True


def _columns_of_point(
    table: Table, lookup: Lookup, columns: tuple[int, ...]
) -> Callable[[Sequence[Any], Any, Any, Timestamp], Sequence[Row]]:
    """One point, of which nothing but columns is asked, of a table image: a wide row's others stay where they are."""
    assert isinstance(lookup, Points)
    types = [table.columns[i].type for i in table.key_indexes]
    writer = _Writer()
    parts = [writer.write(_key_part(e, c)) for e, c in zip(lookup.keys[0], types, strict=True)]
    checks = " or ".join(f"(k{i} := {x}) is None" for i, x in enumerate(parts))
    key = "k0" if len(parts) == 1 else f"({', '.join(f'k{i}' for i in range(len(parts)))})"
    found = f"(r := image.get_columns({key}, ts, {columns!r})) is None"
    return _build(writer, f"() if {checks} or {found} else (r,)", "p, s, image, ts")  # type: ignore[no-any-return]


def _single_point(body: KeyedRead) -> Callable[[Sequence[Any], Any, KeyedView, Timestamp], Sequence[Row]]:
    """The whole statement as one function."""
    assert isinstance(body.lookup, Points)
    types = [body.table.columns[i].type for i in body.table.key_indexes]
    writer = _Writer()
    parts = [writer.write(_key_part(e, c)) for e, c in zip(body.lookup.keys[0], types, strict=True)]
    outputs = [writer.write(e) for e in body.outputs]
    row = f"({', '.join(outputs)}{',' if len(outputs) == 1 else ''})"
    checks = " or ".join(f"(k{i} := {x}) is None" for i, x in enumerate(parts))
    key = "k0" if len(parts) == 1 else f"({', '.join(f'k{i}' for i in range(len(parts)))})"
    found = f"(({row},) if (r := h[1]) is not None else ())"
    if body.condition is not None:
        found = f"(({row},) if (r := h[1]) is not None and {writer.truth(body.condition)} else ())"
    text = f"() if {checks} or (h := view.get({key}, ts)) is None else {found}"
    return _build(writer, text, "p, s, view, ts")  # type: ignore[no-any-return]
