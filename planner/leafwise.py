"""A statement of a partitioned table whose rows are those of one leaf: the keyed engine's, as a statement of that leaf would be.

    SELECT v FROM orders WHERE id = $1        orders HASH (id)         which leaf it is, its parameters say
    INSERT INTO events VALUES (now(), $1)     events RANGE (at)        what its row says
    ... FROM orders o JOIN lines l ON l.order_no = o.id WHERE o.id = $1       a leaf of each, where both are of the number

A plan of a partitioned table is DuckDB's, over the rows of all leaves. Beside it the plan keeps its keyed form, of the table itself
(`Leafwise`), which nobody may run, for a partitioned table has no rows. Each execution looks for the leaf (`executor.session.partitions.leafwise`);
is it one, then the same form of that leaf is run (`at_leaves`), which is made once. Places of columns are what forms are
made of, so leaves must have theirs in the table's order; others are DuckDB's, as is what is of several leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner import triggers
from planner.abc import (
    Constraint,
    InsertValues,
    KeyedDelete,
    KeyedJoin,
    KeyedRead,
    KeyedUpdate,
    OnConflict,
    PartUse,
    Points,
    Range,
    Table,
)
from planner.binding.keyed.index_reads import indexed_prefixes
from planner.partitioning import deciding
from planner.records import replace

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

ByKey = KeyedRead | KeyedJoin | InsertValues | KeyedUpdate | KeyedDelete


@dataclass(frozen=True, slots=True)
class Leafwise:
    """A statement's keyed form, of partitioned tables, and what it asks of the columns by which they deal out their rows."""

    by_key: ByKey
    uses: tuple[PartUse, ...]
    """None of INSERT, whose rows say where they go."""
    whole: bool = False
    """Of a read: it is the plan, and not beside one for when there are few rows."""


def parted(by_key: KeyedRead | KeyedJoin) -> bool:
    """Whether a partitioned table is among those that are read."""
    tables = [by_key.table] if isinstance(by_key, KeyedRead) else [s.table for s in by_key.steps]
    return any(table is not None and table.partitioning is not None for table in tables)


def possible(catalog: Catalog, made: Leafwise) -> bool:
    """Whether any leaf can stand in for the table: rows stay where they are, and no trigger is the statement's."""
    by_key = made.by_key
    if isinstance(by_key, KeyedRead | KeyedJoin):
        return True
    table = by_key.table
    if type(table) is not Table or _fires_for_statements(table, by_key):
        return False
    moving = deciding(catalog, table)
    if isinstance(by_key, KeyedUpdate):
        return moving.isdisjoint(i for i, _ in by_key.assignments)
    if isinstance(by_key, InsertValues) and by_key.on_conflict is not None:
        return moving.isdisjoint(i for i, _ in by_key.on_conflict.assignments or ())
    return True


def _fires_for_statements(table: Table, by_key: ByKey) -> bool:
    events = triggers.UPDATE if isinstance(by_key, KeyedUpdate) else triggers.DELETE
    if isinstance(by_key, InsertValues):
        events = triggers.INSERT | triggers.UPDATE
    return any(x.bits & events and not x.bits & triggers.ROW for x in table.triggers)


def at_leaves(catalog: Catalog, by_key: ByKey, leaves: Mapping[int, Table]) -> ByKey | None:
    """The form with leaves in the places of tables, by OID; None where a leaf is not made as its table is."""
    if isinstance(by_key, KeyedJoin):
        steps = []
        for step in by_key.steps:
            table = step.table
            if table is None or table.oid not in leaves:
                steps.append(step)
                continue
            leaf, unique = leaves[table.oid], step.unique
            if unique and not (unique := _key(table, leaf, unique)):
                return None
            if not _leads(catalog, table, leaf, step.lookup, step.unique, step.index):
                return None
            steps.append(replace(step, table=leaf, unique=unique))
        other = by_key.otherwise
        if other is not None:
            found = at_leaves(catalog, other, leaves)
            other = found if isinstance(found, KeyedJoin) else None
        return replace(by_key, steps=tuple(steps), otherwise=other, compiled=[])
    table = by_key.table
    leaf = leaves[table.oid]
    if isinstance(by_key, InsertValues):
        if not _alike(table, leaf) or _fires_for_statements(leaf, by_key):
            return None
        conflict = by_key.on_conflict
        if conflict is not None and (conflict := _on_conflict(table, leaf, conflict)) is None:
            return None
        return replace(by_key, table=leaf, on_conflict=conflict)
    unique = by_key.unique if isinstance(by_key, KeyedRead) else 0
    if not _leads(catalog, table, leaf, by_key.lookup, unique, by_key.index):
        return None
    if not isinstance(by_key, KeyedRead):
        return None if _fires_for_statements(leaf, by_key) else replace(by_key, table=leaf)
    if unique and not (unique := _key(table, leaf, unique)):
        return None
    if by_key.walk is not None and by_key.walk.index not in set(indexed_prefixes(catalog, leaf)):
        return None
    return replace(by_key, table=leaf, unique=unique, other=None)


def _alike(table: Table, leaf: Table) -> bool:
    """Whether rows of both have the same columns in the same places."""
    return [(c.name, c.type, c.hidden, c.generated, c.collation) for c in table.columns] == [
        (c.name, c.type, c.hidden, c.generated, c.collation) for c in leaf.columns
    ]


def _leads(
    catalog: Catalog, table: Table, leaf: Table, lookup: object, unique: int, index: tuple[int, ...]
) -> bool:
    """Whether what leads to the table's rows leads to the leaf's."""
    if not _alike(table, leaf) or leaf.oid in catalog.columnar:
        return False
    if index:
        return bool(leaf.key_indexes) and index in set(indexed_prefixes(catalog, leaf))
    return bool(unique) or not isinstance(lookup, Points | Range) or leaf.key_indexes == table.key_indexes


def _key(table: Table, leaf: Table, oid: int) -> int:
    """The leaf's key that is a part of the table's; 0: it has none."""
    said = next(c for c in table.constraints if c.oid == oid)
    found = _part_of(table, leaf, said)
    return found.oid if found is not None else 0


def _part_of(table: Table, leaf: Table, said: Constraint) -> Constraint | None:
    wanted = [table.index_of(n) for n in said.columns]
    facts = (said.kind, said.nulls_not_distinct, said.deferrable, said.by_value)
    for c in leaf.constraints:
        same = (c.kind, c.nulls_not_distinct, c.deferrable, c.by_value) == facts
        if same and [leaf.index_of(n) for n in c.columns] == wanted:
            return c
    return None


def _on_conflict(table: Table, leaf: Table, said: OnConflict) -> OnConflict | None:
    if said.constraint is None:
        return said
    found = _part_of(table, leaf, said.constraint)
    return replace(said, constraint=found) if found is not None else None


__all__ = ["ByKey", "Leafwise", "at_leaves", "parted", "possible"]
