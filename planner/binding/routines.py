"""Functions in SQL: a call is its body, put in the call's place when the statement is bound, as views are.

    CREATE FUNCTION area(w int, h int) RETURNS int LANGUAGE sql AS 'SELECT w * h'
    SELECT area(a, 2) FROM t            SELECT a * 2 FROM t
    SELECT * FROM some_rows(3)          a subquery in FROM

The body is bound in a scope of its own, in which its parameters are the only names outside of its queries; they are
`ir.Argument`s until the arguments take their place (`routine_values`). So a function of an expression costs nothing at
execution, is known to the keyed engine where its operators are, and every engine answers what it would answer to the
expression. What a call computes is what PostgreSQL's computes where it inlines; where it does not, the difference shows
only in bodies that vary (0A000 where it would) and in those that read what their own statement writes.

Which function is meant: those of the name on the search path and PostgreSQL's own together, by the rules of `resolve`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding import domains as domain_casts
from planner.binding import ir, once, routine_runs, routine_values
from planner.binding.clauses import refuse_unsteady
from planner.binding.collating import carried
from planner.binding.dimensions import array_over
from planner.binding.emit import EmittedColumn
from planner.binding.facts import Proc, element_name, procs, type_name, type_oid
from planner.binding.fragments import sql
from planner.binding.named_arguments import cut
from planner.binding.records import row_of
from planner.binding.resolve import POLYMORPHIC, Ambiguous, bind_polymorphic, chosen, see_casts, spread
from planner.binding.routine_bodies import body_of, is_expression, mismatch, one_row
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn
from planner.catalog import Function, domains, polymorphic
from planner.catalog.collations import is_collatable
from planner.parse import parse_expression, parse_query

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder
    from planner.binding.queries import QueryBinder
    from planner.binding.state import BoundQuery

ROUTINE: Final = "routine "
"""What the name of a call begins with that is not expanded; the function's OID follows."""
DEPTH_MAX: Final = 50
"""Calls inside of calls' bodies."""
_ONCE: Final = ("", "DEFAULT expressions", "check constraints")
"""Clauses whose expressions are computed when rows are written, and never again: they may be queries."""
CALLS_MAX: Final = 1_000
"""Bodies that one statement is made of."""


@dataclass(slots=True)
class Frame:
    """A body that is being bound."""

    function: Function
    arguments: tuple[ir.Argument, ...]


@dataclass(slots=True)
class Routines:
    """What a statement's binding knows of functions in SQL."""

    expand: bool = True
    """Whether calls become their bodies; whoever writes a query down again wants the calls."""
    frames: list[Frame] = field(default_factory=list)
    own: bool = True
    """Whether the statement's own text is being bound, and not a view's or a function's."""
    used: set[int] = field(default_factory=set)
    """The functions that the statement's own text calls."""
    kept: tuple[int, ...] = ()
    """The functions that the view called when it was made: others of their names are not meant."""
    calls: int = 0


