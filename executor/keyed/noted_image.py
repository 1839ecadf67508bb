"""A table's image, of which a transaction notes what it has asked its indexes for.

    image.index((customer,)).find(7)      found    by customer, 7
    image.index((at,)).walk(...)          walks    by at, as far as somebody has asked for the next row

What comes of it is for `txn.read_set`. Reads of a table that the transaction has not written are answered so, by the ways that are
open to statements outside of blocks (`executor.keyed.index_read`); those of others by `executor.keyed.overlay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from storage.abc import Row, Timestamp
from txn.abc import Key, Keyspace
from txn.columns import Columns
from txn.read_set import Asked, KeyRange, ReadSet, Walk

H = TypeVar("H", bound=tuple[Any, ...])


def walked(hits: Iterator[H], reads: ReadSet, space: Keyspace, walk: Walk, columns: Columns) -> Iterator[H]:
    """The same rows, whose first item is the key of the walk. From now on the walk is noted: whoever stops has gone as far as to the last one."""
    reads.walk(space, walk, columns)
    return _walked(hits, walk)


def _walked(hits: Iterator[H], walk: Walk) -> Iterator[H]:
    for hit in hits:
        walk.last = hit[0]
        yield hit
    walk.last = None


class NotedImage:
    """See the module."""

    __slots__ = ("_columns", "_image", "_reads", "_space")

    def __init__(self, image: Any, reads: ReadSet, space: Keyspace, columns: Columns) -> None:
        self._image, self._reads, self._space, self._columns = image, reads, space, columns

    def index(self, positions: tuple[int, ...]) -> NotedIndex:
        return NotedIndex(self._image.index(positions), self._reads, self._space, self._columns)

    def scan(
        self,
        low: Key | None,
        high: Key | None,
        ts: Timestamp,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
        descending: bool = False,
        at_once: bool = False,
    ) -> Iterator[tuple[Key, int, Row]]:
        hits = self._image.scan(
            low,
            high,
            ts,
            low_inclusive=low_inclusive,
            high_inclusive=high_inclusive,
            descending=descending,
            at_once=at_once,
        )
        walk = Walk(None, (low, high, low_inclusive, high_inclusive), descending)
        return walked(hits, self._reads, self._space, walk, self._columns)


class NotedIndex:
    """`executor.snapshot.indexes.TableIndex`, noted."""

    __slots__ = ("_columns", "_index", "_reads", "_space")

    def __init__(self, index: Any, reads: ReadSet, space: Keyspace, columns: Columns) -> None:
        self._index, self._reads, self._space, self._columns = index, reads, space, columns

    def _note(self, asked: Asked) -> None:
        self._reads.found(self._space, self._index, asked, self._columns)

    def find(self, key: Key, ts: Timestamp, rows_max: int, indexes: tuple[int, ...]) -> list[Row] | None:
        found: list[Row] | None = self._index.find(key, ts, rows_max, indexes)
        if found is not None:
            self._note((key,))
        return found

    def may_be_more(self, keys: Sequence[Key], ts: Timestamp, rows_max: int) -> bool:
        """Says nothing of the rows."""
        many: bool = self._index.may_be_more(keys, ts, rows_max)
        return many

    def between(
        self, bounds: KeyRange, ts: Timestamp, rows_max: int, indexes: tuple[int, ...]
    ) -> list[Row] | None:
        found: list[Row] | None = self._index.between(bounds, ts, rows_max, indexes)
        if found is not None:
            self._note(bounds)
        return found

    def walk(
        self, bounds: KeyRange, ts: Timestamp, descending: bool
    ) -> Iterator[tuple[Key, Key, Row | None]] | None:
        hits = self._index.walk(bounds, ts, descending)
        if hits is None:
            return None
        return walked(hits, self._reads, self._space, Walk(self._index, bounds, descending), self._columns)

    def walk_behind(
        self, bounds: KeyRange, ts: Timestamp, descending: bool, skip: int, whole: bool
    ) -> tuple[Iterator[tuple[Key, Key, Row | None]], int] | None:
        """The rows that are left out have been counted: they count as read, and so do those behind."""
        found: tuple[Iterator[tuple[Key, Key, Row | None]], int] | None
        found = self._index.walk_behind(bounds, ts, descending, skip, whole)
        if found is not None:
            self._note(bounds)
        return found


__all__ = ["NotedImage", "walked"]
