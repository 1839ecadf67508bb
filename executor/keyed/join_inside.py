"""What is in a query of look-ups: its expressions, the queries in it, the tables that it reads whole, and what it depends on of each table's rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from executor.keyed.footprint import columns_at, columns_named, order_of_rows
from planner.abc import Ask, Call, Expr, Handed, KeyedJoin, Lookup, Points, Produced
from planner.keyed_plans import Either, Iterated, Recursed, Spread, SystemRows, Whole
from txn.columns import ALL_COLUMNS, THE_ROW, Columns


def _of_windows(body: KeyedJoin) -> Iterator[Expr]:
    for window in body.windows:
        yield from window.args
        yield from window.partition
        yield from (key.value for key in window.order)


def _of_rows(body: KeyedJoin) -> Iterator[Expr]:
    """The expressions over a query's joined rows."""
    yield from _of_windows(body) if body.groups is None else ()
    yield from body.outputs
    yield from order_of_rows(body)
    yield from body.firsts if body.groups is None else ()
    yield from (body.condition,) if body.condition is not None else ()
    yield from (body.walk.condition,) if body.walk is not None and body.walk.condition is not None else ()
    for step in body.steps:
        yield from (e for e in (step.condition, step.passes) if e is not None)
        lookup = step.lookup
        if isinstance(lookup, Produced | Handed | Recursed | Iterated):
            yield from lookup.given if isinstance(lookup, Produced) else ()
        elif isinstance(lookup, Spread):
            yield from lookup.values
        elif isinstance(lookup, SystemRows):
            yield from lookup.keys
            yield from (lookup.listed,) if lookup.listed is not None else ()
        elif isinstance(lookup, Whole):
            yield from lookup.key
        else:
            for one in [way.lookup for way in lookup.ways] if isinstance(lookup, Either) else [lookup]:
                yield from _of_keys(one)


def _of_keys(lookup: Lookup) -> Iterator[Expr]:
    if isinstance(lookup, Points):
        yield from (part for key in lookup.keys for part in key)
        yield from (e for e in (lookup.listed, *lookup.beside) if e is not None)
    else:
        yield from lookup.prefix
        yield from (e for e in (lookup.low, lookup.high) if e is not None)


def queries_inside(body: KeyedJoin) -> Iterator[tuple[int, tuple[KeyedJoin, ...]]]:
    """The queries right inside a query, by number."""
    for step in body.steps:
        if isinstance(step.lookup, Produced):
            yield step.lookup.number, step.lookup.queries
        elif isinstance(step.lookup, Recursed):
            for number, query in (step.lookup.base, step.lookup.step):
                yield number, (query,)
    waiting = list(_of_rows(body))
    if body.groups is not None:
        waiting += [
            *body.groups.outputs,
            *_of_windows(body),
            *(key.value for key in body.order),
            *body.firsts,
        ]
        waiting += [body.groups.condition] if body.groups.condition is not None else []
    for e in waiting:
        if isinstance(e, Call):
            waiting += e.args
        elif isinstance(e, Ask):
            yield e.number, (e.query,)
            waiting += [*e.given, *((e.value,) if e.value is not None else ())]


def read_whole(body: KeyedJoin) -> Iterator[int]:
    """Which of a query's tables are read whole, in its count of them."""
    tables = [step for step in body.steps if step.table is not None]
    yield from (i for i, step in enumerate(tables) if isinstance(step.lookup, Whole))


def footprints_of(body: KeyedJoin) -> Iterable[Columns]:
    """What a query depends on of each of its tables' rows: all of those whose ids it asks for, which are to be locked or written."""
    named = columns_named(_of_rows(body))
    begin = body.given
    for step in body.steps:
        end = begin + step.width
        if step.table is not None:
            used = {i - begin for i in named if begin <= i < end - step.rid}
            if isinstance(step.lookup, Whole):
                used.update(step.lookup.columns)
            yield ALL_COLUMNS if step.rid else THE_ROW | columns_at(step.table, used)
        begin = end


__all__ = ["footprints_of", "queries_inside", "read_whole"]
