"""Roles as large objects know them: who owns one, who stands in the list of one.

These are columns of rows (`planner.catalog.large_objects`), so what DROP ROLE and ALTER ROLE ... RENAME ask is a query of this database's.
"""

from __future__ import annotations

from planner.abc import Oid, PlanError
from planner.catalog import Role, access_lists, large_objects, rights
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.types.base import quote_literal

_FROM = f"{large_objects.SCHEMA}.{large_objects.METADATA}"


def require_owner(scope: Scope, oid: Oid) -> None:
    """42704 where there is no such large object, 42501 where it is somebody else's."""
    missing = f"large object {oid} does not exist"
    if large_objects.table_of(scope.catalog, large_objects.METADATA) is None:
        raise PlanError("42704", missing)
    scope.checks.append(
        DataCheck(f"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM {_FROM} WHERE oid = {oid})", "42704", missing)
    )
    if not rights.is_superuser(scope.catalog, scope.user):
        roles = (scope.catalog.role(r) for r in rights.roles_of(scope.catalog, scope.user))
        mine = ", ".join(str(r.oid) for r in roles if r is not None)
        others = f"SELECT 1 FROM {_FROM} WHERE oid = {oid} AND lomowner NOT IN ({mine})"
        scope.checks.append(DataCheck(others, "42501", f"must be owner of large object {oid}"))


def refuse_dropping(scope: Scope, role: Role) -> None:
    """2BP01 where the role owns a large object, or was granted something on one."""
    if large_objects.table_of(scope.catalog, large_objects.METADATA) is None:
        return
    message = f'role "{role.name}" cannot be dropped because some objects depend on it'
    owned = f"SELECT oid FROM {_FROM} WHERE lomowner = {role.oid} LIMIT 1"
    named = f"SELECT oid FROM {_FROM} WHERE {_names(role.name)} LIMIT 1"
    scope.checks += [
        DataCheck(owned, "2BP01", message, "owner of large object {0}"),
        DataCheck(named, "2BP01", message, "privileges for large object {0}"),
    ]


def refuse_renaming(scope: Scope, role: Role) -> None:
    """0A000 where a list has the role's name in it."""
    if large_objects.table_of(scope.catalog, large_objects.METADATA) is None:
        return
    named = f"SELECT oid FROM {_FROM} WHERE {_names(role.name)} LIMIT 1"
    message = f'renaming role "{role.name}", which privileges on large objects name, is not supported'
    scope.checks.append(DataCheck(named, "0A000", message, "It stands in the list of large object {0}."))


def _names(role: str) -> str:
    """Whether a list, as it is written, has the name in it: as who was given something or who gave it."""
    item = access_lists.quoted(role)
    text = item.replace("\\", "\\\\").replace('"', '\\"')
    given = [f"{before}{text}=" for before in ("{", ",", '"')]
    gave = [f"/{text}{after}" for after in ("}", ",", '"')]
    return " OR ".join(f"position({quote_literal(x)} IN lomacl::text) > 0" for x in (*given, *gave))


__all__ = ["refuse_dropping", "refuse_renaming", "require_owner"]
