"""Which indexes ADD UNIQUE | PRIMARY KEY USING INDEX may take: what the constraint's own would be.

    CREATE UNIQUE INDEX i ON t (a DESC)      ALTER TABLE t ADD UNIQUE USING INDEX i      42809: not in the default order

A dump says of a constraint which columns it has, and no more; an index that is otherwise would come back as another one.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import Index, IndexKey
from planner.catalog.system.operator_choice import opclass_for

_DETAIL = "Cannot create a primary key or unique constraint using such an index."


def refuse_unlike(table: Table, index: Index, said: st.ConstraintDef) -> None:
    """Raises 55000 where a constraint has the index, 42809 where it is of another kind than a constraint's."""
    if index.constraint_oid:
        raise PlanError(
            "55000", f'index "{index.name}" is already associated with a constraint', position=said.position
        )
    fault = ""
    if not index.unique:
        fault = f'"{index.name}" is not a unique index'
    elif any(not k.attnum for k in index.keys):
        fault = f'index "{index.name}" contains expressions'
    elif index.predicate:
        fault = f'"{index.name}" is a partial index'
    else:
        place = next((i for i, k in enumerate(index.keys, 1) if not _by_default(table, k)), 0)
        if place:
            fault = f'index "{index.name}" column number {place} does not have default sorting behavior'
    if fault:
        raise PlanError("42809", fault, detail=_DETAIL, position=said.position)


def _by_default(table: Table, key: IndexKey) -> bool:
    column = table.columns[table.index_of(key.attnum)]
    if key.descending or key.nulls_first or (key.collation and key.collation != column.collation):
        return False
    kind = column.type.oid
    return not key.opclass or opclass_for("btree", key.opclass, kind) == opclass_for("btree", "", kind)


__all__ = ["refuse_unlike"]
