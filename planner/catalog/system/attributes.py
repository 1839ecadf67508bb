"""Columns, of tables and of whatever else has columns: pg_attribute, pg_attrdef."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from planner.abc import Column, Oid, ResultColumn, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.collations import collation_oid
from planner.catalog.objects import Index, Sequence, View
from planner.catalog.system import built_ins
from planner.catalog.system.classes import composite_class_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import default_text, has_default
from planner.catalog.system.index_columns import index_columns
from planner.catalog.system.privileges import column_acl, first_column_acl
from planner.catalog.system.relations import SystemRelation, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import CompositeType
from planner.types import BY_OID, labels_of


def storage_of(column: Column) -> str:
    """How long values of a column are stored: as it was said, or as its type says. Of users' types only enums are short."""
    if column.storage:
        return column.storage
    known = BY_OID.get(column.type.oid)
    if known is not None:
        return known.typstorage
    return "p" if labels_of(column.type.oid) is not None else "x"


class _Maker:
    """Makes the rows of columns. There may be a hundred thousand of them, after each DDL, so what types say is asked once."""

    __slots__ = ("_catalog", "_granted", "_of_types")

    def __init__(self, catalog: Catalog | None = None) -> None:
        self._catalog = catalog
        self._granted: tuple[Oid, bool] = (0, False)
        self._of_types: dict[Oid, tuple[object, ...]] = {}

    def __call__(
        self,
        relid: Oid,
        column: Column,
        kind: str,
        *,
        grants: bool = False,
        above: bool = False,
        said: bool = True,
        collation: Oid | None = None,
    ) -> tuple[object, ...]:
        """`grants`: privileges may have been given on the columns of the relation. `said`: each column's type was.
        `collation`: of an index's column, which need not be the type's."""
        declared, type_oid = column.declared, column.type.oid
        facts = self._of_types.get(type_oid)
        if facts is None:
            facts = self._of_types[type_oid] = _facts(type_oid)
        length, dimensions, by_value, alignment = facts
        return (
            relid,
            column.name,
            declared.oid,
            column.statistics,
            length,
            column.attnum,
            dimensions if said and not above and not column.inherited else 0,
            -1,  # attcacheoff
            declared.typmod,
            by_value,
            alignment,
            storage_of(column),
            column.compression,
            column.not_null,
            not column.identity and kind in "rv" and has_default(column),
            False,  # atthasmissing
            column.identity,
            "s" if column.generated else "",
            False,  # attisdropped
            column.local and not above,
            int(above) or column.inherited,
            collation_oid(column) if collation is None else collation,
            self._acl(relid, column.attnum) if grants else None,  # at _ATTACL
            list(column.settings) or None,
            list(column.options) or None,
            None,  # attmissingval
        )

    def _acl(self, relid: Oid, attnum: int) -> list[str] | None:
        catalog = self._catalog
        assert catalog is not None, "grants are a catalog's"
        if self._granted[0] != relid:
            self._granted = relid, bool(catalog.grants_on(relid))
        return column_acl(catalog, relid, attnum) if self._granted[1] else None


def _facts(type_oid: Oid) -> tuple[object, ...]:
    known = BY_OID.get(type_oid)
    if known is None:
        return 4, 0, True, "i"
    return known.typlen, int(known.typcategory == "A"), known.typbyval, known.typalign


_ATTNUM: Final = 5
_ATTACL: Final = 22
_SYSTEM_COLUMNS = (
    ("tableoid", 26, -6),
    ("cmax", 29, -5),
    ("xmax", 28, -4),
    ("cmin", 29, -3),
    ("xmin", 28, -2),
    ("ctid", 27, -1),
)


def _plain(r: SystemRelation, c: ResultColumn) -> Column:
    return Column(
        c.name,
        c.type,
        c.attnum,
        not_null=c.attnum in r.not_null,
        collation="C" if c.attnum in r.by_bytes else "",
    )


@lru_cache(maxsize=1)
def _system_attributes() -> tuple[tuple[Any, ...], ...]:
    make = _Maker()
    made: list[tuple[Any, ...]] = []
    for r in relations().values():
        thing = built_ins.of_relation(r.oid)
        for c in r.columns:
            row, said = (
                make(r.oid, _plain(r, c), r.kind),
                first_column_acl(thing, c.attnum) if thing else None,
            )
            made.append(row if said is None else _with_acl(row, said))
    return tuple(made)


