"""Roles, databases, schemas, tablespaces: what a cluster has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from planner.catalog import predefined, rights
from planner.catalog.catalog import Catalog
from planner.catalog.objects import (
    INFORMATION_SCHEMA_OID,
    PG_CATALOG_OID,
    SUPERUSER_OID,
    Database,
    DefaultGrant,
    Grant,
    Parameter,
    Role,
    Schema,
    SessionDefaults,
    View,
)
from planner.catalog.passwords import ends_us
from planner.catalog.predefined import DEFAULT_OWNER
from planner.catalog.system import built_ins
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.privileges import OWNER, PUBLIC_HAS, acl, first_acl, first_column_acl, letters
from planner.catalog.system.relations import CLASS_OID, PROC_OID, by_oid, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from storage.abc import Datum

UTF8 = 6
DEFAULT_TABLESPACE = 1663

NAMESPACE_CLASS_OID: Final = 2615
"""Of pg_namespace itself."""
TOAST_OID: Final = 99
"""The schema pg_toast, in which nothing is."""


def pg_namespace(context: SystemContext) -> Rows:
    make = RowMaker("pg_namespace")
    found: Rows = [make(oid=TOAST_OID, nspname="pg_toast", nspowner=10)]
    for s in context.catalog.objects(Schema):
        found.append(
            make(
                oid=s.oid,
                nspname=s.name,
                nspowner=owner_oid(context.catalog, s.owner),
                nspacl=acl(context.catalog, s.oid, s.owner, "n", system=bool(rights.public_has(s))),
            )
        )
    return found


def pg_init_privs(context: SystemContext) -> Rows:
    """What privileges were when the database was made, or the extension whose view it is: pg_dump tells only of what has changed since."""
    make = RowMaker("pg_init_privs")
    found: Rows = []
    for s in context.catalog.objects(Schema):
        if rights.public_has(s) and s.oid != INFORMATION_SCHEMA_OID:
            owner = predefined.DATABASE_OWNER if s.oid != PG_CATALOG_OID else s.owner
            first = [f"{owner}=UC/{owner}", f"=U/{owner}"]
            found.append(
                make(objoid=s.oid, classoid=NAMESPACE_CLASS_OID, objsubid=0, privtype="i", initprivs=first)
            )
    found += _first_privileges()
    for v in context.catalog.objects(View):
        if v.extension:
            first = [f"{v.owner}=arwdDxt/{v.owner}", f"=r/{v.owner}"]
            found.append(make(objoid=v.oid, classoid=CLASS_OID, objsubid=0, privtype="e", initprivs=first))
    return found


@cache
def _first_privileges() -> Rows:
    """What initdb wrote down of PostgreSQL's own relations and functions."""
    make = RowMaker("pg_init_privs")
    found: Rows = []
    for thing in filter(None, map(built_ins.of_relation, by_oid())):
        for n in (0, *sorted(thing.public_columns)):
            said = first_acl(thing) if n == 0 else first_column_acl(thing, n)
            found.append(make(objoid=thing.oid, classoid=CLASS_OID, objsubid=n, privtype="i", initprivs=said))
    for oid in (*built_ins.OF_SUPERUSERS, *built_ins.OF_A_GROUP):
        if (f := built_ins.of_function(oid)) is not None:
            found.append(
                make(objoid=oid, classoid=PROC_OID, objsubid=0, privtype="i", initprivs=first_acl(f))
            )
    return found


def pg_database(context: SystemContext) -> Rows:
    make = RowMaker("pg_database")
    return [
        make(
            oid=d.oid,
            datname=d.name,
            datdba=owner_oid(context.catalog, d.owner),
            encoding=UTF8,
            datlocprovider="c",
            datistemplate=d.is_template,
            datallowconn=d.allows_connections,
            datconnlimit=d.connection_limit,
            dattablespace=DEFAULT_TABLESPACE,
            datcollate="C",
            datctype="C",
            datacl=acl(context.catalog, d.oid, d.owner, "d"),
        )
        for d in context.catalog.objects(Database)
    ]


def pg_tablespace(context: SystemContext) -> Rows:
    make = RowMaker("pg_tablespace")
    return [
        make(
            oid=oid,
            spcname=name,
            spcowner=10,
            spcacl=acl(context.catalog, oid, DEFAULT_OWNER, "t"),
        )
        for oid, name in built_ins.TABLESPACES.items()
    ]


def pg_parameter_acl(context: SystemContext) -> Rows:
    make = RowMaker("pg_parameter_acl")
    return [
        make(oid=p.oid, parname=p.name, paracl=acl(context.catalog, p.oid, p.owner, "p"))
        for p in context.catalog.objects(Parameter)
    ]


def pg_language(context: SystemContext) -> Rows:
    place = [c.name for c in relations()["pg_catalog", "pg_language"].columns].index("lanacl")
    return [
        (*row[:place], acl(context.catalog, row[0], DEFAULT_OWNER, "l"), *row[place + 1 :])
        for row in static_rows("pg_language")
    ]


