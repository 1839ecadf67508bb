"""Types that users made, beside PostgreSQL's own: pg_type, pg_enum, pg_range."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from planner.abc import Oid, Table, TypeRef
from planner.catalog.collations import oid_of
from planner.catalog.domains import collation_of as domain_collation
from planner.catalog.objects import UserType, View
from planner.catalog.row_types import row_type
from planner.catalog.system import extension_functions
from planner.catalog.system.classes import composite_class_oid, owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import domain_default
from planner.catalog.system.privileges import acl
from planner.catalog.system.relations import INFORMATION_SCHEMA_OID, PG_CATALOG_OID, relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import proc_oids, static_columns, static_rows
from planner.catalog.type_objects import Collation, CompositeType, Domain, EnumType, MultirangeType, RangeType
from planner.types import BY_OID
from storage.abc import Datum


@lru_cache(maxsize=1)
def _analyzed_by() -> dict[Oid, Oid]:
    """The functions that look through columns of PostgreSQL's types, which domains over these have, too."""
    return {oid: function for oid, function in static_columns("pg_type", ("oid", "typanalyze")) if function}


def pg_type(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_type")
    found: Rows = [*static_rows("pg_type"), *_rows_of_system_relations()] if catalog.shown is None else []
    proc = proc_oids().get

    def add(made: UserType, prefix: str, **rest: Datum) -> None:
        """The type's row, then its array's. Functions of a type are named after `prefix`: enum_in, enum_out, ..."""
        said: dict[str, Datum] = {
            **{f"typ{f}put": proc(f"{prefix}_{f}", 0) for f in ("in", "out")},
            "typreceive": proc(f"{prefix}_recv", 0),
            "typsend": proc(f"{prefix}_send", 0),
            "typnamespace": made.schema_oid,
            "typowner": owner_oid(catalog, made.owner),
            "typisdefined": True,
            "typdelim": ",",
            "typtypmod": -1,
            "typlen": -1,
            "typstorage": "x",
            "typalign": "i",
            **rest,
        }
        found.append(
            make(
                oid=made.oid,
                typname=made.name,
                typarray=made.array_oid,
                typacl=acl(catalog, made.oid, made.owner, "T"),
                **said,
            )
        )
        if made.array_oid and prefix != "array":
            add(
                replace(made, oid=made.array_oid, name=f"_{made.name}"[:63], array_oid=0),
                "array",
                typtype="b",
                typcategory="A",
                typelem=made.oid,
                typsubscript=proc("array_subscript_handler", 0),
                typcollation=rest.get("typcollation", 0),
                typanalyze=proc("array_typanalyze", 0),
                typalign="d" if rest.get("typalign") == "d" else "i",
            )

    of_extensions = extension_functions.by_name()
    for b in catalog.base_types():
        fact = BY_OID[b.oid]
        add(
            b,
            b.name,
            typinput=of_extensions[fact.typinput],
            typoutput=of_extensions[fact.typoutput],
            typreceive=of_extensions.get(fact.typreceive, 0),
            typsend=of_extensions.get(fact.typsend, 0),
            typtype="b",
            typlen=fact.typlen,
            typcategory=fact.typcategory,
            typalign=fact.typalign,
            typstorage=fact.typstorage,
            typcollation=fact.typcollation,
        )
    for e in catalog.objects(EnumType):
        add(e, "enum", typlen=4, typbyval=True, typtype="e", typcategory="E", typstorage="p")
    for d in catalog.objects(Domain):
        base = BY_OID.get(d.base.oid)
        of_base: dict[str, Datum] = {}
        if base is not None:
            of_base = {
                "typlen": base.typlen,
                "typbyval": base.typbyval,
                "typoutput": proc(base.typoutput, 0) or of_extensions.get(base.typoutput, 0),
                "typsend": proc(base.typsend, 0) or of_extensions.get(base.typsend, 0),
                "typalign": base.typalign,
                "typstorage": base.typstorage,
                "typcollation": domain_collation(catalog, d),
                "typanalyze": _analyzed_by().get(d.base.oid, 0),
                "typndims": int(base.typcategory == "A"),
            }
        default = domain_default(catalog, d, context.search_path)
        add(
            d,
            "domain",
            typtype="d",
            typcategory=base.typcategory if base else "U",
            typnotnull=d.not_null,
            typbasetype=d.base.oid,
            typtypmod=d.base.typmod,
            typdefault=default,
            typdefaultbin=default,
            **of_base,
        )
    for r in catalog.objects(RangeType):
        add(r, "range", typtype="r", **_of_range(r.subtype))
    for m in catalog.objects(MultirangeType):
        add(m, "multirange", typtype="m", **_of_range(m.subtype, "multi"))
    for c in catalog.objects(CompositeType):
        add(c, "record", typtype="c", typcategory="C", typrelid=composite_class_oid(c), typalign="d")
    with_rows: list[Table | View] = [*catalog.objects(Table), *catalog.objects(View)]
    for relation in with_rows:
        rows = row_type(relation)
        add(rows, "record", typtype="c", typcategory="C", typrelid=relation.oid, typalign="d")
    return found


@lru_cache(maxsize=1)
def _rows_of_system_relations() -> Rows:
    """The types of pg_catalog's own rows: what loads a catalog whole (PostGraphile) wants a type for each relation."""
    make = RowMaker("pg_type")
    proc = proc_oids()
    found: Rows = []
    for r in relations().values():
        both: dict[str, Datum] = {
            "typnamespace": PG_CATALOG_OID if r.schema == "pg_catalog" else INFORMATION_SCHEMA_OID,
            "typowner": 10,
            "typlen": -1,
            "typisdefined": True,
            "typdelim": ",",
            "typtypmod": -1,
            "typalign": "d",
            "typstorage": "x",
        }
        for oid, prefix, said in (
            (
                r.row_type,
                "record",
                {
                    "typname": r.name,
                    "typtype": "c",
                    "typcategory": "C",
                    "typrelid": r.oid,
                    "typarray": r.row_array,
                },
            ),
            (
                r.row_array,
                "array",
                {
                    "typname": f"_{r.name}"[:63],
                    "typtype": "b",
                    "typcategory": "A",
                    "typelem": r.row_type,
                    "typsubscript": proc["array_subscript_handler"],
                    "typanalyze": proc["array_typanalyze"],
                },
            ),
        ):
            functions = {f"typ{what}": proc[f"{prefix}_{name}"] for what, name in _FUNCTIONS}
            found.append(make(oid=oid, **both, **functions, **said))
    return found


_FUNCTIONS = (("input", "in"), ("output", "out"), ("receive", "recv"), ("send", "send"))


def _of_range(subtype: TypeRef, many: str = "") -> dict[str, Datum]:
    """What pg_type says of the ranges and multiranges over a type."""
    proc = proc_oids()[f"{many}range_typanalyze"]
    return {
        "typcategory": "R",
        "typanalyze": proc,
        "typalign": "d" if BY_OID[subtype.oid].typalign == "d" else "i",
    }


def pg_range(context: SystemContext) -> Rows:
    make = RowMaker("pg_range")
    proc = proc_oids().get
    found: Rows = list(static_rows("pg_range"))
    for r in context.catalog.objects(RangeType):
        said = oid_of(r.collation) if r.collation else BY_OID[r.subtype.oid].typcollation
        found.append(
            make(
                rngtypid=r.oid,
                rngsubtype=r.subtype.oid,
                rngmultitypid=r.multirange_oid,
                rngcollation=said,
                rngsubopc=r.opclass,
                rngsubdiff=proc(r.difference, 0),
            )
        )
    return found


def pg_collation(context: SystemContext) -> Rows:
    make = RowMaker("pg_collation")
    found: Rows = list(static_rows("pg_collation"))
    for c in context.catalog.objects(Collation):
        of_icu = c.provider == "i"
        found.append(
            make(
                oid=c.oid,
                collname=c.name,
                collnamespace=c.schema_oid,
                collowner=owner_oid(context.catalog, c.owner),
                collprovider=c.provider,
                collisdeterministic=c.deterministic,
                collencoding=c.encoding,
                collcollate=None if of_icu else c.locale,
                collctype=None if of_icu else c.locale,
                colliculocale=c.locale if of_icu else None,
            )
        )
    return found


def pg_enum(context: SystemContext) -> Rows:
    make = RowMaker("pg_enum")
    found: Rows = []
    for e in context.catalog.objects(EnumType):
        places = e.places or [float(n) for n in range(1, len(e.labels) + 1)]
        for place, label, oid in zip(places, e.labels, e.numbers, strict=True):
            found.append(make(oid=oid, enumtypid=e.oid, enumsortorder=place, enumlabel=label))
    return found


def base_of(context: SystemContext, ref: TypeRef) -> TypeRef:
    """The type under a domain."""
    thing = context.catalog.get(ref.oid)
    return base_of(context, thing.base) if isinstance(thing, Domain) else ref
