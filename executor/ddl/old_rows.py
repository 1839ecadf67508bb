"""Rows that a definition takes as it finds them: read as of its transaction, and true of what is there when it is committed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from executor.session import queries
from executor.session.blocks.block import Block
from executor.snapshot.physical import missing_sql
from planner import types as t
from planner.abc import KeyedRead, Query, RelationUse, Slot, Table
from planner.ddl.plan import DataCheck
from txn.read_set import ReadSet

if TYPE_CHECKING:
    from executor.session.session import Session


async def under(session: Session, block: Block, old: Table, new: Table) -> Any:
    """The rows that the block sees of a table, under a new definition: columns by attribute number."""
    known = {c.attnum: c for c in old.columns}
    cells = []
    for c in new.columns:
        before = known.get(c.attnum)
        name = before.name.replace('"', '""') if before is not None else ""
        value = f'"{name}"' if before is not None else missing_sql(c)
        cells.append(f"{t.select_sql(value, c.type)} AS c{c.attnum}")
    use = RelationUse("old", old)
    query = Query((f"SELECT {', '.join(cells)} FROM ", Slot("old"), " o"), (use,))
    keep(block, query)
    return await queries.arrow(session, block, query, (), [c.type for c in new.columns])


def keep(block: Block, body: Any) -> None:
    """What a definition has made of rows must be true of those that are there when it is committed: nobody else may have
    written to these tables since. At the block's level reads may count for nothing, so they are asked about as tables
    that are locked are (`executor.session.locks.table_locks`): 40001 at COMMIT."""
    txn = block.transaction()
    tables = (
        [x.table for x in body.relations if isinstance(x, RelationUse)] if isinstance(body, Query) else []
    )
    if isinstance(body, KeyedRead):
        tables = [body.table]
    for table in tables:
        txn.locked.setdefault(table.shard, txn.read_ts)


def is_heeded(block: Block, check: DataCheck) -> bool:
    """Whether nobody can have broken the rule since the block's snapshot, nor will until the block is over: all who write heed it, and
    have done so since before the snapshot. A rule of the block's own is heeded by itself alone."""
    if not check.heeded or check.table is None:
        return False
    committed = block.executor.catalogs.newest.get(check.table.oid)
    if not isinstance(committed, Table) or all(c.oid != check.heeded for c in committed.constraints):
        return False
    return block.transaction().refresh()  # to a time at which the rule was there


@contextlib.contextmanager
def unread(block: Block) -> Iterator[None]:
    """What is read inside counts as read by nobody, and keeps no writer from committing."""
    txn = block.transaction()
    reads, locked = txn.reads, txn.locked
    txn.reads, txn.locked = ReadSet(), dict(locked)
    try:
        yield
    finally:
        txn.reads, txn.locked = reads, locked


__all__ = ["is_heeded", "keep", "under", "unread"]
