"""Settings that sessions begin with, by role and database: ALTER ROLE ... [IN DATABASE ...] SET, ALTER DATABASE ... SET.

    ALTER ROLE alice SET search_path = app         SessionDefaults(database 0, role alice, ("search_path=app",))
    ALTER DATABASE sales SET timezone = 'UTC'      SessionDefaults(database sales, role 0, ("timezone=UTC",))

The OID 0 is every database, or every role. Sessions take the first that says anything of a setting: of the role in the
database, of the role, of the database, of all (`Catalog.session_defaults`). The executor has checked the values.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import Oid, PlanError
from planner.catalog import Database, predefined
from planner.catalog.objects import Role, SessionDefaults
from planner.ddl.constraints.definitions import require_role
from planner.ddl.scope import Scope
from planner.records import replace


def alter_settings(scope: Scope, said: st.AlterSettings) -> None:
    role = scope.catalog.role(require_role(scope, said.role)) if said.role else None
    database = scope.catalog.database(said.database) if said.database else None
    if said.database and database is None:
        raise PlanError("3D000", f'database "{said.database}" does not exist')
    if role is not None and role.name in predefined.OIDS:
        raise PlanError(
            "42939", f'role name "{role.name}" is reserved', detail="Cannot alter reserved roles."
        )
    place = (database.oid if database is not None else 0, role.oid if role is not None else 0)
    old = next((d for d in scope.catalog.objects(SessionDefaults) if _place(d) == place), None)
    name = said.name
    kept = (
        []
        if not name
        else [s for s in (old.settings if old is not None else ()) if _name(s).lower() != name.lower()]
    )
    if said.values is not None:
        kept.append(f"{name}={said.values[0]}")
    if old is None:
        if kept:
            scope.add(SessionDefaults(scope.allocate(), *place, tuple(kept)))
    elif not kept:
        scope.remove(old)
    elif old.settings != tuple(kept):
        scope.replace(old, replace(old, settings=tuple(kept)))


def forget(scope: Scope, gone: Role | Database) -> None:
    """A role or a database is dropped, and what was said of it with it."""
    for d in list(scope.catalog.objects(SessionDefaults)):
        if gone.oid in _place(d):
            scope.remove(d)


def _place(d: SessionDefaults) -> tuple[Oid, Oid]:
    return d.database_oid, d.role_oid


def _name(setting: str) -> str:
    return setting.partition("=")[0]
