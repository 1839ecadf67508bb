"""What has been written is packed in a calm moment, beside readers and writers, and says the same afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from executor.snapshot import SnapshotLimits, SnapshotStore, packing
from executor.snapshot.hydration import HydrationSource
from tests.snapshot.test_store import PLAIN, put, query, rows, run

MANY = packing.ROWS_MIN
SUMS = "SELECT count(*), sum(a), count(DISTINCT b), min(b) FROM {} q"


@pytest.fixture(autouse=True)
def nothing_happens_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a test takes."""
    monkeypatch.setattr(packing, "CALM_S", 100_000.0)


def fill(store: SnapshotStore, ts: int = 10, first: int = 0) -> None:
    image = store.find("t1") or store.create(PLAIN, 1)
    keys = list(range(first, first + MANY))
    image.put_bulk(image.prepare_bulk(rows(keys, [f"word number {k % 100}" for k in keys], first)), ts)


def kept_bytes(store: SnapshotStore) -> int:
    asked = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'"
    row = store.connection.cursor().execute(asked).fetchone()
    assert row is not None
    return int(row[0])


def unpacked(store: SnapshotStore) -> tuple[int, int]:
    """How many times a database was packed, and the rows that are not."""
    return store.packer.packed, sum(store.packer.unpacked_rows.values())


def databases(store: SnapshotStore) -> int:
    """How many tables have one of their own."""
    asked = "SELECT count(*) FROM duckdb_databases() WHERE NOT internal"
    row = store.connection.cursor().execute(asked).fetchone()
    assert row is not None
    return int(row[0]) - 1


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(240):
        while not true():
            await asyncio.sleep(0.01)


def test_packed_rows_take_less_memory_and_are_the_same() -> None:
    async def work(store: SnapshotStore) -> None:
        fill(store)
        before = await query(store, 10, SUMS)
        loose_bytes = kept_bytes(store)
        await store.packer.pack()
        assert store.packer.packed == 1
        assert kept_bytes(store) < loose_bytes / 4
        assert await query(store, 10, SUMS) == before

    run(work)


def test_packed_rows_are_closed_and_added_to_and_packed_again() -> None:
    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        await store.packer.pack()
        image = store.image("t1")
        image.remove_bulk(rows([0], first_rid=77)["_rid"].combine_chunks(), 20)
        fill(store, 30, first=MANY)
        for packed in (1, 2):
            assert await query(store, 10, "SELECT count(*), sum(a) FROM {} q") == [
                (MANY, MANY * (MANY - 1) // 2)
            ]
            assert await query(store, 20, "SELECT count(*), sum(a) FROM {} q") == [
                (MANY - 1, MANY * (MANY - 1) // 2 - 77)
            ]
            assert await query(store, 30, "SELECT count(*), max(a) FROM {} q") == [
                (2 * MANY - 1, 2 * MANY - 1)
            ]
            assert store.packer.packed == packed
            await store.packer.pack()
        await store.packer.pack()
        assert store.packer.packed == 2, "nothing had been written since"

    run(work)


def test_it_happens_by_itself_once_there_is_enough_and_nobody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "CALM_S", 0.01)
    monkeypatch.setattr(packing, "ROWS_MIN", 2 * MANY)

    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        await asyncio.sleep(0.1)
        assert unpacked(store) == (0, MANY), "these are too few"
        fill(store, 20, first=MANY)
        await store.prepare_read(["t1"], 20)
        await until(lambda: store.packer.packed == 1)
        assert unpacked(store) == (1, 0)

    run(work)


def test_who_is_in_the_middle_of_writing_is_waited_for() -> None:
    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        writer = store.connection.cursor()
        writer.execute("BEGIN")
        writer.execute(f"UPDATE {store.image('t1').physical.name} SET _to = 0 WHERE c1 < 10")
        waiting = asyncio.ensure_future(store.packer.pack())
        await asyncio.sleep(3 * packing.RETRY_S)
        assert not waiting.done()
        writer.execute("ROLLBACK")
        await waiting
        assert unpacked(store) == (1, 0)

    run(work)


def test_it_gives_way_to_whoever_keeps_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "RETRY_S", 0.001)

    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        writer = store.connection.cursor()
        writer.execute("BEGIN")
        writer.execute(f"UPDATE {store.image('t1').physical.name} SET _to = 0 WHERE c1 < 10")
        await store.packer.pack()
        assert unpacked(store) == (0, MANY), "they are packed another time"
        writer.execute("ROLLBACK")

    run(work)


def test_it_asks_for_a_steady_number_of_threads_and_lets_go_of_it() -> None:
    async def work(store: SnapshotStore) -> None:
        asked: list[str] = []

        async def steady() -> Callable[[], None] | None:
            asked.append("no" if len(asked) < 2 else "yes")
            return (lambda: asked.append("over")) if asked[-1] == "yes" else None

        store.packer.steady = steady
        fill(store)
        await store.prepare_read(["t1"], 10)
        await store.packer.pack()
        assert asked == ["no", "no", "yes", "over"]

    run(work)


