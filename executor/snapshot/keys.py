"""Finding a key in a sorted run: binary search, on the cheapest thing that has the key's order.

    key                          searched                                     10M rows
    one int, date, timestamp     the column's own buffer                      1 µs
    the same, dense (1..n)       nothing: position = key - first              0.2 µs
    several of them              one int64 packed from all, if they fit       1.5 µs
    text first                   8 bytes behind what all keys begin with,      2 µs, more if
                                 then the few rows that share them            many share them
    anything else                the keys themselves, as Python values        10 µs

`bisect` on a memoryview beats `numpy.searchsorted` for single keys (no array is made of the key);
for many keys at once, numpy and Arrow win by far: `find_many`.

Order is that of the datums in Python, which for text is that of its UTF-8 bytes: sorting by Arrow and
searching by Python agree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.snapshot.columns import cell_reader, fixed_dtype, row_reader, typed_view
from executor.snapshot.spill import Spill, mapped
from txn.abc import Key

Positions = np.ndarray[Any, np.dtype[np.int64]]

SLICE_ROWS = 1 << 20
"""Keys that are looked for at a time: what that takes is as much memory as these need, not as all do."""


AT_ONCE_MIN = 16
"""So many keys at hand are looked for by numpy, which takes a few microseconds to be asked."""


class _Top:
    """Greater than every datum: closes a prefix bound from above."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return False

    def __gt__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "TOP"


TOP = _Top()


def integral(t: pa.DataType) -> bool:
    """Whether the type's datums are ints that numpy holds in 64 bits, signed."""
    d = fixed_dtype(t)
    return d is not None and np.dtype(d).kind == "i"


def lower_bound(bound: Key | None, width: int, inclusive: bool) -> Any:
    """The bound below which no key qualifies: what `bisect_left` is to be asked for."""
    if bound is None or width == 1:
        return bound
    whole = bound if isinstance(bound, tuple) else (bound,)
    return whole if inclusive else (*whole, TOP)


def upper_bound(bound: Key | None, width: int, inclusive: bool) -> Any:
    """The bound at which keys stop to qualify, for `bisect_left`."""
    if bound is None or width == 1:
        return bound
    whole = bound if isinstance(bound, tuple) else (bound,)
    return (*whole, TOP) if inclusive else whole


def text_prefixes(array: pa.Array, skip: int = 0) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """8 bytes of each string from byte `skip` on as a big-endian integer, zero-padded: same order, coarser."""
    n = len(array)
    if n > SLICE_ROWS:
        return np.concatenate(
            [text_prefixes(array.slice(at, SLICE_ROWS), skip) for at in range(0, n, SLICE_ROWS)]
        )
    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    out = np.zeros(n, np.uint64)
    if n == 0 or data is None or data.size == 0:
        return out
    off: np.ndarray[Any, Any] = np.frombuffer(offsets, np.int64 if large else np.int32)
    off = off[array.offset : array.offset + n + 1]
    raw = np.frombuffer(data, np.uint8)
    start = off[:-1].astype(np.int64) + skip
    length = off[1:] - off[:-1] - skip
    for j in range(8):
        has = length > j
        byte = raw[np.minimum(start + j, len(raw) - 1)].astype(np.uint64)
        out |= np.where(has, byte, np.uint64(0)) << np.uint64(56 - 8 * j)
    return out


def shared_prefix(a: str, b: str) -> bytes:
    """The bytes that two strings begin with; if they are the ends of a sorted list, all of it does."""
    x, y = a.encode(), b.encode()
    n = 0
    while n < len(x) and n < len(y) and x[n] == y[n]:
        n += 1
    return x[:n]


