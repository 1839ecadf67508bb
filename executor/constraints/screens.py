"""CHECKs of many rows by columns: which rows may fail, by conditions that Arrow answers as PostgreSQL would.

    amount >= 0 AND state <> 'gone'      Arrow: greater_equal, not_equal, and_kleene     a thirtieth of asking each row
    (amount * 2)::int % 3 = 0            no word for it: every row is asked

Comparisons of columns with each other and with constants, of integers, numerics of a fixed scale and texts (which are in order of their
bytes on both sides), null tests, AND, OR and NOT. A screen refuses nothing: rows that it lets through pass for certain, the
others are asked one by one, which finds the right error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from planner import types as t
from planner.abc import Call, Col, Const, Expr

Screen = Callable[[pa.Table], Any]
"""Of columns in the table's order: whether each row's condition is true, null where that is not known, as in SQL."""

_COMPARED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_INTEGERS: Final = frozenset((t.INT2, t.INT4, t.INT8))
_TEXTS: Final = frozenset((t.TEXT, t.VARCHAR))
DECIMAL_DIGITS_MAX: Final = 38


def screen(condition: Expr) -> Screen | None:
    """What tells of many rows whether the condition holds; None: it is to be asked of each row."""
    if not isinstance(condition, Call):
        return None
    parts = [screen(a) for a in condition.args] if condition.op in ("and", "or", "not") else []
    if parts:
        return None if None in parts else _joined(condition.op, [p for p in parts if p is not None])
    if condition.op in ("is null", "is not null"):
        value = _value(condition.args[0])
        said = pc.is_null if condition.op == "is null" else pc.is_valid
        return None if value is None else lambda rows: said(value(rows))
    if condition.op == "catalog among":
        return _among(*condition.args)
    words = condition.op.split(" ")
    compare = _COMPARED.get(words[1]) if len(words) == 3 else None
    if compare is None or len(condition.args) != 2 or not _alike(words[0], words[2]):
        return None
    left, right = map(_value, condition.args)
    if left is None or right is None:
        return None
    return lambda rows: compare(left(rows), right(rows))


def _among(value: Expr, listed: Expr) -> Screen | None:
    """`value = ANY (ARRAY['a', 'b'])`, which is what catalogs make of IN."""
    column = _value(value)
    while isinstance(listed, Call) and listed.op in ("elements of", "array of"):
        listed = listed.args[-1]
    if (
        column is None
        or not isinstance(value, Col)
        or not isinstance(listed, Call)
        or listed.op != "catalog tuple"
    ):
        return None
    if value.type.oid == t.NUMERIC or not all(
        isinstance(c, Const) and c.value is not None for c in listed.args
    ):
        return None
    said = pa.array([c.value for c in listed.args if isinstance(c, Const)])

    def among(rows: pa.Table) -> Any:
        cells = column(rows)
        return pc.if_else(pc.is_valid(cells), pc.is_in(cells, value_set=said.cast(cells.type)), None)

    return among


def _joined(op: str, parts: Sequence[Screen]) -> Screen:
    if op == "not":
        return lambda rows: pc.invert(parts[0](rows))
    both = pc.and_kleene if op == "and" else pc.or_kleene
    return lambda rows: reduce(both, [part(rows) for part in parts])


def _alike(left: str, right: str) -> bool:
    integers = ("int2", "int4", "int8")
    return left == right or (left in integers and right in integers)


def _value(e: Expr) -> Callable[[pa.Table], Any] | None:
    """A column, or a constant, that Arrow compares as PostgreSQL does."""
    oid = e.type.oid if isinstance(e, Col | Const) else 0
    if oid not in _INTEGERS and oid not in _TEXTS and oid != t.NUMERIC:
        return None
    if isinstance(e, Col):
        fixed = oid != t.NUMERIC or t.numeric.is_decimal(e.type.typmod)
        return operator.methodcaller("column", e.index) if fixed else None
    assert isinstance(e, Const)
    made = _constant(e.value, oid)
    return None if made is None else lambda rows: made


def _constant(value: Any, oid: int) -> pa.Scalar | None:
    if oid in _INTEGERS:
        return pa.scalar(value, pa.int64())
    if oid in _TEXTS:
        return pa.scalar(value, pa.string())
    if value is None:
        return None
    number = Decimal(value)
    if not number.is_finite() or len(number.as_tuple().digits) > DECIMAL_DIGITS_MAX:
        return None
    return pa.scalar(number)


def doubtful(screens: Sequence[Screen], rows: pa.Table) -> list[int] | None:
    """The places of rows that may fail one of these; None: that is not to be told by columns."""
    passed = None
    try:
        for each in screens:
            one = pc.fill_null(each(rows), True)
            passed = one if passed is None else pc.and_(passed, one)
    except pa.ArrowException:  # numbers of more digits than Arrow compares
        return None
    if passed is None or isinstance(passed, pa.Scalar):
        return None
    found: list[int] = pc.indices_nonzero(pc.invert(passed)).to_pylist()
    return found


__all__ = ["Screen", "doubtful", "screen"]
