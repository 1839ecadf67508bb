"""Functions in SQL: a call is its body, put in the call's place when the statement is bound, as views are.

    CREATE FUNCTION area(w int, h int) RETURNS int LANGUAGE sql AS 'SELECT w * h'
    SELECT area(a, 2) FROM t            SELECT a * 2 FROM t
    SELECT * FROM some_rows(3)          a subquery in FROM

The body is bound in a scope of its own, in which its parameters are the only names outside of its queries; they are
`ir.Argument`s until the arguments take their place (`routines.values`). So a function of an expression costs nothing at
execution, is known to the keyed engine where its operators are, and every engine answers what it would answer to the
expression. What a call computes is what PostgreSQL's computes where it inlines; where it does not, the difference shows
only in bodies that vary (0A000 where it would) and in those that read what their own statement writes.

Which function is meant is `routines.resolution`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding import domains as domain_casts
from planner.binding import ir, shapes
from planner.binding.clauses import ONCE, refuse_unsteady
from planner.binding.collating import carried, given_to
from planner.binding.dimensions import array_over
from planner.binding.emit import EmittedColumn
from planner.binding.facts import type_name
from planner.binding.fragments import sql
from planner.binding.records import field_names, record_of, row_of
from planner.binding.resolve import see_casts
from planner.binding.routines import onlookers
from planner.binding.routines import runs as routine_runs
from planner.binding.routines import values as routine_values
from planner.binding.routines.bodies import body_of, is_expression, mismatch, one_row, statements_of
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn
from planner.catalog import Function, domains, polymorphic
from planner.catalog.collations import is_collatable
from planner.errors import NotImmutable
from planner.parse import parse_query
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.routines.resolution import Resolved
    from planner.binding.state import BoundQuery

_STEADINESS: Final = "isv"
"""From what never changes to what may be another value each time."""
ROUTINE: Final = "routine "
"""What the name of a call begins with that is not expanded; the function's OID follows."""
DEPTH_MAX: Final = 50
"""Calls inside of calls' bodies."""
CALLS_MAX: Final = 1_000
"""Bodies that one statement is made of."""


@dataclass(slots=True)
class Frame:
    """A body that is being bound."""

    function: Function
    arguments: tuple[ir.Argument, ...]
    recurs: bool = False
    """Whether it calls itself, by itself or by others: such a function runs, for nobody knows how deep it goes."""


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


# --- calls in expressions ------------------------------------------------------------------------------


def call(queries: QueryBinder, made: Resolved, scope: Scope | None, position: int) -> ir.Node:
    """The value that stands for a call in an expression; no `scope`: it may be one over rows. Raises 0A000 for what cannot be inlined."""
    f = made.function
    if queries.calling and f.kind != "p":
        raise routine_runs.no_procedure(f, position)
    noted(queries, f)
    if not queries.routines.expand:
        return _as_written(queries, made, position)
    if f.strict and not f.returns_set and f.result.oid != t.RECORD and any(map(_is_null, made.args)):
        return ir.Lit(f.result, None)  # and the other arguments are not computed
    if onlookers.noted(queries, f) or f.runs or calls_itself(queries, f):
        return routine_runs.call(queries, made, position)
    frames = queries.routines.frames
    varies_more = bool(frames) and _STEADINESS.index(f.volatility) > _STEADINESS.index(
        frames[-1].function.volatility
    )
    if f.volatility != "i" and (f.strict or f.returns_set or varies_more):  # PostgreSQL inlines none of these
        refuse_unsteady(queries.ctx.clause)
    number, relation, inside = parameters(queries, f, made.args)
    calls = queries.routines.calls
    with body(queries, f, relation, position) as frame:
        if f.returns_set:
            moving = any(isinstance(n, ir.Var | ir.Argument) for a in made.args for n in ir.walk(a))
            value: ir.Node = _set(queries, f, inside, of_other_rows=moving)
            several = scope is not None and scope.relations
            if several and any(isinstance(n, ir.SubQuery) and shapes.asks(n) for n in ir.walk(value)):
                return routine_runs.call(queries, made, position)
        else:
            value = _value(queries, f, inside)
            queried = any(isinstance(n, ir.SubQuery) for n in ir.walk(value))
            if queried and f.volatility != "i":  # what is a mere expression is judged by what it calls
                refuse_unsteady(queries.ctx.clause)
            if queried and queries.ctx.clause not in ONCE and not queries.ctx.listed:
                raise PlanError(
                    "0A000",
                    f"function {shown(f)}, whose body is a query, in {queries.ctx.clause} is not supported",
                )
            if queried and scope is not None and scope.clause == "check constraints":
                return routine_runs.call(
                    queries, made, position
                )  # of a domain: where no query can be (a lambda)
            of_rows = scope is None or scope.relations
            if of_rows and any(isinstance(n, ir.SubQuery) and shapes.varies(n) for n in ir.walk(value)):
                return routine_runs.call(queries, made, position)  # which asks it for each row
        if frame.recurs:
            queries.routines.calls = calls  # none of them is in the statement
            return routine_runs.call(queries, made, position)
        if any(isinstance(n, ir.SubQuery) for n in ir.walk(value)):
            queries.emitter.takes_queries_of_functions(position)
        if f.strict:
            value = _unless_null(f, relation, value)
    try:
        return _put(made, value, number, position)
    except routine_values.NamedTwice:
        return routine_runs.call(queries, made, position)  # where an argument is a value like any other


