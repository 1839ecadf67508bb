"""A cursor over SELECT ... FOR UPDATE: each row is locked when it is fetched, and is shown as it is then.

    DECLARE    the query as of its statement; nothing is locked yet          1 2 3 4, with their ids and keys
    FETCH n    row after row, until there are n of them or no more
                 held by another              it waits, fails (NOWAIT), or goes on with the next (SKIP LOCKED)
                 written here since DECLARE   the next one: a cursor does not see what its own transaction does
                 newer than it was found      the query is asked again, at the present: the row with the same keys stands for it,
                                              and where there is none it no longer fulfils what was asked

So a program that takes jobs one by one holds those that it has taken. Queries that lock as many rows as LIMIT says, rows that no key
finds again, and those for which other rows ask (LATERAL) are locked as a whole (`executor.session.locks.found_rows`), and so is, above READ
COMMITTED, what waits: rows that have been read and then turn out to be newer are a conflict there, which none is that are locked at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import Stream
from executor.session import queries
from executor.session.blocks import keyed
from executor.session.blocks.block import LOCK_MODES, Block
from executor.session.locks.found_rows import ROWS_PER_TURN, LockKey, keys_of
from executor.session.locks.refusals import REFUSALS, refused
from planner.abc import LockingQuery, Plan, Table
from storage.abc import Datum, Timestamp
from txn.abc import Isolation, LockNotAvailable

if TYPE_CHECKING:
    from executor.session.session import Session

_UNWRITTEN: Final = object()
"""What stands for a row that the transaction itself has not written."""


@dataclass(slots=True)
class LockingStream(Stream):
    """Rows that are locked as they are asked for."""

    ahead: int = 1
    """How many the next batch has at most."""


def applies(block: Block, plan: Plan) -> bool:
    """Whether the rows of a cursor's query are locked one by one."""
    body = plan.body
    if not isinstance(body, LockingQuery) or body.each is not None or body.limited or body.derived:
        return False
    if block.isolation is not Isolation.READ_COMMITTED and any(lock.wait != "skip" for lock in body.locks):
        return False
    keyed_rows = all(lock.leaf_keys or lock.table.key_indexes for lock in body.locks)
    return bool(body.locks and plan.columns and keyed_rows)


async def opened(session: Session, block: Block, plan: Plan, params: Sequence[Datum]) -> LockingStream:
    """The query as of now, before anything is locked."""
    assert isinstance(plan.body, LockingQuery)
    for lock in plan.body.locks:
        block.use(lock.table)
    with block.looking(), block.transaction().statement_reads():
        found = await queries.arrow(session, block, plan.body.query, params, begins=False)
    txn = block.transaction()
    txn.found_ts = txn.found_ts or txn.read_ts  # to its end: what others write from now on is asked about
    stream = LockingStream("SELECT", tuple(plan.columns or ()), _none(), _nothing)
    stream.batches = _Fetched(session, block, plan, params, found).batches(stream)
    return stream


async def _none() -> AsyncIterator[pa.RecordBatch]:
    return
    yield


def _nothing() -> None:
    """All that was found is in memory, and goes with the stream."""


class _Found:
    """What the query has found, once: rows, and of each which are to be locked for it."""

    def __init__(self, session: Session, block: Block, plan: Plan, rows: pa.Table) -> None:
        assert isinstance(plan.body, LockingQuery)
        self.keys: list[tuple[tuple[Table, LockKey], ...]] = list(
            zip(*(keys_of(session, block, lock, rows) for lock in plan.body.locks), strict=True)
        )
        self.shown = queries.canonical_table(rows, [c.type for c in plan.columns or ()]).combine_chunks()
        self.as_of: Timestamp = block.transaction().read_ts

    def by_keys(self) -> dict[tuple[LockKey, ...], list[int]]:
        """The places of rows by their keys, in the order in which rows of the same keys come."""
        places: dict[tuple[LockKey, ...], list[int]] = {}
        for i, keys in enumerate(self.keys):
            places.setdefault(tuple([key for _, key in keys]), []).append(i)
        return places


