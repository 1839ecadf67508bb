"""Keyed runs: the bulk of a keyed table, sorted by key, immutable.

    versions in memory          newest, mutable                    (versions.py)
    run 3   [first, since]      flushed versions, or one bulk insert
    run 2   [first, since]      ...
    run 1   [0, since]          hydrated or merged: one row per live key

A run holds exactly one version per key: a row, or a **tombstone** (rid -1). It speaks for readers at
`ts >= since`, the time of its youngest version. A reader at `ts < first`, the time of its oldest
one, passes it by: nothing in it had happened yet. In between, older versions that the run no longer
has may be what the reader needs: `TooOldForKeyed`, and DuckDB answers, which has every version.

Lookups go down the stack and stop at the first run that has the key; so a run shadows those
below it, and merging adjacent runs (newest version per key wins, tombstones vanish at the bottom)
never changes an answer. The stack is kept short: every run costs a search per miss.

Rows are Arrow columns (read cell by cell through `columns`), keys an index over their key columns
(`keys`), secondary unique keys a sorted permutation. Large runs live in memory-mapped files on the local
scratch disk (`spill`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from executor.abc import SideBySide
from executor.keyed.key_values import ColumnForms, formed
from executor.snapshot.columns import (
    PicksReader,
    RowReader,
    block_reader,
    entry_reader,
    picks_reader,
    row_reader,
)
from executor.snapshot.computed import computed
from executor.snapshot.keys import (
    SLICE_ROWS,
    KeyIndex,
    find_sorted,
    in_order,
    key_index,
    repeats,
    sort_order,
)
from executor.snapshot.partial import rows_of
from executor.snapshot.spill import Column, Spill, mapped, one_array, spilled
from planner.keyed_plans import ComputedColumns, PartialColumns
from storage.abc import Row, Timestamp
from txn.abc import Key

RID = "_rid"
TOMBSTONE = -1
NO_COLUMNS = 0
"""The key of rows by no columns at all."""

Rids = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class RunShape:
    """What a table's runs look like.

    `key` are the positions of the key's columns; empty: the key is the row id (a table without a
    primary key but with unique constraints). `uniques`: (constraint oid, positions, nulls_not_distinct).
    `key_forms` and `unique_forms` (by constraint oid) are what makes the columns of keys comparable.
    """

    types: tuple[pa.DataType, ...]
    key: tuple[int, ...]
    uniques: tuple[tuple[int, tuple[int, ...], bool], ...] = ()
    key_forms: ColumnForms = ()
    unique_forms: tuple[tuple[int, ColumnForms], ...] = ()

    def key_arrays(self, rids: pa.Array, columns: Sequence[pa.Array]) -> list[pa.Array]:
        return formed([columns[i] for i in self.key], self.key_forms) if self.key else [rids]

    def forms_of(self, unique_oid: int) -> ColumnForms:
        return next((forms for oid, forms in self.unique_forms if oid == unique_oid), ())


class SecondaryIndex:
    """A sorted permutation of a run's live rows by a secondary key, made when first asked for.

    Where keys repeat (an index that is not unique) the rows of one are found by `keys.left` and `keys.right` alone.
    A position `~i` asks for rows that have no value in column i (`executor.snapshot.indexes`).
    """

    __slots__ = ("_places", "_rows", "_with_nulls", "gone", "keys")

    def __init__(
        self, run: Run, positions: tuple[int, ...], nulls_not_distinct: bool, forms: ColumnForms = ()
    ) -> None:
        if isinstance(positions, ComputedColumns):
            columns = computed(positions, run.columns)
        else:
            columns = formed([run.columns[i] for i in positions if i >= 0], forms)
        if not columns:  # all that have no value are one key's
            columns = [pa.array(np.full(run.size, NO_COLUMNS, np.int16))]
        live = run.rids >= 0
        full = live.copy()
        for i in positions:
            if i < 0:
                full &= run.columns[~i].is_null().to_numpy(zero_copy_only=False)
        for c in columns:
            if c.null_count:
                full &= c.is_valid().to_numpy(zero_copy_only=False)
        if isinstance(positions, PartialColumns):
            full &= rows_of(positions.predicate, run.columns, full)
        rows = np.flatnonzero(full)
        taken = columns if len(rows) == run.size else [c.take(pa.array(rows)) for c in columns]
        order = sort_order(taken)
        rows = rows[order].astype(np.int32 if run.size < 1 << 31 else np.int64)
        keys = [c.take(pa.array(order)) for c in taken]
        self.keys = key_index(keys if run.spill is None else spilled(keys, run.spill))
        if run.spill is not None:
            self.keys.spill(run.spill)
        self._rows = mapped(rows, run.spill)
        self._places: Rids | None = None
        self.gone: dict[tuple[int, int], tuple[int, Timestamp]] = {}
        """(position, step) -> how many from there on are gone, and since when: newer runs or memory have their keys."""
        self._with_nulls: dict[Key, int] = {}
        if nulls_not_distinct:
            read = row_reader(columns)
            self._with_nulls = {read(int(i)): int(i) for i in np.flatnonzero(live & ~full)}

    @property
    def size_bytes(self) -> int:
        places = 0 if self._places is None else int(self._places.nbytes)
        return self.keys.size_bytes + int(self._rows.nbytes) + places

    def find(self, key: Key) -> int:
        """The row number in the run, or -1."""
        if key is None or (type(key) is tuple and None in key):
            return self._with_nulls.get(key, -1)
        i = self.keys.find(key)
        return -1 if i < 0 else int(self._rows[i])

    def rows_between(self, start: int, stop: int) -> list[int]:
        """Row numbers in the run of a span of positions in `keys`."""
        return self._rows[start:stop].tolist()  # type: ignore[no-any-return]

    def row_at(self, position: int) -> int:
        """Row number in the run of a position in `keys`."""
        return int(self._rows[position])

    def place_of(self, row: int, size: int) -> int:
        """The position in `keys` of a row of the run, which has so many; -1: it has none."""
        if self._places is None:
            self._places = np.full(size, -1, self._rows.dtype)
            self._places[self._rows] = np.arange(len(self._rows), dtype=self._rows.dtype)
        return int(self._places[row])

    def rows_at(self, positions: Rids) -> Rids:
        """Row numbers in the run of positions in `keys`."""
        return self._rows[positions].astype(np.int64)

    def find_many(self, arrays: Sequence[pa.Array]) -> Rids:
        """Row numbers of many keys without nulls, -1 where absent."""
        at = self.keys.find_many(arrays)
        if not len(self._rows):
            return at
        return np.where(at >= 0, self._rows[at], -1)


def _no_row(_position: int) -> None:
    """Of a run of tombstones there is nothing to read."""


class Run:
    """One immutable sorted run. Build with `build_run`, `merge_runs`."""

    __slots__ = (
        "_blocks", "_by_rid", "_picks", "_secondary", "_some", "columns", "entry", "find", "first", "key_at", "keys",
        "orders", "rids", "shape", "since", "size", "spill", "tombstones",
    )  # fmt: skip

    def __init__(
        self,
        shape: RunShape,
        key_arrays: Sequence[pa.Array],
        rids: Rids,
        columns: Sequence[pa.Array],
        first: Timestamp,
        since: Timestamp,
        spill: Spill | None = None,
    ) -> None:
        """`spill`: the run is large, and so is what is derived from it later."""
        assert first <= since
        assert all(len(c) == len(rids) for c in columns)
        self.shape, self.rids, self.columns = shape, rids, list(columns)
        self.first, self.since, self.size = first, since, len(rids)
        self.tombstones = int((rids < 0).sum())
        self.spill = spill
        self.keys: KeyIndex = key_index(key_arrays)
        if spill is not None:
            self.keys.spill(spill)
        self.find: Callable[[Key], int] = self.keys.find
        self.key_at = self.keys.key_at
        self._read_with(self.columns)
        self._secondary: dict[int, SecondaryIndex] = {}
        self._by_rid: tuple[Rids, Rids | None] | None = None

    def reshaped(self, shape: RunShape, columns: Sequence[pa.Array], *, in_place: bool) -> Run:
        """The same rows with other columns, under the same keys. `in_place`: those that there were are where they were."""
        new = object.__new__(Run)
        new.shape, new.rids, new.columns = shape, self.rids, list(columns)
        new.first, new.since, new.size = self.first, self.since, self.size
        new.tombstones, new.spill = self.tombstones, self.spill
        new.keys, new.find, new.key_at = self.keys, self.find, self.key_at
        new._read_with(columns)
        new._secondary, new._by_rid = self._secondary, self._by_rid
        if in_place:
            new.orders = self.orders
        return new

    def _read_with(self, columns: Sequence[pa.Array]) -> None:
        self.entry: Callable[[int], tuple[int, Row] | None] = (
            entry_reader(self.rids, columns) if self.tombstones < self.size else _no_row
        )
        self._some: dict[tuple[int, ...], RowReader] = {}
        self._blocks: dict[tuple[int, ...], SideBySide] = {}
        self._picks: dict[int, PicksReader] = {}
        self.orders: dict[tuple[int, ...], SecondaryIndex] = {}
        """By columns that are no key (`executor.snapshot.indexes`)."""

    def some(self, indexes: tuple[int, ...]) -> RowReader:
        """A reader of these columns alone."""
        reader = self._some.get(indexes)
        if reader is None:
            reader = self._some[indexes] = row_reader([self.columns[i] for i in indexes])
        return reader

    def picks(self, index: int) -> PicksReader:
        """A reader of single rows of one column."""
        reader = self._picks.get(index)
        if reader is None:
            reader = self._picks[index] = picks_reader(self.columns[index])
        return reader

    def side_by_side(self, indexes: tuple[int, ...]) -> SideBySide:
        """The rows of these columns alone, for spans of them."""
        rows = self._blocks.get(indexes)
        if rows is None:
            columns = [self.columns[i] for i in indexes]
            rows = SideBySide(block_reader(columns), self.some(indexes), self.size, columns)
            self._blocks[indexes] = rows
        return rows

    def secondary(self, oid: int) -> SecondaryIndex:
        index = self._secondary.get(oid)
        if index is None:
            positions, nulls = next((p, n) for o, p, n in self.shape.uniques if o == oid)
            index = self._secondary[oid] = SecondaryIndex(self, positions, nulls, self.shape.forms_of(oid))
        return index

    def order_bytes(self, constraint_oid: int, positions: tuple[int, ...]) -> int:
        """What the order by a unique constraint or by these columns takes; 0: nobody has asked for it."""
        order = self._secondary.get(constraint_oid) or self.orders.get(positions)
        return 0 if order is None else order.size_bytes

    def positions_of_rids(self, rids: Rids) -> Rids:
        """Row numbers of these row ids, -1 where absent."""
        if self._by_rid is None:
            own = self.rids
            if bool((own[1:] >= own[:-1]).all()):
                self._by_rid = own, None
            else:
                order = np.argsort(own, kind="stable")
                self._by_rid = mapped(own[order], self.spill), mapped(order, self.spill)
        own, places = self._by_rid
        if not len(own) or not len(rids):
            return np.full(len(rids), -1, np.int64)
        if (
            own[0] >= 0 and own[-1] - own[0] == len(own) - 1
        ):  # without gaps, as rows that came together have: no search
            at = rids - own[0]
            at[(at < 0) | (at >= len(own))] = -1
            return at if places is None else np.where(at >= 0, places[at], -1)
        found = [find_sorted(own, rids[at : at + SLICE_ROWS]) for at in range(0, len(rids), SLICE_ROWS)]
        at = np.concatenate(found)
        return at if places is None else np.where(at >= 0, places[at], -1)

    @property
    def size_bytes(self) -> int:
        return int(self.rids.nbytes + sum(c.nbytes for c in self.columns))


def build_run(
    shape: RunShape,
    rids: Rids,
    columns: Sequence[Column],
    first: Timestamp,
    since: Timestamp,
    *,
    key_arrays: Sequence[pa.Array] | None = None,
    presorted: bool = False,
    spill: Spill | None = None,
) -> Run:
    """Sorts rows (distinct keys, key columns of tombstones filled in) into a run.

    `key_arrays` is needed where the key is the row id and there are tombstones, which have none.
    """
    if key_arrays is None:
        keys_of = [one_array(columns[i]) if i in shape.key else columns[i] for i in range(len(columns))]
        key_arrays = shape.key_arrays(pa.array(rids), keys_of)
    order = None if presorted or in_order(key_arrays) else sort_order(key_arrays)
    if order is not None:
        take = pa.array(order)
        rids = rids[order]
        columns = [one_array(c).take(take) for c in columns]
        if shape.key:
            key_arrays = shape.key_arrays(pa.array(rids), columns)
        else:
            key_arrays = [k.take(take) for k in key_arrays]
    assert not repeats(key_arrays).any(), "a run has one version per key"
    own_keys = () if shape.key else key_arrays
    return placed(shape, own_keys, pa.array(rids), columns, first, since, spill)


def placed(
    shape: RunShape,
    own_keys: Sequence[Column],
    rids: Column,
    columns: Sequence[Column],
    first: Timestamp,
    since: Timestamp,
    spill: Spill | None,
) -> Run:
    """A run of sorted columns, in memory or, if it is large, in a mapped file.

    `own_keys`: where the key is the row id, which tombstones have not.
    """
    if spill is None or not spill.wanted(columns):
        rids, columns = one_array(rids), [one_array(c) for c in columns]
        keys = shape.key_arrays(rids, columns) if shape.key else [one_array(k) for k in own_keys]
        return Run(shape, keys, np.asarray(rids), columns, first, since)
    there = spilled([rids, *own_keys, *columns], spill)
    columns = there[1 + len(own_keys) :]
    key_arrays = there[1 : 1 + len(own_keys)] or shape.key_arrays(there[0], columns)
    return Run(shape, key_arrays, np.asarray(there[0]), columns, first, since, spill)
