"""Functions whose types are said by their calls: anyelement and its kin.

    f(anyelement, anyarray) RETURNS anyelement     as it is declared: what the catalog holds, and messages name
    f(1, ARRAY[2])                                 f with (integer, integer[]) RETURNS integer: a function like any other

The second is made of the first and the types of its inputs. It has a number of its own, above all OIDs, by which whoever runs it
finds it again: numbers live as long as the process, as plans do.
"""

from __future__ import annotations

import dataclasses
import itertools
import weakref
from collections.abc import Callable, Mapping
from typing import Final

from planner.abc import Oid, TypeRef
from planner.catalog.routine_objects import Function
from planner.types import array_of, element_of

PSEUDO: Final = {
    2283: "anyelement", 2277: "anyarray", 2776: "anynonarray", 3500: "anyenum", 3831: "anyrange", 4537: "anymultirange",
    5077: "anycompatible", 5078: "anycompatiblearray", 5079: "anycompatiblenonarray", 5080: "anycompatiblerange",
    4538: "anycompatiblemultirange",
}  # fmt: skip
_FIRST: Final = 1 << 33
_numbers: Final = itertools.count(_FIRST)
_by_types: Final[dict[tuple[Oid, tuple[TypeRef, ...]], int]] = {}
_by_number: Final[dict[int, tuple[Oid, tuple[TypeRef, ...]]]] = {}
_made: Final[dict[int, tuple[weakref.ref[Function], Function]]] = {}
"""By number, for as long as any catalog has the function as it is declared there."""


def is_polymorphic(f: Function) -> bool:
    return any(p.type.oid in PSEUDO for p in f.parameters) or f.result.oid in PSEUDO


def concrete(f: Function, types: tuple[TypeRef, ...]) -> Function:
    """The function with these types of its parameters, OUT ones included, and at last of its result. They have no modifiers, but for
    records, of which it says what their fields are."""
    key = f.oid, types
    number = _by_types.get(key)
    if number is None:
        number = _by_types[key] = next(_numbers)
        _by_number[number] = key
    known = _made.get(number)
    if known is not None and known[0]() is f:
        return known[1]
    parameters = tuple(dataclasses.replace(p, type=ref) for p, ref in zip(f.parameters, types, strict=False))
    made = dataclasses.replace(f, oid=number, parameters=parameters, result=types[-1])
    if f.aggregate is not None:
        state = TypeRef(_state(f, made))
        made = dataclasses.replace(made, aggregate=dataclasses.replace(f.aggregate, state=state))

    def gone(ref: weakref.ref[Function]) -> None:
        if (newest := _made.get(number)) is not None and newest[0] is ref:
            del _made[number]

    _made[number] = weakref.ref(f, gone), made
    return made


def _state(f: Function, made: Function) -> Oid:
    """The type of an aggregate's state, which follows from those of its arguments."""
    assert f.aggregate is not None
    own = f.aggregate.state.oid
    name = PSEUDO.get(own, "")
    if not name:
        return own
    for before, now in zip(f.parameters, made.parameters, strict=True):
        was = PSEUDO.get(before.type.oid, "")
        if was:
            element = element_of(now.type.oid) if "array" in was and "nonarray" not in was else now.type.oid
            return array_of(element) if name in ("anyarray", "anycompatiblearray") else element
    return own


def declared(f: Function) -> Function:
    """The function as it was declared."""
    known = _made.get(f.oid)
    was = known[0]() if known is not None else None
    return f if was is None else was


def found(oid: Oid, of_catalog: Callable[[Oid], object]) -> object:
    """What a number, or an OID, is of: `of_catalog` has the functions as they are now."""
    if oid < _FIRST:
        return of_catalog(oid)
    base, types = _by_number[oid]
    f = of_catalog(base)
    return concrete(f, types) if isinstance(f, Function) else f


def types_of(f: Function, bound: Mapping[str, Oid]) -> tuple[TypeRef, ...] | None:
    """The types of its parameters and its result, where `bound` says what each pseudo-type stands for; None: not of all of them."""
    made = [
        bound.get(PSEUDO[oid], 0) if oid in PSEUDO else oid
        for oid in (*(p.type.oid for p in f.parameters), f.result.oid)
    ]
    return None if 0 in made else tuple([TypeRef(oid) for oid in made])


__all__ = ["PSEUDO", "concrete", "declared", "found", "is_polymorphic", "types_of"]
