"""Names in messages and SQL text: when quoted, and what is said of one that is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from planner.abc import PlanError, SqlError
from planner.errors import NoSuchType
from planner.keywords import NEEDS_QUOTES

_SAFE: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")


def quote_identifier(name: str) -> str:
    """As quote_ident(): quoted only if it must be."""
    if _SAFE.match(name) is not None and name not in NEEDS_QUOTES:
        return name
    return '"' + name.replace('"', '""') + '"'


QUOTED_LISTS: Final = (
    "search_path", "temp_tablespaces", "local_preload_libraries", "session_preload_libraries", "shared_preload_libraries",
    "unix_socket_directories",
)  # fmt: skip
"""Settings that are lists of names: each is quoted by itself where they are written out."""


def split_identifiers(value: str) -> tuple[str, ...]:
    """The names in a comma-separated list of identifiers, folded as SQL folds them."""
    names = []
    for m in re.finditer(r'"((?:[^"]|"")*)"|([^,\s"]+)', value):
        names.append(m[1].replace('""', '"') if m[1] is not None else m[2].lower())
    return tuple(names)


def quote_qualified(schema: str, name: str) -> str:
    return quote_identifier(schema) + "." + quote_identifier(name) if schema else quote_identifier(name)


def split_name(text: str, database: str = "", *, relation: bool = False) -> tuple[str, str]:
    """(schema or empty, name) of a possibly quoted, possibly qualified name. Raises 0A000 for one in another database than this."""
    parts = name_parts(text)
    if len(parts) > 3:
        raise SqlError("42601", f"improper relation name (too many dotted names): {'.'.join(parts)}")
    if len(parts) == 3 and database and parts[0] != database:
        raise elsewhere(parts, relation=relation)
    return (parts[-2] if len(parts) > 1 else "", parts[-1])


def elsewhere(parts: Sequence[str], *, relation: bool = False, position: int = 0) -> PlanError:
    """Of a name that says another database; one of a relation is quoted."""
    said = ".".join(parts)
    shown = f'"{said}"' if relation else said
    return PlanError("0A000", f"cross-database references are not implemented: {shown}", position=position)


_PART: Final = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^\s."]+))\s*(\.|\Z)')


def name_parts(text: str) -> list[str]:
    """The parts of a possibly quoted, possibly qualified name. Raises 42602."""
    parts: list[str] = []
    at, more = 0, True
    while more:
        found = _PART.match(text, at)
        if found is None:
            raise SqlError("42602", "invalid name syntax")
        parts.append(found[1].replace('""', '"') if found[1] is not None else found[2].lower())
        at, more = found.end(), found[3] == "."
    return parts


def missing_schema(name: str, position: int = 0) -> PlanError:
    return PlanError("3F000", f'schema "{name}" does not exist', position=position)


def missing_relation(shown: str, kind: str = "relation", position: int = 0) -> PlanError:
    return PlanError("42P01", f'{kind} "{shown}" does not exist', position=position)


def missing_type(shown: str, position: int = 0) -> NoSuchType:
    return NoSuchType(shown, position)
