"""Names and places of relations: RENAME TO and SET SCHEMA, with everything that names what is moved."""

from __future__ import annotations

from planner.abc import PlanError, Table
from planner.catalog import Catalog, Index, Relation, View
from planner.catalog.by_name import OWN_TEMPORARY, TEMPORARY_PREFIX
from planner.catalog.row_types import row_type_oid
from planner.catalog.stored_queries import stored_queries_of
from planner.catalog.user_types import has_rows_of
from planner.ddl import rules
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import own_names
from planner.ddl.dependencies import depends, moved_relations, renamed_in_queries
from planner.ddl.dependencies.renamed_in_queries import Renaming
from planner.ddl.rights import policies
from planner.ddl.scope import Scope
from planner.ddl.types import named_types
from planner.records import replace


def rename_relation(scope: Scope, found: Relation, new_name: str) -> None:
    schema = scope.catalog.schema_of(found.schema_oid)
    scope.refuse_duplicate(schema, new_name)
    if isinstance(found, Index) and (found.unique or found.constraint_oid):
        table = scope.catalog.table(found.table_oid)
        renamed = tuple(
            replace(c, name=new_name) if c.index_oid == found.oid else c for c in table.constraints
        )
        scope.replace(table, replace(table, constraints=renamed))
    policies.refuse_renaming(scope, found)
    rules.refuse_renaming(scope, found)
    _rename_in_views(scope, found, new_name)
    before = scope.catalog
    if isinstance(found, Table):
        scope.replace(found, own_names.renamed(scope, found, new_name))
    else:
        scope.replace(found, replace(found, name=new_name))
    _follow_rows(scope, found, before)
    depends.follow_constants(scope, before, (found.name,))


def _rename_in_views(scope: Scope, found: Relation, new_name: str) -> None:
    reading = [k for k in stored_queries_of(scope.catalog, found.oid) if not k.remembers(found.oid)]
    for view, query in renamed_in_queries.all_anew(scope, reading, Renaming(found.oid, new_name), found):
        if query is None:
            view.refuse_parameter(found.name)
            query = constraints.rename_in_expression(view.query, found.name, new_name)
        scope.replace(view.holder, view.reworded(query))


def _follow_rows(scope: Scope, found: Relation, before: Catalog) -> None:
    """The type of its rows is called what it is called, in whatever says `::t`."""
    if isinstance(found, Table | View) and has_rows_of(row_type_oid(found.oid)):
        named_types.follow(scope, before)


def move_relation(scope: Scope, found: Relation, schema_name: str) -> None:
    """Raises 0A000 for schemas of sessions, 3F000, 42P07."""
    home = scope.catalog.schema_of(found.schema_oid).name
    if any(name == OWN_TEMPORARY or name.startswith(TEMPORARY_PREFIX) for name in (home, schema_name)):
        raise PlanError("0A000", "cannot move objects into or out of temporary schemas")
    schema = scope.catalog.schema(schema_name)
    if schema.oid == found.schema_oid:
        return
    if scope.is_taken(schema, found.name):
        raise PlanError("42P07", f'relation "{found.name}" already exists in schema "{schema.name}"')
    old = scope.catalog.schema_of(found.schema_oid).name
    owned = scope.catalog.sequences_of(found.oid) if isinstance(found, Table) else ()
    for relation in (found, *owned):
        moved_relations.follow(scope, relation, old, schema.name)
    policies.refuse_renaming(scope, found)
    rules.refuse_renaming(scope, found)
    before = scope.catalog
    moved = replace(found, schema_oid=schema.oid)
    scope.replace(found, moved)
    names = [found.name, *(sequence.name for sequence in owned)]
    if isinstance(moved, Table):
        for index in scope.catalog.indexes_of(moved.oid):
            scope.replace(index, replace(index, schema_oid=schema.oid))
            names.append(index.name)
        for sequence in scope.catalog.sequences_of(moved.oid):
            scope.replace(sequence, replace(sequence, schema_oid=schema.oid))
    _follow_rows(scope, found, before)
    depends.follow_constants(scope, before, names)
