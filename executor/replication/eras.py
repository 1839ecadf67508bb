"""A table between two of its definitions: which rows came, changed and went, and when.

    catalog            |----- t (a, b) -----|-- t (a, b, c) --|- truncated -->
    history in DuckDB  |---- generation 0 --|-- generation 1 -|- another shard
                                            ^ began

Within an era all rows lie side by side in one generation (`executor.snapshot.physical`), each with the times at which it came and went, so what happened is
a query. A row that went and one that came at the same time under the same key are one row that was changed. Of a transaction's
changes of a table, rows that went are told first, then those that were changed, then those that came; and a row that was changed in a column of
another unique index is told as one that went and one that came: so nothing that is unique is ever there twice on the way.

Where an era begins with rows that another one left behind, the two are compared at that moment, by row ids. TRUNCATE is told as such. Rows that a
definition wrote anew have other ids: those are told as changed, under their keys, that differ in a column that both eras have, or have something
in one that is new, for nobody can say any more what the definition gave it and what the same transaction did (PostgreSQL tells the latter). Where there is no key, those are told that differ in what both eras have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.past.tables import shard_of
from executor.snapshot.physical import Physical
from planner.abc import Table
from planner.types import duckdb_type
from storage.abc import Timestamp
from storage.rows import arrow_to_rows

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.snapshot.image import TableImage

INSERT, UPDATE, DELETE, TRUNCATE = "I", "U", "D", "T"
SLICE_ROWS = 4096
"""Rows that are made Python objects at a time."""
ALL_BYTES = 1 << 50


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a row of `table`, as it was defined then: columns in order, hidden ones included. UPDATE has both rows."""

    kind: str
    table: Table
    old: Sequence[Any] | None = None
    new: Sequence[Any] | None = None
    moved: bool = False
    """DELETE and INSERT: of one row, which was changed, and is told in two parts."""


Timed = tuple[Timestamp, Change]


async def changes(
    executor: Executor,
    table: Table,
    identity: frozenset[int] | None,
    before: Table | None,
    after: Timestamp,
    upto: Timestamp,
) -> Iterator[Timed]:
    """A table's changes in (after, upto], in order of time. `table`: as it is defined in all of it; `before`: as it was at `after`.

    `identity`: the columns (attribute numbers) by which its rows are told apart, if any.
    Shards of the past have to be lent by the caller. Raises what reading raises.
    """
    store = executor.store
    shards = list(dict.fromkeys([table.shard] if before is None else [table.shard, before.shard]))
    await store.prepare_read(shards, upto)
    pin = store.pin(shards)
    try:
        image = store.image(table.shard)
        physical = image.physical_at(upto)
        earlier = _earlier(executor, image, before, after)
        found: list[Iterator[Timed]] = []
        begins = after
        if before is not None and earlier is not None and earlier is not physical:
            begins = after + 1
            found += await _begun(executor, (before, earlier), (table, physical), identity, begins)
        rows = await _rows(executor, physical, _in_between(table, physical, identity, begins, upto))
        found.append(_paired(table, physical, rows))
        return (timed for part in found for timed in part)
    finally:
        pin.release()


async def _begun(
    executor: Executor,
    old: tuple[Table, Physical],
    new: tuple[Table, Physical],
    identity: frozenset[int] | None,
    ts: Timestamp,
) -> list[Iterator[Timed]]:
    """What the transaction that defined a table anew, at `ts`, has done to its rows."""
    (before, earlier), (table, physical) = old, new
    another_shard = shard_of(before.shard) != shard_of(table.shard)
    if another_shard and _shape(before) == _shape(table):
        came = await _rows(executor, physical, _standing(physical, ts))
        return [iter([(ts, Change(TRUNCATE, table))]), _told(INSERT, table, physical, came, ts)]
    match = _matched(before, table, identity) if another_shard else ("_rid",)
    gone = await _rows(executor, earlier, _only_in(earlier, ts - 1, physical, ts, match))
    came = await _rows(executor, physical, _only_in(physical, ts, earlier, ts - 1, match))
    found = [_told(DELETE, before, earlier, gone, ts)]
    if another_shard and identity is not None and earlier.exists and match:
        both = await _rows(executor, physical, _changed(old, new, ts, match))
        found.append(_told(UPDATE, table, physical, both, ts))
    return [*found, _told(INSERT, table, physical, came, ts)]


