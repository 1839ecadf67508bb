"""Quotients of whole columns of numerics in text form: `numerics.divide`, nine digits at a time in 64 bits.

    10.00 / 3    whole 3, then 333333333 333333300 ...    as many places as the quotient's scale, the last one rounded half away from zero

What does not suffice (a divisor above nine digits, a scale beyond three times nine, NaN) is left to the function of values, and so is zero,
which raises.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner.binding.numerics import SIGNIFICANT_DIGITS
from planner.binding.prelude.numeric_columns import (
    POWERS,
    UNITS_MAX,
    Bools,
    ByColumn,
    ByValue,
    Ints,
    Units,
    all_there,
    completed,
    units_of,
)
from planner.types.arrow_columns import one_array

_CHUNK: Final = 9
_SCALE_MAX: Final = 3 * _CHUNK
_DIVISOR_MAX: Final = 9 * 10**_CHUNK


def _first_group(side: Units) -> tuple[Ints, Ints]:
    """Weight and value of the first group of four digits, as `numerics` counts them; zeros for zero."""
    size = np.abs(side.units)
    digits = np.searchsorted(POWERS, size, side="right")
    weight, last = np.divmod(digits - 1 - side.places, 4)
    more = digits - last - 1
    group = np.where(more >= 0, size // POWERS[np.maximum(more, 0)], size * POWERS[np.maximum(-more, 0)])
    return np.where(size == 0, 0, weight), np.where(size == 0, 0, group)


def _scale(a: Units, b: Units) -> Ints:
    (weight_a, first_a), (weight_b, first_b) = _first_group(a), _first_group(b)
    weight = weight_a - weight_b - (first_a <= first_b)
    shown: Ints = np.maximum.reduce(
        [SIGNIFICANT_DIGITS - 4 * weight, a.scale, b.scale, np.zeros_like(weight)]
    )
    return shown


def _fractions(top: Ints, bottom: Ints, scale: Ints) -> tuple[Ints, list[tuple[Ints, Ints]]]:
    """The whole number, and pieces of so many places each, rounded."""
    whole, rest = np.divmod(top, bottom)
    pieces, left = [], scale
    for _ in range(3):
        width = np.minimum(left, _CHUNK)
        piece, rest = np.divmod(rest * POWERS[width], bottom)
        pieces.append((piece, width))
        left = left - width
    carry = (2 * rest >= bottom).astype(np.int64)
    for at in (2, 1, 0):
        piece, width = pieces[at]
        piece = piece + carry
        carry = (piece >= POWERS[width]).astype(np.int64)
        pieces[at] = piece * (1 - carry), width
    return whole + carry, pieces


def _texts(below: Bools, whole: Ints, pieces: list[tuple[Ints, Ints]], scale: Ints) -> pa.Array:
    some = whole != 0
    for piece, _ in pieces:
        some = some | (piece != 0)
    sign = pc.if_else(pa.array(below & some), "-", "")
    made, found = [], []
    for kind in np.unique(scale):
        at = np.flatnonzero(scale == kind)
        parts = [sign.take(pa.array(at)), pc.cast(pa.array(whole[at]), pa.string())]
        if kind:
            parts.append(pa.scalar("."))
        for piece, width in pieces:
            if places := int(width[at[0]]):
                digits = pc.cast(pa.array(piece[at]), pa.string())
                parts.append(pc.ascii_lpad(digits, width=places, padding="0"))
        made.append(pc.binary_join_element_wise(*parts, ""))
        found.append(at)
    if len(made) == 1:
        return made[0]
    return pa.concat_arrays(made).take(pa.array(np.argsort(np.concatenate(found), kind="stable")))


def quotients(by_value: ByValue) -> ByColumn:
    """The function of columns over the function of values, of two numerics or of a numeric and a count."""

    def run(*given: Any) -> pa.Array:
        columns = [one_array(c) for c in given]
        if not len(columns[0]):
            return pa.array([], pa.string())
        a, b = (units_of(c if pa.types.is_string(c.type) else pc.cast(c, pa.string())) for c in columns)
        common = np.minimum(a.places, b.places)
        up, down = POWERS[b.places - common], POWERS[a.places - common]
        enough = a.plain & b.plain & (b.units != 0)
        enough &= np.abs(a.units.astype(np.float64)) * up < UNITS_MAX
        enough &= np.abs(b.units.astype(np.float64)) * down < _DIVISOR_MAX
        scale = _scale(a, b)
        enough &= scale <= _SCALE_MAX
        top = np.where(enough, np.abs(a.units) * up, 0)
        bottom = np.where(enough, np.abs(b.units) * down, 1)
        scale = np.where(enough, scale, 0)
        whole, pieces = _fractions(top, bottom, scale)
        found = _texts((a.units < 0) != (b.units < 0), whole, pieces, scale)
        return completed(found, columns, all_there(columns), enough, by_value)

    return run


__all__ = ["quotients"]
