"""Appends beside the event loop: the same contract as on it, whatever becomes of the process that makes them."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from storage.abc import Determinate, Indeterminate, LogEntry, SeqnoMismatch, StorageError
from storage.consensus import LogFileConsensus, SqliteConsensus
from storage.consensus.append_process import DATA_MAX_BYTES, STARTS_MAX, AppendProcess
from tests.txn.clocks import SCHEMA
from txn import Environment
from txn.abc import Isolation
from txn.limits import Limits

DEADLINE_S = 240

FileConsensus = LogFileConsensus | SqliteConsensus


@pytest.fixture(params=["log", "sqlite"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Named for the kind of consensus that is to be in it."""
    return tmp_path / f"consensus.{request.param}"


def opened(file: Path) -> FileConsensus:
    return LogFileConsensus(file) if file.suffix == ".log" else SqliteConsensus(file)


@contextlib.contextmanager
def another_writes(consensus: FileConsensus) -> Iterator[None]:
    """As if another process were in the middle of an append."""
    if isinstance(consensus, SqliteConsensus):
        consensus._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            consensus._db.execute("COMMIT")
        return
    with open(f"{consensus.path}.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():
            await asyncio.sleep(0.005)


async def ready(process: AppendProcess) -> None:
    await until(lambda: process.takes(1))


async def append(
    process: AppendProcess, expected: int, data: bytes, token: bytes, shard: str = "s"
) -> int | StorageError:
    answer: asyncio.Future[int | StorageError] = asyncio.get_running_loop().create_future()
    process.append(shard, expected, data, token, answer.set_result)
    async with asyncio.timeout(DEADLINE_S):
        return await answer


def run(file: Path, body: Callable[[FileConsensus, AppendProcess], Awaitable[None]]) -> None:
    async def main() -> None:
        consensus = opened(file)
        try:
            await ready(consensus.beside)
            await body(consensus, consensus.beside)
        finally:
            await consensus.close()

    asyncio.run(main())


def test_it_appends_where_it_is_expected_and_nowhere_else(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        assert await append(process, 0, b"one", b"a") == 1
        assert await append(process, 1, b"two", b"b") == 2
        assert await append(process, 1, b"two", b"b") == 2, "the same token: the answer was lost"
        other = await append(process, 1, b"not two", b"c")
        assert isinstance(other, SeqnoMismatch) and (other.expected, other.current) == (1, 2)
        gap = await append(process, 7, b"eight", b"d")
        assert isinstance(gap, SeqnoMismatch) and gap.current == 2
        # The loop and the process append in turns, to one log.
        assert consensus.append_now("s", 2, b"three", b"e") == 3
        assert await append(process, 3, b"four", b"f") == 4
        assert await consensus.compare_and_append("s", 4, b"five", b"g") == 5
        assert await consensus.scan("s", 1) == [
            LogEntry(i + 1, data) for i, data in enumerate([b"one", b"two", b"three", b"four", b"five"])
        ]

    run(file, body)


@pytest.mark.parametrize("size_bytes", [0, 1, 4096, DATA_MAX_BYTES])
def test_bytes_arrive_as_they_were(file: Path, size_bytes: int) -> None:
    data = bytes(i % 251 for i in range(size_bytes))

    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        assert await append(process, 0, data, b"\0token\xff", "a shard of näme") == 1
        assert await consensus.scan("a shard of näme", 1) == [LogEntry(1, data)]

    run(file, body)


def test_it_does_not_take_what_might_keep_the_sender_waiting(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        assert not process.takes(DATA_MAX_BYTES + 1)
        answers: list[int | StorageError] = []
        process.append("s", 0, b"x", b"a", answers.append)
        assert not process.takes(1), "one request at a time"
        await until(lambda: bool(answers))
        assert answers == [1] and process.takes(1)

    run(file, body)


def test_a_writer_in_the_same_file_makes_it_wait_and_not_fail(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        answers: list[int | StorageError] = []
        with another_writes(consensus):
            process.append("s", 0, b"x", b"a", answers.append)
            await asyncio.sleep(0.05)
            assert answers == []
        await until(lambda: bool(answers))
        assert answers == [1]

    run(file, body)


def test_when_it_dies_the_outcome_is_unknown_and_the_token_finds_it(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        assert await append(process, 0, b"one", b"a") == 1
        for n in range(1, STARTS_MAX):
            assert process._process is not None
            answers: list[int | StorageError] = []
            with another_writes(consensus):  # so that it is surely in the middle of it
                process.append("s", n, b"next", b"t%d" % n, answers.append)
                os.kill(process._process.pid, signal.SIGKILL)
                await until(lambda: bool(answers))  # noqa: B023 - awaited in this turn
            assert isinstance(answers[0], Indeterminate)
            # Asked again by another way, with the same token.
            assert await consensus.compare_and_append("s", n, b"next", b"t%d" % n) == n + 1
            if n < STARTS_MAX - 1:
                await ready(process)
        await ready(process)
        assert process._process is not None
        process._process.kill()
        await until(lambda: process._socket is None)
        assert not process.takes(1), "it has been started often enough"

    run(file, body)


def test_signals_that_stop_the_server_do_not_stop_it(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        assert process._process is not None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process._process.send_signal(number)
        assert await append(process, 0, b"x", b"a") == 1

    run(file, body)


def test_it_ends_with_its_consensus(file: Path) -> None:
    async def main() -> None:
        consensus = opened(file)
        await ready(consensus.beside)
        child = consensus.beside._process
        assert child is not None
        await consensus.close()
        assert child.poll() == 0
        assert not consensus.beside.takes(1)

    asyncio.run(main())


def test_a_program_that_cannot_be_started_is_no_loss(file: Path) -> None:
    async def main() -> None:
        kind = "logfile" if file.suffix == ".log" else "sqlite"
        process = AppendProcess(kind, str(file.parent / "no such folder" / file.name))
        process.takes(1)
        await until(
            lambda: process.starts == STARTS_MAX or (process._socket is None and not process.takes(1))
        )
        assert not process._is_ready
        process.close()

    asyncio.run(main())


# --- group commit ----------------------------------------------------------------------------------


@pytest.fixture
def urls(file: Path) -> dict[str, str]:
    (file.parent / "blob").mkdir()
    return {"blob": f"file://{file.parent}/blob", "consensus": f"{file.suffix[1:]}:///{file}"}


AT_ONCE = Limits(beside_append_limit_s=0.0)
"""Beside the loop however fast the disk is."""


async def put(env: Environment, key: int) -> int:
    transaction = env.begin()
    transaction.insert("t", key, env.rids.next(), (key, "x"))
    return await transaction.commit()


def test_commits_go_beside_the_loop_while_others_are_in_transactions(urls: dict[str, str]) -> None:
    async def main() -> None:
        env = await Environment.open(**urls, limits=AT_ONCE)
        await env.register({"t": SCHEMA})
        process = env.committer.beside
        assert process is not None
        await put(env, 1)
        assert process.starts == 0, "nobody else had use for the loop"
        other = env.begin(Isolation.STRICT_SERIALIZABLE)
        await put(env, 2)
        await ready(process)

        waiting = env.begin()
        waiting.insert("t", 3, env.rids.next(), (3, "x"))
        answers: list[int | Exception] = []
        waiting.submit(answers.append)
        await until(lambda: env.committer.in_flight_ts != 0 or bool(answers))
        in_flight_ts = env.committer.in_flight_ts
        assert answers or env.oracle.read_ts() < in_flight_ts, "nobody sees what is not durable"
        await until(lambda: bool(answers))
        assert isinstance(answers[0], int) and answers[0] <= env.oracle.read_ts(), answers

        # The process dies; what becomes of the commit is found out before anybody hears of it.
        assert process._process is not None
        waiting = env.begin()
        waiting.insert("t", 4, env.rids.next(), (4, "x"))
        answers = []
        waiting.submit(answers.append)
        os.kill(process._process.pid, signal.SIGKILL)
        await until(lambda: bool(answers))
        assert isinstance(answers[0], int)
        assert await put(env, 5) > answers[0]
        other.rollback()
        commits = env.txns.state.commits
        await env.close()

        again = await Environment.open(**urls)
        assert again.txns.state.commits >= commits
        await put(again, 6)
        await again.close()

    asyncio.run(main())


def test_how_fast_the_disk_is_does_not_depend_on_when_the_loop_hears_of_it(urls: dict[str, str]) -> None:
    """Otherwise a loop with much to do would take every disk for slow, and go on to."""

    async def main() -> None:
        env = await Environment.open(**urls, limits=AT_ONCE)
        await env.register({"t": SCHEMA})
        other, committer = env.begin(), env.committer
        assert committer.beside is not None
        await put(env, 1)
        await ready(committer.beside)
        before_s = committer.append_s
        await put(env, 2)
        assert committer.beside.took_s > 0
        assert committer.append_s == before_s + (committer.beside.took_s - before_s) * 0.05
        other.rollback()
        await env.close()

    asyncio.run(main())


def test_fast_appends_stay_on_the_loop(urls: dict[str, str]) -> None:
    """Waiting for them is cheaper than handing them over."""

    async def main() -> None:
        env = await Environment.open(
            **urls, limits=Limits(beside_append_limit_s=60.0, loop_append_limit_s=60.0)
        )
        await env.register({"t": SCHEMA})
        other = env.begin()
        for key in range(5):
            await put(env, key)
        assert env.committer.beside is not None and env.committer.beside.starts == 0
        other.rollback()
        await env.close()

    asyncio.run(main())


def test_a_lost_leadership_is_noticed_beside_the_loop_too(urls: dict[str, str]) -> None:
    async def main() -> None:
        from txn.abc import Fenced

        env = await Environment.open(**urls, limits=AT_ONCE)
        await env.register({"t": SCHEMA})
        other = env.begin()
        await put(env, 1)
        assert env.committer.beside is not None
        await ready(env.committer.beside)
        newer = await Environment.open(**urls)
        with pytest.raises(Fenced):
            await put(env, 2)
        assert isinstance(env.closed_by, Fenced)
        other.rollback()
        await put(newer, 3)
        await newer.close()
        env.abandon()
        await env.consensus.close()

    asyncio.run(main())


def test_errors_keep_their_kind(file: Path) -> None:
    async def body(consensus: FileConsensus, process: AppendProcess) -> None:
        beyond = await append(process, (1 << 41) - 1, b"x", b"a")
        assert isinstance(beyond, Determinate)

    run(file, body)
