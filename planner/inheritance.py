"""Table inheritance: a parent's rows are its own and those of its heirs, as many of their columns as it has.

    CREATE TABLE places (id int, name text)                    Table.children = (capitals,)
    CREATE TABLE capitals (of text) INHERITS (places)          Table.parents = (places,)      columns: id, name inherited, of local

    FROM places        ->  (SELECT id, name FROM places' rows  UNION ALL  SELECT id, name FROM capitals' rows)
    FROM ONLY places   ->  the table, as if it had no children

So a parent is much like a partitioned table, whose way its statements go (`planner.binding.partitioned`, `executor.session.partitions.partitioned`);
but it has rows of its own, INSERT is into it alone, rows never move, and children may have more columns in another order.
Keys and indexes are each table's own. Rows by key are looked for in one table, so queries of parents are DuckDB's.

Both sides keep the other: whoever has planned a statement of a parent before a child came is overtaken, as after any ALTER TABLE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.relations import Table

if TYPE_CHECKING:
    from planner.abc import Oid
    from planner.catalog.catalog import Catalog


def spreads(table: Table, only: bool = False) -> bool:
    """Whether a statement that names the table is of other tables' rows, too, or of theirs alone."""
    return not only and (table.partitioning is not None or bool(table.children))


def family(catalog: Catalog, table: Table) -> list[Table]:
    """The table and its heirs, each once: level by level, each level's by OID, as PostgreSQL locks them."""
    found = {table.oid: table}
    for at in (todo := [table]):
        for oid in sorted(at.children):
            if oid not in found:
                found[oid] = catalog.table(oid)
                todo.append(found[oid])
    return list(found.values())


def of_family(catalog: Catalog, table: Table) -> list[Table]:
    """The tables above that it inherits from, in order."""
    return [catalog.table(oid) for oid in table.parents if oid]


def descends(catalog: Catalog, oid: Oid, above: Oid) -> bool:
    """Whether a relation is a table that inherits from another one, over others perhaps, or is a partition below it."""
    todo = [oid]
    for at in todo:
        table = catalog.get(at)
        if at == above and at != oid:
            return True
        if isinstance(table, Table):
            todo += [x for x in table.parents if x and x not in todo]
            todo += [table.partition.parent] if table.partition is not None else []
    return False


__all__ = ["descends", "family", "of_family", "spreads"]
