"""Rows by an index whose keys repeat: CREATE INDEX ON orders (customer).

    memory    customer -> the keys of rows that had it lately              candidates, each verified at the reader's time
    run       rows in the order of customer: two binary searches, a span   unless something newer has the row's key

DuckDB has no such order and looks through the whole column; here a few rows among millions take microseconds apiece.
Nothing is kept until somebody asks by an index's columns. Then small runs are sorted at once and large ones on
the sorter's thread, while DuckDB answers; memory's candidates are kept up to date by whoever puts versions.

An index is of columns, not of a name: two indexes that begin with the same columns share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.snapshot.lookup import unique_key, visible
from executor.snapshot.runs import Run, SecondaryIndex
from executor.snapshot.versions import IndexMap
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore

SORTED_AT_ONCE_ROWS_MAX = 10_000
"""Runs of so many rows are sorted within the turn of the loop: about a millisecond."""


class TableIndex:
    """The rows of one table image by the values of some columns. `valid` until the table is defined anew."""

    __slots__ = ("_image", "_map", "_positions", "_sorting", "_store", "_versions")

    def __init__(self, image: TableImage, store: SnapshotStore, positions: tuple[int, ...]) -> None:
        self._image, self._store, self._positions = image, store, positions
        self._versions = image.versions
        self._map = IndexMap(0, unique_key(positions, False))
        self._versions.follow(self._map)
        self._sorting: set[Run] = set()

    @property
    def valid(self) -> bool:
        return self._versions is self._image.versions

    def find(self, key: Key, ts: Timestamp, rows_max: int, indexes: tuple[int, ...]) -> list[Row] | None:
        """These columns of the visible rows with this key, in the order of the primary key.

        None: there may be more than `rows_max`, or a run is not sorted yet. Raises as `TableImage.get`.
        """
        image = self._image
        image.readable(ts)
        spans: list[tuple[Run, list[int]]] = []
        candidates = self._map.candidates.get(key, ())
        count = len(candidates)
        for run in image.runs_at(ts):
            order = self._order(run)
            if order is None:
                return None
            start, stop = order.keys.left(key), order.keys.right(key)
            count += stop - start
            if count > rows_max:
                break
            spans.append((run, sorted(order.rows_between(start, stop))))
        if count > rows_max:
            return None
        chains = self._versions.chains
        if not chains and len(spans) == 1:
            run, places = spans[0]
            return list(map(run.some(indexes), places))
        found: list[tuple[Key, Row]] = []
        key_of = self._map.key_of
        for own in candidates:
            v = visible(chains.get(own), ts)
            if v is not None and v[2] is not None and key_of(v[2]) == key:
                row = v[2]
                found.append((own, tuple([row[i] for i in indexes])))
        for depth, (run, places) in enumerate(spans):
            key_at, read = run.key_at, run.some(indexes)
            above = [r.find for r, _ in spans[:depth]]
            for i in places:
                own = key_at(i)
                if visible(chains.get(own), ts) is None and not any(find(own) >= 0 for find in above):
                    found.append((own, read(i)))
        found.sort(key=lambda item: item[0])
        return [row for _, row in found]

    def _order(self, run: Run) -> SecondaryIndex | None:
        order = run.orders.get(self._positions)
        if order is not None:
            return order
        if run.size <= SORTED_AT_ONCE_ROWS_MAX:
            order = run.orders[self._positions] = SecondaryIndex(run, self._positions, False)
            return order
        if run not in self._sorting:
            self._sorting.add(run)
            self._store.spawn(self._sort_aside(run))
        return None

    async def _sort_aside(self, run: Run) -> None:
        try:
            made = await self._store.sort(lambda: SecondaryIndex(run, self._positions, False))
            run.orders[self._positions] = made
        finally:
            self._sorting.discard(run)
