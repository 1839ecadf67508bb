"""One table on its way through a list of actions, and what is to be done about its rows.

The actions work on a table in the making, one after the other. What happens to stored rows is remembered per
column as an expression over the old row; if any is not just the old column, the table gets a new shard and the
executor fills it with one query:

    ALTER TABLE t DROP a, ALTER b TYPE text, ADD c int DEFAULT 0
    ->  Rewrite(t16384 -> t16390, SELECT CAST(b AS text), CAST((0) AS integer) FROM t)

Generated columns are computed from the new row, which may have columns of the same statement:

    ALTER TABLE t ADD c int DEFAULT 42, ADD x int GENERATED ALWAYS AS (c * 4) STORED
    ->  SELECT a, c, CAST((c * 4) AS integer) FROM (SELECT a AS a, CAST((42) AS integer) AS c FROM t) AS t

New constraints over existing rows become checks, run on the rewritten rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from planner import statements as st
from planner.abc import Column, Constraint, Oid, PlanError, SqlError, Table
from planner.catalog import CatalogChange, Index, Sequence, quote_identifier
from planner.catalog.system.definitions import type_name
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import table_constraints, unique_indexes
from planner.ddl.scope import Scope
from planner.ddl.tables import creation as tables
from planner.records import replace

_CERTAIN: Final = re.compile(
    r"CAST\(("
    r"NULL AS .*"
    r"|nextval\('[^']*'::regclass\) AS (smallint|integer|bigint)"
    r"|\(-?\d{1,4}\) AS (smallint|integer|bigint)"
    r"|\((?i:true|false)\) AS boolean"
    r"|\('[^'\\]*'(::text)?\) AS text"
    r"|\((?i:now\(\)|CURRENT_TIMESTAMP)\) AS timestamp with time zone"
    r")\)"
)
"""Values of a new column that are surely computed, where a row asks for them: others fail as they are, as in PostgreSQL, even if none does."""
_SAME_FOR_ALL: Final = re.compile(
    r"CAST\((NULL|\((-?\d+(\.\d+)?|(?i:true|false|now\(\)|CURRENT_TIMESTAMP)|'[^'\\]*')(::[a-z ]+(\(\d+(,\d+)?\))?)?\)) AS [^']*\)"
)
"""Values of a new column that are computed once for all rows."""


def is_certain(source: str) -> bool:
    """Whether what a new column begins with is surely computed: nobody need try."""
    return _CERTAIN.fullmatch(source) is not None


class Alteration:
    """A table in the making. `before` is how it was; `table` how it is by now."""

    def __init__(self, scope: Scope, table: Table) -> None:
        self.scope, self.before = scope, table
        self.sources: dict[int, str] = {}  # attnum -> expression over the old row, where it is not the column
        self.cast: set[int] = (
            set()
        )  # attnums of columns that are cast to their new type: without rows nothing fails
        self.one_by_one: set[int] = set()  # attnums of columns whose values are cast in any engine alike
        self.staying: set[int] = set()  # attnums of columns whose values are the same under their new type
        self.computed: list[int] = []  # attnums of new generated columns
        self.reshaped = False
        self.retyped: set[int] = set()
        self.remade: dict[Oid, None] = {}  # unique indexes whose hidden columns are to be computed anew
        self.verify: list[Callable[[], object]] = []
        self.only = False

    @property
    def table(self) -> Table:
        return self.scope.catalog.table(self.before.oid)

    @table.setter
    def table(self, new: Table) -> None:
        if new is not (old := self.table):
            self.scope.replace(old, new)

    def finish(self) -> None:
        """After the last action: unique indexes get the columns they need, rows their new shape."""
        kept = unique_indexes.settled(self.scope, self.table)
        self.reshaped = self.reshaped or kept.columns != self.table.columns
        self.table = kept
        try:
            for oid in self.remade:
                self._remake(oid)
            if self.reshaped:
                self._rewrite()
            for verify in self.verify:
                verify()
        except SqlError as e:
            e.position = 0  # as PostgreSQL, which has lost the statement by then
            raise

    def _remake(self, oid: Oid) -> None:
        """The hidden columns of a unique index, over columns that have other types now: computed of the new rows, and looked at."""
        index = self.scope.catalog.get(oid)
        if not isinstance(index, Index):
            return  # dropped by the same statement
        self.table, made = unique_indexes.remade(self.scope, self.table, index)
        for attnum in made:
            self.sources.pop(attnum, None)
            self.computed.append(attnum)
        self.scope.checks.append(unique_indexes.check(self.scope, self.table, index))

    def _rewrite(self) -> None:
        """A new shard for the new shape, and the query that fills it from the old one."""
        scope = self.scope
        old_names = {c.attnum: c.name for c in self.before.columns}
        columns = self.table.columns
        if any(c.missing for c in columns):
            columns = tuple(replace(c, missing="") for c in columns)
        new = replace(self.table, shard=tables.shard_of(scope.allocate()), columns=columns)
        self.table = new
        old_rows = constraints.qualified(scope, self.before)
        first = scope.before.get(self.before.oid)
        had_children = isinstance(first, Table) and bool(first.children) and not self.before.children
        if self.before.partitioning is not None or had_children:
            old_rows = f"ONLY {old_rows}"  # a partitioned table has none, and a parent is alone meant
        rows = {
            c.attnum: self.sources.get(c.attnum) or quote_identifier(old_names[c.attnum])
            for c in new.columns
            if c.attnum not in self.computed
        }
        if self.computed:
            named = [
                f"{rows[c.attnum]} AS {quote_identifier(c.name)}" for c in new.columns if c.attnum in rows
            ]
            inner = ", ".join(named) or "NULL"
            old_rows = f"(SELECT {inner} FROM {old_rows}) AS {quote_identifier(new.name)}"
            rows = {c.attnum: self._computed(c, old_rows) for c in new.columns}
        outputs = [rows[c.attnum] for c in new.columns] or ["NULL"]
        # Sequences made here must be known where the query is planned; everything else is as it was before.
        made = [scope.catalog.get(oid) for oid, old in scope.first_states() if old is None]
        added = [s for s in made if isinstance(s, Sequence)]
        then = scope.before.with_changes([CatalogChange(None, s) for s in added]) if added else scope.before
        of_row = (
            not self.computed
            and not self.staying >= self.sources.keys()
            and all(map(self._is_of_row, self.sources))
        )
        tried = (text for attnum, text in self.sources.items() if attnum not in self.cast)
        plain = of_row or (not self.computed and all(map(is_certain, tried)))
        query = f"SELECT {', '.join(outputs)} FROM {old_rows}"
        cells = self._cells(new, of_row=of_row)
        scope.rewrite(self.before, new, query, then, plain=plain, cells=cells, of_row=of_row)
        scope.checks = [
            replace(c, table=new) if c.table is not None and c.table.oid == new.oid else c
            for c in scope.checks
        ]

    def _is_of_row(self, attnum: int) -> bool:
        """Whether a row's value is made of it alone: a cast, or a unique index's expression, which was planned when the index was read."""
        return (
            attnum in self.one_by_one
            or attnum in self.staying
            or any(c.hidden for c in self.table.columns if c.attnum == attnum)
        )

    def _cells(self, new: Table, *, of_row: bool) -> tuple[int | str, ...]:
        sources = {attnum: text for attnum, text in self.sources.items() if attnum not in self.staying}
        if self.computed or not (of_row or all(map(_SAME_FOR_ALL.fullmatch, sources.values()))):
            return ()
        return tuple(sources.get(c.attnum, c.attnum) for c in new.columns)

    def _computed(self, column: Column, rows: str) -> str:
        """A column of the new row, over its columns that are not generated by this statement."""
        if column.attnum not in self.computed:
            return quote_identifier(column.name)
        assert column.default is not None
        self.scope.checks += constraints.length_checks(column.default, column.type, rows)
        return f"CAST(({column.default}) AS {type_name(self.scope.catalog, column.type, ())})"

    def column(self, name: str) -> Column:
        """The column of that name as it is by now. 42703 when there is none."""
        found = constraints.find_column(self.table, name)
        if found is None:
            if name in constraints.SYSTEM_COLUMNS:
                raise PlanError("0A000", f'cannot alter system column "{name}"')
            raise PlanError("42703", f'column "{name}" of relation "{self.table.name}" does not exist')
        return found

    def put(self, old: Column, new: Column) -> None:
        """A column in the place of another."""
        columns = tuple(new if c.attnum == old.attnum else c for c in self.table.columns)
        self.table = replace(self.table, columns=columns)

    def add(self, said: st.ConstraintDef) -> None:
        """A constraint, which rows that are there already must meet too."""
        before = {c.oid for c in self.table.constraints}
        self.table = table_constraints.add(self.scope, self.table, said, has_rows=True)
        if (
            self.only and said.kind in "pu"
        ):  # partitions get theirs by ATTACH, which is how dumps are taken in
            for c in self.table.constraints:
                index = self.scope.catalog.get(c.index_oid) if c.oid not in before else None
                if isinstance(index, Index) and self.scope.catalog.partitions_of(self.table.oid):
                    self.scope.replace(index, replace(index, valid=False))
        if said.kind == "c":
            expression = said.expression
            assert expression is not None
            self.verify.append(lambda: constraints.verify_check(self.scope, self.table, expression))

    def remove_index(self, constraint: Constraint) -> None:
        index = self.scope.catalog.get(constraint.index_oid) if constraint.index_oid else None
        if index is not None:
            self.scope.remove(index)
