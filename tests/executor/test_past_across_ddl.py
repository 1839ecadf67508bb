"""AS OF x answers what the same statement answered at x, whatever DDL has done since: columns, names, types, views, rows.

A story is a list of statements. After each of them every question is asked of the present and its answer written down:
rows, column names and types, or the SQLSTATE. At the end, and after a restart, each has to be had again from the past; asked
is as of the last moment before it became another.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from executor.limits import ExecutorLimits
from executor.past import catalogs, tables
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits
from tests.executor.shared import Servers
from tests.executor.sql import Client, Failed, Server
from tests.executor.test_retention import HOUR_S, later

QUESTIONS = (
    "select * from t order by 1",
    "select * from t where id = 1",
    "select t from t where id = 2",
    "select a from t where id in (1, 3) order by a",
    "select count(*), max(id) from t",
    "select * from v order by 1",
    "select * from s.t order by 1",
    "select x.*, y.id from t x join t y on x.id = y.id order by 1, 3",
    "select attname from pg_attribute where attrelid = 't'::regclass and attnum > 0 order by attnum",
    "select relname from pg_class where relname in ('t', 'u', 'v') order by 1",
)

START = (
    "create table t (id int primary key, a text, b int)",
    "insert into t values (1, 'one', 10), (2, 'two', 20)",
    "create view v as select id, a from t where id < 100",
)

STORIES: dict[str, tuple[str, ...]] = {
    "truncate": (
        "truncate t",
        "insert into t values (1, 'again', 0)",
        "truncate t",
        "update t set a = 'none'",
    ),
    "truncate in a transaction": (
        "begin; insert into t values (3, 'three', 30); truncate t; insert into t values (4, 'four', 40); commit",
        "begin; truncate t; rollback",
        "delete from t",
    ),
    "add column": (
        "alter table t add column c int",
        "update t set c = id",
        "insert into t values (3, 'three', 30, 33)",
        "alter table t add column d text",
        "delete from t where id = 2",
    ),
    "drop column": (
        "alter table t drop column b",
        "insert into t values (3, 'three')",
        "update t set a = a || '!'",
        "alter table t add column b text",
        "update t set b = 'new'",
        "alter table t drop column b",
    ),
    "drop the key": (
        "alter table t drop constraint t_pkey",
        "insert into t values (1, 'one more', 11)",
        "delete from t where b = 10",
        "alter table t add primary key (id)",
        "update t set b = 5",
    ),
    "rename": (
        "alter table t rename column a to aa",
        "update t set aa = 'named'",
        "alter table t rename to u",
        "create table t (id int primary key, a int)",
        "insert into t values (1, 111)",
        "alter view v rename to w",
    ),
    "names change places": (
        "drop view v; alter table t rename a to x; alter table t rename b to a; alter table t rename x to b",
        "update t set a = 7 where id = 1",
    ),
    "rewrites": (
        "alter table t add column c float8 default random()",
        "alter table t alter column b type text using b || '?'",
        "insert into t values (3, 'three', 'x')",
        "alter table t add column d int default 7",
        "alter table t alter column id type bigint",
    ),
    "drop and create": (
        "drop table t cascade",
        "create table t (id text, a text)",
        "insert into t values ('1', 'other')",
        "drop table t",
    ),
    "views": (
        "create or replace view v as select id, a, b from t where id = 1",
        "drop view v",
        "create view v as select 1 as z",
        "create table u (id int); insert into u values (1); drop view v; create view v as select * from u",
        "drop table u cascade",
    ),
    "schemas": (
        "create schema s; create table s.t (k int primary key, w text); insert into s.t values (1, 'w')",
        "alter table t set schema s2",
        "create schema s2; alter table t set schema s2",
        "drop schema s cascade",
        "drop schema s2 cascade",
    ),
    "types": (
        "create type mood as enum ('sad', 'ok'); alter table t add column m mood; update t set m = 'ok'",
        "alter type mood add value 'happy' before 'ok'; update t set m = 'happy'",
        "alter table t drop column m; drop type mood",
        "create type pair as (l int, r int); alter table t add column p pair; update t set p = row(1, id)",
        "alter type pair rename attribute l to left_one",
        "drop view v; drop table t; drop type pair",
    ),
    "shapes in a transaction": (
        "begin; update t set a = 'seen'; alter table t add column c int; update t set c = 1; commit",
        "begin; alter table t drop column b; alter table t add column b int; rollback",
        "begin; drop table t cascade; create table t (id int primary key); insert into t values (9); commit",
    ),
    "indexes and constraints": (
        "create index on t (b); create unique index on t (a)",
        "alter table t add check (b > 0); alter table t alter a set not null",
        "drop index t_b_idx; alter table t alter a drop not null; insert into t values (5, null, 5)",
    ),
}


async def answer(client: Client, question: str) -> Any:
    try:
        _, rows, columns = (await client.query(question))[-1]
    except Failed as failed:
        return failed.sqlstate
    return rows, [(c.name, c.type) for c in columns]


async def told(server: Server, story: tuple[str, ...]) -> list[tuple[int, str, str, Any]]:
    """(timestamp, the statement that came after it, question, answer) of each answer that was the last of its kind."""
    last: list[tuple[int, str, str, Any]] = []
    before: dict[str, Any] = {}
    client = server.client("teller")
    for statement in ("select 1", *START, *story):
        ts = server.executor.read_ts()
        try:
            await client.query(statement)
        except Failed:
            await client.query("rollback")
        for question in QUESTIONS:
            now = await answer(client, question)
            if question in before and before[question] != now:
                last.append((ts, statement, question, before[question]))
            before[question] = now
    return last


async def by_statement(server: Server, ts: int, question: str) -> Any:
    return await answer(server.client("statement"), f"{question} as of timestamp {ts}")


async def in_a_block(server: Server, ts: int, question: str) -> Any:
    client = server.client("block")
    await client.query(f"begin as of timestamp {ts}")
    try:
        return await answer(client, question)
    finally:
        await client.query("rollback")


async def by_a_pinned_session(server: Server, ts: int, question: str) -> Any:
    client = server.client("pinned")
    await client.query(f"set tidewire.as_of = '{ts}'")
    return await answer(client, question)


WAYS: tuple[Callable[[Server, int, str], Awaitable[Any]], ...] = (
    by_statement,
    in_a_block,
    by_a_pinned_session,
)


async def compacted(server: Server) -> None:
    """All parts of every shard become as few as can be."""
    env = server.env
    await env.apply_le(env.oracle.read_ts())
    for shard in list(env.txns.state.registered):
        handle = await env.shard(shard)
        limits = CompactionLimits(inline_parts_max=1, fanout=1)
        await Compactor(handle, limits=limits).run(2)


QUICK = ("truncate", "drop column", "rewrites", "drop and create", "shapes in a transaction")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.soak) for n in STORIES]
)
def test_the_past_is_what_it_was(name: str) -> None:
    async def run() -> None:
        async with Server() as server:
            answers = await told(server, STORIES[name])
            for when in ("at once", "compacted, after a restart"):
                for number, (ts, statement, question, expected) in enumerate(answers):
                    way = WAYS[number % len(WAYS)]
                    found = await way(server, ts, question)
                    assert found == expected, (when, way.__name__, "before", statement, ":", question)
                if when == "at once":
                    await compacted(server)
                    await server.restart()

    asyncio.run(run())


@pytest.mark.parametrize(
    "ddl", ["drop table t cascade", "alter table t rename a to z", "alter table t rename to u"]
)
def test_a_block_that_began_in_the_present_stays_at_its_time_when_the_catalog_goes_on(ddl: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client, reader = server.client(), server.client("reader")
            for statement in START:
                await client.query(statement)
            await reader.query(f"begin as of timestamp {server.executor.read_ts()}")
            before = await reader.rows("select id, a from t order by id")
            await client.query(ddl)
            assert await reader.rows("select id, a from t order by id") == before
            assert await reader.rows("select a from t where id = 2") == [("two",)]

    asyncio.run(run())


DROPPING = ("truncate", "rewrites", "drop and create", "shapes in a transaction")


@pytest.mark.parametrize("name", DROPPING)
def test_the_past_of_dropped_tables_is_made_of_their_parts(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is when more have been dropped than images are kept of."""

    async def run() -> None:
        async with Server() as server:
            store = server.executor.store
            monkeypatch.setattr(store, "limits", dataclasses.replace(store.limits, dropped_images_max=0))
            answers = await told(server, STORIES[name])
            assert not [i for i in store._images.values() if i.dropped_ts is not None]
            for number, (ts, statement, question, expected) in enumerate(answers):
                way = WAYS[number % len(WAYS)]
                assert await way(server, ts, question) == expected, (
                    way.__name__,
                    "before",
                    statement,
                    question,
                )

    asyncio.run(run())


