"""Rows compared: two row constructors column by column, anything else as records.

    (a, b) = (1, 2)          a = 1 AND b = 2                     of two constructors: SQL's rules, NULL where in doubt
    (a, b) < (1, 2)          a < 1 OR a = 1 AND b < 2
    r = (1, 2), r1 < r2      one comparison of two records       as an index does it: NULLs are equal, and after all else

PostgreSQL decides by the syntax whether it is the one or the other, and so does this. A parameter that meets a row
is a record with that row's fields: EXECUTE has to give one of the same shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, record_images
from planner.binding.calls import CallBinder
from planner.binding.emit import EmittedColumn
from planner.binding.records import comparable_shapes, field_of, fields_of, items_of, row_of, where_present
from planner.binding.scope import Scope

BOOL = TypeRef(t.BOOL)
ROW_OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
_BY_PATTERN = ("~<~", "~<=~", "~>~", "~>=~")
"""Texts by their bytes, which is an order as well (text_pattern_ops): columns are equal as they are by `=`."""


def is_row(node: exp.Expression) -> bool:
    """`ROW(...)` or `(a, b)`."""
    return isinstance(node, exp.Tuple) or (
        isinstance(node, exp.Anonymous) and str(node.this).lower() == "row"
    )


def items(node: exp.Expression) -> list[exp.Expression]:
    """What is in a row constructor; of anything else, itself."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Tuple | exp.Anonymous):
        return list(node.expressions)
    return [node]


def _apart(a: TypeRef, b: TypeRef) -> bool:
    """Whether these are two different composite types: what is in them decides whether they can be compared."""
    return a.oid != b.oid and None not in (t.composite_fields(a.oid), t.composite_fields(b.oid))


def _is_record(ref: TypeRef) -> bool:
    return ref.oid == t.RECORD or t.composite_fields(ref.oid) is not None


def _is_null(node: ir.Node) -> bool:
    """Whether it is a NULL of no type."""
    return isinstance(node, ir.Lit) and node.value is None and node.type.oid == t.UNKNOWN


