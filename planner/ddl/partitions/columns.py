"""The hidden columns by which the tables above a partition, and partitions below a table, deal out rows (`partitions.keys`).

ATTACH PARTITION p    p has rows: each gets the value of every expression above it, in a new shard;
                      the tables above get those of the keys in p and below, for it is there that rows are dealt out
DETACH PARTITION p    what only the tables above, or below, asked for goes
"""

from __future__ import annotations

from planner.abc import Oid, Table
from planner.ddl.scope import Scope
from planner.ddl.tables.alteration import Alteration
from planner.partitioning import computed_keys
from planner.partitions import HIDDEN
from planner.records import replace


def given(scope: Scope, oid: Oid) -> None:
    """A table gets the columns by which those above and below it deal out rows, computed for the rows that it has, and loses others."""
    table = scope.catalog.table(oid)
    needed = computed_keys(scope.catalog, table)
    there = {c.name for c in table.columns if c.name.startswith(HIDDEN)}
    wanted = [c for name, c in needed.items() if name not in there]
    if not wanted and there <= needed.keys():
        return
    made = tuple(replace(c, attnum=scope.allocate()) for c in wanted)
    alteration = Alteration(scope, table)
    alteration.table = replace(table, columns=(*table.columns, *made))
    alteration.sources = {c.attnum: c.default or "" for c in made}
    has_rows = table.foreign is None and not scope.made_here(table)
    alteration.reshaped = bool(made) and has_rows
    alteration.finish()


def let_go(scope: Scope) -> None:
    """Tables that the statement has detached lose such columns."""
    for oid, old in scope.first_states():
        table = scope.catalog.get(oid)
        was = isinstance(old, Table) and old.partition is not None
        free = isinstance(table, Table) and table.partition is None
        if was and free and isinstance(table, Table) and _made_for_keys(table):
            Alteration(scope, table).finish()


def _made_for_keys(table: Table) -> bool:
    return any(c.name.startswith(HIDDEN) for c in table.columns)


__all__ = ["given", "let_go"]