def test_images_of_dropped_tables_are_few_but_for_those_that_an_open_snapshot_may_read() -> None:
    async def run() -> None:
        async with Server() as server:
            store, client, reader = server.executor.store, server.client(), server.client("reader")
            most = store.limits.dropped_images_max
            for n in range(most):
                await client.query(f"create table gone{n} (a int); insert into gone{n} values ({n})")
                await client.query(f"drop table gone{n}")
            await client.query("create table t (a int); insert into t values (7)")
            await reader.query(f"begin as of timestamp {server.executor.read_ts()}")
            await reader.query("select a from t")
            for n in range(most + 5):
                await client.query(f"create table more{n} (a int)")
                await client.query(f"drop table more{n}")
            await client.query("drop table t")
            left = [i for i in store._images.values() if i.dropped_ts is not None]
            assert len(left) == most + 6  # what was dropped before the snapshot went, the rest may be read
            assert await reader.rows("select a from t") == [(7,)]
            await reader.query("commit")
            await client.query("create table last (a int)")
            await client.query("drop table last")
            assert len([i for i in store._images.values() if i.dropped_ts is not None]) == most

    asyncio.run(run())


def test_tables_that_wait_for_other_things_are_dropped_together() -> None:
    """One commit drops more tables than images are kept of, and some of them were altered before: each goes once."""

    async def run() -> None:
        async with Server() as server:
            store, client = server.executor.store, server.client()
            most = store.limits.dropped_images_max
            await client.query("create schema x")
            for n in range(most + 4):
                await client.query(f"create table x.t{n} (a int); insert into x.t{n} values ({n})")
            for n in reversed(range(most + 4)):
                await client.query(f"alter table x.t{n} rename a to b")
            before = server.executor.read_ts()
            await client.query("drop schema x cascade")
            assert len([i for i in store._images.values() if i.dropped_ts is not None]) == most
            await client.query(f"begin as of timestamp {before}")
            assert [await client.rows(f"select b from x.t{n}") for n in range(most + 4)] == [
                [(n,)] for n in range(most + 4)
            ]

    asyncio.run(run())


