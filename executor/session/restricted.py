"""Whether a session's user sees a table through policies, and what it is told where it wants none (`row_security = off`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from planner.abc import Table
from planner.catalog import policies

if TYPE_CHECKING:
    from executor.session.session import Session


def restricts(session: Session, table: Table) -> bool:
    """Whether the session's user sees the table through policies. Raises 42501 while `row_security` is off."""
    if not table.row_security or not policies.restricts(session.catalog, table, session.user):
        return False
    refuse_off(session, table)
    return True


def refuse_off(session: Session, table: Table) -> None:
    """Raises 42501 for who wants no policies (`row_security = off`) and is under some."""
    if session.settings.raw("row_security") == "off":
        message, hint = policies.refusal(session.catalog, table, session.user)
        raise ExecutionError("42501", message, hint=hint)


def told_of(session: Session, oid: str) -> bool:
    """The session's value in queries over tables with policies."""
    table = session.catalog.get(int(oid))
    if isinstance(table, Table):
        refuse_off(session, table)
    return True


__all__ = ["refuse_off", "restricts", "told_of"]
