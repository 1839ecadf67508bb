"""pg_settings_get_flags(name): where a setting is told, and where it is left alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.relations import fact_lines
from planner.types.oids import TEXT, TEXT_ARRAY

_HIDDEN: Final = ["NO_RESET_ALL", "NO_SHOW_ALL", "NOT_IN_SAMPLE"]
_UNLISTED: Final = {
    "is_superuser": _HIDDEN,
    "session_authorization": _HIDDEN,
    "role": _HIDDEN,
    "default_with_oids": ["NO_SHOW_ALL", "NOT_IN_SAMPLE"],
}
"""Of settings that pg_settings does not list."""


@lru_cache(maxsize=1)
def _flags() -> dict[str, list[str]]:
    lines = fact_lines("settings")
    header = next(lines)
    name, flags = header.index("name"), header.index("flags")
    listed = {f[name].lower(): [] if f[flags] == r"\N" else f[flags].split(",") for f in lines}
    return listed | _UNLISTED


@system("pg_settings_get_flags", (TEXT,), TEXT_ARRAY)
def _flags_of(context: SystemContext, name: str | None) -> list[str] | None:
    return None if name is None else _flags().get(name.lower())
