"""ALTER TABLE ... REPLICA IDENTITY: what subscribers would be told of rows that are changed or deleted.

Nobody here is told anything, so it is kept for who asks (pg_class.relreplident, pg_index.indisreplident) and for dumps. An index
that is named must be able to tell rows apart, in PostgreSQL's words.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import Catalog, Index

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration


def set_identity(on: Alteration, a: st.AlterAction) -> None:
    """Raises 42704 and 42809 for an index that is not there, or does not tell rows apart."""
    oid = 0
    if a.which == "index":
        oid = _index(on.scope.catalog, on.table, a.name).oid
    on.table = dataclasses.replace(on.table, replica_identity=a.which[0], replica_index=oid)


def _index(catalog: Catalog, table: Table, name: str) -> Index:
    found = catalog.relation_in(table.schema_oid, name)
    if found is None:
        raise PlanError("42704", f'index "{name}" for table "{table.name}" does not exist')
    if not isinstance(found, Index):
        raise PlanError("42809", f'"{name}" is not an index')
    if found.table_oid != table.oid:
        raise PlanError("42809", f'"{name}" is not an index for table "{table.name}"')
    late = any(c.index_oid == found.oid and c.deferrable for c in table.constraints)
    for bad, kind in (
        (not found.unique, "non-unique"),
        (late, "non-immediate"),
        (any(not k.attnum for k in found.keys), "expression"),
        (bool(found.predicate), "partial"),
    ):
        if bad:
            sqlstate = "42809" if kind == "non-unique" else "0A000"
            raise PlanError(sqlstate, f'cannot use {kind} index "{name}" as replica identity')
    for key in found.keys:
        column = table.columns[table.index_of(key.attnum)]
        if not column.not_null:
            raise PlanError(
                "42809",
                f'index "{name}" cannot be used as replica identity because column "{column.name}" is nullable',
            )
    return found


__all__ = ["set_identity"]
