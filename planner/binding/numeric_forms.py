"""**Numerics have a form.** PostgreSQL's numeric is exact and each value carries its display scale. Where the
scale is known when a statement is planned (columns numeric(p,s), literals, their sums, differences and
products, `sum` over them) a numeric is a DuckDB DECIMAL, form `(p, s)`, and everything is as fast as
DuckDB is. Where it depends on the values (division, avg, sqrt, columns and parameters without
modifier) it is PostgreSQL's own text in a VARCHAR, form None, and functions of `prelude` compute with it.

    a * (1 - b)        DECIMAL(15,2) * DECIMAL(16,2)         form (31, 4)
    avg(a)             tw_num_div(sum(a)::VARCHAR, count(a))  form None
    a / 8.0            tw_small_quotient(a * 100, 2, 80, 1)   form None, but of integers (`prelude.quotients`)
    a < avg(...)       tw_num_cmp(a::VARCHAR, ...) < 0

The same idea holds for arrays: form ARRAY_TEXT is PostgreSQL's text (see `dimensions`).
"""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding.fragments import ARRAY_TEXT, DECIMAL_DIGITS_MAX, Form, Frag, sql


def column_form(ref: TypeRef) -> Form:
    """The form of a column or parameter of this type: numeric(p,s) is a DECIMAL, numeric alone text, arrays are texts."""
    if ref.oid == t.NUMERIC:
        return decimal_form(ref)
    return ARRAY_TEXT if t.element_of(ref.oid) and ref.oid != t.RECORD_ARRAY else None


def decimal_form(ref: TypeRef) -> Form:
    """The form of a column or parameter of this type: numeric(p,s) is a DECIMAL, numeric alone is text."""
    if ref.oid != t.NUMERIC or ref.typmod < 4:
        return None
    precision = (ref.typmod - 4) >> 16
    scale = (ref.typmod - 4) & 0x7FF
    if scale > 1023:
        scale -= 2048
    if precision > DECIMAL_DIGITS_MAX or scale < 0 or scale > precision:
        return None
    return precision, scale


def literal_form(value: str) -> Form:
    digits = value.lstrip("-")
    whole, _, fraction = digits.partition(".")
    if not (whole + fraction).isdigit():
        return None
    whole = whole.lstrip("0")
    precision = max(len(whole) + len(fraction), 1)
    precision = max(precision, len(fraction) + 1)  # a DECIMAL(s,s) shows no zero before its point
    return (precision, len(fraction)) if precision <= DECIMAL_DIGITS_MAX else None


def as_text_numeric(frag: Frag) -> Frag:
    """A numeric in its text form."""
    if frag.form is None:
        return frag
    p, s = frag.form
    if p == s:
        if p == DECIMAL_DIGITS_MAX:
            return sql("regexp_replace(CAST(", frag, " AS VARCHAR), '^(-?)[.]', '\\10.')")
        return sql("CAST(CAST(", frag, f" AS DECIMAL({p + 1},{s})) AS VARCHAR)")
    return sql("CAST(", frag, " AS VARCHAR)")


def to_form(frag: Frag, form: tuple[int, int]) -> Frag:
    """A DECIMAL of the same scale with at least as many digits."""
    if frag.form == form:
        return frag
    return sql("CAST(", frag, f" AS DECIMAL({form[0]},{form[1]}))", form=form)


def have_common_form(a: Frag, b: Frag) -> bool:
    """Whether a DECIMAL holds the numbers of both, which DuckDB makes of them before it compares."""
    if a.form is None or b.form is None:
        return False
    (p1, s1), (p2, s2) = a.form, b.form
    return max(p1 - s1, p2 - s2) + max(s1, s2) <= DECIMAL_DIGITS_MAX


SMALL_DIGITS_MAX = 15
"""Integers of so many digits are BIGINTs, with three digits to spare."""


def quotient_fits(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether `prelude.quotients` divides every number of one form by every one of the other within 38 digits.

    The quotient has at most 2 * 10^20 units where its scale is made for its digits: times twice the divisor, that is 38. Else its
    scale is that of an operand.
    """
    (p1, s1), (p2, s2) = a, b
    return p1 <= 30 and p1 + s1 < 38 and p2 <= 17 and p2 + s2 < 38 and p1 + max(s1, s2) + s2 - s1 <= 37


def unscaled(frag: Frag, integer: str) -> Frag:
    """A DECIMAL's digits as an integer of this type."""
    assert frag.form is not None
    precision, scale = frag.form
    if scale == 0:
        return sql("CAST(", frag, f" AS {integer})")
    wide = to_form(
        frag, (precision + scale, scale)
    )  # DuckDB multiplies in what the wider operand is stored in
    return sql("CAST(", wide, f" * CAST({10**scale} AS DECIMAL({scale + 1},0)) AS {integer})")
