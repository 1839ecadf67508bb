"""CREATE FUNCTION: functions in SQL, whose calls are put in place when statements are bound.

Its body is bound once when the function is made, so that what is wrong with it is said then (`check_function_bodies`).
Views, defaults and CHECKs that call a function depend on it; which ones do is found out by binding them.
"""

from __future__ import annotations

from collections.abc import Sequence

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, Table, TypeRef
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.routines import inlined as binding
from planner.binding.routines.bodies import body_of
from planner.catalog import (
    Function,
    Parameter,
    Schema,
    UserType,
    polymorphic,
    quote_identifier,
    quote_qualified,
    rights,
)
from planner.catalog.domains import underneath
from planner.catalog.names import split_identifiers
from planner.catalog.stored_queries import stored_queries
from planner.catalog.system.routines import signature_shown
from planner.ddl import moments
from planner.ddl.dependencies import depends as depends_on
from planner.ddl.rights import own_grants, permits
from planner.ddl.routines import parameter_defaults, procedural, standard_bodies
from planner.ddl.scope import Scope
from planner.ddl.types.copied_types import type_in_signature
from planner.parse import parse_query
from planner.records import replace

_PARAMETERS_MAX = 100
_PSEUDO = frozenset(
    ("any", "internal",
     "cstring", "trigger", "event_trigger", "language_handler", "fdw_handler", "index_am_handler", "tsm_handler",
     "table_am_handler", "pg_ddl_command", "void")
)  # fmt: skip


_RESULTS = {"void": t.VOID, "trigger": t.TRIGGER, "event_trigger": t.EVENT_TRIGGER}
"""What is no type of values, and still what functions return."""


def create_function(scope: Scope, said: st.CreateFunction) -> None:
    schema = scope.schema_for(said.name)
    permits.may_create_in(scope, schema)
    needs = set[Oid]()
    parameters = _parameters(scope, said, needs)
    result, returns_set, domain = _result(scope, said, parameters)
    options = said.options
    if "rows" in options and not returns_set:
        raise PlanError("22023", "ROWS is not applicable when function does not return a set")
    refuse_leakproof(scope, leakproof=options.get("leakproof", False))
    own_grants.require_language(scope, options.get("language", "sql"))
    made = Function(
        0,
        schema.oid,
        said.name.name,
        parameters,
        result,
        returns_set,
        said.body,
        said.standard,
        options.get("volatility", "v"),
        options.get("strict", False),
        options.get("leakproof", False),
        options.get("parallel", "u"),
        options.get("cost", 100.0),
        options.get("rows", 1000.0 if returns_set else 0.0),
        scope.user,
        tuple(sorted(needs)),
        _path_of_body(scope, schema) if said.standard else (),
        options.get("language", "sql"),
        "p" if said.kind == "procedure" else "f",
        definer=options.get("definer", False),
        settings=settings_after((), options.get("set", ())),
        domain=domain,
    )
    if procedural.runs(made):
        made = replace(made, runs=True)
    _refuse_results(said, made)
    refuse_undetermined(made)
    polymorph = polymorphic.is_polymorphic(made)
    old = next(
        (
            f
            for f in scope.catalog.functions(said.name.name, schema.name, scope.search_path)
            if f.signature == made.signature
        ),
        None,
    )
    _refuse_alike(scope, made)
    if old is not None:
        _refuse_other_kind(scope, said, old, made)
        made = replace(made, oid=old.oid, owner=old.owner)
        scope.replace(old, made)
    else:
        made = replace(made, oid=scope.allocate())
        scope.add(made)
    if made.runs and not made.standard:
        if scope.ctx.check_bodies:
            try:
                path = search_path_of(made, scope.search_path, scope.user)
                shadows = procedural.validate(said, made, scope.catalog, path)
            except SqlError as e:
                if made.language == "sql":
                    e.position = _place(said, e.position)
                raise
            _tell_of_shadows(scope, shadows)
            if made.language == "sql" and not polymorph and procedural.is_query(made):
                _validate(scope, said, made)
            elif made.language == "sql" and not polymorph:
                _check_statements(scope, said, made, path)
    elif polymorph:
        if said.standard:
            raise PlanError(
                "0A000", "SQL function with unquoted function body cannot have polymorphic arguments"
            )
    elif made.runs and not procedural.is_query(made):
        _settle_statements(scope, said, made)
    elif said.standard or scope.ctx.check_bodies:
        used = _validate(scope, said, made)
        if said.standard:
            of_body = depends_on.needs_of_query(scope, parse_query(body_of(made)))
            settled = replace(
                made,
                depends=tuple(sorted({*made.depends, *of_body, *used} - {made.oid})),
                body=moments.frozen_body(scope, made),
            )
            scope.replace(made, settled)
    if old is not None:
        look_again(scope, old)


