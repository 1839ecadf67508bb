"""`retention` says how long a table's history is kept: what AS OF reads, and what compaction may forget."""

from __future__ import annotations

import asyncio

import pytest

from executor.executor import Executor
from planner.abc import Table
from storage.abc import Clock
from tests.executor.sql import Failed, Server
from txn.environment import Environment
from txn.limits import Limits
from txn.oracle import SystemClock

HOUR_S = 3600


class Ahead:
    """The machine's clock, and as much as the test says."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.seconds = 0

    def now_us(self) -> int:
        return self._clock.now_us() + self.seconds * 1_000_000


def later(server: Server, seconds: int) -> None:
    """Time passes, and the upkeep looks at it."""
    env = server.env
    if not isinstance(env.holds._clock, Ahead):
        env.holds._clock = env.retention._clock = Ahead(env.clock)
    env.holds._clock.seconds += seconds
    env.retention.advance(env.oracle.read_ts())
    env.holds.advance(env.oracle.read_ts())


async def made(server: Server) -> int:
    """Three tables with a past; the timestamp at which all of them said 1."""
    a = server.client("a")
    await a.query("create table brief (id int primary key, v int) with (retention = '5 minutes')")
    await a.query("create table usual (id int primary key, v int)")
    await a.query("create table lasting (id int primary key, v int)")
    await a.query("alter table lasting set (retention = '1 day')")
    for table in ("brief", "usual", "lasting"):
        await a.query(f"insert into {table} values (1, 1)")
    then = server.executor.read_ts()
    for table in ("brief", "usual", "lasting"):
        await a.query(f"update {table} set v = 2")
    return then


async def remembers(server: Server, table: str, ts: int) -> bool:
    """Whether the table can be read as of then: by key and by query, with the same answer."""
    answers = []
    for where in ("where id = 1", "where v > 0"):
        try:
            found = await server.client("a").rows(f"select v from {table} {where} as of timestamp {ts}")
            assert found == [(1,)]
            answers.append(True)
        except Failed as failed:
            assert failed.sqlstate == "22023"
            answers.append(False)
    assert answers[0] == answers[1]
    return answers[0]


def test_each_table_has_its_own_window() -> None:
    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            for passed_s, kept in (
                (0, {"brief", "usual", "lasting"}),
                (HOUR_S // 6, {"usual", "lasting"}),
                (2 * HOUR_S, {"lasting"}),
                (48 * HOUR_S, set()),
            ):
                later(server, passed_s)
                for table in ("brief", "usual", "lasting"):
                    assert await remembers(server, table, then) == (table in kept), (table, passed_s)
            assert await server.client("a").rows("select v from brief") == [(2,)]

    asyncio.run(run())


def test_the_error_names_the_table_and_the_present_goes_on() -> None:
    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            later(server, HOUR_S // 6)
            with pytest.raises(Failed, match='history of table "brief"'):
                await server.client("a").rows(
                    f"select * from usual join brief using (id) as of timestamp {then}"
                )
            await server.client("a").query("alter table brief reset (retention)")
            await server.client("a").query("insert into brief values (2, 2)")
            assert await server.client("a").rows("select count(*) from brief") == [(2,)]
            for bad in ("'soon'", "'-1 hour'", "'100 years'"):
                with pytest.raises(Failed, match="retention") as failed:
                    await server.client("a").query(f"alter table brief set (retention = {bad})")
                assert failed.value.sqlstate == "22023"
            await server.client("a").query("alter table brief set (fillfactor = 70)")

    asyncio.run(run())


def test_an_open_snapshot_keeps_what_it_reads() -> None:
    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            reader = server.client("reader")
            await reader.query(f"begin as of timestamp {then}")
            assert await reader.rows("select v from brief") == [(1,)]
            later(server, 20 * HOUR_S)
            assert await reader.rows("select v from brief where v < 9") == [(1,)]
            await reader.query("commit")
            later(server, HOUR_S)
            assert not await remembers(server, "brief", then)

    asyncio.run(run())


def test_compaction_forgets_by_table_and_a_restart_does_not_remember() -> None:
    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            later(server, HOUR_S // 6)
            env = server.env
            shards = {name: server.executor.catalog.resolve_table(name).shard for name in ("brief", "usual")}
            await env.apply_le(env.oracle.read_ts())
            await env.upkeep._send_since(env.holds.since)
            assert (await env.shard(shards["brief"])).since > then
            assert (await env.shard(shards["usual"])).since <= then
            await server.client("a").query("alter table brief set (retention = '1 day')")
            await server.restart()
            assert not await remembers(server, "brief", then), "a longer window brings nothing back"
            assert await remembers(server, "usual", then)

    asyncio.run(run())


def test_a_table_as_it_was_defined_once_has_the_tables_window() -> None:
    """Its rows are in an image of their own, made of its files: that one's history is the table's."""

    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            await server.client("a").query("alter table lasting alter v type text")
            await server.restart()
            server.env.retention.default_s = 0
            later(server, 2 * HOUR_S)
            assert await remembers(server, "lasting", then)
            later(server, 2 * HOUR_S)
            assert await remembers(server, "lasting", then)

    asyncio.run(run())


def test_upkeep_that_passes_while_a_server_starts_forgets_nothing() -> None:
    """It does not know yet how long tables want their history kept, nor who follows: an hour's was left of all of them."""

    async def run() -> None:
        async with Server() as server:
            then = await made(server)
            a = server.client("a")
            await a.query("select pg_create_logical_replication_slot('away', 'test_decoding')")
            await a.query("insert into usual values (2, 2)")
            blob, consensus = server.env.blob, server.env.consensus
            server.clients.clear()
            server.env.abandon()
            await server.executor.close()
            clock = Ahead(SystemClock())
            clock.seconds = 3 * HOUR_S
            server.env = await Environment.open(
                blob=blob, consensus=consensus, clock=clock, limits=Limits(pass_s=0.0, since_step_s=0.0)
            )
            server.executor = await Executor.open(server.env)
            for _ in range(100):
                await asyncio.sleep(0)
            assert await remembers(server, "lasting", then)
            told = "select data from pg_logical_slot_get_changes('away', null, null, 'include-xids', '0')"
            assert await server.client("a").rows(told) == [
                ("BEGIN",),
                ("table public.usual: INSERT: id[integer]:2 v[integer]:2",),
                ("COMMIT",),
            ]

    asyncio.run(run())


