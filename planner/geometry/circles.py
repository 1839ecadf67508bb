"""Circles: a center and a radius; compared by area."""

from __future__ import annotations

import math

from planner.abc import SqlError
from planner.geometry import lines, paths
from planner.geometry import numbers as n
from planner.geometry.texts import Box, Circle, Point, Points

POINTS_MAX = 1_000_000
"""How many points a polygon made of a circle may have: its text is in memory."""


def area(c: Circle) -> float:
    return n.multiply(n.multiply(c[1], c[1]), math.pi)


def same(c: Circle, d: Circle) -> bool:
    alike = (math.isnan(c[1]) and math.isnan(d[1])) or n.eq(c[1], d[1])
    return alike and lines.same_point(c[0], d[0])


def contains(c: Circle, d: Circle) -> bool:
    return n.le(lines.distance(c[0], d[0]), n.subtract(c[1], d[1]))


def overlap(c: Circle, d: Circle) -> bool:
    return n.le(lines.distance(c[0], d[0]), n.add(c[1], d[1]))


def most(c: Circle, axis: int) -> float:
    return n.add(c[0][axis], c[1])


def least(c: Circle, axis: int) -> float:
    return n.subtract(c[0][axis], c[1])


def has_point(c: Circle, p: Point) -> bool:
    return lines.distance(c[0], p) <= c[1]


def between(c: Circle, d: Circle) -> float:
    return _not_negative(n.subtract(lines.distance(c[0], d[0]), n.add(c[1], d[1])))


def from_point(c: Circle, p: Point) -> float:
    return _not_negative(n.subtract(lines.distance(p, c[0]), c[1]))


def from_polygon(c: Circle, p: Points) -> float:
    return _not_negative(n.subtract(paths.polygon_from_point(p, c[0]), c[1]))


def _not_negative(far: float) -> float:
    return 0.0 if far < 0.0 else far


def scaled(c: Circle, p: Point) -> Circle:
    return (lines.multiplied(c[0], p), n.multiply(c[1], n.hypotenuse(*p)))


def unscaled(c: Circle, p: Point) -> Circle:
    return (lines.divided(c[0], p), n.divide(c[1], n.hypotenuse(*p)))


def to_box(c: Circle) -> Box:
    """The one whose corners are on the circle."""
    delta = n.divide(c[1], math.sqrt(2.0))
    (x, y) = c[0]
    return ((n.add(x, delta), n.add(y, delta)), (n.subtract(x, delta), n.subtract(y, delta)))


def of_box(b: Box) -> Circle:
    center = lines.middle(*b)
    return (center, lines.distance(center, b[0]))


def to_polygon(count: int, c: Circle) -> Points:
    """Raises 0A000, 22023, 54000."""
    if n.zero(c[1]):
        raise SqlError("0A000", "cannot convert circle with radius zero to polygon")
    if count < 2:
        raise SqlError("22023", "must request at least 2 points")
    if count > POINTS_MAX:
        raise SqlError("54000", "too many points requested")
    step = n.divide(2.0 * math.pi, count)
    made = []
    for i in range(count):
        angle = n.multiply(step, float(i))
        x = n.subtract(c[0][0], n.multiply(c[1], math.cos(angle)))
        made.append((x, n.add(c[0][1], n.multiply(c[1], math.sin(angle)))))
    return tuple(made)


def of_polygon(p: Points) -> Circle:
    """Around the mean of the points, their mean distance from it."""
    center = (0.0, 0.0)
    for point in p:
        center = lines.added(center, point)
    center = (n.divide(center[0], len(p)), n.divide(center[1], len(p)))
    radius = 0.0
    for point in p:
        radius = n.add(radius, lines.distance(point, center))
    return (center, n.divide(radius, len(p)))
