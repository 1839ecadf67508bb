"""The list of functions whose answer depends on the catalog, and how one gets onto it.

Each is a plain Python function of a `SystemContext` and its SQL arguments (datums; None is NULL). The
binder turns a call into a call of a DuckDB function of the same name with the session's context in
front.

    @system("pg_get_viewdef", (OID, BOOL), TEXT, optional=1)
    def _get_viewdef(context, oid, pretty=False): ...

The families: `functions` (definitions, names, comments), `access` (who may do what), `measures`
(encodings, what never exists here), `sets` (functions that return rows), `sizes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from planner.abc import Oid

_FAMILIES = (
    "functions",
    "described",
    "routines",
    "access",
    "addresses",
    "counters",
    "recovery",
    "event_triggers",
    "identities",
    "index_properties",
    "index_upkeep",
    "information_measures",
    "measures",
    "setting_flags",
    "publications",
    "triggers",
    "sets",
    "sizes",
    "slots",
    "statement_counts",
    "text_search",
    "zones",
)


@dataclass(frozen=True, slots=True)
class SystemFunction:
    """`arguments` are type OIDs; a call may leave the last `optional` of them out.

    `columns` are those of a function that returns rows: its answer is a list of dictionaries by these
    names, or, where there is one column, a list of values.
    """

    name: str
    arguments: tuple[Oid, ...]
    result: Oid
    call: Callable[..., Any]
    optional: int = 0
    columns: tuple[tuple[str, Oid], ...] = ()
    schema: str = "pg_catalog"


_TABLE: dict[tuple[str, tuple[Oid, ...]], SystemFunction] = {}


def system(
    name: str,
    arguments: tuple[Oid, ...],
    result: Oid,
    optional: int = 0,
    columns: tuple[tuple[str, Oid], ...] = (),
    schema: str = "pg_catalog",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Puts the decorated function on the list under this name and signature."""

    def register(call: Callable[..., Any]) -> Callable[..., Any]:
        assert (name, arguments) not in _TABLE, f"{name}{arguments} is there twice"
        _TABLE[name, arguments] = SystemFunction(name, arguments, result, call, optional, columns, schema)
        return call

    return register


@lru_cache(maxsize=1)
def functions() -> tuple[SystemFunction, ...]:
    """All of them."""
    for family in _FAMILIES:
        import_module(f"planner.catalog.system.{family}")
    return tuple(_TABLE.values())


def function_named(name: str, count: int) -> SystemFunction:
    """The first one of this name that takes so many arguments. Raises KeyError."""
    for f in functions():
        if f.name == name and len(f.arguments) - f.optional <= count <= len(f.arguments):
            return f
    raise KeyError(name)
