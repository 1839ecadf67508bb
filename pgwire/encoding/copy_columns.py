"""COPY's columns on the way in: text -> canonical Arrow, by columns where that is surely right.

Arrow's CSV reader converts most values at C speed, but it is not PostgreSQL: it takes `0x1F` for a number,
an hour without minutes, and 999.99 for numeric(3,2). So every column says which Arrow type to
read as, and *checks* what it got. Any doubt gives up the whole block, and the exact way reads
it value by value with PostgreSQL's input functions, errors and all.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import TypeSettings, arrow_type, from_datums, numeric, text_input, to_datums
from planner.types.texts import TYPMOD_HEADER
from planner.types.timezones import US_PER_DAY
from storage.abc import Datum


class Block:
    """Whole rows as bytes, and what several columns ask about them, found out once."""

    def __init__(self, data: bytes, around: tuple[str, str] | None = None) -> None:
        """`around`: the delimiter and the quote, one of which (or a line end) stands on either side of a field; None: not known."""
        self.data = data
        self._around = around

    @cached_property
    def is_ascii(self) -> bool:
        return self.data.isascii()

    @cached_property
    def has_hexadecimal(self) -> bool:
        """Whether a field may be a number like `0x1F`. A search for two bytes is slow among many zeros; for one it is not,
        and two are one number, at an even place or at an odd one. Few blocks have them; in those it is asked what stands around."""
        wanted = [int.from_bytes(b"0" + x, "little") for x in (b"x", b"X") if x in self.data]
        there = any(
            bool((np.frombuffer(self.data, "<u2", (len(self.data) - start) // 2, start) == pair).any())
            for pair in wanted
            for start in (0, 1)
        )
        return there and (
            self._around is None or _hexadecimal_field(*self._around).search(self.data) is not None
        )

    @cached_property
    def has_small_exponent(self) -> bool:
        return b"e-" in self.data or b"E-" in self.data


@functools.cache
def _hexadecimal_field(delimiter: str, quote: str) -> re.Pattern[bytes]:
    """What Arrow takes for a number of base 16, where it may be a whole field; blanks around it count for nothing."""
    marks = f"{re.escape(delimiter)}|{re.escape(quote)}"
    return re.compile(rf"(?:^|[\n \t+-]|{marks})0[xX][0-9A-Fa-f]+[ \t]*(?:$|\n|{marks})".encode())


Check = Callable[[pa.Array, Block], pa.Array]
"""(what Arrow read, the block it read) -> the canonical column. Raises Doubt."""


class Doubt(Exception):
    """Arrow may have read this block otherwise than PostgreSQL would."""


YEAR_1_DAYS: Final = -719_162
YEAR_1_US: Final = YEAR_1_DAYS * US_PER_DAY
_CANONICAL_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


class ColumnReader:
    """How one column is read. `csv_type`: what Arrow's reader should make of it."""

    __slots__ = ("check", "csv_type", "name", "parse", "ref")

    def __init__(self, name: str, ref: TypeRef, settings: TypeSettings) -> None:
        self.name, self.ref = name, ref
        self.parse: Callable[[str], Datum] = text_input(ref, settings)
        self.csv_type, self.check = _fast_way(ref, self.parse)

    def build(self, values: list[Datum]) -> pa.Array:
        return from_datums(values, self.ref)


def _fast_way(ref: TypeRef, parse: Callable[[str], Datum]) -> tuple[pa.DataType, Check]:
    oid, kind = ref.oid, arrow_type(ref)
    if oid in (t.INT2, t.INT4, t.INT8):
        return kind, _integer
    if oid == t.BOOL:
        return kind, _unchecked
    if oid in (t.FLOAT4, t.FLOAT8):
        return kind, _float
    if oid == t.NUMERIC and numeric.is_decimal(ref.typmod):
        return kind, _decimal(ref)
    if oid == t.DATE:
        return kind, _date
    if oid in (t.TIMESTAMP, t.TIMESTAMPTZ) and not 0 <= ref.typmod < 6:
        return pa.string(), _stamp(kind, oid == t.TIMESTAMPTZ)
    if oid == t.TEXT or (oid == t.VARCHAR and ref.typmod < TYPMOD_HEADER):
        return pa.string(), _text
    if oid == t.VARCHAR:
        return pa.string(), _bounded_text(ref.typmod - TYPMOD_HEADER, pad=False)
    if oid == t.BPCHAR and ref.typmod >= TYPMOD_HEADER:
        return pa.string(), _bounded_text(ref.typmod - TYPMOD_HEADER, pad=True)
    if oid == t.UUID:
        return pa.string(), _uuid
    return pa.string(), _value_by_value(ref, parse)


def _unchecked(column: pa.Array, block: Block) -> pa.Array:
    return column


def _integer(column: pa.Array, block: Block) -> pa.Array:
    if block.has_hexadecimal:
        raise Doubt
    return column


def _float(column: pa.Array, block: Block) -> pa.Array:
    values = (column.drop_null() if column.null_count else column).to_numpy()
    if not np.isfinite(values).all():
        raise Doubt
    if not values.all() and block.has_small_exponent:  # the cheaper question first
        raise Doubt
    return column


def _decimal(ref: TypeRef) -> Check:
    ps = numeric.precision_scale(ref.typmod)
    assert ps is not None
    bound = Decimal(1).scaleb(ps[0] - ps[1])

    def check(column: pa.Array, block: Block) -> pa.Array:
        ends = pc.min_max(column).as_py()
        if ends["max"] is not None and (ends["max"] >= bound or ends["min"] <= -bound):
            raise Doubt
        return column

    return check


def _date(column: pa.Array, block: Block) -> pa.Array:
    lowest = pc.min(column.view(pa.int32())).as_py()
    if lowest is not None and lowest < YEAR_1_DAYS:
        raise Doubt
    return column


def _stamp(kind: pa.DataType, with_zone: bool) -> Check:
    """Only whole times: to the second, and with an offset where there is a zone."""

    def check(column: pa.Array, block: Block) -> pa.Array:
        ends = pc.min_max(pc.binary_length(column)).as_py()
        if ends["min"] is None:
            return column.cast(kind)
        if ends["min"] < (22 if with_zone else 19):
            raise Doubt
        try:
            out = pc.cast(column, kind)
        except pa.ArrowInvalid:
            raise Doubt from None
        if pc.min(out.view(pa.int64())).as_py() < YEAR_1_US:
            raise Doubt
        return out

    return check


def _text(column: pa.Array, block: Block) -> pa.Array:
    return column


def _bounded_text(limit: int, pad: bool) -> Check:
    def check(column: pa.Array, block: Block) -> pa.Array:
        measure = pc.binary_length if block.is_ascii else pc.utf8_length
        ends = pc.min_max(measure(column)).as_py()
        if ends["max"] is None:
            return column
        if ends["max"] > limit:
            raise Doubt
        return pc.utf8_rpad(column, limit, " ") if pad and ends["min"] < limit else column

    return check


def _uuid(column: pa.Array, block: Block) -> pa.Array:
    if not pc.all(pc.match_substring_regex(column, _CANONICAL_UUID)).as_py() and column.null_count < len(
        column
    ):
        raise Doubt
    return column


def _value_by_value(ref: TypeRef, parse: Callable[[str], Datum]) -> Check:
    """Split by Arrow, read by the type's own input function."""

    def check(column: pa.Array, block: Block) -> pa.Array:
        try:
            values = [None if v is None else parse(v) for v in to_datums(column, TypeRef(t.TEXT))]
        except SqlError:
            raise Doubt from None
        return from_datums(values, ref)

    return check
