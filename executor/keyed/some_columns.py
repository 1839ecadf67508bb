"""Expressions over a row, as expressions over some of its columns: only these have to be read.

terms jsonb @>(r[1], $1)  and  r[4] < 5       columns 1, 4       terms jsonb @>(r[0], $1)  and  r[1] < 5
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from executor.keyed.compile import Compiled
from planner.abc import Ask, Call, Col, Expr
from storage.abc import Row


def columns_in(expressions: Iterable[Expr]) -> tuple[int, ...]:
    """The columns that they look at, in order."""
    return tuple(sorted({index for e in expressions for index in _columns(e)}))


def _columns(e: Expr) -> Iterator[int]:
    if isinstance(e, Col):
        yield e.index
    for part in _parts(e):
        yield from _columns(part)


def _parts(e: Expr) -> Sequence[Expr]:
    if isinstance(e, Call):
        return e.args
    if isinstance(e, Ask):
        return e.given if e.value is None else (*e.given, e.value)
    return ()


def over(e: Expr, columns: Sequence[int]) -> Expr:
    """The same of a row of these columns alone."""
    return _over(e, {column: i for i, column in enumerate(columns)})


def _over(e: Expr, places: Mapping[int, int]) -> Expr:
    if isinstance(e, Col):
        return replace(e, index=places[e.index])
    if isinstance(e, Call):
        return replace(e, args=tuple(_over(a, places) for a in e.args))
    if isinstance(e, Ask):
        value = None if e.value is None else _over(e.value, places)
        return replace(e, given=tuple(_over(g, places) for g in e.given), value=value)
    return e


def picked_from(columns: Sequence[int]) -> Compiled:
    """(params, row, session) -> these columns of the row, as a row."""
    if len(columns) == 1:
        (only,) = columns
        return lambda _params, row, _session: (row[only],)
    pick: Any = itemgetter(*columns) if columns else _none
    return lambda _params, row, _session: pick(row)


def _none(_row: Row) -> Row:
    return ()


__all__ = ["columns_in", "over", "picked_from"]
