"""Reading cells and finding keys straight in Arrow's buffers gives what Python would give."""

from __future__ import annotations

from bisect import bisect_left
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.snapshot import growing
from executor.snapshot.columns import cell_reader, row_reader, rows_to_arrays
from executor.snapshot.growing import GrowingColumns
from executor.snapshot.keys import (
    AT_ONCE_MIN,
    IntKeys,
    KeyIndex,
    PackedKeys,
    PrefixKeys,
    in_order,
    key_index,
    repeats,
    sort_order,
)
from executor.snapshot.merging import merge_runs
from executor.snapshot.runs import RunShape, build_run
from executor.snapshot.spill import LARGE, Spill, spilled
from storage.rows import INTERVAL

COLUMNS: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [True, None, False]),
    (pa.int16(), [-(1 << 15), None, 7]),
    (pa.int32(), [1, None, -5]),
    (pa.int64(), [1 << 62, None, -(1 << 63)]),
    (pa.float32(), [1.5, None, float("-inf")]),
    (pa.float64(), [1e300, None, -0.0]),
    (pa.decimal128(38, 10), [Decimal("-1234567890123456789012345678.0123456789"), None, Decimal("0E-10")]),
    (pa.string(), ["", None, "héllo\t🙂"]),
    (pa.large_string(), ["", None, "héllo"]),
    (pa.binary(), [b"\x00\xff", None, b""]),
    (pa.date32(), [2147483647, None, -5]),
    (pa.time64("us"), [0, None, 86_400_000_000]),
    (pa.timestamp("us"), [(1 << 63) - 1, None, -1]),
    (pa.timestamp("us", tz="UTC"), [0, None, -(1 << 63) + 1]),
    (INTERVAL, [(1, -2, 3), None, (0, 0, 0)]),
    (pa.list_(pa.int32()), [[1, None, 3], None, []]),
    (pa.list_(pa.timestamp("us")), [[1, None], None, []]),
    (pa.list_(pa.list_(pa.string())), [[["a", None], []], None, []]),
    (pa.list_(INTERVAL), [[(1, 2, 3), None], None, []]),
]


@pytest.mark.parametrize(("kind", "values"), COLUMNS, ids=[str(t) for t, _ in COLUMNS])
def test_cells_come_back_as_the_datums_they_were(kind: pa.DataType, values: list[Any]) -> None:
    storage = {pa.large_string(): pa.string()}.get(kind, kind)
    [array] = rows_to_arrays([(v,) for v in values], [storage])
    array = array.cast(kind) if array.type != kind else array
    for piece, expected in ((array, values), (array.slice(1), values[1:]), (array.slice(2), values[2:])):
        read = cell_reader(piece)
        got = [read(i) for i in range(len(piece))]
        assert got == expected
        assert [type(x) for x in got] == [type(x) for x in expected]


@pytest.mark.parametrize(("kind", "values"), COLUMNS, ids=[str(t) for t, _ in COLUMNS])
def test_spilled_columns_are_equal_whatever_chunks_they_came_in(
    kind: pa.DataType, values: list[Any], tmp_path: Any
) -> None:
    [array] = rows_to_arrays([(v,) for v in values * 5], [{pa.large_string(): pa.string()}.get(kind, kind)])
    array = array.cast(kind) if array.type != kind else array
    full = array.filter(array.is_valid())
    chunked = pa.chunked_array([array.slice(3, 4), array.slice(0, 0), array.slice(5), array.slice(1, 1)])
    for column in (array, chunked, full, full.slice(3), full.slice(0, 0)):
        [back] = spilled([column], Spill(str(tmp_path), 0))
        assert back.equals(pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column)
        back.validate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit_bytes", [8, 1 << 30], ids=["offsets of 64 bits", "of 32"])