def known(queries: QueryBinder, name: str, schema: str) -> list[Function]:
    """The functions in SQL that this name may mean."""
    found: list[Function] = queries.ctx.catalog.functions(name, schema, queries.search_path)
    kept = [f for f in found if f.oid in queries.routines.kept]
    return kept or found


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
    if not schema and not named and not whole:
        rows += spread(procs().get(name, ()), len(given))
    places: dict[int, list[int]] = {}
    same: dict[tuple[str, ...], Function] = {}
    spread_out: dict[tuple[str, ...], bool] = {}
    unclear: set[tuple[str, ...]] = set()
    for f in found:
        spreads = f.is_variadic and not whole
        at = _places(f, len(given) - len(named), list(named), spreads=spreads)
        if at is None:
            continue
        declared = tuple(type_name(f.inputs[i].type.oid) for i in at)
        if spreads:
            last = len(f.inputs) - 1
            declared = declared[:last] + (_element(declared[last]),) * (len(at) - last)
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
        best = chosen(rows, types)
        if best is not None and best[1] in unclear:
            raise Ambiguous
    except Ambiguous:
        raise PlanError(
            "42725",
            f"function {_called(name, schema, given, list(named))} is not unique",
            hint="Could not choose a best candidate function. You might need to add explicit type casts.",
            position=position,
        ) from None
    if best is None:
        if not schema and name in procs():
            if whole:
                arguments[-1] = exp.Variadic(this=arguments[-1])
            return None  # in the words of those
        error = calls.missing(name, given, position)
        error.message = f"function {_called(name, schema, given, list(named))} does not exist"
        error.args = (error.message,)
        raise error
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
    if polymorphic.is_polymorphic(function):
        function = concrete_of(function, best[1], types, position)
    bound: dict[int, ir.Node] = {}
    spread_over: list[ir.Node] = []
    for i, g in zip(at, given, strict=True):
        ref = TypeRef(function.inputs[i].type.oid)
        if best[0].variadic and i == len(function.inputs) - 1:
            spread_over.append(calls.coercions.coerce(g, TypeRef(t.element_of(ref.oid)), "i", position))
            bound[i] = ir.Logic(ref, "array", tuple(spread_over))
        else:
            bound[i] = calls.coercions.coerce(g, ref, "i", position)
    with _text(queries, function, ""):
        queries.calling = False
        for i, p in enumerate(function.inputs):
            if i not in bound:
                assert p.default is not None
                queries.text = calls.text = p.default
                value = calls.bind(parse_expression(p.default), Scope(None, 0))
                bound[i] = calls.coercions.coerce(value, p.type, "a")
    queries.calling = called
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
    if types is None or undetermined:
        raise PlanError(
            "42804", "could not determine polymorphic type because input has type unknown", position=0
        )
    return polymorphic.concrete(f, types)


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
    if spreads:  # by place alone, and at least one for the last
        last = len(inputs) - 1
        return [min(i, last) for i in range(first)] if first > last and not named else None
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
    types = [t.format_type(TypeRef(g.type.oid)) for g in given]
    shown = [f"{named[i - first]} => {k}" if i >= first else k for i, k in enumerate(types)]
    return f"{schema + '.' if schema else ''}{name}({', '.join(shown)})"


# --- calls in expressions ------------------------------------------------------------------------------


def call(queries: QueryBinder, made: Resolved, scope: Scope | None, position: int) -> ir.Node:
    """The value that stands for a call in an expression; no `scope`: it may be one over rows. Raises 0A000 for what cannot be inlined."""
    f = made.function
    if queries.calling and f.kind != "p":
        raise routine_runs.no_procedure(f, position)
    noted(queries, f)
    if not queries.routines.expand:
        return _as_written(queries, made, position)
    if f.runs:
        return routine_runs.call(queries, made, position)
    if f.volatility != "i":
        refuse_unsteady(queries.ctx.clause)
    number, relation, inside = parameters(queries, f, made.args)
    with body(queries, f, relation, position):
        if f.returns_set:
            moving = any(isinstance(n, ir.Var | ir.Argument) for a in made.args for n in ir.walk(a))
            value: ir.Node = _set(queries, f, inside, of_other_rows=moving)
        else:
            value = _value(queries, f, inside)
            queried = any(isinstance(n, ir.SubQuery) for n in ir.walk(value))
            if queried and queries.ctx.clause not in _ONCE and not queries.ctx.listed:
                raise PlanError(
                    "0A000",
                    f"function {shown(f)}, whose body is a query, in {queries.ctx.clause} is not supported",
                )
            if queried and scope is not None and scope.clause == "check constraints":
                return routine_runs.call(
                    queries, made, position
                )  # of a domain: where no query can be (a lambda)
            of_rows = scope is None or scope.relations
            if of_rows and any(isinstance(n, ir.SubQuery) and once.varies(n) for n in ir.walk(value)):
                raise PlanError(
                    "0A000",
                    f"calling function {shown(f)}, whose query may find other values each time, for several rows is not supported",
                )
        if any(isinstance(n, ir.SubQuery) for n in ir.walk(value)):
            queries.emitter.takes_queries_of_functions(position)
        if f.strict:
            value = _unless_null(f, relation, value)
    refusal = PlanError(
        "0A000",
        f"volatile arguments, or those that return sets, of function {shown(f)} are not supported where its body "
        "is a query or names them more than once",
        position=position,
    )
    collation = carried(*made.args)
    if is_collatable(value.type.oid) and carried(value) != collation:  # its body's is not its result's
        value = ir.Collated(value.type, value, collation)
    if isinstance(value, ir.SetReturning):  # of a list, which is computed once
        return ir.SetReturning(
            value.type, value.op, tuple(routine_values.put(a, number, made.args, refusal) for a in value.args),
            position=position,
        )  # fmt: skip
    return routine_values.put(value, number, made.args, refusal)


