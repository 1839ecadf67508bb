"""Rows that never change, as the bytes that they were sent in last time.

    rows side by side    | 0 ... 1023 | 1024 ... 2047 | ...       a table's run (executor.snapshot.runs), some columns of it
    pages                      -         DataRow *                encoded for one list of types, formats and settings
    SELECT ... BETWEEN                   [..............]         a slice

Making DataRow messages of a hundred rows takes Python 40 microseconds and more, a slice of bytes one. Where rows stand in
columns, a thousand of them are made at once in the time of three hundred (`pgwire.encoding.batches`). So a page is made once
a quarter of its rows were sent one by one; without columns, or of wide rows, once as many were as it has. What is read once costs
nothing more, and nobody ever pays much more than twice. Two generations of pages bound the memory: what was not asked for during
a whole one is forgotten.

Only types whose values look the same for ever: those of a regclass, say, are names, which change.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import RowPicks, RowSpan, SideBySide
from planner import types as t
from planner.abc import SqlError, TypeRef

if TYPE_CHECKING:
    from pgwire.shapes import Shape

PAGE_ROWS: Final = 64
LARGE_PAGE_ROWS: Final = 1024
"""Of rows in columns that take `ROW_BYTES_MAX` each at most."""
ROW_BYTES_MAX: Final = 128
LARGE_WORTH: Final = 4
"""How many rows by columns take as long as one by itself, about."""
PAGE_BYTES_MAX: Final = 64 * 1024
LARGE_BYTES_MAX: Final = 512 * 1024
GENERATION_BYTES: Final = 32 * 1024 * 1024
"""There are at most two generations at a time."""
COUNTED_MAX: Final = 50_000
"""Pages of which it is known how many of their rows were sent."""
PAGE_OVERHEAD_BYTES: Final = 250
_NEVER: Final = -(1 << 60)

_length_at = Struct(">i").unpack_from

_LASTING: Final = frozenset(
    (
        t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CHAR, t.UUID,
        t.BYTEA, t.DATE, t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL, t.JSON, t.JSONB,
    )
)  # fmt: skip

Encode = Callable[[Sequence[Any]], bytes]
Key = tuple[int, Encode, int]
Page = tuple[bytes, Sequence[int]]
"""DataRow messages, and where each begins; the last number is where they end."""
OfColumns = Callable[[Sequence[pa.Array]], Page | None]
"""Makes a page of rows in columns, or says that it has to be made of tuples."""


def lasting(types: Iterable[TypeRef]) -> bool:
    """Whether values of these types look the same whenever they are encoded with settings of the same look."""
    return all(ref.oid in _LASTING for ref in types)


class Pages:
    """The pages of a process. On the event loop only."""

    def __init__(self, generation_bytes: int = GENERATION_BYTES) -> None:
        self._limit_bytes = generation_bytes
        self._young: dict[Key, Page] = {}
        self._old: dict[Key, Page] = {}
        self._young_bytes = 0
        self._sent: dict[Key, int] = {}
        """How many rows of pages that are not there were sent."""

    @property
    def size_bytes(self) -> int:
        return sum(_size(page) for pages in (self._young, self._old) for page in pages.values())

    def encoded(self, span: RowSpan, encode: Encode, of_columns: OfColumns) -> bytes:
        """What `encode` makes of the rows. Raises as it does. `of_columns` gives the same, or nothing."""
        source, at, stop = span.source, span.start, span.stop
        serial, young = source.serial, self._young
        size = LARGE_PAGE_ROWS if 0 < source.row_bytes <= ROW_BYTES_MAX else PAGE_ROWS
        pieces = []
        while at < stop:
            number = at // size
            base = number * size
            end = base + size
            if end > stop:
                end = stop
            key = (serial, encode, number)
            page = young.get(key) or self._found(key, source, of_columns, end - at)
            if page is None:
                pieces.append(encode(source.read(at, end)))
            else:
                data, places = page
                pieces.append(data[places[at - base] : places[end - base]])
            at = end
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def picked(self, picks: RowPicks, encode: Encode, of_columns: OfColumns) -> bytes:
        """The same of single rows. Those that no page has are encoded together where they come one after another."""
        source, young, sent = picks.source, self._young, self._sent
        serial, one = source.serial, source.one
        size = LARGE_PAGE_ROWS if 0 < source.row_bytes <= ROW_BYTES_MAX else PAGE_ROWS
        pieces: list[bytes] = []
        waiting: list[Any] = []
        for number, within in groupby(picks.places, size.__rfloordiv__):
            base, key = number * size, (serial, encode, number)
            page = young.get(key) or self._found(key, source, of_columns, 0)
            if page is None:
                before = len(waiting)
                waiting += map(one, within)
                sent[key] += len(waiting) - before
                continue
            if waiting:
                pieces.append(encode(waiting))
                waiting = []
            data, begin = page
            pieces += [data[begin[i := place - base] : begin[i + 1]] for place in within]
        if waiting:
            pieces.append(encode(waiting))
        return b"".join(pieces)

    def _found(self, key: Key, source: SideBySide, of_columns: OfColumns, wanted: int) -> Page | None:
        """A page of the old generation, or a new one if it is worth it; None: encode the `wanted` rows of it."""
        page = self._old.pop(key, None)
        if page is None:
            sent = self._sent.get(key, 0) + wanted
            large = 0 < source.row_bytes <= ROW_BYTES_MAX
            size = LARGE_PAGE_ROWS if large else PAGE_ROWS
            base = key[2] * size
            count = min(size, source.count - base)
            if large and sent * LARGE_WORTH >= count:
                page = _page_of_columns(of_columns, [c.slice(base, count) for c in source.columns])
                if page is _NO_PAGE:
                    page, sent = None, _NEVER
            if page is None and sent >= count:
                page = _page(key[1], source.read(base, base + count), large)
                sent = _NEVER
            if page is None:
                if len(self._sent) >= COUNTED_MAX:
                    self._sent.clear()
                self._sent[key] = sent
                return None
            self._sent.pop(key, None)
        self._young[key] = page
        self._young_bytes += _size(page)
        if self._young_bytes > self._limit_bytes:
            self._old, self._young, self._young_bytes = self._young, {}, 0
        return page


_NO_PAGE: Final[Page] = (b"", ())


def _size(page: Page) -> int:
    return len(page[0]) + 4 * len(page[1]) + PAGE_OVERHEAD_BYTES


def _page_of_columns(of_columns: OfColumns, columns: Sequence[pa.Array]) -> Page | None:
    """None where it must be made of tuples; `_NO_PAGE` where it would be too large, or a row that nobody has asked for cannot
    be encoded."""
    try:
        page = of_columns(columns)
    except SqlError:
        return _NO_PAGE
    return page if page is None or len(page[0]) <= LARGE_BYTES_MAX else _NO_PAGE


def _page(encode: Encode, rows: Sequence[Any], large: bool) -> Page | None:
    """The same of tuples; None where there is to be none."""
    try:
        data = encode(rows)
    except SqlError:
        return None
    if len(data) > (LARGE_BYTES_MAX if large else PAGE_BYTES_MAX):
        return None
    places, at = array("I", [0]), 0
    for _ in rows:
        at += 1 + _length_at(data, at + 1)[0]
        places.append(at)
    assert at == len(data), "a DataRow message for each row"
    return data, places


PAGES: Final = Pages()


def encoded(shape: Shape, rows: Sequence[Any]) -> bytes:
    """The DataRow messages of a result. Raises SqlError for a character that the client's encoding does not have."""
    if shape.lasting:
        if type(rows) is RowSpan:
            return PAGES.encoded(rows, shape.encode_rows, shape.page_of_columns)
        if type(rows) is RowPicks:
            return PAGES.picked(rows, shape.encode_rows, shape.page_of_columns)
    return shape.encode_rows(rows)


__all__ = ["PAGES", "Pages", "encoded", "lasting"]
