"""Types that users made, beside PostgreSQL's own: pg_type, pg_enum."""

from __future__ import annotations

from planner.abc import Column, Oid, TypeRef
from planner.catalog.objects import CompositeType, Domain, EnumType
from planner.catalog.system.classes import composite_class_oid, owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import default_text
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import proc_oids, static_rows
from planner.types import BY_OID


def pg_type(context: SystemContext) -> Rows:
    catalog = context.catalog
    make = RowMaker("pg_type")
    found: Rows = list(static_rows("pg_type"))
    proc = proc_oids().get

    def array_row(oid: Oid, name: str, schema_oid: Oid, element: Oid, owner: str) -> None:
        if oid:
            found.append(
                make(
                    oid=oid,
                    typname=f"_{name}"[:63],
                    typnamespace=schema_oid,
                    typowner=owner_oid(catalog, owner),
                    typlen=-1,
                    typtype="b",
                    typcategory="A",
                    typisdefined=True,
                    typdelim=",",
                    typsubscript=proc("array_subscript_handler", 0),
                    typelem=element,
                    typinput=proc("array_in", 0),
                    typoutput=proc("array_out", 0),
                    typreceive=proc("array_recv", 0),
                    typsend=proc("array_send", 0),
                    typalign="i",
                    typstorage="x",
                    typtypmod=-1,
                )
            )

    for e in catalog.objects(EnumType):
        found.append(
            make(
                oid=e.oid,
                typname=e.name,
                typnamespace=e.schema_oid,
                typowner=owner_oid(catalog, e.owner),
                typlen=4,
                typbyval=True,
                typtype="e",
                typcategory="E",
                typisdefined=True,
                typdelim=",",
                typarray=e.array_oid,
                typinput=proc("enum_in", 0),
                typoutput=proc("enum_out", 0),
                typreceive=proc("enum_recv", 0),
                typsend=proc("enum_send", 0),
                typalign="i",
                typstorage="p",
                typtypmod=-1,
            )
        )
        array_row(e.array_oid, e.name, e.schema_oid, e.oid, e.owner)
    for d in catalog.objects(Domain):
        base = BY_OID.get(d.base.oid)
        found.append(
            make(
                oid=d.oid,
                typname=d.name,
                typnamespace=d.schema_oid,
                typowner=owner_oid(catalog, d.owner),
                typlen=base.typlen if base else -1,
                typbyval=base.typbyval if base else False,
                typtype="d",
                typcategory=base.typcategory if base else "U",
                typisdefined=True,
                typdelim=",",
                typarray=d.array_oid,
                typinput=proc("domain_in", 0),
                typoutput=proc(base.typoutput, 0) if base else 0,
                typreceive=proc("domain_recv", 0),
                typsend=proc(base.typsend, 0) if base else 0,
                typalign=base.typalign if base else "i",
                typstorage=base.typstorage if base else "x",
                typnotnull=d.not_null,
                typbasetype=d.base.oid,
                typtypmod=d.base.typmod,
                typcollation=base.typcollation if base else 0,
                typdefault=default_text(catalog, Column("", d.base, 0, default=d.default)),
            )
        )
        array_row(d.array_oid, d.name, d.schema_oid, d.oid, d.owner)
    for c in catalog.objects(CompositeType):
        found.append(
            make(
                oid=c.oid,
                typname=c.name,
                typnamespace=c.schema_oid,
                typowner=owner_oid(catalog, c.owner),
                typlen=-1,
                typtype="c",
                typcategory="C",
                typisdefined=True,
                typdelim=",",
                typrelid=composite_class_oid(c),
                typarray=c.array_oid,
                typinput=proc("record_in", 0),
                typoutput=proc("record_out", 0),
                typreceive=proc("record_recv", 0),
                typsend=proc("record_send", 0),
                typalign="d",
                typstorage="x",
                typtypmod=-1,
            )
        )
        array_row(c.array_oid, c.name, c.schema_oid, c.oid, c.owner)
    return found


def pg_enum(context: SystemContext) -> Rows:
    make = RowMaker("pg_enum")
    found: Rows = []
    for e in context.catalog.objects(EnumType):
        oids = e.label_oids or tuple((e.oid << 8) + i for i in range(len(e.labels)))
        for i, (label, oid) in enumerate(zip(e.labels, oids, strict=True), 1):
            found.append(make(oid=oid, enumtypid=e.oid, enumsortorder=float(i), enumlabel=label))
    return found


def base_of(context: SystemContext, ref: TypeRef) -> TypeRef:
    """The type under a domain."""
    thing = context.catalog.get(ref.oid)
    return base_of(context, thing.base) if isinstance(thing, Domain) else ref