def _as_written(queries: QueryBinder, made: Resolved, position: int) -> ir.Node:
    f = polymorphic.declared(made.function)
    op = f"{ROUTINE}{f.oid}({', '.join(type_name(p.type.oid) for p in f.inputs)})"
    last = max(made.given, default=-1) + 1
    args = tuple(made.args[:last])
    if f.returns_set:
        return ir.SetReturning(f.result, op, args, position=position)
    return ir.Call(f.result, op, args, f.volatility == "v", position)


def noted(queries: QueryBinder, f: Function) -> None:
    f = polymorphic.declared(f)
    if queries.routines.own:
        queries.routines.used.add(f.oid)
    variables = queries.variables
    if variables is not None and variables.folding and not queries.routines.frames:
        return  # an aggregate calls it, whose owner is asked (`executor.procedural.folds`)
    queries.accesses.executes(f)


def shown(f: Function) -> str:
    return f"{f.name}({', '.join(t.format_type(TypeRef(p.type.oid)) for p in f.inputs)})"


def _unless_null(f: Function, relation: Relation, body: ir.Node) -> ir.Node:
    """STRICT: NULL where an argument is."""
    boolean = TypeRef(t.BOOL)
    tests = tuple(
        ir.Logic(boolean, "not", (ir.Logic(boolean, "is present", (value,)),)) for value in relation.values
    )
    if not tests:
        return body
    test = tests[0] if len(tests) == 1 else ir.Logic(boolean, "or", tests)
    if isinstance(body, ir.SetReturning):
        (rows,) = body.args
        return ir.SetReturning(
            body.type, body.op, (ir.Logic(rows.type, "case", (test, ir.Lit(rows.type, None), rows)),)
        )
    return ir.Logic(body.type, "case", (test, ir.Lit(body.type, None), body))


# --- bodies ------------------------------------------------------------------------------------------------


@contextmanager
def _text(queries: QueryBinder, f: Function, text: str) -> Iterator[None]:
    """Another text is bound: a body of the standard's form, or a default, on the search path of its making."""
    saved = (
        queries.text,
        queries.expressions.text,
        queries.search_path,
        queries.routines.own,
        queries.routines.kept,
    )
    queries.text = queries.expressions.text = text
    queries.routines.own = False
    casts = see_casts(queries.ctx.catalog.casts)
    if f.standard:
        see_casts(queries.ctx.catalog.casts.among(f.depends))
    if f.standard or not text:
        queries.search_path = f.search_path or queries.search_path
        queries.routines.kept = f.depends
    elif saved[4]:
        queries.search_path, queries.routines.kept = tuple(queries.ctx.search_path), ()
    try:
        yield
    finally:
        (queries.text, queries.expressions.text, queries.search_path, queries.routines.own,
         queries.routines.kept) = saved  # fmt: skip
        see_casts(casts)


@contextmanager
def body(queries: QueryBinder, f: Function, relation: Relation, position: int) -> Iterator[None]:
    """The body is bound, in the name of who runs the statement. Raises 54001 for one without an end."""
    routines = queries.routines
    routines.calls += 1
    if any(frame.function.oid == f.oid for frame in routines.frames):
        raise PlanError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Function {shown(f)} calls itself, and calls are expanded when a statement is planned.",
            position=position,
        )
    if len(routines.frames) >= DEPTH_MAX or routines.calls > CALLS_MAX:
        raise PlanError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Calls of functions in SQL are expanded {DEPTH_MAX} deep and {CALLS_MAX} times in a statement at most.",
            position=position,
        )
    role, queries.accesses.role = queries.accesses.role, queries.accesses.user
    routines.frames.append(Frame(f, _arguments(relation)))
    try:
        with _text(queries, f, body_of(f)):
            yield
    except SqlError as e:
        if not e.context:
            when = "startup" if e.sqlstate == "42P13" else "inlining"
            e.context = f'SQL function "{f.name}" during {when}'
        e.position = (
            position if e.sqlstate == "54001" or (e.sqlstate == "0A000" and len(routines.frames) == 1) else 0
        )
        raise
    finally:
        routines.frames.pop()
        queries.accesses.role = role


