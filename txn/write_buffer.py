"""What a transaction has written and nobody else can see yet.

Per shard: new rows by row id, row ids deleted from what is committed, parts staged in the blob store (bulk),
and, for reading one's own writes, what each touched key holds now.

    update of key 7 (rid 4 -> rid 90)       delete of key 8 (rid 5)       insert of key 9 (rid 91)
    inserts  {90: row}                      deletes {5}                   inserts {91: row}
    by_key   {7: (90, row)}                 {8: None}                     {9: (91, row)}

A row that the transaction itself inserted and then deletes leaves no trace. **Savepoints** are
positions in a journal of inverse steps, kept only while there is a savepoint: rolling back pops and undoes.
Bytes are accounted, so that the owner can spill a large buffer to staged parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from sys import getsizeof
from types import MappingProxyType
from typing import Any

from storage.abc import Part, Row, ShardId
from txn.abc import Key, Keyspace
from txn.columns import ALL_COLUMNS, Columns

ROW_OVERHEAD_BYTES = 120
"""What a buffered row costs beyond its values: dictionary entries, a slot in each of two tuples."""
VALUE_BYTES = 40
"""What a number costs, and any other value beyond its own size."""
_SMALL = frozenset((int, float, bool, type(None)))


_NOTHING: Mapping[Any, Any] = MappingProxyType({})
_BLINDLY: tuple[None, Columns] = None, ALL_COLUMNS
_NO_SAVEPOINTS: list[tuple[str, int]] = []
"""Of buffers without a journal: never written."""


class ShardBuffer:
    """One shard's part of the buffer. Read it freely; write through `WriteBuffer`."""

    __slots__ = ("by_key", "deletes", "inserts", "parts", "put_back")

    def __init__(self) -> None:
        self.inserts: dict[int, Row] = {}
        """In the order of their ids, which is that of writing: whoever asks for no order is shown this one."""
        self.deletes: dict[int, None] = {}
        self.by_key: dict[Key, tuple[int, Row] | None] = {}
        self.parts: list[Part] = []
        self.put_back: int | None = None
        """The first of the rows that a rollback has put behind the others."""

    def copy(self) -> ShardBuffer:
        """The same writes for somebody who reads them, whatever comes after."""
        made = ShardBuffer()
        made.inserts, made.deletes, made.by_key = dict(self.inserts), dict(self.deletes), dict(self.by_key)
        made.parts = list(self.parts)
        return made

    def restore_order(self) -> None:
        """Rows that were put back go where they were. Looks at nothing before the first of them."""
        first, inserts = self.put_back, self.inserts
        assert first is not None
        self.put_back = None
        behind = list(takewhile(lambda rid: rid >= first, reversed(inserts)))
        for rid in sorted(behind):
            inserts[rid] = inserts.pop(rid)

    def __bool__(self) -> bool:
        return bool(self.inserts or self.deletes or self.parts)


