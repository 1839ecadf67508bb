"""Which function of users' a call means: those of its name on the search path and PostgreSQL's own, by the rules of `resolve`.

f(1, b => 2)    places of the arguments      named ones, those that have defaults, VARIADIC's spread out
                types of the arguments       the best match (42883, 42725), polymorphic ones made concrete (42804)
                the arguments                cast to the parameters' types, defaults in the places that are left"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.facts import Proc, element_name, procs, type_name, type_oid
from planner.binding.named_arguments import cut
from planner.binding.records import fields_of, told_type
from planner.binding.resolve import POLYMORPHIC, Ambiguous, bind_polymorphic, chosen, spread
from planner.binding.routines.inlined import of_domain, text_of
from planner.binding.rows_of_heirs import is_row_of
from planner.binding.scope import Scope
from planner.binding.unresolved import NoFunction, NotUnique
from planner.catalog import Function, polymorphic, server_functions, slot_functions, table_functions
from planner.catalog.objects import PG_CATALOG_OID
from planner.parse import parse_expression
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder
    from planner.binding.queries import QueryBinder


def known(queries: QueryBinder, name: str, schema: str) -> list[Function]:
    """The functions in SQL that this name may mean."""
    found: list[Function] = queries.ctx.catalog.functions(name, schema, queries.search_path)
    meant = queries.routines.kept
    if queries.variables is not None and not queries.routines.frames:
        meant = queries.variables.meant or meant
    kept = [f for f in found if f.oid in meant]
    own = slot_functions.named(name, schema) or server_functions.named(name, schema)
    return kept or found or own or table_functions.named(name, queries.offered(schema))


@dataclass(slots=True)
class Resolved:
    function: Function
    args: list[ir.Node]
    given: list[int]
    """The places of the arguments that the call gave; the others are defaults."""


def resolved(
    calls: CallBinder, found: Sequence[Function], name: str, schema: str, arguments: list[exp.Expression],
    scope: Scope, position: int,
) -> Resolved | None:  # fmt: skip
    """Which function is meant, with its arguments as its parameters' types; None: one of PostgreSQL's own.

    Raises 42883, 42725.
    """
    queries = calls.queries
    whole = bool(arguments) and isinstance(arguments[-1], exp.Variadic)
    if whole:
        found = [f for f in found if f.is_variadic]
        arguments = [*arguments[:-1], arguments[-1].this]
    originals = {f.oid: f for f in found}
    if queries.calling:
        found = [_of_all_parameters(f) for f in found]
    first, named = cut(arguments)
    called, queries.calling = queries.calling, False  # what CALL is followed by is the outermost call
    try:
        given = [calls.bind(a, scope) for a in (*first, *named.values())]
    finally:
        queries.calling = called
    if queries.calling:
        given = [ir.Lit(TypeRef(t.UNKNOWN), None) if _is_void(g) else g for g in given]
    else:
        given = [g for g in given if not _is_void(g)]
    types = tuple(type_name(g.type.oid) for g in given)
    rows: list[tuple[Proc, tuple[str, ...]]] = []
    are_own = all(
        f.schema_oid == PG_CATALOG_OID for f in found
    )  # PostgreSQL's, which run here: they are all that is meant
    if not schema and not named and not whole and not are_own:
        rows += spread(procs().get(name, ()), len(given))
    places: dict[int, list[int]] = {}
    same: dict[tuple[str, ...], Function] = {}
    spread_out: dict[tuple[str, ...], bool] = {}
    unclear: set[tuple[str, ...]] = set()
    for f in found:
        by_one = f.is_variadic and not whole
        if by_one and named:  # what is spread out has no names
            continue
        spreads = by_one and len(given) >= len(f.inputs)  # the last one's default is an array, not an element
        at = _places(f, len(given) - len(named), list(named), spreads=spreads)
        if at is None:
            continue
        declared = tuple(type_name(f.inputs[i].type.oid) for i in at)
        if spreads:
            last = len(f.inputs) - 1
            element = _element(type_name(f.inputs[last].type.oid))
            declared = declared[:last] + (element,) * (len(at) - last)
        if any(args == declared for _, args in rows):
            other = same.get(declared)
            if other is not None and other.schema_oid == f.schema_oid:
                if spread_out[declared] and not spreads:  # who names so many parameters is meant
                    rows = [r for r in rows if r[1] != declared]
                elif spread_out[declared] == spreads:
                    unclear.add(declared)
            if any(args == declared for _, args in rows):
                continue  # one nearer on the path takes the same
        same[declared], spread_out[declared] = f, spreads
        places[f.oid] = at
        rows.append((_as_proc(f, spreads=spreads), declared))
    try:
        best = chosen(rows, *_as_rows(queries, given, types, rows))
        if best is not None and best[1] in unclear:
            raise Ambiguous
    except Ambiguous:
        raise NotUnique(_called(name, schema, given, list(named)), position) from None
    if best is None:
        if not schema and name in procs() and not are_own:
            if whole:
                arguments[-1] = exp.Variadic(this=arguments[-1])
            return None  # in the words of those
        raise NoFunction(_called(name, schema, given, list(named)), given, position)
    function = next((f for f in found if f.oid == best[0].oid), None)
    if function is None:
        return None
    if function.kind == "p" and not called:
        raise PlanError(
            "42809",
            f"{_called(name, schema, given, list(named))} is a procedure",
            hint="To call a procedure, use CALL.",
            position=position,
        )
    at = places[function.oid]
    with text_of(queries, function, ""):
        queries.calling = False
        defaults: dict[int, ir.Node] = {}
        for i, p in enumerate(function.inputs):
            if i not in at:
                assert p.default is not None
                queries.text = calls.text = p.default
                defaults[i] = calls.bind(parse_expression(p.default), Scope(None, 0))
    queries.calling = called
    if function.runs:
        given = _of_row_types(calls, function, at, given, position)
        types = tuple(type_name(g.type.oid) for g in given)
    if polymorphic.is_polymorphic(function):  # of the types of its defaults, too
        declared = (*best[1], *(type_name(function.inputs[i].type.oid) for i in defaults))
        meant = (*types, *(type_name(value.type.oid) for value in defaults.values()))
        if defaults:
            _refuse_unlike(declared, meant)
        function = concrete_of(function, declared, meant, position)
    if function.runs:
        function = _of_records(function, at, given)
    bound: dict[int, ir.Node] = {}
    spread_over: list[ir.Node] = []
    for i, g in zip(at, given, strict=True):
        ref = function.inputs[i].type
        if ref.oid != t.RECORD:
            ref = TypeRef(ref.oid)
        if best[0].variadic and i == len(function.inputs) - 1:
            spread_over.append(calls.coercions.coerce(g, TypeRef(t.element_of(ref.oid)), "i", position))
            bound[i] = ir.Logic(ref, "array", tuple(spread_over))
        else:
            bound[i] = calls.coercions.coerce(g, ref, "i", position)
    for i, value in defaults.items():
        bound[i] = calls.coercions.coerce(value, function.inputs[i].type, "a")
    if queries.routines.expand:
        for i, p in enumerate(function.inputs):
            bound[i] = of_domain(queries, bound[i], p.domain)
    args = [bound[i] for i in range(len(function.inputs))]
    modes = [p.mode for p in originals[best[0].oid].parameters]
    if queries.calling and "o" in modes:  # what stands for OUT parameters is not computed
        args = [a for a, mode in zip(args, modes, strict=True) if mode != "o"]
        was = (replace(p, mode=mode) for p, mode in zip(function.parameters, modes, strict=True))
        function = replace(function, parameters=tuple(was))
    return Resolved(function, args, at)


def _as_rows(
    queries: QueryBinder,
    given: Sequence[ir.Node],
    types: tuple[str, ...],
    rows: Sequence[tuple[Proc, tuple[str, ...]]],
) -> tuple[tuple[str, ...], Callable[[str, str], bool]]:
    """The types by which a function is chosen, and what else a value is: a whole row is of its table's type where any of them takes rows."""
    takes = {type_oid(name) for _, declared in rows for name in declared if name.startswith("#")}
    if any(t.composite_fields(t.element_of(oid) or oid) is not None for oid in takes):
        types = tuple(type_name(told_type(g.type).oid) for g in given)

    def is_also(name: str, declared: str) -> bool:
        return (
            name.startswith("#")
            and declared.startswith("#")
            and is_row_of(queries.ctx.catalog, type_oid(name), type_oid(declared))
        )

    return types, is_also


