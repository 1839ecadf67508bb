"""Databases made, dropped and altered: each has its own schemas, on the same log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import (
    Comment,
    Database,
    ForeignDataWrapper,
    ForeignServer,
    Grant,
    Schema,
    UserMapping,
    large_objects,
    predefined,
)
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, EventTrigger
from planner.ddl.constraints.definitions import require_role
from planner.ddl.rights import copies_of_databases, first_settings
from planner.ddl.scope import Scope
from planner.records import replace

_EMPTY_TEMPLATES: Final = frozenset(("template0", "template1", "default"))
"""What databases are made of where nobody says of what: nothing is in them, and nobody can put anything there."""
_OF_DATABASES: Final = (EventTrigger, Publication, UserMapping, ForeignServer, ForeignDataWrapper)
"""What a database has that is in none of its schemas, beside casts and subscriptions."""


def create_database(scope: Scope, said: st.CreateDatabase) -> None:
    """A database, which begins with nothing but a schema `public`, or with all that its template has."""
    template = _template(scope, str(said.options.get("template", "default")))
    if scope.catalog.database(said.name) is not None:
        raise PlanError("42P04", f'database "{said.name}" already exists')
    encoding = said.options.get("encoding")
    if encoding is not None and str(encoding).upper().replace("-", "") not in (
        "UTF8",
        "UNICODE",
        "DEFAULT",
        "6",
    ):
        raise PlanError("0A000", f"encoding {encoding} is not supported")
    place = str(said.options.get("tablespace", "pg_default"))
    if place == "pg_global":
        raise PlanError("42501", "pg_global cannot be used as default tablespace")
    if place not in ("pg_default", "default"):
        raise PlanError("42704", f'tablespace "{place}" does not exist')
    owner = said.options.get("owner", "default")
    owner = scope.user if owner == "default" else require_role(scope, str(owner))
    made = _with_options(Database(scope.allocate(), said.name, owner), said.options)
    scope.add(made)
    if template is not None:
        return copies_of_databases.copy(scope, template.name, made)
    scope.add(Schema(scope.allocate(), "public", predefined.DATABASE_OWNER, made.oid))


def _with_options(database: Database, options: Mapping[str, Any]) -> Database:
    return replace(
        database,
        connection_limit=options.get("connection limit", database.connection_limit),
        allows_connections=options.get("allow_connections", database.allows_connections),
        is_template=options.get("is_template", database.is_template),
    )


def _template(scope: Scope, name: str) -> Database | None:
    """The database that is to be copied; None: one of those in which nothing is. Raises 3D000."""
    if name in _EMPTY_TEMPLATES:
        return None
    if (database := scope.catalog.database(name)) is None:
        raise PlanError("3D000", f'template database "{name}" does not exist')
    return database


def drop_database(scope: Scope, said: st.Drop) -> None:
    name = said.names[0].name
    database = scope.catalog.database(name)
    if database is None:
        if not said.if_exists:
            raise PlanError("3D000", f'database "{name}" does not exist')
        scope.notice(f'database "{name}" does not exist, skipping')
        return
    if database.is_template:
        raise PlanError("42809", "cannot drop a template database")
    if database.oid == scope.catalog.database_oid:
        raise PlanError("55006", "cannot drop the currently open database")
    inside = scope.catalog.for_database(name)
    schemas = {s.oid: s for s in inside.objects(Schema) if s.database_oid == database.oid}
    if (hidden := large_objects.home(inside, database.oid)) is not None:
        schemas[hidden.oid] = hidden
    for schema in schemas.values():
        for thing in inside.inside(schema.oid):
            scope.remove(thing)
            if isinstance(thing, Table):
                scope.dropped.append(thing.shard)
    for cast in list(inside.objects(Cast)):
        scope.remove(cast)
    if held := len(list(inside.objects(Subscription))):
        raise PlanError(
            "55006",
            f'database "{name}" is being used by logical replication subscription',
            detail=f"There {'is' if held == 1 else 'are'} {held} subscription{'s' * (held != 1)}.",
        )
    for kind in _OF_DATABASES:
        for of_database in list(inside.objects(kind)):
            scope.remove(of_database)
    for schema in schemas.values():
        scope.remove(schema)
    for comment in list(inside.objects(Comment)):
        if comment.database_oid == database.oid:
            scope.remove(comment)
    for grant in list(inside.objects(Grant)):
        if grant.database_oid == database.oid:
            scope.remove(grant)
    first_settings.forget(scope, database)
    scope.remove(database)


def alter_database(scope: Scope, said: st.AlterNamed) -> None:
    database = scope.catalog.database(said.name.name)
    if database is None:
        raise PlanError("3D000", f'database "{said.name.name}" does not exist')
    for action in said.actions:
        if action.what == "rename":
            if scope.catalog.database(action.new_name) is not None:
                raise PlanError("42P04", f'database "{action.new_name}" already exists')
            if database.oid == scope.catalog.database_oid:
                raise PlanError("0A000", "current database cannot be renamed")
            scope.replace(database, replace(database, name=action.new_name))
        elif action.what == "set options":
            altered = _with_options(database, dict(action.options))
            if not altered.allows_connections and database.oid == scope.catalog.database_oid:
                raise PlanError("22023", "cannot disallow connections for current database")
            if altered != database:
                scope.replace(database, altered)
        elif action.what == "refresh":
            scope.notice("version has not changed")
        elif action.what == "owner":
            scope.replace(database, replace(database, owner=require_role(scope, action.name)))
