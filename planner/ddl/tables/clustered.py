"""ALTER TABLE ... CLUSTER ON, SET WITHOUT CLUSTER: which index CLUSTER would put the rows in the order of.

Rows have no order here, so the mark is kept for who asks (pg_index.indisclustered) and for dumps, and an index that cannot
have it is refused in PostgreSQL's words.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import Catalog, Index
from planner.ddl.scope import Scope

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration

_IN_ORDER: Final = ("btree", "gist")
"""Access methods whose indexes rows can be put in the order of."""


def mark(on: Alteration, a: st.AlterAction) -> None:
    """Raises 42704 and 42809 for no index of the table, 0A000 for one without an order of all rows."""
    if on.table.partitioning is not None:
        raise PlanError("0A000", "cannot mark index clustered in partitioned table")
    chosen = _index(on.scope.catalog, on.table, a.name) if a.what == "cluster on" else None
    _choose(on.scope, on.table, chosen)


def _choose(scope: Scope, table: Table, chosen: Index | None) -> None:
    for index in scope.catalog.indexes_of(table.oid):
        wanted = chosen is not None and index.oid == chosen.oid
        if index.clustered != wanted:
            scope.replace(index, dataclasses.replace(index, clustered=wanted))


def _index(catalog: Catalog, table: Table, name: str) -> Index:
    found = catalog.relation_in(table.schema_oid, name)
    if found is None:
        raise PlanError("42704", f'index "{name}" for table "{table.name}" does not exist')
    if not isinstance(found, Index) or found.table_oid != table.oid:
        raise PlanError("42809", f'"{name}" is not an index for table "{table.name}"')
    if found.method not in _IN_ORDER:
        reason = "because access method does not support clustering"
        raise PlanError("0A000", f'cannot cluster on index "{name}" {reason}')
    if found.predicate:
        raise PlanError("0A000", f'cannot cluster on partial index "{name}"')
    return found


__all__ = ["mark"]