def test_a_store_that_closes_begins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stores: list[Any] = []

    async def work(store: SnapshotStore) -> None:
        stores.append(store)
        fill(store)
        await store.prepare_read(["t1"], 10)  # the timer runs

    run(work)
    assert stores[0].packer.packed == 0


def test_only_what_begins_large_has_a_database_of_its_own_and_it_goes_with_the_table() -> None:
    async def work(store: SnapshotStore) -> None:
        small = store.create(PLAIN, 1)
        small.put_bulk(small.prepare_bulk(rows(list(range(1000)), None, 0)), 5)
        await store.prepare_read(["t1"], 5)
        assert databases(store) == 0
        await store.packer.pack()
        assert store.packer.packed == 0
        store.discard("t1")
        await store.settled()
        fill(store)
        await store.prepare_read(["t1"], 10)
        assert databases(store) == 1
        reader = store.connection.cursor()
        reading = reader.execute(f"SELECT c1 FROM {store.image('t1').physical.name}")
        store.discard("t1")
        await store.settled()
        assert databases(store) == 0
        seen = 0
        while some := reading.fetchmany(50_000):
            seen += len(some)
        assert seen == MANY, "who reads it reads on"

    run(work)


def test_a_flush_to_what_is_being_packed_waits_and_others_do_not() -> None:
    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        other = store.create(replace(PLAIN, oid=PLAIN.oid + 1, name="other", shard="t2"), 1)
        held = threading.Event()
        whole = store.packer._checkpoint

        def slow(database: str) -> None:
            held.wait(240)
            whole(database)

        store.packer._checkpoint = slow  # type: ignore[method-assign]
        packing_now = asyncio.ensure_future(store.packer.pack())
        await until(lambda: unpacked(store) == (0, 0))
        fill(store, 20, first=MANY)
        to_packed = asyncio.ensure_future(store.prepare_read(["t1"], 20))
        put(other, 1, 20)
        await store.prepare_read(["t2"], 20)
        await asyncio.sleep(0.05)
        assert not to_packed.done()
        held.set()
        await packing_now
        await to_packed
        assert await query(store, 20, "SELECT count(*) FROM {} q") == [(2 * MANY,)]

    run(work)


def test_a_large_table_that_is_hydrated_is_packed_too() -> None:
    async def work(store: SnapshotStore) -> None:
        async def parts() -> AsyncIterator[tuple[str, pa.Table, int]]:
            yield "+", rows(list(range(MANY)), None, 0), 5

        async def opener() -> HydrationSource:
            return HydrationSource(5, parts(), MANY)

        store.attach(PLAIN, opener)
        await store.prepare_read(["t1"], 5)
        assert unpacked(store) == (0, MANY)
        loose_bytes = kept_bytes(store)
        await store.packer.pack()
        assert unpacked(store) == (1, 0) and kept_bytes(store) < loose_bytes / 4
        assert await query(store, 5, "SELECT count(*), max(a) FROM {} q") == [(MANY, MANY - 1)]

    run(work)


FEW = SnapshotLimits(unpacked_bytes_max=MANY * 20)
"""A fifth of what `rows` of MANY take, or so."""


