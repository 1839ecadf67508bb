"""Rows by an index whose keys repeat: CREATE INDEX ON orders (customer).

    memory    customer -> the keys of rows that had it lately              candidates, each verified at the reader's time
    run       rows in the order of customer: two binary searches, a span   unless something newer has the row's key

DuckDB has no such order and looks through the whole column; here a few rows among millions take microseconds apiece.
Nothing is kept until somebody asks by an index's columns. Then small runs are sorted at once and large ones on
the sorter's thread, while DuckDB answers; memory's candidates are kept up to date by whoever puts versions.

**What is left behind.** A queue is read at its front, where rows come and go: what was taken is still a candidate in memory, and still in
its run, until a compaction that may be 200,000 versions away. A walk that has stepped over such rows remembers them. Candidates of
which no reader can find a row any more are let go of before the next one; of a run's order it is known how many at the front are gone.

An index is of columns, not of a name: two indexes that begin with the same columns share it. A column `~i` at the end makes it
one of the rows in which column i is null, which are in no other: `walk` does not meet them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING

from executor.keyed.footprint import columns_at
from executor.snapshot.abc import TooOldForKeyed
from executor.snapshot.ranges import visible
from executor.snapshot.runs import Run, SecondaryIndex
from executor.snapshot.skipping import EVENTS_MAX, Event, placed
from executor.snapshot.unique_keys import key_width, unique_key
from executor.snapshot.versions import IndexMap
from storage.abc import Row, Timestamp
from txn.abc import Key, Keyspace
from txn.columns import THE_ROW, Columns
from txn.conflicts import ConflictIndex
from txn.read_set import Asked

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore

Bounds = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end, a tuple shorter than the keys a prefix."""

SORTED_AT_ONCE_ROWS_MAX = 10_000
"""Runs of so many rows are sorted within the turn of the loop: about a millisecond."""
LEFT_BEHIND = 32
"""So many rows that are gone are worth remembering."""
FRONTS_MAX = 64
"""Places of one order where walks begin behind what is gone."""
ASKED_ABOUT_MAX = 5_000
"""Rows that are asked about, whether they have changed (a third of a microsecond each); of more any change of the table counts."""


