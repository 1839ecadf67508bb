"""Names and places of relations: RENAME TO and SET SCHEMA, with everything that names what is moved."""

from __future__ import annotations

import dataclasses

from planner.abc import PlanError, Table
from planner.catalog import Index, Relation, Sequence, quote_qualified
from planner.catalog.stored_queries import stored_queries
from planner.ddl import constraints
from planner.ddl.scope import Scope


def rename_relation(scope: Scope, found: Relation, new_name: str) -> None:
    schema = scope.catalog.schema_of(found.schema_oid)
    scope.refuse_duplicate(schema, new_name)
    if isinstance(found, Index) and found.unique:
        table = scope.catalog.table(found.table_oid)
        renamed = tuple(
            dataclasses.replace(c, name=new_name) if c.index_oid == found.oid else c
            for c in table.constraints
        )
        scope.replace(table, dataclasses.replace(table, constraints=renamed))
    _rename_in_views(scope, found, new_name)
    renamed_relation = dataclasses.replace(found, name=new_name)
    scope.replace(found, renamed_relation)
    if isinstance(renamed_relation, Sequence):
        point_default(scope, renamed_relation)


def _rename_in_views(scope: Scope, found: Relation, new_name: str) -> None:
    for view in list(stored_queries(scope.catalog)):
        if found.oid in view.depends:
            query = constraints.rename_in_expression(view.query, found.name, new_name)
            scope.replace(view.holder, view.reworded(query))


def move_relation(scope: Scope, found: Relation, schema_name: str) -> None:
    schema = scope.catalog.schema(schema_name)
    if schema.oid == found.schema_oid:
        return
    if scope.is_taken(schema, found.name):
        raise PlanError("42P07", f'relation "{found.name}" already exists in schema "{schema.name}"')
    for view in stored_queries(scope.catalog):
        if found.oid in view.depends:
            raise PlanError("0A000", "moving a relation that a view uses to another schema is not supported")
    moved = dataclasses.replace(found, schema_oid=schema.oid)
    scope.replace(found, moved)
    if isinstance(moved, Table):
        for index in scope.catalog.indexes_of(moved.oid):
            scope.replace(index, dataclasses.replace(index, schema_oid=schema.oid))
        for sequence in scope.catalog.sequences_of(moved.oid):
            there = dataclasses.replace(sequence, schema_oid=schema.oid)
            scope.replace(sequence, there)
            point_default(scope, there)


def point_default(scope: Scope, sequence: Sequence) -> None:
    """A serial column's default names its sequence: keep it right."""
    if not sequence.table_oid or sequence.identity:
        return
    table = scope.catalog.table(sequence.table_oid)
    shown = quote_qualified(scope.catalog.schema_of(sequence.schema_oid).name, sequence.name)
    default = "nextval('" + shown.replace("'", "''") + "'::regclass)"
    columns = tuple(
        dataclasses.replace(c, default=default) if c.sequence_oid == sequence.oid else c
        for c in table.columns
    )
    scope.replace(table, dataclasses.replace(table, columns=columns))
