"""PostgreSQL's own functions that run, as PL/pgSQL does: they ask the server for what takes time, so each call is made once.

Large objects, replication slots, documents of whole tables: each family names its own, and this makes of the facts of pg_proc
what a call is bound by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from planner.abc import Oid, TypeRef
from planner.catalog.objects import PG_CATALOG_OID
from planner.catalog.routine_objects import Function, Parameter
from planner.catalog.system.static import static_columns

Parameters: TypeAlias = Callable[[str, tuple[Oid, ...]], tuple[Parameter, ...]]
"""Of a function's name and the types of its arguments."""


def _without_names(name: str, types: tuple[Oid, ...]) -> tuple[Parameter, ...]:
    return tuple(Parameter("", TypeRef(t)) for t in types)


def of_names(names: AbstractSet[str], parameters: Parameters = _without_names) -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them."""
    columns = ("oid", "proname", "proargtypes", "prorettype", "proretset", "proisstrict")
    return {
        oid: Function(
            oid,
            PG_CATALOG_OID,
            name,
            parameters(name, tuple(types)),
            TypeRef(result),
            returns_set=bool(many),
            body="",
            strict=bool(strict),
            language="internal",
            runs=True,
        )
        for oid, name, types, result, many, strict in static_columns("pg_proc", columns)
        if name in names
    }


__all__ = ["of_names"]
