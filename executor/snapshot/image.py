"""One table in the snapshot store: where its rows are, and how each kind of read finds them.

                 put, remove (admission)                put_bulk (COPY, INSERT ... SELECT)
                       |                                      |
            +----------+----------+                +----------+---------+
            v                     v                v                    v
       versions  --compact-->  runs <--merge--   a run of its own    pending
       (dict by key)           (sorted)                                 |  flush, in bulk
            ^                     ^                                     v
            +------ get, scan ----+                                   DuckDB  <-- columnar reads

Everything here happens on the event loop's thread and takes microseconds; what takes longer (writing
to DuckDB, sorting and merging runs) works in threads on immutable lists, and its result is
put in place by one assignment on the loop.

**Which tables are keyed.** One with a primary key is, by it. One that has unique constraints alone is keyed
by its row ids. One with neither keeps its rows only until DuckDB has them: nothing ever looks
for a row of it by key, apart from a transaction that has just found its row id.

Invariants: versions shadow runs; newer runs shadow older ones; a chain or a run is exact for every
timestamp it admits to know (`Run.first`, `Run.since`); `pending` is in timestamp order.
"""

from __future__ import annotations

import asyncio
import sys
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from executor.snapshot.bulk import Bulk, conflicts, prepare
from executor.snapshot.indexes import TableIndex
from executor.snapshot.lookup import UNKNOWN, Lookups
from executor.snapshot.pending import BULK, NONE, BulkClose, BulkInsert, CloseAll, Op, Switch, bulk_op
from executor.snapshot.physical import Physical
from executor.snapshot.removal import Removal, prepare_removal
from executor.snapshot.runs import RID, Rids, Run, RunShape
from executor.snapshot.unique_keys import unique_columns
from executor.snapshot.versions import Version, Versions
from planner.abc import Table
from storage.abc import TIMESTAMP_MAX, Row, Timestamp
from txn.abc import Key, ShardWrites

if TYPE_CHECKING:
    from executor.snapshot.store import SnapshotStore

Entry = tuple[int, Row]


_ALL_UNKNOWN, _ALL_NONE = repeat(UNKNOWN), repeat(NONE)
VERSION_BYTES = 250
"""A version's tuple, its slot in the dict, its key and its entry in the queue, roughly."""


