"""An INSERT of many rows of literals: planned as its first row, and read by columns.

    INSERT INTO t VALUES (1,'a',2.5),(2,NULL,3), ... ,(9,'c',7)       what clients write that put values into the text
        key      INSERT INTO t VALUES ($i,$s,$n)                      what is parsed and bound, and kept as any other's plan
        columns  ["1","2",...], ["a",None,...], ["2.5","3",...]       read by the input function of the column's type

Rows of VALUES in an INSERT know nothing of each other (`repeated_rows`), so what holds of one row of literals holds of all
that have literals of the same kinds in the same places; NULL may stand for any. To parse and bind ten thousand rows takes a second,
in which nobody else is served; to read them so takes a tenth of it.

It is right by leaning to caution: a row that is anything else, columns of strings and numbers, a comment, and every error
are for the parser and the binder and the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from planner import counted_rows
from planner.normalise import INT4, INT8, NUMERIC, UNKNOWN
from planner.repeated_rows import HEAD, ROWS_MIN, TAIL

LENGTH_MIN: Final = 128
"""A shorter text has no rows to speak of."""
WIDTH_MAX: Final = 200
"""Columns of a row that is read so."""

_CELL: Final = (
    r"('[^']*(?:''[^']*)*'|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|[A-Za-z]+)"
    r"(::[A-Za-z_]\w*(?:\ \w+)*(?:\[\])?)?"
)
"""A literal or a keyword, and the type that it is cast to."""
_cell = re.compile(_CELL).match
_between = re.compile(r"\s*,\s*").match
_row_end = re.compile(r"\s*\)").match
_TRUTH: Final = frozenset(("true", "false"))
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NOW_LENGTH_MAX: Final = 8
_first = itemgetter(0)


class LiteralRows(NamedTuple):
    """A statement as the key of its first row, the kinds of that one's literals, and the columns of these."""

    key: str
    kinds: str
    columns: list[list[str | None]]
    row_count: int


def read(text: str) -> LiteralRows | None:
    """The statement's rows; None where they are not merely rows of literals, for certain."""
    head = HEAD.match(text)
    counted = counted_rows.read(text) if head is None else None
    start = head.end() if head is not None else counted.start if counted is not None else 0
    width = _width(text, start) if start else 0
    if not 0 < width <= WIDTH_MAX:
        return None
    rows, end = _rows(text, start, _row(width))
    if len(rows) < ROWS_MIN or (counted is not None and (end := counted.end(text, end)) < 0):
        return None
    tail = TAIL.match(text, end)
    if tail is None:
        return None
    by_place = list(zip(*rows, strict=True))
    by_place = list(zip(by_place[0::2], by_place[1::2], strict=True))
    casts = [""] * width
    if counted is not None:
        (numbers, uncast), casts = by_place.pop(), counted.casts
        if len(casts) != len(by_place) or any(uncast) or numbers != tuple(map(str, range(len(rows)))):
            return None
    cells, kinds, columns = [], "", []
    for (column, column_casts), cast in zip(by_place, casts, strict=True):
        found = _column(column, column_casts)
        if found is None or (counted is not None and found[0] == "default"):
            return None
        cell, values = found
        if counted is not None and not cast and cell in ("null", f"${UNKNOWN}"):
            cell += "::text"  # what VALUES in FROM make of what has no type
        cells.append(cell + cast)
        if values is not None:
            kinds += cell[1]
            columns.append(values)
    if not columns:
        return None
    into = text[:start] if counted is None else counted.into
    return LiteralRows(f"{into}{', '.join(cells)}){tail['tail'] or ''}", kinds, columns, len(rows))


def _width(text: str, at: int) -> int:
    """How many cells the row has that begins there; 0: it is no row of literals."""
    width = 0
    while (cell := _cell(text, at)) is not None:
        width += 1
        comma = _between(text, cell.end())
        if comma is None:
            return width if _row_end(text, cell.end()) is not None else 0
        at = comma.end()
    return 0


@lru_cache(maxsize=WIDTH_MAX)
def _row(width: int) -> re.Pattern[str]:
    return re.compile(r"\s*,\s*".join([_CELL] * width) + r"\s*\)(\s*,\s*\(\s*)?")


def _rows(text: str, at: int, row: re.Pattern[str]) -> tuple[list[tuple[str | None, ...]], int]:
    """The cells of each row from there on, and where the last one ends; no rows where one is of another kind."""
    rows: list[tuple[str | None, ...]] = []
    match = row.match
    while (found := match(text, at)) is not None:
        cells = found.groups()
        rows.append(cells[:-1])
        at = found.end()
        if cells[-1] is None:
            return rows, at
    return [], at


def _column(cells: Sequence[Any], casts: Sequence[str | None]) -> tuple[str, list[str | None] | None] | None:
    """A column's cell in the key, and its literals; or a keyword that all its rows have, and nothing. None: it is neither."""
    firsts = set(map(_first, cells))
    values: list[str | None] = list(cells)
    if any(map(str.isalpha, firsts)):
        words = {cell.lower() for cell in cells if cell[0].isalpha()}
        if words != {"null"}:
            return _said_in_words(cells, words) if firsts <= _LETTERS and not any(casts) else None
        values = [None if cell[0] in "nN" else cell for cell in cells]
        firsts -= {"n", "N"}
        casts = [cast for cast, value in zip(casts, values, strict=True) if value is not None]
        if not casts:
            return "null", None
    cast = casts[0] or ""
    if len(set(casts)) > 1 or (cast and "-" in firsts):  # -1::int2 is -(1::int2)
        return None
    found = _literals(values, firsts)
    return None if found is None else (f"${found[0]}{cast}", found[1])


def _said_in_words(cells: Sequence[str], words: set[str]) -> tuple[str, list[str | None] | None] | None:
    """A column of nothing but keywords."""
    if words == {"default"}:
        return "default", None
    if not words <= _TRUTH | {"null"}:
        return None
    return f"${UNKNOWN}::boolean", [None if cell[0] in "nN" else cell for cell in cells]


def _literals(values: list[str | None], firsts: set[str]) -> tuple[str, list[str | None]] | None:
    """Their kind, and the strings without quotes."""
    if firsts == {"'"}:
        bare = [v if v is None else v[1:-1] for v in values]
        if any(v is not None and "'" in v for v in bare):
            bare = [v if v is None else v.replace("''", "'") for v in bare]
        if any(v is not None and len(v) <= _NOW_LENGTH_MAX and v.strip().lower() == "now" for v in bare):
            return None  # when the transaction began: no value, but a clock
        return UNKNOWN, bare
    if "'" in firsts:
        return None
    said = [v for v in values if v is not None]
    if not all(map(_is_whole, said)):
        return NUMERIC, values
    numbers = list(map(int, said))
    for kind, bits in ((INT4, 31), (INT8, 63)):
        if -(1 << bits) <= min(numbers) and max(numbers) < 1 << bits:
            return kind, values
    return NUMERIC, values


def _is_whole(number: str) -> bool:
    return number.isdigit() or number[1:].isdigit()


__all__ = ["LENGTH_MIN", "LiteralRows", "read"]
