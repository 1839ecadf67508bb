"""A shard as its users see it: append, read as of a time, hold times back.

    shard = await Shard.open("t17", blob=..., consensus=..., clock=..., rng=...)
    await shard.register(schema)
    await shard.append([part], expected_upper=0, new_upper=6)      # part.ts = 5
    for part in await shard.snapshot(as_of=5):
        table = await shard.fetch(part)

A writer that copies what another log has decided (txn's apply) says `apply(parts, new_upper)`
instead: whatever lies below the upper is there already and is left out, so applying twice, or by
two processes at once, is applying once.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from storage import parts as partlib
from storage import rows as codec
from storage.abc import (
    Blob,
    Clock,
    Consensus,
    CorruptBlob,
    Determinate,
    Part,
    Row,
    ShardId,
    SinceViolation,
    Timestamp,
    UpperMismatch,
)
from storage.parts import Offload, PartLimits, PartStore
from storage.shard import machine
from storage.shard.log import LogLimits, ShardLog
from storage.shard.readers import CriticalReader, LeasedReader
from storage.shard.state import State

TURN_BYTES = 64 * 1024
TURN_ROWS = 2_000
"""How much merging is done in one turn of the event loop: a millisecond or two."""


class NotYetReadable(Determinate):
    """The shard's upper has not passed the time that was asked for."""

    def __init__(self, shard: ShardId, as_of: Timestamp, upper: Timestamp) -> None:
        super().__init__(f"shard {shard}: as_of {as_of} is not below upper {upper}")
        self.shard, self.as_of, self.upper = shard, as_of, upper


