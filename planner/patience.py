"""How long a statement may be planned: the event loop hears nobody meanwhile, no cancel request and no SIGTERM.

Statements are planned where sessions live, and take milliseconds; the few that would take minutes (a thousand joins, expressions of
megabytes) must not hold everybody up. So while one is planned a timer of the operating system runs, whose signal Python
handles between two steps of whatever it does: it raises there, when planning has used up its share of the processor or the
statement its time.

    with patience.planning(timeout_ms):        setitimer                               setitimer(0)
        parse, bind, write                     |-------- SIGALRM: raised from here -------->|

What is shared is written when a plan is finished, so nothing is left half done. Only the main thread handles signals; in another
one, and until `begun`, nothing is limited.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from planner.abc import PlanError

PLANNING_S_MAX: Final = 10.0
"""Seconds of the processor that planning one statement may take."""
_AGAIN_S: Final = 0.1
"""After which the signal comes again, where it could not be heeded (in a destructor), or the processor was others'."""


class _Over(BaseException):
    """No more patience. Not an Exception, for planning tries some ways and takes errors for dead ends."""


class Patience:
    """One per server, as the planner is."""

    def __init__(self, limit_s: float = PLANNING_S_MAX) -> None:
        self.limit_s = limit_s
        self.timeout_ms = 0
        """The `statement_timeout` of the session whose statement is planned; 0: none."""
        self._begun = False
        self._cpu_until = self._until = 0.0

    def begun(self) -> None:
        """Begins to limit what the main thread plans, when it is called there."""
        if threading.current_thread() is not threading.main_thread():
            return
        signal.signal(signal.SIGALRM, self._looked)
        signal.siginterrupt(signal.SIGALRM, False)
        self._begun = True

    @contextmanager
    def planning(self) -> Iterator[None]:
        """Around the planning of a statement. Raises PlanError 54001 or 57014."""
        if not self._begun or self._cpu_until or threading.current_thread() is not threading.main_thread():
            yield
            return
        timeout_s = self.timeout_ms / 1000
        first = min(self.limit_s, timeout_s or self.limit_s)
        self._until = time.monotonic() + timeout_s if timeout_s else 0.0
        self._cpu_until = time.thread_time() + self.limit_s
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, first, _AGAIN_S)
                yield
            finally:
                self._cpu_until = 0.0
                signal.setitimer(signal.ITIMER_REAL, 0)
        except _Over:
            if self._until and time.monotonic() >= self._until:
                raise PlanError("57014", "canceling statement due to statement timeout") from None
            raise PlanError(
                "54001",
                "statement too complex",
                detail=f"Planning it takes more than {self.limit_s:g} seconds.",
                hint="Divide it into several statements.",
            ) from None

    def _looked(self, _number: int, _frame: FrameType | None) -> None:
        if not self._cpu_until:
            return  # it came too late
        if time.thread_time() >= self._cpu_until or (self._until and time.monotonic() >= self._until):
            raise _Over


__all__ = ["PLANNING_S_MAX", "Patience"]
