"""Casts: how DuckDB makes a value of one PostgreSQL type into a value of another.

DuckDB's own CAST is used where it is the same (between integers, date to timestamp, ...). Reading text
and showing values as text are PostgreSQL's input and output functions, in SQL where that is simple, in
`prelude`'s Python where it is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding.dimensions import (
    VECTORS,
    as_list,
    as_text,
    element_ref,
    held_form,
    is_text,
    stored_items,
    with_items,
)
from planner.binding.facts import element_name, range_subtype, type_name
from planner.binding.fragments import ARRAY_TEXT, DECIMAL_DIGITS_MAX, Form, Frag, Item, join, quote_text, sql
from planner.binding.functions.catalog import reg_text, reg_value
from planner.binding.numeric_forms import as_text_numeric, decimal_form
from planner.binding.records import fields_of
from planner.geometry.texts import OF_DATUM
from planner.types.geometry import GEOMETRIC

_INTS = {t.INT2: 5, t.INT4: 10, t.INT8: 19, t.OID: 10}
_INT_BITS = {t.INT4: 32, t.INT8: 64}
_FLOATS = (t.FLOAT4, t.FLOAT8)
_TEXTS = (t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT, t.UNKNOWN, t.CSTRING)
_TIME_ZONE = SessionValue("time_zone", TypeRef(t.TEXT))
_ICU_ZONE = SessionValue("time_zone_icu", TypeRef(t.TEXT))
_DATE_STYLE = SessionValue("setting:DateStyle", TypeRef(t.TEXT))
_INTERVAL_STYLE = SessionValue("setting:IntervalStyle", TypeRef(t.TEXT))
_NOW = SessionValue("now", TypeRef(t.TIMESTAMPTZ))
_REGISTERED = {
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
        "xml",
        *OF_DATUM,
    ]
)
# Types whose text is shown under settings, by tw_shown_<type>.
_STYLED = {
    t.DATE: (_DATE_STYLE,),
    t.TIMESTAMP: (_DATE_STYLE,),
    t.TIMESTAMPTZ: (_DATE_STYLE, _TIME_ZONE),
    t.INTERVAL: (_INTERVAL_STYLE,),
}
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
        *OF_DATUM,
    ]
)


def convert(frag: Frag, source: TypeRef, target: TypeRef, explicit: bool) -> Frag:
    """The fragment as a `target`, its modifier applied."""
    a, b = source.oid, target.oid
    if b == t.BIT and a in _INT_BITS:
        return sql("tw_bits_of_int(", frag, f", {_INT_BITS[a]}, {max(target.typmod, 1)})")
    if a != b and _has_effects(frag):  # macros say their argument twice
        once = _base(Frag(["tw_once"], frag.form), source, TypeRef(b))
        frag = sql("list_transform([", frag, "], lambda tw_once: ", once, ")[1]", form=once.form)
    elif a != b:
        frag = _base(frag, source, TypeRef(b))
    return modified(frag, target, explicit) if target.typmod >= 0 else frag


def _has_effects(frag: Frag) -> bool:
    """Whether computing it twice would be noticed: it takes values from a sequence."""
    return any(isinstance(p, str) and ("tw_nextval(" in p or "tw_setval(" in p) for p in frag.parts)


def modified(frag: Frag, ref: TypeRef, explicit: bool) -> Frag:
    """Fits a value to a modifier: varchar(n), char(n), numeric(p,s), timestamp(p), ..."""
    oid, mod = ref.oid, ref.typmod
    if oid == t.NUMERIC:
        return _fit_numeric(frag, ref)
    if oid == t.VARCHAR:
        n = mod - 4
        if explicit:
            return sql("left(", frag, f", {n})")
        return sql("tw_varchar(", frag, f", {n})")
    if oid == t.BPCHAR:
        n = mod - 4
        return sql("tw_bpchar_cut(" if explicit else "tw_bpchar(", frag, f", {n})")
    if oid in (t.TIMESTAMP, t.TIMESTAMPTZ) and mod < 6:
        name = "tw_round_timestamptz" if oid == t.TIMESTAMPTZ else "tw_round_timestamp"
        return sql(f"{name}(", frag, f", {mod})")
    if oid == t.TIME and mod < 6:
        return sql("tw_round_time(", frag, f", {mod})")
    if oid in (t.BIT, t.VARBIT):
        flags = f"{'true' if oid == t.VARBIT else 'false'}, {'true' if explicit else 'false'}"
        return sql("tw_bits_fit(", frag, f", {mod}, {flags})")
    if oid == t.INTERVAL:
        return sql("tw_interval_fit(", frag, f", {mod})")
    element = t.element_of(oid)
    if element:
        if oid == t.RECORD_ARRAY:
            return frag  # its modifier says what fields it has
        inner = as_text_numeric(modified(Frag(("tw_x",)), TypeRef(element, mod), explicit))
        changed = sql("list_transform(", as_list(frag, TypeRef(oid)), ", lambda tw_x: ", inner, ")")
        return with_items(frag, stored_items(changed, TypeRef(element))) if is_text(frag) else changed
    return frag


def _fit_numeric(frag: Frag, ref: TypeRef) -> Frag:
    form = decimal_form(ref)
    if form is None:
        precision = (ref.typmod - 4) >> 16
        scale = (ref.typmod - 4) & 0x7FF
        scale = scale - 2048 if scale > 1023 else scale
        return sql("tw_num_fit(", as_text_numeric(frag), f", {precision}, {scale})")
    p, s = form
    if frag.form is None:
        return sql("CAST(tw_num_fit_decimal(", frag, f", {p}, {s}) AS DECIMAL({p},{s}))", form=form)
    q, r = frag.form
    if r <= s and q - r <= p - s:
        return sql("CAST(", frag, f" AS DECIMAL({p},{s}))", form=form)
    # Round first, in a DECIMAL that holds the result whatever it is; then check the precision.
    wide = min(max(q - r + s + 1, p), DECIMAL_DIGITS_MAX)
    return sql(
        "CAST(tw_num_check(CAST(",
        frag,
        f" AS DECIMAL({wide},{s})), {p}, {s}) AS DECIMAL({p},{s}))",
        form=form,
    )


def _base(frag: Frag, source: TypeRef, target: TypeRef) -> Frag:
    from planner.binding.functions import geometry

    a, b = source.oid, target.oid
    if b == t.INT4 and (a == t.OID or type_name(a) in _REGISTERED):  # the same bits, with a sign
        return sql("tw_int4_of_oid(", frag, ")")
    if a in (t.REGCLASS, t.REGTYPE, t.REGPROC) and b in (t.OID, t.INT8):
        return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
    if a in GEOMETRIC and b in GEOMETRIC:
        return geometry.call(f"{type_name(b)}({type_name(a)})", [frag])
    if b == t.MONEY and a in (t.INT4, t.INT8, t.NUMERIC):
        if a == t.NUMERIC:
            return sql("tw_money_of_numeric(", as_text_numeric(frag), ")")
        return sql("tw_money_of_integer(", frag, ")")
    if a == t.MONEY and b == t.NUMERIC:
        return sql("tw_money_numeric(", frag, ")")
    if a == t.HSTORE and b in (t.JSON, t.JSONB):
        made = sql("tw_hstore_json(", frag, ")")
        return made if b == t.JSON else sql("tw_jsonb(", made, ")")
    if b == t.HSTORE and a == t.TEXT_ARRAY:
        return sql("tw_hstore_array(", as_list(frag, source), ")")
    if a == t.RECORD and t.composite_fields(b) is not None:
        return record_text(frag, source, stored_text)
    if a in (t.BIT, t.VARBIT) and b in (t.BIT, t.VARBIT):
        return frag
    if a == t.BIT and b in _INT_BITS:
        return sql("CAST(tw_bits_to_int(", frag, f", {_INT_BITS[b]}) AS {t.duckdb_type(target)})")
    if b == t.RECORD and t.composite_fields(a) is not None:
        return frag
    if (a, b) in ((t.INT4, t.CHAR), (t.CHAR, t.INT4)):
        return sql("tw_char_of_int4(" if b == t.CHAR else "tw_int4_of_char(", frag, ")")
    if a in _TEXTS and b == t.CHAR:
        return sql("tw_in_char(", frag, ")")
    if b in _TEXTS:
        return to_text(frag, source, b)
    if a in _TEXTS:
        return from_text(
            sql("rtrim(", frag, ", ' ')") if a == t.BPCHAR and b not in (t.BYTEA,) else frag, target
        )
    if b == t.NUMERIC:
        if a in _INTS:
            digits = _INTS[a]
            return sql("CAST(", frag, f" AS DECIMAL({digits},0))", form=(digits, 0))
        if a in _FLOATS:
            return sql(f"tw_num_from_float{8 if a == t.FLOAT8 else 4}(", frag, ")")
        if a in (t.JSONB,):
            return sql("tw_jsonb_numeric(", frag, ")")
    if a == t.NUMERIC:
        return _from_numeric(frag, target)
    if a in _FLOATS and b in (t.INT2, t.INT4, t.INT8):
        return sql(f"tw_float_int{ {t.INT2: 2, t.INT4: 4, t.INT8: 8}[b] }(", frag, ")")
    if a == t.FLOAT8 and b == t.FLOAT4:
        return sql("tw_float4(", frag, ")")
    if a in (t.JSON, t.JSONB) and b in (t.JSON, t.JSONB):
        return sql("tw_jsonb(", frag, ")") if b == t.JSONB else frag
    if a == t.JSONB:
        return sql(f"tw_jsonb_{type_name(b)}(", frag, ")")
    if a == t.TIMESTAMPTZ and b == t.TIME:
        finite = sql("CASE WHEN isfinite(", frag, ") THEN timezone(", _ICU_ZONE, ", ", frag, ") END")
        return sql("CAST(", finite, " AS TIME)")
    if a == t.TIMESTAMPTZ and b in (t.DATE, t.TIMESTAMP):
        return sql("CAST(timezone(", _ICU_ZONE, ", ", frag, f") AS {t.duckdb_type(target)})")
    if b == t.TIMESTAMPTZ and a in (t.DATE, t.TIMESTAMP):
        return sql("tw_to_timestamptz(CAST(", frag, " AS TIMESTAMP), ", _ICU_ZONE, ")")
    if a == t.TIMESTAMP and b == t.TIME:
        return sql("CAST(CASE WHEN isfinite(", frag, ") THEN ", frag, " END AS TIME)")
    if a == t.TIMESTAMPTZ and b == t.TIMETZ:
        finite = sql("CASE WHEN isfinite(", frag, ") THEN ", frag, " END")
        return sql("tw_timetz_of(", finite, ", ", _TIME_ZONE, ")")
    if a == t.TIMETZ and b == t.TIME:
        return sql("tw_timetz_time(", frag, ")")
    if a == t.TIME and b == t.TIMETZ:
        return sql("tw_timetz_from_time(", frag, ", ", _TIME_ZONE, ", ", _NOW, ")")
    if a == t.INET and b == t.CIDR:
        return sql("tw_inet_network(", frag, ")")
    if a == t.CIDR and b == t.INET:
        return sql("tw_in_inet(", frag, ")")
    if {a, b} == {t.MACADDR, t.MACADDR8}:
        return sql("tw_macaddr_longer(" if b == t.MACADDR8 else "tw_macaddr_shorter(", frag, ")")
    if range_subtype(type_name(a)) and range_subtype(type_name(b)):
        made = sql("tw_range_collected(", str(b), ", CAST([", frag, "] AS VARCHAR[]))")
        return sql("CASE WHEN ", frag, " IS NOT NULL THEN ", made, " END")
    if a == t.TIME and b == t.INTERVAL:
        return sql("to_microseconds(epoch_us(", frag, "))")
    if a == t.INTERVAL and b == t.TIME:
        return sql("tw_interval_time(", frag, ")")
    if a in VECTORS and t.element_of(b):
        return _counted_from_zero(frag, TypeRef(VECTORS[a]), TypeRef(t.element_of(b)))
    if type_name(b) in ("int2vector", "oidvector"):
        return as_list(frag, source)
    inner_a, inner_b = element_name(type_name(a)), element_name(type_name(b))
    if inner_a and inner_b:
        to = TypeRef(t.element_of(b))
        inner = as_text_numeric(_base(Frag(("tw_x",)), element_ref(source), to))
        if is_text(frag) and inner.text == "tw_x" and t.duckdb_type(to) == "VARCHAR":
            return frag
        changed = sql("list_transform(", as_list(frag, source), ", lambda tw_x: ", inner, ")")
        return with_items(frag, stored_items(changed, to)) if is_text(frag) else changed
    if a == t.INT2 and (b == t.OID or type_name(b) in _REGISTERED):
        return sql("tw_oid_of_int4(CAST(", frag, " AS INTEGER))")
    if a in (t.INT4, t.INT8) and (b == t.OID or type_name(b) in _REGISTERED):
        return sql(f"tw_oid_of_{type_name(a)}(", frag, ")")
    if type_name(b) in _REGISTERED or b == t.OID:
        return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
    if a in (t.INT4, t.INT8) and b in (t.INT2, t.INT4) and (a, b) != (t.INT4, t.INT4):
        return sql(f"tw_int_{type_name(b)}(", frag, ")")
    plain = {
        (t.INT2, t.INT4), (t.INT2, t.INT8), (t.INT4, t.INT8), (t.INT4, t.INT2), (t.INT8, t.INT2), (t.INT8, t.INT4),
        (t.BOOL, t.INT4), (t.INT4, t.BOOL), (t.DATE, t.TIMESTAMP), (t.TIMESTAMP, t.DATE), (t.FLOAT4, t.FLOAT8),
        (t.OID, t.INT8), (t.INT8, t.OID),
    }  # fmt: skip
    if (a, b) in plain or (a in (t.INT2, t.INT4, t.INT8) and b in _FLOATS):
        return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
    if type_name(a) == "xid8" and type_name(b) == "xid":
        return sql("(", frag, " & 4294967295)")
    raise PlanError("0A000", f"cast from {t.format_type(source)} to {t.format_type(target)} is not supported")


def _from_numeric(frag: Frag, target: TypeRef) -> Frag:
    b = target.oid
    if b in _FLOATS:
        duck = t.duckdb_type(target)
        if frag.form is not None and frag.form[0] <= 15:
            return sql("CAST(", frag, f" AS {duck})")
        if b == t.FLOAT4:
            return sql("tw_num_float4(", as_text_numeric(frag), ")")
        if frag.form is not None:  # through text, which is rounded once
            return sql("CAST(CAST(", frag, " AS VARCHAR) AS DOUBLE)")
        return sql("tw_num_double(", frag, ")")
    if b in (t.INT2, t.INT4, t.INT8):
        size = {t.INT2: 2, t.INT4: 4, t.INT8: 8}[b]
        if frag.form is not None:
            precision, scale = frag.form
            if precision - scale < {2: 4, 4: 9, 8: 18}[size]:
                return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
            whole = min(precision - scale + 1, DECIMAL_DIGITS_MAX)
            return sql(f"tw_int_{type_name(b)}(CAST(", frag, f" AS DECIMAL({whole},0)))")
        return sql(f"CAST(tw_num_int{size}(", frag, f") AS {t.duckdb_type(target)})")
    raise PlanError("0A000", f"cast from numeric to {t.format_type(target)} is not supported")


_STORED_AS_TEXT = frozenset(
    (t.TEXT, t.VARCHAR, t.NAME, t.CITEXT, t.UNKNOWN, t.CSTRING, t.VOID, t.UUID, t.JSON, t.JSONB, t.TIMETZ)
)
"""What the engine holds in the very form that the output function would give."""


def to_text(frag: Frag, source: TypeRef, target_oid: int) -> Frag:
    """PostgreSQL's output function."""
    a = source.oid
    composite = t.composite_fields(a)
    if composite is not None and any(
        ref.oid in _SHOWN_BY_SETTINGS or _is_styled_range(ref.oid) for _, ref in composite
    ):
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
    if a in _INTS or a in (t.BOOL,):
        return sql("CAST(", frag, " AS VARCHAR)")
    if t.element_of(a):
        return array_text(frag, source)
    name = type_name(a)
    if a in _STYLED:
        return _under_settings(f"tw_shown_{name}", frag, a)
    if a == t.BYTEA:
        return sql("tw_out_bytea_as(", frag, ", ", SessionValue("setting:bytea_output", TypeRef(t.TEXT)), ")")
    if name in ("float4", "float8", "time", "tid", "pg_lsn", "money"):
        return sql(f"tw_out_{name}(", frag, ")")
    if name in _REGISTERED:
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


