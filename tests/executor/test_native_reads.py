"""Reading a table from its parts, as Spark does: what is described is what SQL says, for as long as it is held."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from executor.limits import ExecutorLimits
from storage import gc
from tests.executor.sql import Failed, Server

SMALL = ExecutorLimits(stage_rows=10, bulk_chunk_rows=40)


def session(body: Callable[[Server], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Server(SMALL) as server:
            await body(server)

    asyncio.run(run())


async def opened(server: Server, *tables: str, as_of: str = "", lease_s: int = 60) -> dict[str, Any]:
    names = json.dumps(tables)
    [(text,)] = await server.client().rows(f"SELECT tidewire_open_snapshot('{names}', '{as_of}', {lease_s})")
    found: dict[str, Any] = json.loads(text)
    return found


async def rows(server: Server, snapshot: dict[str, Any], table: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What a reader makes of the description: insertions less deletions."""
    inserted, gone = [], set()
    for part in table["parts"]:
        data = await server.env.blob.get(part["key"])
        read = pq.read_table(pa.BufferReader(data))
        assert read.num_rows == part["rows"] and len(data) == part["bytes"]
        if part["positional"]:
            rids = pa.array(range(part["rid_min"], part["rid_min"] + part["rows"]), pa.int64())
            read = read.append_column("_rid", rids)
        if part["filter"]:
            read = read.filter(pc.less_equal(read["_ts"], pa.scalar(snapshot["as_of"], pa.uint64())))
        if part["kind"] == "-":
            gone.update(read["_rid"].to_pylist())
        else:
            inserted += read.to_pylist()
    names = [c["name"] for c in table["columns"]]
    return sorted(tuple(r.get(n) for n in names) for r in inserted if r["_rid"] not in gone)


def test_parts_say_what_sql_says_at_every_time() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int PRIMARY KEY, v int); CREATE TABLE u (name text)")
        truth: list[tuple[int, Any, Any]] = []
        for n in range(6):
            await client.query(
                f"INSERT INTO t SELECT i, {n} FROM generate_series({100 * n}, {100 * n + 50}) i"
            )
            await client.query(f"INSERT INTO t VALUES ({100 * n + 60}, 0)")
            await client.query(f"UPDATE t SET v = v + 1000 WHERE k % 3 = {n % 3}")
            await client.query(f"DELETE FROM t WHERE k % 11 = {n}")
            await client.query(f"INSERT INTO u VALUES ('n{n}')")
            truth.append(
                (
                    server.env.oracle.read_ts(),
                    await client.rows("SELECT k, v FROM t ORDER BY k"),
                    await client.rows("SELECT name FROM u ORDER BY name"),
                )
            )
            if n == 3:
                await server.restart()
                client = server.client()
        await server.env.upkeep.maintain()
        for ts, t, u in truth:
            snapshot = await opened(server, "t", "public.u", as_of=str(ts))
            assert snapshot["as_of"] == ts
            assert await rows(server, snapshot, snapshot["tables"][0]) == t
            assert await rows(server, snapshot, snapshot["tables"][1]) == u

    session(body)


def test_a_held_snapshot_outlives_compaction_and_the_server() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int PRIMARY KEY, v int)")
        for n in range(20):
            await client.query(f"INSERT INTO t SELECT i, 0 FROM generate_series({50 * n}, {50 * n + 39}) i")
        snapshot = await opened(server, "t", lease_s=3600)
        before = await rows(server, snapshot, snapshot["tables"][0])
        await client.query("DELETE FROM t WHERE k % 2 = 0")
        await server.restart()
        env = server.env
        await env.apply_le(env.oracle.read_ts())
        [id] = [s for s in env.registered() if s == snapshot["reader"].split(":")[1]]
        shard = await env.shard(id)
        assert await shard.allow_since(env.oracle.read_ts()) == snapshot["as_of"], "the lease holds it back"
        await env.upkeep.maintain()
        await gc.collect(shard, gc.GcLimits(grace_us=-1))
        assert await rows(server, snapshot, snapshot["tables"][0]) == before
        renewed = "SELECT tidewire_renew_snapshot('{}', 60)".format(snapshot["reader"])
        [(until,)] = await server.client().rows(renewed)
        assert int(until) > env.clock.now_us()
        closed = "SELECT tidewire_close_snapshot('{}')".format(snapshot["reader"])
        assert await server.client().rows(closed) == [(True,)]
        assert await server.client().rows(closed) == [(False,)]
        assert await shard.allow_since(env.oracle.read_ts()) > snapshot["as_of"]
        with pytest.raises(Failed) as failed:
            await server.client().query(renewed)
        assert failed.value.sqlstate == "55000"

    session(body)


