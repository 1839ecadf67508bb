"""information_schema: who holds which privilege on which table and column, as far as the asking user has to do with it.

    table_privileges     grants of tables, to PUBLIC as well          column_privileges     those and grants of columns
    role_table_grants    PUBLIC's where a role of the user's gave them    role_column_grants    likewise
    usage_privileges     of domains, sequences, collations and of     role_usage_grants     likewise
                         foreign-data wrappers and servers
    udt_privileges       of composite types                           role_udt_grants       likewise
    routine_privileges   of what CREATE FUNCTION and its kin made     role_routine_grants   likewise

What nobody granted anything on has its owner's privileges alone, and PUBLIC's where its kind is everybody's to use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from planner.abc import Column, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import Sequence, View
from planner.catalog.routine_objects import Function
from planner.catalog.system import permitted
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.listings import schema_name
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import Collation, CompositeType, Domain

_PUBLIC = "PUBLIC"


class _Held(NamedTuple):
    grantor: str
    grantee: str
    privilege: str
    grantable: bool
    attnum: int


_Thing = (
    Table
    | View
    | Sequence
    | Function
    | CompositeType
    | Domain
    | Collation
    | ForeignDataWrapper
    | ForeignServer
)


def _held(
    context: SystemContext,
    thing: _Thing,
    privileges: tuple[str, ...] = permitted.OF_TABLES,
    *,
    everybodys: bool = False,
) -> Iterator[_Held]:
    """The privileges on a thing, or on a relation's columns, that concern the user, as giver or as taker."""
    catalog, owner = context.catalog, thing.owner
    everybody = rights.is_superuser(catalog, context.user)
    mine = rights.roles_of(catalog, context.user)
    grants = catalog.grants_on(thing.oid)
    if not any(g.grantee == owner and not g.attnum for g in grants) and (everybody or owner in mine):
        for privilege in privileges:
            yield _Held(owner, owner, privilege, True, 0)
    if everybodys and all(g.grantee for g in grants):
        for privilege in privileges:
            yield _Held(owner, _PUBLIC, privilege, False, 0)
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
        if context.catalog.shown is None and (public or _concerns_roles(context, _OF_SYSTEM)):
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
        if context.catalog.shown is None and (public or _concerns_roles(context, _OF_SYSTEM)):
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
    """Of sequences that nobody granted anything on it says nothing, as PostgreSQL does not."""

    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        catalog = context.catalog
        things: list[tuple[str, str, _Thing]] = [
            *(("FOREIGN DATA WRAPPER", "", w) for w in catalog.objects(ForeignDataWrapper)),
            *(("FOREIGN SERVER", "", s) for s in catalog.objects(ForeignServer)),
            *(("DOMAIN", schema_name(context, d.schema_oid), d) for d in catalog.objects(Domain)),
            *(
                ("SEQUENCE", schema_name(context, s.schema_oid), s)
                for s in catalog.objects(Sequence)
                if catalog.grants_on(s.oid)
            ),
        ]
        held = [
            (kind, schema, thing.name, h)
            for kind, schema, thing in things
            for h in _held(context, thing, ("usage",), everybodys=isinstance(thing, Domain))
        ]
        held += [
            (
                "COLLATION",
                schema_name(context, c.schema_oid),
                c.name,
                _Held(c.owner, _PUBLIC, "usage", False, 0),
            )
            for c in catalog.objects(Collation)
        ]
        return [
            make(
                grantor=h.grantor,
                grantee=h.grantee,
                object_catalog=context.database,
                object_schema=schema,
                object_name=called,
                object_type=kind,
                privilege_type=h.privilege.upper(),
                is_grantable="YES" if h.grantable else "NO",
            )
            for kind, schema, called, h in held
            if public or _concerns_roles(context, h)
        ]

    return rows


def _udt_privileges(name: str, *, public: bool) -> Callable[[SystemContext], Rows]:
    """Of types of rows, too, which are their relations' owners'."""

    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        things: list[CompositeType | Table | View] = [
            *context.catalog.objects(CompositeType),
            *context.catalog.objects(Table),
            *context.catalog.objects(View),
        ]
        found: Rows = []
        for thing in things:
            if isinstance(thing, CompositeType):
                held = list(_held(context, thing, ("usage",), everybodys=True))
            else:  # on the type itself nobody can grant anything
                mine = rights.roles_of(context.catalog, context.user)
                shown = rights.is_superuser(context.catalog, context.user) or thing.owner in mine
                held = [_Held(thing.owner, thing.owner, "usage", True, 0)] if shown else []
                held.append(_Held(thing.owner, _PUBLIC, "usage", False, 0))
            found += [
                make(
                    grantor=h.grantor,
                    grantee=h.grantee,
                    udt_catalog=context.database,
                    udt_schema=schema_name(context, thing.schema_oid),
                    udt_name=thing.name,
                    privilege_type="TYPE USAGE",
                    is_grantable="YES" if h.grantable else "NO",
                )
                for h in held
                if public or _concerns_roles(context, h)
            ]
        return found

    return rows


def _routine_privileges(name: str, *, public: bool) -> Callable[[SystemContext], Rows]:
    def rows(context: SystemContext) -> Rows:
        make = RowMaker(name, "information_schema", nulls=True)
        found: Rows = []
        for f in context.catalog.objects(Function):
            schema = schema_name(context, f.schema_oid)
            found += [
                make(
                    grantor=h.grantor,
                    grantee=h.grantee,
                    specific_catalog=context.database,
                    specific_schema=schema,
                    specific_name=f"{f.name}_{f.oid}",
                    routine_catalog=context.database,
                    routine_schema=schema,
                    routine_name=f.name,
                    privilege_type="EXECUTE",
                    is_grantable="YES" if h.grantable else "NO",
                )
                for h in _held(context, f, ("execute",), everybodys=True)
                if public or _concerns_roles(context, h)
            ]
        return found

    return rows


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "column_privileges": _column_privileges("column_privileges", public=True),
    "role_column_grants": _column_privileges("role_column_grants", public=False),
    "role_routine_grants": _routine_privileges("role_routine_grants", public=False),
    "role_table_grants": _table_privileges("role_table_grants", public=False),
    "role_udt_grants": _udt_privileges("role_udt_grants", public=False),
    "role_usage_grants": _usage_privileges("role_usage_grants", public=False),
    "routine_privileges": _routine_privileges("routine_privileges", public=True),
    "table_privileges": _table_privileges("table_privileges", public=True),
    "udt_privileges": _udt_privileges("udt_privileges", public=True),
    "usage_privileges": _usage_privileges("usage_privileges", public=True),
}
