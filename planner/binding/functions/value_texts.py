"""What a value looks like: PostgreSQL's output and input functions in SQL, and the texts in which arrays and records hold values.

    to_text      the output function, under the session's settings      from_text      the input function, under them
    stored_text  the same under default settings: what arrays hold      stored_value   its inverse
    record_text  (a,b) of a record whose fields are known               record_value   its inverse

In SQL where that is simple, in `prelude`'s Python where it is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding.dimensions import (
    as_list,
    as_text,
    element_ref,
    held_form,
    is_text,
    with_items,
)
from planner.binding.evaluation import let
from planner.binding.facts import range_subtype, type_name
from planner.binding.fragments import ARRAY_TEXT, Frag, Item, join, quote_text, sql
from planner.binding.functions.catalog import reg_text, reg_value
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.records import fields_of
from planner.geometry.texts import OF_DATUM
from planner.types.geometry import GEOMETRIC

INTS = {t.INT2: 5, t.INT4: 10, t.INT8: 19, t.OID: 10}
FLOATS = (t.FLOAT4, t.FLOAT8)
TIME_ZONE = SessionValue("time_zone", TypeRef(t.TEXT))
_DATE_STYLE = SessionValue("setting:DateStyle", TypeRef(t.TEXT))
_INTERVAL_STYLE = SessionValue("setting:IntervalStyle", TypeRef(t.TEXT))
_FLOAT_DIGITS = SessionValue("setting:extra_float_digits", TypeRef(t.TEXT))
NOW = SessionValue("now", TypeRef(t.TIMESTAMPTZ))
REGISTERED = {
    "regclass",
    "regtype",
    "regproc",
    "regprocedure",
    "regnamespace",
    "regrole",
    "regoper",
    "regoperator",
    "regcollation",
    "regconfig",
    "regdictionary",
}
# Types whose values are kept as their text.
_SHOWN = frozenset(
    [
        "char",
        "aclitem",
        "pg_node_tree",
        "txid_snapshot",
        "pg_snapshot",
        "refcursor",
        "jsonpath",
        "inet",
        "cidr",
        "macaddr",
        "macaddr8",
        "tsvector",
        "tsquery",
        "hstore",
        "lquery",
        "ltxtquery",
        "query_int",
        "xml",
        *OF_DATUM,
    ]
)
# Types whose text is shown under settings, by tw_shown_<type>.
_STYLED = {
    t.DATE: (_DATE_STYLE,),
    t.TIMESTAMP: (_DATE_STYLE,),
    t.TIMESTAMPTZ: (_DATE_STYLE, TIME_ZONE),
    t.INTERVAL: (_INTERVAL_STYLE,),
}
_PLAIN = frozenset((t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ))
"""Those whose plain texts DuckDB reads (`planner.binding.prelude.plain_texts`)."""
# Types whose text is read by a Python function named tw_in_<type>.
_READ = frozenset(
    [
        "bool",
        "uuid",
        "bytea",
        "inet",
        "cidr",
        "macaddr",
        "macaddr8",
        "jsonpath",
        "tid",
        "pg_lsn",
        "money",
        "xml",
        "xid",
        "cid",
        "xid8",
        "pg_snapshot",
        "txid_snapshot",
        "tsvector",
        "tsquery",
        "hstore",
        "ltree",
        "lquery",
        "ltxtquery",
        "query_int",
        "vector",
        *OF_DATUM,
    ]
)


_STORED_AS_TEXT = frozenset(
    (
        t.TEXT, t.VARCHAR, t.NAME, t.CITEXT, t.LTREE, t.UNKNOWN, t.CSTRING, t.VOID, t.UUID, t.JSON, t.JSONB, t.TIMETZ, t.ANYARRAY,
    )
)  # fmt: skip
"""What the engine holds in the very form that the output function would give; anyarray is of system relations alone."""


def to_text(frag: Frag, source: TypeRef, target_oid: int) -> Frag:
    """PostgreSQL's output function."""
    a = source.oid
    composite = t.composite_fields(a)
    if composite is not None and any(_is_shown_by_settings(ref.oid) for _, ref in composite):
        cells = [
            record_item(stored_value(sql("tw_record_item(", frag, f", {i})"), TypeRef(ref.oid)), ref)
            for i, (_, ref) in enumerate(composite)
        ]
        return sql(
            "CASE WHEN ",
            frag,
            " IS NOT NULL THEN tw_record_text(CAST([",
            join(", ", cells),
            "] AS VARCHAR[])) END",
        )
    made_by_users = type_name(a).startswith("#") and not t.element_of(a) and not _is_styled_range(a)
    if a in _STORED_AS_TEXT or made_by_users:
        if target_oid == t.NAME and a != t.NAME:
            return sql("tw_name(", frag, ")")
        return frag
    if a in (t.INET, t.CIDR):
        # Text shows the bits of a host too, which the output function leaves out.
        return (
            sql("tw_inet_text(", frag, ")") if target_oid in (t.TEXT, t.VARCHAR, t.BPCHAR, t.CITEXT) else frag
        )
    if a == t.XML and target_oid == t.CSTRING:
        return sql("tw_out_xml(", frag, ")")
    if a == t.BPCHAR:
        # The cast to text drops the padding; the output function shows it.
        return frag if target_oid in (t.BPCHAR, t.CSTRING) else sql("rtrim(", frag, ", ' ')")
    if a == t.NUMERIC:
        return as_text_numeric(frag).with_form(None)
    if a == t.BOOL and target_oid == t.NAME:  # no cast of its own: what the output function says
        return sql("left(CAST(", frag, " AS VARCHAR), 1)")
    if a in INTS or a in (t.BOOL,):
        return sql("CAST(", frag, " AS VARCHAR)")
    if t.element_of(a):
        return array_text(frag, source)
    name = type_name(a)
    if a in _STYLED:
        return _under_settings(f"tw_shown_{name}", frag, a)
    if a == t.BYTEA:
        return sql("tw_out_bytea_as(", frag, ", ", SessionValue("setting:bytea_output", TypeRef(t.TEXT)), ")")
    if a in FLOATS:
        return sql(f"tw_shown_{name}(", frag, ", ", _FLOAT_DIGITS, ")")
    if a in GEOMETRIC:
        return sql("tw_shown_geometry(", frag, f", {quote_text(name)}, ", _FLOAT_DIGITS, ")")
    if name in ("time", "tid", "pg_lsn", "money", "vector"):
        return sql(f"tw_out_{name}(", frag, ")")
    if name in REGISTERED:
        return reg_text(frag, source)
    if a == t.RECORD:
        return record_text(frag, source) if source.typmod >= 0 else sql("CAST(", frag, " AS VARCHAR)")
    if range_subtype(name):
        if not _is_styled_range(a):
            return frag
        return _styled_range("tw_range_shown", a, frag)
    if name in _SHOWN:
        return frag
    if name in ("xid", "cid", "xid8"):
        return sql("CAST(", frag, " AS VARCHAR)")
    if a in (t.BIT, t.VARBIT):
        return frag
    if name in ("int2vector", "oidvector"):
        items = sql("list_transform(", frag, ", lambda tw_x: CAST(tw_x AS VARCHAR))")
        return sql("array_to_string(", items, ", ' ')")
    raise PlanError("0A000", f"cast from {t.format_type(source)} to text is not supported")


