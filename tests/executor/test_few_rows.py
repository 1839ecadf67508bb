"""UPDATE and DELETE of rows that keys lead to, and jobs taken from a queue: what is written is what DuckDB would find, and PostgreSQL."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from executor import plans
from executor.keyed.compile import NotCompilable
from executor.session import few_rows, writing
from planner.abc import Plan
from tests.executor.keyed_statements import SCHEMA
from tests.executor.sql import Client, Failed, Server
from tests.postgres import NoPostgres, running_postgres

WRITES = [
    "UPDATE a SET k = k + 1 WHERE id IN (SELECT a_id FROM b WHERE id = {i}) RETURNING id, k, n",
    "UPDATE a SET n = n + 1, s = 'new' WHERE id = (SELECT u.a_id FROM u WHERE u.id = {k})",
    "UPDATE a SET s = b.w FROM b WHERE b.a_id = a.id AND b.id = {i} AND b.no = 2",
    "UPDATE a SET c = b.w, d = NULL FROM b JOIN u ON u.id = b.id WHERE a.id = u.a_id AND b.id = {k} AND b.no = 1 RETURNING a.id, a.c",
    "UPDATE a SET k = (SELECT max(v) FROM b WHERE b.a_id = a.id) WHERE a.id IN ({i}, {k}) RETURNING a.id, a.k",
    "UPDATE a SET n = 1.255 WHERE k = {k} AND EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id) RETURNING n, id",
    "UPDATE a SET s = v.s FROM (VALUES ({i}, 'v1'), ({k}, 'v2')) v (id, s) WHERE a.id = v.id RETURNING a.id",
    "UPDATE a SET s = s || ' far too long for it' WHERE id IN (SELECT a_id FROM b WHERE id = {i} AND a_id IS NOT NULL)",
    "UPDATE b SET no = no + 10 WHERE a_id IN (SELECT a.id FROM a WHERE a.k = {k}) RETURNING id, no",
    "DELETE FROM b USING a WHERE a.id = b.a_id AND a.k = {k}",
    "DELETE FROM b WHERE a_id = {i} AND NOT EXISTS (SELECT 1 FROM a WHERE a.id = b.a_id AND a.k > 2)",
    "DELETE FROM b WHERE id = {i} AND no IN (SELECT u.id FROM u WHERE u.id < {k} AND u.id > 1) RETURNING id, no, w",
    "DELETE FROM u WHERE id IN (SELECT b.no FROM b WHERE b.id = {i}) RETURNING *",
    "WITH w AS (SELECT a_id FROM u WHERE id = {k}) UPDATE a SET k = 0 FROM w WHERE a.id = w.a_id RETURNING a.id",
    "WITH w AS (DELETE FROM b WHERE id = {i} RETURNING a_id) UPDATE a SET k = 9 WHERE id IN (SELECT a_id FROM w) RETURNING id",
    "UPDATE a SET k = 8 WHERE id IN (SELECT a.id FROM a WHERE a.k = {k} ORDER BY id DESC LIMIT 2 FOR UPDATE SKIP LOCKED) RETURNING id, k",
    "DELETE FROM b WHERE (id, no) IN (SELECT id, no FROM b WHERE a_id = {i} ORDER BY id, no LIMIT 2 FOR UPDATE) RETURNING id, no",
    "SELECT id, s FROM a WHERE k = {k} ORDER BY n NULLS FIRST, id DESC LIMIT 2 OFFSET 1 FOR UPDATE",
]  # fmt: skip
TABLES = ("a", "b", "u")


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    try:
        with running_postgres() as url, psycopg.connect(url, autocommit=True) as connection:
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in SCHEMA:
        await client.query(text)
    return client


async def _done(client: Client, text: str) -> tuple[str, list[str]]:
    """(tag or SQLSTATE, rows as text, sorted)."""
    *rows, tag = (await client.run(text)).split("\n")
    if tag.startswith("ERROR"):
        return tag.removeprefix("ERROR ").split(":")[0], []
    return tag, sorted(rows)


def _expected(connection: psycopg.Connection[Any], text: str) -> tuple[str, list[str]]:
    try:
        cursor = connection.execute(text.encode())
    except psycopg.Error as error:
        return str(error.sqlstate), []
    result = cursor.pgresult
    assert result is not None
    rows = [
        "|".join(
            "null" if (v := result.get_value(i, j)) is None else v.decode() for j in range(result.nfields)
        )
        for i in range(result.ntuples)
    ]
    return cursor.statusmessage or "", sorted(rows)


@pytest.mark.parametrize("way", ["at once", "in a block", "by keys", "DuckDB"])
@pytest.mark.parametrize("seed", range(2))
def test_writes_are_postgresqls(
    postgres: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch, seed: int, way: str
) -> None:
    found, write, at_once = few_rows.found, writing.write, way in ("at once", "in a block")
    by_key = way != "DuckDB"
    taken: list[bool] = []
    wide: list[str] = []

    def refused(*_: Any) -> Any:
        raise NotCompilable("not wanted")

    async def wrote(session: Any, block: Any, plan: Plan, *more: Any) -> Any:
        wide.append(plan.text)
        return await write(session, block, plan, *more)

    monkeypatch.setattr(writing, "write", wrote)
    if not at_once:
        monkeypatch.setattr(plans, "PartsPlan", refused)

    async def noted(*args: Any, **more: Any) -> Any:
        few = await found(*args, **more) if by_key else None
        taken.append(few is not None)
        return few

    monkeypatch.setattr(few_rows, "found", noted)

    async def run() -> None:
        rng = random.Random(seed)
        postgres.execute("DROP TABLE IF EXISTS a, b, u")
        for text in SCHEMA:
            postgres.execute(text)
        async with Server() as server:
            client = await _filled(server)
            for _ in range(2):
                for template in rng.sample(WRITES, len(WRITES)):
                    text = template.format(i=rng.randrange(1, 41), k=rng.randrange(1, 9))
                    if way == "in a block":
                        await client.query("BEGIN")
                    assert await _done(client, text) == _expected(postgres, text), text
                    if way == "in a block":
                        await client.query(
                            "COMMIT" if client.session.transaction_status == b"T" else "ROLLBACK"
                        )
            for table in TABLES:
                text = f"SELECT * FROM {table}"
                assert (await _done(client, text))[1] == _expected(postgres, text)[1]
        if at_once:
            assert len(set(wide)) < len(WRITES), "nothing went at once"
        else:
            assert all(taken) if by_key else not any(taken)

    asyncio.run(run())


TAKE = (
    "UPDATE jobs SET state = 'taken' WHERE id = (SELECT id FROM jobs WHERE queue = 'q' AND state = 'ready'"
    " ORDER BY at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id"
)


@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
def test_no_job_is_taken_twice_and_takers_do_not_wait_for_each_other(level: str) -> None:
    async def run() -> None:
        async with Server() as server:
            a, b, c = server.client("a"), server.client("b"), server.client("c")
            await a.query("CREATE TABLE jobs (id bigserial PRIMARY KEY, queue text, state text, at int)")
            await a.query("CREATE INDEX ON jobs (queue, state)")
            await a.query(
                "INSERT INTO jobs (queue, state, at) SELECT 'q', 'ready', 10 - i FROM generate_series(1, 5) i"
            )
            for client in (a, b):
                await client.query(f"BEGIN ISOLATION LEVEL {level}")
            assert await a.rows(TAKE) == [(5,)]
            assert await b.rows(TAKE) == [(4,)]
            assert await c.rows(TAKE) == [(3,)]
            assert await a.rows(TAKE) == [(2,)]
            await a.query("ROLLBACK")
            await b.query("COMMIT")
            assert [await c.rows(TAKE) for _ in range(4)] == [[(5,)], [(2,)], [(1,)], []]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("theirs", "refused"),
    [("UPDATE u SET a_id = 7 WHERE id = 3", True), ("UPDATE u SET e = 'new' WHERE id = 3", False)],
)
def test_a_write_depends_on_what_its_query_has_read(theirs: str, refused: bool) -> None:
    """Each of the two has not seen what the other wrote; so if the other wrote what was read, no order explains both."""

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server), server.client("b")
            await client.query("CREATE TABLE out (v text)")
            await client.query("BEGIN")
            text = "UPDATE a SET n = 2 WHERE a.id IN (SELECT u.a_id FROM u WHERE u.id = 3) AND a.k = 6"
            assert (await client.query(text))[0][0] == "UPDATE 1"
            await client.query("INSERT INTO out VALUES ('seen')")
            await other.query("BEGIN")
            assert await other.rows("SELECT count(*) FROM out") == [(0,)]
            await other.query(theirs)
            await other.query("COMMIT")
            if refused:
                with pytest.raises(Failed) as failed:
                    await client.query("COMMIT")
                assert failed.value.sqlstate == "40001"
            else:
                await client.query("COMMIT")

    asyncio.run(run())


RETURNED_OF_OTHERS = {
    "UPDATE t SET v = m.b + 10 FROM m WHERE m.a = t.id AND t.id = 1 RETURNING *": [(1, 12, 1, 2)],
    "UPDATE t SET v = m.b + 10 FROM m WHERE m.a = t.id AND m.a = 1 RETURNING m.b, t.v": [(2, 12)],
    "UPDATE t SET v = 7 FROM m WHERE m.a = t.id AND t.id IN (1, 2) RETURNING m.a": [(1,), (2,)],
    "DELETE FROM t USING m WHERE m.a = t.id AND t.id = 2 RETURNING *": [(2, 2, 2, 3)],
}


@pytest.mark.parametrize("text", RETURNED_OF_OTHERS)
def test_what_is_returned_of_other_tables(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(
                "CREATE TABLE t (id int PRIMARY KEY, v int); CREATE TABLE m (a int PRIMARY KEY, b int)"
            )
            await client.query(
                "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3); INSERT INTO m VALUES (1, 2), (2, 3)"
            )
            assert sorted(await client.rows(text)) == RETURNED_OF_OTHERS[text]

    asyncio.run(run())
