"""Conversions as Spark computes them: rounding where PostgreSQL rounds, and its errors where a value does not fit."""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding.fragments import DECIMAL_DIGITS_MAX, Frag, Verbatim, sql
from planner.binding.numeric_forms import as_text_numeric, decimal_form
from planner.binding.spark.values import refused, type_name

_DIGITS = {t.INT2: 5, t.INT4: 10, t.INT8: 19}
_WORDS = {t.INT2: "smallint", t.INT4: "integer", t.INT8: "bigint"}
_TEXTS = (t.TEXT, t.VARCHAR)


def convert(frag: Frag, source: TypeRef, target: TypeRef, explicit: bool, position: int = 0) -> Frag:
    """The value in the target's type, fitted to its modifier. Raises 0A000."""
    a, b = source.oid, target.oid
    name = type_name(target, position)
    if a == b:
        return _fitted(frag, source, target, explicit, position)
    if a in _DIGITS:
        if b in _DIGITS:
            return _cast(frag, name)
        if b in (t.FLOAT4, t.FLOAT8):
            return _cast(frag, name)
        if b == t.NUMERIC:
            digits = _DIGITS[a]
            made = _cast(frag, f"DECIMAL({digits},0)", (digits, 0))
            return made if target.typmod < 0 else _fitted(made, TypeRef(b), target, explicit, position)
        if b in _TEXTS and target.typmod < 0:
            return _cast(frag, "STRING")
    elif a == t.NUMERIC:
        if b in _DIGITS and frag.form is not None:
            whole = min(frag.form[0] - frag.form[1] + 1, DECIMAL_DIGITS_MAX)
            return _cast(_cast(frag, f"DECIMAL({whole},0)"), name)
        if b in _DIGITS:
            size = {t.INT2: 2, t.INT4: 4, t.INT8: 8}[b]
            return _cast(sql(Verbatim(f"tw_num_int{size}("), frag, ")"), name)
        if b in (t.FLOAT4, t.FLOAT8):
            if frag.form is not None and frag.form[0] <= 15:
                return _cast(frag, name)
            return sql(Verbatim(f"tw_num_float{8 if b == t.FLOAT8 else 4}("), as_text_numeric(frag), ")")
        if b in _TEXTS and target.typmod < 0:
            return as_text_numeric(frag).with_form(None)
    elif a in (t.FLOAT4, t.FLOAT8):
        if b in _DIGITS:
            return _cast(sql(Verbatim("rint(CAST("), frag, Verbatim(" AS DOUBLE))")), name)
        if (a, b) == (t.FLOAT4, t.FLOAT8):
            return _cast(frag, name)
        if b == t.NUMERIC:
            return sql(Verbatim(f"tw_num_from_float{8 if a == t.FLOAT8 else 4}("), frag, ")")
    elif a == t.BOOL and b == t.INT4:
        return _cast(frag, name)
    elif a == t.BOOL and b in _TEXTS and target.typmod < 0:
        return _cast(frag, "STRING")
    elif a in _TEXTS and b in _TEXTS:
        return _fitted(frag, source, target, explicit, position)
    elif a == t.BPCHAR and b in _TEXTS and target.typmod < 0:
        return sql(Verbatim("TRIM(TRAILING ' ' FROM "), frag, ")")
    elif a == t.DATE and b == t.TIMESTAMP and target.typmod < 0:
        return _cast(frag, name)
    shown = f"{t.type_in_words(a)} to {t.type_in_words(b)}"
    raise refused(f"a cast from {shown}", position)


def _cast(frag: Frag, name: str, form: tuple[int, int] | None = None) -> Frag:
    return sql(Verbatim("CAST("), frag, Verbatim(f" AS {name})"), form=form)


def _fitted(frag: Frag, source: TypeRef, target: TypeRef, explicit: bool, position: int) -> Frag:
    """The same type, another modifier."""
    if target.typmod < 0 or source.typmod == target.typmod:
        return frag
    oid = target.oid
    if oid == t.NUMERIC:
        form = decimal_form(target)
        if form is not None and frag.form is not None:
            # ANSI: rounds half away from zero, and what does not fit is an error.
            return _cast(frag, f"DECIMAL({form[0]},{form[1]})", form)
        if form is not None:
            p, s = form
            return _cast(
                sql(Verbatim("tw_num_fit("), frag, Verbatim(f", {p}, {s})")), f"DECIMAL({p},{s})", form
            )
    if oid in _TEXTS and explicit:
        return sql(Verbatim("substring("), frag, Verbatim(f", 1, {target.typmod - 4})"))
    raise refused(f"a cast to {t.format_type(target)}", position)
