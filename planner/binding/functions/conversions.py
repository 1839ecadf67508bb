"""Casts: how DuckDB makes a value of one PostgreSQL type into a value of another.

DuckDB's own CAST is used where it is the same (between integers, date to timestamp, ...). Reading text
and showing values as text are PostgreSQL's input and output functions: `value_texts`.
"""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding.dimensions import VECTORS, as_list, element_ref, is_text, stored_items, with_items
from planner.binding.evaluation import let
from planner.binding.facts import element_name, range_subtype, type_name
from planner.binding.fragments import ARRAY_TEXT, DECIMAL_DIGITS_MAX, Frag, sql
from planner.binding.functions.value_texts import (
    FLOATS,
    INTS,
    NOW,
    REGISTERED,
    TIME_ZONE,
    from_text,
    has_floats,
    record_text,
    stored_text,
    to_text,
)
from planner.binding.numeric_forms import as_text_numeric, decimal_form
from planner.types.geometry import GEOMETRIC

_INT_BITS = {t.INT4: 32, t.INT8: 64}
_TEXTS = (t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT, t.UNKNOWN, t.CSTRING)
_ICU_ZONE = SessionValue("time_zone_icu", TypeRef(t.TEXT))


def convert(frag: Frag, source: TypeRef, target: TypeRef, explicit: bool) -> Frag:
    """The fragment as a `target`, its modifier applied."""
    a, b = source.oid, target.oid
    if b == t.BIT and a in _INT_BITS:
        return sql("tw_bits_of_int(", frag, f", {_INT_BITS[a]}, {max(target.typmod, 1)})")
    if a != b and _has_effects(frag):  # macros say their argument twice
        once = _base(Frag(["tw_once"], frag.form), source, TypeRef(b))
        frag = let("tw_once", frag, once)
    elif a != b:
        frag = _base(frag, source, TypeRef(b))
    return modified(frag, target, explicit) if target.typmod >= 0 else frag


def read_again(frag: Frag, ref: TypeRef) -> Frag:
    """A value as a text that is read again under the same settings: floating points with all their digits, whatever is shown of them."""
    if ref.oid in (t.TEXT, t.VARCHAR, t.BPCHAR):
        return frag  # its own text: a cast would take blanks from the end
    return stored_text(frag, ref) if has_floats(ref) else convert(frag, ref, TypeRef(t.TEXT), True)


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
    if oid == t.TIMETZ and mod < 6:
        return sql("tw_round_timetz(", frag, f", {mod})")
    if oid in (t.BIT, t.VARBIT):
        flags = f"{'true' if oid == t.VARBIT else 'false'}, {'true' if explicit else 'false'}"
        return sql("tw_bits_fit(", frag, f", {mod}, {flags})")
    if oid == t.INTERVAL:
        return sql("tw_interval_fit(", frag, f", {mod})")
    if oid == t.VECTOR:
        return sql("tw_vector_fitted(", frag, f", {mod})")
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
        return sql(
            "coalesce(TRY_CAST(tw_plain_decimal(", frag, f") AS DECIMAL({p},{s})), CAST(tw_num_fit_decimal(", frag,
            f", {p}, {s}) AS DECIMAL({p},{s})))",
            form=form,
        )  # fmt: skip
    q, r = frag.form
    if r <= s and q - r <= p - s:
        return sql("CAST(", frag, f" AS DECIMAL({p},{s}))", form=form)
    # Round first, in a DECIMAL that holds the result whatever it is, if there is one; then check the precision.
    wide = max(q - r + s + 1, p)
    if wide <= DECIMAL_DIGITS_MAX:
        rounded = sql("CAST(", frag, f" AS DECIMAL({wide},{s}))")
    else:
        wide = DECIMAL_DIGITS_MAX
        rounded = sql("TRY_CAST(", frag, f" AS DECIMAL({wide},{s}))")
    # What the check compares with is of the same form: DuckDB would make one of two, which may have no room for either.
    limit = f"CAST('1{'0' * (p - s)}' AS DECIMAL({wide},{s}))" if p < wide else "NULL"
    return sql(
        "CAST(tw_num_check(", frag, ", ", rounded, f", {limit}, {p}, {s}) AS DECIMAL({p},{s}))", form=form
    )


