"""What of a query the keyed engine answers: the shapes of one SELECT that are look-ups.

    keyed_read    rows by primary key, or the first of a range in its order: never DuckDB's
    constant      one row that asks nothing of any table
    shortcut      what is a look-up if it turns out to ask for little; the plan stays a query

Whatever is of another shape, or says what the keyed engine has no word for, is NotKeyed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from planner.abc import (
    Col,
    Expr,
    KeyedJoin,
    KeyedRead,
    Lookup,
    OrderKey,
    Points,
    Range,
    SqlError,
    Table,
)
from planner.binding import ir
from planner.binding.collating import uncollated
from planner.binding.keyed import acts as keyed_acts
from planner.binding.keyed import closed_set, key_conditions, long_calls, single_values
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.endings import grouped, order_keys
from planner.binding.keyed.index_order import extreme, extremes, index_walk, key_walk, with_walk
from planner.binding.keyed.index_reads import index_read
from planner.binding.keyed.join_order import unique_keys
from planner.binding.keyed.selects import BoundSelect
from planner.binding.keyed.steps import guarded
from planner.binding.keyed.terms import terms_read
from planner.binding.routines.runs import RUN
from planner.binding.scope import FromStep, Scope
from planner.binding.state import Parts
from planner.catalog.system.reg_names import RegNames
from planner.keyed_plans import Either
from planner.records import replace


def keyed_table(parts: Parts, scope: Scope, catalog: Any) -> Table:
    """The one table of a statement that has the shape of a keyed read. Raises NotKeyed."""
    if len(scope.steps) != 1 or parts.distinct_on or parts.ties or scope.outer:
        raise keyed.NotKeyed("shape")
    table = scope.steps[0].relation.table
    if table is None:
        raise keyed.NotKeyed("no table")
    if table.oid in catalog.columnar:
        raise keyed.NotKeyed("as it was once")
    return table


def constant(node: exp.Select, parts: Parts, scope: Scope, names: RegNames | None) -> tuple[Expr, ...] | None:
    """The one row of a query that asks nothing of any table: `SELECT 1`, by which pools see whether a server lives."""
    if scope.relations or scope.outer or parts.where is not None or parts.order or parts.distinct:
        return None
    if parts.distinct_on or parts.limit is not None or parts.offset is not None or parts.grouped:
        return None
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    calls = [n for x in parts.targets for n in ir.walk(x.node) if isinstance(n, ir.Call)]
    acts = keyed_acts.act_alone([x.node for x in parts.targets])
    runs = any(n.op == RUN for n in calls)  # who begins anew with each routine's value draws no numbers
    known = keyed.VARYING if not runs else (RUN,)
    if not acts and any(n.volatile and n.op not in known for n in calls):
        return None
    try:
        offsets = keyed.WithRoutines() if runs else keyed.Alone()
        if acts:
            nodes = [keyed_acts.with_oids(x.node, names) for x in parts.targets]
            return tuple(keyed.expression(n, keyed_acts.WithActs()) for n in nodes)
        made = tuple(keyed.expression(x.node, offsets) for x in parts.targets)
        return None if not made or any(map(long_calls.may_hold_up, made)) else made
    except (keyed.NotKeyed, SqlError):
        return None


def shortcut(parts: Parts, scope: Scope, catalog: Any) -> KeyedRead | KeyedJoin | None:
    """A query that the keyed engine answers as well, if what it asks for turns out to be small.

        WHERE a BETWEEN $1 AND $2 [ORDER BY a]      a range of the primary key, found to be short
        WHERE email = $1                            a UNIQUE constraint's columns
        WHERE id = ANY ($1) [ORDER BY name]         some rows by their keys
        WHERE customer = $1                         an index's columns, of which not many rows have these values
        o JOIN c ON c.id = o.customer WHERE o.id = $1   tables that lead to each other by keys

    The executor decides for each execution; the plan is the query that answers whatever is asked.
    """
    if parts.ties or scope.outer or not (scope.steps or not scope.relations):
        return None
    parts, steps = single_values.put_in(parts, scope.steps)
    if len(steps) < len(scope.steps):
        scope = replace(scope, steps=steps, relations=[s.relation for s in steps])
    found = _short_read(guarded(parts, steps), scope, catalog) if len(steps) == 1 else None
    if found is None:
        try:
            return BoundSelect(catalog, parts, steps, leafwise=True).plan()
        except keyed.NotKeyed:
            return None
    other = otherwise(parts, steps, catalog, found) if isinstance(found, KeyedRead) else None
    if parts.distinct or parts.offset is not None:
        if parts.distinct and any(x.node.type.oid not in closed_set.SORTED_TYPES for x in parts.targets):
            return None
        try:
            offset = keyed.expression(parts.offset, {}) if parts.offset is not None else None
        except keyed.NotKeyed:
            return None
        if isinstance(other, KeyedRead):
            other = replace(other, offset=offset, distinct=parts.distinct)
        found = replace(found, offset=offset, distinct=parts.distinct)
    return replace(found, otherwise=other) if isinstance(found, KeyedRead) and other is not None else found


def otherwise(
    parts: Parts, steps: Sequence[FromStep], catalog: Any, found: KeyedRead
) -> KeyedRead | KeyedJoin | None:
    """By terms, or by the alternatives of an OR: for when the range of an index, or a walk along it, is long."""
    table = found.table
    if not isinstance(found.lookup, Range) or found.terms is not None or found.groups is not None:
        return None
    if table.partitioning is not None or (found.index and found.lookup.prefix and found.walk is None):
        return None
    number = steps[0].relation.number
    offsets = keyed.WithAnother({number: 0})
    order = _order(parts, offsets)
    if order is not None:
        where = guarded(parts, steps).where
        by_terms = terms_read(catalog, table, number, where, found.outputs, limit=found.limit, order=order)
        if by_terms is not None:
            return by_terms
    try:
        plan = BoundSelect(catalog, parts, steps, leafwise=True).plan()
    except keyed.NotKeyed:
        return None
    if plan.walk is not None and plan.otherwise is not None:
        plan = plan.otherwise
    return plan if plan.steps and isinstance(plan.steps[0].lookup, Either) else None


def _short_read(parts: Parts, scope: Scope, catalog: Any) -> KeyedRead | KeyedJoin | None:
    """The same of one table, but for OFFSET and DISTINCT."""
    if parts.distinct_on:
        return None
    try:
        table = keyed_table(parts, scope, catalog)
        number = scope.relations[0].number
        offsets = keyed.WithAnother({number: 0})
        if parts.grouped:
            return _folded_read(catalog, table, number, parts)
        outputs = _shown(parts, offsets)
        limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    except keyed.NotKeyed:
        return None
    if not outputs:
        return None
    order = _order(parts, offsets)
    asked = key_conditions.mentioned(parts.where, number)
    for oid, key in unique_keys(table):
        if not asked.issuperset(key):
            continue
        for find in (key_conditions.find_points, key_conditions.find_listed):
            try:
                points, rest = find(table, number, parts.where, key)
                condition = key_conditions.condition(rest, offsets)
            except keyed.NotKeyed:
                continue
            if len(points.keys) == 1:
                return KeyedRead(table, points, condition, outputs, limit=limit, unique=oid)
            if order is not None:
                return KeyedRead(table, points, condition, outputs, limit=limit, unique=oid, order=order)
    within = None
    if table.key_indexes and table.key_indexes[0] in asked:
        within = _bounded_range(table, number, parts, outputs, limit)
    by_index = (
        index_read(catalog, table, number, parts.where, outputs, limit, order=order)
        if order is not None
        else None
    )
    found = within or by_index
    if within is not None and by_index is not None:
        found = by_index if _open(within.lookup) or _pins_more(by_index, within) else within
    walk = None
    if order is not None and limit is not None and not parts.distinct:
        walk = index_walk(catalog, table, number, parts.where, parts.order)
        if found is not None and found.index and (walk is None or _along_key(walk.index, table)):
            walk = key_walk(table, number, parts.where, parts.order) or walk
    if found is None and walk is None and order is not None:
        return terms_read(catalog, table, number, parts.where, outputs, limit=limit, order=order)
    if walk is None or order is None:
        return found
    return with_walk(found, walk, KeyedRead(table, walk.within, None, outputs, limit=limit, order=order))


def _along_key(index: tuple[int, ...], table: Table) -> bool:
    """Whether an index's columns are the primary key's, which has its order already."""
    return type(index) is tuple and index == tuple(table.key_indexes[: len(index)])


def _order(parts: Parts, offsets: Mapping[int, int]) -> tuple[OrderKey, ...] | None:
    try:
        return order_keys(parts.order, offsets)
    except keyed.NotKeyed:
        return None


def _bounded_range(
    table: Table, number: int, parts: Parts, outputs: tuple[Any, ...], limit: Any
) -> KeyedRead | None:
    """A range of the primary key, if WHERE says where it begins or ends."""
    order = _order(parts, {number: 0})
    try:
        found = _range_read(table, number, parts, outputs, limit, "", "wait", bounded=False)
    except keyed.NotKeyed:
        if order is None:
            return None
        try:
            within, rest = key_conditions.find_range(table, number, parts.where)
            condition = key_conditions.condition(rest, keyed.WithAnother({number: 0}))
        except keyed.NotKeyed:
            return None
        found = KeyedRead(table, within, condition, outputs, limit=limit, order=order)
    lookup = found.lookup
    assert isinstance(lookup, Range)
    return found if lookup.prefix or lookup.low is not None or lookup.high is not None else None


def _pins_more(by_index: KeyedRead, within: KeyedRead) -> bool:
    """Whether an index's key, or a range of its keys, says more of the rows than a range of the primary key."""
    return _pinned(by_index.lookup, len(by_index.index)) > _pinned(within.lookup, 0)


