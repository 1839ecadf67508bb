"""Names of types in DDL, casts and PREPARE to types: the session's own first, then the built-in ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner import types
from planner.abc import PlanError, SqlError, TypeRef
from planner.catalog import BaseType, Catalog, CompositeType, EnumType, MultirangeType, RangeType
from planner.catalog.by_name import OWN_TEMPORARY
from planner.catalog.names import missing_schema, missing_type
from planner.errors import NoSuchType
from planner.statements import TypeName

SERIALS: Final = {
    "smallserial": types.INT2,
    "serial2": types.INT2,
    "serial": types.INT4,
    "serial4": types.INT4,
    "bigserial": types.INT8,
    "serial8": types.INT8,
}


def resolve_type(name: TypeName, catalog: Catalog, search_path: Sequence[str]) -> TypeRef:
    """The type. Raises 42704 `type "x" does not exist` with position, 42601 and 22023 for bad modifiers."""
    words = name.names
    schema = words[-2] if len(words) > 1 else ""
    if schema not in ("", OWN_TEMPORARY) and catalog.find_schema(schema) is None:
        raise missing_schema(schema, name.position)
    if schema != "pg_catalog":
        found = catalog.type_named(words[-1], schema, search_path)
        if found is not None:
            oid = found.array_oid if name.dimensions else found.oid
            if not name.modifiers:
                return TypeRef(oid)
            try:
                return TypeRef(oid, types.modifier(found.oid, [str(m) for m in name.modifiers], words[-1]))
            except SqlError as e:
                e.position = e.position or name.position
                raise
        arrays = catalog.array_named(words[-1], schema, search_path)
        if arrays and not (name.modifiers or name.dimensions):
            return TypeRef(arrays)
        if schema:
            raise missing_type(".".join(words), name.position)
    word = words[-1]
    if name.interval_fields:
        word += " " + name.interval_fields
    try:
        return types.resolve_name(word + "[]" * name.dimensions, name.modifiers)
    except NoSuchType:
        raise missing_type(".".join(words) + "[]" * name.dimensions, name.position) from None
    except SqlError as e:
        e.position = e.position or name.position
        raise


def serial_type(name: TypeName) -> int:
    """The integer type behind serial and its kin; 0 for anything else."""
    return SERIALS.get(name.names[0], 0) if len(name.names) == 1 and not name.dimensions else 0


def check_no_pseudo_type(ref: TypeRef, column: str) -> None:
    """Raises 42P16 for a type that has no values of its own."""
    fact = types.BY_OID.get(ref.oid)
    if fact is not None and fact.typtype == "p":
        raise PlanError("42P16", f'column "{column}" has pseudo-type {types.type_in_words(ref.oid)}')


def check_column_type(ref: TypeRef, column: str, catalog: Catalog) -> None:
    """Raises 0A000 or 42P16 for a type that no stored column can have here."""
    ref = types.base_of(ref)
    thing = catalog.get(ref.oid)
    if thing is None or isinstance(thing, BaseType):
        check_no_pseudo_type(ref, column)
        types.check_storable(ref)
        return
    if types.composite_conditions(types.element_of(ref.oid)):
        shown = types.format_type(ref)
        raise PlanError(
            "0A000", f"columns of type {shown}, whose attributes have conditions, are not supported"
        )
    if isinstance(thing, EnumType | CompositeType | RangeType | MultirangeType):
        return
    raise PlanError("0A000", f"columns of type {thing.name} are not supported")  # type: ignore[union-attr]