def _counted_from_zero(frag: Frag, element: TypeRef, to: TypeRef) -> Frag:
    """A catalog vector as an array, which begins where the vector does: at zero."""
    inner = as_text_numeric(_base(Frag(("tw_x",)), element, to)) if element != to else Frag(("tw_x",))
    items = frag if inner.text == "tw_x" else sql("list_transform(", frag, ", lambda tw_x: ", inner, ")")
    return sql("tw_array_from_zero(", stored_items(items, to), ")", form=ARRAY_TEXT)


def _styled_range(function: str, oid: int, frag: Frag) -> Frag:
    """A range's text, read or written with its bounds as the settings have dates and times."""
    return sql(f"{function}({oid}, ", frag, ", ", _TIME_ZONE, ", ", _DATE_STYLE, ", ", _INTERVAL_STYLE, ")")


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
        return sql("list_transform([", frag, f"], lambda {_RECORD}: ", inside, ")[1]")
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
        if kind.oid == t.RECORD:
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


_SHOWN_BY_SETTINGS = frozenset(
    (
        *_STYLED, t.BYTEA,
    )
)  # fmt: skip


def _is_styled_range(oid: int) -> bool:
    """Whether a range's text depends on what the session has set."""
    return range_subtype(type_name(oid)) in ("date", "timestamp", "timestamptz", "interval")


