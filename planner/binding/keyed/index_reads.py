"""Reads by an index whose keys repeat, of rows or of what they come to.

    SELECT * FROM orders WHERE customer = $1                     CREATE INDEX ON orders (customer)
    SELECT count(*), sum(price) FROM orders WHERE customer = $1  the same rows, folded
    SELECT * FROM orders WHERE customer = ANY ($1) ORDER BY day  of several keys: how ORMs fetch what belongs to some rows
    SELECT sum(total) FROM orders WHERE day BETWEEN $1 AND $2    of a range of keys

A shortcut beside the columnar plan: the executor takes it if it finds few rows. Indexes serve with all their columns or
with those that they begin with; of several the one that pins most is chosen. What else WHERE asks is a condition on the
rows found, and the few that are left are sorted by plain columns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from planner import types as t
from planner.abc import Expr, KeyedRead, Lookup, OrderKey, Param, Points, Range, Table
from planner.binding import ir
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import index_expressions, key_conditions, ordered_forms, partial_indexes
from planner.binding.keyed.beginnings import may_be_anything
from planner.catalog import Catalog
from planner.catalog.classes_of_operators import has_own_order
from planner.catalog.collations import nondeterministic
from planner.catalog.objects import Index
from planner.keyed_plans import ComputedColumns, OtherRange, PartialColumns, narrowed


def index_read(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    outputs: tuple[Expr, ...],
    limit: Expr | None,
    order: tuple[OrderKey, ...] = (),
) -> KeyedRead | None:
    """The keyed way to rows of relation `number` by one of the table's indexes; None if none serves."""
    if not table.key_indexes or where is None:
        return None
    within = index_range(catalog, table, number, where)
    for positions in _prefixes_asked_of(catalog, table, number, where):
        if within is not None and len(within[0].prefix) >= len(positions):
            break  # of the rows of such a key the range has some
        for find in (key_conditions.find_points, key_conditions.find_listed):
            with contextlib.suppress(keyed.NotKeyed):
                points, rest = found_by(find, table, number, where, positions)
                condition = key_conditions.condition(rest, keyed.WithAnother({number: 0}))
                return KeyedRead(
                    table, points, condition, outputs, limit=limit, index=positions, order=order,
                    other=_other(within, number),
                )  # fmt: skip
    if within is None:
        return None
    found, besides, positions = within
    try:
        condition = key_conditions.condition(besides, keyed.WithAnother({number: 0}))
    except keyed.NotKeyed:
        return None
    return KeyedRead(table, found, condition, outputs, limit=limit, index=positions, order=order)


def _other(within: _InRange | None, number: int) -> OtherRange | None:
    """The range for when the key of another index turns out to have many rows."""
    if within is None:
        return None
    found, besides, positions = within
    with contextlib.suppress(keyed.NotKeyed):
        return OtherRange(positions, found, key_conditions.condition(besides, keyed.WithAnother({number: 0})))
    return None


_InRange = tuple[Range, Sequence[ir.Node], tuple[int, ...]]
_Find = Callable[..., tuple[Points, list[ir.Node]]]


def found_by(
    find: _Find, table: Table, number: int, where: ir.Node | None, positions: tuple[int, ...]
) -> tuple[Points, list[ir.Node]]:
    """`find_points` or `find_listed`, also by columns that an index computes. Raises NotKeyed."""
    if not isinstance(positions, ComputedColumns):
        return find(table, number, where, positions)
    asked, as_it_was = index_expressions.in_columns(positions, number, where)
    points, rest = find(table, number, asked, positions)
    return points, as_it_was(rest)


def index_range(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    known: Mapping[int, int] = keyed.NONE_KNOWN,
) -> tuple[Range, Sequence[ir.Node], tuple[int, ...]] | None:
    """(range, what is asked besides, positions of its columns) of the index that says most of a range of rows; None if none does.

    The range's column is the last of the positions: rows in which a column behind it is null are in no order of more.
    """
    best: tuple[Range, list[ir.Node], tuple[int, ...]] | None = None
    best_rank: tuple[int, float] = (0, 0)
    asked = key_conditions.mentioned(where, number)
    for positions in ordered_prefixes(catalog, table, number, where):
        if not (isinstance(positions, ComputedColumns) or asked.issuperset(positions[:-1])):
            continue
        if type(positions) is tuple and positions[-1] not in asked:
            continue
        try:
            within, rest = range_by(table, number, where, positions, known)
        except keyed.NotKeyed:
            continue
        bounds = (within.low is not None) + (within.high is not None)
        if len(within.prefix) + 1 != len(positions) or positions == table.key_indexes[: len(positions)]:
            continue
        if not bounds and not (isinstance(positions, PartialColumns) and table.never_null(positions[-1])):
            continue
        rank = narrowed(positions, len(within.prefix)), bounds if not may_be_anything(within) else 0.5
        if best is None or rank > best_rank:
            best, best_rank = (within, rest, positions), rank
    return best