def _styled_range(function: str, oid: int, frag: Frag) -> Frag:
    """A range's text, read or written with its bounds as the settings have dates and times."""
    return sql(f"{function}({oid}, ", frag, ", ", TIME_ZONE, ", ", _DATE_STYLE, ", ", _INTERVAL_STYLE, ")")


def _under_settings(function: str, frag: Frag, oid: int) -> Frag:
    settings: list[Item] = [x for setting in _STYLED[oid] for x in (", ", setting)]
    return sql(f"{function}(", frag, *settings, ")")


_RECORD = "tw_record_"
"""What a record is called in the lambda that shows it."""
_ASKED = re.compile(r"\bSELECT\b|\btw_answer\b")
"""What a query and a routine that runs have in their texts: each mention would ask them once more."""


def record_text(frag: Frag, source: TypeRef, item: Callable[[Frag, TypeRef], Frag] | None = None) -> Frag:
    """A record whose fields are known, as (a,b): each field as `item` has it (`record_item`: as it is shown)."""
    if any(isinstance(p, str) and _ASKED.search(p) for p in frag.parts):
        inside = record_text(Frag((_RECORD,)), source, item)
        return let(_RECORD, frag, inside)
    item = item or record_item
    items: list[Item] = []
    for name, ref in fields_of(source) or ():
        field = sql("struct_extract(", frag, f", {quote_text(name)})", form=held_form(ref))
        items += [", ", item(field, ref)] if items else [item(field, ref)]
    return sql("CASE WHEN ", frag, " IS NOT NULL THEN tw_record_text(CAST([", *items, "] AS VARCHAR[])) END")


