"""Reads in the order of an index whose keys repeat, which end when there are enough rows: every application's list page.

    WHERE status = $1 ORDER BY created_at DESC, id LIMIT 10                CREATE INDEX ON orders (status, created_at)
    WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC    the next page: begins at created_at = $1
    SELECT max(created_at) FROM orders WHERE status = $1                   the last row's
    ORDER BY priority DESC, run_at LIMIT 1                                 the last priority's first row
    WHERE author = ANY ($1) ORDER BY created_at DESC LIMIT 10              each author's last rows, side by side

The index has to begin with columns that WHERE pins and go on with the first of those that ORDER BY names. What else it names
orders rows that are alike so far. Nulls are in no index: where they belong to the order they are looked for beside it, so
only its first column may have any. What else WHERE asks is a condition on the rows met on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import (
    Ask,
    Col,
    Const,
    Expr,
    Groups,
    JoinStep,
    KeyedJoin,
    KeyedRead,
    KeyedWalk,
    OrderKey,
    Points,
    Range,
    Table,
    TypeRef,
)
from planner.binding import ir
from planner.binding.keyed import closed_set, key_conditions, ordered_forms
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.expressions import comparison
from planner.binding.keyed.index_reads import ordered_prefixes, range_by
from planner.catalog import Catalog
from planner.keyed_plans import ComputedColumns, narrowed
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts

_IN_ORDER: Final = closed_set.KEY_TYPES | ordered_forms.FORMED

Wanted = tuple[int, bool, bool]
"""(column, descending, nulls first)."""


def index_walk(
    catalog: Catalog, table: Table, number: int, where: ir.Node | None, order: Sequence[ir.SortKey]
) -> KeyedWalk | None:
    """The way to the first rows of relation `number` by the index that pins most; None if none has their order."""
    wanted: list[Wanted] = []
    for k in order:
        if not isinstance(k.expr, ir.Var) or k.expr.relation != number or k.expr.type.oid not in _IN_ORDER:
            break
        wanted.append((k.expr.column, k.descending, k.nulls_first))
    return _walk(catalog, table, number, where, wanted, len(order) == len(wanted))


def first_rows(catalog: Catalog, parts: Parts, steps: Sequence[FromStep]) -> KeyedWalk | None:
    """The way to the first rows of the one table that a query is from; None if there is none, or all of them are asked for."""
    table = steps[0].relation.table if len(steps) == 1 else None
    limited = parts.limit is not None and not (isinstance(parts.limit, ir.Lit) and parts.limit.value is None)
    if table is None or not table.key_indexes or not limited or not parts.order or parts.below is not None:
        return None
    step, asked = steps[0], [*steps[0].guards, *steps[0].on]
    if step.outer or step.handed or step.made_of or step.spread or step.system is not None:
        return None
    asked += [parts.where] if parts.where is not None else []
    where = ir.all_of(asked)
    number = step.relation.number
    by_index = index_walk(catalog, table, number, where, parts.order)
    by_key = key_walk(table, number, where, parts.order)
    if by_index is None or by_key is None:
        return by_index or by_key
    return by_index if pinned_by(by_index) > pinned_by(by_key) else by_key


def key_walk(
    table: Table, number: int, where: ir.Node | None, order: Sequence[ir.SortKey]
) -> KeyedWalk | None:
    """The same by the primary key, which is told from all other rows once all its columns are."""
    key = table.key_indexes
    try:
        within, rest = key_conditions.find_range(table, number, where)
        condition = key_conditions.condition(rest, keyed.WithAnother({number: 0}))
    except keyed.NotKeyed:
        return None
    pinned = key[: len(within.prefix)]
    left = key[len(pinned) :]
    descending: set[bool] = set()
    for k in order:
        if not left:
            break
        if not isinstance(k.expr, ir.Var) or k.expr.relation != number:
            return None
        if k.expr.column in pinned:
            continue
        if k.expr.column != left[0] or k.expr.type.oid not in closed_set.KEY_TYPES:
            return None
        left = left[1:]
        descending.add(k.descending)
    if len(descending) != 1:
        return None
    return KeyedWalk((), within, condition, descending.pop(), "nowhere", True)


def extreme(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    folds: Sequence[str],
    outputs: Sequence[Expr],
) -> KeyedWalk | None:
    """The same for the one row that has the least or the greatest value of a column."""
    way = folds[0].partition(" ")[0] if len(outputs) == 1 else ""
    if way not in ("min", "max"):
        return None
    value = outputs[0]
    if not isinstance(value, Col) or value.type.oid not in _IN_ORDER:
        return None
    walk = _walk(catalog, table, number, where, [(value.index, way == "max", False)], True)
    return None if walk is None else replace(walk, nulls="nowhere", whole=True, one=True)


_ENDS: Final = -1_000
"""Queries for the ends of indexes, by number: no subquery of the statement's has one of these."""


def extremes(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    groups: Groups,
    outputs: Sequence[Expr],
    order: tuple[OrderKey, ...],
    limit: Expr | None,
) -> KeyedJoin | None:
    """The same of several columns, or of both ends: `SELECT min(day), max(day)`. Each is a query that is asked for once.

    None of a partitioned table, which has no rows itself: leaves are put in the places of tables, but not within such queries.
    """
    if table.partitioning is not None:
        return None
    asked: list[Ask] = []
    for fold, value in zip(groups.folds, outputs, strict=True):
        walk = extreme(catalog, table, number, where, (fold,), (value,))
        if walk is None:
            return None
        step = JoinStep(table, walk.within, len(table.columns))
        query = KeyedJoin((step,), (value,), Const(1, TypeRef(t.INT8)), walk=walk)
        asked.append(Ask("scalar", _ENDS - len(asked), query, (), value.type))
    return KeyedJoin((), tuple(asked), limit, groups, order)


