"""Staged files of a table without keys stay encoded until somebody asks for their rows: and nobody can tell."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from executor.snapshot import writer
from executor.snapshot.encoded import EncodedFile, EncodedRows, dictionary_texts
from executor.snapshot.kept_bytes import KeptBytes
from storage.rows import FIELD_ID
from tests.executor.sql import Failed, Server
from tests.executor.test_staged import SMALL, copy, refused, session, stage

TABLE = "CREATE TABLE t (k int, v bigint, name text)"
UUID = "0f3c2b1a-0000-4000-8000-00000000000a"


def spark_like(columns: Mapping[str, Any], **options: Any) -> bytes:
    """As Spark writes: data pages of the first version, dictionaries of texts alone, the table's attribute numbers."""
    arrays = [c if isinstance(c, pa.Array) else pa.array(c) for c in columns.values()]
    fields = [
        pa.field(n, a.type, metadata={FIELD_ID: str(i + 1).encode()})
        for i, (n, a) in enumerate(zip(columns, arrays, strict=True))
    ]
    texts = [n for n, a in zip(columns, arrays, strict=True) if a.type == pa.string()]
    sink = io.BytesIO()
    schema = pa.schema(fields)
    pq.write_table(
        pa.table(arrays, schema=schema),
        sink,
        version="1.0",
        use_dictionary=texts,
        store_schema=False,
        **options,
    )
    return sink.getvalue()


def numbered(keys: Sequence[int], **options: Any) -> bytes:
    return spark_like(
        {
            "k": pa.array(keys, pa.int32()),
            "v": pa.array([None if k % 7 == 0 else k * 10 for k in keys], pa.int64()),
            "name": [None if k % 5 == 0 else f"n{k % 3}" for k in keys],
        },
        **options,
    )


def expected(keys: Sequence[int]) -> list[tuple[Any, ...]]:
    return [(k, None if k % 7 == 0 else k * 10, None if k % 5 == 0 else f"n{k % 3}") for k in keys]


def unread(server: Server, table: str = "t") -> int:
    """How many rows of the table are encoded still."""
    shard = server.executor.catalogs.of("tidewire").resolve_table(table, "", ("public",)).shard
    waiting = [op[3].rows for op in server.executor.store.image(shard).pending if hasattr(op[3], "rows")]
    return sum(rows.num_rows for rows in waiting if isinstance(rows, EncodedRows))


@pytest.mark.parametrize("in_memory_bytes", [1, 1 << 30], ids=["in mapped files", "in memory"])
@pytest.mark.parametrize("restart", [False, True], ids=["as it is", "after a restart"])
def test_rows_stay_encoded_until_somebody_reads_them(in_memory_bytes: int, restart: bool) -> None:
    async def body(server: Server) -> None:
        store = server.executor.store
        store.spill = replace(store.spill, size_bytes_min=in_memory_bytes)
        client = server.client()
        await client.query(TABLE)
        files = {"a.parquet": numbered(range(100), row_group_size=30), "b.parquet": numbered(range(100, 105))}
        await stage(server, files)
        assert (await client.query(copy(["a.parquet", "b.parquet"])))[0][0] == "COPY 105"
        assert unread(server) == 105
        if restart:
            await server.restart()
        client = server.client()
        assert await client.rows("SELECT * FROM t") == expected(range(105))
        assert unread(server) == 0
        await client.query("UPDATE t SET v = 0 WHERE k = 104; DELETE FROM t WHERE k >= 2 AND k < 104")
        assert await client.rows("SELECT k, v FROM t ORDER BY k") == [(0, None), (1, 10), (104, 0)]

    session(body)


def waiting(server: Server) -> list[EncodedRows]:
    shard = server.executor.catalogs.of("tidewire").resolve_table("t", "", ("public",)).shard
    return [op[3].rows for op in server.executor.store.image(shard).pending if hasattr(op[3], "rows")]


def test_files_wait_in_memory_for_who_comes_right_behind_their_writer() -> None:
    async def body(server: Server) -> None:
        later = server.executor.store.kept_later
        later.later_s = 3600
        server.executor.store.spill = replace(server.executor.store.spill, size_bytes_min=4_000)
        client = server.client()
        for n in range(9):
            await client.query(f"DROP TABLE IF EXISTS t; {TABLE}")
            await stage(server, {f"{n}.parquet": numbered(range(100))})
            await client.query(copy([f"{n}.parquet"]))
            await server.executor.store.settled()
            (rows,) = waiting(server)
            assert all(isinstance(f.kept.data, bytes) for f in rows._files), "there is room for them again"
            assert later.size_bytes
            del rows
            assert await client.rows("SELECT * FROM t") == expected(range(100))
        timer = later._timer
        assert timer is not None, "one for all of them"
        timer._run()
        await server.executor.store.settled()
        assert later.size_bytes == 0 and later._timer is None

    session(body)


