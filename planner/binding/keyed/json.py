"""Values and rows as JSON for the keyed engine: to_jsonb, row_to_json, json_build_object, what json_agg gathers.

    to_jsonb(NEW)                     Call("jsonb of row", (zone, 'id', 23, $1, 'name', 25, $2, ...))
    json_build_object('n', c.name)    Call("json object", ('n', Call("json of", (zone, 25, c.name))))

So a trigger's function that keeps the rows that it sees needs no query of DuckDB's, and an application has its rows as the documents that
it shows. What is embedded is a text of JSON, `null` for NULL; jsonb's are in its own form already, so nothing is read again. Values of
other types leave it to DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.abc import Call, Const, Expr, TypeRef
from planner.binding import ir
from planner.binding.records import called_fields, fields_of
from planner.records import replace

_ROWS: Final = {
    "to_json(anyelement)": "json of row",
    "row_to_json(record)": "json of row",
    "to_jsonb(anyelement)": "jsonb of row",
}
_VALUES: Final = {
    "to_json(anyelement)": "json",
    "to_jsonb(anyelement)": "jsonb",
    "row_to_json(record)": "json",
    "array_to_json(anyarray)": "json",
}
_BUILT: Final = {
    "json_build_object(any)": ("json", "object"),
    "jsonb_build_object(any)": ("jsonb", "object"),
    "json_build_array(any)": ("json", "array"),
    "jsonb_build_array(any)": ("jsonb", "array"),
    "json_build_object()": ("json", "object"),
    "jsonb_build_object()": ("jsonb", "object"),
    "json_build_array()": ("json", "array"),
    "jsonb_build_array()": ("jsonb", "array"),
}
_TYPES: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.BOOL, t.NUMERIC, t.FLOAT4, t.FLOAT8, t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.UUID,
        t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.JSON, t.JSONB,
    )
)  # fmt: skip
_NAMES: Final = frozenset((t.TEXT, t.VARCHAR, t.NAME, t.INT2, t.INT4, t.INT8, t.UUID))
"""Types whose values are the names of members as they are."""
_TEXT: Final = TypeRef(t.TEXT)
_LOOK: Final = Call("session", (Const("json_look", _TEXT),), _TEXT)
_Operand = Callable[[ir.Node], Expr]


def as_json(node: ir.Call, operand: _Operand) -> Expr | None:
    """The call for the keyed engine; None where it is another one, or of values that are not so simple."""
    if node.op in _VALUES:
        node = replace(node, args=(plain_row(node.args[0]),))
    if node.op in _ROWS:
        made = row_as_json(node, operand)
        if made is not None:
            return made
    if node.op in _VALUES:
        value = node.args[0]
        if isinstance(value, ir.Logic) and value.op == "row":
            found = _row(value, operand, _VALUES[node.op])
            return found and Call(found.op, found.args, node.type)
        if _is_known_record(value) and _has_simple_fields(value.type):
            return _record(value, operand, _VALUES[node.op], node.type)
        if not _is_simple(value.type):
            return None
        return Call(f"{_VALUES[node.op]} of value", (*_told(value), operand(value)), node.type)
    if node.op in _BUILT:
        return _built(node, *_BUILT[node.op], operand)
    return None


def _built(node: ir.Call, kind: str, shape: str, operand: _Operand) -> Expr | None:
    given = node.args
    if shape == "array":
        values = _all([embedded(a, operand, kind) for a in given])
        return None if values is None else Call(f"{kind} array", values, node.type)
    if len(given) % 2 or any(a.type.oid not in _NAMES for a in given[::2]):
        return None
    values = _all([embedded(a, operand, kind) for a in given[1::2]])
    if values is None:
        return None
    pairs = zip([operand(a) for a in given[::2]], values, strict=True)
    return Call(f"{kind} object", tuple(x for pair in pairs for x in pair), node.type)


def embedded(node: ir.Node, operand: _Operand, kind: str) -> Expr | None:
    """A value as a text of JSON that stands in another one; None where it is not so simple."""
    if isinstance(node, ir.Logic) and node.op == "row":
        return _row(node, operand, kind)
    if _is_known_record(node) and _has_simple_fields(node.type):
        row = plain_row(node)
        if row is not node:
            return embedded(row, operand, kind)
        return Call("json cell", (_record(node, operand, kind, _TEXT),), _TEXT)
    if isinstance(node, ir.Call) and node.type.oid in (t.JSON, t.JSONB):
        made = as_json(node, operand)
        if made is not None and (node.type.oid == t.JSONB or kind == "json"):
            return Call("json cell", (made,), _TEXT)
    if not _is_simple(node.type):
        return None
    return Call(f"{kind} of", (*_told(node), operand(node)), _TEXT)


def named(node: ir.Node, operand: _Operand) -> Expr | None:
    """A value as the name of a member."""
    return operand(node) if node.type.oid in _NAMES else None


def _told(node: ir.Node) -> tuple[Expr, Expr]:
    return _LOOK, Const(_said_as(node.type.oid), TypeRef(t.OID))


def _said_as(oid: int) -> int:
    """The type as which JSON says values: labels are texts."""
    return oid if t.labels_of(oid) is None else t.TEXT


def _is_simple(ref: TypeRef) -> bool:
    return _said_as(ref.oid) in _TYPES or (
        t.element_of(ref.oid) in _TYPES and ref.oid not in (t.INT2VECTOR, t.OIDVECTOR)
    )


def _is_known_record(node: ir.Node) -> bool:
    """Whether it is a record of such values, held as the keyed engine holds them: what routines return is not."""
    if isinstance(node, ir.Logic) and node.op in ("case", "coalesce"):
        values = [*node.args[1::2], node.args[-1]] if node.op == "case" else node.args
        return all((isinstance(n, ir.Logic) and n.op == "row") or _is_known_record(n) for n in values)
    if isinstance(node, ir.Lit):
        return node.value is None and node.type.oid == t.RECORD
    return isinstance(node, ir.Var | ir.SubQuery) and _has_simple_fields(node.type)


def _has_simple_fields(ref: TypeRef) -> bool:
    fields = fields_of(ref)
    return fields is not None and all(_is_simple(f) or _has_simple_fields(f) for _, f in fields)


def _record(value: ir.Node, operand: _Operand, kind: str, ref: TypeRef) -> Call:
    """A record that is held as a value: its type says what its fields are."""
    shape = Const(value.type.typmod, TypeRef(t.INT4))
    return Call(f"{kind} of record", (_LOOK, shape, operand(value)), ref)


def plain_row(node: ir.Node) -> ir.Node:
    """A subquery that says but what a row's fields are called as that row."""
    from planner.binding.keyed.selects import row_of

    return row_of(node)


