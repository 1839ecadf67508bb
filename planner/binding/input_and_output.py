"""What values are read and shown with, called by name: `int4in('5')`, `tsvectorout(document)`.

    date_in('2024-02-29')            CAST(text AS date)
    numeric_in('1.005', 0, 196614)   CAST(text AS numeric(3,2))
    date_out(day)                    a cstring, which a text is under another name

A type's functions are listed in pg_type (typinput, typoutput), so they need no list here. Those of pseudo-types (array_in, enum_in,
range_in) are told by their second argument what to make, and are nobody's by name.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.facts import Proc, type_oid

if TYPE_CHECKING:
    from planner.binding.coerce import Coercions

_READ = (("cstring",), ("cstring", "oid", "int4"))


@cache
def _functions() -> dict[str, set[int]]:
    """The types of each function that reads or shows values."""
    found: dict[str, set[int]] = {}
    for fact in t.BUILTIN_TYPES:
        for name in (fact.typinput, fact.typoutput):
            found.setdefault(name, set()).add(fact.oid)
    return found


def as_cast(coercions: Coercions, proc: Proc, args: tuple[ir.Node, ...], position: int) -> ir.Node | None:
    """The call of a built-in type's function as the cast that it is; None: another function."""
    kinds = _functions().get(proc.name)
    if kinds is None:
        return None
    if proc.result == "cstring" and len(args) == 1 and args[0].type.oid in kinds:
        return ir.Call(TypeRef(t.CSTRING), "cstring of value", args, position=position)
    if proc.args not in _READ or type_oid(proc.result) not in kinds:
        return None
    modifier = args[2].value if len(args) == 3 and isinstance(args[2], ir.Lit) else -1
    if not isinstance(modifier, int) or (len(args) == 3 and not isinstance(args[2], ir.Lit)):
        return None
    text = ir.Call(TypeRef(t.TEXT), "text of cstring", (args[0],), position=position)
    kind = type_oid(proc.result)
    value = coercions.coerce(text, TypeRef(kind), "e", position)
    return coercions.coerce(value, TypeRef(kind, modifier), "a", position)


__all__ = ["as_cast"]
