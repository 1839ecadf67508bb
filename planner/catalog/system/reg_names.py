"""regclass and its kin: OIDs that are read and shown as names, as a search path sees them."""

from __future__ import annotations

from collections.abc import Callable

from planner.abc import Oid, SqlError
from planner.catalog import collations
from planner.catalog.names import missing_schema, name_parts, quote_identifier, split_name
from planner.catalog.system import reg_routines as routines
from planner.catalog.system import text_search
from planner.catalog.system.context import SystemContext
from planner.catalog.system.definitions import collation_name
from planner.catalog.system.functions import (
    regclass_in,
    regclass_out,
    regnamespace_out,
    regtype_out,
)
from planner.catalog.system.relations import relation
from planner.catalog.text_search import CONFIGURATION, DICTIONARY
from planner.catalog.type_objects import Collation
from planner.types import resolve_name
from planner.types.oids import REGCLASS, REGTYPE

REGPROC, REGPROCEDURE, REGROLE, REGNAMESPACE, REGOPER, REGOPERATOR = 24, 2202, 4096, 4089, 2203, 2204
REGCOLLATION, REGCONFIG, REGDICTIONARY = 4191, 3734, 3769


def _rolename(context: SystemContext, oid: Oid | None) -> str | None:
    thing = context.catalog.get(oid) if oid is not None else None
    name = getattr(thing, "name", None)
    return quote_identifier(str(name)) if name is not None else str(oid or "-")


def _regcollation_out(context: SystemContext, oid: Oid | None) -> str | None:
    found = context.catalog.get(oid) if oid is not None else None
    if not isinstance(found, Collation):
        return _built_in_collation(context, oid)
    return collation_name(context.catalog, collations.key_of(found.oid), context.search_path)


_built_in_collation = routines.named_out("pg_collation", "collname")


def _regcollation_in(context: SystemContext, text: str) -> Oid:
    """The cast `text::regcollation`. Raises 42704, 3F000."""
    if (number := routines.number_in(text)) is not None:
        return number
    schema, name = split_name(text, context.catalog.here)
    if schema and context.catalog.find_schema(schema) is None:
        raise missing_schema(schema)
    key = context.catalog.collation_key(name, schema, context.search_path)
    if not key:
        raise SqlError("42704", f'collation "{text.strip()}" for encoding "UTF8" does not exist')
    return collations.oid_of(key)


OUTPUT: dict[Oid, Callable[[SystemContext, Oid | None], str | None]] = {
    REGCLASS: regclass_out,
    REGTYPE: regtype_out,
    REGPROC: routines.regproc_out,
    REGPROCEDURE: routines.regprocedure_out,
    REGOPER: routines.regoper_out,
    REGOPERATOR: routines.regoperator_out,
    REGCOLLATION: _regcollation_out,
    REGCONFIG: text_search.shown(CONFIGURATION),
    REGDICTIONARY: text_search.shown(DICTIONARY),
    REGNAMESPACE: regnamespace_out,
    REGROLE: _rolename,
}


def regtype_in(context: SystemContext, text: str) -> Oid:
    """The cast `text::regtype`. Raises 42704."""
    if (number := routines.number_in(text)) is not None:
        return number
    body = text.strip()
    is_array = body.endswith("[]")
    if not body:
        raise SqlError("42601", 'invalid type name ""')
    try:
        schema, name = split_name(body.removesuffix("[]"), context.catalog.here)
    except SqlError as error:  # of several words: double precision
        if error.sqlstate == "0A000":
            raise
        require_type_syntax(body)
        schema, name = "", body.removesuffix("[]").lower()
    found = context.catalog.type_named(name, schema, context.search_path) if schema != "pg_catalog" else None
    if found is not None:
        if is_array:
            return found.array_oid
        return found.oid
    if schema != "pg_catalog":
        arrays = context.catalog.array_named(name, schema, context.search_path)
        if arrays and not is_array:
            return arrays
    if schema in ("", "pg_catalog", "information_schema") and (
        oid := _of_system_relation(name, schema, is_array)
    ):
        return oid
    if schema in ("", "pg_catalog"):
        try:
            return resolve_name(
                body.removeprefix(context.catalog.here + ".").removeprefix("pg_catalog."), ()
            ).oid
        except SqlError as error:
            if error.sqlstate != "42704":
                raise
    shown = f"{schema}.{name}" if schema else name
    raise SqlError("42704", f'type "{shown}{"[]" if is_array else ""}" does not exist')


def require_type_syntax(text: str) -> None:
    """What is read as the name of a type before any is looked for. Raises 42601 for several words that are no type of SQL's, and for a number."""
    body = text.strip()
    if routines.number_in(body, nothing="") is not None:
        raise SqlError("42601", f'syntax error at or near "{body}"')
    words = body.split()
    if len(words) < 2 or '"' in body:
        return
    try:
        resolve_name(body, ())
    except SqlError as error:
        if error.sqlstate != "42704":
            raise
        raise SqlError("42601", f'syntax error at or near "{words[1]}"') from None


def _of_system_relation(name: str, schema: str, is_array: bool) -> Oid:
    """The type of its rows, or of arrays of them, also under their name `_pg_class`; 0 if none is called so."""
    home = schema or "pg_catalog"
    if (found := relation(home, name)) is not None:
        return found.row_array if is_array else found.row_type
    found = relation(home, name[1:]) if name.startswith("_") and not is_array else None
    return found.row_array if found is not None else 0


def _single_name(text: str) -> str:
    """What has no schema is one name: in capitals only within quotes."""
    parts = name_parts(text)
    if len(parts) != 1:
        raise SqlError("42602", "invalid name syntax")
    return parts[0]


def _regnamespace_in(context: SystemContext, text: str) -> Oid:
    number = routines.number_in(text)
    return number if number is not None else context.catalog.schema(_single_name(text)).oid


def _regrole_in(context: SystemContext, text: str) -> Oid:
    if (number := routines.number_in(text)) is not None:
        return number
    name = _single_name(text)
    role = context.catalog.role(name)
    if role is None:
        raise SqlError("42704", f'role "{name}" does not exist')
    return role.oid


def _regclass_in(context: SystemContext, text: str) -> Oid:
    oid = regclass_in(context, text)
    assert oid is not None
    return oid


INPUT: dict[Oid, Callable[[SystemContext, str], Oid]] = {
    REGCLASS: _regclass_in,
    REGTYPE: regtype_in,
    REGPROC: routines.regproc_in,
    REGPROCEDURE: routines.regprocedure_in(regtype_in),
    REGOPER: routines.regoper_in,
    REGOPERATOR: routines.regoperator_in(regtype_in),
    REGCOLLATION: _regcollation_in,
    REGCONFIG: text_search.read(CONFIGURATION),
    REGDICTIONARY: text_search.read(DICTIONARY),
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
        if text == "-" and type_oid not in (REGOPER, REGOPERATOR):
            return 0
        read = INPUT.get(type_oid)
        if read is None:
            raise SqlError("0A000", "names of this kind of object are not supported")
        return read(self._context(), text)


__all__ = ["INPUT", "OUTPUT", "RegNames", "regtype_in", "require_type_syntax"]