@pytest.mark.parametrize("in_files", [True, False])
@pytest.mark.parametrize(("kind", "values"), COLUMNS, ids=[str(t) for t, _ in COLUMNS])
def test_columns_that_grow_are_the_pieces_put_together(
    kind: pa.DataType,
    values: list[Any],
    in_files: bool,
    limit_bytes: int,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(growing, "OFFSET_LIMIT_BYTES", limit_bytes)
    monkeypatch.setattr(growing, "_WIDENED_ROWS", 2)
    [array] = rows_to_arrays([(v,) for v in values * 5], [{pa.large_string(): pa.string()}.get(kind, kind)])
    array = array.cast(kind) if array.type != kind else array
    full = array.filter(array.is_valid())
    for whole in (array, full, array.slice(0, 0)):
        grown = GrowingColumns([kind], Spill(str(tmp_path), 1 if in_files else 1 << 30))
        for start, count in ((0, 0), (0, 4), (4, 1), (5, 2), (7, 0), (7, 100)):
            piece = whole.slice(start, count)
            grown.add([pa.chunked_array([piece.slice(0, 1), piece.slice(1)], kind)])
        assert (grown.size, grown.is_large) == (len(whole), in_files and len(whole) > 0)
        [back] = grown.arrays()
        back.validate()
        assert back.type == kind or back.type == LARGE[kind]
        assert back.cast(kind).equals(whole)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc to look at")
def test_columns_in_files_keep_no_descriptors(tmp_path: Path) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    kept = []
    for _ in range(20):
        grown = GrowingColumns([pa.int64(), pa.string()], Spill(str(tmp_path), 1))
        grown.add([pa.chunked_array([[1, 2]]), pa.chunked_array([["a", "bc"]])])
        kept.append(grown.arrays())
    assert count() < before + 10
    assert all([a.to_pylist() for a in arrays] == [[1, 2], ["a", "bc"]] for arrays in kept)


def test_a_row_is_the_tuple_of_its_cells() -> None:
    rows = list(zip(*(v for _, v in COLUMNS if _ != pa.large_string()), strict=True))
    arrays = rows_to_arrays(rows, [t for t, _ in COLUMNS if t != pa.large_string()])
    read = row_reader(arrays)
    assert [read(i) for i in range(3)] == rows
    with pytest.raises(IndexError):
        row_reader([pa.array([], pa.int32())])(0)


ints = st.integers(-(1 << 31), (1 << 31) - 1)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
KEYS: dict[str, tuple[st.SearchStrategy[Any], list[pa.DataType], type[KeyIndex]]] = {
    "int": (ints, [pa.int32()], IntKeys),
    "dense int": (st.integers(0, 20), [pa.int64()], IntKeys),
    "date": (st.integers(-100, 100), [pa.date32()], IntKeys),
    "pair of ints": (st.tuples(st.integers(0, 50), ints), [pa.int16(), pa.int64()], PackedKeys),
    "dense pair": (st.tuples(st.integers(-1, 2), st.integers(7, 9)), [pa.int32(), pa.int16()], PackedKeys),
    "dense three": (
        st.tuples(st.integers(1, 2), st.just(-5), st.integers(-3, 1)),
        [pa.int16(), pa.int16(), pa.int16()],
        PackedKeys,
    ),
    "text": (texts, [pa.string()], PrefixKeys),
    "alike text": (st.integers(0, 500).map(lambda i: f"customer#{i:09d}"), [pa.string()], PrefixKeys),
    "text and int": (st.tuples(texts, ints), [pa.string(), pa.int32()], PrefixKeys),
    "int and text": (st.tuples(ints, texts), [pa.int32(), pa.string()], KeyIndex),
    "bytes": (st.binary(max_size=9), [pa.binary()], KeyIndex),
    "bool and int": (st.tuples(st.booleans(), ints), [pa.bool_(), pa.int32()], KeyIndex),
    "wide pair": (
        st.tuples(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(-(1 << 63), (1 << 63) - 1)),
        [pa.int64(), pa.int64()],
        KeyIndex,
    ),
    "interval": (st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), [INTERVAL], KeyIndex),
}


@pytest.mark.parametrize("kind", KEYS)
@given(data=st.data())
def test_every_index_finds_what_a_sorted_list_finds(kind: str, data: st.DataObject) -> None:
    strategy, types, _ = KEYS[kind]
    keys = data.draw(st.lists(strategy, max_size=30, unique=True))
    others = data.draw(st.lists(strategy, max_size=10))
    columns = arrays_of(keys, types)
    order = sort_order(columns)
    ordered = [c.take(pa.array(order)) for c in columns]
    index = key_index(ordered)
    expected = sorted(keys)
    assert [index.key_at(i) for i in range(index.size)] == expected
    assert not repeats(ordered).any()
    for key in keys + others:
        at = bisect_left(expected, key)
        wanted = at if at < len(expected) and expected[at] == key else -1
        assert index.find(key) == wanted
        for inclusive in (True, False):
            assert index.span(key, None, inclusive, True)[0] == sum(
                k < key or (k == key and not inclusive) for k in expected
            )
            start, stop = index.span(None, key, True, inclusive)
            assert (start, stop) == (0, sum(k < key or (k == key and inclusive) for k in expected))
    width = len(types)
    for bound in {key[:n] for key in keys + others for n in range(1, width)} if width > 1 else ():
        for inclusive in (True, False):
            places = [k[: len(bound)] for k in expected]
            above = sum(p < bound or (p == bound and not inclusive) for p in places)
            below = sum(p < bound or (p == bound and inclusive) for p in places)
            assert index.span(bound, None, inclusive, True) == (above, len(expected))
            assert index.span(None, bound, True, inclusive) == (0, below)
    if others and not any(pa.types.is_nested(t) for t in types):
        found = index.find_many(arrays_of(others, types))
        assert found.tolist() == [index.find(k) for k in others]
    for asked in (keys, others, keys + others, (keys + others) * AT_ONCE_MIN):
        assert index.find_each(asked) == [i for k in asked if (i := index.find(k)) >= 0]


