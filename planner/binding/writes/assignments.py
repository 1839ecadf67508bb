"""Assignment to a part of a column: an array's element or slice, a composite's field, and any of these within others.

    SET a[2] = x              put(a, [2], x)
    SET c.street = x          put(c, street, x)
    SET l[1].street = x       put(l, [1], put(l[1], street, x))

A value is never changed in place: the column gets a new value that is made of the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Self

from sqlglot import exp

from planner import types as t
from planner.abc import Column, PlanError, TypeRef
from planner.binding import ir
from planner.binding.naming import identifier
from planner.binding.records import field_of
from planner.binding.scope import Scope
from planner.binding.subscripts import geometry as geometry_subscripts
from planner.binding.subscripts import hstore as hstore_subscripts
from planner.binding.subscripts import jsonb as jsonb_subscripts
from planner.types.geometry import INSIDE

if TYPE_CHECKING:
    from planner.binding.array_expressions import ArrayBinder
    from planner.binding.coerce import Coercions

Step = str | tuple[exp.Expression, ...]
"""A field's name, or subscripts."""


def target_of(node: exp.Expression) -> tuple[exp.Expression, list[Step]]:
    """The column that SET names on its left, and the way from there to the part that is assigned."""
    steps: list[Step] = []
    while True:
        if isinstance(node, exp.Paren):
            node = node.this
        elif isinstance(node, exp.Bracket):
            subscripts = tuple(node.expressions)
            node = node.this
            while isinstance(node, exp.Bracket):
                subscripts = (*node.expressions, *subscripts)
                node = node.this
            steps.insert(0, subscripts)
        elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
            steps.insert(0, identifier(node.expression))
            node = node.this
        elif isinstance(node, exp.Column) and node.args.get("table") is not None:
            words = [node.args[k] for k in ("catalog", "db", "table") if node.args.get(k) is not None]
            steps[:0] = [identifier(w) for w in [*words[1:], node.this]]
            return words[0], steps
        else:
            return node, steps


def targets_in(left: exp.Expression) -> list[exp.Expression]:
    """What stands on the left of one `=` of SET: a column or a part of one, or several in brackets."""
    if isinstance(left, exp.Tuple):
        return list(left.expressions)
    return [left.this if isinstance(left, exp.Paren) else left]


def is_default(node: exp.Expression) -> bool:
    return (isinstance(node, exp.Var) and str(node.this).upper() == "DEFAULT") or (
        isinstance(node, exp.Column) and node.args.get("table") is None and isinstance(node.this, exp.Identifier)
        and not node.this.args.get("quoted") and str(node.this.this).upper() == "DEFAULT"
    )  # fmt: skip


_WITHIN: Final = {t.JSONB: t.JSONB, t.HSTORE: t.TEXT, **INSIDE}
"""What subscripts of values that are no arrays lead to."""


def type_of_part(ref: TypeRef, steps: Sequence[Step]) -> TypeRef | None:
    """What is expected of a value for this part of a `ref`; None where assigning it will say what is wrong, or takes anything."""
    for step in steps:
        if isinstance(step, str):
            found = next((kind for name, kind in t.composite_fields(ref.oid) or () if name == step), None)
            if found is None:
                return None
            ref = found
        elif (within := _WITHIN.get(ref.oid)) is not None:
            ref = TypeRef(within)
        elif not (element := t.element_of(ref.oid)):
            return None
        elif not any(isinstance(x, exp.Slice) for x in step):
            ref = TypeRef(element, ref.typmod)
    return ref


