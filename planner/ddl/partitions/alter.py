"""ALTER TABLE of partitioned tables: what goes down to the partitions, and what neither they nor a partition allow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Column, PlanError, Table
from planner.ddl.constraints import definitions as constraints
from planner.ddl.partitions import keys as partition_keys
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import serial_type
from planner.records import replace

_DOWN: Final = frozenset(
    (
        "add column", "drop column", "rename column", "set type", "set default", "drop default", "set not null",
        "drop not null", "drop expression", "validate constraint", "set statistics", "set storage",
    )
)  # fmt: skip
"""Actions that partitions follow; constraints and indexes follow by themselves (`partitions.parts`)."""
_INTEGERS: Final = {types.INT2: "int2", types.INT4: "int4", types.INT8: "int8"}
_WHOLE: Final = frozenset(("add column", "drop column", "rename column", "set type", "add constraint"))


def handed_down(
    scope: Scope, table: Table, actions: tuple[st.AlterAction, ...], *, only: bool
) -> Iterator[tuple[Table, tuple[st.AlterAction, ...]]]:
    """The partitions, each with what is to be done to it."""
    if table.partitioning is None or only:
        return
    above = scope.catalog.table(table.oid)
    for child in scope.catalog.partitions_of(table.oid):
        same = tuple(made for a in actions if (made := _below(above, child, a)) is not None)
        if same:
            yield child, same


def makes_sequences(scope: Scope, table: Table, actions: tuple[st.AlterAction, ...]) -> bool:
    """Whether partitions get columns that take their numbers from a sequence of the table above, which must be there first."""
    return table.partitioning is not None and any(
        a.column is not None and serial_type(a.column.type) for a in actions if a.what == "add column"
    )


def below_serial(above: Table, said: st.ColumnDef) -> st.ColumnDef:
    """A column of a table that has been added to the one above: of serial remains whose numbers it takes."""
    integer = serial_type(said.type)
    column = constraints.find_column(above, said.name)
    if not integer or column is None or column.default is None:
        return said
    return replace(
        said, type=st.TypeName((_INTEGERS[integer],)), default=st.Sql(column.default), not_null=True
    )


def _below(above: Table, child: Table, a: st.AlterAction) -> st.AlterAction | None:
    if a.what not in _DOWN:
        return None
    if a.what == "validate constraint":
        return a if any(c.name == a.name for c in child.constraints) else None
    if a.what == "add column":
        assert a.column is not None
        column = below_serial(above, a.column)
        return replace(a, column=replace(column, constraints=()))
    if a.what == "drop column":
        return replace(a, exists=True)
    return a


def refuse(
    scope: Scope, table: Table, actions: tuple[st.AlterAction, ...], *, only: bool, above: bool
) -> None:
    """Raises PlanError for what cannot be done to a partitioned table, or to a partition on its own."""
    for a in actions:
        if table.partition is not None and not above:
            _of_partition(scope, table, a)
        if table.partitioning is not None:
            _of_partitioned(scope, table, a, only)


def _of_partitioned(scope: Scope, table: Table, a: st.AlterAction, only: bool) -> None:
    key = table.partitioning
    assert key is not None
    column = constraints.find_column(table, a.name) if a.name else None
    by = column is not None and (column.attnum in key.columns or partition_keys.uses(table, column.name))
    if column is not None and by and a.what in ("drop column", "set type"):
        doing = "drop" if a.what == "drop column" else "alter"
        raise PlanError(
            "42P16",
            f'cannot {doing} column "{column.name}" because it is part of the partition key of relation "{table.name}"',
        )
    below = scope.catalog.partitions_of(table.oid)
    if only and below:
        _of_parent_alone(scope, table, below, a)
    if only and below and a.what in _WHOLE:
        if a.what == "add constraint" and a.constraint is not None and a.constraint.kind in "pu":
            return
        if a.what == "add constraint" and a.constraint is not None and a.constraint.kind == "f":
            raise PlanError(
                "42809",
                f'cannot use ONLY for foreign key on partitioned table "{table.name}" referencing relation '
                f'"{a.constraint.foreign}"',
            )
        if a.what == "add constraint":
            raise PlanError("42P16", "constraint must be added to child tables too")
        said = {
            "add column": "column must be added to child tables too",
            "drop column": "cannot drop column from only the partitioned table when partitions exist",
            "rename column": f'inherited column "{a.name}" must be renamed in child tables too',
            "set type": f'type of inherited column "{a.name}" must be changed in child tables too',
        }
        raise PlanError(
            "42P16", said[a.what], hint="Do not specify the ONLY keyword." if a.what == "drop column" else ""
        )
    if a.what == "add column" and below and a.column is not None and a.column.identity:
        raise PlanError("42P16", "cannot recursively add identity column to table that has child tables")
    if a.what == "set logged":
        raise PlanError("0A000", "ALTER TABLE ... SET LOGGED of a partitioned table is not supported")
    if a.what == "set options":
        raise PlanError(
            "42809",
            "cannot specify storage parameters for a partitioned table",
            hint="Specify storage parameters for its leaf partitions instead.",
        )


def _of_parent_alone(scope: Scope, table: Table, below: list[Table], a: st.AlterAction) -> None:
    """ONLY: what every row has to be like cannot be said of, or taken from, a table whose rows are its partitions'."""
    wanted: tuple[str, ...] = (a.name,) if a.what == "set not null" else ()
    if a.what == "add constraint" and a.constraint is not None and a.constraint.kind == "p":
        wanted = a.constraint.columns
    for name in wanted:
        for part in below:
            column = constraints.find_column(part, name)
            if column is not None and not column.not_null:
                raise PlanError(
                    "42P16", "constraint must be added to child tables too",
                    detail=f'Column "{name}" of relation "{part.name}" is not already NOT NULL.',
                    hint="Do not specify the ONLY keyword.",
                )  # fmt: skip
    checks = {c.name for c in table.constraints if c.kind == "c"}
    if a.what == "drop not null" or (a.what == "drop constraint" and a.name in checks):
        raise PlanError(
            "42P16", "cannot remove constraint from only the partitioned table when partitions exist",
            hint="Do not specify the ONLY keyword.",
        )  # fmt: skip


def _of_partition(scope: Scope, table: Table, a: st.AlterAction) -> None:
    if a.what == "add column":
        raise PlanError("42809", "cannot add column to a partition")
    if a.what in ("drop column", "rename column", "set type") and constraints.find_column(table, a.name):
        doing = {"drop column": "drop", "rename column": "rename", "set type": "alter"}[a.what]
        raise PlanError("42P16", f'cannot {doing} inherited column "{a.name}"')
    if a.what == "drop not null" and (above := _parents_column(scope, table, a.name)) and above.not_null:
        raise PlanError("42P16", f'column "{a.name}" is marked NOT NULL in parent table')
    if a.what in ("drop constraint", "rename constraint"):
        found = next((c for c in table.constraints if c.name == a.name and not c.index_only), None)
        if found is not None and found.parent and (a.what == "drop constraint" or found.kind == "c"):
            doing = a.what.partition(" ")[0]
            raise PlanError(
                "42P16",
                f'cannot {doing} inherited constraint "{a.name}"'
                + (f' of relation "{table.name}"' if doing == "drop" else ""),
            )


def _parents_column(scope: Scope, table: Table, name: str) -> Column | None:
    assert table.partition is not None
    return constraints.find_column(scope.catalog.table(table.partition.parent), name)


__all__ = ["below_serial", "handed_down", "makes_sequences", "refuse"]
