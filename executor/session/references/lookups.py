"""Keys that are looked for on the other side of a foreign key: parents that are absent, children that are there.

    absent      values of a child's rows  ->  those that no parent row has (few: by key, else DuckDB's anti join)
    children    values of parents' rows   ->  the child rows that refer to them

Both see what the transaction sees. What they have found out is asked again at admission (`references.checks`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.constraints.references import sql_equal, told_by
from executor.session import queries
from executor.session.references.checks import (
    Presence,
    parents_locked,
)
from executor.snapshot.abc import NoKeyedAnswer, TooOldForKeyed
from executor.snapshot.columns import rows_to_arrays
from planner import types as t
from planner.abc import Constraint, Query, RelationUse, Slot, Table, TypeRef
from planner.binding.keyed.index_reads import indexed_prefixes
from planner.lexer import quoted
from planner.partitioning import leaves_of
from storage.abc import Row
from txn.abc import Key

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


LOOKUPS_MAX = 2_000
"""Parents looked up one by one; more are found by one query."""


KEYS_MAX = 200
CHILDREN_MAX = 2_000
"""So many keys' children are looked up, and so many of them, sooner than a query has begun."""

Values = tuple[Any, ...]


async def absent(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    values: list[Values],
    *,
    keep: bool = False,
) -> list[Values]:
    """Those of the values (in the constraint's order) that no parent row has; the others will be asked for again.

    `keep`: parents that are few are locked, so that nobody takes them away before the end.
    """
    if parent.partitioning is not None:
        from executor.session.references import referenced_partitions

        return await referenced_partitions.absent(
            session, block, child, parent, constraint, values, keep=keep
        )
    foreign_key = session.rules(child).foreign_key(parent, constraint)
    key, looked_for = foreign_key.stands_on[0], foreign_key.looked_for
    foreign_key.rule.foresee(values)
    await ready(block, parent)
    block.use(parent)
    txn = block.transaction()
    if len(values) <= LOOKUPS_MAX and foreign_key.same:
        view = block.view(parent, record=False)
        keep = keep and parent.shard not in block.created
        try:
            while True:
                found, missing, places = set[Key](), list[Values](), list[Key]()
                for v in values:
                    k = looked_for(v)
                    if key.kind == "p":
                        hit: Any = view.get(k, txn.read_ts)
                    else:
                        hit = view.find_unique(key.oid, k, txn.read_ts)
                    if hit is None:
                        missing.append(v)
                    else:
                        found.add(k)
                        places.append(k if key.kind == "p" else hit[0])
                if not keep or not places or await parents_locked(session, block, parent, places):
                    break
        except TooOldForKeyed:
            pass
        else:
            if found:
                block.reference_checks.append(Presence(parent, key, frozenset(found), txn.read_ts))
            return missing
    columns = [child.columns[child.index_of(a)].type for a in constraint.columns]
    theirs = [parent.columns[parent.index_of(a)] for a in constraint.foreign_columns]
    test = " AND ".join(
        sql_equal(f"w.k{i}", a, f"p.{quoted(b.name)}", b.type, collation)
        for i, ((a, collation), b) in enumerate(zip(told_by(child, constraint), theirs, strict=True))
    )
    cells = ", ".join(f"{t.select_sql(f'w.k{i}', ref)} AS k{i}" for i, ref in enumerate(columns))
    query = Query(
        (
            f"SELECT {cells} FROM {_wanted(columns)} w WHERE NOT EXISTS (SELECT 1 FROM ",
            Slot("p"),
            f" p WHERE {test})",
        ),
        (RelationUse("p", parent, None, False, ranges=()),),
    )
    rows = await _query(session, block, query, columns, values, columns)
    block.reference_checks.append(Presence(parent, key, None, txn.read_ts))
    return rows


def note_missing(
    session: Session, block: Block, child: Table, parent: Table, constraint: Constraint, value: Values
) -> None:
    """No parent has it, and a statement fails for that: whoever goes on behind a savepoint has read so."""
    reads = block.transaction().reads
    foreign_key = session.rules(child).foreign_key(parent, constraint)
    if parent.partitioning is not None or not foreign_key.same:
        for leaf in leaves_of(session.catalog, parent) if parent.partitioning is not None else [parent]:
            reads.whole(leaf.shard)
        return
    key, k = foreign_key.stands_on[0], foreign_key.looked_for(value)
    reads.point(parent.shard if key.kind == "p" else f"{parent.shard}/{key.oid}", k)