def _of_row_types(
    calls: CallBinder, f: Function, at: Sequence[int], given: Sequence[ir.Node], position: int
) -> list[ir.Node]:
    """The arguments; a table's whole row, where any type or a record is taken, as a value of its row type.

    A routine that runs is given texts, and only a type with a name says what is in a row's.
    """
    made = list(given)
    for n, (i, g) in enumerate(zip(at, given, strict=True)):
        takes, told = f.inputs[min(i, len(f.inputs) - 1)].type.oid, told_type(g.type)
        if told != g.type and (takes == t.RECORD or takes in polymorphic.PSEUDO):
            made[n] = calls.coercions.coerce(g, told, "i", position)
    return made


def _of_records(f: Function, at: Sequence[int], given: Sequence[ir.Node]) -> Function:
    """The function with the row types of its arguments for parameters that are records, and the fields of those that no type names."""
    told = {
        id(f.inputs[i]): g.type
        for i, g in zip(at, given, strict=True)
        if f.inputs[i].type.oid == t.RECORD
        and (t.composite_fields(g.type.oid) is not None or fields_of(g.type) is not None)
    }
    if any(p.type.oid == t.RECORD_ARRAY for p in f.parameters):
        raise PlanError("0A000", "PL/pgSQL functions cannot accept type record[]")
    if not told:
        return f
    types = tuple(told.get(id(p), p.type) for p in f.parameters)
    return polymorphic.concrete(polymorphic.declared(f), (*types, f.result))