def refuse_leakproof(scope: Scope, *, leakproof: bool) -> None:
    """Raises 42501 of anyone but a superuser: such a function is called before policies have hidden rows from it."""
    if leakproof and not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError("42501", "only superuser can define a leakproof function")


def _parameters(scope: Scope, said: st.CreateFunction, needs: set[Oid]) -> tuple[Parameter, ...]:
    """`needs`: what their defaults call is added to it."""
    found: list[Parameter] = []
    defaults = False
    for p in said.parameters:
        mode = p.mode or "i"
        kind, domain = _type(scope, p.type)
        if p.type.setof:
            raise PlanError("42P13", "functions cannot accept set arguments")
        default: str | None = None
        if p.default is not None:
            if mode not in "ibv":
                raise PlanError("42P13", "only input parameters can have default values")
            default, called = parameter_defaults.kept(scope, p, kind)
            needs |= called
            defaults = True
        elif defaults and mode == "o" and said.kind == "procedure":
            raise PlanError("42P13", "procedure OUT parameters cannot appear after one with a default value")
        elif defaults and mode in "ibv":
            raise PlanError(
                "42P13", "input parameters after one with a default value must also have defaults"
            )
        if p.name and any(
            x.name == p.name and (x.mode == "t") == (mode == "t") and not _apart(x.mode, mode) for x in found
        ):
            raise PlanError("42P13", f'parameter name "{p.name}" used more than once')
        if mode == "v":
            _refuse_variadic(p, kind, said)
        found.append(Parameter(p.name, kind, mode, default, domain))
    if sum(p.mode in "ibv" for p in found) > _PARAMETERS_MAX:
        raise PlanError("54023", f"functions cannot have more than {_PARAMETERS_MAX} arguments")
    return tuple(found)


def _refuse_variadic(p: st.ParameterDef, kind: TypeRef, said: st.CreateFunction) -> None:
    """Raises 42P13 for one that is no array, or not the last."""
    if p is not [x for x in said.parameters if x.mode not in ("o", "t")][-1]:
        raise PlanError("42P13", "VARIADIC parameter must be the last input parameter")
    if not t.element_of(kind.oid) and polymorphic.PSEUDO.get(kind.oid) not in (
        "anyarray",
        "anycompatiblearray",
    ):
        raise PlanError("42P13", "VARIADIC parameter must be an array")
    if said.kind == "procedure" and p is not said.parameters[-1]:
        raise PlanError("42P13", "VARIADIC parameter must be the last parameter")


def refuse_undetermined(f: Function) -> None:
    """A result's type must follow from those of the inputs. Raises 42P13."""
    given = {polymorphic.PSEUDO.get(p.type.oid, "") for p in f.inputs}
    families = (
        (
            "anycompatible",
            "anycompatiblearray",
            "anycompatiblenonarray",
            "anycompatiblerange",
            "anycompatiblemultirange",
        ),
        ("anyelement", "anyarray", "anynonarray", "anyenum", "anyrange", "anymultirange"),
    )
    for ref in (f.result, *(p.type for p in f.outputs)):
        name = polymorphic.PSEUDO.get(ref.oid)
        family: tuple[str, ...] = next((x for x in families if name in x), ())
        wanted: Sequence[str] = family
        if name in ("anyrange", "anymultirange"):
            wanted = ("anyrange", "anymultirange")
        elif name in ("anycompatiblerange", "anycompatiblemultirange"):
            wanted = ("anycompatiblerange", "anycompatiblemultirange")
        if name and not given.intersection(wanted):
            shown = f"{', '.join(wanted[:-1])}{',' if len(wanted) > 2 else ''} or {wanted[-1]}"
            raise PlanError(
                "42P13",
                "cannot determine result data type",
                detail=f"A result of type {name} requires at least one input of type {shown}.",
            )


