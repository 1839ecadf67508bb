"""What a transaction has written to one table.

The writes themselves are in the transaction's buffer (`txn.write_buffer`): new rows by row id, deleted
row ids, what each touched key holds now. Here is what the executor adds to it:

    unique candidates    (constraint, key) -> primary keys that may hold it; verified against the buffer
    bulk                 Arrow tables with _rid, from COPY and INSERT ... SELECT, kept as they came, and the same
                         sorted by key, as the image will have them: found by binary search, never row by row

An update is a deletion and an insertion with a new row id. Row ids of own rows are final from the start. How statements of
the same transaction see them: `overlay`.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from executor.constraints.rules import TableRules, UniqueRule
from executor.keyed.row_ids import RowIds
from executor.keyed.spans import Bounds, span
from executor.keyed.write import Change, kept_columns
from executor.snapshot.abc import TableImage
from executor.snapshot.columns import row_reader
from executor.snapshot.encoded import NumberedLater
from executor.snapshot.spill import Spill, filtered
from planner.abc import Table
from storage.abc import Row
from txn.abc import Key
from txn.columns import ALL_COLUMNS, Columns
from txn.transaction import Transaction


class BulkDelete:
    """A bulk deletion: the row ids, and what was found out about them beside the loop (a `Removal`)."""

    __slots__ = ("removal", "rids")

    def __init__(self, rids: pa.Array, removal: Any = None) -> None:
        self.rids = rids
        self.removal = removal


_NO_BULK: tuple[list[BulkInsert], tuple[int, int], list[pa.Table]] = ([], (0, 0), [])
_NOTHING_DELETED: tuple[list[BulkDelete], RowIds] = ([], RowIds())
_NOTHING_GONE: tuple[tuple[int, int], RowIds] = ((0, 0), RowIds())
_UNSORTED: tuple[int, list[Key]] = (-1, [])
_SOME = 2
"""More rows that stay under their keys are buffered together."""
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

    def among(self, gone: RowIds) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """Which of the rows are in the set; None: not one. Of rows that nobody has decoded the first and the last tell mostly."""
        rows = self._rows
        if isinstance(rows, NumberedLater) and not gone.overlaps(*rows.span):
            return None
        return gone.among(self.rids)

    @property
    def num_rows(self) -> int:
        return int(self._rows.num_rows)

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
        "_candidates", "_deleted", "_gone", "_live", "_sorted", "_spill", "buffer", "bulk", "bulk_deleted", "evades",
        "image", "rules", "settled", "shard", "taken", "txn",
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
        self.evades = False
        """A statement with ON CONFLICT has written here: who sent it is promised that no key is refused."""
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

    def as_it_is(self) -> TableWrites:
        """A copy for somebody who reads it, whatever comes after."""
        made = TableWrites(self.txn, self.rules, self.image, self._spill)
        made.buffer = self.buffer.copy()
        made.bulk, made.bulk_deleted = list(self.bulk), list(self.bulk_deleted)
        made._candidates = {key: list(keys) for key, keys in self._candidates.items()}
        made.taken = dict(self.taken)
        return made

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
        rules.counts.applied(changes)
        alone, size_bytes = not (rules.uniques or rules.references), rules.size_bytes
        if alone and len(changes) > _SOME and self._replaced(changes, next_rid, written):
            return
        for old_key, old_rid, old_row, new_key, new_row in changes:
            if alone and new_row is not None and old_row is not None and new_key == old_key:
                txn.replace(shard, old_key, old_rid, next_rid(), new_row, written, size_bytes(new_row))
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
                if old_row is not None and rules.key is None:
                    txn.renamed(shard, old_key, key)
            if not alone:
                self._note_keys(old_row, new_row, key, columns)

    def _replaced(self, changes: Sequence[Change], next_rid: Callable[[], int], written: Columns) -> bool:
        """Buffers changes together, if all are of rows that stay under keys of their own."""
        stay = {
            old_key: (old_rid, new_row)
            for old_key, old_rid, old_row, new_key, new_row in changes
            if old_row is not None and new_row is not None and new_key == old_key
        }
        if len(stay) < len(changes):
            return False
        rids, rows = zip(*stay.values(), strict=True)
        size_bytes = sum(map(self.rules.size_bytes, rows))
        new_rids = [next_rid() for _ in rids]
        self.txn.replace_each(self.shard, list(stay), rids, new_rids, rows, written, size_bytes)
        return True

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

    def insert_bulk(self, insertion: BulkInsert) -> None:
        """Rows that are staged already."""
        many = insertion.num_rows
        if insertion.replaces is None:
            self.rules.counts.wrote(inserted=many)
        else:
            self.rules.counts.wrote(updated=many)
        self.bulk.append(insertion)

    def delete_bulk(self, deletion: BulkDelete, *, replaced: bool = False) -> None:
        """Rows deleted by row id: own ones leave the buffer, the others go on the list. `replaced`: others come for them."""
        buffer = self.buffer
        if not replaced:
            self.rules.counts.wrote(deleted=len(deletion.rids))
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

        `executor.session.blocks.settling` does the filtering beforehand, where there is much of it.
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
            mask = bulk.among(gone)
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
                mask = bulk.among(gone)
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
            for batch in bulk.rows.to_batches():
                arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
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
