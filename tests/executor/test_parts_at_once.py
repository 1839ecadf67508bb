"""Jobs taken, and what is done with them, in one turn: at a statement's own admission, or in a block, with the wide door left out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.abc import PENDING
from executor.session import queries, writing
from tests.executor.sql import Client, Failed, Server

SCHEMA = [
    "CREATE TABLE jobs (id int PRIMARY KEY, queue text NOT NULL, state text NOT NULL, prio int NOT NULL, n int DEFAULT 0, note varchar(20))",
    "CREATE INDEX ON jobs (queue, prio, id)",
    "CREATE TABLE done (no serial PRIMARY KEY, job int UNIQUE, queue text CHECK (queue <> 'bad'))",
    "INSERT INTO jobs SELECT g, 'q', 'new', g % 3 FROM generate_series(1, 60) g",
    "INSERT INTO done (job) VALUES (0)",  # a block of the serial's numbers is leased
    "DELETE FROM done",
]
FREE = "SELECT id FROM jobs WHERE queue = 'q' AND state = 'new' ORDER BY prio, id"
TAKES = {
    "=": f"UPDATE jobs SET state = 'on', n = n + 1 WHERE id = ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
    "IN": f"UPDATE jobs SET state = 'on', n = n + 1 WHERE id IN ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
    "WITH": f"WITH x AS ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET state = 'on', n = n + 1 FROM x WHERE x.id = j.id RETURNING j.id",
    "DELETE": f"DELETE FROM jobs WHERE id = ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
    "moved": f"WITH gone AS (DELETE FROM jobs WHERE id = ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, queue)"
    " INSERT INTO done (job, queue) SELECT id, queue FROM gone RETURNING job",
    "told": f"WITH x AS (UPDATE jobs SET state = 'on', note = 'taken' WHERE id IN ({FREE} LIMIT 1 FOR UPDATE SKIP LOCKED)"
    " RETURNING id, note) SELECT id FROM x WHERE note = 'taken'",
}
ORDER = sorted(range(1, 61), key=lambda g: (g % 3, g))
"""The jobs in the order in which they are taken."""


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in SCHEMA:
        await client.query(text)
    return client


def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("asked at the wide door")

    monkeypatch.setattr(writing, "write", refused)
    monkeypatch.setattr(queries, "prepare", refused)


@pytest.mark.parametrize("take", TAKES)
def test_those_who_take_at_once_get_one_after_the_other(take: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Server() as server:
            await _filled(server)
            clients = [server.client(f"c{i}") for i in range(12)]
            _closed(monkeypatch)
            taken: list[Any] = []
            for _ in range(2):
                taken += await asyncio.gather(*(c.rows(TAKES[take]) for c in clients))
            assert sorted(row[0][0] for row in taken) == sorted(ORDER[:24])

    asyncio.run(run())


@pytest.mark.parametrize("take", TAKES)
def test_who_takes_again_and_again_is_run_without_being_asked_how(take: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            other, session = server.client("other"), client.session
            rows = [tuple(row) for row in await client.rows(TAKES[take])]
            plan, params = session.plan(TAKES[take])
            again = session.runner(plan)
            assert again is not None
            for _ in range(2):
                future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
                assert again(params, future.set_result) is PENDING
                rows += [tuple(row) for row in (await future).rows]
            assert rows == [(n,) for n in ORDER[:3]]
            await client.query("BEGIN")
            assert again(params, lambda _: None) is None, "a block runs it otherwise"
            await client.query("ROLLBACK")
            await other.query("ALTER TABLE jobs ADD COLUMN more int")
            assert again(params, lambda _: None) is None, "the table is another one"

    asyncio.run(run())


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "STRICT SERIALIZABLE"])
@pytest.mark.parametrize("take", TAKES)
def test_blocks_take_what_others_have_not(take: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Server() as server:
            await _filled(server)
            a, b, c = server.client("a"), server.client("b"), server.client("c")
            with monkeypatch.context() as patch:
                _closed(patch)
                for client in (a, b):
                    await client.query(f"BEGIN ISOLATION LEVEL {level}")
                assert await a.rows(TAKES[take]) == [(ORDER[0],)]
                assert await b.rows(TAKES[take]) == [(ORDER[1],)]
                assert await c.rows(TAKES[take]) == [(ORDER[2],)]  # outside of a block, and behind both
                await a.query("ROLLBACK")
                await b.query("COMMIT")
                assert await c.rows(TAKES[take]) == [(ORDER[0],)]
                assert await c.rows(TAKES[take]) == [(ORDER[3],)]

    asyncio.run(run())


def test_what_a_statement_changes_is_what_it_would_change_at_the_wide_door() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(TAKES["moved"])
            await client.query(TAKES["WITH"])
            assert await client.rows("SELECT no, job, queue FROM done") == [(2, 3, "q")]
            assert await client.rows("SELECT id, n FROM jobs WHERE state = 'on'") == [(6, 1)]
            assert await client.rows("SELECT count(*) FROM jobs") == [(59,)]
            await client.query("INSERT INTO done (job) VALUES (9)")
            for text, sqlstate in (
                (TAKES["moved"], "23505"),  # the job is done already
                (TAKES["="].replace("n = n + 1", "note = repeat('x', n + 30)"), "22001"),
                (TAKES["="].replace("n = n + 1", "n = 1 / n"), "22012"),
                (TAKES["="].replace("n = n + 1", "prio = NULL"), "23502"),
                (TAKES["="].replace("= (SELECT id", "= (SELECT prio"), ""),
            ):
                for begin in ("", "BEGIN"):
                    if begin:
                        await client.query(begin)
                    if sqlstate:
                        with pytest.raises(Failed) as failed:
                            await client.query(text)
                        assert failed.value.sqlstate == sqlstate, text
                    if begin:
                        await client.query("ROLLBACK")
            assert await client.rows("SELECT count(*) FROM jobs WHERE state = 'new'") == [(58,)]

    asyncio.run(run())


@pytest.mark.parametrize("begin", ("", "BEGIN"))
def test_the_first_rows_in_order_are_found_without_being_locked(begin: str) -> None:
    """A LIMIT inside that locks nothing: its rows are walked to along the index, of what is there at admission as of a block's view."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            first, last = FREE + " LIMIT 2", FREE.replace("prio, id", "prio DESC, id DESC") + " LIMIT 2"
            for n in range(3):
                if begin:
                    await client.query(begin)
                taken = await client.rows(f"DELETE FROM jobs WHERE id IN ({first}) RETURNING id")
                assert sorted(taken) == sorted((i,) for i in ORDER[2 * n : 2 * n + 2])
                taken = await client.rows(f"UPDATE jobs SET state = 'on' WHERE id IN ({last}) RETURNING id")
                assert sorted(taken) == sorted((ORDER[-i - 1],) for i in range(2 * n, 2 * n + 2))
                copied = f"INSERT INTO done (job, queue) SELECT s.id, s.queue FROM ({first}) f JOIN jobs s ON s.id = f.id RETURNING job"
                assert len(await client.rows(copied)) == 2
                await client.query("DELETE FROM done")
                if begin:
                    await client.query("COMMIT")

    asyncio.run(run())


