"""Whether the session's user may do something to a table, for doors that no planned statement guards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from executor.session.settings.guc_table import GUCS, NOT_FOR_EVERYBODY
from planner.abc import Table
from planner.catalog import Catalog, View, predefined, rights
from planner.catalog import Sequence as SequenceObject
from planner.catalog.system import built_ins
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import function_named
from planner.catalog.system.routines import LANGUAGES

if TYPE_CHECKING:
    from executor.session.context import SessionContext
    from executor.session.session import Session


def require(session: Session, table: Table, *privileges: str, catalog: Catalog | None = None) -> None:
    """All of these privileges (SELECT, INSERT, ...), by the session's catalog if no other is given. Raises 42501."""
    context = SystemContext(
        session.catalog if catalog is None else catalog, session.search_path(), session.user, session.database
    )
    holds = function_named("has_table_privilege", 3).call
    for privilege in privileges:
        if not holds(context, session.user, table.oid, privilege):
            raise ExecutionError("42501", f"permission denied for table {table.name}", table=table.name)


def require_columns(session: Session, table: Table, privilege: str, attnums: Sequence[int]) -> None:
    """The privilege on the table, or on each of these columns. Raises 42501."""
    holds = [rights.holds(session.catalog, session.user, table, privilege, n) for n in (attnums or [0])]
    if not all(holds):
        raise rights.denied(table)


def require_lock(session: Session, relation: Table | View, mode: str, role: str = "") -> None:
    """What LOCK TABLE asks for: the right to do something that takes such a lock, or a stronger one. Raises 42501.

    `role`: whose right, if not the user's.
    """
    wanted = ["UPDATE", "DELETE", "TRUNCATE"]
    if mode == "row exclusive":
        wanted.append("INSERT")
    elif mode == "access share":
        wanted = ["SELECT"]
    if not any(rights.holds(session.catalog, role or session.user, relation, p) for p in wanted):
        raise rights.denied(relation)


def require_setting(session: SessionContext, key: str) -> None:
    """What SET and RESET ask for: some settings are for superusers. Raises 42501."""
    guc = GUCS.get(key)
    if guc is not None and guc.context == "superuser" and not session.superuser:
        granted = rights.parameter(session.catalog, key)
        if granted is not None and rights.holds(session.catalog, session.user, granted, "set"):
            return
        raise ExecutionError("42501", f'permission denied to set parameter "{guc.name}"')


def require_alter_system(session: SessionContext, name: str) -> None:
    """What ALTER SYSTEM asks for; "": RESET ALL. Raises 42501."""
    if session.superuser:
        return
    if not name:
        raise ExecutionError("42501", "permission denied to perform ALTER SYSTEM RESET ALL")
    granted = rights.parameter(session.catalog, name.lower())
    if granted is None or not rights.holds(session.catalog, session.user, granted, "alter system"):
        guc = GUCS.get(name.lower())
        raise ExecutionError(
            "42501", f'permission denied to set parameter "{guc.name if guc is not None else name}"'
        )


def require_language(session: SessionContext, language: str) -> None:
    """What DO asks for. Raises 42501."""
    thing = built_ins.of_language(LANGUAGES[language])
    if thing is not None and session.catalog.grants_on(thing.oid):
        rights.require(session.catalog, session.user, thing, "usage")


def hidden_settings(session: SessionContext) -> frozenset[str]:
    """The settings, in lower case, that the user may not see."""
    sees_all = rights.has_role(session.catalog, session.user, predefined.READ_ALL_SETTINGS)
    return frozenset() if sees_all else NOT_FOR_EVERYBODY


def require_sight(session: SessionContext, key: str) -> None:
    """What SHOW and current_setting() ask for. Raises 42501."""
    if key in NOT_FOR_EVERYBODY and key in hidden_settings(session):
        raise ExecutionError(
            "42501", f'must be superuser or have privileges of pg_read_all_settings to examine "{key}"'
        )


def require_sequence(session: SessionContext, oid: int, *privileges: str) -> None:
    """One of the privileges on a sequence: USAGE or UPDATE for nextval, and so on. Raises 42501."""
    if session.superuser:
        return
    sequence = session.catalog.get(oid)
    if isinstance(sequence, SequenceObject) and not holds_sequence(session, sequence, *privileges):
        raise rights.denied(sequence)


def holds_sequence(session: SessionContext, sequence: SequenceObject, *privileges: str) -> bool:
    """Whether the session's role has one of the privileges on a sequence."""
    return any(rights.holds(session.catalog, session.user, sequence, p) for p in privileges)


def require_next(session: SessionContext, oid: int) -> None:
    """What nextval asks for; of an identity column's sequence nobody asks for it. Raises 42501."""
    sequence = session.catalog.get(oid)
    if isinstance(sequence, SequenceObject) and not sequence.identity:
        require_sequence(session, oid, "USAGE", "UPDATE")