class RowComparisonBinder(CallBinder):
    def compared(
        self, op: str, left: exp.Expression, right: exp.Expression, scope: Scope, position: int, schema: str = ""
    ) -> ir.Node:  # fmt: skip
        """`left op right`, whichever of the two are rows. The operator stands at `position`."""
        if is_row(left) and is_row(right):
            return self._constructors(op, items(left), items(right), scope, position, schema)
        return self.infix(op, self.bind(left, scope), self.bind(right, scope), position, schema)

    def _constructors(
        self,
        op: str,
        left: Sequence[exp.Expression],
        right: Sequence[exp.Expression],
        scope: Scope,
        position: int,
        schema: str,
    ) -> ir.Node:
        a, b = self.spread(left, scope), self.spread(right, scope)
        if len(a) != len(b):
            raise PlanError("42601", "unequal number of entries in row expressions", position=position)
        if not a:
            raise PlanError("0A000", "cannot compare rows of zero length", position=position)
        return self.by_columns(op, list(zip(a, b, strict=True)), position, schema=schema)

    def by_columns(
        self, op: str, pairs: Sequence[tuple[ir.Node, ir.Node]], position: int, where: str = "", schema: str = ""
    ) -> ir.Node:  # fmt: skip
        """A comparison of rows, column by column."""
        if op in ("=", "<>"):
            tests = tuple(self.infix(op, a, b, position, schema, where) for a, b in pairs)
            return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "and" if op == "=" else "or", tests)
        if op not in ROW_OPERATORS and op not in _BY_PATTERN:
            for a, b in pairs:  # which has to be there first
                if (found := self.infix(op, a, b, position, schema, where).type).oid != t.BOOL:
                    shown = t.type_in_words(found.oid)
                    message = f"row comparison operator must yield type boolean, not type {shown}"
                    raise PlanError("42804", message, position=position)
            raise PlanError(
                "0A000", f"could not determine interpretation of row comparison operator {op}",
                hint="Row comparison operators must be associated with btree operator families.", position=position,
            )  # fmt: skip
        strict = op.replace("=", "")
        made: ir.Node = self.infix(op, *pairs[-1], position, schema, where)
        for a, b in reversed(pairs[:-1]):
            if op != strict:  # it is what PostgreSQL looks for, and says is not there
                self.infix(op, a, b, position, schema, where)
            less = self.infix(strict, a, b, position, schema, where)
            equal = self.infix("=", a, b, position, schema, where)
            made = ir.Logic(BOOL, "or", (less, ir.Logic(BOOL, "and", (equal, made))))
        return made

    def distinct(
        self, left: exp.Expression, right: exp.Expression, negated: bool, scope: Scope, position: int
    ) -> ir.Node:
        """IS (NOT, if `negated`) DISTINCT FROM, of rows or of anything."""
        word = "is not distinct from" if negated else "is distinct from"

        def test(x: ir.Node, y: ir.Node) -> ir.Node:
            equal = self.infix("=", x, y, position, where="IS DISTINCT FROM")
            if isinstance(equal, ir.Logic):
                return self._distinct_unlike(x, y, equal, negated)
            assert isinstance(equal, ir.Call), "what is no constructor has one operator"
            return ir.Call(BOOL, equal.op.replace(" = ", f" {word} "), equal.args)

        if not (is_row(left) and is_row(right)):
            x, y = self.bind(left, scope), self.bind(right, scope)
            for one, other in ((y, x), (x, y)):
                # No operator is asked: types that have none are told from NULL, and a parameter is of no type beside it.
                if _is_null(one):
                    return self._present(other, negated)
            return test(x, y)
        a, b = self.spread(items(left), scope), self.spread(items(right), scope)
        if len(a) != len(b):
            raise PlanError("42601", "unequal number of entries in row expressions", position=position)
        tests = tuple(test(x, y) for x, y in zip(a, b, strict=True))
        return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "and" if negated else "or", tests)

    def _distinct_unlike(self, x: ir.Node, y: ir.Node, equal: ir.Logic, negated: bool) -> ir.Node:
        """The same of records that are not alike: where one of them is none, whether the other is one."""
        one, other = (ir.Logic(BOOL, "is present", (r,)) for r in (x, y))
        absent = ir.Logic(BOOL, "not", (ir.Logic(BOOL, "or", (one, other)),))
        same = ir.Logic(BOOL, "case", (ir.Logic(BOOL, "and", (one, other)), equal, absent))
        return same if negated else ir.Logic(BOOL, "not", (same,))

    def _present(self, node: ir.Node, negated: bool) -> ir.Node:
        """Whether a value is no NULL; of a row, whether there is one, whatever is in it."""
        if node.type.oid == t.RECORD or t.composite_fields(node.type.oid) is not None:
            made = ir.Logic(BOOL, "is present", (node,))
            return ir.Logic(BOOL, "not", (made,)) if negated else made
        return ir.Logic(BOOL, "is null" if negated else "is not null", (self.coercions.known(node),))

    def record_comparison(self, op: str, a: ir.Node, b: ir.Node, position: int) -> ir.Node | None:
        """A comparison of two records, or of one with a parameter or NULL; None where it is neither."""
        if op in record_images.IMAGE_OPERATORS and all(_is_record(x.type) for x in (a, b)):
            a, b = self._with_fields(a, position), self._with_fields(b, position)
            return record_images.compared(self, op, a, b, position)
        if op not in ROW_OPERATORS:
            return None
        if t.RECORD not in (a.type.oid, b.type.oid) and not _apart(a.type, b.type):
            return None
        if a.type.oid == t.UNKNOWN and isinstance(a, ir.Lit | ir.Parm):
            a = self.coercions.coerce(a, b.type, "i", position)
        elif b.type.oid == t.UNKNOWN and isinstance(b, ir.Lit | ir.Parm):
            b = self.coercions.coerce(b, a.type, "i", position)
        a, b = self._with_fields(a, position), self._with_fields(b, position)
        a, b = _as_null_of(a, b), _as_null_of(b, a)
        if a.type.oid != b.type.oid:
            return None
        left, right = fields_of(a.type), fields_of(b.type)
        if left is None or right is None:
            raise PlanError(
                "0A000", "comparing records of unknown columns is not supported", position=position
            )
        try:
            comparable_shapes(left, right)
        except PlanError as unlike:
            return self._unlike(op, a, b, unlike)
        return ir.Call(BOOL, f"record {op} record", (a, b), False, position)

    def _unlike(self, op: str, a: ir.Node, b: ir.Node, error: PlanError) -> ir.Node:
        """Records that are not alike: what comes before the columns that cannot be compared may decide, and NULLs are not looked into."""
        pairs = zip(items_of(a) or (), items_of(b) or (), strict=False)
        alike = list(itertools.takewhile(lambda pair: pair[0].type.oid == pair[1].type.oid, pairs))
        number = self.queries.next_relation()
        self.queries.declare(number, [EmittedColumn("unlike", None, whole=True)])
        never = ir.Lit(BOOL, value=False), f"[{error.sqlstate}] {error.message}"
        made: ir.Node = ir.DomainCheck(BOOL, ir.Lit(BOOL, None), number, (never,))
        if alike:
            records = row_of(tuple(x for x, _ in alike)), row_of(tuple(y for _, y in alike))
            decided = ir.Call(BOOL, "record <> record", records)
            made = ir.Logic(BOOL, "case", (decided, ir.Call(BOOL, f"record {op} record", records), made))
        present = ir.Logic(BOOL, "and", tuple(ir.Logic(BOOL, "is present", (x,)) for x in (a, b)))
        return ir.Logic(BOOL, "case", (present, made, ir.Lit(BOOL, None)))

    def _with_fields(self, node: ir.Node, position: int) -> ir.Node:
        """A composite value as a record of its fields, to be compared with another."""
        composite = t.composite_fields(node.type.oid)
        if composite is None:
            return node
        fields = tuple(field_of(node, name, position) for name, _ in composite)
        return where_present(node, row_of(tuple(f for f in fields if f is not None)))


def _as_null_of(node: ir.Node, other: ir.Node) -> ir.Node:
    """A NULL of no record in particular (one of PL/pgSQL that is not assigned yet) as one of the other's kind, or of any."""
    if node.type.oid != t.RECORD or not isinstance(node, ir.Lit) or node.value is not None:
        return node
    if fields_of(node.type) is not None:
        return node
    known = other.type.oid == t.RECORD and fields_of(other.type) is not None
    return ir.Lit(other.type if known else row_of((ir.Lit(TypeRef(t.INT4), None),)).type, None)


__all__ = ["RowComparisonBinder", "is_row", "items"]
