"""What a transaction has read, as key ranges: points, ranges, whole keyspaces, and of each the columns that were used.

    t7    points   5 -> {row, b}    9 -> all columns
          ranges   (10..20) -> {row, b, c}
          whole    nothing

A range counts as it was asked for, not as the rows that were found in it: that is what makes
phantoms impossible. What was not named by the statement was not read of the rows (`txn.columns`).
Two things bound it: past `POINTS_MAX` points a keyspace counts as read whole,
and so it does past `RANGES_MAX` ranges. Coarser is always safe, it may only refuse more.
"""

from __future__ import annotations

from collections.abc import Collection

from storage.abc import Timestamp
from txn.abc import Key, Keyspace
from txn.columns import ALL_COLUMNS, Columns
from txn.conflicts import ConflictIndex

POINTS_MAX = 100_000
RANGES_MAX = 1_000

KeyRange = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end."""


class _Reads:
    __slots__ = ("points", "ranges", "whole")

    def __init__(self) -> None:
        self.points: dict[Key, Columns] = {}
        self.ranges: dict[KeyRange, Columns] = {}
        self.whole: Columns = 0
        """What was read of every row."""

    def everything(self) -> None:
        """All that was read of any row counts as read of every row."""
        for part in (self.points, self.ranges):
            for columns in part.values():
                self.whole |= columns
            part.clear()

    def bound(self) -> None:
        if len(self.points) > POINTS_MAX or len(self.ranges) > RANGES_MAX:
            self.everything()


class ReadSet(dict[Keyspace, _Reads]):
    """The reads of one transaction, checked against the conflict index at commit and refresh.

    A dictionary by keyspace itself: every transaction has one, and most of them stay empty.
    """

    __slots__ = ()

    def _of(self, space: Keyspace) -> _Reads:
        reads = self.get(space)
        if reads is None:
            reads = self[space] = _Reads()
        return reads

    def point(self, space: Keyspace, key: Key, columns: Columns = ALL_COLUMNS) -> None:
        """`key` was looked for, found or not."""
        reads = self.get(space)
        if reads is None:
            reads = self._of(space)
        if columns & ~reads.whole:
            points = reads.points
            points[key] = points.get(key, 0) | columns
            if len(points) > POINTS_MAX:
                reads.everything()

    def points(self, space: Keyspace, keys: Collection[Key], columns: Columns = ALL_COLUMNS) -> None:
        """`point` of several keys."""
        reads = self.get(space)
        if reads is None:
            reads = self._of(space)
            if len(keys) <= POINTS_MAX:
                reads.points = dict.fromkeys(keys, columns)
                return
        for key in keys:
            self.point(space, key, columns)

    def range(
        self,
        space: Keyspace,
        low: Key | None,
        high: Key | None,
        columns: Columns = ALL_COLUMNS,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
    ) -> None:
        """A range was scanned. A bound that is a shorter tuple than the keys is a prefix."""
        if low is None and high is None:
            self.whole(space, columns)
            return
        reads = self._of(space)
        if columns & ~reads.whole:
            ranges, asked = reads.ranges, (low, high, low_inclusive, high_inclusive)
            ranges[asked] = ranges.get(asked, 0) | columns
            if len(ranges) > RANGES_MAX:
                reads.everything()

    def prefix(self, space: Keyspace, prefix: tuple[Key, ...]) -> None:
        """All keys that begin with `prefix` were looked for."""
        self.range(space, prefix, prefix)

    def whole(self, space: Keyspace, columns: Columns = ALL_COLUMNS) -> None:
        """Every row was read, or might have been."""
        reads = self._of(space)
        reads.whole |= columns
        if reads.whole == ALL_COLUMNS:
            reads.points.clear()
            reads.ranges.clear()

    def merge(self, other: ReadSet) -> None:
        """What the other has read was read here, too."""
        for space, reads in other.items():
            mine = self.get(space)
            if mine is None:
                self[space] = reads
                continue
            for key, columns in reads.points.items():
                mine.points[key] = mine.points.get(key, 0) | columns
            for asked, columns in reads.ranges.items():
                mine.ranges[asked] = mine.ranges.get(asked, 0) | columns
            self.whole(space, reads.whole)
            mine.bound()

    def changed_since(
        self, index: ConflictIndex, after: Timestamp
    ) -> tuple[Keyspace, Key | None, Timestamp] | None:
        """(space, key or None, commit ts) of something read that was written after `after`."""
        for space, reads in self.items():
            if not reads.ranges and not reads.whole:
                if index.quiet(space, reads.points, after):
                    continue
            elif not index.whole(space, after):
                continue
            ts = index.whole(space, after, reads.whole) if reads.whole else 0
            if ts:
                return space, None, ts
            for key, columns in reads.points.items():
                ts = index.point(space, key, after, columns)
                if ts:
                    return space, key, ts
            for (low, high, low_inclusive, high_inclusive), columns in reads.ranges.items():
                ts = index.range(
                    space,
                    low,
                    high,
                    after,
                    columns,
                    low_inclusive=low_inclusive,
                    high_inclusive=high_inclusive,
                )
                if ts:
                    return space, None, ts
        return None
