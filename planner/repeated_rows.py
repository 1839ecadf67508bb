"""An INSERT of many rows that are one row written again and again: planned as its first row.

    INSERT INTO t (a, b) VALUES ($1,$2),($3,$4), ... ,($255,$256)        what drivers make of a batch
    INSERT INTO t (a, b) VALUES ($1,$2)                                  what is parsed and bound

Rows of VALUES in an INSERT know nothing of each other: each parameter is of its own column's type. So what holds of
the first row holds of the others, with their parameters moved on. Parsing and binding 128 rows takes tens of
milliseconds, in which nobody else is served; the first row takes one.

Only parameters (with or without a `::type`) are read here, numbered from $1 without a gap. Whatever else a row may be
made of, and every error, is for the parser and the binder and the whole text.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from planner.abc import InsertValues, Plan
from planner.alike_rows import AlikeRows

ROWS_MIN: Final = 4
"""Fewer rows are as well planned as they are."""

HEAD: Final = re.compile(
    r"""\s*INSERT\s+INTO\s+ (?:[\w.]|"[^"]+")+ \s* (?:\( (?:[\w\s,]|"[^"]+")+ \))? \s* VALUES\s*\(\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_PARAMETER: Final = re.compile(r"\$(\d+)")
_CAST: Final = r"\s*(?:::\s*\w+(?:\s\w+)*(?:\[\])?\s*)?"
_BETWEEN: Final = re.compile(rf"{_CAST},\s*")
_ROW_END: Final = re.compile(rf"{_CAST}\)\s*,\s*\(\s*")
_END: Final = re.compile(rf"({_CAST})\)\s*")


class Repeated(NamedTuple):
    """A statement as its first row: that one's text, how many parameters it has, how many rows there are."""

    text: str
    width: int
    row_count: int


def first_row(text: str) -> Repeated | None:
    """The statement as its first row; None where it is not the same row again and again, for certain."""
    head = HEAD.match(text)
    if head is None:
        return None
    pieces = _PARAMETER.split(text)  # what is before $1, "1", what is between, "2", ...
    between, numbers = pieces[2::2], pieces[1::2]
    if pieces[0] != head.group() or numbers != [str(i) for i in range(1, len(numbers) + 1)]:
        return None
    width = next((i for i, piece in enumerate(between, 1) if _ROW_END.fullmatch(piece)), 0)
    if not width or len(numbers) % width or len(numbers) < ROWS_MIN * width:
        return None
    row, row_end, end = between[: width - 1], between[width - 1], _END.fullmatch(between[-1])
    if end is None or end[1] != row_end[: row_end.index(")")] or not all(map(_BETWEEN.fullmatch, row)):
        return None
    row_count = len(numbers) // width
    if between[:-1] != ([*row, row_end] * row_count)[:-1]:
        return None
    first = "".join(f"${i}{piece}" for i, piece in enumerate([*row, between[-1]], 1))
    return Repeated(pieces[0] + first, width, row_count)


def repeats(types: Sequence[int], width: int, row_count: int) -> bool:
    """Whether the parameters' declared types, if there are any, are those of the first row again and again."""
    return not types or list(types) == list(types[:width]) * row_count


def multiplied(plan: Plan, said: Repeated, text: str) -> Plan | None:
    """The plan of the whole statement, of that of its first row; None: it is to be planned as a whole."""
    body = plan.body
    if not isinstance(body, InsertValues) or len(body.rows) != 1 or len(plan.parameters) != said.width:
        return None
    rows = AlikeRows(body.rows[0], said.width, said.row_count)
    extra = dict(plan.extra)
    if "described" in extra:
        extra["described"] *= said.row_count
    return dataclasses.replace(
        plan,
        body=dataclasses.replace(body, rows=rows),
        parameters=plan.parameters * said.row_count,
        text=text,
        compiled=None,
        wire=None,
        extra=extra,
    )


__all__ = ["HEAD", "ROWS_MIN", "Repeated", "first_row", "multiplied", "repeats"]
