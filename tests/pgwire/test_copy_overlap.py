"""Large pieces of a COPY are decoded while the executor takes the one before; errors come as if they were not."""

from __future__ import annotations

import asyncio
from typing import Any

import pyarrow as pa
import pytest

from executor.abc import CopyIn, CopyOptions, Rows
from pgwire import copying
from pgwire.encoding import copy_decoder
from planner.abc import ResultColumn, SqlError
from planner.types import INT4, TypeRef, TypeSettings

LARGE = copying.THREAD_BYTES_MIN
LIMIT_S = 20


class Pieces:
    """A client that sends these, and then says that it is done; or waits for an answer."""

    def __init__(self, *pieces: bytes, ends: bool = True) -> None:
        self._pieces = list(pieces)
        self._ends = ends
        self._failed: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def take(self) -> bytes:
        if self._pieces:
            return self._pieces.pop(0)
        return b"" if self._ends else await self._failed

    def fail(self, error: Exception) -> None:
        if not self._failed.done():
            self._failed.set_exception(error)
            self._failed.exception()


class Executor:
    """Takes rows; `on_write` says how, by the number of the batch."""

    def __init__(self, on_write: Any) -> None:
        self.taken: list[int] = []
        self.aborted = False
        self._on_write = on_write
        self.copy = CopyIn(
            (ResultColumn("a", TypeRef(INT4)),), CopyOptions(), self._write, self._finish, self._abort, "t"
        )

    async def _write(self, batch: pa.RecordBatch) -> None:
        assert not self.aborted
        await self._on_write(len(self.taken))
        self.taken.append(batch.num_rows)

    async def _finish(self) -> Rows:
        return Rows(f"COPY {sum(self.taken)}")

    def _abort(self) -> None:
        self.aborted = True


def numbers(said: bytes = b"1") -> bytes:
    return said + b"\n" + b"1\n" * (4 * LARGE)


def run(executor: Executor, feed: Any) -> str:
    async def received() -> str:
        return await asyncio.wait_for(copying.receive_copy(executor.copy, feed(), TypeSettings()), LIMIT_S)

    return asyncio.run(received())


def test_a_piece_is_decoded_while_the_one_before_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither would go on without the other."""
    fed: list[bytes] = []
    original = copy_decoder

    def decoder(*args: Any) -> Any:
        made = original(*args)
        feed = made.feed
        made.feed = lambda data: fed.append(data) or feed(data)  # type: ignore[func-returns-value,method-assign]
        return made

    async def when_the_second_is_decoded(_number: int) -> None:
        while len(fed) < 2:
            await asyncio.sleep(0)

    monkeypatch.setattr("pgwire.copying.copy_decoder", decoder)
    executor = Executor(when_the_second_is_decoded)
    assert run(executor, lambda: Pieces(numbers(), numbers())) == f"COPY {2 * (4 * LARGE + 1)}"


async def refuse(_number: int) -> None:
    await asyncio.sleep(0)
    raise SqlError("23514", "not that row")


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("second", [b"1", b"x"])
def test_what_the_executor_refuses_comes_before_what_cannot_be_read_behind_it(
    second: bytes, ends: bool
) -> None:
    executor = Executor(refuse)
    with pytest.raises(SqlError, match="not that row"):
        run(executor, lambda: Pieces(numbers(), numbers(second), ends=ends))
    assert executor.aborted


def test_a_client_that_waits_is_told() -> None:
    executor = Executor(refuse)
    with pytest.raises(SqlError, match="not that row"):
        run(executor, lambda: Pieces(numbers(), ends=False))
    assert executor.aborted


def test_what_came_before_an_unreadable_piece_was_taken_and_nothing_is_after_it() -> None:
    async def late(_number: int) -> None:
        for _ in range(100):
            await asyncio.sleep(0)

    executor = Executor(late)
    with pytest.raises(SqlError, match="invalid input syntax"):
        run(executor, lambda: Pieces(numbers(), numbers(b"x")))
    assert executor.aborted
    assert sum(executor.taken) == 4 * LARGE + 1


@pytest.mark.parametrize("pieces", [(), (b"1\n2",), (numbers(), b"1\n2\n3")], ids=["none", "few", "many"])
def test_who_cancels_is_told_how_many_lines_have_come(pieces: tuple[bytes, ...]) -> None:
    """Those that have been read are counted as rows, the others as line ends."""

    class Cancelled(Pieces):
        async def take(self) -> bytes:
            if not self._pieces:
                raise SqlError("57014", "canceling statement due to user request")
            return await super().take()

    async def at_once(_number: int) -> None:
        pass

    executor = Executor(at_once)
    with pytest.raises(SqlError) as refused:
        run(executor, lambda: Cancelled(*pieces))
    assert refused.value.context == f"COPY t, line {b''.join(pieces).count(10) + 1}"
