"""ALTER TYPE ... ATTRIBUTE: a composite type's fields.

Values are kept as texts without the names of their fields, so a rename is the catalog's affair alone. Anything else
would mean to write every value anew; it is refused while a column is of the type.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, PlanError, Table
from planner.catalog import CompositeType, domains
from planner.ddl.scope import Scope
from planner.ddl.typenames import resolve_type

ACTIONS: Final = ("add column", "drop column", "rename column", "set type")


def alter_attribute(scope: Scope, found: CompositeType, action: st.AlterAction) -> None:
    names = [c.name for c in found.columns]
    name = action.column.name if action.column is not None else action.name
    if action.what == "add column":
        if name in names:
            raise PlanError("42701", f'column "{name}" of relation "{found.name}" already exists')
    elif name not in names:
        message = f'column "{name}" of relation "{found.name}" does not exist'
        if action.what == "rename column":
            raise PlanError("42703", f'column "{name}" does not exist')
        if not action.exists:
            raise PlanError("42703", message)
        scope.notice(message + ", skipping")
        return
    if action.what == "rename column":
        if action.new_name in names:
            raise PlanError("42701", f'column "{action.new_name}" of relation "{found.name}" already exists')
        columns = tuple(
            dataclasses.replace(c, name=action.new_name) if c.name == name else c for c in found.columns
        )
    else:
        _refuse_used(scope, found)
        columns = _changed(scope, found, action, name)
    scope.replace(found, dataclasses.replace(found, columns=columns))


def _changed(scope: Scope, found: CompositeType, action: st.AlterAction, name: str) -> tuple[Column, ...]:
    if action.what == "drop column":
        return tuple(c for c in found.columns if c.name != name)
    said = action.column.type if action.column is not None else action.type
    assert said is not None
    ref, domain = domains.underneath(scope.catalog, resolve_type(said, scope.catalog, scope.search_path))
    if action.what == "add column":
        attnum = max((c.attnum for c in found.columns), default=0) + 1
        return (*found.columns, Column(name, ref, attnum, domain=domain))
    return tuple(
        dataclasses.replace(c, type=ref, domain=domain) if c.name == name else c for c in found.columns
    )


def _refuse_used(scope: Scope, found: CompositeType) -> None:
    """Raises 0A000 where a column, or a type that a column may be of, is made of the type."""
    of_it = (found.oid, found.array_oid)
    things: list[Table | CompositeType] = [
        *scope.catalog.objects(Table),
        *scope.catalog.objects(CompositeType),
    ]
    for thing in things:
        for column in thing.columns:
            if column.type.oid in of_it:
                shown = types.format_type(column.type).removesuffix("[]")
                raise PlanError(
                    "0A000",
                    f'cannot alter type "{shown}" because column "{thing.name}.{column.name}" uses it',
                )
