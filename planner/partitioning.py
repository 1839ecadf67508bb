"""Which partition a row belongs to: bounds as values that compare, and the way from a partitioned table to the leaf.

    Placing((int4, text))         datums -> a key whose order is the columns' order; MINVALUE is before all, MAXVALUE behind
    Router(catalog, orders)       LIST   value -> partition              a dictionary
                                  RANGE  lower edges in order            a binary search
                                  HASH   PostgreSQL's hash modulo        so that dumps of partitions fit, either way
    Router.leaf(row)              down through sub-partitions, by the columns' names

A partition's columns may stand in another order than its parent's; they are the same by name.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from planner import types as t
from planner.abc import PlanError
from planner.catalog.reads import Remembered
from planner.inheritance import family, spreads
from planner.partitions import HIDDEN, Bound, PartitionTest
from planner.relations import Column, Table, TypeRef
from planner.types.orders import UNORDERED, order_of
from planner.types.value_hashes import can_hash, value_hash

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

Values = Sequence[Any]
"""Datums of the key's columns."""

_SETTINGS: Final = t.TypeSettings()
HASH_SEED: Final = 0x7A5B22367996DCFD
MIXED_IN: Final = 0x49A0F4DD15E5A8E3
_MASK: Final = (1 << 64) - 1
POSTGRES_EPOCH_DAYS: Final = 10_957
DAY_US: Final = 86_400_000_000
ENDLESS_DAYS: Final = (-(1 << 31), (1 << 31) - 1)
ENDLESS_US: Final = (-(1 << 63), (1 << 63) - 1)
"""What PostgreSQL keeps for -infinity and infinity, which no epoch is taken from."""


def can_be_key(strategy: str, ref: TypeRef) -> bool:
    """Whether values of a type can be dealt out in this way."""
    oid = t.base_of(ref).oid
    if strategy == "h":
        return can_hash(oid)
    return oid not in UNORDERED and order_of(oid) is not None


def has_order(ref: TypeRef) -> bool:
    """Whether PostgreSQL has a class of operators by which a key of this type could be."""
    return t.base_of(ref).oid not in UNORDERED


def row_hash(columns: Sequence[TypeRef], values: Values) -> int:
    """PostgreSQL's hash of a HASH partition's key."""
    total = 0
    for ref, value in zip(columns, values, strict=True):
        if value is not None:
            hashed = value_hash(t.base_of(ref).oid, value, HASH_SEED)
            mixed = (hashed + MIXED_IN + (total << 54 & _MASK) + (total >> 7)) & _MASK
            total ^= mixed
    return total


class Placing:
    """Datums and texts of a key's columns as values that compare."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.refs = [t.base_of(c.type) for c in columns]
        self._orders = [order_of(ref.oid) for ref in self.refs]

    def _ordered(self, i: int, value: Any) -> Any:
        order = self._orders[i]
        return value if order is None else order(value)

    def value(self, i: int, text: str) -> Any:
        """What a text of column `i` is among its values."""
        return self._ordered(i, t.input_text(text, self.refs[i], _SETTINGS))

    def row(self, values: Values) -> tuple[Any, ...] | None:
        """A row's place in ranges; None where a NULL has none."""
        if None in values:
            return None
        return tuple((0, self._ordered(i, v)) for i, v in enumerate(values))

    def first(self, value: Any) -> tuple[int, Any]:
        """A datum of the first column as an edge has it."""
        return (0, self._ordered(0, value))

    def one(self, value: Any) -> Any:
        """A LIST's value."""
        return None if value is None else self._ordered(0, value)

    def listed(self, bound: Bound) -> list[Any]:
        return [None if v is None else self.value(0, v) for v in bound.values]

    def edge(self, texts: Sequence[str], ends: Sequence[int]) -> tuple[Any, ...]:
        """An edge of a range."""
        return tuple(
            (end,) if end else (0, self.value(i, text))
            for i, (text, end) in enumerate(zip(texts, ends, strict=True))
        )

    def lower(self, bound: Bound) -> tuple[Any, ...]:
        return self.edge(bound.lower, bound.lower_ends)

    def upper(self, bound: Bound) -> tuple[Any, ...]:
        return self.edge(bound.upper, bound.upper_ends)

    def within(self, strategy: str, bound: Bound) -> Callable[[Values], bool]:
        """Whether a row with this key is in a bound that is no DEFAULT."""
        if strategy == "l":
            listed = set(self.listed(bound))
            return lambda values: self.one(values[0]) in listed
        if strategy == "h":
            return lambda values: row_hash(self.refs, values) % bound.modulus == bound.remainder
        low, high = self.lower(bound), self.upper(bound)

        def inside(values: Values) -> bool:
            row = self.row(values)
            return row is not None and low <= row < high

        return inside


