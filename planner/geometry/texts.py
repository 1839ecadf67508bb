"""Reading and showing: all the spellings that PostgreSQL takes, and the one that it gives.

point    (x,y)  x,y                           box      (x1,y1),(x2,y2)  ((x1,y1),(x2,y2))  x1,y1,x2,y2
line     {A,B,C}  two points                  circle   <(x,y),r>  ((x,y),r)  (x,y),r  x,y,r
lseg     [(x1,y1),(x2,y2)]  and as box        path     [(x,y),...] open; all others closed
                                              polygon  ((x,y),...)  (x,y),...  x,y,...
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from planner.abc import SqlError
from planner.geometry import numbers as n
from planner.types.base import WHITESPACE, invalid_input
from planner.types.floats import float8_in, float8_out

Point = tuple[float, float]
Points = tuple[Point, ...]
Segment = tuple[Point, Point]
Box = tuple[Point, Point]
"""Upper right, lower left."""
Line = tuple[float, float, float]
"""A, B, C of Ax + By + C = 0."""
Path = tuple[bool, Points]
"""Whether it is closed, its points."""
Circle = tuple[Point, float]

_NUMBER: Final = re.compile(
    r"[+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])",
    re.ASCII,
)
_CELLS: Final = re.compile(r"[^][(){}<>,]+")


class _Reader:
    """A place in a text. What does not fit raises 22P02 with the whole of it."""

    def __init__(self, text: str, kind: str) -> None:
        self.text, self.kind, self.at = text, kind, 0

    def bad(self) -> SqlError:
        return invalid_input(self.kind, self.text)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def blanks(self) -> None:
        while self.peek() and self.peek() in WHITESPACE:
            self.at += 1

    def take(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self.at += 1
        return True

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise self.bad()

    def end(self) -> None:
        if self.at != len(self.text):
            raise self.bad()

    def number(self) -> float:
        """Raises 22P02, 22003."""
        self.blanks()
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            raise self.bad()
        self.at = found.end()
        self.blanks()
        return float8_in(found[0])

    def pair(self) -> Point:
        self.blanks()
        enclosed = self.take("(")
        x = self.number()
        self.need(",")
        y = self.number()
        if enclosed:
            self.need(")")
            self.blanks()
        return (x, y)

    def lone_parenthesis(self) -> bool:
        return self.peek() == "(" and self.text.rfind("(") == self.at

    def twice(self) -> bool:
        """Takes the first of two parentheses, if there are two."""
        after = self.at + 1
        while self.text[after : after + 1] and self.text[after] in WHITESPACE:
            after += 1
        if self.text[after : after + 1] != "(":
            return False
        self.at = after
        return True

    def points(self, count: int, may_be_open: bool) -> tuple[bool, Points]:
        """Whether they stood in brackets, and the points."""
        self.blanks()
        depth, is_open = 0, self.peek() == "["
        if is_open:
            if not may_be_open:
                raise self.bad()
            depth, self.at = 1, self.at + 1
        elif self.peek() == "(":
            if self.twice():
                depth = 1
            elif self.lone_parenthesis():
                self.at += 1
                self.blanks()
                depth = 1
        found = []
        for _ in range(count):
            found.append(self.pair())
            self.take(",")
        while depth:
            if not self.take(")") and not (is_open and depth == 1 and self.take("]")):
                raise self.bad()
            depth -= 1
            self.blanks()
        return is_open, tuple(found)

    def counted(self) -> int:
        """How many points there are, by the commas."""
        commas = self.text.count(",")
        if commas % 2 == 0:
            raise self.bad()
        return (commas + 1) // 2


def read_point(text: str) -> Point:
    reader = _Reader(text, "point")
    made = reader.pair()
    reader.end()
    return made


def _two(text: str, kind: str, may_be_open: bool) -> Segment:
    reader = _Reader(text, kind)
    _, (a, b) = reader.points(2, may_be_open)
    reader.end()
    return (a, b)


def read_segment(text: str) -> Segment:
    return _two(text, "lseg", True)


def box_of(a: Point, b: Point) -> Box:
    """By any two opposite corners."""
    x = (a[0], b[0]) if n.greater(a[0], b[0]) else (b[0], a[0])
    y = (a[1], b[1]) if n.greater(a[1], b[1]) else (b[1], a[1])
    return ((x[0], y[0]), (x[1], y[1]))


def sorted_box(a: Point, b: Point) -> Box:
    """As box_of, but of corners that are equal the signs stay where they were."""
    x = (b[0], a[0]) if n.less(a[0], b[0]) else (a[0], b[0])
    y = (b[1], a[1]) if n.less(a[1], b[1]) else (a[1], b[1])
    return ((x[0], y[0]), (x[1], y[1]))


def read_box(text: str) -> Box:
    return sorted_box(*_two(text, "box", False))


def checked_line(line: Line, code: str) -> Line:
    if n.zero(line[0]) and n.zero(line[1]):
        raise SqlError(code, "invalid line specification: A and B cannot both be zero")
    return line


def read_line(text: str) -> Line:
    from planner.geometry.lines import line_through

    reader = _Reader(text, "line")
    reader.blanks()
    if not reader.take("{"):
        return line_through(*_two(text, "line", True), code="22P02")
    a = reader.number()
    reader.need(",")
    b = reader.number()
    reader.need(",")
    c = reader.number()
    reader.need("}")
    reader.blanks()
    reader.end()
    return checked_line((a, b, c), "22P02")


def read_path(text: str) -> Path:
    reader = _Reader(text, "path")
    count = reader.counted()
    reader.blanks()
    enclosed = reader.lone_parenthesis()
    if enclosed:
        reader.at += 1
    is_open, found = reader.points(count, True)
    if enclosed:
        reader.need(")")
        reader.blanks()
    reader.end()
    return (not is_open, found)


def read_polygon(text: str) -> Points:
    reader = _Reader(text, "polygon")
    count = reader.counted()
    _, found = reader.points(count, False)
    reader.end()
    return found


def read_circle(text: str) -> Circle:
    reader = _Reader(text, "circle")
    reader.blanks()
    depth = 0
    if reader.take("<") or (reader.peek() == "(" and reader.twice()):
        depth = 1
    center = reader.pair()
    reader.take(",")
    radius = reader.number()
    if radius < 0:
        raise reader.bad()
    while depth:
        if not reader.take(")") and not reader.take(">"):
            raise reader.bad()
        depth -= 1
        reader.blanks()
    reader.end()
    return (center, radius)


Show = Callable[[float], str]


def _pairs(points: Points, show: Show) -> str:
    return ",".join(f"({show(x)},{show(y)})" for x, y in points)


def show_point(p: Point, show: Show = float8_out) -> str:
    return f"({show(p[0])},{show(p[1])})"


def show_segment(s: Segment, show: Show = float8_out) -> str:
    return f"[{_pairs(s, show)}]"


def show_box(b: Box, show: Show = float8_out) -> str:
    return _pairs(b, show)


def show_line(line: Line, show: Show = float8_out) -> str:
    return "{" + ",".join(map(show, line)) + "}"


def show_path(p: Path, show: Show = float8_out) -> str:
    return f"({_pairs(p[1], show)})" if p[0] else f"[{_pairs(p[1], show)}]"


def show_polygon(p: Points, show: Show = float8_out) -> str:
    return f"({_pairs(p, show)})"


def show_circle(c: Circle, show: Show = float8_out) -> str:
    return f"<{show_point(c[0], show)},{show(c[1])}>"


# --- from the datum, which is known to be well-formed


def _floats(text: str) -> list[float]:
    return [float(cell) for cell in _CELLS.findall(text)]


def _paired(text: str) -> Points:
    cells = iter(_floats(text))
    return tuple(zip(cells, cells, strict=True))


def _point(text: str) -> Point:
    x, y = _floats(text)
    return (x, y)


def _line(text: str) -> Line:
    a, b, c = _floats(text)
    return (a, b, c)


def _circle(text: str) -> Circle:
    x, y, radius = _floats(text)
    return ((x, y), radius)


Value = Any
READ: Final[dict[str, Callable[[str], Value]]] = {
    "point": read_point,
    "lseg": read_segment,
    "box": read_box,
    "line": read_line,
    "path": read_path,
    "polygon": read_polygon,
    "circle": read_circle,
}
SHOW: Final[dict[str, Callable[..., str]]] = {
    "point": show_point,
    "lseg": show_segment,
    "box": show_box,
    "line": show_line,
    "path": show_path,
    "polygon": show_polygon,
    "circle": show_circle,
}
OF_DATUM: Final[dict[str, Callable[[str], Value]]] = {
    "point": _point,
    "lseg": _paired,
    "box": _paired,
    "line": _line,
    "path": lambda text: (text[0] == "(", _paired(text)),
    "polygon": _paired,
    "circle": _circle,
}


def input_of(kind: str) -> Callable[[str], str]:
    """The type's input function: to the datum. Raises 22P02, 22003."""
    read, show = READ[kind], SHOW[kind]
    return lambda text: show(read(text))
