"""COPY FROM staged Parquet: what others wrote to the blob store becomes rows, whole or not at all."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import io
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from executor.limits import ExecutorLimits
from executor.session.copying.staged import STAGED_AGE_MAX_US
from storage.rows import FIELD_ID
from tests.executor.sql import Failed, Server

SMALL = ExecutorLimits(stage_rows=4)
"""Four rows and more go the way of millions."""

TABLE = "CREATE TABLE t (k int PRIMARY KEY, v bigint NOT NULL DEFAULT 7, name text, CHECK (v < 1000))"


def parquet(columns: Mapping[str, Any], ids: Mapping[str, int] | None = None) -> bytes:
    """A file of these columns; `ids`: the attribute numbers by which the server knows them."""
    arrays = {n: c if isinstance(c, pa.Array) else pa.array(c) for n, c in columns.items()}
    fields = [
        pa.field(n, a.type, metadata={FIELD_ID: str((ids or {})[n]).encode()} if n in (ids or {}) else None)
        for n, a in arrays.items()
    ]
    sink = io.BytesIO()
    pq.write_table(pa.table(list(arrays.values()), schema=pa.schema(fields)), sink)
    return sink.getvalue()


def rows(keys: list[int], v: int = 1, *, ids: bool = True) -> bytes:
    columns = {
        "k": pa.array(keys, pa.int32()),
        "v": pa.array([v] * len(keys), pa.int64()),
        "name": pa.array([f"n{k}" for k in keys]),
    }
    return parquet(columns, {"k": 1, "v": 2, "name": 3} if ids else None)


def session(body: Callable[[Server], Awaitable[None]], limits: ExecutorLimits = SMALL) -> None:
    async def run() -> None:
        async with Server(limits) as server:
            await body(server)

    asyncio.run(run())


async def stage(server: Server, files: Mapping[str, bytes], folder: str = "staging/job1") -> None:
    for name, data in files.items():
        await server.env.blob.put(f"{folder}/{name}", data)


def copy(files: list[str] | None = None, mode: str = "append", columns: str = "", table: str = "t") -> str:
    given = "" if files is None else f", FILES '{json.dumps(files)}'"
    return f"COPY {table} {columns} FROM 'staging/job1' (FORMAT parquet, MODE {mode}{given})"


async def refused(server: Server, text: str) -> tuple[str, str, str]:
    with pytest.raises(Failed) as failed:
        await server.client().query(text)
    error = failed.value.error
    return failed.value.sqlstate, str(error), getattr(error, "detail", "")


# --- append --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [True, False], ids=["by reference", "written anew"])
@pytest.mark.parametrize("restart", [False, True], ids=["as it is", "after a restart"])
def test_files_become_rows(ids: bool, restart: bool) -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([3, 1, 2], ids=ids), "b.parquet": rows([9, 8], ids=ids)})
        [(tag, _, _)] = await server.client().query(copy(["a.parquet", "b.parquet"]))
        assert tag == "COPY 5"
        if restart:
            await server.restart()
        client = server.client()
        assert await client.rows("SELECT k, v, name FROM t ORDER BY k") == [
            (k, 1, f"n{k}") for k in (1, 2, 3, 8, 9)
        ]
        assert await client.rows("SELECT name FROM t WHERE k = 8") == [("n8",)]
        await client.query("UPDATE t SET v = 2 WHERE k = 2; DELETE FROM t WHERE k = 9")
        assert await client.rows("SELECT k, v FROM t ORDER BY k") == [(1, 1), (2, 2), (3, 1), (8, 1)]
        await server.env.apply_le(server.env.oracle.read_ts())
        shard = server.executor.catalogs.of("tidewire").resolve_table("t", "", ("public",)).shard
        parts = [p for _, p in (await server.env.shard(shard)).state.parts if p.key is not None]
        staged = [p for p in parts if (p.key or "").startswith("staging/")]
        assert len(staged) == (2 if ids else 0)

    session(body)


def test_without_a_list_every_file_of_the_folder_counts_and_with_one_only_those() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1]), "b.parquet": rows([2]), "_SUCCESS": b""})
        await server.client().query(copy(["b.parquet"]))
        assert await server.client().rows("SELECT k FROM t") == [(2,)]
        await server.client().query("DELETE FROM t")
        await server.client().query(copy())
        assert await server.client().rows("SELECT k FROM t ORDER BY k") == [(1,), (2,)]
        await server.client().query("DELETE FROM t")
        assert await server.client().query(copy([])) == [("COPY 0", [], ())]

    session(body)


@pytest.mark.parametrize("in_memory_bytes", [1, 3000, 1 << 30], ids=["none of it", "some of it", "all of it"])
def test_files_that_are_read_beside_each_other_keep_their_order(in_memory_bytes: int) -> None:
    async def body(server: Server) -> None:
        store = server.executor.store
        store.spill = replace(store.spill, size_bytes_min=in_memory_bytes)
        client = server.client()
        await client.query("CREATE TABLE t (k int, v bigint, name text)")
        names = [f"{n}.parquet" for n in range(11)]
        # The first are the longest: later ones are done before them, and have others for company.
        lengths = [40 * (11 - n) for n in range(11)]
        starts = [sum(lengths[:n]) for n in range(11)]
        data = [rows(list(range(at, at + size))) for at, size in zip(starts, lengths, strict=True)]
        await stage(server, dict(zip(names, data, strict=True)))
        assert await client.query(copy(names)) == [(f"COPY {sum(lengths)}", [], ())]
        expected = [(k, 1, f"n{k}") for k in range(sum(lengths))]
        assert await client.rows("SELECT * FROM t") == expected
        await server.restart()
        assert await server.client().rows("SELECT * FROM t") == expected

    session(body)


def test_more_than_a_transaction_may_write_is_refused() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query(TABLE)
        names = [f"{n}.parquet" for n in range(6)]
        await stage(server, {name: rows(list(range(100 * n, 100 * n + 100))) for n, name in enumerate(names)})
        sqlstate, message, _ = await refused(server, copy(names))
        assert (sqlstate, message) == ("54000", "COPY of more than 8000 bytes in one transaction")
        assert await client.rows("SELECT count(*) FROM t") == [(0,)]
        assert await client.query(copy(names[:2])) == [("COPY 200", [], ())]

    session(body, replace(SMALL, transaction_bytes_max=8000))


def test_columns_that_are_not_copied_get_their_defaults() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": parquet({"k": pa.array([1, 2], pa.int32())}, {"k": 1})})
        await server.client().query(copy(columns="(k)"))
        assert await server.client().rows("SELECT * FROM t ORDER BY k") == [(1, 7, None), (2, 7, None)]

    session(body)


def test_several_tables_at_one_timestamp_or_none() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE + "; CREATE TABLE u (k int PRIMARY KEY)")
        one = parquet({"k": pa.array([1], pa.int32())}, {"k": 1})
        twice = parquet({"k": pa.array([1, 1], pa.int32())}, {"k": 1})
        await stage(server, {"t.parquet": rows([1, 2]), "u.parquet": one, "u2.parquet": twice})
        client = server.client()
        await client.query("BEGIN")
        await client.query(copy(["t.parquet"]))
        with pytest.raises(Failed, match="duplicate key"):
            await client.query(copy(["u2.parquet"], table="u"))
        await client.query("ROLLBACK")
        assert await client.rows("SELECT count(*) FROM t") == [(0,)]
        await client.query("BEGIN")
        await client.query(copy(["t.parquet"]))
        await client.query(copy(["u.parquet"], table="u"))
        assert await server.client("b").rows("SELECT count(*) FROM t") == [(0,)]
        assert await client.rows("SELECT count(*) FROM t") == [(2,)]
        await client.query("COMMIT")
        assert await server.client("b").rows("SELECT count(*) FROM t, u") == [(2,)]

    session(body)


def test_replacing_everything_is_one_transaction() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE + "; INSERT INTO t VALUES (1, 5, 'old'), (2, 5, 'old')")
        await stage(server, {"a.parquet": rows([2, 3, 4, 5, 6])})
        client = server.client()
        for statement in ("BEGIN", "DELETE FROM t", copy(), "COMMIT"):
            await client.query(statement)
        assert await client.rows("SELECT k, name FROM t ORDER BY k") == [(k, f"n{k}") for k in range(2, 7)]
        await server.restart()
        assert await server.client().rows("SELECT count(*) FROM t") == [(5,)]

    session(body)


# --- by key --------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [SMALL, ExecutorLimits()], ids=["in bulk", "row by row"])
def test_upsert_replaces_what_is_staged_and_keeps_the_rest_of_the_row(limits: ExecutorLimits) -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await server.client().query("INSERT INTO t SELECT i, 100 + i, 'old' FROM generate_series(1, 6) i")
        keys = pa.array([2, 4, 5, 6, 10, 11, 12, 13], pa.int32())
        await stage(server, {"a.parquet": parquet({"k": keys, "name": ["new"] * 8})})
        [(tag, _, _)] = await server.client().query(copy(mode="upsert", columns="(k, name)"))
        assert tag == "COPY 8"
        expected = [(1, 101, "old"), (2, 102, "new"), (3, 103, "old"), (4, 104, "new"), (5, 105, "new")]
        expected += [(6, 106, "new"), *((k, 7, "new") for k in (10, 11, 12, 13))]
        assert await server.client().rows("SELECT * FROM t ORDER BY k") == expected
        await server.restart()
        assert await server.client().rows("SELECT * FROM t ORDER BY k") == expected

    session(body, limits)


def test_upserting_again_changes_nothing_more() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1, 2, 3, 4, 5], v=9)})
        for _ in range(2):
            await server.client().query(copy(mode="upsert"))
        assert await server.client().rows("SELECT count(*), max(v) FROM t") == [(5, 9)]

    session(body)


def test_delete_takes_away_the_rows_with_these_keys() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE + "; INSERT INTO t SELECT i FROM generate_series(1, 10) i")
        await stage(server, {"a.parquet": parquet({"k": pa.array([1, 2, 3, 4, 5, 77], pa.int32())})})
        [(tag, _, _)] = await server.client().query(copy(mode="delete", columns="(k)"))
        assert tag == "COPY 5"
        assert await server.client().rows("SELECT k FROM t ORDER BY k") == [(k,) for k in range(6, 11)]

    session(body)


def test_generated_columns_are_computed() -> None:
    async def body(server: Server) -> None:
        await server.client().query(
            "CREATE TABLE t (k int PRIMARY KEY, twice int GENERATED ALWAYS AS (k2 * 2) STORED, k2 int)"
        )
        for mode, first in (("append", 1), ("upsert", 4)):
            keys = pa.array(range(first, first + 5 - (mode == "append")), pa.int32())
            doubled = pa.array([k.as_py() * first for k in keys], pa.int32())
            await stage(server, {"a.parquet": parquet({"k": keys, "k2": doubled}, {"k": 1, "k2": 3})})
            await server.client().query(copy(mode=mode, columns="(k, k2)"))
        expected = [(1, 2, 1), (2, 4, 2), (3, 6, 3), *((k, 8 * k, 4 * k) for k in range(4, 9))]
        assert await server.client().rows("SELECT * FROM t ORDER BY k") == expected

    session(body)


def test_keys_of_several_columns_and_of_texts() -> None:
    async def body(server: Server) -> None:
        await server.client().query(
            "CREATE TABLE t (a text, b date, v int, PRIMARY KEY (a, b));"
            "INSERT INTO t VALUES ('x', '2024-01-01', 1), ('y', '2024-01-01', 1)"
        )
        day = datetime.date(2024, 1, 1)
        columns = {
            "a": ["x", "x", "z"],
            "b": [day, day + datetime.timedelta(1), day],
            "v": pa.array([5, 6, 7]),
        }
        await stage(server, {"a.parquet": parquet(columns)})
        await server.client().query(copy(mode="upsert"))
        assert await server.client().rows("SELECT a, b::text, v FROM t ORDER BY a, b") == [
            ("x", "2024-01-01", 5), ("x", "2024-01-02", 6), ("y", "2024-01-01", 1), ("z", "2024-01-01", 7),
        ]  # fmt: skip

    session(body)


# --- values --------------------------------------------------------------------------------------

UTC = datetime.UTC
VALUES: list[tuple[str, pa.Array, str]] = [
    ("smallint", pa.array([7], pa.int32()), "7"),
    ("bigint", pa.array([7], pa.int64()), "7"),
    ("real", pa.array([1.5], pa.float64()), "1.5"),
    ("float8", pa.array([1.5]), "1.5"),
    ("numeric(12,3)", pa.array([decimal.Decimal("12.345")], pa.decimal128(12, 3)), "12.345"),
    ("numeric(12,3)", pa.array([decimal.Decimal("12.3")], pa.decimal128(38, 1)), "12.300"),
    ("numeric", pa.array([decimal.Decimal("1.10")], pa.decimal128(38, 2)), "1.10"),
    ("numeric", pa.array(["1e3"]), "1000"),
    ("text", pa.array(["ä"]), "ä"),
    ("varchar(3)", pa.array(["abc"]), "abc"),
    ("char(3)", pa.array(["a"]), "a  "),
    ("uuid", pa.array(["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"]), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("json", pa.array(['{"a": 1}']), '{"a": 1}'),
    ("jsonb", pa.array(['{"b":1,  "a":2}']), '{"a": 2, "b": 1}'),
    ("bytea", pa.array([b"\x01\xff"]), "\\x01ff"),
    ("date", pa.array([datetime.date(2024, 2, 29)]), "2024-02-29"),
    (
        "timestamp",
        pa.array([datetime.datetime(2024, 2, 29, 1, 2, 3)], pa.timestamp("us")),
        "2024-02-29 01:02:03",
    ),
    (
        "timestamptz",
        pa.array([datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        "2024-02-29 01:02:03+00",
    ),
    ("time", pa.array([datetime.time(1, 2, 3)], pa.time64("us")), "01:02:03"),
    ("bool", pa.array([True]), "t"),
    ("int[]", pa.array([[1, None]], pa.list_(pa.int32())), "{1,NULL}"),
    ("int[]", pa.array([[1, 2]], pa.list_(pa.field("element", pa.int32()))), "{1,2}"),
    ("interval", pa.array(["1 mon 2 days"]), "1 mon 2 days"),
    ("inet", pa.array(["10.0.0.1"]), "10.0.0.1/32"),
]


def test_every_type_is_read_as_copy_would_read_it() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("SET timezone = 'UTC'")
        for kind, column, shown in VALUES:
            await client.query(f"CREATE TABLE t (v {kind})")
            both = pa.concat_arrays([column, pa.nulls(1, column.type)])
            await stage(server, {"a.parquet": parquet({"v": both}, {"v": 1})})
            await client.query(copy())
            cell = {"bool": "CASE WHEN v THEN 't' END", "char(3)": "v"}.get(kind, "v::text")
            found = await client.rows(f"SELECT {cell} FROM t ORDER BY v NULLS LAST")
            assert found == [(shown,), (None,)], (kind, column.type)
            await client.query("DROP TABLE t")

    session(body)


WRONG: list[tuple[str, bytes, str, str]] = [
    ("duplicate keys", rows([1, 2, 2]), "append", "23505"),
    ("a key that exists", rows([100]), "append", "23505"),
    ("NULL in a NOT NULL column", parquet({"k": pa.array([1, None], pa.int32()), "v": [1, 1], "name": ["a", "b"]}), "append", "23502"),
    ("CHECK", rows([1], v=5000), "append", "23514"),
    ("a wrong type", parquet({"k": ["x"], "v": [True], "name": ["a"]}), "append", "42804"),
    ("a missing column", parquet({"k": pa.array([1], pa.int32())}), "append", "42804"),
    ("a column too many", parquet({"k": pa.array([1]), "v": [1], "name": ["a"], "more": [1]}), "append", "42804"),
    ("a number too large", parquet({"k": pa.array([1 << 40]), "v": [1], "name": ["a"]}), "append", "22003"),
    ("a zero byte", parquet({"k": pa.array([1], pa.int32()), "v": [1], "name": ["a\0b"]}), "append", "22021"),
    ("no Parquet", b"PAR1 and so on", "append", "22023"),
    ("a key staged twice", rows([1, 1]), "upsert", "21000"),
    ("CHECK in an upsert", rows([1, 100], v=5000), "upsert", "23514"),
]  # fmt: skip


def test_what_is_wrong_is_refused_whole() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE + "; INSERT INTO t VALUES (100)")
        for what, data, mode, code in WRONG:
            await stage(server, {"good.parquet": rows([50, 51, 52, 53]), "x.parquet": data})
            found, message, _ = await refused(server, copy(["good.parquet", "x.parquet"], mode))
            assert found == code, (what, message)
            assert await server.client().rows("SELECT k, v FROM t") == [(100, 7)], what

    session(body)


def test_a_schema_that_does_not_fit_names_each_column() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": parquet({"k": ["x"], "v": [True], "name": ["a"]})})
        _, message, detail = await refused(server, copy())
        assert message == 'staged file "staging/job1/a.parquet" does not fit table "t"'
        assert detail.splitlines() == [
            'Column "k" is of type integer, what is staged is string.',
            'Column "v" is of type bigint, what is staged is bool.',
        ]

    session(body)


# --- what may be read, and by whom ------------------------------------------------------------------


OUTSIDE = [
    "COPY t FROM '/etc/passwd' (FORMAT parquet)",
    "COPY t FROM 'staging/../t1' (FORMAT parquet)",
    "COPY t FROM 't1/w' (FORMAT parquet)",
    "COPY t FROM 'staging/' (FORMAT parquet)",
    "COPY t FROM 'staging/job1' (FORMAT parquet, FILES '[\"../../t1/a.parquet\"]')",
    "COPY t FROM 'staging/job1' (FORMAT parquet, FILES '[\"a.txt\"]')",
    "COPY t FROM 'staging/job1' (FORMAT parquet, FILES 'a.parquet')",
    "COPY t FROM 'staging/job1' (FORMAT parquet, FILES '[\"a.parquet\", \"a.parquet\"]')",
    "COPY t FROM 'staging/job1' (FORMAT parquet, MODE replace)",
]


def test_only_files_of_the_staging_area_are_read() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1])})
        for text in OUTSIDE:
            assert (await refused(server, text))[0] == "22023", text

    session(body)


def test_a_file_that_is_not_there_or_too_old() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1])})
        assert (await refused(server, copy(["b.parquet"])))[0] == "58P01"
        blobs = server.env.blob.blobs  # type: ignore[attr-defined]
        data, modified_us = blobs["staging/job1/a.parquet"]
        blobs["staging/job1/a.parquet"] = data, modified_us - STAGED_AGE_MAX_US - 1
        assert (await refused(server, copy()))[0] == "55000"

    session(body)


def test_each_mode_wants_its_privileges() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query(TABLE + "; CREATE ROLE ann LOGIN")
        await stage(server, {"a.parquet": rows([1])})
        for mode, granted, allowed in (
            ("append", "SELECT", False), ("append", "INSERT", True), ("upsert", "INSERT", False),
            ("upsert", "SELECT, INSERT, UPDATE", True), ("delete", "SELECT", False), ("delete", "SELECT, DELETE", True),
        ):  # fmt: skip
            await client.query(f"REVOKE ALL ON t FROM ann; GRANT {granted} ON t TO ann")
            await client.query("SET SESSION AUTHORIZATION ann")
            if allowed:
                await client.query(copy(mode=mode))
            else:
                code, message, _ = await refused(server, copy(mode=mode))
                assert (code, message) == ("42501", "permission denied for table t"), (mode, granted)
            await client.query("RESET SESSION AUTHORIZATION")

    session(body)


@pytest.mark.parametrize("mode", ["append", "upsert", "delete"])
def test_nothing_is_written_to_a_materialized_view(mode: str) -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE MATERIALIZED VIEW m AS SELECT 1 AS k")
        await stage(server, {"a.parquet": parquet({"k": pa.array([2], pa.int32())})})
        state, said, _ = await refused(server, copy(mode=mode, table="m"))
        assert (state, said) == ("42809", 'cannot copy to materialized view "m"')
        assert await client.rows("SELECT * FROM m") == [(1,)]

    session(body)


def test_nothing_is_written_in_a_read_only_transaction() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1])})
        await server.client().query("BEGIN READ ONLY")
        assert (await refused(server, copy()))[0] == "25006"

    session(body)


def test_a_committed_file_outlives_the_collection_of_staged_ones() -> None:
    async def body(server: Server) -> None:
        await server.client().query(TABLE)
        await stage(server, {"a.parquet": rows([1, 2, 3, 4]), "lost.parquet": rows([5])})
        await server.client().query(copy(["a.parquet"]))
        from storage.gc import GcLimits

        limits = GcLimits(orphan_age_us=-1)
        assert await server.env.upkeep.collect_staged(limits) == 1, "the log names it"
        await server.env.apply_le(server.env.oracle.read_ts())
        assert await server.env.upkeep.collect_staged(limits) == 0, "the shard names it"
        await server.restart()
        assert await server.client().rows("SELECT count(*) FROM t") == [(4,)]

    session(body)
