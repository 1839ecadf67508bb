"""Reads by an index whose keys repeat, of rows or of what they come to.

    SELECT * FROM orders WHERE customer = $1                     CREATE INDEX ON orders (customer)
    SELECT count(*), sum(price) FROM orders WHERE customer = $1  the same rows, folded
    SELECT * FROM orders WHERE customer = ANY ($1) ORDER BY day  of several keys: how ORMs fetch what belongs to some rows

A shortcut beside the columnar plan: the executor takes it if it finds few rows. Indexes serve with all their columns or
with those that they begin with; of several the one that pins most is chosen. What else WHERE asks is a condition on the
rows found, and the few that are left are sorted by plain columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from planner.abc import Expr, KeyedRead, Table
from planner.binding import ir, keyed
from planner.catalog import Catalog

_FOLDS: Final = {
    "count()": "count",
    "count(any)": "count",
    "sum(int2)": "sum",
    "sum(int4)": "sum",
    "sum(numeric)": "sum numeric",
    "min(int2)": "min",
    "min(int4)": "min",
    "min(int8)": "min",
    "max(int2)": "max",
    "max(int4)": "max",
    "max(int8)": "max",
}
"""Aggregates that are computed over a few values with no overflow in sight."""


def index_read(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    outputs: tuple[Expr, ...],
    limit: Expr | None,
    folds: tuple[str, ...] = (),
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
            return KeyedRead(
                table, points, condition, outputs, limit=limit, index=positions, folds=folds, order=order
            )
    return None


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
        if k.expr.type.oid not in keyed.KEY_TYPES:
            return None
        order.append((offsets[k.expr.relation] + k.expr.column, k.descending, k.nulls_first))
    return tuple(order)


def folded(
    nodes: Sequence[ir.Node], offsets: Mapping[int, int], counted: Expr
) -> tuple[tuple[Expr, ...], tuple[str, ...]] | None:
    """(what is aggregated, how) for targets that are plain aggregates of the closed set; None: others.

    `counted`: what is never null, for `count(*)`.
    """
    arguments: list[Expr] = []
    folds: list[str] = []
    for node in nodes:
        if not isinstance(node, ir.Aggregate) or node.op not in _FOLDS:
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
