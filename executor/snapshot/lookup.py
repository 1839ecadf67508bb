"""The keyed half of an image: finding rows in versions and runs.

    get, newest     versions, then runs from new to old, until one has the key
    scan            the same for a range: sorted versions and spans of runs, merged, newest version first
    find_unique     candidates from versions and runs' secondary indexes, each verified by `get`

A run whose `since` is above the reader's timestamp cannot say what the reader needs, unless nothing in it
had happened yet (`first`): then the next one may. So all three raise `TooOldForKeyed` rather than be wrong.

These are the hottest functions of a server. Sketch: a dict lookup, a comparison and a tuple from memory
(0.15 µs); a binary search and a compiled row reader from a run (1 to 4 µs).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import repeat, tee
from typing import Any

import numpy as np
import pyarrow as pa

from executor.abc import RowPicks, RowSpan
from executor.keyed.key_values import column_forms, primary_key_of, secondary_key_of
from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from executor.snapshot.pending import NONE
from executor.snapshot.ranges import merged, of_memory, one_run, over_one_run
from executor.snapshot.runs import TOMBSTONE, Run, RunShape
from executor.snapshot.skipping import behind
from executor.snapshot.versions import UniqueMap, Version, Versions
from planner.abc import Table
from storage.abc import Row, Timestamp
from txn.abc import Key

Entry = tuple[int, Row]
DEAD_ROWS_MAX = 2_000
"""Deleted rows one after another that whoever wants the first rows of a range walks over (half a microsecond each)."""

KNOWN_MAX = 1_000
"""So many keys' row ids are kept between the look at them and the write."""
UNKNOWN = -2
"""No row id, nor that there is none."""
_ALL_UNKNOWN = repeat(UNKNOWN)
_BLINDLY = (None,)
_SOME = 2
"""More keys are looked for together."""


