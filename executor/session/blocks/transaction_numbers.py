"""Numbers of transactions (`pg_current_xact_id`), and snapshots that tell which of them are over.

    told 100            told 120                 told 150
     |--------------------|--- commit @ 7 ---------|------------->
                                   a statement that reads at 6: 100:151:100,120,150
                                   one that reads at 8:         100:151:100,150

Storage knows transactions by the timestamps of their commits, which nobody knows before. Who asks for a number gets one that is
greater than all before it; rows keep it (an outbox: `WHERE sent_by < pg_snapshot_xmin(pg_current_snapshot())`). Only
transactions that have told their number can be found in a row, so nobody else is asked to say how it ended, and a
transaction without a number costs nothing. A snapshot is that of its statement: what was committed after the statement's
timestamp is in progress for it. How transactions ended is kept of the last hundred thousand; of older ones nothing is said.

PostgreSQL's manual, 9.27.5 (Transaction ID and Snapshot Information Functions).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from executor.abc import ExecutionError
from storage.abc import Timestamp

ENDED_MAX: Final = 100_000
"""So many transactions are known by their end."""
_FIRST_NORMAL: Final = 3
_PID_BITS: Final = 10
_EPOCH: Final = (1 << 32) - 1


class TransactionNumbers:
    """Of all sessions of one server. `now_us`: the clock that numbers grow with, over restarts too."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._last = 0
        self._open: set[int] = set()
        self._ended: dict[int, Timestamp | None] = {}
        """How, in the order of their ends: the commit's timestamp, or None if nothing is left of it."""
        self._last_ts: Timestamp = 0
        self._forgotten_ts: Timestamp = 0
        """Commits up to this may have been forgotten."""

    def _next(self, pid: int) -> int:
        """A new number, greater than all that this server has told."""
        number = self._now_us() << _PID_BITS | (pid & ((1 << _PID_BITS) - 1))
        if number <= self._last:
            number = self._last + 1
        if not number & _EPOCH:
            number += 1
        self._last = number
        return number

    def begin(self, pid: int) -> int:
        """The number of a transaction that is under way. Whoever gets it calls `end`."""
        number = self._next(pid)
        self._open.add(number)
        return number

    def end(self, number: int, commit_ts: Timestamp | None) -> None:
        """The transaction is over: committed then (0: it had written nothing), or rolled back (None)."""
        self._open.discard(number)
        if commit_ts is not None:
            commit_ts = self._last_ts = max(self._last_ts, commit_ts)  # in order, for `snapshot`
        self._ended[number] = commit_ts
        if len(self._ended) > ENDED_MAX:
            forgotten = self._ended.pop(next(iter(self._ended)))
            self._forgotten_ts = max(self._forgotten_ts, forgotten or 0)

    def lose(self, number: int) -> None:
        """Nobody knows how it ended: the answer of its COMMIT said so."""
        self._open.discard(number)

    def snapshot(self, ts: Timestamp) -> str:
        """The snapshot of a statement that reads at `ts`, as a `pg_snapshot` is kept. Raises 72000 (snapshot too old)."""
        if ts < self._forgotten_ts:
            raise ExecutionError("72000", "snapshot too old")
        running = set(self._open)
        for number, commit_ts in reversed(self._ended.items()):
            if commit_ts is not None:
                if commit_ts <= ts:
                    break  # so are those that ended before it
                running.add(number)
        high = self._last + 1
        high += not high & _EPOCH
        return f"{min(running, default=high)}:{high}:{','.join(map(str, sorted(running)))}"

    def status(self, number: int) -> str | None:
        """`pg_xact_status`: committed, aborted, in progress; None where nobody remembers. Raises 22023 for the future."""
        if 0 < number < _FIRST_NORMAL:
            return "committed"
        if number in self._open:
            return "in progress"
        if number > (
            self._last or self._now_us() << _PID_BITS
        ):  # the clock: none has been told since the start
            raise ExecutionError("22023", f"transaction ID {number} is in the future")
        if number not in self._ended:
            return None
        return "aborted" if self._ended[number] is None else "committed"


__all__ = ["ENDED_MAX", "TransactionNumbers"]
