"""Paths, open or closed, and polygons, which are closed and full."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from planner.abc import SqlError
from planner.geometry import boxes, lines
from planner.geometry import numbers as n
from planner.geometry.texts import Box, Path, Point, Points, Segment


def edges(p: Path) -> Iterator[Segment]:
    """In PostgreSQL's order: that which closes it comes first."""
    closed, points = p
    if closed:
        yield (points[-1], points[0])
    yield from pairwise(points)


def area(p: Path) -> float | None:
    closed, points = p
    if not closed:
        return None
    twice = 0.0
    for a, b in zip(points, (*points[1:], points[0]), strict=True):
        twice = n.add(twice, n.multiply(a[0], b[1]))
        twice = n.subtract(twice, n.multiply(a[1], b[0]))
    return n.divide(abs(twice), 2.0)


def length(p: Path) -> float:
    made = 0.0
    for edge in edges(p):
        made = n.add(made, lines.distance(*edge))
    return made


def meet(p: Path, q: Path) -> bool:
    if not boxes.overlap(_bounds(p[1]), _bounds(q[1])):
        return False
    return any(lines.segments_meet(s, r) is not None for s in edges(p) for r in edges(q))


def _bounds(points: Points) -> Box:
    box = (points[0], points[0])
    for point in points[1:]:
        box = boxes.around((point, point), box)
    return box


def between(p: Path, q: Path) -> float | None:
    return _least(lines.nearest_to_segment(s, r)[1] for s in edges(p) for r in edges(q))


def from_point(p: Path, point: Point) -> float:
    return _least(lines.nearest_on_segment(edge, point)[1] for edge in edges(p)) or 0.0


def _least(distances: Iterator[float]) -> float | None:
    least = None
    for far in distances:
        if least is None or n.less(far, least):
            least = far
    return least


def joined(p: Path, q: Path) -> Path | None:
    return None if p[0] or q[0] else (False, p[1] + q[1])


def moved(how: Callable[[Point, Point], Point]) -> Callable[[Path, Point], Path]:
    return lambda path, by: (path[0], tuple(how(point, by) for point in path[1]))


def has_point(p: Path, point: Point) -> bool:
    """On an open path, or within a closed one."""
    closed, points = p
    if closed:
        return inside(point, points)
    near = lines.distance(point, points[0])
    for a, b in pairwise(points):
        far = lines.distance(point, b)
        if n.eq(n.add(near, far), lines.distance(a, b)):
            return True
        near = far
    return False


def to_polygon(p: Path) -> Points:
    """Raises 22023 for an open path."""
    if not p[0]:
        raise SqlError("22023", "open path cannot be converted to polygon")
    return p[1]


# --- polygons


def inside(point: Point, points: Points) -> bool:
    """By the crossings of a ray to the right, half ones counted as such; what is on the edge is inside."""
    at = [lines.subtracted(p, point) for p in points]
    total = 0
    for a, b in (*pairwise(at), (at[-1], at[0])):
        crossed = _crossed(b[0], b[1], a[0], a[1])
        if crossed is None:
            return True
        total += crossed
    return total != 0


def _crossed(x: float, y: float, x0: float, y0: float) -> int | None:
    """How an edge from (x0, y0) to (x, y) crosses the right half of the axis: 2 or 1, with a sign; None: it goes through (0, 0)."""
    if n.zero(y):
        if n.zero(x):
            return None
        if n.gt(x, 0):
            if n.zero(y0):
                return 0 if n.gt(x0, 0.0) else None
            return 1 if n.lt(y0, 0.0) else -1
        if n.zero(y0):
            return 0 if n.lt(x0, 0.0) else None
        return 0
    sign = 1 if n.gt(y, 0.0) else -1
    if n.zero(y0):
        return 0 if n.lt(x0, 0.0) else sign
    if (sign < 0 and n.lt(y0, 0.0)) or (sign > 0 and n.gt(y0, 0.0)):
        return 0
    if n.ge(x, 0.0) and n.gt(x0, 0.0):
        return 2 * sign
    if n.lt(x, 0.0) and n.le(x0, 0.0):
        return 0
    z = n.subtract(n.multiply(n.subtract(x, x0), y), n.multiply(n.subtract(y, y0), x))
    if n.zero(z):
        return None
    if (sign < 0 and n.lt(z, 0.0)) or (sign > 0 and n.gt(z, 0.0)):
        return 0
    return 2 * sign


def same(p: Points, q: Points) -> bool:
    """The same points one after another, from wherever and in either direction."""
    count = len(p)
    if count != len(q):
        return False
    for start in range(count):
        if not lines.same_point(q[start], p[0]):
            continue
        for step in (1, -1):
            if all(lines.same_point(q[(start + step * i) % count], p[i]) for i in range(1, count)):
                return True
    return False


def overlap(p: Points, q: Points) -> bool:
    if not boxes.overlap(boxes.bounds(p), boxes.bounds(q)):
        return False
    if any(lines.segments_meet(s, r) is not None for s in edges((True, p)) for r in edges((True, q))):
        return True
    return inside(p[0], q) or inside(q[0], p)


def contains(p: Points, q: Points) -> bool:
    if not boxes.contains(boxes.bounds(p), boxes.bounds(q)):
        return False
    return all(_has_segment(a, b, p, 0) for a, b in edges((True, q)))


def _has_segment(a: Point, b: Point, p: Points, start: int) -> bool:
    """Whether the segment is within a polygon, of whose edges those before `start` have been looked at."""
    whole, cut = (a, b), False
    before = p[start - 1]
    for i in range(start, len(p)):
        edge = (before, p[i])
        within = True
        if lines.on_segment(a, edge):
            if lines.on_segment(b, edge):
                return True
            within = _goes_on_inside(a, b, edge, p, i + 1)
        elif lines.on_segment(b, edge):
            within = _goes_on_inside(b, a, edge, p, i + 1)
        elif (met := lines.segments_meet(whole, edge)) is not None:
            cut = True
            within = _has_segment(a, met, p, i + 1) and _has_segment(b, met, p, i + 1)
        if not within:
            return False
        before = p[i]
    return cut or inside(lines.middle(a, b), p)


def _goes_on_inside(a: Point, b: Point, edge: Segment, p: Points, start: int) -> bool:
    """Of a segment whose end `a` is on an edge: whether what goes on in the edge's own direction is inside."""
    whole = (a, b)
    if lines.same_point(a, edge[0]):
        return not lines.on_segment(edge[1], whole) or _has_segment(b, edge[1], p, start)
    if lines.same_point(a, edge[1]):
        return not lines.on_segment(edge[0], whole) or _has_segment(b, edge[0], p, start)
    for end in edge:
        if lines.on_segment(end, whole):
            return _has_segment(b, end, p, start)
    return True


def between_polygons(p: Points, q: Points) -> float | None:
    return 0.0 if overlap(p, q) else between((True, p), (True, q))


def polygon_from_point(p: Points, point: Point) -> float:
    if inside(point, p):
        return 0.0
    sides = ((p[0], p[-1]), *pairwise(p))
    return _least(lines.nearest_on_segment(side, point)[1] for side in sides) or 0.0