async def upkeep(server: Server) -> None:
    """What the background does by and by: applies, forgets, tells since, buries."""
    env = server.env
    await server.client("other").query(
        "create table if not exists other (x int); insert into other values (1)"
    )
    for _ in range(3):
        await env.apply_le(env.oracle.read_ts())
        env.upkeep._since_sent_s = -1e9
        env.upkeep._quiet_since_s = -1e9
        await env.upkeep.work()
    assert env.upkeep.failed_passes == 0


async def blobs(server: Server, shards: list[str]) -> list[str]:
    return [b.key for shard in shards for b in [x async for x in server.env.blob.list(f"{shard}/")]]


def test_what_is_gone_is_kept_for_as_long_as_its_window_and_then_its_disk_comes_back() -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(stage_rows=10, bulk_chunk_rows=1000)) as server:
            client = server.client()
            shards = {}
            windows = {
                "brief": "with (retention = '5 minutes')",
                "usual": "",
                "lasting": "with (retention = '1 day')",
            }
            for table, window in windows.items():
                await client.query(f"create table {table} (id int primary key, v text) {window}")
                await client.query(
                    f"insert into {table} select i, repeat('x', 50) || i from generate_series(1, 3000) i"
                )
                shards[table] = server.executor.catalog.resolve_table(table).shard
            then = server.executor.read_ts()
            await client.query("drop table brief; truncate usual; alter table lasting alter id type bigint")
            await upkeep(server)
            assert shards.keys() == {t for t in shards if await blobs(server, [shards[t]])}

            async def kept() -> set[str]:
                found = set()
                for table in windows:
                    try:
                        rows = await server.client("r").rows(
                            f"select count(*) from {table} as of timestamp {then}"
                        )
                        assert rows == [(3000,)]
                        found.add(table)
                    except Failed as failed:
                        assert failed.sqlstate == "22023", failed
                return found

            assert await kept() == {"brief", "usual", "lasting"}
            await server.restart()
            assert await kept() == {"brief", "usual", "lasting"}
            reader = server.client("reader")
            await reader.query(f"begin as of timestamp {then}")
            assert await reader.rows("select count(*) from brief") == [(3000,)]
            later(server, HOUR_S // 6)
            await upkeep(server)
            assert await reader.rows("select count(*) from brief where v > ''") == [(3000,)], (
                "an open snapshot holds it"
            )
            await reader.query("commit")
            for passed_s, left in (
                (60, {"usual", "lasting"}),
                (2 * HOUR_S, {"lasting"}),
                (24 * HOUR_S, set()),
            ):
                later(server, passed_s)
                await upkeep(server)
                assert await kept() == left, passed_s
                assert {t for t in shards if await blobs(server, [shards[t]])} == left, passed_s
                await server.restart()
                assert await kept() == left, "what is buried is refused, never empty"
            assert not server.env.txns.state.graves
            assert not [i for i in server.executor.store.all_images() if "@" in i], (
                "no image of the past is left"
            )

    asyncio.run(run())


PERMITS_START = (
    "create role bob login; create role owner login; create role other login",
    "create schema o; set search_path = o; grant usage on schema o to public",
    "create table t (id int primary key, ssn text, note text); insert into t values (1, 'secret', 'n')",
    "create table base (id int primary key, ssn text); insert into base values (1, 'secret')",
    "create view v as select id, ssn from base",
    "create view above as select * from v",
    "alter table t owner to owner; alter table base owner to owner; alter view v owner to owner",
    "alter view above owner to owner; grant select on t, v, above to bob",
)

READERS: dict[str, tuple[tuple[str, ...], dict[str, set[str]]]] = {
    # what has happened since, and who reads what it was before it, besides superusers
    "nothing since": ((), {"t": {"bob", "owner"}, "v": {"bob", "owner"}, "above": {"bob", "owner"}}),
    "revoked": (("revoke select on t from bob",), {"t": {"owner"}}),
    "granted late": (("grant select on t to other",), {"t": {"bob", "owner", "other"}}),
    "altered": (("alter table t add column x int",), {"t": {"bob", "owner"}}),
    "truncated": (("truncate t",), {"t": {"bob", "owner"}}),
    "other names and types": (
        ("alter table t rename ssn to x; alter table t alter id type bigint; alter table t rename to tt",),
        {"t": {"bob", "owner"}},
    ),
    "dropped": (("drop table t",), {"t": {"owner"}}),
    "revoked and dropped": (("revoke all on t from bob", "drop table t"), {"t": {"owner"}}),
    "revoked and dropped at once": (
        ("begin; revoke all on t from bob; drop table t; commit",),
        {"t": {"owner"}},
    ),
    "revoked and made again": (
        ("revoke all on t from bob; drop table t; create table t (id int); grant select on t to bob",),
        {"t": {"owner"}},
    ),
    "a view without a column": (
        (
            "drop view above; revoke all on v from bob; drop view v",
            "create view v as select id from base; grant select on v to bob",
        ),
        {"v": {"owner"}, "above": {"owner"}},
    ),
    "a view that shows less": (
        ("create or replace view v as select id, '***' as ssn from base",),
        {"v": {"owner"}, "above": {"owner"}},
    ),
    "a view that shows less to who may see all": (
        ("create or replace view v as select id, '***' as ssn from base; grant select on base to bob",),
        {"v": {"owner", "bob"}, "above": {"owner", "bob"}},
    ),
    "a column that is gone": (
        ("alter table t drop column ssn",),
        {"t": {"owner"}, "(select id, note from t)": {"bob", "owner"}, "(select 1 from t)": {"bob", "owner"}},
    ),
    "another owner": (("alter table t owner to other",), {"t": {"bob", "other"}}),
    "another owner before the end": (("alter table t owner to other", "drop table t"), {"t": {"other"}}),
    "the owner has another name": (
        (
            "drop table t; drop table base cascade",
            "alter role owner rename to x; alter role other rename to owner; alter role x rename to other",
        ),
        {"t": {"other"}, "v": {"other"}},
    ),
    "the owner is gone and another one is called so": (
        ("drop table t; drop table base cascade", "drop role owner; create role owner login"),
        {"t": set(), "v": set()},
    ),
}


@pytest.mark.parametrize("name", READERS)
def test_who_may_read_now_may_read_the_past(name: str) -> None:
    statements, asked = READERS[name]

    async def readers(server: Server, then: int, source: str, way: Callable[..., Any]) -> set[str]:
        found = set()
        for user in ("bob", "owner", "other", "tidewire"):
            client = Client(server.executor.open_session(user, "tidewire", {"search_path": "o"}))
            answer = await way(client, f"select * from {source}" + (" x" if source[0] == "(" else ""), then)
            if answer != "42501":
                assert isinstance(answer, tuple), (source, user, answer)
                assert len(answer[0]) == 1
                found.add(user)
            client.session.close()
        return found

    async def by_statement(client: Client, question: str, then: int) -> Any:
        return await answer(client, f"{question} as of timestamp {then}")

    async def in_a_block(client: Client, question: str, then: int) -> Any:
        await client.query(f"begin as of timestamp {then}")
        return await answer(client, question)

    async def by_a_pinned_session(client: Client, question: str, then: int) -> Any:
        await client.query(f"set tidewire.as_of = '{then}'")
        return await answer(client, question)

    async def run() -> None:
        async with Server() as server:
            client = server.client()
            for statement in PERMITS_START:
                await client.query(statement)
            then = server.executor.read_ts()
            for statement in ("create table nothing ()", *statements):
                await client.query(statement)
                # The catalog of then is kept, and settled anew after each statement.
                await answer(client, f"select * from o.t as of timestamp {then}")
            for source, users in asked.items():
                for way in (by_statement, in_a_block, by_a_pinned_session):
                    found = await readers(server, then, source, way)
                    assert found == users | {"tidewire"}, (source, way.__name__)

    asyncio.run(run())


def test_a_native_snapshot_of_what_is_gone_is_for_its_owner() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            for statement in PERMITS_START:
                await client.query(statement)
            then = server.executor.read_ts()
            opened = f"select tidewire_open_snapshot('[\"o.t\"]', '{then}', 60) is not null"
            for statement, users in (("select 1", {"bob", "owner"}), ("drop table t", {"owner"})):
                await client.query(statement)
                for user in ("bob", "owner"):
                    there = Client(server.executor.open_session(user, "tidewire", {}))
                    found = await answer(there, opened)
                    assert (found != "42501") == (user in users), (statement, user, found)

    asyncio.run(run())


def test_databases_that_are_gone_or_new() -> None:
    async def run() -> None:
        async with Server() as server:
            before = server.executor.read_ts()
            client = server.client()
            await client.query("create database d")
            there = Client(server.executor.open_session("tidewire", "d", {}))
            await there.query("create table t (id int); insert into t values (1)")
            then = server.executor.read_ts()
            there.session.close()
            await client.query("drop database d")
            await client.query("create database d")
            again = Client(server.executor.open_session("tidewire", "d", {}))
            assert await again.rows(f"select * from t as of timestamp {then}") == [(1,)]
            with pytest.raises(Failed) as failed:
                await again.rows(f"select 1 as of timestamp {before}")
            assert failed.value.sqlstate == "3D000"
            await again.query(f"set tidewire.as_of = '{before}'")
            with pytest.raises(Failed):
                await again.rows("select 1 from pg_class")
            await again.query("reset tidewire.as_of")
            assert await again.rows("select count(*) from pg_class where relname = 't'") == [(0,)]

    asyncio.run(run())


def test_ddl_beside_a_block_in_the_past_changes_nothing_for_it() -> None:
    async def run() -> None:
        async with Server() as server:
            client, reader = server.client("a"), server.client("reader")
            await client.query(
                "create table t (id int primary key, a text, b int); insert into t values (1, 'x', 5)"
            )
            await reader.query(f"begin as of timestamp {server.executor.read_ts()}")
            for ddl in (
                "select 1",
                "alter table t drop column a",
                "alter table t rename column b to a",
                "alter table t add column b text default 'new'",
                "truncate t",
                "drop table t",
                "create table t (other int)",
            ):
                await client.query(ddl)
                assert await reader.rows("select * from t where id = 1") == [(1, "x", 5)], ddl
                assert await reader.rows("select b, a from t") == [(5, "x")], ddl
            await reader.query("commit")
            assert await reader.rows("select * from t") == []

    asyncio.run(run())


def test_ddl_beside_a_session_in_the_past_changes_nothing_for_it() -> None:
    async def run() -> None:
        async with Server() as server:
            client, reader = server.client("a"), server.client("reader")
            await client.query("create table t (id int primary key, a text); insert into t values (1, 'x')")
            await client.query("create table other (id int)")
            then = server.executor.read_ts()
            await client.query("alter table t add column late int")
            await reader.query(f"set tidewire.as_of = '{then}'")
            for ddl in (
                "select 1",
                "drop table other; create table other (id text)",
                "drop table t; create table t (id int primary key, a text); insert into t values (1, 'now')",
                "drop table t",
            ):
                await client.query(ddl)
                assert await reader.rows("select * from t where id = 1") == [(1, "x")], ddl
            await reader.query("reset tidewire.as_of")
            with pytest.raises(Failed):
                await reader.rows("select * from t")

    asyncio.run(run())


def test_images_of_the_past_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "IMAGES_MAX", 2)
    monkeypatch.setattr(catalogs, "KEPT_MAX", 2)

    async def run() -> None:
        async with Server() as server:
            client = server.client()
            times = []
            for n in range(6):
                await client.query(
                    f"create table t (id int primary key, c{n} int); insert into t values ({n}, {n})"
                )
                times.append(server.executor.read_ts())
                await client.query("drop table t")
            await server.restart()
            for _ in range(2):
                for n, ts in enumerate(times):
                    sql = f"select id, c{n} from t as of timestamp {ts}"
                    assert await server.client().rows(sql) == [(n, n)]
                    assert len([i for i in server.executor.store.all_images() if "@" in i]) <= 2

    asyncio.run(run())


