"""What applications ask over few rows (groups, subqueries, WITH, UNION): the keyed engine, DuckDB and PostgreSQL answer alike."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from executor.abc import Rows, Stream
from executor.columnar.rows import batch_rows
from executor.session.session import Session
from planner import types as t
from planner.abc import Plan
from tests.executor.keyed_statements import SCHEMA, Statements
from tests.executor.sql import Client, Failed, Server, sqlstate
from tests.postgres import NoPostgres, running_postgres

STATEMENTS = 60
Answer = list[tuple[str | None, ...]] | str
"""Rows as text, or an SQLSTATE."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    try:
        with running_postgres() as url, psycopg.connect(url, autocommit=True) as connection:
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))


def _shown(text: str | None) -> str | None:
    """Of values that are equal one: which of a group's is shown is nobody's business."""
    if text is None:
        return None
    if re.fullmatch(r"-?\d+\.\d+", text):
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _answer(rows: list[tuple[Any, ...]], ordered: bool) -> Answer:
    shown = [tuple(_shown(v) for v in row) for row in rows]
    return shown if ordered else sorted(shown, key=repr)


def _texts(session: Session, plan: Plan, rows: Any) -> list[tuple[str | None, ...]]:
    types = [c.type for c in plan.columns or ()]
    settings = session.type_settings
    return [
        tuple(
            None if v is None else t.output_text(v, ref, settings) for v, ref in zip(row, types, strict=True)
        )
        for row in rows
    ]


def by_key(session: Session, text: str, *, autocommit: bool) -> Answer | None:
    """What is answered without DuckDB; None: nothing."""
    plan = session.executor.plans.prepared(text, session.context(), ())
    try:
        found = session.execute_now(plan, (), lambda _: None, autocommit=autocommit)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return sqlstate(error)
    if found is None:
        return None
    assert isinstance(found, Rows)
    return _answer(_texts(session, plan, found.rows), "ORDER BY 1" in text)


async def by_query(session: Session, text: str, *, autocommit: bool) -> Answer:
    """DuckDB's answer."""
    plan = session.executor.plans.prepared(text, session.context(), ())
    rows: list[Any] = []
    try:
        result = await session.execute(plan, (), autocommit=autocommit)
        if isinstance(result, Stream):
            async for batch in result.batches:
                rows += batch_rows(batch, [c.type for c in result.columns])
            result.close()
        else:
            assert isinstance(result, Rows)
            rows = list(result.rows)
    except Exception as error:  # noqa: BLE001
        return sqlstate(error)
    return _answer(_texts(session, plan, rows), "ORDER BY 1" in text)


def by_postgres(connection: psycopg.Connection[Any], text: str) -> Answer:
    cursor = psycopg.RawCursor(connection)
    try:
        cursor.execute(text.encode())
    except psycopg.Error as error:
        return str(error.sqlstate)
    result = cursor.pgresult
    assert result is not None
    rows = [
        tuple(None if (v := result.get_value(i, j)) is None else v.decode() for j in range(result.nfields))
        for i in range(result.ntuples)
    ]
    return _answer(rows, "ORDER BY 1" in text)


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in SCHEMA:
        await client.query(text)
    return client


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
@pytest.mark.parametrize("seed", range(3))
def test_three_engines_answer_alike(postgres: psycopg.Connection[Any], seed: int, in_block: bool) -> None:
    async def run() -> None:
        made = Statements(random.Random(seed * 2 + in_block))
        postgres.execute("DROP TABLE IF EXISTS a, b, u")
        for text in SCHEMA:
            postgres.execute(text)
        keyed = 0
        async with Server() as server:
            client = await _filled(server)
            if in_block:
                await client.query("BEGIN ISOLATION LEVEL READ COMMITTED")
            for i in range(STATEMENTS):
                if i % 10 == 9:
                    change = made.change()
                    await client.query(change)
                    postgres.execute(change)
                text = made.one()
                expected = by_postgres(postgres, text)
                if in_block:
                    await client.query("SAVEPOINT s")
                mine = by_key(client.session, text, autocommit=not in_block)
                if in_block:
                    await client.query("ROLLBACK TO s")
                theirs = await by_query(client.session, text, autocommit=not in_block)
                if in_block:
                    await client.query("ROLLBACK TO s")
                assert mine in (None, expected), text
                assert theirs == expected, text
                keyed += mine is not None
        assert keyed > STATEMENTS * 0.8

    asyncio.run(run())


