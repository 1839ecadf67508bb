"""What the engines rely on: flushing beside writes, pins, bounds, generations, bulk checks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from executor.snapshot import (
    NotHydrated,
    PinnedTooLong,
    SnapshotLimits,
    SnapshotStore,
    TableImage,
    TooOldForKeyed,
    pending,
)
from executor.snapshot.compaction import merge_span
from planner.abc import Column
from storage.abc import TIMESTAMP_MAX
from tests.snapshot.model import BIG, INT, MONEY, PRIMARY_OID, STRING, UNIQUE_OID, table

TABLE = table((INT, STRING, BIG), unique=(2,))
PLAIN = table((INT, STRING, BIG))


def run(work: Callable[[SnapshotStore], Awaitable[None]], **options: Any) -> None:
    async def main() -> None:
        store = SnapshotStore(threads=1, **options)
        try:
            await work(store)
            await store.settled()
            assert store.background_error is None
        finally:
            await store.close()

    asyncio.run(main())


async def query(
    store: SnapshotStore, ts: int, sql: str = "SELECT * FROM {} q ORDER BY ALL", **more: Any
) -> list[Any]:
    await store.prepare_read(["t1"], ts)
    return store.connection.cursor().sql(sql.format(store.relation_sql("t1", ts, **more))).fetchall()


def put(image: TableImage, key: int, ts: int, text: str | None = None, rid: int | None = None) -> None:
    image.put(key, rid if rid is not None else ts * 1000 + key, (key, text, ts), ts)


def rows(keys: list[int], texts: list[str | None] | None = None, first_rid: int | None = None) -> pa.Table:
    t = pa.table(
        {
            "a": pa.array(keys, pa.int32()),
            "b": pa.array(texts or [None] * len(keys), pa.string()),
            "c": pa.array([0] * len(keys), pa.int64()),
        }
    )
    if first_rid is not None:
        t = t.append_column("_rid", pa.array(range(first_rid, first_rid + len(keys)), pa.int64()))
    return t


# --- flushing ------------------------------------------------------------------------------------


def test_versions_stay_readable_and_writable_while_a_flush_runs() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        for k in range(5000):
            put(image, k, 10, rid=k)
        flush = asyncio.ensure_future(store.prepare_read(["t1"], 10))
        ts = 11
        while not flush.done():
            put(image, ts % 5000, ts, rid=5000 + ts)
            assert image.get(ts % 5000, ts) == (5000 + ts, (ts % 5000, None, ts))
            assert image.get(ts % 5000, 10) == (ts % 5000, (ts % 5000, None, 10))
            ts += 1
            await asyncio.sleep(0)
        await flush
        assert ts > 11, "there was a flush to write beside"
        last = ts - 1
        [(count, latest, total)] = await query(
            store, last, "SELECT count(*), max(c), count(DISTINCT a) FROM {} q"
        )
        assert (count, latest, total) == (5000, last, 5000)
        assert await query(store, 10, "SELECT count(*), max(c) FROM {} q") == [(5000, 10)]

    run(work)


def test_concurrent_readers_share_one_flush() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        flushes = []
        whole = store._flush

        async def counted(i: TableImage) -> None:
            flushes.append(i)
            await whole(i)

        store._flush = counted  # type: ignore[method-assign]
        await asyncio.gather(*(store.prepare_read(["t1"], 10) for _ in range(20)))
        assert len(flushes) == 1
        await store.prepare_read(["t1"], 10)
        assert len(flushes) == 1, "nothing was pending"

    run(work)


def test_what_is_not_durable_is_not_flushed_and_can_be_undone() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        put(image, 1, 10, "one")
        put(image, 1, 20, "uno")
        put(image, 2, 20, "dos")
        assert await query(store, 15, columns=[0, 1]) == [(1, "one")]
        assert len(image.pending) == 2
        image.undo(20)
        assert image.newest(1) == (10, 10_001, (1, "one", 10))
        assert image.newest(2) is None
        assert image.find_unique(UNIQUE_OID, "uno", 30) is None
        assert image.last_write_ts == 10
        put(image, 1, 21, "ein")
        assert await query(store, 21, columns=[0, 1]) == [(1, "ein")]

    run(work)


def test_a_failed_flush_reports_and_loses_nothing() -> None:
    async def main() -> None:
        store = SnapshotStore(threads=1)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        store._writer.own.execute(image.physical.create())  # in the way of the flush's own
        with pytest.raises(duckdb.Error, match="already exists"):
            await store.prepare_read(["t1"], 10)
        assert len(image.pending) == 1 and image.get(1, 10) is not None
        store._writer.own.execute(image.physical.drop())
        assert await query(store, 10, columns=[0]) == [(1,)]
        await store.close()

    asyncio.run(main())


def test_many_pending_writes_are_flushed_and_many_versions_move_to_runs_unasked() -> None:
    limits = SnapshotLimits(pending_max=1000, versions_max=1000, check_every=100)

    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        for ts in range(10, 10_010):
            put(image, ts, ts, f"text {ts}")
            store.advance(ts)
            store.set_since(ts - 5)
            if ts % 50 == 0:
                await asyncio.sleep(0.001)
        await store.settled()
        assert len(image.pending) < 3000 and len(image.versions) < 3000
        assert 1 <= len(image.runs) <= limits.runs_max
        assert [k for k, _, _ in image.scan(None, None, 10_009)] == list(range(10, 10_010))
        assert image.find_unique(UNIQUE_OID, "text 17", 10_009) == (17, 17_017, (17, "text 17", 17))
        assert await query(store, 10_009, "SELECT count(*) FROM {} q") == [(10_000,)]

    run(work, limits=limits)


def test_the_rows_of_a_large_transaction_are_flushed_when_it_has_ended() -> None:
    """Whoever reads them next need not wait for that: nobody writes again, so nothing else would begin it."""
    limits = SnapshotLimits(pending_max=1000, check_every=100)

    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        for key in range(2_500):
            put(image, key, 10, f"text {key}")
        await store.settled()
        assert len(image.pending) == 2_500
        store.advance(10)
        store.set_since(9)
        await store.settled()
        assert not image.pending
        assert await query(store, 10, "SELECT count(*) FROM {} q") == [(2_500,)]

    run(work, limits=limits)


def test_a_reader_that_lags_behind_is_sent_to_duckdb_when_memory_is_short() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        store.set_since(9)
        for ts in range(10, 40):
            put(image, ts % 10, ts)
        store.advance(39)
        assert image.get(5, 15) == (15_005, (5, None, 15))
        store.grown(image)
        await store.settled()
        assert len(image.versions) == 0
        with pytest.raises(TooOldForKeyed):
            image.get(5, 15)
        with pytest.raises(TooOldForKeyed):
            image.scan(None, None, 15)
        assert image.get(5, 39) == (35_005, (5, None, 35))
        assert await query(store, 15, "SELECT c FROM {} q WHERE a = 5") == [(15,)]

    run(work, limits=SnapshotLimits(versions_max=5, check_every=1000))


def test_history_that_only_as_of_queries_read_does_not_stay_in_memory() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        for ts in range(10, 3000):  # since never moves: history is kept for an hour
            image.put(1, ts, (1, None, ts), ts)
            store.advance(ts)
            if ts % 100 == 0:
                await asyncio.sleep(0.001)
                await store.settled()
        depth, v = 0, image.versions.chains.get(1)
        while v is not None:
            depth, v = depth + 1, v[3]
        assert depth < 1500
        assert image.get(1, 2990 - 5) == (2985, (1, None, 2985)), "the oldest transaction's"
        assert await query(store, 500, "SELECT c FROM {} q") == [(500,)]

    limits = SnapshotLimits(pending_max=500, versions_max=1000, check_every=50)
    run(work, limits=limits, oldest_read_ts=lambda default: default - 50)


def test_all_tables_together_stay_within_their_memory() -> None:
    limit = 2 << 20

    async def work(store: SnapshotStore) -> None:
        images = [store.create(replace(PLAIN, shard=f"t{i}"), 1) for i in range(4)]
        store.set_since(9)  # somebody lags behind for ever
        most = 0
        for ts in range(10, 20_010):
            images[ts % 4 if ts < 15_000 else 0].put(ts, ts, (ts, "x" * 100, ts), ts)
            store.advance(ts)
            most = max(most, store.memory_bytes)
            if ts % 100 == 0:
                await asyncio.sleep(0.001)
                await store.settled()
        assert limit < most < 2 * limit
        assert store.memory_bytes == sum(i.accounted_bytes for i in images) <= limit
        assert sum(len(list(i.scan(None, None, 20_009))) for i in images) == 20_000

    run(work, limits=SnapshotLimits(memory_bytes_max=limit))


def test_a_hot_row_keeps_one_version_per_group_and_is_trimmed() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        rid = 0
        for ts in range(10, 60):
            for _ in range(10):  # members of one group
                rid += 1
                image.put(1, rid, (1, None, rid), ts)
            store.advance(ts)
        store.set_since(58)
        assert len(image.pending) == 500
        assert await query(store, 59, "SELECT c FROM {} q") == [(500,)]
        await store.settled()
        depth, v = 0, image.versions.chains[1]
        while v is not None:
            depth, v = depth + 1, v[3]
        assert depth == 1
        assert image.physical.live_rows == 1 and image.physical.dead_rows == 49

    run(work, limits=SnapshotLimits(versions_max=400))


# --- relations -----------------------------------------------------------------------------------


def test_filters_are_left_out_only_with_a_pin_and_where_provable() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)

        async def where(ts: int) -> str:
            await store.prepare_read(["t1"], ts)
            with store.pin(["t1"]) as pin:
                return store.relation_sql("t1", ts, [0], pin=pin).partition("FROM ")[2].partition(" ")[2]

        put(image, 1, 10)
        assert await where(10) == ""
        assert "WHERE _from <= 10 AND _to > 10" in store.relation_sql("t1", 10, [0])
        put(image, 2, 20)
        assert await where(20) == ""
        assert await where(15) == "WHERE _from <= 15)"
        image.remove(1, 10_001, 30)
        assert await where(30) == "WHERE _to > 30)"
        assert await where(15) == "WHERE _from <= 15 AND _to > 15)"

    run(work)


def test_a_flush_does_not_commit_under_a_pinned_reader() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        await store.prepare_read(["t1"], 10)
        pin = store.pin(["t1"])
        text = store.relation_sql("t1", 10, [0], pin=pin)
        assert "WHERE" not in text
        put(image, 2, 20)
        flush = asyncio.ensure_future(store.prepare_read(["t1"], 20))
        for _ in range(50):
            await asyncio.sleep(0.001)
        assert not flush.done() and image.closing
        late = store.pin(["t1"])  # comes while the commit waits: is not waited for, and gets filters
        assert "WHERE _from <= 10 AND _to > 10" in store.relation_sql("t1", 10, [0], pin=late)
        assert store.connection.cursor().sql(f"SELECT * FROM {text} q").fetchall() == [(1,)]
        pin.release()
        pin.release()
        await flush
        late.release()
        assert image.pins == 0
        assert sorted(await query(store, 20, columns=[0])) == [(1,), (2,)]

    run(work)


def test_a_pin_that_is_never_released_fails_the_flush_and_loses_nothing() -> None:
    async def main() -> None:
        store = SnapshotStore(threads=1, limits=SnapshotLimits(pin_wait_s=0.01))
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        await store.prepare_read(["t1"], 10)
        pin = store.pin(["t1"])
        put(image, 2, 20)
        with pytest.raises(PinnedTooLong):
            await store.prepare_read(["t1"], 20)
        pin.release()
        assert len(await query(store, 20)) == 2
        await store.close()

    asyncio.run(main())


def test_relations_have_the_columns_asked_for() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(table((INT, STRING, MONEY)), 1)
        image.put(1, 77, (1, "x", None), 10)
        await store.prepare_read(["t1"], 10)

        def names(**more: Any) -> list[str]:
            return list(
                store.connection.sql(f"SELECT * FROM {store.relation_sql('t1', 10, **more)} q").columns
            )

        assert names() == ["a", "b", "c"]
        assert names(columns=[2, 0]) == ["c", "a"]
        assert names(columns=[1], with_rid=True) == ["b", "_rid"]
        assert len(names(columns=[])) == 1, "a relation without columns still has rows to count"

    run(work)


def test_vacuum_deletes_what_nobody_can_see_and_filters_go_away_again() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        for k in range(100):
            put(image, k, 10)
        for k in range(50):
            put(image, k, 20)
        await store.prepare_read(["t1"], 20)
        assert (image.physical.live_rows, image.physical.dead_rows) == (100, 50)
        store.set_since(19)
        await store.settled()
        assert image.physical.dead_rows == 50, "a reader at 19 sees them"
        store.set_since(20)
        await store.settled()
        assert image.physical.dead_rows == 0
        assert store.connection.sql(f"SELECT count(*) FROM {image.physical.name}").fetchall() == [(100,)]
        store.set_since(21)
        assert not store._waiting, "nothing is left to do when since moves on"
        with store.pin(["t1"]) as pin:
            assert "WHERE" not in store.relation_sql("t1", 20, [0], pin=pin)

    run(work, limits=SnapshotLimits(vacuum_rows_min=10))


# --- definitions ---------------------------------------------------------------------------------


def test_dropped_tables_stay_until_no_reader_needs_them() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        await store.prepare_read(["t1"], 10)
        store.drop("t1", 20)
        store.set_since(19)
        assert await query(store, 19, columns=[0]) == [(1,)]
        store.set_since(20)
        with pytest.raises(KeyError):
            store.image("t1")
        await store.settled()
        assert store.connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]

    run(work)


def test_to_drop_one_table_looks_at_no_other_that_waits_for_since() -> None:
    async def work(store: SnapshotStore) -> None:
        looked: list[str] = []

        def since_of(shard: str) -> int:
            looked.append(shard)
            return 0

        store.since_of = since_of
        for i in range(10):
            store.create(replace(PLAIN, shard=f"t{i}"), 1)
            store.drop(f"t{i}", 20 + i)
        assert sorted(set(looked)) == [f"t{i}" for i in range(10)]
        assert len(looked) == 10, "each once, when it was dropped itself"
        store.set_since(24)  # now all are looked at, and those that nobody reads any more are gone
        assert list(store._waiting) == [f"t{i}" for i in range(5, 10)]
        store.set_since(29)
        assert not store._waiting

    run(work)


def test_a_table_discarded_in_the_middle_of_a_flush_leaves_nothing() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 0)
        put(image, 1, 10)
        store.advance(10)
        flush = asyncio.ensure_future(store.prepare_read(["t1"], 10))
        await asyncio.sleep(0)
        store.discard("t1")
        await flush
        await store.settled()
        assert store.connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]
        assert store.memory_bytes == 0

    run(work)


def test_a_table_of_an_open_transaction_can_be_used_and_discarded() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 0)
        image.put(1, 1, (1, "mine", 0), 0)
        assert await query(store, 5, columns=[0, 1]) == [(1, "mine")]
        assert image.get(1, 5) == (1, (1, "mine", 0))
        store.discard("t1")
        store.create(PLAIN, 0)  # the same shard again
        assert await query(store, 5) == []

    run(work)


def test_renaming_changes_names_from_then_on() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10)
        new = replace(PLAIN, name="u", columns=(replace(PLAIN.columns[0], name="ident"), *PLAIN.columns[1:]))
        store.alter(new, 20)
        assert image.hydrated_now() and image.get(1, 20) is not None
        await store.prepare_read(["t1"], 20)
        assert '"ident"' in store.relation_sql("t1", 20) and '"a"' in store.relation_sql("t1", 19)
        image.undo(20)
        assert image.table is PLAIN and '"a"' in store.relation_sql("t1", 20)

    run(work)


ADDED = replace(
    PLAIN, columns=(PLAIN.columns[0], PLAIN.columns[2], Column("d", MONEY, 4)), constraints=PLAIN.constraints
)
"""Column b dropped, column d added."""


def test_adding_and_dropping_columns_starts_a_generation() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10, "one")
        put(image, 2, 10, "two")
        store.advance(10)
        store.alter(ADDED, 20)
        with pytest.raises(NotHydrated):
            image.newest(1)
        store.advance(20)
        await image.hydrated()
        assert image.get(1, 20) == (10_001, (1, 10, None))
        image.put(2, 99, (2, 7, None), 30)
        assert await query(store, 30) == [(1, 10, None), (2, 7, None)]
        assert await query(store, 20) == [(1, 10, None), (2, 10, None)]
        assert await query(store, 15) == [(1, "one", 10), (2, "two", 10)]
        with pytest.raises(TooOldForKeyed):
            image.get(1, 15)
        store.set_since(20)
        await store.settled()
        assert store.connection.sql("SELECT count(*) FROM duckdb_tables()").fetchall() == [(1,)]
        assert await query(store, 20) == [(1, 10, None), (2, 10, None)]

    run(work)


def test_altering_with_rewritten_rows() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10, "one")
        typed = replace(PLAIN, columns=(replace(PLAIN.columns[0], type=STRING), *PLAIN.columns[1:]))
        new = pa.table({"a": ["eins"], "b": ["one"], "c": [10], "_rid": pa.array([500], pa.int64())})
        store.alter(typed, 20, new)
        assert await query(store, 20) == [("eins", "one", 10)]
        assert await query(store, 19) == [(1, "one", 10)]
        await image.hydrated()
        assert image.get("eins", 20) == (500, ("eins", "one", 10))

    run(work)


def test_an_alteration_can_be_taken_back() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        put(image, 1, 10, "one")
        store.alter(ADDED, 20)
        image.undo(20)
        assert image.hydrated_now() and image.get(1, 20) == (10_001, (1, "one", 10))
        put(image, 2, 21, "two")
        assert await query(store, 21) == [(1, "one", 10), (2, "two", 21)]

    run(work)


def test_a_new_unique_constraint_makes_a_table_keyed() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(replace(PLAIN, constraints=()), 1)
        image.put(1, 1, (1, "one", 0), 10)
        image.put(2, 2, (2, "two", 0), 10)
        await store.prepare_read(["t1"], 10)
        store.alter(replace(TABLE, constraints=TABLE.constraints), 20)
        store.advance(20)
        await image.hydrated()
        assert image.find_unique(UNIQUE_OID, "two", 20) == (2, 2, (2, "two", 0))
        assert [k for k, _, _ in image.scan(None, None, 20)] == [1, 2]

    run(work)


def test_truncation_empties_every_way_of_reading_and_can_be_undone() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        image.put_bulk(rows([1, 2, 3], ["x", "y", "z"], 1), 10)
        put(image, 4, 11, "w")
        store.advance(11)
        image.truncate(20)
        put(image, 2, 20, "y")
        assert [k for k, _, _ in image.scan(None, None, 20)] == [2]
        image.undo(20)
        assert [k for k, _, _ in image.scan(None, None, 20)] == [1, 2, 3, 4]
        image.truncate(21)
        assert image.newest(1) is None and image.find_unique(UNIQUE_OID, "x", 21) is None
        assert await query(store, 21) == []
        assert len(await query(store, 20)) == 4

    run(work)


# --- bulk ----------------------------------------------------------------------------------------


def test_bulk_inserts_are_checked_against_everything_that_is_there_and_themselves() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        image.put_bulk(rows([10, 11, 12], ["a", "b", None], 1), 10)  # a run
        put(image, 20, 11, "c")  # in memory
        image.remove(11, 2, 12)  # gone: its keys are free again

        def check(keys: list[int], texts: list[str | None] | None = None, ts: int = 12) -> set[Any]:
            return set(image.conflicting_keys(rows(keys, texts, 100), ts))

        assert check([1, 2, 11], ["x", "b", None]) == set()
        assert check([10, 20, 30]) == {(PRIMARY_OID, 10), (PRIMARY_OID, 20)}
        assert check([1, 2, 3], ["a", "c", "b"]) == {(UNIQUE_OID, "a"), (UNIQUE_OID, "c")}
        assert check([1, 2, 1, 1]) == {(PRIMARY_OID, 1)}
        assert check([1, 2, 3], ["d", "d", None]) == {(UNIQUE_OID, "d")}
        assert check([11], ["b"], ts=11) == {(PRIMARY_OID, 11), (UNIQUE_OID, "b")}
        ignoring = {1, 2}
        assert image.conflicting_keys(rows([10], ["b"], 100), 11, ignoring=ignoring) == []

    run(work)


def test_nulls_that_are_not_distinct_conflict() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(table((INT, STRING, BIG), unique=(2,), nulls_not_distinct=True), 1)
        assert image.conflicting_keys(rows([1, 2], [None, None], 1), 10) == [(UNIQUE_OID, (None,))]
        image.put_bulk(rows([1, 2], [None, "x"], 1), 10)
        assert image.conflicting_keys(rows([3], [None], 10), 11) == [(UNIQUE_OID, (None,))]
        assert image.find_unique(UNIQUE_OID, (None,), 11) == (1, 1, (1, None, 0))
        put(image, 5, 12)
        assert image.find_unique(UNIQUE_OID, (None,), 12) is not None

    run(work)


def test_a_bulk_prepared_aside_sees_what_came_meanwhile() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(TABLE, 1)
        image.put_bulk(rows([1, 2], ["a", "b"], 1), 10)
        bulk = await store.prepare_bulk(image, rows([3, 2, 4, 5], ["c", None, "d", "e"]), 100)
        image.put_bulk(rows([4], ["z"], 50), 11)
        put(image, 5, 12, "q")
        assert set(image.conflicting_keys(bulk, 12)) == {(PRIMARY_OID, 2), (PRIMARY_OID, 4), (PRIMARY_OID, 5)}

    run(work)


def test_an_update_in_bulk_replaces_rows_in_one_step() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        image.put_bulk(rows([3, 1, 2], ["c", "a", "b"], 1), 10)
        put(image, 2, 11, "memory")
        bulk = await store.prepare_bulk(image, rows([1, 2], ["A", "B"]), 100)
        image.remove_bulk(pa.array([2, 11_002]), 20)
        assert image.conflicting_keys(bulk, 20) == []
        image.put_bulk(bulk, 20)
        assert [(rid, r[1]) for _, rid, r in image.scan(None, None, 20)] == [(100, "A"), (101, "B"), (1, "c")]
        assert [(rid, r[1]) for _, rid, r in image.scan(None, None, 19)] == [
            (2, "a"),
            (11_002, "memory"),
            (1, "c"),
        ]
        assert [r[1] for r in await query(store, 20)] == ["A", "B", "c"]
        image.undo(21)
        assert [r[1] for r in await query(store, 19)] == ["a", "memory", "c"]

    run(work)


def test_a_removal_prepared_aside_sees_what_came_meanwhile() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        image.put_bulk(rows([1, 2, 3, 4], first_rid=1), 10)
        removal = await store.prepare_removal(image, pa.array([1, 2, 3, 50, 99]))
        image.put(2, 50, (2, "newer", 0), 11)  # in memory, and to be removed as well
        image.put(3, 51, (3, "newer", 0), 11)  # in memory, to stay
        image.remove_bulk(pa.array([1]), 12)
        image.put_bulk(rows([1], ["again"], 60), 12)  # a newer run, to stay
        image.remove_bulk(removal, 13)
        assert [(k, rid) for k, rid, _ in image.scan(None, None, 13)] == [(1, 60), (3, 51), (4, 4)]
        assert [r[0] for r in await query(store, 13)] == [1, 3, 4]

    run(work)


@pytest.mark.parametrize(
    "gone", [range(1, 21), range(5, 12), range(1, 21, 2), [20, 3, 4, 5, 6, 7, 1], [1, 99]], ids=str
)
def test_a_removal_is_told_by_stretches(gone: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """With gaps and without, in order or not: the same rows end, each once, and those of other times are left alone."""
    monkeypatch.setattr(pending, "CLOSE_ROWS", 4)

    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        image.put_bulk(rows([*range(1, 21)], first_rid=1), 10)
        image.remove_bulk(pa.array([4], pa.int64()), 11)
        image.remove_bulk(pa.array(gone, pa.int64()), 12)
        left = [k for k in range(1, 21) if k not in gone and k != 4]
        assert [r[0] for r in await query(store, 12)] == left
        assert [r[0] for r in await query(store, 11)] == [k for k in range(1, 21) if k != 4]
        assert [r[0] for r in await query(store, 10)] == [*range(1, 21)]
        assert image.physical.dead_rows == 20 - len(left) and image.physical.live_rows == len(left)

    run(work)


def test_a_million_rows() -> None:
    count = 1_000_000

    async def work(store: SnapshotStore) -> None:
        image = store.create(PLAIN, 1)
        keys = np.random.default_rng(7).permutation(count).astype(np.int32)
        data = pa.table({"a": keys, "b": pa.nulls(count, pa.string()), "c": keys.astype(np.int64) * 2})
        bulk = await store.prepare_bulk(image, data, 1)
        assert image.conflicting_keys(bulk, 10) == []
        image.put_bulk(bulk, 10)
        for k in (0, 1, 77_777, count - 1):
            assert image.get(k, 10) == (int(np.flatnonzero(keys == k)[0]) + 1, (k, None, 2 * k))
        assert image.get(count, 10) is None and image.get(5, 9) is None
        assert [k for (k, _, _), _ in zip(image.scan(500, None, 10), range(100), strict=False)] == list(
            range(500, 600)
        )
        for k in range(0, count, 1000):
            found = image.newest(k)
            assert found is not None and found[2] is not None
            image.put(k, count + k + 1, (k, "new", 0), 11)
        victims = pa.array(np.arange(1, count + 1, 2))  # every second row id; some are dead already
        image.remove_bulk(victims, 12)
        gone = {int(k) for k in keys[::2]} - set(range(0, count, 1000))
        expected = sum(2 * int(k) for k in range(count) if k not in gone and k % 1000)
        assert await query(store, 12, "SELECT count(*), sum(c) FROM {} q") == [(count - len(gone), expected)]
        assert sum(1 for _ in image.scan(None, None, 12)) == count - len(gone)
        assert await query(store, 10, "SELECT count(*) FROM {} q") == [(count,)]
        assert image.get(next(iter(gone)), TIMESTAMP_MAX) is None

    run(work)


# --- bounds --------------------------------------------------------------------------------------


def test_merging_keeps_the_stack_short_and_rewrites_the_bottom_rarely() -> None:
    stack = [1_000_000]
    rewritten = 0
    for _ in range(500):
        stack.insert(0, 1000)
        while (span := merge_span(stack, 4)) is not None:
            merged = sum(stack[span[0] : span[1]])
            rewritten += merged
            stack[span[0] : span[1]] = [merged]
        assert len(stack) <= 4
    assert sum(stack) == 1_500_000
    assert rewritten < 20 * 500_000