def with_walk(found: KeyedRead | None, walk: KeyedWalk, instead: KeyedRead) -> KeyedRead:
    """Which way is taken first: the one that WHERE says more of. `instead`: the read, but for how its rows are found."""
    pinned = pinned_by(walk)
    alone = replace(
        instead, lookup=walk.within, condition=walk.condition, index=walk.index, unique=0, walk=walk
    )
    if found is None:
        return alone
    if found.index and isinstance(found.lookup, Range):  # which is known to be short before it is read
        return alone if found.index == walk.index else replace(found, walk=walk)
    if found.index and walk.among is not None:
        return replace(found, walk=walk)
    if found.index:
        return replace(found, walk=walk) if narrowed(found.index, len(found.index)) > pinned else alone
    lookup = found.lookup
    if isinstance(lookup, Range) and (
        len(lookup.prefix) < pinned or (not lookup.prefix and None in (lookup.low, lookup.high))
    ):
        return alone
    return found


def _walk(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    wanted: Sequence[Wanted],
    complete: bool,
) -> KeyedWalk | None:
    """`complete`: `wanted` is all that ORDER BY names."""
    if not table.key_indexes or not wanted:
        return None
    best = _along(catalog, table, number, where, wanted, complete)
    asked = keyed.conjuncts(where)
    for i, c in enumerate(asked):
        found = _listed(table, number, c)
        if found is None:
            continue
        is_one = ir.Call(_BOOL, found[0], (ir.Var(found[2], number, found[1]), ir.Var(found[2], _MEMBER, 0)))
        each = ir.all_of([*asked[:i], is_one, *asked[i + 1 :]])
        walk = _along(catalog, table, number, each, wanted, complete, {_MEMBER: 0}, found[1])
        if walk is not None and not walk.turn and (best is None or pinned_by(walk) > pinned_by(best)):
            best = replace(walk, among=(found[1], found[3]))
    return best


_BOOL: Final = TypeRef(t.BOOL)
_MEMBER: Final = -1_001
"""As a relation: the value in turn of a column that has one of several."""


def _listed(table: Table, number: int, node: ir.Node) -> tuple[str, int, TypeRef, Points] | None:
    """(the equality, column, its type, its values) of `column = ANY (...)` and `column IN (...)`."""
    compared = node.args[0] if isinstance(node, ir.Logic) and node.op == "or" else None
    if isinstance(node, ir.AnyAll) and not node.all:
        compared = node.compare
    made = comparison(compared, number, keyed.ELEMENT) if compared is not None else None
    if made is None or made[1] != "=" or not isinstance(compared, ir.Call):
        return None
    column = made[0]
    find = key_conditions.find_points if isinstance(node, ir.Logic) else key_conditions.find_listed
    try:
        points, rest = find(table, number, node, (column,))
    except keyed.NotKeyed:
        return None
    return None if rest else (compared.op, column, table.columns[column].type, points)


def _along(
    catalog: Catalog,
    table: Table,
    number: int,
    where: ir.Node | None,
    wanted: Sequence[Wanted],
    complete: bool,
    known: Mapping[int, int] = keyed.NONE_KNOWN,
    several: int = -1,
) -> KeyedWalk | None:
    """The same. `known`: what keys may be made of besides parameters. `several`: a column that is pinned to one value after the other."""
    best: KeyedWalk | None = None
    named_at_all = {*key_conditions.mentioned(where, number), *[w[0] for w in wanted]}
    for positions in ordered_prefixes(catalog, table, number, where):
        if not (isinstance(positions, ComputedColumns) or named_at_all.issuperset(positions)):
            continue
        named = tuple(ordered_forms.column_of(positions, i) for i in range(len(positions)))
        try:
            within, rest = range_by(table, number, where, positions, known)
            condition = key_conditions.condition(rest, keyed.WithAnother({number: 0}))
        except keyed.NotKeyed:
            continue
        pinned = len(within.prefix)
        columns = named[pinned:]
        left = [w for w in wanted if w[0] not in named[:pinned] or w[0] == several]
        if not columns or tuple(w[0] for w in left[: len(columns)]) != columns:
            continue
        ways = [w[1] for w in left[: len(columns)]]
        turn = next((i for i, way in enumerate(ways) if way != ways[0]), 0)
        if turn and any(way == ways[0] for way in ways[turn:]):
            continue
        if not all(table.never_null(c) for c in columns[1:]):
            continue
        if best is not None and (narrowed(positions, pinned), len(columns)) <= (
            pinned_by(best),
            _ordered(best),
        ):
            continue
        bounded = within.low is not None or within.high is not None
        nulls = "nowhere" if bounded or table.never_null(columns[0]) else "first" if left[0][2] else "last"
        if nulls != "nowhere" and named[:pinned] != positions[:pinned]:
            continue  # those without a value are looked for by columns of the table
        whole = complete and len(left) == len(columns)
        best = KeyedWalk(positions, within, condition, left[0][1], nulls, whole, turn=turn)
    return best


def pinned_by(walk: KeyedWalk) -> int:
    """How many columns of the rows that it meets are said, or are narrowed by a predicate."""
    return narrowed(walk.index, len(walk.within.prefix))


def _ordered(walk: KeyedWalk) -> int:
    return len(walk.index) - len(walk.within.prefix)


__all__ = ["extreme", "extremes", "first_rows", "index_walk", "key_walk", "pinned_by", "with_walk"]
