"""What PostgreSQL calls an action of ALTER that is not for the kind of relation it was said of.

ALTER TABLE a_view ALTER COLUMN c SET NOT NULL
ERROR:  ALTER action ALTER COLUMN ... SET NOT NULL cannot be performed on relation "a_view"
DETAIL:  This operation is not supported for views.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import Catalog, CompositeType, Index, Relation, Sequence, View, rights

_OF_A_COLUMN: Final = {
    "set default": "SET DEFAULT", "drop default": "SET DEFAULT", "set not null": "SET NOT NULL", "drop not null": "DROP NOT NULL",
    "set type": "SET DATA TYPE", "drop expression": "DROP EXPRESSION", "add identity": "ADD IDENTITY", "set identity": "SET",
    "drop identity": "DROP IDENTITY", "set statistics": "SET STATISTICS", "set storage": "SET STORAGE",
    "foreign column options": "OPTIONS", "set compression": "SET COMPRESSION", "set column options": "SET", "reset column options": "RESET",
}  # fmt: skip

_KINDS: Final = {View: "views", Sequence: "sequences", Index: "indexes", CompositeType: "composite types"}


_SWITCHED: Final = {"enable": "ENABLE", "disable": "DISABLE", "force": "FORCE", "no force": "NO FORCE"}
_OTHERS: Final = {"foreign options": "OPTIONS", "set options": "SET", "reset options": "RESET"}


def words(action: st.AlterAction) -> str:
    if action.what in _OTHERS:
        return _OTHERS[action.what]
    if action.what == "row security":
        return f"{_SWITCHED[action.which]} ROW SECURITY"
    if action.what == "set logged":
        return f"SET {action.name.upper()}"
    of_a_column = _OF_A_COLUMN.get(action.what)
    return f"ALTER COLUMN ... {of_a_column}" if of_a_column is not None else action.what.upper()


def refused(found: Relation, action: st.AlterAction, kind: str = "") -> PlanError:
    """42809 for a relation of a kind (`kind`: what those are called, if not as all of its class) that the action is not for."""
    return PlanError(
        "42809",
        f'ALTER action {words(action)} cannot be performed on relation "{found.name}"',
        detail=not_supported_for(found, kind),
    )


def index_kind(catalog: Catalog, found: Relation) -> str:
    """What an index of a partitioned table is called; nothing for all else, which the class tells."""
    if isinstance(found, Index) and catalog.table(found.table_oid).partitioning is not None:
        return "partitioned indexes"
    return ""


def not_supported_for(found: Relation, kind: str = "") -> str:
    if not kind:
        kind = f"{rights.table_word(found)}s" if isinstance(found, Table) else _KINDS[type(found)]
    return f"This operation is not supported for {kind}."
