"""ALTER TABLE's actions on identity columns: GENERATED ... AS IDENTITY added, changed, dropped."""

from __future__ import annotations

from planner import statements as st
from planner import types
from planner.abc import Column, PlanError
from planner.catalog import Sequence
from planner.ddl import sequences
from planner.ddl.tables.alteration import Alteration
from planner.records import replace


def add_identity(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    column = on.column(a.name)
    if column.type.oid not in (types.INT2, types.INT4, types.INT8):
        raise PlanError("22023", "identity column type must be smallint, integer, or bigint")
    if not column.not_null:
        raise PlanError(
            "55000",
            f'column "{column.name}" of relation "{table.name}" must be declared NOT NULL before identity can be added',
        )
    if column.identity:
        raise PlanError(
            "55000", f'column "{column.name}" of relation "{table.name}" is already an identity column'
        )
    if column.default is not None:
        raise PlanError(
            "55000", f'column "{column.name}" of relation "{table.name}" already has a default value'
        )
    schema = scope.catalog.schema_of(table.schema_oid)
    made = sequences.owned(
        scope,
        schema,
        table.name,
        column.name,
        column.type,
        a.sequence,
        column.attnum,
        True,
        table.temporary,
    )
    scope.replace(made, replace(made, table_oid=table.oid, unlogged=table.unlogged))
    on.put(column, replace(column, identity=a.identity, sequence_oid=made.oid))


def _identity(on: Alteration, name: str) -> tuple[Column, Sequence]:
    column = on.column(name)
    sequence = on.scope.catalog.get(column.sequence_oid) if column.identity else None
    if not isinstance(sequence, Sequence):
        raise PlanError("55000", f'column "{name}" of relation "{on.table.name}" is not an identity column')
    return column, sequence


def set_identity(on: Alteration, a: st.AlterAction) -> None:
    column, sequence = _identity(on, a.name)
    if a.identity:
        on.put(column, replace(column, identity=a.identity))
    if a.sequence is not None:
        changed = sequences.apply_options(sequence, a.sequence, on.scope, new=False)
        on.scope.replace(sequence, changed)


def drop_identity(on: Alteration, a: st.AlterAction) -> None:
    if a.exists and not on.column(a.name).identity:
        on.scope.notice(
            f'column "{a.name}" of relation "{on.table.name}" is not an identity column, skipping'
        )
        return
    column, sequence = _identity(on, a.name)
    on.put(column, replace(column, identity="", sequence_oid=0))
    on.scope.remove(sequence)