def _argument(value: ir.Node) -> ir.Argument | None:
    while isinstance(value, ir.Collated):
        value = value.arg
    return value if isinstance(value, ir.Argument) else None


def parameters(queries: QueryBinder, f: Function, args: Sequence[ir.Node]) -> tuple[int, Relation, Scope]:
    """A scope in which the parameters' names are."""
    number = queries.next_relation()
    columns: list[RelationColumn] = []
    values: list[ir.Node] = []
    for i, (p, arg) in enumerate(zip(f.inputs, args, strict=True)):
        collation = carried(arg)
        columns.append(RelationColumn(p.name, arg.type, collation=collation))
        value: ir.Node = ir.Argument(arg.type, number, i)
        values.append(ir.Collated(arg.type, value, collation) if collation else value)
    queries.declare(
        number, [EmittedColumn(f"a{i}", queries.emitter.frag(a).form) for i, a in enumerate(args)]
    )
    relation = Relation(number, f.name, columns, values=values)
    scope = queries.new_scope(None)
    scope.relations = [relation]
    scope.columns = [StarColumn(c.name, v, c) for c, v in zip(columns, values, strict=True) if c.name]
    return number, relation, scope


def scope_of_body(queries: QueryBinder, f: Function) -> Scope:
    """A scope for who binds a body alone, with its parameters for names."""
    _, relation, scope = parameters(queries, f, [ir.Parm(p.type, i + 1) for i, p in enumerate(f.inputs)])
    queries.routines.frames.append(Frame(f, _arguments(relation)))
    queries.text = queries.expressions.text = body_of(f)
    return scope


def _arguments(relation: Relation) -> tuple[ir.Argument, ...]:
    return tuple(v for v in map(_argument, relation.values) if v is not None)


def validate(queries: QueryBinder, f: Function) -> None:
    """Binds the body as if it were called. Raises what is wrong with it, with positions in the body."""
    scope = scope_of_body(queries, f)
    queries.routines.own = True
    if f.returns_set or fields_returned(queries, f) is not None:
        rows(queries, f, scope, spread=True)
    else:
        _value(queries, f, scope)
    queries.accesses.check()


def fields_returned(queries: QueryBinder, f: Function) -> list[tuple[str, TypeRef]] | None:
    """The columns of a function that returns composite values; None for one of single values."""
    if f.result.oid == t.RECORD:
        return [(p.name or f"column{i}", TypeRef(p.type.oid)) for i, p in enumerate(f.outputs, 1)]
    fields = t.composite_fields(f.result.oid)
    return None if fields is None else list(fields)


def _value(queries: QueryBinder, f: Function, scope: Scope) -> ir.Node:
    """The body as one value."""
    fields = fields_returned(queries, f)
    tree = parse_query(body_of(f))
    if is_expression(tree) and (fields is None or f.result.oid != t.RECORD):
        made = queries.expressions.bind(tree.expressions[0], queries.new_scope(scope))
        made = queries.coercions.settled(made)
        whole = fields is None or made.type.oid == f.result.oid
        if whole and not any(
            isinstance(n, ir.Aggregate | ir.Window | ir.SetReturning) for n in ir.walk(made)
        ):
            return _as_result(queries, f, made)
        tree = parse_query(body_of(f))
    if fields is not None:
        bound = _row(queries, f, rows(queries, f, scope), fields)
        return ir.SubQuery(bound.columns[0].type, "scalar", bound.frag, form=bound.forms[0])
    bound = queries.nested(one_row(tree), scope)
    _only_reads(queries, f)
    if len(bound.columns) != 1:
        raise mismatch(f, "Final statement must return exactly one column.")
    column = bound.columns[0]
    value: ir.Node = ir.SubQuery(column.type, "scalar", bound.frag, form=bound.forms[0])
    if column.collation:
        value = ir.Collated(column.type, value, column.collation)
    return _as_result(queries, f, value)


def _as_result(queries: QueryBinder, f: Function, value: ir.Node) -> ir.Node:
    made = queries.coercions.try_coerce(value, TypeRef(f.result.oid), "a")
    if made is None:
        raise mismatch(f, f"Actual return type is {t.format_type(TypeRef(value.type.oid))}.")
    return of_domain(queries, made, f.domain)


