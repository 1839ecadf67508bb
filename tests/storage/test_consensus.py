"""The contract of `storage.abc.Consensus`, held against every implementation."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from obstore import store as obstores

from storage.abc import (
    Consensus,
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    StorageFull,
)
from storage.consensus import (
    ObjectStoreConsensus,
    SqliteConsensus,
    open_consensus,
    postgres,
)
from storage.consensus.postgres import PostgresConsensus
from tests.postgres import running_postgres

Body = Callable[[Consensus, Consensus], Awaitable[None]]


@pytest.fixture(params=["memory", "log", "sqlite", "postgres", "objects"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Body], None]:
    """Runs a body with two handles on one empty consensus, as two processes would have."""

    @asynccontextmanager
    async def handles() -> AsyncIterator[tuple[Consensus, Consensus]]:
        if request.param == "memory":
            one = two = await open_consensus("memory://")
        elif request.param in ("log", "sqlite"):
            one = await open_consensus(f"{request.param}:////{tmp_path}/log.db")
            two = await open_consensus(f"{request.param}:////{tmp_path}/log.db")
        elif request.param == "objects":
            store = obstores.MemoryStore()
            one, two = ObjectStoreConsensus("s3://none", store), ObjectStoreConsensus("s3://none", store)
        else:
            url = request.getfixturevalue("postgres_url")
            schema = "t" + uuid.uuid4().hex
            with psycopg.connect(url, autocommit=True) as c:
                c.execute(f"CREATE SCHEMA {schema}")
            url += f"?options=-c%20search_path%3D{schema}"
            one = await open_consensus(url)
            two = await open_consensus(url)
        try:
            yield one, two
        finally:
            await one.close()
            await two.close()

    def run(body: Body) -> None:
        async def main() -> None:
            async with handles() as (one, two):
                await body(one, two)

        asyncio.run(main())

    return run


async def fill(c: Consensus, shard: str, count: int) -> None:
    for i in range(count):
        assert await c.compare_and_append(shard, i, b"data %d" % (i + 1), b"token %d" % (i + 1)) == i + 1


def test_a_shard_without_a_log_is_empty(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        assert await one.head("s") is None
        assert await one.scan("s", 1) == []
        assert await one.shards() == []
        assert await one.truncate("s", 10) == 0
        await one.delete("s")

    both(body)


def test_entries_are_read_back_in_order_by_everybody(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        await fill(one, "s", 5)
        await fill(one, "another", 1)
        entries = [LogEntry(i, b"data %d" % i) for i in range(1, 6)]
        assert await two.scan("s", 1) == entries
        assert await two.scan("s", 4) == entries[3:]
        assert await two.scan("s", 2, limit=2) == entries[1:3]
        assert await two.scan("s", 6) == []
        assert await two.head("s") == entries[-1]
        assert await two.shards() == ["another", "s"]

    both(body)


@pytest.mark.parametrize("expected", [0, 1, 2, 4, 5, 100])
def test_only_the_end_of_the_log_takes_an_entry(both: Callable[[Body], None], expected: int) -> None:
    """Behind it: lost race. Beyond it: a gap, which may never be."""

    async def body(one: Consensus, two: Consensus) -> None:
        await fill(one, "s", 3)
        with pytest.raises(SeqnoMismatch) as e:
            await two.compare_and_append("s", expected, b"x", b"mine")
        assert (e.value.shard, e.value.expected, e.value.current) == ("s", expected, 3)
        assert len(await one.scan("s", 1)) == 3

    both(body)


def test_the_first_entry_of_a_log_is_raced_for_too(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        with pytest.raises(SeqnoMismatch) as e:
            await one.compare_and_append("s", 7, b"x", b"t")
        assert e.value.current == 0
        assert await one.compare_and_append("s", 0, b"x", b"one") == 1
        with pytest.raises(SeqnoMismatch) as e:
            await two.compare_and_append("s", 0, b"y", b"two")
        assert e.value.current == 1

    both(body)


def test_an_append_asked_for_again_is_found_not_repeated(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        await fill(one, "s", 3)
        assert await one.compare_and_append("s", 2, b"data 3", b"token 3") == 3
        assert await two.compare_and_append("s", 0, b"data 1", b"token 1") == 1
        assert len(await one.scan("s", 1)) == 3

    both(body)


def test_truncation_keeps_the_newest_and_all_that_was_not_named(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        await fill(one, "s", 5)
        await fill(one, "t", 5)
        assert await one.truncate("s", 3) == 2
        assert [e.seqno for e in await two.scan("s", 1)] == [3, 4, 5]
        assert await one.truncate("s", 2) == 0
        assert await one.truncate("s", 1_000) == 2
        assert await two.head("s") == LogEntry(5, b"data 5")
        assert await two.compare_and_append("s", 5, b"six", b"t") == 6
        assert len(await two.scan("t", 1)) == 5
        with pytest.raises(SeqnoMismatch):  # its neighbours are gone, it is still behind
            await two.compare_and_append("s", 1, b"x", b"late")

    both(body)


def test_a_deleted_log_begins_anew(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        await fill(one, "s", 3)
        await fill(two, "t", 2)
        await two.delete("s")
        assert await one.head("s") is None
        assert await one.shards() == ["t"]
        with pytest.raises(SeqnoMismatch) as e:
            await one.compare_and_append("s", 3, b"x", b"t")
        assert e.value.current == 0
        assert await one.compare_and_append("s", 0, b"anew", b"t") == 1
        assert await two.scan("s", 1) == [LogEntry(1, b"anew")]

    both(body)


def test_racing_writers_share_a_gapless_log(both: Callable[[Body], None]) -> None:
    """Every acknowledged entry is in the log exactly once; nothing else is."""

    async def body(one: Consensus, two: Consensus) -> None:
        acknowledged: dict[int, bytes] = {}

        async def writer(c: Consensus, name: bytes) -> None:
            seqno = 0
            for i in range(20):
                while True:
                    data = name + b"%d" % i
                    try:
                        seqno = await c.compare_and_append("s", seqno, data, data)
                        assert seqno not in acknowledged
                        acknowledged[seqno] = data
                        break
                    except SeqnoMismatch as e:
                        seqno = e.current

        await asyncio.gather(*(writer(c, n) for c, n in [(one, b"a"), (two, b"b"), (one, b"c")]))
        log = await one.scan("s", 1)
        assert {e.seqno: e.data for e in log} == acknowledged
        assert [e.seqno for e in log] == list(range(1, 61))

    both(body)


def test_a_long_log_is_truncated_whole(both: Callable[[Body], None]) -> None:
    """Also where that is done in steps."""

    async def body(one: Consensus, two: Consensus) -> None:
        count = 2_500 if one.synchronous else 50
        for i in range(count):
            if one.synchronous:
                one.append_now("s", i, b"x", b"%d" % i)
            else:
                await one.compare_and_append("s", i, b"x", b"%d" % i)
        assert await two.truncate("s", count - 5) == count - 6
        assert [e.seqno for e in await one.scan("s", 1)] == list(range(count - 5, count + 1))

    both(body)


def test_large_entries_and_odd_names(both: Callable[[Body], None]) -> None:
    async def body(one: Consensus, two: Consensus) -> None:
        name = 'it\'s "odd" ü%s'
        data = os.urandom(3_000_000)
        assert await one.compare_and_append(name, 0, data, b"\0") == 1
        assert await two.scan(name, 1) == [LogEntry(1, data)]
        assert await two.compare_and_append(name, 1, b"", b"\0\xff") == 2
        assert await one.head(name) == LogEntry(2, b"")
        assert await one.shards() == [name]

    both(body)


@pytest.mark.parametrize("kind", ["memory", "log", "sqlite"])
def test_append_now_is_compare_and_append(kind: str, tmp_path: Path) -> None:
    async def main() -> None:
        c = await open_consensus("memory://" if kind == "memory" else f"{kind}:////{tmp_path}/log.db")
        assert c.synchronous
        assert c.append_now("s", 0, b"1", b"t1") == 1
        assert c.append_now("s", 1, b"2", b"t2") == 2
        assert c.append_now("s", 1, b"2", b"t2") == 2
        with pytest.raises(SeqnoMismatch):
            c.append_now("s", 1, b"3", b"t3")
        assert await c.scan("s", 1) == [LogEntry(1, b"1"), LogEntry(2, b"2")]
        await c.close()

    asyncio.run(main())


# --- SQLite ------------------------------------------------------------------------------------


def test_sqlite_is_what_durability_needs(tmp_path: Path) -> None:
    c = SqliteConsensus(tmp_path / "log.db")
    assert c._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert c._db.execute("PRAGMA synchronous").fetchone() == (2,)
    asyncio.run(c.close())


@pytest.mark.parametrize(
    ("pragma", "error"),
    [("user_version = 99", FormatTooNew), ("application_id = 1", Determinate)],
)
def test_sqlite_of_others_is_left_alone(tmp_path: Path, pragma: str, error: type[Exception]) -> None:
    path = tmp_path / "log.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE theirs (x)")
        db.execute(f"PRAGMA {pragma}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(error):
        SqliteConsensus(path)
    assert path.read_bytes() == before


def test_sqlite_that_was_damaged_is_named(tmp_path: Path) -> None:
    async def main() -> None:
        path = tmp_path / "log.db"
        c = SqliteConsensus(path)
        for i in range(200):
            c.append_now("s", i, b"x" * 500, b"%d" % i)
        await c.close()
        data = bytearray(path.read_bytes())
        data[8192:-4096] = os.urandom(len(data) - 8192 - 4096)
        path.write_bytes(data)
        damaged = SqliteConsensus(path)
        with pytest.raises(CorruptBlob, match=r"log\.db"):
            await damaged.scan("s", 1)
        await damaged.close()

    asyncio.run(main())


def test_a_closed_one_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        c = SqliteConsensus(tmp_path / "log.db")
        await c.close()
        await c.close()
        with pytest.raises(Determinate):
            await c.head("s")
        with pytest.raises(Determinate):
            c.append_now("s", 0, b"x", b"t")

    asyncio.run(main())


def test_sqlite_that_is_no_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(b"this is not a database, is it? " * 100)
    with pytest.raises(Determinate):
        SqliteConsensus(path)
    with pytest.raises(Determinate):
        SqliteConsensus(tmp_path / "no" / "such" / "folder" / "log.db")


def test_a_full_disk_is_storage_full_and_nothing_happened(tmp_path: Path) -> None:
    async def main() -> None:
        c = SqliteConsensus(tmp_path / "log.db")
        c.append_now("s", 0, b"1", b"t1")
        (pages,) = c._db.execute("PRAGMA page_count").fetchone()
        c._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StorageFull):
            c.append_now("s", 1, os.urandom(100_000), b"t2")
        assert await c.head("s") == LogEntry(1, b"1")
        c._db.execute("PRAGMA max_page_count = 1000000")
        assert c.append_now("s", 1, b"2", b"t3") == 2
        await c.close()

    asyncio.run(main())


def test_a_locked_file_is_determinate(tmp_path: Path) -> None:
    async def main() -> None:
        c = SqliteConsensus(tmp_path / "log.db", busy_timeout_s=0.05)
        c.append_now("s", 0, b"1", b"t1")
        other = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Determinate):
            c.append_now("s", 1, b"2", b"t2")
        other.execute("ROLLBACK")
        other.close()
        assert c.append_now("s", 1, b"2", b"t2") == 2
        await c.close()

    asyncio.run(main())


_RACER = """
import asyncio, sys
from storage.abc import SeqnoMismatch
from storage.consensus import open_consensus

