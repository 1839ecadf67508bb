"""System relations as steps of joins: all of their rows, or those with a value in a column, as the session sees them.

The session keeps dictionaries of them (`executor.columnar.seen`); null is no value, and an array of values names each row once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, Final

from executor.keyed.compile import compile_expression, compile_tuple
from executor.snapshot.abc import TooFarToLook
from planner.keyed_plans import Spread, SystemRows
from storage.abc import Row

_Ask = Callable[[Sequence[Any], Any, Row], Any]
_Find = Callable[[Any, Any], Sequence[Row]]

SPREAD_MAX: Final = 5_000
"""Longer lists are DuckDB's; a series is one before its numbers are made."""


def of_system(lookup: SystemRows) -> tuple[_Ask, _Find]:
    """(what is asked for a row so far, the rows that answer it). Raises NotCompilable."""
    name, column = (lookup.schema, lookup.name), lookup.column
    if column is None:
        return (lambda _p, _s, _r: ()), (lambda _asked, run: run.system_rows(name))

    def of_one(value: Any, run: Any) -> Sequence[Row]:
        rows: Sequence[Row] = run.system_rows_with(name, column, value)
        return rows

    def of_several(values: Sequence[Any], run: Any) -> Sequence[Row]:
        return [row for value in values for row in of_one(value, run)]

    if lookup.listed is None and len(lookup.keys) == 1:
        one = compile_expression(lookup.keys[0])
        return (lambda p, s, r: one(p, r, s)), of_one
    if lookup.listed is None:
        each = compile_tuple(lookup.keys)
        return (lambda p, s, r: _once(each(p, r, s))), of_several
    listed = compile_expression(lookup.listed)
    return (lambda p, s, r: _once(listed(p, r, s) or ())), of_several


def spread(lookup: Spread) -> tuple[_Ask, _Find]:
    """The same of lists side by side: they are the rows. Raises NotCompilable, and TooFarToLook where the lists are long."""
    values, numbered, wide = compile_tuple(lookup.values), lookup.numbered, lookup.wide

    def rows(p: Sequence[Any], s: Any, r: Row) -> tuple[Row, ...]:
        lists = [x or () for x in values(p, r, s)]
        if any(len(x) > SPREAD_MAX for x in lists):
            raise TooFarToLook
        made = tuple(lists[0]) if wide else tuple(zip_longest(*lists))
        return tuple((*row, i) for i, row in enumerate(made, 1)) if numbered else made

    return rows, (lambda made, _run: made)


def by_column(rows: Sequence[Row], column: int) -> dict[Any, list[Row]]:
    """Rows by the value that they have there."""
    made: dict[Any, list[Row]] = {}
    for row in rows:
        made.setdefault(row[column], []).append(row)
    return made


def _once(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(v for v in values if v is not None))


__all__ = ["by_column", "of_system", "spread"]
