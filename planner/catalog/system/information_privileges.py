"""information_schema: who holds which privilege on which table and column, as far as the asking user has to do with it.

    table_privileges     grants of tables, to PUBLIC as well          column_privileges     those and grants of columns
    role_table_grants    PUBLIC's where a role of the user's gave them    role_column_grants    likewise
    usage_privileges     of foreign-data wrappers and servers         role_usage_grants     likewise

What nobody granted anything on has its owner's privileges alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from planner.abc import Column, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import View
from planner.catalog.system import permitted
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.listings import schema_name
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import RowMaker

_PUBLIC = "PUBLIC"


class _Held(NamedTuple):
    grantor: str
    grantee: str
    privilege: str
    grantable: bool
    attnum: int


def _held(
    context: SystemContext,
    thing: Table | View | ForeignDataWrapper | ForeignServer,
    privileges: tuple[str, ...] = permitted.OF_TABLES,
) -> Iterator[_Held]:
    """The privileges on a thing, or on a relation's columns, that concern the user, as giver or as taker."""
    catalog, owner = context.catalog, thing.owner
    everybody = rights.is_superuser(catalog, context.user)
    mine = rights.roles_of(catalog, context.user)
    grants = catalog.grants_on(thing.oid)
    if not any(g.grantee == owner and not g.attnum for g in grants) and (everybody or owner in mine):
        for privilege in privileges:
            yield _Held(owner, owner, privilege, True, 0)
    for g in grants:
        if not (everybody or g.grantee in mine or g.grantor in mine or not g.grantee):
            continue
        of_owner = g.grantee != "" and owner in rights.roles_of(catalog, g.grantee)
        for privilege in privileges:
            if privilege in g.privileges:
                grantable = of_owner or privilege in g.grantable
                yield _Held(g.grantor, g.grantee or _PUBLIC, privilege, grantable, g.attnum)


def _concerns_roles(context: SystemContext, h: _Held) -> bool:
    """Whether the views of roles' grants have it: one of the user's roles has given it, or been given it."""
    if h.grantee != _PUBLIC or rights.is_superuser(context.catalog, context.user):
        return True
    return h.grantor in rights.roles_of(context.catalog, context.user)


def _relations_of(context: SystemContext) -> Iterator[Table | View]:
    for t in context.catalog.objects(Table):
        if t.materialized is None:
            yield t
    yield from context.catalog.objects(View)


def _shown(context: SystemContext, schema: str, relation: str, h: _Held) -> dict[str, str]:
    return {
        "grantor": h.grantor,
        "grantee": h.grantee,
        "table_catalog": context.database,
        "table_schema": schema,
        "table_name": relation,
        "privilege_type": h.privilege.upper(),
        "is_grantable": "YES" if h.grantable else "NO",
    }


_OF_SYSTEM = _Held("tidewire", _PUBLIC, "select", False, 0)


def _table_privileges(name: str, *, public: bool) -> Callable[[SystemContext], Rows]:
    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        found: Rows = []
        if public or _concerns_roles(context, _OF_SYSTEM):
            found += [
                make(**_shown(context, r.schema, r.name, _OF_SYSTEM), with_hierarchy="YES")
                for r in relations().values()
            ]
        for thing in _relations_of(context):
            schema = schema_name(context, thing.schema_oid)
            for h in _held(context, thing):
                if not h.attnum and (public or _concerns_roles(context, h)):
                    with_hierarchy = "YES" if h.privilege == "select" else "NO"
                    found.append(
                        make(**_shown(context, schema, thing.name, h), with_hierarchy=with_hierarchy)
                    )
        return found

    return rows


def _column_privileges(name: str, *, public: bool) -> Callable[[SystemContext], Rows]:
    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        found: Rows = []
        if public or _concerns_roles(context, _OF_SYSTEM):
            found += [
                make(**_shown(context, r.schema, r.name, _OF_SYSTEM), column_name=c.name)
                for r in relations().values()
                for c in r.columns
            ]
        for thing in _relations_of(context):
            schema = schema_name(context, thing.schema_oid)
            columns: tuple[Column, ...] = thing.visible if isinstance(thing, Table) else thing.columns
            held = [
                h
                for h in _held(context, thing)
                if h.privilege in permitted.OF_COLUMNS and (public or _concerns_roles(context, h))
            ]
            for column in columns:
                of_it = dict.fromkeys(h._replace(attnum=0) for h in held if h.attnum in (0, column.attnum))
                found += [
                    make(**_shown(context, schema, thing.name, h), column_name=column.name) for h in of_it
                ]
        return found

    return rows


def _usage_privileges(name: str, *, public: bool) -> Callable[[SystemContext], Rows]:
    """Of foreign-data wrappers and servers."""

    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        things: list[tuple[str, ForeignDataWrapper | ForeignServer]] = [
            *(("FOREIGN DATA WRAPPER", w) for w in context.catalog.objects(ForeignDataWrapper)),
            *(("FOREIGN SERVER", s) for s in context.catalog.objects(ForeignServer)),
        ]
        return [
            make(
                grantor=h.grantor,
                grantee=h.grantee,
                object_catalog=context.database,
                object_schema="",
                object_name=thing.name,
                object_type=kind,
                privilege_type=h.privilege.upper(),
                is_grantable="YES" if h.grantable else "NO",
            )
            for kind, thing in things
            for h in _held(context, thing, ("usage",))
            if public or _concerns_roles(context, h)
        ]

    return rows


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "column_privileges": _column_privileges("column_privileges", public=True),
    "role_column_grants": _column_privileges("role_column_grants", public=False),
    "role_table_grants": _table_privileges("role_table_grants", public=False),
    "role_usage_grants": _usage_privileges("role_usage_grants", public=False),
    "table_privileges": _table_privileges("table_privileges", public=True),
    "usage_privileges": _usage_privileges("usage_privileges", public=True),
}
