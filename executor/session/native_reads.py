"""For readers that read a table's parts themselves (Spark): which parts, and a hold on them while they do.

    tidewire_open_snapshot(tables, as_of, lease_s)   one timestamp for all tables; JSON: parts, columns, blob store
    tidewire_renew_snapshot(reader, lease_s)         the hold lasts on; says until when
    tidewire_close_snapshot(reader)                  the hold ends; what was written for the reader goes
    tidewire_describe(table)                         columns, key, blob store, and a fresh folder for staged files

Opening brings everything committed up to the timestamp into the data shards, takes a lease on each of them
(`storage.shard.readers`), and describes the parts that make up the tables then:

    rows as of the timestamp  =  rows of the "+" parts, less those whose _rid is in a "-" part
    of a part with `has_ts`, only the rows whose _ts is not beyond the timestamp
    of a file without _rid, row i has the id rid_min + i

Rows that lie in the shard's log (small commits) are written to a blob beside the reader's, so that a reader needs to
know about Parquet alone. A lease is durable: it outlives this server, and ends by itself when nobody renews it. With a
lease goes `since`: while it lasts, the history from its timestamp on is kept.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError
from executor.ddl.schema import shard_schema
from executor.distributed.missing import lacking
from executor.past.tables import shard_of
from executor.session import as_of as past
from executor.session import relations, restricted
from executor.session.permissions import require
from planner import types as t
from planner.abc import Table
from planner.catalog import Catalog
from planner.catalog.names import split_name
from planner.partitioning import refuse
from storage.abc import LeaseExpired, Part, ShardId, SinceViolation, Timestamp
from storage.gc import STAGED
from storage.parts import RID_FIELD, PartStore
from storage.shard.readers import LeasedReader
from storage.shard.shard import Shard

if TYPE_CHECKING:
    from executor.session.session import Session

LEASE_MIN_S, LEASE_MAX_S = 10, 86_400
TABLES_MAX = 1_000
_READER = re.compile(r"[0-9a-f]{32}(:[A-Za-z0-9_]+)+")


async def open_snapshot(session: Session, tables: str | None, as_of: str | None, lease_s: int | None) -> str:
    """See the module. `tables`: a JSON array of names. `as_of`: a timestamp of the log, '' what the session sees.

    Raises 42P01, 42501, 22023, 0A000.
    """
    env, catalog = session.executor.env, session.catalog
    lease_us, names = _lease_us(lease_s), _names(tables)
    ts = await _time(session, as_of or "")
    if as_of:
        catalog = await session.executor.past.at(ts, session.database)
    found = [_table(session, catalog, name) for name in names]
    for table in found:
        require(session, table, "SELECT", catalog=catalog)
        _refuse_policies(session, table)
        if not catalog.past and table.shard not in env.registered():
            raise ExecutionError(
                "0A000",
                f'reading table "{table.name}" natively in the transaction that creates it is not supported',
            )
        relations.was_there(session, table, ts)
    reader = secrets.token_hex(16)
    hold = env.holds.acquire(ts)
    try:
        described = [await _opened(session, catalog, table, ts, reader, lease_us) for table in found]
    finally:
        env.holds.release(hold)
    return json.dumps(
        {
            "reader": ":".join([reader, *dict.fromkeys(shard_of(table.shard) for table in found)]),
            "as_of": ts,
            "expires_us": env.clock.now_us() + lease_us,
            "blob": env.blob.url,
            "tables": described,
        }
    )


def _refuse_policies(session: Session, table: Table) -> None:
    """Parts hold all rows of a table: they are for those who see them all. Raises 42501."""
    now = session.catalog.get(table.oid)
    if any(isinstance(x, Table) and restricted.restricts(session, x) for x in (table, now)):
        raise ExecutionError(
            "42501",
            f'table "{table.name}" cannot be read natively, for row-level security policies restrict what the user sees of it',
        )


def _names(tables: str | None) -> list[str]:
    try:
        names = json.loads(tables or "")
    except ValueError:
        names = None
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise ExecutionError("22023", "tables are a JSON array of names")
    if len(names) > TABLES_MAX:
        raise ExecutionError("54000", f"more than {TABLES_MAX} tables")
    return names


def _table(session: Session, catalog: Catalog, name: str) -> Table:
    schema, bare = split_name(name)
    found = catalog.resolve_table(bare, schema, session.search_path(), -1)
    refuse(found, "a snapshot")
    return found


def _lease_us(lease_s: int | None) -> int:
    if lease_s is None or not LEASE_MIN_S <= lease_s <= LEASE_MAX_S:
        raise ExecutionError("22023", f"a lease lasts from {LEASE_MIN_S} to {LEASE_MAX_S} seconds")
    return lease_s * 1_000_000


async def _time(session: Session, as_of: str) -> Timestamp:
    if as_of:
        if not as_of.isdigit():
            raise ExecutionError("22023", f'"{as_of}" is no timestamp of the log')
        return await past.readable(session, int(as_of))
    if session.block is not None:
        return session.block.read_ts
    return session.pinned if session.pinned is not None else session.executor.env.oracle.read_ts()


async def _opened(
    session: Session, catalog: Catalog, table: Table, ts: Timestamp, reader: str, lease_us: int
) -> dict[str, Any]:
    env, id = session.executor.env, shard_of(table.shard)
    if id in env.registered():
        await env.make_physical(id, ts)
    else:  # of a table that has been dropped, truncated or rewritten since
        await env.applier.apply_shard(id, ts)
    shard = await env.shard(id)
    try:
        await shard.lease(reader, lease_us, ts)
        parts = await shard.snapshot(ts, complete=True)
    except SinceViolation as e:
        raise ExecutionError(
            "22023",
            "the timestamp is older than the history that is kept",
            detail=f"History is kept from timestamp {e.since} on.",
        ) from e
    files = [part for part in parts if part.key is not None]
    for kind in "+-":
        inline = [p for p in parts if p.key is None and p.kind == kind]
        if inline and (written := await _written(shard, shard_schema(table), inline, ts, reader)) is not None:
            files.append(written)
    return {
        **_columns(catalog, table),
        "parts": [
            {**_described(part, ts, reader), "lacks": lacking(shard, part, table)}
            for part in files
            if part.row_count
        ],
    }


def _columns(catalog: Catalog, table: Table) -> dict[str, Any]:
    shown = [i for i, c in enumerate(table.columns) if not c.hidden]
    stored = shard_schema(table)
    return {
        "schema": catalog.schema_of(table.schema_oid).name,
        "name": table.name,
        "columns": [
            {
                "name": c.name,
                "attnum": c.attnum,
                "oid": t.base_of(c.type).oid,
                "typmod": t.base_of(c.type).typmod,
                "type": t.format_type(c.type),
                "not_null": c.not_null,
                "generated": bool(c.generated),
            }
            for c in (table.columns[i] for i in shown)
        ],
        "key": [table.columns[i].name for i in table.key_indexes],
        "arrow": base64.b64encode(
            pa.schema([stored.field(i) for i in shown]).serialize().to_pybytes()
        ).decode(),
    }


def describe(session: Session, name: str | None) -> str:
    """What a writer of staged files needs to know. Raises 42P01, 42501."""
    table = _table(session, session.catalog, name or "")
    require(session, table, "SELECT")
    folder = f"{STAGED}{secrets.token_hex(16)}"
    blob = session.executor.env.blob.url
    return json.dumps({**_columns(session.catalog, table), "blob": blob, "folder": folder})


async def _written(
    shard: Shard, schema: pa.Schema, inline: list[Part], ts: Timestamp, reader: str
) -> Part | None:
    """Parts of the log as one blob, for this reader alone."""
    tables = []
    for part in inline:
        rows = await shard.fetch(part, ts, schema)
        tables.append(rows.drop_columns(["_ts"]) if "_ts" in rows.column_names else rows)
    together = pa.concat_tables(tables)
    if not together.num_rows:
        return None
    together = together.set_column(0, RID_FIELD, together.column(0))
    store = PartStore(
        shard.parts.blob,
        shard.parts.rng,
        writer=shard.id,
        offload=shard.parts.offload,
        limits=shard.parts.limits,
    )
    return await store.write(f"{STAGED}{reader}", inline[0].kind, together, ts)


def _described(part: Part, ts: Timestamp, reader: str) -> dict[str, Any]:
    """What a reader needs of a part, beside what it lacks. `filter`: some of its rows lie beyond the timestamp; `positional`: no _rid."""
    key = part.key or ""
    return {
        "kind": part.kind,
        "key": part.key,
        "rows": part.row_count,
        "bytes": part.size_bytes,
        "checksum": part.checksum,
        "rid_min": part.rid_min,
        "rid_max": part.rid_max,
        "filter": part.has_ts and part.newest_ts > ts,
        "positional": key.startswith(STAGED) and not key.startswith(f"{STAGED}{reader}/"),
    }


def _shards(reader: str | None) -> tuple[str, list[str]]:
    if reader is None or not _READER.fullmatch(reader):
        raise ExecutionError("22023", "that is no reader's name")
    name, *shards = reader.split(":")
    return name, shards


def _is_kept(session: Session, id: ShardId) -> bool:
    """Whether the shard is a table's, or was and has not been buried."""
    state = session.executor.env.txns.state
    return id in state.registered or id in state.graves


async def renew_snapshot(session: Session, reader: str | None, lease_s: int | None) -> str:
    """The hold lasts from now on. Raises 55000 when it has ended already."""
    env = session.executor.env
    lease_us = _lease_us(lease_s)
    name, shards = _shards(reader)
    for id in shards:
        try:
            if not _is_kept(session, id):
                raise LeaseExpired(f"shard {id} was dropped")
            await LeasedReader((await env.shard(id)).log, name, lease_us).renew()
        except LeaseExpired as e:
            raise ExecutionError(
                "55000",
                "the hold on the snapshot has expired",
                hint="Open the snapshot anew, and read again.",
            ) from e
    return str(env.clock.now_us() + lease_us)


async def close_snapshot(session: Session, reader: str | None) -> bool:
    """Ends the hold. False: it had ended already."""
    env = session.executor.env
    name, shards = _shards(reader)
    held = False
    for id in shards:
        if _is_kept(session, id):
            shard = await env.shard(id)
            held = held or name in shard.state.leased
            await LeasedReader(shard.log, name, 1).release()
    written = [b.key async for b in env.blob.list(f"{STAGED}{name}/")]
    for key in written:
        await env.blob.delete(key)
    return held
