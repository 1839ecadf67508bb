"""Configurations and dictionaries by their OIDs, which are those of a fresh PostgreSQL 15: one for each language, by name."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.textsearch.documents import LANGUAGES, SIMPLE, check_configuration

_FIRST: Final = 13_152
CONFIGURATIONS: Final = {3748: SIMPLE} | {_FIRST + 2 * i: name for i, name in enumerate(LANGUAGES)}
DICTIONARIES: Final = {3765: SIMPLE} | {
    _FIRST - 1 + 2 * i: f"{name}_stem" for i, name in enumerate(LANGUAGES)
}


@lru_cache(maxsize=256)
def configuration(said: str) -> str:
    """A configuration that is said by its OID, by a setting or by its definition. Raises 42704, XX000."""
    if not said.isdigit():
        return check_configuration(said)
    found = CONFIGURATIONS.get(int(said))
    if found is None:
        raise SqlError("XX000", f"cache lookup failed for text search configuration {said}")
    return found


def dictionary(said: str) -> str:
    """A dictionary that is said by its OID or by its definition. Raises XX000."""
    if said.startswith("["):
        return said
    found = DICTIONARIES.get(int(said)) if said.isdigit() else None
    if found is None:
        raise SqlError("XX000", f"cache lookup failed for text search dictionary {said}")
    return found
