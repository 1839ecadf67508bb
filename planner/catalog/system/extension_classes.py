"""Classes of operators that extensions bring, as tools find them: a row of pg_opclass, which pg_index names for each key.

    CREATE INDEX i ON t USING gin (name gin_trgm_ops)     indclass of i  ->  15063  ->  pg_opclass: gin_trgm_ops, for text

As types of extensions do, a class has one OID in every database (`planner.types.of_extensions`), below those of users' objects; it is
there where the extension is, in its schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from planner.abc import Oid
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Extension
from planner.catalog.system.classes import INDEX_METHODS
from planner.extensions import facts
from planner.types import BY_OID
from planner.types.facts import FIRST_USER_OID

FIRST_CLASS = 15000
FIRST_FAMILY = 15100


@dataclass(frozen=True, slots=True)
class ExtensionClass:
    oid: Oid
    family: Oid
    extension: str
    access: str
    name: str
    of: Oid
    default: bool
    keeps: Oid
    """The type of what an index keeps of a value; 0: the value, or what the extension has for it."""

    @property
    def method(self) -> Oid:
        return INDEX_METHODS[self.access]


@lru_cache(maxsize=1)
def _classes() -> tuple[ExtensionClass, ...]:
    types = {kind.typname: oid for oid, kind in BY_OID.items() if oid < FIRST_USER_OID}
    return tuple(
        ExtensionClass(
            FIRST_CLASS + n,
            FIRST_FAMILY + n,
            extension,
            access,
            name,
            types[of],
            default == "1",
            types.get(keeps, 0),
        )
        for n, (extension, access, name, of, default, keeps) in enumerate(facts("classes"))
    )


def classes_in(catalog: Catalog) -> list[tuple[ExtensionClass, Extension]]:
    """Those of the extensions that this database has."""
    here = {e.name: e for e in catalog.all_of(Extension)}
    return [(c, here[c.extension]) for c in _classes() if c.extension in here] if here else []


def class_of_key(catalog: Catalog, access: str, said: str, of: Oid) -> Oid:
    """The class of an index's key that says so, or says nothing; 0: none of an extension's."""
    name = said.rpartition(".")[2]
    for c, _ in classes_in(catalog):
        if c.access == access and (c.name == name if name else c.default and c.of == of):
            return c.oid
    return 0
