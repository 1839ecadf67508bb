"""Rows of VALUES that are one row again and again, with other parameters: kept as that row, whatever their number.

    VALUES ($1,$2::int), ($3,$4::int), ... ,($1999,$2000::int)        as the text has them
    forms (($1,$2::int),), width 2, row_count 1000                   as a plan has them

A plan of ten thousand rows is as large, and as quickly made and compiled, as one of two. Whoever wants the rows
themselves reads them like those of any tuple; each is made when it is asked for.

Where parameters were declared as different types (a driver declares a null as none), rows have one of several forms: `which`, a byte
for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from planner.keyed_plans import Call, Expr, Param


@dataclass(frozen=True, slots=True)
class AlikeRows(Sequence[tuple[Expr, ...]]):
    """`row_count` rows, each a form with its parameters moved on by `width`, which is how many one has."""

    forms: tuple[tuple[Expr, ...], ...]
    width: int
    row_count: int
    which: bytes = b""
    """Each row's form, where there are several."""

    def __len__(self) -> int:
        return self.row_count

    @overload
    def __getitem__(self, at: int) -> tuple[Expr, ...]: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[Expr, ...], ...]: ...

    def __getitem__(self, at: int | slice) -> tuple[Expr, ...] | tuple[tuple[Expr, ...], ...]:
        places = range(self.row_count)[at]
        return self._row(places) if isinstance(places, int) else tuple(map(self._row, places))

    def _row(self, i: int) -> tuple[Expr, ...]:
        form = self.forms[self.which[i] if self.which else 0]
        return tuple([_moved(cell, i * self.width) for cell in form]) if i else form


def _moved(e: Expr, by: int) -> Expr:
    """The same of parameters that come so many later."""
    if isinstance(e, Param):
        return Param(e.number + by, e.type)
    if isinstance(e, Call):
        return Call(e.op, tuple([_moved(a, by) for a in e.args]), e.type)
    return e


__all__ = ["AlikeRows"]
