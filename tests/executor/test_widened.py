"""Tables from the time when an xid8 was held in an int64: a server that opens them gives their shards a schema that holds all of it."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from executor.ddl import run
from executor.ddl.schema import shard_schema
from planner.abc import Table
from tests.executor.sql import Server

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
