"""A transaction's own writes to one table, laid over the snapshot that it reads.

The writes themselves are in the transaction's buffer (`txn.write_buffer`): new rows by row id, deleted
row ids, what each touched key holds now. Here is what the executor adds to it:

    unique candidates    (constraint, key) -> primary keys that may hold it; verified against the buffer
    bulk                 Arrow tables with _rid, from COPY and INSERT ... SELECT, kept as they came, and the same
                         sorted by key, as the image will have them: found by binary search, never row by row

An update is a deletion and an insertion with a new row id. Row ids of own rows are final from the
start. `OverlayView` is what keyed statements of a block read: own writes first, then the image at the
snapshot; what was asked of the snapshot, found or not, goes into the transaction's read set.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any

import pyarrow as pa

from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed.deferred_keys import NOTHING
from executor.keyed.row_ids import RowIds
from executor.keyed.write import Change, kept_columns
from executor.snapshot.abc import TableImage
from executor.snapshot.columns import row_reader
from executor.snapshot.encoded import NumberedLater
from executor.snapshot.spill import Spill, filtered
from planner.abc import Table
from storage.abc import Row, Timestamp
from txn.abc import Key
from txn.columns import ALL_COLUMNS, Columns
from txn.transaction import Transaction

_MISSING: Any = object()

Bounds = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end."""


class BulkDelete:
    """A bulk deletion: the row ids, and what was found out about them beside the loop (a `Removal`)."""

    __slots__ = ("removal", "rids")

    def __init__(self, rids: pa.Array, removal: Any = None) -> None:
        self.rids = rids
        self.removal = removal


_NO_RUNS: list[Any] = []
_NO_ROWS: frozenset[int] = frozenset()
_NO_BULK: tuple[list[BulkInsert], tuple[int, int], list[pa.Table]] = ([], (0, 0), [])
_NOTHING_DELETED: tuple[list[BulkDelete], RowIds] = ([], RowIds())
_NOTHING_GONE: tuple[tuple[int, int], RowIds] = ((0, 0), RowIds())
_UNSORTED: tuple[int, list[Key]] = (-1, [])
SORTED_IN_MAX = 100
"""New keys are put among sorted ones one by one; more of them are sorted with all the others."""


class BulkInsert:
    """A bulk insert of the transaction: its rows with `_rid`, and the same sorted for the image.

    The rows are in the transaction's buffer as staged parts already. `replaces`: the deletion of the rows whose
    keys these have, one for one (an UPDATE): so no key of theirs can be taken, and they shadow what they replace.
    """

    __slots__ = ("_rows", "prepared", "replaces")

    def __init__(
        self, rows: pa.Table | NumberedLater, prepared: Any, replaces: BulkDelete | None = None
    ) -> None:
        self._rows = rows
        self.prepared = prepared
        self.replaces = replaces

    @property
    def rows(self) -> pa.Table:
        """Takes its time the first time where they are encoded still: not on the loop, if it can be helped."""
        rows = self._rows
        if isinstance(rows, NumberedLater):
            rows = self._rows = rows.table()
        return rows

    @property
    def rids(self) -> pa.ChunkedArray:
        rows = self._rows
        return rows.rids() if isinstance(rows, NumberedLater) else rows.column(0)

    @property
    def nbytes(self) -> int:
        return int(self._rows.nbytes)


@dataclass(frozen=True, slots=True)
class FinalBulk:
    """What is left of a bulk insert when the transaction ends: all of it as prepared, or rows."""

    rows: Any
    replaces: BulkDelete | None


