"""A foreign key that refers to a partitioned table, as each of its partitions knows it.

    fk (a, b) REFERENCES pk (a, b)         Constraint(foreign_table=pk, aims=(...))
         ├── pk1                           Aim(oid, "fk_a_b_fkey1", pk1)      a row of pg_constraint, and what errors about pk1's rows name
         └── pks                           Aim(oid, "fk_a_b_fkey2", pks)
               └── pks1                    Aim(oid, "fk_a_b_fkey3", pks1, parent=that of pks)

The key is one constraint, which its table's rows are asked about. Who writes a partition's rows asks for it in that partition's columns
(`at`): these may have other numbers. Aims follow from the partitions there are, and are kept for their names' sake. They are the
foreign key's as it was said: those of a referring table's own partitions have none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planner.partitioning import ancestors
from planner.relations import Constraint, Oid, Table

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog


def aimed(catalog: Catalog, table: Table) -> list[Oid]:
    """The tables by which a foreign key can refer to this one's rows: it, and those that it is a partition of."""
    return (
        [table.oid, *(t.oid for t in ancestors(catalog, table))]
        if table.partition is not None
        else [table.oid]
    )


def at(catalog: Catalog, constraint: Constraint, table: Table) -> Constraint:
    """The foreign key as one that refers to this table, which is a partition of the one that it refers to, or that one."""
    if constraint.foreign_table == table.oid:
        return constraint
    above = catalog.table(constraint.foreign_table)
    names = {c.attnum: c.name for c in above.columns}
    mine = {c.name: c.attnum for c in table.columns}
    aim = next((a for a in constraint.aims if a.table == table.oid), None)
    return replace(
        constraint,
        name=aim.name if aim is not None else constraint.name,
        foreign_table=table.oid,
        foreign_columns=tuple(mine[names[n]] for n in constraint.foreign_columns),
        aims=(),
    )


def into(catalog: Catalog, table: Table) -> list[tuple[Constraint, Table]]:
    """The foreign keys that refer to the table's rows, as ones that refer to it, with the tables that have them, in their order."""
    if not table.referenced_by:
        return []
    wanted = set(aimed(catalog, table))
    found = [
        (c, child)
        for child in map(catalog.table, table.referenced_by)
        for c in child.constraints
        if c.kind == "f" and c.foreign_table in wanted
    ]
    return [(at(catalog, c, table), child) for c, child in sorted(found, key=lambda pair: pair[0].oid)]


def listed(catalog: Catalog, table: Table) -> list[Constraint]:
    """A table's constraints as they are listed: the aims of foreign keys are constraints, too."""
    found: list[Constraint] = []
    for c in table.listed:
        found.append(c)
        for aim in c.aims:
            seen = at(catalog, c, catalog.table(aim.table))
            found.append(replace(seen, oid=aim.oid, parent=aim.parent))
    return found


__all__ = ["aimed", "at", "into", "listed"]
