"""Keys that may be said by what the query shows: ORDER BY 2, ORDER BY total, DISTINCT ON (1), GROUP BY 1, or by any expression.

    ORDER BY, DISTINCT ON   an output's number, then an output's name, then an expression over the tables
    GROUP BY                an output's number, then a column of the tables, then an output's name

A number is a position and no value; any other constant would order nothing, and is refused as in PostgreSQL (42601).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.aggregate_calls import nulls_first
from planner.binding.grouping import grouping_sets
from planner.binding.naming import identifier
from planner.binding.records import where_present
from planner.binding.scope import Relation, RelationColumn, Scope, no_column, similar_column
from planner.parse import position as first_position
from planner.records import replace

_NUMBER_MAX: Final = (1 << 31) - 1
"""A longer one is no number of an output, but a value, as any constant with a point is."""

if TYPE_CHECKING:
    from planner.binding.state import BoundQuery, QueryState, Target


def of_values(node: exp.Expression) -> bool:
    """Whether a query is VALUES, in brackets or not: a relation like any other, whose ORDER BY takes expressions."""
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return isinstance(node, exp.Values)


def order_key(
    queries: QueryState,
    item: exp.Expression,
    targets: Sequence[Target],
    scope: Scope | None,
    what: str,
    hint: Callable[[str], str] = lambda name: "",
) -> ir.SortKey | None:
    """A key of ORDER BY or DISTINCT ON (`what`). Without a scope, that is of UNION and its like, only outputs are keys: None for an
    expression; `hint`: what is said of a name that is none. Raises 42P10, 42601, 42702, 42703."""
    node = item.this if isinstance(item, exp.Ordered) else item
    descending = bool(item.args.get("desc")) if isinstance(item, exp.Ordered) else False
    nulls = nulls_first(item, descending)
    bare = _constant(node)
    at = first_position(node)
    numbered = _numbered(bare, targets, what, at)
    if numbered is not None:
        return ir.SortKey(numbered.node, descending, nulls)
    if isinstance(bare, exp.Literal | exp.Null | exp.Boolean):
        if scope is None:
            return None
        _refuse_constant(what, at)
    if isinstance(bare, exp.Column) and bare.args.get("table") is None:
        named = _named(identifier(bare.this), targets, what, at)
        if named is not None:
            return ir.SortKey(named.node, descending, nulls)
        if scope is None:
            name = identifier(bare.this)
            raise no_column(f'"{name}"', at, hint(name))
    if scope is None:
        return None
    key = queries.coercions.settled(queries.expressions.bind(bare, scope))
    if ir.varies(key):  # what is written like an output is that one, and no other value
        key = next((x.node for x in targets if x.node == key), key)
    return ir.SortKey(key, descending, nulls)


def unassigned(
    node: exp.Select, expected: Sequence[TypeRef | None] | None
) -> Sequence[TypeRef | None] | None:
    """The types that INSERT has for outputs, but for those by which rows are ordered, grouped or told apart: these are compared as
    they are before INSERT has them, unknown literals as text."""
    distinct, group = node.args.get("distinct"), node.args.get("group")
    on = distinct.args.get("on") if distinct is not None else None
    if expected is None or (distinct is not None and on is None):
        return None
    keys = [o.this if isinstance(o, exp.Ordered) else o for o in _items(node.args.get("order"))]
    keys += on.expressions if isinstance(on, exp.Tuple) else [] if on is None else [on]
    grouped = [] if group is None else [x for x in group.expressions if isinstance(_constant(x), exp.Literal)]
    if not keys and not grouped:
        return expected
    names = [x.alias for x in node.expressions]
    found = list(expected)
    for key in map(_constant, (*keys, *grouped)):
        if isinstance(key, exp.Literal) and not key.is_string and str(key.this).isdigit():
            at = int(key.this) - 1
        elif isinstance(key, exp.Column) and key.args.get("table") is None and identifier(key.this) in names:
            at = names.index(identifier(key.this))
        else:
            continue
        if 0 <= at < len(found):
            found[at] = TypeRef(t.TEXT)
    return found


def _items(clause: exp.Expression | None) -> Sequence[exp.Expression]:
    return () if clause is None else clause.expressions


def refuse_unknown(key: exp.Expression, targets: Sequence[Target], hint: Callable[[str], str]) -> None:
    """Raises 42P01 and 42703 for what a key of UNION and its kin names that none of its outputs is called."""
    for column in key.find_all(exp.Column, bfs=False):
        if isinstance(column.this, exp.Star):
            continue
        name, at = identifier(column.this), first_position(column)
        if column.args.get("table") is not None:
            message = f'missing FROM-clause entry for table "{identifier(column.args["table"])}"'
            raise PlanError("42P01", message, position=at)
        if not any(x.name == name for x in targets):
            raise no_column(f'"{name}"', at, hint(name))


def similar_in_sides(bound: BoundQuery, name: str) -> str:
    """What is said of a name that UNION and its kin do not have for a column: one of its queries may."""
    leaves: list[BoundQuery] = []
    waiting = [bound]
    while waiting:
        query = waiting.pop()
        waiting += reversed(query.sides)
        if not query.sides:
            leaves.append(query)
    sides = [
        Relation(0, f"*SELECT* {i}", [RelationColumn(c.name, c.type) for c in leaf.columns])
        for i, leaf in enumerate(leaves, 1)
    ]
    return similar_column(Scope(None, 0, sides), name)


def group_keys(
    queries: QueryState,
    group: exp.Group,
    scope: Scope,
    targets: Sequence[Target],
    order: list[ir.SortKey],
) -> list[tuple[ir.Node, ...]]:
    """The keys of each grouping set. Raises 42P10, 42601, 42702, 42803, 42P20 and what binding an expression raises.

    Of an output whose key had to be told from another's (`_told_apart`) the sort keys in `order` are, too."""
    scope.clause = "GROUP BY"
    keyed: dict[ir.Node, Target] = {}

    def key(node: exp.Expression) -> ir.Node:
        made, target = _group_key(queries, node, scope, targets)
        return made if target is None else _told_apart(made, target, keyed, order)

    made = grouping_sets(group, key)
    scope.clause = ""
    return made


