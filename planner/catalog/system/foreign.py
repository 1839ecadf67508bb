"""Foreign data as tools ask for it: pg_foreign_data_wrapper and its kin, what information_schema says of them, and options as rows.

Options may hold passwords. So those of a user mapping are for superusers, for who is mapped and may use the server, and, where everybody is
mapped, for the server's owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from planner.abc import Oid, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.objects import CatalogObject
from planner.catalog.system import permitted
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.listings import schema_name
from planner.catalog.system.privileges import acl
from planner.catalog.system.rowmaker import RowMaker
from planner.relations import ForeignPlace


def options_of(options: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for option in options:
        name, sign, value = option.partition("=")
        yield name, value if sign else None


def _server_of(context: SystemContext, mapping: UserMapping) -> ForeignServer:
    found = context.catalog.get(mapping.server)
    assert isinstance(found, ForeignServer)
    return found


def _wrapper_of(context: SystemContext, server: ForeignServer) -> ForeignDataWrapper:
    found = context.catalog.get(server.wrapper)
    assert isinstance(found, ForeignDataWrapper)
    return found


def _user(context: SystemContext, mapping: UserMapping) -> Oid:
    return owner_oid(context.catalog, mapping.user) if mapping.user else 0


# --- pg_catalog -----------------------------------------------------------------------------------------


def pg_foreign_data_wrapper(context: SystemContext) -> Rows:
    make = RowMaker("pg_foreign_data_wrapper")
    return [
        make(
            oid=w.oid,
            fdwname=w.name,
            fdwowner=owner_oid(context.catalog, w.owner),
            fdwhandler=0,
            fdwvalidator=w.validator,
            fdwacl=acl(context.catalog, w.oid, w.owner, "F"),
            fdwoptions=list(w.options) or None,
        )
        for w in context.catalog.objects(ForeignDataWrapper)
    ]


def pg_foreign_server(context: SystemContext) -> Rows:
    make = RowMaker("pg_foreign_server")
    return [
        make(
            oid=s.oid,
            srvname=s.name,
            srvowner=owner_oid(context.catalog, s.owner),
            srvfdw=s.wrapper,
            srvtype=s.type,
            srvversion=s.version,
            srvacl=acl(context.catalog, s.oid, s.owner, "F"),
            srvoptions=list(s.options) or None,
        )
        for s in context.catalog.objects(ForeignServer)
    ]


def pg_foreign_table(context: SystemContext) -> Rows:
    make = RowMaker("pg_foreign_table")
    return [
        make(ftrelid=t.oid, ftserver=place.server, ftoptions=list(place.options) or None)
        for t, place in _tables(context)
    ]


def _tables(context: SystemContext) -> Iterator[tuple[Table, ForeignPlace]]:
    for t in context.catalog.objects(Table):
        if t.foreign is not None:
            yield t, t.foreign


def pg_user_mapping(context: SystemContext) -> Rows:
    make = RowMaker("pg_user_mapping")
    return [
        make(oid=m.oid, umuser=_user(context, m), umserver=m.server, umoptions=list(m.options) or None)
        for m in context.catalog.objects(UserMapping)
    ]


def pg_user_mappings(context: SystemContext) -> Rows:
    make = RowMaker("pg_user_mappings")
    found: Rows = []
    for m in context.catalog.objects(UserMapping):
        server = _server_of(context, m)
        found.append(
            make(
                umid=m.oid,
                srvid=server.oid,
                srvname=server.name,
                umuser=_user(context, m),
                usename=m.user or "public",
                umoptions=list(m.options) or None if _may_read(context, m, server) else None,
            )
        )
    return found


def _may_read(context: SystemContext, mapping: UserMapping, server: ForeignServer) -> bool:
    catalog, user = context.catalog, context.user
    if rights.is_superuser(catalog, user):
        return True
    owns = rights.has_role(catalog, user, server.owner)
    if not mapping.user:
        return owns
    return mapping.user == user and (owns or rights.holds(catalog, user, server, "usage"))


# --- information_schema ---------------------------------------------------------------------------------


def _seen(context: SystemContext, thing: CatalogObject) -> bool:
    return rights.owns(context.catalog, context.user, thing) or rights.holds(
        context.catalog, context.user, thing, "usage"
    )


def _wrappers(context: SystemContext) -> list[ForeignDataWrapper]:
    return [w for w in context.catalog.objects(ForeignDataWrapper) if _seen(context, w)]


def _servers(context: SystemContext) -> list[ForeignServer]:
    return [s for s in context.catalog.objects(ForeignServer) if _seen(context, s)]


def _mappings(context: SystemContext) -> list[tuple[UserMapping, ForeignServer]]:
    seen = {s.oid: s for s in _servers(context)}
    return [(m, seen[m.server]) for m in context.catalog.objects(UserMapping) if m.server in seen]


def _of_wrapper(context: SystemContext, w: ForeignDataWrapper) -> dict[str, Any]:
    return {"foreign_data_wrapper_catalog": context.database, "foreign_data_wrapper_name": w.name}


def _of_server(context: SystemContext, s: ForeignServer) -> dict[str, Any]:
    return {"foreign_server_catalog": context.database, "foreign_server_name": s.name}


def _make(name: str) -> RowMaker:
    return RowMaker(name, "information_schema", nulls=True)


def _with_options(
    make: RowMaker, said: dict[str, Any], options: Sequence[str], *, told: bool = True
) -> Iterator[tuple[Any, ...]]:
    for name, value in options_of(options):
        yield make(**said, option_name=name, option_value=value if told else None)


def _foreign_data_wrappers(context: SystemContext) -> Rows:
    make = _make("foreign_data_wrappers")
    return [
        make(**_of_wrapper(context, w), authorization_identifier=w.owner, foreign_data_wrapper_language="c")
        for w in _wrappers(context)
    ]


def _foreign_data_wrapper_options(context: SystemContext) -> Rows:
    make = _make("foreign_data_wrapper_options")
    return [
        row for w in _wrappers(context) for row in _with_options(make, _of_wrapper(context, w), w.options)
    ]


def _foreign_servers(context: SystemContext) -> Rows:
    make = _make("foreign_servers")
    return [
        make(
            **_of_server(context, s),
            **_of_wrapper(context, _wrapper_of(context, s)),
            foreign_server_type=s.type,
            foreign_server_version=s.version,
            authorization_identifier=s.owner,
        )
        for s in _servers(context)
    ]


def _foreign_server_options(context: SystemContext) -> Rows:
    make = _make("foreign_server_options")
    return [row for s in _servers(context) for row in _with_options(make, _of_server(context, s), s.options)]


def _user_mappings(context: SystemContext) -> Rows:
    make = _make("user_mappings")
    return [
        make(authorization_identifier=m.user or "PUBLIC", **_of_server(context, s))
        for m, s in _mappings(context)
    ]


def _user_mapping_options(context: SystemContext) -> Rows:
    make = _make("user_mapping_options")
    found: Rows = []
    for m, s in _mappings(context):
        told = rights.is_superuser(context.catalog, context.user) or (
            m.user == context.user if m.user else rights.has_role(context.catalog, context.user, s.owner)
        )
        said = {"authorization_identifier": m.user or "PUBLIC", **_of_server(context, s)}
        found += _with_options(make, said, m.options, told=told)
    return found


def _of_table(context: SystemContext, t: Table) -> dict[str, Any]:
    return {
        "foreign_table_catalog": context.database,
        "foreign_table_schema": schema_name(context, t.schema_oid),
        "foreign_table_name": t.name,
    }


def _seen_tables(context: SystemContext) -> list[tuple[Table, ForeignPlace]]:
    return [(t, place) for t, place in _tables(context) if permitted.holds(context, t, permitted.OF_TABLES)]


def _foreign_tables(context: SystemContext) -> Rows:
    make = _make("foreign_tables")
    found: Rows = []
    for t, place in _seen_tables(context):
        server = context.catalog.get(place.server)
        assert isinstance(server, ForeignServer)
        found.append(make(**_of_table(context, t), **_of_server(context, server)))
    return found


def _foreign_table_options(context: SystemContext) -> Rows:
    make = _make("foreign_table_options")
    return [
        row
        for t, place in _seen_tables(context)
        for row in _with_options(make, _of_table(context, t), place.options)
    ]


def _column_options(context: SystemContext) -> Rows:
    make = _make("column_options")
    found: Rows = []
    for t, _ in _tables(context):
        for c in t.visible:
            if permitted.holds(context, t, permitted.OF_COLUMNS, c.attnum):
                said = {
                    "table_catalog": context.database,
                    "table_schema": schema_name(context, t.schema_oid),
                    "table_name": t.name,
                    "column_name": c.name,
                }
                found += _with_options(make, said, c.options)
    return found


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "foreign_data_wrapper_options": _foreign_data_wrapper_options,
    "foreign_data_wrappers": _foreign_data_wrappers,
    "foreign_server_options": _foreign_server_options,
    "foreign_servers": _foreign_servers,
    "foreign_table_options": _foreign_table_options,
    "foreign_tables": _foreign_tables,
    "column_options": _column_options,
    "user_mapping_options": _user_mapping_options,
    "user_mappings": _user_mappings,
}
