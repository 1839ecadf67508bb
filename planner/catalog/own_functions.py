"""All functions that run and that nobody has made: of large objects, files of the server, replication slots, documents of
tables, and of extensions."""

from __future__ import annotations

from collections.abc import Iterator

from planner.abc import Oid
from planner.catalog import large_objects, server_functions, slot_functions, table_functions, xml_functions
from planner.catalog.routine_objects import Function

_FAMILIES = (large_objects, server_functions, slot_functions, table_functions, xml_functions)


def every() -> Iterator[Function]:
    """All of them."""
    for family in _FAMILIES:
        yield from family.functions().values()


def found(oid: Oid) -> Function | None:
    """The one with this OID."""
    for family in _FAMILIES:
        f: Function | None = family.functions().get(oid)
        if f is not None:
            return f
    return None


__all__ = ["every", "found"]
