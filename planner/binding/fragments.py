"""Stretches of DuckDB SQL with holes, where the executor puts relations and values.

A text is cut at every place that is known only later: a relation's slot, a parameter, a session value, a
column of an outer query that may still move. Whoever writes SQL here puts such pieces together and never
formats a value into text.

    sql("CAST(", frag, " AS ", "BIGINT)")      ->  Frag("CAST(", Param(0), " AS BIGINT)")
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from planner.abc import Param, SessionValue, Slot
from planner.lexer import quoted
from planner.records import dataclass


@dataclass(frozen=True, slots=True)
class Ref:
    """A column's place in the text: written last, so that a subquery's outer columns can still move."""

    relation: int
    column: int


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A finished stretch of text that nothing reads any more (`planner.binding.spark`)."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """Where conditions go that pass the barrier around a relation (`planner.binding.rights.barriers`)."""

    relation: int


@dataclass(frozen=True, slots=True)
class Around:
    """Before and behind an item of FROM whose rows may have to be told apart (`planner.binding.told_rows`)."""

    relation: int
    opens: bool


@dataclass(frozen=True, slots=True)
class Told:
    """What equal values of a column differ in, beside that column."""

    relation: int
    column: int


@dataclass(frozen=True, slots=True)
class Unasked:
    """Before and behind a column's text that may be left out (`planner.binding.unasked`)."""

    mark: int
    opens: bool


Piece = str | Slot | Param | SessionValue | Ref | Verbatim | Hole | Around | Told | Unasked
Form = tuple[int, int] | None
"""(precision, scale) of a numeric in a DECIMAL; None: its text, or not a numeric at all."""

DECIMAL_DIGITS_MAX: Final = 38
ARRAY_TEXT: Final[Form] = (0, -1)
"""The form of an array that is PostgreSQL's text (see `dimensions`)."""


class Frag:
    """A stretch of SQL text with holes."""

    __slots__ = ("form", "parts")

    def __init__(self, parts: Iterable[Piece], form: Form = None) -> None:
        self.parts: tuple[Piece, ...] = tuple(parts)
        self.form = form

    def with_form(self, form: Form) -> Frag:
        return Frag(self.parts, form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frag) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    @property
    def text(self) -> str | None:
        """The text, where it has no holes."""
        return "".join(self.parts) if all(isinstance(p, str) for p in self.parts) else None  # type: ignore[arg-type]


Item = str | Frag | Piece


def sql(*items: Item, form: Form = None) -> Frag:
    """Concatenates texts, pieces and fragments."""
    out: list[Piece] = []
    text = ""  # what there is behind `out`: two texts that meet become one
    for item in items:
        if type(item) is str:
            text += item
            continue
        if type(item) is Frag:
            parts = item.parts
            if len(parts) == 1:
                item = parts[0]
                if type(item) is str:
                    text += item
                    continue
            else:
                if parts:  # within a fragment no texts meet: it was made here
                    first, *others = parts
                    if type(first) is str:
                        text += first
                    else:
                        others = [first, *others]
                    if text:
                        out.append(text)
                    out += others
                    text = out.pop() if type(parts[-1]) is str else ""  # type: ignore[assignment]
                continue
        if text:
            out.append(text)
            text = ""
        out.append(item)  # type: ignore[arg-type]
    if text or (items and not out):
        out.append(text)
    return Frag(out, form)


def join(separator: str, frags: Sequence[Item]) -> Frag:
    items: list[Item] = [separator] * (2 * len(frags) - 1)
    items[::2] = frags
    return sql(*items)


quote_name = quoted


def quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
