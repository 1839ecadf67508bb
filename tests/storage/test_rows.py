"""Rows come back exactly as they went in, through msgpack, Arrow and Parquet, for every datum there is."""

from __future__ import annotations

import gc
import math
import struct
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import rows as codec
from storage.abc import InvalidDatum
from storage.rows import INTERVAL


def integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    digits = 10**precision - 1
    # Not scaleb: that rounds to the context's 28 digits.
    return st.integers(-digits, digits).map(
        lambda n: Decimal((int(n < 0), Decimal(abs(n)).as_tuple().digits, -scale))
    )


def float32s() -> st.SearchStrategy[float]:
    return st.floats(width=32)


DATUMS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.bool_(): st.booleans(),
    pa.int16(): integers(16),
    pa.int32(): integers(32),
    pa.int64(): integers(64),
    pa.float32(): float32s(),
    pa.float64(): st.floats(),
    pa.decimal128(1, 0): decimals(1, 0),
    pa.decimal128(12, 2): decimals(12, 2),
    pa.decimal128(38, 38): decimals(38, 38),
    pa.decimal128(38, 10): decimals(38, 10),
    pa.string(): st.text(),
    pa.binary(): st.binary(),
    pa.date32(): st.sampled_from([2**31 - 1, -(2**31 - 1), 0]) | integers(32),
    pa.time64("us"): st.integers(0, 86_400_000_000),
    pa.timestamp("us"): st.sampled_from([2**63 - 1, -(2**63 - 1)]) | integers(64),
    pa.timestamp("us", "UTC"): st.sampled_from([2**63 - 1, -(2**63 - 1)]) | integers(64),
    INTERVAL: st.tuples(integers(32), integers(32), integers(64)),
}


def lists_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(st.none() | inner, max_size=4)


COLUMNS = st.sampled_from(list(DATUMS.items())).flatmap(
    lambda item: st.sampled_from(
        [
            item,
            (pa.list_(item[0]), lists_of(item[1])),
            (pa.list_(pa.list_(item[0])), lists_of(lists_of(item[1]))),
        ]
    )
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Schema, list[tuple[Any, ...]]]:
    columns = draw(st.lists(COLUMNS, min_size=1, max_size=4))
    schema = pa.schema([(f"c{i}", kind) for i, (kind, _) in enumerate(columns)])
    rows = draw(st.lists(st.tuples(*[st.none() | values for _, values in columns]), max_size=6))
    return schema, rows


