"""Small tables read whole: once for an execution, in the order in which their rows were made, which is how DuckDB's scan has them.

    Whole()                 all rows
    Whole((name,), (x,))    those of a key: all of them are put beside each other by that key, when the first is asked for

How small they are is looked at before anything is read (`few`), so that no statement begins what DuckDB has to do again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from executor.keyed.overlay import OverlayView
from executor.snapshot.abc import TooFarToLook
from executor.snapshot.unique_keys import unique_key
from planner.abc import Table
from storage.abc import Row

if TYPE_CHECKING:
    from executor.keyed.join import Run

WHOLE_ROWS_MAX: Final = 1_000
"""Rows of a table that are looked at sooner than DuckDB has begun."""
_ALL: Final = (None, None, True, True)

Find = Callable[[Any, Any], Sequence[Row]]


def few(numbers: Iterable[int], views: Sequence[Any], images: Sequence[Any]) -> None:
    """Raises TooFarToLook if one of these tables has many rows."""
    for i in numbers:
        own = isinstance(views[i], OverlayView)
        if (views[i].count_at_most(_ALL) if own else images[i].count_at_most(*_ALL)) > WHOLE_ROWS_MAX:
            raise TooFarToLook


def all_of(number: int, with_rid: Table | None) -> Find:
    """All rows. `with_rid`: the table, where their ids are asked for as well."""

    def found(_asked: Any, run: Run) -> Sequence[Row]:
        known = run.whole.get(number)
        if known is None:
            hits = list(islice(run.views[number].scan(None, None, run.ts), WHOLE_ROWS_MAX + 1))
            if len(hits) > WHOLE_ROWS_MAX:
                raise TooFarToLook
            hits.sort(key=itemgetter(1))
            if with_rid is not None:
                known = [run.with_rid(with_rid, rid, row) for _, rid, row in hits]
            else:
                known = [row for _, _, row in hits]
            run.whole[number] = known
        return known

    return found


def of_key(columns: tuple[int, ...], number: int, with_rid: Table | None) -> Find:
    """Those of a key."""
    everything, key_of = all_of(number, with_rid), unique_key(columns, False)

    def found(key: Any, run: Run) -> Sequence[Row]:
        known = run.by_key.get(number)
        if known is None:
            known = run.by_key[number] = {}
            for row in everything((), run):
                known.setdefault(key_of(row), []).append(row)
        return known.get(key, ())

    return found


__all__ = ["WHOLE_ROWS_MAX", "all_of", "few", "of_key"]
