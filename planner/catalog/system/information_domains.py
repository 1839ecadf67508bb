"""information_schema: what it says of types, and the views about domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.abc import Table, TypeRef
from planner.catalog.domains import collation_of
from planner.catalog.objects import UserType
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import constraint_definition, domain_default
from planner.catalog.system.information_collations import collation_facts
from planner.catalog.system.information_measures import MEASURES
from planner.catalog.system.listings import schema_name
from planner.catalog.system.rowmaker import of_information_schema
from planner.catalog.type_objects import Domain
from planner.types import BY_OID, type_in_words


def type_facts(context: SystemContext, ref: TypeRef) -> dict[str, Any]:
    """What `columns`, `domains` and `attributes` say of a type."""
    catalog, db = context.catalog, context.database
    facts: dict[str, Any] = {}
    thing = catalog.get(ref.oid)
    if isinstance(thing, Domain):
        facts |= {
            "domain_catalog": db,
            "domain_schema": schema_name(context, thing.schema_oid),
            "domain_name": thing.name,
        }
        ref, thing = thing.base, catalog.get(thing.base.oid)
    known = BY_OID.get(ref.oid)
    if isinstance(thing, UserType):
        facts |= {
            "data_type": "USER-DEFINED",
            "udt_catalog": db,
            "udt_schema": schema_name(context, thing.schema_oid),
            "udt_name": thing.name,
        }
    elif known is None:
        facts |= {"data_type": "ARRAY", "udt_catalog": db, "udt_schema": "public", "udt_name": "_unknown"}
    else:
        data_type = "ARRAY" if known.typcategory == "A" else type_in_words(ref.oid)
        over = catalog.get(known.typelem) if known.typcategory == "A" else None
        element = over if isinstance(over, UserType) else None  # its arrays are where it is
        facts |= {
            "data_type": data_type,
            "udt_catalog": db,
            "udt_schema": schema_name(context, element.schema_oid) if element is not None else "pg_catalog",
            "udt_name": known.typname,
        }
    for column, measure in MEASURES.items():
        measured = measure(ref.oid, ref.typmod)
        if measured is not None:
            facts[column] = measured
    return facts


def _named(context: SystemContext, d: Domain) -> dict[str, Any]:
    return {
        "domain_catalog": context.database,
        "domain_schema": schema_name(context, d.schema_oid),
        "domain_name": d.name,
    }


def _domains(context: SystemContext) -> Rows:
    make = of_information_schema("domains")
    found: Rows = []
    places = {c.name for c in make.relation.columns}
    for d in context.catalog.objects(Domain):
        facts = {k: v for k, v in type_facts(context, d.base).items() if k in places}
        below = context.catalog.get(d.base.oid)
        if isinstance(below, Domain):
            facts |= {"data_type": "USER-DEFINED", "udt_schema": schema_name(context, below.schema_oid)}
            facts["udt_name"] = below.name
        facts |= _named(context, d) | collation_facts(context, collation_of(context.catalog, d))
        facts["domain_default"] = domain_default(context.catalog, d, context.search_path)
        facts["dtd_identifier"] = "1"
        found.append(make(**facts))
    return found


def _domain_constraints(context: SystemContext) -> Rows:
    make = of_information_schema("domain_constraints")
    return [
        make(
            constraint_catalog=context.database,
            constraint_schema=schema_name(context, d.schema_oid),
            constraint_name=c.name,
            is_deferrable="NO",
            initially_deferred="NO",
            **_named(context, d),
        )
        for d in context.catalog.objects(Domain)
        for c in d.constraints
    ]


def domain_checks(context: SystemContext) -> Rows:
    """The rows of check_constraints that are domains'."""
    make = of_information_schema("check_constraints")
    return [
        make(
            constraint_catalog=context.database,
            constraint_schema=schema_name(context, d.schema_oid),
            constraint_name=c.name,
            check_clause=constraint_definition(context.catalog, d, c, context.search_path)[len("CHECK ") :],
        )
        for d in context.catalog.objects(Domain)
        for c in d.constraints
    ]


def _column_domain_usage(context: SystemContext) -> Rows:
    make = of_information_schema("column_domain_usage")
    found: Rows = []
    for t in context.catalog.objects(Table):
        for c in t.columns:
            domain = context.catalog.get(c.declared.oid)
            if isinstance(domain, Domain):
                found.append(
                    make(
                        table_catalog=context.database,
                        table_schema=schema_name(context, t.schema_oid),
                        table_name=t.name,
                        column_name=c.name,
                        **_named(context, domain),
                    )
                )
    return found


def _domain_udt_usage(context: SystemContext) -> Rows:
    make = of_information_schema("domain_udt_usage")
    found: Rows = []
    for d in context.catalog.objects(Domain):
        facts = type_facts(context, d.base)
        under = {k: facts.get(k) for k in ("udt_catalog", "udt_schema", "udt_name")}
        found.append(make(**under, **_named(context, d)))
    return found


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "column_domain_usage": _column_domain_usage,
    "domain_constraints": _domain_constraints,
    "domain_udt_usage": _domain_udt_usage,
    "domains": _domains,
}