def _matched(before: Table, table: Table, identity: frozenset[int] | None) -> tuple[str, ...]:
    """By which columns rows are the same before and after they were rewritten; (): no row is."""
    kept = _kept(before, table)
    if identity is None:
        return tuple(f"c{n}" for n in kept)
    return tuple(f"c{n}" for n in sorted(identity)) if identity <= set(kept) else ()


def _kept(before: Table, table: Table) -> list[int]:
    """The columns that both definitions have, alike in DuckDB."""
    were = {c.attnum: duckdb_type(c.type) for c in before.columns}
    return [c.attnum for c in table.columns if were.get(c.attnum) == duckdb_type(c.type)]


def _earlier(
    executor: Executor, image: TableImage, before: Table | None, after: Timestamp
) -> Physical | None:
    if before is None:
        return None
    if before.shard == image.table.shard:
        return image.physical_at(after)
    return executor.store.image(before.shard).physical_at(after)


def _shape(table: Table) -> list[tuple[Any, ...]]:
    return [(c.attnum, c.type) for c in table.columns]


async def _rows(executor: Executor, physical: Physical, sql: str) -> pa.Table | None:
    """None where DuckDB has never been told of a row."""
    if not physical.exists:
        return None
    return await executor.columnar.table(
        sql, rows=physical.live_rows + physical.dead_rows, bytes_max=ALL_BYTES
    )


def _cells(physical: Physical) -> str:
    return ", ".join([*physical.select_cells(), "_rid"])


def _in_between(
    table: Table, physical: Physical, identity: frozenset[int] | None, after: Timestamp, upto: Timestamp
) -> str:
    known = {c.attnum for c in physical.table.columns}
    cells = _cells(physical)
    arms = physical.happened(after, upto, lambda at, came: f"{at} AS _at, {came} AS _came, {cells}")
    phase = "CASE WHEN _came THEN 2 ELSE 0 END"
    order = "_at, _phase, _rid"
    if identity and identity <= known:
        listed = ", ".join(f"c{n}" for n in sorted(identity))
        stays = " AND ".join(["count(*) OVER w > 1", *_unmoved(table, identity, known)])
        phase = f"CASE WHEN {stays} THEN 1 WHEN _came THEN 2 ELSE 0 END"
        order = f"_at, _phase, CASE WHEN _phase = 1 THEN 0 ELSE _rid END, {listed}, _came"
        return f"SELECT *, {phase} AS _phase, count(*) OVER w > 1 AS _twice FROM ({arms}) WINDOW w AS (PARTITION BY _at, {listed}) ORDER BY {order}"
    return f"SELECT *, {phase} AS _phase, false AS _twice FROM ({arms}) ORDER BY {order}"


def _unmoved(table: Table, identity: frozenset[int], known: set[int]) -> list[str]:
    """Conditions of two rows under one key: that the row has kept its place in every other unique index.

    One that has not is told as a row that went and one that came, lest another that takes its place come before it has left."""
    keys = [c for c in table.constraints if c.kind in "pux" and set(c.columns) != identity]
    columns = {attnum for c in keys for attnum in c.columns} - identity
    if not columns <= known or any(not c.columns for c in keys):
        return ["false"]
    return [
        f"min(c{n}) OVER w IS NOT DISTINCT FROM max(c{n}) OVER w AND count(c{n}) OVER w <> 1"
        for n in sorted(columns)
    ]


def _standing(physical: Physical, ts: Timestamp) -> str:
    """The rows that a generation shows at a time."""
    return f"SELECT {_cells(physical)} FROM {physical.name} WHERE _from <= {ts} AND _to > {ts} ORDER BY _rid"