def record_value(frag: Frag, ref: TypeRef) -> Frag:
    """The inverse of `record_text`: the record that a text shows."""
    items: list[Item] = []
    for i, (name, kind) in enumerate(fields_of(ref) or ()):
        cell = sql("tw_record_item(", frag, f", {i})")
        if kind.oid == t.RECORD and fields_of(kind) is not None:
            cell = record_value(cell, kind)
        elif kind.oid != t.RECORD_ARRAY:
            cell = from_text(cell, kind)
        cell = cell.with_form(held_form(kind))
        items += [", " if i else "", quote_text(name), ": ", cell]
    if not items:
        raise PlanError("0A000", "records are supported only where their columns are known")
    return sql("CASE WHEN ", frag, " IS NOT NULL THEN {", *items, "} END")


def record_item(frag: Frag, source: TypeRef) -> Frag:
    """A value as its output function shows it: booleans as t and f."""
    if source.oid == t.BOOL:
        return sql("CASE WHEN ", frag, " THEN 't' WHEN NOT ", frag, " THEN 'f' END")
    return to_text(frag, source, t.CSTRING)


_SHOWN_BY_SETTINGS = frozenset((*_STYLED, t.BYTEA, *FLOATS, *GEOMETRIC))


def _is_shown_by_settings(oid: int) -> bool:
    """Whether a value's text depends on what the session has set."""
    if oid in _SHOWN_BY_SETTINGS or _is_styled_range(oid):
        return True
    return any(_is_shown_by_settings(ref.oid) for ref in _within(TypeRef(oid)))


def has_floats(ref: TypeRef) -> bool:
    """Whether a value's text has fewer digits than it takes where the session says so."""
    return ref.oid in FLOATS or ref.oid in GEOMETRIC or any(map(has_floats, _within(ref)))


def _within(ref: TypeRef) -> list[TypeRef]:
    """The type of an array's elements, or those of a row's fields."""
    if element := t.element_of(ref.oid):
        return [TypeRef(element)]
    fields = fields_of(ref) if ref.oid == t.RECORD else t.composite_fields(ref.oid)
    return [field for _, field in fields or ()]


def _is_styled_range(oid: int) -> bool:
    """Whether a range's text depends on what the session has set."""
    return range_subtype(type_name(oid)) in ("date", "timestamp", "timestamptz", "interval")


def array_text(frag: Frag, source: TypeRef) -> Frag:
    """An array as its output function shows it."""
    element = element_ref(source)
    styled = _is_shown_by_settings(element.oid)
    if element.oid == t.BOX:
        return sql("tw_out_boxes(", as_text(frag, source).with_form(None), ")")
    if is_text(frag) and not styled and type_name(element.oid) not in REGISTERED:
        return frag.with_form(None)
    inner = record_item(Frag(("tw_x",)), element)
    items = sql("list_transform(", as_list(frag, source), ", lambda tw_x: ", inner, ")")
    return with_items(frag, items).with_form(None) if is_text(frag) else sql("tw_array_text(", items, ")")


def stored_text(frag: Frag, source: TypeRef) -> Frag:
    """A value as its type's output function shows it under default settings: what arrays hold of it."""
    oid = source.oid
    if oid == t.TIMESTAMPTZ:
        return sql("tw_out_timestamptz(", frag, ", 'UTC')")
    if oid in (t.DATE, t.TIMESTAMP, t.INTERVAL, t.BYTEA, *FLOATS):
        return sql(f"tw_out_{type_name(oid)}(", frag, ")")
    if oid == t.RECORD and source.typmod >= 0:
        return record_text(frag, source, stored_text)
    if type_name(oid) in REGISTERED:
        return sql("CAST(", frag, " AS VARCHAR)")
    if t.element_of(oid):
        return as_text(frag, source)
    if range_subtype(type_name(oid)) or t.composite_fields(oid) is not None or oid in GEOMETRIC:
        return frag
    return record_item(frag, source)


