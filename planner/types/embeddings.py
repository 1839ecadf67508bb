"""vector, as pgvector has it: numbers of four bytes, many of them.

    '[1,2.5,3]'::vector(3)     a datum is the numbers' bytes, one after the other, so that whole columns are one array

Text, limits and words are those of pgvector 0.8. What is computed of them is in `planner.extensions.vectors`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput
from planner.types.floats import float4_in, float4_out
from planner.types.settings import TypeSettings
from storage.abc import Datum

DIMENSIONS_MAX: Final = 16_000
_NUMBER: Final = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)
_BLANKS: Final = " \t\n\r\v\f"
FLOAT: Final = np.dtype("<f4")
_PLAIN: Final = re.compile(r"[ \t\n\r\v\f]*\[([-+0-9.eE, \t\n\r\v\f]+)\][ \t\n\r\v\f]*")
_FIXED_FROM, _FIXED_BELOW = np.float32(1e-4), np.float32(1e6)
"""Magnitudes that Arrow shows as PostgreSQL does."""
_HEAD: Final = struct.Struct(">hh")


def numbers(vector: bytes) -> np.ndarray:
    """Its numbers."""
    return np.frombuffer(vector, FLOAT)


def dims(vector: bytes) -> int:
    """How many numbers."""
    return len(vector) // 4


def _invalid(text: str, detail: str = "") -> SqlError:
    return SqlError("22P02", f'invalid input syntax for type vector: "{text}"', detail=detail)


def too_many() -> SqlError:
    return SqlError("54000", f"vector cannot have more than {DIMENSIONS_MAX} dimensions")


def _check_element(value: float) -> None:
    """Raises 22000."""
    if value != value:
        raise SqlError("22000", "NaN not allowed in vector")
    if value in (float("inf"), float("-inf")):
        raise SqlError("22000", "infinite value not allowed in vector")


def vector_in(text: str) -> bytes:
    """The input function. Raises 22P02, 22000, 22003 and 54000."""
    at = len(text) - len(text.lstrip(_BLANKS))
    if text[at : at + 1] != "[":
        raise _invalid(text, 'Vector contents must start with "[".')
    at = _skipped(text, at + 1)
    if text[at : at + 1] == "]":
        raise SqlError("22000", "vector must have at least 1 dimension")
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        made = _read(plain[1])
        if made is not None:
            return made
    found: list[float] = []
    while True:
        if len(found) == DIMENSIONS_MAX:
            raise too_many()
        at = _skipped(text, at)
        said = _NUMBER.match(text, at)
        if said is None:
            raise _invalid(text)
        found.append(_element(said[0]))
        at = _skipped(text, said.end())
        sign = text[at : at + 1]
        at += 1
        if sign == "]":
            break
        if sign != ",":
            raise _invalid(text)
    if _skipped(text, at) < len(text):
        raise _invalid(text, "Junk after closing right brace.")
    return np.array(found, FLOAT).tobytes()


def _read(said: str) -> bytes | None:
    """Numbers between commas, all at once; None where each is to be looked at."""
    try:
        made = pc.cast(pa.array(said.replace(", ", ",").split(",")), pa.float32()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return made.tobytes() if len(made) <= DIMENSIONS_MAX and np.isfinite(made).all() else None


def _skipped(text: str, at: int) -> int:
    while text[at : at + 1] in _BLANKS and at < len(text):
        at += 1
    return at


def _element(said: str) -> float:
    """The nearest number of four bytes. Raises 22003 and 22000."""
    try:
        near = float4_in(said)
    except SqlError as e:
        if e.sqlstate != "22003":
            raise
        if abs(float(said)) < 1:  # too small is zero
            return -0.0 if said.startswith("-") else 0.0
        raise SqlError("22003", f'"{said}" is out of range for type vector') from None
    _check_element(near)
    return near


def vector_out(vector: bytes) -> str:
    """The output function: each number as shortly as it is still that one."""
    found = numbers(vector)
    size = np.abs(found)
    shown: list[str] = pc.cast(pa.array(found), pa.string()).to_pylist()
    for at in np.flatnonzero((size != 0) & ((size < _FIXED_FROM) | (size >= _FIXED_BELOW))).tolist():
        shown[at] = float4_out(float(found[at]))
    return f"[{','.join(shown)}]"


def fitted(vector: bytes, dimensions: int) -> bytes:
    """A vector of a column of so many. Raises 22000."""
    if dims(vector) != dimensions:
        raise SqlError("22000", f"expected {dimensions} dimensions, not {dims(vector)}")
    return vector


def typmod_in(args: Sequence[str]) -> int:
    """vector(n). Raises 22023."""
    if len(args) != 1:
        raise SqlError("22023", "invalid type modifier")
    if not args[0].lstrip("+-").isdecimal():
        raise SqlError("22P02", f'invalid input syntax for type integer: "{args[0]}"')
    if int(args[0]) < 1:
        raise SqlError("22023", "dimensions for type vector must be at least 1")
    if int(args[0]) > DIMENSIONS_MAX:
        raise SqlError("22023", f"dimensions for type vector cannot exceed {DIMENSIONS_MAX}")
    return int(args[0])


def to_binary(vector: bytes) -> bytes:
    return _HEAD.pack(dims(vector), 0) + numbers(vector).astype(">f4").tobytes()


def from_binary(data: bytes) -> bytes:
    """Raises 22000, 54000 and 08P01."""
    if len(data) < _HEAD.size:
        raise SqlError("08P01", "insufficient data left in message")
    count, unused = _HEAD.unpack_from(data)
    if count < 1:
        raise SqlError("22000", "vector must have at least 1 dimension")
    if count > DIMENSIONS_MAX:
        raise too_many()
    if unused:
        raise SqlError("22000", f"expected unused to be 0, not {unused}")
    if len(data) < _HEAD.size + 4 * count:
        raise SqlError("08P01", "insufficient data left in message")
    if len(data) > _HEAD.size + 4 * count:
        raise BytesLeftOver()
    return of_finite(np.frombuffer(data, ">f4", count, _HEAD.size))


def of_finite(found: np.ndarray) -> bytes:
    """Raises 22000."""
    if not np.isfinite(found).all():
        _check_element(float(found[~np.isfinite(found)][0]))
    return found.astype(FLOAT).tobytes()


def of_numbers(items: Sequence[float | None]) -> bytes:
    """array_to_vector. Raises 22000, 22004 and 54000."""
    if not items:
        raise SqlError("22000", "vector must have at least 1 dimension")
    if len(items) > DIMENSIONS_MAX:
        raise too_many()
    if None in items:
        raise SqlError("22004", "array must not contain nulls")
    with np.errstate(over="ignore"):
        return of_finite(np.array(items, np.float64).astype(FLOAT))


def items(vector: bytes) -> list[float]:
    """vector_to_float4; what compares as vectors do, too: number by number, then by how many there are."""
    return (numbers(vector) + np.float32(0)).tolist()  # type: ignore[no-any-return]


class EmbeddingType(SqlType):
    """Its modifier is how many numbers there are."""

    def __init__(self) -> None:
        super().__init__(oids.VECTOR, pa.binary(), "BLOB")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return vector_in if typmod < 0 else lambda text: fitted(vector_in(text), typmod)

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return vector_out

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        return None if typmod < 0 else lambda datum: fitted(datum, typmod)

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"from_hex('{datum.hex()}')"

    def typmod_in(self, args: Sequence[str]) -> int:
        return typmod_in(args)
