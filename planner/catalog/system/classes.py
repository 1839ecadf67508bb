"""Relations of every kind, a row each: pg_class, and pg_sequence beside it.

pg_class ──< pg_attribute ──  pg_attrdef      (attributes)
    │──< pg_index, pg_constraint              (constraints; both an index and its table are in pg_class)
    │──< pg_depend, pg_rewrite                (dependencies)
    └──< pg_description                       (descriptions)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from planner import extensions, types
from planner.abc import Oid, Table, TypeRef
from planner.catalog import rights
from planner.catalog.catalog import TEMPORARY_PREFIX, Catalog
from planner.catalog.objects import Index, Schema, Sequence, View
from planner.catalog.row_types import row_type_oid
from planner.catalog.system import built_ins
from planner.catalog.system.bounds import shown_bound
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.privileges import acl, built_in_acl, first_acl
from planner.catalog.system.relations import INFORMATION_SCHEMA_OID, PG_CATALOG_OID, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.type_objects import CompositeType
from storage.abc import Datum, Row

BOOTSTRAP_OID = 10
HEAP_AM, BTREE_AM = 2, 403
INDEX_METHODS = {
    "btree": BTREE_AM, "hash": 405, "gist": 783, "gin": 2742, "brin": 3580, "spgist": 4000,
    **{name: oid for name, (_, oid) in extensions.METHODS.items()},
}  # fmt: skip
"""The access methods that indexes are listed with, by name."""


def owner_oid(catalog: Catalog, owner: str) -> Oid:
    role = catalog.role(owner)
    return role.oid if role is not None else BOOTSTRAP_OID


def persistence(catalog: Catalog, schema_oid: Oid, temporary: bool, unlogged: bool = False) -> str:
    return "t" if temporary or _is_temporary(catalog, schema_oid) else "u" if unlogged else "p"


def _is_temporary(catalog: Catalog, schema_oid: Oid) -> bool:
    schema = catalog.get(schema_oid)
    return isinstance(schema, Schema) and schema.name.startswith(TEMPORARY_PREFIX)


def _options(table: Table) -> list[str] | None:
    """What was said in WITH (...)."""
    said = list(table.options)
    if table.retention_us is not None:
        days, us = divmod(table.retention_us, 86_400 * 1_000_000)
        said.append(f"retention={types.output_text((0, days, us), TypeRef(types.INTERVAL))}")
    return said or None


def _has_parts(catalog: Catalog, index: Index) -> bool:
    """Whether an index of a partitioned table has some of its partitions beneath it."""
    below = catalog.partitions_of(index.table_oid)
    return any(i.parent == index.oid for part in below for i in catalog.indexes_of(part.oid))


def _rows(catalog: Catalog, table: Table, unknown: float) -> float:
    """How many ANALYZE has found."""
    found = catalog.analysis_of(table.oid)
    return unknown if found is None else found.rows


_KIND_OF = {"table": "r", "materialized view": "m", "foreign table": "f"}


_Row = Callable[..., Row]


def _maker() -> _Row:
    return RowMaker("pg_class", relreplident="n", relispopulated=True, relpersistence="p")


@cache
def _own() -> Rows:
    """Those of the system's relations, which are the same in every database."""
    make = _maker()
    return [
        make(
            oid=r.oid,
            relname=r.name,
            relnamespace=PG_CATALOG_OID if r.schema == "pg_catalog" else INFORMATION_SCHEMA_OID,
            relowner=BOOTSTRAP_OID,
            relkind=r.kind,
            relnatts=len(r.columns),
            relam=HEAP_AM if r.kind == "r" else 0,
            reltuples=-1.0,
            relhasrules=r.kind == "v",
            relisshared=r.shared,
            reltype=r.row_type,
            relacl=first_acl(thing) if (thing := built_ins.of_relation(r.oid)) is not None else None,
        )
        for r in relations().values()
    ]


def _own_as_granted(catalog: Catalog) -> Rows:
    """The same with what has been granted on them in this database."""
    said = built_ins.spoken_of(catalog, "table")
    if not said:
        return list(_own())
    place = [c.name for c in relations()["pg_catalog", "pg_class"].columns].index("relacl")
    return [
        row
        if (thing := said.get(row[0])) is None
        else (*row[:place], built_in_acl(catalog, thing), *row[place + 1 :])
        for row in _own()
    ]