def _put(made: Resolved, value: ir.Node, number: int, position: int) -> ir.Node:
    """The arguments in their places. Raises NamedTwice."""
    collation = carried(*made.args)
    if is_collatable(value.type.oid) and carried(value) != collation:  # its body's is not its result's
        value = ir.Collated(value.type, value, collation)
    if isinstance(value, ir.SetReturning):  # of a list, which is computed once
        return ir.SetReturning(
            value.type,
            value.op,
            tuple(routine_values.put(a, number, made.args) for a in value.args),
            position=position,
        )
    return routine_values.put(value, number, made.args)


def _as_written(queries: QueryBinder, made: Resolved, position: int) -> ir.Node:
    f = polymorphic.declared(made.function)
    op = f"{ROUTINE}{f.oid}({', '.join(type_name(p.type.oid) for p in f.inputs)})"
    last = max(made.given, default=-1) + 1
    args = tuple(made.args[:last])
    fields = fields_returned(queries, f) if f.result.oid == t.RECORD else None
    result = record_of(tuple(fields)) if fields else f.result  # so that `(f(x)).field` is known
    if f.returns_set:
        return ir.SetReturning(result, op, args, position=position)
    return ir.Call(result, op, args, ir.drawn(f.volatility == "v"), position)


def noted(queries: QueryBinder, f: Function) -> None:
    f = polymorphic.declared(f)
    if queries.routines.own:
        queries.routines.used.add(f.oid)
    variables = queries.variables
    if variables is not None and variables.folding and not queries.routines.frames:
        return  # an aggregate calls it, whose owner is asked (`executor.procedural.folds`)
    queries.accesses.executes(f)


def shown(f: Function) -> str:
    return f"{f.name}({', '.join(t.type_in_words(p.type.oid) for p in f.inputs)})"


def _is_null(node: ir.Node) -> bool:
    return isinstance(node, ir.Lit) and node.value is None


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
def text_of(queries: QueryBinder, f: Function, text: str) -> Iterator[None]:
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


def calls_itself(queries: QueryBinder, f: Function) -> bool:
    """Whether the body that is being bound is the function's own, or one that is put into it."""
    own = [frame for frame in queries.routines.frames if frame.function.oid == f.oid]
    for frame in own:
        frame.recurs = True
    return bool(own)


@contextmanager
def body(queries: QueryBinder, f: Function, relation: Relation, position: int) -> Iterator[Frame]:
    """The body is bound, in the name of who runs the statement. Raises 54001 for one without an end."""
    routines = queries.routines
    routines.calls += 1
    if len(routines.frames) >= DEPTH_MAX or routines.calls > CALLS_MAX:
        raise PlanError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Calls of functions in SQL are expanded {DEPTH_MAX} deep and {CALLS_MAX} times in a statement at most.",
            position=position,
        )
    role, queries.accesses.role = queries.accesses.role, queries.accesses.user
    frame = Frame(f, _arguments(relation))
    routines.frames.append(frame)
    try:
        with text_of(queries, f, body_of(f)):
            yield frame
    except SqlError as e:
        if not e.context and not isinstance(e, NotImmutable):  # which is said of the definition that calls it
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
    for i, (p, arg, collation) in enumerate(zip(f.inputs, args, given_to(args), strict=True)):
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
    queries.text = queries.expressions.text = statements_of(f)
    return scope


