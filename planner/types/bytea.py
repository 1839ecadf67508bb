"""bytea: `\\x` and hexadecimal digits, or the older escape format, in and out."""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import SqlType, TextInput, TextOutput
from planner.types.settings import TypeSettings
from storage.abc import Datum

_ESCAPE: Final = re.compile(rb"\\(\\|[0-3][0-7][0-7])?")
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def _hex_in(digits: str) -> bytes:
    """Blanks may stand between the pairs, not inside one."""
    out = bytearray()
    i, n = 0, len(digits)
    while i < n:
        c = digits[i]
        if c in " \n\t\r":
            i += 1
            continue
        if c not in _HEX_DIGITS:
            raise SqlError("22023", f'invalid hexadecimal digit: "{c}"')
        if i + 1 >= n:
            raise SqlError("22023", "invalid hexadecimal data: odd number of digits")
        d = digits[i + 1]
        if d not in _HEX_DIGITS:
            raise SqlError("22023", f'invalid hexadecimal digit: "{d}"')
        out.append(int(c + d, 16))
        i += 2
    return bytes(out)


def _unescape(m: re.Match[bytes]) -> bytes:
    code = m[1]
    if code is None:
        raise SqlError("22P02", "invalid input syntax for type bytea")
    return b"\\" if code == b"\\" else bytes((int(code, 8),))


def bytea_in(text: str) -> bytes:
    if text[:2] == "\\x":
        digits = text[2:]
        if digits.isalnum():
            try:
                return bytes.fromhex(digits)
            except ValueError:
                pass  # found again below, with the message that names the digit
        return _hex_in(digits)
    data = text.encode()
    return _ESCAPE.sub(_unescape, data) if b"\\" in data else data


def bytea_out_hex(value: Datum) -> str:
    return "\\x" + str(value.hex())


_ESCAPED: Final = ["\\\\" if b == 92 else chr(b) if 32 <= b < 127 else f"\\{b:03o}" for b in range(256)]


def bytea_out_escape(value: Datum) -> str:
    return "".join([_ESCAPED[b] for b in value])


class ByteaType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.BYTEA, pa.binary(), "BLOB")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return bytea_in

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return bytea_out_escape if settings.bytea_output == "escape" else bytea_out_hex

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"from_hex('{datum.hex()}')"
