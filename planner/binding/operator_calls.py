"""Operators, and the arguments that operators and functions take: from a name and typed operands to a resolved call.

    a + b              infix       the candidates of that name, the best match for the operands' types (manual, 10.2)
    - a                prefix      the same for one operand
    f(anyelement, x)   arguments   what each polymorphic type is in this call, and the implicit casts to the declared types

Operators that users made come first where a name may be theirs (`routines.own_operators`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import filled_rows, ir
from planner.binding.aggregate_calls import AggregateBinder
from planner.binding.coerce import Coercions
from planner.binding.domains import domain_of_result
from planner.binding.facts import range_of, type_name, type_oid
from planner.binding.offered import NOTHING, Offered
from planner.binding.records import fields_of, told_type
from planner.binding.resolve import ONE_TYPE, POLYMORPHIC, Ambiguous, bind_polymorphic, find_operator
from planner.binding.routines import own_operators
from planner.binding.rows_beside_arrays import of_their_type
from planner.binding.scope import Scope
from planner.binding.unresolved import NO_MATCH
from planner.relations import domain_in

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

BOOL = TypeRef(t.BOOL)
_SYSTEM: Final = "pg_catalog"


def shown(ref: TypeRef) -> str:
    """The type of what was given as messages name it: a value of a domain is of that."""
    return t.type_in_words(domain_in(ref) or told_type(ref).oid)


def _ambiguous(said: str, position: int) -> PlanError:
    return PlanError(
        "42725",
        f"operator is not unique: {said}",
        hint="Could not choose a best candidate operator. You might need to add explicit type casts.",
        position=position,
    )


def _missing(said: str, number: tuple[str, str, str], position: int) -> PlanError:
    """`number`: the words that tell one operand from two."""
    return PlanError(
        "42883",
        f"operator does not exist: {said}",
        hint=NO_MATCH.format("operator", *number),
        position=position,
    )


class OperatorBinder(AggregateBinder):
    """The part of binding calls that knows operators."""

    def __init__(self, queries: QueryBinder) -> None:
        self.queries = queries
        self.text: str = queries.text
        self.parameters = queries.parameters
        self.coercions: Coercions = queries.coercions

    def bind(self, node: exp.Expression, scope: Scope) -> ir.Node:
        raise NotImplementedError

    # --- operators -----------------------------------------------------------------------------

    def infix(
        self, op: str, a: ir.Node, b: ir.Node, position: int, schema: str = "", where: str = ""
    ) -> ir.Node:
        """`a op b`; `schema`: as OPERATOR(schema.op), of which pg_catalog has PostgreSQL's own, whoever has made a nearer one.
        `where`: as of `own_operators.call`. Raises 42883, 42725."""
        if op == "!=":
            op = "<>"
        if op == filled_rows.OPERATOR:
            a = filled_rows.base_of(self.queries, a, position)
        if op == "||" or t.RECORD_ARRAY in (a.type.oid, b.type.oid):
            a, b = of_their_type(self.coercions, (a, b))
        elif t.INT2VECTOR in (a.type.oid, b.type.oid):
            a, b = self._of_the_vector(a, b, position), self._of_the_vector(b, a, position)
        names = (type_name(a.type.oid), type_name(b.type.oid))
        ours = schema == _SYSTEM
        own = [] if ours else own_operators.known(self.queries, op, schema)
        said = f"{shown(a.type)} {schema + '.' if schema else ''}{op} {shown(b.type)}"
        found = None
        try:
            if own or (schema and not ours):
                found = own_operators.chosen(self.queries, op, schema, own, *names, position)
                if found is not None and own_operators.is_own(found):
                    return own_operators.call(self, found, (a, b), position, schema, where)
            if ours or not schema:
                made = self.record_comparison(op, a, b, position) or self._user_types(op, a, b, position)
                if made is not None:
                    return made
                offered = NOTHING if ours else self.queries.offered_operators()
                found = found or find_operator(op, *names, offered)
        except Ambiguous:
            raise _ambiguous(said, position) from None
        if found is None:
            raise _missing(said, ("s", "", "s"), position)
        args, result = self.arguments((found.left, found.right), found.result, [a, b], position)
        made = ir.Call(result, f"{found.left} {op} {found.right}", args, False, position)
        return filled_rows.obedient(self.queries, made, a) if op == filled_rows.OPERATOR else made

    def _of_the_vector(self, said: ir.Node, other: ir.Node, position: int) -> ir.Node:
        """A constant beside an int2vector is one, though the operator is the arrays'."""
        if said.type.oid != t.UNKNOWN or other.type.oid != t.INT2VECTOR:
            return said
        return self.coercions.coerce(said, TypeRef(t.INT2VECTOR), "i", position)

    def _user_types(self, op: str, a: ir.Node, b: ir.Node, position: int) -> ir.Node | None:
        """Comparison of two values of one type that a user made; an unknown literal is of the other's type."""
        if op not in ("=", "<>", "<", "<=", ">", ">="):
            return None
        for x, y in ((a, b), (b, a)):
            if t.composite_fields(x.type.oid) is not None and y.type.oid == t.UNKNOWN:
                other = self.coercions.coerce(y, TypeRef(x.type.oid), "i", position)
                a, b = (x, other) if x is a else (other, x)
        name = type_name(a.type.oid)
        if a.type.oid != b.type.oid or not name.startswith("#") or t.element_of(a.type.oid) or range_of(name):
            return None
        return ir.Call(BOOL, f"anyenum {op} anyenum", (a, b), False, position)

    def function(
        self, name: str, given: Sequence[ir.Node], position: int, offered: Offered = NOTHING
    ) -> ir.Node:
        raise NotImplementedError

    def standard(self, name: str, given: Sequence[ir.Node], position: int) -> ir.Node:
        """A call that the standard spells otherwise (`a AT TIME ZONE b`): of the function in pg_catalog, whatever others there are."""
        try:
            return self.function(name, given, position)
        except PlanError as e:
            e.message = e.message.replace(f"function {name}(", f"function pg_catalog.{name}(", 1)
            raise

    def record_comparison(self, op: str, a: ir.Node, b: ir.Node, position: int) -> ir.Node | None:
        raise NotImplementedError

    def prefix(self, op: str, a: ir.Node, position: int, schema: str = "") -> ir.Node:
        """`op a`. Raises 42883, 42725."""
        ours = schema == _SYSTEM
        own = [] if ours else own_operators.known(self.queries, op, schema)
        said = f"{schema + '.' if schema else ''}{op} {shown(a.type)}"
        try:
            if own or (schema and not ours):
                name = type_name(a.type.oid)
                found = own_operators.chosen(self.queries, op, schema, own, "", name, position)
                if found is not None and own_operators.is_own(found):
                    return own_operators.call(self, found, (a,), position, schema)
            else:
                offered = NOTHING if ours else self.queries.offered_operators()
                found = find_operator(op, "", type_name(a.type.oid), offered)
        except Ambiguous:
            raise _ambiguous(said, position) from None
        if found is None:
            raise _missing(said, ("", "an ", ""), position)
        args, result = self.arguments((found.right,), found.result, [a], position)
        return ir.Call(result, f"{op} {found.right}", args, False, position)

    # --- arguments -----------------------------------------------------------------------------

    def arguments(
        self, declared: Sequence[str], result: str, given: Sequence[ir.Node], position: int
    ) -> tuple[tuple[ir.Node, ...], TypeRef]:
        """The arguments as the declared types, polymorphic ones bound, and the actual result type.

        Raises 42804 where nothing tells what polymorphic ones are.
        """
        alike = [g.type.oid for d, g in zip(declared, given, strict=True) if d in ONE_TYPE]
        if alike and all(oid == t.UNKNOWN for oid in alike):
            raise PlanError("42804", "could not determine polymorphic type because input has type unknown")
        bound = bind_polymorphic(declared, [type_name(g.type.oid) for g in given]) or {}
        args = []
        for d, g in zip(declared, given, strict=True):
            if d == "any":
                args.append(self.coercions.known(g))
                continue
            actual = bound.get(d, d)
            if actual in POLYMORPHIC:
                args.append(self.coercions.settled(g))
            elif type_oid(actual) == g.type.oid:
                args.append(g)
            else:
                args.append(self.coercions.coerce(g, TypeRef(type_oid(actual)), "i", position))
        actual_result = bound.get(result, result)
        if actual_result in POLYMORPHIC and given:
            actual_result = type_name(given[0].type.oid)
        ref = TypeRef(type_oid(actual_result))
        if ref.oid in (t.RECORD, t.RECORD_ARRAY):
            # An anonymous record's fields travel as its modifier.
            shapes = {a.type.typmod for a in args if a.type.oid in (t.RECORD, t.RECORD_ARRAY)}
            if ref.oid == t.RECORD_ARRAY and len({fields_of(TypeRef(t.RECORD, s)) for s in shapes}) > 1:
                raise PlanError(
                    "0A000", "arrays of records of different columns are not supported", position=position
                )
            ref = TypeRef(ref.oid, shapes.pop() if len(shapes) == 1 else -1)
        if any(domain_in(g.type) for g in given):
            ref = domain_of_result(ref, declared, result, given)
        return tuple(args), ref
