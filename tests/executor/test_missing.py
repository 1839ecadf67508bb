"""What rows have in columns that are younger than they: through the codecs of storage, and as a text for other engines."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from executor.distributed.missing import text_of
from storage.abc import Datum
from storage.rows import FIELD_ID, INTERVAL, MISSING, conform, pack, repeated, reshaper

DAY_US = 86_400_000_000


def _field(name: str, kind: pa.DataType, number: int, missing: Datum = None) -> pa.Field:
    metadata = {FIELD_ID: str(number).encode()}
    if missing is not None:
        metadata[MISSING] = pack([missing])
    return pa.field(name, kind, metadata=metadata)


VALUES: list[tuple[Datum, pa.DataType]] = [
    (7, pa.int32()),
    (True, pa.bool_()),
    ("hello", pa.string()),
    (b"\x01\xff", pa.binary()),
    (Decimal("1.50"), pa.decimal128(8, 2)),
    (2.5, pa.float64()),
    (19_000, pa.date32()),
    (DAY_US, pa.timestamp("us", "UTC")),
    ((1, 2, 3), INTERVAL),
    ([1, None, 2], pa.list_(pa.int32())),
    (None, pa.string()),
]


@pytest.mark.parametrize(("value", "kind"), VALUES, ids=lambda x: str(x)[:20])
def test_older_rows_have_what_is_missing(value: Datum, kind: pa.DataType) -> None:
    old = pa.schema([_field("a", pa.int32(), 1), _field("b", pa.string(), 2)])
    new = pa.schema([_field("aa", pa.int32(), 1), _field("c", kind, 3, value)])
    rows = pa.table({"_rid": [1, 2], "a": pa.array([5, 6], pa.int32()), "b": ["x", "y"]}, schema=None)
    rows = pa.table(rows.columns, schema=pa.schema([pa.field("_rid", pa.int64()), *old]))
    read = conform(rows, new)
    assert read.column_names == ["_rid", "aa", "c"]
    assert read.column("aa").to_pylist() == [5, 6]
    assert (
        read.column("c").combine_chunks().equals(repeated(value, kind, 2))
        and read.schema.field("c").type == kind
    )
    shape = reshaper(old, new)
    assert shape is not None and shape((5, "x")) == (5, value)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (7, pa.int32(), "7"),
        (False, pa.bool_(), "false"),
        ("it's", pa.string(), "it's"),
        (Decimal("1E+2"), pa.decimal128(8, 0), "100"),
        (2.5, pa.float64(), "2.5"),
        (float("inf"), pa.float64(), None),
        (-1, pa.date32(), "1969-12-31"),
        ((1 << 31) - 1, pa.date32(), None),
        (1, pa.timestamp("us"), "1970-01-01 00:00:00.000001"),
        (-DAY_US, pa.timestamp("us", "UTC"), "1969-12-31 00:00:00.000000+00:00"),
        ((1 << 63) - 1, pa.timestamp("us"), None),
        (b"x", pa.binary(), None),
        (5, pa.time64("us"), None),
        ((1, 2, 3), INTERVAL, None),
    ],
)
def test_a_text_that_a_cast_makes_a_value_of(value: Any, kind: pa.DataType, text: str | None) -> None:
    assert text_of(value, kind) == text
    if text is not None and not pa.types.is_timestamp(kind):
        assert pc.cast(pa.array([text]), kind).equals(repeated(value, kind, 1))
