"""The conflict index: when was each key last written, and in which columns?

A transaction that read at 100 and commits at 140 is serializable if nothing that it read was written
in (100, 140). Walking every commit in between (seed: SlateDB's first design) costs in proportion
to how busy the others were. Here each check is a look-up.

    keyspace "t7"      all columns      key 3 -> 104   key 9 -> 131          (inserted, deleted)
                       {b, c}           key 5 -> 138   key 9 -> 120          (UPDATE t SET b = ..., c = ...)
                       {d}              key 5 -> 126                         (UPDATE t SET d = ...)
                       whole:  0        nothing as large as "all keys" was written
                       newest: 138

    point  9 (all)    at 120   131 > 120                            conflict
    point  5 (row, d) at 130   {d}: 126, {b, c} is of no concern    fine
    range 1..4 (all)  at 120   max(key 3) = 104                     fine, also if the range is empty of rows
    whole  (all)      at 140   138 <= 140                           fine, without looking at any key

* **Layers.** What was written in the same columns (`txn.columns`) is together (`txn.written_keys`): a statement writes
  the same columns whenever it runs, so a table has about as many layers as there are different UPDATEs of it, however
  many commits and keys. A check looks at those layers whose columns it shares: its answer is exact. Past `LAYERS_MAX`
  a further set counts as all columns, which refuses more and never less.
* `record` is two dictionary operations: taking a key out and putting it in again keeps a layer in order of time.
* **Collection.** An entry at or below the oldest open snapshot can conflict with nothing. The index is
  bounded: past `keys_max` the oldest half goes, and `floor` remembers up to when knowledge is lost; a
  transaction older than that expires (TransactionExpired) instead of being waved through.

A key is a datum or tuple of datums; a shorter tuple as a range's bound is a prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice, repeat
from operator import itemgetter
from typing import Final

from storage.abc import Timestamp
from txn.abc import Key, Keyspace, TransactionExpired
from txn.columns import ALL_COLUMNS, Columns
from txn.written_keys import WrittenKeys

KEYS_MAX = 2_000_000
LAYERS_MAX: Final = 32

_NEVER: Final = repeat(0)
_SOME: Final = 2
"""More keys are recorded together."""
_columns_of: Callable[[tuple[object, Columns]], Columns] = itemgetter(1)

Record = tuple[WrittenKeys, Key, Timestamp]
"""Where a write was recorded, its key, and the timestamp that was there before (0: none): enough to take it back."""


class _Space:
    """One keyspace's recent writes."""

    __slots__ = ("layers", "name", "newest", "replaced", "whole")

    def __init__(self, name: Keyspace) -> None:
        self.name = name
        self.layers: dict[Columns, WrittenKeys] = {ALL_COLUMNS: WrittenKeys(name, ALL_COLUMNS)}
        self.newest: Timestamp = 0
        self.whole: Timestamp = 0
        self.replaced: Timestamp = 0  # the last of those that did more than to insert

    def layer(self, columns: Columns) -> WrittenKeys:
        """A new layer, or that of all columns where there are too many."""
        if len(self.layers) >= LAYERS_MAX:
            return self.layers[ALL_COLUMNS]
        made = self.layers[columns] = WrittenKeys(self.name, columns)
        return made


