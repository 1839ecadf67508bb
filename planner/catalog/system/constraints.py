"""What holds for a table's rows, and the indexes by which some of it is known: pg_index, pg_constraint."""

from __future__ import annotations

from functools import lru_cache

from planner import aims, types
from planner.abc import Constraint, Oid, Table
from planner.catalog import classes_of_operators
from planner.catalog.catalog import Catalog
from planner.catalog.collations import COLLATED, DEFAULT, collation_oid, oid_of
from planner.catalog.exclusions import index_of
from planner.catalog.objects import Index, IndexKey
from planner.catalog.system import triggers
from planner.catalog.system.classes import BTREE_AM, INDEX_METHODS
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import constraint_definition, index_column, predicate_text
from planner.catalog.system.extension_classes import class_of_key
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.type_objects import Domain
from planner.types.oids import ANYARRAY, ANYENUM, ANYMULTIRANGE, ANYRANGE, TEXT, VARCHAR
from planner.types.user_ranges import spanned


@lru_cache(maxsize=1)
def _opclasses() -> tuple[dict[tuple[Oid, Oid], Oid], dict[tuple[Oid, str], Oid]]:
    """Classes of operators: the default ones by access method and type, and all by access method and name."""
    defaults: dict[tuple[Oid, Oid], Oid] = {}
    named: dict[tuple[Oid, str], Oid] = {}
    place = RowMaker("pg_opclass").relation.position
    for row in static_rows("pg_opclass"):
        oid, method = row[place("oid")], row[place("opcmethod")]
        named[method, row[place("opcname")]] = oid
        if row[place("opcdefault")]:
            defaults[method, row[place("opcintype")]] = oid
    return defaults, named


def opclass_for(access: str, said: str, of: Oid) -> Oid:
    """The class of operators of an access method for a type, the default one or that of a name; 0: there is none."""
    defaults, named = _opclasses()
    method = INDEX_METHODS.get(access, BTREE_AM)
    if said.startswith("#"):
        return classes_of_operators.oid_of(said)
    if said:
        return named.get((method, said.rpartition(".")[2]), 0)
    spans = spanned(of)
    if spans is not None:
        of = ANYRANGE if of == spans.range_oid else ANYMULTIRANGE
    elif types.labels_of(of) is not None:
        of = ANYENUM
    alike = ANYARRAY if types.element_of(of) else TEXT if of == VARCHAR else of
    return defaults.get((method, of)) or defaults.get((method, alike), 0)


def has_default_class(access: str, of: Oid) -> bool:
    """Whether an index of the method may be over the type without saying by what operators."""
    return (INDEX_METHODS[access], of) in _opclasses()[0]


def _collation(table: Table, key: IndexKey, of: Oid) -> Oid:
    """An index's key's: its own, its column's, or the default one."""
    if key.collation:
        return oid_of(key.collation)
    if key.attnum:
        return collation_oid(table.columns[table.index_of(key.attnum)])
    return DEFAULT if of in COLLATED else 0