def _pinned(lookup: Lookup, columns: int) -> int:
    """How many columns are said of the rows; between two bounds is as good as said."""
    if isinstance(lookup, Points):
        return columns
    return len(lookup.prefix) + (lookup.low is not None and lookup.high is not None)


def _open(lookup: Lookup) -> bool:
    """A range that ends nowhere on one side: likely longer than the list of an index's key."""
    return isinstance(lookup, Range) and not lookup.prefix and None in (lookup.low, lookup.high)


def _folded_read(catalog: Any, table: Table, number: int, parts: Parts) -> KeyedRead | KeyedJoin | None:
    """Groups of the rows of an index's key, or of points or a range of the primary key; all of them are one without GROUP BY.

    Raises NotKeyed.
    """
    if not table.key_indexes or parts.below is None:
        return None
    never_null = table.key_indexes[0]
    counted = Col(never_null, table.columns[never_null].type)
    outputs, groups, above = grouped(parts, keyed.WithAnother({number: 0}), counted)
    order = order_keys(parts.order, above)
    limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    where = parts.below.where
    if not groups.keys and len(groups.folds) > 1:
        ends = extremes(catalog, table, number, where, groups, outputs, order, limit)
        if ends is not None:
            return ends
    by_index = index_read(catalog, table, number, where, outputs, limit, order)
    if by_index is not None:
        by_index = replace(by_index, groups=groups)
    walk = None if groups.keys else extreme(catalog, table, number, where, groups.folds, outputs)
    if walk is not None:
        instead = KeyedRead(table, walk.within, None, outputs, limit=limit, groups=groups, order=order)
        by_index = with_walk(by_index, walk, instead)
    try:
        lookup, rest = key_conditions.find_lookup(table, number, where)
        condition = key_conditions.condition(rest, keyed.WithAnother({number: 0}))
    except keyed.NotKeyed:
        if by_index is None:
            return terms_read(catalog, table, number, where, outputs, limit=limit, groups=groups, order=order)
        return by_index
    pinned = len(table.key_indexes) if isinstance(lookup, Points) else len(lookup.prefix)
    if by_index is not None:
        by_key = by_index.lookup
        if pinned < (len(by_key.prefix) if isinstance(by_key, Range) else len(by_index.index)):
            return by_index
    return KeyedRead(table, lookup, condition, outputs, limit=limit, groups=groups, order=order)


