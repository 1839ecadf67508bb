"""Types that users declare, in the same registry as PostgreSQL's own.

A catalog that has such a type declares it, again whenever it was altered. OIDs are never used twice, so what a
dropped type leaves behind is met by nobody.
"""

from __future__ import annotations

from planner.types import registry
from planner.types.arrays import ArrayType
from planner.types.base import SqlType
from planner.types.facts import ARRAY_OF, BY_OID, ELEMENT_OF, BuiltinType

FIRST_USER_OID = 16_384


def declare_facts(oid: int, array_oid: int, name: str, kind: str, family: str) -> None:
    """What pg_type says of the type and of the arrays over it. `family`: enum, record."""
    category = {"e": "E", "c": "C"}[kind]
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
    if array_oid:
        ARRAY_OF[made.oid], ELEMENT_OF[array_oid] = array_oid, made.oid
        registry.TYPES[array_oid] = ArrayType(array_oid, made, ",")
    for kept in (registry.format_type, registry.text_input, registry.text_output, registry.coercion):
        kept.cache_clear()
