"""Bulk inserts: sorted once, checked by merging, never looked at row by row. (Deletions: `removal.py`.)

    rows --prepare, look_up (any thread)--> Bulk --conflicts (loop)--> [] --put_bulk (loop)--> a run, and DuckDB

Sorting ten million rows takes a second, and so does looking for their keys in as many rows that exist; so
both are functions of immutable things that may run beside the loop. What is left for admission is to look at
memory, at runs that have come since, and at the few keys that were found. Runs whose range of keys does not
even overlap the bulk's, as is usual for appended keys, cost nothing; keys whose row is known to be gone (by a newer
run's tombstone, or because the same transaction deletes it) are left out beside the loop, so that a table can be
emptied and filled again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from executor.keyed.key_values import formed
from executor.keyed.row_ids import RowIds
from executor.snapshot.columns import row_reader
from executor.snapshot.encoded import EncodedRows
from executor.snapshot.keys import KeyIndex, Positions, in_order, key_index, repeats, sort_order
from executor.snapshot.merging import STRETCH_ROWS, Gathered
from executor.snapshot.runs import RID, Rids, Run, RunShape, build_run
from executor.snapshot.spill import Column, Spill, in_one, one_array
from planner import types as t
from storage.abc import Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.lookup import Lookups

CLASHES_MAX = 100
"""So many keys that are taken are worth naming."""


@dataclass(slots=True)
class Bulk:
    """A bulk insert, ready to be admitted."""

    table: pa.Table | EncodedRows
    """For DuckDB: physical column names and `_rid`, in the order given (row ids ascend)."""

    keys: KeyIndex | None = None
    """None for a table without keys."""

    run: Run | None = None
    """The rows as a run, its time still to be set; None if keys come twice."""

    uniques: dict[int, KeyIndex] = field(default_factory=dict)
    with_nulls: dict[int, list[Key]] = field(default_factory=dict)
    """Keys with nulls, where those count (NULLS NOT DISTINCT): indexes have none."""

    duplicates: list[tuple[int, Key]] = field(default_factory=list)
    """(constraint oid, key) of keys that come twice in the rows themselves."""

    found: dict[tuple[int, Run], Positions] = field(default_factory=dict)
    """Which of its keys a run has as well, by constraint and run, as far as looked up already: those of rows that
    nothing newer is known to have replaced or deleted."""

    def __len__(self) -> int:
        return int(self.table.num_rows)


def prepare(
    schema: pa.Schema,
    shape: RunShape,
    keyed: bool,
    primary_oid: int,
    rows: pa.Table,
    first_rid: int | None = None,
    spill: Spill | None = None,
) -> Bulk:
    """Brings rows to the table's schema and sorts them by key. Pure; any thread."""
    rows, rids = split_rids(rows, first_rid, spill)
    # Only keys are put together; the other columns stay in the chunks (and files) that they came in.
    looked_at = {*shape.key, *(i for _, positions, _ in shape.uniques for i in positions)}
    columns: list[Column] = [
        conform(rows.column(i), kind, spill) if i in looked_at else conform_chunks(rows.column(i), kind)
        for i, kind in enumerate(schema.types)
    ]
    table = pa.table([*columns, pa.array(rids)], names=[*schema.names, RID])
    bulk = Bulk(table)
    if not keyed or not len(rids):
        return bulk
    refuse_nan(shape, columns)
    for oid, positions, nulls_not_distinct in shape.uniques:
        compared = formed([columns[i] for i in positions], shape.forms_of(oid))
        index, twice, with_nulls = unique_index(compared, nulls_not_distinct)
        bulk.uniques[oid], bulk.with_nulls[oid] = index, with_nulls
        bulk.duplicates += [(oid, k) for k in twice]
    keys = shape.key_arrays(pa.array(rids), columns)
    if not in_order(keys):
        order = sort_order(keys)
        rids = rids[order]
        columns = rearranged(columns, order, spill)
        columns = [in_one(c, spill) if i in shape.key else c for i, c in enumerate(columns)]
        keys = shape.key_arrays(pa.array(rids), columns)
    bulk.keys = key_index(keys)
    again = np.flatnonzero(repeats(keys))
    bulk.duplicates = [(primary_oid, bulk.keys.key_at(int(i))) for i in again] + bulk.duplicates
    if not len(again):
        bulk.run = build_run(shape, rids, columns, 0, 0, key_arrays=keys, presorted=True, spill=spill)
        for oid, _, _ in shape.uniques:
            bulk.run.secondary(oid)  # now, and not on the loop when the first asks
    return bulk