def meets(table: Table, test: PartitionTest) -> Callable[[Sequence[Any]], bool]:
    """Whether a row of the table passes what a table above it asks."""
    places = [table.index_of(n) for n in test.columns]
    placing = Placing([table.columns[i] for i in places])
    if test.bound.default:
        others = [placing.within(test.strategy, b) for b in test.others]
        return lambda row: not any(inside([row[i] for i in places]) for inside in others)
    inside = placing.within(test.strategy, test.bound)
    return lambda row: inside([row[i] for i in places])


def of_partition(table: Table) -> Callable[[Sequence[Any]], bool]:
    """Whether a row of the table is what all tables above it ask for."""
    asked = [meets(table, test) for test in table.partition.tests] if table.partition is not None else []
    return lambda row: all(passes(row) for passes in asked)


def deciding(catalog: Catalog, table: Table) -> set[int]:
    """The columns that say where a row of a partitioned table is: by the keys of it, of those below, and of those above."""
    tests = table.partition.tests if table.partition is not None else ()
    above = {table.index_of(n) for test in tests for n in test.columns}
    return router(catalog, table).all_places() | above


class Router:
    """Where rows of a partitioned table go. `positions`: where in a row the columns of `table` are, by name."""

    def __init__(self, catalog: Catalog, table: Table, positions: dict[str, int] | None = None) -> None:
        key = table.partitioning
        assert key is not None
        self.table = table
        columns = [table.columns[table.index_of(n)] for n in key.columns]
        self.columns = columns
        if positions is None:
            positions = {c.name: i for i, c in enumerate(table.columns)}
        self.places = tuple(positions[c.name] for c in columns)
        self.placing = Placing(columns)
        self.strategy = key.strategy
        self._below: dict[int, Router] = {}
        self.default: Table | None = None
        self._by_value: dict[Any, Table] = {}
        self.hashes: list[tuple[Bound, Table]] = []
        ranges: list[tuple[Any, Any, Table]] = []
        for child in catalog.partitions_of(table.oid):
            assert child.partition is not None
            bound = child.partition.bound
            if child.partitioning is not None:
                self._below[child.oid] = Router(catalog, child, positions)
            if bound.default:
                self.default = child
            elif self.strategy == "l":
                self._by_value.update(dict.fromkeys(self.placing.listed(bound), child))
            elif self.strategy == "h":
                self.hashes.append((bound, child))
            else:
                ranges.append((self.placing.lower(bound), self.placing.upper(bound), child))
        ranges.sort(key=lambda r: r[0])
        self._lows = [r[0] for r in ranges]
        self.ranges = ranges

    def all_places(self) -> set[int]:
        """The columns that decide, on all levels."""
        return set(self.places).union(*(below.all_places() for below in self._below.values()))

    def child(self, values: Values) -> Table | None:
        """The partition for a key's datums, of this level."""
        found: Table | None = None
        if self.strategy == "l":
            found = self._by_value.get(self.placing.one(values[0]))
        elif self.strategy == "h":
            hashed = row_hash(self.placing.refs, values)
            found = next((c for b, c in self.hashes if hashed % b.modulus == b.remainder), None)
        elif (row := self.placing.row(values)) is not None:
            at = bisect_right(self._lows, row) - 1
            if at >= 0 and row < self.ranges[at][1]:
                found = self.ranges[at][2]
        return found if found is not None else self.default

    def leaf(self, row: Sequence[Any]) -> Table | Router:
        """The leaf of a row; the table's router that has no partition for it."""
        router = self
        while True:
            found = router.child([row[i] for i in router.places])
            if found is None:
                return router
            below = router._below.get(found.oid)
            if below is None:
                return found
            router = below

    def wanted(self, asked: Sequence[tuple[int, str, Sequence[Any]]]) -> set[int]:
        """The OIDs of leaves that may have rows of which all this is true: (place in a row, comparison, one of these datums)."""
        known: dict[int, list[Any]] = {}
        low: dict[int, Any] = {}
        high: dict[int, Any] = {}
        for place, how, values in asked:
            if None in values:
                values = [v for v in values if v is not None]
                if not values:
                    return set()  # a comparison with NULL is never true
            if how == "=":
                known.setdefault(place, list(values))
            elif how in (">", ">="):
                low.setdefault(place, values[0])
            else:
                high.setdefault(place, values[0])
        return {leaf.oid for leaf in self._leaves(known, low, high)}

    def _leaves(
        self, known: dict[int, list[Any]], low: dict[int, Any], high: dict[int, Any]
    ) -> Iterator[Table]:
        options = [known.get(place) for place in self.places]
        among: set[int] | None = None
        first = self.places[0]
        if all(o is not None for o in options):
            combined: list[list[Any]] = [[]]
            for option in options:
                combined = [[*c, v] for c in combined for v in option or ()]
            found = [self.child(values) for values in combined]
            among = {c.oid for c in found if c is not None}
        elif self.strategy == "r" and (first in known or first in low or first in high):
            among = self._between(known.get(first), low.get(first), high.get(first))
        elif self.strategy == "l" and (first in low or first in high):
            among = self._between_listed(low.get(first), high.get(first))
        for child in self.children():
            if among is None or child.oid in among:
                below = self._below.get(child.oid)
                if below is None:
                    yield child
                else:
                    yield from below._leaves(known, low, high)

    def _between(self, values: list[Any] | None, low: Any, high: Any) -> set[int]:
        """Ranges that meet what is said of the first column, and the DEFAULT, which has what is in none."""
        one = self.placing.first
        ends = [one(v) for v in values] if values is not None else None
        least = min(ends) if ends else one(low) if low is not None else None
        most = max(ends) if ends else one(high) if high is not None else None
        found = {
            child.oid
            for start, end, child in self.ranges
            if (least is None or end[0] >= least) and (most is None or start[0] <= most)
        }
        return found | ({self.default.oid} if self.default is not None else set())

    def _between_listed(self, low: Any, high: Any) -> set[int]:
        least = self.placing.one(low) if low is not None else None
        most = self.placing.one(high) if high is not None else None
        found = {
            child.oid
            for value, child in self._by_value.items()
            if value is not None and (least is None or value >= least) and (most is None or value <= most)
        }
        return found | ({self.default.oid} if self.default is not None else set())

    def below(self, child: Table) -> Router | None:
        """That of a partition which is partitioned itself."""
        return self._below.get(child.oid)

    def children(self) -> list[Table]:
        listed = sorted((v for v in self._by_value if v is not None), key=lambda v: v)
        found: dict[int, Table] = {self._by_value[v].oid: self._by_value[v] for v in listed}
        if (of_null := self._by_value.get(None)) is not None:
            found.setdefault(of_null.oid, of_null)
        dealt = sorted(self.hashes, key=lambda h: (h[0].modulus, h[0].remainder))
        found.update({c.oid: c for _, c in dealt})
        found.update({r[2].oid: r[2] for r in self.ranges})
        if self.default is not None:
            found[self.default.oid] = self.default
        return list(found.values())


