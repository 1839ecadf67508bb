"""Typed tables: CREATE TABLE ... OF type, and what ties a table to the composite type that it is of.

    CREATE TYPE person AS (id int, name text)
    CREATE TABLE persons OF person (id WITH OPTIONS PRIMARY KEY)     the columns are the type's; what is said of them here is added

The table has the columns as its own (`Table.of_type` says where they are from), so whoever reads or writes it never hears of the type. Only
what would tell the two apart is refused: ADD, DROP, RENAME COLUMN and TYPE are for ALTER TYPE ... CASCADE to say, which does to
the tables of the type what it does to the type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from planner import statements as st
from planner.abc import Column, PlanError, Table
from planner.catalog import CompositeType, rights
from planner.catalog.row_types import relation_of
from planner.catalog.system.definitions import type_name
from planner.ddl.rights import permits
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type
from planner.records import replace

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration

_REFUSED: Final = {
    "add column": "cannot add column to typed table",
    "drop column": "cannot drop column from typed table",
    "rename column": "cannot rename column of typed table",
    "set type": "cannot alter column type of typed table",
    "inherit": "cannot change inheritance of typed table",
}


def type_of(scope: Scope, name: st.Name) -> CompositeType:
    """The type that tables are made of. Raises 42704, 42809 (also for the row types of tables), 42501."""
    words = (name.schema, name.name) if name.schema else (name.name,)
    ref = resolve_type(st.TypeName(words), scope.catalog, scope.search_path)
    found = scope.catalog.get(ref.oid)
    if not isinstance(found, CompositeType) or relation_of(found.oid):
        shown = type_name(scope.catalog, ref, scope.search_path)
        raise PlanError("42809", f"type {shown} is not a composite type")
    rights.require(scope.catalog, scope.user, found, "usage")
    return found


def columns_of(made: CompositeType) -> Iterator[Column]:
    """A new table's columns."""
    for i, c in enumerate(made.columns, 1):
        yield Column(c.name, c.type, i, domain=c.domain, collation=c.collation)


def refuse_options(made: CompositeType, said: list[st.ColumnDef]) -> None:
    """Raises 0A000, 42701, 42703 for what cannot be said of a type's columns."""
    for element in said:
        for present, what in ((element.identity, "identity"), (element.generated is not None, "generated")):
            if present:
                raise PlanError("0A000", f"{what} columns are not supported on typed tables")
    names = [e.name for e in said]
    for column in made.columns:
        if names.count(column.name) > 1:
            raise PlanError("42701", f'column "{column.name}" specified more than once')
    for name in names:
        if all(c.name != name for c in made.columns):
            raise PlanError("42703", f'column "{name}" does not exist')


def refuse(table: Table, actions: tuple[st.AlterAction, ...]) -> None:
    """Raises 42809 for what only the table's type may say."""
    for a in actions if table.of_type else ():
        if a.what in _REFUSED:
            raise PlanError("42809", _REFUSED[a.what])


def tables_of(scope: Scope, made: CompositeType) -> list[Table]:
    return [t for t in scope.catalog.tables_using(made.oid) if t.of_type == made.oid]


def refuse_followers(scope: Scope, made: CompositeType, action: st.AlterAction) -> None:
    """Raises 2BP01 where tables would have to follow their type, and CASCADE is not said."""
    if not action.cascade and tables_of(scope, made):
        raise PlanError(
            "2BP01",
            f'cannot alter type "{made.name}" because it is the type of a typed table',
            hint="Use ALTER ... CASCADE to alter the typed tables too.",
        )


def follow(scope: Scope, made: CompositeType, actions: tuple[st.AlterAction, ...]) -> None:
    """The tables of a type follow it through all that is done to it: their rows are written anew once."""
    from planner.ddl.tables import alter

    for table in tables_of(scope, made):
        permits.must_own(scope, table)
        alter.alter_table(scope, scope.catalog.table(table.oid), actions, by_type=True)


def become(on: Alteration, a: st.AlterAction) -> None:
    """ALTER TABLE ... OF type. Raises 42704, 42809, 42804."""
    assert a.relation is not None
    scope, table = on.scope, on.table
    made = type_of(scope, a.relation)
    if any(table.parents):
        raise PlanError("42809", "typed tables cannot inherit")
    mine = list(table.visible)
    for i, theirs in enumerate(made.columns):
        if i >= len(mine):
            raise PlanError("42804", f'table is missing column "{theirs.name}"')
        if mine[i].name != theirs.name:
            raise PlanError("42804", f'table has column "{mine[i].name}" where type requires "{theirs.name}"')
        if (mine[i].declared, mine[i].type.typmod) != (theirs.declared, theirs.type.typmod):
            raise PlanError("42804", f'table "{table.name}" has different type for column "{theirs.name}"')
    if len(mine) > len(made.columns):
        raise PlanError("42804", f'table has extra column "{mine[len(made.columns)].name}"')
    on.table = replace(table, of_type=made.oid)


def leave(on: Alteration, a: st.AlterAction) -> None:
    """ALTER TABLE ... NOT OF. Raises 42809."""
    if not on.table.of_type:
        raise PlanError("42809", f'"{on.table.name}" is not a typed table')
    on.table = replace(on.table, of_type=0)


__all__ = [
    "become",
    "columns_of",
    "follow",
    "leave",
    "refuse",
    "refuse_followers",
    "refuse_options",
    "tables_of",
    "type_of",
]
