"""Merging runs in stretches: the same run, however small the stretches, in memory or in files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executor.snapshot import keys, merging
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.removal import prepare_removal
from executor.snapshot.runs import TOMBSTONE, Run, RunShape, build_run
from executor.snapshot.spill import Spill

SHAPES: dict[str, tuple[RunShape, Any]] = {
    "an integer": (RunShape((pa.int32(), pa.string()), (0,)), lambda k: k),
    "a text": (RunShape((pa.string(), pa.string()), (0,)), lambda k: f"key {k:03}"),
    "a pair": (RunShape((pa.int32(), pa.string(), pa.string()), (0, 1)), lambda k: (k // 4, f"{k % 4}")),
    "the row id": (RunShape((pa.string(),), ()), lambda k: k),
}


def run_of(shape: RunShape, key_of: Any, rows: dict[int, str | None], ts: int, spill: Spill | None) -> Run:
    """`rows`: by number; None: a tombstone."""
    made, rids = [], []
    for n, value in rows.items():
        key = key_of(n)
        own = () if not shape.key else (key,) if len(shape.key) == 1 else key
        made.append((*own, value))
        rids.append(TOMBSTONE if value is None else n if not shape.key else 1000 * ts + n)
    key_arrays = None if shape.key else [pa.array([key_of(n) for n in rows], pa.int64())]
    columns = rows_to_arrays(made, list(shape.types)) if made else [pa.array([], x) for x in shape.types]
    return build_run(shape, np.array(rids, np.int64), columns, ts, ts, key_arrays=key_arrays, spill=spill)


def contents(run: Run) -> list[tuple[Any, Any]]:
    return [(run.key_at(i), run.entry(i)) for i in range(run.size)]


def newest(runs: Sequence[Run], *, bottom: bool) -> list[tuple[Any, Any]]:
    """What a merge is to come to, the slow way."""
    found: dict[Any, Any] = {}
    for run in reversed(runs):
        found.update(contents(run))
    return sorted((k, entry) for k, entry in found.items() if entry is not None or not bottom)


ROWS = st.dictionaries(st.integers(0, 60), st.one_of(st.none(), st.text("ab", max_size=3)), max_size=30)


@pytest.mark.parametrize("kind", SHAPES)
@settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(layers=st.lists(ROWS, min_size=1, max_size=4), bottom=st.booleans(), mapped=st.booleans())
def test_a_merge_has_the_newest_version_of_each_key(
    kind: str, layers: list[dict[int, str | None]], bottom: bool, mapped: bool, tmp_path_factory: Any
) -> None:
    shape, key_of = SHAPES[kind]
    directory = tmp_path_factory.getbasetemp()
    spill = Spill(str(directory), 1) if mapped else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "STRETCH_ROWS", 3)
        runs = [run_of(shape, key_of, rows, 9 - i, spill) for i, rows in enumerate(layers)]
        merged = merging.merge_runs(runs, bottom=bottom, spill=spill)
    assert contents(merged) == newest(runs, bottom=bottom)
    assert [merged.find(key_of(n)) >= 0 for n in range(61)] == [
        key_of(n) in dict(contents(merged)) for n in range(61)
    ]
    assert merged.tombstones == sum(entry is None for _, entry in contents(merged))


@given(sizes=st.lists(st.lists(st.integers(0, 99), max_size=40, unique=True), min_size=1, max_size=3))
@settings(derandomize=True, deadline=None)
def test_stretches_hold_each_key_once_and_are_small(sizes: list[list[int]]) -> None:
    shape, key_of = SHAPES["an integer"]
    runs = [run_of(shape, key_of, dict.fromkeys(keys, "x"), 1, None) for keys in sizes]
    seen: list[set[int]] = []
    for spans in merging.stretches(runs, 4):
        assert all(stop - start <= 4 for start, stop in spans)
        seen.append({r.key_at(i) for r, (a, b) in zip(runs, spans, strict=True) for i in range(a, b)})
    assert set().union(*seen) == {k for keys in sizes for k in keys}
    assert sum(map(len, seen)) == len({k for keys in sizes for k in keys})
    assert seen == sorted(seen, key=lambda s: min(s, default=-1)) or any(not s for s in seen)


@pytest.mark.parametrize("kind", SHAPES)
def test_keys_are_found_slice_by_slice(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape, key_of = SHAPES[kind]
    run = run_of(shape, key_of, dict.fromkeys(range(0, 50, 2), "x"), 1, None)
    asked = run_of(shape, key_of, dict.fromkeys(range(60), "x"), 1, None)
    whole = run.keys.find_many(asked.keys.arrays)
    monkeypatch.setattr(keys, "SLICE_ROWS", 7)
    assert run.keys.find_many(asked.keys.arrays).tolist() == whole.tolist()
    expected = [run.find(asked.key_at(i)) for i in range(asked.size)]
    assert whole.tolist() == expected


@pytest.mark.parametrize("kind", SHAPES)
def test_a_large_deletion_lies_in_files(kind: str, tmp_path: Path) -> None:
    shape, key_of = SHAPES[kind]
    spill = Spill(str(tmp_path), 1)
    run = run_of(shape, key_of, dict.fromkeys(range(40), "x"), 1, spill)
    gone = [i for i in run.rids.tolist() if i % 3 == 0]
    removal = prepare_removal(shape, (run,), pa.array(gone), spill)
    assert removal.run is not None and removal.run.spill is spill
    assert removal.run.size == removal.run.tombstones == len(gone)
    assert {removal.run.key_at(i) for i in range(len(gone))} == {
        run.key_at(i) for i in range(40) if run.rids[i] % 3 == 0
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "rids",
    [
        [10, 11, 12, 13],
        [13, 10, 12, 11],
        [10, 11, 13, 14],
        [TOMBSTONE, 10, 11, 12],
        [TOMBSTONE, TOMBSTONE, 1, 2],  # as far from the first to the last as if there were no gap
        [TOMBSTONE, TOMBSTONE, TOMBSTONE, 1],
        [7],
    ],
)
def test_rows_are_found_by_their_ids(rids: list[int]) -> None:
    rows = [pa.array(range(len(rids)), pa.int32()), pa.array(["x"] * len(rids))]
    run = build_run(SHAPES["an integer"][0], np.array(rids, np.int64), rows, 1, 1)
    asked = [0, 1, 2, 7, 9, 10, 11, 12, 13, 14, 15, 1 << 62]
    found = run.positions_of_rids(np.array(asked, np.int64)).tolist()
    assert found == [rids.index(rid) if rid in rids else -1 for rid in asked]
