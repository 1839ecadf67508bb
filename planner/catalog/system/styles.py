"""Constants of definitions in the asking session's style: the catalog keeps intervals as IntervalStyle `postgres` writes them.

    SET intervalstyle = iso_8601;  pg_get_expr(...)    '3 years'::interval  ->  'P3Y'::interval

Who asks for definitions reads them with the style that he has set (ActiveRecord sets iso_8601, and takes for no default what is not).
"""

from __future__ import annotations

import re
from typing import Final

from planner.catalog.system.context import SystemContext
from planner.types.interval_input import interval_in
from planner.types.intervals import STYLES

_CONSTANTS: Final = re.compile(r"""'((?:[^']|'')*)'(::interval\b(?!\[))?|"(?:[^"]|"")*\"""")
_KEPT: Final = "postgres"


def styled(context: SystemContext, text: str | None) -> str | None:
    """A definition as the session is to read it."""
    if text is None or context.interval_style == _KEPT or "::interval" not in text:
        return text
    write, read = STYLES[context.interval_style], interval_in(_KEPT)

    def said(found: re.Match[str]) -> str:
        return f"'{write(read(found[1]))}'{found[2]}" if found[2] else found[0]

    return _CONSTANTS.sub(said, text)


__all__ = ["styled"]
