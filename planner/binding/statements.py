"""One statement: which binder it goes to, and what its plan says of it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from planner import leafwise
from planner.abc import (
    Body,
    InsertValues,
    KeyedJoin,
    KeyedRead,
    Plan,
    PlanError,
    Points,
    Query,
    ResultColumn,
    StatementKind,
    SystemUse,
    WithWrites,
)
from planner.binding import collations_met, folding, ir, locking, other_databases, partitioned
from planner.binding.common_tables import with_text
from planner.binding.emit import Emitter, display_signature
from planner.binding.fragments import Item, sql
from planner.binding.keyed import acts as keyed_acts
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import reads as keyed_reads
from planner.binding.keyed.choices import choices
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.records import items_of, told
from planner.binding.routines.variables import Variables
from planner.binding.scope import Scope
from planner.binding.state import Parts
from planner.binding.writes import arbiter_predicates, rules
from planner.binding.writes.common_writes import with_writes
from planner.binding.writes.dml import DmlBinder
from planner.binding.writes.merge import MergeBinder
from planner.catalog import Catalog
from planner.listed_parameters import LISTED
from planner.parse import position as first_position
from planner.records import replace


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
    other_databases.refuse(ast, text, ctx.catalog)
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

    variables: Variables | None = getattr(ctx, "variables", None)
    named = len(variables.places) if variables is not None else 0
    plan, to_be_told = bound(collations_met.told())
    if not to_be_told:
        return plan
    if variables is not None:  # parameters are counted anew
        del variables.places[named:]
    return bound(True)[0]


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
    if queries.failing is not None:
        plan.extra.setdefault("constants", queries.failing)
    if queries.undecided:  # in a part of it, too
        plan.extra["undecided"] = True
    if queries.numerics and not parameters.literals and queries.variables is None:
        plan.extra["numerics"] = True
    if described := parameters.described():
        plan.extra["described"] = described
    if parameters.lists:
        plan.extra["lists"] = True
    if parameters.elements:
        plan.extra[LISTED] = {i: (parameters.listed[i], ref) for i, ref in parameters.elements.items()}
    if queries.running:
        plan.extra["runs"] = True
        if False in queries.volatilities and (True in queries.volatilities or _goes_on(plan.body)):
            plan.extra["looks_back"] = True
    if queries.called is not None:
        plan.extra["procedure"], plan.extra["procedure_given"] = queries.called, queries.called_with
    body = plan.body
    if isinstance(body, Query) and body.relations and not queries.named_objects:
        of_system = all(isinstance(use, SystemUse) for use in body.relations)
        plan.extra |= {"meaning": ctx.catalog.meaning} if of_system else {}
    if queries.arbiter_conditions:
        plan.extra["constants"] = arbiter_predicates.asked_first(queries)
    if queries.routines.used:
        plan.extra["functions"] = frozenset(queries.routines.used)
    if views := queries.accesses.views():
        plan.extra["views"] = views
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


def _goes_on(body: Body) -> bool:
    """Whether something may be computed when rows have been written already."""
    if isinstance(body, WithWrites):
        return True
    return getattr(body, "returning", None) is not None or getattr(body, "stepwise", None) is not None


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
            extra = queries.constants(folding.own_expressions(parts))
        try:
            if not queries.prefer_keyed:
                raise keyed.NotKeyed("not wanted")
            by_key = keyed_reads.keyed_read(parts, scope, ctx.catalog)
        except keyed.NotKeyed:
            names = queries.coercions.names
            constant = keyed_reads.constant(node, parts, scope, names) if queries.prefer_keyed else None
            shortcut = keyed_reads.shortcut(parts, scope, ctx.catalog) if queries.prefer_keyed else None
            if constant is not None:
                values = [x.node for x in parts.targets]
                acts = keyed_acts.act_alone(values)
                extra["act" if acts else "constant"] = constant
                if acts and keyed_acts.restarts(values):
                    extra["restarts"] = True
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
        if by_leaf is None and queries.prefer_keyed and scope.steps:
            made = choices(ctx.catalog, parts, scope.steps, lambda p: _of_tables(p, scope, ctx.catalog))
            extra |= {"choices": made} if made is not None else {}
        queries.note_ranges(parts, scope)
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
        few = keyed_reads.otherwise(parts, scope.steps, ctx.catalog, ordered)
        extra = (
            {"beyond": query}
            | ({"keyed": few} if few is not None else {})
            | ({"choices": extra["choices"]} if "choices" in extra else {})
        )
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


def _of_tables(parts: Parts, scope: Scope, catalog: Catalog) -> KeyedRead | KeyedJoin | None:
    """The keyed form of a query whose tables have their rows themselves: a partitioned one has none, and nobody puts leaves in its place."""
    found = keyed_reads.shortcut(parts, scope, catalog)
    return None if found is None or leafwise.parted(found) else found


def _assigned(queries: QueryBinder, variables: Variables, parts: Parts, scope: Scope) -> None:
    """The value of an expression of PL/pgSQL, as what it is assigned to. Raises 42601 where there are several."""
    if variables.wanted is None and not variables.part:
        return
    if len(parts.targets) != 1:
        what = "assignment source" if variables.assigning else "query"
        raise PlanError("42601", f"{what} returned {len(parts.targets)} columns")
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
        by_key = keyed_reads.keyed_read(parts, scope, ctx.catalog, wish.strength, wish.wait)
        if by_key.table.partitioning is not None:
            by_key, by_leaf = None, by_key
    except keyed.NotKeyed:
        pass
    body: Body | None = by_key
    extra: dict[str, Any] = {}
    if by_key is None or not isinstance(by_key.lookup, Points):
        queries.note_ranges(parts, scope)
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


__all__ = ["bind_statement"]
