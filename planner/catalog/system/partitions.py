"""Partitions in the catalog: pg_partitioned_table, pg_inherits, and the trees that they make."""

from __future__ import annotations

from typing import Any

from planner.abc import Oid, Table
from planner.catalog.catalog import Catalog
from planner.catalog.collations import collation_oid, oid_of
from planner.catalog.objects import Index
from planner.catalog.system.bounds import shown_keys
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.operator_choice import opclass_for
from planner.catalog.system.rowmaker import RowMaker


def _default_of(catalog: Catalog, table: Table) -> Oid:
    for child in catalog.partitions_of(table.oid):
        if child.partition is not None and child.partition.bound.default:
            return child.oid
    return 0


def _expressions(context: SystemContext, table: Table) -> str | None:
    """partexprs: what the zeros among the key's attribute numbers stand for."""
    assert table.partitioning is not None
    found = []
    shown = shown_keys(context.catalog, table)
    for n, text in zip(table.partitioning.columns, shown, strict=True):
        if table.columns[table.index_of(n)].hidden:
            found.append(text[1:-1] if text.startswith("(") else text)
    return ", ".join(found) or None


def pg_partitioned_table(context: SystemContext) -> Rows:
    make = RowMaker("pg_partitioned_table")
    found: Rows = []
    for table in context.catalog.objects(Table):
        key = table.partitioning
        if key is None:
            continue
        columns = [table.columns[table.index_of(n)] for n in key.columns]
        access = "hash" if key.strategy == "h" else "btree"
        found.append(
            make(
                partrelid=table.oid,
                partstrat=key.strategy,
                partnatts=len(columns),
                partdefid=_default_of(context.catalog, table),
                partattrs=[0 if c.hidden else c.attnum for c in columns],
                partclass=[opclass_for(access, "", c.type.oid) for c in columns],
                partcollation=[
                    oid_of(said) if said else collation_oid(c)
                    for c, said in zip(columns, key.collations or [""] * len(columns), strict=True)
                ],
                partexprs=_expressions(context, table),
            )
        )
    return found


def pg_inherits(context: SystemContext) -> Rows:
    """Partitions of tables, and of their indexes; children of tables."""
    make = RowMaker("pg_inherits")
    found: Rows = []
    links: list[tuple[Oid, Oid, int]] = []
    for x in context.catalog.objects(Table):
        if x.partition is not None:
            links.append((x.oid, x.partition.parent, 1))
        links += [(x.oid, parent, n) for n, parent in enumerate(x.parents, 1) if parent]
    links += [(i.oid, i.parent, 1) for i in context.catalog.objects(Index) if i.parent]
    for child, parent, n in links:
        found.append(make(inhrelid=child, inhparent=parent, inhseqno=n, inhdetachpending=False))
    return found


def tree(catalog: Catalog, oid: Oid, parent: Oid | None = None) -> list[dict[str, Any]]:
    """pg_partition_tree, of a table or an index: level by level."""
    rows: list[dict[str, Any]] = []
    waiting: list[tuple[Oid, Oid | None, int]] = [(oid, parent, 0)]
    for at, over, level in waiting:
        thing = catalog.get(at)
        if isinstance(thing, Table):
            below = [c.oid for c in catalog.partitions_of(at)]
            leaf = thing.partitioning is None
        elif isinstance(thing, Index):
            table = catalog.table(thing.table_oid)
            parts = [i for c in catalog.partitions_of(table.oid) for i in catalog.indexes_of(c.oid)]
            below = sorted(i.oid for i in parts if i.parent == at)
            leaf = table.partitioning is None
        else:
            continue
        rows.append({"relid": at, "parentrelid": over, "isleaf": leaf, "level": level})
        waiting += [(child, at, level + 1) for child in below]
    return rows


def above(catalog: Catalog, oid: Oid) -> list[Oid]:
    """pg_partition_ancestors: the relation itself, and those above it, if it has to do with partitions."""
    thing = catalog.get(oid)
    found: list[Oid] = []
    while thing is not None:
        found.append(thing.oid)
        if isinstance(thing, Table):
            thing = catalog.get(thing.partition.parent) if thing.partition is not None else None
        elif isinstance(thing, Index):
            thing = catalog.get(thing.parent) if thing.parent else None
        else:
            return []
    last = catalog.get(found[-1]) if found else None
    if isinstance(last, Table) and last.partitioning is None:
        return []
    if isinstance(last, Index) and catalog.table(last.table_oid).partitioning is None:
        return []
    return found
