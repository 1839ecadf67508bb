"""What a statement saw when it began, while it goes on writing: for the functions in it that are not volatile.

    INSERT INTO t VALUES (1) RETURNING latest(), count_of_t()     STABLE: without the row; VOLATILE: with it
    SELECT add_to_t(), count_of_t()

PostgreSQL gives a STABLE function the snapshot of the statement that calls it, and a VOLATILE one a snapshot of its own
(its manual, "Function Volatility Categories"). Here a statement's own writes lie in the block, where every later read finds them. So
before a statement that may do both, the block's writes so far are copied (`Earlier`), and while one of its functions that is not
volatile runs, the copy stands in their place. Such a function writes nothing itself; a volatile one that it calls gets the present back.

What is copied is what the block has written before, and only where the planner says that it matters (`looks_back`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from executor.keyed.table_writes import TableWrites
from planner.abc import Plan
from storage.abc import ShardId
from txn.write_buffer import ShardBuffer

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


class _Past(dict[ShardId, TableWrites]):
    """What stands for `Block.tables` meanwhile. Of a table that is used only now all writes came later."""

    def __setitem__(self, shard: ShardId, writes: TableWrites) -> None:
        writes.buffer = ShardBuffer()
        super().__setitem__(shard, writes)


class Earlier:
    """A block's writes as they were when a statement began."""

    __slots__ = ("block", "is_shown", "tables")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.tables: dict[ShardId, TableWrites] = _Past(
            {shard: writes.as_it_is() for shard, writes in block.tables.items() if writes.has_rows}
        )
        self.is_shown = False

    def exchange(self) -> None:
        """The past takes the present's place, or gives it back."""
        self.block.tables, self.tables = self.tables, self.block.tables
        self.is_shown = not self.is_shown


@contextmanager
def around_statement(session: Session, plan: Plan) -> Iterator[None]:
    """Around a statement that calls routines. What it is a part of, if anything, has noted when it began already."""
    block = session.block
    if session.earlier is not None or block is None or "looks_back" not in plan.extra:
        yield
        return
    session.earlier = Earlier(block)
    try:
        yield
    finally:
        session.earlier = None


@contextmanager
def around_routine(session: Session, is_volatile: bool) -> Iterator[None]:
    """Around a routine that runs in the course of such a statement: it looks at the past, or at the present."""
    earlier = session.earlier
    assert earlier is not None
    exchanges = earlier.is_shown == is_volatile
    if exchanges:
        earlier.exchange()
    if is_volatile:
        session.earlier = None  # each of its statements has a beginning of its own
    try:
        yield
    finally:
        session.earlier = earlier
        if exchanges:
            earlier.exchange()


__all__ = ["Earlier", "around_routine", "around_statement"]
