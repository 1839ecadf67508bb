"""Rows compared by what is kept of them, and not by what it means: `*=`, `*<>`, `*<` and their kin.

    row(1, 1.0) *= row(1, 1.00)      false: 1.0 and 1.00 are equal, and kept otherwise
    row(-1) *< row(1)                false: PostgreSQL compares the words of memory that integers are in, by their bits

Whether two values are kept alike is seen in their texts. An order by bytes is there for types of which it is known; as for
records compared by value, NULLs are equal, and after all else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.records import comparable_shapes, fields_of, items_of, row_of, where_present

if TYPE_CHECKING:
    from planner.binding.row_comparisons import RowComparisonBinder

IMAGE_OPERATORS: Final = ("*=", "*<>", "*<", "*<=", "*>", "*>=")
_SIGNED: Final = (t.INT2, t.INT4, t.INT8)
_BY_BYTES: Final = (t.BOOL, t.OID, t.TEXT, t.VARCHAR, t.NAME, t.BYTEA)
"""Types whose own order, without a collation, is that of their bytes."""


def compared(binder: RowComparisonBinder, op: str, a: ir.Node, b: ir.Node, position: int) -> ir.Node:
    """`a op b` of two records with fields. Raises 42804 where they are not alike, 0A000."""
    left, right = fields_of(a.type), fields_of(b.type)
    if left is None or right is None:
        raise PlanError("0A000", "comparing records of unknown columns is not supported", position=position)
    comparable_shapes(left, right)
    by_value = op.removeprefix("*")
    made = [_image(binder, by_value, record, position) for record in (a, b)]
    return ir.Call(TypeRef(t.BOOL), f"record {by_value} record", tuple(made), False, position)


def _image(binder: RowComparisonBinder, op: str, record: ir.Node, position: int) -> ir.Node:
    """A record that compares with another such one as what is kept of theirs does."""
    if isinstance(record, ir.Logic) and record.op == "case" and len(record.args) == 3:
        there, made, _ = record.args  # of a composite value that may be NULL
        inner = _image(binder, op, made, position)
        return ir.Logic(inner.type, "case", (there, inner, ir.Lit(inner.type, None)))
    parts: list[ir.Node] = []
    for item in items_of(record) or ():
        parts += _parts(binder, op, item, position)
    made = row_of(tuple(parts))
    return made if isinstance(record, ir.Logic) and record.op == "row" else where_present(record, made)


def _parts(binder: RowComparisonBinder, op: str, item: ir.Node, position: int) -> list[ir.Node]:
    if op in ("=", "<>"):
        return [binder.coercions.coerce(item, TypeRef(t.TEXT), "e")]
    if item.type.oid in _SIGNED:
        negative = binder.infix("<", item, ir.Lit(TypeRef(t.INT4), 0), position)
        return [negative, item]
    if item.type.oid in _BY_BYTES:
        return [item]
    shown = t.type_in_words(item.type.oid)
    raise PlanError(
        "0A000", f"*{op} of rows with a column of type {shown} is not supported", position=position
    )


__all__ = ["IMAGE_OPERATORS", "compared"]
