"""Ways to rows that may lead too far: how long they may be, and when they are not begun.

    led too far     led too far        led to an end
    1               3                  0                  executions in a row begin none: 2**n - 1, a few hundred at most

How far a way leads is known at its end only, which is then DuckDB's. What a plan's executions ask for is mostly alike, so where one led
too far the next do not begin one: twice as many each time, until one leads to an end again.
"""

from __future__ import annotations

from typing import Final

STEPS_MAX: Final = 2_000
"""Rows that are looked at (a microsecond or two each) sooner than DuckDB has looked at all."""
_SKIPPED_MAX: Final = 256
_TIMES_MAX: Final = 16


class InVain:
    """What a plan remembers of one of its ways."""

    __slots__ = ("_times", "left")

    def __init__(self) -> None:
        self._times = 0
        """How often it led too far, one time after the other."""
        self.left = 0
        """How many executions do not begin it."""

    def led_too_far(self) -> None:
        self._times = min(self._times + 1, _TIMES_MAX)
        self.left = min(2**self._times, _SKIPPED_MAX) - 1

    def led_to_an_end(self) -> None:
        self._times = 0

    def forget(self) -> None:
        """As if it had never led too far: where several are under way, those that are left out by now are begun again as well."""
        self._times = self.left = 0

    def is_skipped(self) -> bool:
        """Whether this execution does not begin it."""
        if not self.left:
            return False
        self.left -= 1
        return True


__all__ = ["STEPS_MAX", "InVain"]