class KeyIndex:
    """Sorted, distinct keys of one run. `width` columns; keys of width 1 are bare datums."""

    __slots__ = ("arrays", "key_at", "size", "width")

    def __init__(self, arrays: Sequence[pa.Array]) -> None:
        self.arrays = list(arrays)
        self.width = len(arrays)
        self.size = len(arrays[0])
        self.key_at = cell_reader(arrays[0]) if self.width == 1 else row_reader(arrays)

    @property
    def size_bytes(self) -> int:
        return sum(a.nbytes for a in self.arrays)

    def find(self, key: Key) -> int:
        """The position of the key, or -1."""
        i = bisect_left(range(self.size), key, key=self.key_at)
        return i if i < self.size and self.key_at(i) == key else -1

    def find_each(self, keys: Sequence[Key]) -> list[int]:
        """The positions of those that are there, in their order. For some keys at hand; `find_many` is for columns of them."""
        find = self.find
        return [i for k in keys if (i := find(k)) >= 0]

    def left(self, bound: Any) -> int:
        """How many keys are below the bound."""
        return bisect_left(range(self.size), bound, key=self.key_at)

    def right(self, bound: Any) -> int:
        """How many keys are at or below the bound."""
        return bisect_right(range(self.size), bound, key=self.key_at)

    def span(self, low: Any, high: Any, low_inclusive: bool, high_inclusive: bool) -> tuple[int, int]:
        """Positions `[start, stop)` of the keys within the bounds; shorter tuples are prefixes."""
        start, stop = 0, self.size
        if low is not None:
            if self.width == 1 and not low_inclusive:
                start = self.right(low)
            else:
                start = self.left(lower_bound(low, self.width, low_inclusive))
        if high is not None:
            if self.width == 1 and high_inclusive:
                stop = self.right(high)
            else:
                stop = self.left(upper_bound(high, self.width, high_inclusive))
        return start, max(start, stop)

    def spill(self, spill: Spill) -> None:
        """Moves what the index has beside the keys themselves to mapped files."""

    def find_many(self, arrays: Sequence[pa.Array]) -> Positions:
        """The position of each of many keys, -1 where absent."""
        n = len(arrays[0])
        if n <= SLICE_ROWS:
            return self._find_some(arrays)
        return np.concatenate(
            [self._find_some([a.slice(at, SLICE_ROWS) for a in arrays]) for at in range(0, n, SLICE_ROWS)]
        )

    def _find_some(self, arrays: Sequence[pa.Array]) -> Positions:
        start, stop = self._span_of(arrays[0])
        if any(
            pa.types.is_nested(a.type) for a in arrays
        ):  # intervals, which Arrow joins by their parts alone
            read = cell_reader(arrays[0]) if self.width == 1 else row_reader(arrays)
            return np.array([self.find(read(i)) for i in range(len(arrays[0]))], np.int64)
        wanted = pa.table({f"k{i}": a for i, a in enumerate(arrays)})
        own = pa.table(
            {
                f"k{i}": _cast(a.slice(start, stop - start), w.type)
                for i, (a, w) in enumerate(zip(self.arrays, arrays, strict=True))
            }
        )
        n = len(wanted)
        out = np.full(n, -1, np.int64)
        wanted = wanted.append_column("at", pa.array(np.arange(n)))
        own = own.append_column("pos", pa.array(np.arange(start, stop)))
        names = [f"k{i}" for i in range(len(arrays))]
        hits = wanted.join(own, names, join_type="inner")
        out[hits["at"].to_numpy()] = hits["pos"].to_numpy()
        return out

    def _span_of(self, first: pa.Array) -> tuple[int, int]:
        """Positions among which keys must be that begin with these texts; all, for other types."""
        if not (pa.types.is_string(first.type) or pa.types.is_large_string(first.type)) or not len(first):
            return 0, self.size
        ends = pc.min_max(first)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        return self.span(low, high, True, True) if self.width == 1 else self.span((low,), (high,), True, True)