def refuse_nan(shape: RunShape, columns: Sequence[pa.Array]) -> None:
    """Raises 0A000 for NaN in a key that compares values."""
    keys = [(shape.key, shape.key_forms), *((p, shape.forms_of(oid)) for oid, p, _ in shape.uniques)]
    for positions, forms in keys:
        for i in positions if forms else ():
            t.refuse_nan(columns[i])


def look_up(bulk: Bulk, runs: Sequence[Run], primary_oid: int, ignoring: RowIds | None = None) -> None:
    """Finds the keys that the bulk shares with these runs, newest first. Any thread, as long as it has the bulk to itself.

    `ignoring`: row ids that the same transaction deletes, now and when it commits.
    """
    if bulk.keys is None:
        return
    for depth, run in enumerate(runs):
        if primary_oid and (primary_oid, run) not in bulk.found:
            at, rows = shared_keys(bulk.keys, run.keys)
            bulk.found[primary_oid, run] = _standing(run, at, rows, runs[:depth], ignoring)
        for oid, index in bulk.uniques.items():
            if (oid, run) not in bulk.found:
                secondary = run.secondary(oid)
                at, rows = shared_keys(index, secondary.keys)
                rows = secondary.rows_at(rows)
                bulk.found[oid, run] = _standing(run, at, rows, runs[:depth], ignoring)


def _standing(
    run: Run, at: Positions, rows: Positions, newer: Sequence[Run], ignoring: RowIds | None
) -> Positions:
    """Of the bulk's keys `at`, which the run's rows `rows` have: those whose row may still be there."""
    rids = run.rids[rows]
    stands = rids >= 0
    gone = ignoring.among(rids) if ignoring is not None else None
    if gone is not None:
        stands &= ~gone
    if not stands.all():
        at, rows = at[stands], rows[stands]
    for later in newer:
        if not len(at):
            break
        stands = later.keys.find_many([k.take(pa.array(rows)) for k in run.keys.arrays]) < 0
        at, rows = at[stands], rows[stands]
    return at


def rearranged(columns: Sequence[Column], order: Positions, spill: Spill | None) -> list[Column]:
    """The columns in another order of rows; large ones by stretches, put aside in mapped files."""
    if spill is None or not spill.wanted(columns):
        return [one_array(c.take(pa.array(order))) for c in columns]
    there = [in_one(c, spill) for c in columns]
    whole = Gathered(spill)
    for at in range(0, len(order), STRETCH_ROWS):
        take = pa.array(order[at : at + STRETCH_ROWS])
        whole.add([c.take(take) for c in there])
    return list(whole.columns([c.type for c in there]))


def split_rids(rows: pa.Table, first_rid: int | None, spill: Spill | None = None) -> tuple[pa.Table, Rids]:
    """The columns and the row ids of a table that carries `_rid`, or gets it from a block."""
    if first_rid is not None:
        return rows, np.arange(first_rid, first_rid + rows.num_rows, dtype=np.int64)
    i = rows.schema.get_field_index(RID)
    if i < 0:
        raise ValueError("rows of a bulk insert need their row ids")
    return rows.remove_column(i), np.asarray(in_one(rows.column(i), spill), np.int64)


