"""Columns of numbers as decimal digits, ready to be laid out in rows: no text is made of a value alone.

    123 4096 7      ->   0123 4096 0007     four digits at a time from a table, with as many divisions by 10,000 as the largest needs
                          ···                what counts is found by comparing with powers of ten

A double that is a whole number of tenths to ten-thousandths of less than fifteen digits prints as that decimal: no two such
decimals are one double, so none that is shorter is equal to it. Whether a double is one, a multiplication and a
division say.

Other numbers (negative ones, those of many places, NULLs) are Arrow's, and take two to three times as long.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pgwire.encoding.arrow_views import values_of
from pgwire.encoding.row_join import Padded, Values

PLACES_MAX: Final = 4
_DIGITS_MAX: Final = 15
_SAMPLED: Final = 16
_ROWS_MIN: Final = 256
"""For fewer rows some thirty calls of numpy cost more than what they save."""


def integer_digits(column: pa.Array) -> list[Padded] | None:
    """The digits of a column of integers; None where Arrow is to print it."""
    if column.null_count or len(column) < _ROWS_MIN:
        return None
    part = _digits(values_of(column, column.type.to_pandas_dtype()).astype(np.int64, copy=False))
    return None if part is None else [part]


def float8_digits(column: pa.Array) -> list[Padded] | None:
    """The digits of a column of doubles, shortest form; None where Arrow is to print it."""
    if column.null_count or len(column) < _ROWS_MIN:
        return None
    values = values_of(column, np.float64)
    places = _places(values[:_SAMPLED])
    if places < 0 or np.signbit(values).any():
        return None
    unit = 10**places
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.rint(values * unit)
        if not (scaled < 10**_DIGITS_MAX).all() or (scaled / unit != values).any():
            return None
    whole: npt.NDArray[Any] = scaled.astype(np.int64)
    if not places:
        part = _digits(whole)
        return None if part is None else [part]
    quotient = whole // unit
    rest = whole - quotient * unit
    front = _digits(quotient)
    texts, lengths = _fractions(places)
    sizes = lengths[rest]
    return None if front is None else [front, Padded(texts[rest], sizes, int(sizes.min()), places + 1)]


def _places(sample: npt.NDArray[np.float64]) -> int:
    """How many places the values of a sample have; -1 for more than there are tables for."""
    with np.errstate(over="ignore", invalid="ignore"):
        for places in range(PLACES_MAX + 1):
            if (np.rint(sample * 10**places) / 10**places == sample).all():
                return places
    return -1


def _digits(values: npt.NDArray[np.int64]) -> Padded | None:
    smallest, largest = int(values.min()), int(values.max())
    if smallest < 0:
        return None
    low, high = len(str(smallest)), len(str(largest))
    n, groups = len(values), (high + 3) // 4
    out = np.empty((n, groups), np.uint32)
    table = _quads()
    rest = values
    for i in range(groups - 1, 0, -1):
        quotient = rest // 10_000
        out[:, i] = table[rest - quotient * 10_000]
        rest = quotient
    out[:, 0] = table[rest]
    lengths = np.full(n, low, np.int64)
    for digits in range(low, high):
        lengths += values >= 10**digits
    width = groups * 4
    texts: Values = np.ndarray((n,), f"V{high}", out, width - high, (width,))
    return Padded(texts, lengths, low, high, right=True)


@lru_cache(maxsize=1)
def _quads() -> npt.NDArray[np.uint32]:
    """The four digits of each number below 10,000."""
    return np.array([f"{i:04d}".encode() for i in range(10_000)], "S4").view(np.uint32)


@lru_cache(maxsize=PLACES_MAX)
def _fractions(places: int) -> tuple[Values, npt.NDArray[np.int64]]:
    """The point and the places of each fraction, and how many bytes of that are printed."""
    texts = [f".{i:0{places}d}" for i in range(10**places)]
    lengths = [len(text.rstrip("0").rstrip(".")) for text in texts]
    return np.array([t.encode() for t in texts], f"S{places + 1}").view(f"V{places + 1}"), np.array(
        lengths, np.int64
    )
