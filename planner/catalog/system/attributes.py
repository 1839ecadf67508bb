"""Columns, of tables and of whatever else has columns: pg_attribute, pg_attrdef."""

from __future__ import annotations

import re
from functools import lru_cache

from planner.abc import Column, Oid, ResultColumn, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.collations import collation_oid
from planner.catalog.objects import Index, Sequence, View
from planner.catalog.system.classes import composite_class_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import default_text
from planner.catalog.system.privileges import column_acl
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import CompositeType
from planner.types import BY_OID, labels_of
from planner.types.oids import TEXT


def expression_name(text: str) -> str:
    """What an expression of an index is called: by its outermost function, as a column of a query would be."""
    call = re.match(r"\(*(\w+)\(", text)
    return call[1] if call is not None else "expr"


def storage_of(column: Column) -> str:
    """How long values of a column are stored: as it was said, or as its type says. Of users' types only enums are short."""
    if column.storage:
        return column.storage
    known = BY_OID.get(column.type.oid)
    if known is not None:
        return known.typstorage
    return "p" if labels_of(column.type.oid) is not None else "x"


def _attribute(
    make: RowMaker,
    relid: Oid,
    column: Column,
    kind: str,
    catalog: Catalog | None = None,
    *,
    above: bool = False,
) -> tuple[object, ...]:
    known = BY_OID.get(column.type.oid)
    declared = column.declared
    return make(
        attacl=column_acl(catalog, relid, column.attnum) if catalog is not None else None,
        attrelid=relid,
        attname=column.name,
        atttypid=declared.oid,
        attstattarget=column.statistics,
        attlen=known.typlen if known else 4,
        attnum=column.attnum,
        attndims=1 if known is not None and known.typcategory == "A" else 0,
        attcacheoff=-1,
        atttypmod=declared.typmod,
        attbyval=known.typbyval if known else True,
        attalign=known.typalign if known else "i",
        attstorage=storage_of(column),
        attcompression=column.compression,
        attnotnull=column.not_null,
        atthasdef=column.default is not None and not column.identity and kind == "r" and not _is_null(column),
        attidentity=column.identity,
        attgenerated="s" if column.generated else "",
        attislocal=column.local and not above,
        attinhcount=int(above) or column.inherited,
        attcollation=collation_oid(column),
        attfdwoptions=list(column.options) or None,
    )


_SYSTEM_COLUMNS = (
    ("tableoid", 26, -6),
    ("cmax", 29, -5),
    ("xmax", 28, -4),
    ("cmin", 29, -3),
    ("xmin", 28, -2),
    ("ctid", 27, -1),
)


def _plain(c: ResultColumn) -> Column:
    return Column(c.name, c.type, c.attnum)


@lru_cache(maxsize=1)
def _system_attributes() -> tuple[tuple[object, ...], ...]:
    make = RowMaker("pg_attribute")
    return tuple(_attribute(make, r.oid, _plain(c), r.kind) for r in relations().values() for c in r.columns)


def pg_attribute(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_attribute")
    found: Rows = list(_system_attributes()) if catalog.shown is None else []
    for t in catalog.objects(Table):
        above = t.partition is not None
        found += [_attribute(make, t.oid, c, "r", catalog, above=above) for c in t.visible]
        here = {c.attnum for c in t.visible}
        for attnum in range(1, max(here, default=0) + 1):
            if attnum not in here:
                found.append(
                    make(
                        attrelid=t.oid,
                        attname=f"........pg.dropped.{attnum}........",
                        attnum=attnum,
                        atttypmod=-1,
                        attisdropped=True,
                        attislocal=True,
                        attlen=-1,
                    )
                )
        for name, type_oid, attnum in _SYSTEM_COLUMNS:
            fact = BY_OID[type_oid]
            found.append(
                make(
                    attlen=fact.typlen,
                    attbyval=fact.typbyval,
                    attalign=fact.typalign,
                    attstorage=fact.typstorage,
                    attcacheoff=-1,
                    attrelid=t.oid,
                    attname=name,
                    atttypid=type_oid,
                    attnum=attnum,
                    atttypmod=-1,
                    attnotnull=True,
                    attislocal=True,
                )
            )
    for v in catalog.objects(View):
        found += [_attribute(make, v.oid, c, "v", catalog) for c in v.columns]
    for c in catalog.objects(CompositeType):
        found += [_attribute(make, composite_class_oid(c), column, "c") for column in c.columns]
    for i in catalog.objects(Index):
        table = catalog.get(i.table_oid)
        assert isinstance(table, Table)
        attnums = [k.attnum for k in i.keys] + list(i.include)
        for position, attnum in enumerate(attnums, 1):
            if attnum:
                column = table.columns[table.index_of(attnum)]
                shown = Column(column.name, column.type, position)
            else:
                shown = Column(expression_name(i.keys[position - 1].expression), TypeRef(TEXT), position)
            found.append(_attribute(make, i.oid, shown, "i"))
    for s in catalog.objects(Sequence):
        for position, (name, oid) in enumerate((("last_value", 20), ("log_cnt", 20), ("is_called", 16)), 1):
            found.append(_attribute(make, s.oid, Column(name, TypeRef(oid), position, not_null=True), "S"))
    return found


def attrdef_oid(table: Table, column: Column) -> Oid:
    """Defaults have no object of their own: table and column name them, above all other OIDs.

    No two tables have the same twenty bits of their OIDs there, be these one after the other or 4096 apart, as older servers
    dealt them; there must be a million in between.
    """
    bits = (table.oid + (table.oid >> 12 << 4)) % (1 << 20)
    return (1 << 31) + (bits << 11) + column.attnum


def _is_null(column: Column) -> bool:
    """DEFAULT NULL is no default."""
    return (column.default or "").strip().lower() == "null"


def pg_attrdef(context: SystemContext) -> Rows:
    make = RowMaker("pg_attrdef")
    found: Rows = []
    for t in context.catalog.objects(Table):
        for c in t.visible:
            if c.default is not None and not c.identity and not _is_null(c):
                found.append(
                    make(
                        oid=attrdef_oid(t, c),
                        adrelid=t.oid,
                        adnum=c.attnum,
                        adbin=default_text(context.catalog, c, t, context.search_path),
                    )
                )
    return found
