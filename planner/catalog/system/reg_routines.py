"""Functions, operators, collations and text search objects by name: regproc, regprocedure, regoper, regoperator and their kin.

    regproc        now                   one function of that name there may be, or it is 42725
    regprocedure   abs(numeric)          with its arguments' types
    regoper        ||/                   regoperator   -(NONE,integer)

A name that alone does not say which is shown with its schema, as PostgreSQL does it: `pg_catalog.abs`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from planner.abc import Oid, SqlError, TypeRef
from planner.catalog.names import missing_schema, quote_identifier, quote_qualified, split_name
from planner.catalog.routine_objects import Function, Operator
from planner.catalog.system import extension_functions
from planner.catalog.system.context import SystemContext
from planner.catalog.system.definitions import type_name
from planner.catalog.system.static import static_columns

TypeInput = Callable[[SystemContext, str], Oid]
_PG_CATALOG = ("", "pg_catalog")
_DIGITS: Final = re.compile("[0-9]+")
_OID_END: Final = 1 << 32


def number_in(text: str, nothing: str = "-") -> Oid | None:
    """An OID in digits, 0 for what says that there is none; None for a name. Raises 22003."""
    if text == nothing:
        return 0
    if _DIGITS.fullmatch(text) is None:
        return None
    if len(text) > 10 or int(text) >= _OID_END:
        raise SqlError("22003", f'value "{text}" is out of range for type oid')
    return int(text)


def _ours(context: SystemContext, schema: str) -> bool:
    """Whether a name with this schema may be one of the built-in objects. Raises 3F000."""
    if schema not in _PG_CATALOG and context.catalog.find_schema(schema) is None:
        raise missing_schema(schema)
    return schema in _PG_CATALOG


@lru_cache(maxsize=1)
def _functions() -> tuple[dict[Oid, tuple[str, tuple[Oid, ...]]], dict[str, list[Oid]]]:
    """OID -> name and argument types; name -> OIDs."""
    found: dict[Oid, tuple[str, tuple[Oid, ...]]] = {}
    named: dict[str, list[Oid]] = {}
    for oid, name, arguments in static_columns("pg_proc", ("oid", "proname", "proargtypes")):
        found[oid] = name, tuple(arguments)
        named.setdefault(name, []).append(oid)
    return found, named


@lru_cache(maxsize=1)
def _operators() -> tuple[dict[Oid, tuple[str, tuple[Oid, ...]]], dict[str, list[Oid]]]:
    found: dict[Oid, tuple[str, tuple[Oid, ...]]] = {}
    named: dict[str, list[Oid]] = {}
    for oid, name, left, right in static_columns("pg_operator", ("oid", "oprname", "oprleft", "oprright")):
        found[oid] = name, (left, right)
        named.setdefault(name, []).append(oid)
    return found, named


def _shown_types(context: SystemContext, types: Sequence[Oid]) -> str:
    def shown(oid: Oid) -> str:
        name = type_name(context.catalog, TypeRef(oid), context.search_path)
        return name.replace("bpchar", "character")

    return ",".join(shown(oid) if oid else "NONE" for oid in types)


def _signature(text: str, *, none_allowed: bool) -> tuple[str, list[str]]:
    """`name(type, type)` in parts. Raises 22P02, 42P02."""
    name, parenthesis, rest = text.partition("(")
    if not parenthesis:
        raise SqlError("22P02", "expected a left parenthesis")
    rest = rest.rstrip()
    if not rest.endswith(")"):
        raise SqlError("22P02", "expected a right parenthesis")
    inner = rest[:-1].strip()
    types = [x.strip() for x in _split(inner)] if inner else []
    if not all(types):
        raise SqlError("22P02", "expected a type name")
    if none_allowed and len(types) == 1:
        raise SqlError(
            "42P02", "missing argument", hint="Use NONE to denote the missing argument of a unary operator."
        )
    if none_allowed and len(types) != 2:
        raise SqlError("54023", "too many arguments", hint="Provide two argument types for operator.")
    return name, types


def _split(text: str) -> list[str]:
    """At the commas that are not within the brackets of a type's modifier."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            out.append(text[start:i])
            start = i + 1
    return [*out, text[start:]]


# --- functions ---------------------------------------------------------------------------------------


def regproc_in(context: SystemContext, text: str) -> Oid:
    """Raises 42883, 42725."""
    if (number := number_in(text)) is not None:
        return number
    schema, name = split_name(text, context.catalog.here)
    found = list(_functions()[1].get(name, [])) if _ours(context, schema) else []
    found += [f.oid for f in context.catalog.functions(name, schema, context.search_path)]
    if not found:
        raise SqlError("42883", f'function "{text}" does not exist')
    if len(found) > 1:
        raise SqlError("42725", f'more than one function named "{text}"')
    return found[0]


def _called(context: SystemContext, f: Function, *, alone: bool) -> str:
    """The name of a function that CREATE FUNCTION has made: `alone`, where it says which."""
    if alone:
        return quote_identifier(f.name)
    return quote_qualified(context.catalog.schema_of(f.schema_oid).name, f.name)


def regproc_out(context: SystemContext, oid: Oid | None) -> str | None:
    if not oid:
        return None if oid is None else "-"
    known, named = _functions()
    made = context.catalog.get(oid)
    if isinstance(made, Function):
        seen = context.catalog.functions(made.name, "", context.search_path)
        return _called(context, made, alone=seen == [made] and made.name not in named)
    for f, extension in extension_functions.functions_in(context.catalog) if oid not in known else ():
        if f.oid == oid:
            schema = context.catalog.schema_of(extension.schema_oid).name
            return f.name if schema in context.search_path else quote_qualified(schema, f.name)
    if oid not in known:
        return str(oid)
    name = known[oid][0]
    return quote_identifier(name) if len(named[name]) == 1 else f"pg_catalog.{quote_identifier(name)}"


