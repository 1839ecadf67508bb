"""Array values: PostgreSQL's text, and what is in it.

    '{1,2,3}'                   dims (3,)     lows (1,)       items 1 2 3
    '{{1,2},{3,NULL}}'          dims (2, 2)   lows (1, 1)     items 1 2 3 NULL
    '[0:1]={1,2}'               dims (2,)     lows (0,)       items 1 2
    '{}'                        dims ()       lows ()         none

An array's type says nothing of its dimensions or bounds, so a value carries them, as in PostgreSQL. Its text is the one
form that storage, parameters and results have; queries that stay within one dimension compute with lists. Here texts
become shapes with items and back; an item is its element type's text, or None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

from planner.abc import SqlError
from planner.types.base import WHITESPACE

DIMENSIONS_MAX: Final = 6
"""PostgreSQL's MAXDIM."""
ITEMS_MAX: Final = 134_217_727
"""PostgreSQL's MaxArraySize: an assignment far from the other elements fills up what is between."""
FILLED_MAX: Final = 10_000_000
"""Elements of an array that array_fill makes, some 150 bytes each on their way: PostgreSQL's own limit would be most of a machine's memory."""
_QUOTED: Final = frozenset('"\\{}' + WHITESPACE)
_SIMPLE: Final = re.compile(r"\{[^{}\"\\\s]*\}")
_BOUND: Final = re.compile(r"[ \t\n\r\v\f]*\[[ \t\n\r\v\f]*([+-]?\d+)(?::([+-]?\d+))?\]")


@dataclass(frozen=True, slots=True)
class ArrayValue:
    dims: tuple[int, ...]
    lows: tuple[int, ...]
    items: list[str | None]

    @property
    def plain(self) -> bool:
        """One dimension (or none) that counts from one."""
        return len(self.dims) <= 1 and self.lows in ((), (1,))


EMPTY: Final = ArrayValue((), (), [])


def vector(items: Sequence[str | None], low: int = 1) -> ArrayValue:
    """Of one dimension, from one; the catalog's vectors count from zero."""
    return ArrayValue((len(items),), (low,), list(items)) if items else EMPTY


def _malformed(text: str, detail: str) -> SqlError:
    return SqlError("22P02", f'malformed array literal: "{text}"', detail=detail)


def too_many_dimensions(count: int) -> SqlError:
    return SqlError(
        "54000", f"number of array dimensions ({count}) exceeds the maximum allowed ({DIMENSIONS_MAX})"
    )


def parse(text: str, delimiter: str = ",") -> ArrayValue:
    """An array literal. Raises 22P02, 2202E, 54000."""
    if _SIMPLE.fullmatch(text):
        if text == "{}":
            return EMPTY
        words = text[1:-1].split(delimiter)
        if "" not in words:
            if "N" in text or "n" in text:
                return vector([None if i.upper() == "NULL" else i for i in words])
            return vector(words)
    bounds, at = _bounds(text)
    at = _blanks(text, at)
    if at >= len(text) or text[at] != "{":
        if bounds is not None:
            raise _malformed(text, 'Array contents must start with "{".')
        raise _malformed(text, 'Array value must start with "{" or dimension information.')
    nested, end = _list(text, at, delimiter, 1)
    if text[end:].strip(WHITESPACE):
        raise _malformed(text, "Junk after closing right brace.")
    sizes: list[int] = []
    items = list(_leaves(text, nested, sizes, 0))
    if bounds is not None:
        if [high - low + 1 for low, high in bounds] != sizes:
            raise _malformed(text, "Specified array dimensions do not match array contents.")
        return ArrayValue(tuple(sizes), tuple(low for low, _ in bounds), items)
    if not items:
        return EMPTY
    return ArrayValue(tuple(sizes), (1,) * len(sizes), items)


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in WHITESPACE:
        at += 1
    return at


_BOUND_MAX: Final = (1 << 31) - 1


