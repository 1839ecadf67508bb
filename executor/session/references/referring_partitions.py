"""What becomes of a partitioned table's rows when the keys that they refer to are gone: it is the table that acts, not its leaves.

    parent   DELETE 7   ──>  leaves of the child: rows that refer to 7   ──>  UPDATE child SET ... of them, or DELETE
                                                                              (executor.session.partitions.partitioned)

For each leaf has a foreign key of its own, a part of the table's. Who only asks (NO ACTION, RESTRICT) asks the leaves. An action is
the table's, as PostgreSQL's query behind it names the table: a row whose new key is another partition's moves there, statement
triggers are the table's, and its are the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from executor.constraints.references import reference, referenced
from executor.session.blocks.keyed import SnapshotMoved
from executor.session.copying import staging
from executor.session.partitions import partitioned
from executor.session.references import actions as reference_actions
from executor.session.references import lookups as reference_lookups
from planner import aims
from planner.abc import Constraint, DeleteQuery, Query, Table, UpdateQuery
from planner.partitioning import leaves_of
from storage.abc import Row
from txn.abc import Key

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session
    from planner.catalog import Catalog

_FOUND = Query((), ())
"""The rows are there already: nobody asks for a query."""


def whole(catalog: Catalog, child: Table, constraint: Constraint) -> tuple[Table, Constraint]:
    """The partitioned table, and its foreign key, of which this one is a part; both themselves where it is of none."""
    while constraint.parent and child.partition is not None:
        child = catalog.table(child.partition.parent)
        constraint = next(c for c in child.constraints if c.oid == constraint.parent)
    return child, constraint


def parts(catalog: Catalog, child: Table, constraint: Constraint) -> list[tuple[Table, Constraint]]:
    """The leaves with their parts of the foreign key, each into the table that the whole one is into."""
    found, target = [], catalog.table(constraint.foreign_table)
    for leaf in leaves_of(catalog, child):
        own = (c for c in leaf.constraints if c.kind == "f" and c.parent)
        found += [
            (leaf, aims.at(catalog, c, target))
            for c in own
            if whole(catalog, leaf, c)[1].oid == constraint.oid
        ]
    return found


async def act(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    rows: Sequence[tuple[Row, Row | None]],
) -> None:
    """CASCADE, SET NULL or SET DEFAULT after these rows of the parent have lost their keys. Raises what the writes raise."""
    indexes, canonical = referenced(parent, constraint)
    lost: dict[Key, tuple[Any, ...]] = {}
    news: dict[Key, Row | None] = {}
    for old, new in rows:
        values = tuple(old[i] for i in indexes)
        lost[canonical(values)], news[canonical(values)] = values, new
    deleted = rows[0][1] is None
    action = constraint.on_delete if deleted else constraint.on_update
    mine = parts(session.catalog, child, constraint)
    while True:
        try:
            with block.looking(begins=False):
                rids, found, homes = await _referring(session, block, child, parent, mine, lost)
                home = pa.chunked_array([pa.array(np.array(homes, np.int64))])
                await partitioned.lock_rids(
                    session, block, pa.chunked_array([pa.array(rids, pa.int64())]), home
                )
        except SnapshotMoved:  # while it waited for one of them: they may be others by now
            await block.transaction().settled()
        else:
            break
    for leaf, own in mine:
        reference_actions.note_absence(block, leaf, own, frozenset(lost))
    if not found and not child.triggers:
        return
    with block.looking(begins=False):
        await _write(session, block, child, constraint, (rids, found, home), news, indexes, deleted)
    if action == "d":  # the default may be the very key that is gone
        for leaf, own in mine:
            await reference_actions.refuse_children(
                session, block, leaf, parent, own, list(lost.values()), "a"
            )


async def _referring(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    mine: Sequence[tuple[Table, Constraint]],
    lost: Mapping[Key, tuple[Any, ...]],
) -> tuple[list[int], list[Row], list[int]]:
    """The rows that refer to lost keys: their ids, themselves in the table's shape, their leaves."""
    rids: list[int] = []
    found: list[Row] = []
    homes: list[int] = []
    for leaf, own in mine:
        await reference_lookups.ready(block, leaf)
        block.use(leaf)
        there = await reference_lookups.children(session, block, leaf, parent, own, list(lost.values()))
        places = {c.name: i for i, c in enumerate(leaf.columns)}
        order = [places.get(c.name) for c in child.columns]
        rids += [rid for rid, _ in there]
        found += [tuple(None if i is None else row[i] for i in order) for _, row in there]
        homes += [leaf.oid] * len(there)
    return rids, found, homes


async def _write(
    session: Session,
    block: Block,
    child: Table,
    constraint: Constraint,
    those: tuple[list[int], list[Row], pa.ChunkedArray],
    news: Mapping[Key, Row | None],
    indexes: tuple[int, ...],
    deleted: bool,
) -> None:
    """What the action makes of the rows, which are locked. `news`: the parent's rows, by the keys that they had."""
    rids, found, home = those
    action = constraint.on_delete if deleted else constraint.on_update
    if deleted and action == "c":
        written = pa.table([pa.array(rids, pa.int64())], names=["_rid"])
        await partitioned.delete(session, block, DeleteQuery(child, _FOUND), written, home)
        return
    columns = (constraint.delete_columns if deleted else ()) or constraint.columns
    assigned = tuple(child.index_of(a) for a in columns)
    filled = await reference_actions.fillings(session, child, columns, action, len(found))
    key_of = reference(child, constraint).key
    mades: list[Row] = []
    for n, row in enumerate(found):
        made = list(row)
        source = news[key] if (key := key_of(row)) is not None else None
        for place, i in enumerate(assigned):
            if action != "c":
                made[i] = filled[place][n]
            elif source is not None:
                made[i] = source[indexes[place]]
        mades.append(tuple(made))
    if any(c.generated for c in child.columns):
        mades = await reference_actions.computed(session, block, child, mades)
    shaped = staging.written_rows(child, mades, rids)
    at = shaped.column_names.index("_rid")
    whole_rows = shaped.remove_column(at).add_column(0, "_rid", shaped.column(at))
    others = tuple(i for i, c in enumerate(child.columns) if c.hidden)  # the key's expressions among them
    said = UpdateQuery(child, _FOUND, (*assigned, *others))
    await partitioned.update(session, block, said, whole_rows, home)


__all__ = ["act", "parts", "whole"]