c, seqno = asyncio.run(open_consensus(sys.argv[1])), 0
for i in range(int(sys.argv[3])):
    while True:
        data = f"{sys.argv[2]} {i}".encode()
        try:
            seqno = c.append_now("s", seqno, data, data)
            break
        except SeqnoMismatch as e:
            seqno = e.current
asyncio.run(c.close())
"""


@pytest.mark.parametrize("kind", ["log", "sqlite"])
def test_several_processes_share_one_file(kind: str, tmp_path: Path) -> None:
    url = f"{kind}:///{tmp_path / 'log.db'}"
    racers = [
        subprocess.Popen([sys.executable, "-c", _RACER, url, name, "40"], cwd=Path(__file__).parents[2])
        for name in ("a", "b", "c")
    ]
    assert [r.wait(240) for r in racers] == [0, 0, 0]

    async def main() -> list[LogEntry]:
        c = await open_consensus(url)
        log = await c.scan("s", 1)
        await c.close()
        return log

    log = asyncio.run(main())
    assert [e.seqno for e in log] == list(range(1, 121))
    assert sorted(e.data for e in log) == sorted(
        f"{name} {i}".encode() for name in ("a", "b", "c") for i in range(40)
    )


@pytest.mark.parametrize("kind", ["log", "sqlite"])
def test_an_append_survives_the_death_of_its_process(kind: str, tmp_path: Path) -> None:
    program = (
        "import asyncio, os, sys\nfrom storage.consensus import open_consensus\n"
        "asyncio.run(open_consensus(sys.argv[1])).append_now('s', 0, b'x', b't')\nos._exit(9)\n"
    )
    url = f"{kind}:///{tmp_path / 'log.db'}"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program, url], check=False, cwd=root).returncode == 9

    async def main() -> None:
        c = await open_consensus(url)
        assert await c.head("s") == LogEntry(1, b"x")
        await c.close()

    asyncio.run(main())


# --- PostgreSQL --------------------------------------------------------------------------------


def test_a_server_that_vanishes_in_mid_append_is_indeterminate_and_resolved_by_token() -> None:
    """The connection is cut while the append waits for a lock: it may have happened, and had not."""

    async def main(url: str) -> None:
        c = await PostgresConsensus.open(url)
        assert await c.compare_and_append("s", 0, b"1", b"t1") == 1
        blocker = await psycopg.AsyncConnection.connect(url)
        await blocker.execute("LOCK TABLE tidewire_log IN ACCESS EXCLUSIVE MODE")
        append = asyncio.create_task(c.compare_and_append("s", 1, b"2", b"t2"))
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as admin:
            waiting: list[Any] = []
            while not waiting:
                await asyncio.sleep(0.01)
                cursor = await admin.execute(
                    "SELECT pid FROM pg_stat_activity WHERE application_name = 'tidewire'"
                    " AND wait_event_type = 'Lock'"
                )
                waiting = await cursor.fetchall()
            await admin.execute("SELECT pg_terminate_backend(%s)", waiting[0])
        with pytest.raises(Indeterminate):
            await append
        await blocker.rollback()
        await blocker.close()
        assert await c.compare_and_append("s", 1, b"2", b"t2") == 2
        assert await c.compare_and_append("s", 1, b"2", b"t2") == 2
        assert [e.seqno for e in await c.scan("s", 1)] == [1, 2]
        await c.close()

    with running_postgres() as url:
        asyncio.run(main(url))

    async def gone() -> None:
        with pytest.raises(Determinate):
            await PostgresConsensus.open(url)

    asyncio.run(gone())


def test_a_server_that_does_not_answer_is_indeterminate(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "OPERATION_TIMEOUT_S", 0.2)

    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as admin:
            await admin.execute("CREATE SCHEMA silent")
        url = postgres_url + "?options=-c%20search_path%3Dsilent"
        c = await PostgresConsensus.open(url)
        async with await psycopg.AsyncConnection.connect(url) as blocker:
            await blocker.execute("LOCK TABLE tidewire_log IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(Indeterminate):
                await c.compare_and_append("s", 0, b"x", b"t")
        assert await c.compare_and_append("s", 0, b"x", b"t") == 1
        await c.close()

    asyncio.run(main())


def test_postgres_tables_of_a_newer_format_are_left_alone(postgres_url: str) -> None:
    async def main() -> None:
        async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as c:
            await c.execute("CREATE SCHEMA newer")
            await c.execute("CREATE TABLE newer.tidewire_format AS SELECT 99 AS version")
        with pytest.raises(FormatTooNew):
            await PostgresConsensus.open(postgres_url + "?options=-c%20search_path%3Dnewer")

    asyncio.run(main())


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "redis://x",
        "nothing",
        "sqlite://host/x",
        "log://",
        "log:///",
        "log://host/x",
    ],
)
def test_urls_that_name_no_consensus(url: str) -> None:
    with pytest.raises(Determinate):
        asyncio.run(open_consensus(url))
