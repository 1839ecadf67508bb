"""Bulk deletions: which rows the ids are of is found out beside the loop, and put in place by one assignment.

    row ids --prepare_removal (any thread)--> Removal --remove_bulk (loop)--> a run of tombstones, and DuckDB

The ids are searched by slices, and what was found is marked in one byte for each row of a run; walking over the marks gives the
keys in their order, stretch by stretch, so nothing is sorted and nothing is held but the stretch. A deletion of twenty
million rows so takes their sorted ids, a byte each, and the keys of the tombstones in a mapped file. Columns that
are no key are null in all of them: a hole in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from executor.snapshot.merging import STRETCH_ROWS, Gathered, merge_runs
from executor.snapshot.runs import RID, TOMBSTONE, Rids, Run, RunShape
from executor.snapshot.spill import Spill, in_one, mapped, nulls, one_array, spilled
from storage.sorted_ids import ascending, sorted_distinct

Marks = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(slots=True)
class Removal:
    """A bulk deletion, ready to be admitted."""

    table: pa.Table
    """The row ids, for DuckDB."""

    rids: Rids
    """Sorted."""

    runs: tuple[Run, ...]
    """What was searched for them."""

    run: Run | None
    """Tombstones of those found, their time still to be set."""


def prepare_removal(
    shape: RunShape, runs: tuple[Run, ...], rids: pa.Array, spill: Spill | None = None
) -> Removal:
    """Finds the keys of row ids in runs and makes tombstones of them. Pure; any thread.

    Row ids of a run that a newer run has replaced are passed over: a tombstone goes on top of all runs.
    Memory needs no such care, it shadows the tombstones themselves.
    """
    wanted = sorted_ids(rids, spill)
    found: list[Run] = []
    for depth, run in enumerate(runs):
        marks = _marked(run, wanted, runs[:depth])
        if marks.any():
            found.append(_tombstones(shape, run, marks, spill))
    # Of each key only the newest version was marked, so that no two of these share one.
    tombstones = (
        merge_runs(found, bottom=False, spill=spill) if len(found) > 1 else found[0] if found else None
    )
    return Removal(pa.table({RID: pa.array(wanted)}), wanted, runs, tombstones)


def sorted_ids(rids: Any, spill: Spill | None) -> Rids:
    """Row ids, however they came, in order and once each; over a mapped file where they are many."""
    ids = np.asarray(in_one(rids, spill), np.int64)
    if ascending(ids):
        return ids
    ids = sorted_distinct(ids)
    return mapped(ids, spill if spill is not None and ids.nbytes >= spill.size_bytes_min else None)


def _marked(run: Run, wanted: Rids, newer: Sequence[Run]) -> Marks:
    """The run's rows that have one of these ids and that no newer run has replaced."""
    marks = np.zeros(run.size, np.bool_)
    for start in range(0, len(wanted), STRETCH_ROWS):
        at = run.positions_of_rids(wanted[start : start + STRETCH_ROWS])
        at = at[at >= 0]
        for later in newer:
            if not len(at):
                break
            at = at[later.keys.find_many([k.take(pa.array(at)) for k in run.keys.arrays]) < 0]
        marks[at] = True
    return marks


def _tombstones(shape: RunShape, run: Run, marks: Marks, spill: Spill | None) -> Run:
    """A run that says of these rows that they are gone."""
    whole = Gathered(spill)
    for at in _positions(marks):
        take = pa.array(at)
        whole.add([pa.array(np.full(len(at), TOMBSTONE, np.int64)), *(k.take(take) for k in run.keys.arrays)])
    columns = whole.columns([pa.int64(), *(k.type for k in run.keys.arrays)])
    large = spill is not None and spill.wanted(columns)
    rids, *keys = spilled(columns, spill) if large and spill is not None else map(one_array, columns)
    by_place = dict(zip(shape.key, keys, strict=False))  # none, where the key is the row id
    kinds = enumerate(shape.types)
    rows = [by_place[i] if i in by_place else nulls(len(rids), t, spill) for i, t in kinds]
    return Run(shape, keys, np.asarray(rids), rows, 0, 0, spill if large else None)


def _positions(marks: Marks) -> Iterator[np.ndarray[Any, np.dtype[np.intp]]]:
    """Where the marks are, in order, some hundred thousand at a time."""
    for start in range(0, len(marks), STRETCH_ROWS):
        at = np.flatnonzero(marks[start : start + STRETCH_ROWS])
        if len(at):
            yield at + start


__all__ = ["Removal", "prepare_removal", "sorted_ids"]
