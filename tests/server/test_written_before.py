"""A data directory that an older Tidewire wrote, and was killed over, is opened by this one: nothing in it is lost or read otherwise.

`written_before/` keeps directories as they lay on disk, each named by the day of the code that wrote it, and `everything.sql`,
which made them. Whatever changes in the catalog's objects, the log's entries or the parts has to go on reading these. A new
one is added when a format changes: play the script on a new directory, `kill -9`, pack what is there.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

HERE = Path(__file__).parent / "written_before"
DIRECTORIES = sorted(HERE.glob("*.tar.xz"))

needs_pg_dump = pytest.mark.skipif(
    shutil.which("pg_dump") is None or shutil.which("psql") is None,
    reason="psql and pg_dump are not installed",
)


@pytest.fixture(scope="module")
def made_now(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """What the same script makes today."""
    with ServerProcess(tmp_path_factory.mktemp("now") / "data") as server:
        done = server.psql("-q", "-v", "ON_ERROR_STOP=1", "-f", str(HERE / "everything.sql"))
        assert done.returncode == 0, done.stderr
        yield server


@pytest.fixture(scope="module", params=DIRECTORIES, ids=lambda path: path.name.split(".")[0])
def made_before(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """One server for all: the last test alone writes what others would see."""
    path = tmp_path_factory.mktemp("before")
    shutil.unpack_archive(request.param, path)
    with ServerProcess(path / "data") as server:
        yield server
        assert server.unexpected() == []
        assert server.stop() == 0


def _dump(server: ServerProcess, *options: str) -> list[str]:
    done = subprocess.run(
        ["pg_dump", *options],
        env=server.client_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    # Sequences go on behind what a crash may have dealt out, and pg_dump's tokens are new each time.
    other = (r"\restrict", r"\unrestrict", "SELECT pg_catalog.setval(")
    return [line for line in done.stdout.splitlines() if not line.startswith(other)]


def _rows_in_order(lines: list[str]) -> list[str]:
    """COPY's rows of a table have no order that anybody has promised."""
    ordered: list[str] = []
    rows: list[str] | None = None
    for line in lines:
        if rows is None:
            ordered.append(line)
            rows = [] if line.startswith("COPY ") else None
        elif line == r"\.":
            ordered += [*sorted(rows), line]
            rows = None
        else:
            rows.append(line)
    return ordered


@needs_pg_dump
def test_everything_is_dumped_alike(made_before: ServerProcess, made_now: ServerProcess) -> None:
    before, now = _dump(made_before), _dump(made_now)
    assert sum(line.startswith("COPY ") for line in now) > 10, "the script has made less than it says"
    assert _rows_in_order(before) == _rows_in_order(now)


@needs_pg_dump
def test_it_is_dumped_alike_after_it_was_written_again(
    made_before: ServerProcess, made_now: ServerProcess
) -> None:
    """A checkpoint and a crash: what this version has written of it is read again by itself."""
    with made_before.connect() as c:
        c.execute("CHECKPOINT")
        c.execute("VACUUM")
    made_before.kill()
    made_before.start()
    assert _rows_in_order(_dump(made_before)) == _rows_in_order(_dump(made_now))


@pytest.mark.parametrize(
    ("refused", "sqlstate"),
    [
        ("INSERT INTO shop.customers (email) VALUES ('NAME7@example.org')", "23505"),
        ("INSERT INTO every_type (k) VALUES (2)", "23505"),
        ("INSERT INTO shop.orders (customer) VALUES (777)", "23503"),
        ("DELETE FROM shop.customers WHERE id = 9", "23503"),
        ("INSERT INTO shop.orders (customer, state) VALUES (1, 'paid')", "23514"),
        ("INSERT INTO shop.orders (customer, price) VALUES (1, -1)", "23514"),
        ("INSERT INTO shop.customers (email) VALUES (NULL)", "23502"),
        ("INSERT INTO shop.orders (customer, note) VALUES (1, 'a text of more than twenty')", "22001"),
        ("INSERT INTO shop.bookings VALUES (2, '[2024-01-01 12:00,2024-01-03)')", "23P01"),
        ("INSERT INTO shop.cheap (customer, price) VALUES (1, 100)", "44000"),
        ("INSERT INTO measures_2023 VALUES ('2024-01-01', 1)", "23514"),
        ("SELECT * FROM gone", "42P01"),
    ],
)
def test_what_was_promised_is_kept(made_before: ServerProcess, refused: str, sqlstate: str) -> None:
    with made_before.connect() as c, pytest.raises(psycopg.Error) as raised:
        c.execute(refused)  # type: ignore[arg-type]
    assert raised.value.sqlstate == sqlstate


def test_it_goes_on_where_it_was(made_before: ServerProcess) -> None:
    with made_before.connect() as c:

        def one(sql: str) -> object:
            row = c.execute(sql).fetchone()  # type: ignore[arg-type]
            assert row is not None
            return row[0]

        ticket = one("SELECT nextval('shop.tickets')")
        assert isinstance(ticket, int)
        assert ticket > 25
        assert ticket % 5 == 0
        customer = one("INSERT INTO shop.customers (email) VALUES ('new@example.org') RETURNING id")
        assert isinstance(customer, int)
        assert customer > 200
        order = one(f"INSERT INTO shop.orders (customer) VALUES ({customer}) RETURNING id")
        assert isinstance(order, int)
        assert order > 6000
        assert one("SELECT what FROM shop.log ORDER BY id DESC LIMIT 1") == f"INSERT {customer}"
        changed = (
            f"UPDATE shop.customers SET email = 'newer@example.org' WHERE id = {customer} RETURNING doubled"
        )
        assert one(changed) == 34
        assert one("SELECT shop.twice(21) + (SELECT shop.total(b) FROM child)") == 45
        assert one("CALL shop.clear(1)") == 2
        assert one("SELECT string_agg(what, ',') FROM shop.log") == "UPDATE 3", "the rule keeps the first row"
        assert one("SELECT count(*) FROM shop.customers WHERE tags @> '{t1,u1}'") == 14
        assert one("SELECT id FROM shop.customers WHERE lower(email::text) = 'name77@example.org'") == 77
        assert one("SELECT count(*) FROM bulk") == 27000
        assert one("SELECT lo_get(4711)") == b"\x01\x02\x03\x04\x05"
        c.execute("REFRESH MATERIALIZED VIEW CONCURRENTLY shop.by_state")
        assert one("SELECT sum(count) = (SELECT count(*) FROM shop.orders) FROM shop.by_state") is True
        c.execute("SET ROLE reader")
        assert one("SELECT count(id) FROM shop.customers") == 9, "the policy"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            c.execute("SELECT doc FROM shop.customers")
    with made_before.connect(user="writer") as c:
        assert c.execute("SHOW search_path").fetchone() == ("shop, public",)
    with made_before.connect(dbname="other") as c:
        assert c.execute("SHOW work_mem").fetchone() == ("4MB",)
