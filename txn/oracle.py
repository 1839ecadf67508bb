"""The timestamp oracle: one global, logical clock.

Every read and every write happens at a timestamp, and timestamps never go backwards in real time.
That is all of strict serializability: order by timestamp is a serial order, and it agrees with what
anybody outside can observe.

                 write_ts()=101          apply_write(101)
    ------------------|------------------------|--------------> real time
      read_ts() = 100       read_ts() = 100        read_ts() = 101

* `read_ts` is at or after every write that was applied (so acknowledged) before it was asked for,
  and before every timestamp that `write_ts` gives later: so what is being made durable at 101 is
  not seen at 100, and nothing can slip in below a snapshot once taken.
* `write_ts` is after everything handed out before, reads and writes.
* After a restart all of that still holds against what was handed out before the crash.

The value is `max(last + 1, clock)`: it follows the wall clock where it can, counts on where the
clock stands still or jumps back, and follows at once where it jumps ahead. Microseconds leave room
for a million groups a second, so nobody ever waits for the clock.

**Reservation.** Asking consensus for each timestamp would cost a round trip. Like Percolator's oracle, the
`LeasedOracle` reserves a window ahead durably and hands out from memory; a restart begins above
the window. Two facts make the window free here. A write timestamp becomes visible only by the
append that carries it, so the same append can carry the next reservation; and a read timestamp is
always that of an applied, hence durable, write (or lies inside the window, after `observe`). So
no call ever blocks on an extension: `due` says which bound the next append should record.
"""

from __future__ import annotations

from time import time_ns

from storage.abc import Clock, Timestamp

WINDOW_US = 1_000_000
"""How far ahead a reservation reaches. Short, because a crash makes time jump to its end."""


class LeasedOracle:
    """The oracle of an environment with one leader: in memory, with a durable window.

    `start` is the first timestamp that was surely never handed out (recovered from the log).
    `reserved` is the exclusive bound that the log holds. All calls are a few attribute accesses.
    """

    __slots__ = ("_applied", "_clock", "_last", "reserved", "window_us")

    def __init__(self, clock: Clock, start: Timestamp, *, window_us: int = WINDOW_US) -> None:
        if start < 1:
            raise ValueError(f"timestamps start at 1, not {start}")
        self._clock = clock
        self._last: Timestamp = start - 1
        self._applied: Timestamp = start - 1
        self.reserved: Timestamp = start
        self.window_us = window_us

    def read_ts(self) -> Timestamp:
        """>= every write applied so far, < every later write_ts."""
        return self._applied

    def write_ts(self) -> Timestamp:
        """> every timestamp handed out so far. Whoever appends at it records `due(ts)` as well."""
        now = self._clock.now_us()
        last = self._last
        ts = now if now > last else last + 1
        self._last = ts
        return ts

    def apply_write(self, ts: Timestamp) -> None:
        """The write at `ts` is durable and visible: later reads are at or after it."""
        if ts > self._applied:
            self._applied = ts
            if ts > self._last:  # learnt from another process
                self._last = ts

    def observe(self, ts: Timestamp) -> None:
        """Makes `ts` readable: no later write is at or below it (a read AS OF the present).

        Only for `ts` inside the durable window, or else a crash could hand it out again: raises
        ValueError beyond it. The caller makes sure that no write below `ts` is under way.
        """
        if ts >= self.reserved:
            raise ValueError(f"timestamp {ts} is beyond the reserved window, which ends at {self.reserved}")
        self.apply_write(ts)

    def due(self, ts: Timestamp) -> Timestamp | None:
        """The reservation that the append at `ts` should carry, None while half a window is left."""
        if ts + self.window_us // 2 < self.reserved:
            return None
        return ts + self.window_us

    def extended(self, bound: Timestamp) -> None:
        """A reservation up to `bound` (exclusive) has become durable."""
        if bound > self.reserved:
            self.reserved = bound

    @property
    def last(self) -> Timestamp:
        """The largest timestamp handed out or learnt of."""
        return self._last


class SystemClock:
    """The machine's own clock."""

    __slots__ = ()

    def now_us(self) -> int:
        return time_ns() // 1000