def test_a_generated_column_takes_a_job_out_of_its_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """As graphile-worker has them."""

    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(
                "CREATE TABLE jobs (id int PRIMARY KEY, priority int NOT NULL, attempts int NOT NULL DEFAULT 0, locked_at timestamptz,"
                " is_available bool GENERATED ALWAYS AS (locked_at IS NULL AND attempts < 2) STORED NOT NULL)"
            )
            await client.query("CREATE INDEX ON jobs (priority, id) WHERE (is_available = true)")
            await client.query(
                "INSERT INTO jobs (id, priority) SELECT g, g % 5 FROM generate_series(1, 6000) g"
            )
            take = (
                "WITH j AS (SELECT id FROM jobs WHERE is_available = true ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED)"
                " UPDATE jobs SET attempts = jobs.attempts + 1, locked_at = now() FROM j WHERE jobs.id = j.id"
                " RETURNING jobs.id, attempts, is_available"
            )
            with monkeypatch.context() as patch:
                _closed(patch)
                assert [await client.rows(take) for _ in range(2)] == [[(5, 1, False)], [(10, 1, False)]]
                await client.query("UPDATE jobs SET locked_at = NULL WHERE id = 5")
                assert await client.rows(take) == [(5, 2, False)]
                await client.query("UPDATE jobs SET locked_at = NULL WHERE id = 5")
                assert await client.rows(take) == [(15, 1, False)]
            assert await client.rows("SELECT id, is_available FROM jobs WHERE attempts > 0 ORDER BY id") == [
                (5, False), (10, False), (15, False)
            ]  # fmt: skip

    asyncio.run(run())