def keyed_read(parts: Parts, scope: Scope, catalog: Any, lock: str = "", wait: str = "wait") -> KeyedRead:
    """Raises NotKeyed where the statement is not a read by primary key."""
    table = keyed_table(parts, scope, catalog)
    if parts.distinct or parts.grouped:
        raise keyed.NotKeyed("shape")
    parts = guarded(parts, scope.steps)
    relation = scope.relations[0]
    if not parts.targets:
        raise keyed.NotKeyed("no outputs")
    limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    offset = keyed.expression(parts.offset, {}) if parts.offset is not None else None
    if offset is not None and lock:
        raise keyed.NotKeyed("offset")
    try:
        points, rest = key_conditions.find_points(table, relation.number, parts.where)
    except keyed.NotKeyed:
        offsets = keyed.WithAnother({relation.number: 0})
        outputs = _shown(parts, offsets)
        by_range = _range_read(table, relation.number, parts, outputs, limit, lock, wait)
        by_range = replace(by_range, offset=offset)
        order = _order(parts, offsets)
        if by_range.condition is not None and not lock and order is not None:
            by_index = index_read(catalog, table, relation.number, parts.where, outputs, limit, order=order)
            if by_index is not None and _pins_more(by_index, by_range):
                raise keyed.NotKeyed("an index leads to fewer rows") from None
        return by_range
    if offset is not None or (parts.order and len(points.keys) > 1):
        raise keyed.NotKeyed("order")
    if len(points.keys) > 1 and limit is not None:
        raise keyed.NotKeyed("limit")
    alone = {relation.number: 0}
    return KeyedRead(
        table,
        points,
        key_conditions.condition(rest, alone),
        _shown(parts, alone),
        limit=limit,
        lock=lock,
        lock_wait=wait,
    )


