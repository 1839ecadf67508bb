"""Calls that are named after a user's range type, or its multirange: `floatrange(1, 2, '[]')`, `floatmultirange(a, b)`.

PostgreSQL makes functions of these names with the type. Here they are not stored: a call that names no other function
asks whether it names such a type. Their operation is `#OID(what)`, for a type may be renamed.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.binding import ir
from planner.binding.facts import Proc, array_name, type_name
from planner.binding.resolve import chosen, spread
from planner.catalog import Catalog, MultirangeType, RangeType
from planner.types.declared import base_of

_RANGE, _EMPTY, _ONE, _ARRAY = "range", "multirange", "multirange of one", "multirange of array"


def constructed_type(
    catalog: Catalog, name: str, schema: str, search_path: Sequence[str]
) -> RangeType | MultirangeType | None:
    """The range or multirange type of that name."""
    found = (
        catalog.find_type(name, schema, search_path) if not schema or catalog.find_schema(schema) else None
    )
    return found if isinstance(found, RangeType | MultirangeType) else None


def constructor(
    made: RangeType | MultirangeType, given: Sequence[ir.Node], variadic: bool
) -> tuple[str, Proc, tuple[str, ...]] | None:
    """The operation, and what it is declared with: by each argument. None: no such function. Raises Ambiguous."""
    own = type_name(made.oid)
    if isinstance(made, RangeType):
        bound = type_name(base_of(made.subtype).oid)
        rows = [_proc(own, (bound, bound)), _proc(own, (bound, bound, "text"))]
    else:
        one = type_name(made.range_oid)
        rows = [_proc(own, ()), _proc(own, (one,)), _proc(own, (array_name(one),), not variadic)]
    found = chosen(spread(rows, len(given)), tuple(type_name(g.type.oid) for g in given))
    if found is None:
        return None
    proc, declared = found
    if isinstance(made, RangeType):
        what = _RANGE
    elif variadic:
        what = _ARRAY
    else:
        what = _ONE if len(declared) == 1 and not proc.variadic else _EMPTY
    return f"#{made.oid}({what})", proc, declared


def _proc(result: str, args: tuple[str, ...], variadic: bool = False) -> Proc:
    return Proc("", args, result, "f", False, False, variadic, "i", 0, "n", 0, 0, ())
