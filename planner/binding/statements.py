"""One statement: which binder it goes to, and what its plan says of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from planner import leafwise
from planner.abc import (
    Body,
    Col,
    Expr,
    InsertValues,
    KeyedJoin,
    KeyedRead,
    Lookup,
    OrderKey,
    Plan,
    PlanError,
    Points,
    Query,
    Range,
    ResultColumn,
    SqlError,
    StatementKind,
    SystemUse,
    Table,
)
from planner.binding import collations_met, ir, keyed, keyed_acts, locking, partitioned, rules
from planner.binding.common_writes import with_writes
from planner.binding.compound import with_text
from planner.binding.dml import DmlBinder
from planner.binding.emit import Emitter, display_signature
from planner.binding.fragments import Item, sql
from planner.binding.index_order import extreme, index_walk, with_walk
from planner.binding.index_reads import index_read
from planner.binding.keyed_endings import grouped, order_keys
from planner.binding.keyed_joins import guarded, unique_keys
from planner.binding.keyed_selects import BoundSelect
from planner.binding.merge import MergeBinder
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.records import items_of, told
from planner.binding.routine_runs import RUN
from planner.binding.scope import Scope
from planner.binding.state import Parts
from planner.binding.variables import Variables
from planner.catalog.system.reg_names import RegNames
from planner.parse import position as first_position


def bind_statement(
    ast: exp.Expression,
    ctx: Any,
    parameter_types: Sequence[int],
    text: str,
    kinds: Sequence[str] | None,
    prefer_keyed: bool = True,
    emitter: Emitter | None = None,
) -> Plan:
    """`emitter`: who writes the query's text, if not DuckDB's."""
    if isinstance(ast, exp.DML) and (ruled := rules.rewritten(ast, ctx, parameter_types, text, kinds)):
        return ruled

    def bound(tell_collations: bool) -> tuple[Plan, bool]:
        parameters = Parameters(parameter_types, kinds)
        with collations_met.meeting(tell_collations) as met:
            queries = QueryBinder(ctx, text, parameters)
            queries.prefer_keyed = queries.keeps_selects = prefer_keyed
            if emitter is not None:
                queries.emitter = emitter
            return bound_plan(ast, ctx, queries, parameters, text, {}, []), met.to_be_told

    plan, to_be_told = bound(collations_met.told())
    return bound(True)[0] if to_be_told else plan


def bound_plan(
    ast: exp.Expression,
    ctx: Any,
    queries: QueryBinder,
    parameters: Parameters,
    text: str,
    around: dict[str, object],
    inherited: list[Item],
) -> Plan:
    """The plan of what `queries` binds. `around` and `inherited`: queries of WITH that it knows besides its own, and their texts."""
    plan = _bound(ast, ctx, queries, parameters, text, around, inherited)
    queries.accesses.check()
    queries.accesses.require_identities()
    folding = queries.variables is not None and queries.variables.folding
    if (
        queries.routines.calls and not folding
    ):  # what a function is must be asked of the present, though no table is
        plan.extra.pop("constant", None)
        plan.extra.pop("act", None)
    if queries.running:
        plan.extra["runs"] = True
    if queries.called is not None:
        plan.extra["procedure"], plan.extra["procedure_given"] = queries.called, queries.called_with
    body = plan.body
    if isinstance(body, Query) and body.relations and not queries.named_objects:
        of_system = all(isinstance(use, SystemUse) for use in body.relations)
        plan.extra |= {"meaning": ctx.catalog.meaning} if of_system else {}
    if queries.routines.used:
        plan.extra["functions"] = frozenset(queries.routines.used)
    if queries.keys_used:
        plan.extra["keys"] = frozenset(queries.keys_used)
    return plan


def _bound(
    ast: exp.Expression,
    ctx: Any,
    queries: QueryBinder,
    parameters: Parameters,
    text: str,
    around: dict[str, object],
    inherited: list[Item],
) -> Plan:
    if isinstance(ast, exp.Insert | exp.Update | exp.Delete):
        dml = DmlBinder(queries)
        dml.around, dml.inherited = around, inherited
        if isinstance(ast, exp.Insert):
            bound = dml.insert(ast)
            plain = isinstance(bound.body, InsertValues) and bound.body.on_conflict is None
            kind = StatementKind.WRITE if plain else StatementKind.READ_THEN_WRITE
        else:
            bound = dml.update(ast) if isinstance(ast, exp.Update) else dml.delete(ast)
            kind = StatementKind.READ_THEN_WRITE
        body = with_writes(queries, bound.body)
        if body is not bound.body:
            kind = StatementKind.READ_THEN_WRITE
        extra: dict[str, Any] = dict(bound.extra)
        if bound.by_range is not None and body is bound.body:
            extra["by_range"] = bound.by_range
        return Plan(
            kind, bound.tag, parameters.all(), bound.columns, body, ctx.catalog.version, text, extra=extra
        )
    if isinstance(ast, exp.Merge):
        body = with_writes(queries, MergeBinder(queries).merge(ast))
        kind = StatementKind.READ_THEN_WRITE
        return Plan(kind, "MERGE", parameters.all(), None, body, ctx.catalog.version, text)
    if around:
        return _query_behind(ast, ctx, queries, text, around, inherited)
    return _query(ast, ctx, queries, text)


def _query_behind(
    ast: exp.Expression,
    ctx: Any,
    queries: QueryBinder,
    text: str,
    around: dict[str, object],
    inherited: list[Item],
) -> Plan:
    """A query that knows others."""
    scope = queries.new_scope(None)
    scope.ctes = dict(around)
    bound = queries.nested(ast, scope, top=True)
    prefix = with_text(False, inherited)
    query = queries.finished(sql(prefix, bound.frag) if prefix is not None else bound.frag)
    columns, version = told(bound.columns), ctx.catalog.version
    return Plan(StatementKind.READ, "SELECT", queries.parameters.all(), columns, query, version, text)


def _query(ast: exp.Expression, ctx: Any, queries: QueryBinder, text: str) -> Plan:
    node: exp.Expression = ast
    while isinstance(node, exp.Subquery | exp.Paren) and not any(
        node.args.get(k) for k in ("order", "limit", "offset", "with_")
    ):
        node = node.this
    kind = StatementKind.READ
    extra: dict[str, Any] = {}
    ordered: KeyedRead | None = None
    by_leaf: KeyedRead | KeyedJoin | None = None
    whole = False
    if locking.is_locking(node):
        return _locking_query(node, ctx, queries, text)
    if isinstance(node, exp.Select) and node.args.get("with_") is None:
        scope = queries.new_scope(None)
        parts = queries.select(node, scope, None)
        if queries.variables is not None:
            _assigned(queries, queries.variables, parts, scope)
        if queries.calling:
            _called(queries, parts, first_position(node.expressions[0]))
        columns = tuple(
            ResultColumn(x.name, x.node.type, x.table_oid, x.attnum, collations_met.derived(x.node) or "")
            for x in parts.targets
        )
        if parts.source is not None:
            extra = queries.constants(_own_expressions(parts))
        try:
            if not queries.prefer_keyed:
                raise keyed.NotKeyed("not wanted")
            by_key = _keyed_read(parts, scope, ctx.catalog)
        except keyed.NotKeyed:
            names = queries.coercions.names
            constant = _constant(node, parts, scope, names) if queries.prefer_keyed else None
            shortcut = _shortcut(parts, scope, ctx.catalog) if queries.prefer_keyed else None
            if constant is not None:
                acts = keyed_acts.act_alone([x.node for x in parts.targets])
                extra["act" if acts else "constant"] = constant
            elif shortcut is not None and leafwise.parted(shortcut):
                by_leaf = shortcut
            elif shortcut is not None:
                extra["keyed"] = shortcut
        else:
            if by_key.table.partitioning is not None:
                by_leaf, whole = by_key, True
            elif isinstance(by_key.lookup, Points):
                return Plan(
                    kind, "SELECT", queries.parameters.all(), columns, by_key, ctx.catalog.version, text
                )
            else:
                ordered = by_key
        if len(scope.relations) == 1 and scope.relations[0].table is not None and parts.where is not None:
            r = scope.relations[0]
            assert r.table is not None
            queries.ranges[r.number] = keyed.read_ranges(r.table, r.number, parts.where)
        bound = queries.written(parts, scope, True)
        if by_leaf is not None:
            extra |= partitioned.leafwise(queries, scope.relations, by_leaf, whole=whole)
    else:
        bound = queries.nested(node, None, top=True)
        if bound.by_key is not None and queries.prefer_keyed and not queries.common_writes:
            with contextlib.suppress(keyed.NotKeyed):
                extra["keyed"] = bound.by_key.plan()
    finished = queries.finished(bound.frag)
    if queries.common_writes:
        kind = StatementKind.READ_THEN_WRITE
        if bound.by_key is not None:
            with contextlib.suppress(keyed.NotKeyed):
                finished = replace(finished, by_key=bound.by_key.plan())
    query = with_writes(queries, finished)
    if ordered is not None:
        extra = {"beyond": query}
        return Plan(
            kind, "SELECT", queries.parameters.all(), columns, ordered, ctx.catalog.version, text, extra=extra
        )
    return Plan(
        kind,
        "SELECT",
        queries.parameters.all(),
        told(bound.columns),
        query,
        ctx.catalog.version,
        text,
        extra=extra,
    )


def _assigned(queries: QueryBinder, variables: Variables, parts: Parts, scope: Scope) -> None:
    """The value of an expression of PL/pgSQL, as what it is assigned to. Raises 42601 where there are several."""
    if variables.wanted is None and not variables.part:
        return
    if len(parts.targets) != 1:
        raise PlanError("42601", f"query returned {len(parts.targets)} columns")
    target = parts.targets[0]
    target.node = variables.assigned(target.node, queries.expressions, queries.coercions, scope)


def _called(queries: QueryBinder, parts: Parts, position: int) -> None:
    """CALL's arguments are what its query finds. Raises 42809."""
    (target,) = parts.targets
    items = items_of(target.node) if isinstance(target.node, ir.Logic) and target.node.op == "row" else None
    if queries.called is None or items is None:
        below = parts.below.columns if parts.below is not None else ()
        ops = [getattr(n, "op", "") for n in (target.node, *below)]
        what = next((display_signature(op) for op in ops if op.endswith(")")), f"{target.name}()")
        raise PlanError(
            "42809",
            f"{what.removeprefix('function ')} is not a procedure",
            hint="To call a function, use SELECT.",
            position=position,
        )
    parts.targets = [replace(target, name=f"a{i}", node=item) for i, item in enumerate(items)]


