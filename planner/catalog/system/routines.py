"""Functions in SQL as tools ask for them: rows of pg_proc, signatures, definitions.

    pg_get_functiondef(f)          CREATE OR REPLACE FUNCTION public.f(a integer) RETURNS integer LANGUAGE sql ...
    pg_get_function_arguments(f)   a integer DEFAULT 1, OUT b text
    pg_get_function_sqlbody(f)     RETURN (a + 1)

Defaults and bodies of the standard's form are written out from the bound trees, as views are; bodies in strings are what they are.
"""

from __future__ import annotations

from typing import Any, Final

from planner.abc import Oid, SqlError
from planner.catalog.catalog import Catalog
from planner.catalog.names import QUOTED_LISTS, quote_identifier, quote_qualified, split_identifiers
from planner.catalog.objects import Role
from planner.catalog.routine_objects import Function, MovingParts, Parameter
from planner.catalog.system import built_ins, extension_functions
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import null_of, type_in_words
from planner.catalog.system.function_table import system
from planner.catalog.system.privileges import acl, built_in_acl
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_rows
from planner.catalog.system.written import routine_body, routine_default
from planner.catalog.type_objects import Domain
from planner.types import element_of
from planner.types.base import quote_literal
from planner.types.oids import ANYARRAY, ANYELEMENT, INT4, OID, TEXT, UNKNOWN
from storage.abc import Row

LANGUAGES: Final = {"internal": 12, "sql": 14, "plpgsql": 13563}
"""The OIDs of languages."""
_ANYCOMPATIBLE: Final = 5077
_ANYCOMPATIBLEARRAY: Final = 5078
_TAKES_ANY: Final = frozenset((ANYELEMENT, 2776, _ANYCOMPATIBLE, 5079))
"""Types of parameters to which a NULL is not converted: anyelement, anynonarray, and the like of anycompatible."""
_MODES: Final = {"o": "OUT ", "b": "INOUT ", "v": "VARIADIC "}


def signature_shown(catalog: Catalog, f: Function, search_path: tuple[str, ...], separator: str = ",") -> str:
    """The types that a function is called with, as messages and regprocedure name it."""
    return separator.join(type_in_words(catalog, p.declared, search_path) for p in f.inputs)


def pg_proc(context: SystemContext) -> Rows:
    """PostgreSQL's own, those of extensions' types, and those that CREATE FUNCTION has made."""
    made = (_row(context, f) for f in context.catalog.objects(Function))
    own = _own(context.catalog) if context.catalog.shown is None else ()
    return [*own, *extension_functions.rows(context.catalog), *made]


def _own(catalog: Catalog) -> list[Row]:
    """PostgreSQL's own, with what has been granted on them in this database."""
    said = built_ins.spoken_of(catalog, "function")
    for oid in (*built_ins.OF_SUPERUSERS, *built_ins.OF_A_GROUP):
        if oid not in said and (thing := built_ins.of_function(oid)) is not None:
            said[oid] = thing
    place = [c.name for c in relations()["pg_catalog", "pg_proc"].columns].index("proacl")
    return [
        row
        if (thing := said.get(row[0])) is None
        else (*row[:place], built_in_acl(catalog, thing), *row[place + 1 :])
        for row in static_rows("pg_proc")
    ]


def _row(context: SystemContext, f: Function) -> tuple[object, ...]:
    catalog = context.catalog
    owner = catalog.role(f.owner)
    modes = [p.mode for p in f.parameters]
    plain = all(m == "i" for m in modes)
    defaults = [p for p in f.inputs if p.default is not None]
    return RowMaker("pg_proc")(
        oid=f.oid,
        proname=f.name,
        pronamespace=f.schema_oid,
        proowner=owner.oid if isinstance(owner, Role) else 0,
        prolang=LANGUAGES[f.language],
        procost=f.cost,
        prorows=f.rows,
        provariadic=_variadic(f),
        prokind=f.kind,
        prosecdef=f.definer,
        proleakproof=f.leakproof,
        proisstrict=f.strict,
        proretset=f.returns_set,
        provolatile=f.volatility,
        proparallel=f.parallel,
        pronargs=len(f.inputs),
        pronargdefaults=len(defaults),
        prorettype=f.returns,
        proargtypes=list(f.signature),
        proallargtypes=None if plain else [p.declared for p in f.parameters],
        proargmodes=None if plain else modes,
        proargnames=[p.name for p in f.parameters] if any(p.name for p in f.parameters) else None,
        proargdefaults=", ".join(default_shown(context, p) for p in defaults) or None,
        prosrc="" if f.standard else f.body,
        proconfig=list(f.settings) or None,
        prosqlbody=f.body if f.standard else None,
        proacl=acl(catalog, f.oid, f.owner, "f"),
    )


def pg_aggregate(context: SystemContext) -> Rows:
    """PostgreSQL's own, and those that CREATE AGGREGATE has made."""
    make = RowMaker("pg_aggregate")
    found = list(static_rows("pg_aggregate"))
    for f in context.catalog.objects(Function):
        if (parts := f.aggregate) is not None:
            found.append(
                make(
                    aggfnoid=f.oid,
                    aggkind="n",
                    aggtransfn=parts.transition,
                    aggfinalfn=parts.final,
                    aggcombinefn=parts.combine,
                    aggfinalextra=parts.final_extra,
                    aggfinalmodify=parts.final_modify,
                    **_moving(parts.moving),
                    aggsortop=parts.sort_operator,
                    aggtranstype=parts.state.oid,
                    aggtransspace=parts.space,
                    agginitval=parts.initial,
                )
            )
    return found


