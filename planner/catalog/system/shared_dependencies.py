"""Who stands on roles: pg_shdepend, in which DROP ROLE, and tools before it, see what a role owns and was granted.

    (this database, pg_class, 16384, 0)  ──o──> role ann     ann owns the table
    (this database, pg_class, 16384, 2)  ──a──> role bob     bob was granted something on its second column
    (this database, pg_policy, 16390, 0) ──r──> role bob     the policy is for bob

The first role and PostgreSQL's predefined ones are pinned: nobody drops them, so nothing is said of them. What all databases share, these
themselves above all, is of database 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from planner.abc import Oid
from planner.catalog import predefined
from planner.catalog.catalog import Catalog
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.objects import (
    FIRST_USER_OID,
    SUPERUSER_OID,
    CatalogObject,
    Database,
    Schema,
)
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import EventTrigger
from planner.catalog.system import policies
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.homes import PLACED
from planner.catalog.system.people import default_grants
from planner.catalog.system.relations import (
    DATABASE_CLASS_OID,
    DEFAULT_ACL_OID,
    EVENT_TRIGGER_OID,
    NAMESPACE_OID,
    POLICY_OID,
    PUBLICATION_OID,
    ROLE_CLASS_OID,
    SERVER_OID,
    SUBSCRIPTION_OID,
    USER_MAPPING_OID,
    WRAPPER_OID,
)
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import BaseType

_OWNED: Final[dict[type[Any], Oid]] = {
    **PLACED, Schema: NAMESPACE_OID, Database: DATABASE_CLASS_OID, ForeignDataWrapper: WRAPPER_OID, ForeignServer: SERVER_OID,
    Publication: PUBLICATION_OID, Subscription: SUBSCRIPTION_OID, EventTrigger: EVENT_TRIGGER_OID,
}  # fmt: skip
"""What has an owner, and its class."""
_SHARED: Final = frozenset((Database, Subscription))
_OWNER, _GRANTED, _POLICY = "o", "a", "r"


def pg_shdepend(context: SystemContext) -> Rows:
    catalog, make = context.catalog, RowMaker("pg_shdepend")
    found: Rows = []

    def edge(class_oid: Oid, oid: Oid, role: str, kind: str, sub: int = 0, *, shared: bool = False) -> None:
        known = catalog.role(role)
        if known is None or known.oid == SUPERUSER_OID or known.name in predefined.OIDS:
            return
        found.append(
            make(
                dbid=0 if shared else catalog.database_oid,
                classid=class_oid,
                objid=oid,
                objsubid=sub,
                refclassid=ROLE_CLASS_OID,
                refobjid=known.oid,
                deptype=kind,
            )
        )

    for thing, class_oid in _objects(catalog):
        shared = type(thing) in _SHARED
        owner = str(getattr(thing, "owner", ""))
        edge(class_oid, thing.oid, owner, _OWNER, shared=shared)
        said = {(g.grantee, g.attnum) for g in catalog.grants_on(thing.oid) if g.privileges}
        said |= {(g.grantor, g.attnum) for g in catalog.grants_on(thing.oid) if g.privileges}
        for grantee, attnum in sorted(said):
            if grantee and grantee != owner:
                edge(class_oid, thing.oid, grantee, _GRANTED, attnum, shared=shared)
    for mapping in catalog.objects(UserMapping):
        edge(USER_MAPPING_OID, mapping.oid, mapping.user, _OWNER)
    for _, policy in policies.listed(catalog):
        for oid in policy.roles:
            if oid:
                role = catalog.get(oid)
                edge(POLICY_OID, policy.oid, str(getattr(role, "name", "")), _POLICY)
    for (by, _, _), grants in default_grants(catalog).items():
        edge(DEFAULT_ACL_OID, grants[0].oid, by, _OWNER)
        for grantee in sorted({d.grantee for d in grants if d.grantee not in ("", by) and d.privileges}):
            edge(DEFAULT_ACL_OID, grants[0].oid, grantee, _GRANTED)
    return found


def _objects(catalog: Catalog) -> Iterator[tuple[CatalogObject, Oid]]:
    for kind, class_oid in _OWNED.items():
        for thing in catalog.base_types() if kind is BaseType else catalog.objects(kind):
            if thing.oid >= FIRST_USER_OID or kind in (Schema, Database):
                yield thing, class_oid


__all__ = ["pg_shdepend"]