async def children(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    values: list[Values],
    *,
    from_child: bool = False,
) -> list[tuple[int, Row]]:
    """(rid, row) of the child rows that refer to these values, which are the parent's or (`from_child`) the child's."""
    few = _few_children(session, block, child, parent, constraint, values, from_child=from_child)
    if few is not None:
        return few
    mine = [child.columns[child.index_of(a)] for a in constraint.columns]
    side, attnums = (child, constraint.columns) if from_child else (parent, constraint.foreign_columns)
    given = [side.columns[side.index_of(a)].type for a in attnums]
    test = " AND ".join(
        sql_equal(f"w.k{i}", ref, f"o.{quoted(c.name)}", c.type, collation)
        for i, (ref, (_, collation), c) in enumerate(
            zip(given, told_by(child, constraint), mine, strict=True)
        )
    )
    cells = ", ".join(t.select_sql(f"o.{quoted(c.name)}", c.type) for c in child.columns)
    query = Query(
        (
            f"SELECT o._rid, {cells} FROM ",
            Slot("o"),
            f" o WHERE EXISTS (SELECT 1 FROM {_wanted(given)} w WHERE {test})",
        ),
        (RelationUse("o", child, None, True, ranges=()),),
    )
    types = [TypeRef(t.INT8), *(c.type for c in child.columns)]
    return [(row[0], row[1:]) for row in await _query(session, block, query, given, values, types)]


def _few_children(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    values: Sequence[Values],
    *,
    from_child: bool,
) -> list[tuple[int, Row]] | None:
    """The same by an index that leads from a parent to its children, or the child's own key if it begins so; None: by a query.

    An index is what makes DELETE of a parent cheap in PostgreSQL, too. The two sides have to say equal things by equal datums.
    """
    writes = block.tables.get(child.shard)
    if len(values) > KEYS_MAX or not child.key_indexes or (writes is not None and writes.in_bulk):
        return None
    foreign_key = session.rules(child).foreign_key(parent, constraint)
    if not (from_child or foreign_key.same) or not foreign_key.plain:
        return None
    positions = foreign_key.rule.indexes
    way = next((w for w in _ways(session, child) if set(w) == set(positions)), None)
    if way is None:
        return None
    view, ts = block.view(child, record=False), block.transaction().read_ts
    order = [positions.index(i) for i in way]
    by_key = way == child.key_indexes[: len(way)]
    found: list[tuple[int, Row]] = []
    try:
        for v in values:
            if None in v:
                continue
            if by_key and len(way) == len(child.key_indexes):
                hit = view.get(v[0] if len(order) == 1 else tuple(v[i] for i in order), ts)
                found += [hit] if hit is not None else []
            elif by_key:
                prefix = tuple(v[i] for i in order)
                if view.count_at_most((prefix, prefix, True, True)) > CHILDREN_MAX:
                    return None
                found += [(rid, row) for _, rid, row in view.scan(prefix, prefix, ts)]
            else:
                key = v[0] if len(order) == 1 else tuple(v[i] for i in order)
                rows = view.by_index(way, key, ts, CHILDREN_MAX)
                if rows is None:
                    return None
                hits = (view.get(view.key_of(row), ts) for row in rows)
                found += [there for there in hits if there is not None]
            if len(found) > CHILDREN_MAX:
                return None
    except NoKeyedAnswer:
        return None
    return found


def _ways(session: Session, child: Table) -> Iterator[tuple[int, ...]]:
    yield from indexed_prefixes(session.catalog, child)
    key = child.key_indexes
    yield from (key[:n] for n in range(len(key), 0, -1))


def _wanted(types: Sequence[TypeRef]) -> str:
    cells = ", ".join(f"{t.store_sql(f'k{i}', ref)} AS k{i}" for i, ref in enumerate(types))
    return f"(SELECT {cells} FROM wanted_keys)"


async def _query(
    session: Session,
    block: Block,
    query: Query,
    key_types: Sequence[TypeRef],
    values: Sequence[Values],
    result_types: Sequence[TypeRef],
) -> list[Any]:
    arrays = rows_to_arrays(list(values), [t.arrow_type(ref) for ref in key_types])
    prepared = await queries.prepare(session, block, query, (), begins=False)
    prepared.bindings["wanted_keys"] = pa.table(arrays, names=[f"k{i}" for i in range(len(arrays))])
    found = await prepared.table()
    return batch_rows(found, list(result_types))


async def ready(block: Block, table: Table) -> None:
    if table.shard not in block.created:
        await block.executor.store.image(table.shard).hydrated()


__all__ = ["Values", "absent", "children", "note_missing", "ready"]
