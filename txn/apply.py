"""Apply: what was committed to the log reaches the data shards.

    txns   ... (t7, 101) (t9, 101) (t7, 102) (t7, 103) ...        committed
                  |          |        |         |
    t7     [ ........ 101 ............102 .......103 ]            one compare-and-append for all of them
    t9     [ ........ 101 ]

The log is the truth; the data shards follow at leisure, in the order of timestamps, many commits in
one compare-and-append each. **Idempotent**: a data shard whose upper is past a timestamp has that
commit already, so applying again after a crash, or by two processes at once, changes nothing. Anyone
may apply; a crash between commit and apply loses nothing.

Blobs go by reference, with the commit's time written into their description; inline rows of many
commits are merged into one part that says when each happened: in columns, beside the loop, without a row in between, where
they are many. Each commit is applied under the schema it was made under.

Whatever was applied is reported to `applied(shard, le_ts, count)`, so that its retraction (tidy) can ride in
the next append to the log.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace

from storage import parts as partlib
from storage import rows
from storage.abc import CorruptBlob, Part, ShardId, Timestamp, UpperMismatch
from storage.parts import Offload
from storage.shard.shard import Shard
from txn.log_entry import RawPart, part_at
from txn.txns_state import TxnsState

CHUNK_BYTES = 1024 * 1024
CHUNK_COMMITS = 8_192
"""What one compare-and-append of a data shard takes at most: bytes inline, commits."""

TIMED_BYTES = {"+": 9, "-": 10}
"""What a row grows by where its own time goes with it: a time in microseconds, and for a deleted row's id an array around both."""

TURN_COMMITS = 256
"""Commits unpacked before the event loop serves others: about a millisecond."""

OpenShard = Callable[[ShardId], Awaitable[Shard]]
Applied = Callable[[ShardId, Timestamp, int], None]