def stored_value(frag: Frag, target: TypeRef) -> Frag:
    """The inverse of `stored_text`."""
    oid = target.oid
    if oid == t.RECORD:
        return record_value(frag, target)
    duck = t.duckdb_type(target)
    if oid == t.BPCHAR or (duck == "VARCHAR" and not t.element_of(oid)):
        return frag
    if oid in (t.BOOL, t.INT2, t.INT4, t.INT8, t.OID) or type_name(oid) in REGISTERED:
        return sql("CAST(", frag, f" AS {duck})")
    if oid == t.TIMESTAMPTZ:
        return sql("tw_in_timestamptz(", frag, ", 'UTC')")
    if oid in _STYLED:
        return sql(f"tw_in_{type_name(oid)}(", frag, ")")
    if range_subtype(type_name(oid)):
        return frag
    return from_text(frag, target)


def from_text(frag: Frag, target: TypeRef) -> Frag:
    """PostgreSQL's input function on a value that is known only when it runs."""
    b = target.oid
    name = type_name(b)
    if b in (t.TEXT, t.VARCHAR, t.BPCHAR, t.CITEXT):
        return frag
    labels = t.labels_of(b)
    if labels is not None:
        given = ", ".join(quote_text(label) for label in labels)
        message = quote_text(f'[22P02] invalid input value for enum {t.format_type(target)}: "')
        known = sql(f"list_contains(CAST([{given}] AS VARCHAR[]), ", frag, ")")
        unsafe: list[Item] = []
        for label, refusal in t.unsafe_labels(b):
            unsafe += [
                " WHEN ",
                frag,
                f" = {quote_text(label)} THEN error({quote_text(f'[55P04] {refusal} [HINT] {t.UNSAFE_HINT}')})",
            ]
        return sql(
            "CASE",
            *unsafe,
            " WHEN ",
            frag,
            " IS NULL OR ",
            known,
            " THEN ",
            frag,
            f" ELSE error({message} || ",
            frag,
            " || '\"') END",
        )
    if b == t.NAME:
        return sql("tw_name(", frag, ")")
    if b in (t.INT2, t.INT4, t.INT8):
        return sql(f"tw_in_{name}(", frag, ")")
    if b == t.OID:
        return sql("CAST(tw_in_int8(", frag, f") AS {t.duckdb_type(target)})")
    if b in FLOATS:
        return sql("tw_text_float8(" if b == t.FLOAT8 else "tw_in_float4(", frag, ")")
    if b == t.NUMERIC:
        return sql("tw_text_numeric(", frag, ")")
    if b == t.JSON:
        return sql("tw_in_json(", frag, ")")
    if b == t.JSONB:
        return sql("tw_jsonb(", frag, ")")
    if b in t.CLOCK_OIDS:  # "today" is where the session is
        word = "text" if b in _PLAIN else "read"
        return sql(f"tw_{word}_{name}(", frag, ", ", _DATE_STYLE, ", ", TIME_ZONE, ", ", NOW, ")")
    if b == t.INTERVAL:
        return sql("tw_read_interval(", frag, ", ", _INTERVAL_STYLE, ")")
    if b in (t.BIT, t.VARBIT):
        return sql("tw_in_bits(", frag, ")")
    if name in _READ:
        return sql(f"tw_in_{name}(", frag, ")")
    if name in REGISTERED:
        return reg_value(frag, target)
    if range_subtype(name):
        return _styled_range("tw_range_read", b, frag)
    element = t.element_of(b)
    if element == t.BOX:
        return sql("tw_in_boxes(", frag, ")", form=ARRAY_TEXT)
    if element:
        inner = stored_text(from_text(Frag(("tw_x",)), TypeRef(element)), TypeRef(element))
        return with_items(frag, sql("list_transform(tw_array_items(", frag, "), lambda tw_x: ", inner, ")"))
    if name.startswith("#") or name in _SHOWN:
        return frag
    if b == t.RECORD and target.typmod < 0:
        return frag  # nobody has described it: it is its text
    raise PlanError("0A000", f"cast from text to {t.format_type(target)} is not supported")


__all__ = [
    "FLOATS", "INTS", "NOW", "REGISTERED", "TIME_ZONE", "array_text", "from_text", "has_floats", "record_item", "record_text", "record_value", "stored_text",
    "stored_value", "to_text",
]  # fmt: skip
