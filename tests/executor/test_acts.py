"""Calls by which a client asks or changes its session: answered on the spot, as DuckDB's callbacks would have it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.ddl.sequences import BLOCK
from executor.session import queries
from tests.executor.sql import Client, Failed, Server


def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("asked of DuckDB")

    monkeypatch.setattr(queries, "read", refused)


async def _value(client: Client, expression: str) -> Any:
    ((value,),) = await client.rows(f"SELECT {expression}")
    return value


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_no_query_is_needed(in_block: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Server() as server:
            one, two = server.client("a"), server.client("b")
            await one.query("CREATE SEQUENCE s; SELECT nextval('s')")
            _closed(monkeypatch)
            if in_block:
                await one.query("BEGIN")
            assert await _value(one, "nextval('s')") == 2
            assert await _value(one, "currval('s')") == 2
            assert await _value(one, "lastval() + 1") == 3
            assert await _value(one, "set_config('a.b', 'x', false)") == "x"
            assert await _value(one, "current_setting('a.b')") == "x"
            assert await one.rows("SELECT set_config('a.c', 'y', true), set_config('a.d', 'z', false)") == [
                ("y", "z")
            ]
            assert await _value(one, "pg_notify('c', 'told')") == ""
            assert await _value(one, "pg_advisory_lock(7)") == ""
            assert await _value(one, "pg_try_advisory_lock(7, 8)") is True
            assert await _value(one, "pg_advisory_lock(NULL)") is None
            assert await _value(two, "pg_try_advisory_lock(7)") is False
            assert await _value(two, "pg_try_advisory_xact_lock_shared(7, 8)") is False
            assert await _value(one, "pg_advisory_unlock(7)") is True
            assert await _value(two, "pg_try_advisory_lock(7)") is True
            assert await _value(one, "pg_advisory_unlock(7)") is False
            assert [n.message for n in one.session.notices] == ["you don't own a lock of type ExclusiveLock"]
            assert await _value(one, "pg_advisory_unlock_all()") == ""
            assert await _value(one, "pg_advisory_xact_lock(9)") == ""
            assert await _value(two, "pg_try_advisory_lock(9)") is not in_block
            first = await _value(one, "txid_current()")
            assert (await _value(one, "txid_current()") == first) is in_block
            if in_block:
                await one.query("ROLLBACK")
                assert await _value(one, "current_setting('a.b', true)") in (None, "")

    asyncio.run(run())


def test_settings_are_of_their_statement() -> None:
    async def run() -> None:
        async with Server() as server:
            one = server.client()
            await one.query("SELECT set_config('a.b', 'before', false)")
            await one.query("SELECT set_config('a.b', 'local', true)")
            assert await _value(one, "current_setting('a.b')") == "before"
            with pytest.raises(Failed) as failed:
                await one.query(
                    "SELECT set_config('a.b', 'lost', false), set_config('work_mem', 'much', false)"
                )
            assert failed.value.sqlstate == "22023"
            assert await _value(one, "current_setting('a.b')") == "before"
            await one.query("BEGIN; SAVEPOINT s")
            await one.query("SELECT set_config('a.b', 'within', true)")
            assert await _value(one, "current_setting('a.b')") == "within"
            await one.query("ROLLBACK TO s")
            assert await _value(one, "current_setting('a.b')") == "before"
            await one.query("SELECT set_config('search_path', 'elsewhere', true)")
            assert await _value(one, "array_to_string(current_schemas(false), ',')") == ""
            await one.query("COMMIT")
            assert await _value(one, "array_to_string(current_schemas(false), ',')") == "public"
            for name in ("", "no such thing"):
                with pytest.raises(Failed):
                    await one.query(f"SELECT set_config('{name}', 'x', false)")

    asyncio.run(run())


def test_numbers_are_leased_without_gaps_and_locks_waited_for() -> None:
    async def run() -> None:
        async with Server() as server:
            one, two = server.client("a"), server.client("b")
            await one.query("CREATE SEQUENCE s")
            drawn = [await _value(one, "nextval('s')") for _ in range(2 * BLOCK + 3)]
            assert drawn == list(range(1, 2 * BLOCK + 4))
            for text, sqlstate in (
                ("currval('s')", "55000"),
                ("lastval()", "55000"),
                ("pg_notify('', 'x')", "22023"),
            ):
                with pytest.raises(Failed) as failed:
                    await _value(two, text)
                assert failed.value.sqlstate == sqlstate
            await two.query("BEGIN READ ONLY")
            with pytest.raises(Failed) as failed:
                await _value(two, "nextval('s')")
            assert failed.value.sqlstate == "25006"
            await two.query("ROLLBACK")
            await one.query("BEGIN")
            await _value(one, "pg_advisory_xact_lock(1)")
            waiting = asyncio.ensure_future(_value(two, "pg_advisory_lock(1)"))
            await asyncio.sleep(0)
            assert not waiting.done()
            await one.query("COMMIT")
            assert await waiting == ""
            assert await _value(one, "pg_try_advisory_lock(1)") is False

    asyncio.run(run())


def test_a_note_is_told_once_and_with_the_commit() -> None:
    async def run() -> None:
        async with Server() as server:
            one, two = server.client("a"), server.client("b")
            await two.query("LISTEN c")
            await one.query("SELECT pg_notify('c', 'at once')")
            await one.query("BEGIN")
            await one.query("SELECT pg_notify('c', 'later')")
            await one.query("SELECT pg_notify('c', 'later')")
            assert [note[2] for note in two.session.heard] == ["at once"]
            await one.query("COMMIT")
            assert [note[2] for note in two.session.heard] == ["at once", "later"]

    asyncio.run(run())
