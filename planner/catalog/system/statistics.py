"""pg_stat_... and pg_statio_...: what PostgreSQL counts of tables, indexes, databases and its log.

Each table, index and database has its row; what the server counts of it comes from `SystemContext.statistics`, and the rest is at
zero: blocks, buffers and files, for there are none here, and what a transaction has counted so far (`pg_stat_xact_...`), for nothing
waits for its end to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from planner.abc import Table
from planner.catalog.objects import Database, Index, Sequence
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.relations import relation, relations
from planner.types.oids import FLOAT8, INT4, INT8, NUMERIC
from storage.abc import Datum, Row

_COUNTERS: Final = {INT4: 0, INT8: 0, FLOAT8: 0.0, NUMERIC: "0"}
_OF_TOAST: Final[dict[str, Datum]] = dict.fromkeys(
    ("toast_blks_read", "toast_blks_hit", "tidx_blks_read", "tidx_blks_hit")
)
"""NULL: no table has one here."""
_OF_INDEXES: Final[dict[str, Datum]] = dict.fromkeys(
    ("idx_scan", "idx_tup_fetch", "idx_blks_read", "idx_blks_hit")
)
"""Sums over a table's indexes: NULL where it has none."""
_CACHES: Final = (
    "CommitTs", "MultiXactMember", "MultiXactOffset", "Notify", "Serial", "Subtrans", "Xact", "other",
)  # fmt: skip
"""PostgreSQL's caches of its own files, which tools expect to find."""


def _row(name: str, said: dict[str, Datum]) -> Row:
    """A row of the relation: what is said, counters at zero, no times."""
    target = relation("pg_catalog", name)
    assert target is not None, name
    return tuple(said[c.name] if c.name in said else _COUNTERS.get(c.type.oid) for c in target.columns)


def _user_tables(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    for table in context.catalog.objects(Table):
        if table.foreign is not None:
            continue
        schema = context.catalog.schema_of(table.schema_oid).name
        said = context.statistics.table(table) if counted and context.statistics is not None else {}
        sums = {} if context.catalog.indexes_of(table.oid) else _OF_INDEXES
        yield {"relid": table.oid, "schemaname": schema, "relname": table.name, **said, **sums, **_OF_TOAST}


def _system_tables(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    for r in relations().values():
        if r.kind == "r":
            yield {"relid": r.oid, "schemaname": r.schema, "relname": r.name, **_OF_INDEXES, **_OF_TOAST}


def _user_indexes(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    catalog, statistics = context.catalog, context.statistics
    for index in catalog.objects(Index):
        table = catalog.get(index.table_oid)
        assert isinstance(table, Table)
        if table.partitioning is not None:
            continue
        said = statistics.index(table, index) if counted and statistics is not None else {}
        yield {
            **said,
            "relid": table.oid,
            "indexrelid": index.oid,
            "schemaname": catalog.schema_of(table.schema_oid).name,
            "relname": table.name,
            "indexrelname": index.name,
        }


def _user_sequences(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    for s in context.catalog.objects(Sequence):
        schema = context.catalog.schema_of(s.schema_oid).name
        yield {"relid": s.oid, "schemaname": schema, "relname": s.name}


def _databases(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    yield {"datid": 0, "datname": None, "checksum_failures": None}  # what all databases share
    for d in context.catalog.objects(Database):
        said = context.statistics.database(d.oid) if context.statistics is not None else {}
        yield {"datid": d.oid, "datname": d.name, "checksum_failures": None, **said}


def _conflicts(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    for d in context.catalog.objects(Database):
        yield {"datid": d.oid, "datname": d.name}


def _caches(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
    for name in _CACHES:
        said = context.statistics.shared("slru") if context.statistics is not None else {}
        yield {"name": name, **said}


def _shared(name: str) -> _Source:
    def one(context: SystemContext, counted: bool) -> Iterator[dict[str, Datum]]:
        yield context.statistics.shared(name) if context.statistics is not None else {}

    return one


_Source = Callable[[SystemContext, bool], Iterator[dict[str, Datum]]]
_SOURCES: Final[dict[str, tuple[_Source, ...]]] = {
    **{f"pg_stat_{x}": (_shared(x),) for x in ("archiver", "bgwriter", "recovery_prefetch", "wal")},
    "pg_stat_database": (_databases,),
    "pg_stat_database_conflicts": (_conflicts,),
    "pg_stat_slru": (_caches,),
    **{
        f"{family}_{whose}_{things}": sources
        for family in ("pg_stat", "pg_statio", "pg_stat_xact")
        for things, own, systems in (
            ("tables", _user_tables, (_system_tables,)),
            ("indexes", _user_indexes, ()),
            ("sequences", _user_sequences, ()),
        )
        for whose, sources in (("user", (own,)), ("all", (own, *systems)), ("sys", systems))
        if ("pg_catalog", f"{family}_{whose}_{things}") in relations()
    },
}


def _rows(name: str, sources: tuple[_Source, ...], context: SystemContext) -> Rows:
    counted = not name.startswith("pg_stat_xact")
    return [_row(name, said) for source in sources for said in source(context, counted)]


STATISTICS: Final[dict[str, Callable[[SystemContext], Rows]]] = {
    name: partial(_rows, name, sources) for name, sources in _SOURCES.items()
}

__all__ = ["STATISTICS"]
