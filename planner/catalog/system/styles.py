"""Constants of definitions in the asking session's style: the catalog keeps dates in ISO's, intervals as IntervalStyle `postgres` writes them.

    SET intervalstyle = iso_8601;       pg_get_expr(...)    '3 years'::interval  ->  'P3Y'::interval
    SET datestyle = 'postgres, mdy';    pg_get_expr(...)    '2020-12-31'::date   ->  '12-31-2020'::date

Who asks for definitions reads them with the style that he has set (ActiveRecord sets iso_8601, and takes for no default what is not).
"""

from __future__ import annotations

import re
from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.catalog.system.context import SystemContext
from planner.types import TypeSettings

_TYPES: Final = {
    "interval": TypeRef(t.INTERVAL),
    "date": TypeRef(t.DATE),
    "timestamp without time zone": TypeRef(t.TIMESTAMP),
}
_CONSTANTS: Final = re.compile(rf"""'((?:[^']|'')*)'(::({"|".join(_TYPES)})\b(?!\[))?|"(?:[^"]|"")*\"""")
_KEPT: Final = TypeSettings()


def styled(context: SystemContext, text: str | None) -> str | None:
    """A definition as the session is to read it."""
    as_kept = (context.interval_style, context.date_style) == (_KEPT.interval_style, _KEPT.date_style)
    if text is None or as_kept or "'::" not in text:
        return text
    asked = TypeSettings(interval_style=context.interval_style, date_style=context.date_style)

    def said(found: re.Match[str]) -> str:
        ref = _TYPES.get(found[3])
        if ref is None:
            return found[0]
        return f"'{t.output_text(t.input_text(found[1], ref, _KEPT), ref, asked)}'{found[2]}"

    return _CONSTANTS.sub(said, text)


__all__ = ["styled"]
