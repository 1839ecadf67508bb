"""Which function of PostgreSQL's is which of ours: by name and the types of the arguments.

    FUNCTIONS["point_distance(point, point)"]  ->  datums in, datum out: '(0,0)', '(3,4)' -> 5.0

Operators are there under the functions behind them, as pg_operator names these. All are strict; some answer None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from planner.abc import SqlError
from planner.geometry import boxes, circles, lines, paths
from planner.geometry import numbers as n
from planner.geometry.binary import to_binary
from planner.geometry.texts import OF_DATUM, SHOW, Box, Value, box_of


class Function(NamedTuple):
    """`call` takes and gives datums."""

    arguments: tuple[str, ...]
    result: str
    call: Callable[..., Any]


FUNCTIONS: Final[dict[str, Function]] = {}


@lru_cache(maxsize=1024)
def _value(kind: str, datum: str) -> Value:
    """A constant is in every row: it is taken apart once."""
    return OF_DATUM[kind](datum)


def _put(signatures: str, result: str, function: Callable[..., Any]) -> None:
    """`signatures`: several names of one function, `;` between them."""
    for signature in signatures.split(";"):
        name, _, listed = signature.strip()[:-1].partition("(")
        arguments = tuple(listed.split(", "))
        readers = [OF_DATUM.get(kind) and kind for kind in arguments]
        show = SHOW.get(result)

        def call(
            *datums: Any,
            readers: list[str | None] = readers,
            show: Callable[..., str] | None = show,
        ) -> Any:
            made = function(*[_value(k, d) if k else d for k, d in zip(readers, datums, strict=True)])
            return made if show is None or made is None else show(made)

        key = f"{name}({', '.join(arguments)})"
        assert key not in FUNCTIONS, key
        FUNCTIONS[key] = Function(arguments, result, call)


def _first(found: tuple[Any, float]) -> Any:
    """A nearest point; None where the distance is no number."""
    return None if math.isnan(found[1]) else found[0]


def _compared(key: Callable[[Any], float], names: str, kind: str) -> None:
    for sign in names.split():
        test = getattr(n, sign)
        _put(f"{kind}_{sign}({kind}, {kind})", "bool", lambda a, b, test=test: test(key(a), key(b)))


# --- points
_put("point(float8, float8)", "point", lambda x, y: (x, y))
_put("point_add(point, point)", "point", lines.added)
_put("point_sub(point, point)", "point", lines.subtracted)
_put("point_mul(point, point)", "point", lines.multiplied)
_put("point_div(point, point)", "point", lines.divided)
_put("point_distance(point, point)", "float8", lines.distance)
_put("slope(point, point)", "float8", lines.slope)
_put("point_eq(point, point)", "bool", lines.same_point)
_put("point_ne(point, point)", "bool", lambda a, b: not lines.same_point(a, b))
_put("point_left(point, point)", "bool", lambda a, b: n.lt(a[0], b[0]))
_put("point_right(point, point)", "bool", lambda a, b: n.gt(a[0], b[0]))
_put("point_above(point, point)", "bool", lambda a, b: n.gt(a[1], b[1]))
_put("point_below(point, point)", "bool", lambda a, b: n.lt(a[1], b[1]))
_put("point_vert(point, point); isvertical(point, point)", "bool", lambda a, b: n.eq(a[0], b[0]))
_put("point_horiz(point, point); ishorizontal(point, point)", "bool", lambda a, b: n.eq(a[1], b[1]))

# --- lines
_put("line(point, point)", "line", lines.line_through)
_put("line_distance(line, line)", "float8", lines.between_lines)
_put("line_eq(line, line)", "bool", lines.same_line)
_put("line_interpt(line, line)", "point", lines.crossing)
_put("line_intersect(line, line)", "bool", lambda k, m: lines.crossing(k, m) is not None)
_put("line_parallel(line, line); isparallel(line, line)", "bool", lambda k, m: lines.crossing(k, m) is None)
_put("line_perp(line, line); isperp(line, line)", "bool", lines.perpendicular)
_put("line_vertical(line); isvertical(line)", "bool", lambda k: n.zero(k[1]))
_put("line_horizontal(line); ishorizontal(line)", "bool", lambda k: n.zero(k[0]))
_put("on_pl(point, line)", "bool", lines.on_line)
_put("dist_pl(point, line)", "float8", lambda p, k: lines.nearest_on_line(k, p)[1])
_put("dist_lp(line, point)", "float8", lambda k, p: lines.nearest_on_line(k, p)[1])
_put("close_pl(point, line)", "point", lambda p, k: _first(lines.nearest_on_line(k, p)))

# --- segments
_put("lseg(point, point)", "lseg", lambda a, b: (a, b))
_put("lseg_length(lseg); length(lseg)", "float8", lambda s: lines.distance(*s))
_put("lseg_center(lseg); point(lseg)", "point", lambda s: lines.middle(*s))
_put("lseg_distance(lseg, lseg)", "float8", lambda s, r: lines.nearest_to_segment(s, r)[1])
_put("lseg_interpt(lseg, lseg)", "point", lines.segments_meet)
_put("lseg_intersect(lseg, lseg)", "bool", lambda s, r: lines.segments_meet(s, r) is not None)
_put(
    "lseg_parallel(lseg, lseg); isparallel(lseg, lseg)",
    "bool",
    lambda s, r: n.eq(lines.slope(*s), lines.slope(*r)),
)
_put(
    "lseg_perp(lseg, lseg); isperp(lseg, lseg)",
    "bool",
    lambda s, r: n.eq(lines.slope(*s), lines.slope_across(*r)),
)
_put("lseg_vertical(lseg); isvertical(lseg)", "bool", lambda s: n.eq(s[0][0], s[1][0]))
_put("lseg_horizontal(lseg); ishorizontal(lseg)", "bool", lambda s: n.eq(s[0][1], s[1][1]))
_put("lseg_eq(lseg, lseg)", "bool", lambda s, r: all(map(lines.same_point, s, r)))
_put("lseg_ne(lseg, lseg)", "bool", lambda s, r: not all(map(lines.same_point, s, r)))
_compared(lambda s: lines.distance(*s), "lt le gt ge", "lseg")
_put("on_ps(point, lseg)", "bool", lines.on_segment)
_put("on_sl(lseg, line)", "bool", lambda s, k: lines.on_line(s[0], k) and lines.on_line(s[1], k))
_put("inter_sl(lseg, line)", "bool", lambda s, k: lines.segment_meets_line(s, k) is not None)
_put("dist_ps(point, lseg)", "float8", lambda p, s: lines.nearest_on_segment(s, p)[1])
_put("dist_sp(lseg, point)", "float8", lambda s, p: lines.nearest_on_segment(s, p)[1])
_put("dist_sl(lseg, line)", "float8", lambda s, k: lines.nearest_to_line(s, k)[1])
_put("dist_ls(line, lseg)", "float8", lambda k, s: lines.nearest_to_line(s, k)[1])
_put("close_ps(point, lseg)", "point", lambda p, s: _first(lines.nearest_on_segment(s, p)))
_put(
    "close_ls(line, lseg)",
    "point",
    lambda k, s: None if lines.slope(*s) == lines.line_slope(k) else _first(lines.nearest_to_line(s, k)),
)
_put(
    "close_lseg(lseg, lseg)",
    "point",
    lambda s, r: None if lines.slope(*s) == lines.slope(*r) else _first(lines.nearest_to_segment(r, s)),
)

# --- boxes
_put("box(point, point)", "box", box_of)
_put("box(point)", "box", lambda p: (p, p))
_put("bound_box(box, box)", "box", boxes.around)
_put("box_intersect(box, box)", "box", boxes.common)
_put("box_add(box, point)", "box", lambda b, p: (lines.added(b[0], p), lines.added(b[1], p)))
_put("box_sub(box, point)", "box", lambda b, p: (lines.subtracted(b[0], p), lines.subtracted(b[1], p)))
_put("box_mul(box, point)", "box", boxes.scaled)
_put("box_div(box, point)", "box", boxes.unscaled)
_put("area(box)", "float8", boxes.area)
_put("width(box)", "float8", boxes.width)
_put("height(box)", "float8", boxes.height)
_put("box_center(box); center(box); point(box)", "point", boxes.center)
_put("diagonal(box); lseg(box)", "lseg", lambda b: b)
_put("box_distance(box, box)", "float8", lambda a, b: lines.distance(boxes.center(a), boxes.center(b)))
_put("box_same(box, box)", "bool", lambda a, b: all(map(lines.same_point, a, b)))
_put("box_overlap(box, box)", "bool", boxes.overlap)
_put("box_contain(box, box)", "bool", boxes.contains)
_put("box_contained(box, box)", "bool", lambda a, b: boxes.contains(b, a))
_put("box_left(box, box)", "bool", lambda a, b: n.lt(a[0][0], b[1][0]))
_put("box_overleft(box, box)", "bool", lambda a, b: n.le(a[0][0], b[0][0]))
_put("box_right(box, box)", "bool", lambda a, b: n.gt(a[1][0], b[0][0]))
_put("box_overright(box, box)", "bool", lambda a, b: n.ge(a[1][0], b[1][0]))
_put("box_below(box, box)", "bool", lambda a, b: n.lt(a[0][1], b[1][1]))
_put("box_overbelow(box, box)", "bool", lambda a, b: n.le(a[0][1], b[0][1]))
_put("box_above(box, box)", "bool", lambda a, b: n.gt(a[1][1], b[0][1]))
_put("box_overabove(box, box)", "bool", lambda a, b: n.ge(a[1][1], b[1][1]))
_put("box_below_eq(box, box)", "bool", lambda a, b: n.le(a[0][1], b[1][1]))
_put("box_above_eq(box, box)", "bool", lambda a, b: n.ge(a[1][1], b[0][1]))
_compared(boxes.area, "eq lt le gt ge", "box")
_put("on_pb(point, box)", "bool", lambda p, b: boxes.has_point(b, p))
_put("box_contain_pt(box, point)", "bool", boxes.has_point)
_put("on_sb(lseg, box)", "bool", lambda s, b: boxes.has_segment(b, s))
_put("inter_sb(lseg, box)", "bool", lambda s, b: boxes.meets_segment(b, s))
_put("inter_lb(line, box)", "bool", lambda k, b: boxes.meets_line(b, k))
_put("dist_pb(point, box)", "float8", lambda p, b: boxes.nearest_to_point(b, p)[1])
_put("dist_bp(box, point)", "float8", lambda b, p: boxes.nearest_to_point(b, p)[1])
_put("dist_sb(lseg, box)", "float8", lambda s, b: boxes.nearest_to_segment(b, s)[1])
_put("dist_bs(box, lseg)", "float8", lambda b, s: boxes.nearest_to_segment(b, s)[1])
_put("close_pb(point, box)", "point", lambda p, b: _first(boxes.nearest_to_point(b, p)))
_put("close_sb(lseg, box)", "point", lambda s, b: _first(boxes.nearest_to_segment(b, s)))

# --- paths
_put("area(path)", "float8", paths.area)
_put("path_length(path); length(path)", "float8", paths.length)
_put("path_npoints(path); npoints(path)", "int4", lambda p: len(p[1]))
_put("isclosed(path)", "bool", lambda p: p[0])
_put("isopen(path)", "bool", lambda p: not p[0])
_put("pclose(path)", "path", lambda p: (True, p[1]))
_put("popen(path)", "path", lambda p: (False, p[1]))
_put("path_add(path, path)", "path", paths.joined)
_put("path_add_pt(path, point)", "path", paths.moved(lines.added))
_put("path_sub_pt(path, point)", "path", paths.moved(lines.subtracted))
_put("path_mul_pt(path, point)", "path", paths.moved(lines.multiplied))
_put("path_div_pt(path, point)", "path", paths.moved(lines.divided))
_put("path_inter(path, path)", "bool", paths.meet)
_put("path_distance(path, path)", "float8", paths.between)
_put("dist_ppath(point, path)", "float8", lambda p, path: paths.from_point(path, p))
_put("dist_pathp(path, point)", "float8", paths.from_point)
_put("on_ppath(point, path)", "bool", lambda p, path: paths.has_point(path, p))
_put("path_contain_pt(path, point)", "bool", paths.has_point)
_put("path_n_eq(path, path)", "bool", lambda p, q: len(p[1]) == len(q[1]))
_put("path_n_lt(path, path)", "bool", lambda p, q: len(p[1]) < len(q[1]))
_put("path_n_le(path, path)", "bool", lambda p, q: len(p[1]) <= len(q[1]))
_put("path_n_gt(path, path)", "bool", lambda p, q: len(p[1]) > len(q[1]))
_put("path_n_ge(path, path)", "bool", lambda p, q: len(p[1]) >= len(q[1]))

# --- polygons
_put("poly_npoints(polygon); npoints(polygon)", "int4", len)
_put("poly_center(polygon); point(polygon)", "point", lambda p: circles.of_polygon(p)[0])
_put("poly_distance(polygon, polygon)", "float8", paths.between_polygons)
_put("poly_same(polygon, polygon)", "bool", paths.same)
_put("poly_overlap(polygon, polygon)", "bool", paths.overlap)
_put("poly_contain(polygon, polygon)", "bool", paths.contains)
_put("poly_contained(polygon, polygon)", "bool", lambda p, q: paths.contains(q, p))
_put("poly_contain_pt(polygon, point)", "bool", lambda p, point: paths.inside(point, p))
_put("pt_contained_poly(point, polygon)", "bool", paths.inside)
_put("dist_ppoly(point, polygon)", "float8", lambda point, p: paths.polygon_from_point(p, point))
_put("dist_polyp(polygon, point)", "float8", paths.polygon_from_point)


def _by_bounds(name: str, test: Callable[[Box, Box], bool]) -> None:
    """Exactly: no millionth is forgiven."""
    _put(f"{name}(polygon, polygon)", "bool", lambda p, q: test(boxes.bounds(p), boxes.bounds(q)))


_by_bounds("poly_left", lambda a, b: a[0][0] < b[1][0])
_by_bounds("poly_overleft", lambda a, b: a[0][0] <= b[0][0])
_by_bounds("poly_right", lambda a, b: a[1][0] > b[0][0])
_by_bounds("poly_overright", lambda a, b: a[1][0] >= b[1][0])
_by_bounds("poly_below", lambda a, b: a[0][1] < b[1][1])
_by_bounds("poly_overbelow", lambda a, b: a[0][1] <= b[0][1])
_by_bounds("poly_above", lambda a, b: a[1][1] > b[0][1])
_by_bounds("poly_overabove", lambda a, b: a[1][1] >= b[1][1])

# --- circles
_put("circle(point, float8)", "circle", lambda p, radius: (p, radius))
_put("area(circle)", "float8", circles.area)
_put("diameter(circle)", "float8", lambda c: n.multiply(c[1], 2.0))
_put("radius(circle)", "float8", lambda c: c[1])
_put("circle_center(circle); center(circle); point(circle)", "point", lambda c: c[0])
_put("circle_add_pt(circle, point)", "circle", lambda c, p: (lines.added(c[0], p), c[1]))
_put("circle_sub_pt(circle, point)", "circle", lambda c, p: (lines.subtracted(c[0], p), c[1]))
_put("circle_mul_pt(circle, point)", "circle", circles.scaled)
_put("circle_div_pt(circle, point)", "circle", circles.unscaled)
_put("circle_same(circle, circle)", "bool", circles.same)
_put("circle_overlap(circle, circle)", "bool", circles.overlap)
_put("circle_contain(circle, circle)", "bool", circles.contains)
_put("circle_contained(circle, circle)", "bool", lambda c, d: circles.contains(d, c))
for _axis, _before, _after, _to_there, _from_there in (
    (0, "left", "right", "overleft", "overright"),
    (1, "below", "above", "overbelow", "overabove"),
):
    for _name, _test in (
        (_before, lambda c, d, i: n.lt(circles.most(c, i), circles.least(d, i))),
        (_after, lambda c, d, i: n.gt(circles.least(c, i), circles.most(d, i))),
        (_to_there, lambda c, d, i: n.le(circles.most(c, i), circles.most(d, i))),
        (_from_there, lambda c, d, i: n.ge(circles.least(c, i), circles.least(d, i))),
    ):
        _put(f"circle_{_name}(circle, circle)", "bool", lambda c, d, t=_test, i=_axis: t(c, d, i))
_compared(circles.area, "eq ne lt le gt ge", "circle")
_put("circle_contain_pt(circle, point)", "bool", circles.has_point)
_put("pt_contained_circle(point, circle)", "bool", lambda p, c: circles.has_point(c, p))
_put("circle_distance(circle, circle)", "float8", circles.between)
_put("dist_pc(point, circle)", "float8", lambda p, c: circles.from_point(c, p))
_put("dist_cpoint(circle, point)", "float8", circles.from_point)
_put("dist_cpoly(circle, polygon)", "float8", circles.from_polygon)
_put("dist_polyc(polygon, circle)", "float8", lambda p, c: circles.from_polygon(c, p))

# --- from one into another
_put("box(circle)", "box", circles.to_box)
_put("box(polygon)", "box", boxes.bounds)
_put("circle(box)", "circle", circles.of_box)
_put("circle(polygon)", "circle", circles.of_polygon)
_put("path(polygon)", "path", lambda p: (True, p))
_put("polygon(path)", "polygon", paths.to_polygon)
_put("polygon(box)", "polygon", boxes.corners)
_put("polygon(circle)", "polygon", lambda c: circles.to_polygon(12, c))
_put("polygon(int4, circle)", "polygon", circles.to_polygon)

for _kind, _send in (
    ("point", "point_send"),
    ("lseg", "lseg_send"),
    ("box", "box_send"),
    ("line", "line_send"),
    ("path", "path_send"),
    ("polygon", "poly_send"),
    ("circle", "circle_send"),
):
    _put(f"{_send}({_kind})", "bytea", lambda value, kind=_kind: to_binary(kind, value))


# --- what subscripts read and write


def _part(value: Value, at: int) -> Any:
    return value[at] if 0 <= at < len(value) else None


def _with_part(value: Value, at: int, part: Any) -> Value:
    """Raises 2202E."""
    if not 0 <= at < len(value):
        raise SqlError("2202E", "array subscript out of range")
    return (*value[:at], part, *value[at + 1 :])


for _kind, _inner in (("point", "float8"), ("line", "float8"), ("lseg", "point"), ("box", "point")):
    _put(f"subscript({_kind}, int4)", _inner, _part)
    _put(f"put({_kind}, int4, {_inner})", _kind, _with_part)
