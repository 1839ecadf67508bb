"""Statements of a block that are one function (`executor.session.blocks.lanes`): the answers are those of the usual way, to the byte.

As in `tests.server.test_repeated_in_blocks` two clients do the same; only one of them sends statements as drivers do, and only he takes
the lanes. That he does, and what he leaves to `run_in_block`, is looked at as well.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest

from executor.session.blocks import keyed
from executor.session.session import Session
from tests.server.test_repeated_reads import Both, Client, between_two, bound

STATEMENTS = {
    "begin": "BEGIN",
    "end": "END",
    "rollback": "ROLLBACK",
    "add": "UPDATE k SET v = v + $1 WHERE id = $2",
    "some": "UPDATE k SET v = v + $1 WHERE id = $2 AND s <> 'x'",
    "mark": "UPDATE u SET s = $1 WHERE id = $2",
    "get": "SELECT v, s FROM k WHERE id = $1",
    "who": "SELECT s, n FROM u WHERE id = $1",
    "own": "INSERT INTO k VALUES ($1, $2, $3)",
    "lock": "SELECT s, v FROM k WHERE id = $1 FOR UPDATE",
    "share": "SELECT s, v FROM k WHERE id = $1 FOR SHARE",
    "now": "SELECT s, v FROM k WHERE id = $1 FOR UPDATE NOWAIT",
    "told": "UPDATE k SET v = v + $1 WHERE id = $2 RETURNING id, v * 2",
    "ratio": "UPDATE k SET v = v + $1 WHERE id = $2 RETURNING 10 / (v - 3)",
    "new": "INSERT INTO k (id, v) VALUES ($1, $2) RETURNING id + 1, s",
    "seq": "INSERT INTO q (a) VALUES ($1) RETURNING a, id > 0",
    "put": "INSERT INTO h VALUES ($1, $2)",
    "drop": "DELETE FROM k WHERE id = $1",
    "all": "SELECT id, v, s FROM k WHERE id BETWEEN $1 AND $2 ORDER BY id",
    "notes": "SELECT a, c FROM h ORDER BY a, c",
    "span": "UPDATE k SET v = v + $1 WHERE id BETWEEN $2 AND $3",
    "sweep": "DELETE FROM k WHERE id BETWEEN $1 AND $2",
}
BEGIN: tuple[str, ...] = ("begin",)
SCRIPTS: dict[str, list[tuple[str | None, ...]]] = {
    "as pgbench": [BEGIN, ("add", "5", "3"), ("get", "3"), ("put", "3", "x"), ("end",), ("get", "3"), ("notes",)],
    "locks": [
        BEGIN, ("lock", "3"), ("add", "1", "3"), ("lock", "3"), ("lock", "77"), ("share", "4"), ("now", "5"), ("lock", None), ("own", "78", "1", "a"),
        ("lock", "78"), ("drop", "6"), ("lock", "6"), ("end",), ("lock", "3"), ("BEGIN READ ONLY",), ("lock", "3"), ("end",),
        ("BEGIN ISOLATION LEVEL READ COMMITTED",), ("lock", "3"), ("told", "1", "3"), ("end",),
    ],
    "returning": [
        BEGIN, ("told", "1", "3"), ("told", "1", "3"), ("told", "1", "77"), ("new", "79", "1"), ("new", "79", "1"), ("rollback",),
        BEGIN, ("new", "79", "5000"), ("end",), BEGIN, ("new", "79", "1"), ("get", "79"), ("told", "1", "79"), ("ratio", "0", "3"), ("end",), ("get", "79"),
        BEGIN, ("seq", "1"), ("seq", "3"), ("end",), ("seq", "4"),
    ],
    "twice": [BEGIN, ("add", "5", "3"), ("add", "6", "3"), ("get", "3"), ("end",), ("get", "3")],
    "not there": [BEGIN, ("add", "5", "77"), ("get", "77"), ("add", None, "3"), ("rollback",), BEGIN, ("get", None), ("add", "5", None), ("end",)],
    "own rows": [
        BEGIN, ("own", "70", "1", "a"), ("get", "70"), ("add", "5", "70"), ("get", "70"), ("drop", "70"), ("get", "70"), ("add", "5", "70"),
        ("own", "70", "2", "b"), ("get", "70"), ("all", "1", "99"), ("end",), ("get", "70"), ("all", "1", "99"),
    ],
    "deleted rows": [BEGIN, ("drop", "4"), ("get", "4"), ("add", "5", "4"), ("own", "4", "9", None), ("get", "4"), ("end",), ("get", "4")],
    "taken": [BEGIN, ("own", "4", "9", "a"), ("get", "4"), ("rollback",), BEGIN, ("own", "71", "1", "a"), ("own", "71", "1", "a"), ("end",), ("get", "71")],
    "conditions": [BEGIN, ("some", "5", "3"), ("some", "5", "5"), ("get", "3"), ("get", "5"), ("end",), ("get", "3")],
    "constraints": [
        BEGIN, ("add", "5000", "3"), ("end",), BEGIN, ("own", "72", "5000", "a"), ("rollback",), BEGIN, ("own", "72", None, "a"), ("end",),
        BEGIN, ("own", None, "1", "a"), ("end",), BEGIN, ("own", "72", "1", "far too long for it"), ("end",), ("all", "1", "99"),
    ],
    "other unique keys": [BEGIN, ("mark", "ä", "3"), ("who", "3"), ("mark", "b", "3"), ("who", "3"), ("end",), ("who", "3")],
    "bulk": [
        BEGIN, ("INSERT INTO k SELECT i, 1, 'b' FROM generate_series(1000, 4000) i",), ("get", "2000"), ("add", "5", "2000"), ("get", "2000"),
        ("own", "2000", "1", "a"), ("rollback",),
        BEGIN, ("DELETE FROM k WHERE v >= 0 AND s IS NOT NULL",), ("get", "3"), ("add", "5", "3"), ("own", "3", "1", "a"), ("get", "3"), ("end",),
        ("all", "1", "99"),
    ],
    "savepoints": [
        BEGIN, ("add", "1", "3"), ("SAVEPOINT s",), ("add", "10", "3"), ("add", "10", "5"), ("own", "73", "1", "a"), ("put", "1", "s"), ("get", "3"),
        ("ROLLBACK TO s",), ("get", "3"), ("get", "5"), ("get", "73"), ("add", "100", "5"), ("own", "73", "2", "b"), ("end",), ("all", "1", "99"),
        ("notes",),
    ],
    "ranges": [
        BEGIN, ("span", "10", "3", "5"), ("all", "1", "99"), ("sweep", "8", "99"), ("all", "1", "99"), ("span", "10", "5", "99"), ("span", "5000", "3", "4"),
        ("rollback",), ("BEGIN READ ONLY",), ("span", "10", "3", "5"), ("rollback",), BEGIN, ("sweep", "5", "99"), ("own", "8", "1", "a"),
        ("span", "1", "1", "99"), ("end",), ("all", "1", "99"),
    ],
    "read committed": [("BEGIN ISOLATION LEVEL READ COMMITTED",), ("add", "1", "3"), ("get", "3"), ("own", "74", "1", "a"), ("end",), ("all", "1", "99")],
    "read only": [("BEGIN READ ONLY",), ("get", "3"), ("own", "75", "1", "a"), ("end",), ("get", "75")],
    "DDL": [
        BEGIN, ("get", "3"), ("ALTER TABLE k ADD COLUMN later int DEFAULT 7",), ("get", "3"), ("rollback",),
        BEGIN, ("get", "3"), ("SAVEPOINT s",), ("ALTER TABLE k ADD COLUMN later int DEFAULT 7",), ("ROLLBACK TO s",), ("get", "3"), ("add", "1", "3"),
        ("own", "76", "1", "a"), ("end",), ("get", "3"), ("get", "76"),
    ],
}  # fmt: skip


TABLES = """
    CREATE TABLE k (id int PRIMARY KEY, v int NOT NULL CHECK (v < 1000), s varchar(9));
    CREATE TABLE u (id int PRIMARY KEY, s text, n int UNIQUE); CREATE TABLE h (a int, c text);
    CREATE TABLE q (id serial PRIMARY KEY, a int NOT NULL)
