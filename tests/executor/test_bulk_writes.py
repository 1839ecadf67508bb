"""Bulk writes that meet other writes of the same transaction: what is left at the end is what SQL says."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.abc import ExecutionError
from executor.keyed.row_ids import RowIds
from executor.limits import ExecutorLimits
from executor.session import bulk_changes, row_checks
from executor.session.copying import staging
from tests.executor.sql import Failed, Server

ids = st.lists(st.integers(0, 60), max_size=30)


@given(ids, ids, ids)
def test_row_ids_are_a_set(a: list[int], b: list[int], asked: list[int]) -> None:
    made = RowIds([pa.array(a, pa.int64()), np.array(b, np.int64)], (x for x in a[:3]))
    truth = {*a, *b}
    assert len(made) == len(truth)
    assert [x in made for x in range(61)] == [x in truth for x in range(61)]
    mask = made.among(pa.chunked_array([pa.array(asked, pa.int64())]))
    expected = [x in truth for x in asked]
    assert (list(mask) if mask is not None else [False] * len(asked)) == expected


LIMITS = ExecutorLimits(stage_rows=20, bulk_chunk_rows=64)
"""Everything of twenty rows and more goes the way of millions."""

TABLES = {
    "primary key": "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL, w text)",
    "unique": "CREATE TABLE t (k int UNIQUE, v int NOT NULL, w text)",
    "no key": "CREATE TABLE t (k int, v int NOT NULL, w text)",
}
Rows = dict[int, int]


def _bulk_update(rows: Rows, m: int) -> tuple[str, Rows]:
    return (
        f"UPDATE t SET v = v + 1 WHERE k % {m} = 0",
        {k: v + 1 if k % m == 0 else v for k, v in rows.items()},
    )


def _bulk_delete(rows: Rows, m: int) -> tuple[str, Rows]:
    return f"DELETE FROM t WHERE k % {m} = 1", {k: v for k, v in rows.items() if k % m != 1}


def _bulk_insert(rows: Rows, m: int) -> tuple[str, Rows]:
    first = max(rows, default=0) + 1
    fresh = dict.fromkeys(range(first, first + 50), m)
    return f"INSERT INTO t SELECT k, {m}, 'new' FROM generate_series({first}, {first + 49}) g(k)", {
        **rows,
        **fresh,
    }


def _small_update(rows: Rows, m: int) -> tuple[str, Rows]:
    return f"UPDATE t SET v = 100 WHERE k = {m}", {k: 100 if k == m else v for k, v in rows.items()}


def _small_delete(rows: Rows, m: int) -> tuple[str, Rows]:
    return f"DELETE FROM t WHERE k = {m}", {k: v for k, v in rows.items() if k != m}


def _merge(rows: Rows, m: int) -> tuple[str, Rows]:
    kept = {k: v + 1 if 1 <= k <= 80 else v for k, v in rows.items() if not (1 <= k <= 80 and k % m == 0)}
    fresh = {k: 7 for k in range(1, 81) if k not in rows and k % m == 1}
    return (
        f"MERGE INTO t USING generate_series(1, 80) AS s(x) ON k = x WHEN MATCHED AND x % {m} = 0 THEN DELETE "
        f"WHEN MATCHED THEN UPDATE SET v = v + 1 WHEN NOT MATCHED AND x % {m} = 1 THEN INSERT VALUES (x, 7, 'merged')",
        {**kept, **fresh},
    )


def _update_and_delete(rows: Rows, m: int) -> tuple[str, Rows]:
    """A row that two parts of a statement write is the first one's: the statement's own, where nobody reads the other part."""
    return (
        f"WITH u AS (UPDATE t SET v = v + 1 WHERE k % {m} = 0 RETURNING k) DELETE FROM t WHERE k % {m} <= 1",
        {k: v for k, v in rows.items() if k % m > 1},
    )


STEPS: list[Callable[[Rows, int], tuple[str, Rows]]] = [
    _bulk_update, _bulk_delete, _bulk_insert, _small_update, _small_delete, _merge, _update_and_delete,
]  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(6))
def test_any_mix_in_one_transaction(table: str, seed: int) -> None:
    asyncio.run(_mix(TABLES[table], random.Random(seed)))


async def _mix(ddl: str, rng: random.Random) -> None:
    async with Server(limits=LIMITS) as server:
        await server.run("a", ddl)
        rows: Rows = dict.fromkeys(range(1, 101), 0)
        await server.run("a", "INSERT INTO t SELECT k, 0, 'old' FROM generate_series(1, 100) g(k)")
        for _ in range(3):
            before = dict(rows)
            await server.run("a", "BEGIN")
            for _ in range(rng.randint(1, 5)):
                sql, rows = rng.choice(STEPS)(rows, rng.randint(2, 5))
                await server.run("a", sql)
                await _expect(server, "a", rows, sql)
                await _expect(server, "b", before, f"beside {sql}")
            if rng.random() < 0.25:
                await server.run("a", "ROLLBACK")
                rows = before
            else:
                await server.run("a", "COMMIT")
            await _expect(server, "b", rows, "after")
        await server.restart()
        await _expect(server, "c", rows, "after a restart")


async def _expect(server: Server, client: str, rows: Rows, why: str) -> None:
    """By a scan in DuckDB, and key by key as the keyed engine finds them."""
    found = await server.client(client).rows("SELECT k, v FROM t ORDER BY k")
    assert found == sorted(rows.items()), why
    for key in (1, 2, 3, 50, 100, 101, 120):
        hits = await server.client(client).rows(f"SELECT v FROM t WHERE k = {key}")
        assert hits == ([(rows[key],)] if key in rows else []), (why, key)


def test_a_bulk_insert_of_a_key_that_is_taken() -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            await server.run("a", TABLES["primary key"])
            await server.run("a", "INSERT INTO t SELECT k, 0, '' FROM generate_series(1, 100) g(k)")
            with pytest.raises(Failed) as refused:
                await server.client("a").rows(
                    "INSERT INTO t SELECT k, 0, '' FROM generate_series(100, 200) g(k)"
                )
            assert refused.value.sqlstate == "23505"
            await server.run("a", "BEGIN")
            await server.run("a", "DELETE FROM t WHERE k > 50")
            await server.run("a", "INSERT INTO t SELECT k, 1, '' FROM generate_series(51, 150) g(k)")
            await server.run("a", "COMMIT")
            assert await server.client("a").rows("SELECT count(*), sum(v) FROM t") == [(150, 100)]

    asyncio.run(run())


def test_the_row_with_a_key_that_is_taken_is_looked_for_among_a_few_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            await server.run("a", TABLES["primary key"])
            await server.run("a", "INSERT INTO t VALUES (130, 0, '')")
            for rows_max, row in ((101, 30), (100, None)):
                monkeypatch.setattr(row_checks, "PLACE_ROWS_MAX", rows_max)
                with pytest.raises(Failed) as refused:
                    await server.client("a").rows(
                        "INSERT INTO t SELECT k, 0, '' FROM generate_series(100, 200) g(k)"
                    )
                error = refused.value.error
                assert isinstance(error, ExecutionError)
                which = error.which
                assert which is not None and which() == row

    asyncio.run(run())


@pytest.mark.parametrize("ddl", [TABLES["primary key"], TABLES["unique"]])
@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO t VALUES (1000, 0, '')",
        "INSERT INTO t SELECT k, 0, '' FROM generate_series(1000, 1100) g(k)",
    ],
    ids=["one row", "in bulk"],
)
@pytest.mark.parametrize("updates", [1, 2])
def test_a_key_that_the_transaction_brought_and_updated_in_bulk_may_be_taken_meanwhile(
    ddl: str, insert: str, updates: int
) -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            a = server.client("a")
            await server.run("a", ddl)
            await server.run("a", "INSERT INTO t SELECT k, 0, '' FROM generate_series(1, 100) g(k)")
            for others in (True, False):
                await a.rows("BEGIN ISOLATION LEVEL READ COMMITTED")
                await a.rows(insert)
                for _ in range(updates):
                    await a.rows("UPDATE t SET v = v + 1")
                if others:
                    server.executor.env.held_keys.spaces.clear()  # as another server's client, who sees none
                    await server.client("b").rows("INSERT INTO t VALUES (1000, 9, 'b')")
                    with pytest.raises(Failed) as refused:
                        await a.rows("COMMIT")
                    assert refused.value.sqlstate == "23505"
                    await server.client("b").rows("DELETE FROM t WHERE k = 1000")
                else:
                    await a.rows("COMMIT")
                mine = 0 if others else updates
                assert await a.rows("SELECT DISTINCT v FROM t") == [(mine,)]
                assert await a.rows("SELECT count(*) FROM t WHERE k + 0 = 1000") == [(0 if others else 1,)]

    asyncio.run(run())


def test_keys_that_are_put_off_and_rewritten_in_bulk_are_not_held_twice() -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            a = server.client("a")
            await a.rows(
                "CREATE TABLE t (k int PRIMARY KEY, v int UNIQUE DEFERRABLE INITIALLY DEFERRED, w int)"
            )
            await a.rows("INSERT INTO t SELECT k, k, 0 FROM generate_series(1, 100) g(k)")
            ways = [
                ["INSERT INTO t VALUES (200, 500, 0)", "INSERT INTO t VALUES (201, 500, 0)"],
                ["INSERT INTO t VALUES (200, 500, 0)", "UPDATE t SET v = 500 WHERE k = 7"],
                ["UPDATE t SET v = 8 WHERE k = 7"],
            ]
            for way in ways:
                await a.rows("BEGIN")
                for sql in way:
                    await a.rows(sql)
                with pytest.raises(Failed) as refused:
                    await a.rows("UPDATE t SET w = w + 1")
                    await a.rows("COMMIT")
                assert refused.value.sqlstate == "23505"
                await a.rows("ROLLBACK")
            assert await a.rows("SELECT count(*), count(DISTINCT v), sum(w) FROM t") == [(100, 100, 0)]

    asyncio.run(run())


def test_a_table_made_filled_and_thinned_in_one_transaction() -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            a = server.client("a")
            for ddl in TABLES.values():
                await server.run("a", "BEGIN")
                await server.run("a", ddl)
                for first in (1, 201):
                    await server.run(
                        "a",
                        f"INSERT INTO t SELECT k, 0, 'x' FROM generate_series({first}, {first + 199}) g(k)",
                    )
                assert await a.rows("SELECT v FROM t WHERE k = 300") == [(0,)]
                await server.run("a", "DELETE FROM t WHERE k % 2 = 0")
                await server.run("a", "UPDATE t SET v = 1 WHERE k = 300 OR k = 301")
                assert await a.rows("SELECT k, v FROM t WHERE k IN (300, 301)") == [(301, 1)]
                await server.run("a", "INSERT INTO t SELECT k, 2, 'y' FROM generate_series(2, 50, 2) g(k)")
                await server.run("a", "COMMIT")
                assert await server.client("b").rows("SELECT count(*), sum(v) FROM t") == [(225, 51)]
                await server.run("a", "DROP TABLE t")
            await server.run("a", "BEGIN")
            await server.run("a", TABLES["primary key"])
            await server.run("a", "INSERT INTO t SELECT k, 0, 'x' FROM generate_series(1, 100) g(k)")
            with pytest.raises(Failed) as refused:
                await a.rows("INSERT INTO t SELECT k, 0, 'x' FROM generate_series(100, 200) g(k)")
            assert refused.value.sqlstate == "23505"

    asyncio.run(run())


def test_rollback_to_leaves_the_rows_locked_that_were_updated_in_bulk_before() -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            a, b = server.client("a"), server.client("b")
            await server.run("a", TABLES["primary key"])
            await a.rows("INSERT INTO t SELECT k, 0, '' FROM generate_series(1, 100) g(k)")
            await a.rows("BEGIN ISOLATION LEVEL READ COMMITTED")
            await a.rows("UPDATE t SET v = v + 1")
            await a.rows("SAVEPOINT s")
            waiting = asyncio.create_task(b.rows("UPDATE t SET v = v + 10 WHERE k = 7"))
            async with asyncio.timeout(240):
                while not server.executor.env.locks.waiting_count:
                    await asyncio.sleep(0.001)
            await a.rows("ROLLBACK TO s")
            await a.rows("UPDATE t SET v = v + 1")
            assert not waiting.done()
            await a.rows("COMMIT")
            await waiting
            assert await a.rows("SELECT v, count(*) FROM t GROUP BY v ORDER BY v") == [(2, 99), (12, 1)]

    asyncio.run(run())


def test_a_bulk_update_ends_though_others_write_the_same_table() -> None:
    async def run() -> None:
        async with Server(limits=LIMITS) as server:
            await server.run("a", TABLES["primary key"])
            await server.run("a", "INSERT INTO t SELECT k, 0, '' FROM generate_series(1, 1000) g(k)")
            over = asyncio.Event()
            written = 0

            async def write() -> None:
                nonlocal written
                while not over.is_set():
                    await server.client("w").rows(f"UPDATE t SET v = v + 1 WHERE k = {written % 1000 + 1}")
                    written += 1
                    await asyncio.sleep(0)

            writer = asyncio.create_task(write())
            for level in ("strict serializable", "repeatable read", "read committed"):
                await server.run("a", f"SET tidewire.isolation = '{level}'")
                await server.client("a").rows("UPDATE t SET v = v + 1")
                await server.client("a").rows("UPDATE t SET v = v + 1 WHERE k > 500")
            over.set()
            await writer
            assert await server.client("a").rows("SELECT sum(v) FROM t") == [(3 * 1500 + written,)]

    asyncio.run(run())


def test_nothing_that_grows_with_the_rows_is_done_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting, searching and merging of what a bulk statement writes: others' statements run meanwhile."""
    from executor.session.blocks import settling
    from executor.snapshot import bulk as prepared
    from executor.snapshot import written

    loops = threading.get_ident()
    on_loop: list[str] = []
    calls: set[str] = set()

    def watched(module: Any, name: str) -> None:
        real = getattr(module, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            calls.add(name)
            if threading.get_ident() == loops:
                on_loop.append(name)
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    for module, name in (
        (written, "prepare"),
        (written, "prepare_removal"),
        (prepared, "shared_keys"),
        (settling, "own_clash"),
        (bulk_changes, "distinct"),
        (row_checks, "check_rows"),
    ):
        watched(module, name)

    async def run() -> None:
        async with Server(LIMITS) as server:
            a, b = server.client("a"), server.client("b")
            await a.query("create table t (k int primary key, v int not null, w text unique)")
            for i in range(3):
                await a.query(
                    f"insert into t select k, 0, 'w' || k from generate_series({i * 200}, {i * 200 + 199}) g(k)"
                )
            await a.query("begin isolation level repeatable read")
            await a.query("update t set v = v + 1 where k % 2 = 0")
            await a.query("delete from t where k % 5 = 0")
            await a.query("insert into t select k, 0, 'w' || k from generate_series(1000, 1199) g(k)")
            await b.query("insert into t select k, 0, 'w' || k from generate_series(2000, 2199) g(k)")
            await a.query("delete from t where k % 7 = 0")
            await a.query("commit")
            left = [k for k in (*range(600), *range(1000, 1200)) if k % 5 or k >= 1000]
            left = [k for k in left if k % 7]
            assert await a.rows("select k from t where k < 2000 order by k") == [(k,) for k in left]

    asyncio.run(run())
    assert calls >= {"prepare", "prepare_removal", "shared_keys", "distinct", "check_rows"}
    assert on_loop == []


def _watched_staging(monkeypatch: pytest.MonkeyPatch) -> tuple[asyncio.Event, list[int]]:
    """Whether a part has begun to be written, and the parts that are being written just now."""
    began, under_way = asyncio.Event(), list[int]()
    stage = staging.stage

    async def staged(*args: Any) -> Any:
        under_way.append(1)
        began.set()
        try:
            return await stage(*args)
        finally:
            under_way.pop()

    monkeypatch.setattr(staging, "stage", staged)
    return began, under_way


@pytest.mark.parametrize("search_fails", [False, True])
def test_a_deletion_is_staged_while_its_keys_are_looked_for(
    monkeypatch: pytest.MonkeyPatch, search_fails: bool
) -> None:
    """And if the search fails, nothing is left of the deletion, and nothing of it is under way."""
    from executor.snapshot.store import SnapshotStore

    began, under_way = _watched_staging(monkeypatch)
    search = SnapshotStore.prepare_removal

    async def searched(*args: Any) -> Any:
        await asyncio.wait_for(began.wait(), 10)
        if search_fails:
            raise ExecutionError("58030", "no search")
        return await search(*args)

    monkeypatch.setattr(SnapshotStore, "prepare_removal", searched)

    async def run() -> None:
        async with Server(LIMITS) as server:
            a = server.client("a")
            await a.query("create table t (k int primary key)")
            await a.query("insert into t select k from generate_series(1, 200) g(k)")
            began.clear()
            if search_fails:
                with pytest.raises(Failed, match="no search"):
                    await a.query("delete from t where k % 2 = 0")
                assert not under_way
            else:
                await a.query("delete from t where k % 2 = 0")
            left = 200 if search_fails else 100
            assert await a.rows("select count(*) from t") == [(left,)]

    asyncio.run(run())


@pytest.mark.parametrize("taken", [False, True])
def test_rows_are_staged_while_they_are_sorted(monkeypatch: pytest.MonkeyPatch, taken: bool) -> None:
    """A key that is taken is found all the same, and nothing of the statement is left or under way."""
    from executor.snapshot.store import SnapshotStore

    began, under_way = _watched_staging(monkeypatch)
    prepare = SnapshotStore.prepare_bulk

    async def prepared(*args: Any, **more: Any) -> Any:
        await asyncio.wait_for(began.wait(), 10)
        return await prepare(*args, **more)

    monkeypatch.setattr(SnapshotStore, "prepare_bulk", prepared)

    async def run() -> None:
        async with Server(LIMITS) as server:
            a = server.client("a")
            await a.query("create table t (k int primary key)")
            await a.query("insert into t values (500)")
            began.clear()
            last = 500 if taken else 499
            insert = f"insert into t select k from generate_series(1, {last}) g(k)"
            if taken:
                with pytest.raises(Failed) as refused:
                    await a.query(insert)
                assert refused.value.sqlstate == "23505"
                assert not under_way
            else:
                await a.query(insert)
            assert await a.rows("select count(*) from t") == [(1 if taken else 500,)]

    asyncio.run(run())
