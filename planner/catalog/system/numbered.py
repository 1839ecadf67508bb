"""Objects by class and number, as (classid, objid) names them in pg_depend and pg_description: each is a row of the relation with its class's OID.

    row(context, 1259, 16384)       the row of pg_class with that oid, by column name; None: there is none

One relation after the other is listed in full when the first object of it is asked for, and kept as long as the catalog stays what it
is; what `found` can make alone is made alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from planner.abc import Oid
from planner.catalog.system.context import SystemContext
from planner.catalog.system.relations import ATTRIBUTE_OID, SystemRelation, by_oid
from storage.abc import Row

_LISTED_MAX: Final = 64
_listed: dict[tuple[int, Oid, str], dict[Oid, Row]] = {}

Named = dict[str, Any]
"""A row by column name."""


def row(context: SystemContext, class_oid: Oid, oid: Oid) -> Named | None:
    """The row with this oid. The class must be a relation whose first column that is."""
    relation = by_oid()[class_oid]
    found = _alone(context, relation, oid) or _all(context, relation).get(oid)
    return None if found is None else _by_column(relation, found)


def rows(context: SystemContext, class_oid: Oid) -> Iterator[Named]:
    """All objects of a class."""
    relation = by_oid()[class_oid]
    return (_by_column(relation, r) for r in _all(context, relation).values())


def column(context: SystemContext, relation_oid: Oid, attnum: int) -> str | None:
    """The name of a column."""
    from planner.catalog.system import found

    relation = by_oid()[ATTRIBUTE_OID]
    name, number = relation.position("attname"), relation.position("attnum")
    rows = found.rows_with(("pg_catalog", "pg_attribute"), 0, relation_oid, context)
    return next((r[name] for r in rows or () if r[number] == attnum), None)


def column_number(context: SystemContext, relation_oid: Oid, name: str) -> int | None:
    """The number of a column, of those that every table has too."""
    from planner.catalog.system import found

    relation = by_oid()[ATTRIBUTE_OID]
    named, number = relation.position("attname"), relation.position("attnum")
    rows = found.rows_with(("pg_catalog", "pg_attribute"), 0, relation_oid, context)
    return next((r[number] for r in rows or () if r[named] == name), None)


def _alone(context: SystemContext, relation: SystemRelation, oid: Oid) -> Row | None:
    from planner.catalog.system import found

    rows = found.rows_with((relation.schema, relation.name), 0, oid, context)
    return rows[0] if rows else None


def _all(context: SystemContext, relation: SystemRelation) -> dict[Oid, Row]:
    from planner.catalog import system

    catalog = context.catalog
    key = catalog.version, catalog.database_oid, relation.name
    known = _listed.get(key)
    if known is None:
        known = {r[0]: r for r in system.rows(relation.schema, relation.name, context)}
        if len(_listed) >= _LISTED_MAX:
            _listed.clear()
        if catalog.shown is None:
            _listed[key] = known
    return known


def _by_column(relation: SystemRelation, found: Row) -> Named:
    return {c.name: value for c, value in zip(relation.columns, found, strict=False)}


__all__ = ["Named", "column", "column_number", "row", "rows"]