def test_what_is_locked_is_passed_over_or_refused_or_waited_for() -> None:
    async def run() -> None:
        async with Server() as server:
            a = await _filled(server)
            b = server.client("b")
            await a.query("BEGIN")
            await a.query("SELECT * FROM jobs WHERE id IN (3, 6) FOR UPDATE")
            assert await b.rows(TAKES["="]) == [(9,)]
            with pytest.raises(Failed) as failed:
                await b.query(TAKES["="].replace("SKIP LOCKED", "NOWAIT"))
            assert failed.value.sqlstate == "55P03"
            waiting = asyncio.ensure_future(b.rows(TAKES["="].replace("SKIP LOCKED", "")))
            await asyncio.sleep(0)
            await a.query("UPDATE jobs SET state = 'on' WHERE id = 3")
            await a.query("COMMIT")
            assert (
                await waiting == [(6,)] or await waiting == []
            )  # READ COMMITTED's may find none, as in PostgreSQL

    asyncio.run(run())


def test_a_table_that_is_altered_or_dropped_is_asked_as_it_is_now() -> None:
    async def run() -> None:
        async with Server() as server:
            a = await _filled(server)
            b = server.client("b")
            assert await b.rows(TAKES["="]) == [(3,)]
            await a.query("ALTER TABLE jobs ADD CONSTRAINT c CHECK (state <> 'on') NOT VALID")
            with pytest.raises(Failed) as failed:
                await b.query(TAKES["="])
            assert failed.value.sqlstate == "23514"
            await a.query("ALTER TABLE jobs DROP CONSTRAINT c")
            await a.query("CREATE TABLE told (id int)")
            await a.query(
                "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (new.id); RETURN new; END $$"
            )
            await a.query("CREATE TRIGGER t AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION tell()")
            assert await b.rows(TAKES["="]) == [(6,)]
            assert await b.rows("SELECT id FROM told") == [(6,)]
            await a.query("BEGIN; DROP TRIGGER t ON jobs; ALTER TABLE jobs ADD more int DEFAULT 7")
            assert await a.rows(TAKES["="].replace("RETURNING id", "RETURNING id, more")) == [(9, 7)]
            await a.query("COMMIT")
            assert await b.rows(TAKES["="].replace("RETURNING id", "RETURNING *")) == [
                (12, "q", "on", 0, 1, None, 7)
            ]

    asyncio.run(run())


@pytest.mark.parametrize("index", ["(queue, id)", "(queue, state, id)"])
def test_what_was_taken_is_not_walked_over_again(index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More jobs than a walk takes steps have come and gone at the front, in memory and in what was there before."""

    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(
                "CREATE TABLE jobs (id int PRIMARY KEY, queue text NOT NULL, state text NOT NULL)"
            )
            await client.query(f"CREATE INDEX ON jobs {index}")
            await client.query("INSERT INTO jobs SELECT g, 'q', 'new' FROM generate_series(1, 4000) g")
            taking = (
                "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE queue = 'q' AND state = 'new'"
                " ORDER BY id LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING id"
            )
            await client.query("INSERT INTO jobs SELECT g, 'q', 'new' FROM generate_series(4001, 4010) g")
            old = server.client("old")
            await old.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            first = "SELECT id FROM jobs WHERE queue = 'q' AND state = 'new' ORDER BY id LIMIT 2"
            assert await old.rows(first) == [(1,), (2,)]
            _closed(monkeypatch)
            for begins in range(1, 4001, 500):
                assert sorted(await client.rows(taking)) == [(i,) for i in range(begins, begins + 500)]
                for i in range(5000 + begins, 5000 + begins + 500):
                    await client.query(f"INSERT INTO jobs VALUES ({i}, 'q', 'new')")
                if begins < 1000:
                    assert await old.rows(first) == [(1,), (2,)]
                if begins == 501:
                    await old.query("COMMIT")
            for _ in range(7):
                await client.rows(taking)
            assert (await client.rows(taking.replace("LIMIT 500", "LIMIT 1")))[0][0] > 7000

    asyncio.run(run())