def refuse_bound(low: int, count: int) -> None:
    """Raises 54000 where the place behind the last element has no number."""
    if low + count > _BOUND_MAX:
        raise SqlError("54000", f"array lower bound is too large: {low}")


def _bounds(text: str) -> tuple[list[tuple[int, int]] | None, int]:
    """`[1:2][0:1]=`: the bounds, and where the contents begin."""
    at = _blanks(text, 0)
    if at >= len(text) or text[at] != "[":
        return None, at
    out: list[tuple[int, int]] = []
    while True:
        found = _BOUND.match(text, at)
        if found is None:
            break
        low, high = (int(found[1]), int(found[2])) if found[2] is not None else (1, int(found[1]))
        if len(out) == DIMENSIONS_MAX:
            raise too_many_dimensions(len(out) + 1)
        if high < low or high > _BOUND_MAX:
            raise SqlError("2202E", "upper bound cannot be less than lower bound")
        out.append((low, high))
        refuse_bound(low, high - low + 1)
        at = found.end()
    if not out:
        raise _malformed(text, '"[" must introduce explicitly-specified array dimensions.')
    at = _blanks(text, at)
    if at >= len(text) or text[at] != "=":
        raise _malformed(text, 'Missing "=" after array dimensions.')
    return out, at + 1


def _list(text: str, at: int, delimiter: str, depth: int) -> tuple[list[Any], int]:
    """What is between the brace here and the one that closes it: element texts, None, or lists of them."""
    if depth > DIMENSIONS_MAX:
        raise too_many_dimensions(depth)
    out: list[Any] = []
    at += 1
    n = len(text)
    expect_value = False
    while True:
        at = _blanks(text, at)
        if at >= n:
            raise _malformed(text, "Unexpected end of input.")
        c = text[at]
        if c == "}":
            if expect_value or (depth > 1 and not out):
                raise _malformed(text, 'Unexpected "}" character.')
            return out, at + 1
        if c == delimiter:
            raise _malformed(text, f'Unexpected "{delimiter}" character.')
        if c == "{":
            inner, at = _list(text, at, delimiter, depth + 1)
            out.append(inner)
        elif c == "\\" and out and isinstance(out[-1], list):
            raise _malformed(text, 'Unexpected "\\" character.')
        else:
            item, at = _element(text, at, delimiter)
            out.append(item)
        at = _blanks(text, at)
        expect_value = False
        if at < n and text[at] == delimiter:
            at += 1
            expect_value = True
        elif at < n and text[at] == "\\":
            raise _malformed(text, 'Unexpected "\\" character.')
        elif at < n and text[at] == "{":
            raise _malformed(text, 'Unexpected "{" character.')
        elif at < n and text[at] != "}":
            raise _malformed(text, "Unexpected array element.")


def _element(text: str, i: int, delimiter: str) -> tuple[str | None, int]:
    n = len(text)
    if text[i] == '"':
        i += 1
        buffer: list[str] = []
        while True:
            if i >= n:
                raise _malformed(text, "Unexpected end of input.")
            c = text[i]
            if c == '"':
                return "".join(buffer), i + 1
            if c == "\\":
                i += 1
                if i >= n:
                    raise _malformed(text, "Unexpected end of input.")
                c = text[i]
            buffer.append(c)
            i += 1
    buffer, escaped, end = [], False, 0
    while i < n and text[i] not in '{}"' and text[i] != delimiter:
        c = text[i]
        if c == "\\":
            i += 1
            if i >= n:
                raise _malformed(text, "Unexpected end of input.")
            escaped = True
            buffer.append(text[i])
            end = len(buffer)
        else:
            buffer.append(c)
            if c not in WHITESPACE:
                end = len(buffer)
        i += 1
    item = "".join(buffer[:end])
    return (None if item.upper() == "NULL" and not escaped else item), i