class IntKeys(KeyIndex):
    """One integral column: the buffer itself is searched."""

    __slots__ = ("_dense", "_first", "_values", "_view")

    def __init__(self, arrays: Sequence[pa.Array]) -> None:
        super().__init__(arrays)
        self._values = typed_view(arrays[0], fixed_dtype(arrays[0].type))
        self._view = self._values.data
        n = self.size
        self._first = self._view[0] if n else 0
        self._dense = n > 0 and self._view[n - 1] - self._first == n - 1

    def find(self, key: Key) -> int:
        if self._dense:
            i: int = key - self._first
            return i if 0 <= i < self.size else -1
        view = self._view
        i = bisect_left(view, key)
        return i if i < self.size and view[i] == key else -1

    def find_each(self, keys: Sequence[Key]) -> list[int]:
        if self._dense:
            first, size = self._first, self.size
            if keys and min(keys) >= first and max(keys) - first < size:
                return list(map(first.__rsub__, keys))
            return [i for k in keys if 0 <= (i := k - first) < size]
        if len(keys) < AT_ONCE_MIN:
            return super().find_each(keys)
        try:
            wanted = np.array(keys, self._values.dtype)
        except OverflowError:  # a key that the column cannot have
            return super().find_each(keys)
        found = find_sorted(self._values, wanted)
        places: list[int] = found[found >= 0].tolist()
        return places

    def left(self, bound: Any) -> int:
        return bisect_left(self._view, bound)

    def right(self, bound: Any) -> int:
        return bisect_right(self._view, bound)

    def _find_some(self, arrays: Sequence[pa.Array]) -> Positions:
        wanted = typed_view(arrays[0], fixed_dtype(arrays[0].type))
        return find_sorted(self._values, wanted)


class PackedKeys(KeyIndex):
    """Several integral columns packed into one int64, most significant first. Where no number between the first and the last is
    missing, as of rows that were loaded with all numbers of an order, nothing is searched."""

    __slots__ = ("_packed", "_parts", "_places", "_view", "find")

    find: Callable[[Key], int]  # type: ignore[assignment]

    def __init__(self, arrays: Sequence[pa.Array], parts: list[tuple[int, int, int]]) -> None:
        super().__init__(arrays)
        self._parts = parts
        packed = np.zeros(self.size, np.int64)
        for a, (low, _, weight) in zip(arrays, parts, strict=True):
            packed += (typed_view(a, fixed_dtype(a.type)).astype(np.int64) - low) * weight
        self._packed = packed
        self._look_into(packed.data)

    def _look_into(self, view: memoryview) -> None:
        """`find` as one expression: it is asked for every key that a statement names."""
        self._view = view
        self._places: dict[int, Callable[[Key, bool], int]] = {}
        names = [f"v{i}" for i in range(self.width)]
        inside = " and ".join(
            f"{low} <= {name} <= {high}" for name, (low, high, _) in zip(names, self._parts, strict=True)
        )
        number = " + ".join(
            name if weight == 1 else f"{name} * {weight}"
            for name, (_, _, weight) in zip(names, self._parts, strict=True)
        )
        nought = sum(low * weight for low, _, weight in self._parts)
        n = self.size
        if n and view[n - 1] - view[0] == n - 1:
            found = f"i if 0 <= (i := {number} - {nought + view[0]}) < {n} else -1"
        else:
            found = f"i if (i := search(view, p := {number} - {nought})) < {n} and view[i] == p else -1"
        scope: dict[str, Any] = {"view": view, "search": bisect_left}
        exec(f"def find(key):\n    {', '.join(names)} = key\n    return ({found}) if {inside} else -1", scope)
        self.find = scope["find"]

    def span(self, low: Any, high: Any, low_inclusive: bool, high_inclusive: bool) -> tuple[int, int]:
        start = 0 if low is None else self._place(low, after=not low_inclusive)
        stop = self.size if high is None else self._place(high, after=high_inclusive)
        return start, max(start, stop)

    def _place(self, bound: Any, *, after: bool) -> int:
        """Where keys at the bound, which may be a prefix, begin, or end (`after`)."""
        parts = bound if isinstance(bound, tuple) else (bound,)
        place = self._places.get(len(parts))
        if place is None:
            place = self._places[len(parts)] = self._place_of(len(parts))
        i = place(parts, after)
        return i if i >= 0 else self._place_between(parts, after)

    def _place_of(self, width: int) -> Callable[[Key, bool], int]:
        """`_place` of bounds of so many columns, as one expression where they are integers that keys may have; -1 where they are not."""
        parts = self._parts[:width]
        names = [f"v{i}" for i in range(len(parts))]
        integers = " is ".join([f"{n}.__class__" for n in names] + ["int"])
        inside = " and ".join(
            [integers, *(f"{low} <= {n} <= {high}" for n, (low, high, _) in zip(names, parts, strict=True))]
        )
        number = " + ".join(f"{n} * {weight}" for n, (_, _, weight) in zip(names, parts, strict=True))
        nought, last = sum(low * weight for low, _, weight in parts), parts[-1][2]
        scope: dict[str, Any] = {"view": self._view, "search": bisect_left}
        exec(
            f"def place(bound, after):\n    {', '.join(names)}, {'*_' if width > len(parts) else ''} = bound\n"
            f"    return search(view, {number} - {nought} + ({last} if after else 0)) if {inside} else -1",
            scope,
        )
        made: Callable[[Key, bool], int] = scope["place"]
        return made

    def _place_between(self, parts: tuple[Any, ...], after: bool) -> int:
        """The same of any bounds."""
        p, last = 0, 0
        for v, (low, high, weight) in zip(parts, self._parts):  # noqa: B905 (a prefix is shorter)
            if type(v) is not int:  # between two numbers, perhaps
                return self.left((upper_bound if after else lower_bound)(parts, self.width, True))
            if v < low:
                return bisect_left(self._view, p)
            if v > high:
                return bisect_left(self._view, p + last) if last else self.size
            p += (v - low) * weight
            last = weight
        return bisect_left(self._view, p + last if after else p)

    def spill(self, spill: Spill) -> None:
        self._packed = mapped(self._packed, spill)
        self._look_into(self._packed.data)

    def _find_some(self, arrays: Sequence[pa.Array]) -> Positions:
        inside = np.ones(len(arrays[0]), np.bool_)
        packed = np.zeros(len(arrays[0]), np.int64)
        for a, (low, high, weight) in zip(arrays, self._parts, strict=True):
            v = typed_view(a, fixed_dtype(a.type)).astype(np.int64)
            inside &= (v >= low) & (v <= high)
            packed += (np.clip(v, low, high) - low) * weight
        found = find_sorted(self._packed, packed)
        found[~inside] = -1
        return found