def pg_class(context: SystemContext) -> Rows:
    catalog = context.catalog
    make, owners, temporary = _maker(), dict[str, Oid](), dict[Oid, bool]()

    def lasts(schema_oid: Oid, by_itself: bool, unlogged: bool = False) -> str:
        """`persistence`, with the schemas that were asked about."""
        if schema_oid not in temporary:
            temporary[schema_oid] = _is_temporary(catalog, schema_oid)
        return "t" if by_itself or temporary[schema_oid] else "u" if unlogged else "p"

    def row(oid: Oid, name: str, schema_oid: Oid, owner: str, kind: str, natts: int, **rest: Datum) -> Row:
        if owner not in owners:
            owners[owner] = owner_oid(catalog, owner)
        return make(
            oid=oid,
            relname=name,
            relnamespace=schema_oid,
            relowner=owners[owner],
            relkind=kind,
            relnatts=natts,
            **rest,
        )

    found: Rows = [] if catalog.shown is not None else _own_as_granted(catalog)
    for t in catalog.objects(Table):
        kinds = {c.kind for c in t.listed}
        found.append(
            row(
                t.oid,
                t.name,
                t.schema_oid,
                t.owner,
                _KIND_OF[rights.table_word(t)] if t.partitioning is None else "p",
                max((c.attnum for c in t.visible), default=0),
                relam=HEAP_AM if t.partitioning is None and t.foreign is None else 0,
                relfilenode=t.oid if t.partitioning is None and t.foreign is None else 0,
                reltuples=_rows(catalog, t, -1.0),
                relpages=-1 if t.partitioning is not None and catalog.analysis_of(t.oid) is not None else 0,
                relispartition=t.partition is not None,
                relpartbound=shown_bound(catalog, t),
                relhassubclass=bool(catalog.partitions_of(t.oid) or t.children),
                relhasindex=bool(catalog.indexes_of(t.oid)),
                relpersistence=lasts(t.schema_oid, t.temporary, t.unlogged),
                relhasrules=t.materialized is not None or bool(t.rules),
                relchecks=sum(c.kind == "c" for c in t.listed),
                # PostgreSQL enforces foreign keys by triggers on both tables, and psql asks no further where there are none.
                # So it does what may be put off until COMMIT.
                relhastriggers="f" in kinds
                or bool(t.triggers)
                or bool(catalog.referring_to(t.oid))
                or any(c.deferrable for c in t.listed),
                relacl=acl(catalog, t.oid, t.owner, "r"),
                relrowsecurity=t.row_security,
                relforcerowsecurity=t.force_row_security,
                relreplident=t.replica_identity if t.foreign is None else "n",
                relispopulated=t.materialized is None or t.materialized.populated,
                reloptions=_options(t),
                reltype=row_type_oid(t.oid),
                reloftype=t.of_type,
            )
        )
    for i in catalog.objects(Index):
        table = catalog.get(i.table_oid)
        assert isinstance(table, Table)
        found.append(
            row(
                i.oid,
                i.name,
                i.schema_oid,
                table.owner,
                "i" if table.partitioning is None else "I",
                len(i.keys) + len(i.include),
                relam=INDEX_METHODS.get(i.method, BTREE_AM),
                relfilenode=i.oid if table.partitioning is None else 0,
                reltuples=0.0 if i.predicate else _rows(catalog, table, 0.0),
                relispartition=bool(i.parent),
                relhassubclass=table.partitioning is not None and _has_parts(catalog, i),
                reloptions=list(i.options) or None,
                relpersistence=lasts(table.schema_oid, table.temporary, table.unlogged),
            )
        )
    for v in catalog.objects(View):
        found.append(
            row(
                v.oid,
                v.name,
                v.schema_oid,
                v.owner,
                "v",
                len(v.columns),
                reltuples=-1.0,
                relpersistence=lasts(v.schema_oid, v.temporary),
                relhasrules=True,
                relhastriggers=bool(v.triggers),
                relacl=acl(catalog, v.oid, v.owner, "r"),
                reloptions=list(v.options) or None,
                reltype=row_type_oid(v.oid),
            )
        )
    for s in catalog.objects(Sequence):
        found.append(
            row(
                s.oid,
                s.name,
                s.schema_oid,
                s.owner,
                "S",
                3,
                relfilenode=s.oid,
                reltuples=1.0,
                relpersistence=lasts(s.schema_oid, s.temporary, s.unlogged),
                relacl=acl(catalog, s.oid, s.owner, "S"),
            )
        )
    for c in catalog.objects(CompositeType):
        class_oid = composite_class_oid(c)
        natts = len(c.columns)
        found.append(row(class_oid, c.name, c.schema_oid, c.owner, "c", natts, reltype=c.oid, reltuples=-1.0))
    return found


def composite_class_oid(c: CompositeType) -> Oid:
    """The pg_class row of a composite type; type and class share one object here, hence one OID."""
    return c.oid


def pg_am(context: SystemContext) -> Rows:
    make, catalog = RowMaker("pg_am"), context.catalog
    here = {name: oid for name, (of, oid) in extensions.METHODS.items() if catalog.extension(of) is not None}
    made = [make(oid=oid, amname=name, amhandler=0, amtype="i") for name, oid in here.items()]
    return [*static_rows("pg_am"), *made]


def pg_sequence(context: SystemContext) -> Rows:
    make = RowMaker("pg_sequence")
    return [
        make(
            seqrelid=s.oid,
            seqtypid=s.type.oid,
            seqstart=s.start,
            seqincrement=s.increment,
            seqmax=s.maximum,
            seqmin=s.minimum,
            seqcache=s.cache,
            seqcycle=s.cycle,
        )
        for s in context.catalog.objects(Sequence)
    ]
