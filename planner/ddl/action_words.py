"""What PostgreSQL calls an action of ALTER that is not for the kind of relation it was said of.

ALTER TABLE a_view ALTER COLUMN c SET NOT NULL
ERROR:  ALTER action ALTER COLUMN ... SET NOT NULL cannot be performed on relation "a_view"
DETAIL:  This operation is not supported for views.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import PlanError
from planner.catalog import CompositeType, Index, Relation, Sequence, View

_OF_A_COLUMN: Final = {
    "set default": "SET DEFAULT", "drop default": "SET DEFAULT", "set not null": "SET NOT NULL", "drop not null": "DROP NOT NULL",
    "set type": "SET DATA TYPE", "drop expression": "DROP EXPRESSION", "add identity": "ADD IDENTITY", "set identity": "SET",
    "drop identity": "DROP IDENTITY", "set statistics": "SET STATISTICS", "set storage": "SET STORAGE",
    "set compression": "SET COMPRESSION", "set column options": "SET", "reset column options": "RESET",
}  # fmt: skip

_KINDS: Final = {View: "views", Sequence: "sequences", Index: "indexes", CompositeType: "composite types"}


def words(action: st.AlterAction) -> str:
    of_a_column = _OF_A_COLUMN.get(action.what)
    return f"ALTER COLUMN ... {of_a_column}" if of_a_column is not None else action.what.upper()


def refused(found: Relation, action: st.AlterAction) -> PlanError:
    """42809 for a relation that is no table, or a materialized view."""
    kind = _KINDS.get(type(found), "materialized views")
    return PlanError(
        "42809",
        f'ALTER action {words(action)} cannot be performed on relation "{found.name}"',
        detail=f"This operation is not supported for {kind}.",
    )
