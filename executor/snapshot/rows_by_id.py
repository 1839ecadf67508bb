"""Rows that are known by their ids, from runs and memory: some of a million, without DuckDB.

    a run      positions of the ids -> rows that nothing newer shadows -> columns, taken at once
    the rest   id -> key -> the newest version, one by one

For readers of the present: what memory says of a row id is about the newest version.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from executor.snapshot.abc import NoKeyedAnswer
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.terms import Ids
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.runs import Run

TOGETHER_MAX = 20_000
ONE_BY_ONE_MAX = 1_000


def rows_by_id(
    image: TableImage, ids: Ids, ts: Timestamp, wanted: Sequence[int], types: Sequence[pa.DataType]
) -> list[pa.Array] | None:
    """These columns, and then the row ids, of those rows that are there at `ts`. None: too many, or not to be had here."""
    if len(ids) > TOGETHER_MAX or not image.keyed or image.cold is not None or ts < image.last_write_ts:
        return None
    parts: list[list[pa.Array]] = []
    left = ids
    if len(image.runs) == 1 and ts >= image.runs[0].since:
        run, chains = image.runs[0], image.versions.chains
        at = run.positions_of_rids(ids)
        there = at >= 0
        if chains:
            key_at = run.key_at
            there &= np.fromiter((i >= 0 and key_at(i) not in chains for i in at.tolist()), bool, len(at))
        places = pa.array(at[there])
        parts.append([*(run.columns[i].take(places) for i in wanted), pa.array(ids[there], pa.int64())])
        left = ids[~there] if chains else ids[:0]
    if len(left) > ONE_BY_ONE_MAX:
        return None
    try:
        rows = _one_by_one(image, left.tolist(), ts)
    except NoKeyedAnswer:
        return None
    if rows or not parts:
        arrays = rows_to_arrays([tuple([row[i] for i in wanted]) for _, row in rows], types)
        parts.append([*arrays, pa.array([rid for rid, _ in rows], pa.int64())])
    return parts[0] if len(parts) == 1 else [pa.concat_arrays(both) for both in zip(*parts, strict=True)]


@dataclass(slots=True)
class Placed:
    """Rows that are there: some by their places in a run, the others as they are."""

    run: Run | None
    places: Ids
    rows: list[Row]


def placed_by_id(image: TableImage, ids: Ids, since: Collection[Key], ts: Timestamp) -> Placed | None:
    """The rows with these ids in a run, and others with them, or under these keys, that are there at `ts`; None: too many for one by
    one. None is there twice."""
    if not len(ids) and not since:
        return Placed(None, ids, [])
    run, places, there, left = None, ids[:0], ids[:0], ids
    if len(image.runs) == 1 and ts >= image.runs[0].since:
        run, chains = image.runs[0], image.versions.chains
        places = run.positions_of_rids(ids)
        there = places >= 0
        if chains:
            key_at = run.key_at
            there &= np.fromiter(
                (i >= 0 and key_at(i) not in chains for i in places.tolist()), bool, len(ids)
            )
        every = 0 not in there.tobytes()  # as `all`, which is asked of a few rows, in a tenth of its time
        left = ids[~there] if chains and not every else ids[:0]
        if not every:
            places = places[there]
    if len(left) > ONE_BY_ONE_MAX:
        return None
    found = dict(_one_by_one(image, left.tolist(), ts))
    placed = set(ids[there].tolist()) if run is not None and since else ()
    for key in since:
        entry = image.get(key, ts)
        if entry is not None and entry[0] not in placed:
            found[entry[0]] = entry[1]
    return Placed(run, places, list(found.values()))


def _one_by_one(image: TableImage, ids: list[int], ts: Timestamp) -> list[tuple[int, Row]]:
    rows: list[tuple[int, Row]] = []
    for rid, key in image.keys_of_rids(ids):
        entry = image.get(key, ts)
        if entry is not None and entry[0] == rid:
            rows.append(entry)
    return rows


__all__ = ["Placed", "placed_by_id", "rows_by_id"]
