"""Statements that are transactions by themselves: PostgreSQL runs them in no block, nor in a string with others.

Some of them could be rolled back here. They are refused all the same, for whoever writes one in a block has been told
by PostgreSQL that it ends there.
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import SqlError


def alone(statement: Any) -> str:
    """What PostgreSQL calls the statement in its refusal; empty for one that a block may have."""
    if isinstance(statement, st.Vacuum):
        return _maintenance(statement)
    if isinstance(statement, st.CreateDatabase):
        return "CREATE DATABASE"
    if isinstance(statement, st.CreateSubscription) and _makes_a_slot(statement):
        return "CREATE SUBSCRIPTION ... WITH (create_slot = true)"
    if isinstance(statement, st.Drop) and statement.kind == "database":
        return "DROP DATABASE"
    if isinstance(statement, st.Drop) and statement.concurrently:
        return "DROP INDEX CONCURRENTLY"
    if isinstance(statement, st.CreateIndex) and statement.concurrently:
        return "CREATE INDEX CONCURRENTLY"
    if isinstance(statement, st.AlterTable) and any(
        a.what == "detach partition" and a.which == "concurrently" for a in statement.actions
    ):
        return "ALTER TABLE ... DETACH CONCURRENTLY"
    if isinstance(statement, st.EndPrepared):
        return "COMMIT PREPARED" if statement.commits else "ROLLBACK PREPARED"
    if isinstance(statement, st.AlterSystem):
        return "ALTER SYSTEM"
    if isinstance(statement, st.Discard) and statement.what == "all":
        return "DISCARD ALL"
    return ""


def _makes_a_slot(statement: st.CreateSubscription) -> bool:
    said = {o.name: (o.value or "true").lower() for o in statement.options}
    return not {said.get("connect"), said.get("create_slot")} & {"false", "off", "0"}


def _maintenance(statement: st.Vacuum) -> str:
    if statement.what == "vacuum":
        return "VACUUM"
    if statement.what == "cluster" and not statement.tables:
        return "CLUSTER"
    if statement.what == "reindex":
        kind = statement.options.get("kind")
        if statement.options.get("concurrently"):
            return "REINDEX CONCURRENTLY"
        if kind in ("schema", "database", "system"):
            return f"REINDEX {kind.upper()}"
    return ""


def refuse_with_others(statement: Any, *, pipeline: bool = False) -> None:
    """Raises 25001 for such a statement that is in a block, or not the only one of its string or `pipeline`."""
    name = alone(statement)
    if name:
        where = "be executed within a pipeline" if pipeline else "run inside a transaction block"
        raise SqlError("25001", f"{name} cannot {where}")


__all__ = ["alone", "refuse_with_others"]
