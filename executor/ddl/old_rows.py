"""Rows that a definition takes as it finds them: read as of its transaction, and true of what is there when it is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from executor.session import queries
from executor.session.blocks.block import Block
from planner import types as t
from planner.abc import KeyedRead, Query, RelationUse, Slot, Table

if TYPE_CHECKING:
    from executor.session.session import Session


async def under(session: Session, block: Block, old: Table, new: Table) -> Any:
    """The rows that the block sees of a table, under a new definition: columns by attribute number."""
    known = {c.attnum: c for c in old.columns}
    cells = []
    for c in new.columns:
        before = known.get(c.attnum)
        name = before.name.replace('"', '""') if before is not None else ""
        value = f'"{name}"' if before is not None else f"CAST(NULL AS {t.duckdb_type(c.type)})"
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


__all__ = ["keep", "under"]
