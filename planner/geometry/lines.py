"""Points, lines and segments: slopes, intersections, nearest points, distances.

Everything that is more than a point is asked about by way of lines: a segment's nearest point to another point is where
the perpendicular through that point meets it, or an end of it.

Results follow PostgreSQL to the last digit, so each formula says its operands in PostgreSQL's order.
"""

from __future__ import annotations

import math

from planner.abc import SqlError
from planner.geometry import numbers as n
from planner.geometry.texts import Line, Point, Segment

# --- points


def same_point(a: Point, b: Point) -> bool:
    if any(math.isnan(v) for v in (*a, *b)):
        return n.exactly(a[0], b[0]) and n.exactly(a[1], b[1])
    return n.eq(a[0], b[0]) and n.eq(a[1], b[1])


def distance(a: Point, b: Point) -> float:
    return n.hypotenuse(n.subtract(a[0], b[0]), n.subtract(a[1], b[1]))


def slope(a: Point, b: Point) -> float:
    if n.eq(a[0], b[0]):
        return math.inf
    if n.eq(a[1], b[1]):
        return 0.0
    return n.divide(n.subtract(a[1], b[1]), n.subtract(a[0], b[0]))


def slope_across(a: Point, b: Point) -> float:
    """The slope of what is perpendicular."""
    if n.eq(a[0], b[0]):
        return 0.0
    if n.eq(a[1], b[1]):
        return math.inf
    return n.divide(n.subtract(a[0], b[0]), n.subtract(b[1], a[1]))


def added(a: Point, b: Point) -> Point:
    return (n.add(a[0], b[0]), n.add(a[1], b[1]))


def subtracted(a: Point, b: Point) -> Point:
    return (n.subtract(a[0], b[0]), n.subtract(a[1], b[1]))


def multiplied(a: Point, b: Point) -> Point:
    """As complex numbers: turned and stretched."""
    x = n.subtract(n.multiply(a[0], b[0]), n.multiply(a[1], b[1]))
    return (x, n.add(n.multiply(a[0], b[1]), n.multiply(a[1], b[0])))


def divided(a: Point, b: Point) -> Point:
    by = n.add(n.multiply(b[0], b[0]), n.multiply(b[1], b[1]))
    x = n.divide(n.add(n.multiply(a[0], b[0]), n.multiply(a[1], b[1])), by)
    return (x, n.divide(n.subtract(n.multiply(a[1], b[0]), n.multiply(a[0], b[1])), by))


def middle(a: Point, b: Point) -> Point:
    return (n.divide(n.add(a[0], b[0]), 2.0), n.divide(n.add(a[1], b[1]), 2.0))


# --- lines


def line_with_slope(point: Point, m: float) -> Line:
    if math.isinf(m):
        return (-1.0, 0.0, point[0])
    if m == 0:
        return (0.0, -1.0, point[1])
    return (m, -1.0, n.subtract(point[1], n.multiply(m, point[0])) + 0.0)  # never minus zero


def line_through(a: Point, b: Point, code: str = "22023") -> Line:
    """Raises `code` where the two are one."""
    if same_point(a, b):
        raise SqlError(code, "invalid line specification: must be two distinct points")
    return line_with_slope(a, slope(a, b))


def line_slope(line: Line) -> float:
    if n.zero(line[0]):
        return 0.0
    if n.zero(line[1]):
        return math.inf
    return n.divide(line[0], -line[1])


def line_slope_across(line: Line) -> float:
    if n.zero(line[0]):
        return math.inf
    if n.zero(line[1]):
        return 0.0
    return n.divide(line[1], line[0])


