"""A small world in which a bound statement can be run: a catalog, DuckDB tables, and PostgreSQL beside them.

    world.tidewire("select ...")   bind, put tables in the slots, run on a bare DuckDB, show as PostgreSQL shows
    world.postgres("select ...")   the same statement on PostgreSQL 15

Both answer an `Answer`: column names, types, rows as texts, or the error's SQLSTATE, message and position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from executor.columnar.errors import sql_error
from planner import types as t
from planner.abc import (
    Column,
    Constraint,
    Param,
    Plan,
    Query,
    RelationUse,
    SessionValue,
    Slot,
    SqlError,
    Table,
    TypeRef,
)
from planner.binding import bind
from planner.binding.prelude.installation import install
from planner.catalog import PUBLIC_OID, Catalog, CatalogChange
from planner.catalog.objects import Index, IndexKey
from planner.parse import parse_query
from planner.types import TypeSettings

NOW_US = 1_600_000_000_000_000


@dataclass(frozen=True)
class Answer:
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    sqlstate: str = ""
    message: str = field(default="", compare=False)
    position: int = field(default=0, compare=False)

    def same(self, other: Answer, *, ordered: bool = True) -> bool:
        if self.sqlstate or other.sqlstate:
            return self.sqlstate == other.sqlstate
        mine, theirs = (self.rows, other.rows) if ordered else (_sorted(self.rows), _sorted(other.rows))
        return self.names == other.names and self.types == other.types and mine == theirs


def _sorted(rows: Sequence[tuple[str | None, ...]]) -> list[tuple[str | None, ...]]:
    return sorted(rows, key=lambda r: [(v is None, v or "") for v in r])


@dataclass
class Context:
    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    user: str = "tidewire"
    database: str = "tidewire"
    settings: TypeSettings = field(default_factory=TypeSettings)
    clause: str = ""


_TYPE = re.compile(r"(.+?)(?:\((.*)\))?(\[\])?")


def make_table(oid: int, name: str, columns: str, key: str = "", unique: str = "") -> Table:
    """`make_table(1, "t", "a int4; b numeric(10,2)", key="a")`; `not null`, `default x`, `generated x` may follow a type."""
    made: list[Column] = []
    for i, text in enumerate(columns.split(";"), 1):
        column, _, rest = text.strip().partition(" ")
        rest, _, default = rest.partition(" default ")
        rest, _, generated = rest.partition(" generated ")
        m = _TYPE.fullmatch(rest.strip())
        assert m is not None
        ref = t.resolve_name(m[1] + (m[3] or ""), tuple(m[2].split(",")) if m[2] else ())
        made.append(Column(column, ref, i, default=default or generated or None, generated=bool(generated)))
    constraints = []
    for kind, text in (("p", key), ("u", unique)):
        if text:
            attnums = tuple(next(c.attnum for c in made if c.name == k.strip()) for k in text.split(","))
            suffix = "pkey" if kind == "p" else "key"
            constraints.append(
                Constraint(
                    oid + 1 + len(constraints),
                    f"{name}_{suffix}",
                    kind,
                    attnums,
                    index_oid=oid + 5 + len(constraints),
                )
            )
    return Table(oid, PUBLIC_OID, name, tuple(made), tuple(constraints), f"t{oid}")


def _indexes(table: Table) -> list[Index]:
    return [
        Index(
            c.index_oid,
            table.schema_oid,
            c.name,
            table.oid,
            tuple(IndexKey(a) for a in c.columns),
            unique=True,
        )
        for c in table.constraints
    ]


class World:
    def __init__(self, tables: Sequence[Table] = (), postgres: Any = None) -> None:
        self.catalog = Catalog().with_changes(
            [CatalogChange(None, x) for table in tables for x in (table, *_indexes(table))]
        )
        self.context = Context(self.catalog)
        self.tables = {x.name: x for x in tables}
        self.duckdb = duckdb.connect()
        self.duckdb.execute("SET TimeZone = 'UTC'")
        install(self.duckdb)
        self.pg = postgres
        for x in tables:
            columns = ", ".join(f'"{c.name}" {t.duckdb_type(c.type)}' for c in x.columns)
            self.duckdb.execute(f'CREATE TABLE "{x.name}" (_rid BIGINT, {columns})')

    def load(self, table: str, rows: Sequence[Sequence[str | None]]) -> None:
        """Rows as texts, into both."""
        columns = self.tables[table].columns
        for rid, row in enumerate(rows, 1):
            values = [
                t.literal_sql(None if v is None else t.input_text(v, c.type), c.type)
                for v, c in zip(row, columns, strict=True)
            ]
            self.duckdb.execute(f'INSERT INTO "{table}" VALUES ({rid}, {", ".join(values)})')
        if self.pg is not None:
            for row in rows:
                marks = ", ".join("NULL" if v is None else "'" + v.replace("'", "''") + "'" for v in row)
                self.pg.exec_(f'INSERT INTO "{table}" VALUES ({marks})'.encode())

    def plan(self, text: str, parameter_types: Sequence[int] = (), *, prefer_keyed: bool = False) -> Plan:
        return bind(parse_query(text), self.context, parameter_types, text, prefer_keyed=prefer_keyed)

    def session_value(self, value: SessionValue) -> Any:
        if value.name in ("now", "statement_timestamp", "clock_timestamp", "read_ts"):
            return NOW_US
        return {"time_zone": "UTC", "time_zone_icu": "UTC", "setting:bytea_output": "hex",
                "setting:DateStyle": "ISO, MDY", "setting:IntervalStyle": "postgres", "setting:extra_float_digits": "1", "pid": 42, "current_schema": "public", "search_path": ["public"],
                "search_path_all": ["pg_catalog", "public"]}.get(value.name, "tidewire")  # fmt: skip

    def sql(self, query: Query, params: Sequence[Any] = ()) -> str:
        relations = {
            r.slot: f'(SELECT {self._columns(r)} FROM "{r.table.name}")'
            for r in query.relations
            if isinstance(r, RelationUse)
        }
        out = []
        for piece in query.pieces:
            if isinstance(piece, str):
                out.append(piece)
            elif isinstance(piece, Slot):
                out.append(relations[piece.name])
            elif isinstance(piece, Param):
                out.append(t.literal_sql(params[piece.number - 1], piece.type))
            else:
                out.append(t.literal_sql(self.session_value(piece), piece.type))
        return "".join(out)

    def _columns(self, use: RelationUse) -> str:
        names = (
            [use.table.columns[i].name for i in use.columns]
            if use.columns is not None
            else [c.name for c in use.table.columns]
        )
        return ", ".join((["_rid"] if use.with_rid else []) + [f'"{n}"' for n in names]) or "1 AS one"

    def tidewire(
        self, text: str, params: Sequence[str | None] = (), parameter_types: Sequence[int] = ()
    ) -> Answer:
        try:
            plan = self.plan(text, parameter_types)
            query = plan.body
            assert isinstance(query, Query)
            assert plan.columns is not None
            datums = [
                None if p is None else t.input_text(p, ref)
                for p, ref in zip(params, plan.parameters, strict=True)
            ]
            refs = [c.type for c in plan.columns]
            try:
                reader = self.duckdb.sql(self.sql(query, datums)).to_arrow_reader(1000)
                batches = list(reader)
            except duckdb.Error as e:
                raise sql_error(e) from None
            rows: list[tuple[str | None, ...]] = []
            for b in batches:
                columns = [t.to_datums(t.to_canonical(c, r), r) for c, r in zip(b.columns, refs, strict=True)]
                for row in zip(*columns, strict=True):
                    rows.append(
                        tuple(
                            None if v is None else t.output_text(v, r, self.context.settings)
                            for v, r in zip(row, refs, strict=True)
                        )
                    )
            return Answer(
                tuple(c.name for c in plan.columns),
                tuple(t.format_type(TypeRef(r.oid)) for r in refs),
                tuple(rows),
            )
        except SqlError as e:
            return Answer(sqlstate=e.sqlstate, message=e.message, position=e.position)

    def postgres(self, text: str, params: Sequence[str | None] = ()) -> Answer:
        result = self.pg.exec_params(text.encode(), [None if p is None else p.encode() for p in params])
        state = result.error_field(67)  # PG_DIAG_SQLSTATE
        if state is not None:
            message = result.error_field(77) or b""
            position = result.error_field(80) or b"0"
            return Answer(sqlstate=state.decode(), message=message.decode(), position=int(position))
        n = result.nfields
        rows = tuple(
            tuple(None if (v := result.get_value(i, j)) is None else v.decode() for j in range(n))
            for i in range(result.ntuples)
        )
        return Answer(
            tuple((result.fname(j) or b"").decode() for j in range(n)),
            tuple(t.format_type(TypeRef(result.ftype(j))) for j in range(n)),
            rows,
        )