def bits(value: Any) -> Any:
    """What must be equal: type and bits (so 0.0 is not -0.0, 1 not True, and NaN is NaN)."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, list | tuple):
        return type(value), [bits(v) for v in value]
    if isinstance(value, Decimal):
        return value.as_tuple()
    return type(value), value


@settings(max_examples=300, deadline=None)
@given(tables())
def test_arrow_and_parquet_give_rows_back(table: tuple[pa.Schema, list[tuple[Any, ...]]]) -> None:
    schema, rows = table
    arrow = codec.rows_to_arrow(rows, schema)
    assert arrow.schema == schema
    arrow.validate()  # not in full: Arrow has no 24:00:00, which PostgreSQL and DuckDB do
    assert bits(codec.arrow_to_rows(arrow)) == bits(rows)
    cut = arrow.slice(1, 3)
    assert bits(codec.arrow_to_rows(cut)) == bits(rows[1:4])
    sink = pa.BufferOutputStream()
    pq.write_table(arrow, sink)
    assert bits(codec.arrow_to_rows(pq.read_table(pa.BufferReader(sink.getvalue())))) == bits(rows)


@settings(max_examples=300, deadline=None)
@given(tables(), integers(63))
def test_msgpack_gives_rows_back_without_a_schema(
    table: tuple[pa.Schema, list[tuple[Any, ...]]], start: int
) -> None:
    _, rows = table
    inserts = [(abs(start) + i, row) for i, row in enumerate(rows)]
    assert bits(codec.unpack_inserts(codec.pack_inserts(inserts))) == bits(inserts)
    timed = [(rid, 2**64 - 1 - rid, row) for rid, row in inserts]
    assert bits(codec.unpack_timed_inserts(codec.pack_timed_inserts(timed))) == bits(timed)


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_deletions_come_back(rids: list[int]) -> None:
    assert codec.unpack_deletes(codec.pack_deletes(rids)) == rids
    pairs = [(rid, 2**64 - 1) for rid in rids]
    assert codec.unpack_timed_deletes(codec.pack_timed_deletes(pairs)) == pairs


@pytest.mark.parametrize(
    "row",
    [(2**64,), (-(2**63) - 1,), (object(),), ({1},), (1j,), ("\ud800",), ((1, 2),), ((2**31, 0, 0),)],
    ids=[
        "int past uint64",
        "int below int64",
        "object",
        "set",
        "complex",
        "surrogate",
        "pair",
        "months past int32",
    ],
)
def test_what_is_no_datum_is_refused_before_it_is_stored(row: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidDatum):
        codec.pack_inserts([(1, row)])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.int16(), 2**15),
        (pa.int64(), 2**63),
        (pa.int64(), "1"),
        (pa.decimal128(4, 2), Decimal("100.00")),
        (pa.string(), 1),
        (pa.bool_(), "t"),
        (INTERVAL, (1, 2)),
        (pa.list_(pa.int32()), 7),
    ],
    ids=repr,
)
def test_what_a_column_cannot_hold_names_the_column(kind: pa.DataType, value: object) -> None:
    with pytest.raises(InvalidDatum, match="balance"):
        codec.rows_to_arrow([(None,), (value,)], pa.schema([("balance", kind)]))


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(InvalidDatum, match="2 columns"):
        codec.rows_to_arrow([(1, 2)], pa.schema([("a", pa.int64())]))


def test_no_rows_and_no_columns() -> None:
    schema = pa.schema([("a", pa.int64())])
    assert codec.rows_to_arrow([], schema).schema == schema
    assert codec.arrow_to_rows(schema.empty_table()) == []
    empty = codec.rows_to_arrow([(), ()], pa.schema([]))
    assert codec.unpack_inserts(codec.pack_inserts([(1, ())])) == [(1, ())]
    assert codec.arrow_to_rows(empty) == []  # Arrow cannot count rows without columns


@given(st.binary(max_size=40))
def test_other_bytes_are_told_from_rows(data: bytes) -> None:
    try:
        codec.unpack(data)
    except ValueError:
        return


def numbered(name: str, kind: pa.DataType, number: int) -> pa.Field:
    return pa.field(name, kind, metadata={codec.FIELD_ID: str(number).encode()})


def test_columns_are_found_by_number_whatever_they_are_called() -> None:
    written = pa.schema([numbered("a", pa.int64(), 1), numbered("b", pa.string(), 2)])
    renamed = pa.schema([numbered("b", pa.int64(), 1), numbered("new", pa.date32(), 3)])
    table = codec.rows_to_arrow([(1, "x"), (2, None)], written)
    assert codec.arrow_to_rows(codec.conform(table, renamed)) == [(1, None), (2, None)]
    shape = codec.reshaper(written, renamed)
    assert shape is not None
    assert [shape(r) for r in [(1, "x"), (2, None)]] == [(1, None), (2, None)]
    assert codec.reshaper(written, written) is None


def test_columns_without_a_number_are_those_of_their_names_when_they_were_written() -> None:
    written = pa.schema([numbered("a", pa.int64(), 1), numbered("b", pa.string(), 2)])
    renamed = pa.schema([numbered("b", pa.int64(), 1), numbered("c", pa.string(), 2)])
    lost = codec.rows_to_arrow([(1, "x")], pa.schema([f.remove_metadata() for f in written]))
    assert codec.arrow_to_rows(codec.conform(lost, written)) == [(1, "x")]
    assert codec.arrow_to_rows(codec.conform(lost, renamed, written)) == [(1, "x")]


def test_numbers_survive_parquet() -> None:
    written = pa.schema([numbered("a", pa.int64(), 7), numbered("b", INTERVAL, 9)])
    sink = pa.BufferOutputStream()
    pq.write_table(codec.rows_to_arrow([(1, (1, 2, 3))], written), sink)
    table = pq.read_table(pa.BufferReader(sink.getvalue()))
    target = pa.schema([numbered("z", INTERVAL, 9), numbered("y", pa.int64(), 7)])
    assert codec.arrow_to_rows(codec.conform(table, target)) == [((1, 2, 3), 1)]


def test_turning_rows_into_columns_makes_no_object_for_each_of_them() -> None:
    """The collector would walk over all that is young for every so many: a server's rows of the last second among it."""
    rows = [(i, str(i)) for i in range(5_000)]
    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(1_000)
    try:
        collections = gc.get_stats()[0]["collections"]
        columns = codec.transposed(rows)
        assert gc.get_stats()[0]["collections"] == collections
    finally:
        gc.set_threshold(*before)
    assert columns == [list(range(5_000)), [str(i) for i in range(5_000)]]
    with pytest.raises(ValueError, match="different lengths"):
        codec.transposed([(1, 2), (3,)])