def range_by(
    table: Table,
    number: int,
    where: ir.Node | None,
    positions: tuple[int, ...],
    known: Mapping[int, int] = keyed.NONE_KNOWN,
) -> tuple[Range, list[ir.Node]]:
    """`find_range`, also by columns that an index computes. Raises NotKeyed."""
    if not isinstance(positions, ComputedColumns):
        return key_conditions.find_range(table, number, where, known, index=positions)
    asked, as_it_was = index_expressions.in_columns(positions, number, where)
    within, rest = key_conditions.find_range(table, number, asked, known, index=positions)
    return within, as_it_was(rest)


def ordered_prefixes(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None
) -> Iterator[tuple[int, ...]]:
    """Columns that indexes begin with and are in the order of, those that they compute among them."""
    for positions in indexed_prefixes(catalog, table, number, where):
        if not any(table.columns[i].type.oid in ordered_forms.FORMED for i in positions):
            yield positions
    yield from index_expressions.computed_prefixes(catalog, table)


def rows_by_key(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None, lists: Collection[int] = ()
) -> tuple[Lookup, Sequence[ir.Node], tuple[int, ...]]:
    """(look-up, what is asked besides, positions of the index's columns; none: the primary key) of an UPDATE's or DELETE's rows.

    Points of the primary key, or what pins more: a range of it, or an index's key. Raises NotKeyed. `lists`: parameters that are
    arrays of no more keys than points may be (`planner.listed_literals`).
    """
    if lists:
        with contextlib.suppress(keyed.NotKeyed):
            points, more = key_conditions.find_listed(table, number, where)
            if isinstance(points.listed, Param) and points.listed.number in lists:
                return points, more, ()
    within: tuple[Lookup, Sequence[ir.Node], tuple[int, ...]] | None = None
    pinned = 0
    try:
        lookup, rest = key_conditions.find_lookup(table, number, where)
    except keyed.NotKeyed:
        pass
    else:
        if isinstance(lookup, Points):
            return lookup, rest, ()
        within, pinned = (lookup, rest, ()), len(lookup.prefix)
    if table.key_indexes and where is not None:
        by_range = index_range(catalog, table, number, where)
        in_range = narrowed(by_range[2], len(by_range[0].prefix)) if by_range is not None else -1
        for positions in _prefixes_asked_of(catalog, table, number, where):
            if narrowed(positions, len(positions)) <= max(pinned, in_range):
                continue  # of the rows of such a key the range has some
            for find in (key_conditions.find_points, key_conditions.find_listed):
                with contextlib.suppress(keyed.NotKeyed):
                    points, more = found_by(find, table, number, where, positions)
                    return points, more, positions
        if by_range is not None and (within is None or in_range > pinned):
            return by_range
    if within is None:
        raise keyed.NotKeyed("no index")
    return within


def indexed_prefixes(
    catalog: Catalog, table: Table, number: int = 0, where: ir.Node | None = None
) -> Iterator[tuple[int, ...]]:
    """Columns that indexes begin with, most of them first. Of expressions see `index_expressions`.

    Partial indexes do where `where`, which is asked of relation `number`, implies their predicates; of as many columns they come first.
    """
    found: set[tuple[int, ...]] = set()
    for index in catalog.indexes_of(table.oid):
        if not index.predicate and index.method == "btree" and has_own_order(index):
            found.update(_prefixes(table, index))
    for index, predicate in partial_indexes.served(catalog, table, number, where):
        found.update(PartialColumns(columns, predicate) for columns in _prefixes(table, index))
    yield from sorted(found, key=lambda c: (-len(c), not isinstance(c, PartialColumns), tuple(c)))


def keys_asked_of(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None
) -> Iterator[tuple[int, ...]]:
    """Those of them whose columns something is asked of."""
    asked = key_conditions.mentioned(where, number)
    for positions in indexed_prefixes(catalog, table, number, where):
        if asked.issuperset(positions):
            yield positions


def _prefixes_asked_of(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None
) -> Iterator[tuple[int, ...]]:
    yield from keys_asked_of(catalog, table, number, where)
    yield from index_expressions.computed_prefixes(catalog, table)


def _prefixes(table: Table, index: Index) -> Iterator[tuple[int, ...]]:
    columns: tuple[int, ...] = ()
    for key in index.keys:
        if not key.attnum:
            return
        at = table.index_of(key.attnum)
        column = table.columns[at]
        if column.type.oid == t.CITEXT or column.collation in nondeterministic:
            return  # such an index holds datums, and those of equal citext differ
        columns += (at,)
        yield columns
