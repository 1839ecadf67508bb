"""The newest commits: row versions in memory, found by key.

    chains:  key -> (ts, rid, row, older) -> (ts, rid, row, older) -> None
                     newest                   a deletion has row None

A version is a tuple that ends in the next older version, so the common case (one version) is one
tuple, `put` allocates nothing else, and an undo is the assignment of the tail. Readers walk down to
the first version at or below their timestamp. What a chain does not say is said by the keyed runs
below it: memory always shadows runs.

Several writes of one key by one group collapse into one version, as nobody can ever read between
them: a hot row costs one version per group, not one per statement.

Ordered access (a range read) needs the keys sorted, which most workloads never ask for: the sorted
list is made by the first range read, and later keys wait in `fresh` until the next one.

**Secondary unique keys** map to the primary keys that had them lately. They are candidates, not
answers: whoever asks reads each candidate's row at its own timestamp and compares. So an update of a
unique column adds an entry and never has to find the stale one; pruning rebuilds the map. Indexes whose keys
repeat are followed in the same way, from the moment on that somebody has asked by one (`executor.snapshot.indexes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from executor.snapshot.keys import lower_bound, upper_bound
from executor.snapshot.ordered_keys import OrderedKeys, Place
from storage.abc import Row, Timestamp
from txn.abc import Key

Version = tuple[Timestamp, int, Row | None, Any]
"""(ts, rid, row or None if deleted, next older version or None)."""

KeyOf = Callable[[Row], Key]


class UniqueMap:
    """Which primary keys carried a secondary unique key lately (most have exactly one)."""

    __slots__ = ("candidates", "key_of", "oid")

    def __init__(self, oid: int, key_of: KeyOf) -> None:
        self.oid, self.key_of = oid, key_of
        self.candidates: dict[Key, Any] = {}

    def add(self, row: Row, key: Key) -> None:
        own = self.key_of(row)
        if own is None:
            return
        known = self.candidates.get(own)
        if known is None:
            self.candidates[own] = [key]
        elif key not in known:
            known.append(key)

    def clear(self) -> None:
        self.candidates.clear()


class IndexMap(UniqueMap):
    """The same for an index whose keys repeat, of no constraint (`oid` 0): many rows may have a key.

    The order of the keys is made as that of the versions is: when somebody asks for it, and then it is kept.
    """

    __slots__ = ("_fresh", "_order", "_width")

    def __init__(self, key_of: KeyOf, width: int) -> None:
        super().__init__(0, key_of)
        self._width = width
        self._order: OrderedKeys | None = None
        self._fresh: list[Key] = []

    def add(self, row: Row, key: Key) -> None:
        own = self.key_of(row)
        if own is None:
            return
        known = self.candidates.get(own)
        if known is not None:
            known[key] = None
            return
        self.candidates[own] = {key: None}
        if self._order is not None:
            self._fresh.append(own)

    def clear(self) -> None:
        super().clear()
        self._order, self._fresh = None, []

    def drop(self, own: Key, key: Key) -> None:
        """The row under the primary key `key` is no candidate of the index's key `own` any more."""
        known = self.candidates.get(own)
        if known is None:
            return
        known.pop(key, None)
        if known:
            return
        del self.candidates[own]
        if self._order is not None:
            if self._fresh:
                self._order.update(self._fresh)
                self._fresh = []
            self._order.remove(own)

    def between(self, bounds: tuple[Key | None, Key | None, bool, bool], descending: bool) -> Iterator[Key]:
        """The keys in order within the bounds. To be taken before anything is written."""
        if self._order is None:
            self._order = OrderedKeys(self.candidates)
        elif self._fresh:
            self._order.update(self._fresh)
            self._fresh = []
        return self._order.between(*_span(self._order, self._width, *bounds), descending)