class Lookups:
    """A table's versions and runs, read by key. `TableImage` adds what writes them."""

    __slots__ = (
        "_by_oid", "_chains", "_key_of", "_known_rids", "_known_runs", "_primary_oid", "_rid_keys", "_runs", "_truncated_ts", "_uniques",
        "_versions", "cold", "keyed", "shape", "table",
    )  # fmt: skip

    def __init__(self, table: Table, types: tuple[pa.DataType, ...]) -> None:
        self.table = table
        self.cold: Callable[[], asyncio.Task[None]] | None = None
        """Not hydrated: starts it (or returns the task under way). None: hydrated."""
        self._runs: tuple[Run, ...] = ()
        """Newest first."""
        self._truncated_ts: Timestamp = 0
        """Runs know nothing of the time before."""
        self._known_runs: tuple[Run, ...] = ()
        self._known_rids: dict[Key, int] = {}
        """What `newest` and `first_taken` found in these runs lately, for the `put` that usually follows."""
        self._rid_keys: dict[int, Key] | None = None
        """Row ids of versions in memory, kept once somebody has asked."""
        self._define(table, types)

    def _define(self, table: Table, types: tuple[pa.DataType, ...]) -> None:
        """Derives what depends on the constraints: what a key is, and which others are unique."""
        primary = table.primary_key
        uniques = [c for c in table.constraints if c.kind == "u"]
        self.keyed = primary is not None or bool(uniques)
        self._primary_oid = primary.oid if primary else 0
        key = table.key_indexes
        positions = [tuple(table.index_of(a) for a in c.columns) for c in uniques]
        self.shape = RunShape(
            types,
            key,
            tuple((c.oid, p, c.nulls_not_distinct) for c, p in zip(uniques, positions, strict=True)),
            column_forms(table, primary) if primary is not None else (),
            tuple((c.oid, forms) for c in uniques if (forms := column_forms(table, c))),
        )
        self._key_of = primary_key_of(table)
        self._uniques = [UniqueMap(c.oid, secondary_key_of(table, c)) for c in uniques]
        self._by_oid = {u.oid: u for u in self._uniques}
        self._versions = Versions(max(1, len(key)), self._uniques)
        self._chains: dict[Key, Version] = self._versions.chains

    @property
    def runs(self) -> tuple[Run, ...]:
        return self._runs

    @property
    def versions(self) -> Versions:
        return self._versions

    # --- reading by key --------------------------------------------------------------------------

    def get(self, key: Key, ts: Timestamp) -> Entry | None:
        """(rid, row) visible at ts. Raises TooOldForKeyed, NotHydrated.

        0.3 µs from memory, 2 to 4 from a run of ten million rows.
        """
        v = self._chains.get(key)
        while v is not None:
            if v[0] <= ts:
                return None if v[2] is None else (v[1], v[2])
            v = v[3]
        for run in self._runs:
            if ts < run.since:
                if ts < run.first:
                    continue
                raise TooOldForKeyed
            i = run.find(key)
            if i >= 0:
                return run.entry(i)
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()
        return None

    def get_to_change(self, key: Key, ts: Timestamp) -> Entry | None:
        """`get` of a row that is about to be changed: where runs have it, its row id is kept for admission and the `put` that follow."""
        runs = self._runs
        if key not in self._chains and runs and ts >= runs[0].since:
            run = runs[0]  # the newest of all: what it says is what the runs say
            i = run.find(key)
            if i >= 0:
                entry = run.entry(i)
                if entry is not None:
                    self._know(key, entry[0])
                return entry
        return self.get(key, ts)

    def get_to_bring(self, key: Key, ts: Timestamp) -> Entry | None:
        """`get` of a key that the caller is about to bring: where runs do not have it, that is kept for admission and the `put`."""
        runs = self._runs
        if not runs or key in self._chains:
            return self.get(key, ts)
        for run in runs:
            if ts < run.since:
                return self.get(key, ts)
            i = run.find(key)
            if i >= 0:
                return run.entry(i)
        if self.cold is not None or ts < self._truncated_ts:
            self._no_answer()
        self._know(key, NONE)
        return None

    def get_columns(self, key: Key, ts: Timestamp, indexes: tuple[int, ...]) -> Row | None:
        """These columns of the visible row alone: cheaper than `get` for wide rows in runs."""
        v = self._chains.get(key)
        while v is not None:
            if v[0] <= ts:
                row = v[2]
                return None if row is None else tuple([row[i] for i in indexes])
            v = v[3]
        for run in self._runs:
            if ts < run.since:
                if ts < run.first:
                    continue
                raise TooOldForKeyed
            i = run.find(key)
            if i >= 0:
                return run.some(indexes)(i) if not run.tombstones or run.rids[i] >= 0 else None
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()
        return None

    def get_many(self, keys: Sequence[Key], ts: Timestamp, indexes: tuple[int, ...]) -> Sequence[Row]:
        """These columns of those rows that are visible, in the order of the keys. Raises as `get`."""
        chains = self._chains
        runs = [run for run in self._runs if ts >= run.first]
        if len(runs) == 1 and not runs[0].tombstones and (not chains or chains.keys().isdisjoint(keys)):
            run = runs[0]
            places = run.keys.find_each(keys) if ts >= run.since else []
            if len(places) == len(keys):
                return RowPicks(run.side_by_side(indexes), places)
        readable = all(ts >= run.since for run in runs)
        readers = [(run.find, run.some(indexes), run.rids.data if run.tombstones else None) for run in runs]
        complete = self.cold is None and self.keyed and ts >= self._truncated_ts
        rows: list[Row] = []
        add = rows.append
        for key in keys:
            v = chains.get(key)
            while v is not None and v[0] > ts:
                v = v[3]
            if v is not None:
                row = v[2]
                if row is not None:
                    add(tuple([row[i] for i in indexes]))
                continue
            if not readable:
                raise TooOldForKeyed
            for find, read, rids in readers:
                i = find(key)
                if i >= 0:
                    if rids is None or rids[i] >= 0:
                        add(read(i))
                    break
            else:
                if not complete:
                    self._no_answer()
        return rows

    def newest(self, key: Key) -> tuple[Timestamp, int, Row | None] | None:
        """See the contract. For a row found in a run, ts is the run's `since`: no earlier than the truth.

        In a table that is not keyed only rows that DuckDB has not been told of are known; others
        raise TooOldForKeyed.
        """
        v = self._chains.get(key)
        if v is not None:
            return v[0], v[1], v[2]
        runs = self._runs
        for run in runs:
            i = run.find(key)
            if i >= 0:
                entry = run.entry(i)
                if entry is None:
                    self._know(key, NONE)
                    return run.since, TOMBSTONE, None
                self._know(key, entry[0])
                return run.since, entry[0], entry[1]
        if self.cold is not None or not self.keyed:
            self._no_answer()
        self._know(key, NONE)
        return None

    def first_taken(
        self,
        brought: Mapping[Key, Entry | None],
        deletes: Collection[int],
        gone: Container[int],
        seen: Mapping[Key, tuple[Timestamp | None, Any]],
    ) -> Key | None:
        """The first of these keys under which the newest version, admitted ones included, is a row that is not among the deleted
        ones. Reads no row. `brought`: what is to be under each of them, of which nothing (None) is in nobody's way; `seen`: whether
        it was looked what is there (then a table that is not all in memory is not asked again).
        """
        if len(brought) > _SOME and self._all_free(brought, deletes):
            return None
        chains, known = self._chains, None
        for key, entry in brought.items():
            if entry is None:
                continue
            v = chains.get(key)
            if v is not None:
                if v[2] is None:
                    continue
                rid = v[1]
            else:
                if known is None:
                    known = self._knowing(len(brought))
                if (told := known.get(key)) is not None:
                    rid = told
                elif (told := self._told_by_runs(key)) is not None:
                    rid = known[key] = told
                else:
                    if (self.cold is not None or not self.keyed) and seen.get(key, _BLINDLY)[0] is None:
                        self._no_answer()
                    known[key] = NONE
                    continue
            if rid >= 0 and rid not in deletes and rid not in gone:
                return key
        return None

    def _all_free(self, brought: Mapping[Key, Entry | None], deletes: Collection[int]) -> bool:
        """Whether it is plain that `first_taken` finds none: as a rule somebody has looked at each of the keys before."""
        chains, runs = self._chains, self._runs
        known = self._known_rids if self._known_runs is runs else {}
        if chains.keys().isdisjoint(brought):
            rids = set(map(known.get, brought, _ALL_UNKNOWN))
        else:
            rids = {
                known.get(key, UNKNOWN) if (v := chains.get(key)) is None else NONE if v[2] is None else v[1]
                for key in brought
            }
        rids.discard(NONE)
        if not runs and self.cold is None and self.keyed:
            rids.discard(UNKNOWN)
        return not rids or rids.issubset(deletes)

    def _told_by_runs(self, key: Key) -> int | None:
        """The row id, or that of a tombstone, under the key in the newest run that has it."""
        for run in self._runs:
            i = run.find(key)
            if i >= 0:
                return int(run.rids[i])
        return None

    def _know(self, key: Key, rid: int) -> None:
        """What the runs that there are say of a key: they never change, so it holds as long as they are these."""
        self._knowing(1)[key] = rid

    def _knowing(self, count: int) -> dict[Key, int]:
        """Where that is kept, with room for so many more."""
        if self._known_runs is not self._runs or len(self._known_rids) + count > KNOWN_MAX:
            self._known_runs, self._known_rids = self._runs, {}
        return self._known_rids

    def readable(self, ts: Timestamp) -> None:
        """Whether versions and runs reach back to `ts`. Raises TooOldForKeyed, NotHydrated."""
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()

    def runs_at(self, ts: Timestamp) -> Iterator[Run]:
        """The runs that know what is visible at `ts`, newest first. Raises TooOldForKeyed where one no longer does.

        (`get` and its like walk by themselves: they are asked for every key.)
        """
        for run in self._runs:
            if ts >= run.since:
                yield run
            elif ts >= run.first:
                raise TooOldForKeyed

    def _no_answer(self) -> None:
        if self.cold is not None:
            self.cold()
            raise NotHydrated(self.table.name)
        raise TooOldForKeyed

    def scan(
        self,
        low: Key | None,
        high: Key | None,
        ts: Timestamp,
        *,
        low_inclusive: bool = True,
        high_inclusive: bool = True,
        descending: bool = False,
        at_once: bool = False,
    ) -> Iterator[tuple[Key, int, Row]]:
        """Visible rows in key order. A tuple shorter than the key is a prefix bound.

        Raises TooOldForKeyed and NotHydrated at once, not in the middle. What it reads is fixed by
        the call: chains and runs are immutable, so later writes and merges do not disturb it.
        `at_once`: the caller takes what it wants before anything is written; so nothing is listed that it does not want,
        and it is told (TooFarToLook) where many rows on the way are deleted ones.
        """
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()
        chains, versions = self._chains, self._versions
        heads: Iterable[tuple[Key, Version]] = ()
        keys = versions.keys_between(low, high, low_inclusive, high_inclusive, descending) if chains else None
        if keys is not None:
            keys, same_keys = tee(keys)
            heads = zip(keys, map(chains.__getitem__, same_keys), strict=True)
            if not at_once:
                heads = list(heads)
        spans: list[tuple[Run, range]] = []
        for run in self.runs_at(ts):
            start, stop = run.keys.span(low, high, low_inclusive, high_inclusive)
            if start < stop:
                spans.append((run, range(stop - 1, start - 1, -1) if descending else range(start, stop)))
        dead_max = DEAD_ROWS_MAX if at_once else sys.maxsize
        if not heads and len(spans) <= 1:
            return one_run(*spans[0], dead_max) if spans else iter(())
        if not spans:
            return of_memory(heads, ts, dead_max)
        if len(spans) == 1:
            return over_one_run(heads, *spans[0], ts, descending, dead_max)
        return merged(heads, spans, ts, descending, dead_max)

    def scan_behind(
        self,
        bounds: tuple[Key | None, Key | None, bool, bool],
        ts: Timestamp,
        descending: bool,
        skip: int,
    ) -> Iterator[tuple[Key, int, Row]] | None:
        """`scan` behind the first `skip` rows, at once; None: they would have to be counted one by one."""
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()
        return behind(list(self.runs_at(ts)), self._versions, bounds, ts, descending, skip)

    def count_at_most(
        self, low: Key | None, high: Key | None, low_inclusive: bool = True, high_inclusive: bool = True
    ) -> int:
        """How many rows a scan can find at most (versions that shadow each other are counted each). Cheap."""
        count = sum(
            max(0, stop - start)
            for start, stop in (r.keys.span(low, high, low_inclusive, high_inclusive) for r in self._runs)
        )
        if not self._chains:
            return count
        return count + self._versions.count_between(low, high, low_inclusive, high_inclusive)

    def short_scan(
        self,
        bounds: tuple[Key | None, Key | None, bool, bool],
        ts: Timestamp,
        indexes: tuple[int, ...],
        rows_max: int,
    ) -> Sequence[Row] | None:
        """These columns of the visible rows in key order, if one run has them all and they are so few; None: `scan` must look.

        As `scan`, for ranges that lie in bulk data: no key, no row id, and no row before somebody wants to see it.
        """
        if self.cold is not None or not self.keyed or ts < self._truncated_ts:
            self._no_answer()
        if self._chains and self._versions.count_between(*bounds):
            return None
        found: RowSpan | None = None
        for run in self._runs:
            if ts < run.first:
                continue
            start, stop = run.keys.span(*bounds)
            if start < stop:
                if found is not None or ts < run.since or run.tombstones or stop - start > rows_max:
                    return None
                found = RowSpan(run.side_by_side(indexes), start, stop)
        return () if found is None else found

    def find_unique(self, constraint_oid: int, key: Key, ts: Timestamp) -> tuple[Key, int, Row] | None:
        """By a secondary unique key (or the primary one): (primary key or rid, rid, row)."""
        if constraint_oid == self._primary_oid:
            entry = self.get(key, ts)
            return None if entry is None else (key, entry[0], entry[1])
        if self.cold is not None or ts < self._truncated_ts:
            self._no_answer()
        unique = self._by_oid[constraint_oid]
        key_of = unique.key_of
        for own in unique.candidates.get(key, ()):
            entry = self.get(own, ts)
            if entry is not None and key_of(entry[1]) == key:
                return own, entry[0], entry[1]
        for run in self.runs_at(ts):
            i = run.secondary(constraint_oid).find(key)
            if i >= 0:
                own = run.key_at(i)
                # Nothing lies above the first run but what is in memory: then the row is the one that was found.
                above = run is not self._runs[0] or own in self._chains
                entry = self.get(own, ts) if above else run.entry(i)
                if entry is not None and key_of(entry[1]) == key:
                    return own, entry[0], entry[1]
        return None

    def find_unique_columns(
        self, constraint_oid: int, key: Key, ts: Timestamp, indexes: tuple[int, ...]
    ) -> Row | None:
        """These columns of the row that `find_unique` finds: cheaper where it lies in bulk data. Raises as that does."""
        runs, unique = self._runs, self._by_oid.get(constraint_oid)
        if len(runs) == 1 and unique is not None and self.cold is None and key not in unique.candidates:
            run = runs[0]
            if ts >= run.since and ts >= self._truncated_ts:
                i = run.secondary(constraint_oid).find(key)
                if i < 0:
                    return None
                if not self._chains or run.key_at(i) not in self._chains:
                    return run.some(indexes)(i)
        found = self.find_unique(constraint_oid, key, ts)
        return None if found is None else tuple([found[2][i] for i in indexes])

    def key_of(self, rid: int, row: Row) -> Key:
        """The key of a row of this table."""
        return rid if self._key_of is None else self._key_of(row)

    def keys_of_rids(self, rids: Sequence[int]) -> list[tuple[int, Key]]:
        """(rid, key) of live rows known by their ids alone; for commits of other processes."""
        if not rids:
            return []
        if not self.keyed or self._key_of is None:
            return [(rid, rid) for rid in rids]
        if self._rid_keys is None:
            self._rid_keys = {}
            for key, head in self._chains.items():
                self._rid_keys[head[1]] = key
        found: list[tuple[int, Key]] = []
        missing: list[int] = []
        for rid in rids:
            if rid in self._rid_keys:
                found.append((rid, self._rid_keys[rid]))
            else:
                missing.append(rid)
        wanted = np.array(missing, np.int64)
        for run in self._runs:
            if not missing:
                break
            at = run.positions_of_rids(wanted)
            found += [(rid, run.key_at(i)) for rid, i in zip(missing, at.tolist(), strict=True) if i >= 0]
            wanted = wanted[at < 0]
            missing = wanted.tolist()
        return found

    def _rid_in_runs(self, key: Key) -> int:
        if self._known_runs is self._runs and (rid := self._known_rids.pop(key, None)) is not None:
            return rid
        told = self._told_by_runs(key)
        return NONE if told is None else told
