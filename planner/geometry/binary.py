"""PostgreSQL's binary format of geometric values: eight bytes for each number, big-endian.

point x y    lseg, box x y x y    line A B C    circle x y r
path     one byte (1: closed), int4 number of points, the points
polygon  int4 number of points, the points
"""

from __future__ import annotations

import struct
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.geometry.texts import Points, Value, checked_line, sorted_box

_COUNT: Final = struct.Struct("!i")
_POINT_SIZE: Final = 16


def _packed(points: Points) -> bytes:
    return b"".join(struct.pack("!2d", *p) for p in points)


def to_binary(kind: str, value: Value) -> bytes:
    if kind == "point":
        return _packed((value,))
    if kind in ("lseg", "box"):
        return _packed(value)
    if kind == "line":
        return struct.pack("!3d", *value)
    if kind == "circle":
        return struct.pack("!3d", *value[0], value[1])
    if kind == "path":
        return bytes((value[0],)) + _COUNT.pack(len(value[1])) + _packed(value[1])
    return _COUNT.pack(len(value)) + _packed(value)


def from_binary(kind: str, data: bytes) -> Value:
    """Raises 08P01 for what is too short, 22P03 for what is too long or none."""
    if kind in ("path", "polygon"):
        return _counted(kind, bytes(data))
    numbers = _numbers(data, {"point": 2, "lseg": 4, "box": 4, "line": 3, "circle": 3}[kind])
    if kind == "point":
        return numbers
    if kind == "line":
        a, b, c = numbers
        return checked_line((a, b, c), "22P03")
    if kind == "circle":
        x, y, radius = numbers
        if radius < 0:
            raise SqlError("22P03", 'invalid radius in external "circle" value')
        return ((x, y), radius)
    x1, y1, x2, y2 = numbers
    return ((x1, y1), (x2, y2)) if kind == "lseg" else sorted_box((x1, y1), (x2, y2))


def _numbers(data: bytes, count: int) -> tuple[float, ...]:
    if len(data) < 8 * count:
        raise SqlError("08P01", "insufficient data left in message")
    if len(data) > 8 * count:
        raise BytesLeftOver()
    return struct.unpack(f"!{count}d", data)


def _counted(kind: str, data: bytes) -> Value:
    at = 1 if kind == "path" else 0
    if len(data) < at + _COUNT.size:
        raise SqlError("08P01", "insufficient data left in message")
    (count,) = _COUNT.unpack_from(data, at)
    if not 0 < count < (1 << 31) // _POINT_SIZE:
        raise SqlError("22P03", f'invalid number of points in external "{kind}" value')
    cells = iter(_numbers(data[at + _COUNT.size :], 2 * count))
    points = tuple(zip(cells, cells, strict=True))
    return (data[0] != 0, points) if kind == "path" else points