def test_the_description_tells_types_keys_and_what_was_renamed() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int PRIMARY KEY, v varchar(5) NOT NULL)")
        await client.query("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 20) i")
        await client.query("ALTER TABLE t RENAME COLUMN v TO w; ALTER TABLE t ADD COLUMN more int")
        [table] = (await opened(server, "t"))["tables"]
        assert [(c["name"], c["attnum"], c["type"], c["not_null"]) for c in table["columns"]] == [
            ("k", 1, "integer", True), ("w", 2, "character varying(5)", True), ("more", 3, "integer", False),
        ]  # fmt: skip
        assert (table["schema"], table["name"], table["key"]) == ("public", "t", ["k"])

    session(body)


def test_tables_are_opened_as_they_were_before_ddl() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int PRIMARY KEY, v text, w int); CREATE TABLE gone (name text)")
        await client.query(
            "INSERT INTO t SELECT i, i::text, i FROM generate_series(1, 50) i; INSERT INTO gone VALUES ('x')"
        )
        await client.query("INSERT INTO t VALUES (51, 'few', 51); DELETE FROM t WHERE k <= 10")
        then = server.env.oracle.read_ts()
        told = sorted(await client.rows("SELECT * FROM t"))
        await client.query("ALTER TABLE t DROP COLUMN v")
        await client.query("DROP TABLE gone; INSERT INTO t VALUES (1, 1)")
        await server.env.apply_le(server.env.oracle.read_ts())
        await server.env.upkeep.work()
        for _ in range(2):
            snapshot = await opened(server, "t", "gone", as_of=str(then))
            t, gone = snapshot["tables"]
            assert [c["name"] for c in t["columns"]] == ["k", "v", "w"]
            assert await rows(server, snapshot, t) == told
            assert await rows(server, snapshot, gone) == [("x",)]
            reader = snapshot["reader"]
            assert await server.client().rows(f"SELECT tidewire_renew_snapshot('{reader}', 60) <> ''") == [
                (True,)
            ]
            assert await server.client().rows(f"SELECT tidewire_close_snapshot('{reader}')") == [(True,)]
            await client.query("TRUNCATE t")

    session(body)


def test_what_cannot_be_opened() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE old (k int)")
        before = server.env.oracle.read_ts()
        await client.query("CREATE TABLE t (k int); CREATE ROLE ann")
        for arguments, code in (
            ("'[\"nobody\"]', '', 60", "42P01"),
            ("'t', '', 60", "22023"),
            ("'[]', '', 60", "22023"),
            ("'[\"t\"]', 'yesterday', 60", "22023"),
            ("'[\"t\"]', '1', 60", "22023"),
            ("'[\"t\"]', '9000000000000000', 60", "22023"),
            ("'[\"t\"]', '', 1", "22023"),
            (f"'[\"t\"]', '{before}', 60", "42P01"),
        ):
            if code == "22023" and "'1'" in arguments:
                server.env.holds.since = max(server.env.holds.since, 2)
            with pytest.raises(Failed) as failed:
                await client.query(f"SELECT tidewire_open_snapshot({arguments})")
            assert failed.value.sqlstate == code, arguments
        with pytest.raises(Failed) as failed:
            await client.query("SELECT tidewire_close_snapshot('../../etc')")
        assert failed.value.sqlstate == "22023"
        await client.query("SET SESSION AUTHORIZATION ann")
        with pytest.raises(Failed) as failed:
            await client.query("SELECT tidewire_open_snapshot('[\"t\"]', '', 60)")
        assert failed.value.sqlstate == "42501"

    session(body)
