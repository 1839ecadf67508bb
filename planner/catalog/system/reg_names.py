"""regclass and its kin: OIDs that are read and shown as names, as a search path sees them."""

from __future__ import annotations

from collections.abc import Callable

from planner.abc import Oid, SqlError
from planner.catalog.names import split_name
from planner.catalog.system.context import SystemContext
from planner.catalog.system.functions import (
    regclass_in,
    regclass_out,
    regnamespace_out,
    regproc_out,
    regtype_out,
)
from planner.catalog.system.static import proc_oids
from planner.types import resolve_name
from planner.types.oids import REGCLASS, REGTYPE

REGPROC, REGPROCEDURE, REGROLE, REGNAMESPACE = 24, 2202, 4096, 4089


def _rolename(context: SystemContext, oid: Oid | None) -> str | None:
    thing = context.catalog.get(oid) if oid is not None else None
    name = getattr(thing, "name", None)
    return str(name) if name is not None else str(oid)


OUTPUT: dict[Oid, Callable[[SystemContext, Oid | None], str | None]] = {
    REGCLASS: regclass_out,
    REGTYPE: regtype_out,
    REGPROC: regproc_out,
    REGPROCEDURE: regproc_out,
    REGNAMESPACE: regnamespace_out,
    REGROLE: _rolename,
}


def regtype_in(context: SystemContext, text: str) -> Oid:
    """The cast `text::regtype`. Raises 42704."""
    if text.isdigit():
        return int(text)
    body = text.strip()
    is_array = body.endswith("[]")
    schema, name = split_name(body.removesuffix("[]"))
    found = context.catalog.type_named(name, schema, context.search_path) if schema != "pg_catalog" else None
    if found is not None:
        if is_array:
            return found.array_oid
        return found.oid
    if schema in ("", "pg_catalog"):
        return resolve_name(body.removeprefix("pg_catalog."), ()).oid
    raise SqlError("42704", f'type "{text}" does not exist')


def _regproc_in(context: SystemContext, text: str) -> Oid:
    if text.isdigit():
        return int(text)
    oid = proc_oids().get(split_name(text.split("(", 1)[0])[1])
    if oid is None:
        raise SqlError("42883", f'function "{text}" does not exist')
    return oid


def _regnamespace_in(context: SystemContext, text: str) -> Oid:
    return int(text) if text.isdigit() else context.catalog.schema(split_name(text)[1]).oid


def _regrole_in(context: SystemContext, text: str) -> Oid:
    if text.isdigit():
        return int(text)
    role = context.catalog.role(split_name(text)[1])
    if role is None:
        raise SqlError("42704", f'role "{text}" does not exist')
    return role.oid


def _regclass_in(context: SystemContext, text: str) -> Oid:
    oid = regclass_in(context, text)
    assert oid is not None
    return oid


INPUT: dict[Oid, Callable[[SystemContext, str], Oid]] = {
    REGCLASS: _regclass_in,
    REGTYPE: regtype_in,
    REGPROC: _regproc_in,
    REGPROCEDURE: _regproc_in,
    REGNAMESPACE: _regnamespace_in,
    REGROLE: _regrole_in,
}


class RegNames:
    """`TypeSettings.reg_output` and `reg_input` over whatever catalog `context` gives when asked."""

    __slots__ = ("_context",)

    def __init__(self, context: Callable[[], SystemContext]) -> None:
        self._context = context

    def output(self, type_oid: Oid, oid: Oid) -> str:
        shown = OUTPUT.get(type_oid)
        found = shown(self._context(), oid) if shown is not None else None
        return found if found is not None else str(oid)

    def input(self, type_oid: Oid, text: str) -> Oid:
        if text == "-":
            return 0
        read = INPUT.get(type_oid)
        if read is None:
            raise SqlError("0A000", "names of this kind of object are not supported")
        return read(self._context(), text)


__all__ = ["INPUT", "OUTPUT", "RegNames", "regtype_in"]