def array_text(frag: Frag, source: TypeRef) -> Frag:
    """An array as its output function shows it."""
    element = element_ref(source)
    styled = element.oid in _SHOWN_BY_SETTINGS or _is_styled_range(element.oid)
    if element.oid == t.BOX:
        return sql("tw_out_boxes(", as_text(frag, source).with_form(None), ")")
    if is_text(frag) and not styled and type_name(element.oid) not in _REGISTERED:
        return frag.with_form(None)
    inner = record_item(Frag(("tw_x",)), element)
    items = sql("list_transform(", as_list(frag, source), ", lambda tw_x: ", inner, ")")
    return with_items(frag, items).with_form(None) if is_text(frag) else sql("tw_array_text(", items, ")")


def stored_text(frag: Frag, source: TypeRef) -> Frag:
    """A value as its type's output function shows it under default settings: what arrays hold of it."""
    oid = source.oid
    if oid == t.TIMESTAMPTZ:
        return sql("tw_out_timestamptz(", frag, ", 'UTC')")
    if oid in (t.DATE, t.TIMESTAMP, t.INTERVAL, t.BYTEA):
        return sql(f"tw_out_{type_name(oid)}(", frag, ")")
    if oid == t.RECORD and source.typmod >= 0:
        return record_text(frag, source, stored_text)
    if type_name(oid) in _REGISTERED:
        return sql("CAST(", frag, " AS VARCHAR)")
    if t.element_of(oid):
        return as_text(frag, source)
    if range_subtype(type_name(oid)) or t.composite_fields(oid) is not None:
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
    if oid in (t.BOOL, t.INT2, t.INT4, t.INT8, t.OID) or type_name(oid) in _REGISTERED:
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
    if b in _FLOATS:
        return sql(f"tw_in_{name}(", frag, ")")
    if b == t.NUMERIC:
        return sql("tw_in_numeric(", frag, ")")
    if b == t.JSON:
        return sql("tw_in_json(", frag, ")")
    if b == t.JSONB:
        return sql("tw_jsonb(", frag, ")")
    if b in t.CLOCK_OIDS:  # "today" is where the session is
        return sql(f"tw_read_{name}(", frag, ", ", _DATE_STYLE, ", ", _TIME_ZONE, ", ", _NOW, ")")
    if b == t.INTERVAL:
        return sql("tw_read_interval(", frag, ", ", _INTERVAL_STYLE, ")")
    if b in (t.BIT, t.VARBIT):
        return sql("tw_in_bits(", frag, ")")
    if name in _READ:
        return sql(f"tw_in_{name}(", frag, ")")
    if name in _REGISTERED:
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
    raise PlanError("0A000", f"cast from text to {t.format_type(target)} is not supported")


__all__ = [
    "Form", "array_text", "convert", "from_text", "modified", "record_item", "record_value", "stored_text", "stored_value", "to_text",
]  # fmt: skip