def _leaves(text: str, nested: list[Any], sizes: list[int], depth: int) -> Iterator[str | None]:
    """The elements row by row; the sizes of the dimensions go into `sizes`. Raises 22P02 for odd shapes."""
    if len(sizes) == depth:
        sizes.append(len(nested))
    elif sizes[depth] != len(nested):
        raise _malformed(text, "Multidimensional arrays must have sub-arrays with matching dimensions.")
    for item in nested:
        if isinstance(item, list) != isinstance(nested[0], list) or (
            not isinstance(item, list) and len(sizes) > depth + 1
        ):
            if isinstance(item, list):
                raise _malformed(text, 'Unexpected "{" character.')
            raise _malformed(text, "Unexpected array element.")
        if isinstance(item, list):
            yield from _leaves(text, item, sizes, depth + 1)
        else:
            yield item


def shown_item(item: str | None, delimiter: str = ",") -> str:
    """An element as it stands in an array's text."""
    if item is None:
        return "NULL"
    if not item or delimiter in item or not _QUOTED.isdisjoint(item) or item.upper() == "NULL":
        return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return item


def write(value: ArrayValue, delimiter: str = ",") -> str:
    """The array's text."""
    if not value.items:
        return "{}"
    if value.lows == (1,) and None not in value.items and "" not in value.items:
        together = delimiter.join(value.items)  # type: ignore[arg-type]
        digits = together.replace(delimiter, "").replace("-", "")
        if digits.isdecimal() and together.count(delimiter) == len(value.items) - 1:
            return "{" + together + "}"  # of numbers none is quoted
    cells = [shown_item(i, delimiter) for i in value.items]
    for size in value.dims[:0:-1]:
        cells = ["{" + delimiter.join(cells[i : i + size]) + "}" for i in range(0, len(cells), size)]
    text = "{" + delimiter.join(cells) + "}"
    if any(low != 1 for low in value.lows):
        return bounds_text(value) + "=" + text
    return text


def bounds_text(value: ArrayValue) -> str:
    """`[1:2][0:1]`."""
    return "".join(f"[{low}:{low + size - 1}]" for low, size in zip(value.lows, value.dims, strict=True))


# --- subscripts -----------------------------------------------------------------------------------


def item_at(value: ArrayValue, places: Sequence[int]) -> str | None:
    """The element; None for NULL, for places beyond the bounds, and for too few or too many of them."""
    if len(places) != len(value.dims):
        return None
    at = 0
    for place, low, size in zip(places, value.lows, value.dims, strict=True):
        if not low <= place < low + size:
            return None
        at = at * size + place - low
    return value.items[at]


def positions(dims: Sequence[int], starts: Sequence[int], sizes: Sequence[int]) -> Iterator[int]:
    """Where the elements of a box inside an array are, row by row."""
    bases = [0]
    for size, start, count in zip(dims, starts, sizes, strict=True):
        bases = [b * size + start + k for b in bases for k in range(count)]
    yield from bases


def cut(value: ArrayValue, bounds: Sequence[int | None]) -> ArrayValue:
    """The slice `[low:high]...`; None: to the array's own bound. What is beyond the bounds is left out."""
    count = len(value.dims)
    if not count or len(bounds) // 2 > count:
        return EMPTY
    starts, sizes = [], []
    for d in range(count):
        low, high = value.lows[d], value.lows[d] + value.dims[d] - 1
        if 2 * d < len(bounds):
            given_low, given_high = bounds[2 * d], bounds[2 * d + 1]
            first = low if given_low is None else max(low, given_low)
            last = high if given_high is None else min(high, given_high)
        else:
            first, last = low, high
        if last < first:
            return EMPTY
        starts.append(first - low)
        sizes.append(last - first + 1)
    items = [value.items[p] for p in positions(value.dims, starts, sizes)]
    return ArrayValue(tuple(sizes), (1,) * count, items)


