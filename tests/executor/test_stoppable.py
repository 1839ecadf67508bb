"""Functions whose threads are told to end: they do, and nobody else does."""

from __future__ import annotations

import threading
import time

from planner.binding.prelude.stoppable import Stopped, stop, stoppable


class _Thread:
    """A thread that calls a function, and what came of it."""

    def __init__(self, function: object) -> None:
        self.outcome: object = None
        self.begun = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(function,))
        self._thread.start()

    def _run(self, function: object) -> None:
        try:
            self.outcome = function(self)  # type: ignore[operator]
        except BaseException as error:  # noqa: BLE001 - what a test looks at
            self.outcome = error

    @property
    def ident(self) -> int:
        assert self._thread.ident is not None
        return self._thread.ident

    def ended(self) -> object:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.outcome


def _forever(thread: _Thread) -> None:
    thread.begun.set()
    while True:
        try:
            sum(range(100))
        except Exception:  # noqa: BLE001 - a function that handles everything
            continue


def test_a_function_that_does_not_end() -> None:
    thread = _Thread(stoppable(_forever))
    thread.begun.wait(30)
    stop(thread.ident)
    assert isinstance(thread.ended(), Stopped)


def test_who_is_in_no_such_function_is_left_alone() -> None:
    leave = threading.Event()

    def waits(thread: _Thread) -> str:
        answer = stoppable(lambda: "answered")()
        thread.begun.set()
        while not leave.is_set():
            time.sleep(0.001)
        return str(answer)

    thread = _Thread(waits)
    thread.begun.wait(30)
    stop(thread.ident)
    leave.set()
    assert thread.ended() == "answered"


def test_what_is_sent_at_the_last_moment_is_nobody_elses() -> None:
    """Threads that go in and out of such functions, and are stopped all the time: outside of them nothing is ever raised."""

    def goes_in_and_out(thread: _Thread) -> str:
        call = stoppable(lambda: sum(range(20)))
        end = time.monotonic() + 1.0
        thread.begun.set()
        while time.monotonic() < end:
            try:
                call()
            except Stopped:
                stopped.append(1)
        return "outside"

    stopped: list[int] = []
    threads = [_Thread(goes_in_and_out) for _ in range(3)]
    while any(thread.outcome is None for thread in threads):
        for thread in threads:
            thread.begun.wait(30)
            stop(thread.ident)
    assert [thread.ended() for thread in threads] == ["outside"] * 3
    assert stopped
