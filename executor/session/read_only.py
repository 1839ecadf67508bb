"""What a READ ONLY transaction may write all the same: temporary tables and sequences, which nobody else sees.

PostgreSQL refuses by statement what is DDL and by table what is not (`ExecCheckXactReadOnly`). A server that is read-only
itself, and a transaction that reads the past, have nowhere to write to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from planner.abc import LockingQuery, Query, Table, WithWrites
from planner.catalog import Catalog
from planner.catalog import Sequence as SequenceObject
from planner.catalog.system.classes import persistence

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def is_temporary(catalog: Catalog, relation: Table | SequenceObject) -> bool:
    return persistence(catalog, relation.schema_oid, relation.temporary) == "t"


def may_write(session: Session, block: Block, *tables: Table) -> bool:
    """Whether the block may change these tables, or lock their rows."""
    if not block.read_only:
        return True
    return block.as_of is None and all(is_temporary(session.catalog, table) for table in tables)


def refuse(session: Session, block: Block, body: Any, what: str) -> None:
    """Raises 25006 for a statement that writes, or locks rows, where it may not."""
    nowhere = session.executor.read_only and not isinstance(body, LockingQuery)
    if nowhere or (block.read_only and not may_write(session, block, *_written(body))):
        raise ExecutionError("25006", f"cannot execute {what} in a read-only transaction")


def _written(body: Any) -> Iterator[Table]:
    if isinstance(body, WithWrites):
        for part in body.writes:
            yield from _written(part.body)
        yield from _written(body.body)
    elif isinstance(body, LockingQuery):
        yield from (lock.table for lock in body.locks)
    elif not isinstance(body, Query):
        yield body.table


__all__ = ["is_temporary", "may_write", "refuse"]
