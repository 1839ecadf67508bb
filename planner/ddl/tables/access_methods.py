"""ALTER TABLE ... SET ACCESS METHOD: what keeps a table's rows, which is heap and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import statements as st
from planner.abc import PlanError
from planner.parse import clauses

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration


def set_access_method(on: Alteration, a: st.AlterAction) -> None:
    """Raises 42809 for a partitioned table, which keeps no rows, and for a method of indexes; 42704 for one that is not there."""
    if on.table.partitioning is not None:
        raise PlanError("42809", "cannot change access method of a partitioned table")
    clauses.table_method(a.name)


__all__ = ["set_access_method"]
