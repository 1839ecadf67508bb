"""CREATE, ALTER and DROP PUBLICATION: of which tables, and of which of their changes, subscribers are told (`executor.replication`).

What they mean beside is that a table whose updates are published must be able to say which row has changed (`planner.binding.writes.replica_identity`).

    ALTER ... SET TABLE a, b (x)      parts that are there as they are said stay, with their OIDs; others go, and come
    ALTER ... SET TABLE a             of schemas none stay either: SET says all there is to be

The order in which things are refused is PostgreSQL's (publicationcmds.c), for a statement may be wrong in several ways.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.binding.rights import row_filters
from planner.catalog import (
    Index,
    Publication,
    PublishedSchema,
    PublishedTable,
    Schema,
    View,
    rights,
)
from planner.catalog import Sequence as SequenceObject
from planner.catalog.catalog import TEMPORARY_PREFIX
from planner.catalog.names import missing_relation, missing_schema, split_identifiers
from planner.catalog.objects import Database
from planner.catalog.system.relations import relations
from planner.catalog.type_objects import CompositeType
from planner.ddl.constraints import definitions as constraints
from planner.ddl.of_database import OfDatabase
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.inheritance import family
from planner.parse import parse_expression
from planner.types.booleans import bool_in

_BY_NAME: Final = OfDatabase(Publication, "publication")
named, existing, require_owner = _BY_NAME.named, _BY_NAME.existing, _BY_NAME.require_owner
_LIST: Final = re.compile(r'\s*(?:(?:"[^"]*"|[\w$]+)\s*(?:,\s*(?:"[^"]*"|[\w$]+)\s*)*)?\Z')
_ACTIONS: Final = {"insert": "inserts", "update": "updates", "delete": "deletes", "truncate": "truncates"}


@dataclasses.dataclass(slots=True)
class _Said:
    """A table of a statement, or one that inherits from it."""

    table: Table
    columns: tuple[str, ...]
    where: st.Sql | None


def create_publication(scope: Scope, said: st.CreatePublication) -> None:
    """Raises 42501, 42710, 42601, 42P01, 3F000, 22023, 42703, 42P10, 0A000."""
    database = scope.catalog.get(scope.catalog.database_oid)
    assert isinstance(database, Database)
    rights.require(scope.catalog, scope.user, database, "create")
    superuser = rights.is_superuser(scope.catalog, scope.user)
    if said.all_tables and not superuser:
        raise PlanError("42501", "must be superuser to create FOR ALL TABLES publication")
    if named(scope, said.name) is not None:
        raise PlanError("42710", f'publication "{said.name}" already exists')
    options = _options(said.options)
    made = _with_options(
        Publication(scope.allocate(), said.name, scope.catalog.database_oid, scope.user, said.all_tables),
        options,
    )
    schemas = _schemas(scope, said.schemas)
    if schemas and not superuser:
        raise PlanError("42501", "must be superuser to create FOR TABLES IN SCHEMA publication")
    if said.tables:
        opened = _opened(scope, said.tables)
        _check_filters(scope, opened, made.via_root)
        _check_columns(scope, said.name, opened, bool(schemas), made.via_root)
        made = _with_tables(scope, made, opened, again=True)
    scope.add(_with_schemas(scope, made, schemas, again=True))


def alter_publication(scope: Scope, said: st.AlterPublication) -> None:
    """Raises 42704, 42501, 42710, 55000, and what CREATE PUBLICATION raises."""
    found = existing(scope, said.name)
    require_owner(scope, found)
    if said.what == "rename":
        if named(scope, said.to) is not None:
            raise PlanError("42710", f'publication "{said.to}" already exists')
        scope.replace(found, dataclasses.replace(found, name=said.to))
    elif said.what == "owner":
        _change_owner(scope, found, constraints.require_role(scope, said.to))
    elif said.what == "options":
        _alter_options(scope, found, said)
    else:
        _alter_objects(scope, found, said)


def _alter_objects(scope: Scope, found: Publication, said: st.AlterPublication) -> None:
    schemas = _schemas(scope, said.schemas)
    if said.what != "drop" and schemas and not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", "must be superuser to add or set schemas")
    for what, listed in (("Schemas", schemas), ("Tables", said.tables)):
        if listed and found.all_tables:
            raise PlanError(
                "55000",
                f'publication "{found.name}" is defined as FOR ALL TABLES',
                detail=f"{what} cannot be added to or dropped from FOR ALL TABLES publications.",
            )
    made = found
    opened = _opened(scope, said.tables)
    if said.what == "drop":
        made = _without_tables(made, opened)
        made = _without_schemas(made, schemas)
    elif said.what == "add":
        _check_filters(scope, opened, found.via_root)
        _check_columns(scope, found.name, opened, bool(schemas or found.schemas), found.via_root)
        made = _with_tables(scope, made, opened, again=False)
        if schemas and any(p.columns for p in made.tables):
            raise PlanError(
                "22023",
                f'cannot add schema to publication "{found.name}"',
                detail="Schemas cannot be added if any tables that specify a column list are already part of the publication.",
            )
        made = _with_schemas(scope, made, schemas, again=False)
    else:
        _check_filters(scope, opened, found.via_root)
        _check_columns(scope, found.name, opened, bool(schemas), found.via_root)
        kept = tuple(p for p in made.tables if any(_is_the_same(p, one) for one in opened))
        made = _with_tables(scope, dataclasses.replace(made, tables=kept), opened, again=True)
        wanted = {s.oid for s in schemas}
        made = dataclasses.replace(made, schemas=tuple(p for p in made.schemas if p.schema in wanted))
        made = _with_schemas(scope, made, schemas, again=True)
    scope.replace(found, made)


def _alter_options(scope: Scope, found: Publication, said: st.AlterPublication) -> None:
    options = _options(said.options)
    if options.get("via_root") is False:
        for part in found.tables:
            table = scope.catalog.table(part.table)
            if table.partitioning is None or not (part.condition or part.columns):
                continue
            what = "WHERE clause" if part.condition else "column list"
            raise PlanError(
                "22023",
                f'cannot set parameter "publish_via_partition_root" to false for publication "{found.name}"',
                detail=f'The publication contains a {what} for partitioned table "{table.name}", which is not allowed when '
                '"publish_via_partition_root" is false.',
            )
    scope.replace(found, _with_options(found, options))


def _with_options(publication: Publication, options: dict[str, Any]) -> Publication:
    return dataclasses.replace(publication, **options)


def _options(said: Sequence[st.PublicationOption]) -> dict[str, bool]:
    """The fields that options say. Raises 42601."""
    found: dict[str, bool] = {}
    seen: set[str] = set()
    for option in said:
        if option.name not in ("publish", "publish_via_partition_root"):
            raise PlanError("42601", f'unrecognized publication parameter: "{option.name}"')
        if option.name in seen:
            raise PlanError("42601", "conflicting or redundant options", position=option.position)
        seen.add(option.name)
        if option.name == "publish":
            found |= dict.fromkeys(_ACTIONS.values(), False)
            for action in _published(option):
                found[_ACTIONS[action]] = True
        else:
            found["via_root"] = _boolean(option)
    return found


def _published(option: st.PublicationOption) -> tuple[str, ...]:
    if option.value is None:
        raise PlanError("42601", f"{option.name} requires a parameter")
    if _LIST.match(option.value) is None:
        raise PlanError("42601", 'invalid list syntax in parameter "publish"')
    actions = split_identifiers(option.value)
    for action in actions:
        if action not in _ACTIONS:
            raise PlanError("42601", f'unrecognized value for publication option "publish": "{action}"')
    return actions


def _boolean(option: st.PublicationOption) -> bool:
    if option.value is None:
        return True
    word = option.value.lower()
    if word in ("true", "on", "1", "false", "off", "0"):
        return bool_in(word)
    raise PlanError("42601", f"{option.name} requires a Boolean value")


# --- what is published --------------------------------------------------------------------------------


def _schemas(scope: Scope, names: Sequence[str | None]) -> list[Schema]:
    """Raises 3F000."""
    found: list[Schema] = []
    for name in names:
        if name is None:
            here = [s for s in map(scope.catalog.find_schema, scope.search_path) if s is not None]
            here = [s for s in here if not s.name.startswith(TEMPORARY_PREFIX)]
            if not here:
                raise PlanError("3F000", "no schema has been selected for CURRENT_SCHEMA")
            schema = here[0]
        else:
            schema = scope.catalog.schema(name)
        if schema not in found:
            found.append(schema)
    return found


def _opened(scope: Scope, tables: Sequence[st.PublicationTable]) -> list[_Said]:
    """The tables of a list, each once, with those that inherit from them. Raises 42P01, 42710."""
    found: list[_Said] = []
    for one in tables:
        table = _table(scope, one.name)
        before = next((x for x in found if x.table.oid == table.oid), None)
        if before is not None:
            _refuse_twice(one, before, table)
            continue
        found.append(_Said(table, one.columns, one.where))
        if one.only or table.partitioning is not None:
            continue
        for heir in sorted(family(scope.catalog, table)[1:], key=lambda t: t.oid):
            before = next((x for x in found if x.table.oid == heir.oid), None)
            if before is not None:
                _refuse_twice(one, before, table)
                continue
            found.append(_Said(heir, one.columns, one.where))
    return found


def _refuse_twice(one: st.PublicationTable, before: _Said, table: Table) -> None:
    for what, mine, theirs in (
        ("WHERE clauses", one.where, before.where),
        ("column lists", one.columns, before.columns),
    ):
        if mine or theirs:
            raise PlanError("42710", f'conflicting or redundant {what} for table "{table.name}"')


def _table(scope: Scope, name: st.Name) -> Table:
    """Raises 3F000, 42P01, 42809, 22023, 42501."""
    if name.schema and scope.catalog.find_schema(name.schema) is None and name.schema != "pg_temp":
        raise missing_schema(name.schema)
    found = scope.find(name)
    if found is None:
        system = relations().get((name.schema or "pg_catalog", name.name))
        if system is None:
            raise missing_relation(str(name))
        kind = "view" if system.kind == "v" else "table"
        if not rights.is_superuser(scope.catalog, scope.user):
            raise PlanError("42501", f"must be owner of {kind} {name.name}")
        raise _unpublishable(name.name, "views" if kind == "view" else "system tables")
    if isinstance(found, Index | CompositeType):
        what = "an index" if isinstance(found, Index) else "a composite type"
        raise PlanError("42809", f'"{found.name}" is {what}')
    if isinstance(found, View | SequenceObject):
        permits.must_own(scope, found)
        raise _unpublishable(found.name, "views" if isinstance(found, View) else "sequences")
    return found


def _unpublishable(name: str, kind: str) -> PlanError:
    return PlanError(
        "22023",
        f'cannot add relation "{name}" to publication',
        detail=f"This operation is not supported for {kind}.",
    )


def _check_filters(scope: Scope, opened: Sequence[_Said], via_root: bool) -> None:
    for one in opened:
        if one.where is None:
            continue
        if not via_root and one.table.partitioning is not None:
            raise PlanError(
                "22023",
                f'cannot use publication WHERE clause for relation "{one.table.name}"',
                detail="WHERE clause cannot be used for a partitioned table when publish_via_partition_root is false.",
            )
        row_filters.check(scope.context(), one.table, one.where.text, one.where.offset)


def _check_columns(
    scope: Scope, name: str, opened: Sequence[_Said], with_schemas: bool, via_root: bool
) -> None:
    for one in opened:
        if not one.columns:
            continue
        if with_schemas:
            detail = (
                "Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA elements."
            )
        elif not via_root and one.table.partitioning is not None:
            detail = "Column lists cannot be specified for partitioned tables when publish_via_partition_root is false."
        else:
            continue
        shown = f"{scope.catalog.schema_of(one.table.schema_oid).name}.{one.table.name}"
        raise PlanError(
            "22023", f'cannot use column list for relation "{shown}" in publication "{name}"', detail=detail
        )


def _with_tables(
    scope: Scope, publication: Publication, opened: Sequence[_Said], *, again: bool
) -> Publication:
    """The publication with these tables; `again`: those that it has already stay as they are."""
    tables = list(publication.tables)
    for one in opened:
        permits.must_own(scope, one.table)
        if any(p.table == one.table.oid for p in tables):
            if again:
                continue
            raise PlanError(
                "42710",
                f'relation "{one.table.name}" is already member of publication "{publication.name}"',
            )
        _refuse_kind(one.table)
        columns = _numbers(one.table, one.columns)
        condition = one.where.text if one.where is not None else ""
        tables.append(PublishedTable(scope.allocate(), one.table.oid, columns, condition))
    return dataclasses.replace(publication, tables=tuple(tables))


def _refuse_kind(table: Table) -> None:
    for is_one, kind in (
        (table.foreign is not None, "foreign tables"),
        (table.materialized is not None, "materialized views"),
        (table.foreign is not None, "foreign tables"),
        (table.temporary, "temporary tables"),
        (table.unlogged, "unlogged tables"),
    ):
        if is_one:
            raise _unpublishable(table.name, kind)


def _numbers(table: Table, names: Sequence[str]) -> tuple[int, ...]:
    """A column list by number. Raises 42703, 42P10, 42710."""
    found: list[int] = []
    for name in names:
        column = constraints.find_column(table, name)
        if column is None and name in constraints.SYSTEM_COLUMNS:
            raise PlanError("42P10", f'cannot use system column "{name}" in publication column list')
        if column is None:
            raise PlanError("42703", f'column "{name}" of relation "{table.name}" does not exist')
        if column.generated:
            raise PlanError("42P10", f'cannot use generated column "{name}" in publication column list')
        if column.attnum in found:
            raise PlanError("42710", f'duplicate column "{name}" in publication column list')
        found.append(column.attnum)
    return tuple(sorted(found))


def _is_the_same(part: PublishedTable, one: _Said) -> bool:
    """Whether a statement says what is there already."""
    if part.table != one.table.oid:
        return False
    named = (constraints.find_column(one.table, name) for name in one.columns)
    if set(part.columns) != {c.attnum if c is not None else 0 for c in named}:
        return False
    if one.where is None or not part.condition:
        return one.where is None and not part.condition
    return bool(parse_expression(one.where.text) == parse_expression(part.condition))


def _with_schemas(
    scope: Scope, publication: Publication, schemas: Sequence[Schema], *, again: bool
) -> Publication:
    parts = list(publication.schemas)
    for schema in schemas:
        if publication.has_schema(schema.oid):
            if again:
                continue
            raise PlanError(
                "42710",
                f'schema "{schema.name}" is already member of publication "{publication.name}"',
            )
        if schema.database_oid == 0 and schema.name != "information_schema":
            raise _unpublishable_schema(schema, "This operation is not supported for system schemas.")
        if schema.name.startswith(TEMPORARY_PREFIX):
            raise _unpublishable_schema(schema, "Temporary schemas cannot be replicated.")
        parts.append(PublishedSchema(scope.allocate(), schema.oid))
    return dataclasses.replace(publication, schemas=tuple(parts))


def _unpublishable_schema(schema: Schema, detail: str) -> PlanError:
    return PlanError("22023", f'cannot add schema "{schema.name}" to publication', detail=detail)


def _without_tables(publication: Publication, opened: Sequence[_Said]) -> Publication:
    for one in opened:
        if one.columns:
            raise PlanError("42601", "column list must not be specified in ALTER PUBLICATION ... DROP")
        if publication.table(one.table.oid) is None:
            raise PlanError("42704", f'relation "{one.table.name}" is not part of the publication')
        if one.where is not None:
            raise PlanError("42601", "cannot use a WHERE clause when removing a table from a publication")
    gone = {one.table.oid for one in opened}
    return dataclasses.replace(
        publication, tables=tuple(p for p in publication.tables if p.table not in gone)
    )


def _without_schemas(publication: Publication, schemas: Sequence[Schema]) -> Publication:
    for schema in schemas:
        if not publication.has_schema(schema.oid):
            raise PlanError("42704", f'tables from schema "{schema.name}" are not part of the publication')
    gone = {s.oid for s in schemas}
    return dataclasses.replace(
        publication, schemas=tuple(p for p in publication.schemas if p.schema not in gone)
    )


def _may_create(scope: Scope, user: str) -> None:
    database = scope.catalog.get(scope.catalog.database_oid)
    assert isinstance(database, Database)
    rights.require(scope.catalog, user, database, "create")


def _change_owner(scope: Scope, found: Publication, owner: str) -> None:
    if owner == found.owner:
        return
    if not rights.is_superuser(scope.catalog, scope.user):
        permits.may_become(scope, owner)
        _may_create(scope, owner)
        kind = "ALL TABLES" if found.all_tables else "TABLES IN SCHEMA" if found.schemas else ""
        if kind and not rights.is_superuser(scope.catalog, owner):
            raise PlanError(
                "42501",
                f'permission denied to change owner of publication "{found.name}"',
                hint=f"The owner of a FOR {kind} publication must be a superuser.",
            )
    scope.replace(found, dataclasses.replace(found, owner=owner))


__all__ = ["alter_publication", "create_publication", "existing", "named", "require_owner"]
