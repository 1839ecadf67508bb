"""How far a job is: one line that is rewritten on a terminal, nothing where standard error is a file."""

from __future__ import annotations

import sys
import time
from typing import TextIO

REDRAW_S = 0.2
BAR_WIDTH = 30


class Progress:
    """`step(rows)` as often as one likes; `done()` at the end.

    The bar is filled to `count / total`, or, where the total is not known, to `fraction`; without either there is none.
    """

    def __init__(self, what: str, total: int = 0, stream: TextIO | None = None) -> None:
        self._what, self._total = what, total
        self.fraction: float | None = None
        self._stream = stream if stream is not None else sys.stderr
        self._shown = self._stream.isatty()
        self._began_s = self._drawn_s = time.monotonic()
        self.count = 0

    def step(self, count: int, total: int = 0) -> None:
        self.count += count
        self._total = total or self._total
        now_s = time.monotonic()
        if self._shown and now_s - self._drawn_s >= REDRAW_S:
            self._drawn_s = now_s
            self._draw(now_s)

    def done(self) -> float:
        """Seconds since the beginning; clears the line."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
        return time.monotonic() - self._began_s

    def _draw(self, now_s: float) -> None:
        rate = self.count / max(now_s - self._began_s, 1e-9)
        bar = ""
        fraction = self.count / self._total if self._total else self.fraction
        if fraction is not None:
            filled = int(BAR_WIDTH * min(max(fraction, 0.0), 1.0))
            bar = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] "
        self._stream.write(f"\r\x1b[K{bar}{self.count:,} {self._what}, {rate:,.0f} a second")
        self._stream.flush()
