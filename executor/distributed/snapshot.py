"""A table as of a timestamp, for readers that know only files: parts by name, and the rows that are in none yet.

    make_physical(ts)     what is committed up to ts is in the data shard, not only in the log
    lease                 holds the blobs of the shard's state until the job is over; renewed while it runs
    snapshot(ts)          parts: Parquet ones by their path, inline ones as rows

Files that were written under another schema have other columns and names: they are grouped by schema, and each
group says where the query's columns are in it (found by field id, which is the attribute number).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from executor.abc import ExecutionError
from executor.ddl.schema import shard_schema
from executor.distributed.abc import Files, Relation
from executor.distributed.missing import text_in
from planner.abc import RelationUse
from storage.abc import Part, StorageError, Timestamp
from storage.rows import field_identity
from storage.shard import Shard
from storage.shard.machine import decode_schema
from storage.shard.readers import LeasedReader

LEASE_US: Final = 120_000_000
RENEWAL_S: Final = 30.0
INLINE_BYTES_MAX: Final = 256 << 20
"""Rows that are in no file are sent along; the server's own compaction keeps them far below this."""


class Leases:
    """The blobs that a job reads, held until `release`."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._held: list[LeasedReader] = []
        self._renewal: asyncio.Task[None] | None = None
        self._released = False

    async def take(self, shard: Shard) -> None:
        self._held.append(await shard.lease(f"select-{secrets.token_hex(6)}", LEASE_US))
        if self._renewal is None:
            self._renewal = self._executor.spawn(self._renew())

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL_S)
            for lease in self._held:
                with contextlib.suppress(
                    StorageError
                ):  # an unreachable log: the next round, within the lease
                    await lease.renew()

    def release(self) -> None:
        """In the background: nobody waits for it, and an unreleased lease expires. Idempotent."""
        if self._released:
            return
        self._released = True
        if self._renewal is not None:
            self._renewal.cancel()
        if self._held:
            self._executor.spawn(self._release())

    async def _release(self) -> None:
        for lease in self._held:
            with contextlib.suppress(StorageError):
                await lease.release()


async def relation_at(executor: Any, use: RelationUse, name: str, ts: Timestamp, leases: Leases) -> Relation:
    """The relation of a use, leased. Raises SqlError, StorageError."""
    env, table = executor.env, use.table
    await env.make_physical(table.shard, ts)
    shard: Shard = await env.shard(table.shard)
    await leases.take(shard)
    parts = await shard.snapshot(ts)
    newest = shard_schema(table)
    wanted = range(len(table.columns)) if use.columns is None else use.columns
    names = [table.columns[i].name for i in wanted]
    fields = [newest.field(i) for i in wanted]
    made = Relation(name, ts)
    inserted, deleted = [p for p in parts if p.kind == "+"], [p for p in parts if p.kind == "-"]
    root = _root(env.blob.url)
    for version, has_ts in dict.fromkeys((p.schema_version, p.has_ts) for p in inserted if p.key is not None):
        group = [
            p for p in inserted if p.key is not None and (p.schema_version, p.has_ts) == (version, has_ts)
        ]
        places = {field_identity(f): f.name for f in _written(shard, version)}
        columns = tuple(
            (n, places.get(field_identity(f)), str(f.type), text_in(table.columns[i]))
            for n, f, i in zip(names, fields, wanted, strict=True)
        )
        made.inserted.append(Files(_paths(root, group), has_ts, columns))
    for has_ts in (False, True):
        group = [p for p in deleted if p.key is not None and p.has_ts == has_ts]
        if group:
            made.deleted.append(Files(_paths(root, group), has_ts))
    inline = [p for p in parts if p.key is None]
    if sum(p.size_bytes for p in inline) > INLINE_BYTES_MAX:
        raise ExecutionError("54000", f'too many rows of table "{table.name}" are in no file yet')
    rows = [await shard.fetch(p, ts, newest) for p in inline if p.kind == "+"]
    if rows or not made.inserted:
        shape = pa.schema(
            [pa.field("_rid", pa.int64()), *(pa.field(n, f.type) for n, f in zip(names, fields, strict=True))]
        )
        picked = [
            pa.table([r.column("_rid"), *(r.column(f.name) for f in fields)], schema=shape) for r in rows
        ]
        made.inserted_rows = pa.concat_tables(picked) if picked else shape.empty_table()
    gone = [await shard.fetch(p, ts) for p in inline if p.kind == "-"]
    if gone:
        made.deleted_rows = pa.concat_tables([g.select(["_rid"]) for g in gone])
    return made


def size_bytes(shards: Sequence[Shard]) -> int:
    """What a query over these would read at most, compressed."""
    return sum(p.size_bytes for s in shards for _, p in s.state.parts)


def _written(shard: Shard, version: int) -> pa.Schema:
    schemas = shard.state.schemas
    return decode_schema(shard.id, schemas[(version or len(schemas)) - 1])


def _root(url: str) -> str:
    """Where Spark finds the blobs. Raises 0A000."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return "file://" + unquote(parts.path).rstrip("/")
    if parts.scheme in ("s3", "s3a"):
        return f"s3a://{parts.netloc}{parts.path}".rstrip("/")
    if parts.scheme in ("gs", "abfs", "abfss"):
        return url.rstrip("/")
    raise ExecutionError(
        "0A000",
        f"the distributed engine cannot read a blob store at {parts.scheme}://",
        hint="Use file://, s3://, gs:// or abfss://.",
    )


def _paths(root: str, parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(f"{root}/{p.key}" for p in parts)