class ConflictIndex:
    """Last commit timestamp per recently written key, for validation at commit."""

    def __init__(self, *, keys_max: int = KEYS_MAX, floor: Timestamp = 0) -> None:
        self.keys_max = keys_max
        self.floor: Timestamp = floor
        """Writes at or below it may be unknown: snapshots older than it cannot be validated."""
        self._spaces: dict[Keyspace, _Space] = {}

    # --- recording ---------------------------------------------------------------------------

    def record(self, space: Keyspace, key: Key, ts: Timestamp, columns: Columns = ALL_COLUMNS) -> Record:
        """Of `key`, `columns` were written at `ts`, which is at least that of the record before."""
        try:
            s = self._spaces[space]
        except KeyError:
            s = self._spaces[space] = _Space(space)
        try:
            keys = s.layers[columns]
        except KeyError:
            keys = s.layer(columns)
        last = keys.last
        before = last.pop(key, 0)  # taken out, so that the dict stays in order of time
        last[key] = ts
        keys.newest = s.newest = ts
        return keys, key, before

    def record_each(
        self, space: Keyspace, keys: Mapping[Key, tuple[object, Columns]], ts: Timestamp
    ) -> list[Record]:
        """`record` for many keys of a keyspace: key -> (anything, the columns that were written)."""
        if not keys:  # all of them have been taken back: nothing was written at `ts`
            return []
        try:
            s = self._spaces[space]
        except KeyError:
            s = self._spaces[space] = _Space(space)
        s.newest = ts
        if len(keys) > _SOME:
            written = set(map(_columns_of, keys.values()))
            if len(written) == 1:  # mostly all are written in the same ones
                columns = written.pop()
                layer = s.layers.get(columns) or s.layer(columns)
                layer.newest = ts
                last = layer.last
                before = list(map(last.pop, keys, _NEVER))
                last.update(zip(keys, repeat(ts)))
                return list(zip(repeat(layer), keys, before))
        records: list[Record] = []
        known: Columns | None = None
        for key, (_, columns) in keys.items():
            if columns != known:
                known = columns
                layer = s.layers.get(columns) or s.layer(columns)
                layer.newest = ts
                last = layer.last
            records.append((layer, key, last.pop(key, 0)))
            last[key] = ts
        return records

    def record_all(self, space: Keyspace, ts: Timestamp, *, fresh: bool = False) -> Timestamp:
        """So many keys of `space` were written at `ts` that it counts as all of them. `fresh`: no row was there.

        Returns when that was so before.
        """
        s = self._spaces.get(space)
        if s is None:
            s = self._spaces[space] = _Space(space)
        before, s.whole, s.newest = s.whole, ts, ts
        if not fresh:
            s.replaced = ts
        return before

    def restore(self, records: Sequence[Record], whole: Sequence[tuple[Keyspace, Timestamp]]) -> None:
        """Takes records back, newest first: their commit has definitely failed.

        They are what `record` returned, and for `record_all` the space with it. Costs in proportion to the layers touched.
        """
        touched: dict[WrittenKeys, None] = {}
        for keys, key, before in reversed(records):
            touched[keys] = None
            keys.last.pop(key, None)
            if before:
                keys.last[key] = before
        spaces = dict.fromkeys(keys.space for keys in touched)
        for keys in touched:
            keys.resort()
        for space, before in reversed(whole):
            spaces[space] = None
            s = self._spaces.get(space)
            if s is not None:
                s.whole = before
                s.replaced = min(s.replaced, before)
        for space in spaces:
            s = self._spaces.get(space)
            if s is not None:
                s.newest = max(s.whole, *(keys.newest for keys in s.layers.values()))

    # --- checks: the conflicting commit's timestamp, or 0 ------------------------------------

    def point(self, space: Keyspace, key: Key, after: Timestamp, columns: Columns = ALL_COLUMNS) -> Timestamp:
        """When one of the columns of `key` was last written, if that was after `after`; 0 if not."""
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return 0
        newest = s.whole if s.whole > after else 0
        for written, keys in s.layers.items():
            if written & columns and keys.newest > after:
                ts = keys.last.get(key, 0)
                if ts > after and ts > newest:
                    newest = ts
        return newest

    def quiet(self, space: Keyspace, keys: Collection[Key], after: Timestamp) -> bool:
        """Whether certainly none of some keys was written after `after`, whatever the columns: a look at each, in C where they are
        many. (False: ask for them one by one.)"""
        s = self._spaces.get(space)
        if s is None or s.newest <= after or not keys:
            return True
        if s.whole > after:
            return False
        if len(keys) <= _SOME:
            for layer in s.layers.values():
                if layer.newest > after:
                    last = layer.last
                    for key in keys:
                        if last.get(key, 0) > after:
                            return False
            return True
        for layer in s.layers.values():
            if layer.newest > after and max(map(layer.last.get, keys, _NEVER)) > after:
                return False
        return True

    def whole(self, space: Keyspace, after: Timestamp, columns: Columns = ALL_COLUMNS) -> Timestamp:
        """When one of the columns of any key of `space` was last written, if that was after `after`."""
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return 0
        if columns == ALL_COLUMNS:
            return s.newest
        newest = s.whole
        for written, keys in s.layers.items():
            if written & columns and keys.newest > newest:
                newest = keys.newest
        return newest if newest > after else 0

    def written_since(
        self, space: Keyspace, after: Timestamp, columns: Columns, keys_max: int
    ) -> list[tuple[Key, Timestamp]] | None:
        """The keys of which one of the columns was written after `after`, and when, some of them twice. None: they are more, or not listed."""
        s = self._spaces.get(space)
        if s is None or s.newest <= after:
            return []
        if s.whole > after:
            return None
        found: list[tuple[Key, Timestamp]] = []
        for written, keys in s.layers.items():
            if written & columns and keys.newest > after:
                last = keys.last
                for key in reversed(last):
                    ts = last[key]
                    if ts <= after:
                        break
                    if len(found) >= keys_max:
                        return None
                    found.append((key, ts))
        return found

    def in_bulk(self, space: Keyspace, after: Timestamp) -> Timestamp:
        """When so much of `space` was last written that it counts as all keys, if that was after `after`."""
        s = self._spaces.get(space)
        return s.whole if s is not None and s.whole > after else 0

    def range(
        self,
        space: Keyspace,
        low: Key | None,
        high: Key | None,
        after: Timestamp,
        columns: Columns = ALL_COLUMNS,
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
        for written, keys in s.layers.items():
            if written & columns and keys.newest > after:
                ts = keys.range(low, high, after, low_inclusive, high_inclusive)
                if ts:
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
        for keys in s.layers.values():
            last = keys.last
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
        for s in self._alive(horizon):
            total += sum(keys.trim(horizon) for keys in s.layers.values())
        if total > self.keys_max:
            total = self._shed()
        return total

    def _alive(self, horizon: Timestamp) -> list[_Space]:
        """Spaces that were written since; others go, and so do layers (that of all columns is left, empty)."""
        alive: list[_Space] = []
        for name in list(self._spaces):
            s = self._spaces[name]
            if s.newest <= horizon:
                del self._spaces[name]
                continue
            alive.append(s)
            for columns in [c for c, keys in s.layers.items() if keys.newest <= horizon]:
                if columns != ALL_COLUMNS:
                    del s.layers[columns]
                elif s.layers[columns].last:
                    s.layers[columns] = WrittenKeys(name, ALL_COLUMNS)
        return alive

    def _shed(self) -> int:
        """Past the bound: about the older half of all entries goes, and `floor` rises to the newest of them."""
        layers = [keys for s in self._spaces.values() for keys in s.layers.values()]
        sample = sorted(ts for keys in layers for ts in islice(keys.last.values(), 0, None, 16))
        horizon = sample[len(sample) // 2]
        self.floor = max(self.floor, horizon)
        return sum(keys.shed(horizon) for s in self._alive(horizon) for keys in s.layers.values())

    def __len__(self) -> int:
        return sum(len(keys.last) for s in self._spaces.values() for keys in s.layers.values())
