"""Arithmetic on whole columns of numerics in text form: what has few digits is reckoned in 64 bits, all else value by value.

    '12.50'    units 1250, 2 places        '7'    units 7, none        'NaN', forty digits    not plain

A number's text says its scale, and so does the result's: products add scales up, sums take the larger one. Units are numpy's integers; whether
they suffice is asked of doubles, which are far more exact than the bound is near. What is not plain, or does not suffice, is left to the
function of values (`prelude.numbers`), which raises what is to be raised. A product takes a fifth of a microsecond so, and two by its values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from planner.binding.numerics import totalled
from planner.types.arrow_columns import one_array

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

DIGITS_MAX: Final = 18
"""Of a plain number: so many fit 64 bits whatever they are."""
_SHOWN_MAX: Final = 1_000
"""Places that somebody may ask for."""
UNITS_MAX: Final = 9e18
"""Below 2^63 by more than what a double rounds."""
_KINDS: Final = 1 << 20
"""Above all scales."""
POWERS: Final[Ints] = np.array([10**i for i in range(DIGITS_MAX + 1)], np.int64)


class Units(NamedTuple):
    """A column's numbers, each `units * 10 ^ -places` where it is plain; 0 elsewhere."""

    units: Ints
    places: Ints
    """Behind the point, without zeros at the end where the text was long."""
    scale: Ints
    """Places that are shown."""
    plain: Bools


def units_of(column: pa.Array) -> Units:
    """Of texts as PostgreSQL writes numerics, nulls included."""
    text = pc.fill_null(column, "")
    size = _ints(pc.binary_length(text))
    point = _ints(pc.find_substring(text, "."))
    scale = np.where(point >= 0, size - point - 1, 0)
    if len(size) and size.max() > DIGITS_MAX:
        # A quotient has twenty places, most of which may be zeros.
        text = pc.if_else(pa.array(point >= 0), pc.ascii_rtrim(text, "0"), text)
        size = _ints(pc.binary_length(text))
    bare = pc.replace_substring(text, ".", "", max_replacements=1)
    plain = (size > 0) & (size <= DIGITS_MAX)
    if not plain.all():
        bare = pc.if_else(pa.array(plain), bare, "0")
    try:
        units = _ints(pc.cast(bare, pa.int64()))
    except pa.ArrowInvalid:  # NaN, or an infinity
        number = pc.match_substring_regex(bare, "^-?[0-9]+$")
        plain &= np.asarray(number.to_numpy(zero_copy_only=False), np.bool_)
        units = _ints(pc.cast(pc.if_else(number, bare, "0"), pa.int64()))
    return Units(units, np.where(plain & (point >= 0), size - point - 1, 0), np.where(plain, scale, 0), plain)


def texts_of(units: Ints, places: Ints, scale: Ints) -> pa.Array:
    """As PostgreSQL writes them: a sign before what is below zero, and as many places as the scale says, not less than there are."""
    if not len(units):
        return pa.array([], pa.string())
    most = int(places.max())
    if (
        most <= DIGITS_MAX and (scale == scale[0]).all()
    ):  # that of quotients: all with as many places are written at once
        power = POWERS[most - places]
        if (np.abs(units.astype(np.float64)) * power).max() < UNITS_MAX:
            return _of_one_kind(units * power, most, int(scale[0]))
    kinds = places * _KINDS + scale
    first = int(kinds[0])
    if (kinds == first).all():
        return _of_one_kind(units, *divmod(first, _KINDS))
    pieces, found = [], []
    for kind in np.unique(kinds):
        at = np.flatnonzero(kinds == kind)
        pieces.append(_of_one_kind(units[at], *divmod(int(kind), _KINDS)))
        found.append(at)
    back = np.argsort(np.concatenate(found), kind="stable")
    return pa.concat_arrays(pieces).take(pa.array(back))


