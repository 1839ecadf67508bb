"""Merging runs: one run that answers as some adjacent ones do, of any size, in the memory of a stretch.

    run 1   |a a a a a|c c c|d d      newest          for each key the newest version, row or tombstone
    run 2   |a   b    |c    |d d d                    bottom: nothing lies below, so tombstones vanish
    run 3   |b b b b b|c c  |                         oldest
             stretch   stretch stretch   -->   merged, put aside (in mapped files), put together at the end

The runs are cut at common keys, so that no run has more than some hundred thousand rows between two cuts. What is sorted,
taken and kept apart is one stretch; a merge of eighty million rows needs no more memory than one of a million, and
page cache for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from executor.snapshot.keys import repeats, sort_order
from executor.snapshot.runs import Run, RunShape, placed
from executor.snapshot.spill import Spill, concat, spilled

STRETCH_ROWS = 1 << 19
"""Rows of one run between two cuts, at most."""

Span = tuple[int, int]
_LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


def merge_runs(runs: Sequence[Run], *, bottom: bool, spill: Spill | None = None) -> Run:
    """One run that answers as these adjacent ones do, newest first. `bottom`: nothing lies below."""
    shape = runs[0].shape
    whole = Gathered(spill)
    for spans in stretches(runs, STRETCH_ROWS):
        whole.add(_merged(shape, runs, spans, bottom))
    kinds = [_common([r.columns[i].type for r in runs]) for i in range(len(shape.types))]
    own_keys = [] if shape.key else [pa.int64()]
    rids, *columns = whole.columns([pa.int64(), *own_keys, *kinds])
    keys, columns = columns[: len(own_keys)], columns[len(own_keys) :]
    first, since = min(r.first for r in runs), max(r.since for r in runs)
    return placed(shape, keys, rids, columns, first, since, spill)


def stretches(runs: Sequence[Run], rows_max: int) -> Iterator[list[Span]]:
    """Spans of each run, in key order, that hold the same stretch of keys: all of it, and nothing else."""
    cuts = sorted({r.key_at(at) for r in runs for at in range(rows_max, r.size, rows_max)})
    starts = [0] * len(runs)
    for cut in cuts:
        stops = [r.keys.left(cut) for r in runs]
        yield list(zip(starts, stops, strict=True))
        starts = stops
    yield [(start, r.size) for start, r in zip(starts, runs, strict=True)]


def _merged(shape: RunShape, runs: Sequence[Run], spans: Sequence[Span], bottom: bool) -> list[pa.Array]:
    """One stretch: row ids, the keys where they are row ids of their own, columns."""
    some = [(r, start, stop - start) for r, (start, stop) in zip(runs, spans, strict=True) if stop > start]
    if not some:
        return []
    keys = [concat([r.keys.arrays[i].slice(at, n) for r, at, n in some]) for i in range(runs[0].keys.width)]
    rids = np.concatenate([r.rids[at : at + n] for r, at, n in some])
    order = sort_order(keys)  # stable, so of equal keys the newest run's comes first
    keep = ~repeats([k.take(pa.array(order)) for k in keys])
    if bottom:
        keep &= rids[order] >= 0
    order = order[keep]
    take = pa.array(order)
    columns = [
        concat([r.columns[i].slice(at, n) for r, at, n in some]).take(take) for i in range(len(shape.types))
    ]
    own_keys = [] if shape.key else [k.take(take) for k in keys]
    return [pa.array(rids[order]), *own_keys, *columns]


class Gathered:
    """Columns that come by stretches: what there is so far is in mapped files, but for the last of it."""

    def __init__(self, spill: Spill | None) -> None:
        self._spill = spill
        self._done: list[list[pa.Array]] = []
        self._held_bytes = 0

    def add(self, arrays: list[pa.Array]) -> None:
        if not arrays or not len(arrays[0]):
            return
        size = sum(a.nbytes for a in arrays)
        if self._spill is not None and (self._held_bytes + size) >= self._spill.size_bytes_min:
            arrays = spilled(arrays, self._spill)
            size = 0
        self._held_bytes += size
        self._done.append(arrays)

    def columns(self, kinds: Sequence[pa.DataType]) -> list[pa.ChunkedArray]:
        return [
            pa.chunked_array([a[i] if a[i].type == kind else a[i].cast(kind) for a in self._done], kind)
            for i, kind in enumerate(kinds)
        ]


def _common(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """The type that all chunks of a column fit into: texts may have offsets of 32 or 64 bits."""
    return kinds[0] if len(set(kinds)) == 1 else _LARGE.get(kinds[0], kinds[0])


__all__ = ["Gathered", "merge_runs", "stretches"]