def _shown(parts: Parts, offsets: Mapping[int, int]) -> tuple[Expr, ...]:
    """The columns of the result. Raises NotKeyed."""
    nodes = [x.node for x in parts.targets]
    return tuple(keyed.expression(n if parts.distinct else uncollated(n), offsets) for n in nodes)


def _range_read(
    table: Table,
    number: int,
    parts: Parts,
    outputs: tuple[Any, ...],
    limit: Any,
    lock: str,
    wait: str,
    *,
    bounded: bool = True,
) -> KeyedRead:
    if bounded and (limit is None or not parts.order):
        raise keyed.NotKeyed("an unbounded range")
    found, rest = key_conditions.find_range(table, number, parts.where)
    key = table.key_indexes
    # ORDER BY may name pinned columns anywhere; what is left must follow the key.
    remaining = list(key[len(found.prefix) :])
    descending: bool | None = None
    for k in parts.order:
        if (
            not isinstance(k.expr, ir.Var)
            or k.expr.relation != number
            or k.expr.type.oid not in closed_set.KEY_TYPES
        ):
            raise keyed.NotKeyed("order")
        if k.expr.column in key[: len(found.prefix)]:
            continue
        if not remaining or k.expr.column != remaining.pop(0):
            raise keyed.NotKeyed("order")
        if descending is None:
            descending = k.descending
        elif descending != k.descending:
            raise keyed.NotKeyed("order")
    return KeyedRead(
        table, found, key_conditions.condition(rest, keyed.WithAnother({number: 0})), outputs, descending=bool(descending), ordered=True,
        limit=limit, lock=lock, lock_wait=wait,
    )  # fmt: skip
