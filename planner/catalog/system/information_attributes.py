"""information_schema.attributes: the fields of composite types, as `columns` tells of tables'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.catalog.collations import collation_oid
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.information_collations import collation_facts
from planner.catalog.system.information_domains import type_facts
from planner.catalog.system.listings import schema_name
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.type_objects import CompositeType, Domain

_OF_THE_TYPE: Final = ("udt_catalog", "udt_schema", "udt_name")


def _attributes(context: SystemContext) -> Rows:
    make = RowMaker("attributes", "information_schema", nulls=True)
    places = {c.name for c in make.relation.columns}
    found: Rows = []
    for composite in context.catalog.objects(CompositeType):
        for field in composite.columns:
            of = type_facts(context, field.declared) | collation_facts(context, collation_oid(field))
            domain = context.catalog.get(field.declared.oid)
            if isinstance(domain, Domain):  # is not looked through here
                of |= {"data_type": "USER-DEFINED", "udt_schema": schema_name(context, domain.schema_oid)}
                of["udt_name"] = domain.name
            never_null = field.not_null or (isinstance(domain, Domain) and domain.not_null)
            found.append(
                make(
                    **{f"attribute_{k}": of[k] for k in _OF_THE_TYPE},
                    **{k: v for k, v in of.items() if k in places and k not in _OF_THE_TYPE},
                    udt_catalog=context.database,
                    udt_schema=schema_name(context, composite.schema_oid),
                    udt_name=composite.name,
                    attribute_name=field.name,
                    ordinal_position=field.attnum,
                    is_nullable="NO" if never_null else "YES",
                    dtd_identifier=str(field.attnum),
                    is_derived_reference_attribute="NO",
                )
            )
    return found


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {"attributes": _attributes}