def refuse_size(count: int, most: int = ITEMS_MAX) -> None:
    """Raises 54000 for more elements than an array holds."""
    if count > most:
        raise SqlError("54000", f"array size exceeds the maximum allowed ({most})")


def _subscript_error() -> SqlError:
    return SqlError("2202E", "array subscript out of range")


def put(value: ArrayValue, places: Sequence[int], item: str | None) -> ArrayValue:
    """The array with one element assigned. An array of one dimension grows. Raises 2202E."""
    if not value.dims:
        if len(places) > DIMENSIONS_MAX:
            raise too_many_dimensions(len(places))
        return ArrayValue((1,) * len(places), tuple(places), [item])
    if len(places) != len(value.dims):
        raise SqlError("2202E", "wrong number of array subscripts")
    if len(value.dims) == 1:
        return put_slice(value, [places[0], places[0]], vector([item]))
    at = 0
    for place, low, size in zip(places, value.lows, value.dims, strict=True):
        if not low <= place < low + size:
            raise _subscript_error()
        at = at * size + place - low
    return ArrayValue(value.dims, value.lows, [*value.items[:at], item, *value.items[at + 1 :]])


def put_slice(value: ArrayValue, bounds: Sequence[int | None], source: ArrayValue) -> ArrayValue:
    """The array with a slice assigned. Raises 2202E."""
    if len(bounds) // 2 > DIMENSIONS_MAX:
        raise too_many_dimensions(len(bounds) // 2)
    if not value.dims:
        return _from_slice(bounds, source)
    count = len(value.dims)
    if len(bounds) // 2 > count:
        raise SqlError("2202E", "wrong number of array subscripts")
    starts, sizes = [], []
    dims, lows, items = list(value.dims), list(value.lows), list(value.items)
    for d in range(count):
        low, high = lows[d], lows[d] + dims[d] - 1
        given = (bounds[2 * d], bounds[2 * d + 1]) if 2 * d < len(bounds) else (None, None)
        first, last = (low if given[0] is None else given[0]), (high if given[1] is None else given[1])
        if first > last:
            raise SqlError("2202E", "upper bound cannot be less than lower bound")
        if count == 1:
            refuse_size(max(last, high) - min(first, low) + 1)
            if first < low:
                items[:0] = [None] * (low - first)
                dims[0] += low - first
                lows[0] = low = first
            if last > lows[0] + dims[0] - 1:
                more = last - (lows[0] + dims[0] - 1)
                items += [None] * more
                dims[0] += more
        elif first < low or last > high:
            raise _subscript_error()
        starts.append(first - low)
        sizes.append(last - first + 1)
    places = list(positions(dims, starts, sizes))
    if len(source.items) < len(places):
        raise SqlError("2202E", "source array too small")
    for p, item in zip(places, source.items, strict=False):
        items[p] = item
    return ArrayValue(tuple(dims), tuple(lows), items)


def _from_slice(bounds: Sequence[int | None], source: ArrayValue) -> ArrayValue:
    if None in bounds:
        raise SqlError(
            "2202E",
            "array slice subscript must provide both boundaries",
            detail="When assigning to a slice of an empty array value, slice boundaries must be fully specified.",
        )
    given = [b for b in bounds if b is not None]
    lows, highs = given[::2], given[1::2]
    if any(high < low for low, high in zip(lows, highs, strict=True)):
        raise SqlError("2202E", "upper bound cannot be less than lower bound")
    dims = tuple(high - low + 1 for low, high in zip(lows, highs, strict=True))
    refuse_size(prod(dims))
    if len(source.items) < prod(dims):
        raise SqlError("2202E", "source array too small")
    return ArrayValue(dims, tuple(lows), source.items[: prod(dims)])


# --- joining ----------------------------------------------------------------------------------------


def _incompatible(detail: str) -> SqlError:
    return SqlError("2202E", "cannot concatenate incompatible arrays", detail=detail)


def joined(a: ArrayValue, b: ArrayValue) -> ArrayValue:
    """a || b. Raises 2202E."""
    if not a.dims:
        return b
    if not b.dims:
        return a
    x, y = len(a.dims), len(b.dims)
    if abs(x - y) > 1:
        raise _incompatible(f"Arrays of {x} and {y} dimensions are not compatible for concatenation.")
    items = a.items + b.items
    if x == y:
        if (a.dims[1:], a.lows[1:]) != (b.dims[1:], b.lows[1:]):
            raise _incompatible(
                "Arrays with differing element dimensions are not compatible for concatenation."
            )
        refuse_bound(a.lows[0], a.dims[0] + b.dims[0])
        return ArrayValue((a.dims[0] + b.dims[0], *a.dims[1:]), a.lows, items)
    outer, inner = (a, b) if x > y else (b, a)
    if (outer.dims[1:], outer.lows[1:]) != (inner.dims, inner.lows):
        raise _incompatible("Arrays with differing dimensions are not compatible for concatenation.")
    refuse_bound(outer.lows[0], outer.dims[0] + 1)
    return ArrayValue((outer.dims[0] + 1, *outer.dims[1:]), outer.lows, items)


def appended(value: ArrayValue, item: str | None, *, before: bool = False) -> ArrayValue:
    """The array of one dimension with an element more. Raises 22000."""
    if not value.dims:
        return vector([item])
    if len(value.dims) != 1:
        raise SqlError("22000", "argument must be empty or one-dimensional array")
    items = [item, *value.items] if before else [*value.items, item]
    if not before:
        refuse_bound(value.lows[0], len(items))
    elif value.lows[0] == -_BOUND_MAX - 1:
        raise SqlError("22003", "integer out of range")
    return ArrayValue((len(items),), value.lows, items)


def stacked(parts: Sequence[ArrayValue | None], *, aggregated: bool) -> ArrayValue:
    """Arrays as the rows of one with a dimension more: ARRAY[a, b], array_agg. Raises 2202E, 22004."""
    if aggregated:
        if None in parts:
            raise SqlError("22004", "cannot accumulate null arrays")
        if any(p is not None and not p.dims for p in parts):
            raise SqlError("2202E", "cannot accumulate empty arrays")
        odd = SqlError("2202E", "cannot accumulate arrays of different dimensionality")
    else:
        odd = SqlError(
            "2202E", "multidimensional arrays must have array expressions with matching dimensions"
        )
    shapes = {((), ()) if p is None else (p.dims, p.lows) for p in parts}
    if len(shapes) > 1:
        raise odd
    shape, _ = shapes.pop() if shapes else ((), ())
    if not shape:
        return EMPTY
    if len(shape) == DIMENSIONS_MAX:
        raise too_many_dimensions(len(shape) + 1)
    first = next(p for p in parts if p is not None)
    return ArrayValue(
        (len(parts), *shape),
        (1, *first.lows),
        [item for p in parts if p is not None for item in p.items],
    )


def filled(item: str | None, sizes: Sequence[int | None], lows: Sequence[int | None] | None) -> ArrayValue:
    """array_fill. Raises 2202E, 22004, 54000."""
    if None in sizes or (lows is not None and None in lows):
        raise SqlError("22004", "dimension values cannot be null")
    if len(sizes) > DIMENSIONS_MAX:
        raise too_many_dimensions(len(sizes))
    if lows is not None and len(lows) != len(sizes):
        raise SqlError(
            "2202E",
            "wrong number of array subscripts",
            detail="Low bound array has different size than dimensions array.",
        )
    dims = tuple(s for s in sizes if s is not None)
    count = prod(dims) if dims else 0
    refuse_size(ITEMS_MAX + 1 if any(d < 0 for d in dims) else count)
    refuse_size(count, FILLED_MAX)
    if not count:
        return EMPTY
    starts = (1,) * len(dims) if lows is None else tuple(x for x in lows if x is not None)
    return ArrayValue(dims, starts, [item] * count)
