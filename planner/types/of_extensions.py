"""Types that extensions bring: what pg_type says of them, under OIDs that are theirs in every database.

    CREATE EXTENSION citext     the name `citext` is found in the extension's schema; the type is 15900 wherever it is

PostgreSQL gives them the next OIDs of the database. Here they are below those of users' objects, so that one signature
(`citext = citext`) and one behaviour serve all databases, and a type is known before any catalog is. Their names are
not among the built-in ones: who may say them is the catalog's to know (`Catalog.type_in`).
"""

from __future__ import annotations

from typing import Final

from planner.types import oids
from planner.types.facts import ARRAY_OF, BY_OID, ELEMENT_OF, BuiltinType

MEMBERS: Final[dict[str, tuple[BuiltinType, ...]]] = {
    "citext": (
        BuiltinType(
            oids.CITEXT, "citext", oids.CITEXT_ARRAY, -1, False, "b", "S", False, ",", 0, "citextin", "citextout",
            "citextrecv", "citextsend", "-", "-", "i", "x", 100,
        ),
    ),
    "hstore": (
        BuiltinType(
            oids.HSTORE, "hstore", oids.HSTORE_ARRAY, -1, False, "b", "U", False, ",", 0, "hstore_in", "hstore_out",
            "hstore_recv", "hstore_send", "-", "-", "i", "x", 0,
        ),
    ),
    "ltree": (
        BuiltinType(
            oids.LTREE, "ltree", oids.LTREE_ARRAY, -1, False, "b", "U", False, ",", 0, "ltree_in", "ltree_out",
            "ltree_recv", "ltree_send", "-", "-", "i", "x", 0,
        ),
        BuiltinType(
            oids.LQUERY, "lquery", oids.LQUERY_ARRAY, -1, False, "b", "U", False, ",", 0, "lquery_in", "lquery_out",
            "lquery_recv", "lquery_send", "-", "-", "i", "x", 0,
        ),
        BuiltinType(
            oids.LTXTQUERY, "ltxtquery", oids.LTXTQUERY_ARRAY, -1, False, "b", "U", False, ",", 0, "ltxtq_in",
            "ltxtq_out", "ltxtq_recv", "ltxtq_send", "-", "-", "i", "x", 0,
        ),
    ),
    "intarray": (
        BuiltinType(
            oids.QUERY_INT, "query_int", oids.QUERY_INT_ARRAY, -1, False, "b", "U", False, ",", 0, "bqarr_in", "bqarr_out",
            "-", "-", "-", "-", "i", "x", 0,
        ),
    ),
    "vector": (
        BuiltinType(
            oids.VECTOR, "vector", oids.VECTOR_ARRAY, -1, False, "b", "U", False, ",", 0, "vector_in", "vector_out",
            "vector_recv", "vector_send", "vector_typmod_in", "-", "i", "e", 0,
        ),
    ),
}  # fmt: skip
"""By extension, in the order in which they came here: what reads and writes them is numbered in it."""
EXTENSION_OF: Final[dict[int, str]] = {}
"""By the OIDs of the types, and of arrays over them."""


def _declare(extension: str, made: BuiltinType) -> None:
    array = BuiltinType(
        made.typarray, f"_{made.typname}", 0, -1, False, "b", "A", False, ",", made.oid, "array_in", "array_out",
        "array_recv", "array_send", "-", "-", "i", "x", made.typcollation,
    )  # fmt: skip
    for each in (made, array):
        BY_OID[each.oid] = each
        EXTENSION_OF[each.oid] = extension
    ARRAY_OF[made.oid], ELEMENT_OF[array.oid] = array.oid, made.oid


for _extension, _types in MEMBERS.items():
    for _type in _types:
        _declare(_extension, _type)
