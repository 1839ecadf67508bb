"""The data shards as this process holds them: one handle each, and parts that are staged ahead of their commit.

open(id)                  the handle, opened at first use; who asks meanwhile waits for the same opening
stage(id, kind, rows)     rows -> a part: inline when small, else a blob that nobody names until a commit does
spill(transaction)        buffered rows -> staged parts, so that a transaction may go on growing
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping

import pyarrow as pa

from storage.abc import Blob, Clock, Consensus, Part, ShardId
from storage.parts import RID_FIELD, Offload, PartLimits, PartStore
from storage.rows import rows_to_arrow
from storage.shard.log import LogLimits
from storage.shard.shard import Shard
from txn.transaction import Transaction
from txn.txns_state import Registration


class DataShards:
    """See the module. `writer` is part of the names of staged blobs: unique among all processes that ever were. `abandoned` is
    told of blobs that came to be after who staged them had been cancelled."""

    def __init__(
        self,
        blob: Blob,
        consensus: Consensus,
        clock: Clock,
        rng: random.Random,
        *,
        writer: str,
        offload: Offload,
        part_limits: PartLimits | None,
        log_limits: LogLimits | None,
        abandoned: Callable[[str], None],
    ) -> None:
        self._blob, self._consensus, self._clock, self._rng = blob, consensus, clock, rng
        self._offload, self._part_limits, self._log_limits = offload, part_limits, log_limits
        self._parts = PartStore(
            blob,
            rng,
            writer=writer,
            offload=offload,
            limits=part_limits or PartLimits(),
            abandoned=abandoned,
        )
        self.handles: dict[ShardId, Shard] = {}
        self._opening: dict[ShardId, asyncio.Future[Shard]] = {}

    async def open(self, id: ShardId) -> Shard:
        """The handle on a data shard; one per process, opened at first use."""
        handle = self.handles.get(id)
        if handle is not None:
            return handle
        opening = self._opening.get(id)
        if opening is None:
            opening = self._opening[id] = asyncio.ensure_future(
                Shard.open(
                    id,
                    blob=self._blob,
                    consensus=self._consensus,
                    clock=self._clock,
                    rng=self._rng,
                    offload=self._offload,
                    part_limits=self._part_limits,
                    log_limits=self._log_limits,
                )
            )
        try:
            handle = await asyncio.shield(opening)
        finally:
            if opening.done():
                self._opening.pop(id, None)
        self.handles[id] = handle
        return handle

    async def stage(self, shard: ShardId, kind: str, table: pa.Table) -> Part:
        """Writes rows ahead of their commit. See `Environment.stage`."""
        if not table.schema.field(0).equals(RID_FIELD):  # nullable by accident: parts of a shard are alike
            table = table.set_column(0, RID_FIELD, table.column(0))
        return await self._parts.stage(shard, kind, table)

    async def spill(self, transaction: Transaction, registered: Mapping[ShardId, Registration]) -> None:
        """Moves a transaction's buffered rows to staged parts. See `Environment.spill`."""
        if transaction.writes.savepoints:
            return
        for shard in list(transaction.writes.shards):
            registration = registered.get(shard)
            if registration is None:
                continue  # created by this very transaction: its schema is not settled
            buffer = transaction.writes.shards[shard]
            parts: list[Part] = []
            if buffer.inserts:
                schema = pa.ipc.read_schema(pa.py_buffer(registration.schema))
                rows = rows_to_arrow(list(buffer.inserts.values()), schema)
                table = rows.add_column(0, RID_FIELD, pa.array(buffer.inserts, pa.int64()))
                parts.append(await self.stage(shard, "+", table))
            if buffer.deletes:
                rids = pa.table([pa.array(buffer.deletes, pa.int64())], schema=pa.schema([RID_FIELD]))
                parts.append(await self.stage(shard, "-", rids))
            # Only now that they are staged do the rows leave the buffer.
            inserts, deletes = transaction.writes.spill(shard)
            if len(inserts) + len(deletes) != sum(part.row_count for part in parts):
                raise AssertionError("a transaction was written to while it was being spilled")
            for part in parts:
                transaction.add_part(shard, part)
                if part.key is not None:
                    transaction.staged.append(part.key)