class Applier:
    """Applies outstanding work of a txns state. One at a time per process (`apply_le` queues)."""

    def __init__(
        self,
        state: Callable[[], TxnsState],
        open_shard: OpenShard,
        applied: Applied,
        *,
        offload: Offload = asyncio.to_thread,
    ) -> None:
        self._state, self._open_shard, self._applied, self._offload = state, open_shard, applied, offload
        self._lock = asyncio.Lock()
        self._done: dict[ShardId, Timestamp] = {}  # applied and reported, perhaps not tidied yet
        self.commits_applied = 0

    async def apply_le(self, ts: Timestamp) -> None:
        """Everything committed at or before `ts` is in its data shard when this returns.

        Raises what storage raises; what was applied until then stays applied.
        """
        async with self._lock:
            state = self._state()
            for shard in list(state.outstanding):
                await self._apply(shard, ts)
            if len(self._done) > 2 * len(state.registered) + 100:
                self._done = {s: t for s, t in self._done.items() if s in state.registered}

    async def apply_shard(self, shard: ShardId, ts: Timestamp) -> None:
        """The same for one shard."""
        async with self._lock:
            await self._apply(shard, ts)

    async def settle_schema(self, shard: ShardId) -> None:
        """Gives the data shard its newest schema, also if nothing was ever written to it."""
        async with self._lock:
            registration = self._state().registered.get(shard)
            if registration is not None and not registration.older:
                handle = await self._open_shard(shard)
                await handle.register(registration.schema)

    async def _apply(self, shard: ShardId, ts: Timestamp) -> None:
        handle: Shard | None = None
        while True:
            state = self._state()
            registration = state.registered.get(shard)
            if registration is None:
                return
            done = self._done.get(shard, 0)
            commits: list[tuple[Timestamp, list[RawPart]]] = []
            schema: bytes | None = None
            size_bytes = 0
            last = done
            for commit_ts, raws in state.outstanding_le(shard, ts):
                if commit_ts <= done:
                    continue
                commit_schema = registration.schema_at(commit_ts)
                if schema is None:
                    schema = commit_schema
                elif schema != commit_schema or size_bytes > CHUNK_BYTES or len(commits) >= CHUNK_COMMITS:
                    break
                assert commit_ts > last, "commits of a shard are in the order of their timestamps"
                commits.append((commit_ts, raws))
                size_bytes += sum(len(raw[2]) for raw in raws if len(raw) == 3)
                last = commit_ts
            if not commits:
                return
            assert schema is not None
            if handle is None:
                handle = await self._open_shard(shard)
            await self._copy(handle, commits, schema)
            assert handle.upper > last, "what was applied lies below the data shard's upper"
            self._done[shard] = last
            self.commits_applied += len(commits)
            self._applied(shard, last, len(commits))

    async def _copy(
        self, handle: Shard, commits: list[tuple[Timestamp, list[RawPart]]], schema: bytes
    ) -> None:
        """One compare-and-append of what the data shard does not have yet."""
        new_upper = commits[-1][0] + 1
        while True:
            upper = handle.upper
            if upper >= new_upper:
                return  # had it already; its schema may be newer than this one by now
            known = handle.state.schemas
            if not known or known[-1] != schema:
                await handle.refresh()  # another process may have applied this and gone on to a later schema
                if handle.upper >= new_upper:
                    return
                await handle.register(schema)
                upper = handle.upper
            fresh = [commit for commit in commits if commit[0] >= upper]
            parts = await self._merged(handle, fresh)
            try:
                await handle.append(parts, upper, new_upper)
                return
            except UpperMismatch as e:
                assert e.current > upper, "an upper went backwards"

    async def _merged(self, handle: Shard, commits: list[tuple[Timestamp, list[RawPart]]]) -> list[Part]:
        """Blobs by reference, and all inline rows as one part of insertions and one of deletions."""
        version = len(handle.state.schemas)
        parts: list[Part] = []
        pieces: dict[str, list[tuple[Timestamp, bytes]]] = {}
        sizes_bytes = Counter[str]()
        alone = len(commits) == 1
        for ts, raws in commits:
            for raw in raws:
                if len(raw) != 3:
                    part = part_at(raw, ts)
                    parts.append(replace(part, schema_version=version) if part.kind == "+" else part)
                else:
                    kind, count, data = raw
                    pieces.setdefault(kind, []).append((ts, data))
                    sizes_bytes[kind] += len(data) if alone else len(data) + count * TIMED_BYTES[kind]
        for kind in sorted(pieces):  # insertions first
            placed = self._inline if sizes_bytes[kind] <= handle.parts.limits.inline_bytes_max else self._blob
            part = await placed(handle, kind, pieces[kind], alone)
            parts.append(replace(part, schema_version=version) if kind == "+" else part)
        return parts

    async def _inline(
        self, handle: Shard, kind: str, pieces: list[tuple[Timestamp, bytes]], alone: bool
    ) -> Part:
        """Rows of one kind, few enough to be a part inline."""
        updates: list[partlib.Update] = []
        try:
            for i, (ts, data) in enumerate(pieces, 1):
                if kind == "+":
                    updates += [(rid, ts, row) for rid, row in rows.unpack_inserts(data)]
                else:
                    updates += [(rid, ts, ()) for rid in rows.unpack_deletes(data)]
                if i % TURN_COMMITS == 0:
                    await asyncio.sleep(0)
        except (ValueError, TypeError, IndexError) as e:
            raise CorruptBlob("txns", f"an inline part: {e}") from e
        part = partlib.merged_inline(kind, updates, has_ts=not alone)
        if part.size_bytes <= handle.parts.limits.inline_bytes_max:
            return part
        return await self._blob(handle, kind, pieces, alone)

    async def _blob(
        self, handle: Shard, kind: str, pieces: list[tuple[Timestamp, bytes]], alone: bool
    ) -> Part:
        """Too many for the data shard's own log: they become columns beside the loop, and a blob."""
        table = await self._offload(partlib.pieces_table, "txns", kind, pieces, handle.schema, not alone)
        return await handle.parts.write(handle.id, kind, table, pieces[0][0] if alone else 0)
