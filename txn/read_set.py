"""What a transaction has read, as key ranges: points, ranges, whole keyspaces, and of each the columns that were used.

    t7    points   5 -> {row, b}    9 -> all columns
          ranges   (10..20) -> {row, b, c}
          found    by user_id, 7 -> {row, b}
                   by (state, at), from ('new',) on, as far as ('new', 10:15) -> all columns
          whole    nothing

A range counts as it was asked for, not as the rows that were found in it: that is what makes
phantoms impossible. What was not named by the statement was not read of the rows (`txn.columns`).
What an index of other columns than the key was asked for is asked of that index again (`IndexedRows`), which knows
the rows that it led to at the time of the snapshot and those that it leads to by now. A walk along one, or along the key, counts as far as it came.
Two things bound it: past `POINTS_MAX` points a keyspace counts as read whole,
and so it does past `RANGES_MAX` ranges. Coarser is always safe, it may only refuse more.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from storage.abc import Timestamp
from txn.abc import Key, Keyspace
from txn.columns import ALL_COLUMNS, Columns
from txn.conflicts import ConflictIndex

POINTS_MAX = 100_000
RANGES_MAX = 1_000

KeyRange = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end."""

Asked = tuple[Key] | KeyRange
"""One key of an index, or a range of its keys."""


class IndexedRows(Protocol):
    """The rows of a keyspace by the values of some columns."""

    def changed(
        self, index: ConflictIndex, space: Keyspace, asked: Asked, after: Timestamp, columns: Columns
    ) -> Timestamp:
        """When one of these columns was written, after `after`, of a row that the index led to then or has led to since; 0: of none.

        That a row came or went, or has got other values in the index, counts whatever the columns. It may say too much, never too little.
        """


class Walk:
    """A range that is walked along from its beginning, as far as somebody has asked for rows: who walks says so as he goes."""

    __slots__ = ("_bounds", "_descending", "_rows", "last")

    def __init__(self, rows: IndexedRows | None, bounds: KeyRange, descending: bool) -> None:
        """`rows`: of which index's keys the range is; None: of the keyspace's own."""
        self._rows, self._bounds, self._descending = rows, bounds, descending
        self.last: Key | None = None
        """The key that was met last; None: there are no more, or nobody has been asked to say."""

    def changed(self, index: ConflictIndex, space: Keyspace, after: Timestamp, columns: Columns) -> Timestamp:
        """As of `IndexedRows`."""
        low, high, low_inclusive, high_inclusive = self._bounds
        if self.last is not None and self._descending:
            low, low_inclusive = self.last, True
        elif self.last is not None:
            high, high_inclusive = self.last, True
        if self._rows is not None:
            return self._rows.changed(
                index, space, (low, high, low_inclusive, high_inclusive), after, columns
            )
        return index.range(
            space, low, high, after, columns, low_inclusive=low_inclusive, high_inclusive=high_inclusive
        )


class _Reads:
    __slots__ = ("found", "points", "ranges", "whole")

    def __init__(self) -> None:
        self.points: dict[Key, Columns] = {}
        self.ranges: dict[KeyRange, Columns] = {}
        self.found: dict[tuple[IndexedRows, Asked] | Walk, Columns] = {}
        self.whole: Columns = 0
        """What was read of every row."""

    def everything(self) -> None:
        """All that was read of any row counts as read of every row."""
        for columns in (*self.points.values(), *self.ranges.values(), *self.found.values()):
            self.whole |= columns
        self.clear()

    def clear(self) -> None:
        self.points.clear()
        self.ranges.clear()
        self.found.clear()

    def bound(self) -> None:
        if len(self.points) > POINTS_MAX or len(self.ranges) + len(self.found) > RANGES_MAX:
            self.everything()

    def changed_since(
        self, index: ConflictIndex, space: Keyspace, after: Timestamp
    ) -> tuple[Key | None, Timestamp] | None:
        """(key or None, commit ts) of something read here that was written after `after`."""
        ts = index.whole(space, after, self.whole) if self.whole else 0
        if ts:
            return None, ts
        for key, columns in self.points.items():
            ts = index.point(space, key, after, columns)
            if ts:
                return key, ts
        for (low, high, low_inclusive, high_inclusive), columns in self.ranges.items():
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
                return None, ts
        for found, columns in self.found.items():
            if isinstance(found, Walk):
                ts = found.changed(index, space, after, columns)
            else:
                ts = found[0].changed(index, space, found[1], after, columns)
            if ts:
                return None, ts
        return None


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

    def found(self, space: Keyspace, rows: IndexedRows, asked: Asked, columns: Columns = ALL_COLUMNS) -> None:
        """An index was asked for rows."""
        reads = self._of(space)
        if columns & ~reads.whole:
            self._note_found(reads, (rows, asked), columns)

    def walk(self, space: Keyspace, walk: Walk, columns: Columns = ALL_COLUMNS) -> None:
        """Somebody begins to walk along a range."""
        reads = self._of(space)
        if columns & ~reads.whole:
            self._note_found(reads, walk, columns)

    @staticmethod
    def _note_found(reads: _Reads, what: tuple[IndexedRows, Asked] | Walk, columns: Columns) -> None:
        found = reads.found
        found[what] = found.get(what, 0) | columns
        if len(found) > RANGES_MAX:
            reads.everything()

    def prefix(self, space: Keyspace, prefix: tuple[Key, ...]) -> None:
        """All keys that begin with `prefix` were looked for."""
        self.range(space, prefix, prefix)

    def whole(self, space: Keyspace, columns: Columns = ALL_COLUMNS) -> None:
        """Every row was read, or might have been."""
        reads = self._of(space)
        reads.whole |= columns
        if reads.whole == ALL_COLUMNS:
            reads.clear()

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
            for what, columns in reads.found.items():
                mine.found[what] = mine.found.get(what, 0) | columns
            self.whole(space, reads.whole)
            mine.bound()

    def changed_since(
        self, index: ConflictIndex, after: Timestamp
    ) -> tuple[Keyspace, Key | None, Timestamp] | None:
        """(space, key or None, commit ts) of something read that was written after `after`."""
        for space, reads in self.items():
            if not (reads.ranges or reads.whole or reads.found):
                if index.quiet(space, reads.points, after):
                    continue
            elif not index.whole(space, after):
                continue
            changed = reads.changed_since(index, space, after)
            if changed is not None:
                return space, *changed
        return None
