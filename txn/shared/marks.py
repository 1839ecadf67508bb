"""Marks: what a commit wrote, as the servers that did not make it need to know it.

The rows of a commit say what a table holds; a deletion names a row by its id alone, and a bulk load names a
file. Whether a transaction of another server read or wrote the same *keys* is another question, and the
committer has the answer at hand: the very records that it puts into its own conflict index. In an environment of
several servers they ride in the commit's entry, so every conflict index says the same, whatever tables that
server has in memory:

    wrote    keyspace -> keys           primary keys, unique keys, references; found or freed, inserted or deleted
    columns  keyspace -> of each key    the columns that were written (`txn.columns`); a space that is not here: all of them
    whole    keyspaces of which more was written than is worth listing
    told     (channel, payload, pid)    NOTIFYs, delivered by every server when it learns of the commit

A key of several columns is a list of datums (`storage.rows` has their bytes), so is an interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from storage import rows
from storage.abc import CorruptBlob, FormatTooNew, Timestamp
from txn.abc import Key, Keyspace
from txn.columns import ALL_COLUMNS, Columns
from txn.conflicts import ConflictIndex

KEYS_MAX = 10_000
"""Keys of one space that a commit lists; one that wrote more counts as having written all."""

Told = tuple[str, str, int]


@dataclass(slots=True)
class Marks:
    """See the module."""

    wrote: dict[Keyspace, list[Key]] = field(default_factory=dict)
    whole: list[Keyspace] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    columns: dict[Keyspace, list[Columns]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.wrote or self.whole or self.told)

    @classmethod
    def of(
        cls, written: Iterable[tuple[Keyspace, Key, Columns]], whole: Iterable[Keyspace], told: Iterable[Told]
    ) -> Marks:
        """Marks of a group's records, each key once: all that was written of it has the group's one timestamp."""
        spaces: dict[Keyspace, dict[Key, Columns]] = {}
        everything = dict.fromkeys(whole)
        for space, key, columns in written:
            keys = spaces.get(space)
            if keys is None:
                keys = spaces[space] = {}
            keys[key] = keys.get(key, 0) | columns
        for space, keys in spaces.items():
            if len(keys) > KEYS_MAX:
                everything[space] = None
        listed = {s: k for s, k in spaces.items() if s not in everything}
        parts = {s: list(k.values()) for s, k in listed.items() if any(c != ALL_COLUMNS for c in k.values())}
        return cls({s: list(k) for s, k in listed.items()}, list(everything), list(told), parts)

    def pack(self) -> bytes:
        """Raises InvalidDatum for a key that no row could hold."""
        wrote = {s: [list(k) if type(k) is tuple else k for k in keys] for s, keys in self.wrote.items()}
        fields: list[object] = [wrote, self.whole, [list(t) for t in self.told]]
        if self.columns:
            fields.append(self.columns)
        return rows.pack(fields)

    @classmethod
    def unpack(cls, data: bytes) -> Marks:
        """Raises CorruptBlob, FormatTooNew."""
        if not data:
            return cls()
        try:
            wrote, whole, told, *more = rows.unpack(data)
            if len(more) > 1:
                raise FormatTooNew(
                    "marks of a commit have fields that this version of Tidewire does not know"
                )
            keys = {s: [tuple(k) if type(k) is list else k for k in ks] for s, ks in wrote.items()}
            columns = more[0] if more else {}
            if any(len(c) != len(keys[s]) for s, c in columns.items()):
                raise ValueError("columns of other keys than were written")
            return cls(keys, whole, [(channel, payload, pid) for channel, payload, pid in told], columns)
        except (ValueError, TypeError, AttributeError, KeyError) as e:
            raise CorruptBlob("txns", f"marks of a commit: {e}") from e

    def record(self, conflicts: ConflictIndex, ts: Timestamp) -> None:
        """Tells a conflict index that all this was written at `ts`."""
        record = conflicts.record
        for space, keys in self.wrote.items():
            columns = self.columns.get(space)
            if columns is None:
                for key in keys:
                    record(space, key, ts)
            else:
                for key, written in zip(keys, columns, strict=True):
                    record(space, key, ts, written)
        for space in self.whole:
            conflicts.record_all(space, ts)