class PrefixKeys(KeyIndex):
    """Text first: the 8 bytes behind what all keys begin with narrow the search to those that share them."""

    __slots__ = ("_prefixes", "_shared", "_skip")

    def __init__(self, arrays: Sequence[pa.Array]) -> None:
        super().__init__(arrays)
        n = self.size
        self._shared = shared_prefix(arrays[0][0].as_py(), arrays[0][n - 1].as_py()) if n else b""
        self._skip = len(self._shared)
        self._prefixes = text_prefixes(arrays[0], self._skip).data

    def spill(self, spill: Spill) -> None:
        self._prefixes = mapped(np.asarray(self._prefixes), spill).data

    def find(self, key: Key) -> int:
        raw = (key if self.width == 1 else key[0]).encode()
        skip = self._skip
        if skip and raw[:skip] != self._shared:
            return -1
        p = int.from_bytes(raw[skip : skip + 8].ljust(8, b"\0"), "big")
        lo = bisect_left(self._prefixes, p)
        hi = bisect_right(self._prefixes, p, lo, min(lo + 2, self.size))
        if hi - lo == 2:
            hi = bisect_right(self._prefixes, p, hi)
            lo = bisect_left(range(hi), key, lo, hi, key=self.key_at)
        return lo if lo < hi and self.key_at(lo) == key else -1