def crossing(k: Line, m: Line) -> Point | None:
    """Where two lines meet; None of lines that are parallel, or the same."""
    if n.zero(k[1]):
        if n.zero(m[1]):
            return None
        k, m = m, k
    if n.eq(m[0], n.multiply(k[0], n.divide(m[1], k[1]))):
        return None
    x = n.divide(
        n.subtract(n.multiply(k[1], m[2]), n.multiply(m[1], k[2])),
        n.subtract(n.multiply(k[0], m[1]), n.multiply(m[0], k[1])),
    )
    y = n.divide(-n.add(n.multiply(k[0], x), k[2]), k[1])
    return (x + 0.0, y + 0.0)


def perpendicular(k: Line, m: Line) -> bool:
    if n.zero(k[0]):
        return n.zero(m[1])
    if n.zero(m[0]):
        return n.zero(k[1])
    if n.zero(k[1]):
        return n.zero(m[0])
    if n.zero(m[1]):
        return n.zero(k[0])
    return n.eq(n.divide(n.multiply(k[0], m[0]), n.multiply(k[1], m[1])), -1.0)


def same_line(k: Line, m: Line) -> bool:
    if any(math.isnan(v) for v in (*k, *m)):
        return all(map(n.exactly, k, m))
    ratio = next((n.divide(a, b) for a, b in zip(k, m, strict=True) if not n.zero(b)), 1.0)
    return all(n.eq(a, n.multiply(ratio, b)) for a, b in zip(k, m, strict=True))


def between_lines(k: Line, m: Line) -> float:
    if crossing(k, m) is not None:
        return 0.0
    ratio = 1.0
    for a, b in zip(k[:2], m[:2], strict=True):
        if not (n.zero(a) or math.isnan(a) or n.zero(b) or math.isnan(b)):
            ratio = n.divide(a, b)
            break
    return n.divide(abs(n.subtract(k[2], n.multiply(ratio, m[2]))), n.hypotenuse(k[0], k[1]))


def on_line(point: Point, line: Line) -> bool:
    return n.zero(n.add(n.add(n.multiply(line[0], point[0]), n.multiply(line[1], point[1])), line[2]))


def nearest_on_line(line: Line, point: Point) -> tuple[Point, float]:
    """The point, and how far it is: NaN where none is found."""
    found = crossing(line_with_slope(point, line_slope_across(line)), line)
    return (point, math.nan) if found is None else (found, distance(found, point))


# --- segments


def on_segment(point: Point, s: Segment) -> bool:
    """By the inequality of the triangle."""
    return n.eq(distance(point, s[0]) + distance(point, s[1]), distance(*s))


def segment_meets_line(s: Segment, line: Line) -> Point | None:
    found = crossing(line_with_slope(s[0], slope(*s)), line)
    if found is None or not on_segment(found, s):
        return None
    return next((end for end in s if same_point(end, found)), found)


def segments_meet(s: Segment, r: Segment) -> Point | None:
    found = segment_meets_line(s, line_with_slope(r[0], slope(*r)))
    return found if found is not None and on_segment(found, r) else None


def nearest_to_line(s: Segment, line: Line) -> tuple[Point, float]:
    """The point of a segment that is nearest to a line."""
    found = segment_meets_line(s, line)
    if found is not None:
        return found, 0.0
    first, second = (nearest_on_line(line, end)[1] for end in s)
    return (s[0], first) if first < second else (s[1], second)


def nearest_on_segment(s: Segment, point: Point) -> tuple[Point, float]:
    found, _ = nearest_to_line(s, line_with_slope(point, slope_across(*s)))
    return found, distance(found, point)


def nearest_to_segment(on: Segment, to: Segment) -> tuple[Point, float]:
    """The point on the first that is nearest to the second."""
    found = segments_meet(on, to)
    if found is not None:
        return found, 0.0
    nearest, least = nearest_on_segment(on, to[0])
    for candidate, far in (
        nearest_on_segment(on, to[1]),
        (on[0], nearest_on_segment(to, on[0])[1]),
        (on[1], nearest_on_segment(to, on[1])[1]),
    ):
        if n.less(far, least):
            nearest, least = candidate, far
    return nearest, least
