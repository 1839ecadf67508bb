"""Reading the past over the wire, where a statement is described before it runs: tables that have changed or gone since."""

from __future__ import annotations

import asyncio

import asyncpg
import psycopg
import pytest
from psycopg.rows import dict_row

from tests.server.process import ServerProcess


@pytest.fixture
def then(server: ServerProcess) -> int:
    """When `gone` had two columns and two rows, and `gone_view` was there; they are dropped since."""
    with server.connect() as c:
        c.execute("DROP TABLE IF EXISTS gone CASCADE")
        c.execute("CREATE TABLE gone (id int PRIMARY KEY, name text)")
        c.execute("INSERT INTO gone VALUES (1, 'one'), (2, 'two')")
        c.execute("CREATE VIEW gone_view AS SELECT name FROM gone")
        [(name,)] = c.execute("SELECT pg_export_snapshot()").fetchall()
        ts = int(name.partition("-")[0], 16)
        c.execute("ALTER TABLE gone ADD COLUMN late int")
        c.execute("TRUNCATE gone")
        c.execute("DROP TABLE gone CASCADE")
    return ts


def test_a_driver_describes_what_there_was(server: ServerProcess, then: int) -> None:
    with server.connect(row_factory=dict_row) as c:
        for prepare in (False, True):
            for _ in range(2):
                rows = c.execute(
                    f"SELECT * FROM gone WHERE id >= %s ORDER BY id AS OF TIMESTAMP {then}",
                    [1],
                    prepare=prepare,
                ).fetchall()
                assert rows == [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]
        assert c.execute(f"SELECT count(*) FROM gone_view AS OF TIMESTAMP {then}").fetchone() == {"count": 2}
        with pytest.raises(psycopg.errors.UndefinedTable):
            c.execute("SELECT * FROM gone WHERE id = %s", [1])


def test_a_block_and_a_session_in_the_past(server: ServerProcess, then: int) -> None:
    with server.connect() as c:
        c.execute(f"BEGIN AS OF TIMESTAMP {then}")
        assert c.execute("SELECT name FROM gone WHERE id = %s", [2]).fetchall() == [("two",)]
        assert c.execute("SELECT * FROM gone_view ORDER BY 1", prepare=True).fetchall() == [
            ("one",),
            ("two",),
        ]
        with c.cursor().copy("COPY gone TO STDOUT") as copy:
            assert sorted(copy.rows()) == [("1", "one"), ("2", "two")]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            c.execute("INSERT INTO gone VALUES (3, 'three')")
        c.execute("ROLLBACK")
    with server.connect(options=f"-c tidewire.as_of={then}") as c:
        assert c.execute("SELECT name FROM gone WHERE id = %s", [2]).fetchall() == [("two",)]
        c.execute("RESET tidewire.as_of")  # to what the connection began with
        assert c.execute("SELECT to_regclass('gone') IS NULL").fetchall() == [(False,)]
    with server.connect() as c:
        c.execute(f"SET tidewire.as_of = '{then}'")
        assert c.execute("SELECT * FROM gone ORDER BY id", prepare=True).fetchall() == [
            (1, "one"),
            (2, "two"),
        ]
        c.execute("RESET tidewire.as_of")
        assert c.execute("SELECT to_regclass('gone') IS NULL").fetchall() == [(True,)]


def test_a_time_that_is_computed(server: ServerProcess, then: int) -> None:
    at = f"'epoch'::timestamptz + interval '1 microsecond' * {then}"
    with server.connect() as c:
        for prepare in (False, True):
            found = c.execute(f"SELECT * FROM gone_view ORDER BY 1 AS OF TIMESTAMP {at}", prepare=prepare)
            assert found.fetchall() == [("one",), ("two",)]
        with pytest.raises(psycopg.errors.UndefinedTable):
            c.execute("SELECT count(*) FROM gone_view AS OF TIMESTAMP now()", prepare=True)


def test_asyncpg_prepares_once_and_fetches_in_the_past(server: ServerProcess, then: int) -> None:
    async def run() -> None:
        c = await asyncpg.connect(host=server.host, port=server.port, user="tidewire", database="tidewire")
        try:
            statement = await c.prepare(f"SELECT name, id FROM gone WHERE id = $1 AS OF TIMESTAMP {then}")
            assert [a.name for a in statement.get_attributes()] == ["name", "id"]
            assert [tuple(r) for r in await statement.fetch(2)] == [("two", 2)]
        finally:
            await c.close()

    asyncio.run(run())