def key_index(arrays: Sequence[pa.Array]) -> KeyIndex:
    """The fastest index for keys of these types, sorted by `sort_order`."""
    first = arrays[0].type
    if all(integral(a.type) for a in arrays):
        if len(arrays) == 1:
            return IntKeys(arrays)
        parts = _packing(arrays)
        if parts is not None:
            return PackedKeys(arrays, parts)
    if pa.types.is_string(first) or pa.types.is_large_string(first):
        return PrefixKeys(arrays)
    return KeyIndex(arrays)


def in_order(arrays: Sequence[pa.Array]) -> bool:
    """Whether these key columns (no nulls among them) are sorted already, where that is cheaply known: of integral columns.

    By slices, for most that are not show it in the first.
    """
    if not all(integral(a.type) for a in arrays):
        return False
    columns = [typed_view(a, fixed_dtype(a.type)) for a in arrays]
    last = len(columns[0]) - 1
    return all(_ascends([c[at : at + SLICE_ROWS + 1] for c in columns]) for at in range(0, last, SLICE_ROWS))


def _ascends(columns: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Whether no row of these numbers is below the one before it."""
    upward = columns[-1][1:] >= columns[-1][:-1]
    for c in reversed(columns[:-1]):
        upward = (c[1:] > c[:-1]) | ((c[1:] == c[:-1]) & upward)
    return bool(upward.all())


def sort_order(arrays: Sequence[pa.Array]) -> Positions:
    """The stable order that sorts these key columns (no nulls among them)."""
    if len(arrays) == 1 and integral(arrays[0].type):
        if in_order(arrays):
            return np.arange(len(arrays[0]))
        return np.argsort(typed_view(arrays[0], fixed_dtype(arrays[0].type)), kind="stable")
    if any(pa.types.is_nested(a.type) or pa.types.is_boolean(a.type) for a in arrays):
        read = cell_reader(arrays[0]) if len(arrays) == 1 else row_reader(arrays)
        return np.array(sorted(range(len(arrays[0])), key=read), np.int64)
    if all(integral(a.type) for a in arrays) and len(arrays[0]):
        return np.lexsort([typed_view(a, fixed_dtype(a.type)) for a in reversed(arrays)])
    table = pa.table({f"k{i}": a for i, a in enumerate(arrays)})
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names])
    return np.asarray(order).astype(np.int64)


def repeats(arrays: Sequence[pa.Array]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """For sorted keys: whether each equals the one before it."""
    n = len(arrays[0])
    same = np.ones(n, np.bool_)
    if n == 0:
        return same
    same[0] = False
    for a in arrays:
        if fixed_dtype(a.type) is not None:
            v = typed_view(a, fixed_dtype(a.type))
            same[1:] &= v[1:] == v[:-1]
        elif pa.types.is_nested(a.type):
            read = cell_reader(a)
            same[1:] &= np.fromiter((read(i) == read(i - 1) for i in range(1, n)), np.bool_, n - 1)
        else:
            same[1:] &= np.asarray(pc.equal(a[1:], a[:-1]).to_numpy(zero_copy_only=False), np.bool_)
    return same


def _packing(arrays: Sequence[pa.Array]) -> list[tuple[int, int, int]] | None:
    """(low, high, weight) per column such that all fit 63 bits; None if they do not."""
    spans: list[tuple[int, int]] = []
    for a in arrays:
        v = typed_view(a, fixed_dtype(a.type))
        spans.append((int(v.min()), int(v.max())) if len(v) else (0, 0))
    weight = 1
    parts: list[tuple[int, int, int]] = []
    for low, high in reversed(spans):
        parts.append((low, high, weight))
        weight *= high - low + 1
    return parts[::-1] if weight < 1 << 62 else None


def find_sorted(own: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> Positions:
    """Where numbers are in a sorted array, -1 where they are not."""
    if len(own) == 0:
        return np.full(len(wanted), -1, np.int64)
    at = np.searchsorted(own, wanted)
    at[at == len(own)] = 0
    return np.where(own[at] == wanted, at, -1)


def _cast(a: pa.Array, t: pa.DataType) -> pa.Array:
    return a if a.type == t else a.cast(t)
