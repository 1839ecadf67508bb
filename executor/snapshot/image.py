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
from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.snapshot.bulk import prepare
from executor.snapshot.indexes import TableIndex
from executor.snapshot.pending import BULK, NONE, BulkClose, BulkInsert, CloseAll, Op, Switch, bulk_op
from executor.snapshot.physical import Physical
from executor.snapshot.runs import Run, RunShape
from executor.snapshot.unique_keys import unique_columns
from executor.snapshot.versions import Version, Versions
from executor.snapshot.written import WrittenTable
from planner.abc import Table
from storage.abc import TIMESTAMP_MAX, Row, Timestamp
from txn.abc import Key, ShardWrites

if TYPE_CHECKING:
    from executor.snapshot.store import SnapshotStore

Entry = tuple[int, Row]


VERSION_BYTES = 250
"""A version's tuple, its slot in the dict, its key and its entry in the queue, roughly."""


class TableImage(WrittenTable):
    """See `executor.snapshot.abc.TableImage`, and the methods beyond it that are documented here."""

    __slots__ = (
        "_compact_at",
        "_indexes",
        "accounted_bytes",
        "backlog",
        "closing",
        "compacting",
        "definitions",
        "dropped_ts",
        "flushed_physical",
        "flushed_ts",
        "flushing",
        "flushing_from",
        "hydrating",
        "moved_ts",
        "pins",
        "pins_gone",
        "vacuuming",
        "versions_held",
    )

    def __init__(self, store: SnapshotStore, table: Table, ts: Timestamp, generation: int) -> None:
        super().__init__(store, table, ts, generation)
        self.definitions: list[tuple[Timestamp, Table]] = [(0, table)]
        """(from when on, definition), oldest first: names are those of the reader's time."""
        self.flushed_physical = self.generations[0]
        """The generation that DuckDB's table stood at after the last flush."""
        self.dropped_ts: Timestamp | None = None
        self.moved_ts: Timestamp = 0
        """Its rows came from another shard then, by an ALTER: what the table had before is not here."""

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
        self.accounted_bytes = 0
        """What the store believes this image to hold in memory (runs aside)."""
        self._compact_at = store.limits.versions_max
        self.versions_held = 0
        """Versions in memory that DuckDB has too: at most so many, as those of one group collapse."""

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

    def _grown(self) -> None:
        self._check_at = len(self._pending) + self._store.limits.check_every
        self._store.grown(self)

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