def _apart(a: str, b: str) -> bool:
    """An IN and an OUT parameter may share a name, as PostgreSQL sees it."""
    return (a == "i" and b == "o") or (a == "o" and b == "i")


def _refuse_alike(scope: Scope, made: Function) -> None:
    """Raises 0A000 for a function that only domains tell from another one: what is computed is of the type underneath."""
    under = tuple(p.type.oid for p in made.inputs)
    home = scope.catalog.schema_of(made.schema_oid).name
    for f in scope.catalog.functions(made.name, home, scope.search_path):
        if f.signature != made.signature and tuple(p.type.oid for p in f.inputs) == under:
            raise PlanError("0A000", f"functions {made.name} that differ in domains only are not supported")


def _type(scope: Scope, said: st.TypeName, *, result: bool = False) -> tuple[TypeRef, Oid]:
    """A type without its modifier, which functions do not keep, and the domain that it is under. Raises 42704, 0A000."""
    word = said.names[-1]
    if word in _PSEUDO and not said.copied and said.names[:-1] in ((), ("pg_catalog",)):
        if result and word in _RESULTS:
            return TypeRef(_RESULTS[word]), 0
        raise PlanError("0A000", f"a function with type {word} is not supported", position=said.position)
    try:
        ref = type_in_signature(scope, said)
    except SqlError as e:
        if e.sqlstate == "42704":
            e.position = 0
            if not result:
                e.message = e.message.replace('"', "")
        raise
    under, use = underneath(scope.catalog, ref)
    if use is not None and t.composite_fields(under.oid) is not None:
        message = "a function with a domain over a composite type is not supported"
        raise PlanError("0A000", message, position=said.position)
    return TypeRef(under.oid), use.oid if use is not None else 0


def _result(
    scope: Scope, said: st.CreateFunction, parameters: Sequence[Parameter]
) -> tuple[TypeRef, bool, Oid]:
    """What it returns, whether that is a set, and the domain that the result is of."""
    outputs = [p for p in parameters if p.mode not in "iv"]
    if said.kind == "procedure":
        return TypeRef(t.RECORD if outputs else t.VOID), False, 0
    by_outputs = (outputs[0].type, outputs[0].domain) if len(outputs) == 1 else (TypeRef(t.RECORD), 0)
    if said.returns is None:
        if not outputs:
            raise PlanError("42P13", "function result type must be specified")
        return by_outputs[0], False, by_outputs[1]
    if any(p.mode == "t" for p in parameters):
        if any(p.mode in "ob" for p in parameters):
            raise PlanError("42601", "OUT and INOUT arguments aren't allowed in TABLE functions")
        return by_outputs[0], True, by_outputs[1]
    stated = (
        (TypeRef(t.RECORD), 0)
        if said.returns.names == ("record",)
        else _type(scope, said.returns, result=True)
    )
    if outputs and by_outputs != stated:
        shown = t.format_type(TypeRef(by_outputs[1]) if by_outputs[1] else by_outputs[0])
        raise PlanError("42P13", f"function result type must be {shown} because of OUT parameters")
    return stated[0], said.returns.setof, stated[1]


def _refuse_results(said: st.CreateFunction, f: Function) -> None:
    """What only some languages take or return. Raises 42P13, 0A000."""
    if f.language == "sql":
        for p in f.inputs:
            fact = t.BY_OID.get(p.type.oid)
            if fact is not None and fact.typtype == "p" and p.type.oid not in polymorphic.PSEUDO:
                kind = t.type_in_words(p.type.oid)
                raise PlanError("42P13", f"SQL functions cannot have arguments of type {kind}")
    else:
        for p in f.parameters:
            fact = t.BY_OID.get(p.type.oid)
            if fact is not None and fact.typtype == "p" and p.type.oid not in (t.RECORD, *polymorphic.PSEUDO):
                kind = t.type_in_words(p.type.oid)
                raise PlanError("0A000", f"PL/pgSQL functions cannot accept type {kind}")
    if f.result.oid == t.TRIGGER:
        if f.language == "sql":
            raise PlanError("42P13", "SQL functions cannot return type trigger")
        if f.inputs:
            raise PlanError(
                "42P13",
                "trigger functions cannot have declared arguments",
                hint="The arguments of the trigger can be accessed through TG_NARGS and TG_ARGV instead.",
            )
    if f.result.oid == t.EVENT_TRIGGER:
        if f.language == "sql":
            raise PlanError("42P13", "SQL functions cannot return type event_trigger")
        if f.inputs:
            near = f'compilation of PL/pgSQL function "{f.name}" near line 1'
            raise PlanError("42P13", "event trigger functions cannot have declared arguments", context=near)
    if f.result.oid == t.VOID and f.returns_set:
        raise PlanError("0A000", "functions that return sets of void are not supported")
    if not f.runs and f.result.oid in (t.VOID, t.TRIGGER, t.EVENT_TRIGGER):
        raise PlanError(
            "0A000", "functions that return void with a body of the standard's form are not supported"
        )


