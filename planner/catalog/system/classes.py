"""Relations and what belongs to them: pg_class, pg_attribute, pg_index, pg_constraint, ...

pg_class ──< pg_attribute ──  pg_attrdef
    │──< pg_index (both the index and its table are in pg_class)
    │──< pg_constraint
    └──< pg_depend, pg_description, pg_sequence
"""

from __future__ import annotations

import re
from functools import lru_cache

from planner.abc import Column, Constraint, Oid, ResultColumn, Table, TypeRef
from planner.catalog.catalog import TEMPORARY_PREFIX, Catalog
from planner.catalog.collations import COLLATED, DEFAULT, collation_oid
from planner.catalog.objects import (
    Comment,
    CompositeType,
    Database,
    Domain,
    EnumType,
    Index,
    Role,
    Schema,
    Sequence,
    View,
)
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import (
    constraint_definition,
    default_text,
    index_column,
    predicate_text,
    view_definition,
)
from planner.catalog.system.privileges import acl, column_acl
from planner.catalog.system.relations import INFORMATION_SCHEMA_OID, PG_CATALOG_OID, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.types import BY_OID
from planner.types.oids import CHAR, TEXT, VARCHAR

HEAP_AM, BTREE_AM = 2, 403
CLASS_OID, TYPE_OID, ATTRDEF_OID, CONSTRAINT_OID, NAMESPACE_OID = 1259, 1247, 2604, 2606, 2615
DATABASE_CLASS_OID, ROLE_CLASS_OID = 1262, 1260


def owner_oid(catalog: Catalog, owner: str) -> Oid:
    role = catalog.role(owner)
    return role.oid if role is not None else 10


def persistence(catalog: Catalog, schema_oid: Oid, temporary: bool) -> str:
    schema = catalog.get(schema_oid)
    in_temporary = isinstance(schema, Schema) and schema.name.startswith(TEMPORARY_PREFIX)
    return "t" if temporary or in_temporary else "p"


