"""TPC-H's data from a generator of its own, in both servers through SQL and COPY.

The generator (`tpchgen-cli`, the `bench` extra) makes the same rows everywhere for a scale factor: SF 1 is
6 million line items, SF 0.01 sixty thousand. Nothing here knows whom it talks to.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg

from tests.binding.tpch import DDL, QUERIES, TABLES

TABLE_NAMES = tuple(t.name for t in TABLES)
BLOCK_BYTES = 1 << 18


class NoGenerator(Exception):
    """`tpchgen-cli` is not installed: `pip install tidewire[bench]`."""


def generated(scale: float, folder: Path) -> Path:
    """The folder with one CSV file per table, made if it is not there. Raises NoGenerator."""
    out = folder / f"tpch-{scale:g}"
    if out.is_dir():
        return out
    beside = Path(sys.executable).parent / "tpchgen-cli"
    program = str(beside) if beside.exists() else shutil.which("tpchgen-cli")
    if program is None:
        raise NoGenerator("tpchgen-cli is not installed")
    partial = folder / f"tpch-{scale:g}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    subprocess.run([program, "csv", "-s", f"{scale:g}", "--output-dir", str(partial)], check=True)
    partial.rename(out)
    return out


def load(connection: psycopg.Connection[Any], data: Path) -> None:
    """Creates the eight tables anew and copies the files into them."""
    for name in TABLE_NAMES:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in DDL.split(";"):
        connection.execute(statement)
    for name in TABLE_NAMES:
        with (
            connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv, HEADER)") as copy,
            (data / f"{name}.csv").open("rb") as file,
        ):
            while block := file.read(BLOCK_BYTES):
                copy.write(block)
    connection.execute("ANALYZE")


def answer(
    connection: psycopg.Connection[Any], number: int
) -> tuple[list[str], list[tuple[str | None, ...]]]:
    """Column names, and the rows as the server's own text, in an order that does not depend on ties."""
    result = connection.pgconn.exec_(QUERIES[number].encode())
    if result.status != psycopg.pq.ExecStatus.TUPLES_OK:
        raise AssertionError(f"query {number}: {result.error_message.decode()}")
    names = [(result.fname(i) or b"").decode() for i in range(result.nfields)]
    rows = [
        tuple(
            None if (value := result.get_value(r, c)) is None else value.decode()
            for c in range(result.nfields)
        )
        for r in range(result.ntuples)
    ]
    return names, sorted(rows, key=repr)