class TableWrites:
    """One transaction's writes to one table, beyond the buffer of `txn`."""

    __slots__ = (
        "_candidates", "_deleted", "_gone", "_live", "_sorted", "_spill", "buffer", "bulk", "bulk_deleted", "image",
        "rules", "settled", "shard", "taken", "txn",
    )  # fmt: skip

    def __init__(
        self, txn: Transaction, rules: TableRules, image: TableImage | None, spill: Spill | None = None
    ) -> None:
        """`spill`: where bulk rows go that are taken from others."""
        self.txn = txn
        self.rules = rules
        self.shard = rules.table.shard
        self.buffer = txn.writes.of(self.shard)
        self.image = image
        """None: the table was created (or truncated) by this very transaction."""
        self.bulk: list[BulkInsert] = []
        self.bulk_deleted: list[BulkDelete] = []
        """What bulk statements deleted of the base."""
        self.settled = False
        """`bulk` is what is left when the transaction ends: rows that were deleted again are out of it."""
        self._spill = spill
        self._deleted = _NOTHING_DELETED
        self._gone = _NOTHING_GONE
        self._live = _NO_BULK
        self._candidates: dict[tuple[int, Key], list[Key]] = {}
        self.taken: dict[tuple[int, Key], None] = {}
        """Keys of deferrable constraints that rows in the buffer have, or had (`executor.keyed.deferred_keys`)."""
        self._sorted = _UNSORTED

    @property
    def table(self) -> Table:
        return self.rules.table

    @property
    def by_key(self) -> dict[Key, tuple[int, Row] | None]:
        return self.buffer.by_key

    @property
    def has_rows(self) -> bool:
        """Whether a columnar read must see something of this."""
        buffer = self.buffer
        return bool(buffer.inserts or buffer.deletes or self.bulk or self.bulk_deleted or buffer.parts)

    # --- writing ---------------------------------------------------------------------------

    def apply(
        self, changes: Sequence[Change], next_rid: Callable[[], int], written: Columns = ALL_COLUMNS
    ) -> None:
        """Buffers the changes of one statement. `written`: the columns that differ in rows that stay under their key."""
        txn, shard, rules = self.txn, self.shard, self.rules
        alone = not (rules.uniques or rules.references)
        for old_key, old_rid, old_row, new_key, new_row in changes:
            if alone and new_row is not None and old_row is not None and new_key == old_key:
                txn.replace(shard, old_key, old_rid, next_rid(), new_row, written)
                continue
            key, columns = old_key, ALL_COLUMNS
            if new_row is None:
                txn.delete(shard, key, old_rid)
            elif old_row is not None and new_key == key:
                columns = written
                txn.update(shard, key, old_rid, key, next_rid(), new_row, columns=columns)
            else:
                if old_row is not None:
                    txn.delete(shard, key, old_rid)
                rid = next_rid()
                key = rid if new_key is None else new_key
                txn.insert(shard, key, rid, new_row, blind=True)
            if not alone:
                self._note_keys(old_row, new_row, key, columns)

    def _note_keys(self, old_row: Row | None, new_row: Row | None, key: Key, columns: Columns) -> None:
        """The other keys that a change frees and takes: of unique constraints, and those that are referred to."""
        txn, uniques = self.txn, self.rules.uniques
        if old_row is not None:
            for rule in uniques:
                if (k := rule.key(old_row)) is not None:
                    txn.wrote(rule.space, k, columns=kept_columns(rule, k, new_row, columns))
        if new_row is None:
            return
        for rule in uniques:
            if (k := rule.key(new_row)) is not None:
                columns_there = kept_columns(rule, k, old_row, columns)
                txn.wrote(rule.space, k, blind=True, columns=columns_there)
                self._candidates.setdefault((rule.constraint.oid, k), []).append(key)
                if rule.constraint.deferrable:
                    self.taken[rule.constraint.oid, k] = None
        for reference in self.rules.references:
            if (k := reference.key(new_row)) is not None:
                txn.wrote(reference.space, k, blind=True)

    def delete_bulk(self, deletion: BulkDelete) -> None:
        """Rows deleted by row id: own ones leave the buffer, the others go on the list."""
        buffer = self.buffer
        if buffer.inserts:
            gone = RowIds([deletion.rids])
            for key, entry in list(buffer.by_key.items()):
                if entry is not None and entry[0] in gone and entry[0] in buffer.inserts:
                    self.txn.delete(self.shard, key, entry[0])
        self.bulk_deleted.append(deletion)

    def roll_back(self, bulk: int, deleted: int) -> None:
        """Back to so many bulk writes, after the buffer has gone back to the same savepoint.

        What was derived is derived anew: it is kept by how much there is, which may be the same again with other rows.
        """
        del self.bulk[bulk:], self.bulk_deleted[deleted:]
        self._deleted, self._gone, self._live, self._sorted = (
            _NOTHING_DELETED,
            _NOTHING_GONE,
            _NO_BULK,
            _UNSORTED,
        )

    # --- reading ---------------------------------------------------------------------------

    def has_brought(self, rids: pa.Array) -> bool:
        """Whether some of these rows are the transaction's own, and not what it has made of the base's in bulk."""
        if RowIds(more=self.buffer.inserts).among(rids) is not None:
            return True
        fresh = [b.rids for b in self.bulk if b.replaces is None]
        return RowIds(fresh).among(rids) is not None

    def own_holders(self, rule: UniqueRule, key: Key) -> list[Key]:
        """The own rows with this secondary key: several, where its constraint is put off."""
        found = []
        for own in dict.fromkeys(self._candidates.get((rule.constraint.oid, key), ())):
            entry = self.by_key.get(own)
            if entry is not None and rule.key(entry[1]) == key:
                found.append(own)
        return found

    def own_unique(self, constraint_oid: int, key: Key) -> tuple[Key, int, Row] | None:
        """An own row with this secondary key."""
        rule = next(r for r in self.rules.uniques if r.constraint.oid == constraint_oid)
        by_key = self.by_key
        for own in self._candidates.get((constraint_oid, key), ()):
            entry = by_key.get(own)
            if entry is not None and rule.key(entry[1]) == key:
                return own, entry[0], entry[1]
        return None

    def final_bulk(self) -> list[FinalBulk]:
        """The bulk rows that are left: as they were prepared, or filtered if some were deleted again.

        `executor.session.settling` does the filtering beforehand, where there is much of it.
        """
        if not self.bulk:
            return []
        if self.settled:
            return [
                FinalBulk(b.prepared if b.prepared is not None else b.rows, b.replaces) for b in self.bulk
            ]
        gone = self.gone()
        out: list[FinalBulk] = []
        for bulk in self.bulk:
            mask = gone.among(bulk.rids)
            if mask is None:
                whole = bulk.prepared if bulk.prepared is not None else bulk.rows
                out.append(FinalBulk(whole, bulk.replaces))
            elif not mask.all():
                out.append(FinalBulk(filtered(bulk.rows, ~mask, self._spill), None))
        return out

    def live_bulk(self) -> list[pa.Table]:
        """The bulk rows without those that were deleted again. Kept until something changes."""
        deletes = len(self.buffer.deletes)
        known, seen, tables = self._live
        if known != self.bulk or seen != (len(self.bulk_deleted), deletes):
            gone = self.gone()
            tables = []
            for bulk in self.bulk:
                mask = gone.among(bulk.rids)
                tables.append(bulk.rows if mask is None else filtered(bulk.rows, ~mask, self._spill))
            self._live = (list(self.bulk), (len(self.bulk_deleted), deletes), tables)
        return tables

    @property
    def runs(self) -> list[Any]:
        """The bulk rows by key, newest first; rows that were deleted again are in them."""
        return [b.prepared.run for b in reversed(self.bulk) if b.prepared is not None and b.prepared.run]

    def bulk_rows(self) -> Iterator[tuple[Key, int, Row]]:
        """Own bulk rows one by one: keyed statements after a bulk write in the same block."""
        key_of = self.rules.key
        gone = self.gone()
        for bulk in self.bulk:
            rows = bulk.rows.combine_chunks()
            arrays = {
                n: c.chunk(0) if c.num_chunks else pa.array([], c.type)
                for n, c in zip(rows.column_names, rows.columns, strict=True)
            }
            rids = arrays.pop("_rid").to_pylist()
            read = row_reader(list(arrays.values()))
            for i, rid in enumerate(rids):
                if rid not in gone:
                    row = read(i)
                    yield (key_of(row) if key_of is not None else rid), rid, row

    def deleted_rids(self) -> RowIds:
        """Row ids that bulk statements of this transaction deleted."""
        if self._deleted[0] != self.bulk_deleted:
            self._deleted = (list(self.bulk_deleted), RowIds([d.rids for d in self.bulk_deleted]))
        return self._deleted[1]

    def gone(self) -> RowIds:
        """Row ids that this transaction deleted, by whatever statement. Kept until there are more."""
        buffer = self.buffer
        if not buffer.deletes:
            return self.deleted_rids()
        seen = (len(self.bulk_deleted), len(buffer.deletes))
        if self._gone[0] != seen:
            bulk = [self.deleted_rids().array()] if self.bulk_deleted else ()
            self._gone = (seen, RowIds(bulk, buffer.deletes))
        return self._gone[1]

    def sorted_keys(self) -> list[Key]:
        """The keys in the buffer, in order: new ones are put among those that were sorted before."""
        by_key, (count, keys) = self.by_key, self._sorted
        fresh = len(by_key) - max(count, 0)
        if count < 0 or fresh > SORTED_IN_MAX:
            keys = sorted(by_key)
        elif fresh:
            for key in islice(reversed(by_key), fresh):  # a dict's latest keys are its last
                bisect.insort(keys, key)
        self._sorted = (len(by_key), keys)
        return keys

    def count_between(self, bounds: Bounds) -> int:
        """How many keys of a range are in the buffer."""
        start, stop = span(self.sorted_keys(), *bounds) if self.by_key else (0, 0)
        return stop - start

    @property
    def in_bulk(self) -> bool:
        return bool(self.bulk or self.bulk_deleted)


