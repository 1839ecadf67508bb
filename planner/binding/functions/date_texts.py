"""to_char of times by a template that is written out: DuckDB's strftime, where it says the same.

    to_char(t, 'YYYY-MM-DD HH24:MI')      CASE WHEN t BETWEEN year 1000 AND year 9999 THEN strftime(t, '%Y-%m-%d %H:%M') ELSE tw_to_char_timestamp(...) END

The fields below have as many digits there as here, or one English name; what stands between them is punctuation or in quotes. Other years, the infinities and
NULL are `formats.timestamp_text`'s, and so is a template with anything else in it: a letter that is no field here may be one of
PostgreSQL's, which always takes the longest name (`SSSS`, `IDDD`). Half a million dates take 30 ms so, 3700 one by one.
"""

from __future__ import annotations

import re
from typing import Final

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, quote_text, sql
from planner.binding.functions.registry import implements

_ZONE: Final = SessionValue("time_zone_icu", TypeRef(t.TEXT))
_TIME_ZONE: Final = SessionValue("time_zone", TypeRef(t.TEXT))
_NUMBERS: Final = {
    "YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "HH12": "%I", "HH": "%I", "MI": "%M", "SS": "%S", "DDD": "%j", "YY": "%y",
    "MS": "%g", "US": "%f",
}  # fmt: skip
_FIELDS: Final = {
    **_NUMBERS,
    **{name.lower(): code for name, code in _NUMBERS.items()},
    "Mon": "%b",
    "Dy": "%a",
    "AM": "%p",
    "PM": "%p",
    "FMMonth": "%B",
    "FMDay": "%A",
    "IYYY": "%G",
    "IW": "%V",
}
_NAMES: Final = "|".join(sorted(_FIELDS, key=len, reverse=True))
_PIECE: Final = re.compile(rf'(?!SSSS|ssss|Month)({_NAMES})|"([^"\\%]*)"|([-/,.:; _]+)')
"""`SSSS` are the seconds of a day, and `Month` is padded."""
_UTC: Final = "IN ('UTC', 'Etc/UTC')"


def strftime_format(template: str) -> str | None:
    """strftime's words for a template; None where it has none, or other results."""
    out, at, fields = [], 0, 0
    while at < len(template):
        piece = _PIECE.match(template, at)
        if piece is None:
            return None
        field, quoted, between = piece.groups()
        fields += field is not None
        out.append(_FIELDS[field] if field is not None else quoted if quoted is not None else between)
        at = piece.end()
    return "".join(out) if fields else None


def _template(node: ir.Node) -> str | None:
    return strftime_format(node.value) if isinstance(node, ir.Lit) and isinstance(node.value, str) else None


def _said(tested: Frag, kind: str, local: Frag, format_: str, otherwise: Frag) -> Frag:
    """Of years of four digits in every zone."""
    low, high = (f"CAST('{day}' AS {kind})" for day in ("1000-01-02", "9999-12-30"))
    return sql(
        "(CASE WHEN ", tested, f" BETWEEN {low} AND {high} THEN strftime(", local, f", {quote_text(format_)}) ELSE ", otherwise, " END)"
    )  # fmt: skip


@implements("to_char(timestamp, text)")
def _char(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    otherwise = sql("tw_to_char_timestamp(tw_finite(", args[0], "), ", args[1], ")")
    format_ = _template(call.args[1])
    return otherwise if format_ is None else _said(args[0], "TIMESTAMP", args[0], format_, otherwise)


@implements("to_char(timestamptz, text)")
def _char_zoned(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    instant = args[0]
    otherwise = sql("tw_to_char_timestamptz(tw_finite(", instant, "), ", args[1], ", ", _TIME_ZONE, ")")
    format_ = _template(call.args[1])
    if format_ is None:
        return otherwise
    local = sql("timezone(", _ZONE, ", ", instant, ")")
    given = call.args[0]
    if isinstance(given, ir.Cast) and given.arg.type.oid == t.DATE:
        # Which day that is depends on the zone: Samoa had no 30 December 2011.
        day = emitter.frag(given.arg)
        local = sql("CASE WHEN ", _ZONE, f" {_UTC} THEN CAST(", day, " AS TIMESTAMP) ELSE ", local, " END")
        return _said(day, "DATE", local, format_, otherwise)
    local = sql(
        "CASE WHEN ", _ZONE, f" {_UTC} THEN make_timestamp(epoch_us(", instant, ")) ELSE ", local, " END"
    )
    return _said(instant, "TIMESTAMP WITH TIME ZONE", local, format_, otherwise)


__all__ = ["strftime_format"]
