"""Functions that return rows and read nothing but the catalog: pg_get_keywords, pg_options_to_table, ..."""

from __future__ import annotations

from typing import Any

from planner.abc import Oid
from planner.catalog.objects import Database, Sequence
from planner.catalog.system import partitions
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.people import DEFAULT_TABLESPACE
from planner.catalog.system.relations import fact_lines, relation
from planner.keywords import COLUMN_NAME, KEYWORDS, NOT_BARE_LABEL, RESERVED, TYPE_FUNCTION_NAME
from planner.types import array_datum
from planner.types.oids import (
    BOOL,
    CHAR,
    INT4,
    INT8,
    OID,
    RECORD,
    REGCLASS,
    TEXT,
    TEXT_ARRAY,
)


@system(
    "pg_get_keywords",
    (),
    RECORD,
    columns=(("word", TEXT), ("catcode", CHAR), ("barelabel", BOOL), ("catdesc", TEXT), ("baredesc", TEXT)),
)
def _keywords(context: SystemContext) -> list[dict[str, Any]]:
    found = []
    for word in sorted(KEYWORDS):
        code, description = "U", "unreserved"
        if word in COLUMN_NAME:
            code, description = "C", "unreserved (cannot be function or type name)"
        elif word in TYPE_FUNCTION_NAME:
            code, description = "T", "reserved (can be function or type name)"
        elif word in RESERVED:
            code, description = "R", "reserved"
        bare = word not in NOT_BARE_LABEL
        found.append(
            {
                "word": word,
                "catcode": code,
                "barelabel": bare,
                "catdesc": description,
                "baredesc": "can be bare label" if bare else "requires AS",
            }
        )
    return found


@system(
    "pg_get_catalog_foreign_keys",
    (),
    RECORD,
    columns=(
        ("fktable", REGCLASS), ("fkcols", TEXT_ARRAY), ("pktable", REGCLASS), ("pkcols", TEXT_ARRAY),
        ("is_array", BOOL), ("is_opt", BOOL),
    ),
)  # fmt: skip
def _catalog_keys(context: SystemContext) -> list[dict[str, Any]]:
    """Which columns of catalogs name rows of others: PostgreSQL 15's own list."""
    lines = fact_lines("catalog_keys")
    names = next(lines)
    found = []
    for line in lines:
        row: dict[str, Any] = dict(zip(names, line, strict=True))
        for table in ("fktable", "pktable"):
            named = relation("pg_catalog", row[table])
            assert named is not None, row[table]
            row[table] = named.oid
        for columns in ("fkcols", "pkcols"):
            row[columns] = array_datum(row[columns].split(","), TEXT_ARRAY)
        found.append(row | {"is_array": row["is_array"] == "t", "is_opt": row["is_opt"] == "t"})
    return found


@system("pg_options_to_table", (TEXT_ARRAY,), RECORD, columns=(("option_name", TEXT), ("option_value", TEXT)))
def _options(context: SystemContext, options: list[str | None] | None) -> list[dict[str, Any]]:
    found = []
    for option in options or ():
        if option is not None:
            name, equals, value = option.partition("=")
            found.append({"option_name": name, "option_value": value if equals else None})
    return found


@system("pg_partition_ancestors", (REGCLASS,), REGCLASS, columns=(("relid", REGCLASS),))
def _ancestors(context: SystemContext, oid: Oid | None) -> list[Oid]:
    return partitions.above(context.catalog, oid) if oid is not None else []


@system("pg_tablespace_databases", (OID,), OID, columns=(("pg_tablespace_databases", OID),))
def _tablespace_databases(context: SystemContext, oid: Oid | None) -> list[Oid]:
    """All of them are in `pg_default`."""
    return [d.oid for d in context.catalog.objects(Database)] if oid == DEFAULT_TABLESPACE else []


@system(
    "pg_partition_tree",
    (REGCLASS,),
    RECORD,
    columns=(("relid", REGCLASS), ("parentrelid", REGCLASS), ("isleaf", BOOL), ("level", INT4)),
)
def _partition_tree(context: SystemContext, oid: Oid | None) -> list[dict[str, Any]]:
    if oid is None or not (above := partitions.above(context.catalog, oid)):
        return []
    return partitions.tree(context.catalog, oid, above[1] if len(above) > 1 else None)


@system(
    "pg_sequence_parameters",
    (OID,),
    RECORD,
    columns=(
        ("start_value", INT8), ("minimum_value", INT8), ("maximum_value", INT8), ("increment", INT8),
        ("cycle_option", BOOL), ("cache_size", INT8), ("data_type", OID),
    ),
)  # fmt: skip
def _sequence_parameters(context: SystemContext, oid: Oid | None) -> list[dict[str, Any]]:
    s = context.catalog.get(oid) if oid is not None else None
    if not isinstance(s, Sequence):
        return []
    return [
        {
            "start_value": s.start,
            "minimum_value": s.minimum,
            "maximum_value": s.maximum,
            "increment": s.increment,
            "cycle_option": s.cycle,
            "cache_size": s.cache,
            "data_type": s.type.oid,
        }
    ]
