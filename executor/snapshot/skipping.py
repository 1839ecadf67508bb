"""Where the n-th row of an order is, without a look at those before it: `ORDER BY id LIMIT 20 OFFSET 10000`.

    a run      0 1 2 3 4 5 6 7 8 ...        places in the order, as it is walked along
    gone             x     x                 of rows that memory says something newer of
    memory       r       r                   rows of its own, each before a place of the run

Between two of these events a run's rows are all there, so they are counted by subtraction. Where the events are many, or several runs
are to be looked at, nobody knows sooner than DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from executor.snapshot.ranges import over_one_run, visible
from executor.snapshot.runs import Run
from executor.snapshot.versions import Version, Versions
from storage.abc import Row, Timestamp
from txn.abc import Key

EVENTS_MAX: Final = 2_000

Event = tuple[int, bool, bool]
"""(place in the run, whether the row there is gone, whether memory has a row before it)."""


def placed(skip: int, length: int, events: Sequence[Event]) -> tuple[int, int]:
    """Where to go on behind so many rows: (place in the run, how many events are behind one). `events` in order."""
    at = 0
    for count, (place, gone, there) in enumerate(events):
        whole = place - at
        if skip <= whole:
            return at + skip, count
        skip, at = skip - whole - there, place + gone
    return min(at + skip, length), len(events)


def behind(
    runs: Sequence[Run],
    versions: Versions,
    bounds: tuple[Key | None, Key | None, bool, bool],
    ts: Timestamp,
    descending: bool,
    skip: int,
) -> Iterator[tuple[Key, int, Row]] | None:
    """The rows of a range in key order, without the first of them: (key, row id, row). None: they would have to be counted one by one."""
    if len(runs) != 1 or runs[0].tombstones:
        return None
    chains = versions.chains
    if chains and versions.count_between(*bounds) > EVENTS_MAX:
        return None
    run = runs[0]
    start, stop = run.keys.span(*bounds)
    heads: list[tuple[Key, Version]] = []
    events: list[Event] = []
    for key in (versions.keys_between(*bounds, descending) if chains else None) or ():
        v = visible(chains[key], ts)
        if v is not None:
            i = run.find(key)
            place = i if i >= 0 else run.keys.left(key) - descending
            heads.append((key, v))
            events.append((stop - 1 - place if descending else place - start, i >= 0, v[2] is not None))
    at, passed = placed(skip, stop - start, events)
    span = range(stop - 1 - at, start - 1, -1) if descending else range(start + at, stop)
    return over_one_run(heads[passed:], run, span, ts, descending, EVENTS_MAX)


__all__ = ["EVENTS_MAX", "Event", "behind", "placed"]
