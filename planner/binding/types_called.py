"""Casts to users' types in the form of a call: `mood('glad')`, `shop.amount(x)`.

A call that no function takes, of one argument and by a type's name, is a cast, if the type is no row's and the cast is none that a
function makes. Names without a schema mean no type of the temporary schema. See "Function Type Resolution" in PostgreSQL's manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.domains import checked, of_no_domain
from planner.binding.facts import casts, type_name
from planner.catalog import domains
from planner.catalog.by_name import TEMPORARY_PREFIX
from planner.catalog.type_objects import CompositeType

if TYPE_CHECKING:
    from planner.binding.coerce import Coercions
    from planner.binding.queries import QueryBinder

STRINGS: Final = frozenset((t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME))
"""Every row has a text, and a call is no cast to it: it is a column's name, or a mistake."""


def called_type(queries: QueryBinder, name: str, schema: str) -> TypeRef | None:
    """The user's type that a call of one argument may mean."""
    catalog = queries.ctx.catalog
    if schema and catalog.find_schema(schema) is None:
        return None
    path = [s for s in queries.search_path if not s.startswith(TEMPORARY_PREFIX)]
    found = catalog.find_type(name, schema, path)
    return None if found is None or isinstance(found, CompositeType) else TypeRef(found.oid)


def cast_by_call(
    queries: QueryBinder, coercions: Coercions, declared: TypeRef, given: ir.Node, position: int
) -> ir.Node | None:
    """The argument as a value of the type; None where only a function's cast leads there, or none."""
    target, use = domains.underneath(queries.ctx.catalog, declared)
    source = given.type.oid
    method = casts().get((type_name(source), type_name(target.oid)), ("", ""))[1]
    rows = source == t.RECORD or t.composite_fields(source) is not None
    nothing_known = source == t.UNKNOWN and isinstance(given, ir.Parm)  # it has a text's input, and no other
    if method == "f" or (rows and target.oid in STRINGS) or (nothing_known and target.oid not in STRINGS):
        return None
    made = coercions.try_coerce(given, target, "e", position)
    if made is None:
        return None
    return checked(queries, made, use) if use is not None else of_no_domain(made)


__all__ = ["STRINGS", "called_type", "cast_by_call"]
