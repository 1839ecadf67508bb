"""Advisory locks of several servers, where a golden script cannot look: what holds at the very moment of an answer."""

from __future__ import annotations

import pytest

from executor.abc import ExecutionError
from executor.session.shared_advisory import SharedAdvisoryLocks
from tests.txn.test_shared import run, world
from txn.abc import LockNotAvailable

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
