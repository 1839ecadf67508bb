"""CREATE and ALTER SCHEMA.

What CREATE SCHEMA names after the schema is made with it, in the same statement: sequences before the tables whose
defaults take from them, views after tables, rights at last, whatever their order in the text.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.catalog import Extension, Schema
from planner.ddl import extensions, rules
from planner.ddl.constraints import definitions as constraints
from planner.ddl.dependencies import depends, renamed_schemas
from planner.ddl.rights import policies
from planner.ddl.scope import Scope
from planner.ddl.types.named_types import follow

_ORDER: Final = (
    st.CreateSequence,
    st.CreateTable,
    st.CreateView,
    st.CreateIndex,
    st.CreateTrigger,
    st.Grant,
)


def create_schema(scope: Scope, said: st.CreateSchema) -> None:
    name = scope.user if said.name == "current_user" else said.name
    owner = constraints.require_role(scope, said.owner) if said.owner else scope.user
    if scope.catalog.find_schema(name) is not None:
        if said.if_not_exists:
            scope.notice(f'schema "{name}" already exists, skipping', "42P06")
            return
        raise PlanError("42P06", f'schema "{name}" already exists')
    _refuse_reserved(name)
    scope.add(Schema(scope.allocate(), name, owner, scope.catalog.database_oid))


def placed(scope: Scope, said: st.CreateSchema) -> list[Any]:
    """The elements in the order in which they are made; from here on the scope makes them in the schema, for its owner.

    Raises 42P15.
    """
    schema = scope.catalog.schema(scope.user if said.name == "current_user" else said.name)
    scope.enter(schema.name, schema.owner)
    elements: list[Any] = []
    for element in said.elements:
        name: st.Name | None = getattr(
            element, "table" if isinstance(element, st.CreateIndex | st.CreateTrigger) else "name", None
        )
        if name is not None and name.schema not in ("", schema.name):
            raise PlanError(
                "42P15",
                f"CREATE specifies a schema ({name.schema}) different from the one being created ({schema.name})",
            )
        if name is not None and getattr(element, "temporary", False):  # it is refused where it is to be made
            element = dataclasses.replace(element, name=dataclasses.replace(name, schema=schema.name))
        if isinstance(element, st.CreateTrigger):  # it may also be of a table that is made with the schema
            element = dataclasses.replace(
                element, table=dataclasses.replace(element.table, schema=schema.name)
            )
        elements.append(element)
    return sorted(elements, key=lambda element: _ORDER.index(type(element)))


def _refuse_reserved(name: str) -> None:
    if name.startswith("pg_"):
        raise PlanError(
            "42939",
            f'unacceptable schema name "{name}"',
            detail='The prefix "pg_" is reserved for system schemas.',
        )


def alter_schema(scope: Scope, said: st.AlterSchema) -> None:
    schema = scope.catalog.schema(said.name)
    if said.owner:
        owner = constraints.require_role(scope, said.owner)
        scope.replace(schema, dataclasses.replace(schema, owner=owner))
        return
    if scope.catalog.find_schema(said.new_name) is not None:
        raise PlanError("42P06", f'schema "{said.new_name}" already exists')
    _refuse_reserved(said.new_name)
    if not schema.database_oid:  # all databases have the one
        raise PlanError("0A000", f"renaming of schema {schema.name} is not supported")
    before = scope.catalog
    scope.replace(schema, dataclasses.replace(schema, name=said.new_name))
    for extension in list(scope.catalog.objects(Extension)):
        if extension.schema_oid == schema.oid:
            extensions.follow_members(scope, extension.name, schema.name, said.new_name)
    depends.follow_constants(scope, before, (said.name,))
    follow(scope, before)
    renamed_schemas.follow(scope, said.name, said.new_name)
    policies.follow_schema(scope, said.name, said.new_name)
    rules.follow_schema(scope, said.name, said.new_name)
