"""Calls whose constants are written out, or whose numerics have a form: DuckDB's own functions, where they say what PostgreSQL's do.

    lpad(code, 10, '0')                  lpad(...)                    tw_lpad(...) is a call of Python for each row
    regexp_replace(x, '[^0-9]+', '')     regexp_replace(...)          one set of letters, or a text: first and longest match are the same
    format('%s-%s', a, b)                concat(a, '-', b)
    power(x, 2)                          pow(x, 2)                    where that is finite and not zero, which needs no look at errors

Each is before a template (`registry.natively`), which the keyed engine and Spark go on with, and which says the rest.
"""

from __future__ import annotations

import re
from typing import Final

from planner.binding import ir
from planner.binding.fragments import DECIMAL_DIGITS_MAX, Form, Frag, Item, join, quote_text, sql
from planner.binding.functions.registry import natively
from planner.binding.functions.text import shown

_PAD_MAX: Final = 10_000
_SET: Final = r"\[\^?[A-Za-z0-9 _.,;:@/-]+\]"
_LONGEST: Final = re.compile(rf"(?:{_SET}\+?|[A-Za-z0-9 _,;:@/#%&='\"!~-]+)")
"""What has one match where it begins: a set of letters, as many as there are of it, or a text."""


def _text(node: ir.Node) -> str | None:
    return node.value if isinstance(node, ir.Lit) and isinstance(node.value, str) else None


def _number(node: ir.Node) -> int | None:
    value = node.value if isinstance(node, ir.Lit) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# --- texts ---------------------------------------------------------------------------------------------


def _padded(call: ir.Call, args: list[Frag]) -> Frag | None:
    size = _number(call.args[1])
    fill = _text(call.args[2]) if len(call.args) > 2 else " "
    if size is None or not 0 <= size <= _PAD_MAX or not fill:
        return None
    return sql(f"{call.op[:4]}(", args[0], f", {size}, {quote_text(fill)})")


natively("lpad(text, int4)", "rpad(text, int4)", "lpad(text, int4, text)", "rpad(text, int4, text)")(_padded)


@natively("regexp_replace(text, text, text)", "regexp_replace(text, text, text, text)")
def _replaced(call: ir.Call, args: list[Frag]) -> Frag | None:
    pattern, new = _text(call.args[1]), _text(call.args[2])
    flags = _text(call.args[3]) if len(call.args) > 3 else ""
    if pattern is None or new is None or flags not in ("", "g") or "\\" in new:
        return None
    if _LONGEST.fullmatch(pattern) is None or not _is_set_in_order(pattern):
        return None
    more = ", 'g'" if flags else ""
    return sql("regexp_replace(", args[0], f", {quote_text(pattern)}, {quote_text(new)}{more})")


def _is_set_in_order(pattern: str) -> bool:
    """Whether its ranges are of letters or digits and go up, and a `-` is at its end if it stands for itself; true of a text."""
    if not pattern.startswith("["):
        return True
    inside = pattern.strip("+")[1:-1].removeprefix("^").removesuffix("-")
    for low, high in re.findall(r"(.)-(.)", inside):
        if not (low.isalnum() and high.isalnum() and low <= high and (low.isdigit() == high.isdigit())):
            return False
        if low.isupper() != high.isupper():
            return False
    return "-" not in re.sub(r".-.", "", inside) and not re.search(r".-.-", inside)


@natively("format(text, any)")
def _formatted(call: ir.Call, args: list[Frag]) -> Frag | None:
    template = _text(call.args[0])
    if template is None:
        return None
    pieces = re.split(r"(%.?)", template, flags=re.DOTALL)
    if not {"%s", "%%"}.issuperset(pieces[1::2]) or pieces[1::2].count("%s") > len(args) - 1:
        return None
    # Values that are NULL are nothing in both.
    values = iter(shown(call.args[1:], args[1:]))
    items: list[Item] = ["''"]
    for i, piece in enumerate(pieces):
        text = "%" if piece == "%%" else piece
        if i % 2 and piece == "%s":
            items.append(next(values))
        elif text:
            items.append(quote_text(text))
    return sql("concat(", join(", ", items), ")")


# --- numbers -------------------------------------------------------------------------------------------


@natively("mod(numeric, numeric)", "numeric % numeric")
def _remainder(call: ir.Call, args: list[Frag]) -> Frag | None:
    a, b = args[0].form, args[1].form
    if a is None or b is None:
        return None
    scale = max(a[1], b[1])
    digits = max(a[0] - a[1], b[0] - b[1]) + scale
    if digits > DECIMAL_DIGITS_MAX:
        return None
    sides = [sql("CAST(", x, f" AS DECIMAL({digits},{scale}))") for x in args]
    return sql("CAST(", sides[0], " % ", sides[1], f" AS DECIMAL({digits},{scale}))", form=(digits, scale))


@natively("trunc(numeric, int4)")
def _truncated(call: ir.Call, args: list[Frag]) -> Frag | None:
    form, places = args[0].form, _number(call.args[1])
    if form is None or places is None or not 0 <= places <= form[1]:
        return None
    made: Form = (max(form[0] - form[1] + places, 1), places)
    assert made is not None
    return sql("CAST(trunc(", args[0], f", {places}) AS DECIMAL({made[0]},{made[1]}))", form=made)


@natively("sign(numeric)")
def _sign(call: ir.Call, args: list[Frag]) -> Frag | None:
    if args[0].form is None:
        return None
    return sql("CAST(sign(", args[0], ") AS DECIMAL(1,0))", form=(1, 0))


@natively("power(float8, float8)", "pow(float8, float8)", "float8 ^ float8")
def _power(call: ir.Call, args: list[Frag]) -> Frag | None:
    found = sql("pow(", args[0], ", ", args[1], ")")
    # Infinite, zero and no number are what errors become.
    return sql(
        "CASE WHEN isfinite(", found, ") AND ", found, " <> 0 THEN ", found, " ELSE tw_power(", args[0], ", ", args[1], ") END"
    )  # fmt: skip


__all__: list[str] = []
