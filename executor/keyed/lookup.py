"""How a keyed statement finds its rows: by keys that it lists, by the range of a key or an index, or by an index's one key.

    WHERE aid = $1                     Points     view.get(key, ts)
    WHERE a = $1 AND b >= $2           Range      view.scan(bounds, ts, descending), in key order
    WHERE mail = $1                    by index   view.by_index(...), or find_unique of a unique one

A lookup is compiled once for a plan; the parameters say which keys they are, and a view (the image, or a transaction's own over it) has the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Protocol

from executor.keyed.beginnings import NO_END
from executor.keyed.compile import (
    Compiled,
    _key_part,
    compile_expression,
    compile_key,
    compile_tuple,
)
from executor.snapshot.abc import TooFarToLook
from planner.abc import Expr, Lookup, Points, Range, Table, TypeRef
from planner.keyed_plans import key_types
from planner.types.registry import array_items
from storage.abc import Row, Timestamp
from txn.abc import Key

SMALL_RANGE_ROWS_MAX = 1_000
"""A range of so many rows takes the keyed engine about as long as a statement takes DuckDB."""
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
