"""What a transaction has read, as key ranges: points, ranges, whole keyspaces.

A range counts as it was asked for, not as the rows that were found in it: that is what makes
phantoms impossible. Two things bound it: past `POINTS_MAX` points a keyspace counts as read whole,
and so it does past `RANGES_MAX` ranges. Coarser is always safe, it may only refuse more.
"""

from __future__ import annotations

from storage.abc import Timestamp
from txn.abc import Key, Keyspace
from txn.conflicts import ConflictIndex

POINTS_MAX = 100_000
RANGES_MAX = 1_000

KeyRange = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end."""


class _Reads:
    __slots__ = ("points", "ranges", "whole")

    def __init__(self) -> None:
        self.points: set[Key] = set()
        self.ranges: set[KeyRange] = set()
        self.whole = False

    def everything(self) -> None:
        self.whole = True
        self.points.clear()
        self.ranges.clear()


class ReadSet:
    """The reads of one transaction, checked against the conflict index at commit and refresh."""

    __slots__ = ("_spaces",)

    def __init__(self) -> None:
        self._spaces: dict[Keyspace, _Reads] = {}

    def __bool__(self) -> bool:
        return bool(self._spaces)

    def _of(self, space: Keyspace) -> _Reads:
        reads = self._spaces.get(space)
        if reads is None:
            reads = self._spaces[space] = _Reads()
        return reads

    def point(self, space: Keyspace, key: Key) -> None:
        """`key` was looked for, found or not."""
        reads = self._of(space)
        if not reads.whole:
            reads.points.add(key)
            if len(reads.points) > POINTS_MAX:
                reads.everything()

    def range(
        self,
        space: Keyspace,
        low: Key | None,
        high: Key | None,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
    ) -> None:
        """A range was scanned. A bound that is a shorter tuple than the keys is a prefix."""
        if low is None and high is None:
            self.whole(space)
            return
        reads = self._of(space)
        if not reads.whole:
            reads.ranges.add((low, high, low_inclusive, high_inclusive))
            if len(reads.ranges) > RANGES_MAX:
                reads.everything()

    def prefix(self, space: Keyspace, prefix: tuple[Key, ...]) -> None:
        """All keys that begin with `prefix` were looked for."""
        self.range(space, prefix, prefix)

    def whole(self, space: Keyspace) -> None:
        """Every row was read, or might have been."""
        self._of(space).everything()

    def merge(self, other: ReadSet) -> None:
        """What the other has read was read here, too."""
        for space, reads in other._spaces.items():
            mine = self._spaces.get(space)
            if mine is None:
                self._spaces[space] = reads
            elif reads.whole or len(mine.points) + len(reads.points) > POINTS_MAX:
                mine.everything()
            elif not mine.whole:
                mine.points |= reads.points
                mine.ranges |= reads.ranges
                if len(mine.ranges) > RANGES_MAX:
                    mine.everything()

    def changed_since(
        self, index: ConflictIndex, after: Timestamp
    ) -> tuple[Keyspace, Key | None, Timestamp] | None:
        """(space, key or None, commit ts) of something read that was written after `after`."""
        for space, reads in self._spaces.items():
            newest = index.whole(space, after)
            if not newest:
                continue
            if reads.whole:
                return space, None, newest
            for key in reads.points:
                ts = index.point(space, key, after)
                if ts:
                    return space, key, ts
            for low, high, low_inclusive, high_inclusive in reads.ranges:
                ts = index.range(
                    space, low, high, after, low_inclusive=low_inclusive, high_inclusive=high_inclusive
                )
                if ts:
                    return space, None, ts
        return None
