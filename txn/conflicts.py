"""The conflict index: when was each key last written?

A transaction that read at 100 and commits at 140 is serializable if nothing that it read was written
in (100, 140). Walking every commit in between (seed: SlateDB's first design) costs in proportion
to how busy the others were. Here each check is a look-up.

    keyspace "t7"      last:   key 3 -> 104   key 9 -> 131   key 5 -> 138      (order of time)
                       whole:  0               nothing as large as "all keys" was written
                       newest: 138

    point  9    at 120   131 > 120            conflict
    range 1..4  at 120   max(key 3) = 104     fine, also if the range is empty of rows
    whole       at 140   138 <= 140           fine, without looking at any key

* `record` is two dictionary operations: taking a key out and putting it in again keeps the dict in
  order of time, so "what is new since I last looked" is a walk from its end.
* Ranges need the keys in order. That order is built when the first range check asks, and kept up
  from the dict's end from then on: keys in sorted blocks, each with its newest timestamp. A check
  costs two binary searches, the inside of two blocks, and a maximum over the blocks between them at the
  speed of C: 2 microseconds for a short range among a million keys, 30 for nearly all of them.
* **Collection.** An entry at or below the oldest open snapshot can conflict with nothing. The index is
  bounded: past `keys_max` the oldest half goes, and `floor` remembers up to when knowledge is lost; a
  transaction older than that expires (TransactionExpired) instead of being waved through.

A key is a datum or tuple of datums; a shorter tuple as a range's bound is a prefix.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from storage.abc import Timestamp
from txn.abc import Key, Keyspace, TransactionExpired

KEYS_MAX = 2_000_000
TRIM_MIN = 1024
BLOCK = 512


class _Ordered:
    """The keys of one space in sorted blocks with the newest timestamp of each."""

    __slots__ = ("blocks", "firsts", "newest", "synced")

    def __init__(self) -> None:
        self.blocks: list[list[Key]] = []
        self.firsts: list[Key] = []
        self.newest: list[Timestamp] = []
        self.synced: Timestamp = 0  # all writes <= it are in here

    def build(self, last: dict[Key, Timestamp]) -> None:
        keys = sorted(last)
        self.blocks = [keys[i : i + BLOCK] for i in range(0, len(keys), BLOCK)]
        self.firsts = [block[0] for block in self.blocks]
        self.newest = [max(map(last.__getitem__, block)) for block in self.blocks]

    def add(self, key: Key, ts: Timestamp) -> None:
        i = bisect_right(self.firsts, key) - 1
        if i < 0:
            if not self.blocks:
                self.blocks, self.firsts, self.newest = [[key]], [key], [ts]
                return
            i = 0
        block = self.blocks[i]
        j = bisect_left(block, key)
        if j == len(block) or block[j] != key:
            block.insert(j, key)
            self.firsts[i] = block[0]
            if len(block) > 2 * BLOCK:
                self.blocks[i : i + 1] = [block[:BLOCK], block[BLOCK:]]
                self.firsts[i : i + 1] = [block[0], block[BLOCK]]
                # The newest of both halves is at most this; the next line makes one of them exact.
                self.newest[i : i + 1] = [self.newest[i], self.newest[i]]
                if bisect_right(self.firsts, key) - 1 != i:
                    i += 1
        if ts > self.newest[i]:
            self.newest[i] = ts


class _Space:
    """One keyspace's recent writes."""

    __slots__ = ("last", "newest", "ordered", "replaced", "trim_at", "whole")

    def __init__(self) -> None:
        self.last: dict[Key, Timestamp] = {}  # in order of time
        self.newest: Timestamp = 0
        self.whole: Timestamp = 0
        self.replaced: Timestamp = 0  # the last of those that did more than to insert
        self.ordered: _Ordered | None = None
        self.trim_at = TRIM_MIN  # keys from which it is worth looking for what can go

    def order(self) -> _Ordered:
        """The sorted view, brought up to date."""
        last, ordered = self.last, self.ordered
        if ordered is None:
            ordered = self.ordered = _Ordered()
            ordered.build(last)
        else:
            # A key at exactly `synced` may have come after the last look (later in one group).
            synced = ordered.synced
            changed = []
            for key in reversed(last):
                ts = last[key]
                if ts < synced:
                    break
                changed.append((key, ts))
            if len(changed) > 1000 and 4 * len(changed) > len(last):
                ordered.build(last)
            else:
                for key, ts in changed:
                    ordered.add(key, ts)
        ordered.synced = self.newest
        return ordered


