"""A watch hears of another process's append, and says exactly whether there is one where that is cheap."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from storage.abc import Busy, Consensus
from storage.consensus import MemoryConsensus, SqliteConsensus
from storage.consensus.postgres import PostgresConsensus
from storage.consensus.watch import open_watch
from tests.postgres import NoPostgres, running_postgres

KINDS = ("memory", "sqlite", "postgresql")
HEARD_LIMIT_S = 60.0


@contextlib.asynccontextmanager
async def two_processes(kind: str, folder: Path) -> AsyncIterator[tuple[Consensus, Consensus]]:
    """The consensus as one process sees it, and as another does."""
    with contextlib.ExitStack() as stack:
        if kind == "memory":
            memory = MemoryConsensus()
            yield memory, memory
            return
        one: Consensus
        other: Consensus
        if kind == "sqlite":
            one, other = SqliteConsensus(folder / "log"), SqliteConsensus(folder / "log")
        else:
            try:
                url = stack.enter_context(running_postgres())
            except NoPostgres as reason:
                pytest.skip(str(reason))
            one, other = await PostgresConsensus.open(url), await PostgresConsensus.open(url)
        try:
            yield one, other
        finally:
            await one.close()
            await other.close()


@pytest.mark.parametrize("kind", KINDS)
def test_an_append_of_another_is_heard(kind: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with two_processes(kind, tmp_path) as (one, other):
            watch, echo = await open_watch(one, "s"), await open_watch(other, "s")
            try:
                assert not watch.moved_now(0)
                assert await one.compare_and_append("s", 0, b"own", b"t1") == 1
                assert not watch.moved_now(1)
                heard = asyncio.ensure_future(_until_moved(watch.wait, one))
                assert await other.compare_and_append("s", 1, b"theirs", b"t2") == 2
                await asyncio.wait_for(heard, HEARD_LIMIT_S)
                assert watch.moved_now(1) in (True, None)
                assert watch.moved_now(2) in (False, None)
                assert await other.compare_and_append("other", 0, b"another log", b"t3") == 1
                assert watch.moved_now(2) in (False, None)
                await other.truncate("s", 2)
                assert watch.moved_now(0) in (True, None)
            finally:
                await watch.close()
                await echo.close()

    asyncio.run(test())


async def _until_moved(
    wait: Callable[[Callable[[], int], float], Awaitable[None]], consensus: Consensus
) -> None:
    """What a follower does: waits for a hint (or for the time-out), then looks."""
    while not await consensus.scan("s", 2, 1):
        await wait(lambda: 1, 1.0)


def test_an_append_on_the_loop_does_not_wait_for_another_process(tmp_path: Path) -> None:
    async def test() -> None:
        one, other = SqliteConsensus(tmp_path / "log"), SqliteConsensus(tmp_path / "log")
        one.share()
        assert one.append_now("s", 0, b"1", b"t1") == 1
        other._db.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy):
            one.append_now("s", 1, b"2", b"t2")
        appended = asyncio.ensure_future(one.compare_and_append("s", 1, b"2", b"t2"))  # tries until it may
        await asyncio.sleep(0)
        other._db.execute("COMMIT")
        assert await appended == 2
        await one.close()
        await other.close()

    asyncio.run(test())