def _path_of_body(scope: Scope, home: Schema) -> tuple[str, ...]:
    """Where the names of a body of the standard's form are looked up: not among the temporary things of whoever calls it."""
    if home.name.startswith("pg_temp_"):
        return scope.search_path
    return tuple(name for name in scope.search_path if not name.startswith("pg_temp_"))


def _binder(scope: Scope, text: str, f: Function | None = None) -> QueryBinder:
    context = scope.context(trusted=True)
    if f is not None:
        path = f.search_path if f.standard else search_path_of(f, context.search_path, scope.user)
        context = replace(context, search_path=path)
    return QueryBinder(context, text, Parameters((), None))


def _validate(scope: Scope, said: st.CreateFunction, f: Function) -> set[Oid]:
    """Binds the body; errors point into the statement. The functions that it calls."""
    queries = _binder(scope, said.body, f)
    try:
        binding.validate(queries, f)
    except SqlError as e:
        e.position = _place(said, e.position)
        if e.sqlstate == "42P13":
            e.context = f'SQL function "{f.name}"'
        raise
    return queries.routines.used


def _check_statements(scope: Scope, said: st.CreateFunction, f: Function, path: tuple[str, ...]) -> None:
    """Plans the statements of a body that runs; errors point into the statement."""
    try:
        standard_bodies.check_statements(scope, f, path)
    except SqlError as e:
        e.position = _place(said, e.position)
        raise


def _settle_statements(scope: Scope, said: st.CreateFunction, f: Function) -> None:
    """The same of a body of the standard's form that runs, which keeps what its statements need."""
    try:
        procedural.validate(said, f, scope.catalog, f.search_path)
        needs = standard_bodies.needs_of_statements(scope, f)
    except SqlError as e:
        e.position = _place(said, e.position)
        raise
    scope.replace(
        f,
        replace(
            f,
            depends=tuple(sorted({*f.depends, *needs} - {f.oid})),
            body=moments.frozen_statements(scope, f),
        ),
    )


def _tell_of_shadows(scope: Scope, shadows: Sequence[tuple[str, int]]) -> None:
    """Variables that shadow others: raises 42712 or warns, as the session's settings say."""
    for name, position in shadows if scope.ctx.shadowing else ():
        message = f'variable "{name}" shadows a previously defined variable'
        if scope.ctx.shadowing == "error":
            raise PlanError("42712", message, position=position)
        scope.notice(message, "42712", severity="WARNING", position=position)


def _place(said: st.CreateFunction, position: int) -> int:
    """Where a place in the body is in the statement."""
    if not position:
        return 0
    written, body = said.written.text, said.body
    if said.standard:
        return said.written.offset + position
    at = written.find(body)
    if at >= 0:
        return said.written.offset + at + position
    if written.startswith("'"):  # quotes in it are doubled
        return said.written.offset + 1 + position + body[: position - 1].count("'")
    return 0


