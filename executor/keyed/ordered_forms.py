"""Numbers as one datum each that has their order: what indexes of numeric and float columns hold (`planner.binding.keyed.ordered_forms`).

places(12.50, 2) = 1250      places(12.505, 2) = 1250.5, which lies between two      places(NaN, 2) = inf, beyond all
in_order('-12.5') = '3799998874~'      sign, how long the whole part is, digits; of what is below zero the complement
bits(-1.5) < bits(0.0) = bits(-0.0) < bits(1.5) < bits(inf) < bits(NaN)
"""

from __future__ import annotations

import struct
from decimal import Context
from typing import Any, Final

import numpy as np
import pyarrow as pa

from executor.keyed.numbers import number
from executor.keyed.registry import STRICT

_EXACT: Final = Context(prec=200_000, Emin=-400_000, Emax=400_000, traps=[])
_LENGTH: Final = 200_000
"""More than the places of any number, before or behind the point."""
_COMPLEMENT: Final = str.maketrans("0123456789", "9876543210")
_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<q")
_TURN: Final = (1 << 63) - 1
_NAN: Final = float("nan")


def places(value: Any, scale: int) -> Any:
    """How many units of the last place a number is: an int, if it is a whole number of them."""
    v = number(value)
    if not v.is_finite():
        return float("-inf") if v.is_infinite() and v < 0 else float("inf")
    v = _EXACT.scaleb(v, scale)
    whole = int(v)
    return whole if whole == v else v


def in_order(value: Any) -> str:
    v = number(value)
    if v.is_nan():
        return "7"
    if v.is_infinite():
        return "6" if v > 0 else "2"
    if not v:
        return "4"
    _, digits, _ = v.as_tuple()
    said = f"{v.adjusted() + _LENGTH:06d}" + "".join(map(str, digits)).lstrip("0").rstrip("0")
    return "5" + said if v > 0 else "3" + said.translate(_COMPLEMENT) + "~"


def bits(value: float) -> int:
    if value != value:
        value = _NAN
    n: int = _BITS.unpack(_DOUBLE.pack(value + 0.0))[0]
    return n if n >= 0 else -(n & _TURN)


def column_of_places(column: pa.Array) -> pa.Array:
    """`places` of a column of numeric(p, s) of the same s, of at most eighteen digits."""
    low = np.frombuffer(column.buffers()[1], np.int64)[::2][column.offset : column.offset + len(column)]
    return pa.array(low, pa.int64(), mask=_unknown(column))


def column_of_bits(column: pa.Array) -> pa.Array:
    """`bits` of a column of floating-point numbers."""
    values = np.array(column.to_numpy(zero_copy_only=False), np.float64) + 0.0
    values[np.isnan(values)] = _NAN
    n = values.view(np.int64)
    return pa.array(np.where(n >= 0, n, -(n & _TURN)), pa.int64(), mask=_unknown(column))


def _unknown(column: pa.Array) -> Any:
    return column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None


def _register() -> None:
    from planner.binding.keyed.ordered_forms import OF_FLOAT, OF_NUMERIC, OF_PLACES

    STRICT[OF_PLACES], STRICT[OF_NUMERIC], STRICT[OF_FLOAT] = places, in_order, bits


_register()

__all__ = ["bits", "column_of_bits", "column_of_places", "in_order", "places"]