def _told_apart(
    key: ir.Node, target: Target, keyed: dict[ir.Node, Target], order: list[ir.SortKey]
) -> ir.Node:
    """The key that an output is. In SELECT a AS x, a AS y ... GROUP BY x, ROLLUP (y) there are two of one value: y alone is NULL
    in some sets. A CASE makes it another expression."""
    while keyed.setdefault(key, target) is not target:
        key = where_present(key, key)
    if key is not target.node and key != target.node:
        for i, k in enumerate(order):
            if k.expr is target.node:
                order[i] = replace(k, expr=key)
        target.node = key
    return key


def _group_key(
    queries: QueryState, node: exp.Expression, scope: Scope, targets: Sequence[Target]
) -> tuple[ir.Node, Target | None]:
    """A key, and the output that it is."""
    node = _constant(node)
    at = first_position(node)
    numbered = _numbered(node, targets, "GROUP BY", at)
    if numbered is not None:
        return no_aggregate(numbered.node), numbered
    if isinstance(node, exp.Literal | exp.Null | exp.Boolean):
        _refuse_constant("GROUP BY", at)
    if isinstance(node, exp.Column) and node.args.get("table") is None:
        name = identifier(node.this)
        if not any(c.name == name for c in scope.columns):
            named = _named(name, targets, "GROUP BY", at)
            if named is not None:
                return no_aggregate(named.node), named
    made = queries.coercions.settled(queries.expressions.bind(node, scope))
    return made, next((x for x in targets if x.node == made), None)


def _numbered(node: exp.Expression, targets: Sequence[Target], what: str, at: int) -> Target | None:
    """The output that a whole number means."""
    negative = isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal)
    literal = node.this if negative else node
    if not isinstance(literal, exp.Literal):
        return None
    digits = str(literal.this)
    if literal.is_string or not digits.isdigit() or len(digits.lstrip("0")) > 10 or int(digits) > _NUMBER_MAX:
        if negative:
            _refuse_constant(what, at)
        return None
    number = -int(digits) if negative else int(digits)
    if not 0 < number <= len(targets):
        shown = f"-{literal.this}" if negative else str(number)
        raise PlanError("42P10", f"{what} position {shown} is not in select list", position=at)
    return targets[number - 1]


def _named(name: str, targets: Sequence[Target], what: str, at: int) -> Target | None:
    matches = [x for x in targets if x.name == name]
    if any(m.node != matches[0].node for m in matches[1:]):
        raise PlanError("42702", f'{what} "{name}" is ambiguous', position=at)
    return matches[0] if matches else None


def _refuse_constant(what: str, at: int) -> NoReturn:
    raise PlanError("42601", f"non-integer constant in {what}", position=at)


def no_aggregate(node: ir.Node, what: str = "GROUP BY") -> ir.Node:
    for n in ir.walk(node):
        if isinstance(n, ir.Aggregate):
            raise PlanError("42803", f"aggregate functions are not allowed in {what}", position=n.position)
        if isinstance(n, ir.Window):
            raise PlanError("42P20", f"window functions are not allowed in {what}")
    return node


def _constant(node: exp.Expression) -> exp.Expression:
    """A key without its parentheses; `-(1)` as `-1`, which is a constant to PostgreSQL."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Neg):
        inner = _constant(node.this)
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return exp.Neg(this=inner)
    return node
