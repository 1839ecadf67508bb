"""Marks: what a commit wrote, as the servers that did not make it need to know it.

The rows of a commit say what a table holds; a deletion names a row by its id alone, and a bulk load names a
file. Whether a transaction of another server read or wrote the same *keys* is another question, and the
committer has the answer at hand: the very records that it puts into its own conflict index. In an environment of
several servers they ride in the commit's entry, so every conflict index says the same, whatever tables that
server has in memory:

    wrote    keyspace -> keys           primary keys, unique keys, references; found or freed, inserted or deleted
    whole    keyspaces of which more was written than is worth listing
    told     (channel, payload, pid)    NOTIFYs, delivered by every server when it learns of the commit

A key of several columns is a list of datums (`storage.rows` has their bytes), so is an interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from storage import rows
from storage.abc import CorruptBlob, Timestamp
from txn.abc import Key, Keyspace
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

    def __bool__(self) -> bool:
        return bool(self.wrote or self.whole or self.told)

    @classmethod
    def of(
        cls, written: Iterable[tuple[Keyspace, Key]], whole: Iterable[Keyspace], told: Iterable[Told]
    ) -> Marks:
        """Marks of a group's records, each key once."""
        spaces: dict[Keyspace, dict[Key, None]] = {}
        everything = dict.fromkeys(whole)
        for space, key in written:
            keys = spaces.get(space)
            if keys is None:
                keys = spaces[space] = {}
            keys[key] = None
        for space, keys in spaces.items():
            if len(keys) > KEYS_MAX:
                everything[space] = None
        return cls(
            {s: list(k) for s, k in spaces.items() if s not in everything}, list(everything), list(told)
        )

    def pack(self) -> bytes:
        """Raises InvalidDatum for a key that no row could hold."""
        wrote = {s: [list(k) if type(k) is tuple else k for k in keys] for s, keys in self.wrote.items()}
        return rows.pack([wrote, self.whole, [list(t) for t in self.told]])

    @classmethod
    def unpack(cls, data: bytes) -> Marks:
        """Raises CorruptBlob."""
        if not data:
            return cls()
        try:
            wrote, whole, told = rows.unpack(data)
            keys = {s: [tuple(k) if type(k) is list else k for k in ks] for s, ks in wrote.items()}
            return cls(keys, whole, [(channel, payload, pid) for channel, payload, pid in told])
        except (ValueError, TypeError, AttributeError) as e:
            raise CorruptBlob("txns", f"marks of a commit: {e}") from e

    def record(self, conflicts: ConflictIndex, ts: Timestamp) -> None:
        """Tells a conflict index that all this was written at `ts`."""
        record = conflicts.record
        for space, keys in self.wrote.items():
            for key in keys:
                record(space, key, ts)
        for space in self.whole:
            conflicts.record_all(space, ts)
