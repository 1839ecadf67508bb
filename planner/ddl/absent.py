"""DROP of kinds of objects that nobody can make here: none exists but PostgreSQL's own, which stay.

DROP SERVER IF EXISTS s     a notice          migrations begin with it, to begin anew
DROP SERVER s               42704
DROP LANGUAGE sql                2BP01
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError
from planner.catalog.names import quote_identifier
from planner.catalog.system.static import static_columns
from planner.ddl.scope import Scope

_FACTS: Final = {
    "language": ("pg_language", "lanname"),
    "access method": ("pg_am", "amname"),
    "text search parser": ("pg_ts_parser", "prsname"),
    "text search template": ("pg_ts_template", "tmplname"),
}
_TABLESPACES: Final = ("pg_default", "pg_global")
KINDS: Final = frozenset((*_FACTS, "tablespace"))


def drop(scope: Scope, said: st.Drop) -> None:
    """Raises 42704, 3F000, 2BP01, 42501."""
    for name in said.names:
        if scope.passes_schema(name, said.if_exists):
            continue
        if _is_there(said.kind, name):
            raise _required(said.kind, name.name)
        message = f'{said.kind} "{name}" does not exist'
        if not said.if_exists:
            raise PlanError("42704", message)
        scope.notice(f"{message}, skipping")


def _is_there(kind: str, name: st.Name) -> bool:
    if kind == "tablespace":
        return name.name in _TABLESPACES
    if kind not in _FACTS or name.schema not in ("", "pg_catalog"):
        return False
    relation, column = _FACTS[kind]
    return any(found == name.name for (found,) in static_columns(relation, [column]))


def _required(kind: str, name: str) -> PlanError:
    shown = quote_identifier(name)
    if kind == "tablespace":
        return PlanError("42501", f"permission denied for tablespace {name}")
    if (kind, name) == ("language", "plpgsql"):
        by = f"extension {shown}"
        return PlanError(
            "2BP01",
            f"cannot drop {kind} {shown} because {by} requires it",
            hint=f"You can drop {by} instead.",
        )
    return PlanError("2BP01", f"cannot drop {kind} {shown} because it is required by the database system")


__all__ = ["KINDS", "drop"]