def pg_index(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_index")
    found: Rows = []
    for i in context.catalog.objects(Index):
        table = context.catalog.get(i.table_oid)
        assert isinstance(table, Table)
        own = [c for c in table.constraints if c.index_oid == i.oid]
        of = [table.columns[table.index_of(k.attnum)].type.oid if k.attnum else TEXT for k in i.keys]
        found.append(
            make(
                indexrelid=i.oid,
                indrelid=i.table_oid,
                indnatts=len(i.keys) + len(i.include),
                indnkeyatts=len(i.keys),
                indisunique=i.unique,
                indnullsnotdistinct=i.nulls_not_distinct,
                indisprimary=i.primary,
                indisexclusion=any(c.kind == "x" for c in own),
                indimmediate=not any(c.deferrable for c in own),
                indisclustered=i.clustered,
                indisvalid=i.valid,
                indisready=True,
                indislive=True,
                indisreplident=table.replica_identity == "i" and table.replica_index == i.oid,
                indkey=[*(k.attnum for k in i.keys), *i.include],
                indcollation=[_collation(table, k, t) for k, t in zip(i.keys, of, strict=True)],
                indclass=[
                    opclass_for(i.method, k.opclass, t) or class_of_key(catalog, i.method, k.opclass, t)
                    for k, t in zip(i.keys, of, strict=True)
                ],
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


def referenced_index(catalog: Catalog, foreign: Constraint) -> Oid:
    """The index of the key that a foreign key is of; 0 where it is of none that is there."""
    target = catalog.get(foreign.foreign_table)
    for key in target.constraints if isinstance(target, Table) else ():
        if key.kind in ("p", "u") and set(key.columns) == set(foreign.foreign_columns):
            return key.index_oid
    return 0


def _constraint(
    make: RowMaker, catalog: Catalog, c: Constraint, schema_oid: Oid, holder: Table | Domain
) -> tuple[object, ...]:
    foreign = c.kind == "f"
    table = holder if isinstance(holder, Table) else None
    index_oid = referenced_index(catalog, c) if foreign else c.index_oid
    return make(
        oid=c.oid,
        conname=c.name,
        connamespace=schema_oid,
        contype=c.kind,
        convalidated=c.validated,
        condeferrable=c.deferrable,
        condeferred=c.deferred,
        conrelid=table.oid if table is not None else 0,
        contypid=0 if table is not None else holder.oid,
        conindid=index_oid,
        confrelid=c.foreign_table,
        confupdtype=c.on_update if foreign else " ",
        confdeltype=c.on_delete if foreign else " ",
        confmatchtype=c.match if foreign else " ",
        conislocal=c.local and not c.parent,
        coninhcount=1 if c.parent else c.inherited,
        conparentid=c.parent if c.kind != "c" else 0,
        connoinherit=c.no_inherit
        or (
            c.kind in ("p", "u", "x", "f")
            and not c.parent
            and (c.kind != "f" or table is None or table.partitioning is None)
        ),
        conkey=_keys(catalog, c) or None,
        conexclop=_exclusion_operators(c) if c.kind == "x" else None,
        confkey=list(c.foreign_columns) or None,
        confdelsetcols=list(c.delete_columns) or None,
        conbin=(_condition(catalog, holder, c) if c.expression else None),
    )


def _keys(catalog: Catalog, c: Constraint) -> list[int]:
    """A constraint's columns by number; 0 for an expression."""
    if c.kind != "x":
        return list(c.columns)
    return [k.attnum for k in index_of(catalog, c).keys]


@lru_cache(maxsize=1)
def _operators() -> dict[tuple[str, Oid], Oid]:
    """Operators between values of one type, by name and that type."""
    place = RowMaker("pg_operator").relation.position
    return {
        (row[place("oprname")], row[place("oprleft")]): row[place("oid")]
        for row in static_rows("pg_operator")
        if row[place("oprleft")] == row[place("oprright")]
    }


def _exclusion_operators(c: Constraint) -> list[Oid]:
    known = _operators()
    return [known[said] for said in zip(c.operators, c.operands, strict=True)]


def _unwrapped(key: str) -> str:
    """An index's expression without the parentheses that its place in the list of keys demands."""
    return key[1:-1] if key.startswith("(") else key


def _condition(catalog: Catalog, holder: Table | Domain, c: Constraint) -> str:
    """The condition of a CHECK, as pg_get_expr shows it."""
    shown = constraint_definition(catalog, holder, c, ("public",)).removesuffix(" NOT VALID")
    return shown.removesuffix(" NO INHERIT")[len("CHECK (") : -1]


def pg_constraint(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_constraint")
    found: Rows = []
    for t in catalog.objects(Table):
        found += [_constraint(make, catalog, c, t.schema_oid, t) for c in aims.listed(catalog, t)]
    for d in catalog.objects(Domain):
        found += [_constraint(make, catalog, c, d.schema_oid, d) for c in d.constraints]
    for holder, x in triggers.listed(catalog):
        if x.constraint:
            found.append(
                make(
                    oid=x.oid,
                    conname=x.name,
                    connamespace=holder.schema_oid,
                    contype="t",
                    convalidated=True,
                    condeferrable=x.deferrable,
                    condeferred=x.deferred,
                    conrelid=holder.oid,
                    confupdtype=" ",
                    confdeltype=" ",
                    confmatchtype=" ",
                    conislocal=True,
                    connoinherit=True,
                )
            )
    return found
