"""Operators of users: a sign between operands is a call of a function.

    CREATE OPERATOR ### (leftarg = int, rightarg = int, function = glue)
    a ### b                          glue(a, b)

Which operator is meant: those of the sign that the search path finds and PostgreSQL's own together, by the rules of `resolve`; of two
with the same types the one that is found first. The call is then the function's, with all that it may and may not do
(`planner.binding.routines.inlined`). Who writes an expression down again wants the sign, and finds it in the call's name: `int4 ###:16400 int4`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError
from planner.binding import ir
from planner.binding.facts import Operator as OperatorFact
from planner.binding.facts import Proc, operators, procs, type_name
from planner.binding.offered import operators_named
from planner.binding.resolve import fitting_operator
from planner.binding.routines.inlined import call as call_routine
from planner.binding.routines.resolution import Resolved, concrete_of
from planner.catalog import Function, Operator, polymorphic
from planner.catalog.names import missing_schema

if TYPE_CHECKING:
    from planner.binding.operator_calls import OperatorBinder
    from planner.binding.queries import QueryBinder

_MARK: Final = "own:"
"""What the name of the function behind begins with, where it is an operator of a user's."""

EACH: Final = "ANY and ALL"


def known(queries: QueryBinder, sign: str, schema: str) -> list[Operator]:
    """The users' operators that this sign may mean."""
    found: list[Operator] = queries.ctx.catalog.operators(sign, schema, queries.search_path)
    kept = [o for o in found if o.oid in queries.routines.kept]
    return kept or found


def chosen(
    queries: QueryBinder, sign: str, schema: str, own: Sequence[Operator], left: str, right: str, position: int
) -> OperatorFact | None:  # fmt: skip
    """The operator for operands of these types; `left` is empty for a prefix operator. Raises Ambiguous, 3F000."""
    catalog = queries.ctx.catalog
    if schema:
        if catalog.find_schema(schema) is None:
            raise missing_schema(schema, position)
        queries.accesses.enters(schema, position)
        of_path = [
            o for o in operators_named(sign, queries.offered(schema)) if o not in operators().get(sign, ())
        ]
    else:
        of_path = list(operators_named(sign, queries.offered_operators()))
    facts = [_fact(o) for o in own]
    path = list(queries.search_path)
    last = path.index("pg_catalog") if "pg_catalog" in path else 0
    before = {s.oid for s in catalog.schemas_on(path[:last])} if last else set()
    nearer = [f for f, o in zip(facts, own, strict=True) if o.schema_oid in before and not schema]
    rows: dict[tuple[str, str], OperatorFact] = {}
    for o in (*nearer, *of_path, *facts):
        rows.setdefault((o.left, o.right), o)
    return fitting_operator(list(rows.values()), left, right)


def _fact(o: Operator) -> OperatorFact:
    left = type_name(o.left) if o.left else ""
    return OperatorFact(
        o.name, left, type_name(o.right), type_name(o.result) if o.result else "", f"{_MARK}{o.oid}"
    )


def is_own(found: OperatorFact | None) -> bool:
    """Whether a user has made it."""
    return found is not None and found.function.startswith(_MARK)


def call(
    calls: OperatorBinder, found: OperatorFact, given: Sequence[ir.Node], position: int, schema: str = "", where: str = ""
) -> ir.Node:  # fmt: skip
    """The value of an operator of a user's. Raises 42883 for one that is there in name only, 0A000.

    `where`: in what, if that is more than an expression: `EACH` asks it of several values, and names it more than once.
    """
    queries = calls.queries
    operator = queries.ctx.catalog.get(int(found.function.removeprefix(_MARK)))
    assert isinstance(operator, Operator)
    if not operator.function:
        shown = [t.type_in_words(g.type.oid) for g in given]
        said = f"{shown[0]} {operator.name} {shown[1]}" if len(shown) == 2 else f"{operator.name} {shown[0]}"
        raise PlanError("42883", f"operator is only a shell: {said}", position=position)
    declared = (found.left, found.right) if found.left else (found.right,)
    types = [type_name(g.type.oid) for g in given]
    args, result = calls.arguments(declared, found.result, given, position)
    clause = queries.ctx.clause
    if clause and not schema and operator.name in operators():
        raise PlanError(
            "0A000",
            f"operator {operator.name} of a user's in {clause} is not supported where PostgreSQL has one of the sign",
            hint=f"Say its schema: OPERATOR(schema.{operator.name}).",
            position=position,
        )
    if queries.routines.own:
        queries.routines.used.add(operator.oid)
    f = queries.ctx.catalog.get(operator.function)
    if not queries.routines.expand:
        if isinstance(f, Function):
            queries.accesses.executes(f)
        words = f"{'any ' * bool(found.left)}{operator.name}:{operator.oid} any"
        return ir.Call(
            result, words, args, ir.drawn(isinstance(f, Function) and f.volatility == "v"), position
        )
    if isinstance(f, Function):
        if polymorphic.is_polymorphic(f):
            f = concrete_of(f, declared, types, position)
        called = f.oid in queries.routines.used
        made = call_routine(queries, Resolved(f, list(args), list(range(len(args)))), None, position)
        if not called:  # what the expression needs is the operator, which needs the function
            queries.routines.used.discard(f.oid)
        inside = _queries(made) - sum(map(_queries, args))
        if where and (f.runs or inside or where != EACH):
            raise PlanError("0A000", f"operator {operator.name} of a user's in {where} is not supported", position=position)  # fmt: skip
        return made
    proc = _proc(operator.function)
    resolved, _ = calls.resolve(proc.name, args, position)
    if where and where != EACH:
        raise PlanError("0A000", f"operator {operator.name} of a user's in {where} is not supported", position=position)  # fmt: skip
    if resolved.oid != proc.oid:
        raise PlanError("0A000", f"operator {operator.name} over function {proc.name} is not supported here", position=position)  # fmt: skip
    return calls.function(proc.name, args, position)


def _queries(node: ir.Node) -> int:
    return sum(isinstance(n, ir.SubQuery | ir.Let) for n in ir.walk(node))


def _proc(oid: int) -> Proc:
    return next(p for rows in procs().values() for p in rows if p.oid == oid)


__all__ = ["EACH", "call", "chosen", "is_own", "known"]
