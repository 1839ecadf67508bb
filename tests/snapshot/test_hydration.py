"""A hydrated image answers as the live one whose parts it was read from."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from executor.snapshot import (
    HydrationProgress,
    HydrationSource,
    NotHydrated,
    SnapshotLimits,
    SnapshotStore,
    TableImage,
    TooOldForKeyed,
    hydration,
)
from planner.abc import Table
from planner.types import arrow_type
from storage.abc import Part
from storage.parts import RID_FIELD, TS_FIELD
from storage.rows import rows_to_arrow
from tests.snapshot.model import BIG, INT, SPAN, STRING, UNIQUE_OID, table
from txn.abc import Commit, ShardWrites

TABLE = table((INT, STRING, SPAN), unique=(2,))
KEYLESS = table((INT, STRING, BIG), key=())


def row(i: int, text: str | None = "", span: Any = None) -> tuple[Any, ...]:
    return (i, f"text {i}" if text == "" else text, span)


def arrow(definition: Table, rids: list[int], rows: list[Any], times: list[int] | None = None) -> pa.Table:
    schema = pa.schema([(c.name, arrow_type(c.type)) for c in definition.columns])
    t = rows_to_arrow(rows, schema)
    if times is not None:
        t = t.add_column(0, "_ts", pa.array(times, pa.uint64()))
    return t.add_column(0, "_rid", pa.array(rids, pa.int64()))


def rids_of(rids: list[int]) -> pa.Table:
    return pa.table({"_rid": pa.array(rids, pa.int64())})


PARTS = [
    ("-", rids_of([2]), 20),  # comes before the insertion that it takes out
    ("+", arrow(TABLE, [1, 2, 3], [row(7), row(5), row(6, None, (1, 2, 3))]), 10),
    ("+", arrow(TABLE, [4, 5], [row(5, "again"), row(1)], [20, 30]), 20),  # a compacted part has times
    ("-", pa.table([pa.array([1]), pa.array([25])], schema=pa.schema([RID_FIELD, TS_FIELD])), 25),
]
AT_30 = [(1, 5, row(1)), (5, 4, row(5, "again")), (6, 3, row(6, None, (1, 2, 3)))]


def opener(
    parts: list[Any], as_of: int, gate: asyncio.Event | None = None
) -> Callable[[], Awaitable[HydrationSource]]:
    async def stream() -> AsyncIterator[tuple[str, pa.Table, int]]:
        if gate is not None:
            await gate.wait()
        for p in parts:
            yield p

    async def open_() -> HydrationSource:
        return HydrationSource(as_of, stream())

    return open_


async def relation(store: SnapshotStore, ts: int) -> list[Any]:
    await store.prepare_read(["t1"], ts)
    text = store.relation_sql("t1", ts, [0, 1], with_rid=True)
    return store.connection.cursor().sql(f"SELECT * FROM {text} q ORDER BY 1").fetchall()


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


@pytest.mark.parametrize(
    "limits", [SnapshotLimits(), SnapshotLimits(spill_bytes_min=1)], ids=["memory", "files"]
)
def test_parts_become_runs_and_duckdb_rows(limits: SnapshotLimits) -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.attach(TABLE, opener(PARTS, 30), last_write_ts=30)
        assert not image.hydrated_now()
        with pytest.raises(NotHydrated):
            image.get(7, 30)
        await image.hydrated()
        assert list(image.scan(None, None, 30)) == AT_30
        assert image.find_unique(UNIQUE_OID, "again", 30) == (5, 4, row(5, "again"))
        assert image.find_unique(UNIQUE_OID, "text 7", 30) is None
        with pytest.raises(TooOldForKeyed):
            image.get(7, 15)
        assert await relation(store, 15) == [(5, "text 5", 2), (6, None, 3), (7, "text 7", 1)]
        assert await relation(store, 20) == [(5, "again", 4), (6, None, 3), (7, "text 7", 1)]
        assert await relation(store, 30) == [(1, "text 1", 5), (5, "again", 4), (6, None, 3)]

    run(work, limits=limits)


def test_outstanding_commits_follow_and_those_in_the_parts_are_skipped() -> None:
    async def work(store: SnapshotStore) -> None:
        outstanding = [
            (30, ShardWrites(inserts=[(5, row(1))])),  # the parts have it
            (40, ShardWrites(inserts=[(6, row(6, "new"))], deletes=[3])),
            (41, ShardWrites(deletes=[4])),
            # a hot row: three updates in one group
            (
                42,
                ShardWrites(
                    inserts=[(7, row(1, "x")), (8, row(1, "y")), (9, row(1, "z"))], deletes=[5, 7, 8]
                ),
            ),
        ]
        image = store.attach(TABLE, opener(PARTS, 30), outstanding, last_write_ts=30)
        assert image.last_write_ts == 42
        await image.hydrated()
        assert [r for _, _, r in image.scan(None, None, 42)] == [row(1, "z"), row(6, "new")]
        assert [rid for _, rid, _ in image.scan(None, None, 40)] == [5, 4, 6]
        assert await relation(store, 42) == [(1, "z", 9), (6, "new", 6)]
        assert await relation(store, 40) == [(1, "text 1", 5), (5, "again", 4), (6, "new", 6)]

    run(work)


def test_commits_that_arrive_while_the_parts_are_being_read_are_not_lost() -> None:
    async def work(store: SnapshotStore) -> None:
        gate = asyncio.Event()
        image = store.attach(TABLE, opener(PARTS, 30, gate), last_write_ts=30)
        waiting = asyncio.ensure_future(image.hydrated())
        await asyncio.sleep(0)
        await store.apply_commit(Commit(50, {"t1": ShardWrites(inserts=[(20, row(20))], deletes=[4])}))
        assert not image.hydrated_now()
        gate.set()
        await waiting
        assert [k for k, _, _ in image.scan(None, None, 50)] == [1, 6, 20]
        assert await relation(store, 50) == [(1, "text 1", 5), (6, None, 3), (20, "text 20", 20)]

    run(work)


def test_a_table_without_keys_takes_writes_before_it_is_hydrated() -> None:
    async def work(store: SnapshotStore) -> None:
        gate = asyncio.Event()
        part = ("+", arrow(KEYLESS, [1, 2], [(1, "a", 1), (2, "b", 2)]), 10)
        image = store.attach(KEYLESS, opener([part], 10, gate), last_write_ts=10)
        image.put(3, 3, (3, "c", 3), 11)
        image.remove(1, 1, 12)
        gate.set()
        assert await relation(store, 11) == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]
        assert await relation(store, 12) == [(2, "b", 2), (3, "c", 3)]

    run(work)


def test_what_comes_before_it_is_hydrated_is_newer_than_what_the_log_has_for_it() -> None:
    async def work(store: SnapshotStore) -> None:
        gate = asyncio.Event()
        outstanding = [
            (10, ShardWrites(inserts=[(1, (1, "a", 1))])),
            (11, ShardWrites(inserts=[(2, (2, "b", 2))])),
        ]
        image = store.attach(KEYLESS, opener([], -1, gate), outstanding, last_write_ts=11)
        image.put(3, 3, (3, "c", 3), 13)
        gate.set()
        assert await relation(store, 12) == [(1, "a", 1), (2, "b", 2)]
        assert await relation(store, 13) == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]

    run(work)


def test_commits_with_parts_are_fetched_and_applied_in_one_step() -> None:
    parts = {
        "ins": arrow(TABLE, [30, 31, 32], [row(5, "bulk"), row(31), row(32)]),
        "del": rids_of([4, 32]),  # 32 came and went within the transaction
    }

    async def fetch(shard: str, part: Part) -> pa.Table:
        assert shard == "t1" and part.key is not None
        return parts[part.key]

    async def work(store: SnapshotStore) -> None:
        image = store.attach(TABLE, opener(PARTS, 30), last_write_ts=30)
        await image.hydrated()
        writes = ShardWrites(
            inserts=[(33, row(33))],
            parts=[Part("+", 3, 0, 60, key="ins"), Part("-", 2, 0, 60, key="del")],
        )
        await store.apply_commit(Commit(60, {"t1": writes}))
        assert [(k, rid) for k, rid, _ in image.scan(None, None, 60)] == [
            (1, 5),
            (5, 30),
            (6, 3),
            (31, 31),
            (33, 33),
        ]
        assert image.get(5, 59) == (4, row(5, "again"))
        assert [r[2] for r in await relation(store, 60)] == [5, 30, 3, 31, 33]
        assert [r[2] for r in await relation(store, 59)] == [5, 4, 3]

    run(work, fetch=fetch)


def _bulk_update_at_60() -> tuple[dict[str, pa.Table], tuple[int, ShardWrites]]:
    """The row under key 5, as somebody changed it after the parts: (what its parts hold, the commit)."""
    parts = {"ins": arrow(TABLE, [30], [row(5, "newer")]), "del": rids_of([4])}
    return parts, (60, ShardWrites(parts=[Part("+", 1, 0, 60, key="ins"), Part("-", 1, 0, 60, key="del")]))


def test_nobody_reads_a_key_in_the_parts_while_later_commits_are_fetched() -> None:
    parts, outstanding = _bulk_update_at_60()
    asked, gate = asyncio.Event(), asyncio.Event()

    async def fetch(shard: str, part: Part) -> pa.Table:
        asked.set()
        await gate.wait()
        return parts[str(part.key)]

    async def work(store: SnapshotStore) -> None:
        image = store.attach(TABLE, opener(PARTS, 30), [outstanding], last_write_ts=60)
        hydrated = asyncio.ensure_future(image.hydrated())
        await asked.wait()
        for read in (lambda: image.get(5, 60), lambda: image.newest(5), lambda: list(image.scan(5, 5, 60))):
            with pytest.raises(NotHydrated):
                read()
        gate.set()
        await hydrated
        assert image.get(5, 60) == (30, row(5, "newer"))
        assert image.get(5, 59) == (4, row(5, "again"))

    run(work, fetch=fetch)


def test_a_hydration_that_fails_after_its_parts_are_read_begins_anew() -> None:
    parts, outstanding = _bulk_update_at_60()
    attempts = 0

    async def fetch(shard: str, part: Part) -> pa.Table:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise OSError("the store is out of reach")
        return parts[str(part.key)]

    async def main() -> None:
        store = SnapshotStore(threads=1, fetch=fetch)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        image = store.attach(TABLE, opener(PARTS, 30), [outstanding], last_write_ts=60)
        with pytest.raises(OSError, match="out of reach"):
            await image.hydrated()
        await image.hydrated()
        assert [(k, rid) for k, rid, _ in image.scan(None, None, 60)] == [(1, 5), (5, 30), (6, 3)]
        assert [r[2] for r in await relation(store, 60)] == [5, 30, 3]
        await store.close()

    asyncio.run(main())


def test_an_update_of_the_primary_key_by_another_process_moves_the_row() -> None:
    async def work(store: SnapshotStore) -> None:
        image = store.attach(TABLE, opener(PARTS, 30), last_write_ts=30)
        await image.hydrated()
        moved = ShardWrites(inserts=[(40, row(100, "moved")), (41, row(5, "swap"))], deletes=[4, 5])
        await store.apply_commit(Commit(70, {"t1": moved}))  # 5 -> 100, 1 -> 5
        assert [(k, rid) for k, rid, _ in image.scan(None, None, 70)] == [(5, 41), (6, 3), (100, 40)]
        assert [r[2] for r in await relation(store, 70)] == [41, 3, 40]

    run(work)


def test_a_failed_hydration_is_reported_and_can_be_tried_again() -> None:
    async def main() -> None:
        store = SnapshotStore(threads=1)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        attempts = 0

        async def flaky() -> HydrationSource:
            nonlocal attempts
            attempts += 1

            async def broken() -> AsyncIterator[tuple[str, pa.Table, int]]:
                yield PARTS[1]
                raise OSError("the disk is gone")

            return HydrationSource(30, broken()) if attempts == 1 else await opener(PARTS, 30)()

        image: TableImage = store.attach(TABLE, flaky, last_write_ts=30)
        with pytest.raises(OSError, match="disk is gone"):
            await image.hydrated()
        assert not image.hydrated_now()
        await image.hydrated()
        assert list(image.scan(None, None, 30)) == AT_30
        await store.close()

    asyncio.run(main())


def test_closing_cuts_hydration_short() -> None:
    async def main() -> None:
        store = SnapshotStore(threads=1)
        image = store.attach(TABLE, opener(PARTS, 30, asyncio.Event()), last_write_ts=30)
        waiting = asyncio.ensure_future(image.hydrated())
        await asyncio.sleep(0.01)
        await store.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())


def test_closing_waits_for_what_a_thread_is_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread cannot be cancelled: the connection stays its own until it has come to its end."""
    written = hydration._write
    begun = threading.Event()

    def slowly(con: duckdb.DuckDBPyConnection, *arguments: Any) -> None:
        begun.set()
        con.execute("SELECT sum(hash(i)) FROM range(20_000_000) g(i)").fetchone()
        written(con, *arguments)

    async def main() -> None:
        store = SnapshotStore(threads=1)
        monkeypatch.setattr(hydration, "_write", slowly)
        image = store.attach(TABLE, opener(PARTS, 30), last_write_ts=30)
        waiting = asyncio.ensure_future(image.hydrated())
        assert await asyncio.to_thread(begun.wait, 240.0)
        await store.close()
        assert store.background_error is None
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(main())


def test_progress_is_told_and_everything_gets_hydrated_in_the_background() -> None:
    heard: list[HydrationProgress] = []

    async def work(store: SnapshotStore) -> None:
        store.attach(TABLE, opener(PARTS, 30), last_write_ts=30)
        await store.hydrate_all()
        assert store.image("t1").hydrated_now()
        assert [(p.row_count, p.done) for p in heard] == [(3, False), (5, True)]

    run(work, progress=heard.append)
