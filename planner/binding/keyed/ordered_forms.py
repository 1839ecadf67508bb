"""Columns whose equal values may be different datums, among an index's: by a form of theirs that is one datum, in their order.

    numeric(10, 2)     how many of the last place it is     12.50 -> 1250             a number, like any other key
    numeric            a text that says how long it is      '12.5' -> '5200001125'
    float4, float8     their bits, as numbers in order      -0.0 -> 0

    WHERE amount >= $1 ORDER BY amount                      the index's column >= the form of $1, in the index's order

So what is found by keys, ranges and walks of numbers of whole numbers is found of these in the same way (`index_expressions`). The forms are
the executor's functions (`executor/keyed/ordered_forms.py`). What a parameter comes to may lie between two numbers, or beyond all of them.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import Call, Col, Const, Expr, TypeRef
from planner.binding import ir
from planner.keyed_plans import ComputedColumns
from planner.types.numeric import is_decimal, precision_scale

OF_PLACES: Final = "numeric of places"
OF_NUMERIC: Final = "numeric in order"
OF_FLOAT: Final = "float in order"
OPS: Final = frozenset((OF_PLACES, OF_NUMERIC, OF_FLOAT))

FORMED: Final = frozenset((t.NUMERIC, t.FLOAT4, t.FLOAT8))
_INT64_DIGITS: Final = 18
_NAMES: Final = {"numeric": (t.NUMERIC,), "float8": (t.FLOAT8, t.FLOAT4), "float4": (t.FLOAT4,)}
"""What an operator calls its operands, and of which types a column may be."""
_COMPARE: Final = ("=", "<", "<=", ">", ">=")


def form_of(column: Col) -> Call | None:
    """The form of a column that has one."""
    ref = column.type
    if ref.oid == t.NUMERIC:
        said = precision_scale(ref.typmod)
        if said is not None and is_decimal(ref.typmod) and said[0] <= _INT64_DIGITS:
            return Call(OF_PLACES, (column, Const(said[1], TypeRef(t.INT4))), TypeRef(t.INT8))
        return Call(OF_NUMERIC, (column,), TypeRef(t.TEXT))
    return Call(OF_FLOAT, (column,), TypeRef(t.INT8)) if ref.oid in FORMED else None


def column_of(index: tuple[int, ...], i: int) -> int:
    """The table's column that an index's column is, or is the form of; that of an expression is as it is."""
    if isinstance(index, ComputedColumns) and index[i] >= index.width:
        key = index.keys[i]
        if isinstance(key, Call) and key.op in OPS:
            column = key.args[0]
            assert isinstance(column, Col)
            return column.index
    return index[i]


def compared(node: ir.Node, index: ComputedColumns, number: int) -> ir.Node | None:
    """A comparison with a column of relation `number` that the index has by its form, as a comparison of forms."""
    if not isinstance(node, ir.Call) or len(node.args) != 2:
        return None
    words = node.op.split(" ")
    if len(words) != 3 or words[1] not in _COMPARE or words[0] not in _NAMES or words[2] not in _NAMES:
        return None
    for position, key in zip(index, index.keys, strict=True):
        if not isinstance(key, Call) or key.op not in OPS:
            continue
        column = key.args[0]
        assert isinstance(column, Col)
        sides = [_formed(x, key, column, position, number) for x in node.args]
        others = [_value(x, key) for x in node.args]
        left, right = (sides[0], others[1]) if sides[0] is not None else (others[0], sides[1])
        if left is not None and right is not None:
            kind = "text" if key.type.oid == t.TEXT else "int8"
            return ir.Call(node.type, f"{kind} {words[1]} {kind}", (left, right))
    return None


def _formed(node: ir.Node, key: Expr, column: Col, position: int, number: int) -> ir.Node | None:
    node = _bare(node)
    if isinstance(node, ir.Var) and (node.relation, node.column) == (number, column.index):
        return ir.Var(key.type, number, position)
    return None


def _value(node: ir.Node, key: Call) -> ir.Node | None:
    of_float = key.op == OF_FLOAT
    if node.type.oid not in ((t.FLOAT4, t.FLOAT8) if of_float else (t.NUMERIC,)):
        return None
    further = tuple(ir.Lit(e.type, e.value) for e in key.args[1:] if isinstance(e, Const))
    return ir.Call(key.type, key.op, (node, *further))


def _bare(node: ir.Node) -> ir.Node:
    """Without what leaves the order and the value as they are."""
    while isinstance(node, ir.Cast) and node.type.typmod < 0 and node.type.oid in FORMED:
        same = node.type.oid == node.arg.type.oid
        if not same and (node.arg.type.oid, node.type.oid) != (t.FLOAT4, t.FLOAT8):
            break
        node = node.arg
    return node


__all__ = ["FORMED", "OF_FLOAT", "OF_NUMERIC", "OF_PLACES", "OPS", "column_of", "compared", "form_of"]
