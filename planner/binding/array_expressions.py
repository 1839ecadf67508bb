"""Arrays in expressions: ARRAY[...], and what is taken out of one, or of another value, by subscripts.

    ARRAY[[1, 2], [3, 4]]      elements of one type; behind a cast, of the type's elements
    a[1][2], a[1:2][:]         an element, a part

What other types mean by subscripts (jsonb, hstore, points and boxes) is told by rooms of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.column_names import NameBinder
from planner.binding.dimensions import array_over
from planner.binding.domains import element_domain
from planner.binding.facts import category, type_name
from planner.binding.records import told_type
from planner.binding.resolve import common_type
from planner.binding.rows_of_heirs import is_row_of
from planner.binding.scope import Scope
from planner.binding.subscripts import geometry as geometry_subscripts
from planner.binding.subscripts import hstore as hstore_subscripts
from planner.binding.subscripts import jsonb as jsonb_subscripts
from planner.catalog.row_types import is_row_array, relation_of
from planner.lexer import tokenize
from planner.parse import position as first_position
from planner.relations import domain_in, of_domain, said_type
from planner.types.array_values import DIMENSIONS_MAX, too_many_dimensions
from planner.types.geometry import INSIDE

INT4, UNKNOWN = TypeRef(t.INT4), TypeRef(t.UNKNOWN)


def _is_variable(node: ir.Node) -> bool:
    """A record variable of PL/pgSQL as a whole."""
    if isinstance(node, ir.Logic) and node.op == "row":
        return bool(node.args) and all(isinstance(x, ir.Parm) for x in node.args)
    return isinstance(node, ir.Lit) and node.value is None


def _is_empty(node: ir.Node) -> bool:
    """ARRAY[]::record[], which has no records that could have columns."""
    return (
        isinstance(node, ir.Logic)
        and node.op == "array"
        and not node.args
        and node.type.oid == t.RECORD_ARRAY
    )


def _whole(ref: TypeRef) -> TypeRef:
    """The type of a part of an array: over a domain's values the same, of a domain over arrays the array underneath."""
    return ref if element_domain(ref) else of_domain(ref, 0)


def _empty_array(text: str) -> int:
    """Where the `ARRAY[]` stands whose type nothing says: nothing in it has a place of its own. 0: there are several."""
    tokens = tokenize(text)
    found = [
        word.start + 1
        for word, *brackets, after in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
        if word.keyword == "array" and [x.value for x in brackets] == ["[", "]"] and after.value != "::"
    ]
    return found[0] if len(found) == 1 else 0