@pytest.mark.parametrize("synchronous", [False, True])
def test_servers_that_share_the_log_read_what_others_have_changed(synchronous: bool) -> None:
    async def run() -> None:
        async with Servers(synchronous=synchronous) as servers:
            await servers.run("a", "create table t (id int primary key, v text, w int)")
            await servers.run("a", "create table warm (id int); insert into warm values (7)")
            await servers.run("a", "insert into t values (1, 'one', 10), (2, 'two', 20)")
            await servers.run("b", "select * from warm")
            ts = (await servers.server("a")).env.oracle.read_ts()
            await servers.run("b", "alter table t drop column v; insert into t values (3, 30)")
            await servers.run("a", "truncate t; drop table warm")
            await servers.run("b", "alter table t add column v int")
            for restarted in ("", "b", "a"):
                if restarted:
                    await servers.run("", f"kill {restarted}")
                for name in "abc":
                    found = await servers.run(name, f"select * from t order by id as of timestamp {ts}")
                    assert found == "1|one|10\n2|two|20\nSELECT 2", (restarted, name)
                    found = await servers.run(name, f"select * from warm as of timestamp {ts}")
                    assert found == "7\nSELECT 1", (restarted, name)
                    assert await servers.run(name, "select * from t") == "SELECT 0"

    asyncio.run(run())


