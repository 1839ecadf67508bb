"""The oracle of an environment of several servers: the log's own end.

    server A   append at 101 ........... acknowledged
    server B                                read: looks at the end of the log, finds 101, applies it, reads as of 101
    server C                                              append: its place in the log comes after 101, so does its time

`LeasedOracle` keeps the time in one process's memory and must reserve what it hands out. Here nothing is reserved,
because nothing is handed out that the log does not know already:

* **Reads** are as of the last entry. To look where the log ends is a linearizable read of consensus, so a read that
  begins after a commit was acknowledged, by whichever server, finds that commit's entry: it is at or after it.
* **Writes** are at `max(upper, clock)`, and the compare-and-append puts them in the log only if their server has read
  everything before. So a write is above every commit, and thus above every timestamp that a read was given anywhere.

One look serves everybody who waits for one (`txn.shared.frontier`), so its cost is by the group, not by the statement.
A server's clock that is ahead pulls the environment's time with it; the others count on from there.
"""

from __future__ import annotations

from storage.abc import TIMESTAMP_MAX, Clock, Timestamp
from txn.oracle import LeasedOracle


class SharedOracle(LeasedOracle):
    """`read_ts` is the last entry that this server has applied; `Frontier` says whether that is the log's last one."""

    __slots__ = ()

    def __init__(self, clock: Clock, upper: Timestamp) -> None:
        super().__init__(clock, upper)
        self.reserved = TIMESTAMP_MAX  # no window: the log itself decides

    def due(self, ts: Timestamp) -> Timestamp | None:
        return None

    def observe(self, ts: Timestamp) -> None:
        """Only an entry in the log makes a timestamp readable for all servers. Raises ValueError beyond it."""
        if ts > self.read_ts():
            raise ValueError(f"timestamp {ts} is beyond the log's last entry at {self.read_ts()}")
