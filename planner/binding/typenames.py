"""sqlglot's data types as ours."""

from __future__ import annotations

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, SqlError, TypeRef
from planner.errors import NoSuchType

D = exp.DataType.Type
_NAMES: dict[object, str] = {
    D.BOOLEAN: "bool", D.SMALLINT: "int2", D.INT: "int4", D.BIGINT: "int8", D.FLOAT: "float4", D.DOUBLE: "float8",
    D.DECIMAL: "numeric", D.TEXT: "text", D.VARCHAR: "varchar", D.CHAR: "character", D.NAME: "name",
    D.BINARY: "bytea", D.VARBINARY: "bytea", D.BLOB: "bytea", D.DATE: "date", D.TIME: "time", D.TIMETZ: "timetz",
    D.TIMESTAMP: "timestamp", D.TIMESTAMPTZ: "timestamptz", D.INTERVAL: "interval", D.UUID: "uuid",
    D.JSON: "json", D.JSONB: "jsonb", D.BIT: "bit", D.MONEY: "money", D.INET: "inet", D.XML: "xml",
    D.BPCHAR: "bpchar", D.UTINYINT: "int2", D.SMALLSERIAL: "int2", D.SERIAL: "int4", D.BIGSERIAL: "int8",
    D.NULL: "unknown", D.UNKNOWN: "unknown", D.TIMESTAMPNTZ: "timestamp",
}  # fmt: skip


def type_of(node: exp.Expression) -> TypeRef:
    """Raises 42704 for a name that is no type."""
    if isinstance(node, exp.DataType):
        kind = node.this
        if kind == D.ARRAY:
            if not node.expressions:
                raise PlanError("42601", 'syntax error at or near "array"')
            inner = _element(node.expressions[0])
            return TypeRef(inner.oid if t.element_of(inner.oid) else t.array_of(inner.oid), inner.typmod)
        mods = [modifier(m) for m in node.expressions]
        if kind == D.USERDEFINED:
            name = str(node.args.get("kind") or "")
        elif kind == D.INTERVAL:
            unit = node.args.get("unit")
            name = "interval" if unit is None else f"interval {_span(unit)}"
        else:
            found = _NAMES.get(kind)
            name = found if found is not None else str(getattr(kind, "value", kind)).lower()
        if kind in (D.FLOAT, D.DOUBLE) and mods:
            name = "float"  # float(n): the parser has made float of it, or double, by its own idea of n
        return _resolve(name, mods, node)
    if isinstance(node, exp.Interval):
        unit = node.args.get("unit")
        if unit is None:
            return _resolve("interval", [], node)
        return _resolve(f"interval {_span(unit)}", _digits(unit), node)
    return _resolve(node.name or str(node.this.value if hasattr(node.this, "value") else node.this), [], node)


def _element(node: exp.Expression) -> TypeRef:
    """An array's type of elements: what is missing is called as the array was."""
    try:
        return type_of(node)
    except NoSuchType as e:
        raise NoSuchType(f"{e.name}[]", e.position) from None


def _span(unit: exp.Expression) -> str:
    if isinstance(unit, exp.IntervalSpan):
        return f"{unit.this.name} to {unit.expression.name}".lower()
    return str(unit.name).lower()


def _digits(unit: exp.Expression) -> list[str]:
    """The precision of `second(2)`, by itself or at the end of a span."""
    last = unit.expression if isinstance(unit, exp.IntervalSpan) else unit
    return [modifier(m) for m in last.expressions] if isinstance(last, exp.Anonymous) else []


def modifier(node: exp.Expression) -> str:
    """One of a type's modifiers, as it is written. Raises 42601."""
    inner = node.this if isinstance(node, exp.DataTypeParam) else node
    if isinstance(inner, exp.Neg):
        return "-" + modifier(inner.this)
    if isinstance(inner, exp.Parameter | exp.Placeholder):
        # Also a literal that was taken out of the statement: whoever plans it plans it again as it is written.
        raise PlanError("42601", "type modifiers must be simple constants or identifiers")
    return str(inner.name)


def _resolve(name: str, mods: list[str], node: exp.Expression) -> TypeRef:
    start = node.meta.get("start") if node._meta else None
    position = 0 if start is None else start + 1
    try:
        return t.resolve_name(name, mods)
    except NoSuchType as e:
        raise NoSuchType(e.name.replace('"', ""), position) from None
    except SqlError as e:
        raise PlanError(e.sqlstate, e.message, position=position) from None
