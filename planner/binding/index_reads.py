"""Reads by an index whose keys repeat, of rows or of what they come to.

    SELECT * FROM orders WHERE customer = $1                     CREATE INDEX ON orders (customer)
    SELECT count(*), sum(price) FROM orders WHERE customer = $1  the same rows, folded
    SELECT * FROM orders WHERE customer = ANY ($1) ORDER BY day  of several keys: how ORMs fetch what belongs to some rows

A shortcut beside the columnar plan: the executor takes it if it finds few rows. Indexes serve with all their columns or
with those that they begin with; of several the one that pins most is chosen. What else WHERE asks is a condition on the
rows found, and the few that are left are sorted by plain columns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from planner.abc import Expr, KeyedRead, Lookup, Points, Table
from planner.binding import ir, keyed
from planner.catalog import Catalog


def _folds() -> dict[str, str]:
    found = {"count()": "count", "count(any)": "count", "sum(int8)": "sum big", "sum(numeric)": "sum numeric"}
    found |= dict.fromkeys(("sum(int2)", "sum(int4)"), "sum")
    found |= dict.fromkeys(("avg(int2)", "avg(int4)", "avg(int8)", "avg(numeric)"), "avg")
    found |= {"bool_and(bool)": "all", "every(bool)": "all", "bool_or(bool)": "any"}
    for way in ("min", "max"):
        for kind in ("int2", "int4", "int8", "text", "date", "time", "timestamp", "timestamptz"):
            found[f"{way}({kind})"] = way
        for kind in ("numeric", "float4", "float8", "interval"):
            found[f"{way}({kind})"] = f"{way} {kind}"
    return found


_FOLDS: Final = _folds()
"""Aggregates that are computed over a few values with no overflow in sight."""


def index_read(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    outputs: tuple[Expr, ...],
    limit: Expr | None,
    order: tuple[tuple[int, bool, bool], ...] = (),
) -> KeyedRead | None:
    """The keyed way to rows of relation `number` by one of the table's indexes; None if none serves."""
    if not table.key_indexes or where is None:
        return None
    for positions in indexed_prefixes(catalog, table):
        for find in (keyed.find_points, keyed.find_listed):
            try:
                points, rest = find(table, number, where, positions)
                condition = keyed.condition(rest, {number: 0})
            except keyed.NotKeyed:
                continue
            return KeyedRead(table, points, condition, outputs, limit=limit, index=positions, order=order)
    return None


def rows_by_key(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None
) -> tuple[Lookup, Sequence[ir.Node], tuple[int, ...]]:
    """(look-up, what is asked besides, positions of the index's columns; none: the primary key) of an UPDATE's or DELETE's rows.

    Points of the primary key, or what pins more: a range of it, or an index's key. Raises NotKeyed.
    """
    within: tuple[Lookup, Sequence[ir.Node], tuple[int, ...]] | None = None
    pinned = 0
    try:
        lookup, rest = keyed.find_lookup(table, number, where)
    except keyed.NotKeyed:
        pass
    else:
        if isinstance(lookup, Points):
            return lookup, rest, ()
        within, pinned = (lookup, rest, ()), len(lookup.prefix)
    if table.key_indexes and where is not None:
        for positions in indexed_prefixes(catalog, table):
            if len(positions) <= pinned:
                break
            for find in (keyed.find_points, keyed.find_listed):
                with contextlib.suppress(keyed.NotKeyed):
                    points, more = find(table, number, where, positions)
                    return points, more, positions
    if within is None:
        raise keyed.NotKeyed("no index")
    return within


def indexed_prefixes(catalog: Catalog, table: Table) -> Iterator[tuple[int, ...]]:
    """Columns that indexes begin with, most of them first. Expressions and partial indexes serve no look-up here."""
    found: set[tuple[int, ...]] = set()
    for index in catalog.indexes_of(table.oid):
        if index.predicate or index.method != "btree":
            continue
        columns: list[int] = []
        for key in index.keys:
            if not key.attnum:
                break
            columns.append(table.index_of(key.attnum))
            found.add(tuple(columns))
    yield from sorted(found, key=lambda columns: (-len(columns), columns))


def plain_order(
    keys: Sequence[ir.SortKey], offsets: Mapping[int, int]
) -> tuple[tuple[int, bool, bool], ...] | None:
    """ORDER BY by columns whose order is that of their datums; None: by something else.

    `offsets`: relation number -> where its columns begin in the row.
    """
    order: list[tuple[int, bool, bool]] = []
    for k in keys:
        if not isinstance(k.expr, ir.Var) or k.expr.relation not in offsets or k.expr.column < 0:
            return None
        if k.expr.type.oid not in keyed.SORTED_TYPES:
            return None
        order.append((offsets[k.expr.relation] + k.expr.column, k.descending, k.nulls_first))
    return tuple(order)


class Folding(NamedTuple):
    """What is aggregated, how, and what the targets make of it (nothing more: none)."""

    outputs: tuple[Expr, ...]
    folds: tuple[str, ...]
    after: tuple[Expr, ...]


_FOLDED: Final = -2
"""The row of aggregates, as a relation."""


def folded(nodes: Sequence[ir.Node], offsets: Mapping[int, int], counted: Expr) -> Folding | None:
    """Targets that are made of aggregates of the closed set; None: of others.

    `counted`: what is never null, for `count(*)`.
    """
    found = list(dict.fromkeys(n for node in nodes for n in ir.walk(node) if isinstance(n, ir.Aggregate)))
    made = _folded(found, offsets, counted)
    if made is None:
        return None
    if list(nodes) == found:
        return Folding(*made, ())
    try:
        return Folding(*made, tuple(keyed.expression(_lifted(n, found), {_FOLDED: 0}) for n in nodes))
    except keyed.NotKeyed:
        return None


def _lifted(node: ir.Node, found: Sequence[ir.Aggregate]) -> ir.Node:
    """The expression over the row of aggregates."""
    if isinstance(node, ir.Aggregate):
        return ir.Var(node.type, _FOLDED, found.index(node))
    return ir.replace_children(node, lambda n: _lifted(n, found))


def _folded(
    nodes: Sequence[ir.Aggregate], offsets: Mapping[int, int], counted: Expr
) -> tuple[tuple[Expr, ...], tuple[str, ...]] | None:
    arguments: list[Expr] = []
    folds: list[str] = []
    for node in nodes:
        if node.op not in _FOLDS or any(isinstance(n, ir.Collated) for n in ir.walk(node)):
            return None
        if node.order or node.filter is not None or node.direct:
            return None
        fold = _FOLDS[node.op]
        if node.distinct:
            if fold != "count" or node.args[0].type.oid not in keyed.KEY_TYPES:
                return None
            fold = "count distinct"
        try:
            made = keyed.expression(node.args[0], offsets) if node.args else counted
        except keyed.NotKeyed:
            return None
        arguments.append(made)
        folds.append(fold)
    return tuple(arguments), tuple(folds)
