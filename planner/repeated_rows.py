"""An INSERT of many rows that are one row written again and again: planned as its first row.

    INSERT INTO t (a, b) VALUES ($1,$2),($3,$4), ... ,($255,$256)        what drivers make of a batch
    INSERT INTO t (a, b) VALUES ($1,$2)                                  what is parsed and bound

Rows of VALUES in an INSERT know nothing of each other: each parameter is of its own column's type. So what holds of
the first row holds of the others, with their parameters moved on. Parsing and binding 128 rows takes tens of
milliseconds, in which nobody else is served; the first row takes one.

Only parameters (with or without a `::type`) are read here, numbered from $1 without a gap, and rows that are counted
(`counted_rows`). Whatever else a row may be made of, and every error, is for the parser and the binder and the whole text.

Parameters of a column may be declared as different types: drivers declare a number by its size, and a null as nothing. Rows that
are declared alike are of one form, and each form is planned once.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from planner import counted_rows
from planner.abc import InsertValues, Plan
from planner.alike_rows import AlikeRows
from planner.catalog.reads import Reads
from planner.counted_rows import TYPE, Counted
from planner.keyed_plans import Expr
from planner.types import TEXT

ROWS_MIN: Final = 4
"""Fewer rows are as well planned as they are."""
FORMS_MAX: Final = 64
"""Rows of more forms than this are planned one by one."""

HEAD: Final = re.compile(
    r"""\s*INSERT\s+INTO\s+ (?:[\w.]|"[^"]+")+ \s* (?:\( (?:[\w\s,]|"[^"]+")+ \))? \s* VALUES\s*\(\s*""",
    re.IGNORECASE | re.VERBOSE,
)
TAIL: Final = re.compile(
    r"""\s*;?\s*\Z | (?P<tail>\s*(?:ON\s+CONFLICT|RETURNING)\b (?:[^;'$\-/\d] | (?<=\w)\d)*? ) \s*;?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""What may follow: nothing, or a clause without a literal or a comment."""
_PARAMETER: Final = re.compile(r"\$(\d+)")
_CAST: Final = rf"\s*(?:::\s*{TYPE}\s*)?"
_BETWEEN: Final = re.compile(rf"({_CAST}),\s*")
_ROW_END: Final = re.compile(rf"({_CAST})\)\s*,\s*\(\s*")
_COUNTED_END: Final = re.compile(rf"({_CAST},\s*)0(\s*\)\s*,\s*\(\s*)")


class Repeated(NamedTuple):
    """A statement as its first row: that one's text, how many parameters it has, how many rows there are."""

    text: str
    width: int
    row_count: int
    agreeing: tuple[int, ...] = ()
    """Places of a row whose parameters are of one type in all rows."""


class Forms(NamedTuple):
    """The declared types of rows that differ in them, and which of these each row has (nothing: there is one)."""

    types: list[tuple[int, ...]]
    which: bytes


def first_row(text: str) -> Repeated | None:
    """The statement as its first row; None where it is not the same row again and again, for certain."""
    head = HEAD.match(text)
    counted = counted_rows.read(text) if head is None else None
    start = head.end() if head is not None else counted.start if counted is not None else 0
    if not start:
        return None
    pieces = _PARAMETER.split(text)  # what is before $1, "1", what is between, "2", ...
    between, numbers = pieces[2::2], pieces[1::2]
    if len(pieces[0]) != start or numbers != [str(i) for i in range(1, len(numbers) + 1)]:
        return None
    ending = _ROW_END if counted is None else _COUNTED_END
    width = next((i for i, piece in enumerate(between, 1) if ending.fullmatch(piece)), 0)
    if not width or len(numbers) % width or len(numbers) < ROWS_MIN * width:
        return None
    row_count = len(numbers) // width
    row, row_end = between[: width - 1], ending.fullmatch(between[width - 1])
    assert row_end is not None
    if counted is None:
        ends, last = [row_end[0]] * row_count, row_end[1]
    else:
        ends = [f"{row_end[1]}{i}{row_end[2]}" for i in range(row_count)]
        last = f"{row_end[1]}{row_count - 1}"
    casts = list(map(_BETWEEN.fullmatch, row))
    if not all(casts) or between[width - 1 : -1 : width] != ends[:-1]:
        return None
    if any(between[i::width] != [piece] * row_count for i, piece in enumerate(row)):
        return None
    tail = _tail(between[-1], last, counted)
    if tail is None:
        return None
    if counted is None:
        first = "".join(f"${i}{piece}" for i, piece in enumerate([*row, f"{last}){tail}"], 1))
        return Repeated(pieces[0] + first, width, row_count)
    said = [*(cast[1] for cast in casts if cast is not None), row_end[1].rstrip().removesuffix(",")]
    if len(counted.casts) != width:
        return None
    cells = [f"${i}{own}{cast}" for i, (own, cast) in enumerate(zip(said, counted.casts, strict=True), 1)]
    agreeing = tuple(i for i, own in enumerate(said) if not own.strip())
    return Repeated(f"{counted.into}{', '.join(cells)}){tail}", width, row_count, agreeing)


def _tail(piece: str, last: str, counted: Counted | None) -> str | None:
    """The clause that follows the last parameter, whose row ends as `last` says; None: something else does."""
    if not piece.startswith(f"{last})"):
        return None
    end = len(last) + 1
    if counted is not None and (end := counted.end(piece, end)) < 0:
        return None
    tail = TAIL.match(piece, end)
    return None if tail is None else tail["tail"] or ""


def forms(types: Sequence[int], said: Repeated) -> Forms | None:
    """The forms of the statement's rows, as their parameters were declared; None: they are not for us."""
    width = said.width
    if not types:
        return Forms([tuple([TEXT if i in said.agreeing else 0 for i in range(width)])], b"")
    if len(types) != width * said.row_count:
        return None
    columns: list[Sequence[int]] = [types[i::width] for i in range(width)]
    for i in said.agreeing:
        common = counted_rows.agreed(columns[i])
        if common is None:
            return None
        columns[i] = common
    rows = list(zip(*columns, strict=True))
    found = {row: i for i, row in enumerate(dict.fromkeys(rows))}
    if len(found) == 1:
        return Forms(list(found), b"")
    if len(found) > FORMS_MAX:
        return None
    return Forms(list(found), bytes(map(found.__getitem__, rows)))


def multiplied(plans: Sequence[Plan], said: Repeated, which: bytes, text: str) -> Plan | None:
    """The plan of the whole statement, of those of its forms; None: it is to be planned as a whole."""
    bodies = [plan.body for plan in plans]
    plan, body = plans[0], bodies[0]
    if not isinstance(body, InsertValues):
        return None
    firsts: list[tuple[Expr, ...]] = []
    for each, one in zip(plans, bodies, strict=True):
        if not isinstance(one, InsertValues) or len(one.rows) != 1 or len(each.parameters) != said.width:
            return None
        firsts.append(one.rows[0])
    rows = AlikeRows(tuple(firsts), said.width, said.row_count, which)
    extra = dict(plan.extra)

    def each_rows(of: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        return tuple(chain.from_iterable(map(of.__getitem__, which))) if which else of[0] * said.row_count

    if any("described" in p.extra for p in plans):
        extra["described"] = each_rows([p.extra.get("described", p.parameters) for p in plans])
    return dataclasses.replace(
        plan,
        body=dataclasses.replace(body, rows=rows),
        parameters=each_rows([p.parameters for p in plans]),
        text=text,
        compiled=None,
        reads=Reads.of_all([p.reads for p in plans]) if all(p.reads is not None for p in plans) else None,
        wire=None,
        extra=extra,
    )


__all__ = ["FORMS_MAX", "HEAD", "ROWS_MIN", "TAIL", "Forms", "Repeated", "first_row", "forms", "multiplied"]
