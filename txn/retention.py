"""How long each shard's history is kept.

    holds.since        nothing anywhere is kept below it: the longest window of all
    since(shard)       nothing of this shard is:          its own window, or the default

    ----|----------------|---------------|-------------|-------> time
        holds.since      since(t9)       since(t7)     read_ts
        now - 1 day      now - 1 h       now - 5 min, or a reader's hold

Like `holds.since` each of them stops before the oldest open snapshot and never goes back: a window that is made longer
shows its effect as time passes. What a shard has lost already its own state knows (`Shard.since`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from storage.abc import Clock, ShardId, Timestamp
from txn.holds import STEP, BehindTheLog, ReadHolds


class Retention:
    """The windows of all shards. `windows` says which shards have one of their own, in seconds."""

    def __init__(self, holds: ReadHolds, clock: Clock, default_s: float) -> None:
        self._holds, self._clock = holds, clock
        self.default_s = default_s
        self.windows: Callable[[], Mapping[ShardId, float]] = dict
        self.lasting: frozenset[ShardId] = frozenset()
        """Shards that whoever reads another one's history needs as well: theirs is kept for the longest window."""
        self._told: dict[ShardId | None, Timestamp] = {}
        self._looked: dict[ShardId | None, int] = {}
        self._behind: dict[ShardId | None, BehindTheLog] = {}
        self.on_since: list[Callable[[], None]] = []
        """Called when some shard's since has moved."""

    def since(self, shard: ShardId) -> Timestamp:
        """From when on the shard's history is right, as far as this process has let it go."""
        if shard in self.lasting:
            return self._holds.since
        own = self._told.get(shard if shard in self.windows() else None, 0)
        return max(own, self._holds.since)

    def advance(self, read_ts: Timestamp) -> None:
        """Moves each since up to where its window and the open snapshots let it. Before `ReadHolds.advance`."""
        windows = self.windows()
        if not windows and not self._told:
            return  # the usual case: there is one window, and `ReadHolds` keeps it
        self._holds.retention_s = max([self.default_s, *windows.values()])
        clock_us = self._clock.now_us()
        now = max(clock_us, read_ts)
        if clock_us >= read_ts:
            self._behind.clear()
        oldest = self._holds.oldest(read_ts)
        moved = False
        for shard, window_s in [(None, self.default_s), *windows.items()]:
            passed = 0
            if clock_us < read_ts:
                behind = self._behind.setdefault(shard, BehindTheLog())
                passed = behind.ago(window_s, self._holds.now_s(), read_ts)
            if now - self._looked.get(shard, 0) < window_s * 1e6 * STEP and passed <= self._told.get(
                shard, 0
            ):
                continue
            self._looked[shard] = now
            since = min(oldest, read_ts, max(now - int(window_s * 1e6), passed))
            if since > self._told.get(shard, 0):
                self._told[shard] = since
                moved = True
        for gone in [s for s in self._told if s is not None and s not in windows]:
            del self._told[gone]
            self._looked.pop(gone, None)
            self._behind.pop(gone, None)
        if moved:
            for callback in self.on_since:
                callback()