def test_every_way_to_make_a_table_takes_a_retention_and_the_catalog_shows_it() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("create table said (id int) with (retention = '5 minutes', fillfactor = 70)")
            await a.query("create table filled with (retention = '1 day 02:00:00') as select 1 as id")
            await a.query("create materialized view kept with (retention = '3 days') as select 1 as id")
            await a.query("create table later (id int)")
            await a.query("alter table later set (retention = '0')")
            await a.query("create table unsaid (id int)")
            shown = dict(
                await a.rows(
                    "select relname, reloptions from pg_class where relkind in ('r', 'm')"
                    " and relnamespace = 'public'::regnamespace"
                )
            )
            assert shown == {
                "said": "{fillfactor=70,retention=00:05:00}",
                "filled": '{"retention=1 day 02:00:00"}',
                "kept": '{"retention=3 days"}',
                "later": "{retention=00:00:00}",
                "unsaid": None,
            }
            windows = server.executor.catalogs.windows()
            assert sorted(windows.values()) == [0, 300, 93_600, 259_200]

    asyncio.run(run())


def test_a_clock_set_forward_and_back_keeps_no_history_for_longer() -> None:
    """Timestamps go on from where they were, a microsecond a commit; what was promised is an hour, or a table's own window."""

    async def run() -> None:
        async with Server() as server:
            await made(server)
            a = server.client("a")
            await a.query("alter table lasting set (retention = '1 hour')")
            later(server, 0)
            env = server.env
            clock = env.holds._clock
            assert isinstance(clock, Ahead)
            passed_s = 1_000.0
            env.holds._monotonic_s = lambda: passed_s
            env.oracle._clock = clock
            clock.seconds = 24 * HOUR_S
            await a.query("update brief set v = 3")
            clock.seconds = 0
            for table in ("brief", "usual"):
                await a.query(f"update {table} set v = 4")
            then = server.executor.read_ts()
            for table in ("brief", "usual"):
                await a.query(f"update {table} set v = 5")

            def passes(seconds: int) -> None:
                nonlocal passed_s
                for _ in range(20):
                    passed_s += seconds / 20
                    env.retention.advance(env.oracle.read_ts())
                    env.holds.advance(env.oracle.read_ts())

            env.retention.advance(env.oracle.read_ts())
            env.holds.advance(env.oracle.read_ts())
            passes(240)
            assert env.retention.since(_shard(server, "brief")) <= then
            assert env.holds.since <= then
            await a.query("update usual set v = 6")
            passes(120)
            assert env.retention.since(_shard(server, "brief")) > then
            assert env.retention.since(_shard(server, "usual")) <= then
            passes(HOUR_S)
            assert env.retention.since(_shard(server, "usual")) > then
            assert env.holds.since > then

    asyncio.run(run())


def _shard(server: Server, name: str) -> str:
    catalog = server.client("a").session.catalog
    return next(t.shard for t in catalog.objects(Table) if t.name == name)