def _own_expressions(parts: Parts) -> list[ir.Node | None]:
    """What a query computes of its rows, in the order in which PostgreSQL looks at it."""
    below, targets = parts.below, [x.node for x in parts.targets]
    if below is not None:  # keys and what is aggregated is not in the targets any more
        targets, where = [*(n for n in below.columns if n is not None), *targets], below.where
    else:
        where = parts.where
    return [*targets, where, *(k.expr for k in parts.order)]


def _locking_query(node: exp.Expression, ctx: Any, queries: QueryBinder, text: str) -> Plan:
    """SELECT ... FOR UPDATE: by primary key, or of the rows that a query finds."""
    assert isinstance(node, exp.Select)
    scope = queries.new_scope(None)
    prefix = queries.with_clause(node, scope)
    parts = queries.select(node, scope, None)
    parts.prefix = prefix
    wishes = locking.wishes_of(queries, node, parts, scope)
    columns = told(ResultColumn(x.name, x.node.type, x.table_oid, x.attnum) for x in parts.targets)
    by_key: KeyedRead | None = None
    by_leaf: KeyedRead | None = None
    try:
        if prefix is not None or not queries.prefer_keyed or not wishes.tables:
            raise keyed.NotKeyed("not wanted")
        wish = wishes.tables[0]
        by_key = _keyed_read(parts, scope, ctx.catalog, wish.strength, wish.wait)
        if by_key.table.partitioning is not None:
            by_key, by_leaf = None, by_key
    except keyed.NotKeyed:
        pass
    body: Body | None = by_key
    extra: dict[str, Any] = {}
    if by_key is None or not isinstance(by_key.lookup, Points):
        if len(scope.relations) == 1 and scope.relations[0].table is not None and parts.where is not None:
            r = scope.relations[0]
            assert r.table is not None
            queries.ranges[r.number] = keyed.read_ranges(r.table, r.number, parts.where)
        found, _ = locking.locked(queries, parts, scope, wishes, top=True)
        query = with_writes(queries, found)
        if by_leaf is not None and query is found:
            extra |= partitioned.leafwise(queries, scope.relations, by_leaf, whole=True)
        if by_key is None:
            body = query
        else:
            extra["beyond"] = query
    assert body is not None
    kind = StatementKind.READ_THEN_WRITE
    return Plan(
        kind, "SELECT", queries.parameters.all(), columns, body, ctx.catalog.version, text, extra=extra
    )