def test_files_go_from_memory_to_the_disk_when_their_writer_has_its_answer() -> None:
    async def body(server: Server) -> None:
        store = server.executor.store
        store.kept_later.later_s = 0
        files = {f"{n}.parquet": numbered(range(100 * n, 100 * n + 100)) for n in range(3)}
        sizes = [len(data) for data in files.values()]
        store.spill = replace(store.spill, size_bytes_min=sizes[0] + sizes[1])
        client = server.client()
        await client.query(TABLE)
        await stage(server, files)
        before: list[int] = []
        move = store.kept_later._move

        def seen(*args: Any) -> None:
            before.append(store.kept_later.size_bytes)
            move(*args)

        store.kept_later._move = seen  # type: ignore[method-assign]
        await client.query(copy())
        await store.settled()
        assert len(before) == 2, "two of three had room in memory"
        assert before[0] <= sum(sizes) - min(sizes)
        assert store.kept_later.size_bytes == 0
        (rows,) = waiting(server)
        assert all(isinstance(f.kept.data, pa.Buffer) for f in rows._files), "all are in files"
        assert await client.rows("SELECT * FROM t") == expected(range(300))
        del rows
        # What is refused is in nobody's way.
        store.spill = replace(store.spill, size_bytes_min=1 << 30)
        await stage(server, {"x.parquet": numbered(range(5)), "y.parquet": b"no file"})
        assert (await refused(server, copy(["x.parquet", "y.parquet"])))[0] == "22023"
        await store.settled()
        assert store.kept_later.size_bytes == 0

    session(body)


