"""AND and OR whose sides call functions that run or do something: from left to right, and no further than it takes (`evaluation` has the rule).

    mail IS NULL OR is_mail(mail)       CASE WHEN mail IS NULL THEN true ELSE (mail IS NULL OR is_mail(mail)) END
    is_free(id) AND taken(id)           list_transform([is_free(id)], lambda x: CASE WHEN NOT x THEN false ELSE (x AND taken(id)) END)[1]

PostgreSQL asks the right side only where the left one leaves it open, and CHECKs are written so: the function may raise what the left
side keeps from it, and writes nothing where it is not asked. DuckDB computes both sides of all rows, but a CASE's branch of those rows alone
that come to it. What is asked before is said twice, so it must be the same twice; what runs or varies is the parameter of a lambda.

The conditions that WHERE and ON consist of stay apart, for DuckDB looks at each by itself: joins by what is equal, parts by what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planner.binding import ir, shapes
from planner.binding.effects import does_something
from planner.binding.evaluation import has_query, let
from planner.binding.fragments import Frag, sql

if TYPE_CHECKING:
    from planner.binding.emit import Emitter


def _runs(node: ir.Node) -> bool:
    """Whether it is seen that it is computed: it runs something, or draws a number of a sequence, or the like."""
    return does_something(node) or any(isinstance(n, ir.Call) and n.op == ir.RUN for n in ir.walk(node))


_BEFORE = shapes.BEFORE | ir.AnyAll
"""What may not stand in a lambda, or may be a query."""


def _is_said_twice(node: ir.Node) -> bool:
    return (
        not _runs(node) and not ir.varies(node) and not any(isinstance(n, ir.SubQuery) for n in ir.walk(node))
    )


def in_turn(emitter: Emitter, node: ir.Node) -> Frag | None:
    """The text of an AND or OR; None where nothing that runs comes behind something else."""
    if not isinstance(node, ir.Logic) or node.op not in ("and", "or") or not any(map(_runs, node.args[1:])):
        return None
    return _sides(emitter, node.op, node.args)


def ands(node: ir.Node) -> Iterator[ir.Node]:
    """The ANDs whose sides a condition consists of."""
    if isinstance(node, ir.Logic) and node.op == "and":
        yield node
        for a in node.args:
            yield from ands(a)


def _sides(emitter: Emitter, op: str, sides: tuple[ir.Node, ...]) -> Frag:
    side, *others = sides
    if not others:
        return _side(emitter, side)
    rest = tuple(others)
    left = _side(emitter, side)
    if not any(map(_runs, rest)):
        return _decided(op, left, _sides(emitter, op, rest), in_any_case=True)
    if _is_said_twice(side):
        return _decided(op, left, _sides(emitter, op, rest))
    if any(isinstance(n, _BEFORE) for x in rest for n in ir.walk(x)):
        return _decided(op, left, _sides(emitter, op, rest), in_any_case=True)
    emitter.lets += 1
    try:
        name = f"tw_once{emitter.lets}_"
        body = _decided(op, sql(name), _sides(emitter, op, rest))
    finally:
        emitter.lets -= 1
    if has_query(body):
        return _decided(op, left, _sides(emitter, op, rest), in_any_case=True)
    return let(name, left, body)


def _decided(op: str, left: Frag, rest: Frag, *, in_any_case: bool = False) -> Frag:
    """Both sides, the right one where the left one leaves it open, or `in_any_case`."""
    both = sql("(", left, f" {op.upper()} ", rest, ")")
    if in_any_case:
        return both
    test, found = (sql("(NOT ", left, ")"), "false") if op == "and" else (left, "true")
    return sql("(CASE WHEN ", test, f" THEN {found} ELSE ", both, " END)")


def _side(emitter: Emitter, node: ir.Node) -> Frag:
    return in_turn(emitter, node) or emitter.frag(node)


__all__ = ["ands", "in_turn"]
