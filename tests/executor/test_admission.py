"""What happens between submission and admission: definitions change, keys get locked, appends fail."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.abc import PENDING, Rows
from storage.abc import Determinate, StorageFull
from tests.executor.sql import Client, Failed, Server


def submit(client: Client, text: str) -> asyncio.Future[Rows | Exception]:
    """Puts a statement through the fast door without waiting."""
    future: asyncio.Future[Rows | Exception] = asyncio.get_running_loop().create_future()
    known = client.session.plan_simple(text)
    assert known is not None, "it was planned before"
    plan, params = known[0]
    assert client.session.execute_now(plan, params, future.set_result, autocommit=True) is PENDING
    return future


def test_a_write_whose_table_is_being_altered_is_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ALTER is admitted and its append is under way: nobody sees the new catalog yet, and a write that was
    planned with the old one waits for it."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("create table t (id int primary key, v int)")
            await a.query("insert into t (id, v) values (1, 1)")
            consensus: Any = server.env.consensus
            appended = consensus.compare_and_append
            appending, go_on = asyncio.Event(), asyncio.Event()

            async def slow(*args: Any, **options: Any) -> Any:
                appending.set()
                await go_on.wait()
                return await appended(*args, **options)

            monkeypatch.setattr(consensus, "compare_and_append", slow)
            monkeypatch.setattr(server.env.committer, "_slow", True)
            altering = asyncio.create_task(b.query("alter table t add column w int default 5"))
            await appending.wait()
            late = asyncio.create_task(a.query("insert into t (id, v) values (2, 2)"))
            await asyncio.sleep(0)
            waits = not late.done()
            go_on.set()
            await asyncio.gather(altering, late)
            monkeypatch.undo()
            assert waits
            assert await a.rows("select * from t order by id") == [(1, 1, 5), (2, 2, 5)]
            assert await a.rows("select * from t where id = 2") == [(2, 2, 5)]

    asyncio.run(run())


def test_an_append_that_fails_leaves_no_trace_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key, v int unique)")
            await client.query("insert into t values (1, 1)")
            consensus: Any = server.env.consensus

            def full(*_: object, **__: object) -> int:
                raise StorageFull("no space left")

            async def full_async(*_: object, **__: object) -> int:
                raise StorageFull("no space left")

            assert issubclass(StorageFull, Determinate)
            monkeypatch.setattr(consensus, "append_now", full)
            monkeypatch.setattr(consensus, "compare_and_append", full_async)
            for text in (
                "insert into t values (2, 2)",
                "update t set v = 9 where id = 1",
                "delete from t where id = 1",
            ):
                with pytest.raises(Failed, match="no space left"):
                    await client.query(text)
            with pytest.raises(Failed, match="no space left"):
                await client.query("create table u (x int)")
            monkeypatch.undo()
            assert await client.rows("select * from t") == [(1, 1)]
            assert await client.rows("select v from t where id = 1") == [(1,)]
            await client.query("insert into t values (2, 2)")
            await client.query("create table u (x int)")
            await server.restart()
            assert await server.client().rows("select * from t order by id") == [(1, 1), (2, 2)]

    asyncio.run(run())


@pytest.mark.parametrize("isolation", ["serializable", "read committed", "repeatable read"])
@pytest.mark.parametrize("reads", [False, True])
def test_who_gets_the_lock_of_a_commit_that_failed_goes_on_without_it(
    monkeypatch: pytest.MonkeyPatch, isolation: str, reads: bool
) -> None:
    """The holder's append fails, and the lock is free before the round is over: what was taken back is in nobody's snapshot."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("create table t (id int primary key, v int)")
            await a.query("create table c (id int primary key, v int)")
            await a.query("insert into t values (1, 1)")
            await a.query("insert into c values (1, 1)")
            consensus: Any = server.env.consensus

            def full(*_: object, **__: object) -> int:
                monkeypatch.undo()  # there is room again at once
                raise StorageFull("no space left")

            monkeypatch.setattr(server.env.committer, "_slow", False)
            monkeypatch.setattr(consensus, "append_now", full)
            for client in (a, b):
                await client.query(f"begin isolation level {isolation}")
            await a.query("update t set v = 5 where id = 1")
            await a.query("update c set v = 5 where id = 1")
            waiting = asyncio.create_task(b.query("update t set v = v + 1 where id = 1"))
            await asyncio.sleep(0)
            assert server.env.locks.waiting_count == 1
            with pytest.raises(Failed, match="no space left"):
                await a.query("commit")
            await waiting
            if reads:
                assert await b.rows("select v from c where id = 1") == [(1,)]
            await b.query("update c set v = v + 1 where id = 1")
            await b.query("commit")
            assert await a.rows("select * from t") == await a.rows("select * from c") == [(1, 2)]

    asyncio.run(run())


def test_a_commit_for_which_there_is_no_room_ends_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no way back to a savepoint behind it."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await b.query("create table t (k int)")
            await b.query("insert into t values (1)")
            await a.query("begin isolation level serializable")
            await a.query("savepoint s")
            await a.query("insert into t values (2)")
            with monkeypatch.context() as full:
                full.setattr(server.env.committer, "queue_max", 0)
                with pytest.raises(Failed, match="wait to commit"):
                    await a.query("commit")
            with pytest.raises(Failed, match="can only be used in transaction blocks"):
                await a.query("rollback to s")
            assert await a.rows("select * from t") == [(1,)]

    asyncio.run(run())
