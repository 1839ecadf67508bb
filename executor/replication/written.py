"""How much was written since a time: what a replication slot keeps, for bytes are what runs out.

    time     noted at   12:00    12:03    12:09         now
    written             0 GiB    0.1      0.2           0.3        a slot at 12:05 keeps 0.3 - 0.1, at the most
                        ^ the server's start

Nobody counts for it: the log knows how much has passed through (`TxnsState.written_bytes`). It is noted a few times a second and whenever
somebody says how far it has come, so the answer is too large by a step, or by what was written between two notes. What was written before the
server started is not in it.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from storage.abc import Timestamp

STEPS: Final = 64
"""Of the bound that is asked about: a note is made when so much of it has been written."""


class Written:
    """Notes of how much had been written when, as far back as somebody asks."""

    def __init__(self, step_bytes: int) -> None:
        self._step_bytes = max(1, step_bytes)
        self._times: list[Timestamp] = []
        self._bytes: list[int] = []

    def note(self, now: Timestamp, written_bytes: int, oldest: Timestamp) -> None:
        """So much has been written by now. `oldest`: nobody will ask about a time before it."""
        if not self._bytes or written_bytes - self._bytes[-1] >= self._step_bytes:
            self._times.append(now)
            self._bytes.append(written_bytes)
        gone = bisect_right(self._times, oldest) - 1
        if gone > 0:
            del self._times[:gone], self._bytes[:gone]

    def since(self, ts: Timestamp, written_bytes: int) -> int:
        """How much of it came after a time."""
        if not self._bytes:
            return 0
        return written_bytes - self._bytes[max(0, bisect_right(self._times, ts) - 1)]


__all__ = ["STEPS", "Written"]
