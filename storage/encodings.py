"""How each column of a Parquet part is written: what is cheap to make, then small, then cheap to read.

    row ids, times, numbers by steps   DELTA_BINARY_PACKED   differences of a few bits each
    other numbers and times            BYTE_STREAM_SPLIT     all lowest bytes, then all next ones ...: lz4 passes over those it cannot
                                                             shorten, and finds the others alike
    texts, most of which come again    a dictionary
    other texts, everything else       as it is

A quarter of a million whole numbers below a million take 0.9 ms and 0.8 MB split, 3.4 ms and 1.2 MB plain; numeric(15,2), which is such
a number as long as it has 18 digits at most, 2.2 ms and 0.7 MB instead of 5.0 and 1.3, and is read in 0.6 instead of 3.4 (lz4 everywhere).
A dictionary of as many different texts takes 11 to 16 ms, the texts themselves 7; of four thousand it takes 5.

What is chosen is a matter of size and time alone: every reader of Parquet is told by the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

STEP_BITS_MAX: Final = 20
DIFFERENT_SHARE_MAX: Final = 0.75
"""Of texts that are looked at; where more of them differ, a dictionary would hold nearly all."""
_LOOKED_AT_ROWS: Final = 4096

_TEXTS: Final = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


@dataclass(frozen=True, slots=True)
class Encodings:
    """What a file's writer is told: by column, and which columns have a dictionary."""

    by_column: dict[str, str]
    dictionaries: list[str]


def chosen(rows: pa.Table | None, schema: pa.Schema, hidden: tuple[str, ...]) -> Encodings:
    """The encodings of a file by the rows that come first (None: there are none). `hidden`: numbers that run upwards."""
    by_column: dict[str, str] = {}
    dictionaries = []
    steps = frozenset(stepping(rows)) if rows is not None else frozenset[str]()
    for field in schema:
        if "." in field.name:  # which is how a writer is told of what is nested, in another column maybe
            continue
        if field.name in hidden or field.name in steps:
            by_column[field.name] = "DELTA_BINARY_PACKED"
        elif _is_number(field.type):
            by_column[field.name] = "BYTE_STREAM_SPLIT"
        elif field.type in _TEXTS and (rows is None or _comes_again(rows.column(field.name))):
            dictionaries.append(field.name)
    return Encodings(by_column, dictionaries)


def stepping(rows: pa.Table) -> list[str]:
    """The columns of 64-bit integers that go by steps of about the same size at both ends of the rows, as serial keys do.

    Written as differences, a quarter of a million of them take 1 KB and 1.3 ms and are read in 0.3 (Arrow) and 0.5 ms (DuckDB); for
    numbers without order it takes twice as long as splitting them.
    """
    found = []
    for field, column in zip(rows.schema, rows.columns, strict=True):
        if field.type != pa.int64():
            continue
        ends = [column.slice(0, _LOOKED_AT_ROWS), column.slice(max(0, len(column) - _LOOKED_AT_ROWS))]
        steps = np.concatenate([np.diff(end.drop_null().to_numpy()) for end in ends])
        if len(steps) and (int(steps.max()) - int(steps.min())).bit_length() <= STEP_BITS_MAX:
            found.append(field.name)
    return found


def _comes_again(column: pa.ChunkedArray) -> bool:
    start, end = (
        column.slice(0, _LOOKED_AT_ROWS),
        column.slice(max(_LOOKED_AT_ROWS, len(column) - _LOOKED_AT_ROWS)),
    )
    some = pa.chunked_array([*start.chunks, *end.chunks], column.type)
    return bool(pc.count_distinct(some).as_py() <= DIFFERENT_SHARE_MAX * len(some))


def _is_number(kind: pa.DataType) -> bool:
    """Whether Parquet holds the type in four or eight bytes."""
    if pa.types.is_decimal128(kind):
        return bool(kind.precision <= 18)
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_float32(kind)
        or pa.types.is_float64(kind)
        or (pa.types.is_temporal(kind) and not pa.types.is_interval(kind))
    )


__all__ = ["Encodings", "chosen", "stepping"]