def _of_one_kind(units: Ints, places: int, scale: int) -> pa.Array:
    zeros = "0" * (scale - places)
    if places == 0:
        text = pc.cast(pa.array(units), pa.string())
        return pc.binary_join_element_wise(text, zeros, ".") if zeros else text
    # Units have at most nineteen digits.
    size = np.abs(units)
    whole, rest = np.divmod(size, 10**places) if places <= DIGITS_MAX else (np.zeros_like(units), size)
    fraction = pc.ascii_lpad(pc.cast(pa.array(rest), pa.string()), width=places, padding="0")
    text = pc.binary_join_element_wise(pc.cast(pa.array(whole), pa.string()), fraction, ".")
    below = units < 0
    if not zeros and not below.any():
        return text
    return pc.binary_join_element_wise(pc.if_else(pa.array(below), "-", ""), text, zeros, "")


def _ints(array: Any) -> Ints:
    return np.asarray(array.to_numpy(zero_copy_only=False), np.int64)


Reckoned = tuple[Ints, Ints, Ints, Bools]
"""Units, their places, scales, and where they are right."""


def _product(a: Units, b: Units) -> Reckoned:
    near = np.abs(a.units.astype(np.float64)) * np.abs(b.units.astype(np.float64))
    return a.units * b.units, a.places + b.places, a.scale + b.scale, near < UNITS_MAX


def _aligned(a: Units, b: Units) -> tuple[Ints, Ints, Ints, Bools]:
    places = np.maximum(a.places, b.places)
    sides, enough = [], np.ones(len(places), np.bool_)
    for side in (a, b):
        power = POWERS[places - side.places]
        enough &= np.abs(side.units.astype(np.float64)) * power < UNITS_MAX / 2
        sides.append(side.units * power)
    return sides[0], sides[1], places, enough


def _sum(a: Units, b: Units) -> Reckoned:
    x, y, places, enough = _aligned(a, b)
    return x + y, places, np.maximum(a.scale, b.scale), enough


def _difference(a: Units, b: Units) -> Reckoned:
    x, y, places, enough = _aligned(a, b)
    return x - y, places, np.maximum(a.scale, b.scale), enough


def _negative(a: Units) -> Reckoned:
    return -a.units, a.places, a.scale, a.plain


def _magnitude(a: Units) -> Reckoned:
    return np.abs(a.units), a.places, a.scale, a.plain


def _floor(a: Units) -> Reckoned:
    none = np.zeros_like(a.scale)
    return a.units // POWERS[a.places], none, none, a.plain