def _is_void(given: ir.Node) -> bool:
    """What a driver binds for an OUT parameter."""
    return isinstance(given, ir.Parm) and given.type.oid == t.VOID


def _of_all_parameters(f: Function) -> Function:
    """A procedure as CALL sees it: OUT parameters have their places, names and types too."""
    if f.kind != "p" or all(p.mode != "o" for p in f.parameters):
        return f
    return replace(f, parameters=tuple(replace(p, mode="i") if p.mode == "o" else p for p in f.parameters))


def concrete_of(f: Function, declared: Sequence[str], given: Sequence[str], position: int) -> Function:
    """A polymorphic function with the types that a call's arguments say. Raises 42804 where they say nothing."""
    known = bind_polymorphic(declared, given) or {}
    simple = [
        g
        for d, g in zip(declared, given, strict=True)
        if d in POLYMORPHIC and not d.startswith("anycompatible")
    ]
    undetermined = bool(simple) and all(g == "unknown" for g in simple)
    types = polymorphic.types_of(f, {d: type_oid(k) for d, k in known.items() if k and k not in POLYMORPHIC})
    unknown = [] if "anycompatiblerange" in known else ["anycompatiblerange", "anycompatiblemultirange"]
    named = {*declared, *(type_name(ref.oid) for ref in (f.result, *(p.type for p in f.outputs)))}
    for name in unknown:
        if types is None and name in named:
            message = f"could not determine polymorphic type {name} because input has type unknown"
            raise PlanError("42804", message, position=0)
    if types is None or undetermined:
        raise PlanError(
            "42804", "could not determine polymorphic type because input has type unknown", position=0
        )
    return polymorphic.concrete(f, types)


def _refuse_unlike(declared: Sequence[str], given: Sequence[str]) -> None:
    """Raises 42804 where a default is of another type than what is given beside it: those that are given were looked at before."""
    met: dict[str, str] = {}
    for d, g in zip(declared, given, strict=True):
        if d not in POLYMORPHIC or d.startswith("anycompatible") or g == "unknown":
            continue
        if met.setdefault(d, g) != g:
            a, b = (t.type_in_words(type_oid(name)) for name in (met[d], g))
            raise PlanError("42804", f'arguments declared "{d}" are not all alike', detail=f"{a} versus {b}")


def _element(array: str) -> str:
    return {"anyarray": "anyelement", "anycompatiblearray": "anycompatible"}.get(array) or element_name(array)


def _as_proc(f: Function, *, spreads: bool = False) -> Proc:
    args = tuple(type_name(p.type.oid) for p in f.inputs)
    result = type_name(f.result.oid)
    return Proc(
        f.name, args, result, "f", f.returns_set, f.strict, spreads, f.volatility, 0, "n", 0, f.oid, ()
    )


def _places(f: Function, first: int, named: list[str], *, spreads: bool = False) -> list[int] | None:
    """Which parameters the arguments are of; None where the function cannot be called so."""
    inputs = f.inputs
    if spreads:
        return [min(i, len(inputs) - 1) for i in range(first)]
    at = list(range(first))
    for name in named:
        i = next((i for i, p in enumerate(inputs) if p.name == name), -1)
        if i < first:
            return None
        at.append(i)
    if len(at) > len(inputs) or any(p.default is None for i, p in enumerate(inputs) if i not in at):
        return None
    return at


def _called(name: str, schema: str, given: Sequence[ir.Node], named: list[str]) -> str:
    first = len(given) - len(named)
    types = [t.type_in_words(told_type(g.type).oid) for g in given]
    shown = [f"{named[i - first]} => {k}" if i >= first else k for i, k in enumerate(types)]
    return f"{schema + '.' if schema else ''}{name}({', '.join(shown)})"


__all__ = ["Resolved", "concrete_of", "known", "resolved"]
