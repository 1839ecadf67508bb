"""Tables from the time when an xid8 was held in an int64: a server that opens them gives their shards a schema that holds all of it."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from executor.ddl import run
from executor.ddl.schema import shard_schema
from executor.following import CATALOG_SHARD
from planner.abc import Table
from tests.executor.shared import Servers
from tests.executor.sql import Server
from txn.transaction import Transaction

WIDEST = 2**64 - 1


def _as_it_was(table: Table) -> bytes:
    fields = [f.with_type(pa.int64()) if f.type == pa.uint64() else f for f in shard_schema(table)]
    return bytes(pa.schema(fields).serialize().to_pybytes())


def test_old_rows_and_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(_old_and_new(monkeypatch))


async def _old_and_new(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Server() as server:
        with monkeypatch.context() as then:
            then.setattr(run, "schema_bytes", _as_it_was)
            await server.run("a", "CREATE TABLE t (k int PRIMARY KEY, x xid8)")
            await server.run("a", "INSERT INTO t SELECT g, g::text::xid8 FROM generate_series(1, 5000) g")
        await server.run("a", "INSERT INTO t VALUES (6000, '7')")
        await server.env.apply_le(server.env.oracle.read_ts())
        await server.restart(crash=False)
        await server.run("b", f"INSERT INTO t VALUES (6001, '{WIDEST}')")
        await server.env.apply_le(server.env.oracle.read_ts())
        await server.restart()
        found = await server.client("c").rows("SELECT k, x FROM t WHERE k > 4999 ORDER BY k")
        assert found == [(5000, 5000), (6000, 7), (6001, WIDEST)]
        assert await server.client("c").rows("SELECT count(*), min(x), max(x) FROM t") == [(5002, 1, WIDEST)]


def test_beside_a_server_that_alters_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it alters comes between the look at the table and the commit of its wider schema."""
    asyncio.run(_beside_another(monkeypatch))


async def _beside_another(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Servers(synchronous=True) as servers:
        altered = False

        async def alter() -> None:
            nonlocal altered
            if not altered:
                altered = True
                await servers.run("a", "ALTER TABLE t ADD COLUMN late int DEFAULT 3")

        with monkeypatch.context() as then:
            then.setattr(run, "schema_bytes", _as_it_was)
            await servers.run("a", "CREATE TABLE t (k int PRIMARY KEY, x xid8)")
            commit = Transaction.commit

            async def late(txn: Transaction) -> int:
                if any(shard != CATALOG_SHARD for shard, _ in txn.writes.registered):
                    await alter()
                return await commit(txn)

            then.setattr(Transaction, "commit", late)
            b = await servers.server("b")
        assert altered
        (table,) = [t for t in b.executor.catalog.all_tables() if t.name == "t"]
        registered = pa.ipc.read_schema(pa.py_buffer(b.env.registered()[table.shard]))
        assert registered.types == [pa.int32(), pa.uint64(), pa.int32()]
        assert await servers.run("b", f"INSERT INTO t VALUES (1, '{WIDEST}', 5)") == "INSERT 0 1"
        assert f"1|{WIDEST}|5" in await servers.run("a", "SELECT * FROM t")
