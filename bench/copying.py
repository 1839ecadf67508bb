"""Rows in bulk over the wire: COPY both ways, in each format, and SELECTs drained by three clients.

    COPY in    1M and 10M rows; text, CSV, binary; with and without a primary key
    COPY out   by psql: a client that spends as much on each row as the server would be measured instead of it
    SELECT     psql (text), psycopg's libpq (text, binary), asyncpg (binary)

The files are made once, in the temporary folder, by DuckDB and numpy: the same rows in all three formats.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np

from bench.peers import Peer
from bench.workload import Workload, at_least

COLUMNS = "a bigint {key}, b int, c text, d double precision"
FORMATS = {"text": "", "csv": " (FORMAT csv)", "binary": " (FORMAT binary)"}
BLOCK_BYTES = 1 << 17
BINARY_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
BINARY_TRAILER = b"\xff\xff"
_RECORD = np.dtype(
    [
        ("columns", ">i2"),
        ("a_size", ">i4"),
        ("a", ">i8"),
        ("b_size", ">i4"),
        ("b", ">i4"),
        ("c_size", ">i4"),
        ("c", "S13"),
        ("d_size", ">i4"),
        ("d", ">f8"),
    ]
)
_ROWS = "i AS a, ((i * 7919) % 100003)::int AS b, 'some text ' || lpad((i % 1000)::text, 3, '0') AS c, i / 8.0 AS d"


def copy_file(rows: int, form: str) -> Path:
    """The file with the rows, made if it is not there."""
    path = Path(tempfile.gettempdir()) / f"tidewire-bench-copy-{rows}.{form}"
    if not path.exists():
        partial = path.with_suffix(".partial")
        if form == "binary":
            _write_binary(rows, partial)
        else:
            mark = r"'\t'" if form == "text" else "','"
            with duckdb.connect() as con:
                con.execute(
                    f"COPY (SELECT {_ROWS} FROM range({rows}) g(i)) TO '{partial}'"
                    f" (FORMAT csv, DELIMITER {mark}, HEADER false)"
                )
        partial.rename(path)
    return path


def _write_binary(rows: int, path: Path) -> None:
    words = np.array([f"some text {i:03d}".encode() for i in range(1000)], "S13")
    with path.open("wb") as file:
        file.write(BINARY_HEADER)
        for first in range(0, rows, 1_000_000):
            i = np.arange(first, min(rows, first + 1_000_000), dtype=np.int64)
            records = np.empty(len(i), _RECORD)
            records["columns"] = 4
            for name, size in (("a", 8), ("b", 4), ("c", 13), ("d", 8)):
                records[f"{name}_size"] = size
            records["a"], records["b"] = i, i * 7919 % 100003
            records["c"], records["d"] = words[i % 1000], i / 8.0
            file.write(records.tobytes())
        file.write(BINARY_TRAILER)


def copied(peer: Peer, rows: int, key: str = "", form: str = "text") -> float:
    """Seconds to copy the rows into a fresh `bench_copy`, which is then counted and summed."""
    data = copy_file(rows, form)
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_copy")
        conn.execute(f"CREATE TABLE bench_copy ({COLUMNS.format(key=key)})")
        start = time.perf_counter()
        with (
            conn.cursor().copy(f"COPY bench_copy FROM STDIN{FORMATS[form]}") as copy,
            data.open("rb") as file,
        ):
            while block := file.read(BLOCK_BYTES):
                copy.write(block)
        took = time.perf_counter() - start
        found = conn.execute(
            "SELECT count(*), sum(a), sum(b), count(DISTINCT c), sum(d) FROM bench_copy"
        ).fetchone()
    total = rows * (rows - 1) // 2
    if rows % 1000 == 0:
        assert found is not None and found[:2] == (rows, total), (peer.name, found)
        assert found[3] == 1000 and float(str(found[4])) == total / 8, (peer.name, found)
    return took


def _copy_in(rows: int, key: str, form: str) -> Callable[[Peer, float], float]:
    return lambda peer, seconds: rows / copied(peer, rows, key, form)


def prepare_copied(peer: Peer) -> None:
    copied(peer, 1_000_000)


def _copy_out(form: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with tempfile.NamedTemporaryFile() as sink:
            start = time.perf_counter()
            command = f"COPY bench_copy TO STDOUT{FORMATS[form]}"
            subprocess.run(
                ["psql", *peer.pg_arguments, "-qX", "-c", command, peer.dbname],
                stdout=sink,
                check=True,
                timeout=600,
            )
            took = time.perf_counter() - start
            written = Path(sink.name).read_bytes()
        if form == "binary":
            expected = len(BINARY_HEADER) + 1_000_000 * _RECORD.itemsize + len(BINARY_TRAILER)
            assert len(written) == expected, (peer.name, len(written), expected)
        else:
            assert written.count(b"\n") == 1_000_000, (peer.name, written.count(b"\n"))
        return 1_000_000 / took

    return run


def _drain_psycopg(binary: bool) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            start = time.perf_counter()
            result = conn.pgconn.exec_params(b"SELECT * FROM bench_copy", None, result_format=int(binary))
            took = time.perf_counter() - start
            assert result.ntuples == 1_000_000, (peer.name, result.ntuples, result.error_message)
        return 1_000_000 / took

    return run


def _drain_psql(peer: Peer, seconds: float) -> float:
    with tempfile.NamedTemporaryFile() as sink:
        start = time.perf_counter()
        subprocess.run(
            ["psql", *peer.pg_arguments, "-qAtX", "-c", "SELECT * FROM bench_copy", peer.dbname],
            stdout=sink,
            check=True,
            timeout=600,
        )
        took = time.perf_counter() - start
        lines = Path(sink.name).read_bytes().count(b"\n")
    assert lines == 1_000_000, (peer.name, lines)
    return lines / took


def _drain_asyncpg(peer: Peer, seconds: float) -> float:
    import asyncpg

    async def drain() -> float:
        conn = await asyncpg.connect(
            host=peer.host, port=peer.port, user=peer.user, database=peer.dbname, ssl=False
        )
        try:
            start = time.perf_counter()
            rows = await conn.fetch("SELECT * FROM bench_copy")
            took = time.perf_counter() - start
        finally:
            await conn.close()
        assert len(rows) == 1_000_000, (peer.name, len(rows))
        return 1_000_000 / took

    return asyncio.run(drain())


def _aggregate(peer: Peer, seconds: float) -> float:
    with peer.connect() as conn:
        n, start = 0, time.perf_counter()
        while time.perf_counter() < start + seconds:
            row = conn.execute("SELECT count(*), sum(b), max(d) FROM bench_copy WHERE b % 10 = 3").fetchone()
            assert row is not None and int(str(row[0])) > 0
            n += 1
        return n / (time.perf_counter() - start)


def workloads() -> list[Workload]:
    found = [
        Workload(
            f"COPY in, {form}, {rows // 1_000_000}M rows, {'primary key' if key else 'no key'}",
            "rows/s",
            _copy_in(rows, key, form),
            aims=at_least(2.0 if key else 3.0),
            quick=rows == 1_000_000 and (form == "text" or not key),
            rounds=None if rows == 1_000_000 else 1,
        )
        for rows in (1_000_000, 10_000_000)
        for form in FORMATS
        for key in ("", "PRIMARY KEY")
    ]
    drains: list[tuple[str, Callable[[Peer, float], float], float, bool]] = [
        ("COPY out, text, 1M rows", _copy_out("text"), 1.3, True),
        ("COPY out, csv, 1M rows", _copy_out("csv"), 1.3, False),
        ("COPY out, binary, 1M rows", _copy_out("binary"), 1.3, False),
        ("SELECT of 1M rows drained by psql, text", _drain_psql, 1.0, False),
        ("SELECT of 1M rows drained by psycopg, text", _drain_psycopg(False), 1.0, True),
        ("SELECT of 1M rows drained by psycopg, binary", _drain_psycopg(True), 1.5, True),
        ("SELECT of 1M rows drained by asyncpg, binary", _drain_asyncpg, 1.5, True),
        ("aggregate over 1M rows", _aggregate, 10.0, True),
    ]
    for name, run, aim, quick in drains:
        unit = "per s" if name.startswith("aggregate") else "rows/s"
        found.append(Workload(name, unit, run, prepare_copied, "copied", at_least(aim), quick=quick))
    return found
