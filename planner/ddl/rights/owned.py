"""DROP OWNED and REASSIGN OWNED: everything of a role in this database, before the role itself can go."""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import (
    FIRST_USER_OID,
    CatalogObject,
    Collation,
    CompositeType,
    Conversion,
    Database,
    DefaultGrant,
    Domain,
    EnumType,
    EventTrigger,
    Extension,
    ForeignDataWrapper,
    ForeignServer,
    Function,
    Grant,
    MultirangeType,
    Operator,
    OperatorClass,
    OperatorFamily,
    Publication,
    RangeType,
    Schema,
    Sequence,
    StatisticsObject,
    Subscription,
    TextSearchConfiguration,
    TextSearchDictionary,
    UserMapping,
    View,
    predefined,
    rights,
)
from planner.catalog.objects import Parameter
from planner.catalog.uses import of_role
from planner.ddl import drop
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import grants, policies
from planner.ddl.scope import Scope
from planner.records import replace

OWNED: tuple[type[Any], ...] = (
    Schema, Table, View, Sequence, EnumType, Domain, CompositeType, RangeType, Collation, StatisticsObject, TextSearchConfiguration, TextSearchDictionary, Operator, OperatorClass, OperatorFamily, Conversion, Function, EventTrigger,
    Publication, Extension, ForeignDataWrapper, ForeignServer,
)  # fmt: skip
"""What a role may have in a database."""


def _roles(scope: Scope, names: tuple[str, ...], what: str) -> set[str]:
    """The roles of these names, whose privileges the user has. Raises 42704, 42501."""
    roles = [require_role(scope, name) for name in names]
    if not all(rights.has_role(scope.catalog, scope.user, role) for role in roles):
        raise PlanError("42501", f"permission denied to {what} objects")
    return set(roles)


def _refuse_predefined(roles: set[str], what: str) -> None:
    for role in sorted(roles & predefined.OIDS.keys()):
        raise PlanError(
            "2BP01",
            f"cannot {what} owned by role {role} because they are required by the database system",
        )


def _of(scope: Scope, roles: set[str], kinds: tuple[type[Any], ...]) -> list[CatalogObject]:
    """What they have here. The schemas that every database begins with are nobody's to give away or to lose, their owner's neither."""
    found = (t for t in scope.catalog.using(*map(of_role, roles)) if isinstance(t, kinds))
    owned = [t for t in found if not (isinstance(t, Schema) and t.oid < FIRST_USER_OID)]
    return sorted(owned, key=lambda t: kinds.index(type(t)))


def drop_owned(scope: Scope, said: st.DropOwned) -> None:
    roles = _roles(scope, said.roles, "drop")
    _refuse_predefined(roles, "drop objects")
    for grant in scope.catalog.using(*map(of_role, roles)):
        if not (isinstance(grant, Grant) and grant.grantee in roles and _is_here(scope, grant)):
            continue
        if scope.catalog.get(grant.oid) is not None:  # it may have gone with another one's
            grants.forget(scope, grant)
            if isinstance(setting := scope.catalog.get(grant.target), Parameter):
                grants.forget_parameter(scope, setting)
    policies.without_roles(scope, roles)
    for default in list(scope.catalog.objects(DefaultGrant)):
        if default.role in roles or default.grantee in roles:
            scope.remove(default)
    doomed = [t for t in _of(scope, roles, OWNED) if not (isinstance(t, Sequence) and t.table_oid)]
    doomed += [m for m in scope.catalog.using(*map(of_role, roles)) if isinstance(m, UserMapping)]
    if doomed:
        drop.remove_all(scope, doomed, said.cascade)


def _is_here(scope: Scope, grant: Grant) -> bool:
    """Whether the granted object is one of this database, or of all."""
    if grant.database_oid:
        return grant.database_oid == scope.catalog.database_oid
    thing = scope.catalog.get(grant.target)
    if isinstance(thing, Schema):
        return thing.database_oid in (0, scope.catalog.database_oid)
    if isinstance(thing, ForeignDataWrapper | ForeignServer):
        return thing.database_oid == scope.catalog.database_oid
    schema = scope.catalog.get(getattr(thing, "schema_oid", 0))
    return not isinstance(schema, Schema) or schema.database_oid == scope.catalog.database_oid


def reassign_owned(scope: Scope, said: st.ReassignOwned) -> None:
    roles = _roles(scope, said.roles, "reassign")
    (owner,) = _roles(scope, (said.to,), "reassign")
    _refuse_predefined(roles, "reassign ownership of objects")
    for thing in _of(scope, roles, (*OWNED, MultirangeType, Database, Subscription)):
        scope.replace(thing, replace(thing, owner=owner))  # type: ignore[arg-type]
