"""The writing half of an image: what admission puts in, and how it is taken out again when the append fails.

    put, put_each, remove       row by row: a version in front of its chain, an operation behind the queue
    put_bulk, remove_bulk       one run for all rows, one operation for all
    truncate                    the runs are let go, memory ends, one operation

    undo(ts)                    the group at `ts` did not become durable: chains, runs and queue as before

All of it happens at admission, on the loop's thread, and cannot fail: constraints were checked before. What takes
longer (sorting and checking a bulk) is prepared aside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from executor.snapshot.bulk import Bulk, conflicts, prepare
from executor.snapshot.lookup import UNKNOWN, Lookups
from executor.snapshot.pending import BULK, NONE, BulkClose, BulkInsert, CloseAll, Op, bulk_op
from executor.snapshot.physical import Physical
from executor.snapshot.removal import Removal, prepare_removal
from executor.snapshot.runs import RID, Rids, Run
from planner.abc import Table
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.store import SnapshotStore

_ALL_UNKNOWN, _ALL_NONE = repeat(UNKNOWN), repeat(NONE)


class WrittenTable(Lookups):
    """A table's versions, runs and queue, as commits write them. `TableImage` adds its definitions and its way to DuckDB."""

    __slots__ = (
        "_check_at", "_pending", "_store", "_taken_ts", "_undo", "created_ts", "generations", "last_write_ts",
    )  # fmt: skip

    def __init__(self, store: SnapshotStore, table: Table, ts: Timestamp, generation: int) -> None:
        self._store = store
        self.generations = [Physical(table, generation)]
        """Tables in DuckDB, oldest first; the last one takes the writes."""
        super().__init__(table, self.physical.types)
        self.created_ts = ts
        self.last_write_ts = ts
        self._pending: list[Op] = []
        self._undo: list[tuple[Timestamp, Callable[[], None]]] = []
        """How to take bulk operations and alterations back that are not durable yet."""
        self._taken_ts: Timestamp = 0
        """Of the last operation that left the queue for DuckDB."""
        self._check_at = store.limits.check_every

    @property
    def physical(self) -> Physical:
        """The generation that takes the writes."""
        return self.generations[-1]

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
        """Much is in the queue, or has come at once: what works it off is told."""
        raise NotImplementedError

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
        self._grown()

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
                self._grown()
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
        self._grown()

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
        self._grown()

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