def _only_in(
    physical: Physical, ts: Timestamp, other: Physical, other_ts: Timestamp, match: Sequence[str]
) -> str:
    """The rows that one generation shows at a time, and another one does not at its own. Of equal ones, those beyond the other's number."""
    if not match or not other.exists:
        return _standing(physical, ts)
    return _compared(physical, ts, other, other_ts, match, "NOT EXISTS")


def _changed(
    old: tuple[Table, Physical], new: tuple[Table, Physical], ts: Timestamp, match: Sequence[str]
) -> str:
    """The rows that both show, and that differ in a column of both, or have something in one that is new."""
    (before, earlier), (table, physical) = old, new
    kept = _kept(before, table)
    differs = [
        f"a.c{c.attnum} IS DISTINCT FROM b.c{c.attnum}" if c.attnum in kept else f"a.c{c.attnum} IS NOT NULL"
        for c in table.columns
    ]
    also = f" AND ({' OR '.join(differs)})" if differs else ""
    return _compared(physical, ts, earlier, ts - 1, match, "EXISTS", also)


def _compared(
    physical: Physical, ts: Timestamp, other: Physical, other_ts: Timestamp, match: Sequence[str], exists: str, also: str = ""
) -> str:  # fmt: skip
    listed = ", ".join(match)

    def shown(of: Physical, at: Timestamp) -> str:
        number = f"row_number() OVER (PARTITION BY {listed} ORDER BY _rid)"
        return f"(SELECT *, {number} AS _n FROM {of.name} WHERE _from <= {at} AND _to > {at})"

    same = " AND ".join(f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in (*match, "_n"))
    return (
        f"SELECT {_cells(physical)} FROM {shown(physical, ts)} AS a"
        f" WHERE {exists} (SELECT 1 FROM {shown(other, other_ts)} AS b WHERE {same}{also}) ORDER BY _rid"
    )


def _slices(physical: Physical, rows: pa.Table | None, hidden: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Rows in canonical form, with what else is asked of them in front."""
    if rows is None:
        return
    width = len(physical.table.columns)
    names = [f"c{c.attnum}" for c in physical.table.columns]
    for start in range(0, rows.num_rows, SLICE_ROWS):
        part = rows.slice(start, SLICE_ROWS)
        cells = physical.canonical(part.select([*names]))
        told = [part.column(name).to_pylist() for name in hidden]
        of_rows = arrow_to_rows(cells) if width else [()] * part.num_rows
        yield from zip(*told, of_rows, strict=True)


def _paired(table: Table, physical: Physical, rows: pa.Table | None) -> Iterator[Timed]:
    old: Any = None
    placed = _placed(table, physical)
    for at, came, phase, twice, row in _slices(physical, rows, ("_at", "_came", "_phase", "_twice")):
        if phase == 0:
            yield at, Change(DELETE, table, old=placed(row), moved=twice)
        elif phase == 2:
            yield at, Change(INSERT, table, new=placed(row), moved=twice)
        elif not came:
            old = row
        else:
            yield at, Change(UPDATE, table, old=placed(old), new=placed(row))


def _told(
    kind: str, table: Table, physical: Physical, rows: pa.Table | None, ts: Timestamp
) -> Iterator[Timed]:
    """Rows that all came, changed or went at one time."""
    placed = _placed(table, physical)
    for (row,) in _slices(physical, rows, ()):
        told = placed(row)
        yield ts, Change(kind, table, told if kind != INSERT else None, told if kind != DELETE else None)


def _placed(table: Table, physical: Physical) -> Any:
    """From the columns of a generation to those of a definition that it serves, found by attribute number."""
    places = {c.attnum: i for i, c in enumerate(physical.table.columns)}
    order = [places.get(c.attnum) for c in table.columns]
    if order == list(range(len(physical.table.columns))):
        return lambda row: row
    return lambda row: tuple(None if i is None else row[i] for i in order)


__all__ = ["DELETE", "INSERT", "TRUNCATE", "UPDATE", "Change", "changes"]