def pg_class(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_class")
    found: Rows = []
    common = {"relreplident": "n", "relispopulated": True, "relfrozenxid": 0, "relminmxid": 0}
    for r in relations().values():
        schema = PG_CATALOG_OID if r.schema == "pg_catalog" else INFORMATION_SCHEMA_OID
        found.append(
            make(
                oid=r.oid,
                relname=r.name,
                relnamespace=schema,
                relowner=10,
                relam=HEAP_AM if r.kind == "r" else 0,
                relfilenode=0,
                reltuples=-1.0,
                relpersistence="p",
                relkind=r.kind,
                relnatts=len(r.columns),
                relhasrules=r.kind == "v",
                **common,
            )
        )
    # PostgreSQL enforces foreign keys by triggers on both tables, and psql asks no further where there are none.
    referenced = {c.foreign_table for t in catalog.objects(Table) for c in t.listed if c.kind == "f"}
    for t in catalog.objects(Table):
        kinds = {c.kind for c in t.listed}
        found.append(
            make(
                oid=t.oid,
                relname=t.name,
                relnamespace=t.schema_oid,
                relowner=owner_oid(catalog, t.owner),
                relam=HEAP_AM,
                relfilenode=t.oid,
                reltuples=-1.0,
                relhasindex=bool(catalog.indexes_of(t.oid)),
                relpersistence=persistence(catalog, t.schema_oid, t.temporary),
                relkind="r" if t.materialized is None else "m",
                relhasrules=t.materialized is not None,
                relnatts=max((c.attnum for c in t.visible), default=0),
                relchecks=sum(c.kind == "c" for c in t.listed),
                relhastriggers="f" in kinds or t.oid in referenced,
                relacl=acl(catalog, t.oid, t.owner, "r"),
                **{
                    **common,
                    "relreplident": "d",
                    "relispopulated": t.materialized is None or t.materialized.populated,
                },
            )
        )
    for i in catalog.objects(Index):
        table = catalog.get(i.table_oid)
        assert isinstance(table, Table)
        found.append(
            make(
                oid=i.oid,
                relname=i.name,
                relnamespace=i.schema_oid,
                relowner=owner_oid(catalog, table.owner),
                relam=BTREE_AM,
                relfilenode=i.oid,
                relpersistence=persistence(catalog, table.schema_oid, table.temporary),
                relkind="i",
                relnatts=len(i.keys) + len(i.include),
                **common,
            )
        )
    for v in catalog.objects(View):
        found.append(
            make(
                oid=v.oid,
                relname=v.name,
                relnamespace=v.schema_oid,
                relowner=owner_oid(catalog, v.owner),
                relpersistence=persistence(catalog, v.schema_oid, v.temporary),
                relkind="v",
                relnatts=len(v.columns),
                relhasrules=True,
                relacl=acl(catalog, v.oid, v.owner, "r"),
                **common,
            )
        )
    for s in catalog.objects(Sequence):
        found.append(
            make(
                oid=s.oid,
                relname=s.name,
                relnamespace=s.schema_oid,
                relowner=owner_oid(catalog, s.owner),
                relfilenode=s.oid,
                reltuples=1.0,
                relpersistence=persistence(catalog, s.schema_oid, s.temporary),
                relkind="S",
                relnatts=3,
                relacl=acl(catalog, s.oid, s.owner, "S"),
                **common,
            )
        )
    for c in catalog.objects(CompositeType):
        found.append(
            make(
                oid=composite_class_oid(c),
                relname=c.name,
                relnamespace=c.schema_oid,
                relowner=owner_oid(catalog, c.owner),
                reltype=c.oid,
                relpersistence="p",
                relkind="c",
                relnatts=len(c.columns),
                **common,
            )
        )
    return found


def composite_class_oid(c: CompositeType) -> Oid:
    """The pg_class row of a composite type; type and class share one object here, hence one OID."""
    return c.oid


def expression_name(text: str) -> str:
    """What an expression of an index is called: by its outermost function, as a column of a query would be."""
    call = re.match(r"\(*(\w+)\(", text)
    return call[1] if call is not None else "expr"


def _attribute(
    make: RowMaker, relid: Oid, column: Column, kind: str, catalog: Catalog | None = None
) -> tuple[object, ...]:
    known = BY_OID.get(column.type.oid)
    declared = column.declared
    return make(
        attacl=column_acl(catalog, relid, column.attnum) if catalog is not None else None,
        attrelid=relid,
        attname=column.name,
        atttypid=declared.oid,
        attstattarget=-1,
        attlen=known.typlen if known else 4,
        attnum=column.attnum,
        attndims=1 if known is not None and known.typcategory == "A" else 0,
        attcacheoff=-1,
        atttypmod=declared.typmod,
        attbyval=known.typbyval if known else True,
        attalign=known.typalign if known else "i",
        attstorage=known.typstorage if known else "p",
        attnotnull=column.not_null,
        atthasdef=column.default is not None and not column.identity and kind == "r" and not _is_null(column),
        attidentity=column.identity,
        attgenerated="s" if column.generated else "",
        attislocal=True,
        attcollation=collation_oid(column),
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
    found: Rows = list(_system_attributes())
    for t in catalog.objects(Table):
        found += [_attribute(make, t.oid, c, "r", catalog) for c in t.visible]
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
            found.append(
                make(
                    attrelid=t.oid,
                    attname=name,
                    atttypid=type_oid,
                    attnum=attnum,
                    atttypmod=-1,
                    attnotnull=True,
                    attlen=4,
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
    """Defaults have no object of their own: table and column name them, above all other OIDs."""
    return (1 << 31) + (table.oid << 11) % (1 << 31) + column.attnum


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


@lru_cache(maxsize=1)
def _default_opclasses() -> dict[Oid, Oid]:
    found: dict[Oid, Oid] = {}
    maker = RowMaker("pg_opclass")
    oid, method = maker.relation.position("oid"), maker.relation.position("opcmethod")
    intype, default = maker.relation.position("opcintype"), maker.relation.position("opcdefault")
    for row in static_rows("pg_opclass"):
        if row[method] == BTREE_AM and row[default]:
            found[row[intype]] = row[oid]
    found[VARCHAR] = found[TEXT]
    found[CHAR] = found.get(CHAR, 0)
    return found


def pg_index(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_index")
    found: Rows = []
    opclasses = _default_opclasses()
    for i in context.catalog.objects(Index):
        table = context.catalog.get(i.table_oid)
        assert isinstance(table, Table)
        types = [table.columns[table.index_of(k.attnum)].type.oid if k.attnum else TEXT for k in i.keys]
        found.append(
            make(
                indexrelid=i.oid,
                indrelid=i.table_oid,
                indnatts=len(i.keys) + len(i.include),
                indnkeyatts=len(i.keys),
                indisunique=i.unique,
                indnullsnotdistinct=i.nulls_not_distinct,
                indisprimary=i.primary,
                indimmediate=True,
                indisvalid=True,
                indisready=True,
                indislive=True,
                indkey=[*(k.attnum for k in i.keys), *i.include],
                indcollation=[DEFAULT if t in COLLATED else 0 for t in types],
                indclass=[opclasses.get(t, 0) for t in types],
                indoption=[(1 if k.descending else 0) | (2 if k.nulls_first else 0) for k in i.keys],
                indexprs=", ".join(
                    _unwrapped(index_column(table, i, n, catalog, False, context.search_path))
                    for n, k in enumerate(i.keys, 1)
                    if not k.attnum
                )
                or None,
                indpred=predicate_text(catalog, table, i, False, context.search_path)
                if i.predicate
                else None,
            )
        )
    return found


def _constraint(
    make: RowMaker, catalog: Catalog, c: Constraint, schema_oid: Oid, table: Table | None, domain: Oid
) -> tuple[object, ...]:
    foreign = c.kind == "f"
    index_oid = c.index_oid
    if foreign:
        target = catalog.get(c.foreign_table)
        if isinstance(target, Table):
            for k in target.constraints:
                if k.kind in ("p", "u") and set(k.columns) == set(c.foreign_columns):
                    index_oid = k.index_oid
                    break
    return make(
        oid=c.oid,
        conname=c.name,
        connamespace=schema_oid,
        contype=c.kind,
        convalidated=c.validated,
        condeferrable=c.deferrable,
        condeferred=c.deferred,
        conrelid=table.oid if table is not None else 0,
        contypid=domain,
        conindid=index_oid,
        confrelid=c.foreign_table,
        confupdtype=c.on_update if foreign else " ",
        confdeltype=c.on_delete if foreign else " ",
        confmatchtype=c.match if foreign else " ",
        conislocal=True,
        connoinherit=c.kind in ("p", "u", "f"),
        conkey=list(c.columns) or None,
        confkey=list(c.foreign_columns) or None,
        conbin=(_condition(catalog, table, c) if c.expression else None),
    )


def _unwrapped(key: str) -> str:
    """An index's expression without the parentheses that its place in the list of keys demands."""
    return key[1:-1] if key.startswith("(") else key


def _condition(catalog: Catalog, table: Table | None, c: Constraint) -> str:
    """The condition of a CHECK, as pg_get_expr shows it."""
    return constraint_definition(catalog, table, c, ("public",)).removesuffix(" NOT VALID")[
        len("CHECK (") : -1
    ]


def pg_constraint(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_constraint")
    found: Rows = []
    for t in catalog.objects(Table):
        found += [_constraint(make, catalog, c, t.schema_oid, t, 0) for c in t.listed]
    for d in catalog.objects(Domain):
        found += [_constraint(make, catalog, c, d.schema_oid, None, d.oid) for c in d.constraints]
    return found


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


def pg_depend(context: SystemContext) -> Rows:
    """What clients ask it for: owned sequences, constraints' indexes, defaults, views' relations."""
    catalog = context.catalog
    make = RowMaker("pg_depend")
    found: Rows = []
    for s in catalog.objects(Sequence):
        if s.table_oid:
            found.append(
                make(
                    classid=CLASS_OID,
                    objid=s.oid,
                    refclassid=CLASS_OID,
                    refobjid=s.table_oid,
                    refobjsubid=s.attnum,
                    deptype="i" if s.identity else "a",
                )
            )
    for i in catalog.objects(Index):
        if i.constraint_oid:
            found.append(
                make(
                    classid=CLASS_OID,
                    objid=i.oid,
                    refclassid=CONSTRAINT_OID,
                    refobjid=i.constraint_oid,
                    deptype="i",
                )
            )
        else:
            for k in i.keys:
                if k.attnum:
                    found.append(
                        make(
                            classid=CLASS_OID,
                            objid=i.oid,
                            refclassid=CLASS_OID,
                            refobjid=i.table_oid,
                            refobjsubid=k.attnum,
                            deptype="a",
                        )
                    )
    for t in catalog.objects(Table):
        for c in t.visible:
            if c.default is not None and not c.identity:
                found.append(
                    make(
                        classid=ATTRDEF_OID,
                        objid=attrdef_oid(t, c),
                        refclassid=CLASS_OID,
                        refobjid=t.oid,
                        refobjsubid=c.attnum,
                        deptype="a",
                    )
                )
                if c.sequence_oid:
                    found.append(
                        make(
                            classid=ATTRDEF_OID,
                            objid=attrdef_oid(t, c),
                            refclassid=CLASS_OID,
                            refobjid=c.sequence_oid,
                            deptype="n",
                        )
                    )
        for constraint in t.listed:
            for attnum in constraint.columns:
                found.append(
                    make(
                        classid=CONSTRAINT_OID,
                        objid=constraint.oid,
                        refclassid=CLASS_OID,
                        refobjid=t.oid,
                        refobjsubid=attnum,
                        deptype="a",
                    )
                )
    for v in stored_queries(catalog):
        for oid in v.depends:
            found.append(
                make(classid=2618, objid=v.holder.oid, refclassid=CLASS_OID, refobjid=oid, deptype="n")
            )
    return found


_CLASS_OF: dict[type[object], Oid] = {
    Table: CLASS_OID,
    View: CLASS_OID,
    Index: CLASS_OID,
    Sequence: CLASS_OID,
    Schema: NAMESPACE_OID,
    EnumType: TYPE_OID,
    Domain: TYPE_OID,
    CompositeType: TYPE_OID,
}


def pg_description(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_description")
    found: Rows = [
        make(objoid=PG_CATALOG_OID, classoid=NAMESPACE_OID, description="system catalog schema"),
        make(objoid=2200, classoid=NAMESPACE_OID, description="standard public schema"),
    ]
    constraints = {c.oid for t in catalog.objects(Table) for c in t.listed}
    for t in catalog.objects(Table):
        if t.comment is not None:
            found.append(make(objoid=t.oid, classoid=CLASS_OID, description=t.comment))
    for comment in catalog.objects(Comment):
        thing = catalog.get(comment.target)
        if isinstance(thing, Database | Role):
            continue
        class_oid = _CLASS_OF.get(type(thing), CONSTRAINT_OID if comment.target in constraints else CLASS_OID)
        found.append(
            make(objoid=comment.target, classoid=class_oid, objsubid=comment.sub, description=comment.text)
        )
    return found


def pg_shdescription(context: SystemContext) -> Rows:
    make = RowMaker("pg_shdescription")
    found: Rows = []
    for comment in context.catalog.objects(Comment):
        thing = context.catalog.get(comment.target)
        if isinstance(thing, Database | Role):
            class_oid = DATABASE_CLASS_OID if isinstance(thing, Database) else ROLE_CLASS_OID
            found.append(make(objoid=comment.target, classoid=class_oid, description=comment.text))
    return found


def pg_rewrite(context: SystemContext) -> Rows:
    make = RowMaker("pg_rewrite")
    return [
        make(
            oid=v.holder.oid,
            rulename="_RETURN",
            ev_class=v.holder.oid,
            ev_type="1",
            ev_enabled="O",
            is_instead=True,
            ev_qual="<>",
            ev_action=view_definition(v.query),
        )
        for v in stored_queries(context.catalog)
    ]