def test_a_large_table_is_packed_while_it_is_hydrated() -> None:
    async def work(store: SnapshotStore) -> None:
        attempts = 0

        async def parts() -> AsyncIterator[tuple[str, pa.Table, int]]:
            for first in range(0, 2 * MANY, MANY // 2):
                if attempts == 1 and first == MANY:
                    raise OSError("the store is away")
                yield "+", rows(list(range(first, first + MANY // 2)), None, first), 5
            yield "-", rows([0], None, 77).select(["_rid"]), 5

        async def opener() -> HydrationSource:
            nonlocal attempts
            attempts += 1
            return HydrationSource(5, parts(), 2 * MANY)

        store.attach(PLAIN, opener)
        with pytest.raises(OSError, match="away"):
            await store.image("t1").hydrated()
        packed, left = unpacked(store)
        assert packed and not left  # what was packed of the attempt that failed is gone
        await store.prepare_read(["t1"], 5)
        packed_again, left = unpacked(store)
        assert packed_again > packed and left < 2 * MANY
        assert await query(store, 5, "SELECT count(*), max(a) FROM {} q") == [(2 * MANY - 1, 2 * MANY - 1)]
        image = store.image("t1")
        assert image.get(78, 5) is not None and image.get(77, 5) is None
        store.background_error = None  # that was expected

    run(work, limits=FEW)


def test_what_is_packed_while_it_is_written_is_seen_whole_or_not_at_all() -> None:
    async def work(store: SnapshotStore) -> None:
        steady, seen = store.packer.steady, []

        async def look(ts: int) -> tuple[Any, ...]:
            with store.pin(["t1"]) as pin:
                text = store.relation_sql("t1", ts, pin=pin)
                found = store.connection.cursor().execute(SUMS.format(text)).fetchone()
            assert found is not None
            return found

        async def between() -> Callable[[], None] | None:
            if store.image("t1").flushed_ts >= 10:
                seen.append(await look(10))
            return await steady()

        fill(store)
        before = await query(store, 10, SUMS)
        assert unpacked(store)[0] > 0
        store.packer.steady = between
        fill(store, 20, first=MANY)
        assert await query(store, 20, "SELECT count(*), max(a) FROM {} q") == [(2 * MANY, 2 * MANY - 1)]
        assert len(seen) > 1 and set(seen) == set(before)
        assert store.image("t1").physical.live_rows == 2 * MANY

    run(work, limits=FEW)


def test_what_could_not_be_written_is_written_by_the_next() -> None:
    async def work(store: SnapshotStore) -> None:
        steady = store.packer.steady

        async def fails() -> Callable[[], None] | None:
            if store.image("t1").physical.live_rows < MANY // 2:
                return await steady()
            raise RuntimeError("in the middle")

        store.packer.steady = fails
        fill(store)
        image = store.image("t1")
        put(image, -1, 20, "the last")
        with pytest.raises(RuntimeError, match="in the middle"):
            await store.prepare_read(["t1"], 20)
        assert MANY // 2 <= image.physical.live_rows < MANY and image.pending
        store.packer.steady = steady
        found = await query(store, 20, "SELECT count(*), count(DISTINCT a), min(a) FROM {} q")
        assert found == [(MANY + 1, MANY + 1, -1)]
        assert await query(store, 10, "SELECT count(*) FROM {} q") == [(MANY,)]
        store.background_error = None  # that was expected

    run(work, limits=FEW)


def test_a_table_that_is_dropped_when_it_could_not_be_read_leaves_no_database() -> None:
    async def work(store: SnapshotStore) -> None:
        async def parts() -> AsyncIterator[tuple[str, pa.Table, int]]:
            yield "+", rows(list(range(10)), None, 0), 5
            raise OSError("the store is away")

        async def opener() -> HydrationSource:
            return HydrationSource(5, parts(), MANY)

        store.attach(PLAIN, opener)
        for _ in range(2):
            with pytest.raises(OSError, match="away"):
                await store.image("t1").hydrated()
        assert databases(store) == 1
        store.discard("t1")
        await until(lambda: databases(store) == 0)
        store.background_error = None  # that was expected

    run(work)


def test_a_table_may_be_dropped_just_before_it_would_be_packed() -> None:
    async def work(store: SnapshotStore) -> None:
        async def steady() -> Callable[[], None] | None:
            if store.find("t1") is not None:
                store.discard("t1")
                await until(lambda: not store.packer.unpacked_rows)
                await until(lambda: databases(store) == 0)
            return lambda: None

        store.packer.steady = steady
        fill(store)
        await store.prepare_read(["t1"], 10)
        await store.packer.pack()
        assert unpacked(store) == (0, 0)

    run(work)


@pytest.mark.parametrize("bytes_max, packed", [(128 << 20, False), (1 << 20, True)])
def test_ends_of_rows_pack_a_table_by_bytes_not_all_the_time(bytes_max: int, packed: bool) -> None:
    """DuckDB packs a database by itself, within a commit: each seven hundredth row that ended had a whole column packed."""

    async def work(store: SnapshotStore) -> None:
        fill(store)
        await store.prepare_read(["t1"], 10)
        await store.packer.pack()
        image = store.image("t1")
        for ts in range(20, 30):
            gone = range(ts, MANY, 997)  # some of each of DuckDB's vectors, of which an end is told in whole
            image.remove_bulk(pa.array(gone, pa.int64()), ts)
            await store.prepare_read(["t1"], ts)
        ended = sum(len(range(ts, MANY, 997)) for ts in range(20, 30))
        assert await query(store, 29, "SELECT count(*) FROM {} q") == [(MANY - ended,)]
        assert await query(store, 10, SUMS.replace("sum(a)", "min(a)")) == [(MANY, 0, 100, "word number 0")]
        asked = f"SELECT count(*) FROM pragma_storage_info('{image.physical.name.replace(chr(34), '')}') WHERE has_updates"
        changed = store.connection.cursor().execute(asked).fetchone()
        assert changed is not None
        assert (changed[0] == 0) is packed

    run(work, limits=replace(SnapshotLimits(), changed_bytes_max=bytes_max))
