"""Naming a function: `f`, where there is one of the name, or `f(integer, text)`, as DROP, ALTER, COMMENT and GRANT say it."""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, TypeRef
from planner.binding.facts import Proc, procs, type_oid
from planner.catalog import Function
from planner.catalog.names import missing_schema
from planner.catalog.system.routines import signature_shown
from planner.ddl.scope import Scope
from planner.ddl.types.copied_types import type_in_signature

REQUIRED: Final = "2BP01"
"""What is said of a function of PostgreSQL's own, whoever asks."""
_KINDS: Final = ("function", "procedure", "aggregate")
"""Words of those that name no aggregates, or no functions, also find the others, as in PostgreSQL; procedures are apart."""


def find(scope: Scope, said: st.Signature, kind: str = "function") -> Function | None:
    """The function that a statement names; None where there is none. Raises 42725, 3F000."""
    name = scope.homed(said.name)
    if name.schema and scope.catalog.find_schema(name.schema) is None:
        return None
    found = scope.catalog.functions(name.name, name.schema, scope.search_path)
    built_in = procs().get(name.name, ()) if name.schema in ("", "pg_catalog") else ()
    if said.parameters is None:
        if kind in _KINDS:
            found = [f for f in found if (f.kind == "p") == (kind == "procedure")]
        if len(found) + len(built_in) > 1:
            raise _ambiguous(name, kind, f"Specify the argument list to select the {kind} unambiguously.")
        if built_in:
            raise _required(built_in[0])
        return found[0] if found else None
    wanted = tuple(type_in_signature(scope, p.type).oid for p in said.parameters if (p.mode or "i") in "ibv")
    for proc in built_in:
        if tuple(type_oid(a) for a in proc.args) == wanted:
            raise _required(proc)
    by_inputs = [f for f in found if f.signature == wanted][:1]
    if kind in ("procedure", "routine") and said.parameters and not any(p.mode for p in said.parameters):
        # As the standard has it, the list is of all parameters of a procedure, those for output among them.
        by_all = [f for f in found if f.kind == "p" and _all_types(f) == wanted]
        if len({f.oid for f in (*by_inputs, *by_all)}) > 1:
            raise _ambiguous(name, kind)
        by_inputs = by_inputs or by_all
    return by_inputs[0] if by_inputs else None


def _all_types(f: Function) -> tuple[Oid, ...]:
    return tuple(p.declared for p in f.parameters)


def _ambiguous(name: st.Name, kind: str, hint: str = "") -> PlanError:
    return PlanError("42725", f'{kind} name "{name}" is not unique', hint=hint)


def refuse_kind(scope: Scope, f: Function, kind: str) -> None:
    """DROP FUNCTION of a procedure, and the other way round. Raises 42809."""
    if kind == "aggregate" and f.kind != "a":
        raise PlanError(
            "42809",
            f"function {f.name}({signature_shown(scope.catalog, f, scope.search_path, ', ')}) is not an aggregate",
        )
    if kind in ("function", "procedure") and (f.kind == "p") != (kind == "procedure"):
        shown = f"{f.name}({signature_shown(scope.catalog, f, scope.search_path, ', ')})"
        raise PlanError("42809", f"{shown} is not a {kind}")


def _required(proc: Proc) -> PlanError:
    shown = ",".join(t.format_type(TypeRef(type_oid(a))) for a in proc.args)
    return PlanError(
        REQUIRED, f"cannot drop function {proc.name}({shown}) because it is required by the database system"
    )


def named(scope: Scope, said: st.Signature, kind: str = "function") -> Function:
    """Raises 42883, 42725, 3F000."""
    if said.name.schema and scope.catalog.find_schema(scope.homed(said.name).schema) is None:
        raise missing_schema(said.name.schema)
    f = find(scope, said, kind)
    if f is None:
        raise missing(scope, said, kind)
    refuse_kind(scope, f, kind)
    return f


def of_users(scope: Scope, said: st.Signature, kind: str, doing: str) -> Function:
    """The same for what is done to users' functions alone. Raises 0A000 for one of PostgreSQL's own."""
    try:
        return named(scope, said, kind)
    except PlanError as error:
        if error.sqlstate != REQUIRED:
            raise
        raise PlanError(
            "0A000", f"{doing} {said.name}, a function of PostgreSQL's own, is not supported"
        ) from None


def missing(scope: Scope, said: st.Signature, kind: str) -> PlanError:
    if said.parameters is None:
        return PlanError("42883", f'could not find a {kind} named "{said.name}"')
    shown = types_shown(scope, said) or ("*" if kind == "aggregate" else "")
    return PlanError("42883", f"{kind} {said.name}({shown}) does not exist")


def types_shown(scope: Scope, said: st.Signature) -> str:
    shown = []
    for p in said.parameters or ():
        if (p.mode or "i") in "ibv":
            ref = type_in_signature(scope, p.type, told=True)
            shown.append(t.type_in_words(ref.oid))
    return ", ".join(shown)


_SPELLED = {
    "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "real": "float4", "float": "float8",
    "double precision": "float8", "decimal": "numeric", "dec": "numeric", "numeric": "numeric", "boolean": "bool",
    "varchar": "varchar", "char": "bpchar", "bit": "bit", "bit varying": "varbit", "timestamp": "timestamp",
    "timestamptz": "timestamptz", "time": "time", "timetz": "timetz", "interval": "interval",
}  # fmt: skip
"""Types that are grammar: PostgreSQL's parser puts its own names in their place."""


def as_parsed(p: st.ParameterDef) -> str:
    """A type as the notice of DROP ... IF EXISTS has it."""
    own = _SPELLED.get(p.type.names[0]) if len(p.type.names) == 1 else None
    return (f"pg_catalog.{own}" if own else ".".join(p.type.names)) + "[]" * bool(p.type.dimensions)


__all__ = ["REQUIRED", "as_parsed", "find", "missing", "named", "of_users", "refuse_kind", "types_shown"]