def _keyed_table(parts: Parts, scope: Scope, catalog: Any) -> Table:
    """The one table of a statement that has the shape of a keyed read. Raises NotKeyed."""
    if len(scope.steps) != 1 or parts.distinct_on or parts.ties or scope.outer:
        raise keyed.NotKeyed("shape")
    table = scope.steps[0].relation.table
    if table is None:
        raise keyed.NotKeyed("no table")
    if table.oid in catalog.columnar:
        raise keyed.NotKeyed("as it was once")
    return table


def _constant(
    node: exp.Select, parts: Parts, scope: Scope, names: RegNames | None
) -> tuple[Expr, ...] | None:
    """The one row of a query that asks nothing of any table: `SELECT 1`, by which pools see whether a server lives."""
    if scope.relations or scope.outer or parts.where is not None or parts.order or parts.distinct:
        return None
    if parts.distinct_on or parts.limit is not None or parts.offset is not None or parts.grouped:
        return None
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    calls = [n for x in parts.targets for n in ir.walk(x.node) if isinstance(n, ir.Call)]
    acts = keyed_acts.act_alone([x.node for x in parts.targets])
    if not acts and any(n.volatile and n.op != RUN for n in calls):
        return None
    try:
        offsets = keyed.WithRoutines() if any(n.op == RUN for n in calls) else {}
        if acts:
            nodes = [keyed_acts.with_oids(x.node, names) for x in parts.targets]
            return tuple(keyed.expression(n, keyed_acts.WithActs()) for n in nodes)
        return tuple(keyed.expression(x.node, offsets) for x in parts.targets) or None
    except (keyed.NotKeyed, SqlError):
        return None