def test_keys_that_the_column_cannot_have_are_not_found() -> None:
    for numbers in (range(5, 40), range(5, 400, 7)):
        index = key_index([pa.array(numbers, pa.int16())])
        asked = [*range(50), 1 << 15, -(1 << 40), 1 << 70]
        assert index.find_each(asked) == [i for k in asked if (i := index.find(k)) >= 0]


def test_bounds_of_integers_may_lie_between_them_and_beyond() -> None:
    known = [(a, b) for a in range(-1, 3) for b in range(0, 10, 3)]
    index = key_index(arrays_of(known, [pa.int16(), pa.int32()]))
    assert type(index) is PackedKeys
    values = (-2, -1, -0.5, Decimal(1), Decimal("1.5"), 2.0, 3, float("inf"), float("-inf"), True)
    bounds: list[Any] = [(a,) for a in values] + [(a, b) for a in values for b in values]
    for bound in bounds:
        places = [k[: len(bound)] for k in known]
        for inclusive in (True, False):
            above = sum(p < bound or (p == bound and not inclusive) for p in places)
            below = sum(p < bound or (p == bound and inclusive) for p in places)
            assert index.span(bound, None, inclusive, True) == (above, len(known))
            assert index.span(None, bound, True, inclusive) == (0, below)


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(0, 1)), max_size=6))
def test_rows_are_in_order_where_sorting_leaves_them(rows: list[tuple[int, int, int]]) -> None:
    for some in (rows, sorted(rows)):
        columns = arrays_of(some, [pa.int32(), pa.int64(), pa.int16()])
        assert in_order(columns) == (some == sorted(some))


def test_rows_out_of_order_are_found_at_the_edge_of_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("executor.snapshot.keys.SLICE_ROWS", 4)
    for at in range(11):
        second = [0] * 12
        second[at] = 1
        assert not in_order([pa.array([7] * 12, pa.int32()), pa.array(second, pa.int32())])


@pytest.mark.parametrize("kind", KEYS)
def test_keys_get_the_index_that_is_meant_for_them(kind: str) -> None:
    _, types, expected = KEYS[kind]
    sample = {pa.string(): "x", pa.binary(): b"x", pa.bool_(): True, INTERVAL: (1, 2, 3)}
    low = tuple(sample.get(t, -(1 << 63) if t == pa.int64() else 1) for t in types)
    high = tuple(sample.get(t, (1 << 62) if t == pa.int64() and kind == "wide pair" else 1) for t in types)
    rows = sorted({low, high})
    assert type(key_index(rows_to_arrays(rows, types))) is expected or kind in ("dense int", "pair of ints")


def arrays_of(keys: list[Any], types: list[pa.DataType]) -> list[pa.Array]:
    rows = [(k,) for k in keys] if len(types) == 1 else keys
    return rows_to_arrays(rows, types)


def test_spilled_runs_read_like_others_and_leave_no_file(tmp_path: Any) -> None:
    shape = RunShape((pa.int32(), pa.string()), (0,))
    rows = [(i, None if i % 3 else f"row {i}") for i in range(1000, 0, -1)]
    import numpy as np

    runs = [
        build_run(shape, np.arange(len(rows)), rows_to_arrays(rows, list(shape.types)), 1, 5, spill=spill)
        for spill in (None, Spill(str(tmp_path), 1))
    ]
    assert list(tmp_path.iterdir()) == []
    for i in (0, 1, 2, 500, 999):
        assert (
            runs[0].entry(i)
            == runs[1].entry(i)
            == (999 - i, (i + 1, None if (i + 1) % 3 else f"row {i + 1}"))
        )
    merged = merge_runs(runs, bottom=True, spill=Spill(str(tmp_path), 1))
    assert (merged.size, merged.first, merged.since) == (1000, 1, 5)
    assert list(tmp_path.iterdir()) == []
