"""What rows have in columns that are younger than their file, said to readers that open files themselves.

A value goes as a text that Spark casts to the column's type. `ALTER TABLE` leaves rows where they are only if what is missing can
be said so (`executor.ddl.in_place`).
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Final

import pyarrow as pa

from executor.snapshot.physical import missing
from planner.abc import Column, Table
from planner.types import arrow_type
from storage.abc import Datum, Part
from storage.rows import FIELD_ID
from storage.shard import Shard

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_DAYS: Final = (-719_162, 2_932_896)
"""The first and the last day that a date of Python's can be."""


def text_of(value: Datum, kind: pa.DataType) -> str | None:
    """None: a cast of no text makes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and pa.types.is_date32(kind):
        first, last = _DAYS
        return str((_EPOCH + datetime.timedelta(days=value)).date()) if first <= value <= last else None
    if isinstance(value, int) and pa.types.is_timestamp(kind):
        first, last = _DAYS
        if not first <= value // 86_400_000_000 <= last:
            return None
        text = (_EPOCH + datetime.timedelta(microseconds=value)).strftime("%Y-%m-%d %H:%M:%S.%f")
        return text if kind.tz is None else f"{text}+00:00"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else None
    if isinstance(value, int) and pa.types.is_integer(kind):
        return str(value)
    if isinstance(value, Decimal) and pa.types.is_decimal(kind):
        return format(value, "f")
    return value if isinstance(value, str) and pa.types.is_string(kind) else None


def text_in(column: Column) -> str | None:
    """What rows have in it that are older; None: NULL."""
    value = missing(column)
    if value is None:
        return None
    text = text_of(value, arrow_type(column.type))
    assert text is not None, "what cannot be said is written"
    return text


def lacking(shard: Shard, part: Part, table: Table) -> dict[str, str]:
    """By attribute number, what rows of a part have in columns that it was written without; NULLs are not said."""
    said = {str(c.attnum): text for c in table.columns if (text := text_in(c)) is not None}
    written = shard.written(part) if said else None
    if written is None:
        return {}
    there = {(f.metadata or {}).get(FIELD_ID, b"").decode() for f in written}
    return {attnum: text for attnum, text in said.items() if attnum not in there}


__all__ = ["lacking", "text_in", "text_of"]