def test_a_table_that_keeps_no_history_gives_its_disk_back_soon() -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(stage_rows=10, bulk_chunk_rows=1000)) as server:
            client = server.client()
            await client.query("create table t (id int primary key, v text)")
            await client.query("insert into t select i, repeat('x', 50) || i from generate_series(1, 3000) i")
            shard = server.executor.catalog.resolve_table("t").shard
            then = server.executor.read_ts()
            await client.query("alter table t set (retention = '0')")
            await client.query("drop table t")
            await upkeep(server)
            await upkeep(server)
            assert await blobs(server, [shard]) == []
            assert shard not in await server.env.consensus.shards()
            with pytest.raises(Failed) as failed:
                await client.rows(f"select * from t as of timestamp {then}")
            assert failed.value.sqlstate == "22023"

    asyncio.run(run())


def test_a_table_is_brought_back_from_the_past() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key, v text)")
            await client.query("insert into t select i, i::text from generate_series(1, 500) i")
            then = server.executor.read_ts()
            at = f"'epoch'::timestamptz + interval '1 microsecond' * {then}"
            await client.query("alter table t drop column v; drop table t")
            await client.query(f"create table whole as select * from t as of timestamp {then}")
            await client.query(
                f"create table one (v, k) as select v, id from t where id = 7 as of timestamp {at}"
            )
            await client.query("begin")
            await client.query(f"create table empty as select * from t as of timestamp {then} with no data")
            await client.query("insert into empty values (0, 'new')")
            await client.query("commit")
            assert await client.rows("select count(*), max(v) from whole") == [(500, "99")]
            assert await client.rows("select v, k from one") == [("7", 7)]
            assert await client.rows("select * from empty") == [(0, "new")]

    asyncio.run(run())