def conform(column: pa.ChunkedArray, t: pa.DataType, spill: Spill | None = None) -> pa.Array:
    array = in_one(column, spill)
    if array.type == t or (array.type in _LARGE and _LARGE[array.type] == t):
        return array
    return array.cast(t)


def conform_chunks(column: pa.ChunkedArray, t: pa.DataType) -> pa.ChunkedArray:
    """`conform` without putting the chunks together."""
    return column if column.type == t else column.cast(t)


_LARGE = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}


def unique_index(
    columns: Sequence[pa.Array], nulls_not_distinct: bool
) -> tuple[KeyIndex, list[Key], list[Key]]:
    """An index of the keys without nulls, the keys that come twice, and those with nulls if they count."""
    full = np.ones(len(columns[0]), np.bool_)
    for c in columns:
        if c.null_count:
            full &= c.is_valid().to_numpy(zero_copy_only=False)
    twice: list[Key] = []
    with_nulls: list[Key] = []
    if nulls_not_distinct and not full.all():
        read = row_reader(columns)
        with_nulls = [read(int(i)) for i in np.flatnonzero(~full)]
        twice += [k for k, n in Counter(with_nulls).items() if n > 1]
    if not full.all():
        columns = [c.take(pa.array(np.flatnonzero(full))) for c in columns]
    order = pa.array(sort_order(columns))
    columns = [c.take(order) for c in columns]
    same = repeats(columns)
    index = key_index(columns)
    twice += [index.key_at(int(i)) for i in np.flatnonzero(same)]
    if same.any():
        index = key_index([c.filter(pa.array(~same)) for c in columns])
    return index, twice, with_nulls


def conflicts(image: Lookups, bulk: Bulk, ts: Timestamp, ignoring: Container[int]) -> list[tuple[int, Key]]:
    """(constraint oid, key) of keys of the bulk that exist at `ts`, or twice in the bulk; CLASHES_MAX at most."""
    found = list(bulk.duplicates)
    if bulk.keys is None:
        return found
    primary = image.table.primary_key
    look_up(bulk, image.runs, primary.oid if primary else 0)
    indexes: list[tuple[int, KeyIndex, dict[Key, Any]]] = []
    if primary is not None:
        indexes.append((primary.oid, bulk.keys, image.versions.chains))
    indexes += [(u.oid, bulk.uniques[u.oid], u.candidates) for u in image.versions.uniques if u.oid]
    for oid, index, newest in indexes:
        candidates = set(_in_memory(index, newest))
        for run in image.runs:
            candidates.update(index.key_at(i) for i in bulk.found[oid, run].tolist())
        for key in [*sorted(candidates), *bulk.with_nulls.get(oid, ())]:
            hit = image.find_unique(oid, key, ts)
            if hit is not None and hit[1] not in ignoring:
                found.append((oid, key))
                if len(found) >= CLASHES_MAX:
                    return found
    return found


def has_null(key: Key) -> bool:
    return key is None or (type(key) is tuple and None in key)


def _in_memory(index: KeyIndex, known: dict[Key, Any]) -> list[Key]:
    """Keys that the index and a dict of newest versions have in common."""
    if len(known) < index.size:
        return [k for k in known if not has_null(k) and index.find(k) >= 0]
    return [k for k in map(index.key_at, range(index.size)) if k in known]


def shared_keys(a: KeyIndex, b: KeyIndex) -> tuple[Positions, Positions]:
    """The keys that two indexes share: where they are in each."""
    if not a.size or not b.size or a.key_at(0) > b.key_at(b.size - 1) or a.key_at(a.size - 1) < b.key_at(0):
        none = np.empty(0, np.int64)
        return none, none
    small, large = (a, b) if a.size <= b.size else (b, a)
    there = large.find_many(small.arrays)
    here = np.flatnonzero(there >= 0)
    there = there[here]
    return (here, there) if small is a else (there, here)
