"""PostgreSQL's own functions that run, as PL/pgSQL does: they ask the server for what takes time, so each call is made once.

Large objects, replication slots, documents of whole tables: each family names its own, and this makes of the facts of pg_proc
what a call is bound by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from planner.abc import Oid, TypeRef
from planner.catalog.objects import PG_CATALOG_OID
from planner.catalog.routine_objects import Function, Parameter
from planner.catalog.system.static import static_columns

SCHEMA: Final = "pg_catalog"
_SAID: Final = ("proallargtypes", "proargmodes", "proargnames")

Parameters: TypeAlias = Callable[[str, tuple[Oid, ...]], tuple[Parameter, ...]]
"""Of a function's name and the types of its arguments."""


def _parameters(
    types: Sequence[Oid],
    every: Sequence[Oid] | None,
    modes: Sequence[str] | None,
    names: Sequence[str] | None,
) -> tuple[Parameter, ...]:
    """As pg_proc tells them: `every` are the types of all of them, where not all are arguments."""
    oids = every or types
    return tuple(
        Parameter(name, TypeRef(oid), mode)
        for oid, mode, name in zip(oids, modes or "i" * len(oids), names or [""] * len(oids), strict=True)
    )


def of_names(names: AbstractSet[str], parameters: Parameters | None = None) -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them; `parameters`: other ones than it says, with defaults."""
    columns = ("oid", "proname", "proargtypes", "prorettype", "proretset", "proisstrict", *_SAID)
    return {
        oid: Function(
            oid,
            PG_CATALOG_OID,
            name,
            _parameters(types, *said) if parameters is None else parameters(name, tuple(types)),
            TypeRef(result),
            returns_set=bool(many),
            body="",
            strict=bool(strict),
            language="internal",
            runs=True,
        )
        for oid, name, types, result, many, strict, *said in static_columns("pg_proc", columns)
        if name in names
    }


def named(functions: Mapping[Oid, Function], name: str, schema: str) -> list[Function]:
    """Those that a call of this name may mean."""
    return [f for f in functions.values() if f.name == name] if schema in ("", SCHEMA) else []


__all__ = ["SCHEMA", "named", "of_names"]