class OverlayView:
    """The keyed view of one table inside a transaction (see `executor.keyed.read.KeyedView`).

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
        self._loose: dict[Key, tuple[int, Row]] | None = None
        """Bulk rows of a table without keys, if somebody asks for one by its row id."""

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

        Notes nothing: what an index was asked for is recorded by who asks. Not where rows were written in bulk.
        """
        writes, own = self.writes, self._by_key
        assert not writes.in_bulk
        if self.base is None or len(own) > rows_max:
            return None
        everything, value_of = range(len(writes.table.columns)), itemgetter(*positions)
        index = getattr(self.base, "index", None)
        found: list[Row] | None
        if index is None:  # history, which was fetched for this statement
            found = [row for _, _, row in self.base.scan(None, None, ts) if value_of(row) == key]
        else:
            found = index(positions).find(key, ts, rows_max, tuple(everything))
        if found is None or not own:
            return found
        key_of = self.key_of
        rows = [row for row in found if key_of(row) not in own]
        return rows + [hit[1] for hit in own.values() if hit is not None and value_of(hit[1]) == key]

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
        self._note((low, high, low_inclusive, high_inclusive))
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
            self._note(looked_at)
        return found

    def _note(self, bounds: Bounds) -> None:
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
        sources: list[Iterator[tuple[Key, tuple[int, Row] | None]]] = []
        if len(self._runs) < len(writes.bulk):
            loose = sorted(((k, (r, row)) for k, r, row in writes.bulk_rows()), key=itemgetter(0))
            keys = between([k for k, _ in loose], *bounds)
            rows = dict(loose)
            sources.append(iter([(k, rows[k]) for k in (reversed(keys) if descending else keys)]))
        else:
            sources += [self._span(run, run.keys.span(*bounds), descending) for run in self._runs]
        own = between(writes.sorted_keys(), *bounds)
        by_key = self._by_key
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


def between(
    keys: Sequence[Key], low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool
) -> Sequence[Key]:
    start, stop = span(keys, low, high, low_inclusive, high_inclusive)
    return keys[start:stop]


def span(
    keys: Sequence[Key], low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool
) -> tuple[int, int]:
    """Where a range of sorted keys begins and ends."""
    start, stop = 0, len(keys)
    if low is not None:
        start = _bound(keys, low, after=not low_inclusive)
    if high is not None:
        stop = _bound(keys, high, after=high_inclusive)
    return start, max(start, stop)


def _bound(keys: Sequence[Key], bound: Key, *, after: bool) -> int:
    """Bisection where a tuple shorter than the keys is a prefix of them."""
    if type(bound) is tuple and keys and len(bound) < len(keys[0]):
        width = len(bound)
        if after:
            return bisect.bisect_right(keys, bound, key=lambda k: k[:width])
        return bisect.bisect_left(keys, bound, key=lambda k: k[:width])
    return bisect.bisect_right(keys, bound) if after else bisect.bisect_left(keys, bound)