def _with_acl(row: tuple[Any, ...], acl: list[str]) -> tuple[Any, ...]:
    return (*row[:_ATTACL], acl, *row[_ATTACL + 1 :])


def _own(catalog: Catalog) -> Rows:
    """Columns of PostgreSQL's own relations, with what has been granted on them in this database."""
    if not (said := built_ins.spoken_of(catalog, "table")):
        return list(_system_attributes())
    found: Rows = []
    for row in _system_attributes():
        granted = column_acl(catalog, row[0], row[5]) if row[0] in said else None
        found.append(row if granted is None else _with_acl(row, granted))
    return found


@lru_cache(maxsize=1)
def _of_each_table() -> tuple[tuple[object, ...], ...]:
    """The rows of the columns that every table has, without its OID, which comes first."""
    make = RowMaker("pg_attribute")
    return tuple(
        make(
            attname=name,
            atttypid=type_oid,
            attlen=(fact := BY_OID[type_oid]).typlen,
            attbyval=fact.typbyval,
            attalign=fact.typalign,
            attstorage=fact.typstorage,
            attnum=attnum,
            attcacheoff=-1,
            atttypmod=-1,
            attnotnull=True,
            attislocal=True,
        )[1:]
        for name, type_oid, attnum in _SYSTEM_COLUMNS
    )


def _columns_of_each(catalog: Catalog, relid: Oid) -> Rows:
    rows: Rows = [(relid, *rest) for rest in _of_each_table()]
    if any(g.attnum < 0 for g in catalog.grants_on(relid)):
        lists = (column_acl(catalog, relid, row[_ATTNUM]) for row in rows)
        rows = [(*row[:_ATTACL], acl, *row[_ATTACL + 1 :]) for row, acl in zip(rows, lists, strict=True)]
    return rows


def pg_attribute(context: SystemContext) -> Rows:
    catalog = context.catalog
    make, dropped = _Maker(catalog), RowMaker("pg_attribute")
    found: Rows = _own(catalog) if catalog.shown is None else []
    for t in catalog.objects(Table):
        above = t.partition is not None
        visible, said = t.visible, not t.of_type and t.materialized is None
        found += [make(t.oid, c, "r", grants=True, above=above, said=said) for c in visible]
        here = {c.attnum for c in visible}
        for attnum in range(1, max(here, default=0) + 1):
            if attnum not in here:
                found.append(
                    dropped(
                        attrelid=t.oid,
                        attname=f"........pg.dropped.{attnum}........",
                        attnum=attnum,
                        atttypmod=-1,
                        attisdropped=True,
                        attislocal=True,
                        attlen=-1,
                    )
                )
        found += _columns_of_each(catalog, t.oid)
    for v in catalog.objects(View):
        found += [make(v.oid, c, "v", grants=True, said=False) for c in v.columns]
    for c in catalog.objects(CompositeType):
        found += [make(composite_class_oid(c), column, "c") for column in c.columns]
    for i in catalog.objects(Index):
        table = catalog.get(i.table_oid)
        assert isinstance(table, Table)
        found += [make(i.oid, c.column, "i", collation=c.collation) for c in index_columns(catalog, table, i)]
    for s in catalog.objects(Sequence):
        for position, (name, oid) in enumerate((("last_value", 20), ("log_cnt", 20), ("is_called", 16)), 1):
            found.append(make(s.oid, Column(name, TypeRef(oid), position, not_null=True), "S"))
        found += [(s.oid, *rest) for rest in _of_each_table()]
    return found


def attrdef_oid(table: Table | View, column: Column) -> Oid:
    """Defaults have no object of their own: table and column name them, above all other OIDs.

    No two tables have the same twenty bits of their OIDs there, be these one after the other or 4096 apart, as older servers
    dealt them; there must be a million in between.
    """
    bits = (table.oid + (table.oid >> 12 << 4)) % (1 << 20)
    return (1 << 31) + (bits << 11) + column.attnum


def pg_attrdef(context: SystemContext) -> Rows:
    make = RowMaker("pg_attrdef")
    found: Rows = []
    relations: list[Table | View] = [*context.catalog.objects(Table)]
    relations += context.catalog.objects(View)
    for t in relations:
        for c in t.columns:
            if not c.hidden and not c.identity and has_default(c):
                found.append(
                    make(
                        oid=attrdef_oid(t, c),
                        adrelid=t.oid,
                        adnum=c.attnum,
                        adbin=default_text(context.catalog, c, t, context.search_path),
                    )
                )
    return found
