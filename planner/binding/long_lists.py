"""Long lists of constants are one array: programs write thousands of keys into IN.

    id IN (17, 4, 99, ...)      id = ANY ('{17,4,99,...}')      one constant, where `id = 17 OR id = 4 OR ...` would be nodes by the thousand

To PostgreSQL every such list is an array. Here only long ones of plain types are, whose array holds each as it stands; the others stay
comparisons, of which DuckDB and the keyed engine see the values. The elements are kept beside the array for who wants them: definitions
are shown by them, partitions chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.listed_literals import LISTS
from planner.normalise import INT4, UNKNOWN
from planner.types.array_values import ArrayValue, write

LONG: Final = 32
"""Elements from which on a list is an array."""

_BITS: Final = {t.INT4: 32, t.INT8: 64}
_INTEGERS: Final = {t.INT2, *_BITS}
_SAID: Final = (t.TEXT, t.VARCHAR, t.UUID)
_TEXTS: Final = (t.TEXT, t.VARCHAR, t.UNKNOWN)


def array_of(left: ir.Node, among: Sequence[ir.Node]) -> ir.Lit | None:
    """The array that `left` is compared with; None where the list is short, or not of constants of its type."""
    if len(among) < LONG or not all(type(n) is ir.Lit for n in among):
        return None
    values = [n.value for n in among]  # type: ignore[attr-defined]
    mine, theirs = left.type.oid, {n.type.oid for n in among}
    if mine in _INTEGERS:
        if not theirs <= _INTEGERS:
            return None
        mine = max(mine, t.INT4, key=lambda oid: _BITS.get(oid, 0))  # a smallint is compared with integers
        over = 1 << (_BITS[mine] - 1)
        if not all(isinstance(v, int) and -over <= v < over for v in values):
            return None
        return ir.Lit(TypeRef(t.array_of(mine)), f"{{{','.join(map(str, values))}}}")
    if mine in (t.TEXT, t.VARCHAR):
        if not theirs.issubset(_TEXTS):
            return None
        mine = t.TEXT
    elif mine != t.UUID or theirs != {t.UUID}:
        return None
    if not all(isinstance(v, str) for v in values):
        return None
    return ir.Lit(TypeRef(t.array_of(mine)), write(ArrayValue((len(values),), (1,), values)))


def parameter(left: ir.Node, kind: str) -> TypeRef | None:
    """The array that a list of literals is which the text is planned without (`planner.listed_literals`), beside `left`; None where it
    is to be seen."""
    mine = left.type.oid
    if not any(isinstance(n, ir.Var) for n in ir.walk(left)):
        return None
    if kind == LISTS[UNKNOWN]:
        return TypeRef(t.array_of(t.TEXT if mine == t.VARCHAR else mine)) if mine in _SAID else None
    if mine == t.INT8 or (mine in _INTEGERS and kind == LISTS[INT4]):
        return TypeRef(t.array_of(max(mine, t.INT4, key=lambda oid: _BITS.get(oid, 0))))
    return None


def of_parameters(left: ir.Node, declared: int) -> tuple[TypeRef | None, TypeRef | None]:
    """The same of a list of parameters (`planner.listed_parameters`), and of what type each of them is. `declared`: by a client, or 0."""
    mine, element = left.type.oid, declared or left.type.oid
    if mine in _INTEGERS and element in _INTEGERS:
        widest = max(mine, t.INT4, key=lambda oid: _BITS.get(oid, 0))
        fits = _BITS.get(element, 0) <= _BITS[widest]
    else:
        widest = t.TEXT if mine == t.VARCHAR else mine
        fits = mine in _SAID and (element == mine or {mine, element} <= {t.TEXT, t.VARCHAR})
    if not fits or not any(isinstance(n, ir.Var) for n in ir.walk(left)):
        return None, None
    return TypeRef(t.array_of(widest)), TypeRef(element)


def elements(among: Sequence[ir.Node], ref: TypeRef) -> tuple[ir.Lit, ...]:
    """The same one by one, of the array's element type."""
    return tuple([ir.Lit(ref, n.value, n.position) for n in among if isinstance(n, ir.Lit)])


__all__ = ["LONG", "array_of", "elements", "of_parameters", "parameter"]
