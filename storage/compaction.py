"""Compaction: fewer, larger parts, and none of the past that nobody can ask for.

A job takes some parts of a shard and writes others that say the same to every read at or after
`since`. It is an ordinary compare-and-append ("these become those"), so it may run anywhere, twice,
or die in the middle: whoever commits second finds its inputs gone and its outputs are orphans.

    before    + [1..1000]  + [1001..1003]  + [1004]   - {7, 1002}          since = 40
    after     + [1..6, 8..1000, 1001, 1003, 1004]

**What goes.** An insertion whose deletion is at or before `since` goes. The deletion goes with it, or
when no part that stays behind can hold its row. Rows at or before `since` need no time of their own
any more: they are **settled** and share one, so settled parts carry no `_ts` and hydration reads
them as they are.

**What is chosen** stands in `storage/compaction_jobs.py`.

**Columns that were dropped** stay as long as somebody may read from before that: outputs have the columns of all
schemas that the shard has had, until whoever owns it says that the newest is enough (`narrows`). To readers of the
newest schema they are not there: columns are found by their ids.

**Memory** is bounded by the deletions of a job (8 bytes each, `deletes_max`), one input's compressed
bytes, and one output part. Where a sort order is asked for (the primary key), each output is sorted
in itself: sorted runs, as the readers' merge wants them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from storage import parts as partlib
from storage import rows as codec
from storage.abc import CorruptBlob, Part, Timestamp
from storage.compaction_jobs import CompactionLimits, Job, Numbered, choose
from storage.shard import machine
from storage.shard.machine import PartsGone
from storage.shard.shard import Shard
from storage.shard.state import State
from storage.sorted_ids import ascending, sorted_distinct

Narrows = Callable[[Timestamp], bool]
"""Whether all readers from this time on read under the newest schema."""


def never(since: Timestamp) -> bool:
    """Nobody has said so."""
    return False


class Compactor:
    """Compacts one shard. Remembers which jobs turned out to change nothing."""

    def __init__(
        self,
        shard: Shard,
        *,
        sort_by: Sequence[str] = (),
        limits: CompactionLimits | None = None,
        narrows: Narrows = never,
    ) -> None:
        self.shard, self.sort_by, self.limits = shard, tuple(sort_by), limits or CompactionLimits()
        self.narrows = narrows
        self._futile: set[tuple[int, ...]] = set()
        self.written: list[Part] = []
        """What the job done last wrote, if it was committed."""

    def due(self) -> bool:
        """Whether there is a job, as far as this process knows. Cheap: no I/O."""
        return choose(self.shard.state, self.limits, frozenset(self._futile)) is not None

    async def run(self, jobs_max: int = 100) -> int:
        """Does what is due. Returns how many jobs were committed."""
        done = 0
        for _ in range(jobs_max):
            job = choose(self.shard.state, self.limits, frozenset(self._futile))
            if job is None:
                break
            try:
                done += await self.do(job)
            except PartsGone:
                await self.shard.refresh()  # somebody else compacts: go by what there is now
        return done

    async def do(self, job: Job) -> bool:
        """One job. False: it would have changed nothing, and was not committed.

        Raises PartsGone, CorruptBlob, StorageFull, Indeterminate.
        """
        state = self.shard.state
        assert job.since <= state.since, "a job of the future"
        self.written = []
        dead = await self._dead_rids(job)
        outputs: list[Part] = []
        found: list[np.ndarray] = []
        async for part in self._write_inserts(job, dead, found):
            outputs.append(part)
        inputs = list(job.inserts)
        rewritten, kept = (
            ([], None) if job.keep_deletes else await self._write_deletes(job, state, dead, found)
        )
        for numbered, smaller in rewritten:
            inputs.append(numbered)
            if smaller is not None:
                outputs.append(smaller)
        if kept is not None:
            outputs.append(kept)
        if not self._useful([p for _, p in inputs], outputs):
            if len(self._futile) > 1_000:
                self._futile.clear()
            self._futile.add((job.since, *job.numbers))
            return False
        removed = tuple([n for n, _ in inputs])
        await self.shard.log.commit(machine.Replace(removed, tuple(outputs)))
        self.written = outputs
        return True

    async def drop_deletes(self, since: Timestamp, clean: frozenset[str]) -> bool:
        """Takes out deletions at or before `since` that hit no row any more. Returns whether there were any.

        `clean` are the blobs of insertions that hold no row deleted by then; all others are believed to hold
        any row in their range. Raises PartsGone.
        """
        state = self.shard.state
        deletes = tuple(n for n in state.parts if n[1].kind == "-" and n[1].ts <= since)
        outside = [p for _, p in state.parts if p.kind == "+" and p.key not in clean and p.ts <= since]
        if not deletes:
            return False
        dead = await self._dead_rids(Job((), deletes, True, since))
        gone = await self.shard.parts.offload(_vanished, dead, [], outside)
        removed: list[int] = []
        outputs: list[Part] = []
        for number, part in deletes:
            table = await self.shard.fetch(part)
            remaining: pa.Table = await self.shard.parts.offload(_remaining, part, table, gone, since)
            if remaining.num_rows == part.row_count:
                continue
            removed.append(number)
            smaller = await self._deletes_part(remaining, since)
            if smaller is not None:
                outputs.append(smaller)
        if removed:
            await self.shard.log.commit(machine.Replace(tuple(removed), tuple(outputs)))
        return bool(removed)

    @staticmethod
    def _useful(inputs: list[Part], outputs: list[Part]) -> bool:
        if not inputs:
            return False
        if len(outputs) < len(inputs):
            return True
        return sum(p.row_count for p in outputs) < sum(p.row_count for p in inputs)

    async def _dead_rids(self, job: Job) -> np.ndarray:
        """Sorted row ids that were deleted at or before since."""
        found = [np.empty(0, np.int64)]
        for _, part in job.deletes:
            if part.ts <= job.since:
                table = await self.shard.fetch(part, as_of=job.since)
                found.append(table.column(0).to_numpy())
        rids: np.ndarray = await self.shard.parts.offload(_distinct, found)
        return rids

    async def _write_inserts(
        self, job: Job, dead: np.ndarray, found: list[np.ndarray]
    ) -> AsyncIterator[Part]:
        """The living rows as new parts: settled ones, and those that still need their times."""
        settled, timed = _Pile(), _Pile()
        # One schema for all of the job, although a newer one may come while it runs.
        version, newest = len(self.shard.state.schemas), self.shard.schema
        schema = newest if newest is None or self.narrows(job.since) else self.shard.widest
        wide = schema is not newest
        async for pieces in self._pieces(job, dead, schema):
            found.append(pieces.gone)
            for pile, table, newest in (
                (settled, pieces.settled, pieces.settled_newest),
                (timed, pieces.timed, pieces.timed_newest),
            ):
                if table is not None and table.num_rows:
                    pile.add(table, newest)
                    if pile.size_bytes >= self.limits.output_bytes_max:
                        yield await self._flush(pile, version, wide)
        for pile in (settled, timed):
            if pile.tables:
                yield await self._flush(pile, version, wide)

    async def _pieces(self, job: Job, dead: np.ndarray, schema: pa.Schema | None) -> AsyncIterator[_Pieces]:
        """The inputs a row group at a time, in one schema, without the dead."""
        parts = self.shard.parts
        for _, part in job.inserts:
            assert schema is not None, "insertions come after a schema"
            if part.data is not None:
                yield _sift(part, await self.shard.fetch(part, schema=schema), job.since, dead)
                await asyncio.sleep(0)  # others' turn: nothing above has really waited
                continue
            assert part.key is not None
            data = await parts.blob.get(part.key)
            file = await parts.offload(partlib.open_parquet, part, data)
            for group in range(file.num_row_groups):
                yield await parts.offload(
                    _read_group, part, file, group, schema, self.shard.written(part), job.since, dead
                )

    async def _flush(self, pile: _Pile, version: int, wide: bool) -> Part:
        """`wide`: with columns that the newest schema has not, which only a file can name."""
        tables, ts = pile.take()
        parts = self.shard.parts
        table: pa.Table = await parts.offload(_gather, tables, self.sort_by)
        has_ts = "_ts" in table.schema.names[:2]
        if table.nbytes <= parts.limits.inline_bytes_max and not wide:
            if has_ts:
                rows = codec.arrow_to_rows(table.select(range(2, table.num_columns)))
                rids, times = table.column(0).to_pylist(), table.column(1).to_pylist()
                part = partlib.timed_inserts(list(zip(rids, times, rows, strict=True)), version)
            else:
                part = parts.inline_of("+", table, ts)
            if part.size_bytes <= parts.limits.inline_bytes_max:
                return replace(part, schema_version=version)
        return replace(await parts.write(self.shard.id, "+", table, ts), schema_version=version)

    async def _write_deletes(
        self, job: Job, state: State, dead: np.ndarray, found: list[np.ndarray]
    ) -> tuple[list[tuple[Numbered, Part | None]], Part | None]:
        """Deletion parts that shrink, each with what is left of it; or all of them and one part."""
        if not job.deletes:
            return [], None
        inside = {n for n, _ in job.inserts}
        outside = [p for n, p in state.parts if p.kind == "+" and n not in inside]
        gone = await self.shard.parts.offload(_vanished, dead, found, outside)
        rewritten: list[tuple[Numbered, Part | None]] = []
        left: list[pa.Table] = []
        for numbered in job.deletes:
            part = numbered[1]
            table = await self.shard.fetch(part)
            remaining: pa.Table = await self.shard.parts.offload(_remaining, part, table, gone, job.since)
            if not job.merge_deletes and remaining.num_rows == part.row_count:
                continue
            if job.merge_deletes:
                rewritten.append((numbered, None))
                left.append(remaining)
            else:
                rewritten.append((numbered, await self._deletes_part(remaining, job.since)))
        merged = await self._deletes_part(pa.concat_tables(left), job.since) if left else None
        return rewritten, merged

    async def _deletes_part(self, table: pa.Table, since: Timestamp) -> Part | None:
        if table.num_rows == 0:
            return None
        parts = self.shard.parts
        newest = pc.max(table.column(1)).as_py()
        if newest <= since:
            return await parts.stage(self.shard.id, "-", table.select([0]), newest)
        if table.nbytes <= parts.limits.inline_bytes_max:
            pairs = zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True)
            return partlib.timed_deletes(list(pairs))
        return await parts.write(self.shard.id, "-", table)


class _Pile:
    """Rows on their way into one output part."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self.size_bytes = 0
        self.newest: Timestamp = 0

    def add(self, table: pa.Table, newest: Timestamp) -> None:
        self.tables.append(table)
        self.size_bytes += table.nbytes
        self.newest = max(self.newest, newest)

    def take(self) -> tuple[list[pa.Table], Timestamp]:
        taken = self.tables, self.newest
        self.tables, self.size_bytes, self.newest = [], 0, 0
        return taken


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A piece of an input: rows without a time, rows with one, and the row ids that went."""

    gone: np.ndarray
    settled: pa.Table | None
    settled_newest: Timestamp
    timed: pa.Table | None
    timed_newest: Timestamp


def _read_group(
    part: Part,
    file: Any,
    group: int,
    schema: pa.Schema,
    written: pa.Schema | None,
    since: Timestamp,
    dead: np.ndarray,
) -> _Pieces:
    """The blocking half of a step: decode a row group, and sift it."""
    try:
        table = file.read_row_group(group).replace_schema_metadata(None)
        if "_rid" not in table.column_names:
            before = sum(file.metadata.row_group(i).num_rows for i in range(group))
            table = partlib.numbered(table, part.rid_min + before)
        table = codec.conform(table, schema, written)
    except (pa.ArrowException, OSError, KeyError) as e:
        raise CorruptBlob(part.key or partlib.INLINE, str(e)) from e
    return _sift(part, table, since, dead)


def _sift(part: Part, table: pa.Table, since: Timestamp, dead: np.ndarray) -> _Pieces:
    rids = table.column(0).to_numpy()
    hit = _among(rids, dead)
    gone = rids[hit]
    if len(gone):
        table = table.filter(pa.array(~hit))
    if not part.has_ts:
        if part.ts <= since:
            return _Pieces(gone, table, part.ts, None, 0)
        times = pa.array(np.full(table.num_rows, part.ts, np.uint64))
        return _Pieces(gone, None, 0, table.add_column(1, partlib.TS_FIELD, times), part.ts)
    times = table.column(1).to_numpy()
    old = times <= since
    if not old.any():
        return _Pieces(gone, None, 0, table, int(times.max(initial=0)))
    settled = (table if old.all() else table.filter(pa.array(old))).remove_column(1)
    timed = None if old.all() else table.filter(pa.array(~old))
    return _Pieces(gone, settled, int(times[old].max()), timed, int(times.max()))


def _vanished(dead: np.ndarray, found: list[np.ndarray], outside: list[Part]) -> np.ndarray:
    """Deleted row ids, sorted, that no part will hold any more: those that hit something in the job, and
    those that hit nothing here and can hit nothing elsewhere."""
    covered = np.zeros(len(dead), np.bool_)
    for part in outside:
        low, high = np.searchsorted(dead, [part.rid_min, part.rid_max + 1])
        covered[low:high] = True
    vanished: np.ndarray = sorted_distinct(np.concatenate([dead[~covered], *found]))
    return vanished


def _remaining(part: Part, table: pa.Table, gone: np.ndarray, since: Timestamp) -> pa.Table:
    """What is left of a part of deletions: `_rid` and `_ts`, sorted."""
    rids = table.column(0).to_numpy()
    times = table.column(1).to_numpy() if part.has_ts else np.full(len(rids), part.ts, np.uint64)
    keep = ~(_among(rids, gone) & (times <= since))
    rids, times = rids[keep], times[keep]
    order = np.argsort(rids, kind="stable")
    return pa.Table.from_arrays(
        [pa.array(rids[order], pa.int64()), pa.array(times[order], pa.uint64())],
        schema=pa.schema([partlib.RID_FIELD, partlib.TS_FIELD]),
    )


def _distinct(found: list[np.ndarray]) -> np.ndarray:
    rids: np.ndarray = sorted_distinct(np.concatenate(found))
    return rids


def _gather(tables: list[pa.Table], sort_by: Sequence[str]) -> pa.Table:
    """One table of all, in order. The parts of one load usually are already: then no row is moved."""
    table = pa.concat_tables(tables)
    order = [name for name in sort_by if name in table.schema.names] or ["_rid"]
    if len(order) == 1 and _in_order(table.column(order[0])):
        return table
    return table.combine_chunks().sort_by([(name, "ascending") for name in order])


def _in_order(values: pa.ChunkedArray) -> bool:
    """Whether integers ascend; of others it is not asked."""
    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    return ascending(values.to_numpy())


def _among(values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Which of the values are in the sorted array `wanted`."""
    if len(wanted) == 0:
        return np.zeros(len(values), np.bool_)
    places = np.searchsorted(wanted, values)
    places[places == len(wanted)] = 0
    hits: np.ndarray = wanted[places] == values
    return hits