def _moving(parts: MovingParts | None) -> dict[str, Any]:
    if parts is None:
        return {"aggmfinalmodify": "r"}
    return {
        "aggmtransfn": parts.transition,
        "aggminvtransfn": parts.inverse,
        "aggmfinalfn": parts.final,
        "aggmfinalextra": parts.final_extra,
        "aggmfinalmodify": parts.final_modify,
        "aggmtranstype": parts.state.oid,
        "aggmtransspace": parts.space,
        "aggminitval": parts.initial,
    }


def _variadic(f: Function) -> Oid:
    """The type of each of the arguments that make the last one's array; 0 where there is no such."""
    if not f.is_variadic:
        return 0
    of = f.inputs[-1].type.oid
    return {ANYARRAY: ANYELEMENT, _ANYCOMPATIBLEARRAY: _ANYCOMPATIBLE}.get(of, 0) or element_of(of)


def _type(context: SystemContext, oid: Oid) -> str:
    return type_in_words(context.catalog, oid, context.search_path)


def default_shown(context: SystemContext, p: Parameter) -> str:
    """A default as tools are shown it."""
    assert p.default is not None
    if p.default.strip().lower() == "null":
        of = p.type.oid if isinstance(context.catalog.get(p.declared), Domain) else p.declared
        return null_of(context.catalog, UNKNOWN if of in _TAKES_ANY else of, context.search_path)
    return routine_default(context.catalog, p.default, p.type, context.search_path) or p.default


def _shown(context: SystemContext, p: Parameter, *, defaults: bool, procedure: bool = False) -> str:
    text = _MODES.get(p.mode, "IN " if procedure and p.mode == "i" else "")
    text += f"{quote_identifier(p.name)} " if p.name else ""
    text += _type(context, p.declared)
    return text + (f" DEFAULT {default_shown(context, p)}" if defaults and p.default is not None else "")


def arguments(context: SystemContext, f: Function, *, defaults: bool) -> str:
    """As pg_get_function_arguments and, without defaults, pg_get_function_identity_arguments say."""
    procedure = f.kind == "p"
    return ", ".join(
        _shown(context, p, defaults=defaults, procedure=procedure) for p in f.parameters if p.mode != "t"
    )


def result(context: SystemContext, f: Function) -> str | None:
    """As pg_get_function_result says: of a procedure, nothing."""
    if f.kind == "p":
        return None
    columns = [p for p in f.parameters if p.mode == "t"]
    if columns:
        return f"TABLE({', '.join(_shown(context, p, defaults=False) for p in columns)})"
    return ("SETOF " if f.returns_set else "") + _type(context, f.returns)


def _function(context: SystemContext, oid: Oid | None) -> Function | None:
    found = context.catalog.get(oid) if oid is not None else None
    return found if isinstance(found, Function) else None


@system("pg_get_functiondef", (OID,), TEXT)
def _get_functiondef(context: SystemContext, oid: Oid | None) -> str | None:
    f = _function(context, oid)
    if f is None:
        return None
    if f.kind == "a":
        raise SqlError("42809", f'"{f.name}" is an aggregate function')
    schema = context.catalog.schema_of(f.schema_oid).name
    word = "procedure" if f.kind == "p" else "function"
    lines = [
        f"CREATE OR REPLACE {word.upper()} {quote_qualified(schema, f.name)}({arguments(context, f, defaults=True)})",
        *([f" RETURNS {result(context, f)}"] if f.kind == "f" else []),
        f" LANGUAGE {f.language}",
    ]
    words = [
        {"i": "IMMUTABLE", "s": "STABLE"}.get(f.volatility, ""),
        {"s": "PARALLEL SAFE", "r": "PARALLEL RESTRICTED"}.get(f.parallel, ""),
        "STRICT" if f.strict else "",
        "SECURITY DEFINER" if f.definer else "",
        "LEAKPROOF" if f.leakproof else "",
        f"COST {f.cost:g}" if f.cost != 100 else "",
        f"ROWS {f.rows:g}" if f.returns_set and f.rows not in (0, 1000) else "",
    ]
    if any(words):
        lines.append(" " + " ".join(w for w in words if w))
    lines += map(_setting, f.settings)
    if f.standard:
        lines.append(_body(context, f))
    else:
        tag = word
        while f"${tag}$" in f.body or f.body.endswith(f"${tag}"):
            tag += "x"
        lines.append(f"AS ${tag}${f.body}${tag}$")
    return "\n".join(lines) + "\n"


def _setting(setting: str) -> str:
    """A list of names is said name by name."""
    name, _, value = setting.partition("=")
    values = split_identifiers(value) if name in QUOTED_LISTS else (value,)
    return f" SET {quote_identifier(name)} TO {', '.join(map(quote_literal, values))}"


def _body(context: SystemContext, f: Function) -> str:
    return routine_body(context.catalog, f, context.search_path) or f.body


@system("pg_get_function_sqlbody", (OID,), TEXT)
def _get_function_sqlbody(context: SystemContext, oid: Oid | None) -> str | None:
    f = _function(context, oid)
    return _body(context, f) if f is not None and f.standard else None


@system("pg_get_function_arg_default", (OID, INT4), TEXT)
def _get_function_arg_default(context: SystemContext, oid: Oid | None, number: int | None) -> str | None:
    f = _function(context, oid)
    if f is None or number is None or not 0 < number <= len(f.parameters):
        return None
    p = f.parameters[number - 1]
    return default_shown(context, p) if p.mode in "ib" and p.default is not None else None


__all__ = ["arguments", "default_shown", "pg_proc", "result", "signature_shown"]
