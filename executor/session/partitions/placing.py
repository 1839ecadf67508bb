"""One row's leaf, and what is said of a row that no partition takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.constraints.rules import describe_key
from planner.abc import Table, Told
from planner.catalog.system.bounds import shown_keys
from planner.partitioning import Router
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


def leaf_of(session: Session, way: Router, row: Any, *, told: bool = True) -> Table:
    """The leaf of a row, a value by place. Raises 23514; `told`: whether it may say of which key."""
    found = way.leaf(row)
    if isinstance(found, Router):
        raise unplaced(session, found, [row[i] for i in found.places] if told else ())
    return found


def unplaced(session: Session, way: Router, values: Sequence[Datum]) -> ExecutionError:
    """23514 of a row that no partition takes. That none does is read of the table: behind a savepoint the transaction goes on."""
    if session.block is not None:
        session.block.use(way.table)
    error = ExecutionError(
        "23514",
        f'no partition of relation "{way.table.name}" found for row',
        detail=f"Partition key of the failing row contains {describe_key(shown_keys(session.catalog, way.table, pretty=True), way.columns, values)}."
        if values
        else "",
        table=way.table.name,
        about_oid=way.table.oid,
    )
    if values:  # a key is told whole, or not at all
        error.told = Told(way.table.oid, tuple(c.attnum for c in way.columns), lambda readable: "")
    return error


__all__ = ["leaf_of", "unplaced"]
