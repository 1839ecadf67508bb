"""Types that users declare, in the same registry as PostgreSQL's own.

A catalog that has such a type declares it, again whenever it was altered. OIDs are never used twice, so what a
dropped type leaves behind is met by nobody, until it is forgotten (`planner.catalog.user_types`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner.abc import TypeRef
from planner.types import registry
from planner.types.arrays import ArrayType
from planner.types.base import SqlType
from planner.types.facts import ARRAY_OF, BY_OID, ELEMENT_OF, BuiltinType


def declare_facts(oid: int, array_oid: int, name: str, kind: str, family: str) -> None:
    """What pg_type says of the type and of the arrays over it. `family`: enum, record, range, multirange."""
    category = {"e": "E", "c": "C", "r": "R", "m": "R"}[kind]
    BY_OID[oid] = BuiltinType(
        oid, name, array_oid, 4 if kind == "e" else -1, kind == "e", kind, category, False, ",", 0, f"{family}_in",
        f"{family}_out", f"{family}_recv", f"{family}_send", "-", "-", "i", "p" if kind == "e" else "x", 0,
    )  # fmt: skip
    if array_oid:
        BY_OID[array_oid] = BuiltinType(
            array_oid, f"_{name}"[:63], 0, -1, False, "b", "A", False, ",", oid, "array_in", "array_out", "array_recv",
            "array_send", "-", "-", "i", "x", 0,
        )  # fmt: skip


def declare(made: SqlType, array_oid: int) -> None:
    """Makes the type and the arrays over it known."""
    registry.TYPES[made.oid] = made
    made.sql_name = registry.told(made.name)
    if array_oid:
        ARRAY_OF[made.oid], ELEMENT_OF[array_oid] = array_oid, made.oid
        registry.TYPES[array_oid] = ArrayType(array_oid, made, ",")
    _forget()


def renamed(known: SqlType) -> None:
    """A type in place has another definition: whoever holds it goes on with the new one."""
    known.name = BY_OID[known.oid].typname
    known.sql_name = registry.told(known.name)
    _forget()


_KEPT: list[Callable[[], None]] = [
    f.cache_clear for f in (registry.bare_type, registry.text_input, registry.text_output, registry.coercion)
]


def forget_with_types(cache_clear: Callable[[], None]) -> None:
    """Has a cache of what was derived from types emptied when one gets another definition."""
    _KEPT.append(cache_clear)


_BESIDE: Final[list[dict[int, Any]]] = []


def kept_beside(by_oid: dict[int, Any]) -> None:
    """Has a dictionary of what else is known of types lose those that are forgotten."""
    _BESIDE.append(by_oid)


def forget(oid: int, array_oid: int) -> None:
    """Nobody has the type any more, nor values of it."""
    for known in (registry.TYPES, BY_OID, ARRAY_OF, ELEMENT_OF, _BASES, DOMAIN_ARRAYS, *_BESIDE):
        known.pop(oid, None)  # type: ignore[attr-defined]
        known.pop(array_oid, None)  # type: ignore[attr-defined]
    _forget()


def _forget() -> None:
    for clear in _KEPT:
        clear()


# --- domains: not types of their own here, but names for others (see `planner.catalog.domains`) ------------

_BASES: dict[int, TypeRef] = {}
DOMAIN_ARRAYS: dict[int, int] = {}
"""array type -> the domain that its elements are of"""


def register_domain(oid: int, array_oid: int, name: str, base: TypeRef) -> None:
    """Makes a domain and the arrays over it known by name and by what is under them. Idempotent."""
    _BASES[oid] = base
    DOMAIN_ARRAYS[array_oid] = oid
    ARRAY_OF[oid] = array_oid
    under = BY_OID[base_of(base).oid]
    BY_OID[oid] = under._replace(oid=oid, typname=name, typarray=array_oid, typtype="d", typelem=0)
    BY_OID[array_oid] = BY_OID[ARRAY_OF.get(under.oid, 1009)]._replace(
        oid=array_oid, typname=f"_{name}"[:63], typelem=oid
    )
    registry.bare_type.cache_clear()


def base_of(ref: TypeRef) -> TypeRef:
    """The type under a domain, the array type under arrays over one; any other type is its own."""
    base = _BASES.get(ref.oid)
    if base is not None:
        return base_of(base)
    element = DOMAIN_ARRAYS.get(ref.oid)
    if element is None:
        return ref
    base = base_of(TypeRef(element))
    return TypeRef(registry.array_of(base.oid), base.typmod)
