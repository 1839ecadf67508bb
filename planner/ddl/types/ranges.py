"""CREATE TYPE ... AS RANGE: a range type over any type that has an order, and with it the multirange over it.

    CREATE TYPE floatrange AS RANGE (subtype = float8, subtype_diff = float8mi)
        floatrange        floatrange[]             floatrange(0, 1.5)
        floatmultirange   floatmultirange[]        floatmultirange(floatrange(0, 1), floatrange(2, 3))

Functions of an index (`subtype_diff`) are kept for those who ask; no index is searched by them. A canonical function
would have to be in C, and to be there before its type is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from planner import statements as st
from planner import types
from planner.abc import Oid, PlanError, TypeRef
from planner.catalog import CompositeType, Domain, MultirangeType, RangeType, Schema, rights
from planner.catalog.collations import by_bytes, is_collatable
from planner.catalog.system.extension_classes import class_of_key
from planner.catalog.system.operator_choice import opclass_for
from planner.ddl import collations, others
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type
from planner.errors import NoSuchType
from planner.records import replace
from planner.types.user_ranges import may_be_bounds

NAME_BYTES_MAX: Final = 63
_DIFFERENCES: Final = {
    "float8mi": types.FLOAT8,
    "int4range_subdiff": types.INT4,
    "int8range_subdiff": types.INT8,
    "numrange_subdiff": types.NUMERIC,
    "daterange_subdiff": types.DATE,
    "tsrange_subdiff": types.TIMESTAMP,
    "tstzrange_subdiff": types.TIMESTAMPTZ,
}
"""PostgreSQL's own functions that say how far two values are from each other, and of which type these are."""


def create_range(scope: Scope, said: st.CreateRange) -> None:
    """The range type and its multirange. Raises 42601, 42704, 42710, 42804, 42809, 42883, 42P17, 0A000."""
    schema = others.place(scope, said.name)
    name = said.name.name
    if said.subtype is None:
        raise PlanError("42601", 'type attribute "subtype" is required')
    options = dict(said.options)
    subtype = TypeRef(resolve_type(replace(said.subtype, position=0), scope.catalog, scope.search_path).oid)
    shown = types.format_type(subtype)
    fact = types.BY_OID.get(subtype.oid)
    if fact is not None and fact.typtype == "p":
        raise PlanError("42804", f"range subtype cannot be {shown}")
    base = types.base_of(subtype)
    opclass = _opclass(scope, options.get("subtype_opclass"), base, shown)
    if base != subtype and (base.typmod >= 0 or _has_conditions(scope, subtype.oid)):
        raise PlanError("0A000", f"ranges over type {shown}, which has conditions, are not supported")
    if types.composite_conditions(types.element_of(base.oid) or base.oid):
        raise PlanError(
            "0A000", f"ranges over type {shown}, whose attributes have conditions, are not supported"
        )
    if not may_be_bounds(base.oid):
        raise PlanError("0A000", f"ranges over type {shown} are not supported")
    collation = _collation(scope, options.get("collation"), base)
    if "canonical" in options:
        raise PlanError(
            "42P17",
            "cannot specify a canonical function without a pre-created shell type",
            hint="Create the type as a shell type, then create its canonicalization function, "
            "then do a full CREATE TYPE.",
        )
    difference = _difference(options.get("subtype_diff"), subtype, shown)
    multi = options.get("multirange_type_name")
    if multi is not None and multi.schema == "pg_catalog":
        _refuse_built_in(multi.name)
    home, multi_name = (scope.schema_for(multi), multi.name) if multi else (schema, _multirange_name(name))
    if multi:
        rights.require(scope.catalog, scope.user, home, "create")
    _refuse_taken(scope, home, multi_name, "" if multi else name)
    if (home.oid, multi_name) == (schema.oid, name):
        raise PlanError("42710", f'type "{name}" already exists')
    array, multi_oid, multi_array, oid = (scope.allocate() for _ in range(4))
    scope.add(
        RangeType(
            oid, schema.oid, name, array, subtype, multi_oid, opclass, collation, difference, scope.user
        )
    )
    scope.add(MultirangeType(multi_oid, home.oid, multi_name, multi_array, subtype, oid, scope.user))


def _has_conditions(scope: Scope, oid: Oid) -> bool:
    """Whether a domain, or one under it, has constraints; arrays of such domains, and what is no domain, have none of their own."""
    made = scope.catalog.get(types.element_of(oid) or oid)
    return isinstance(made, Domain) and (
        bool(made.constraints) or made.not_null or _has_conditions(scope, made.base.oid)
    )


def _opclass(scope: Scope, said: st.Name | None, subtype: TypeRef, shown: str) -> int:
    ordered_as = types.RECORD if isinstance(scope.catalog.get(subtype.oid), CompositeType) else subtype.oid
    default = opclass_for("btree", "", ordered_as) or class_of_key(scope.catalog, "btree", "", subtype.oid)
    if said is None:
        found = default
        if not found:
            raise PlanError(
                "42704",
                f'data type {shown} has no default operator class for access method "btree"',
                hint="You must specify an operator class for the range type or define a default operator class "
                "for the subtype.",
            )
        return found
    found = opclass_for("btree", said.name, subtype.oid)
    found = found or class_of_key(scope.catalog, "btree", said.name, subtype.oid)
    if not found:
        raise PlanError("42704", f'operator class "{said}" does not exist for access method "btree"')
    if found != default:
        raise PlanError("0A000", f'ranges by operator class "{said}" are not supported')
    return found


def _collation(scope: Scope, said: st.Name | None, subtype: TypeRef) -> str:
    if said is None:
        return ""
    if not is_collatable(subtype.oid):
        raise PlanError("42809", "range collation specified but subtype does not support collation")
    key = collations.resolved(scope, f"{said.schema}\0{said.name}" if said.schema else said.name, subtype, 0)
    if not by_bytes(key):
        raise PlanError("0A000", f'ranges with the collation "{said.name}" are not supported')
    return key


def _difference(said: st.Name | None, subtype: TypeRef, shown: str) -> str:
    if said is None:
        return ""
    if _DIFFERENCES.get(said.name) != subtype.oid:
        raise PlanError("42883", f"function {said}({shown}, {shown}) does not exist")
    return said.name


def _multirange_name(name: str) -> str:
    """`floatrange` -> `floatmultirange`, `span` -> `span_multirange`."""
    head, word, tail = name.partition("range")
    if word:
        made = f"{head}multirange{tail}"
        return made.encode()[:NAME_BYTES_MAX].decode(errors="ignore")
    tail = "_multirange"
    return name.encode()[: NAME_BYTES_MAX - len(tail)].decode(errors="ignore") + tail


def _refuse_built_in(name: str) -> None:
    """Raises 42710 for the name of one of PostgreSQL's types, which a word of the grammar may stand for: `int`."""
    with suppress(NoSuchType):
        taken = types.BY_OID[types.resolve_name(name).oid].typname
        raise PlanError("42710", f'type "{taken}" already exists')


def _refuse_taken(scope: Scope, home: Schema, name: str, made_for: str) -> None:
    if scope.catalog.type_in(home.oid, name) is None:
        return
    if not made_for:
        raise PlanError("42710", f'type "{name}" already exists')
    raise PlanError(
        "42710",
        f'type "{name}" already exists',
        detail=f'Failed while creating a multirange type for type "{made_for}".',
        hint='You can manually specify a multirange type name using the "multirange_type_name" attribute.',
    )
