"""CREATE STATISTICS as tools ask for it: pg_statistic_ext, what ANALYZE has found for it, pg_get_statisticsobjdef() and its kin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner.abc import Oid, Table
from planner.catalog import policies, rights
from planner.catalog.analyses import TogetherStatistics
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.objects import Index, StatisticsObject
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import index_column
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.written import condition
from planner.types.oids import BOOL, OID, TEXT, TEXT_ARRAY

_KINDS: Final = {"d": "ndistinct", "f": "dependencies", "m": "mcv"}


def pg_statistic_ext(context: SystemContext) -> Rows:
    make = RowMaker("pg_statistic_ext")
    return [
        make(
            oid=s.oid,
            stxrelid=s.table_oid,
            stxname=s.name,
            stxnamespace=s.schema_oid,
            stxowner=owner_oid(context.catalog, s.owner),
            stxstattarget=s.target,
            stxkeys=[k.attnum for k in s.keys if k.attnum],
            stxkind=list(s.kinds),
            stxexprs=", ".join(k.expression for k in s.keys if not k.attnum) or None,
        )
        for s in context.catalog.objects(StatisticsObject)
    ]


def _found_together(context: SystemContext) -> Iterator[tuple[StatisticsObject, TogetherStatistics]]:
    for made in context.catalog.objects(StatisticsObject):
        analysis = context.catalog.analysis_of(made.table_oid)
        for found in analysis.together if analysis is not None else ():
            if found.statistics_oid == made.oid:
                yield made, found


def pg_statistic_ext_data(context: SystemContext) -> Rows:
    make = RowMaker("pg_statistic_ext_data")
    return [
        make(
            stxoid=made.oid,
            stxdinherit=found.inherited,
            stxdndistinct=found.distinct or None,
            stxddependencies=found.dependencies or None,
        )
        for made, found in _found_together(context)
    ]


def pg_stats_ext(context: SystemContext) -> Rows:
    make, catalog, user = RowMaker("pg_stats_ext"), context.catalog, context.user
    rows: Rows = []
    for made, found in _found_together(context):
        table = catalog.table(made.table_oid)
        if not rights.owns(catalog, user, table) or policies.restricts(catalog, table, user):
            continue
        names = {c.attnum: c.name for c in table.columns}
        rows.append(
            make(
                schemaname=catalog.schema_of(table.schema_oid).name,
                tablename=table.name,
                statistics_schemaname=catalog.schema_of(made.schema_oid).name,
                statistics_name=made.name,
                statistics_owner=made.owner,
                attnames=[names[attnum] for attnum in sorted(k.attnum for k in made.keys if k.attnum)]
                or None,
                exprs=_of_expressions(context, made.oid),
                kinds=list(made.kinds),
                inherited=found.inherited,
                n_distinct=found.distinct or None,
                dependencies=found.dependencies or None,
            )
        )
    return rows


def shown(context: SystemContext, made: StatisticsObject) -> str:
    """Its name, with the schema where the search path does not find it."""
    schema = context.catalog.schema_of(made.schema_oid).name
    if _visible(context, made):
        return quote_identifier(made.name)
    return quote_qualified(schema, made.name)


def _visible(context: SystemContext, made: StatisticsObject) -> bool:
    for home in context.catalog.schemas_on(context.search_path):
        found = context.catalog.statistics_in(home.oid, made.name)
        if found is not None and not home.name.startswith("pg_temp_"):
            return found.oid == made.oid
    return False


def _columns(context: SystemContext, made: StatisticsObject) -> str:
    table = context.catalog.get(made.table_oid)
    assert isinstance(table, Table)
    keys = Index(made.oid, made.schema_oid, made.name, table.oid, made.keys)
    return ", ".join(
        index_column(table, keys, i + 1, context.catalog, True, context.search_path)
        for i in range(len(made.keys))
    )


def _found(context: SystemContext, oid: Oid | None) -> StatisticsObject | None:
    made = context.catalog.get(oid) if oid is not None else None
    return made if isinstance(made, StatisticsObject) else None


@system("pg_get_statisticsobjdef", (OID,), TEXT)
def _definition(context: SystemContext, oid: Oid | None) -> str | None:
    made = _found(context, oid)
    if made is None:
        return None
    schema = context.catalog.schema_of(made.schema_oid).name
    table = context.catalog.table(made.table_oid)
    kinds = [word for letter, word in _KINDS.items() if letter in made.kinds]
    said = f" ({', '.join(kinds)})" if len(made.keys) > 1 and len(kinds) < len(_KINDS) else ""
    home = context.catalog.schema_of(table.schema_oid).name
    seen = context.catalog.visible(table, context.search_path)
    of = quote_identifier(table.name) if seen else quote_qualified(home, table.name)
    name = quote_qualified(schema, made.name)
    return f"CREATE STATISTICS {name}{said} ON {_columns(context, made)} FROM {of}"


@system("pg_get_statisticsobjdef_columns", (OID,), TEXT)
def _of_columns(context: SystemContext, oid: Oid | None) -> str | None:
    made = _found(context, oid)
    return None if made is None else _columns(context, made)


@system("pg_get_statisticsobjdef_expressions", (OID,), TEXT_ARRAY)
def _of_expressions(context: SystemContext, oid: Oid | None) -> list[str] | None:
    made = _found(context, oid)
    if made is None:
        return None
    table = context.catalog.table(made.table_oid)
    texts = [k.expression for k in made.keys if not k.attnum]
    return [
        condition(context.catalog, table, text, context.search_path, False) or text for text in texts
    ] or None


@system("pg_statistics_obj_is_visible", (OID,), BOOL)
def _is_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    made = _found(context, oid)
    return None if made is None else _visible(context, made)


__all__ = ["pg_statistic_ext", "pg_statistic_ext_data", "pg_stats_ext", "shown"]
