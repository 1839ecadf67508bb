"""JOIN: two items of FROM become one.

    t JOIN u USING (k)         (SLOT AS r1 JOIN SLOT AS r2 ON (r1."k" = r2."k")), of which `*` shows k once
    t FULL JOIN u USING (k)    k is whichever of the two there is
    t RIGHT JOIN LATERAL ...   what is on the right may not look left

`ON` sees both sides and what is outside; who is on the side that may be missing is nullable from then on.

Pairs of everything with everything come in the order of PostgreSQL's nested loops, where the first item's row stays while
the last one's change. DuckDB goes through its left side first, so it is told them from right to left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner.abc import PlanError
from planner.binding import ir
from planner.binding.collating import carried
from planner.binding.collations_met import look_at
from planner.binding.fragments import Frag, Ref, join, sql
from planner.binding.from_items import Source
from planner.binding.keyed.steps import joined_steps
from planner.binding.naming import identifier
from planner.binding.rights import barriers
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn, duplicate_alias
from planner.parse.column_lists import SEPARATOR

if TYPE_CHECKING:
    from planner.binding.sources import SourceBinder


def joined(sources: SourceBinder, left: Source, node: exp.Join, scope: Scope) -> Source:
    side = str(node.args.get("side") or "").upper()
    kind = str(node.args.get("kind") or "").upper()
    natural = str(node.args.get("method") or "").upper() == "NATURAL"
    inner = Scope(scope.parent, scope.number, ctes=scope.ctes, windows=scope.windows, standing=scope.standing)
    inner.before, inner.query = (left,), scope.query or scope
    if side in ("RIGHT", "FULL"):
        inner.barred = left.relations
    else:
        inner.relations, inner.columns = list(left.relations), list(left.columns)
    mine = {r.number for r in left.relations}  # looked for one by one, a thousand tables would take a minute
    inner.beyond = [r for r in scope.relations if r.number not in mine]
    inner.target = scope.target
    out_of_reach = len(inner.beyond)
    right = sources.item(node.this, inner)
    scope.beyond = (*scope.beyond, *inner.beyond[out_of_reach:])
    scope.outer += inner.outer
    for r in [
        *(right.relations if side in ("LEFT", "FULL") else ()),
        *(left.relations if side in ("RIGHT", "FULL") else ()),
    ]:
        r.nullable = True
    again = duplicate_alias([*left.relations, *right.relations])
    if again is not None:
        raise PlanError("42712", f'table name "{again}" specified more than once')
    using = [identifier(u) for u in node.args.get("using") or ()]
    alias = ""
    if using:
        using[-1], _, alias = using[-1].partition(SEPARATOR)
    for i, name in enumerate(using):
        if name in using[:i]:
            raise PlanError("42701", f'column name "{name}" appears more than once in USING clause')
    if natural:
        names = [c.name for c in right.columns]
        using = [c.name for c in left.columns if c.name in names]
    relations = [*left.relations, *right.relations]
    columns = [*left.columns, *right.columns]
    word = f"{side} JOIN" if side else "JOIN"
    if kind == "CROSS" or (natural and not using and not side):
        first, second = (left, right) if looks_left([left], right) else (right, left)
        frag = sql("(", first.frag, " CROSS JOIN ", second.frag, ")")
        return Source(frag, relations, columns, joined_steps(left.steps, right.steps, "", ()))
    emitter = sources.queries.emitter
    on: tuple[ir.Node, ...] = ()
    if using:
        merged, tests = [], []
        for name in using:
            a, b = (
                _merge_column(left, name, "left", node),
                _merge_column(right, name, "right", node),
            )
            equal = sources.queries.expressions.infix("=", a.node, b.node, 0)  # nobody has written it
            for n in ir.walk(equal):
                if isinstance(n, ir.Var):
                    sources.queries.use(n)
            assert isinstance(equal, ir.Call)
            look_at(equal)
            on += (equal,)
            tests.append(emitter.frag(equal))
            (x, y), _ = sources.queries.expressions.to_common([a.node, b.node], "JOIN/USING", [0, 0])
            if side == "FULL":
                value: ir.Node = ir.Logic(x.type, "coalesce", (x, y))
            else:
                # Of an inner join, the side that has the common type already: 1.50 rather than 1.
                value = y if side == "RIGHT" or (not side and x is not a.node and y is b.node) else x
            origin = sources.queries.origin(value, [*left.relations, *right.relations])
            merged.append(
                StarColumn(name, value, RelationColumn(name, value.type, *origin, collation=carried(value)))
            )
        condition = join(" AND ", tests)
        if alias:
            relations = [*relations, _merged(sources, alias, merged)]
        columns = merged + [c for c in left.columns if c.name not in using]
        columns += [c for c in right.columns if c.name not in using]
    else:
        condition_node = node.args.get("on")
        if condition_node is None:
            condition = sql("true")
        else:
            on_scope = Scope(
                scope.parent, scope.number, relations, columns, scope.ctes, clause="JOIN conditions"
            )
            on_scope.standing = scope.standing
            mine = {r.number for r in relations}
            target = () if scope.target is None else (scope.target,)
            around = (*target, *scope.relations, *scope.beyond)
            on_scope.beyond = [r for r in around if r.number not in mine]
            bound = sources.queries.expressions.boolean(condition_node, on_scope, "JOIN/ON")
            scope.outer += on_scope.outer
            on = (bound,)
            condition = emitter.on(bound)
            reached = {"": relations, "LEFT": right.relations, "RIGHT": left.relations}.get(side, [])
            barriers.let_through(sources.queries, reached, bound)
    told = right.frag
    if side == "LEFT" and right.padded is not None and condition.text == "true":  # in the list's order
        word, told = "JOIN", right.padded
    asks = any(isinstance(n, ir.SubQuery | ir.AnyAll) for c in on for n in ir.walk(c))
    if asks and side in ("", "LEFT") and len(right.relations) == 1 and looks_left((left,), right):
        # DuckDB takes no subqueries where what is joined looks left; within that, it does.
        told = sql(
            "LATERAL (SELECT * FROM ", told, " WHERE ", condition, f") AS r{right.relations[0].number}"
        )
        condition = sql("true")
    return Source(
        sql("(", left.frag, f" {word} ", told, " ON (", condition, "))"),
        relations,
        columns,
        joined_steps(left.steps, right.steps, side, on),
    )


def _merged(sources: SourceBinder, alias: str, merged: Sequence[StarColumn]) -> Relation:
    """What `JOIN ... USING (...) AS alias` calls the merged columns: a relation without rows of its own."""
    columns = [RelationColumn(c.name, c.column.type, c.column.table_oid, c.column.attnum) for c in merged]
    return Relation(sources.queries.next_relation(), alias, columns, values=[c.node for c in merged])


def _merge_column(source: Source, name: str, side: str, node: exp.Join) -> StarColumn:
    found = [c for c in source.columns if c.name == name]
    if not found:
        raise PlanError(
            "42703",
            f'column "{name}" specified in USING clause does not exist in {side} table',
        )
    if len(found) > 1:
        raise PlanError("42702", f'common column name "{name}" appears more than once in {side} table')
    return found[0]


def may_look_left(node: exp.Join) -> bool:
    """Whether what is joined may name relations of FROM items before the one that it is joined to."""
    item = node.this
    if str(node.args.get("side") or "").upper() in ("RIGHT", "FULL"):
        return False
    return isinstance(item, exp.Lateral | exp.Unnest) or (
        isinstance(item, exp.Table) and not isinstance(item.this, exp.Identifier | exp.Values)
    )


def looks_left(before: Sequence[Source], source: Source) -> bool:
    """Whether an item names columns of items before it (LATERAL)."""
    numbers = {r.number for s in before for r in s.relations}
    return any(isinstance(p, Ref) and p.relation in numbers for p in source.frag.parts)


def listed(groups: Sequence[Source], where: ir.Node | None) -> Frag:
    """The items of FROM as DuckDB is told them: backwards, unless one looks left or rows of two are equal in something (they
    are found by a hash then, in whatever order)."""
    paired = any(looks_left(groups[:i], g) for i, g in enumerate(groups)) or (
        where is not None and _equated(groups, where)
    )
    return join(", ", [g.frag for g in (groups if paired else reversed(groups))])


def _equated(groups: Sequence[Source], where: ir.Node) -> bool:
    group_of = {r.number: i for i, g in enumerate(groups) for r in g.relations}
    return any(
        isinstance(n, ir.Call)
        and " = " in n.op
        and len({group_of.get(v.relation) for v in ir.walk(n) if isinstance(v, ir.Var)} - {None}) > 1
        for n in ir.walk(where)
    )


def crossed(groups: list[Source]) -> Source:
    """FROM items as one: what is joined to the last may then look at all of them."""
    return Source(
        sql("(", join(" CROSS JOIN ", [g.frag for g in groups]), ")"),
        [r for g in groups for r in g.relations],
        [c for g in groups for c in g.columns],
        tuple(s for g in groups for s in g.steps) if all(g.steps for g in groups) else (),
    )


__all__ = ["crossed", "joined", "listed", "looks_left", "may_look_left"]
