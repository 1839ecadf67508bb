"""Read holds: nobody takes history away under a reader.

`since` is the time from which reads are right. It follows the present at a distance (the retention
window) and stops before the oldest open snapshot:

    since = min(oldest hold, read_ts, now - retention)        and it never goes back

    ----|------------------------|--------|-------------|-------> time
        now - retention          hold A   hold B        read_ts
        ^ since may come up to here

A clock that was set forward and back is behind the log, whose timestamps go on from where they were, a microsecond a commit:
`now - retention` waits until the clock is there again. Meanwhile what counts is where the log ended a window ago (`BehindTheLog`).

A hold is a promise, and promises are bounded: past `age_max_s` it lapses, its owner finds
`hold.lapsed` set, and its next read fails (TransactionExpired) instead of being silently wrong.
Taking and releasing cost a dictionary operation; `advance`, called now and then by the background
work, does the rest and tells whoever collects garbage.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from storage.abc import Clock, Timestamp
from txn.abc import TransactionExpired

RETENTION_S = 3600.0
AGE_MAX_S = 86_400.0
HOLDS_MAX = 1_000_000
STEP = 1 / 64
"""Of the retention: since moves in steps of at least this."""


class Hold:
    """A snapshot kept readable at `ts` until it is released."""

    __slots__ = ("lapsed", "taken_s", "ts")

    def __init__(self, ts: Timestamp, taken_s: float) -> None:
        self.ts = ts
        self.taken_s = taken_s
        self.lapsed = False

    def check(self) -> None:
        """Raises TransactionExpired when the hold is older than the configured maximum."""
        if self.lapsed:
            raise TransactionExpired(f"the snapshot at {self.ts} was held for too long and has expired")


class BehindTheLog:
    """Where the log ended a window ago, by the clock that nobody sets, while the other one is behind its end."""

    __slots__ = ("_passed", "_seen")

    def __init__(self) -> None:
        self._seen: deque[tuple[float, Timestamp]] = deque()  # at most 1 / STEP of them, and a few
        self._passed: Timestamp = 0

    def ago(self, window_s: float, now_s: float, read_ts: Timestamp) -> Timestamp:
        """0: it has not been behind for so long."""
        seen = self._seen
        if not seen or now_s - seen[-1][0] >= window_s * STEP:
            seen.append((now_s, read_ts))
        while seen and now_s - seen[0][0] >= window_s:
            self._passed = seen.popleft()[1]
        return self._passed

    def over(self) -> None:
        """The clock is where it should be."""
        self._seen.clear()
        self._passed = 0


class ReadHolds:
    """All holds of the process, and `since`.

    `on_since` callbacks get the new `since` whenever `advance` moved it, those of `on_advance` the present
    before it does: whoever keeps too much lets go then.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        since: Timestamp = 0,
        retention_s: float = RETENTION_S,
        age_max_s: float = AGE_MAX_S,
        holds_max: int = HOLDS_MAX,
        monotonic_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`monotonic_s` tells how old a hold is: whoever sets the clock ends nobody's transaction."""
        self._clock, self._monotonic_s = clock, monotonic_s
        self._holds: dict[Hold, None] = {}  # in order of being taken
        self._behind = BehindTheLog()
        self.since: Timestamp = since
        self.retention_s = retention_s
        self.age_max_s = age_max_s
        self.holds_max = holds_max
        self.on_since: list[Callable[[Timestamp], None]] = []
        self.on_advance: list[Callable[[Timestamp], None]] = []

    def acquire(self, ts: Timestamp) -> Hold:
        """Keeps `ts` readable. Raises TransactionExpired when it is not any more (AS OF too old)."""
        if ts < self.since:
            raise TransactionExpired(
                f"timestamp {ts} is no longer readable: history is kept from {self.since} on"
            )
        if len(self._holds) >= self.holds_max:
            raise TransactionExpired(f"more than {self.holds_max} snapshots are held")
        hold = Hold(ts, self._monotonic_s())
        self._holds[hold] = None
        return hold

    def release(self, hold: Hold) -> None:
        """Idempotent."""
        self._holds.pop(hold, None)

    def lapse(self, hold: Hold) -> None:
        """It was held for too long, or keeps too much: its owner finds out when it asks for more."""
        hold.lapsed = True
        self._holds.pop(hold, None)

    def move(self, hold: Hold, ts: Timestamp) -> None:
        """The holder's snapshot moves forward (refresh, next statement): its age begins anew."""
        hold.check()
        if ts < hold.ts:
            raise ValueError(f"a hold does not move back from {hold.ts} to {ts}")
        hold.ts = ts
        hold.taken_s = self._monotonic_s()
        if self._holds.pop(hold, hold) is None:  # it is still held: to the end of the order of age
            self._holds[hold] = None

    def now_s(self) -> float:
        """By the clock that nobody sets."""
        return self._monotonic_s()

    def oldest(self, default: Timestamp) -> Timestamp:
        """The oldest held timestamp, at most `default`."""
        return min((hold.ts for hold in self._holds), default=default) if self._holds else default

    def advance(self, read_ts: Timestamp) -> Timestamp:
        """Lapses what is too old, moves `since`, tells the callbacks. Returns `since`."""
        now = self._clock.now_us()
        limit_s = self._monotonic_s() - self.age_max_s
        while self._holds:
            hold = next(iter(self._holds))
            if hold.taken_s >= limit_s:
                break
            self.lapse(hold)
        for callback in self.on_advance:
            callback(read_ts)
        until = now - int(self.retention_s * 1e6)
        passed = 0
        if now < read_ts:
            passed = self._behind.ago(self.retention_s, self._monotonic_s(), read_ts)
        else:
            self._behind.over()
        since = min(self.oldest(read_ts), read_ts, max(until, passed))
        # The clock moves since all the time: in steps, or everybody would be told four times a second.
        step = 0.0 if passed > self.since else self.retention_s * 1e6 * STEP  # that moves in steps of its own
        if (since > self.since and since - self.since >= step) or since > self.since == 0:
            self.since = since
            for callback in self.on_since:
                callback(since)
        return self.since

    def recall(self, since: Timestamp) -> None:
        """History before `since` is not kept any more, whoever held it: those snapshots lapse."""
        for hold in [h for h in self._holds if h.ts < since]:
            self.lapse(hold)
        if since > self.since:
            self.since = since
            for callback in self.on_since:
                callback(since)

    def __len__(self) -> int:
        return len(self._holds)