def of_domain(queries: QueryBinder, value: ir.Node, domain: Oid) -> ir.Node:
    """A value of the type underneath, as one of the domain, if there is any."""
    if not domain:
        return value
    base, use = domains.underneath(queries.ctx.catalog, TypeRef(domain))
    if base.typmod >= 0:  # what the function is declared of has no modifier; the domain has
        value = queries.coercions.coerce(value, base, "a")
    return value if use is None else domain_casts.checked(queries, value, use)


def _row(
    queries: QueryBinder, f: Function, bound: BoundQuery, fields: Sequence[tuple[str, TypeRef]]
) -> BoundQuery:
    """Rows of several columns as one: a record, or a value of the composite type that is returned."""
    number = queries.anonymous_relation(bound)
    columns = tuple(ir.Var(c.type, number, i) for i, c in enumerate(bound.columns))
    row: ir.Node = row_of(columns, tuple(name for name, _ in fields))
    if f.result.oid != t.RECORD:
        row = queries.coercions.coerce(row, f.result, "e")
    frag = queries.emitter.frag(row)
    more = ", tw_n" if bound.numbered else ""
    text = sql("SELECT ", frag, f" AS c0{more} FROM (", bound.frag, f") AS r{number}")
    column = replace(bound.columns[0], name=f.name, type=row.type, table_oid=0, attnum=0, collation="")
    return replace(bound, frag=text, columns=[column], forms=[frag.form])


def _set(queries: QueryBinder, f: Function, scope: Scope, *, of_other_rows: bool) -> ir.Node:
    """The body as a list of values that is unnested where the call stands.

    Its own ORDER BY numbers the values. Without one they come as they are found; counting them when they are there
    would count those `of_other_rows` with them.
    """
    if t.element_of(f.result.oid):
        raise PlanError(
            "0A000", f"function {shown(f)}, which returns a set of arrays, outside of FROM is not supported"
        )
    queries.numbering = True
    bound = rows(queries, f, scope)
    queries.numbering = False
    fields = fields_returned(queries, f)
    if fields is not None:
        bound = _row(queries, f, bound, fields)
    element = bound.columns[0].type
    query, numbered = bound.frag, bound.numbered
    if not numbered and not of_other_rows:
        query, numbered = sql("SELECT c0, row_number() OVER () AS tw_n FROM (", query, ")"), True
    ref = array_over(element if element.oid == t.RECORD else TypeRef(element.oid))
    values = ir.SubQuery(ref, "array", query, form=bound.forms[0], numbered=numbered)
    made = queries.expressions.function("unnest", [values], 0)
    assert isinstance(made, ir.SetReturning)
    return made


def rows(
    queries: QueryBinder, f: Function, scope: Scope, columns: Sequence[tuple[str, TypeRef]] | None = None, *,
    spread: bool = False,
) -> BoundQuery:  # fmt: skip
    """The body as rows with the columns that the function returns; `spread`: where one column is a whole row, those in it.

    Raises 42P13, 0A000.
    """
    from planner.binding.routine_rows import fitted, in_columns

    tree = parse_query(body_of(f))
    bound = queries.nested(tree if f.returns_set else one_row(tree), scope)
    _only_reads(queries, f)
    if f.result.oid == t.RECORD and not f.outputs and columns is None:  # who calls it will say
        return bound
    fields = columns if columns is not None else fields_returned(queries, f)
    if (
        len(bound.columns) == 1
        and bound.columns[0].type.oid == f.result.oid
        and f.result.oid != t.RECORD
        and fields
    ):
        if not spread:  # no row at all would become one of NULLs
            raise PlanError("0A000", f"calling function {shown(f)}, whose query returns whole rows, outside of FROM is not supported")  # fmt: skip
        bound = in_columns(queries, bound)
    return fitted(queries, f, bound, fields)


def _only_reads(queries: QueryBinder, f: Function) -> None:
    if queries.common_writes:
        raise PlanError("0A000", f"function {f.name}, which writes, is not supported")


__all__ = ["Resolved", "Routines", "call", "known", "noted", "resolved", "rows", "shown", "validate"]
