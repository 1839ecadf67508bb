"""Bringing an expression to a type: literals are read, parameters decided, everything else is cast.

    coerce(node, TypeRef(INT8), "i")     implicitly, where an operator or function wants it
    coerce(node, column.type, "a")       in assignment: modifiers are enforced (22001, 22003)
    coerce(node, target, "e")            an explicit CAST

String literals become values of the target type at once, by PostgreSQL's input functions, so a malformed
one is an error with its position before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from planner import types as t
from planner.abc import PlanError, SqlError, TypeRef
from planner.binding import ir
from planner.binding.facts import category, element_name, type_name
from planner.binding.numerics import to_float
from planner.binding.parameters import Parameters
from planner.binding.records import items_of, row_of, told_type, where_present
from planner.binding.resolve import POLYMORPHIC, castable, own_cast
from planner.binding.rows_of_heirs import as_row_above
from planner.catalog.routine_objects import Cast
from planner.catalog.row_types import FIRST_ROW_TYPE
from planner.catalog.system.reg_names import INPUT, RegNames
from planner.errors import UndescribedRecord
from planner.records import replace
from planner.types.facts import FIRST_USER_OID

UNKNOWN = TypeRef(t.UNKNOWN)
_RANGES = {
    t.INT2: (-(1 << 15), (1 << 15) - 1),
    t.INT4: (-(1 << 31), (1 << 31) - 1),
    t.INT8: (-(1 << 63), (1 << 63) - 1),
    t.OID: (0, (1 << 32) - 1),
}
_OF_ANY_LENGTH = frozenset(
    (t.NUMERIC, t.VARCHAR, t.BPCHAR, t.VARBIT, t.TIMESTAMP, t.TIMESTAMPTZ, t.TIME, t.TIMETZ)
)
"""Types whose values keep theirs in a cast that names no length."""


def name_of(ref: TypeRef) -> str:
    return type_name(ref.oid)


def read_as(target: TypeRef) -> TypeRef:
    """What an untyped literal is read as for `target`: the type, of which the value is asked its modifier later. Of an interval the
    modifier says what is read: `'5'` are minutes to `hour to minute`."""
    return target if target.oid == t.INTERVAL else TypeRef(target.oid)


class Coercions:
    def __init__(
        self, parameters: Parameters, settings: Any, names: RegNames | None = None, catalog: Any = None
    ) -> None:
        self.names = names
        self.catalog = catalog
        """Whose tables inherit from each other; None: of no tables' rows."""
        self.parameters = parameters
        self.settings = settings
        self.asked: Callable[[ir.Node], ir.Node] | None = None
        """Puts around a composite value what the domains of its attributes ask."""
        self.cast_of_user: Callable[[Cast, ir.Node, TypeRef, str, int], ir.Node] | None = None
        """Applies a cast that a user has made."""
        self.noting: Callable[[int, TypeRef, str], None] | None = None
        """Told of each literal that is read: where it is, as which type, its words (`planner.binding.readings`)."""

    def coerce(self, node: ir.Node, target: TypeRef, context: str, position: int = 0) -> ir.Node:
        """The node as a `target`. Raises 42846 (explicit) or 42804 where no cast exists; 22P02 and kin."""
        made = self.try_coerce(node, target, context, position)
        if made is None:
            a, b = t.type_in_words(told_type(node.type).oid), t.type_in_words(target.oid)
            if context == "e":
                raise PlanError("42846", f"cannot cast type {a} to {b}", position=position)
            raise PlanError("42804", f"cannot convert type {a} to {b}", position=position)
        return made

    def try_coerce(self, node: ir.Node, target: TypeRef, context: str, position: int = 0) -> ir.Node | None:
        """The same; None where no cast exists."""
        made = self._converted(node, target, context, position)
        if made is None or self.asked is None or target.oid < FIRST_USER_OID:
            return made
        null = isinstance(made, ir.Lit) and made.value is None
        if null or (node.type.oid == target.oid and not isinstance(node, ir.Parm)):
            return made
        if told_type(node.type).oid == target.oid and node.type.oid != target.oid:
            return made  # a whole row of a relation, which has been asked
        return self.asked(made) if t.composite_conditions(t.element_of(target.oid) or target.oid) else made

    def count(self, node: ir.Node, what: str, position: int) -> ir.Node:
        """The argument of a clause that counts rows, as a bigint. Raises 42804."""
        made = self.try_coerce(node, TypeRef(t.INT8), "a", position)
        if made is None:
            raise PlanError(
                "42804",
                f"argument of {what} must be type bigint, not type {t.format_type(node.type)}",
                position=position,
            )
        return made

    def _converted(self, node: ir.Node, target: TypeRef, context: str, position: int) -> ir.Node | None:
        if node.type.oid == t.UNKNOWN and not isinstance(node, ir.Lit | ir.Parm):
            node = ir.Cast(TypeRef(t.TEXT), node)
        if node.type.oid == t.UNKNOWN and target.oid != t.UNKNOWN:
            if isinstance(node, ir.Lit):
                return self.read_literal(node, target, context)
            assert isinstance(node, ir.Parm)
            stated = self.parameters.type_of(node.number)
            if stated is None:
                stated = self.parameters.decide(node.number, target)
            node = replace(node, type=stated)
            if stated.oid != target.oid and not castable(name_of(stated), name_of(target), context):
                a, b = t.format_type(stated), t.type_in_words(target.oid)
                raise PlanError(
                    "42P08",
                    f"inconsistent types deduced for parameter ${node.number}",
                    detail=f"{b} versus {a}",
                    position=node.position,
                )
        told = told_type(node.type)  # of a whole row: that of the table's or the variable's rows
        own = own_cast(told.oid, target.oid, context)
        if own is not None and self.cast_of_user is not None:
            node = self.cast_of_user(own, node, target, context, position)
        elements = t.element_of(node.type.oid), t.element_of(target.oid)
        if all(elements) and (of_each := own_cast(*elements, context)) is not None and of_each.method == "f":
            raise PlanError("0A000", "casts of arrays by a user's cast of what is in them are not supported", position=position)  # fmt: skip
        null = isinstance(node, ir.Lit) and node.value is None and node.type.oid != t.UNKNOWN
        if null and castable(name_of(node.type), name_of(target), context):
            return ir.Lit(target, None)
        if FIRST_ROW_TYPE <= told.oid != target.oid and self.catalog is not None:
            above = as_row_above(node, target, self.catalog, position)
            if above is not None:
                return above
            if own is None and t.composite_fields(target.oid) is not None:
                return None  # a row of a relation is none of a type that it is not of, whatever its columns
        fields = t.composite_fields(target.oid) if node.type.oid == t.RECORD else None
        if fields is not None:
            node = self._as_composite(node, target, fields, context, position)
        said: ir.Node | None = None
        if node.type.oid != target.oid:
            if node.type.oid == t.RECORD_ARRAY and not _rows_of(node.type, target):
                return None
            if not castable(name_of(node.type), name_of(target), context):
                return None
            if name_of(target) in (*POLYMORPHIC, "any"):
                return node  # an `anyarray` is of the type that was given
            plain = TypeRef(target.oid)
            if target.oid == t.BIT and node.type.oid in (t.INT4, t.INT8):
                return ir.Cast(target, node, True, position)  # which bits those are depends on how many
            said = node = self._fold(ir.Cast(plain, node, context == "e", position))
        if target.typmod >= 0 and node.type.typmod != target.typmod:
            whole = said is node and isinstance(node, ir.Cast)
            node = ir.Cast(target, node, context == "e", position, whole=whole)
        elif context == "e" and target.typmod < 0 <= node.type.typmod and target.oid in _OF_ANY_LENGTH:
            return ir.Cast(target, node, True, position)  # the same value, of any length from here on
        return node

    def _as_composite(
        self,
        node: ir.Node,
        target: TypeRef,
        fields: tuple[tuple[str, TypeRef], ...],
        context: str,
        position: int,
    ) -> ir.Node:
        """A record as a value of a composite type: field by field, and none where there is no record. Raises 42846."""
        if isinstance(node, ir.Logic) and node.op == "case":
            # Of a relation that an outer join may have missed, say.
            made = tuple(
                self._as_composite(n, target, fields, context, position)
                if i % 2 or i == len(node.args) - 1
                else n
                for i, n in enumerate(node.args)
            )
            return ir.Logic(target, "case", made)
        if isinstance(node, ir.Lit) and node.value is None:
            return ir.Lit(target, None)
        items = items_of(node)
        if items is None or len(items) != len(fields):
            detail = ""
            if items is not None:
                detail = f"Input has too {'few' if len(items) < len(fields) else 'many'} columns."
            raise (UndescribedRecord if items is None else PlanError)(
                "42846",
                f"cannot cast type record to {t.format_type(target)}",
                detail=detail,
                position=position,
            )
        row = row_of(
            tuple(
                self.coerce(self._as_written(i), ref, context, position)
                for i, (_, ref) in zip(items, fields, strict=True)
            )
        )
        value = ir.Cast(target, row, True, position)
        return value if isinstance(node, ir.Logic) and node.op == "row" else where_present(node, value)

    def _fold(self, cast: ir.Cast) -> ir.Node:
        """Integer constants change their type at once, so that `int8col = 5` stays a plain comparison."""
        arg = cast.arg
        if isinstance(arg, ir.Lit) and isinstance(arg.value, int) and arg.type.oid in _RANGES:
            to = cast.type.oid
            low, high = _RANGES.get(to, (1, 0))
            if low <= arg.value <= high:
                return ir.Lit(cast.type, arg.value, arg.position)
            if to == t.NUMERIC:
                return ir.Lit(cast.type, str(arg.value), arg.position)
            if to == t.FLOAT8 and abs(arg.value) < 1 << 53:
                return ir.Lit(cast.type, float(arg.value), arg.position)
        if (
            isinstance(arg, ir.Lit)
            and arg.type.oid == t.NUMERIC
            and isinstance(arg.value, str)
            and cast.type.oid == t.FLOAT8
        ):
            return ir.Lit(cast.type, to_float(Decimal(arg.value), single=False), arg.position)
        return cast

    def read_literal(self, node: ir.Lit, target: TypeRef, context: str) -> ir.Node:
        if node.value is None:
            return ir.Lit(target, None, node.position)
        oid = target.oid
        if oid == t.RECORD_ARRAY and not isinstance(node.value, list):
            return _no_records(node, target)
        if oid == t.ANY or (oid != t.RECORD and category(name_of(target)) == "P"):
            return ir.Lit(TypeRef(t.TEXT), node.value, node.position)
        plain = TypeRef(oid, target.typmod if oid == t.INTERVAL else -1)
        if oid in (t.TEXT, t.VARCHAR, t.BPCHAR, t.CITEXT):
            value: Any = node.value
        elif oid in t.CLOCK_OIDS and str(node.value).strip().lower() == "now":
            # As everywhere in a transaction: when it began, not when this is read.
            return ir.Cast(target, ir.Session(TypeRef(t.TIMESTAMPTZ), "now"), True, node.position)
        elif oid in (t.REGCONFIG, t.REGDICTIONARY) and self.names is not None:
            # There are those that PostgreSQL begins with, and nobody makes others.
            try:
                return ir.Lit(target, self.names.input(oid, str(node.value).strip()), node.position)
            except SqlError as e:
                raise _at_literal(e, node) from None
        elif t.is_volatile_input(node.value, plain) or name_of(plain).startswith("reg"):
            if oid in INPUT and self.names is not None:
                self._named(node, oid, self.names)
            text = ir.Lit(TypeRef(t.TEXT), node.value, node.position)
            return ir.Cast(target, text, True, node.position, reads=True)
        else:
            try:
                value = t.input_text(node.value, plain, self.settings)
            except SqlError as e:
                raise _at_literal(e, node) from None
            if self.noting is not None:
                self.noting(node.position, plain, str(node.value))
        if plain.typmod >= 0 and (fit := t.coercion(plain, True)) is not None:
            value = fit(value)  # an interval's fields and digits
        lit: ir.Node = ir.Lit(plain, value, node.position)
        if target.typmod >= 0 and oid != t.INTERVAL:
            return ir.Cast(target, lit, context == "e", node.position)
        return lit

    def _named(self, node: ir.Lit, oid: int, names: RegNames) -> None:
        """A name in a constant has to be one already now; what it names is found at each execution."""
        text = str(node.value).strip()
        if text.isdigit():
            return
        try:
            names.input(oid, text)
        except SqlError as e:
            raise _at_literal(e, node) from None

    def settled(self, node: ir.Node) -> ir.Node:
        """Unknown becomes text, as at the top of a SELECT."""
        if node.type.oid == t.UNKNOWN:
            return self.coerce(node, TypeRef(t.TEXT), "i")
        return node

    def settled_in_row(self, node: ir.Node) -> ir.Node:
        """The same in a row constructor, of which a composite value may be made yet (`_as_written`)."""
        undecided = node.type.oid == t.UNKNOWN and isinstance(node, ir.Parm)
        made = self.settled(node)
        if undecided and isinstance(node, ir.Parm):
            self.parameters.decided_by_row(node.number)
        return made

    def _as_written(self, item: ir.Node) -> ir.Node:
        """A string literal or a parameter in a row, which became text there for want of anything better."""
        if isinstance(item, ir.Lit) and item.type.oid == t.TEXT:
            return ir.Lit(UNKNOWN, item.value, item.position)
        if isinstance(item, ir.Parm) and self.parameters.reconsider(item.number):
            return replace(item, type=UNKNOWN)
        return item

    def known(self, node: ir.Node) -> ir.Node:
        """The same where any type is taken, which decides no parameter's: 42P18, as PostgreSQL has it."""
        if node.type.oid == t.UNKNOWN and isinstance(node, ir.Parm) and not self.parameters.literals:
            raise PlanError("42P18", f"could not determine data type of parameter ${node.number}")
        return self.settled(node)


def _no_records(node: ir.Lit, target: TypeRef) -> ir.Node:
    """An array of records that a text says can only be one of none: what their columns are, nobody tells. Raises 0A000, 22P02."""
    try:
        items = t.array_items(t.input_text(node.value, TypeRef(t.TEXT_ARRAY)), t.TEXT_ARRAY)
        if items:
            raise SqlError("0A000", "input of anonymous composite types is not implemented")
    except SqlError as e:
        raise _at_literal(e, node) from None
    return ir.Logic(target, "array", ())


def _at_literal(error: SqlError, node: ir.Lit) -> PlanError:
    return PlanError(
        error.sqlstate,
        error.message,
        position=node.position,
        detail=error.detail,
        hint=error.hint,
        context=error.context,
    )


def _rows_of(records: TypeRef, target: TypeRef) -> bool:
    """Whether an array of records may be a `target`: of composite values only where they are whole rows of that type."""
    return t.composite_fields(t.element_of(target.oid)) is None or told_type(records).oid == target.oid


def is_array(ref: TypeRef) -> bool:
    return bool(element_name(name_of(ref)))
