"""Constants and parameter values as literals of Spark SQL."""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding.numeric_forms import decimal_form, literal_form
from storage.abc import Datum

NAMES = {
    t.BOOL: "BOOLEAN", t.INT2: "SMALLINT", t.INT4: "INTEGER", t.INT8: "BIGINT", t.FLOAT4: "FLOAT", t.FLOAT8: "DOUBLE",
    t.TEXT: "STRING", t.VARCHAR: "STRING", t.BPCHAR: "STRING", t.UNKNOWN: "STRING", t.UUID: "STRING",
    t.DATE: "DATE", t.TIMESTAMP: "TIMESTAMP_NTZ", t.TIMESTAMPTZ: "TIMESTAMP", t.BYTEA: "BINARY",
}  # fmt: skip
"""The types that Spark computes with, and their names there; numeric is DECIMAL or STRING by its form."""


def refused(what: str, position: int = 0) -> PlanError:
    return PlanError(
        "0A000",
        f"{what} is not supported by the distributed engine",
        position=position,
        hint="SET execution_engine = 'auto' or 'columnar' answers it with DuckDB.",
    )


def type_name(ref: TypeRef, position: int = 0) -> str:
    """The Spark type of a value. Raises 0A000."""
    if ref.oid == t.NUMERIC:
        form = decimal_form(ref)
        return f"DECIMAL({form[0]},{form[1]})" if form is not None else "STRING"
    found = NAMES.get(ref.oid)
    if found is None:
        raise refused(f"type {t.format_type(ref)}", position)
    return found


def text_literal(text: str) -> str:
    if "\0" in text:
        raise refused("a string with a zero byte")
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def literal(value: Datum, ref: TypeRef) -> str:
    """A datum as a typed constant expression. Raises 0A000."""
    oid = ref.oid
    name = "STRING" if oid == t.BPCHAR else type_name(ref)
    if value is None:
        return f"CAST(NULL AS {name})"
    if oid == t.BOOL:
        return "true" if value else "false"
    if oid in (t.INT2, t.INT4, t.INT8):
        return f"CAST('{value}' AS {name})"
    if oid in (t.FLOAT4, t.FLOAT8):
        return f"CAST('{value!r}' AS {name})"
    if oid == t.NUMERIC:
        form = decimal_form(ref) or (literal_form(str(value)) if ref.typmod < 0 else None)
        return (
            f"CAST('{value}' AS DECIMAL({form[0]},{form[1]}))"
            if form is not None
            else text_literal(str(value))
        )
    if oid in (t.TEXT, t.VARCHAR, t.BPCHAR, t.UNKNOWN):
        return text_literal(str(value))
    if oid == t.DATE:
        return f"date_add(DATE '1970-01-01', {value})"
    if oid == t.TIMESTAMP:
        return f"CAST(timestamp_micros({value}) AS TIMESTAMP_NTZ)"
    if oid == t.TIMESTAMPTZ:
        return f"timestamp_micros({value})"
    raise refused(f"a constant of type {t.format_type(ref)}")
