"""Domains seen from below: what is left of a type when its domains are taken off, and what they demand.

    CREATE DOMAIN posint AS int CHECK (VALUE > 0)
    CREATE DOMAIN small AS posint CHECK (VALUE < 100)

    small   ->  int, with  posint's VALUE > 0, then  small's VALUE < 100
    small[] ->  int[], the same of every element

A condition speaks of VALUE. `over_column` says it of a column, which is how tables check their rows: a table with a
column of a domain has the domain's conditions beside its own, each with a wording of its own when it fails.
"""

from __future__ import annotations

import dataclasses

from planner import types
from planner.abc import Column, Constraint, DomainUse, Oid, Table, TypeRef
from planner.catalog.attribute_domains import VALUE, said_of
from planner.catalog.catalog import Catalog
from planner.catalog.collations import oid_of
from planner.catalog.names import quote_identifier
from planner.catalog.type_objects import Domain
from planner.relations import domain_in

__all__ = [
    "VALUE",
    "column_of",
    "conditions",
    "domain_of",
    "of_expression",
    "over_column",
    "refusal",
    "refused",
    "underneath",
    "violation",
]


def underneath(catalog: Catalog, ref: TypeRef) -> tuple[TypeRef, DomainUse | None]:
    """The type under all domains, and what they ask of its values; None for a type that is no domain."""
    found = _domain(catalog, ref)
    if found is None:
        return ref, None
    domain, is_array = found
    base, use = underneath(catalog, domain.base)
    checks = use.checks if use is not None else ()
    not_null = domain.not_null or (use is not None and use.not_null)
    checks += tuple((c.name, c.expression) for c in sorted(domain.constraints, key=lambda c: c.name))
    if not is_array:
        inherits = use is not None and domain.default is None and not domain.own_default
        default = use.default if use is not None and inherits else domain.default
        return base, DomainUse(ref.oid, domain.name, not_null, checks, default)
    return TypeRef(types.array_of(base.oid), base.typmod), DomainUse(
        ref.oid, domain.name, not_null, checks, None, over_elements=True
    )


def collation_of(catalog: Catalog, domain: Domain) -> Oid:
    """Its own collation, or that of what it is over; 0 over types without."""
    said = said_collation(catalog, TypeRef(domain.oid))
    if said:
        return oid_of(said)
    known = types.BY_OID.get(underneath(catalog, TypeRef(domain.oid))[0].oid)
    return known.typcollation if known is not None else 0


def said_collation(catalog: Catalog, ref: TypeRef) -> str:
    """The key of the collation that a domain, or one that it is over, was made with, which columns of it have; "" for none."""
    found = _domain(catalog, ref)
    return "" if found is None else found[0].collation or said_collation(catalog, found[0].base)


def _domain(catalog: Catalog, ref: TypeRef) -> tuple[Domain, bool] | None:
    """The domain of a type, and whether the type is of arrays over it."""
    thing = catalog.get(ref.oid)
    if isinstance(thing, Domain):
        return thing, False
    element = types.element_of(ref.oid) or types.DOMAIN_ARRAYS.get(ref.oid, 0)
    thing = catalog.get(element) if element else None
    return (thing, True) if isinstance(thing, Domain) else None


def column_of(catalog: Catalog, column: Column) -> Column:
    """The column, declared with any type, as it is stored."""
    base, use = underneath(catalog, column.declared)
    return dataclasses.replace(column, type=base if use is not None else column.type, domain=use)


def of_expression(catalog: Catalog, column: Column, ref: TypeRef) -> Column:
    """A column that is made of an expression of this type: of its domain, if that is one."""
    domain = domain_in(ref)
    return column_of(catalog, dataclasses.replace(column, type=TypeRef(domain))) if domain else column


def over_column(expression: str, column: Column) -> str:
    """A domain's condition, said of a column (of each element of an array)."""
    assert column.domain is not None
    if column.domain.over_elements:
        elements, names = f"unnest({quote_identifier(column.name)})", f"tw_elements({VALUE})"
        if types.composite_fields(types.element_of(column.type.oid)) is not None:
            # unnest() makes columns of the attributes: the element is the whole row.
            expression, names = said_of(expression, "tw_elements"), "tw_elements"
        each = f"SELECT bool_and(coalesce(({expression}), true)) FROM {elements} AS {names}"
        return f"(coalesce(({each}), true))"
    return said_of(expression, quote_identifier(column.name))


def conditions(table: Table) -> list[Constraint]:
    """What the domains of a table's columns ask of its rows, as constraints of kind "d"; no name: NOT NULL."""
    found: list[Constraint] = []
    for column in table.columns:
        use = column.domain
        for asked in types.composite_conditions(column.type.oid):
            test = said_of(asked.expression, quote_identifier(column.name))
            found.append(Constraint(asked.domain, asked.check, "d", (column.attnum,), test))
        if use is None:
            continue
        if use.not_null:
            test = over_column(f"{VALUE} IS NOT NULL", column)
            found.append(Constraint(use.oid, "", "d", (column.attnum,), test))
        found += [
            Constraint(use.oid, name, "d", (column.attnum,), over_column(text, column))
            for name, text in use.checks
        ]
    return found


def violation(column: Column, condition: Constraint) -> tuple[str, str]:
    """SQLSTATE and message for a value that a condition of `conditions` refuses."""
    return refused(condition.oid, domain_of(column, condition), condition.name)


def domain_of(column: Column, condition: Constraint) -> str:
    """The name of the domain that asks: the column's own, or that of an attribute."""
    for asked in types.composite_conditions(column.type.oid):
        if asked.domain == condition.oid:
            return asked.name
    assert column.domain is not None
    return column.domain.name


def refusal(use: DomainUse, check: str) -> tuple[str, str]:
    """SQLSTATE and message for a value that fails a domain's check; no name: that is NULL."""
    return refused(use.oid, use.name, check)


def refused(domain: Oid, name: str, check: str) -> tuple[str, str]:
    """As `refusal`; `domain`: its OID, or that of the arrays over it."""
    shown = types.called(types.DOMAIN_ARRAYS.get(domain, domain), name)
    if check:
        return "23514", f'value for domain {shown} violates check constraint "{check}"'
    return "23502", f"domain {shown} does not allow null values"
