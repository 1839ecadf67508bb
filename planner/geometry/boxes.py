"""Boxes: two corners, upper right and lower left, and what is within them."""

from __future__ import annotations

from planner.geometry import lines
from planner.geometry import numbers as n
from planner.geometry.texts import Box, Line, Point, Segment, box_of


def overlap(a: Box, b: Box) -> bool:
    return all(n.le(a[1][i], b[0][i]) and n.le(b[1][i], a[0][i]) for i in (0, 1))


def contains(a: Box, b: Box) -> bool:
    return all(n.ge(a[0][i], b[0][i]) and n.le(a[1][i], b[1][i]) for i in (0, 1))


def width(b: Box) -> float:
    return n.subtract(b[0][0], b[1][0])


def height(b: Box) -> float:
    return n.subtract(b[0][1], b[1][1])


def area(b: Box) -> float:
    return n.multiply(width(b), height(b))


def center(b: Box) -> Point:
    return lines.middle(*b)


def common(a: Box, b: Box) -> Box | None:
    if not overlap(a, b):
        return None
    upper = (n.low(a[0][0], b[0][0]), n.low(a[0][1], b[0][1]))
    return (upper, (n.high(a[1][0], b[1][0]), n.high(a[1][1], b[1][1])))


def around(a: Box, b: Box) -> Box:
    upper = (n.high(a[0][0], b[0][0]), n.high(a[0][1], b[0][1]))
    return (upper, (n.low(a[1][0], b[1][0]), n.low(a[1][1], b[1][1])))


def bounds(points: tuple[Point, ...]) -> Box:
    """The smallest box around some points."""
    (x1, y1) = (x2, y2) = points[0]
    for x, y in points[1:]:
        x1 = x if n.less(x, x1) else x1
        x2 = x if n.greater(x, x2) else x2
        y1 = y if n.less(y, y1) else y1
        y2 = y if n.greater(y, y2) else y2
    return ((x2, y2), (x1, y1))


def has_point(b: Box, p: Point) -> bool:
    """Exactly: no millionth is forgiven."""
    return b[0][0] >= p[0] >= b[1][0] and b[0][1] >= p[1] >= b[1][1]


def has_segment(b: Box, s: Segment) -> bool:
    return has_point(b, s[0]) and has_point(b, s[1])


def corners(b: Box) -> tuple[Point, Point, Point, Point]:
    (right, top), (left, bottom) = b
    return ((left, bottom), (left, top), (right, top), (right, bottom))


def edges(b: Box) -> tuple[Segment, Segment, Segment, Segment]:
    lower, upper_left, upper, lower_right = corners(b)
    return ((lower, upper_left), (upper, upper_left), (lower, lower_right), (upper, lower_right))


def scaled(b: Box, p: Point) -> Box:
    return box_of(lines.multiplied(b[0], p), lines.multiplied(b[1], p))


def unscaled(b: Box, p: Point) -> Box:
    return box_of(lines.divided(b[0], p), lines.divided(b[1], p))


def meets_segment(b: Box, s: Segment) -> bool:
    around_it = (
        (n.high(s[0][0], s[1][0]), n.high(s[0][1], s[1][1])),
        (n.low(s[0][0], s[1][0]), n.low(s[0][1], s[1][1])),
    )
    if not overlap(around_it, b):
        return False
    if has_point(b, s[0]) or has_point(b, s[1]):
        return True
    return any(lines.segments_meet(edge, s) is not None for edge in edges(b))


def meets_line(b: Box, line: Line) -> bool:
    lower, upper_left, upper, lower_right = corners(b)
    sides = ((lower, upper_left), (upper, upper_left), (upper, lower_right), (lower, lower_right))
    return any(lines.segment_meets_line(side, line) is not None for side in sides)


def nearest_to_point(b: Box, p: Point) -> tuple[Point, float]:
    if has_point(b, p):
        return p, 0.0
    return _least([lines.nearest_on_segment(edge, p) for edge in edges(b)])


def nearest_to_segment(b: Box, s: Segment) -> tuple[Point, float]:
    if meets_segment(b, s):
        return lines.nearest_on_segment(s, center(b))[0], 0.0
    return _least([lines.nearest_to_segment(edge, s) for edge in edges(b)])


def _least(found: list[tuple[Point, float]]) -> tuple[Point, float]:
    nearest = found[0]
    for candidate in found[1:]:
        if n.less(candidate[1], nearest[1]):
            nearest = candidate
    return nearest
