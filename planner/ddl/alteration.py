"""One table on its way through a list of actions, and what is to be done about its rows.

The actions work on a table in the making, one after the other. What happens to stored rows is remembered per
column as an expression over the old row; if any is not just the old column, the table gets a new shard and the
executor fills it with one query:

    ALTER TABLE t DROP a, ALTER b TYPE text, ADD c int DEFAULT 0
    ->  Rewrite(t16384 -> t16390, SELECT CAST(b AS text), CAST((0) AS integer) FROM t)

New constraints over existing rows become checks, run on the rewritten rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from planner import statements as st
from planner.abc import Column, Constraint, PlanError, SqlError, Table
from planner.catalog import CatalogChange, quote_identifier
from planner.ddl import constraints, tables, unique_indexes
from planner.ddl.scope import Scope


class Alteration:
    """A table in the making. `before` is how it was; `table` how it is by now."""

    def __init__(self, scope: Scope, table: Table) -> None:
        self.scope, self.before = scope, table
        self.sources: dict[int, str] = {}  # attnum -> expression over the old row, where it is not the column
        self.reshaped = False
        self.verify: list[Callable[[], None]] = []

    @property
    def table(self) -> Table:
        return self.scope.catalog.table(self.before.oid)

    @table.setter
    def table(self, new: Table) -> None:
        self.scope.replace(self.table, new)

    def finish(self) -> None:
        """After the last action: unique indexes get the columns they need, rows their new shape."""
        kept = unique_indexes.settled(self.scope, self.table)
        self.reshaped = self.reshaped or kept.columns != self.table.columns
        self.table = kept
        if self.reshaped:
            self._rewrite()
        for verify in self.verify:
            try:
                verify()
            except SqlError as e:
                e.position = 0  # as PostgreSQL, which has lost the statement by then
                raise

    def _rewrite(self) -> None:
        """A new shard for the new shape, and the query that fills it from the old one."""
        scope = self.scope
        old_names = {c.attnum: c.name for c in self.before.columns}
        new = dataclasses.replace(self.table, shard=tables.shard_of(scope.allocate()))
        self.table = new
        outputs = [self.sources.get(c.attnum) or quote_identifier(old_names[c.attnum]) for c in new.columns]
        if not outputs:
            outputs = ["NULL"]
        # Sequences made here must be known where the query is planned; everything else is as it was before.
        added = [s for s in scope.catalog.sequences_of(new.oid) if scope.before.get(s.oid) is None]
        then = scope.before.with_changes([CatalogChange(None, s) for s in added])
        scope.rewrite(self.before, new, outputs, then)
        scope.checks = [dataclasses.replace(c, table=new) if c.table is not None else c for c in scope.checks]

    def column(self, name: str) -> Column:
        """The column of that name as it is by now. 42703 when there is none."""
        found = constraints.find_column(self.table, name)
        if found is None:
            if name in tables.SYSTEM_COLUMNS:
                raise PlanError("0A000", f'cannot alter system column "{name}"')
            raise PlanError("42703", f'column "{name}" of relation "{self.table.name}" does not exist')
        return found

    def put(self, old: Column, new: Column) -> None:
        """A column in the place of another."""
        columns = tuple(new if c.attnum == old.attnum else c for c in self.table.columns)
        self.table = dataclasses.replace(self.table, columns=columns)

    def add(self, said: st.ConstraintDef) -> None:
        """A constraint, which rows that are there already must meet too."""
        self.table = constraints.add_constraint(self.scope, self.table, said, has_rows=True)
        if said.kind == "c":
            expression = said.expression
            assert expression is not None
            self.verify.append(lambda: constraints.verify_check(self.scope, self.table, expression))

    def remove_index(self, constraint: Constraint) -> None:
        index = self.scope.catalog.get(constraint.index_oid) if constraint.index_oid else None
        if index is not None:
            self.scope.remove(index)
