"""Rows of VALUES of which each is the first with its parameters moved on.

    VALUES ($1, $2, now()), ($3, $4, now()), ($5, $6, now())        alike, two parameters a row

What is compiled of the first row computes them all, from other parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.abc import Call, Expr, Param
from planner.alike_rows import AlikeRows


def parameters_of(e: Expr) -> Iterator[Param]:
    """Every parameter in an expression, as often as it is there."""
    if isinstance(e, Param):
        yield e
    elif isinstance(e, Call):
        for a in e.args:
            yield from parameters_of(a)


def parameters_per_row(rows: Sequence[tuple[Expr, ...]]) -> int:
    """How many parameters each of several rows has, if each is the first with its own; 0: they are not alike."""
    if len(rows) < 2:
        return 0
    if isinstance(rows, AlikeRows):
        return rows.width
    first = rows[0]
    width = max((p.number for cell in first for p in parameters_of(cell)), default=0)
    alike = width and all(
        _moved(a, b, i * width) for i, row in enumerate(rows) if i for a, b in zip(first, row, strict=True)
    )
    return width if alike else 0


def forms_of(rows: Sequence[tuple[Expr, ...]], width: int) -> Sequence[tuple[Expr, ...]]:
    """What is to be compiled of rows that have `width` parameters each, if they are alike; 0: they are not."""
    if isinstance(rows, AlikeRows):
        return rows.forms
    return rows[:1] if width else rows


def _moved(a: Expr, b: Expr, by: int) -> bool:
    if isinstance(a, Param):
        return isinstance(b, Param) and b.number == a.number + by and b.type == a.type
    if isinstance(a, Call):
        if not isinstance(b, Call) or (a.op, a.type, len(a.args)) != (b.op, b.type, len(b.args)):
            return False
        return all(_moved(x, y, by) for x, y in zip(a.args, b.args, strict=True))
    return a == b


__all__ = ["forms_of", "parameters_of", "parameters_per_row"]