class _Fetched:
    """One cursor's rows on their way to who fetches them."""

    def __init__(
        self, session: Session, block: Block, plan: Plan, params: Sequence[Datum], found: pa.Table
    ) -> None:
        assert isinstance(plan.body, LockingQuery)
        self._session, self._block, self._plan, self._params = session, block, plan, params
        self._body = plan.body
        self._found = self._newest = _Found(session, block, plan, found)
        self._written = [self._own(i) for i in range(len(self._found.keys))]
        """Of each row what the transaction had written of it when it was found."""
        self._places: dict[tuple[LockKey, ...], list[int]] = {}
        """Of `_newest`, once the query has been asked again: where the rows are whose turn has not come."""

    async def batches(self, stream: LockingStream) -> AsyncIterator[pa.RecordBatch]:
        ready: list[int] = []
        for i in range(len(self._found.keys)):
            if i % ROWS_PER_TURN == ROWS_PER_TURN - 1:
                await asyncio.sleep(0)
            if await self._got(i):
                ts = self._changed(i)
                if not ts:
                    ready.append(i)
                elif (place := await self._as_it_is(i, ts)) is not None:
                    if ready:
                        yield _batch(self._found, ready)
                        ready = []
                    yield _batch(self._newest, [place])
            if len(ready) >= stream.ahead:
                yield _batch(self._found, ready)
                ready = []
        if ready:
            yield _batch(self._found, ready)

    async def _got(self, i: int) -> bool:
        """Locks all that a row was made of. False: others hold it, or this transaction has written it since."""
        session, locks = self._session, self._session.executor.env.locks
        for lock, (table, (space, key)) in zip(self._body.locks, self._found.keys[i], strict=True):
            mode = LOCK_MODES[lock.strength]
            if locks.try_acquire(self._block.transaction(), space, key, mode):
                continue
            if lock.wait == "skip":
                return False
            if lock.wait == "nowait":
                message = f'could not obtain lock on row in relation "{table.name}"'
                raise refused(session, LockNotAvailable(message))
            try:
                await keyed.wait_for(session, self._block, keyed.WouldBlock(space, key, mode))
            except REFUSALS as error:
                raise refused(session, error) from None
        for lock, (_, lock_key) in zip(self._body.locks, self._found.keys[i], strict=True):
            if lock.wait == "skip":
                self._block.transaction().reads.point(*lock_key)
        return all(now is then for now, then in zip(self._own(i), self._written[i], strict=True))

    def _own(self, i: int) -> tuple[Any, ...]:
        """What the transaction has written of a row."""
        tables = self._block.tables
        return tuple(
            [
                _UNWRITTEN if (w := tables.get(table.shard)) is None else w.by_key.get(key, _UNWRITTEN)
                for table, (_, key) in self._found.keys[i]
            ]
        )

    def _changed(self, i: int) -> Timestamp:
        """When others have last written a row since it was found; 0: they have not."""
        conflicts, since = self._session.executor.env.conflicts, self._found.as_of
        if since < conflicts.floor:  # it knows no more of that time
            return self._session.executor.env.oracle.read_ts()
        return max(conflicts.point(space, key, since) for _, (space, key) in self._found.keys[i])

    async def _as_it_is(self, i: int, ts: Timestamp) -> int | None:
        """Where a row that has changed is among those of the present; None: nowhere. Raises SerializationFailure."""
        txn, keys = self._block.transaction(), tuple([key for _, key in self._found.keys[i]])
        if ts > self._newest.as_of:
            if not txn.refresh(ts, anew=True):
                raise txn.stale(*keys[0], ts)
            query = self._body.query
            rows = await queries.arrow(self._session, self._block, query, self._params, begins=False)
            await txn.settled()
            self._newest = _Found(self._session, self._block, self._plan, rows)
            self._places = self._newest.by_keys()
        places = self._places.get(keys)
        return places.pop(0) if places else None


def _batch(found: _Found, places: Sequence[int]) -> pa.RecordBatch:
    first, count = places[0], len(places)
    if places[-1] - first == count - 1:  # as they mostly are: nothing is copied
        rows = found.shown.slice(first, count)
    else:
        rows = found.shown.take(pa.array(places, pa.int64()))
    batches = rows.to_batches()
    return batches[0] if len(batches) == 1 else rows.combine_chunks().to_batches()[0]


__all__ = ["LockingStream", "applies", "opened"]