def _all(made: Sequence[Expr | None]) -> tuple[Expr, ...] | None:
    return None if any(m is None for m in made) else tuple(m for m in made if m is not None)


def _row(row: ir.Logic, operand: _Operand, kind: str) -> Call | None:
    """A row of any such values, rows among them."""
    names = called_fields(row.type) or tuple(f"f{i}" for i in range(1, len(row.args) + 1))
    values = _all([embedded(a, operand, kind) for a in row.args])
    if values is None:
        return None
    pairs = zip((Const(n, _TEXT) for n in names), values, strict=True)
    word = "row object" if kind == "json" else "object"
    return Call(f"{kind} {word}", tuple(x for pair in pairs for x in pair), _TEXT)


def row_as_json(node: ir.Call, operand: _Operand) -> Expr | None:
    """A row of simple fields, in one call."""
    row = node.args[0]
    if isinstance(row, ir.Lit) and row.value is None:
        return Const(None, node.type)
    if not isinstance(row, ir.Logic) or row.op != "row":
        return None
    names = called_fields(row.type)
    if not names or len(set(names)) < len(names) or any(_said_as(a.type.oid) not in _TYPES for a in row.args):
        return None
    given: list[Expr] = [_LOOK]
    for name, value in zip(names, row.args, strict=True):
        given += [Const(name, _TEXT), *_told(value)[1:], operand(value)]
    return Call(_ROWS[node.op], tuple(given), node.type)


__all__ = ["as_json", "embedded", "named", "plain_row", "row_as_json"]