class TableIndex:
    """The rows of one table image by the values of some columns. `valid` until the table is defined anew."""

    __slots__ = (
        "_columns", "_gone", "_image", "_let_go_ts", "_map", "_positions", "_sifted", "_sorting", "_store", "_versions", "_walks",
    )  # fmt: skip

    def __init__(self, image: TableImage, store: SnapshotStore, positions: tuple[int, ...]) -> None:
        self._image, self._store, self._positions = image, store, positions
        self._columns = THE_ROW | columns_at(image.table, positions)
        """What says which rows it leads to."""
        self._versions = image.versions
        self._map = IndexMap(unique_key(positions, False), key_width(positions))
        self._versions.follow(self._map)
        self._sorting: set[Run] = set()
        self._gone: list[tuple[Key, Key]] = []
        """(key, primary key) of candidates that led walks to no row."""
        self._let_go_ts: Timestamp = 0
        """Readers of the time before may miss candidates."""
        self._sifted: dict[Key, int] = {}
        """How many candidates a key must have to be looked through again."""
        self._walks = 0
        """Walks under way in memory."""

    @property
    def valid(self) -> bool:
        return self._versions is self._image.versions

    def find(self, key: Key, ts: Timestamp, rows_max: int, indexes: tuple[int, ...]) -> list[Row] | None:
        """These columns of the visible rows with this key, in the order of the primary key.

        None: there may be more than `rows_max`, or a run is not sorted yet. Raises as `TableImage.get`.
        """
        image = self._image
        image.readable(ts)
        if ts < self._let_go_ts:
            raise TooOldForKeyed
        spans: list[tuple[Run, list[int]]] = []
        candidates = self._map.candidates.get(key, ())
        if len(candidates) > rows_max:
            candidates = self._sift(key, len(candidates))
        count = len(candidates)
        orders = self._orders(ts)
        if orders is None:
            return None
        for run, order in orders:
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

    def may_be_more(self, keys: Sequence[Key], ts: Timestamp, rows_max: int) -> bool:
        """Whether `find` would look at more rows than so many, of all these keys together. Reads none of them."""
        self._image.readable(ts)
        orders, candidates, count = self._orders(ts), self._map.candidates, 0
        for key in keys:
            count += len(candidates.get(key, ()))
            for _, order in orders or ():
                count += order.keys.right(key) - order.keys.left(key)
            if count > rows_max:
                return True
        return False

    def between(
        self, bounds: Bounds, ts: Timestamp, rows_max: int, indexes: tuple[int, ...]
    ) -> list[Row] | None:
        """These columns of the visible rows within the bounds, in the order of the keys. None, and what it raises: as `find`."""
        if not self.is_short(bounds, ts, rows_max):
            return None
        orders = self._orders(ts) or []
        if len(orders) == 1 and not self._versions.chains:
            run, order = orders[0]
            return list(map(run.some(indexes), order.rows_between(*order.keys.span(*bounds))))
        hits = self.walk(bounds, ts, False)
        assert hits is not None, "every run is sorted"
        return [tuple([row[i] for i in indexes]) for _, _, row in hits if row is not None]

    def is_short(self, bounds: Bounds, ts: Timestamp, rows_max: int) -> bool:
        """Whether no more than so many rows are to be looked at within the bounds, and every run is sorted. Raises as `find`."""
        self._image.readable(ts)
        if ts < self._let_go_ts:
            raise TooOldForKeyed
        count = 0
        orders = self._orders(ts)
        if orders is None:
            return False
        for _, order in orders:
            start, stop = order.keys.span(*bounds)
            count += stop - start
            if count > rows_max:
                return False
        candidates = self._map.candidates
        for key in self._map.between(bounds, False) if candidates else ():
            count += len(candidates[key])
            if count > rows_max:
                return False
        return True

    def changed(
        self, index: ConflictIndex, space: Keyspace, asked: Asked, after: Timestamp, columns: Columns
    ) -> Timestamp:
        """See `txn.read_set.IndexedRows`.

        Whatever is written has a version in memory that is younger than `after`, beside the one that it had then, or a run has that. Where
        this is not so (what is written in bulk, a definition of its own, memory that was short) any change of the table counts.
        """
        columns |= self._columns
        newest = index.whole(space, after, columns)
        image, chains = self._image, self._versions.chains
        if not newest or index.in_bulk(space, after) or not self.valid or image.cold is not None:
            return newest
        if after < self._let_go_ts or any(run.since > after for run in image.runs):
            return newest
        orders = self._orders(after)
        if orders is None:
            return newest
        left = ASKED_ABOUT_MAX
        candidates, key_of, written = self._map.candidates, self._map.key_of, index.point
        for key in asked if len(asked) == 1 else self._map.between(asked, False) if candidates else ():
            owns = candidates.get(key, ())
            left -= len(owns)
            if left < 0:
                return newest
            for own in owns:
                v = chains.get(own)
                if v is None or v[0] <= after:
                    continue
                while v is not None:
                    if v[2] is not None and key_of(v[2]) == key:
                        if ts := written(space, own, after, columns):
                            return ts
                        break
                    if v[0] <= after:
                        break
                    v = v[3]
        for depth, (run, order) in enumerate(orders):
            keys, key_at = order.keys, run.key_at
            start, stop = (
                (keys.left(asked[0]), keys.right(asked[0])) if len(asked) == 1 else keys.span(*asked)
            )
            for begins in ((start, 1), (stop - 1, -1)):
                gone, gone_ts = order.gone.get(begins, (0, 0))
                if gone_ts <= after:
                    start, stop = (start + gone, stop) if begins[1] == 1 else (start, stop - gone)
            stop = max(start, stop)
            left -= stop - start
            if left < 0:
                return newest
            for i in order.rows_between(start, stop):
                own = key_at(i)
                head = chains.get(own)
                if head is None or head[0] <= after or visible(head, after) is not None:
                    continue  # nobody has written it since, or memory knows what it was at `after`
                if (ts := written(space, own, after, columns)) and not any(
                    above.find(own) >= 0 for above, _ in orders[:depth]
                ):
                    return ts
        return 0

    def walk(
        self, bounds: Bounds, ts: Timestamp, descending: bool
    ) -> Iterator[tuple[Key, Key, Row | None]] | None:
        """(key, primary key, row) in the order of the keys; None in place of a row is a step that led to none.

        To be taken before anything is written. None: a run is not sorted yet. Raises as `TableImage.get`, at once.
        """
        image = self._image
        image.readable(ts)
        if ts < self._let_go_ts:
            raise TooOldForKeyed
        if len(self._gone) >= LEFT_BEHIND and not self._walks:
            gone, self._gone = self._gone, []
            self._let_go(gone)
        spans: list[tuple[Run, SecondaryIndex, range]] = []
        orders = self._orders(ts)
        if orders is None:
            return None
        for run, order in orders:
            start, stop = order.keys.span(*bounds)
            spans.append((run, order, range(stop - 1, start - 1, -1) if descending else range(start, stop)))
        sources: list[Iterator[tuple[Key, Key, Row | None]]] = []
        if self._map.candidates:
            sources.append(self._in_memory(bounds, ts, descending))
        sources += [
            self._in_run(run, order, span, ts, [r for r, _, _ in spans[:depth]])
            for depth, (run, order, span) in enumerate(spans)
            if span
        ]
        if len(sources) == 1:
            return sources[0]
        return merge(*sources, key=itemgetter(0), reverse=descending)

    def walk_behind(
        self, bounds: Bounds, ts: Timestamp, descending: bool, skip: int, whole: bool
    ) -> tuple[Iterator[tuple[Key, Key, Row | None]], int] | None:
        """(`walk` behind the first rows, how many are left out: `skip`, if there are so many). None: they would have to be counted
        one by one.

        Not `whole`: rows that are alike in this order come all, those before the `skip`th too.
        """
        image, chains = self._image, self._versions.chains
        image.readable(ts)
        if ts < self._let_go_ts:
            raise TooOldForKeyed
        orders = self._orders(ts)
        if orders is None or len(orders) != 1 or len(chains) > EVENTS_MAX:
            return None
        run, order = orders[0]
        start, stop = order.keys.span(*bounds)
        mine: list[tuple[Key, Key, Row]] = []
        events: list[Event] = []
        for key, own, row in self._in_memory(bounds, ts, descending) if chains else ():
            if row is not None:
                mine.append((key, own, row))
                events.append((self._before(order, key, start, stop, descending), False, True))
        for own, head in chains.items():
            i = run.find(own) if visible(head, ts) is not None else -1
            place = order.place_of(i, run.size) if i >= 0 else -1
            if start <= place < stop:
                events.append((stop - 1 - place if descending else place - start, True, False))
        events.sort()
        at, behind = placed(skip, stop - start, events)
        taken = sum(there for _, _, there in events[:behind])
        if not whole:
            follow = [m[0] for m in mine[taken : taken + 1]]
            if at < stop - start:
                follow.append(order.keys.key_at(stop - 1 - at if descending else start + at))
            if follow:
                first = max(follow) if descending else min(follow)
                at = self._before(order, first, start, stop, descending)
                taken = next((n for n, m in enumerate(mine) if m[0] == first), taken)
        gone = sum(1 for place, gone, _ in events if gone and place < at)
        span = range(stop - 1 - at, start - 1, -1) if descending else range(start + at, stop)
        rest = self._in_run(run, order, span, ts, [])
        return merge(mine[taken:], rest, key=itemgetter(0), reverse=descending), at - gone + taken

    @staticmethod
    def _before(order: SecondaryIndex, key: Key, start: int, stop: int, descending: bool) -> int:
        """How many keys of a span of the run come before this one, as it is walked along."""
        return stop - order.keys.right(key) if descending else order.keys.left(key) - start

    def _in_memory(
        self, bounds: Bounds, ts: Timestamp, descending: bool
    ) -> Iterator[tuple[Key, Key, Row | None]]:
        chains, key_of, candidates = self._versions.chains, self._map.key_of, self._map.candidates
        gone: list[tuple[Key, Key]] = []
        self._walks += 1
        try:
            for key in self._map.between(bounds, descending):
                for own in candidates[key]:
                    v = visible(chains.get(own), ts)
                    row = None if v is None else v[2]
                    if row is not None and key_of(row) == key:
                        yield key, own, row
                    else:
                        gone.append((key, own))
                        yield key, own, None
        finally:
            self._walks -= 1
            self._gone += gone

    def _in_run(
        self, run: Run, order: SecondaryIndex, span: range, ts: Timestamp, above: list[Run]
    ) -> Iterator[tuple[Key, Key, Row | None]]:
        """`above`: newer runs, which say what has become of a row since."""
        chains = self._versions.chains
        key_at, own_at = order.keys.key_at, run.key_at
        read = run.some(tuple(range(len(run.columns))))
        begins = span.start, span.step
        before, gone_ts = order.gone.get(begins, (0, 0))
        if ts < gone_ts:
            before = gone_ts = 0
        gone, durable, at_front = before, self._store.durable_ts(), True
        try:
            for position in span[before:]:
                i = order.row_at(position)
                own = own_at(i)
                v = visible(chains.get(own), ts)
                since = v[0] if v is not None else next((r.since for r in above if r.find(own) >= 0), None)
                if since is None:
                    at_front = False
                    yield key_at(position), own, read(i)
                    continue
                if at_front:  # what may be undone yet does not count
                    at_front = since <= durable
                    if at_front:
                        gone, gone_ts = gone + 1, max(gone_ts, since)
                yield key_at(position), own, None
        finally:
            if gone - before >= LEFT_BEHIND:
                if len(order.gone) >= FRONTS_MAX:
                    order.gone.clear()
                order.gone[begins] = gone, gone_ts

    def _sift(self, key: Key, many: int) -> Collection[Key]:
        """The candidates of a key without those that no reader can find a row by."""
        candidates = self._map.candidates
        if not self._walks and many >= self._sifted.get(key, 0):
            if len(self._sifted) >= FRONTS_MAX:
                self._sifted.clear()
            self._let_go([(key, own) for own in candidates[key]])
            self._sifted[key] = 2 * len(candidates.get(key, ()))
        left: Collection[Key] = candidates.get(key, ())
        return left

    def _let_go(self, gone: Iterable[tuple[Key, Key]]) -> None:
        """Forgets candidates whose rows have another key, or are deleted, for whoever reads from now on."""
        chains, key_of, drop = self._versions.chains, self._map.key_of, self._map.drop
        durable = self._store.durable_ts()
        upto = min(durable, self._store.oldest_read_ts(durable))
        for key, own in gone:
            head = chains.get(own)
            if head is not None:
                if head[0] > upto or (head[2] is not None and key_of(head[2]) == key):
                    continue
                self._let_go_ts = max(self._let_go_ts, head[0])
            drop(key, own)

    def _orders(self, ts: Timestamp) -> list[tuple[Run, SecondaryIndex]] | None:
        """The runs in this index's order; None: of one of them or more it is being made."""
        found = [(run, self._order(run)) for run in self._image.runs_at(ts)]
        ready = [(run, order) for run, order in found if order is not None]
        return ready if len(ready) == len(found) else None

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
