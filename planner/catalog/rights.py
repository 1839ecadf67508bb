"""Who may do what: superusers everything, owners everything of their own, everybody what was granted.

    holds(catalog, "alice", table, "SELECT")          a grant to alice, to a role that she is in, or to PUBLIC
    holds(catalog, "alice", table, "UPDATE", attnum)  ... on the table or on this column

What PostgreSQL gives PUBLIC by itself (CONNECT and TEMPORARY of databases, USAGE of types and of the schema
public) holds until a `Grant` of PUBLIC says otherwise; the same for an owner, who has everything until then.
Privileges are asked for when a statement is planned: plans belong to a user and to one version of the
catalog, so nothing is asked again when they run.
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError, Table
from planner.catalog import predefined
from planner.catalog.catalog import Catalog
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import (
    INFORMATION_SCHEMA_OID,
    PG_CATALOG_OID,
    BuiltIn,
    Database,
    Extension,
    Grant,
    Granted,
    Parameter,
    Schema,
    Sequence,
    StatisticsObject,
    UserType,
    View,
)
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Conversion, Function, Operator
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import Collation

PUBLIC: Final = ""
_READ: Final = frozenset(("select",))
ALL_OF: Final[dict[str, tuple[str, ...]]] = {
    "table": ("insert", "select", "update", "delete", "truncate", "references", "trigger"),
    "sequence": ("select", "update", "usage"),
    "schema": ("usage", "create"),
    "database": ("create", "temporary", "connect"),
    "type": ("usage",),
    "domain": ("usage",),
    "function": ("execute",),
    "foreign-data wrapper": ("usage",),
    "foreign server": ("usage",),
    "language": ("usage",),
    "tablespace": ("create",),
    "parameter": ("set", "alter system"),
}
_OF_PUBLIC: Final[dict[str, frozenset[str]]] = {
    "database": frozenset(("connect", "temporary")),
    "type": frozenset(("usage",)),
    "domain": frozenset(("usage",)),
    "function": frozenset(("execute",)),
}


def kind_of(thing: Granted) -> str:
    """The kind of privileges that an object has."""
    if isinstance(thing, BuiltIn):
        return thing.kind
    if isinstance(thing, Parameter):
        return "parameter"
    if isinstance(thing, Sequence):
        return "sequence"
    if isinstance(thing, Schema):
        return "schema"
    if isinstance(thing, Database):
        return "database"
    if isinstance(thing, Function):
        return "function"
    if isinstance(thing, Extension):
        return "extension"
    if isinstance(thing, Operator):
        return "operator"
    if isinstance(thing, ForeignDataWrapper):
        return "foreign-data wrapper"
    if isinstance(thing, ForeignServer):
        return "foreign server"
    if isinstance(thing, Publication):
        return "publication"
    if isinstance(thing, Subscription):
        return "subscription"
    return "type" if isinstance(thing, UserType) else "table"


def word_for(thing: Granted) -> str:
    """How messages call it."""
    if isinstance(thing, BuiltIn):
        return thing.word
    if isinstance(thing, Function):
        return {"a": "aggregate", "p": "procedure"}.get(thing.kind, "function")
    if isinstance(thing, StatisticsObject):
        return "statistics object"
    if isinstance(thing, Collation):
        return "collation"
    if isinstance(thing, Conversion):
        return "conversion"
    if isinstance(thing, OperatorClass | OperatorFamily):
        return "operator class" if isinstance(thing, OperatorClass) else "operator family"
    if isinstance(thing, TextSearchConfiguration):
        return "text search configuration"
    if isinstance(thing, TextSearchDictionary):
        return "text search dictionary"
    return kind_of(thing)


def public_has(thing: Granted) -> frozenset[str]:
    """What everybody may do with an object of which nobody said anything."""
    if isinstance(thing, BuiltIn):
        return thing.public
    if isinstance(thing, Schema):
        granted = thing.name == "public" or thing.oid in (PG_CATALOG_OID, INFORMATION_SCHEMA_OID)
        return frozenset(("usage",)) if granted else frozenset()
    return _OF_PUBLIC.get(kind_of(thing), frozenset())


def unsaid(thing: Granted, grantee: str) -> frozenset[str]:
    """What a role, or PUBLIC, has of an object while nobody has said anything of it."""
    if grantee == PUBLIC:
        return public_has(thing)
    if isinstance(thing, BuiltIn) and thing.group and grantee == thing.group:
        return _READ if thing.kind == "table" else frozenset(ALL_OF[thing.kind])
    return frozenset(ALL_OF[kind_of(thing)]) if grantee == getattr(thing, "owner", None) else frozenset()


def unsaid_of_kind(kind: str, grantee: str, owner: str) -> frozenset[str]:
    """The same for objects of a kind that the owner will make."""
    if grantee == PUBLIC:
        return _OF_PUBLIC.get(kind, frozenset())
    return frozenset(ALL_OF[kind]) if grantee == owner else frozenset()


def is_admin(catalog: Catalog, name: str, group: str) -> bool:
    """Whether a role may say who is in another one, as GRANT ... WITH ADMIN OPTION made it."""
    if is_superuser(catalog, name):
        return True
    mine = (catalog.role(r) for r in roles_of(catalog, name, inherited=False))
    return any(r is not None and group in r.admin_of for r in mine)


def roles_of(catalog: Catalog, name: str, *, inherited: bool = True) -> frozenset[str]:
    """A role and those that it is in; `inherited`: only where it has their privileges without SET ROLE."""
    found: set[str] = set()
    pending = [name]
    database = catalog.get(catalog.database_oid)
    while pending:
        one = pending.pop()
        role = catalog.role(one)
        if one in found:
            continue
        found.add(one)
        if role is not None and (role.inherit or not inherited):
            pending += role.member_of
            if isinstance(database, Database) and database.owner == one:
                pending.append(predefined.DATABASE_OWNER)
    return frozenset(found)


def has_role(catalog: Catalog, name: str, group: str) -> bool:
    """Whether a role has another one's privileges without SET ROLE, as superusers have everybody's."""
    return is_superuser(catalog, name) or group in roles_of(catalog, name)


def is_superuser(catalog: Catalog, name: str) -> bool:
    role = catalog.role(name)
    return role is not None and role.superuser


def may_follow(catalog: Catalog, name: str) -> bool:
    """Whether a role may use replication slots: REPLICATION, or a superuser."""
    role = catalog.role(name)
    return role is not None and (role.superuser or role.replication)


def owns(catalog: Catalog, name: str, thing: Granted) -> bool:
    """Whether a role is the owner of an object, or in the role that is."""
    if is_superuser(catalog, name):
        return True
    return getattr(thing, "owner", None) in roles_of(catalog, name)


def holds(
    catalog: Catalog,
    name: str,
    thing: Granted,
    privilege: str,
    attnum: int = 0,
    *,
    grantable: bool = False,
) -> bool:
    """Whether a role holds a privilege on an object, or on one of its columns. `privilege` in any case."""
    if is_superuser(catalog, name):
        return True
    wanted = "temporary" if privilege.lower() == "temp" else privilege.lower()
    names = roles_of(catalog, name)
    owner = getattr(thing, "owner", "")
    if not grantable and any(
        wanted in predefined.EVERYWHERE[n].get(kind_of(thing), ())
        for n in names & predefined.EVERYWHERE.keys()
    ):
        return True
    grants = catalog.grants_on(thing.oid)
    if owner in names and (grantable or not any(g.grantee == owner and not g.attnum for g in grants)):
        return True
    unsaid = not any(g.grantee == PUBLIC and not g.attnum for g in grants)
    if not grantable and unsaid and wanted in public_has(thing):
        return True
    if isinstance(thing, BuiltIn) and not grantable and _as_initdb_says(thing, names, wanted, attnum, grants):
        return True
    return any(
        wanted in (g.grantable if grantable else g.privileges)
        for g in grants
        if (g.grantee in names or g.grantee == PUBLIC) and g.attnum in (0, attnum)
    )


def _as_initdb_says(
    thing: BuiltIn, names: frozenset[str], wanted: str, attnum: int, grants: list[Grant]
) -> bool:
    """What a predefined role, or PUBLIC on columns, has while nobody has taken it."""
    group = thing.group
    untouched = not any(g.grantee == group and not g.attnum for g in grants)
    if group in names and wanted in unsaid(thing, group) and untouched:
        return True
    said = any(g.grantee == PUBLIC and g.attnum == attnum for g in grants)
    return wanted == "select" and attnum in thing.public_columns and not said


def parameter(catalog: Catalog, name: str) -> Parameter | None:
    """The setting, if anything was granted on it."""
    return next((p for p in catalog.objects(Parameter) if p.name == name.lower()), None)


def usable(catalog: Catalog, name: str, path: tuple[str, ...]) -> tuple[str, ...]:
    """A search path without the schemas that a role may not use, which names are not looked up in; its own temporary one it may.
    Schemas that are not there stay: who makes a plan notes that they are not."""
    if is_superuser(catalog, name):
        return path
    return tuple(
        one
        for one in path
        if one.startswith("pg_temp_")
        or (schema := catalog.find_schema(one)) is None
        or holds(catalog, name, schema, "usage")
    )


def table_word(table: Table) -> str:
    """Which kind of table it is, in messages."""
    if table.foreign is not None:
        return "foreign table"
    return "table" if table.materialized is None else "materialized view"


def described(thing: Granted) -> str:
    """An object as `permission denied for ...` names it."""
    name = getattr(thing, "name", "")
    if isinstance(thing, Table):
        return f"{table_word(thing)} {name}"
    if isinstance(thing, View):
        return f"view {name}"
    return f"{word_for(thing)} {name}"


def denied(thing: Granted, position: int = 0) -> PlanError:
    return PlanError("42501", f"permission denied for {described(thing)}", position=position)


def require(catalog: Catalog, name: str, thing: Granted, privilege: str, position: int = 0) -> None:
    """Raises 42501."""
    if not holds(catalog, name, thing, privilege):
        raise denied(thing, position)
