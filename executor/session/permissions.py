"""Whether the session's user may do something to a table, for doors that no planned statement guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from planner.abc import Table
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import function_named

if TYPE_CHECKING:
    from executor.session.session import Session


def require(session: Session, table: Table, *privileges: str) -> None:
    """All of these privileges (SELECT, INSERT, ...). Raises 42501."""
    context = SystemContext(session.catalog, session.search_path(), session.user, session.database)
    holds = function_named("has_table_privilege", 3).call
    for privilege in privileges:
        if not holds(context, session.user, table.oid, privilege):
            raise ExecutionError("42501", f"permission denied for table {table.name}", table=table.name)
