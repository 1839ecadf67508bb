"""An event loop whose time is a number: deterministic, and as fast as the work in it.

Nothing waits. When no callback is ready, time jumps to the next timer; when there is no timer either,
everybody waits for somebody and the run is over (`Deadlock`). With all randomness drawn from one
seed, a run is a function of that seed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Deadlock(AssertionError):
    """No callback is ready and no timer is set: the simulated program hangs."""


class _Selector:
    """Stands where the loop asks the operating system for events: waiting is adding."""

    def __init__(self, loop: SimLoop) -> None:
        self.loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        self.loop.turns += 1
        if self.loop.turns > self.loop.turns_max:
            raise Deadlock(f"still running after {self.loop.turns_max} turns of the loop")
        if timeout is None:
            raise Deadlock(f"everybody waits for somebody at {self.loop.now:.6f} s")
        if timeout > 0:
            self.loop.now += timeout
            if self.loop.now > self.loop.limit_s:
                raise Deadlock(f"still running after {self.loop.limit_s} simulated seconds")
        return []


class SimLoop(asyncio.BaseEventLoop):
    """See the module. `limit_s` bounds simulated time, `turns_max` the work in it."""

    def __init__(self, limit_s: float, turns_max: int) -> None:
        super().__init__()
        self.now = 0.0
        self.limit_s = limit_s
        self.turns_max = turns_max
        self.turns = 0
        self.work_s: Callable[[], float] = float
        """How long what goes to a thread takes: drawn from the seed by worlds in which something does."""
        self._selector = _Selector(self)
        self.reports: list[dict[str, Any]] = []
        self.set_exception_handler(lambda loop, context: self.reports.append(context))

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """No threads: the work is done whole, in some later turn, when `work_s` has passed."""
        future: asyncio.Future[T] = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                result = func(*args)
            except Exception as error:  # noqa: BLE001 - it is whoever waits for it that it concerns
                future.set_exception(error)
            else:
                future.set_result(result)

        self.call_later(self.work_s(), work)
        return future

    def _process_events(self, event_list: list[Any]) -> None:
        assert not event_list

    def _write_to_self(self) -> None:
        pass


def simulate(main: Coroutine[Any, Any, T], limit_s: float = 100_000.0, turns_max: int = 40_000) -> T:
    """Runs `main` to its end; whatever else still runs then is cancelled, as if the power went."""
    loop = SimLoop(limit_s, turns_max)
    try:
        return loop.run_until_complete(main)
    finally:
        loop.turns = 0
        while tasks := asyncio.all_tasks(loop):  # what ends may begin something new
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()
