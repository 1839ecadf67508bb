"""CREATE AGGREGATE: a transition function, the type of what it hands on, and what comes of it at last.

    sfunc(state, arguments) -> state            for each row, beginning with initcond
    finalfunc(state) -> result                  once

Which functions are meant is asked of the binder, as a call would ask it. Types that only a call of the aggregate will say
have others in their places meanwhile, which no function is declared for by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding import ir
from planner.binding.facts import procs, type_oid
from planner.binding.facts import type_name as fact_name
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.resolve import bind_polymorphic
from planner.binding.routines.inlined import ROUTINE
from planner.binding.routines.own_aggregates import said_otherwise
from planner.catalog import (
    AggregateParts,
    Domain,
    Function,
    MovingParts,
    Parameter,
    polymorphic,
    quote_qualified,
    rights,
)
from planner.catalog.system.definitions import type_name
from planner.catalog.system.static import static_columns
from planner.ddl.rights import permits
from planner.ddl.routines.definitions import refuse_undetermined
from planner.ddl.scope import Scope
from planner.ddl.types.copied_types import type_in_signature
from planner.errors import NoSuchType
from planner.parse import parse_expression
from planner.records import replace

_ELEMENTS: Final = ("anyelement", "anynonarray", "anycompatible", "anycompatiblenonarray")
_ARRAYS: Final = ("anyarray", "anycompatiblearray")
_STAND_IN: Final = t.TSQUERY
_REFUSED: Final = {
    "serialfunc": "a serialization function",
    "deserialfunc": "a deserialization function", "hypothetical": "a hypothetical-set aggregate",
}  # fmt: skip
_MODIFIES: Final = {"read_only": "r", "shareable": "s", "read_write": "w"}
_SAME: Final = frozenset(((t.VARCHAR, t.TEXT),))
"""What is taken for the other as it is."""


def create_aggregate(scope: Scope, said: st.CreateAggregate) -> None:
    """Raises 42P13, 42883, 42804, 42501, 42723, 0A000."""
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    options = said.options
    for name in said.unknown:
        scope.notice(f'aggregate attribute "{name}" not recognized', sqlstate="42601", severity="WARNING")
    for name, what in _REFUSED.items():
        if options.get(name):
            raise PlanError("0A000", f"{what} of an aggregate is not supported")
    if not isinstance(options.get("stype", options.get("stype1")), st.TypeName):
        raise PlanError("42P13", "aggregate stype must be specified")
    sfunc = options.get("sfunc", options.get("sfunc1"))
    if not isinstance(sfunc, st.Name):
        raise PlanError("42P13", "aggregate sfunc must be specified")
    parameters = _parameters(scope, said)
    state = _type(scope, options.get("stype", options.get("stype1")), "a state")
    arguments = tuple(p.type.oid for p in parameters)
    _refuse_undetermined_state(state, arguments)
    transition, given_back, strict = _function(scope, sfunc, (state.oid, *arguments))
    if given_back != state.oid:
        kind = t.format_type(state)
        raise PlanError("42804", f"return type of transition function {sfunc.name} is not {kind}")
    initial = options.get("initcond", options.get("initcond1"))
    if initial is None and strict:
        _refuse_first(state, arguments)
    if initial is not None and state.oid not in polymorphic.PSEUDO:
        t.input_text(str(initial), state, scope.ctx.settings)
    extra = _flag(options.get("finalfunc_extra"))
    final, result = _final(scope, options.get("finalfunc"), state, arguments if extra else ())
    combine = 0
    if isinstance(options.get("combinefunc"), st.Name):
        combine, combined, _ = _function(scope, options["combinefunc"], (state.oid, state.oid))
        if combined != state.oid:
            kind = t.format_type(state)
            raise PlanError(
                "42804", f"return type of combine function {options['combinefunc'].name} is not {kind}"
            )
    parts = AggregateParts(
        transition, state, None if initial is None else str(initial), final, extra, combine,
        _sort_operator(options.get("sortop"), arguments),
        _modify(options, "finalfunc_modify"), int(options.get("sspace", 0)), _moving(scope, options, arguments, result),
    )  # fmt: skip
    made = Function(
        0, schema.oid, said.name.name, parameters, TypeRef(result), False, "aggregate_dummy",
        volatility="i", parallel=_parallel(options.get("parallel", "unsafe")), cost=1.0, owner=scope.user, language="internal",
        kind="a", runs=True, aggregate=parts,
    )  # fmt: skip
    refuse_undetermined(made)
    home = scope.catalog.functions(made.name, schema.name, scope.search_path)
    old = next((f for f in home if f.signature == made.signature), None)
    if old is None:
        scope.add(replace(made, oid=scope.allocate()))
        return
    if not said.replace:
        raise PlanError("42723", f'function "{made.name}" already exists with same argument types')
    permits.must_own(scope, old, word="function")
    if old.kind != "a":
        kind = "procedure" if old.kind == "p" else "function"
        raise PlanError("42809", "cannot change routine kind", detail=f'"{old.name}" is a {kind}.')
    if old.result != made.result:
        signature = ", ".join(type_name(scope.catalog, TypeRef(x), scope.search_path) for x in made.signature)
        raise PlanError(
            "42P13",
            "cannot change return type of existing function",
            hint=f"Use DROP AGGREGATE {made.name}({signature}) first.",
        )
    scope.replace(old, replace(made, oid=old.oid, owner=old.owner))


def _moving(
    scope: Scope, options: dict[str, Any], arguments: tuple[Oid, ...], result: Oid
) -> MovingParts | None:
    """What is said of frames that move. Raises 42P13, 42883, 42804."""
    if "mstype" not in options:
        for name in ("msfunc", "minvfunc", "mfinalfunc", "msspace", "minitcond"):
            if options.get(name):
                raise PlanError("42P13", f"aggregate {name} must not be specified without mstype")
        return None
    forward, backward = options.get("msfunc"), options.get("minvfunc")
    for name, said in (("msfunc", forward), ("minvfunc", backward)):
        if not isinstance(said, st.Name):
            raise PlanError("42P13", f"aggregate {name} must be specified when mstype is specified")
    assert isinstance(forward, st.Name) and isinstance(backward, st.Name)
    state = _type(scope, options["mstype"], "a state")
    kind = t.format_type(state)
    transition, given_back, strict = _function(scope, forward, (state.oid, *arguments))
    if given_back != state.oid:
        raise PlanError("42804", f"return type of transition function {forward.name} is not {kind}")
    initial = options.get("minitcond")
    if initial is None and strict:
        _refuse_first(state, arguments)
    inverse, given_back, inverse_strict = _function(scope, backward, (state.oid, *arguments))
    if given_back != state.oid:
        raise PlanError("42804", f"return type of inverse transition function {backward.name} is not {kind}")
    if strict != inverse_strict:
        raise PlanError(
            "42P13", "strictness of aggregate's forward and inverse transition functions must match"
        )
    if initial is not None and state.oid not in polymorphic.PSEUDO:
        t.input_text(str(initial), state, scope.ctx.settings)
    extra = _flag(options.get("mfinalfunc_extra"))
    final, found = _final(scope, options.get("mfinalfunc"), state, arguments if extra else ())
    if found != result:
        ours, plain = t.format_type(TypeRef(found)), t.format_type(TypeRef(result))
        raise PlanError(
            "42P13",
            f"moving-aggregate implementation returns type {ours}, but plain implementation returns type {plain}",
        )
    return MovingParts(
        transition, inverse, state, None if initial is None else str(initial), final, extra,
        _modify(options, "mfinalfunc_modify"), int(options.get("msspace", 0)),
    )  # fmt: skip


def _final(scope: Scope, said: object, state: TypeRef, more: tuple[Oid, ...]) -> tuple[Oid, Oid]:
    """A final function, 0 for none, and what comes of it."""
    if not isinstance(said, st.Name):
        return 0, state.oid
    final, result, strict = _function(scope, said, (state.oid, *more))
    if more and strict:
        raise PlanError("42P13", "final function with extra arguments must not be declared STRICT")
    return final, result


def _refuse_first(state: TypeRef, arguments: tuple[Oid, ...]) -> None:
    """Raises 42P13 where the first argument cannot be the first state."""
    if not arguments or (arguments[0] != state.oid and (arguments[0], state.oid) not in _SAME):
        raise PlanError(
            "42P13",
            "must not omit initial value when transition function is strict and transition type is not compatible with input type",
        )


def _modify(options: dict[str, Any], name: str) -> str:
    said = str(options.get(name, "read_only"))
    if said not in _MODIFIES:
        raise PlanError("42601", f'parameter "{name}" must be READ_ONLY, SHAREABLE, or READ_WRITE')
    return _MODIFIES[said]


def _parallel(said: object) -> str:
    if said not in ("safe", "restricted", "unsafe"):
        raise PlanError("42601", 'parameter "parallel" must be SAFE, RESTRICTED, or UNSAFE')
    return str(said)[0]


def _flag(said: object) -> bool:
    return str(said).lower() in ("true", "on", "1")


def _type(scope: Scope, said: object, what: str) -> TypeRef:
    assert isinstance(said, st.TypeName)
    if said.names[-1] == "internal":
        raise PlanError("0A000", f"{what} of type internal is not supported", position=said.position)
    ref = type_in_signature(scope, replace(said, position=0))  # PostgreSQL gives no place here
    if isinstance(scope.catalog.get(ref.oid), Domain) or ref.oid in t.DOMAIN_ARRAYS:
        raise PlanError("0A000", "an aggregate over a domain is not supported", position=said.position)
    return TypeRef(ref.oid)


def _parameters(scope: Scope, said: st.CreateAggregate) -> tuple[Parameter, ...]:
    if said.parameters is None:
        basetype = said.options.get("basetype")
        if not isinstance(basetype, st.TypeName):
            if basetype is None:
                raise PlanError("42P13", "aggregate input type must be specified")
            basetype = st.TypeName((str(basetype),))
        if str(basetype.names[-1]).lower() in ("any", "*"):
            return ()
        return (Parameter("", _type(scope, basetype, "an argument")),)
    if "basetype" in said.options:
        raise PlanError("42P13", "basetype is redundant with aggregate input type specification")
    found = []
    for p in said.parameters:
        if p.mode not in ("", "i", "v"):
            raise PlanError("42P13", "aggregates cannot have output arguments")
        if p.type.setof:
            raise PlanError("42P13", "aggregates cannot accept set arguments")
        if p.type.names[-1] == "any":
            raise PlanError("0A000", 'an aggregate over "any" is not supported', position=p.type.position)
        try:
            kind = _type(scope, p.type, "an argument")
        except NoSuchType as e:
            raise PlanError("42704", f"type {e.name} does not exist") from None
        found.append(Parameter(p.name, kind, p.mode or "i"))
    return tuple(found)


def _refuse_undetermined_state(state: TypeRef, arguments: Sequence[Oid]) -> None:
    name = polymorphic.PSEUDO.get(state.oid, "")
    if name and not any(oid in polymorphic.PSEUDO for oid in arguments):
        raise PlanError(
            "42P13",
            "cannot determine transition data type",
            detail=f"A result of type {name} requires at least one input of type anyelement, anyarray, anynonarray, "
            "anyenum, anyrange, or anymultirange.",
        )


def _stood_in(oid: Oid) -> Oid:
    """A type in the place of a polymorphic one. Raises 0A000."""
    name = polymorphic.PSEUDO.get(oid)
    if name is None:
        return oid
    if name in _ELEMENTS:
        return _STAND_IN
    if name in _ARRAYS:
        return t.array_of(_STAND_IN)
    raise PlanError("0A000", f"an aggregate over {name} is not supported")


def _function(scope: Scope, said: st.Name, types: Sequence[Oid]) -> tuple[Oid, Oid, bool]:
    """A function that takes these: its OID, what it returns, whether it is strict. Raises 42883, 42804, 42501, 0A000."""
    absent = PlanError("42883", f"function {said}({_shown(types)}) does not exist")
    node = _called(scope, said, [_stood_in(oid) for oid in types])
    if node is None:
        raise absent
    if not isinstance(node, ir.Call) or "(" not in node.op:
        raise PlanError(
            "0A000", f"function {said}({_shown(types)}) as a part of an aggregate is not supported"
        )
    called, _, rest = node.op.partition("(")
    if called.startswith(ROUTINE):
        f = scope.catalog.get(int(called.removeprefix(ROUTINE)))
        assert isinstance(f, Function)
        oid, declared, strict, returned = f.oid, f.signature, f.strict, f.returns
        if f.kind != "f" or f.returns_set:
            raise absent
        rights.require(scope.catalog, scope.user, f, "execute")
    else:
        proc = next(p for p in procs()[called] if ", ".join(p.args) == rest[:-1])
        oid, declared, strict = proc.oid, tuple(map(type_oid, proc.args)), proc.strict
        returned = type_oid(proc.result)
    concrete = not any(x in polymorphic.PSEUDO for x in types)
    known = bind_polymorphic([fact_name(x) for x in declared], [fact_name(x) for x in types]) or {}
    unknown = {polymorphic.PSEUDO[x] for x in (*declared, returned) if x in polymorphic.PSEUDO} - set(known)
    if concrete and unknown:
        raise absent
    meant = [
        type_oid(known[polymorphic.PSEUDO[x]]) if concrete and x in polymorphic.PSEUDO else x
        for x in declared
    ]
    for had, wanted in zip(types, meant, strict=False):
        if had == wanted or (had, wanted) in _SAME:
            continue
        if had in polymorphic.PSEUDO:
            raise absent
        if wanted not in polymorphic.PSEUDO:
            raise PlanError("42804", f"function {said}({_shown(meant)}) requires run-time type coercion")
    if concrete and returned in polymorphic.PSEUDO:
        returned = type_oid(known[polymorphic.PSEUDO[returned]])
    return oid, returned, strict


def _shown(types: Sequence[Oid]) -> str:
    return ", ".join(t.type_in_words(oid) for oid in types)


def _called(scope: Scope, said: st.Name, types: Sequence[Oid]) -> ir.Node | None:
    """A call with NULLs of these types; None where there is no such function. Raises 0A000 for one that is not there here."""
    nulls = [f"CAST(NULL AS {type_name(scope.catalog, TypeRef(oid), ())})" for oid in types]
    spread = [*nulls[:-1], f"VARIADIC {nulls[-1]}"]
    for given in (nulls, spread):
        queries = QueryBinder(scope.context(), "", Parameters((), None))
        queries.routines.expand = False
        text = f"{quote_qualified(said.schema, said.name)}({', '.join(given)})"
        try:
            node = queries.expressions.bind(parse_expression(text), queries.new_scope(None))
        except SqlError as e:
            if e.sqlstate not in ("42883", "42725", "42809"):
                e.position = 0
                raise
            continue
        if isinstance(node, ir.Call) and not said_otherwise(node.op.partition("(")[0], ["", ""]):
            queries.emitter.frag(node)
        return node
    return None


def _sort_operator(sign: object, arguments: Sequence[Oid]) -> Oid:
    """SORTOP's operator. Raises 42P13, 42883."""
    if sign is None:
        return 0
    if len(arguments) != 1:
        raise PlanError("42P13", "sort operator can only be specified for single-argument aggregates")
    for oid, name, left, right in static_columns("pg_operator", ("oid", "oprname", "oprleft", "oprright")):
        if name == sign and left == right == arguments[0]:
            return int(oid)
    kind = t.format_type(TypeRef(arguments[0]))
    raise PlanError("42883", f"operator does not exist: {kind} {sign} {kind}")


__all__ = ["create_aggregate"]
