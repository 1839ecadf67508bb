"""Statements of several parts in a block, where they are look-ups that nobody is in the way of (`executor.keyed.parts`).

    locks      taken one by one, as `executor.session.locks.found_rows` takes them; a row that is newer than the snapshot is for the wide door
    reads      what keys and indexes were asked for; of what SKIP LOCKED looked at, only what it got
    writes     buffered when all parts have been asked

Nothing is noted or written before it is sure that the statement is answered here, be it with an error; what it has locked by then, the wide door would lock
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.keyed.join import JoinPlan
from executor.keyed.parts import NotAtOnce, PartsPlan, WritePart
from executor.session import current, new_keys, relations
from executor.session.blocks.block import Block
from executor.session.commands import NeedsLease
from executor.session.waits import Unsettled, WouldBlock
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import Plan, Query, RelationUse, SqlError, Table
from storage.abc import Datum, Row, ShardId
from txn.abc import Key, LockNotAvailable
from txn.columns import Columns
from txn.lease import LeaseLapsed
from txn.locks import LockMode
from txn.read_set import ReadSet

if TYPE_CHECKING:
    from executor.session.session import Session


def in_block(
    session: Session, block: Block, parts: PartsPlan, plan: Plan, params: Sequence[Datum], most: int = 0
) -> Rows | None:
    """The answer; None: the wide door has it. Raises what the statement raises. `most`: so many rows may be locked; 0: all."""
    if not _goes_now(session, block, parts):
        return None
    reads = ReadSet()
    try:
        txn = block.statement()
        if txn.unsettled is not None and not txn.is_settled:
            return None
        ground = _Snapshot(session, block) if not most else _Little(session, block, most)
        with txn.reads_aside() as reads:
            outcome = parts.run(params, session, ground)
        for written in outcome.written:
            part = written.part
            for change in written.changes:
                if change[2] is not None and not ground.take(part.table, change[0], part.mode, "wait"):
                    return None
            if part.insert is not None or part.keys_change:
                view = ground.view(part.table, 0)
                if not new_keys.hold(session, txn, view.writes, written.changes, view.put_off):
                    return None
    except (NotAtOnce, NoKeyedAnswer, NeedsLease, LeaseLapsed, WouldBlock, Unsettled):
        return None
    except SqlError as refused:
        if isinstance(refused, ExecutionError) and refused.taken is not None:
            return None  # the row that has the key may be about to go
        _keep(block, parts, reads)
        raise
    _keep(block, parts, reads)
    for space, key in outcome.locked:
        txn.reads.point(space, key)
    next_rid = session.executor.env.rids.next
    for written in outcome.written:
        block.writes(written.part.table).apply(written.changes, next_rid, written.part.written)
    return Rows(f"{parts.tag}{outcome.count}", plan.columns, outcome.rows)


def _keep(block: Block, parts: PartsPlan, reads: ReadSet) -> None:
    """What the statement has read. An error tells of it as well, and behind a savepoint the transaction goes on and may commit."""
    block.transaction().reads.merge(reads)
    for query in parts.queries:
        for use in query.relations:
            assert isinstance(use, RelationUse)
            block.use(use.table)
        for above in query.dealing:
            block.use(above)
    for table in parts.tables:
        block.use(table)


def _goes_now(session: Session, block: Block, parts: PartsPlan) -> bool:
    """Whether the block is such that the statement may be tried."""
    if block.failed or block.as_of is not None or block.gathered is not None or block.read_only:
        return False
    if block.catalog is not None or session.executor.read_only:
        return False
    for table in parts.tables:
        shard = table.shard
        if shard in block.created or shard in block.altered or shard in block.dropped:
            return False
        writes = block.tables.get(shard)
        if (writes is not None and writes.in_bulk) or session.executor.env.locks.has_sets(shard):
            return False
    if any(isinstance(part, WritePart) and part.refers for _, part in parts.parts):
        return False  # what a foreign key refers to may have to be looked for
    if session.executor.frontier is None:
        return True
    return not block.tables and (
        not current.takes_snapshot(session, block) or session.executor.frontier.is_valid
    )


class _Snapshot:
    """What the block sees (`executor.keyed.parts.Ground`)."""

    __slots__ = ("_block", "_session", "_views", "ts")

    def __init__(self, session: Session, block: Block) -> None:
        self._session, self._block, self.ts = session, block, block.read_ts
        self._views: dict[tuple[ShardId, Columns], Any] = {}

    def view(self, table: Table, noted: Columns) -> Any:
        view = self._views.get((table.shard, noted))
        if view is None:
            view = self._views[table.shard, noted] = self._block.view(table, noted)
        return view

    def image(self, table: Table) -> Any:
        return self._session.executor.store.image(table.shard)

    def noted(
        self, join: JoinPlan, query: Query, params: Sequence[Any], columns: Sequence[Columns]
    ) -> Sequence[Columns]:
        return relations.record_whole(self._session, self._block, join, query, params, columns)

    def take(self, table: Table, key: Key, mode: LockMode, wait: str) -> bool:
        env, txn, shard = self._session.executor.env, self._block.transaction(), table.shard
        if wait == "look":
            return env.locks.would_grant(txn, shard, key, mode)
        if not env.locks.try_acquire(txn, shard, key, mode):
            if wait == "nowait":
                raise LockNotAvailable(f'could not obtain lock on row in relation "{table.name}"')
            if wait == "skip":
                return False
            raise NotAtOnce
        if env.conflicts.point(shard, key, self.ts):
            raise NotAtOnce  # newer than the snapshot, which may have to move
        return True

    def draw(self, draws: Any, params: Sequence[Any], session: Any, rows: Sequence[Row]) -> Sequence[Row]:
        return draws.at_once(session, params, rows)  # type: ignore[no-any-return]


class _Little(_Snapshot):
    """The same for a statement that locks few rows, or else the wide door has it."""

    __slots__ = ("_left",)

    def __init__(self, session: Session, block: Block, most: int) -> None:
        super().__init__(session, block)
        self._left = most

    def take(self, table: Table, key: Key, mode: LockMode, wait: str) -> bool:
        if wait != "look":
            self._left -= 1
            if self._left < 0:
                raise NotAtOnce
        return super().take(table, key, mode, wait)


__all__ = ["in_block"]
