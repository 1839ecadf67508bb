"""Advisory locks of several servers, where a golden script cannot look: what holds at the very moment of an answer."""

from __future__ import annotations

import asyncio

import pytest

from executor.abc import ExecutionError
from executor.session.locks.shared_advisory import SharedAdvisoryLocks
from tests.executor.shared import HANG_S, Servers
from tests.txn.test_shared import run, world
from txn.abc import LockNotAvailable
from txn.shared import SharedEnvironment

KEY = ("db", 1, None)


@pytest.mark.parametrize("synchronous", [True, False])
def test_who_is_told_of_a_lock_timeout_is_in_no_queue_any_more(synchronous: bool) -> None:
    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            env = await w.open()
            advisory = SharedAdvisoryLocks(env.session_locks, lambda pid, error: None)
            assert await advisory.try_lock(1, KEY, shared=False, transaction=False)
            with pytest.raises(ExecutionError):
                await advisory.lock(2, KEY, shared=False, transaction=False)
            with pytest.raises(LockNotAvailable):
                await advisory.wait(2, 0.05)
            assert [pid for _, _, pid, _, _ in advisory.listing()] == [1]

    run(test())


def test_who_dies_between_his_commit_and_its_lock_s_release_is_committed_and_holds_it_until_his_lease_is_over() -> (
    None
):
    async def test() -> None:
        async with Servers(synchronous=True) as servers:
            for text in (
                "create table t (id int primary key)",
                "begin",
                "select pg_advisory_xact_lock(7)",
                "insert into t values (1)",
            ):
                await servers.run("a", text)
            env = servers.servers["a"].env
            assert isinstance(env, SharedEnvironment)
            letting_go = asyncio.Event()

            def never(pid: int, wanted: object) -> asyncio.Future[bool]:
                letting_go.set()
                return asyncio.get_running_loop().create_future()

            env.session_locks.keep = never  # type: ignore[method-assign]
            commit = asyncio.ensure_future(servers.run("a", "commit"))
            await asyncio.wait_for(letting_go.wait(), HANG_S)
            assert await servers.run("b", "select id from t") == "1\nSELECT 1"
            assert await servers.run("b", "select pg_try_advisory_lock(7)") == "f\nSELECT 1"
            commit.cancel()
            await servers.run("", "kill a")
            await servers.run("", "pass 40")
            assert await servers.run("b", "select pg_try_advisory_lock(7)") == "t\nSELECT 1"

    run(test())
