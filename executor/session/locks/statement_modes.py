"""In which mode a statement locks each of its tables, as PostgreSQL has it: what it keeps waiting, and waits for (`definition_locks`).

    reads                                                        ACCESS SHARE
    locks rows; brings, or takes away, what a foreign key is of  ROW SHARE       (there the other table's rows are looked for and locked)
    writes; has a foreign key's action write                     ROW EXCLUSIVE

So who copies from a table that another keeps still (SHARE) does not wait, and who inserts a child waits for who has its parent alone
(EXCLUSIVE).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from planner.abc import (
    Body,
    DeleteQuery,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    LockingQuery,
    MergeQuery,
    Oid,
    OnConflict,
    Table,
    UpdateQuery,
    Utility,
    WithWrites,
    body_reads,
)
from planner.catalog import Catalog
from planner.inheritance import family
from planner.statements.rules import Rewritten
from txn.locks import LockMode

Modes: TypeAlias = dict[Oid, LockMode]

_ALL: None = None
_Columns: TypeAlias = frozenset[int] | None
"""Row positions; None: all of them."""


def modes_of(catalog: Catalog, body: Body, lock: str = "") -> Modes:
    """By OID. `lock`: a keyed read locks what it finds."""
    modes: Modes = {}
    for part in _parts(body):
        read = {table.oid: table for table in body_reads(part)}
        for oid in read:
            _add(modes, oid, LockMode.KEY_SHARE)
        if isinstance(part, KeyedRead) and lock:
            _add(modes, part.table.oid, LockMode.ROW_SHARE)
        elif isinstance(part, LockingQuery):
            for oid in read if part.derived else _locked(catalog, part, read):
                _add(modes, oid, LockMode.ROW_SHARE)
        for table, brings, gives_up in _writes(part):
            for written in _with_heirs(catalog, table, read):
                _add(modes, written.oid, LockMode.SHARE)
                _of_references(catalog, modes, written, brings, gives_up)
    return modes


def _add(modes: Modes, oid: Oid, mode: LockMode) -> None:
    modes[oid] = mode.together(modes.get(oid))


def _parts(body: Body) -> Iterator[Body]:
    if isinstance(body, WithWrites):
        yield from (write.body for write in body.writes)
        yield body.body
    elif isinstance(body, Utility):
        if isinstance(body.statement, Rewritten):
            for step in body.statement.steps:
                yield from _parts(step.plan.body)
    else:
        yield body


def _locked(catalog: Catalog, body: LockingQuery, read: Mapping[Oid, Table]) -> Iterator[Oid]:
    for lock in body.locks:
        yield from (table.oid for table in _with_heirs(catalog, lock.table, read))


def _with_heirs(catalog: Catalog, table: Table, read: Mapping[Oid, Table]) -> list[Table]:
    """The table, and those of its partitions and heirs whose rows the statement looks for: where new ones go is not known yet."""
    if table.partitioning is None:
        below = family(catalog, table)[1:] if table.children else []
    else:
        below = list(catalog.partitions_of(table.oid))
        for at in below:
            below += catalog.partitions_of(at.oid)
    return [table, *(other for other in below if other.oid in read)]


def _writes(body: Body) -> Iterator[tuple[Table, _Columns, _Columns]]:
    """The table, the columns whose values it brings, and those whose values it takes away."""
    none: _Columns = frozenset()
    if isinstance(body, InsertValues | InsertQuery):
        yield body.table, _ALL, none
        if body.on_conflict is not None and body.on_conflict.updates:
            yield body.table, _ALL, _assigned(body.on_conflict)
    elif isinstance(body, KeyedUpdate):
        columns = frozenset(position for position, _ in body.assignments)
        yield body.table, columns, columns
    elif isinstance(body, UpdateQuery):
        yield body.table, frozenset(body.assigned), frozenset(body.assigned)
    elif isinstance(body, KeyedDelete | DeleteQuery):
        yield body.table, none, _ALL
    elif isinstance(body, MergeQuery):
        columns = frozenset(body.assigned)
        yield body.table, _ALL if "i" in body.kinds else columns, _ALL if "d" in body.kinds else columns


def _assigned(conflict: OnConflict) -> _Columns:
    if conflict.above is not None:
        return _ALL
    return frozenset((*conflict.assigned, *(position for position, _ in conflict.assignments or ())))


def _of_references(
    catalog: Catalog, modes: Modes, table: Table, brings: _Columns, gives_up: _Columns
) -> None:
    """The tables that foreign keys' triggers open."""
    for key in table.constraints:
        if key.kind == "f" and _concerned(table, key.columns, brings):
            _add(modes, key.foreign_table, LockMode.ROW_SHARE)
    if gives_up is not _ALL and not gives_up:
        return
    for child in catalog.referring_to(table.oid):
        for key in child.constraints:
            if (
                key.kind == "f"
                and key.foreign_table == table.oid
                and _concerned(table, key.foreign_columns, gives_up)
            ):
                action = key.on_delete if gives_up is _ALL else key.on_update
                _add(modes, child.oid, LockMode.ROW_SHARE if action in "ar" else LockMode.SHARE)


def _concerned(table: Table, attnums: Iterable[int], columns: _Columns) -> bool:
    return columns is _ALL or any(table.index_of(attnum) in columns for attnum in attnums)


__all__ = ["Modes", "modes_of"]
