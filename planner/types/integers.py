"""Whole numbers: int2, int4, int8, and the kinds of OID.

Python's int() accepts more than PostgreSQL (underscores, other scripts' digits), so only plain
ASCII digits take the short way; everything else is looked at closely.
"""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa

from planner.types import oids
from planner.types.base import WHITESPACE, SqlType, TextInput, TextOutput, invalid_input, value_out_of_range
from planner.types.settings import TypeSettings
from storage.abc import Datum

_INTEGER: Final = re.compile(r"[ \t\n\r\v\f]*([+-]?[0-9]+)[ \t\n\r\v\f]*", re.ASCII)
_DIGITS_MAX: Final = 64


def integer_in(name: str, low: int, high: int) -> TextInput:
    """The input function of a signed integer type with these bounds."""

    def parse(text: str) -> int:
        if text.isdigit() and text.isascii() and len(text) <= _DIGITS_MAX:
            value = int(text)
        else:
            m = _INTEGER.fullmatch(text)
            if m is None:
                raise invalid_input(name, text)
            digits = m[1]
            if len(digits) > _DIGITS_MAX:
                sign = "-" if digits[0] == "-" else ""
                digits = sign + (digits.lstrip("+-0")[:_DIGITS_MAX] or "0")
            value = int(digits)
        if value > high or value < low:
            raise value_out_of_range(name, text)
        return value

    return parse


class IntegerType(SqlType):
    def __init__(self, oid: int, bits: int, duckdb: str, sql_name: str) -> None:
        super().__init__(oid, {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[bits], duckdb, sql_name)
        self.low, self.high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        self._input = integer_in(sql_name, self.low, self.high)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return self._input

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return str

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({datum} AS {self._duckdb})"


def _unsigned_in(name: str, bits: int) -> TextInput:
    """oid and its kin: as C's strtoul, a minus sign wraps around."""
    signed = integer_in(name, -(1 << (bits - 1)), (1 << bits) - 1)

    def parse(text: str) -> int:
        return int(signed(text)) & ((1 << bits) - 1)

    return parse


class UnsignedType(SqlType):
    """oid and its plain relatives: unsigned 32 bits, held in an int64. Of 64 bits there is a type that holds them all."""

    def __init__(self, oid: int, bits: int = 32) -> None:
        super().__init__(oid, pa.int64() if bits < 64 else pa.uint64(), "BIGINT" if bits < 64 else "UBIGINT")
        self._input = _unsigned_in(self.name, bits)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return self._input

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return str

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({datum} AS {self._duckdb})"


_C_NUMBER: Final = re.compile(
    r"[ \t\n\r\v\f]*([+-]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))",
    re.ASCII,
)
_C_LONGEST: Final = 2**64 - 1


def as_c_reads(text: str) -> int:
    """strtoul of any base: what the text begins with, 0 where that is no number, and the greatest for all beyond."""
    found = _C_NUMBER.match(text)
    if found is None:
        return 0
    hexadecimal, octal, decimal = found["hex"], found["octal"], found["decimal"]
    value = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else _c_decimal(decimal)
    if value > _C_LONGEST:
        return _C_LONGEST
    return -value & _C_LONGEST if found[1] == "-" else value


def _c_decimal(digits: str) -> int:
    return int(digits) if len(digits) <= _DIGITS_MAX else _C_LONGEST + 1


class CountedType(UnsignedType):
    """xid, cid and xid8: numbers of transactions and commands, which are read as C reads numbers."""

    def __init__(self, oid: int, bits: int = 32) -> None:
        super().__init__(oid, bits)
        mask = (1 << bits) - 1
        self._input = lambda text: as_c_reads(text) & mask


class RegType(UnsignedType):
    """regclass and its kin: an OID that is shown by name, where the session can tell names."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        number, oid, resolve = self._input, self.oid, settings.reg_input

        def parse(text: str) -> int:
            stripped = text.strip(WHITESPACE)
            if stripped == "-":
                return 0
            if stripped.isdigit() or resolve is None:
                return int(number(stripped))
            return resolve(oid, stripped)

        return parse

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        oid, name_of = self.oid, settings.reg_output
        nothing = "0" if oid in (oids.REGOPER, oids.REGOPERATOR) else "-"

        def show(value: Datum) -> str:
            if value == 0:
                return nothing
            return str(value) if name_of is None else name_of(oid, value)

        return show