@pytest.mark.parametrize("first", ["", "DELETE FROM t; "], ids=["append", "overwrite"])
def test_a_commit_writes_no_numbers_of_rows(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on the loop, for everybody."""

    async def body(server: Server) -> None:
        client = server.client()
        await client.query(TABLE + "; INSERT INTO t VALUES (-1, 0, 'old')")
        await stage(server, {"a.parquet": numbered(range(50)), "b.parquet": numbered(range(50, 100))})
        with monkeypatch.context() as patched:
            patched.setattr(EncodedRows, "rids", lambda self: pytest.fail("numbers were written out"))
            await client.query(f"BEGIN; {first}{copy()}; COMMIT")
        old = [] if first else [(-1, 0, "old")]
        assert await client.rows("SELECT * FROM t ORDER BY k") == old + expected(range(100))
        # Rows of the transaction itself that go again are found all the same.
        await client.query(f"BEGIN; {copy()}; DELETE FROM t WHERE k < 99; COMMIT")
        assert await client.rows("SELECT k FROM t") == [(99,), (99,)]

    session(body)


def test_rows_are_written_to_duckdb_by_instalments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them begins within a file, and ends in another."""
    monkeypatch.setattr(writer, "ROWS_MIN", 10)

    async def body(server: Server) -> None:
        store = server.executor.store
        client = server.client()
        await client.query(TABLE)
        files = {f"{n}.parquet": numbered(range(100 * n, 100 * n + 100), row_group_size=30) for n in range(5)}
        await stage(server, files)
        await client.query(copy())
        assert unread(server) == 500
        store._writer.limits = replace(store.limits, unpacked_bytes_max=5000)
        packed = store.packer.packed
        assert await client.rows("SELECT * FROM t ORDER BY k") == expected(range(500))
        assert store.packer.packed > packed + 1

    session(body)


def test_the_table_stays_as_it_was_for_earlier_readers() -> None:
    async def body(server: Server) -> None:
        client, other = server.client(), server.client("b")
        await client.query(TABLE + "; INSERT INTO t VALUES (-1, 0, 'old')")
        await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert await other.rows("SELECT count(*) FROM t") == [(1,)]
        await stage(server, {"a.parquet": numbered(range(10))})
        await client.query(copy())
        assert await other.rows("SELECT count(*) FROM t") == [(1,)]
        assert await client.rows("SELECT count(*) FROM t") == [(11,)]
        assert await other.rows("SELECT count(*) FROM t") == [(1,)]

    session(body)


LATER = {
    "a query": ("", "SELECT count(*), sum(k), max(name) FROM t", [(10, 45, "n2")]),
    "some are deleted": ("DELETE FROM t WHERE k < 4", "SELECT k FROM t", [(k,) for k in range(4, 10)]),
    "all are deleted": ("DELETE FROM t", "SELECT k FROM t", []),
    "some are changed": (
        "UPDATE t SET v = k WHERE k > 5",
        "SELECT k, v FROM t WHERE k > 5 ORDER BY k",
        [(k, k) for k in range(6, 10)],
    ),
    "more come": ("INSERT INTO t VALUES (99)", "SELECT max(k), count(*) FROM t", [(99, 11)]),
    "the same again": (copy(), "SELECT count(*), sum(k) FROM t", [(20, 90)]),
    "a column is added": (
        "ALTER TABLE t ADD COLUMN w int DEFAULT 3",
        "SELECT sum(w), sum(k) FROM t",
        [(30, 45)],
    ),
    "a key is added": ("ALTER TABLE t ADD PRIMARY KEY (k)", "SELECT name FROM t WHERE k = 4", [("n1",)]),
    "a type is changed": ("ALTER TABLE t ALTER k TYPE text", "SELECT k FROM t WHERE k = '7'", [("7",)]),
    "it is taken back": ("ROLLBACK TO s", "SELECT count(*) FROM t", [(0,)]),
    "it is emptied": ("TRUNCATE t", "SELECT count(*) FROM t", [(0,)]),
}


@pytest.mark.parametrize("after", LATER)
@pytest.mark.parametrize(
    "made", [False, True], ids=["a table that was there", "a table of the same transaction"]
)
@pytest.mark.parametrize("ended", [False, True], ids=["in the transaction", "after it"])
def test_what_the_same_transaction_does_with_them(after: str, made: bool, ended: bool) -> None:
    statement, query, answer = LATER[after]

    async def body(server: Server) -> None:
        await stage(server, {"a.parquet": numbered(range(10))})
        client = server.client()
        if not made:
            await client.query(TABLE)
        await client.query("BEGIN")
        if made:
            await client.query(TABLE)
        for text in ("SAVEPOINT s", copy(), statement):
            if text:
                await client.query(text)
        if ended:
            await client.query("COMMIT")
        assert await client.rows(query) == answer
        if not ended:
            await client.query("COMMIT")
        await server.restart()
        assert await server.client().rows(query) == answer

    session(body)


NOT_FOR_LONG: dict[str, tuple[str, bytes]] = {
    "a key": ("CREATE TABLE t (k int UNIQUE, v bigint, name text)", numbered(range(10))),
    "a check": ("CREATE TABLE t (k int CHECK (k >= 0), v bigint, name text)", numbered(range(10))),
    "exclusion": ("CREATE TABLE t (k int, v bigint, name text, EXCLUDE (k WITH =))", numbered(range(10))),
    "a reference": (
        "CREATE TABLE p (k int PRIMARY KEY); INSERT INTO p SELECT generate_series(0, 9);"
        " CREATE TABLE t (k int REFERENCES p, v bigint, name text)",
        numbered(range(10)),
    ),
    "a generated column": (
        "CREATE TABLE t (k int, v bigint, name text, g int GENERATED ALWAYS AS (k * 2) STORED)",
        numbered(range(10)),
    ),
    "another type": ("CREATE TABLE t (k bigint, v bigint, name text)", numbered(range(10))),
    "texts that are not canonical": (
        "CREATE TABLE t (u uuid)",
        spark_like({"u": [UUID.upper(), UUID]}),
    ),
}


@pytest.mark.parametrize("why", NOT_FOR_LONG)
def test_rows_that_somebody_looks_at_are_decoded_at_once(why: str) -> None:
    create, data = NOT_FOR_LONG[why]

    async def body(server: Server) -> None:
        client = server.client()
        await client.query(create)
        await stage(server, {"a.parquet": data})
        columns = "" if "(u uuid)" in create else "(k, v, name)"
        await client.query(copy(columns=columns))
        assert unread(server) == 0
        count = pq.ParquetFile(io.BytesIO(data)).metadata.num_rows
        assert await client.rows("SELECT count(*) FROM t") == [(count,)]

    session(body)


def test_texts_that_are_canonical_stay_as_they_are() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (u uuid, d date, a int[])")
        data = spark_like(
            {"u": [UUID, None, UUID], "d": pa.array([0, 1, None], pa.date32()), "a": ["{1,2}", None, "{}"]}
        )
        await stage(server, {"a.parquet": data})
        await client.query(copy())
        assert unread(server) == 3
        assert await client.rows("SELECT u::text, d::text, a::text FROM t") == [
            (UUID, "1970-01-01", "{1,2}"),
            (None, "1970-01-02", None),
            (UUID, None, "{}"),
        ]

    session(body)


def test_one_file_that_has_to_be_written_anew_takes_all_with_it() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (u uuid)")
        await stage(
            server, {"a.parquet": spark_like({"u": [UUID]}), "b.parquet": spark_like({"u": [UUID.upper()]})}
        )
        await client.query(copy())
        assert unread(server) == 0
        assert await client.rows("SELECT u::text FROM t") == [(UUID,), (UUID,)]

    session(body)


def broken(data: bytes) -> bytes:
    """A file of which all is well but the header of a page in its middle."""
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    at = metadata.row_group(0).column(1).data_page_offset
    return data[:at] + b"\xff" * 8 + data[at + 8 :]


WRONG: dict[str, tuple[str, bytes, str, str]] = {
    "null": (
        "CREATE TABLE t (k int, v bigint, name text NOT NULL)",
        numbered(range(10)),
        "23502",
        "null value",
    ),
    "zero byte": ("CREATE TABLE t (name text)", spark_like({"name": ["a", "b\0"]}), "22021", "invalid byte"),
    "no uuid": ("CREATE TABLE t (u uuid)", spark_like({"u": [UUID, "x"]}), "22P02", "invalid input syntax"),
    "a broken page": (
        TABLE,
        broken(numbered(range(5000))),
        "22023",
        "is no valid Parquet file",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_before_anything_is_committed(what: str) -> None:
    create, data, sqlstate, words = WRONG[what]

    async def body(server: Server) -> None:
        client = server.client()
        await client.query(create)
        await stage(server, {"a.parquet": data})
        code, message, _ = await refused(server, copy())
        assert (code, words in message) == (sqlstate, True), message
        assert await client.rows("SELECT count(*) FROM t") == [(0,)]

    session(body)


def test_what_a_transaction_may_hold_is_counted_whether_it_is_decoded_or_not() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query(TABLE)
        await stage(server, {"a.parquet": numbered(range(300)), "b.parquet": numbered(range(300))})
        await client.query("BEGIN")
        await client.query(copy(["a.parquet"]))
        with pytest.raises(Failed) as failed:
            await client.query(copy(["b.parquet"]))
        assert failed.value.sqlstate == "54000"
        await client.query("ROLLBACK")
        assert await client.rows("SELECT count(*) FROM t") == [(0,)]

    session(body, replace(SMALL, transaction_bytes_max=12_000))


def test_texts_that_are_written_once_count_as_often_as_they_are_meant() -> None:
    """Or else a small file of long texts would be more than memory bears when it is read."""

    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (name text)")
        data = spark_like({"name": ["x" * 1000, None, "y" * 500] * 100})
        assert len(data) < 10_000
        await stage(server, {"a.parquet": data})
        sqlstate, message, _ = await refused(server, copy())
        assert (sqlstate, message) == ("54000", "COPY of more than 100000 bytes in one transaction")

    session(body, replace(SMALL, transaction_bytes_max=100_000))


@pytest.mark.parametrize("step", [1, 7, 50, 1000])
def test_slices_are_what_slices_of_the_whole_are(step: int) -> None:
    datas = [numbered(range(90), row_group_size=20), numbered(range(90, 91)), numbered(range(91, 200))]
    files = []
    for data in datas:
        file = pq.ParquetFile(io.BytesIO(data))
        files.append(
            EncodedFile(
                KeptBytes(data), ("k", "v", "name"), file.metadata.num_rows, len(data), frozenset({"name"})
            )
        )
    schema = pa.schema([("c1", pa.int32()), ("c2", pa.int64()), ("c3", pa.string()), ("_rid", pa.int64())])
    whole = EncodedRows(files, schema, 1000)
    table = whole.table(None)
    assert [tuple(r.values()) for r in table.drop_columns(["_rid"]).to_pylist()] == expected(range(200))
    assert table["_rid"].to_pylist() == list(range(1000, 1200)) == whole.rids().tolist()
    slices = [whole.slice(at, step) for at in range(0, 200, step)]
    assert sum(s.num_rows for s in slices) == 200
    assert abs(sum(s.nbytes for s in slices) - whole.nbytes) <= len(slices)
    for one, at in zip(slices, range(0, 200, step), strict=True):
        assert one.table(None).to_pylist() == table.slice(at, step).to_pylist()
        assert one.rids().tolist() == table["_rid"].slice(at, step).to_pylist()
        read = one.reader().read_all()
        assert read.schema.field("c3").type == pa.dictionary(pa.int32(), pa.string())
        assert read.to_pylist() == table.slice(at, step).to_pylist()
        assert one.slice(1, 2).rids().tolist() == one.rids()[1:3].tolist()


def test_files_whose_texts_have_no_dictionary_are_read_all_the_same() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (name text)")
        many = [f"{n} is a text that nothing else is like" for n in range(3000)]
        few, plain = (
            spark_like({"name": ["x", "y", "x"]}),
            spark_like({"name": many}, dictionary_pagesize_limit=1000),
        )
        assert dictionary_texts(pq.ParquetFile(io.BytesIO(few))) == {"name"}
        assert dictionary_texts(pq.ParquetFile(io.BytesIO(plain))) == set()
        await stage(server, {"a.parquet": few, "b.parquet": plain})
        await client.query(copy())
        assert unread(server) == 3003
        assert await client.rows("SELECT name FROM t") == [(n,) for n in ["x", "y", "x", *many]]

    session(body)