def _roles(name: str, shown: str | None = None) -> Callable[[SystemContext], Rows]:
    """pg_authid and its public face pg_roles: the same columns of the same roles."""

    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name)
        begun = _begun_with(context)
        return [
            make(
                oid=r.oid,
                rolname=r.name,
                rolsuper=r.superuser,
                rolinherit=r.inherit,
                rolcreaterole=r.create_role,
                rolcreatedb=r.create_db,
                rolcanlogin=r.login,
                rolreplication=r.replication or r.oid == SUPERUSER_OID,
                rolbypassrls=r.bypass_rls or r.oid == SUPERUSER_OID,
                rolconnlimit=r.connection_limit,
                rolvaliduntil=ends_us(r.valid_until),
                rolpassword=r.password if shown is None else shown,
                **({} if shown is None else {"rolconfig": begun.get(r.oid)}),
            )
            for r in context.catalog.objects(Role)
        ]

    return rows


pg_authid = _roles("pg_authid")
pg_roles = _roles("pg_roles", shown="********")


def _begun_with(context: SystemContext) -> dict[int, Datum]:
    """By role: the settings that its sessions begin with in every database."""
    defaults = context.catalog.objects(SessionDefaults)
    return {d.role_oid: list(d.settings) for d in defaults if d.role_oid and not d.database_oid}


def pg_db_role_setting(context: SystemContext) -> Rows:
    make = RowMaker("pg_db_role_setting")
    return [
        make(setdatabase=d.database_oid, setrole=d.role_oid, setconfig=list(d.settings))
        for d in context.catalog.objects(SessionDefaults)
    ]


def _users(name: str, shown: str | None = None) -> Callable[[SystemContext], Rows]:
    """pg_shadow, which poolers read verifiers from, and its public face pg_user: the roles that may log in."""

    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name)
        begun = _begun_with(context)
        return [
            make(
                usename=r.name,
                usesysid=r.oid,
                usecreatedb=r.create_db,
                usesuper=r.superuser,
                userepl=r.replication or r.oid == SUPERUSER_OID,
                usebypassrls=r.bypass_rls or r.oid == SUPERUSER_OID,
                passwd=r.password if shown is None else shown,
                valuntil=ends_us(r.valid_until),
                useconfig=begun.get(r.oid),
            )
            for r in context.catalog.objects(Role)
            if r.login
        ]

    return rows


pg_shadow = _users("pg_shadow")
pg_user = _users("pg_user", shown="********")


def pg_group(context: SystemContext) -> Rows:
    make = RowMaker("pg_group")
    roles = list(context.catalog.objects(Role))
    return [
        make(groname=r.name, grosysid=r.oid, grolist=[m.oid for m in roles if r.name in m.member_of])
        for r in roles
        if not r.login
    ]


def pg_auth_members(context: SystemContext) -> Rows:
    make = RowMaker("pg_auth_members")
    found: Rows = []
    for r in context.catalog.objects(Role):
        for name in r.member_of:
            group = context.catalog.role(name)
            if group is not None:
                found.append(
                    make(roleid=group.oid, member=r.oid, grantor=10, admin_option=name in r.admin_of)
                )
    return found


_DEFAULT_KINDS = {"table": "r", "sequence": "S", "type": "T", "schema": "n", "function": "f"}


def default_grants(catalog: Catalog) -> dict[tuple[str, int, str], list[DefaultGrant]]:
    """What ALTER DEFAULT PRIVILEGES has said in this database, by role, schema and kind. The first of each gives the row its number."""
    grouped: dict[tuple[str, int, str], list[DefaultGrant]] = {}
    for d in catalog.objects(DefaultGrant):
        if d.database_oid == catalog.database_oid:
            grouped.setdefault((d.role, d.namespace, d.kind), []).append(d)
    return grouped


def pg_default_acl(context: SystemContext) -> Rows:
    """ALTER DEFAULT PRIVILEGES by role, schema and kind; without a schema, beside what the owner has anyway."""
    make = RowMaker("pg_default_acl")
    found: Rows = []
    for (role, namespace, kind), said in default_grants(context.catalog).items():
        letter = _DEFAULT_KINDS[kind]
        every = OWNER.get(letter, "U")
        whole = {d.grantee for d in said if d.whole}
        items = []
        if not namespace:
            items += (
                [f"={PUBLIC_HAS.get(letter, 'U')}/{role}"]
                if kind in ("function", "type") and "" not in whole
                else []
            )
            items += [f"{role}={every}/{role}"] if role not in whole else []
        for d in said:
            if d.privileges and (d.whole or d.grantee != role or namespace):
                as_grant = Grant(d.oid, 0, d.grantee, d.privileges, d.grantable, 0, role)
                items.append(f"{d.grantee}={letters(as_grant, every)}/{role}")
        found.append(
            make(
                oid=said[0].oid,
                defaclrole=owner_oid(context.catalog, role),
                defaclnamespace=namespace,
                defaclobjtype=letter,
                defaclacl=items,
            )
        )
    return found
