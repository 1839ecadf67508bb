"""The hidden columns of partitions, by which the tables above deal out rows (`partitions.keys`): they come and go with the partition.

ATTACH PARTITION p    p has rows: each gets the value of every expression above it, in a new shard
DETACH PARTITION p    what only the tables above asked for goes
"""

from __future__ import annotations

from planner.abc import Oid, PlanError, Table
from planner.ddl.scope import Scope
from planner.ddl.tables.alteration import Alteration
from planner.partitions import HIDDEN
from planner.records import replace


def given(scope: Scope, parent: Table, oid: Oid) -> None:
    """A partition gets the columns by which the tables above it deal out rows, computed for those that it has, and loses others."""
    child = scope.catalog.table(oid)
    _refuse_below(child)
    there = {c.name for c in child.columns}
    wanted = [c for c in parent.columns if c.name.startswith(HIDDEN) and c.name not in there]
    above = {c.name for c in parent.columns}
    stale = any(c.name.startswith(HIDDEN) and c.name not in above for c in child.columns)
    if not wanted and not stale:
        return
    made = tuple(replace(c, attnum=scope.allocate()) for c in wanted)
    alteration = Alteration(scope, child)
    alteration.table = replace(child, columns=(*child.columns, *made))
    alteration.sources = {c.attnum: c.default or "" for c in made}
    has_rows = child.foreign is None and not scope.made_here(child)
    alteration.reshaped = bool(made) and has_rows
    alteration.finish()


def _refuse_below(child: Table) -> None:
    """Raises 0A000 for a partition that deals out its rows by an expression, which nobody computes above it."""
    key = child.partitioning
    if key is not None and any(child.columns[child.index_of(n)].hidden for n in key.columns):
        raise PlanError(
            "0A000",
            f'partition "{child.name}", whose own partition key has expressions, is not supported',
            hint="Expressions can be in the key of the table at the top.",
        )


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
