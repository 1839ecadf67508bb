"""What bulk statements make of many rows lies in files: the same values, and nothing that grows with the rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from executor.snapshot import merging, removal, spill
from executor.snapshot.bulk import prepare, rearranged
from executor.snapshot.removal import prepare_removal, sorted_ids
from executor.snapshot.runs import Run
from executor.snapshot.spill import Spill, filtered, in_one, nulls, numbers_from
from tests.snapshot.test_merging import SHAPES, contents, run_of


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spill:
    """Everything is large."""
    monkeypatch.setattr(spill, "SLICE_ROWS", 7)
    for room in (merging, removal):
        monkeypatch.setattr(room, "STRETCH_ROWS", 7)
    return Spill(str(tmp_path), 1)


def files(where: Spill) -> list[Path]:
    return list(Path(where.directory).iterdir())


@pytest.mark.parametrize(
    "t",
    [
        pa.int64(),
        pa.int16(),
        pa.float64(),
        pa.date32(),
        pa.string(),
        pa.binary(),
        pa.decimal128(9, 2),
        pa.bool_(),
        pa.list_(pa.int32()),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [0, 1, 8, 1000])
def test_nulls_are_a_hole(small: Spill, t: pa.DataType, count: int) -> None:
    found = nulls(count, t, small)
    found.validate(full=True)
    assert found.type == t and found.equals(pa.nulls(count, t))
    assert files(small) == []


@pytest.mark.parametrize("where", ["memory", "files"])
def test_numbers_chunks_and_masks(small: Spill, where: str) -> None:
    spill = small if where == "files" else None
    assert numbers_from(5, 20, spill).tolist() == list(range(5, 25))
    chunks = pa.chunked_array([["a", None], [], ["bc"] * 9])
    assert in_one(chunks, spill).to_pylist() == chunks.to_pylist()
    table = pa.table({"n": range(30), "s": [f"text {i}" for i in range(30)]})
    mask = np.array([i % 3 == 0 for i in range(30)])
    assert filtered(table, mask, spill).equals(table.filter(pa.array(mask)))
    assert filtered(table, ~mask & mask, spill).num_rows == 0
    assert files(small) == []


def test_row_ids_are_sorted_once(small: Spill) -> None:
    sorted_already = pa.array([1, 2, 3])
    assert np.shares_memory(sorted_ids(sorted_already, small), np.asarray(sorted_already))
    assert sorted_ids(pa.chunked_array([[3, 1], [2, 3]]), small).tolist() == [1, 2, 3]


def test_rows_in_another_order(small: Spill) -> None:
    order = np.array([i * 7 % 30 for i in range(30)])
    columns = [
        pa.chunked_array([list(range(10)), list(range(10, 30))]),
        pa.array([f"t{i}" for i in range(30)]),
    ]
    for where in (None, small):
        numbers, texts = rearranged(columns, order, where)
        assert numbers.to_pylist() == order.tolist()
        assert texts.to_pylist() == [f"t{i}" for i in order.tolist()]


@pytest.mark.parametrize("kind", SHAPES)
def test_an_unsorted_bulk_becomes_the_same_run(kind: str, small: Spill) -> None:
    shape, key_of = SHAPES[kind]
    rows: list[tuple[Any, ...]] = []
    for i in range(40):
        key = key_of(i * 11 % 40)
        rows.append((*(() if not shape.key else key if type(key) is tuple else (key,)), f"value {i}"))
    schema = pa.schema([(f"c{i}", t) for i, t in enumerate(shape.types)])
    table = pa.table([list(c) for c in zip(*rows, strict=True)], schema=schema)
    runs = [prepare(schema, shape, True, 1, table, 100, where).run for where in (None, small)]
    assert runs[0] is not None and runs[1] is not None
    assert contents(runs[0]) == contents(runs[1])


@pytest.mark.parametrize("kind", SHAPES)
def test_a_deletion_over_several_runs_marks_the_newest_version(kind: str, small: Spill) -> None:
    """Whatever lies below is shadowed: a tombstone for each row that is there, and for no other."""
    shape, key_of = SHAPES[kind]
    old = run_of(shape, key_of, dict.fromkeys(range(40), "old"), 1, small)
    again = range(0, 40, 3) if shape.key else range(40, 50)  # a row id is used once
    new = run_of(shape, key_of, dict.fromkeys(again, "new"), 2, small)
    runs = (new, old)
    gone = [rid for run in runs for rid in run.rids.tolist() if rid % 2 == 0]
    for where in (None, small):
        found = prepare_removal(shape, runs, pa.array(gone[::-1]), where)
        assert found.rids.tolist() == sorted(gone) and found.table["_rid"].to_pylist() == sorted(gone)
        assert found.run is not None
        keys = [found.run.key_at(i) for i in range(found.run.size)]
        assert keys == sorted(key for key, rid in standing(runs) if rid in set(gone))
        assert found.run.tombstones == found.run.size and found.run.entry(0) is None


def standing(runs: tuple[Run, ...]) -> list[tuple[Any, int]]:
    newest: dict[Any, int] = {}
    for run in reversed(runs):
        newest.update({run.key_at(i): int(run.rids[i]) for i in range(run.size)})
    return list(newest.items())


def test_a_deletion_of_nothing(small: Spill) -> None:
    shape, key_of = SHAPES["an integer"]
    run = run_of(shape, key_of, {1: "x"}, 1, None)
    assert prepare_removal(shape, (run,), pa.array([77]), small).run is None
