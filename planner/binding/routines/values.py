"""What a function's parameters stand for, put into its body: once, where it matters how often.

    CREATE FUNCTION f(a int) ... RETURN a + a         f(x) -> x + x         f(g(x)) -> let v = g(x) in v + v
    CREATE FUNCTION f(a int) ... RETURN (SELECT max(b) FROM t WHERE c = a)   the argument's text takes the parameter's place

A column or a constant may be written as often as one likes. Anything else that the body names several times is given a
name (`ir.Let`), which keeps calls inside of calls from growing without bounds, and `random()` one value. Into the text
of a query go only values that are the same however often they are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from planner.abc import PlanError
from planner.binding import evaluation, ir, shapes
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.fragments import Frag, Item, Ref, join, sql
from planner.records import replace

_FIRST_LET: Final = -1_000
"""Relations that Lets make: numbered by how many are inside, so that equal calls are equal trees."""
_LETS_MAX: Final = 7
"""Lets inside of one another: each makes DuckDB bind what is inside twice as often."""
_FREE: Final = ir.Var | ir.Lit | ir.Parm | ir.Session | ir.Argument
_IN_A_ROW: Final = ir.Window | ir.SetReturning
"""What means something only where it stands: it cannot move into the text of a query."""


class NamedTwice(Exception):
    """An argument that is another value each time, or a set, where the body names it several times or in a query."""


def put(body: ir.Node, number: int, args: Sequence[ir.Node]) -> ir.Node:
    """The body with the arguments for its parameters, relation `number`. Raises NamedTwice where that would not be right."""
    body = _with_places(body, number)
    counts, in_texts = _uses(body, number)
    named: dict[int, ir.Node] = {}
    standing = dict(enumerate(args))
    for i, arg in enumerate(args):
        if i in in_texts and not _is_free(arg):
            if _varies(arg) or any(isinstance(n, _IN_A_ROW) for n in ir.walk(arg)):
                raise NamedTwice
        elif counts[i] > 1 and not _is_free(arg):
            if any(isinstance(n, ir.SetReturning) for n in ir.walk(arg)):
                raise NamedTwice
            named[i] = arg
    moving = [a for a in named.values() if _varies(a) or any(isinstance(n, _IN_A_ROW) for n in ir.walk(a))]
    if moving and (in_texts or _has_query(body)):
        raise NamedTwice
    if not named:
        return _replaced(body, number, standing)
    inside = [n.relation for x in (body, *args) for n in ir.walk(x) if isinstance(n, ir.Let)]
    relation = min(inside, default=_FIRST_LET + 1) - 1
    if _FIRST_LET - relation >= _LETS_MAX:
        raise PlanError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Functions that name an argument several times are nested more than {_LETS_MAX} deep.",
        )
    for place, (i, arg) in enumerate(named.items()):
        standing[i] = ir.Var(arg.type, relation, place)
    return ir.Let(body.type, relation, tuple(named.values()), _replaced(body, number, standing))


def _is_free(node: ir.Node) -> bool:
    while isinstance(node, ir.Collated):
        node = node.arg
    return isinstance(node, _FREE)


def _varies(node: ir.Node) -> bool:
    return any(map(shapes.varies, ir.walk(node)))


def _has_query(node: ir.Node) -> bool:
    return any(isinstance(n, ir.SubQuery) for n in ir.walk(node))


def _with_places(node: ir.Node, number: int) -> ir.Node:
    """Subqueries say which parameters are in their text, so that these can move."""
    if isinstance(node, ir.SubQuery):
        known = {(a.relation, a.column) for a in node.outer_from}
        found = dict.fromkeys(
            p
            for p in node.query.parts
            if isinstance(p, Ref) and p.relation == number and (p.relation, p.column) not in known
        )
        places = tuple(ir.Argument(node.type, p.relation, p.column) for p in found)
        if places:
            node = replace(node, outer_from=(*node.outer_from, *places), outer=(*node.outer, *places))
    return ir.replace_children(node, lambda n: _with_places(n, number))


def _uses(body: ir.Node, number: int) -> tuple[Counter[int], set[int]]:
    """How often each parameter is named, and which are in the text of queries."""
    in_texts: set[int] = set()
    known: dict[int, Counter[int]] = {}

    def counts(node: ir.Node) -> Counter[int]:
        found = known.get(id(node))
        if found is None:
            found = known[id(node)] = Counter()
            if isinstance(node, ir.Argument) and node.relation == number:
                found[node.column] += 1
            for n in ir.children(node):
                found.update(counts(n))
        return found

    for n in ir.walk(body):
        if isinstance(n, ir.SubQuery):
            in_texts |= {
                x.column
                for o in n.outer
                for x in ir.walk(o)
                if isinstance(x, ir.Argument) and x.relation == number
            }
    return counts(body), in_texts


def _replaced(node: ir.Node, number: int, standing: dict[int, ir.Node]) -> ir.Node:
    if isinstance(node, ir.Argument) and node.relation == number:
        return standing[node.column]
    return ir.replace_children(node, lambda n: _replaced(n, number, standing))


def in_text(text: Frag, number: int, args: Sequence[Frag]) -> Frag:
    """The text of a body with the texts of the arguments in their places."""
    return sql(
        *(args[p.column] if isinstance(p, Ref) and p.relation == number else p for p in text.parts),
        form=text.form,
    )


def let(emitter: Emitter, node: ir.Let) -> Frag:
    """DuckDB has no LET: the body is a lambda over a list of one; or, for no query stands in a lambda, a query of one row."""
    values = [emitter.frag(v) for v in node.values]
    name = f"tw_let{-node.relation}_"
    known = emitter.columns.get(node.relation)
    emitter.columns[node.relation] = [
        EmittedColumn(f"{name}.a{i}_", v.form, whole=True) for i, v in enumerate(values)
    ]
    try:
        body = emitter.frag(node.body)
    finally:
        if known is not None:
            emitter.columns[node.relation] = known
    if evaluation.has_query(body):
        row = join(", ", [sql(v, f" AS a{i}_") for i, v in enumerate(values)])
        return sql("(SELECT ", body, " FROM (SELECT ", row, f") AS {name})", form=body.form)
    fields: list[Item] = [sql(f"'a{i}_': ", v) for i, v in enumerate(values)]
    return evaluation.let(name, sql("{", join(", ", fields), "}"), body)
