"""The rows of a range, in the order of the key: from memory, from runs, and from both side by side.

    memory   3 gone        5 (104, rid, row)              9 gone
    a run    3 row   4 row           6 row   8 row        9 row
    read     4 row         5 row     6 row   8 row                   memory shadows runs, newer runs older ones

Most tables have one run of nearly all rows, so that walk is written out. The general one merges any number, by `heapq`.
Whoever wants the first rows only is told (TooFarToLook) when too many of those on the way are deleted ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from operator import itemgetter
from typing import Any

from executor.snapshot.abc import TooFarToLook
from executor.snapshot.pending import NONE
from executor.snapshot.runs import Run
from executor.snapshot.versions import Version
from storage.abc import Row, Timestamp
from txn.abc import Key


def one_run(run: Run, span: range, dead_max: int) -> Iterator[tuple[Key, int, Row]]:
    """The rows of one run."""
    key_at, entry_at = run.key_at, run.entry
    dead = 0
    for i in span:
        entry = entry_at(i)
        if entry is not None:
            yield key_at(i), entry[0], entry[1]
            dead = 0
        else:
            dead += 1
            if dead > dead_max:
                raise TooFarToLook


def visible(head: Version | None, ts: Timestamp) -> Version | None:
    """The version in a chain that a reader at `ts` sees; None: the runs may know of an older one."""
    v = head
    while v is not None and v[0] > ts:
        v = v[3]
    return v


def of_memory(
    heads: Iterable[tuple[Key, Version]], ts: Timestamp, dead_max: int
) -> Iterator[tuple[Key, int, Row]]:
    """The rows in memory, where no run has any."""
    dead = 0
    for key, head in heads:
        v = visible(head, ts)
        if v is not None and v[2] is not None:
            yield key, v[1], v[2]
            dead = 0
        else:
            dead += 1
            if dead > dead_max:
                raise TooFarToLook


def over_one_run(
    heads: Iterable[tuple[Key, Version]],
    run: Run,
    span: range,
    ts: Timestamp,
    descending: bool,
    dead_max: int,
) -> Iterator[tuple[Key, int, Row]]:
    """`merged` of memory and the only run in the way, both walked side by side: a third of what the general merge costs a row.

    That is how queues look whose first rows have been taken: rows in the run, and in memory that they are deleted.
    """
    key_at, entry_at = run.key_at, run.entry
    positions = iter(span)
    i = next(positions, NONE)
    below = key_at(i) if i != NONE else None
    dead = 0
    for key, v in heads:
        while v is not None and v[0] > ts:
            v = v[3]
        if v is None:
            continue  # the run may know
        while i != NONE and below != key and (below > key if descending else below < key):
            entry = entry_at(i)
            if entry is not None:
                yield below, entry[0], entry[1]
                dead = 0
            else:
                dead += 1
                if dead > dead_max:
                    raise TooFarToLook
            i = next(positions, NONE)
            below = key_at(i) if i != NONE else None
        if below == key:
            i = next(positions, NONE)
            below = key_at(i) if i != NONE else None
        if v[2] is not None:
            yield key, v[1], v[2]
            dead = 0
        else:
            dead += 1
            if dead > dead_max:
                raise TooFarToLook
    while i != NONE:
        entry = entry_at(i)
        if entry is not None:
            yield key_at(i), entry[0], entry[1]
            dead = 0
        else:
            dead += 1
            if dead > dead_max:
                raise TooFarToLook
        i = next(positions, NONE)


def merged(
    heads: Iterable[tuple[Key, Version]],
    spans: list[tuple[Run, range]],
    ts: Timestamp,
    descending: bool,
    dead_max: int,
) -> Iterator[tuple[Key, int, Row]]:
    """Memory and runs by key; `heapq.merge` is stable, so of equal keys the newest source comes first."""

    def from_memory() -> Iterator[tuple[Key, Any, int]]:
        for key, head in heads:
            v = visible(head, ts)
            if v is not None:  # otherwise the runs may know
                yield key, v, NONE

    def from_run(run: Run, span: range) -> Iterator[tuple[Key, Any, int]]:
        key_at = run.key_at
        for i in span:
            yield key_at(i), run, i

    sources = [from_memory(), *(from_run(r, s) for r, s in spans)]
    last: Any = merged  # equal to no key
    dead = 0
    for key, source, i in merge(*sources, key=itemgetter(0), reverse=descending):
        if key == last:
            continue
        last = key
        if i == NONE:
            if source[2] is not None:
                yield key, source[1], source[2]
                dead = 0
                continue
        else:
            entry = source.entry(i)
            if entry is not None:
                yield key, entry[0], entry[1]
                dead = 0
                continue
        dead += 1
        if dead > dead_max:
            raise TooFarToLook


__all__ = ["merged", "of_memory", "one_run", "over_one_run", "visible"]
