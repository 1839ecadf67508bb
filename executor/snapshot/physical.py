"""What a table looks like in DuckDB: names, types, conversions, the text of its statements, its account.

    s_t12_0 ( c1 INTEGER, c2 VARCHAR, ...,  _rid BIGINT,  _from UBIGINT,  _to UBIGINT )
              c + attribute number                        visible at t  iff  _from <= t < _to

Columns are called after their attribute numbers, so renaming one touches nothing here, and no name of
a user ever gets into a statement that writes. The number behind the shard's id tells **generations** of
one shard apart: an ALTER that adds, drops or rewrites columns starts a new one at its timestamp, and
readers below it go on with the old one. One that **widens** another is the same table of DuckDB's, which gets
further columns; those that were dropped stay until the table is made anew, at the next start.

Canonical Arrow and DuckDB's types differ for intervals only (a struct here, INTERVAL there); dates
and timestamps at infinity are the same extreme integers in both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from planner.abc import Column, Table
from planner.lexer import quoted
from planner.types import arrow_type, duckdb_type, literal_sql, select_sql, store_sql, to_canonical
from storage.abc import TIMESTAMP_MAX, Datum, Row, Timestamp
from storage.rows import unpack

if TYPE_CHECKING:
    from executor.snapshot.terms import TermsOf

OPEN: Timestamp = TIMESTAMP_MAX
"""`_to` of a row that nobody has deleted."""


CLOSES_MAX = 64
"""Flushes whose closed rows are counted apart."""


def missing(column: Column) -> Datum:
    """What rows that are older than the column have in it."""
    return unpack(bytes.fromhex(column.missing))[0] if column.missing else None


def missing_sql(column: Column) -> str:
    """The same as DuckDB stores it."""
    value = missing(column)
    said = "NULL" if value is None else literal_sql(value, column.type)
    return f"CAST({said} AS {duckdb_type(column.type)})"


@dataclass(slots=True, eq=False)
class Account:
    """How many rows a table in DuckDB has, and from when to when. Generations that are one table have one."""

    inserted: int = 0
    """Rows that DuckDB has ever been told of."""

    live_rows: int = 0
    dead_rows: int = 0
    max_from: Timestamp = 0
    closes: deque[tuple[Timestamp, int]] = field(default_factory=deque)
    """Per flush: (latest `_to`, rows closed): tells how many rows a vacuum would delete."""

    def add(self, inserted: int, closed: int, max_from: Timestamp, max_to: Timestamp) -> None:
        """A flush has been committed."""
        self.inserted += inserted
        self.live_rows += inserted - closed
        self.dead_rows += closed
        self.max_from = max(self.max_from, max_from)
        if closed and len(self.closes) == CLOSES_MAX:  # coarser, and on the safe side
            closed += self.closes.pop()[1]
        if closed:
            self.closes.append((max_to, closed))

    def dead_below(self, since: Timestamp) -> int:
        """How many rows nobody at or above `since` can see (at least)."""
        return sum(count for ts, count in self.closes if ts <= since)

    def vacuumed(self, since: Timestamp, count: int) -> None:
        self.dead_rows -= count
        while self.closes and self.closes[0][0] <= since:
            count -= self.closes.popleft()[1]
        if self.closes and count > 0:  # some of a later flush's went too
            ts, closed = self.closes[0]
            self.closes[0] = (ts, max(0, closed - count))


@dataclass(slots=True, eq=False)
class Physical:
    """One generation of a table in DuckDB."""

    table: Table
    generation: int
    begins: Timestamp = 0
    """Readers at or above this read this generation, those below it an older one."""

    exists: bool = False
    """Whether DuckDB has it already (it is created with the first flush)."""

    there_before: tuple[Column, ...] | None = None
    """The columns that its table in DuckDB has had before it, if it is an older generation's as well."""

    rows: Account = field(default_factory=Account)
    """What is known about its rows."""

    terms: dict[Any, TermsOf] = field(default_factory=dict)
    """What its rows are found by that indexes of parts have."""

    database: str = ""
    """DuckDB's database that has it, if it is one of its shard's own (`executor.snapshot.packing`)."""

    name: str = field(init=False)
    _own_name: str = field(init=False)
    _schema: pa.Schema | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.name = self._own_name = quoted(f"s_{self.table.shard}_{self.generation}")

    @property
    def schema(self) -> pa.Schema:
        """The columns in canonical Arrow types, named c1, c2, ... by attribute number. Most tables are made and never ask for it."""
        if self._schema is None:
            names = (f"c{c.attnum}" for c in self.table.columns)
            self._schema = pa.schema(list(zip(names, self.types, strict=True)))
        return self._schema

    @property
    def types(self) -> tuple[pa.DataType, ...]:
        return tuple([arrow_type(c.type) for c in self.table.columns])

    def move(self, database: str) -> None:
        """It will be made in that database of the shard's own, called after its first generation. Before it exists."""
        assert not self.exists, "where a table is does not change"
        self.database = database
        self.name = f"{database}.{self._own_name}" if database else self._own_name

    def widened(self, table: Table, begins: Timestamp) -> Physical:
        """The same table of DuckDB's under a definition with other columns. It is that (`exists`) when `create` has been run."""
        new = Physical(
            table,
            self.generation,
            begins,
            there_before=self.columns_there,
            rows=self.rows,
            database=self.database,
        )
        new.name = self.name
        return new

    # --- the account -----------------------------------------------------------------------------

    @property
    def inserted(self) -> int:
        return self.rows.inserted

    @property
    def live_rows(self) -> int:
        return self.rows.live_rows

    @property
    def dead_rows(self) -> int:
        return self.rows.dead_rows

    @property
    def max_from(self) -> Timestamp:
        return self.rows.max_from

    # --- statements ------------------------------------------------------------------------------

    def create(self) -> str:
        """What makes it of nothing, or of the generation that it widens; "": there is nothing to do."""
        if self.there_before is not None:
            known = {c.attnum for c in self.there_before}
            return "; ".join(
                f"ALTER TABLE {self.name} ADD COLUMN c{c.attnum} {duckdb_type(c.type)} DEFAULT {missing_sql(c)}"
                for c in self.table.columns
                if c.attnum not in known
            )
        columns = [f"c{c.attnum} {duckdb_type(c.type)}" for c in self.table.columns]
        columns += ["_rid BIGINT", "_from UBIGINT", "_to UBIGINT"]
        return f"CREATE TABLE {self.name} ({', '.join(columns)})"

    @property
    def columns_there(self) -> tuple[Column, ...]:
        """All that its table in DuckDB has, those that were dropped since included."""
        before = self.there_before
        if before is None:
            return self.table.columns
        known = {c.attnum for c in before}
        return (*before, *(c for c in self.table.columns if c.attnum not in known))

    @property
    def _into(self) -> str:
        """Where rows go: after `ALTER TABLE` the table's columns are in another order, and more."""
        if self.there_before is None:
            return self.name
        return f"{self.name} ({', '.join([*(f'c{c.attnum}' for c in self.table.columns), '_rid', '_from', '_to'])})"

    def drop(self) -> str:
        return f"DROP TABLE IF EXISTS {self.name}"

    def vacuum(self, since: Timestamp) -> str:
        return f"DELETE FROM {self.name} WHERE _to <= {since}"

    def insert(self, source: str, since: str, until: str = str(OPEN)) -> str:
        """Appends rows of an Arrow relation that has the columns and `_rid`."""
        cells = [store_sql(f"x.c{c.attnum}", c.type) for c in self.table.columns]
        return (
            f"INSERT INTO {self._into} SELECT {', '.join([*cells, 'x._rid', since, until])} FROM {source} x"
        )

    def read(self, wanted: Sequence[Column]) -> list[str]:
        """Columns by their attribute numbers; of one that this generation has not, rows have what is missing."""
        known = {c.attnum for c in self.table.columns}
        return [f"c{c.attnum}" if c.attnum in known else missing_sql(c) for c in wanted]

    def _named(self, wanted: Sequence[Column]) -> list[str]:
        return [f"{cell} AS {quoted(c.name)}" for c, cell in zip(wanted, self.read(wanted), strict=True)]

    def insert_from(self, old: Physical, ts: Timestamp) -> str:
        """Copies the rows open in an older generation, column by attribute number."""
        cells = old.read(self.table.columns)
        return (
            f"INSERT INTO {self.name} SELECT {', '.join([*cells, '_rid', str(ts), str(OPEN)])} "
            f"FROM {old.name} WHERE _to = {OPEN}"
        )

    def close(self, source: str, ts: str) -> str:
        """Ends the rows whose ids are in an Arrow relation; zone maps on `_rid` prune."""
        return (
            f"UPDATE {self.name} AS s SET _to = {ts} FROM {source} x WHERE s._rid = x._rid AND s._to = {OPEN}"
        )

    def close_between(self, low: int, high: int, ts: Timestamp, source: str = "") -> str:
        """Ends the rows of a stretch of ids, `high` included; only those in the Arrow relation, if one is given."""
        among = f" AND _rid IN (SELECT _rid FROM {source})" if source else ""
        return (
            f"UPDATE {self.name} SET _to = {ts} WHERE _rid BETWEEN {low} AND {high} AND _to = {OPEN}{among}"
        )

    def insert_rows(self, rows: Sequence[tuple[Row, int, Timestamp]], until: Sequence[Timestamp]) -> str:
        """A few rows, (row, rid, `_from`) each, as literals; `until`: their `_to`, empty if all are open."""
        types = [c.type for c in self.table.columns]
        lines = [
            "("
            + ", ".join(
                [
                    *("NULL" if v is None else literal_sql(v, t) for v, t in zip(row, types, strict=True)),
                    f"{rid}, {ts}, {until[i] if until else OPEN}",
                ]
            )
            + ")"
            for i, (row, rid, ts) in enumerate(rows)
        ]
        return f"INSERT INTO {self._into} VALUES {', '.join(lines)}"

    def close_one(self, rid: int, ts: Timestamp) -> str:
        return f"UPDATE {self.name} SET _to = {ts} WHERE _rid = {rid} AND _to = {OPEN}"

    def close_all(self, ts: Timestamp) -> str:
        return f"UPDATE {self.name} SET _to = {ts} WHERE _to = {OPEN}"

    def select(self, where: str, columns: Sequence[int] | None, with_rid: bool, seen_as: Table) -> str:
        """A parenthesised subquery of the columns of `seen_as`, found by attribute number.

        `columns` are positions in `seen_as`.
        """
        wanted = seen_as.columns if columns is None else [seen_as.columns[i] for i in columns]
        cells = self._named(wanted)
        if with_rid or not cells:
            cells.append("_rid")
        text = f"SELECT {', '.join(cells)} FROM {self.name}"
        return f"({text} WHERE {where})" if where else f"({text})"

    def changes(self, after: Timestamp, upto: Timestamp, seen_as: Table) -> str:
        """A parenthesised subquery of the rows that came and went in (after, upto]."""
        told = "".join(f", {c}" for c in self._named(seen_as.columns))

        def row(at: str, came: bool) -> str:
            word = "insert" if came else "delete"
            return f"'{word}' AS _change, CAST({at} AS BIGINT) AS _commit_ts{told}"

        return f"({self.happened(after, upto, row)})"

    def happened(self, after: Timestamp, upto: Timestamp, row: Callable[[str, bool], str]) -> str:
        """The rows that went and those that came in (after, upto]. `row`: what is selected, by the column of the time and whether they came.

        What came and went in one commit has never been there."""
        arms = [
            f"SELECT {row(at, came)} FROM {self.name} WHERE {at} > {after} AND {at} <= {upto} AND _from < _to"
            for at, came in (("_to", False), ("_from", True))
        ]
        return " UNION ALL ".join(arms)

    def select_cells(self) -> list[str]:
        """The columns as canonical Arrow, for reading the table back."""
        return [f"{select_sql(f'c{c.attnum}', c.type)} AS c{c.attnum}" for c in self.table.columns]

    def canonical(self, table: pa.Table) -> pa.Table:
        """What `select_cells` gave, in exactly the canonical types; further columns as they are."""
        arrays = [to_canonical(table.column(i), c.type) for i, c in enumerate(self.table.columns)]
        rest = range(len(arrays), table.num_columns)
        return pa.table([*arrays, *(table.column(i) for i in rest)], names=table.column_names)