def _refuse_other_kind(scope: Scope, said: st.CreateFunction, old: Function, made: Function) -> None:
    """Raises 42723, 42501, 42P13."""
    if not said.replace:
        raise PlanError("42723", f'function "{old.name}" already exists with same argument types')
    permits.must_own(scope, old, word="function")
    word = "PROCEDURE" if old.kind == "p" else "FUNCTION"
    if old.kind != made.kind:
        raise PlanError(
            "42809",
            "cannot change routine kind",
            detail=f'"{old.name}" is {"an aggregate function" if old.kind == "a" else f"a {word.lower()}"}.',
        )
    hint = f"Use DROP {word} {_shown(scope, old)} first."
    if old.result != made.result or old.domain != made.domain or old.returns_set != made.returns_set:
        raise PlanError("42P13", "cannot change return type of existing function", hint=hint)
    outputs = [[(p.type, p.domain, p.name, p.mode) for p in f.outputs] for f in (old, made)]
    if outputs[0] != outputs[1] and made.result.oid == t.RECORD:
        raise PlanError(
            "42P13",
            "cannot change return type of existing function",
            detail="Row type defined by OUT parameters is different.",
            hint=hint,
        )
    for a, b in zip(old.inputs, made.inputs, strict=True):
        if a.name and a.name != b.name:
            raise PlanError("42P13", f'cannot change name of input parameter "{a.name}"', hint=hint)
        if a.default is not None and b.default is None:
            raise PlanError("42P13", "cannot remove parameter defaults from existing function", hint=hint)


def _shown(scope: Scope, f: Function) -> str:
    schema = scope.catalog.schema_of(f.schema_oid).name
    name = quote_identifier(f.name) if schema in scope.search_path else quote_qualified(schema, f.name)
    return f"{name}({signature_shown(scope.catalog, f, scope.search_path)})"


def look_again(scope: Scope, old: Function) -> None:
    """What uses a function that was replaced must be right with the new one."""
    for view in stored_queries(scope.catalog):
        if old.oid in view.depends and not isinstance(view.holder, Function):
            ctx = replace(scope.context(), search_path=view.path or scope.search_path)
            scope.planner.plan_stored(view.query, ctx)
    for table, text, clause in expressions_with(scope, old):
        place = quote_qualified(scope.catalog.schema_of(table.schema_oid).name, table.name)
        scope.plan_expression(st.Sql(text), place, clause)


def expressions_with(scope: Scope, f: Function) -> list[tuple[Table, str, str]]:
    """The defaults and CHECKs whose text may call a function: (table, text, what it is)."""
    found: list[tuple[Table, str, str]] = []
    for table in scope.catalog.wording(f.name):
        if not isinstance(table, Table):
            continue
        found += [
            (table, c.default, "DEFAULT expressions")
            for c in table.columns
            if c.default is not None and f.name in c.default and not c.generated
        ]
        found += [
            (table, c.expression, "check constraints")
            for c in table.constraints
            if c.kind == "c" and f.name in c.expression
        ]
    return [x for x in found if calls(scope, x[0], x[1], f.oid, f.name)]


def calls(scope: Scope, table: Table, text: str, oid: Oid, name: str) -> bool:
    """Whether an expression over a table calls a function, or names an operator."""
    if name not in text:
        return False
    place = quote_qualified(scope.catalog.schema_of(table.schema_oid).name, table.name)
    try:
        plan = scope.plan_expression(st.Sql(text), place)
    except SqlError:
        return False
    return oid in plan.extra.get("functions", ())


def of_type(scope: Scope, kind: UserType) -> list[Function]:
    """The functions with a parameter or a result of a type, or of arrays of it."""
    own = (kind.oid, kind.array_oid)
    return [
        f
        for f in scope.catalog.using(*own)
        if isinstance(f, Function) and (f.returns in own or any(p.declared in own for p in f.parameters))
    ]


def settings_after(before: Sequence[str], said: Sequence[st.AlterSettings]) -> tuple[str, ...]:
    """What SET and RESET make of a function's settings. The executor has checked the values."""
    kept = dict(s.split("=", 1) for s in before)
    for one in said:
        if not one.name:
            kept.clear()
        elif one.values is None:
            kept.pop(one.name, None)
        else:
            kept[one.name] = one.values[0]
    return tuple(f"{name}={value}" for name, value in kept.items())


def search_path_of(f: Function, otherwise: tuple[str, ...], user: str) -> tuple[str, ...]:
    """Where a function's SET has names looked up."""
    for setting in f.settings:
        name, _, value = setting.partition("=")
        if name == "search_path":
            return tuple(user if n == "$user" else n for n in split_identifiers(value) if n)
    return otherwise