class ConflictIndex:
    """Last commit timestamp per recently written key, for validation at commit."""

    def __init__(self, *, keys_max: int = KEYS_MAX, floor: Timestamp = 0) -> None:
        self.keys_max = keys_max
        self.floor: Timestamp = floor
        """Writes at or below it may be unknown: snapshots older than it cannot be validated."""
        self._spaces: dict[Keyspace, _Space] = {}

    # --- recording ---------------------------------------------------------------------------

    def record(self, space: Keyspace, key: Key, ts: Timestamp) -> Timestamp:
        """`key` was written at `ts`, which is at least that of the record before. Returns what was known."""
        try:
            s = self._spaces[space]
        except KeyError:
            s = self._spaces[space] = _Space()
        last = s.last
        before = last.pop(key, 0)  # taken out, so that the dict stays in order of time
        last[key] = ts
        s.newest = ts
        return before

    def record_all(self, space: Keyspace, ts: Timestamp, *, fresh: bool = False) -> Timestamp:
        """So many keys of `space` were written at `ts` that it counts as all of them. `fresh`: no row was there."""
        s = self._spaces.get(space)
        if s is None:
            s = self._spaces[space] = _Space()
        before, s.whole, s.newest = s.whole, ts, ts
        if not fresh:
            s.replaced = ts
        return before

    def restore(
        self, records: Sequence[tuple[Keyspace, Key, Timestamp]], whole: Sequence[tuple[Keyspace, Timestamp]]
    ) -> None:
        """Takes records back, newest first: their commit has definitely failed.

        Each names what `record` (or `record_all`) returned. Costs in proportion to the spaces touched.
        """
        touched: set[Keyspace] = set()
        for space, key, before in reversed(records):
            touched.add(space)
            s = self._spaces.get(space)
            if s is not None:
                s.last.pop(key, None)
                if before:
                    s.last[key] = before
        for space, before in reversed(whole):
            touched.add(space)
            s = self._spaces.get(space)
            if s is not None:
                s.whole = before
                s.replaced = min(s.replaced, before)
        for space in touched:
            s = self._spaces.get(space)
            if s is not None:
                s.last = dict(sorted(s.last.items(), key=lambda item: item[1]))
                s.newest = max(s.whole, next(reversed(s.last.values()), 0))
                s.ordered = None

    # --- checks: the conflicting commit's timestamp, or 0 ------------------------------------

    def point(self, space: Keyspace, key: Key, after: Timestamp) -> Timestamp:
        """When `key` was written after `after`, 0 if it was not."""
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return 0
        ts = max(s.last.get(key, 0), s.whole)
        return ts if ts > after else 0

    def whole(self, space: Keyspace, after: Timestamp) -> Timestamp:
        """When any key of `space` was written after `after`."""
        s = self._spaces.get(space)
        return s.newest if s is not None and s.newest > after else 0

    def range(
        self,
        space: Keyspace,
        low: Key | None,
        high: Key | None,
        after: Timestamp,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
    ) -> Timestamp:
        """When a key in the range was written after `after`; None is an open end. It need not exist."""
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return 0
        if s.whole > after:
            return s.whole
        if low is None and high is None:
            return s.newest
        ordered, last = s.order(), s.last
        blocks, newest = ordered.blocks, ordered.newest
        # The first block that can hold a key of the range, and the last.
        first = 0 if low is None else max(0, _search(ordered.firsts, low, right=False) - 1)
        final = len(blocks) - 1 if high is None else _search(ordered.firsts, high, right=high_inclusive) - 1
        if final < first:
            return 0
        if final - first > 1 and max(islice(newest, first + 1, final)) > after:
            for i in range(first + 1, final):
                if newest[i] > after:
                    # A split leaves a block's bound too high at times: be exact, and remember.
                    newest[i] = max([last.get(key, 0) for key in blocks[i]])
                    if newest[i] > after:
                        return newest[i]
        for i in {first, final}:
            if newest[i] <= after:
                continue
            block = blocks[i]
            start = 0 if low is None else _search(block, low, right=not low_inclusive)
            stop = len(block) if high is None else _search(block, high, right=high_inclusive)
            for key in block[start:stop]:
                ts = last.get(key, 0)
                if ts > after:
                    return ts
        return 0

    def among(
        self, space: Keyspace, after: Timestamp, contains: Callable[[Key], bool]
    ) -> tuple[Key | None, Timestamp] | None:
        """A key of a large set whose row was changed after `after`, and when; None: none was.

        Looks at what was written since, key by key. A bulk write of other rows that were there before counts as all
        of them: (None, when).
        """
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return None
        if s.replaced > after:
            return None, s.replaced
        last = s.last
        for key in reversed(last):
            ts = last[key]
            if ts <= after:
                break
            if contains(key):
                return key, ts
        return None

    def validatable(self, after: Timestamp) -> None:
        """Raises TransactionExpired when writes after `after` may have been forgotten."""
        if after < self.floor:
            raise TransactionExpired(
                f"the transaction's snapshot at {after} is older than the conflict window,"
                f" which begins at {self.floor}"
            )

    # --- collection --------------------------------------------------------------------------

    def collect(self, horizon: Timestamp) -> int:
        """Drops what no open snapshot can conflict with: entries `<= horizon`. Returns how many are left.

        `horizon` is the oldest open snapshot's timestamp. Costs what is kept, not what is dropped.
        """
        total = 0
        for name in list(self._spaces):
            s = self._spaces[name]
            if s.newest <= horizon:
                del self._spaces[name]
                continue
            total += self._trim(s, horizon)
        if total > self.keys_max:
            total = self._shed()
        return total

    @staticmethod
    def _trim(s: _Space, horizon: Timestamp) -> int:
        """Looks only when the space has doubled since it last did: constant work per record, all in all."""
        last = s.last
        if len(last) >= s.trim_at:
            if last[next(iter(last))] <= horizon:
                kept: list[tuple[Key, Timestamp]] = []
                for key in reversed(last):
                    ts = last[key]
                    if ts <= horizon:
                        break
                    kept.append((key, ts))
                kept.reverse()
                s.last = dict(kept)
                s.ordered = None
            s.trim_at = max(TRIM_MIN, 2 * len(s.last))
        return len(s.last)

    def _shed(self) -> int:
        """Past the bound: about the older half of all entries goes, and `floor` rises to the newest of them."""
        sample = sorted(ts for s in self._spaces.values() for ts in islice(s.last.values(), 0, None, 16))
        horizon = sample[len(sample) // 2]
        self.floor = max(self.floor, horizon)
        total = 0
        for name in list(self._spaces):
            s = self._spaces[name]
            if s.newest <= horizon:
                del self._spaces[name]
                continue
            s.last = {key: ts for key, ts in s.last.items() if ts > horizon}
            s.ordered = None
            s.trim_at = max(TRIM_MIN, 2 * len(s.last))
            total += len(s.last)
        return total

    def __len__(self) -> int:
        return sum(len(s.last) for s in self._spaces.values())


def _search(keys: list[Any], bound: Key, *, right: bool) -> int:
    """Bisection where a bound shorter than the keys is a prefix and equals all keys that begin with it."""
    if type(bound) is tuple and keys and type(keys[0]) is tuple and len(bound) < len(keys[0]):
        n = len(bound)
        if right:
            return bisect_right(keys, bound, key=lambda key: key[:n])
        return bisect_left(keys, bound, key=lambda key: key[:n])
    return bisect_right(keys, bound) if right else bisect_left(keys, bound)
