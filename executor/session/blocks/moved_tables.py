"""Tables whose rows an ALTER has put elsewhere since a block's snapshot, that were emptied, or that are new.

    a  BEGIN, SELECT ... FROM other          snapshot at 100
    b  ALTER TABLE t ADD COLUMN c int        t's rows go to a shard of their own at 105
    a  SELECT ... FROM t                     there is nothing in it at 100: the snapshot moves to the present, or 40001

What the table had at 100 is in the shard that it had then, under a definition that nobody's plan knows any more. The same is said of
TRUNCATE and CREATE TABLE: who saw the table empty, and nothing else of what their transaction has written, would stand in no order with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from executor.session.blocks.block import Block
from planner.abc import Table
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.session import Session


def catch_up(session: Session, block: Block, tables: Iterable[Table]) -> bool:
    """Moves the snapshot to where these tables have their rows. Whether it had to. Raises SerializationFailure."""
    if block.as_of is not None:
        return False
    moved = False
    for table in tables:
        image = session.executor.store.find(table.shard)
        if image is None or block.read_ts >= image.moved_ts:
            continue
        txn = block.transaction()
        writes = block.tables.get(table.shard)
        if writes is None or not writes.has_rows:
            txn.forget_reads(table.shard)  # which found nothing, and are asked again
        if not txn.refresh(image.moved_ts):
            raise SerializationFailure(
                f'could not serialize access: table "{table.name}" was altered by a concurrent transaction'
            )
        moved = True
    return moved


__all__ = ["catch_up"]
