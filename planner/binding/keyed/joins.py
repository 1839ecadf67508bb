"""Joins that are look-ups: each table's rows are found by a key that the rows before them and the parameters make up.

    SELECT c.name, o.total FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = $1

        orders     points ($1)              one row
        customers  points (o.customer)      one row for each

What an application asks most besides single rows. DuckDB has the right answer, after milliseconds; here the order of the
look-ups is found out once (inner joins in whatever order their keys allow, then LEFT JOINs, each from what its ON says), and
the executor walks it where it turns out to be short. Everything that WHERE and the inner ONs ask is one pool of conjuncts:
those that make keys are used up, any other is asked as soon as all that it names is there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from planner import types as t
from planner.abc import (
    Const,
    Expr,
    KeyedJoin,
    KeyedWalk,
    Table,
    TypeRef,
)
from planner.binding import ir
from planner.binding.collating import uncollated
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import walked_joins
from planner.binding.keyed import windows as keyed_windows
from planner.binding.keyed.endings import equal_as_datums, grouped, order_keys, telling_apart
from planner.binding.keyed.join_order import TABLES_MAX, Order
from planner.binding.keyed.narrowing import inner_where_asked
from planner.binding.keyed.unasked_columns import left_out
from planner.binding.scope import FromStep
from planner.catalog import Catalog
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.state import Parts


def look_ups(
    catalog: Catalog,
    steps: Sequence[FromStep],
    parts: Parts,
    given: Mapping[int, int],
    width: int,
    *,
    leafwise: bool = False,
    walked: bool = False,
) -> KeyedJoin:
    """The look-ups that answer a SELECT from these relations. Raises NotKeyed if keys do not lead from one to the next.

    `given`, `width`: what a row begins with, if it does not begin with nothing (`planner.binding.keyed.selects`).
    `leafwise`: partitioned tables may be among them, for leaves are put in their places (`planner.leafwise`).
    `walked`: the table's rows are walked along in order, so that no key need lead to them.
    """
    if not leafwise and any(_is_parted(s.relation.table) and not s.handed for s in steps):
        raise keyed.NotKeyed("its rows are elsewhere")
    if len(steps) > TABLES_MAX or parts.ties or parts.hidden:
        raise keyed.NotKeyed("shape")
    if any(s.relation.table is not None and s.relation.table.oid in catalog.columnar for s in steps):
        raise keyed.NotKeyed("as it was once")
    where = parts.asked_of_rows
    steps = left_out(inner_where_asked(steps, where), parts)
    inner = [s for s in steps if not s.outer]
    asked = (*(n for s in inner for n in s.guards), where, *(n for s in inner for n in s.on))
    pool = [c for n in asked for c in keyed.conjuncts(n)]
    nodes = [*pool, *(n for s in steps for n in (*s.guards, *s.on)), *(x.node for x in parts.targets)]
    nodes += [
        n for n in (*(parts.below.columns if parts.below is not None else ()), parts.where) if n is not None
    ]
    if any(ir.varies(n) for n in (*nodes, *(k.expr for k in parts.order), *(parts.distinct_on or ()))):
        raise keyed.NotKeyed("another value each time")
    windows = keyed_windows.windows_of(parts)
    ways = _placed(catalog, steps, parts, pool, given, width, walked, whole=walked or bool(windows))
    made = [_made(steps, parts, windows, way, width) for way in ways]
    found = made.pop()
    while made:
        found = replace(made.pop(), otherwise=found)
    return found


def _made(
    steps: Sequence[FromStep], parts: Parts, windows: Sequence[ir.Window], way: _Placed, width: int
) -> KeyedJoin:
    """What becomes of the rows that these steps find. Raises NotKeyed."""
    order, condition, walk = way
    parts = order.spread(parts) if not windows else keyed_windows.without(parts, windows)
    groups = None
    above: Mapping[int, int] = order.offsets if not windows else order.with_windows()
    if parts.below is not None:
        outputs, groups, above = grouped(parts, order.offsets, Const(1, TypeRef(t.INT4)))
    else:
        nodes = [x.node for x in parts.targets]
        outputs = tuple(keyed.expression(n if parts.distinct else uncollated(n), above) for n in nodes)
    distinct = parts.distinct
    if distinct and any(not keyed_catalog.is_alike(x.node.type.oid) for x in parts.targets):
        distinct, parts = False, replace(parts, distinct_on=list(telling_apart(steps, parts)))
    if not all(map(equal_as_datums, parts.distinct_on or ())):
        raise keyed.NotKeyed("equality of rows")
    limit, offset = (None if n is None else keyed.expression(n, {}) for n in (parts.limit, parts.offset))
    firsts = tuple(keyed.expression(n, above) for n in parts.distinct_on or ())
    made, sort = tuple(order.made), order_keys(parts.order, above)
    return KeyedJoin(
        made, outputs, limit, groups, sort, offset, distinct, firsts, condition, given=width, walk=walk,
        windows=tuple(keyed_windows.keyed_window(w, above) for w in windows),
    )  # fmt: skip


class _Placed(NamedTuple):
    """The steps in an order, what is asked before the first, and how its rows are walked along, if they are."""

    order: Order
    condition: Expr | None
    walk: KeyedWalk | None = None


def _placed(
    catalog: Catalog,
    steps: Sequence[FromStep],
    parts: Parts,
    pool: list[ir.Node],
    given: Mapping[int, int],
    width: int,
    walked: bool,
    *,
    whole: bool,
) -> Sequence[_Placed]:
    """The way to the rows, and the one to be taken where that proves too long, if there is one. Raises NotKeyed.

    `whole`: the first rows are not enough.
    """
    along = None if whole or width else walked_joins.walked(catalog, parts, steps, pool)
    led: _Placed | None = None
    order = Order(catalog, list(pool), given, width, walked=walked)
    try:
        led = _Placed(order, order.place(list(steps)))
    except keyed.NotKeyed:
        if along is None:
            raise
    ways = [] if led is None else [led, *_begun_elsewhere(catalog, steps, pool, given, width, order)]
    if along is None:
        return ways[:2]
    order = Order(catalog, [c for c in pool if c not in along.used], given, width)
    try:
        order.begin(along)
        order.place([s for s in steps if s is not along.step])
    except keyed.NotKeyed:
        if led is None:
            raise
        return ways[:2]
    met = _Placed(order, None, along.walk)
    if led is None:
        return [met]
    by_walk = led.order.made and walked_joins.meets_fewer(along.walk, led.order.made[0])
    return [met, *ways] if by_walk else [*ways, met]


def _begun_elsewhere(
    catalog: Catalog,
    steps: Sequence[FromStep],
    pool: list[ir.Node],
    given: Mapping[int, int],
    width: int,
    order: Order,
) -> Iterator[_Placed]:
    """The same rows with another table first, where keys lead to several tables at once: which has fewer rows nobody knows here."""
    first = order.first
    if first is None or not first[0].rank or width:
        return
    for step in steps:
        if step is first[1] or step.outer or step.relation.table is None:
            continue
        other = Order(catalog, list(pool), given, width)
        with contextlib.suppress(keyed.NotKeyed):
            condition = other.place(list(steps), step)
            yield _Placed(other, condition)
            return


def _is_parted(table: Table | None) -> bool:
    return table is not None and table.partitioning is not None


__all__ = ["look_ups"]