class PartBinder:
    """Binds one such assignment; `column` and `position` are for messages."""

    def __init__(
        self, expressions: ArrayBinder, coercions: Coercions, column: Column, scope: Scope, position: int
    ) -> None:
        self.expressions, self.coercions = expressions, coercions
        self.column, self.scope, self.position = column, scope, position

    def put(self, base: ir.Node, ref: TypeRef, steps: Sequence[Step], value: ir.Node, where: int) -> ir.Node:
        """`base`, a value of type `ref`, with the part at `steps` replaced; `where`: the target's position."""
        step, rest = steps[0], steps[1:]
        if isinstance(step, str):
            return self._put_field(base, ref, step, rest, value, where)
        return self._put_element(base, ref, step, rest, value, where)

    def _of_field(self, name: str, ref: TypeRef) -> Self:
        """For what is within a field, which messages call a column as well."""
        return type(self)(self.expressions, self.coercions, Column(name, ref, 1), self.scope, self.position)

    def _shown(self, ref: TypeRef) -> str:
        """What a composite type that has parts to assign is called: a column of a domain, or of arrays over one, by the domain."""
        use, whole = self.column.domain, self.column.type.oid
        if use is not None and ref.oid == (t.element_of(whole) if use.over_elements else whole):
            return use.name
        return t.type_in_words(ref.oid)

    def fitted(self, value: ir.Node, wanted: TypeRef) -> ir.Node | None:
        """A value as what it is assigned to; None where it cannot be."""
        return self.coercions.try_coerce(value, wanted, "a", self.position)

    def _coerced(self, value: ir.Node, wanted: TypeRef, message: str, where: int = 0) -> ir.Node:
        made = self.fitted(value, wanted)
        if made is None:
            shown = t.type_in_words(wanted.oid), t.type_in_words(value.type.oid)
            raise PlanError(
                "42804",
                f'{message} "{self.column.name}" requires type {shown[0]} but expression is of type {shown[1]}',
                hint="You will need to rewrite or cast the expression.",
                position=where or self.position,
            )
        return made

    def _put_field(
        self, base: ir.Node, ref: TypeRef, name: str, rest: Sequence[Step], value: ir.Node, where: int
    ) -> ir.Node:
        fields = t.composite_fields(ref.oid)
        shown = self._shown(ref)
        if fields is None:
            raise PlanError(
                "42804",
                f'cannot assign to field "{name}" of column "{self.column.name}" because its type {shown} is not '
                "a composite type",
                position=where,
            )
        place = next((i for i, (field, _) in enumerate(fields) if field == name), None)
        if place is None:
            raise PlanError(
                "42703",
                f'cannot assign to field "{name}" of column "{self.column.name}" because there is no such column '
                f"in data type {shown}",
                position=where,
            )
        inner = fields[place][1]
        if rest:
            below = field_of(base, name, where)
            assert below is not None
            made = self._of_field(name, inner).put(below, inner, rest, value, where)
        else:
            coerced = self.fitted(value, inner)
            if coerced is None:
                wanted, got = t.type_in_words(inner.oid), t.type_in_words(value.type.oid)
                raise PlanError(
                    "42804",
                    f'subfield "{name}" is of type {wanted} but expression is of type {got}',
                    hint="You will need to rewrite or cast the expression.",
                    position=where,
                )
            made = coerced
        index = ir.Lit(TypeRef(t.INT4), place)
        return ir.Call(
            TypeRef(ref.oid), "composite put", (base, made, index, ir.Lit(TypeRef(t.INT4), len(fields)))
        )

    def _put_element(
        self,
        base: ir.Node,
        ref: TypeRef,
        subscripts: Sequence[exp.Expression],
        rest: Sequence[Step],
        value: ir.Node,
        where: int,
    ) -> ir.Node:
        if ref.oid == t.JSONB and not rest:
            made = self._coerced(value, TypeRef(t.JSONB), "subscripted assignment to", where)
            return jsonb_subscripts.put(self.expressions, base, subscripts, made, self.scope)
        if ref.oid == t.HSTORE and not rest:
            made = self._coerced(value, TypeRef(t.TEXT), "subscripted assignment to", where)
            return hstore_subscripts.put(self.expressions, base, subscripts, made, self.scope)
        if ref.oid in INSIDE and not rest:
            made = self._coerced(value, TypeRef(INSIDE[ref.oid]), "subscripted assignment to", where)
            return geometry_subscripts.put(self.expressions, base, subscripts, made, self.scope)
        element = t.element_of(ref.oid)
        if not element:
            raise PlanError(
                "42804",
                f"cannot subscript type {t.type_in_words(ref.oid)} because it does not support subscripting",
                position=where,
            )
        slices = any(isinstance(x, exp.Slice) for x in subscripts)
        wanted = TypeRef(ref.oid if slices else element, ref.typmod)
        places = self._places(subscripts, slices)
        if rest:
            below = ir.Call(TypeRef(element, ref.typmod), "array subscript", (base, *places))
            made = self.put(below, wanted, rest, value, where)
        else:
            made = self._coerced(value, wanted, "subscripted assignment to", where)
        return ir.Call(TypeRef(ref.oid), "array put slice" if slices else "array put", (base, made, *places))

    def _places(self, subscripts: Sequence[exp.Expression], slices: bool) -> list[ir.Node]:
        places: list[ir.Node] = []
        for x in subscripts:
            if not slices:
                places.append(self._place(x))
            elif isinstance(x, exp.Slice):
                places += [self._place(x.this), self._place(x.expression)]
            else:
                places += [ir.Lit(TypeRef(t.INT4), 1), self._place(x)]
        return places

    def _place(self, node: exp.Expression | None) -> ir.Node:
        if node is None:
            return ir.Lit(TypeRef(t.UNKNOWN), None)  # not NULL, but not given
        bound = self.expressions.bind(node, self.scope)
        return self.coercions.coerce(bound, TypeRef(t.INT4), "a", self.position)


def assigned_twice(column: Column) -> PlanError:
    return PlanError("42601", f'multiple assignments to same column "{column.name}"')
