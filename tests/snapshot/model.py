"""A table as a list of row versions: slow, and too simple to be wrong.

The snapshot store must agree with it whatever has been flushed, merged, undone or vacuumed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planner.abc import Column, Constraint, Table, TypeRef
from planner.types import INT4, INT8, INTERVAL, NUMERIC, TEXT

PRIMARY_OID, UNIQUE_OID = 100, 101
OPEN = 1 << 64

INT = TypeRef(INT4)
BIG = TypeRef(INT8)
STRING = TypeRef(TEXT)
MONEY = TypeRef(NUMERIC, ((12 << 16) | 2) + 4)
SPAN = TypeRef(INTERVAL)


def table(
    types: tuple[TypeRef, ...],
    key: tuple[int, ...] = (1,),
    unique: tuple[int, ...] = (),
    shard: str = "t1",
    nulls_not_distinct: bool = False,
) -> Table:
    """Columns a, b, c, ... of these types; attribute numbers of the key's and the unique constraint's."""
    columns = tuple(Column("abcdefgh"[i], t, i + 1) for i, t in enumerate(types))
    constraints = []
    if key:
        constraints.append(Constraint(PRIMARY_OID, "t_pkey", "p", key))
    if unique:
        constraints.append(
            Constraint(UNIQUE_OID, "t_key", "u", unique, nulls_not_distinct=nulls_not_distinct)
        )
    return Table(1, 1, "t", columns, tuple(constraints), shard)


@dataclass(slots=True)
class Version:
    key: Any
    rid: int
    row: tuple[Any, ...]
    since: int
    until: int = OPEN


@dataclass(slots=True)
class Model:
    """Versions in the order of their making."""

    versions: list[Version] = field(default_factory=list)

    def at(self, ts: int) -> Iterator[Version]:
        return (v for v in self.versions if v.since <= ts < v.until)

    def get(self, key: Any, ts: int) -> Version | None:
        return next((v for v in self.at(ts) if v.key == key), None)

    def put(self, key: Any, rid: int, row: tuple[Any, ...], ts: int) -> None:
        self.remove(key, ts)
        self.versions.append(Version(key, rid, row, ts))

    def remove(self, key: Any, ts: int) -> None:
        old = self.get(key, ts)
        if old is not None:
            old.until = ts

    def undo(self, ts: int) -> None:
        self.versions = [v for v in self.versions if v.since != ts]
        for v in self.versions:
            if v.until == ts:
                v.until = OPEN

    def scan(self, ts: int) -> list[tuple[Any, int, tuple[Any, ...]]]:
        return sorted((v.key, v.rid, v.row) for v in self.at(ts))
