"""Users' classes and families of operators as tools ask for them: pg_opclass, pg_opfamily, pg_amop, pg_amproc; by name; in words."""

from __future__ import annotations

from collections.abc import Iterator

from planner.abc import Oid, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.class_objects import ClassMember, OperatorClass, OperatorFamily
from planner.catalog.classes_of_operators import (
    CLASS,
    FAMILY,
    METHOD_OF,
    METHODS,
    Named,
    in_schema,
    members,
    named,
    visible,
)
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import type_name
from planner.catalog.system.extension_classes import classes_in
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_columns, static_rows
from planner.types.oids import BOOL, OID


def pg_opclass(context: SystemContext) -> Rows:
    make = RowMaker("pg_opclass")
    return (
        list(static_rows("pg_opclass"))
        + [
            make(
                oid=c.oid,
                opcmethod=METHODS[c.method].oid,
                opcname=c.name,
                opcnamespace=c.schema_oid,
                opcowner=owner_oid(context.catalog, c.owner),
                opcfamily=c.family,
                opcintype=c.type_oid,
                opcdefault=c.default,
                opckeytype=c.storage,
            )
            for c in context.catalog.objects(OperatorClass)
        ]
        + [
            make(
                oid=c.oid,
                opcmethod=c.method,
                opcname=c.name,
                opcnamespace=extension.schema_oid,
                opcowner=owner_oid(context.catalog, extension.owner),
                opcfamily=c.family,
                opcintype=c.of,
                opcdefault=c.default,
                opckeytype=c.keeps,
            )
            for c, extension in classes_in(context.catalog)
        ]
    )


def pg_opfamily(context: SystemContext) -> Rows:
    make = RowMaker("pg_opfamily")
    return (
        list(static_rows("pg_opfamily"))
        + [
            make(
                oid=f.oid,
                opfmethod=METHODS[f.method].oid,
                opfname=f.name,
                opfnamespace=f.schema_oid,
                opfowner=owner_oid(context.catalog, f.owner),
            )
            for f in context.catalog.objects(OperatorFamily)
        ]
        + [
            make(
                oid=c.family,
                opfmethod=c.method,
                opfname=c.name,
                opfnamespace=extension.schema_oid,
                opfowner=owner_oid(context.catalog, extension.owner),
            )
            for c, extension in classes_in(context.catalog)
        ]
    )


def pg_amop(context: SystemContext) -> Rows:
    make = RowMaker("pg_amop")
    return list(static_rows("pg_amop")) + [
        make(
            oid=one.oid,
            amopfamily=family,
            amoplefttype=one.left,
            amoprighttype=one.right,
            amopstrategy=one.number,
            amoppurpose="o" if one.sort_family else "s",
            amopopr=one.does,
            amopmethod=METHODS[method].oid,
            amopsortfamily=one.sort_family,
        )
        for family, method, one in _members(context.catalog)
        if not one.function
    ]


def pg_amproc(context: SystemContext) -> Rows:
    make = RowMaker("pg_amproc")
    return list(static_rows("pg_amproc")) + [
        make(
            oid=one.oid,
            amprocfamily=family,
            amproclefttype=one.left,
            amprocrighttype=one.right,
            amprocnum=one.number,
            amproc=one.does,
        )
        for family, _, one in _members(context.catalog)
        if one.function
    ]


def _members(catalog: Catalog) -> Iterator[tuple[Oid, str, ClassMember]]:
    for made in catalog.objects(OperatorFamily):
        yield from ((made.oid, made.method, one) for one in made.members)
    for each in catalog.objects(OperatorClass):
        yield from ((each.family, each.method, one) for one in each.members)


@system("pg_opclass_is_visible", (OID,), BOOL)
def _class_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    return None if oid is None else _visible(context, oid, CLASS)


@system("pg_opfamily_is_visible", (OID,), BOOL)
def _family_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    return None if oid is None else _visible(context, oid, FAMILY)


def _visible(context: SystemContext, oid: Oid, kind: str) -> bool | None:
    """Extensions' too, which are where the extension is unless a schema before it on the path has one of the name."""
    catalog, path = context.catalog, context.search_path
    for brought, extension in classes_in(catalog):
        if oid == (brought.oid if kind == CLASS else brought.family):
            method = METHOD_OF[brought.method].name
            homes = [home.oid for home in catalog.schemas_on(path)]
            if extension.schema_oid not in homes:
                return False
            before = homes[: homes.index(extension.schema_oid)]
            return not any(in_schema(catalog, kind, method, home, brought.name) for home in before)
    one = named(catalog, oid)
    return visible(catalog, oid, path) if one is not None and one.kind == kind else None


# --- in words -------------------------------------------------------------------------------------------


def described(catalog: Catalog, oid: Oid, search_path: tuple[str, ...]) -> str | None:
    """`operator class s.c for access method btree`; None: there is none."""
    one = named(catalog, oid)
    return (
        None
        if one is None
        else f"{one.kind} {shown(catalog, one, search_path)} for access method {one.method}"
    )


def shown(catalog: Catalog, one: Named, search_path: tuple[str, ...]) -> str:
    """Its name, with the schema where the path does not find it."""
    if visible(catalog, one.oid, search_path):
        return quote_identifier(one.name)
    return quote_qualified(catalog.schema_of(one.schema_oid).name, one.name)


def member_described(
    catalog: Catalog, one: ClassMember, family: Oid, search_path: tuple[str, ...], does: str = ""
) -> str:
    """`operator 1 (integer, smallint) of operator family f for access method btree: <(integer,smallint)`."""
    from planner.catalog.system.reg_routines import regoperator_out, regprocedure_out

    context = SystemContext(catalog, search_path)
    call = regprocedure_out if one.function else regoperator_out
    kinds = ", ".join(type_name(catalog, TypeRef(x), search_path) for x in (one.left, one.right))
    word = "function" if one.function else "operator"
    home = described(catalog, family, search_path)
    return f"{word} {one.number} ({kinds}) of {home}: {does or call(context, one.does)}"


def member_of(catalog: Catalog, function: bool, oid: Oid) -> tuple[Oid, ClassMember] | None:
    """A family and what is in it under a number of pg_amop, or of pg_amproc; PostgreSQL's too."""
    for family, _, one in _members(catalog):
        if (one.function, one.oid) == (function, oid):
            return family, one
    names = ("amprocfamily", "oid", "amprocnum", "amproclefttype", "amprocrighttype", "amproc") if function else (
        "amopfamily", "oid", "amopstrategy", "amoplefttype", "amoprighttype", "amopopr")  # fmt: skip
    for family, number, *rest in static_columns("pg_amproc" if function else "pg_amop", names):
        if number == oid:
            return family, ClassMember(oid, function, *rest)
    return None


__all__ = [
    "CLASS", "described", "member_described", "member_of", "members", "pg_amop", "pg_amproc", "pg_opclass", "pg_opfamily", "shown",
]  # fmt: skip