class ArrayBinder(NameBinder):
    """Arrays, their elements and parts."""

    def _array(self, node: exp.Array, scope: Scope, target: TypeRef | None = None) -> ir.Node:
        items = node.expressions
        if len(items) == 1 and isinstance(items[0], exp.Select | exp.Union):
            return self.array_query(items[0], scope)
        if target is not None:
            element = TypeRef(t.element_of(target.oid), target.typmod)
            bound = [None if isinstance(i, exp.Array) else self.bind(i, scope) for i in items]
            # Beside an array what is in quotes is one as well: `ARRAY['{NULL}', ARRAY[1]]::int[]`.
            beside = any(v is None or t.element_of(v.type.oid) for v in bound)
            made = []
            for item, value in zip(items, bound, strict=True):
                if value is None:  # one dimension further in
                    assert isinstance(item, exp.Array)
                    made.append(self._array(item, scope, target))
                    continue
                nested = t.element_of(value.type.oid) or (beside and value.type.oid == t.UNKNOWN)
                made.append(
                    self.coercions.coerce(value, target if nested else element, "e", first_position(item))
                )
            return ir.Logic(target, "array", tuple(made))
        if not items:
            raise PlanError(
                "42P18",
                "cannot determine type of empty array",
                hint="Explicitly cast to the desired type, for example ARRAY[]::integer[].",
                position=first_position(node) or _empty_array(self.text),
            )
        nodes = [self.bind(i, scope) for i in items]
        made, ref = self.to_common(nodes, "ARRAY", [first_position(i) for i in items])
        return ir.Logic(array_over(ref), "array", tuple(made))

    def _subscript(self, node: exp.Bracket, scope: Scope) -> ir.Node:
        position = first_position(node)
        inner: exp.Expression = node
        subscripts: list[exp.Expression] = []
        while isinstance(inner, exp.Bracket):
            subscripts = list(inner.expressions) + subscripts
            inner = inner.this
        base = self.bind(inner, scope)
        if t.element_of(base.type.oid) and len(subscripts) > 1:
            return self._subscripts(base, subscripts, scope)
        if base.type.oid == t.JSONB:
            return jsonb_subscripts.element(self, base, subscripts, scope)
        if base.type.oid == t.HSTORE:
            return hstore_subscripts.element(self, base, subscripts, scope)
        if base.type.oid in INSIDE:
            return geometry_subscripts.element(self, base, subscripts, scope)
        if inner is not node.this:
            base = self.bind(node.this, scope)
        vector = {t.INT2VECTOR: t.INT2, t.OIDVECTOR: t.OID, t.NAME: t.CHAR}.get(base.type.oid, 0)
        element = vector or t.element_of(base.type.oid)
        if not element:
            kind = t.type_in_words(base.type.oid)
            raise PlanError(
                "42804",
                f"cannot subscript type {kind} because it does not support subscripting",
                position=position,
            )
        if len(node.expressions) != 1:
            raise PlanError("0A000", "multidimensional subscripts are not supported", position=position)
        index = node.expressions[0]
        if isinstance(index, exp.Slice):
            if vector:
                raise PlanError("0A000", "slices of catalog vectors are not supported", position=position)
            low, high = (
                self._place(x, scope) if x is not None else ir.Lit(UNKNOWN, None)
                for x in (index.this, index.expression)
            )
            return ir.Call(_whole(base.type), "array slice", (base, low, high))
        at = self._place(index, scope)
        if vector:
            return ir.Call(TypeRef(vector), "vector subscript", (base, at))
        ref = of_domain(TypeRef(element, base.type.typmod), element_domain(base.type))
        return ir.Call(ref, "array subscript", (base, at))

    def _place(self, subscript: exp.Expression, scope: Scope) -> ir.Node:
        """Raises 42804."""
        at = first_position(subscript)
        made = self.coercions.try_coerce(self.bind(subscript, scope), INT4, "a", at)
        if made is None:
            raise PlanError("42804", "array subscript must have type integer", position=at)
        return made

    def _subscripts(self, base: ir.Node, subscripts: list[exp.Expression], scope: Scope) -> ir.Node:
        """`a[i][j]`, or with any slice among them a part of the array: `a[1:2][2:3]`, where `[n]` means `[1:n]`."""
        element = TypeRef(t.element_of(base.type.oid), base.type.typmod)
        element = of_domain(element, element_domain(base.type))
        if len(subscripts) > DIMENSIONS_MAX:
            raise too_many_dimensions(len(subscripts))

        def number(x: exp.Expression | None) -> ir.Node:
            if x is None:
                return ir.Lit(UNKNOWN, None)  # not NULL, but not given
            return self._place(x, scope)

        if not any(isinstance(x, exp.Slice) for x in subscripts):
            places = tuple(number(x) for x in subscripts)
            return ir.Call(element, "array subscript", (base, *places))
        bounds: list[ir.Node] = []
        for x in subscripts:
            if isinstance(x, exp.Slice):
                bounds += [number(x.this), number(x.expression)]
            else:
                bounds += [ir.Lit(INT4, 1), number(x)]
        return ir.Call(_whole(base.type), "array slice", (base, *bounds))

    def _of_row_types(self, nodes: Sequence[ir.Node], what: str) -> Sequence[ir.Node]:
        """Whole rows beside values of their own type, and beside literals that are to be read as such, are values of that type.

        So are variables of it in ARRAY[...].
        """
        types = {n.type.oid for n in nodes}
        above = self._above_all(nodes)
        if above is not None:
            return [self.coercions.coerce(n, above, "i") for n in nodes]
        if t.RECORD not in types:
            return nodes
        read = any(isinstance(n, ir.Lit) and n.type.oid == t.UNKNOWN and n.value is not None for n in nodes)
        out = []
        for n in nodes:
            rows = told_type(n.type)
            beside = n.type.oid == t.RECORD != rows.oid and (
                read or rows.oid in types or (what == "ARRAY" and _is_variable(n))
            )
            out.append(self.coercions.coerce(n, rows, "i") if beside else n)
        return out

    def _above_all(self, nodes: Sequence[ir.Node]) -> TypeRef | None:
        """The type of the rows that rows of several tables are all of: of a table that the others' inherit from."""
        told = {told_type(n.type).oid: None for n in nodes if n.type.oid != t.UNKNOWN}
        if len(told) < 2 or not all(relation_of(oid) and not is_row_array(oid) for oid in told):
            return None
        catalog = self.queries.ctx.catalog
        for above in told:
            if all(oid == above or is_row_of(catalog, oid, above) for oid in told):
                return TypeRef(above)
        return None

    def to_common(
        self, nodes: Sequence[ir.Node], what: str, positions: Sequence[int]
    ) -> tuple[list[ir.Node], TypeRef]:
        """All of one type, by section 10.5. Raises 42804, and 42846 where only their category is the same."""
        nodes = self._of_row_types(nodes, what)
        names = [type_name(n.type.oid) for n in nodes]
        common = common_type(names)
        if common is None:
            first = next(n for n in nodes if n.type.oid != t.UNKNOWN)
            for n, p in zip(nodes, positions, strict=True):
                if (
                    n.type.oid != t.UNKNOWN
                    and common_type([type_name(first.type.oid), type_name(n.type.oid)]) is None
                ):
                    a, b = (t.type_in_words(x.type.oid) for x in (first, n))
                    if category(type_name(first.type.oid)) == category(type_name(n.type.oid)):
                        part = what if what != "CASE" else "CASE/ELSE" if n is nodes[0] else "CASE/WHEN"
                        message = f"{part} could not convert type {b} to {a}"
                        raise PlanError("42846", message, position=p)
                    raise PlanError("42804", f"{what} types {a} and {b} cannot be matched", position=p)
            raise PlanError("42804", f"{what} types cannot be matched")
        from planner.binding.facts import type_oid

        oid = type_oid(common)
        mods = {n.type.typmod for n in nodes if n.type.oid == oid and not _is_empty(n)}
        if oid in (t.RECORD, t.RECORD_ARRAY) and len(mods) > 1:
            raise PlanError("0A000", f"{what} of records with different columns is not supported")
        alike = (
            (oid, t.UNKNOWN) if oid in (t.RECORD, t.RECORD_ARRAY) else (oid,)
        )  # a NULL has no fields to differ
        ref = TypeRef(oid, mods.pop() if len(mods) == 1 and all(n.type.oid in alike for n in nodes) else -1)
        said = {said_type(n.type).oid for n in nodes}
        if len(said) == 1:  # all of one domain
            ref = of_domain(ref, domain_in(nodes[0].type))
        made = [
            ir.Logic(ref, "array", ())
            if _is_empty(n)
            else self.coercions.coerce(n, ref if n.type.oid in alike else TypeRef(oid), "i", p)
            for n, p in zip(nodes, positions, strict=True)
        ]
        return made, ref