def _arguments(relation: Relation) -> tuple[ir.Argument, ...]:
    return tuple(v for v in map(_argument, relation.values) if v is not None)


def validate(queries: QueryBinder, f: Function) -> None:
    """Binds the body as if it were called. Raises what is wrong with it, with positions in the body.

    Calls in it stay calls: what their bodies come to is asked when somebody calls all of them. (Of a body of the standard's form
    it is kept what its calls need.)
    """
    queries.routines.expand = f.standard
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
        bound = rows(queries, f, scope)
        if not _is_whole(f, bound):
            bound = _row(queries, f, bound, fields)
        return ir.SubQuery(bound.columns[0].type, "scalar", bound.frag, form=bound.forms[0])
    bound = queries.nested(one_row(tree), scope)
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
        raise mismatch(f, f"Actual return type is {t.type_in_words(value.type.oid)}.")
    return of_domain(queries, made, f.domain)


def of_domain(queries: QueryBinder, value: ir.Node, domain: Oid) -> ir.Node:
    """A value of the type underneath, as one of the domain, if there is any."""
    if not domain:
        return value
    base, use = domains.underneath(queries.ctx.catalog, TypeRef(domain))
    if base.typmod >= 0:  # what the function is declared of has no modifier; the domain has
        value = queries.coercions.coerce(value, base, "a")
    return value if use is None else domain_casts.checked(queries, value, use)


def _is_whole(f: Function, bound: BoundQuery) -> bool:
    """Whether the body's one column is what the function returns: a row of its type, or the record of which nobody has said what is in it."""
    if len(bound.columns) != 1:
        return False
    kind = bound.columns[0].type.oid
    if f.result.oid != t.RECORD:
        return kind == f.result.oid and t.composite_fields(kind) is not None
    return not f.outputs and (kind == t.RECORD or t.composite_fields(kind) is not None)


def _holds_outputs(f: Function, bound: BoundQuery) -> bool:
    """Whether the body's one column is a row of all that the function gives out: SELECT (a, b) instead of SELECT a, b."""
    if len(f.outputs) < 2 or len(bound.columns) != 1:
        return False
    return len(field_names(bound.columns[0].type)) == len(f.outputs)


def _row(
    queries: QueryBinder, f: Function, bound: BoundQuery, fields: Sequence[tuple[str, TypeRef]]
) -> BoundQuery:
    """Rows of several columns as one: a record, or a value of the composite type that is returned."""
    number = queries.anonymous_relation(bound)
    columns = tuple(ir.Var(c.type, number, i) for i, c in enumerate(bound.columns))
    # A record that nothing describes is of what the body calls its columns.
    row: ir.Node = row_of(
        columns, tuple(name for name, _ in fields or [(c.name, c.type) for c in bound.columns])
    )
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
    if fields is not None and not _is_whole(f, bound):
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
    from planner.binding.routines.rows import fitted, in_columns, whole_rows

    tree = parse_query(body_of(f))
    bound = queries.nested(tree if f.returns_set else one_row(tree), scope)
    if f.result.oid == t.RECORD and not f.outputs and columns is None:  # who calls it will say
        return bound
    fields = columns if columns is not None else fields_returned(queries, f)
    if fields and (whole := whole_rows(queries, f, bound)) is not None:
        if not spread:  # no row at all is no row of NULLs
            return whole
        bound = in_columns(queries, whole)
    elif (spread and _is_whole(f, bound)) or _holds_outputs(f, bound):
        bound = in_columns(queries, bound)
    return fitted(queries, f, bound, fields)


__all__ = ["Routines", "call", "noted", "of_domain", "rows", "shown", "text_of", "validate"]