def regprocedure_in(types: TypeInput) -> TypeInput:
    def read(context: SystemContext, text: str) -> Oid:
        """Raises 22P02, 42704, 42883."""
        if (number := number_in(text)) is not None:
            return number
        shown, arguments = _signature(text, none_allowed=False)
        wanted = tuple(types(context, a) for a in arguments)
        schema, name = split_name(shown, context.catalog.here)
        _ours(context, schema)
        oid = function_of(context, schema, name, wanted)
        if oid is None:
            raise SqlError("42883", f'function "{text}" does not exist')
        return oid

    return read


def function_of(context: SystemContext, schema: str, name: str, wanted: tuple[Oid, ...]) -> Oid | None:
    """The function of that name with these arguments, PostgreSQL's own first where no schema is said."""
    known, named = _functions()
    for oid in named.get(name, ()) if schema in _PG_CATALOG else ():
        if known[oid][1] == wanted:
            return oid
    made = context.catalog.functions(name, schema, context.search_path)
    return next((f.oid for f in made if f.signature == wanted), None)


def regprocedure_out(context: SystemContext, oid: Oid | None) -> str | None:
    if not oid:
        return None if oid is None else "-"
    found = _functions()[0].get(oid)
    made = context.catalog.get(oid)
    if isinstance(made, Function):
        alone = made in context.catalog.functions(made.name, "", context.search_path)
        return f"{_called(context, made, alone=alone)}({_shown_types(context, made.signature)})"
    for f, extension in extension_functions.functions_in(context.catalog) if found is None else ():
        if f.oid == oid:
            schema = context.catalog.schema_of(extension.schema_oid).name
            name = f.name if schema in context.search_path else quote_qualified(schema, f.name)
            return f"{name}({_shown_types(context, (f.argument,))})"
    if found is None:
        return str(oid)
    return f"{quote_identifier(found[0])}({_shown_types(context, found[1])})"


# --- operators ---------------------------------------------------------------------------------------


def _operator_name(text: str) -> tuple[str, str]:
    schema, dot, name = text.strip().rpartition(".")
    return (split_name(schema)[1], name) if dot and schema else ("", text.strip())


def _in_its_schema(context: SystemContext, made: Operator) -> str:
    return f"{quote_identifier(context.catalog.schema_of(made.schema_oid).name)}.{made.name}"


def regoper_in(context: SystemContext, text: str) -> Oid:
    """Raises 42883, 42725."""
    if (number := number_in(text, "0")) is not None:
        return number
    schema, name = _operator_name(text)
    found = list(_operators()[1].get(name, [])) if _ours(context, schema) else []
    found += [o.oid for o in context.catalog.operators(name, schema, context.search_path)]
    if not found:
        raise SqlError("42883", f"operator does not exist: {text}")
    if len(found) > 1:
        raise SqlError("42725", f"more than one operator named {text}")
    return found[0]


def regoper_out(context: SystemContext, oid: Oid | None) -> str | None:
    if not oid:
        return None if oid is None else "0"
    known, named = _operators()
    made = context.catalog.get(oid)
    if isinstance(made, Operator):
        seen = context.catalog.operators(made.name, "", context.search_path)
        alone = seen == [made] and made.name not in named
        return made.name if alone else _in_its_schema(context, made)
    if oid not in known:
        return str(oid)
    name = known[oid][0]
    seen = context.catalog.operators(name, "", context.search_path)
    return name if not seen and len(named[name]) == 1 else f"pg_catalog.{name}"


def regoperator_in(types: TypeInput) -> TypeInput:
    def read(context: SystemContext, text: str) -> Oid:
        """Raises 22P02, 42P02, 42704, 42883."""
        if (number := number_in(text, "0")) is not None:
            return number
        shown, arguments = _signature(text, none_allowed=True)
        wanted = tuple(0 if a.lower() == "none" else types(context, a) for a in arguments)
        schema, name = _operator_name(shown)
        oid = operator_of(context, schema, name, wanted)
        if oid is None:
            raise SqlError("42883", f"operator does not exist: {text}")
        return oid

    return read


def operator_of(context: SystemContext, schema: str, name: str, wanted: tuple[Oid, ...]) -> Oid | None:
    """The operator of that name between these types; 0 stands for a side that it does not have."""
    known, named = _operators()
    for oid in named.get(name, ()) if schema in _PG_CATALOG else ():
        if known[oid][1] == wanted:
            return oid
    made = context.catalog.operators(name, schema, context.search_path)
    return next((o.oid for o in made if o.signature == wanted), None)


def regoperator_out(context: SystemContext, oid: Oid | None) -> str | None:
    if not oid:
        return None if oid is None else "0"
    found = _operators()[0].get(oid)
    made = context.catalog.get(oid)
    if isinstance(made, Operator):
        seen = made in context.catalog.operators(made.name, "", context.search_path)
        shown = made.name if seen else _in_its_schema(context, made)
        return f"{shown}({_shown_types(context, made.signature)})"
    return str(oid) if found is None else f"{found[0]}({_shown_types(context, found[1])})"


# --- collations, text search -------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _by_name(relation: str, column: str) -> dict[str, Oid]:
    return {name: oid for oid, name in static_columns(relation, ("oid", column))}


def named_out(relation: str, column: str) -> Callable[[SystemContext, Oid | None], str | None]:
    def show(context: SystemContext, oid: Oid | None) -> str | None:
        if not oid:
            return None if oid is None else "-"
        names = {o: n for n, o in _by_name(relation, column).items()}
        return quote_identifier(names[oid]) if oid in names else str(oid)

    return show