def _shortcut(parts: Parts, scope: Scope, catalog: Any) -> KeyedRead | KeyedJoin | None:
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
    found = _short_read(guarded(parts, scope.steps), scope, catalog) if len(scope.steps) == 1 else None
    if found is None:
        try:
            return BoundSelect(catalog, parts, scope.steps, leafwise=True).plan()
        except keyed.NotKeyed:
            return None
    if not (parts.distinct or parts.offset is not None):
        return found
    if parts.distinct and any(x.node.type.oid not in keyed.SORTED_TYPES for x in parts.targets):
        return None
    try:
        offset = keyed.expression(parts.offset, {}) if parts.offset is not None else None
    except keyed.NotKeyed:
        return None
    return replace(found, offset=offset, distinct=parts.distinct)


def _short_read(parts: Parts, scope: Scope, catalog: Any) -> KeyedRead | None:
    """The same of one table, but for OFFSET and DISTINCT."""
    if parts.distinct_on:
        return None
    try:
        table = _keyed_table(parts, scope, catalog)
        number = scope.relations[0].number
        offsets = {number: 0}
        if parts.grouped:
            return _folded_read(catalog, table, number, parts)
        outputs = tuple(keyed.expression(x.node, offsets) for x in parts.targets)
        limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    except keyed.NotKeyed:
        return None
    if not outputs:
        return None
    order = _order(parts, offsets)
    for oid, key in unique_keys(table):
        for find in (keyed.find_points, keyed.find_listed):
            try:
                points, rest = find(table, number, parts.where, key)
                condition = keyed.condition(rest, offsets)
            except keyed.NotKeyed:
                continue
            if len(points.keys) == 1:
                return KeyedRead(table, points, condition, outputs, limit=limit, unique=oid)
            if order is not None:
                return KeyedRead(table, points, condition, outputs, limit=limit, unique=oid, order=order)
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
    if walk is None or order is None:
        return found
    return with_walk(found, walk, KeyedRead(table, walk.within, None, outputs, limit=limit, order=order))


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
            within, rest = keyed.find_range(table, number, parts.where)
            condition = keyed.condition(rest, {number: 0})
        except keyed.NotKeyed:
            return None
        found = KeyedRead(table, within, condition, outputs, limit=limit, order=order)
    lookup = found.lookup
    assert isinstance(lookup, Range)
    return found if lookup.prefix or lookup.low is not None or lookup.high is not None else None


