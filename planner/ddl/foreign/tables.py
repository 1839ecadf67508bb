"""Foreign tables: definitions with a server in the place of rows.

    CREATE FOREIGN TABLE t (a int OPTIONS (n 'x') NOT NULL, CHECK (a > 0)) SERVER s OPTIONS (k 'v')

One is a table in everything but that: columns, defaults, CHECKs, privileges, row triggers, its rows' type. It has no keys, no indexes
and no storage, and who reads or writes it is told that the server's wrapper has no handler (`planner.binding.rights.accesses`).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.ddl.foreign import servers as foreign
from planner.ddl.scope import Scope
from planner.ddl.tables import action_words, column_settings
from planner.inheritance import family
from planner.partitioning import descendants
from planner.relations import ForeignPlace

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration

_KEYS: Final = {"p": "primary key", "u": "unique", "x": "exclusion", "f": "foreign key"}
_TAKEN: Final = frozenset(
    (
        "add column", "drop column", "set default", "drop default", "set not null", "drop not null", "set type", "drop expression",
        "add constraint", "drop constraint", "validate constraint", "rename", "rename column", "rename constraint", "set schema",
        "owner", "add identity", "set identity", "drop identity", "switch triggers", "inherit", "no inherit", "ignore",
        "foreign options", "foreign column options", *column_settings.ACTIONS,
    )
)  # fmt: skip
OPTIONS: Final = frozenset(("foreign options", "foreign column options"))


def refuse_elements(said: st.CreateTable) -> None:
    """Raises 0A000 for what a foreign table cannot have, and for what it cannot have here."""
    for element in said.elements:
        if isinstance(element, st.LikeClause):
            raise PlanError(
                "0A000", "LIKE is not supported for creating foreign tables", position=element.table.position
            )
        for constraint in element.constraints if isinstance(element, st.ColumnDef) else (element,):
            refuse_key(constraint)


def refuse_partition(scope: Scope, parent: Table, attached: str = "") -> None:
    """Raises 42809 for a foreign table as a partition (`attached`: of that name, by ALTER) of a table with keys."""
    if any(i.unique for i in scope.catalog.indexes_of(parent.oid)):
        if attached:
            raise PlanError(
                "42809",
                f'cannot attach foreign table "{attached}" as partition of partitioned table "{parent.name}"',
                detail=f'Partitioned table "{parent.name}" contains unique indexes.',
            )
        raise PlanError(
            "42809",
            f'cannot create foreign partition of partitioned table "{parent.name}"',
            detail=f'Table "{parent.name}" contains indexes that are unique.',
        )
    if any(c.kind == "f" for c in parent.constraints):
        raise PlanError("42809", "foreign key constraints are not supported on foreign tables")


def refuse_key_above(scope: Scope, table: Table, said: st.ConstraintDef) -> None:
    """Raises 42809 for a key of a partitioned table, some of whose partitions are foreign."""
    for below in descendants(scope.catalog, table) if table.partitioning is not None else ():
        if below.foreign is None or below.partition is None:
            continue
        if said.kind == "f":
            raise PlanError("42809", "foreign key constraints are not supported on foreign tables")
        if said.kind in "pu":
            raise no_unique_index(scope.catalog.table(below.partition.parent).name)


def no_unique_index(name: str) -> PlanError:
    return PlanError(
        "42809",
        f'cannot create unique index on partitioned table "{name}"',
        detail=f'Table "{name}" contains partitions that are foreign tables.',
    )


def not_foreign(name: str) -> PlanError:
    """Of options of a column of another table."""
    return PlanError("42809", f'"{name}" is not a foreign table')


def refuse_key(said: st.ConstraintDef) -> None:
    """Raises 0A000."""
    if said.kind in _KEYS:
        raise PlanError(
            "0A000",
            f"{_KEYS[said.kind]} constraints are not supported on foreign tables",
            position=said.position,
        )


def placed(scope: Scope, table: Table, said: st.CreateTable) -> None:
    """The new table with its server, and the options of both. Raises 42704, 42501, 42710, 42601."""
    assert said.foreign is not None
    server = foreign.server(scope, said.foreign.server)
    rights.require(scope.catalog, scope.user, server, "usage")
    by = foreign.wrapper_of(scope, server)
    options = foreign.validated(by, foreign.changed_options((), said.foreign.options), ())
    named = {e.name: e.options for e in said.elements if isinstance(e, st.ColumnDef)}
    columns = tuple(
        dataclasses.replace(
            c, options=foreign.validated(by, foreign.changed_options((), named.get(c.name, ())), ())
        )
        for c in table.columns
    )
    made = dataclasses.replace(table, columns=columns, foreign=ForeignPlace(server.oid, options))
    scope.replace(table, made)
    scope.created[:] = [made if t.oid == made.oid else t for t in scope.created]


def refuse_actions(scope: Scope, table: Table, actions: tuple[st.AlterAction, ...], *, only: bool) -> None:
    """Raises 42809, 0A000 for what is not for foreign tables, or for these alone."""
    for a in actions:
        if a.what == "set type" and a.expression is not None:
            for heir in [table] if only else family(scope.catalog, table):
                if heir.foreign is not None:
                    raise PlanError("42809", f'"{heir.name}" is not a table')
        if table.foreign is None:
            said = a.column if a.what == "add column" else None
            if a.what in OPTIONS:
                raise action_words.refused(table, a)
            if said is not None and said.options:
                raise not_foreign(table.name)
            continue
        if a.what not in _TAKEN:
            raise action_words.refused(table, a)
        if a.constraint is not None and a.what == "add constraint":
            refuse_key(a.constraint)
        for constraint in a.column.constraints if a.column is not None else ():
            refuse_key(constraint)


def set_options(on: Alteration, a: st.AlterAction) -> None:
    """ALTER FOREIGN TABLE ... OPTIONS. Raises 42710, 42704, 42601."""
    place = on.table.foreign
    assert place is not None
    options = foreign.validated(_wrapper(on), foreign.changed_options(place.options, a.foreign), ())
    on.table = dataclasses.replace(on.table, foreign=dataclasses.replace(place, options=options))


def set_column_options(on: Alteration, a: st.AlterAction) -> None:
    """ALTER COLUMN ... OPTIONS. Raises 42703, 42710, 42704, 42601."""
    column = on.column(a.name)
    options = foreign.validated(_wrapper(on), foreign.changed_options(column.options, a.foreign), ())
    on.put(column, dataclasses.replace(column, options=options))


def _wrapper(on: Alteration) -> ForeignDataWrapper:
    assert on.table.foreign is not None
    server = on.scope.catalog.get(on.table.foreign.server)
    assert isinstance(server, ForeignServer)
    return foreign.wrapper_of(on.scope, server)


__all__ = [
    "OPTIONS", "no_unique_index", "not_foreign", "placed", "refuse_actions", "refuse_elements", "refuse_key", "refuse_key_above", "refuse_partition", "set_column_options", "set_options",
]  # fmt: skip
