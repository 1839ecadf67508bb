"""A transaction's own writes to one table, laid over the snapshot that it reads.

`OverlayView` is what keyed statements of a block read: own writes first (`table_writes`), then the image at the
snapshot; what was asked of the snapshot, found or not, goes into the transaction's read set.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from heapq import merge
from operator import itemgetter
from typing import Any

from executor.constraints.rules import UniqueRule
from executor.keyed.deferred_keys import NOTHING
from executor.keyed.noted_image import walked
from executor.keyed.spans import Bounds, between, span
from executor.keyed.table_writes import TableWrites
from executor.snapshot.unique_keys import unique_key
from storage.abc import Row, Timestamp
from txn.abc import Key
from txn.columns import ALL_COLUMNS, Columns
from txn.read_set import Asked, Walk

_MISSING: Any = object()
_NO_MORE: Any = (_MISSING, None)
_NO_RUNS: list[Any] = []
_NO_ROWS: frozenset[int] = frozenset()


class OverlayView:
    """The keyed view of one table inside a transaction (see `executor.keyed.lookup.KeyedView`).

    `columns` are those that the statement uses of the rows that it finds. Nothing (0) is noted while an INSERT looks
    whether its key is free (that is validated at admission by looking again, and needs no conflict with whoever merely
    touched the key), and while a statement looks for the rows that it must lock before it reads them.
    """

    __slots__ = (
        "_by_key",
        "_columns",
        "_deletes",
        "_gone",
        "_loose",
        "_runs",
        "_shard",
        "base",
        "looked_at",
        "put_off",
        "writes",
    )

    def __init__(self, writes: TableWrites, columns: Columns = ALL_COLUMNS) -> None:
        self.writes = writes
        self._shard = writes.shard
        self._columns = columns
        self.put_off: frozenset[int] = NOTHING
        self.base: Any = writes.image
        """What the snapshot is read from: the image, or history fetched from DuckDB."""
        buffer = writes.buffer
        self._by_key, self._deletes = buffer.by_key, buffer.deletes
        self._gone: Container[int] = _NO_ROWS
        self._runs = _NO_RUNS
        if writes.bulk_deleted:
            self._gone = writes.deleted_rids()
        if writes.bulk:
            self._runs = writes.runs
        self.looked_at: Bounds | None = None
        """How far `first` came last."""
        self._loose: dict[Key, tuple[int, Row]] | None = None
        """Bulk rows of a table without keys, if somebody asks for one by its row id."""

    @property
    def unnoted(self) -> OverlayView:
        view = OverlayView(self.writes, 0)
        view.base, view.put_off = self.base, self.put_off
        return view

    def get(self, key: Key, ts: Timestamp) -> tuple[int, Row] | None:
        if self.writes.bulk:  # what is in it is alive, whatever happened to the key before
            bulk = self._in_bulk(key)
            if bulk is not None:
                return bulk
        own = self._by_key.get(key, _MISSING)
        if own is not _MISSING:
            return own  # type: ignore[no-any-return]
        writes = self.writes
        if self._columns:
            writes.txn.reads.point(self._shard, key, self._columns)
        if self.base is None:
            return None
        hit = self.base.get(key, ts)
        return None if hit is None or hit[0] in self._gone else hit

    def _in_bulk(self, key: Key) -> tuple[int, Row] | None:
        """The transaction's own bulk row with this key."""
        if len(self._runs) < len(self.writes.bulk):
            if self._loose is None:
                self._loose = {k: (r, row) for k, r, row in self.writes.bulk_rows()}
            return self._loose.get(key)
        for run in self._runs:
            i = run.find(key)
            if i >= 0:
                hit: tuple[int, Row] = run.entry(i)
                if not self._is_gone(hit[0]):
                    return hit
        return None

    def _is_gone(self, rid: int) -> bool:
        return rid in self._deletes or rid in self._gone

    def key_of(self, row: Row) -> Key:
        """The primary key of a row."""
        key = self.writes.rules.key
        assert key is not None  # index reads are of tables that have one
        return key(row)

    def count_at_most(self, bounds: Bounds) -> int:
        """How many rows a scan can find at most. Cheap."""
        base = 0 if self.base is None else self.base.count_at_most(*bounds)
        return int(base) + self.writes.count_between(bounds)

    def by_index(
        self, positions: tuple[int, ...], key: Key, ts: Timestamp, rows_max: int
    ) -> list[Row] | None:
        """The rows with this key of an index; None: more than so many, or nobody has sorted them yet.

        Not where rows were written in bulk.
        """
        writes, own = self.writes, self._by_key
        assert not writes.in_bulk
        if self.base is None or len(own) > rows_max:
            return None
        everything, value_of = range(len(writes.table.columns)), unique_key(positions, False)
        index = getattr(self.base, "index", None)
        found: list[Row] | None
        if index is None:  # history, which was fetched for this statement
            found = [row for _, _, row in self.base.scan(None, None, ts) if value_of(row) == key]
        else:
            found = index(positions).find(key, ts, rows_max, tuple(everything))
        if found is not None and self._columns:
            self._note_found(positions, (key,))
        if found is None or not own:
            return found
        key_of = self.key_of
        rows = [row for row in found if key_of(row) not in own]
        return rows + [hit[1] for hit in own.values() if hit is not None and value_of(hit[1]) == key]

    def between(
        self, positions: tuple[int, ...], bounds: Bounds, ts: Timestamp, rows_max: int
    ) -> list[Row] | None:
        """The same of a range of an index's keys."""
        index = getattr(self.base, "index", None)
        if index is None:
            return self._between_then(positions, bounds, ts)
        if not index(positions).is_short(bounds, ts, rows_max):
            return None
        hits = self._along(positions, bounds, ts, False, rows_max)
        if hits is not None and self._columns:
            self._note_found(positions, bounds)
        return None if hits is None else [row for _, _, row in hits if row is not None]

    def _between_then(self, positions: tuple[int, ...], bounds: Bounds, ts: Timestamp) -> list[Row] | None:
        """The same of history, which was fetched for this statement."""
        if self.base is None:
            return None
        if self._columns:
            self._note_found(positions, bounds)
        own, value_of = self._by_key, unique_key(positions, False)
        rows = [row for key, _, row in self.base.scan(None, None, ts) if key not in own]
        rows += [hit[1] for hit in own.values() if hit is not None]
        found = sorted(((v, row) for row in rows if (v := value_of(row)) is not None), key=itemgetter(0))
        start, stop = span([v for v, _ in found], *bounds)
        return [row for _, row in found[start:stop]]

    def walk(
        self, positions: tuple[int, ...], bounds: Bounds, ts: Timestamp, descending: bool, rows_max: int
    ) -> Iterator[tuple[Key, Key, Row | None]] | None:
        """The rows in the order of an index, as `TableIndex.walk` has them; None, too, where own rows are more than so many.

        Notes as far as it is walked.
        """
        hits = self._along(positions, bounds, ts, descending, rows_max)
        if hits is None or not self._columns:
            return hits
        rows = self.writes.image.index(positions)  # type: ignore[union-attr]  # what `_along` has asked
        return walked(hits, self.writes.txn.reads, self._shard, Walk(rows, bounds, descending), self._columns)

    def _along(
        self, positions: tuple[int, ...], bounds: Bounds, ts: Timestamp, descending: bool, rows_max: int
    ) -> Iterator[tuple[Key, Key, Row | None]] | None:
        """Notes nothing."""
        own, index = self._by_key, getattr(self.base, "index", None)
        assert not self.writes.in_bulk
        if index is None or len(own) > rows_max:
            return None
        hits: Iterator[tuple[Key, Key, Row | None]] | None = index(positions).walk(bounds, ts, descending)
        if hits is None or not own:
            return hits
        value_of = unique_key(positions, False)
        made = [(value_of(hit[1]), key, hit[1]) for key, hit in own.items() if hit is not None]
        made = sorted((m for m in made if m[0] is not None), key=itemgetter(0))
        start, stop = span([m[0] for m in made], *bounds)
        mine: list[tuple[Key, Key, Row | None]] = list(made[start:stop])
        if descending:
            mine.reverse()
        there = (hit if hit[1] not in own else (hit[0], hit[1], None) for hit in hits)
        return merge(mine, there, key=itemgetter(0), reverse=descending)

    def along_keys(self, bounds: Bounds, ts: Timestamp, descending: bool) -> Iterator[tuple[Key, int, Row]]:
        """`scan` of rows that are looked at in the same turn, of which there may be many. Notes as far as it is walked."""
        hits = self._walk(bounds, ts, descending, True)
        if not self._columns:
            return hits
        return walked(hits, self.writes.txn.reads, self._shard, Walk(None, bounds, descending), self._columns)

    def _note_found(self, positions: tuple[int, ...], asked: Asked) -> None:
        """The transaction has asked an index. (Of a table that it has made itself nobody else knows.)"""
        image = self.writes.image
        if image is not None:
            self.writes.txn.reads.found(self._shard, image.index(positions), asked, self._columns)

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
        self.note((low, high, low_inclusive, high_inclusive))
        return self._walk((low, high, low_inclusive, high_inclusive), ts, descending, at_once)

    def first(
        self, bounds: Bounds, ts: Timestamp, descending: bool, limit: int, passes: Callable[[Row], bool]
    ) -> list[tuple[Key, int, Row]]:
        """The first `limit` rows of a range that pass. Beyond the last of them nothing was looked at, nor read."""
        found: list[tuple[Key, int, Row]] = []
        if limit <= 0:
            return found
        low, high, low_inclusive, high_inclusive = bounds
        looked_at = bounds
        try:
            for hit in self._walk(bounds, ts, descending, True):
                if passes(hit[2]):
                    found.append(hit)
                    if len(found) == limit:
                        end = hit[0]
                        looked_at = (
                            (end, high, True, high_inclusive)
                            if descending
                            else (low, end, low_inclusive, True)
                        )
                        break
        finally:  # an error, too, says something of the rows
            self.looked_at = looked_at
            self.note(looked_at)
        return found

    def note(self, bounds: Bounds) -> None:
        """The transaction has read this range, if the view is of one that reads."""
        if self._columns:
            low, high, low_inclusive, high_inclusive = bounds
            self.writes.txn.reads.range(
                self._shard,
                low,
                high,
                self._columns,
                low_inclusive=low_inclusive,
                high_inclusive=high_inclusive,
            )

    def _walk(
        self, bounds: Bounds, ts: Timestamp, descending: bool, at_once: bool
    ) -> Iterator[tuple[Key, int, Row]]:
        """The rows of a range, own writes over the image."""
        writes = self.writes
        low, high, low_inclusive, high_inclusive = bounds
        base: Iterator[tuple[Key, int, Row]] = iter(())
        if self.base is not None:
            base = self.base.scan(
                low,
                high,
                ts,
                low_inclusive=low_inclusive,
                high_inclusive=high_inclusive,
                descending=descending,
                at_once=at_once,
            )
        if not self._by_key and not self._gone and not writes.bulk:
            return base
        by_key = self._by_key
        if not self._gone and not writes.bulk:
            own = between(writes.sorted_keys(), *bounds)
            mine = [(k, by_key[k]) for k in (reversed(own) if descending else own)]
            return _side_by_side(mine, base, descending) if mine else base
        sources: list[Iterator[tuple[Key, tuple[int, Row] | None]]] = []
        if len(self._runs) < len(writes.bulk):
            loose = sorted(((k, (r, row)) for k, r, row in writes.bulk_rows()), key=itemgetter(0))
            keys = between([k for k, _ in loose], *bounds)
            rows = dict(loose)
            sources.append(iter([(k, rows[k]) for k in (reversed(keys) if descending else keys)]))
        else:
            sources += [self._span(run, run.keys.span(*bounds), descending) for run in self._runs]
        own = between(writes.sorted_keys(), *bounds)
        sources.append(iter([(k, by_key[k]) for k in (reversed(own) if descending else own)]))
        sources.append((k, (r, row)) for k, r, row in base if r not in self._gone)
        return _merged(sources, descending)

    def _span(
        self, run: Any, span: tuple[int, int], descending: bool
    ) -> Iterator[tuple[Key, tuple[int, Row] | None]]:
        start, stop = span
        for i in range(stop - 1, start - 1, -1) if descending else range(start, stop):
            hit = run.entry(i)
            if not self._is_gone(hit[0]):
                yield run.key_at(i), hit

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        writes = self.writes
        own = writes.own_unique(constraint_oid, key)
        if own is not None:
            return own
        for run in self._runs:
            i = run.secondary(constraint_oid).find(key)
            if i >= 0:
                hit = run.entry(i)
                if not self._is_gone(hit[0]):
                    return run.key_at(i), hit[0], hit[1]
        if self._columns:
            writes.txn.reads.point(f"{self._shard}/{constraint_oid}", key, self._columns)
        return self._unique_in_base(constraint_oid, key, ts)

    def holders(self, rule: UniqueRule, key: Key, ts: Timestamp) -> int:
        """How many rows have a secondary key."""
        oid = rule.constraint.oid
        many = len(self.writes.own_holders(rule, key))
        for run in self._runs:
            i = run.secondary(oid).find(key)
            many += i >= 0 and not self._is_gone(run.entry(i)[0])
        return many + (self._unique_in_base(oid, key, ts) is not None)

    def _unique_in_base(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        writes = self.writes
        if writes.image is None:
            return None
        found = writes.image.find_unique(constraint_oid, key, ts)
        if found is None or found[1] in self._deletes or found[1] in self._gone:
            return None
        return found


def _side_by_side(
    own: list[tuple[Key, tuple[int, Row] | None]], base: Iterator[tuple[Key, int, Row]], descending: bool
) -> Iterator[tuple[Key, int, Row]]:
    """`_merged` of own rows, one at least, and those below them: what a transaction meets that reads what it has written."""
    mine = iter(own)
    key, hit = next(mine)
    for row in base:
        below = row[0]
        while key is not _MISSING and key != below and (key > below if descending else key < below):
            if hit is not None:
                yield key, hit[0], hit[1]
            key, hit = next(mine, _NO_MORE)
        if key is _MISSING or key != below:
            yield row
            continue
        if hit is not None:
            yield key, hit[0], hit[1]
        key, hit = next(mine, _NO_MORE)
    while key is not _MISSING:
        if hit is not None:
            yield key, hit[0], hit[1]
        key, hit = next(mine, _NO_MORE)


def _merged(
    sources: list[Iterator[tuple[Key, tuple[int, Row] | None]]], descending: bool
) -> Iterator[tuple[Key, int, Row]]:
    """By key, of equal ones the first source's; None: there is no row."""
    last: Any = _MISSING
    for key, hit in merge(*sources, key=itemgetter(0), reverse=descending):
        if key == last:
            continue
        last = key
        if hit is not None:
            yield key, hit[0], hit[1]
