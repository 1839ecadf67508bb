"""From memory to runs, and from many runs to few.

    versions at or below T  --snapshot, thread-->  a run on top  --trim-->  memory holds what is above T
    run run run run run     --merge, thread----->  run run       (sizes grow from new to old)

T is the oldest timestamp that a transaction still reads at; then a run tells readers all they can ask, but for
AS OF queries, which DuckDB answers. Where a transaction lags behind so far that memory would grow without bound,
T is the newest durable timestamp: it gets TooOldForKeyed, too. Nothing at or below a durable timestamp is
ever added later, so what a thread makes of a snapshot of the chains is still exact when the loop puts it in place.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.merging import merge_runs
from executor.snapshot.runs import TOMBSTONE, Run, RunShape, build_run
from executor.snapshot.spill import Spill
from executor.snapshot.versions import Version
from storage.abc import Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store_upkeep import StoreUpkeep

TRIM_SLICE = 5_000
"""Keys trimmed from memory per turn of the loop: about 1 ms."""


async def compact(store: StoreUpkeep, image: TableImage) -> None:
    """Moves versions to a run if there are many, then merges runs if there are many."""
    await flush_versions(store, image)
    while (span := merge_span([r.size for r in image.durable_runs()], store.limits.runs_max)) is not None:
        runs = image.durable_runs()
        chosen = runs[span[0] : span[1]]
        bottom = chosen[-1] is image.runs[-1]
        merged = await store.sort(lambda c=chosen, b=bottom: _merge(c, b, store.spill))  # type: ignore[misc]
        if not image.install_runs(chosen, [merged] if merged.size else []):
            return


async def flush_versions(store: StoreUpkeep, image: TableImage) -> None:
    """Moves versions at or below a timestamp out of memory."""
    chains = image.versions.chains
    if not chains:
        return
    durable = store.durable_ts()
    upto = min(store.oldest_read_ts(durable), durable)
    if store.pressed or max(len(chains), image.versions_held) >= 2 * store.limits.versions_max:
        upto = durable
    if not image.keyed:
        upto = min(upto, image.flushed_ts)
    items = list(chains.items())
    shape = image.shape
    if image.keyed:
        run, keys, dropped = await store.sort(lambda: run_of_versions(shape, items, upto, store.spill))
        if image.shape is not shape:  # altered meanwhile: what we have is of no use
            return
        if run is not None:
            image.install_runs((), (run,))
    else:
        keys = [k for k, v in items if v[0] <= upto]
        dropped = len(keys)
    for start in range(0, len(keys), TRIM_SLICE):
        for key in keys[start : start + TRIM_SLICE]:
            image.versions.trim(key, upto)
        await asyncio.sleep(0)
    image.versions_held = len(chains) if upto == durable else max(len(chains), image.versions_held - dropped)
    image.versions.rebuild_uniques()
    image.release_rid_keys()


def run_of_versions(
    shape: RunShape, items: list[tuple[Key, Version]], upto: Timestamp, spill: Spill | None
) -> tuple[Run | None, list[Key], int]:
    """A run of the newest version at or below `upto` of each chain, the keys that it covers, and how many
    versions memory need not hold any more."""
    dropped = 0
    keys: list[Key] = []
    rids: list[int] = []
    rows: list[tuple[object, ...]] = []
    first, since = upto, 0
    width = len(shape.types)
    for key, head in items:
        v: Version | None = head
        while v is not None and v[0] > upto:
            v = v[3]
        if v is None:
            continue
        keys.append(key)
        since = max(since, v[0])
        if v[2] is not None:
            rids.append(v[1])
            rows.append(v[2])
        else:
            rids.append(TOMBSTONE)
            rows.append(_tombstone_row(shape.key, key, width))
        while v is not None:
            oldest = v[0]
            v = v[3]
            dropped += 1
        first = min(first, oldest)
    if not keys:
        return None, keys, 0
    key_arrays = None if shape.key else [pa.array(keys, pa.int64())]
    columns = rows_to_arrays(rows, shape.types)
    run = build_run(
        shape, np.array(rids, np.int64), columns, min(first, since), since, key_arrays=key_arrays, spill=spill
    )
    for oid, _, _ in shape.uniques:
        run.secondary(oid)
    return run, keys, dropped


def _tombstone_row(key_positions: tuple[int, ...], key: Key, width: int) -> tuple[object, ...]:
    row: list[object] = [None] * width
    if len(key_positions) == 1:
        row[key_positions[0]] = key
    else:
        for i, p in enumerate(key_positions):
            row[p] = key[i]
    return tuple(row)


def _merge(runs: list[Run], bottom: bool, spill: Spill | None) -> Run:
    run = merge_runs(runs, bottom=bottom, spill=spill)
    for oid, _, _ in run.shape.uniques:
        run.secondary(oid)
    return run


def merge_span(sizes: list[int], runs_max: int) -> tuple[int, int] | None:
    """Which adjacent runs (newest first) to merge, as [start, stop); None if there are few enough.

    From the newest on, as long as what has been gathered is at least half the next one: so a row is
    rewritten a logarithmic number of times, and the oldest, large run only when it has to be.
    """
    if len(sizes) <= runs_max:
        return None
    stop, total = 1, sizes[0]
    while stop < len(sizes) and (stop < len(sizes) - runs_max + 1 or total * 2 >= sizes[stop]):
        total += sizes[stop]
        stop += 1
    return 0, stop
