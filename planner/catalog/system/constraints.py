"""What holds for a table's rows, and the indexes by which some of it is known: pg_index, pg_constraint."""

from __future__ import annotations

from functools import lru_cache

from planner import aims
from planner.abc import Constraint, Oid, Table
from planner.catalog import information_types
from planner.catalog.catalog import Catalog
from planner.catalog.exclusions import index_of
from planner.catalog.objects import Index
from planner.catalog.system import triggers
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import constraint_definition, index_column, predicate_text
from planner.catalog.system.index_columns import index_columns
from planner.catalog.system.operator_choice import equality_of_classes
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.type_objects import Domain


def pg_index(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_index")
    found: Rows = []
    for i in context.catalog.objects(Index):
        table = context.catalog.get(i.table_oid)
        assert isinstance(table, Table)
        own = [c for c in table.constraints if c.index_oid == i.oid]
        keys = index_columns(catalog, table, i)[: len(i.keys)]
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
                indcollation=[k.collation for k in keys],
                indclass=[k.opclass for k in keys],
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
        **(_equalities(catalog, holder, c) if foreign else {}),
        confdelsetcols=list(c.delete_columns) or None,
        conbin=(_condition(catalog, holder, c) if c.expression else None),
    )


def _equalities(catalog: Catalog, holder: Table | Domain, c: Constraint) -> dict[str, list[Oid]]:
    """By which operators a foreign key's values are equal: to the key's (pf), the key's among themselves (pp), its own (ff)."""
    target, index = catalog.get(c.foreign_table), catalog.get(referenced_index(catalog, c))
    if not (isinstance(holder, Table) and isinstance(target, Table) and isinstance(index, Index)):
        return {}
    by_attnum = dict(zip([k.attnum for k in index.keys], index_columns(catalog, target, index), strict=False))
    classes, equal = equality_of_classes()
    found: dict[str, list[Oid]] = {"conpfeqop": [], "conppeqop": [], "conffeqop": []}
    for here, there in zip(c.columns, c.foreign_columns, strict=True):
        key = by_attnum.get(there)
        if key is None or key.opclass not in classes:
            return {}
        family, takes = classes[key.opclass]
        own = holder.columns[holder.index_of(here)].type.oid
        among = equal[family, takes, takes]
        across, alone = equal.get((family, takes, own)), equal.get((family, own, own))
        if across is None or alone is None:  # it is cast to the key's type
            across = alone = among
        for name, operator in zip(found, (across, among, alone), strict=True):
            found[name].append(operator)
    return found


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
    for d in (*catalog.objects(Domain), *information_types.BY_OID.values()):
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