"""
ROWS = """
    DELETE FROM k; DELETE FROM u; DELETE FROM h; DELETE FROM q;
    INSERT INTO k SELECT i, i, CASE WHEN i = 5 THEN 'x' ELSE 'w' || i END FROM generate_series(1, 9) i;
    INSERT INTO u SELECT i, 's' || i, i FROM generate_series(1, 9) i
"""
AS_USUAL: list[tuple[str | None, ...]] = [
    BEGIN, ("add", "5", "3"), ("get", "3"), ("get", "4"), ("put", "3", "x"), ("own", "60", "1", "a"), ("mark", "c", "3"), ("some", "5", "4"),
    ("lock", "6"), ("share", "7"), ("told", "1", "6"), ("new", "61", "2"), ("seq", "1"),
    ("rollback",),
]  # fmt: skip


async def _made(both: Both) -> None:
    await both[0].run(TABLES)
    for client in both:
        for name, text in STATEMENTS.items():
            await client.prepare(name, text)
        await client.run(ROWS)
        for _ in range(2):  # what comes now comes again
            await _played(client, AS_USUAL)


async def _played(client: Client, script: Sequence[tuple[str | None, ...]]) -> list[bytes]:
    answers = []
    for what, *values in script:
        assert what is not None
        if what in STATEMENTS:
            answers.append(await client.ask(bound(what, values)))
        else:
            answers.append(await client.run(what))
    return answers


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_answers_are_the_same(name: str) -> None:
    _played_by_both(name)


@between_two
async def _played_by_both(both: Both, name: str) -> None:
    await _made(both)
    answers: list[list[list[bytes]]] = []
    for client in both:
        answers.append([])
        for _ in range(3):
            await client.run(ROWS)
            answers[-1].append(await _played(client, SCRIPTS[name]))
    assert answers[0] == answers[1]


def test_what_is_as_usual_goes_no_longer_way(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    usual = keyed.run_in_block

    def run_in_block(
        session: Any, block: Any, compiled: Any, plan: Any, params: Any, base: Any = None, made: Any = None
    ) -> Any:
        calls.append(plan.tag)
        return usual(session, block, compiled, plan, params, base, made)

    monkeypatch.setattr(keyed, "run_in_block", run_in_block)
    _by_lanes(calls)


@between_two
async def _by_lanes(both: Both, calls: list[str]) -> None:
    await _made(both)
    client = both[0]
    calls.clear()
    answers = await _played(client, AS_USUAL)
    assert not calls
    assert [
        b"UPDATE 1" in answers[i] or b"INSERT 0 1" in answers[i] for i in (1, 4, 5, 6, 7, 10, 11, 12)
    ] == [True] * 8
    assert b"w6" in answers[8]
    assert b"w7" in answers[9]
    await _played(client, [BEGIN, ("add", "1", "3"), ("add", "1", "3"), ("end",)])
    assert calls == ["UPDATE"], "a row that the block has changed before"


@between_two
async def _conflicts(both: Both, level: str) -> None:
    """One client writes what the other has read, or is about to write."""
    one, other = both
    await _made(both)
    await one.run(f"BEGIN ISOLATION LEVEL {level}")
    await one.ask(bound("get", ("3",)))
    for a in ("3", "4"):
        assert b"UPDATE 1" in await other.ask(bound("add", ("100", a)))
    told = await one.ask(bound("add", ("1", "4")))
    if level == "READ COMMITTED":
        assert b"UPDATE 1" in told
        assert b"105" in await one.ask(bound("get", ("4",)))
        assert b"COMMIT" in await one.ask(bound("end", ()))
        return
    assert b"40001" in told
    assert b"ROLLBACK" in await one.ask(bound("end", ()))
    await one.run(f"BEGIN ISOLATION LEVEL {level}")
    assert b"103" in await one.ask(bound("get", ("3",)))
    assert b"UPDATE 1" in await one.ask(bound("add", ("1", "9")))
    assert b"UPDATE 1" in await other.ask(bound("add", ("100", "3")))
    ended = await one.ask(bound("end", ()))
    assert (b"40001" in ended) is (level == "SERIALIZABLE"), "what it has read counts there"


@pytest.mark.parametrize("level", ["SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED"])
def test_what_others_have_written_meanwhile_is_noticed(level: str) -> None:
    _conflicts(level)


@pytest.mark.parametrize("whose", ["its own", "committed", "behind the snapshot"])
def test_a_number_that_is_taken_is_not_drawn_again(whose: str) -> None:
    _drawn_once(whose)


@between_two
async def _drawn_once(both: Both, whose: str) -> None:
    """PostgreSQL says 23505, and not that the row has the number after the one that is taken."""
    one, other = both
    await _made(both)
    await one.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    await one.ask(bound("seq", ("1",)))
    taken = "INSERT INTO q SELECT currval('q_id_seq') + 1, 0"
    if whose == "its own":
        assert b"INSERT 0 1" in await one.run(taken)
    else:
        found = re.search(rb"(\d+)C\0", await one.run("SELECT currval('q_id_seq') + 1"))
        assert found
        if whose == "committed":
            await one.run("ROLLBACK")
        assert b"INSERT 0 1" in await other.run(f"INSERT INTO q VALUES ({int(found[1])}, 0)")
        if whose == "committed":
            await one.run("BEGIN")
    assert b"23505" in await one.ask(bound("seq", ("2",)))


@between_two
async def test_who_brings_the_same_key_waits(both: Both) -> None:
    one, other = both
    await _made(both)
    for client in both:
        await client.ask(bound("begin", ()))
    assert b"INSERT 0 1" in await other.ask(bound("own", ("80", "1", "a")))
    waiting = asyncio.ensure_future(one.ask(bound("own", ("80", "2", "b"))))
    while one.session.lock_wait is None:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    assert not waiting.done()
    await other.ask(bound("end", ()))
    assert b"23505" in await waiting
    await one.ask(bound("rollback", ()))


def test_rows_of_a_short_range_are_written_without_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    wide: list[str] = []
    usual = Session.run_in

    async def run_in(session: Session, block: Any, compiled: Any, plan: Any, *more: Any, **said: Any) -> Any:
        wide.append(plan.tag)
        return await usual(session, block, compiled, plan, *more, **said)

    monkeypatch.setattr(Session, "run_in", run_in)
    _ranges(wide)


@between_two
async def _ranges(both: Both, wide: list[str]) -> None:
    one, other = both
    await _made(both)
    wide.clear()
    await other.ask(bound("begin", ()))
    assert b"UPDATE 1" in await other.ask(bound("add", ("100", "4")))
    await one.ask(bound("begin", ()))
    assert b"UPDATE 2" in await one.ask(bound("span", ("10", "2", "3")))
    waiting = asyncio.ensure_future(one.ask(bound("span", ("10", "3", "5"))))
    while one.session.lock_wait is None:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    assert not waiting.done()
    await other.ask(bound("end", ()))
    assert b"UPDATE 3" in await waiting
    assert b"DELETE 4" in await one.ask(bound("sweep", ("6", "9999")))
    await one.ask(bound("end", ()))
    assert not wide
    found = await one.run("SELECT string_agg(id || '=' || v, ' ' ORDER BY id) FROM k")
    assert b"1=1 2=12 3=23 4=114 5=15" in found
    await other.run("INSERT INTO k SELECT i, 0, 'b' FROM generate_series(10, 999) i")
    wide.clear()
    await one.ask(bound("begin", ()))
    assert b"DELETE 990" in await one.ask(bound("sweep", ("6", "9999")))
    assert wide == ["DELETE"], "many rows are DuckDB's to find"
    await one.ask(bound("rollback", ()))
