"""Classes and families of operators by name and by number: PostgreSQL's, which all databases have, and users'.

    found(catalog, CLASS, "btree", "int4_ops", "", path)       the OID that a search path finds
    named(catalog, 1978)                                       Named(kind, method, schema, name, ...)

An index's key keeps a user's class by its OID (`#16400`), as columns keep collations, so that it may be renamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from planner.abc import Oid
from planner.catalog.class_objects import ClassMember, OperatorClass, OperatorFamily
from planner.catalog.objects import PG_CATALOG_OID, Index

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

CLASS, FAMILY = "operator class", "operator family"
_MADE: Final[dict[str, type[OperatorClass] | type[OperatorFamily]]] = {
    CLASS: OperatorClass,
    FAMILY: OperatorFamily,
}


@dataclass(frozen=True, slots=True)
class Method:
    """A method of indexes: how many numbers its operators (0: as many as one likes) and functions have, and what it can do."""

    oid: Oid
    name: str
    operators: int
    functions: int
    options: int
    """The function that reads a class's options."""
    storage: bool = False
    """Keeps values of another type than the column's."""
    by_distance: bool = False
    """Answers ORDER BY by operators."""


METHODS: Final = {
    m.name: m
    for m in (
        Method(403, "btree", 5, 5, 5), Method(405, "hash", 1, 3, 3), Method(783, "gist", 0, 11, 10, True, True),
        Method(2742, "gin", 0, 7, 7, True), Method(4000, "spgist", 0, 7, 6, True, True), Method(3580, "brin", 0, 15, 5, True),
    )
}  # fmt: skip
METHOD_OF: Final = {m.oid: m for m in METHODS.values()}


@dataclass(frozen=True, slots=True)
class Named:
    """What PostgreSQL's and users' have alike. Of a class, also its family and the type that it is for."""

    kind: str
    oid: Oid
    method: str
    schema_oid: Oid
    name: str
    family: Oid = 0
    type_oid: Oid = 0
    default: bool = False


@lru_cache(maxsize=1)
def own() -> dict[str, dict[Oid, Named]]:
    """PostgreSQL's, of both kinds."""
    from planner.catalog.system.static import static_columns

    families = {
        int(oid): Named(FAMILY, int(oid), METHOD_OF[method].name, schema, name)
        for oid, method, schema, name in static_columns(
            "pg_opfamily", ("oid", "opfmethod", "opfnamespace", "opfname")
        )
    }
    classes = {
        int(oid): Named(CLASS, int(oid), METHOD_OF[method].name, schema, name, family, of, default)
        for oid, method, schema, name, family, of, default in static_columns(
            "pg_opclass",
            ("oid", "opcmethod", "opcnamespace", "opcname", "opcfamily", "opcintype", "opcdefault"),
        )
    }
    return {FAMILY: families, CLASS: classes}


@lru_cache(maxsize=1)
def _own_by_name() -> dict[tuple[str, str, str], Oid]:
    return {(k, x.method, x.name): oid for k, all_of in own().items() for oid, x in all_of.items()}


def in_schema(
    catalog: Catalog, kind: str, method: str, schema_oid: Oid, name: str
) -> OperatorClass | OperatorFamily | None:
    """A user's of this name; None where there is none."""
    there: list[OperatorClass | OperatorFamily] = catalog.at(_MADE[kind], schema_oid)
    return next((x for x in there if (x.method, x.name) == (method, name)), None)


def found(
    catalog: Catalog, kind: str, method: str, name: str, schema: str, search_path: Sequence[str]
) -> Oid:
    """The OID under which a name is found; 0: nowhere."""
    homes = [catalog.find_schema(schema)] if schema else catalog.schemas_on(search_path)
    for home in homes:
        if home is None or (not schema and home.name.startswith("pg_temp_")):
            continue
        built_in = _own_by_name().get((kind, method, name), 0) if home.oid == PG_CATALOG_OID else 0
        if built_in:
            return built_in
        made = in_schema(catalog, kind, method, home.oid, name)
        if made is not None:
            return made.oid
    return 0


def named(catalog: Catalog, oid: Oid) -> Named | None:
    """By its number, of whichever kind; None: there is none."""
    for of_kind in own().values():
        if oid in of_kind:
            return of_kind[oid]
    made = catalog.get(oid)
    if isinstance(made, OperatorFamily):
        return Named(FAMILY, oid, made.method, made.schema_oid, made.name)
    if isinstance(made, OperatorClass):
        return Named(
            CLASS, oid, made.method, made.schema_oid, made.name, made.family, made.type_oid, made.default
        )
    return None


def visible(catalog: Catalog, oid: Oid, search_path: Sequence[str]) -> bool | None:
    """Whether its bare name finds it. None: there is none."""
    one = named(catalog, oid)
    if one is None:
        return None
    return found(catalog, one.kind, one.method, one.name, "", search_path) == oid


def members(catalog: Catalog, family: Oid) -> list[ClassMember]:
    """What users have put into a family, by itself and with classes of it."""
    made = catalog.get(family)
    found = list(made.members) if isinstance(made, OperatorFamily) else []
    for each in catalog.objects(OperatorClass):
        if each.family == family:
            found += each.members
    return found


def default_class(catalog: Catalog, method: str, type_oid: Oid) -> Oid:
    """The class of a type that users have made to be the default one; 0: there is none."""
    for made in catalog.objects(OperatorClass):
        if made.default and (made.method, made.type_oid) == (method, type_oid):
            return made.oid
    return 0


def key_of(oid: Oid) -> str:
    """How an index's key names a user's class."""
    return f"#{oid}"


def oid_of(key: str) -> Oid:
    """The user's class that an index's key names; 0 where it names another one."""
    return int(key[1:]) if key.startswith("#") else 0


def has_own_order(index: Index) -> bool:
    """Whether an index's keys are in the order of their types, or one of PostgreSQL's: only such are searched."""
    return not any(oid_of(k.opclass) for k in index.keys)


__all__ = [
    "CLASS", "FAMILY", "METHODS", "Method", "Named", "default_class", "found", "has_own_order", "in_schema", "key_of", "members",
    "named", "oid_of", "own", "visible",
]  # fmt: skip