def _ceiling(a: Units) -> Reckoned:
    none = np.zeros_like(a.scale)
    return -(-a.units // POWERS[a.places]), none, none, a.plain


def _cut(a: Units, scale: Ints, half: int) -> Reckoned:
    """To so many places, not less than none; `half`: 1 rounds half away from zero, 0 cuts off."""
    enough = (scale >= 0) & (scale <= _SHOWN_MAX)
    scale = np.where(enough, scale, 0)
    places = np.minimum(scale, a.places)
    down = POWERS[a.places - places]
    units = (np.abs(a.units) + half * (down // 2)) // down
    return np.where(a.units < 0, -units, units), places, scale, enough


def _rounded(a: Units, places: Ints) -> Reckoned:
    return _cut(a, places, 1)


def _truncated(a: Units, places: Ints) -> Reckoned:
    return _cut(a, places, 0)


ByValue = Callable[..., Any]
ByColumn = Callable[..., pa.Array]


def _reckoning(reckon: Callable[..., Reckoned], numerics: int) -> Callable[[ByValue], ByColumn]:
    """A function of columns: so many of numerics, and those of integers behind them."""

    def made(by_value: ByValue) -> ByColumn:
        def run(*given: Any) -> pa.Array:
            columns = [one_array(c) for c in given]
            there = all_there(columns)
            sides = [units_of(c) for c in columns[:numerics]]
            others = [_ints(pc.fill_null(pc.cast(c, pa.int64()), 0)) for c in columns[numerics:]]
            units, places, scale, enough = reckon(*sides, *others)
            for side in sides:
                enough = enough & side.plain
            found = texts_of(*(np.where(enough, part, 0) for part in (units, places, scale)))
            return completed(found, columns, there, enough, by_value)

        return run

    return made


def all_there(columns: list[pa.Array]) -> Bools:
    valid = pc.is_valid(columns[0])
    for c in columns[1:]:
        valid = pc.and_(valid, pc.is_valid(c))
    return np.asarray(valid.to_numpy(zero_copy_only=False), np.bool_)


def completed(
    found: pa.Array, columns: list[pa.Array], there: Bools, enough: Bools, by_value: ByValue
) -> pa.Array:
    """`found` where that was enough, the function's values elsewhere, null where an argument is."""
    if not there.all():
        found = pc.if_else(pa.array(there), found, pa.scalar(None, found.type))
    left = np.flatnonzero(there & ~enough)
    if not len(left):
        return found
    at = pa.array(left)
    rows = zip(*(c.take(at).to_pylist() for c in columns), strict=True)
    values = pa.array([by_value(*row) for row in rows], found.type)
    return pc.replace_with_mask(found, pa.array(there & ~enough), values)


def _integers(low: int, high: int) -> Callable[[ByValue], ByColumn]:
    def made(by_value: ByValue) -> ByColumn:
        def run(given: Any) -> pa.Array:
            column = one_array(given)
            side = units_of(column)
            units, _, _, enough = _cut(side, np.zeros_like(side.scale), 1)
            enough = enough & side.plain & (units >= low) & (units <= high)
            return completed(pa.array(units), [column], all_there([column]), enough, by_value)

        return run

    return made


def _doubles(by_value: ByValue) -> ByColumn:
    """Arrow reads a text as the nearest double, as strtod does; what is beyond doubles, or near zero, is looked at."""

    def run(given: Any) -> pa.Array:
        column = one_array(given)
        try:
            found = pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            found = pa.array(np.full(len(column), np.nan))
        values = np.asarray(pc.fill_null(found, 0.0).to_numpy(zero_copy_only=False), np.float64)
        enough = np.isfinite(values) & (np.abs(values) > 1e-300)
        return completed(pa.array(values), [column], all_there([column]), enough, by_value)

    return run


def _of_doubles(by_value: ByValue) -> ByColumn:
    """Fifteen digits without an exponent are what a numeric is shown as."""

    def run(given: Any) -> pa.Array:
        return pa.array(
            [None if v is None else _shown(v, by_value) for v in one_array(given).to_pylist()], pa.string()
        )

    return run


def _shown(v: float, by_value: ByValue) -> Any:
    return f"{v:.15g}" if 1e-4 <= v < 9e14 or -9e14 < v <= -1e-4 else by_value(v)


def _keys(by_value: ByValue) -> ByColumn:
    """`numerics.sort_key`: how far before the point a number begins, and its digits; below zero their complement. The text says both."""

    def run(given: Any) -> pa.Array:
        column = one_array(given)
        text = pc.fill_null(column, "0")
        bare = pc.ascii_ltrim(text, "-")
        point, length = _ints(pc.find_substring(bare, ".")), _ints(pc.binary_length(bare))
        digits = pc.ascii_ltrim(pc.replace_substring(bare, ".", "", max_replacements=1), "0")
        zeros = length - (point >= 0) - _ints(pc.binary_length(digits))
        at = np.where(point >= 0, point, length) - 1 - zeros
        enough = np.abs(at) <= _FAR
        for word in ("N", "I"):  # NaN, an infinity
            enough &= _ints(pc.find_substring(bare, word)) < 0
        first = pa.array(np.where(enough, at, 0) + _FAR)
        body = pc.cast(pc.ascii_rtrim(digits, "0"), pa.binary())
        found = pc.binary_join_element_wise(_ABOVE.take(first), body, b"")
        below = pc.starts_with(text, "-")
        if pc.any(below).as_py():
            under = pc.binary_join_element_wise(_BELOW.take(first), _complement(body), b"\xff", b"")
            found = pc.if_else(below, under, found)
        found = pc.if_else(pc.equal(pc.binary_length(digits), 0), pa.scalar(b"\x80", pa.binary()), found)
        return completed(found, [column], all_there([column]), enough, by_value)

    return run


_FAR: Final = 60
"""Places before or behind the point at which a number begins, of those whose keys are made so."""
_FIRST: Final = [(0x40000000 + at).to_bytes(4, "big") for at in range(-_FAR, _FAR + 1)]
_ABOVE: Final = pa.array([b"\xc0" + first for first in _FIRST], pa.binary())
_BELOW: Final = pa.array([b"\x40" + bytes(255 - b for b in first) for first in _FIRST], pa.binary())


def _complement(texts: pa.Array) -> pa.Array:
    """Each byte as 255 less it."""
    valid, offsets, data = texts.buffers()
    assert valid is None or not texts.null_count, "digits are there for all"
    turned = 255 - np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return pa.Array.from_buffers(
        pa.binary(), len(texts), [None, offsets, pa.py_buffer(turned.tobytes())], 0, texts.offset
    )


_TOTAL: Final = pa.decimal128(38, 20)


def _totals(by_value: ByValue) -> ByColumn:
    """sum() of lists, as 128 bits hold it: of numbers below 10^9 with not more than twenty places, and not more than 10^8 of them."""

    def run(given: Any) -> pa.Array:
        lists = one_array(given)
        values = lists.flatten()
        sizes = _ints(pc.fill_null(pc.list_value_length(lists), 0))
        numbers = _decimals(values) if len(values) <= 10**8 else None
        if numbers is None:
            return pa.array(
                [None if each is None else by_value(each) for each in lists.to_pylist()], pa.string()
            )
        of = np.repeat(np.arange(len(lists)), sizes)
        point = _ints(pc.fill_null(pc.find_substring(values, "."), -1))
        scale = np.where(point >= 0, _ints(pc.fill_null(pc.binary_length(values), 0)) - point - 1, 0)
        summed = (
            pa.table({"of": of, "number": numbers, "scale": scale})
            .group_by("of")
            .aggregate([("number", "sum"), ("scale", "max")])
        )
        found: list[str | None] = [None] * len(lists)
        columns = (summed.column(name).to_pylist() for name in ("of", "number_sum", "scale_max"))
        for at, total, largest in zip(*columns, strict=True):
            if total is not None:
                found[at] = totalled(format(total, "f"), largest, [])
        return pa.array(found, pa.string())

    return run


def _decimals(values: pa.Array) -> pa.Array | None:
    """None if there is one for which that is not the place."""
    size = pc.max(pc.binary_length(values)).as_py() or 0
    if size > _TEXT_MAX:
        return None
    try:
        numbers = pc.cast(values, _TOTAL)
    except pa.ArrowInvalid:
        return None
    bounds = pc.min_max(numbers).as_py()
    if bounds["max"] is not None and max(bounds["max"], -bounds["min"]) >= 10**9:
        return None
    return numbers


_TEXT_MAX: Final = 22
"""Characters: with a digit, a point and twenty places."""
_MADE: Final[dict[str, Callable[[ByValue], ByColumn]]] = {
    "tw_num_key": _keys,
    "tw_num_sum": _totals,
    "tw_num_add": _reckoning(_sum, 2),
    "tw_num_sub": _reckoning(_difference, 2),
    "tw_num_mul": _reckoning(_product, 2),
    "tw_num_neg": _reckoning(_negative, 1),
    "tw_num_abs": _reckoning(_magnitude, 1),
    "tw_num_floor": _reckoning(_floor, 1),
    "tw_num_ceil": _reckoning(_ceiling, 1),
    "tw_num_round": _reckoning(_rounded, 1),
    "tw_num_trunc": _reckoning(_truncated, 1),
    "tw_num_float8": _doubles,
    "tw_num_from_float8": _of_doubles,
    **{
        f"tw_num_int{size}": _integers(-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1)
        for size in (2, 4, 8)
    },
}


def by_column(functions: dict[str, ByValue]) -> dict[str, ByColumn]:
    """The functions of columns, each over its function of values."""
    return {name: made(functions[name]) for name, made in _MADE.items()}


__all__ = [
    "DIGITS_MAX",
    "POWERS",
    "UNITS_MAX",
    "Bools",
    "ByColumn",
    "ByValue",
    "Ints",
    "Units",
    "all_there",
    "by_column",
    "completed",
    "texts_of",
    "units_of",
]
