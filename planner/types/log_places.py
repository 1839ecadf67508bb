"""pg_lsn: a place in a log, 64 bits without a sign, shown as two halves in hexadecimal (`16/B374D848`).

The datum is a number with a sign, 2^63 less than the place is: so the whole range fits and the order is that of places.
"""

from __future__ import annotations

import re
from decimal import MAX_PREC, Context, Decimal
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import SqlType, TextInput, TextOutput, invalid_input
from planner.types.settings import TypeSettings
from storage.abc import Datum

_HALVES: Final = re.compile(r"([0-9a-fA-F]{1,8})/([0-9a-fA-F]{1,8})", re.ASCII)
_LESS: Final = 1 << 63
_PLACES: Final = 1 << 64
_HALF: Final = (1 << 32) - 1
_EXACT: Final = Context(prec=MAX_PREC)


def datum_of(place: int) -> int:
    return place - _LESS


def place_of(datum: int) -> int:
    return datum + _LESS


def read_log_place(text: str) -> int:
    """Raises 22P02."""
    halves = _HALVES.fullmatch(text)
    if halves is None:
        raise invalid_input("pg_lsn", text)
    return (int(halves[1], 16) << 32 | int(halves[2], 16)) - _LESS


def shown_log_place(datum: int) -> str:
    place = datum + _LESS
    return f"{place >> 32:X}/{place & _HALF:X}"


def to_binary(datum: int) -> bytes:
    return (datum + _LESS).to_bytes(8, "big")


def from_binary(data: bytes) -> int:
    """Of eight bytes."""
    return int.from_bytes(data, "big") - _LESS


def distance(a: int, b: int) -> str:
    """How many bytes are between two places: a numeric's text."""
    return str(a - b)


def of_number(text: str) -> int:
    """The place that a numeric says, rounded half away from zero. Raises 0A000, 22023."""
    number = Decimal(text)
    if number.is_nan():
        raise SqlError("0A000", "cannot convert NaN to pg_lsn")
    if number.is_infinite():
        raise SqlError("0A000", "cannot convert infinity to pg_lsn")
    return _within(_rounded(number))


def moved(datum: int, text: str, sign: int) -> int:
    """The place so many bytes further on, or back. Raises 0A000, 22023."""
    by = Decimal(text)
    if by.is_nan():
        raise SqlError("0A000", f"cannot {'add NaN to' if sign > 0 else 'subtract NaN from'} pg_lsn")
    if by.is_infinite():
        raise SqlError("0A000", "cannot convert infinity to pg_lsn")
    return _within(_rounded(_EXACT.add(Decimal(datum + _LESS), by if sign > 0 else _EXACT.minus(by))))


def _rounded(number: Decimal) -> int:
    return int(number.to_integral_value("ROUND_HALF_UP"))


def _within(place: int) -> int:
    if not 0 <= place < _PLACES:
        raise SqlError("22023", "pg_lsn out of range")
    return place - _LESS


class LogPlaceType(SqlType):
    """pg_lsn."""

    def __init__(self) -> None:
        super().__init__(oids.PG_LSN, pa.int64(), "BIGINT")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return read_log_place

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return shown_log_place

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({datum} AS BIGINT)"