READS = [
    (
        "SELECT a.s, count(*) FROM a WHERE a.id IN (1, 2) GROUP BY a.s",
        ["UPDATE a SET s = 'new' WHERE id = 1", "DELETE FROM a WHERE id = 2"],
        ["UPDATE a SET n = 9 WHERE id = 1", "UPDATE a SET s = 'new' WHERE id = 3"],
    ),
    (
        "SELECT a.id FROM a WHERE a.id = 1 AND NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.id + 90)",
        ["INSERT INTO b VALUES (91, 1, 1, 1, 'x')"],
        ["INSERT INTO b VALUES (92, 1, 1, 1, 'x')", "UPDATE b SET w = 'y' WHERE id = 1", "UPDATE a SET k = 5 WHERE id = 1"],
    ),
    (
        "SELECT a.id, (SELECT sum(b.v) FROM b WHERE b.id = a.id) FROM a WHERE a.id = 1",
        ["UPDATE b SET v = 50 WHERE id = 1 AND no = 2", "INSERT INTO b VALUES (1, 9, 1, 1, 'x')"],
        ["UPDATE b SET w = 'y' WHERE id = 1", "UPDATE b SET v = 50 WHERE id = 2"],
    ),
    (
        "SELECT a.s FROM a WHERE a.id IN (SELECT u.a_id FROM u WHERE u.id = 3)",
        ["UPDATE u SET a_id = 7 WHERE id = 3", "UPDATE a SET s = 'new' WHERE id = 6"],
        ["UPDATE u SET e = 'new' WHERE id = 3", "UPDATE a SET s = 'new' WHERE id = 7"],
    ),
    (
        "SELECT a.id FROM a WHERE a.id = 1 AND NOT EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id + 500)",
        ["INSERT INTO b VALUES (92, 1, 501, 1, 'x')"],
        ["UPDATE b SET w = 'y' WHERE id = 1"],
    ),
    (
        "WITH w AS (SELECT u.a_id FROM u WHERE u.id = 3) SELECT a.n FROM w JOIN a ON a.id = w.a_id",
        ["UPDATE u SET a_id = 7 WHERE id = 3", "UPDATE a SET n = 8 WHERE id = 6"],
        ["UPDATE u SET e = 'new' WHERE id = 3", "UPDATE a SET s = 'new' WHERE id = 6"],
    ),
    (
        "SELECT a.s FROM a WHERE a.id = 1 UNION ALL SELECT u.e FROM u WHERE u.id = 1",
        ["UPDATE u SET e = 'new' WHERE id = 1", "DELETE FROM a WHERE id = 1"],
        ["UPDATE u SET a_id = 7 WHERE id = 1", "UPDATE a SET n = 8 WHERE id = 1"],
    ),
    (
        "SELECT EXISTS (SELECT * FROM b WHERE b.id = 95)",
        ["INSERT INTO b VALUES (95, 1, 501, 1, 'x')"],
        ["INSERT INTO b VALUES (96, 1, 501, 1, 'x')"],
    ),
]  # fmt: skip
"""(a read, changes that it depends on, changes that it does not depend on)"""


@pytest.mark.parametrize(
    ("text", "theirs", "refused"),
    [(text, change, refused) for text, those, others in READS for refused in (True, False)
     for change in (those if refused else others)],
)  # fmt: skip
def test_a_transaction_depends_on_what_it_has_read(text: str, theirs: str, refused: bool) -> None:
    """Each of the two has not seen what the other wrote; so if the other wrote what was read, no order explains both."""

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server), server.client("b")
            await client.query("CREATE TABLE out (v text)")
            await client.query("BEGIN")
            assert by_key(client.session, text, autocommit=False) is not None
            await client.query("INSERT INTO out VALUES ('seen')")
            await other.query("BEGIN")
            assert await other.rows("SELECT count(*) FROM out") == [(0,)]
            await other.query(theirs)
            await other.query("COMMIT")
            if refused:
                with pytest.raises(Exception, match=r"(?i)serializ"):
                    await client.query("COMMIT")
            else:
                await client.query("COMMIT")

    asyncio.run(run())


def test_a_subquery_is_asked_where_its_value_is_needed() -> None:
    """So what fails in it does not fail where nobody asks."""
    two = "(SELECT b.v FROM b WHERE b.id = a.id)"

    async def run() -> None:
        async with Server() as server:
            session = (await _filled(server)).session
            lazy = f"SELECT CASE WHEN a.id > 3 THEN {two} END FROM a WHERE a.id = "
            assert by_key(session, lazy + "3", autocommit=True) == [(None,)]
            assert by_key(session, lazy + "4", autocommit=True) == "21000"
            assert (
                by_key(session, f"SELECT a.id FROM a WHERE a.id = 4 AND {two} = 1", autocommit=True)
                == "21000"
            )
            assert (
                by_key(session, f"SELECT a.id FROM a WHERE a.id = 400 AND {two} = 1", autocommit=True) == []
            )

    asyncio.run(run())


def test_rows_as_documents_are_found_by_key() -> None:
    async def run() -> None:
        async with Server() as server:
            session = (await _filled(server)).session
            for seed in range(24):
                text = Statements(random.Random(seed)).documents()
                assert by_key(session, text, autocommit=True) is not None, text

    asyncio.run(run())


def test_much_is_duckdbs() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("INSERT INTO b SELECT 1000 + i, 1, 3, 1, 'x' FROM generate_series(1, 2000) i")
            for text in (
                "SELECT a.id FROM a WHERE a.id = 3 AND EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)",
                "SELECT a.id FROM a WHERE a.id IN (SELECT b.id FROM b WHERE b.a_id = 3)",
                "SELECT a.id, c.no FROM a, LATERAL (SELECT b.no FROM b WHERE b.id BETWEEN 1001 AND 1900 + a.id) c WHERE a.id < 9",
            ):
                assert by_key(client.session, text, autocommit=True) is None
                assert isinstance(await by_query(client.session, text, autocommit=True), list)

    asyncio.run(run())


def test_privileges_are_asked_for_every_table() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("CREATE ROLE reader LOGIN; GRANT SELECT ON a TO reader; SET ROLE reader")
            for text in (
                "SELECT a.id FROM a WHERE a.id = 3 AND EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)",
                "SELECT EXISTS (SELECT 1 FROM b WHERE b.id = 1)",
                "WITH w AS (SELECT * FROM b WHERE b.id = 1) SELECT count(*) FROM w",
                "SELECT a.id FROM a WHERE a.id = 3 UNION ALL SELECT b.id FROM b WHERE b.id = 1",
            ):
                with pytest.raises(Failed) as failed:
                    await client.query(text)
                assert failed.value.sqlstate == "42501"

    asyncio.run(run())