def _span(
    order: OrderedKeys,
    width: int,
    low: Key | None,
    high: Key | None,
    low_inclusive: bool,
    high_inclusive: bool,
) -> tuple[Place, Place]:
    """Where a range of sorted keys begins and ends (before it begins, if nothing can be in it)."""
    start: Place = 0, 0
    stop = order.end
    if low is not None:
        if width == 1:
            start = order.left(low) if low_inclusive else order.right(low)
        else:
            start = order.left(lower_bound(low, width, low_inclusive))
    if high is not None:
        if width == 1:
            stop = order.right(high) if high_inclusive else order.left(high)
        else:
            stop = order.left(upper_bound(high, width, high_inclusive))
    return start, stop


class Versions:
    """Chains of versions by key. `width` is the number of key columns."""

    __slots__ = ("_order", "chains", "fresh", "uniques", "width")

    def __init__(self, width: int, uniques: list[UniqueMap] | None = None) -> None:
        self.width = width
        self.chains: dict[Key, Version] = {}
        self.uniques = uniques if uniques is not None else []
        self.fresh: list[Key] | None = None
        self._order: OrderedKeys | None = None

    def __len__(self) -> int:
        return len(self.chains)

    def push(self, key: Key, rid: int, row: Row | None, ts: Timestamp) -> None:
        """A version on top of its chain. The image inlines the common half of this."""
        old = self.chains.get(key)
        if old is not None and old[0] == ts:
            old = old[3]
        elif old is None and self.fresh is not None:
            self.fresh.append(key)
        self.chains[key] = (ts, rid, row, old)
        if row is not None:
            for u in self.uniques:
                u.add(row, key)

    def pop(self, key: Key, ts: Timestamp) -> None:
        """Takes the version at `ts` off its chain, if it is there."""
        head = self.chains.get(key)
        if head is None or head[0] != ts:
            return
        if head[3] is None:
            self._drop(key)
        else:
            self.chains[key] = head[3]

    def trim(self, key: Key, upto: Timestamp) -> None:
        """Forgets the versions at or below `upto`: a run below holds what they said."""
        head = self.chains.get(key)
        if head is None:
            return
        if head[0] <= upto:
            self._drop(key)
            return
        kept: list[Version] = []
        v: Version | None = head
        while v is not None and v[0] > upto:
            kept.append(v)
            v = v[3]
        if v is None:
            return
        tail: Version | None = None
        for ts, rid, row, _ in reversed(kept):
            tail = (ts, rid, row, tail)
        assert tail is not None
        self.chains[key] = tail

    def rebuild_uniques(self) -> None:
        """Candidates of rows that are in memory no more are found in the runs."""
        for u in self.uniques:
            u.clear()
            self._fill(u)

    def follow(self, index: IndexMap) -> None:
        """From now on the map knows which rows in memory have its keys."""
        self._fill(index)
        self.uniques.append(index)

    def _fill(self, candidates: UniqueMap) -> None:
        for key, head in self.chains.items():
            v: Version | None = head
            while v is not None:
                if v[2] is not None:
                    candidates.add(v[2], key)
                v = v[3]

    def keys_between(
        self, low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool, descending: bool
    ) -> Iterator[Key] | None:
        """The keys in order within the bounds; None: there are none. To be taken before anything is written."""
        order = self._sorted()
        start, stop = _span(order, self.width, low, high, low_inclusive, high_inclusive)
        return order.between(start, stop, descending) if start < stop else None

    def count_between(
        self, low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool
    ) -> int:
        """How many keys are within the bounds."""
        order = self._sorted()
        return max(0, order.count(*_span(order, self.width, low, high, low_inclusive, high_inclusive)))

    def _sorted(self) -> OrderedKeys:
        order = self._order
        if order is None:
            order = self._order = OrderedKeys(self.chains)
            self.fresh = []
        elif self.fresh:
            order.update(self.fresh)
            self.fresh = []
        return order

    def _drop(self, key: Key) -> None:
        del self.chains[key]
        if self._order is not None:  # cheaper to sort again than to delete one by one
            self._order = None
            self.fresh = None