def _pins_more(by_index: KeyedRead, within: KeyedRead) -> bool:
    """Whether an index's key says more of the rows than a range of the primary key."""
    assert isinstance(within.lookup, Range)
    return len(by_index.index) > len(within.lookup.prefix)


def _open(lookup: Lookup) -> bool:
    """A range that ends nowhere on one side: likely longer than the list of an index's key."""
    return isinstance(lookup, Range) and not lookup.prefix and None in (lookup.low, lookup.high)


def _folded_read(catalog: Any, table: Table, number: int, parts: Parts) -> KeyedRead | None:
    """Groups of the rows of an index's key, or of points or a range of the primary key; all of them are one without GROUP BY.

    Raises NotKeyed.
    """
    if not table.key_indexes or parts.below is None:
        return None
    never_null = table.key_indexes[0]
    counted = Col(never_null, table.columns[never_null].type)
    outputs, groups, above = grouped(parts, {number: 0}, counted)
    order = order_keys(parts.order, above)
    limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    where = parts.below.where
    by_index = index_read(catalog, table, number, where, outputs, limit, order)
    if by_index is not None:
        by_index = replace(by_index, groups=groups)
    walk = None if groups.keys else extreme(catalog, table, number, where, groups.folds, outputs)
    if walk is not None:
        instead = KeyedRead(table, walk.within, None, outputs, limit=limit, groups=groups, order=order)
        by_index = with_walk(by_index, walk, instead)
    try:
        lookup, rest = keyed.find_lookup(table, number, where)
        condition = keyed.condition(rest, {number: 0})
    except keyed.NotKeyed:
        return by_index
    pinned = len(table.key_indexes) if isinstance(lookup, Points) else len(lookup.prefix)
    if by_index is not None:
        by_key = by_index.lookup
        if pinned < (len(by_key.prefix) if isinstance(by_key, Range) else len(by_index.index)):
            return by_index
    return KeyedRead(table, lookup, condition, outputs, limit=limit, groups=groups, order=order)


def _keyed_read(parts: Parts, scope: Scope, catalog: Any, lock: str = "", wait: str = "wait") -> KeyedRead:
    """Raises NotKeyed where the statement is not a read by primary key."""
    table = _keyed_table(parts, scope, catalog)
    if parts.distinct or parts.grouped:
        raise keyed.NotKeyed("shape")
    parts = guarded(parts, scope.steps)
    relation = scope.relations[0]
    offsets = {relation.number: 0}
    outputs = tuple(keyed.expression(x.node, offsets) for x in parts.targets)
    if not outputs:
        raise keyed.NotKeyed("no outputs")
    limit = keyed.expression(parts.limit, {}) if parts.limit is not None else None
    offset = keyed.expression(parts.offset, {}) if parts.offset is not None else None
    if offset is not None and lock:
        raise keyed.NotKeyed("offset")
    try:
        points, rest = keyed.find_points(table, relation.number, parts.where)
    except keyed.NotKeyed:
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
    return KeyedRead(
        table, points, keyed.condition(rest, offsets), outputs, limit=limit, lock=lock, lock_wait=wait
    )


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
    found, rest = keyed.find_range(table, number, parts.where)
    key = table.key_indexes
    # ORDER BY may name pinned columns anywhere; what is left must follow the key.
    remaining = list(key[len(found.prefix) :])
    descending: bool | None = None
    for k in parts.order:
        if (
            not isinstance(k.expr, ir.Var)
            or k.expr.relation != number
            or k.expr.type.oid not in keyed.KEY_TYPES
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
        table, found, keyed.condition(rest, {number: 0}), outputs, descending=bool(descending), ordered=True,
        limit=limit, lock=lock, lock_wait=wait,
    )  # fmt: skip


__all__ = ["bind_statement"]
