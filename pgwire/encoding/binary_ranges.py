"""PostgreSQL's binary format of ranges, and what is said of binary values that end too early.

range         flags (empty 1, low inclusive 2, high inclusive 4, low infinite 8, high infinite 16), then each bound
              that there is with its length
multirange    how many, then each range with its length
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.types.ranges import RangeType, Span, Spans, united
from storage.abc import Datum

_I4: Final = struct.Struct("!i")


def truncated() -> SqlError:
    return SqlError("08P01", "insufficient data left in message")


_EMPTY, _LOW_IN, _HIGH_IN, _LOW_INF, _HIGH_INF = 0x01, 0x02, 0x04, 0x08, 0x10


def range_out(family: RangeType, send: Callable[[Datum], bytes]) -> Callable[[Datum], bytes]:
    """The send function of a range type; `send` is its bounds'."""

    def one(spans: Spans) -> bytes:
        if not spans:
            return bytes((_EMPTY,))
        low, high = spans[0]
        flags = _LOW_INF if low.rank else 0 if low.side else _LOW_IN
        flags |= _HIGH_INF if high.rank else _HIGH_IN if high.side else 0
        out = bytes((flags,))
        for end in (low, high):
            if not end.rank:
                data = send(end.value)
                out += _I4.pack(len(data)) + data
        return out

    def encode(text: Datum) -> bytes:
        spans = family.spans(text)
        if not family.multi:
            return one(spans)
        parts = [one((s,)) for s in spans]
        return _I4.pack(len(parts)) + b"".join([_I4.pack(len(p)) + p for p in parts])

    return encode


def range_in(family: RangeType, receive: Callable[[bytes], Datum]) -> Callable[[bytes], Datum]:
    """The receive function of a range type. Raises 08P01, 22P03, 22000."""

    def sized(data: bytes, at: int) -> tuple[bytes, int]:
        if at + 4 > len(data):
            raise truncated()
        (size,) = _I4.unpack_from(data, at)
        if size < 0 or at + 4 + size > len(data):
            raise truncated()
        return data[at + 4 : at + 4 + size], at + 4 + size

    def one(data: bytes) -> Spans:
        if not data:
            raise truncated()
        flags, at = data[0], 1
        if flags & _EMPTY:
            return ()
        bounds: list[Datum] = []
        for infinite in (_LOW_INF, _HIGH_INF):
            if flags & infinite:
                bounds.append(None)
                continue
            part, at = sized(data, at)
            bounds.append(receive(part))
        if at != len(data):
            raise BytesLeftOver()
        return family.kind.span(bounds[0], bounds[1], bool(flags & _LOW_IN), bool(flags & _HIGH_IN))

    def decode(data: bytes) -> str:
        if not family.multi:
            return family.text(one(data))
        if len(data) < 4:
            raise truncated()
        (count,) = _I4.unpack_from(data)
        at = 4
        spans: list[Span] = []
        if not 0 <= count <= len(data):
            raise BytesLeftOver()
        for _ in range(count):
            part, at = sized(data, at)
            spans += one(part)
        if at != len(data):
            raise BytesLeftOver()
        return family.text(united(spans))

    return decode
