"""Conversions between encodings by name: PostgreSQL's, which all databases have, and those that users make of its functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from planner.abc import Oid
from planner.catalog.objects import PG_CATALOG_OID
from planner.catalog.routine_objects import Conversion

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True)
class ConversionFunction:
    """One of PostgreSQL's functions that convert, with the pairs of encodings (by number) that it is for."""

    oid: Oid
    name: str
    sources: frozenset[int]
    targets: frozenset[int]


@lru_cache(maxsize=1)
def functions() -> dict[str, ConversionFunction]:
    """By name."""
    from planner.catalog.system.static import static_columns

    pairs: dict[Oid, list[tuple[int, int]]] = {}
    for oid, source, target in static_columns(
        "pg_conversion", ("conproc", "conforencoding", "contoencoding")
    ):
        pairs.setdefault(oid, []).append((source, target))
    return {
        name: ConversionFunction(oid, name, *map(frozenset, zip(*pairs[oid], strict=True)))
        for oid, name in static_columns("pg_proc", ("oid", "proname"))
        if oid in pairs
    }


@lru_cache(maxsize=1)
def own() -> dict[str, Oid]:
    """PostgreSQL's, by name."""
    from planner.catalog.system.static import static_columns

    return {name: oid for oid, name in static_columns("pg_conversion", ("oid", "conname"))}


def in_schema(catalog: Catalog, schema_oid: Oid, name: str) -> Conversion | None:
    """A user's of this name; None where there is none."""
    return next((x for x in catalog.at(Conversion, schema_oid) if x.name == name), None)


def found(catalog: Catalog, name: str, schema: str, search_path: Sequence[str]) -> Oid:
    """The OID under which a name is found; 0: nowhere."""
    homes = [catalog.find_schema(schema)] if schema else catalog.schemas_on(search_path)
    for home in homes:
        if home is None or (not schema and home.name.startswith("pg_temp_")):
            continue
        if home.oid == PG_CATALOG_OID and name in own():
            return own()[name]
        made = in_schema(catalog, home.oid, name)
        if made is not None:
            return made.oid
    return 0


__all__ = ["ConversionFunction", "found", "functions", "in_schema", "own"]
