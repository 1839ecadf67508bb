"""The group that members are admitted to: what one append will hold.

A group is short-lived and touched once per member and row, so it is little more than a dict of
lists. Members write rows (inserts, deletes, staged parts), keys for the conflict index, and undo
callbacks; after the last one is admitted, `seal` turns it into the log's entry in one go.

    insert(shard, rid, row)  ---+
    delete(shard, rid)       ---+--> writes[shard]: ShardWrites --seal--> Entry.writes[shard]: parts
    add_part(shard, part)    ---+
    register / forget / lease -----------------------------------> riders of the entry
    wrote(space, key)        --> conflict index at once: later members of this group see it

Writes are counted, so that the committer notices a member that was refused after it had written
(which the contract forbids) and can form the group anew without it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from storage import rows
from storage.abc import Part, Row, ShardId, Timestamp
from txn.abc import Commit, Key, Keyspace, ShardWrites, TxnError, Unregistered
from txn.columns import ALL_COLUMNS, Columns
from txn.conflicts import ConflictIndex, Record
from txn.log_entry import Entry, RawPart, part_at, raw_part
from txn.txns_state import TxnsState


class NextGroup(TxnError):
    """Raised in a member's `admit` (before it writes) to be admitted to the next group instead."""


class CommitGroup:
    """See `txn.abc.Group`; and the riders that only this room's own members use."""

    __slots__ = (
        "_ended",
        "_record",
        "_records",
        "_sealed",
        "_state",
        "_undos",
        "_wholes",
        "advance",
        "buried",
        "conflicts",
        "forgotten",
        "leases",
        "operations",
        "registered",
        "since",
        "ts",
        "unleased",
        "writes",
    )

    def __init__(self, ts: Timestamp, state: TxnsState, conflicts: ConflictIndex) -> None:
        self.ts = ts
        self._state = state
        self.conflicts = conflicts
        self._record = conflicts.record
        self.writes: dict[ShardId, ShardWrites] = {}
        self.registered: list[tuple[ShardId, bytes]] = []
        self.forgotten: list[ShardId] = []
        self.leases: dict[str, int] = {}
        self.unleased: list[str] = []
        self.buried: list[ShardId] = []
        self.since: Timestamp = 0
        self.advance = False  # append even if there is nothing but the passing of time
        self._undos: list[Callable[[], None]] = []
        self._sealed: list[Callable[[], None]] = []
        self._records: list[Record] = []
        self._wholes: list[tuple[Keyspace, Timestamp]] = []
        self._ended: dict[ShardId, ShardWrites] = {}  # written, then forgotten in this very group
        self.operations = 0

    def _open(self, shard: ShardId) -> ShardWrites:
        """First write to a shard in this group. Raises Unregistered."""
        if shard in self.forgotten:
            raise Unregistered(f"shard {shard} is forgotten at {self.ts}")
        if all(shard != s for s, _ in self.registered):
            self._state.require(shard)
        writes = self.writes[shard] = ShardWrites()
        return writes

    def insert(self, shard: ShardId, rid: int, row: Row) -> None:
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += 1
        writes.inserts.append((rid, row))

    def insert_each(self, shard: ShardId, rows: Sequence[tuple[int, Row]]) -> None:
        """`insert` of many (row id, row)."""
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += len(rows)
        writes.inserts.extend(rows)

    def insert_new(self, shard: ShardId, key: Key, rid: int, row: Row) -> None:
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += 1
        writes.inserts.append((rid, row))
        self._records.append(self._record(shard, key, self.ts))

    def delete(self, shard: ShardId, rid: int) -> None:
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += 1
        writes.deletes.append(rid)

    def write(self, shard: ShardId, inserts: Mapping[int, Row], deletes: Collection[int]) -> None:
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += len(inserts) + len(deletes)
        writes.inserts.extend(inserts.items())
        writes.deletes.extend(deletes)

    def add_part(self, shard: ShardId, part: Part) -> None:
        writes = self.writes.get(shard)
        if writes is None:
            writes = self._open(shard)
        self.operations += 1
        writes.parts.append(part.at(self.ts))

    def register(self, shard: ShardId, schema: bytes) -> None:
        known = self._state.registered.get(shard)
        if known is not None:
            if known.forget_ts is not None:
                raise Unregistered(f"shard {shard} was forgotten at {known.forget_ts}")
            if next((s for name, s in reversed(self.registered) if name == shard), known.schema) == schema:
                return
            if shard in self.writes:
                raise NextGroup(f"rows of shard {shard} are in this group under its present schema")
        self.operations += 1
        self.registered.append((shard, schema))

    def forget(self, shard: ShardId) -> None:
        if shard in self.forgotten:
            raise Unregistered(f"shard {shard} is forgotten at {self.ts}")
        if all(shard != s for s, _ in self.registered):
            self._state.require(shard)
        self.operations += 1
        self.forgotten.append(shard)
        writes = self.writes.pop(shard, None)  # so that a later member's write to it is noticed
        if writes is not None:
            self._ended[shard] = writes

    def wrote(self, space: Keyspace, key: Key, columns: Columns = ALL_COLUMNS) -> None:
        self._records.append(self._record(space, key, self.ts, columns))

    def wrote_each(self, space: Keyspace, keys: Mapping[Key, tuple[object, Columns]]) -> None:
        self._records += self.conflicts.record_each(space, keys, self.ts)

    def wrote_all(self, space: Keyspace, *, fresh: bool = False) -> None:
        self._wholes.append((space, self.conflicts.record_all(space, self.ts, fresh=fresh)))

    def undo(self, callback: Callable[[], None]) -> None:
        self._undos.append(callback)

    def on_sealed(self, callback: Callable[[], None]) -> None:
        """Called when all members are admitted and the append has begun, if it leaves the loop's turn."""
        self._sealed.append(callback)

    def leased(self, name: str, start: int = 1) -> int:
        """The first number of `name` that no lease has taken yet, those of this group included."""
        return self.leases.get(name) or self._state.leases.get(name, start)

    def lease(self, name: str, n: int, start: int = 1) -> int:
        """The first of `n` numbers that nobody else gets (a block of a sequence)."""
        first = self.leased(name, start)
        self.operations += 1
        self.leases[name] = first + n
        return first

    def drop_lease(self, name: str) -> None:
        self.operations += 1
        self.leases.pop(name, None)
        self.unleased.append(name)

    # --- the committer's side ----------------------------------------------------------------

    def mark(self) -> tuple[int, int]:
        """Before a member is admitted; see `touched_since` and `unwind`."""
        return len(self._undos), self.operations + len(self._records) + len(self._wholes)

    def touched_since(self, mark: tuple[int, int]) -> bool:
        """Whether a member wrote anything before it was refused, against its contract."""
        return self.operations + len(self._records) + len(self._wholes) != mark[1]

    def unwind(self, mark: tuple[int, int] = (0, 0)) -> None:
        """Runs the undo callbacks back to `mark`, last first; all of them: the index forgets as well."""
        undos, to = self._undos, mark[0]
        while len(undos) > to:
            undos.pop()()
        if mark[1] == 0 and (self._records or self._wholes):
            self.conflicts.restore(self._records, self._wholes)
            self._records, self._wholes = [], []

    def came_to_nothing(self) -> None:
        """Nothing is to be made durable, so there is no commit at `ts`: no key was written then. (A row that came and went
        in one transaction is recorded all the same.)"""
        assert not self.has_work
        self.conflicts.restore(self._records, self._wholes)
        self._records, self._wholes = [], []

    def sealed(self) -> None:
        """The append has begun: tells those who want to hand over early."""
        callbacks, self._sealed = self._sealed, []
        for callback in callbacks:
            callback()

    @property
    def has_work(self) -> bool:
        """Whether there is anything to make durable. (Sealing it may add what merely rides along.)"""
        return bool(
            self.writes
            or self._ended
            or self.registered
            or self.forgotten
            or self.leases
            or self.unleased
            or self.buried
            or self.since
            or self.advance
        )

    def seal(self, epoch: int) -> Entry:
        """The entry of this group. Raises storage's InvalidDatum when a row cannot be written."""
        entry = Entry(epoch, self.ts)
        for shard, writes in (*self.writes.items(), *self._ended.items()):
            parts: list[RawPart] = []
            if writes.inserts:
                parts.append(("+", len(writes.inserts), rows.pack_inserts(writes.inserts)))
            if writes.deletes:
                parts.append(("-", len(writes.deletes), rows.pack_deletes(writes.deletes)))
            for part in writes.parts:
                parts.append(raw_part(part))
            if parts:
                entry.writes[shard] = parts
        if self.registered:
            entry.register = self.registered
        if self.forgotten:
            entry.forget = self.forgotten
        if self.leases:
            entry.leases = self.leases
        if self.unleased:
            entry.unlease = self.unleased
        if self.buried:
            entry.bury = self.buried
        if self.since:
            entry.since = self.since
        return entry


def shard_writes(parts: list[RawPart], ts: Timestamp) -> ShardWrites:
    """What one commit did to one shard, read back from the log. Raises ValueError for damaged bytes."""
    writes = ShardWrites()
    for raw in parts:
        if len(raw) != 3:
            writes.parts.append(part_at(raw, ts))
        elif raw[0] == "+":
            writes.inserts += rows.unpack_inserts(raw[2])
        else:
            writes.deletes += rows.unpack_deletes(raw[2])
    return writes


def commit_of(entry: Entry) -> Commit:
    """An entry as a tailing reader applies it to its image."""
    return Commit(
        entry.ts,
        {shard: shard_writes(parts, entry.ts) for shard, parts in entry.writes.items()},
        tuple(entry.register),
        tuple(entry.forget),
    )
