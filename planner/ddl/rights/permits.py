"""Who may change what: asked before a DDL statement is bound, and of superusers not at all.

    CREATE something            CREATE on its schema             permission denied for schema s
    ALTER, DROP, CREATE INDEX   being its owner                  must be owner of table t
    DROP                        ... or the owner of its schema
    TRUNCATE                    the privilege of that name       permission denied for table t
    roles, databases, schemas   CREATEROLE, CREATEDB, CREATE on the database
    GRANT                       the owner, or a grant option
    types that are used         USAGE of each (used_types)

What is not there is left to the binder, which says so in its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import CatalogObject, Index, Schema, Sequence, View, rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import Database
from planner.catalog.type_objects import CompositeType
from planner.ddl import absent, collations
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.ddl.types import used_types
from planner.records import replace


def guard(scope: Scope, said: Any) -> None:
    """Raises 42501."""
    if rights.is_superuser(scope.catalog, scope.user):
        return
    check = _CHECKS.get(type(said))
    if check is not None:
        check(scope, said)
    used_types.require_all(scope, said)


def word_for(thing: CatalogObject) -> str:
    """`must be owner of ...`: the kind of an object."""
    if isinstance(thing, Table):
        return rights.table_word(thing)
    if isinstance(thing, View):
        return "view"
    if isinstance(thing, Index):
        return "index"
    return rights.word_for(thing)


def must_own(
    scope: Scope, thing: CatalogObject, *, schema_will_do: bool = False, called: str = "", word: str = ""
) -> None:
    """`called`, `word`: its name and what it is in the message, if not what it says of itself. Raises 42501."""
    catalog = scope.catalog
    owned = catalog.table(thing.table_oid) if isinstance(thing, Index) else thing
    if rights.owns(catalog, scope.user, owned):
        return
    schema = catalog.get(getattr(thing, "schema_oid", 0))
    if schema_will_do and isinstance(schema, Schema) and rights.owns(catalog, scope.user, schema):
        return
    raise PlanError(
        "42501", f"must be owner of {word or word_for(thing)} {called or getattr(thing, 'name', '')}"
    )


def _may_create_temporary(scope: Scope) -> None:
    database = scope.catalog.get(scope.catalog.database_oid)
    assert isinstance(database, Database)
    if not rights.holds(scope.catalog, scope.user, database, "temporary"):
        raise PlanError(
            "42501", f'permission denied to create temporary tables in database "{database.name}"'
        )


def _creates(scope: Scope, said: Any) -> None:
    name: st.Name = said.name
    if getattr(said, "temporary", False) or name.schema.startswith("pg_temp"):
        _may_create_temporary(scope)
        return
    try:
        schema = scope.schema_for(name)
    except PlanError:
        return
    rights.require(scope.catalog, scope.user, schema, "create", name.position)


def _unplaced(said: st.CreateTextSearch) -> st.CreateTextSearch:
    return replace(said, name=replace(said.name, position=0))


def _found(scope: Scope, name: st.Name) -> CatalogObject | None:
    schema = scope.catalog.find_schema(name.schema) if name.schema else None
    if schema is not None:
        rights.require(scope.catalog, scope.user, schema, "usage")
    thing = scope.find(st.Name(name.name, name.schema))
    return None if isinstance(thing, CompositeType) else thing


def _owns_relation(scope: Scope, said: Any) -> None:
    thing = _found(scope, said.name)
    if thing is not None:
        must_own(scope, thing)
    for action in getattr(said, "actions", ()):
        if action.what == "owner":
            may_become(scope, action.name)


def may_create_in(scope: Scope, schema: Schema) -> None:
    """Raises 42501."""
    if schema.name.startswith("pg_temp_"):
        _may_create_temporary(scope)
    elif not rights.is_superuser(scope.catalog, scope.user):
        rights.require(scope.catalog, scope.user, schema, "create")


def may_become(scope: Scope, name: str) -> None:
    """Raises 42501 for a role that the user is not in."""
    if rights.is_superuser(scope.catalog, scope.user):
        return
    if scope.catalog.role(name) is not None and name not in rights.roles_of(
        scope.catalog, scope.user, inherited=False
    ):
        raise PlanError("42501", f'must be member of role "{name}"')


def _creates_index(scope: Scope, said: st.CreateIndex) -> None:
    thing = _found(scope, said.table)
    if thing is not None:
        must_own(scope, thing)


def _drops(scope: Scope, said: st.Drop) -> None:
    if said.kind == "role":
        _roles(scope, "drop role")
        for name in said.names:
            if rights.is_superuser(scope.catalog, name.name):
                raise PlanError("42501", "must be superuser to drop superusers")
    for name in (
        ()
        if said.kind in (*absent.KINDS, "conversion", "foreign-data wrapper", "server", "subscription")
        else said.names
    ):
        thing: CatalogObject | None
        if said.kind == "schema":
            thing = scope.catalog.find_schema(name.name)
        elif said.kind == "database":
            thing = scope.catalog.database(name.name)
        elif said.kind in ("type", "domain"):
            thing = _type(scope, name)
        elif said.kind == "extension":
            thing = scope.catalog.extension(name.name)
        elif said.kind == "publication":
            thing = _publication(scope, name)
        elif said.kind == "role":
            continue
        elif said.kind == "statistics":
            thing = _statistics(scope, name)
        elif said.kind.startswith("text search "):
            thing = _of_text_search(scope, said.kind, name)
        elif said.kind == "collation":
            thing = _collation(scope, name)
        else:
            thing = _found(scope, name)
        if thing is not None:
            is_relation = isinstance(thing, Table | View | Sequence | Index)
            must_own(scope, thing, schema_will_do=True, called="" if is_relation else str(name))


def _publication(scope: Scope, name: st.Name) -> CatalogObject | None:
    from planner.ddl.replication.publications import named

    return named(scope, name.name)


def _statistics(scope: Scope, name: st.Name) -> CatalogObject | None:
    from planner.ddl.statistics import find

    name = scope.homed(name)
    return None if name.schema and scope.catalog.find_schema(name.schema) is None else find(scope, name)


def _collation(scope: Scope, name: st.Name) -> CatalogObject | None:
    from planner.ddl.collations import find

    return None if name.schema and scope.catalog.find_schema(name.schema) is None else find(scope, name)


def _of_text_search(scope: Scope, kind: str, name: st.Name) -> CatalogObject | None:
    from planner.ddl.text_search import KINDS, find

    name = scope.homed(name)
    if kind not in KINDS or (name.schema and scope.catalog.find_schema(name.schema) is None):
        return None
    return find(scope, KINDS[kind], name)


def _type(scope: Scope, name: st.Name) -> CatalogObject | None:
    name = scope.homed(name)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        return None
    return scope.catalog.find_type(name.name, name.schema, scope.search_path)


def _truncates(scope: Scope, said: st.Truncate) -> None:
    for name in said.tables:
        thing = _found(scope, name)
        if isinstance(thing, Table) and thing.foreign is None:
            rights.require(scope.catalog, scope.user, thing, "truncate")


def _creates_schema(scope: Scope, said: st.CreateSchema) -> None:
    database = scope.catalog.get(scope.catalog.database_oid)
    assert isinstance(database, Database)
    rights.require(scope.catalog, scope.user, database, "create")
    if said.owner:
        may_become(scope, said.owner)


def _alters_schema(scope: Scope, said: st.AlterSchema) -> None:
    schema = scope.catalog.find_schema(said.name)
    if schema is not None:
        must_own(scope, schema)


def _alters_type(scope: Scope, said: Any) -> None:
    kind = getattr(said, "kind", "type")
    thing: CatalogObject | None
    if kind == "database":
        thing = scope.catalog.database(said.name.name)
    elif kind in ("type", "domain"):
        thing = _type(scope, said.name)
    else:
        return
    if thing is None:
        return
    what = {a.what for a in getattr(said, "actions", ())}
    mine = rights.owns(scope.catalog, scope.user, thing)
    if isinstance(thing, CompositeType) and not mine and what & _OF_ATTRIBUTES:
        raise PlanError("42501", f"must be owner of table {thing.name}")
    must_own(scope, thing)


_OF_ATTRIBUTES: Final = frozenset(("add column", "drop column", "set type", "rename column"))
"""What ALTER TYPE says of a composite type as of the relation that it is to PostgreSQL."""


def _roles(scope: Scope, what: str) -> None:
    role = scope.catalog.role(scope.user)
    if role is None or not role.create_role:
        raise PlanError("42501", f"permission denied to {what}")


def _alters_role(scope: Scope, said: st.AlterRole) -> None:
    role = scope.catalog.role(said.name)
    own = said.name == scope.user and set(said.options) <= {"password"} and not said.new_name
    if role is None or own:
        return
    if said.new_name:
        if role.superuser:
            raise PlanError("42501", "must be superuser to rename superusers")
        _roles(scope, "rename role")
        return
    if role.superuser or said.options.get("superuser") is not None:
        raise PlanError("42501", "must be superuser to alter superuser roles or change superuser attribute")
    if role.replication or said.options.get("replication") is not None:
        raise PlanError(
            "42501", "must be superuser to alter replication roles or change replication attribute"
        )
    if said.options.get("bypassrls") is not None:
        raise PlanError("42501", "must be superuser to change bypassrls attribute")
    mine = scope.catalog.role(scope.user)
    if mine is None or not mine.create_role:
        raise PlanError("42501", "permission denied")
    _may_join(scope, (said.name,) if said.options.get("user") else ())


def _alters_settings(scope: Scope, said: st.AlterSettings) -> None:
    database = scope.catalog.database(said.database) if said.database else None
    if said.tag == "ALTER DATABASE":
        if database is not None:
            must_own(scope, database)
        return
    if not said.role:
        if database is None:
            raise PlanError("42501", "must be superuser to alter settings globally")
        must_own(scope, database)
    role = scope.catalog.role(said.role)
    if role is None or said.role == scope.user:
        return
    if role.superuser:
        raise PlanError("42501", "must be superuser to alter superusers")
    mine = scope.catalog.role(scope.user)
    if mine is None or not mine.create_role:
        raise PlanError("42501", "permission denied")


def _creates_role(scope: Scope, said: st.CreateRole) -> None:
    if said.options.get("superuser"):
        raise PlanError("42501", "must be superuser to create superusers")
    if said.options.get("replication"):
        raise PlanError("42501", "must be superuser to create replication users")
    if said.options.get("bypassrls"):
        raise PlanError("42501", "must be superuser to create bypassrls users")
    _roles(scope, "create role")
    _may_join(scope, said.options.get("in_role", ()))


def _grants_role(scope: Scope, said: st.GrantRole) -> None:
    if said.granted_by not in ("", scope.user, "current_user", "session_user"):
        raise PlanError("42501", "must be superuser to set grantor")
    _may_join(scope, said.roles)


def _may_join(scope: Scope, groups: Iterable[str]) -> None:
    """Who may say who is in these roles: of a superuser only another one, or everybody would soon be one."""
    mine = scope.catalog.role(scope.user)
    for name in groups:
        role = scope.catalog.role(name)
        if role is not None and role.superuser:
            raise PlanError("42501", "must be superuser to alter superusers")
        may = (mine is not None and mine.create_role) or rights.is_admin(scope.catalog, scope.user, name)
        if role is not None and not may:
            raise PlanError("42501", f'must have admin option on role "{name}"')


def _creates_database(scope: Scope, said: st.CreateDatabase) -> None:
    role = scope.catalog.role(scope.user)
    if role is None or not role.create_db:
        raise PlanError("42501", "permission denied to create database")
    template = scope.catalog.database(str(said.options.get("template", "")))
    if (
        template is not None
        and not template.is_template
        and not rights.owns(scope.catalog, scope.user, template)
    ):
        raise PlanError("42501", f'permission denied to copy database "{template.name}"')


def _alters_collation(scope: Scope, said: st.AlterCollation) -> None:
    thing = collations.find(scope, said.name)
    if thing is not None:
        must_own(scope, thing)


def _comments(scope: Scope, said: st.Comment) -> None:
    from planner.ddl.rights import own_objects

    own = own_objects.find(scope, said)
    if own is not None:
        own_objects.require_superuser(scope, own)
        return
    if said.kind in (
        "table",
        "view",
        "materialized view",
        "foreign table",
        "index",
        "sequence",
        "column",
    ):
        thing = _found(scope, said.name)
    elif said.kind in ("constraint", "trigger", "policy", "rule"):
        part_of = _found(scope, said.name)
        if part_of is not None:
            _must_own_relation(scope, part_of)
        return
    elif said.kind == "schema":
        thing = scope.catalog.find_schema(said.name.name)
    elif said.kind == "database":
        thing = scope.catalog.database(said.name.name)
    elif said.kind == "foreign-data wrapper":
        thing = next((w for w in scope.catalog.objects(ForeignDataWrapper) if w.name == said.name.name), None)
    elif said.kind == "server":
        thing = next((s for s in scope.catalog.objects(ForeignServer) if s.name == said.name.name), None)
    elif said.kind == "event trigger":
        from planner.ddl.routines import event_triggers

        event_triggers.require_owner(scope, event_triggers.existing(scope, said.name.name))
        return
    elif said.kind == "extension":
        thing = scope.catalog.extension(said.name.name)
    elif said.kind == "publication":
        thing = _publication(scope, said.name)
    elif said.kind == "subscription":
        from planner.ddl.replication import subscriptions

        subscriptions.require_owner(scope, subscriptions.existing(scope, said.name.name))
        return
    elif said.kind in ("type", "domain", "domain constraint"):
        thing = _type(scope, said.name)
    elif said.kind == "role":
        if rights.is_superuser(scope.catalog, said.name.name):
            raise PlanError("42501", "must be superuser")
        mine = scope.catalog.role(scope.user)
        if mine is None or not mine.create_role:
            raise PlanError("42501", "must have CREATEROLE privilege")
        return
    elif said.kind == "collation":
        thing = collations.find(scope, said.name)
    elif said.kind == "statistics":
        thing = _statistics(scope, said.name)
    elif said.kind.startswith("text search "):
        thing = _of_text_search(scope, said.kind, said.name)
    elif isinstance(said.signature, st.CastSignature):
        from planner.ddl.types import casts

        casts.require_owner(scope, casts.existing(scope, said.signature.source, said.signature.target))
        return
    elif isinstance(said.signature, st.OperatorSignature):
        from planner.ddl.operators.definitions import existing

        thing = existing(scope, said.signature)
    elif isinstance(said.signature, st.ClassSignature):
        from planner.ddl.operators import operator_classes

        named = scope.catalog.get(operator_classes.oid_of(scope, said.signature))
        if named is None or not rights.owns(scope.catalog, scope.user, named):
            shown = operator_classes.called(said.signature)
            raise PlanError("42501", f"must be owner of {said.signature.kind} {shown}")
        return
    elif said.signature is not None:
        thing = routine_names.find(scope, said.signature, said.kind)
    else:
        return
    if thing is not None:
        must_own(scope, thing)


def _owns_triggered(scope: Scope, said: Any) -> None:
    thing = _found(scope, said.table)
    if thing is None:
        return
    if not isinstance(said, st.DropTrigger | st.DropPolicy | st.DropRule):
        must_own(scope, thing)
    else:
        _must_own_relation(scope, thing)


def _must_own_relation(scope: Scope, thing: CatalogObject) -> None:
    """Of a part of it: PostgreSQL does not say what kind of relation it is."""
    if not rights.owns(scope.catalog, scope.user, thing):
        raise PlanError("42501", f"must be owner of relation {getattr(thing, 'name', '')}")


def _sequence_owner(scope: Scope, said: st.AlterSequence) -> None:
    thing = _found(scope, said.name)
    if isinstance(thing, Sequence):
        must_own(scope, thing)


_CHECKS: Final[dict[type[Any], Callable[[Scope, Any], None]]] = {
    st.CreateTable: _creates,
    st.CreateTableAs: _creates,
    st.CreateView: _creates,
    st.CreateSequence: _creates,
    st.CreateEnum: _creates,
    st.CreateRange: _creates,
    st.CreateCollation: _creates,
    st.AlterCollation: _alters_collation,
    st.CreateTextSearch: lambda scope, said: _creates(scope, _unplaced(said)),
    st.CreateComposite: _creates,
    st.CreateDomain: _creates,
    st.AlterTable: _owns_relation,
    st.AlterSequence: _sequence_owner,
    st.RefreshMaterializedView: _owns_relation,
    st.CreateIndex: _creates_index,
    st.CreatePolicy: _owns_triggered,
    st.AlterPolicy: _owns_triggered,
    st.RenamePolicy: _owns_triggered,
    st.DropPolicy: _owns_triggered,
    st.CreateRule: _owns_triggered,
    st.RenameRule: _owns_triggered,
    st.DropRule: _owns_triggered,
    st.DropTrigger: _owns_triggered,
    st.RenameTrigger: _owns_triggered,
    st.Drop: _drops,
    st.Truncate: _truncates,
    st.CreateSchema: _creates_schema,
    st.AlterSchema: _alters_schema,
    st.AlterEnum: _alters_type,
    st.AlterNamed: _alters_type,
    st.CreateRole: _creates_role,
    st.AlterRole: _alters_role,
    st.AlterSettings: _alters_settings,
    st.GrantRole: _grants_role,
    st.CreateDatabase: _creates_database,
    st.Comment: _comments,
}