class TableImage(Lookups):
    """See `executor.snapshot.abc.TableImage`, and the methods beyond it that are documented here."""

    __slots__ = (
        "_check_at",
        "_compact_at",
        "_indexes",
        "_pending",
        "_store",
        "_taken_ts",
        "_undo",
        "accounted_bytes",
        "backlog",
        "closing",
        "compacting",
        "created_ts",
        "definitions",
        "dropped_ts",
        "flushed_physical",
        "flushed_ts",
        "flushing",
        "flushing_from",
        "generations",
        "hydrating",
        "last_write_ts",
        "moved_ts",
        "pins",
        "pins_gone",
        "vacuuming",
        "versions_held",
    )

    def __init__(self, store: SnapshotStore, table: Table, ts: Timestamp, generation: int) -> None:
        self._store = store
        self.definitions: list[tuple[Timestamp, Table]] = [(0, table)]
        """(from when on, definition), oldest first: names are those of the reader's time."""
        self.generations = [Physical(table, generation)]
        """Tables in DuckDB, oldest first; the last one takes the writes."""
        super().__init__(table, self.physical.types)
        self.flushed_physical = self.generations[0]
        """The generation that DuckDB's table stood at after the last flush."""
        self.created_ts = ts
        self.dropped_ts: Timestamp | None = None
        self.moved_ts: Timestamp = 0
        """Its rows came from another shard then, by an ALTER: what the table had before is not here."""
        self.last_write_ts = ts

        self._pending: list[Op] = []
        self.flushing: asyncio.Task[None] | None = None
        self.flushing_from: Timestamp = 0
        """The oldest operation of the flush under way."""
        self.flushed_ts: Timestamp = 0
        self.compacting: asyncio.Task[None] | None = None
        self.vacuuming = False
        self.pins = 0
        self.closing = False
        """A flush is about to commit: pins come too late."""
        self.pins_gone: asyncio.Event | None = None

        self.hydrating: asyncio.Task[None] | None = None
        self.backlog: list[tuple[Timestamp, ShardWrites]] = []
        """Commits of other processes since the parts that a cold table will be read from."""

        self._indexes: dict[tuple[int, ...], TableIndex] = {}
        self._undo: list[tuple[Timestamp, Callable[[], None]]] = []
        """How to take bulk operations and alterations back that are not durable yet."""
        self.accounted_bytes = 0
        """What the store believes this image to hold in memory (runs aside)."""
        self._taken_ts: Timestamp = 0
        """Of the last operation that left the queue for DuckDB."""
        self._check_at = store.limits.check_every
        self._compact_at = store.limits.versions_max
        self.versions_held = 0
        """Versions in memory that DuckDB has too: at most so many, as those of one group collapse."""

    @property
    def physical(self) -> Physical:
        """The generation that takes the writes."""
        return self.generations[-1]

    @property
    def stored_rows(self) -> int:
        """Rows in DuckDB, those that are gone and still kept included."""
        return self.physical.live_rows + self.physical.dead_rows

    def counted_rows(self) -> tuple[int, int]:
        """(rows that are there, versions that are kept of rows as they were), as far as is known; of a cold table nothing is."""
        live, dead = self.physical.live_rows, self.physical.dead_rows
        for _, _, rid, row, replaced in self._pending:
            if rid != BULK:
                live += row is not None
                gone = int(replaced != NONE)
            elif isinstance(row, BulkInsert):
                live += len(row.rows)
                continue
            else:
                gone = (
                    len(row.rids) if isinstance(row, BulkClose) else live if isinstance(row, CloseAll) else 0
                )
            live -= gone
            dead += gone
        return live, dead

    @property
    def is_empty(self) -> bool:
        """Whether it surely has no row at any time that it knows of. One that is cold may have some."""
        return (
            self.cold is None
            and self.flushing is None
            and not (self._runs or self._chains or self._pending)
            and all(not (p.live_rows or p.dead_rows) for p in self.generations)
        )

    def physical_at(self, ts: Timestamp) -> Physical:
        for p in reversed(self.generations):
            if p.begins <= ts:
                return p
        return self.generations[0]

    def table_at(self, ts: Timestamp) -> Table:
        for begins, table in reversed(self.definitions):
            if begins <= ts:
                return table
        return self.definitions[0][1]

    # --- writing ---------------------------------------------------------------------------------

    def put(self, key: Key, rid: int, row: Row, ts: Timestamp) -> None:
        """A new version at `ts`, replacing whatever was visible. Constraints were checked. About 0.6 µs."""
        versions = self._versions
        chains = self._chains
        older = chains.get(key)
        if older is None:
            replaced = self._rid_in_runs(key) if self._runs else NONE
            if versions.fresh is not None:
                versions.fresh.append(key)
            chains[key] = (ts, rid, row, None)
        else:
            replaced = NONE if older[2] is None else older[1]
            chains[key] = (ts, rid, row, older[3] if older[0] == ts else older)
        if self._uniques:
            for u in self._uniques:
                u.add(row, key)
        if self._rid_keys is not None:
            self._rid_keys[rid] = key
        pending = self._pending
        pending.append((ts, key, rid, row, replaced))
        self.last_write_ts = ts
        if len(pending) >= self._check_at:
            self._grown()

    def put_each(
        self, keys: Collection[Key], rids: Sequence[int], rows: Sequence[Row], ts: Timestamp
    ) -> None:
        """`put` of many, of as many keys."""
        chains, runs = self._chains, self._runs
        if not chains.keys().isdisjoint(keys):
            others: list[tuple[Key, int, Row]] = []
            for each in zip(keys, rids, rows, strict=True):
                if each[0] in chains:
                    self.put(*each, ts)
                else:
                    others.append(each)
            if not others:
                return
            keys, rids, rows = zip(*others, strict=True)
        replaced: Iterable[int] = _ALL_NONE
        if runs:
            known = self._known_rids if self._known_runs is runs else {}
            told = list(map(known.pop, keys, _ALL_UNKNOWN))
            if UNKNOWN in told:
                told = [
                    self._rid_in_runs(key) if rid == UNKNOWN else rid
                    for key, rid in zip(keys, told, strict=True)
                ]
            replaced = told
        fresh = self._versions.fresh
        if fresh is not None:
            fresh.extend(keys)
        # What is repeated has no end, and what was told is as long as the keys.
        chains.update(zip(keys, zip(repeat(ts), rids, rows, repeat(None))))  # noqa: B905
        for u in self._uniques:
            for key, row in zip(keys, rows, strict=True):
                u.add(row, key)
        if self._rid_keys is not None:
            self._rid_keys.update(zip(rids, keys, strict=True))
        pending = self._pending
        pending.extend(zip(repeat(ts), keys, rids, rows, replaced))
        self.last_write_ts = ts
        if len(pending) >= self._check_at:
            self._grown()

    def remove(self, key: Key, rid: int, ts: Timestamp) -> None:
        """The row with this key and row id is gone at `ts`."""
        self._versions.push(key, rid, None, ts)
        self._pending.append((ts, key, NONE, None, rid))
        self.last_write_ts = ts
        if len(self._pending) >= self._check_at:
            self._grown()

    def _grown(self) -> None:
        self._check_at = len(self._pending) + self._store.limits.check_every
        self._store.grown(self)

    def prepare_bulk(self, rows: pa.Table, first_rid: int | None = None) -> Bulk:
        """Sorts a bulk insert's rows and checks them among themselves; `SnapshotStore.prepare_bulk` does it aside.

        `rows` holds the columns in order in canonical Arrow types, and `_rid` unless `first_rid`
        (a block of row ids) is given.
        """
        return prepare(
            self.physical.schema,
            self.shape,
            self.keyed,
            self._primary_oid,
            rows,
            first_rid,
            self._store.spill,
        )

    def conflicting_keys(
        self, rows: pa.Table | Bulk, ts: Timestamp, *, ignoring: Container[int] = ()
    ) -> list[tuple[int, Key]]:
        """(constraint oid, key) of rows in a bulk insert whose unique keys exist at ts or twice in it.

        `ignoring`: row ids that the same statement deletes (a bulk UPDATE), which are in nobody's way.
        """
        if not self.keyed:
            return []
        if self.cold is not None:
            self._no_answer()
        bulk = rows if isinstance(rows, Bulk) else self.prepare_bulk(rows)
        return conflicts(self, bulk, ts, ignoring)

    def knows(self, prepared: Bulk | Removal) -> bool:
        """Whether what was found out beside the loop is about the runs that there are now."""
        if not self.keyed:
            return True
        if isinstance(prepared, Removal):
            return prepared.runs == self._runs
        constraints = [*([self._primary_oid] if self._primary_oid else []), *prepared.uniques]
        return prepared.keys is None or all((c, r) in prepared.found for c in constraints for r in self._runs)

    def put_bulk(self, rows: pa.Table | Bulk, ts: Timestamp) -> None:
        """Many new rows with `_rid` and the columns in canonical Arrow types; keys were checked.

        Sorts them if they were not prepared: `await store.prepare_bulk(...)` what is large.
        """
        bulk = rows if isinstance(rows, Bulk) else self.prepare_bulk(rows)
        if not len(bulk):
            return
        if self.keyed:
            if self.cold is not None:
                self._no_answer()
            run = bulk.run
            assert run is not None, "keys that come twice are refused before"
            assert run.size == len(bulk) and run.first == 0, "a bulk is put once"
            run.first = run.since = ts
            for i in self._also_in_memory(run):
                entry = run.entry(i)
                assert entry is not None
                self._versions.push(run.key_at(i), entry[0], entry[1], ts)
            self._add_bulk_run(run)
        self._pending.append(bulk_op(ts, BulkInsert(bulk.table)))
        self.last_write_ts = ts
        self._store.grown(self)

    def prepare_removal(self, rids: pa.Array) -> Removal:
        """Looks for the keys of rows to be deleted; `SnapshotStore.prepare_removal` does it aside."""
        return prepare_removal(self.shape, self._runs if self.keyed else (), rids, self._store.spill)

    def remove_bulk(self, rids: pa.Array | Removal, ts: Timestamp, *, replaced: bool = False) -> None:
        """Many rows deleted by `_rid`. Those that are not there are ignored.

        Searches for them if that was not prepared, or if the runs have changed since. `replaced`: a bulk with
        just their keys is put at the same timestamp and will shadow them, so there is nothing to search
        (where the key is the row id nothing is shadowed, so there is).
        """
        shadowed = self._key_of is not None or not (self.keyed or self._chains)
        if replaced and shadowed and not isinstance(rids, Removal):
            if len(rids):
                self._pending.append(bulk_op(ts, BulkClose(pa.table({RID: rids}))))
                self.last_write_ts = ts
                self._store.grown(self)
            return
        removal = rids if isinstance(rids, Removal) else self.prepare_removal(rids)
        if not len(removal.rids):
            return
        if self.cold is not None and self.keyed:
            self._no_answer()
        # What came at this very timestamp has other keys: whoever writes one of these rows is refused.
        if self.keyed and removal.runs != tuple(r for r in self._runs if r.first != ts):
            removal = self.prepare_removal(removal.table["_rid"])
        if self._chains:
            self._remove_from_memory(removal.rids, ts)
        if removal.run is not None:
            removal.run.first = removal.run.since = ts
            self._add_bulk_run(removal.run)
        self._pending.append(bulk_op(ts, BulkClose(removal.table)))
        self.last_write_ts = ts
        self._store.grown(self)

    def _remove_from_memory(self, rids: Rids, ts: Timestamp) -> None:
        """Ends the versions in memory whose newest row is among these."""
        heads = [(key, head[1]) for key, head in self._chains.items() if head[2] is not None]
        own = np.fromiter((rid for _, rid in heads), np.int64, len(heads))
        at = np.searchsorted(rids, own)
        at[at == len(rids)] = 0
        for i in np.flatnonzero(rids[at] == own).tolist():
            key, rid = heads[i]
            self._versions.push(key, rid, None, ts)

    def truncate(self, ts: Timestamp) -> None:
        """All rows are gone at `ts`. Readers below it find them in memory or in DuckDB."""
        if self.cold is not None:
            self._no_answer()
        for key, head in list(self._chains.items()):
            if head[2] is not None:
                self._versions.push(key, head[1], None, ts)
        runs, truncated_ts = self._runs, self._truncated_ts

        def restore() -> None:
            self._runs = (*self._runs, *runs)
            self._truncated_ts = truncated_ts

        self._undo.append((ts, restore))
        self._runs = ()
        self._truncated_ts = ts
        self._pending.append(bulk_op(ts, CloseAll()))
        self.last_write_ts = ts
        self._store.grown(self)

    def undo(self, ts: Timestamp) -> None:
        """Takes out all versions at `ts`: the group's append failed."""
        pending = self._pending
        bulk = False
        while pending and pending[-1][0] == ts:
            op = pending.pop()
            if op[2] == BULK:
                bulk = True
            else:
                self._versions.pop(op[1], ts)
        if bulk:
            for key in [k for k, head in self._chains.items() if head[0] == ts]:
                self._versions.pop(key, ts)
        while self._undo and self._undo[-1][0] == ts:
            self._undo.pop()[1]()
        self.last_write_ts = pending[-1][0] if pending else max(self._taken_ts, self.created_ts)

    def _also_in_memory(self, run: Run) -> list[int]:
        """Positions in the run of keys that memory has chains of: memory must go on shadowing."""
        chains, find, key_at = self._chains, run.find, run.key_at
        if len(chains) < run.size:
            return [i for i in map(find, chains) if i >= 0]
        return [i for i in range(run.size) if key_at(i) in chains]

    def _add_bulk_run(self, run: Run) -> None:
        def take_out() -> None:
            self._runs = tuple(r for r in self._runs if r is not run)
            run.first = run.since = 0  # it may be put again, by the next attempt to commit it

        self._undo.append((run.first, take_out))
        self._runs = (run, *self._runs)

    # --- indexes ---------------------------------------------------------------------------------

    def index(self, positions: tuple[int, ...]) -> TableIndex:
        """The rows by the values of these columns, whose keys may repeat."""
        found = self._indexes.get(positions)
        if found is None or not found.valid:
            found = self._indexes[positions] = TableIndex(self, self._store, positions)
        return found

    # --- definition ------------------------------------------------------------------------------

    def alter(self, table: Table, ts: Timestamp, rows: pa.Table | None = None) -> None:
        """The table is defined anew at `ts`.

        Names, defaults and checks change at once and for nothing. Other columns start a new generation in DuckDB:
        of `rows` (`_rid` and the columns) if given, else of the old columns by attribute number, new ones
        null. What the keyed engine has in memory is then of no use any more, nor is it after
        a change of what is a key; the table is cold until it was read back from DuckDB, if it has any row.
        """
        old, is_empty = self.table, rows is None and self.is_empty
        same_columns = [(c.attnum, c.type) for c in old.columns] == [
            (c.attnum, c.type) for c in table.columns
        ]
        same_keys = unique_columns(old) == unique_columns(table)
        if self.cold is not None and not (same_columns and same_keys and rows is None):
            self._no_answer()
        before = (
            self.table, self._versions, self._chains, self._runs, self._truncated_ts, self.cold, self.shape,
            self.keyed, self._primary_oid, self._key_of, self._uniques, self._by_oid,
        )  # fmt: skip
        definitions, generations = list(self.definitions), list(self.generations)

        def restore() -> None:
            (
                self.table, self._versions, self._chains, self._runs, self._truncated_ts, self.cold, self.shape,
                self.keyed, self._primary_oid, self._key_of, self._uniques, self._by_oid,
            ) = before  # fmt: skip
            self.definitions, self.generations = definitions, generations

        self._undo.append((ts, restore))
        self.table = table
        self.definitions.append((ts, table))
        if same_columns and same_keys and rows is None:
            return
        if rows is not None or not same_columns:
            new = Physical(table, self._store.next_generation(table.shard), begins=ts)
            if rows is not None:
                rows = self._physical_rows(new, rows)
            self._pending.append(bulk_op(ts, Switch(self.generations[-1], new, rows)))
            self.generations.append(new)
        self._rid_keys = None
        self._runs = self._known_runs = ()
        self._known_rids = {}
        self._define(table, self.physical.types)
        self.last_write_ts = ts
        if self.keyed and not is_empty:
            self.cold = self._store.reloader(self, ts)

    def adopt(self, old: TableImage, op: Op) -> None:
        """What waits for DuckDB in an image whose place this one takes, and its account; `op` comes behind it."""
        self._pending, self._taken_ts = [*old._pending, op], old._taken_ts
        self.versions_held, self._compact_at = old.versions_held, old._compact_at
        self._check_at = len(self._pending) + self._store.limits.check_every
        self.accounted_bytes, old.accounted_bytes = old.accounted_bytes, 0

    def has_come(self, ts: Timestamp) -> None:
        """The table was made at `ts`, or emptied, or an ALTER has put its rows here: who reads at an earlier time is not told that there
        are none."""
        self.moved_ts = self._truncated_ts = ts

    def take_rows(self, old: TableImage, chains: dict[Key, Version], runs: tuple[Run, ...]) -> None:
        """The rows of that image, in this one's shape."""
        self._chains.update(chains)
        self._versions.rebuild_uniques()
        self._runs, self._truncated_ts, self.moved_ts = runs, old._truncated_ts, old.moved_ts

    def has_moved(self) -> None:
        """Another image has its rows: whoever looks for one here is sent to DuckDB."""
        self._runs, self._versions = (), Versions(1)
        self._chains = self._versions.chains
        self._uniques, self._rid_keys, self._indexes = [], None, {}
        self.shape, self.keyed, self._pending, self.versions_held = RunShape((), ()), False, [], 0
        self._truncated_ts = TIMESTAMP_MAX

    def _physical_rows(self, new: Physical, rows: pa.Table) -> pa.Table:
        shape = RunShape(new.types, ())
        return prepare(new.schema, shape, False, 0, rows).table

    # --- hydration -------------------------------------------------------------------------------

    def hydrated_now(self) -> bool:
        return self.cold is None

    async def hydrated(self) -> None:
        """Returns when the bulk is there, asking for it ahead of other tables. Raises what went wrong."""
        while self.cold is not None:
            await asyncio.shield(self.cold())

    def hydrated_with(self, run: Run | None, as_of: Timestamp) -> None:
        """The bulk is there. What was put meanwhile into a table without keys stays, above `as_of`."""
        self._pending = [op for op in self._pending if op[0] > as_of]
        self._runs = (*self._runs, run) if run is not None else self._runs

    def in_order(self) -> None:
        """After a backlog: what was put meanwhile into a table without keys is newer than all of it, and whoever asks whether something
        waits for DuckDB asks the first."""
        self._pending.sort(key=itemgetter(0))

    # --- what the store works with ---------------------------------------------------------------

    @property
    def pending(self) -> Sequence[Op]:
        return self._pending

    def waits(self, ts: Timestamp) -> bool:
        """Whether something at or below `ts` has not reached DuckDB."""
        return not self.flushed_physical.exists or (bool(self._pending) and self._pending[0][0] <= ts)

    def flush_matters(self, ts: Timestamp) -> bool:
        """Whether a reader at `ts` has to wait for the flush under way."""
        return not self.flushed_physical.exists or self.flushing_from <= ts

    def memory_bytes(self) -> int:
        """An estimate of what versions and pending operations take, after the newest row's size."""
        count = max(len(self._chains), self.versions_held) + len(self._pending)
        if not count:
            return 0
        rows = [op[3] for op in self._pending[-4:] if type(op[3]) is tuple]
        size = max((sys.getsizeof(row) + sum(map(sys.getsizeof, row)) for row in rows), default=200)
        return count * (size + VERSION_BYTES)

    def compaction_due(self) -> bool:
        limits = self._store.limits
        held = max(len(self._chains), self.versions_held)
        return held >= self._compact_at or len(self._runs) > limits.runs_max

    def compacted(self) -> None:
        """Looks again when there is a quarter more: `since` may be what holds versions back."""
        self.compacting = None
        self._compact_at = max(
            self._store.limits.versions_max, len(self._chains) * 5 // 4, self.versions_held * 5 // 4
        )

    def durable_runs(self) -> list[Run]:
        """The runs that no undo can take away, newest first."""
        durable = self._store.durable_ts()
        self._undo = [u for u in self._undo if u[0] > durable]
        return [r for r in self._runs if r.since <= durable]

    def release_rid_keys(self) -> None:
        """Versions have left memory: the map from row ids is made anew when it is next asked for."""
        self._rid_keys = None

    def take_pending(self, upto: Timestamp) -> list[Op]:
        """Takes the operations at or below `upto` off the queue, for a flush."""
        pending = self._pending
        if not pending or pending[-1][0] <= upto:
            self._pending = []
            taken = pending
        else:
            i = bisect_right(pending, upto, key=itemgetter(0))
            taken = pending[:i]
            del pending[:i]
        self._check_at = len(self._pending) + self._store.limits.check_every
        self.versions_held += len(taken)
        if taken:
            self._taken_ts = taken[-1][0]
        return taken

    def give_back(self, ops: list[Op]) -> None:
        """The flush failed: the operations are pending again."""
        self._pending[:0] = ops

    def install_runs(self, old: Sequence[Run], new: Sequence[Run]) -> bool:
        """Replaces adjacent runs by what they were merged to; False if they are there no more."""
        runs = list(self._runs)
        try:
            at = runs.index(old[0]) if old else 0
        except ValueError:
            return False
        if runs[at : at + len(old)] != list(old):
            return False
        runs[at : at + len(old)] = new
        self._runs = tuple(runs)
        if old and not new:  # nothing is left alive, and nobody else knows that something was
            self._truncated_ts = max(self._truncated_ts, *[r.since for r in old])
        return True