class WriteBuffer:
    """All shards' buffers, the written keys, savepoints, and the byte count.

    `size_bytes` is an estimate of the memory that inline rows take; staged parts count nothing.
    """

    __slots__ = (
        "_journal",
        "_savepoints",
        "changed",
        "forgotten",
        "registered",
        "shards",
        "size_bytes",
        "whole",
        "wrote",
    )

    def __init__(self) -> None:
        self.shards: dict[ShardId, ShardBuffer] = {}
        self.wrote: dict[Keyspace, dict[Key, tuple[int | None, Columns]]] = {}
        """Keyspace -> key -> the snapshot at which its old value was seen (None: written blindly), the columns written."""
        # Most transactions have none of the rest, and share that there is none.
        self.whole: Mapping[Keyspace, int | None] = _NOTHING
        self.changed: Mapping[Keyspace, list[tuple[Callable[[Key], bool], int]]] = _NOTHING
        """Sets of keys whose rows bulk statements have changed, and the snapshot at which they saw them."""
        self.registered: Sequence[tuple[ShardId, bytes]] = ()
        self.forgotten: Sequence[ShardId] = ()
        self.size_bytes = 0
        self._journal: list[Callable[[], Any]] | None = None
        self._savepoints: list[tuple[str, int]] = _NO_SAVEPOINTS

    def __bool__(self) -> bool:
        for buffer in self.shards.values():
            if buffer.inserts or buffer.deletes or buffer.parts:
                return True
        return bool(self.registered or self.forgotten)

    def of(self, shard: ShardId) -> ShardBuffer:
        buffer = self.shards.get(shard)
        if buffer is None:
            buffer = self.shards[shard] = ShardBuffer()
        return buffer

    # --- writing -----------------------------------------------------------------------------

    def insert(self, shard: ShardId, key: Key, rid: int, row: Row) -> None:
        buffer = self.shards.get(shard)
        if buffer is None:
            buffer = self.of(shard)
        assert rid not in buffer.inserts, "a row id is used once"
        journal = self._journal
        if journal is not None:
            journal.append(self._restore_key(buffer, key))
            journal.append(lambda: self._take_insert(buffer, rid))
        buffer.inserts[rid] = row
        buffer.by_key[key] = (rid, row)
        self.size_bytes += row_bytes(row)

    def delete(self, shard: ShardId, key: Key, rid: int) -> None:
        buffer = self.of(shard)
        journal = self._journal
        if journal is not None:
            journal.append(self._restore_key(buffer, key))
        row = buffer.inserts.pop(rid, None)
        if row is not None:
            self.size_bytes -= row_bytes(row)
            if journal is not None:
                restored = row
                journal.append(lambda: self._put_insert(buffer, rid, restored))
        else:
            assert rid not in buffer.deletes, "a row is deleted once"
            buffer.deletes[rid] = None
            self.size_bytes += ROW_OVERHEAD_BYTES
            if journal is not None:
                journal.append(lambda: self._take_delete(buffer, rid))
        buffer.by_key[key] = None

    def replace(
        self,
        shard: ShardId,
        key: Key,
        rid: int,
        new_rid: int,
        row: Row,
        seen_ts: int,
        columns: Columns,
        size_bytes: int = 0,
    ) -> None:
        """`delete`, `insert` and `touched` of a row that stays under its key, in one step: what an UPDATE does.

        `size_bytes`: what `row_bytes` says of it, if that is known.
        """
        buffer = self.shards.get(shard)
        if buffer is None:
            buffer = self.shards[shard] = ShardBuffer()
        keys = self.wrote.get(shard)
        if keys is None:
            keys = self.wrote[shard] = {}
        inserts, deletes = buffer.inserts, buffer.deletes
        if self._journal is not None or rid in inserts or key in keys:
            self.delete(shard, key, rid)
            self.insert(shard, key, new_rid, row)
            self.touched(shard, key, seen_ts, columns)
            return
        assert rid not in deletes, "a row is deleted once"
        assert new_rid not in inserts, "a row id is used once"
        deletes[rid] = None
        inserts[new_rid] = row
        buffer.by_key[key] = (new_rid, row)
        keys[key] = seen_ts, columns
        self.size_bytes += ROW_OVERHEAD_BYTES + (size_bytes or row_bytes(row))

    def replace_each(
        self,
        shard: ShardId,
        keys: Sequence[Key],
        rids: Sequence[int],
        new_rids: Sequence[int],
        rows: Sequence[Row],
        seen_ts: int,
        columns: Columns,
        size_bytes: int,
    ) -> None:
        """`replace` of several rows, each under a key of its own, which take `size_bytes` together."""
        buffer = self.of(shard)
        wrote = self.wrote.get(shard)
        if wrote is None:
            wrote = self.wrote[shard] = {}
        inserts, deletes = buffer.inserts, buffer.deletes
        if not (self._journal is None and inserts.keys().isdisjoint(rids) and wrote.keys().isdisjoint(keys)):
            for key, rid, new_rid, row in zip(keys, rids, new_rids, rows, strict=True):
                self.replace(shard, key, rid, new_rid, row, seen_ts, columns)
            return
        many = len(keys)
        deleted, inserted = len(deletes) + many, len(inserts) + many
        deletes.update(dict.fromkeys(rids))
        inserts.update(zip(new_rids, rows, strict=True))
        assert len(deletes) == deleted, "a row is deleted once"
        assert len(inserts) == inserted, "a row id is used once"
        buffer.by_key.update(zip(keys, zip(new_rids, rows, strict=True), strict=True))
        wrote.update(dict.fromkeys(keys, (seen_ts, columns)))
        self.size_bytes += ROW_OVERHEAD_BYTES * many + size_bytes

    def bring(
        self, shard: ShardId, buffer: ShardBuffer, key: Key, rid: int, row: Row, size_bytes: int
    ) -> None:
        """`insert` and `touched`, blindly, of a row under a new key. `buffer` is the shard's, `size_bytes` what `row_bytes` says."""
        keys = self.wrote.get(shard)
        if keys is None:
            keys = self.wrote[shard] = {}
        if self._journal is not None or key in keys:
            self.insert(shard, key, rid, row)
            self.touched(shard, key, None)
            return
        assert rid not in buffer.inserts, "a row id is used once"
        keys[key] = _BLINDLY
        buffer.inserts[rid] = row
        buffer.by_key[key] = (rid, row)
        self.size_bytes += size_bytes

    def add_part(self, shard: ShardId, part: Part) -> None:
        parts = self.of(shard).parts
        parts.append(part)
        if self._journal is not None:
            self._journal.append(parts.pop)

    def register(self, shard: ShardId, schema: bytes) -> None:
        before = self.registered
        self.registered = (
            *(known for known in before if known[0] != shard),
            (shard, schema),
        )  # the last one holds
        if self._journal is not None:
            self._journal.append(lambda: setattr(self, "registered", before))

    def forget(self, shard: ShardId) -> None:
        before = self.forgotten
        self.forgotten = (*before, shard)
        if self._journal is not None:
            self._journal.append(lambda: setattr(self, "forgotten", before))

    def touched(self, space: Keyspace, key: Key, seen_ts: int | None, columns: Columns = ALL_COLUMNS) -> None:
        """Of `key`, `columns` were written, from a value seen at `seen_ts` (None: blindly)."""
        keys = self.wrote.get(space)
        if keys is None:
            keys = self.wrote[space] = {}
        before = keys.get(key)
        if before is None:
            keys[key] = seen_ts, columns
        elif (both := before[1] | columns) != before[1]:
            keys[key] = before[0], both  # the first sighting is the one that must still be true
        else:
            return
        if self._journal is not None:
            if before is None:
                self._journal.append(lambda: keys.pop(key))
            else:
                self._journal.append(lambda: keys.__setitem__(key, before))

    def touched_all(self, space: Keyspace, seen_ts: int | None) -> None:
        """More keys of `space` were written than are listed."""
        if space in self.whole:
            return
        before = self.whole
        self.whole = {**before, space: seen_ts}
        if self._journal is not None:
            self._journal.append(lambda: setattr(self, "whole", before))

    def changed_all(self, space: Keyspace, contains: Callable[[Key], bool], seen_ts: int) -> None:
        """The rows of a large set of keys of `space` were changed, from what was seen at `seen_ts`."""
        before = self.changed
        self.changed = {**before, space: [*before.get(space, ()), (contains, seen_ts)]}
        if self._journal is not None:
            self._journal.append(lambda: setattr(self, "changed", before))

    def spill(self, shard: ShardId) -> tuple[dict[int, Row], dict[int, None]]:
        """Takes the shard's inline rows out, for the caller to stage as parts and `add_part`.

        `by_key` stays: reading one's own writes by key goes on. Not while savepoints are open, whose
        journal speaks of these rows (raises AssertionError).
        """
        assert self._journal is None, "rows under a savepoint cannot be spilled"
        buffer = self.of(shard)
        taken = buffer.inserts, buffer.deletes
        buffer.inserts, buffer.deletes = {}, {}
        self.size_bytes -= sum(map(row_bytes, taken[0].values())) + ROW_OVERHEAD_BYTES * len(taken[1])
        return taken

    # --- savepoints --------------------------------------------------------------------------

    def savepoint(self, name: str) -> None:
        if self._journal is None:
            self._journal, self._savepoints = [], []
        self._savepoints.append((name, len(self._journal)))

    @property
    def savepoints(self) -> list[str]:
        return [name for name, _ in self._savepoints]

    def rollback_to(self, index: int) -> None:
        """Undoes everything after the savepoint at `index` of `savepoints`; it stays, later ones go."""
        journal = self._journal
        assert journal is not None
        position = self._savepoints[index][1]
        while len(journal) > position:
            journal.pop()()
        del self._savepoints[index + 1 :]
        for buffer in self.shards.values():
            if buffer.put_back is not None:
                buffer.restore_order()

    def release(self, index: int) -> None:
        """Forgets the savepoint at `index` and later ones; their writes stay."""
        del self._savepoints[index:]
        if not self._savepoints:
            self._journal = None

    def _restore_key(self, buffer: ShardBuffer, key: Key) -> Callable[[], Any]:
        if key in buffer.by_key:
            before = buffer.by_key[key]
            return lambda: buffer.by_key.__setitem__(key, before)
        return lambda: buffer.by_key.pop(key)

    def _take_insert(self, buffer: ShardBuffer, rid: int) -> None:
        self.size_bytes -= row_bytes(buffer.inserts.pop(rid))

    def _put_insert(self, buffer: ShardBuffer, rid: int, row: Row) -> None:
        buffer.inserts[rid] = row
        if buffer.put_back is None or rid < buffer.put_back:
            buffer.put_back = rid
        self.size_bytes += row_bytes(row)

    def _take_delete(self, buffer: ShardBuffer, rid: int) -> None:
        del buffer.deletes[rid]
        self.size_bytes -= ROW_OVERHEAD_BYTES


def row_bytes(row: Row) -> int:
    """About what a buffered row takes in memory: cheap, and right within a factor of two.

    Only values that may be long are asked for their size, for that takes longer than to buffer a number.
    """
    return (
        ROW_OVERHEAD_BYTES
        + VALUE_BYTES * len(row)
        + sum(map(getsizeof, [value for value in row if value and value.__class__ not in _SMALL]))
    )


def row_bytes_of(width: int, wide: Sequence[int]) -> Callable[[Row], int]:
    """`row_bytes` of rows of so many columns, of which all but the `wide` ones are numbers."""
    plain_bytes = ROW_OVERHEAD_BYTES + VALUE_BYTES * width
    if not wide:
        return lambda row: plain_bytes
    if len(wide) == 1:
        only = wide[0]
        return lambda row: plain_bytes + (getsizeof(value) if (value := row[only]) else 0)
    values = itemgetter(*wide)
    return lambda row: plain_bytes + sum(map(getsizeof, filter(None, values(row))))
