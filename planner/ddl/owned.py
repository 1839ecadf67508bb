"""DROP OWNED and REASSIGN OWNED: everything of a role in this database, before the role itself can go."""

from __future__ import annotations

import dataclasses
from typing import Any

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import (
    CatalogObject,
    Collation,
    CompositeType,
    Database,
    DefaultGrant,
    Domain,
    EnumType,
    Extension,
    Function,
    Grant,
    RangeType,
    Schema,
    Sequence,
    View,
    rights,
)
from planner.ddl import drop
from planner.ddl.constraints import require_role
from planner.ddl.scope import Scope

OWNED: tuple[type[Any], ...] = (
    Schema, Table, View, Sequence, EnumType, Domain, CompositeType, RangeType, Collation, Function, Extension,
)  # fmt: skip
"""What a role may have in a database."""


def _roles(scope: Scope, names: tuple[str, ...]) -> set[str]:
    roles = {require_role(scope, name) for name in names}
    mine = rights.roles_of(scope.catalog, scope.user, inherited=False)
    for role in sorted(roles):
        if not rights.is_superuser(scope.catalog, scope.user) and role not in mine:
            raise PlanError("42501", "permission denied to drop objects")
    return roles


def _of(scope: Scope, roles: set[str], kinds: tuple[type[Any], ...]) -> list[CatalogObject]:
    return [t for kind in kinds for t in scope.catalog.objects(kind) if t.owner in roles]


def drop_owned(scope: Scope, said: st.DropOwned) -> None:
    roles = _roles(scope, said.roles)
    for grant in list(scope.catalog.objects(Grant)):
        if grant.grantee in roles and _is_here(scope, grant):
            scope.remove(grant)
    for default in list(scope.catalog.objects(DefaultGrant)):
        if default.role in roles or default.grantee in roles:
            scope.remove(default)
    doomed = [t for t in _of(scope, roles, OWNED) if not (isinstance(t, Sequence) and t.table_oid)]
    if doomed:
        drop.remove_all(scope, doomed, said.cascade)


def _is_here(scope: Scope, grant: Grant) -> bool:
    """Whether the granted object is one of this database, or of all."""
    thing = scope.catalog.get(grant.target)
    if isinstance(thing, Schema):
        return thing.database_oid == scope.catalog.database_oid
    schema = scope.catalog.get(getattr(thing, "schema_oid", 0))
    return not isinstance(schema, Schema) or schema.database_oid == scope.catalog.database_oid


def reassign_owned(scope: Scope, said: st.ReassignOwned) -> None:
    roles, owner = _roles(scope, said.roles), require_role(scope, said.to)
    for thing in _of(scope, roles, (*OWNED, Database)):
        scope.replace(thing, dataclasses.replace(thing, owner=owner))  # type: ignore[arg-type]
