"""What reads and writes the types that extensions bring, and what triggers call of theirs, as tools find it: rows of pg_proc.

    SELECT typsend FROM pg_type WHERE typname = 'citext'    citextsend
    SELECT tgfoid::regproc FROM pg_trigger                  moddatetime

Drivers choose how to decode a type by the names of these functions (Postgrex), so they are there where the extension is, in its
schema. As types of extensions do, they have one OID in every database, below those of users' objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from planner.abc import Oid
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Extension
from planner.catalog.system.classes import owner_oid
from planner.catalog.system.rowmaker import RowMaker
from planner.extensions import trigger_functions
from planner.types.of_extensions import MEMBERS
from planner.types.oids import BYTEA, CSTRING, TRIGGER

FIRST_FUNCTION: Final = 15200
_INTERNAL: Final = 2281
_INTERNAL_LANGUAGE, _C_LANGUAGE = 12, 13


@dataclass(frozen=True, slots=True)
class ExtensionFunction:
    oid: Oid
    extension: str
    name: str
    argument: Oid
    """Zero: none."""
    result: Oid
    source: str
    """The function that it is by another name; empty where it is the extension's own."""
    stable: bool


@lru_cache(maxsize=1)
def _functions() -> tuple[ExtensionFunction, ...]:
    found: list[ExtensionFunction] = []
    for extension, types in MEMBERS.items():
        for made in types:
            for name, argument, result in (
                (made.typinput, CSTRING, made.oid),
                (made.typoutput, made.oid, CSTRING),
                (made.typreceive, _INTERNAL, made.oid),
                (made.typsend, made.oid, BYTEA),
            ):
                if name == "-":
                    continue
                is_text = extension == "citext"
                source = name.replace("citext", "text") if is_text else ""
                stable = is_text and name in (made.typreceive, made.typsend)
                oid = FIRST_FUNCTION + len(found)
                found.append(ExtensionFunction(oid, extension, name, argument, result, source, stable))
    return tuple(found)


_OF_TRIGGERS: Final = tuple(
    ExtensionFunction(f.oid, f.extension, f.name, 0, TRIGGER, "", False) for f in trigger_functions.ALL
)


@lru_cache(maxsize=1)
def by_name() -> dict[str, Oid]:
    return {f.name: f.oid for f in _functions()}


def functions_in(catalog: Catalog) -> list[tuple[ExtensionFunction, Extension]]:
    """Those of the extensions that this database has."""
    here = {e.name: e for e in catalog.all_of(Extension)}
    return (
        [(f, here[f.extension]) for f in (*_functions(), *_OF_TRIGGERS) if f.extension in here]
        if here
        else []
    )


def rows(catalog: Catalog) -> list[tuple[object, ...]]:
    """Of pg_proc."""
    make = RowMaker("pg_proc")
    return [
        make(
            oid=f.oid,
            proname=f.name,
            pronamespace=extension.schema_oid,
            proowner=owner_oid(catalog, extension.owner),
            prolang=_INTERNAL_LANGUAGE if f.source else _C_LANGUAGE,
            procost=1,
            prokind="f",
            proisstrict=bool(f.argument),
            provolatile="v" if not f.argument else "s" if f.stable else "i",
            proparallel="s" if f.argument else "u",
            pronargs=int(bool(f.argument)),
            prorettype=f.result,
            proargtypes=[f.argument] if f.argument else [],
            prosrc=f.source or f.name,
            probin=None if f.source else f"$libdir/{f.extension}",
        )
        for f, extension in functions_in(catalog)
    ]


__all__ = ["ExtensionFunction", "by_name", "functions_in", "rows"]