def _base(frag: Frag, source: TypeRef, target: TypeRef) -> Frag:
    from planner.binding.functions import geometry

    a, b = source.oid, target.oid
    if b == t.INT4 and (a == t.OID or type_name(a) in REGISTERED):  # the same bits, with a sign
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
        return sql("tw_hstore_array_text(" if is_text(frag) else "tw_hstore_array(", frag, ")")
    if b == t.VECTOR and t.element_of(a):
        line = sql("tw_array_one_dimension(", frag, ", 'vector')", form=frag.form) if is_text(frag) else frag
        return sql("tw_vector_of_numbers(CAST(", as_list(line, source), " AS DOUBLE[]))")
    if a == t.VECTOR and b == t.FLOAT4_ARRAY:
        return sql("tw_vector_items(", frag, ")")
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
        if a in INTS:
            digits = INTS[a]
            return sql("CAST(", frag, f" AS DECIMAL({digits},0))", form=(digits, 0))
        if a in FLOATS:
            return sql(f"tw_num_from_float{8 if a == t.FLOAT8 else 4}(", frag, ")")
        if a in (t.JSONB,):
            return sql("tw_jsonb_numeric(", frag, ")")
    if a == t.NUMERIC:
        return _from_numeric(frag, target)
    if a in FLOATS and b in (t.INT2, t.INT4, t.INT8):
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
        return sql("tw_timetz_of(", finite, ", ", TIME_ZONE, ")")
    if a == t.TIMETZ and b == t.TIME:
        return sql("tw_timetz_time(", frag, ")")
    if a == t.TIME and b == t.TIMETZ:
        return sql("tw_timetz_from_time(", frag, ", ", TIME_ZONE, ", ", NOW, ")")
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
    if a == t.INT2 and (b == t.OID or type_name(b) in REGISTERED):
        return sql("tw_oid_of_int4(CAST(", frag, " AS INTEGER))")
    if a in (t.INT4, t.INT8) and (b == t.OID or type_name(b) in REGISTERED):
        return sql(f"tw_oid_of_{type_name(a)}(", frag, ")")
    if type_name(b) in REGISTERED or b == t.OID:
        return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
    if a in (t.INT4, t.INT8) and b in (t.INT2, t.INT4) and (a, b) != (t.INT4, t.INT4):
        return sql(f"tw_int_{type_name(b)}(", frag, ")")
    plain = {
        (t.INT2, t.INT4), (t.INT2, t.INT8), (t.INT4, t.INT8), (t.INT4, t.INT2), (t.INT8, t.INT2), (t.INT8, t.INT4),
        (t.BOOL, t.INT4), (t.INT4, t.BOOL), (t.DATE, t.TIMESTAMP), (t.TIMESTAMP, t.DATE), (t.FLOAT4, t.FLOAT8),
        (t.OID, t.INT8), (t.INT8, t.OID),
    }  # fmt: skip
    if (a, b) in plain or (a in (t.INT2, t.INT4, t.INT8) and b in FLOATS):
        return sql("CAST(", frag, f" AS {t.duckdb_type(target)})")
    if type_name(a) == "xid8" and type_name(b) == "xid":
        return sql("CAST(", frag, " & 4294967295 AS BIGINT)")
    raise PlanError("0A000", f"cast from {t.format_type(source)} to {t.format_type(target)} is not supported")


def _from_numeric(frag: Frag, target: TypeRef) -> Frag:
    b = target.oid
    if b in FLOATS:
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


def _counted_from_zero(frag: Frag, element: TypeRef, to: TypeRef) -> Frag:
    """A catalog vector as an array, which begins where the vector does: at zero."""
    inner = as_text_numeric(_base(Frag(("tw_x",)), element, to)) if element != to else Frag(("tw_x",))
    items = frag if inner.text == "tw_x" else sql("list_transform(", frag, ", lambda tw_x: ", inner, ")")
    return sql("tw_array_from_zero(", stored_items(items, to), ")", form=ARRAY_TEXT)


__all__ = ["convert", "modified", "read_again"]
