"""A guided tour on real data, with real output: nothing that is printed here was prepared.

It starts a server in a temporary directory, loads the airports of the United States (public domain,
ourairports.com, out of the `vega-datasets` package), asks, changes, reads the past, stops the
server, starts it again, and asks once more. psql does the talking where it is installed;
elsewhere psycopg, and the tables are printed here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg

READY: Final = "tidewire: ready to accept connections on "
START_TIMEOUT_S: Final = 30.0

CREATE: Final = """\
CREATE TABLE airports (
    iata      text PRIMARY KEY,
    name      text NOT NULL,
    city      text,
    state     text,
    country   text NOT NULL,
    latitude  float8 CHECK (latitude BETWEEN -90 AND 90),
    longitude float8 CHECK (longitude BETWEEN -180 AND 180)
)"""

BUSIEST_STATES: Final = """\
SELECT state, count(*) AS airports, round(avg(latitude)::numeric, 2) AS mean_latitude
  FROM airports
 GROUP BY state ORDER BY airports DESC, state LIMIT 5"""

NEAREST: Final = """\
SELECT b.iata, b.name, b.city,
       round((111.2 * sqrt(power(a.latitude - b.latitude, 2)
         + power(cos(radians(a.latitude)) * (a.longitude - b.longitude), 2)))::numeric, 1) AS km
  FROM airports a JOIN airports b ON a.iata <> b.iata
 WHERE a.iata = 'SEA'
 ORDER BY km LIMIT 5"""

RENAME: Final = "UPDATE airports SET name = 'Sea-Tac' WHERE iata = 'SEA' RETURNING iata, name, city"


def tour() -> int:
    """Runs the tour; returns the exit code."""
    data = _airports()
    if data is None:
        print("The data set is not installed: pip install 'tidewire[demo]'", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="tidewire-demo-") as folder:
        return _walk(Path(folder), data)


def _airports() -> Path | None:
    found = importlib.util.find_spec("vega_datasets")  # the package itself is not imported
    if found is None or found.origin is None:
        return None
    file = Path(found.origin).parent / "_data" / "airports.csv"
    return file if file.is_file() else None


def _walk(folder: Path, data: Path) -> int:
    server = DemoServer(folder / "data")
    server.start()
    try:
        say = (Psql if shutil.which("psql") else Plain)(server, data.parent).run
        title("A table, and 3,376 airports in one transaction")
        say(CREATE)
        say(f"\\copy airports FROM '{data.name}' WITH (FORMAT csv, HEADER)")
        title("Questions go to DuckDB over a snapshot")
        say(BUSIEST_STATES)
        say(NEAREST)
        title("A row by its key is answered from memory; a change is one append to the log")
        say("SELECT iata, name, city FROM airports WHERE iata = 'SEA'")
        before = server.value("SELECT now()::text")
        say(RENAME)
        say("BEGIN; DELETE FROM airports WHERE state = 'AK'; SELECT count(*) FROM airports; COMMIT")
        title(f"The past is still there: AS OF {before}")
        say("SELECT count(*) AS airports_now FROM airports")
        say(f"SELECT count(*) AS airports_then FROM airports AS OF TIMESTAMP '{before}'")
        say(f"SELECT iata, name FROM airports WHERE iata = 'SEA' AS OF TIMESTAMP '{before}'")
        title("What cannot be is refused, and the session goes on")
        say("INSERT INTO airports VALUES ('SEA', 'Another one', 'Seattle', 'WA', 'USA', 47.4, -122.3)")
        title("Stop, start again: everything is where it was")
        server.stop()
        server.start()
        say("SELECT iata, name, city FROM airports WHERE iata = 'SEA'")
        say(BUSIEST_STATES)
        return 0
    finally:
        server.stop()


def title(text: str) -> None:
    print(f"-- {text}\n", flush=True)


class DemoServer:
    """A server process on a free port, with its own directory."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._process: subprocess.Popen[str] | None = None
        self.host, self.port = "127.0.0.1", 0

    def start(self) -> None:
        """Raises RuntimeError if the server does not come up."""
        command = [sys.executable, "-m", "tidewire", "serve", "--data-dir", str(self._data_dir)]
        command += ["--listen", f"127.0.0.1:{self.port}", "--log-level", "warning"]
        print("$ tidewire serve", flush=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TIDEWIRE_")}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self._process.stdout is not None
        line = self._process.stdout.readline().rstrip()
        if not line.startswith(READY):
            self.stop()
            raise RuntimeError(f"the server did not start: {line}")
        print(line, flush=True)
        host, _, port = line.removeprefix(READY).rpartition(":")
        self.host, self.port = host, int(port)

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(START_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        print(f"(server stopped, exit code {code})", flush=True)

    def value(self, query: str) -> str:
        with self.connect() as connection:
            row = connection.execute(query.encode()).fetchone()
        time.sleep(0.01)  # so that "then" and "now" differ to the eye
        assert row is not None
        return str(row[0])

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=self.host, port=self.port, user="tidewire", dbname="tidewire", autocommit=True
        )


class Psql:
    """The statements go to psql, its output comes as it is."""

    def __init__(self, server: DemoServer, folder: Path) -> None:
        self._server, self._folder = server, folder

    def run(self, statement: str) -> None:
        show(statement)
        server = self._server
        command = [
            "psql",
            "-X",
            "-h",
            server.host,
            "-p",
            str(server.port),
            "-U",
            "tidewire",
            "-d",
            "tidewire",
        ]
        done = subprocess.run(
            [*command, "-P", "pager=off", "-c", statement],
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(done.stdout.rstrip() + "\n", flush=True)


class Plain:
    """psycopg, and tables as psql draws them."""

    def __init__(self, server: DemoServer, folder: Path) -> None:
        self._server, self._folder = server, folder

    def run(self, statement: str) -> None:
        show(statement)
        with self._server.connect() as connection:
            try:
                if statement.startswith("\\copy"):
                    self._copy(connection, statement)
                else:
                    self._execute(connection, statement)
            except psycopg.Error as error:
                print(f"ERROR:  {error}")
        print(flush=True)

    def _copy(self, connection: psycopg.Connection[Any], statement: str) -> None:
        head, file, tail = statement.removeprefix("\\copy ").split("'")
        with connection.cursor() as cursor:
            with cursor.copy(f"COPY {head} STDIN {tail}".encode()) as copy:
                copy.write((self._folder / file).read_bytes())
            print(cursor.statusmessage)

    def _execute(self, connection: psycopg.Connection[Any], statement: str) -> None:
        cursor = connection.execute(statement.encode())
        more: Callable[[], bool | None] = cursor.nextset
        while True:
            if cursor.description:
                rows = [["" if v is None else str(v) for v in row] for row in cursor.fetchall()]
                draw([c.name for c in cursor.description], rows)
            else:
                print(cursor.statusmessage)
            if not more():
                return


def show(statement: str) -> None:
    lines = (statement + ("" if statement.startswith("\\") else ";")).splitlines()
    print("\n".join([f"tidewire=> {lines[0]}", *[f"tidewire-> {line}" for line in lines[1:]]]), flush=True)


def draw(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max([len(name), *[len(row[i]) for row in rows]]) for i, name in enumerate(names)]
    print(" " + " | ".join(name.center(width) for name, width in zip(names, widths, strict=True)))
    print("-" + "-+-".join("-" * width for width in widths) + "-")
    for row in rows:
        print(" " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    print(f"({len(rows)} row{'' if len(rows) == 1 else 's'})")