class Shard:
    """One process's handle on a shard. All methods belong to one event loop."""

    def __init__(self, log: ShardLog, parts: PartStore) -> None:
        self.log, self.parts = log, parts
        self._schemas: dict[bytes, pa.Schema] = {}

    @classmethod
    async def open(
        cls,
        shard: ShardId,
        *,
        blob: Blob,
        consensus: Consensus,
        clock: Clock,
        rng: random.Random,
        schema: pa.Schema | None = None,
        offload: Offload = asyncio.to_thread,
        part_limits: PartLimits | None = None,
        log_limits: LogLimits | None = None,
    ) -> Shard:
        """Reads the shard's newest state; a shard that has no log yet is empty, at since = upper = 0.

        Raises FormatTooNew, CorruptBlob, Indeterminate; with `schema`, what `register` raises.
        """
        log = ShardLog(shard, blob, consensus, clock, rng, log_limits)
        await log.load()
        writer = log.writer.hex()
        self = cls(log, PartStore(blob, rng, writer=writer, offload=offload, limits=part_limits))
        if schema is not None:
            await self.register(schema)
        return self

    # --- what it is --------------------------------------------------------------------------------

    @property
    def id(self) -> ShardId:
        return self.log.shard

    @property
    def state(self) -> State:
        """The newest state that this process knows. Immutable: keep it as long as you like."""
        return self.log.state

    @property
    def since(self) -> Timestamp:
        return self.log.state.since

    @property
    def upper(self) -> Timestamp:
        return self.log.state.upper

    @property
    def schema(self) -> pa.Schema | None:
        """The newest schema, None before the first `register`."""
        schemas = self.log.state.schemas
        return self._schema(len(schemas)) if schemas else None

    @property
    def widest(self) -> pa.Schema | None:
        """The newest schema, and behind its columns those that it lacks of older ones, under names of their own."""
        newest = self.schema
        if newest is None:
            return None
        fields = {codec.field_identity(f): f for f in newest}
        names = {f.name for f in newest}
        for version in range(len(self.log.state.schemas) - 1, 0, -1):
            for field in self._schema(version):
                identity = codec.field_identity(field)
                if identity in fields:
                    continue
                name = field.name
                while name in names:
                    name += "_"
                names.add(name)
                fields[identity] = field.with_name(name)
        return newest if len(fields) == len(newest) else pa.schema(list(fields.values()))

    async def refresh(self) -> None:
        """Learns what other processes have appended."""
        await self.log.refresh()

    # --- writing -----------------------------------------------------------------------------------

    async def register(self, schema: pa.Schema | bytes) -> None:
        """Gives the shard its schema, or evolves it (see `machine.check_evolution`). Idempotent.

        Raises SchemaMismatch.
        """
        data = schema if isinstance(schema, bytes) else schema.serialize().to_pybytes()
        await self.log.commit(machine.Evolve(data))

    async def append(self, parts: Sequence[Part], expected_upper: Timestamp, new_upper: Timestamp) -> None:
        """Everything that happens in `[expected_upper, new_upper)`: compare-and-append on the upper.

        Raises UpperMismatch (with the current upper), BadBatch, SchemaMismatch, Indeterminate.
        """
        if self.upper != expected_upper:
            await self.refresh()
            if self.upper != expected_upper:
                raise UpperMismatch(self.id, expected_upper, self.upper)
        merged = await self._merged(await self._versioned(parts))
        await self.log.commit(machine.Append(expected_upper, new_upper, tuple(merged)))

    async def apply(self, parts: Sequence[Part], new_upper: Timestamp) -> bool:
        """Appends those parts that are not below the upper already, and moves the upper.

        `parts` is everything that happened up to `new_upper`, from some time that is not beyond
        the shard's upper. False: all of it was there. Raises as `append`, but never UpperMismatch.
        """
        while True:
            upper = self.upper
            if upper >= new_upper:
                return False
            fresh = [p for p in parts if p.ts >= upper]
            if len(fresh) < len(parts) and any(p.ts < upper <= p.newest_ts for p in parts):
                raise machine.BadBatch(f"shard {self.id}: a part with times on both sides of upper {upper}")
            try:
                await self.append(fresh, upper, new_upper)
                return True
            except UpperMismatch as e:
                assert e.current > upper, "an upper went backwards"

    async def advance_upper(self, new_upper: Timestamp) -> None:
        """Nothing happens before `new_upper`. No-op if the upper is there already."""
        await self.log.commit_with(
            lambda state: machine.Append(state.upper, new_upper, ()) if state.upper < new_upper else None
        )

    async def _versioned(self, parts: Sequence[Part]) -> list[Part]:
        """Parts that do not say so were written under the newest schema: as of now, whatever comes next."""
        version = len(self.state.schemas)
        if version == 0 and any(part.kind == "+" for part in parts):
            await self.refresh()
            version = len(self.state.schemas)
        return [part if part.schema_version else replace(part, schema_version=version) for part in parts]

    async def _merged(self, parts: Sequence[Part]) -> list[Part]:
        """Many inline parts (commits of a few rows each) become one with times, or one Parquet part."""
        kept: list[Part] = []
        groups: dict[tuple[str, int], list[Part]] = {}
        for part in parts:
            if part.data is None:
                kept.append(part)
            else:
                groups.setdefault((part.kind, part.schema_version), []).append(part)
        for (kind, version), group in groups.items():
            if len(group) == 1 and group[0].size_bytes <= self.parts.limits.inline_bytes_max:
                kept.append(group[0])
            else:
                kept.append(await self._merge_inline(kind, version, group))
        return kept

    async def _merge_inline(self, kind: str, version: int, group: list[Part]) -> Part:
        limit = self.parts.limits.inline_bytes_max
        updates: list[partlib.Update] = []
        turn_bytes = 0
        for part in group:
            updates += partlib.inline_updates(part)
            turn_bytes += part.size_bytes
            if turn_bytes > TURN_BYTES:
                turn_bytes = 0
                await asyncio.sleep(0)
        has_ts = any(part.has_ts or part.ts != group[0].ts for part in group)
        if sum(part.size_bytes for part in group) <= limit:
            merged = partlib.merged_inline(kind, updates, has_ts)
            if merged.size_bytes <= limit:
                return replace(merged, schema_version=version)
        written = self._schema(version) if kind == "+" else partlib.NO_COLUMNS
        tables: list[pa.Table] = []
        for start in range(0, len(updates), TURN_ROWS):
            tables.append(partlib.updates_table(updates[start : start + TURN_ROWS], written, has_ts))
            await asyncio.sleep(0)
        table = pa.concat_tables(tables)
        return replace(await self.parts.write(self.id, kind, table, group[0].ts), schema_version=version)

    # --- reading -----------------------------------------------------------------------------------

    async def snapshot(self, as_of: Timestamp, *, complete: bool = False) -> list[Part]:
        """The parts that a read as of `as_of` needs: insertions, and deletions that take some out again.

        `complete` is the caller's word that nothing is missing below `as_of` although the upper lags
        (the txns log knows that no write lies between). Parts stay readable for as long as a
        reader's lease, and for garbage collection's grace without one.
        Raises SinceViolation, NotYetReadable.
        """
        if as_of >= self.upper:
            await (
                self.refresh()
            )  # also for `complete`: another process may have applied what we have not seen
            if as_of >= self.upper and not complete:
                raise NotYetReadable(self.id, as_of, self.upper)
        if as_of < self.since:
            raise SinceViolation(self.id, as_of, self.since)
        return [part for _, part in self.state.parts if part.ts <= as_of]

    async def changes(self, after: Timestamp, upto: Timestamp) -> list[Part]:
        """Parts with any update at `after < t <= upto`; compacted ones hold others too.

        Raises SinceViolation (times at or below since are not told apart any more), NotYetReadable.
        """
        if upto >= self.upper:
            await self.refresh()
            if upto >= self.upper:
                raise NotYetReadable(self.id, upto, self.upper)
        if after < self.since:
            raise SinceViolation(self.id, after, self.since)
        return [part for _, part in self.state.parts if part.newest_ts > after and part.ts <= upto]

    async def fetch(
        self, part: Part, as_of: Timestamp | None = None, schema: pa.Schema | None = None
    ) -> pa.Table:
        """A part's rows: `_rid`, `_ts` if the part has times, and the columns of the newest schema.

        Columns that the part was written without are NULL, columns dropped since are left out.
        With `as_of`, rows of later times are left out. Deletions have no columns but the hidden ones.
        Who fetches many parts and wants them alike, whatever happens meanwhile, says which `schema`.
        Raises CorruptBlob naming the blob.
        """
        wanted = (schema or self.schema) if part.kind == "+" else None
        assert wanted is not None or part.kind == "-", "insertions come after a schema"
        if part.data is not None:
            return _seen(part, self._inline(part), wanted, as_of, None)
        assert part.key is not None
        data = await self.parts.blob.get(part.key)
        written = self.written(part)
        table: pa.Table = await self.parts.offload(_decoded, part, data, wanted, as_of, written)
        return table

    async def fetch_rows(self, part: Part) -> list[tuple[int, Timestamp, Row]]:
        """(rid, ts, row) of a part, rows in the newest schema; deletions have empty rows."""
        if part.data is not None:
            return self._inline_rows(part)
        table = await self.fetch(part)
        hidden = 2 if part.has_ts else 1
        rids = table.column(0).to_pylist()
        times = table.column(1).to_pylist() if part.has_ts else [part.ts] * len(rids)
        rows = codec.arrow_to_rows(table.select(range(hidden, table.num_columns)))
        return list(zip(rids, times, rows, strict=True))

    def _inline(self, part: Part) -> pa.Table:
        version = part.schema_version or len(self.state.schemas)
        try:
            return partlib.inline_table(part, self._schema(version) if part.kind == "+" else None)
        except CorruptBlob as e:
            raise CorruptBlob(f"log of shard {self.id}", f"an inline part at {part.ts}: {e.reason}") from e

    def _inline_rows(self, part: Part) -> list[tuple[int, Timestamp, Row]]:
        try:
            if part.kind == "-":
                return [(rid, ts, ()) for rid, ts in partlib.inline_delete_rids(part)]
            triples = partlib.inline_insert_rows(part)
            newest = self.schema
            assert newest is not None, "insertions come after a schema"
            shape = codec.reshaper(self._schema(part.schema_version or len(self.state.schemas)), newest)
            if shape is None:
                return triples
            return [(rid, ts, shape(row)) for rid, ts, row in triples]
        except (CorruptBlob, IndexError) as e:
            reason = e.reason if isinstance(e, CorruptBlob) else str(e)
            raise CorruptBlob(f"log of shard {self.id}", f"an inline part at {part.ts}: {reason}") from e

    async def read(self, as_of: Timestamp, *, complete: bool = False) -> pa.Table:
        """The whole shard as of `as_of`: `_rid` and the columns, in no particular order.

        For shards that fit into memory (catalogs, tests, tools); engines fetch part by part.
        """
        parts = await self.snapshot(as_of, complete=complete)
        newest = self.schema
        schema = pa.schema([partlib.RID_FIELD, *(newest or [])])
        inserted = [await self.fetch(p, as_of, newest) for p in parts if p.kind == "+"]
        table = (
            pa.concat_tables([t.select(schema.names) for t in inserted]) if inserted else schema.empty_table()
        )
        deleted = [(await self.fetch(p, as_of)).column(0) for p in parts if p.kind == "-"]
        if deleted:
            rids = pa.chunked_array([c for column in deleted for c in column.chunks], pa.int64())
            table = table.filter(pc.invert(pc.is_in(table.column(0), value_set=rids)))
        return table

    def written(self, part: Part) -> pa.Schema | None:
        """The schema under which a part of insertions was written."""
        return self._schema(part.schema_version) if part.kind == "+" and part.schema_version else None

    def _schema(self, version: int) -> pa.Schema:
        schemas = self.state.schemas
        if not 1 <= version <= len(schemas):
            raise machine.SchemaMismatch(f"shard {self.id}: schema {version} of {len(schemas)}")
        data = schemas[version - 1]
        schema = self._schemas.get(data)
        if schema is None:
            schema = self._schemas[data] = machine.decode_schema(self.id, data)
        return schema

    # --- frontiers and readers ---------------------------------------------------------------------

    async def allow_since(self, since: Timestamp) -> Timestamp:
        """The owner needs no time below `since` any more. Returns the new since: never beyond the
        upper or a reader's hold, never backwards."""
        await self.log.commit(machine.AllowSince(since))
        return self.since

    async def lease(self, reader: str, lease_us: int, since: Timestamp | None = None) -> LeasedReader:
        """Holds `since` back (where it is, or further up) and the blobs of this state, until it expires.

        Raises SinceViolation if `since` is gone already.
        """
        handle = LeasedReader(self.log, reader, lease_us)
        await handle.take(since)
        return handle

    async def hold(self, reader: str, since: Timestamp | None = None) -> CriticalReader:
        """Holds `since` back until the reader says otherwise, across restarts. Opening it again finds it."""
        handle = CriticalReader(self.log, reader)
        await handle.take(since)
        return handle

    async def expire_readers(self) -> None:
        """Forgets leases that were not renewed in time."""
        await self.log.commit(machine.Expire(self.log.clock.now_us()))


def _decoded(
    part: Part, data: bytes, schema: pa.Schema | None, as_of: Timestamp | None, written: pa.Schema | None
) -> pa.Table:
    """The blocking half of a fetch: verify, decode, conform, filter."""
    return _seen(part, partlib.decode_parquet(part, data), schema, as_of, written)


def _seen(
    part: Part,
    table: pa.Table,
    schema: pa.Schema | None,
    as_of: Timestamp | None,
    written: pa.Schema | None,
) -> pa.Table:
    """A part's rows as a reader of `schema` sees them at `as_of`."""
    if schema is not None:
        try:
            table = codec.conform(table, schema, written)
        except (pa.ArrowException, KeyError) as e:
            raise CorruptBlob(part.key or partlib.INLINE, str(e)) from e
    if as_of is not None and part.has_ts and part.newest_ts > as_of:
        table = table.filter(pc.less_equal(table.column("_ts"), pa.scalar(as_of, pa.uint64())))
    return table