_ROUTERS_MAX: Final = 1_024
_routers: Remembered[Router] = Remembered(_ROUTERS_MAX)


def router(catalog: Catalog, table: Table) -> Router:
    """The table's, made once for all catalogs that have the same partitions."""

    def made(seen: Catalog) -> Router:
        seen.get(table.oid)  # of this definition
        return Router(seen, table)

    return _routers.of(catalog, table.oid, made)


def leaves_of(catalog: Catalog, table: Table) -> list[Table]:
    """The tables that have the rows, in the order in which PostgreSQL lists bounds: by value, DEFAULT last; or it and its heirs."""
    if table.partitioning is None:
        return family(catalog, table)
    out: list[Table] = []
    for child in router(catalog, table).children():
        out += [child] if child.partitioning is None else leaves_of(catalog, child)
    return out


def refuse(table: Table, what: str) -> None:
    """Raises 0A000 for a partitioned table where something is of tables with rows of their own."""
    if table.partitioning is not None:
        raise PlanError("0A000", f'{what} of partitioned table "{table.name}" is not supported')
    if table.children:
        raise PlanError("0A000", f'{what} of table "{table.name}", which has children, is not supported')


def descendants(catalog: Catalog, table: Table) -> list[Table]:
    """All tables below, parents before their partitions."""
    out: list[Table] = []
    for child in catalog.partitions_of(table.oid):
        out += [child, *descendants(catalog, child)]
    return out


def dealing(catalog: Catalog, table: Table) -> list[Table]:
    """The table and those below it that deal rows out to partitions of their own; none where it deals out none itself."""
    if table.partitioning is None:
        return []
    return [table, *(x for x in descendants(catalog, table) if x.partitioning is not None)]


def computed_keys(catalog: Catalog, table: Table) -> dict[str, Column]:
    """The hidden columns that rows of a table have because they are dealt out by them, here, above or below (`partitions.keys`), by name.

    What a partition deals its rows out by is known where they are dealt out first, so the tables above it have it too.
    """
    found: dict[str, Column] = {}
    for at in (*ancestors(catalog, table), table, *descendants(catalog, table)):
        if at.partitioning is not None:
            columns = (at.columns[at.index_of(n)] for n in at.partitioning.columns)
            found.update((c.name, c) for c in columns if c.name.startswith(HIDDEN))
    return found


def ancestors(catalog: Catalog, table: Table) -> list[Table]:
    """The tables above, the nearest first."""
    out: list[Table] = []
    at = table
    while at.partition is not None:
        at = catalog.table(at.partition.parent)
        out.append(at)
    return out


__all__ = [
    "Placing", "Router", "ancestors", "can_be_key", "computed_keys", "dealing", "deciding", "descendants", "has_order", "leaves_of", "meets",
    "of_partition", "refuse", "router", "row_hash", "spreads",
]  # fmt: skip
