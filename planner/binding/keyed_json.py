"""A row as JSON for the keyed engine: `to_jsonb(NEW)`, `row_to_json(OLD)`, of fields whose JSON is quickly said.

    to_jsonb(NEW)    Call("jsonb of row", (zone, 'id', 23, $1, 'name', 25, $2, ...))

So a trigger's function that keeps the rows that it sees needs no query of DuckDB's. Fields of other types leave it to that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import types as t
from planner.abc import Call, Const, Expr, TypeRef
from planner.binding import ir
from planner.binding.records import called_fields

_OPS: Final = {
    "to_json(anyelement)": "json of row",
    "row_to_json(record)": "json of row",
    "to_jsonb(anyelement)": "jsonb of row",
}
_TYPES: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.BOOL, t.NUMERIC, t.FLOAT4, t.FLOAT8, t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.UUID,
        t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.JSON, t.JSONB,
    )
)  # fmt: skip
_TEXT: Final = TypeRef(t.TEXT)


def row_as_json(node: ir.Call, operand: Callable[[ir.Node], Expr]) -> Expr | None:
    """The call for the keyed engine; None where it is another one, or of fields that are not so simple."""
    op = _OPS.get(node.op)
    row = node.args[0] if op is not None else None
    if op is not None and isinstance(row, ir.Lit) and row.value is None:
        return Const(None, node.type)
    if op is None or not isinstance(row, ir.Logic) or row.op != "row":
        return None
    named = called_fields(row.type)
    if not named or any(a.type.oid not in _TYPES for a in row.args):
        return None
    given: list[Expr] = [Call("session", (Const("time_zone", _TEXT),), _TEXT)]
    for name, value in zip(named, row.args, strict=True):
        given += [Const(name, _TEXT), Const(value.type.oid, TypeRef(t.OID)), operand(value)]
    return Call(op, tuple(given), node.type)


__all__ = ["row_as_json"]
