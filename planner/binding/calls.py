"""Operators and functions: from a name and typed arguments to a resolved call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import (
    attribute_notation,
    filled_rows,
    input_and_output,
    ir,
    outer_aggregates,
    queried_texts,
)
from planner.binding.aggregate_calls import cut
from planner.binding.clauses import refuse_unsteady
from planner.binding.collating import named
from planner.binding.facts import Proc, multirange_of, procs, type_name, type_oid
from planner.binding.functions.registry import implementation
from planner.binding.functions.system import session_function
from planner.binding.named_arguments import left_out, ordered
from planner.binding.naming import function_name, identifier, lowered
from planner.binding.offered import NOTHING, Offered, procs_named
from planner.binding.operator_calls import BOOL, OperatorBinder, shown
from planner.binding.range_constructors import constructed_type, constructor
from planner.binding.records import each_field, field_names, field_of, items_of, record_of, row_of, told_type
from planner.binding.resolve import (
    Ambiguous,
    bind_polymorphic,
    find_proc,
)
from planner.binding.routines import inlined as routines
from planner.binding.routines import own_aggregates
from planner.binding.routines import resolution as routine_resolution
from planner.binding.routines import runs as routine_runs
from planner.binding.rows_beside_arrays import of_their_type
from planner.binding.scope import Scope
from planner.binding.true_types import true_type
from planner.binding.types_called import STRINGS, called_type, cast_by_call
from planner.binding.unresolved import NoFunction, NotUnique
from planner.binding.xml import forms as xml_forms
from planner.catalog import own_functions
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.catalog import Function


_ARGUMENTS_MAX: Final = 100
_OF_ANY_NUMBER: Final = frozenset(("coalesce", "greatest", "least", "array"))
"""What looks like a call, and is syntax."""


class CallBinder(OperatorBinder):
    def as_boolean(self, bound: ir.Node, what: str, position: int) -> ir.Node:
        """A boolean. Raises 42804 as `argument of WHERE must be ...`."""
        made = self.coercions.try_coerce(bound, BOOL, "i", position)
        if made is None:
            kind = t.type_in_words(bound.type.oid)
            raise PlanError(
                "42804", f"argument of {what} must be type boolean, not type {kind}", position=position
            )
        return made

    def missing(self, name: str, given: Sequence[ir.Node], position: int) -> NoFunction:
        types = ", ".join(shown(told_type(g.type)) for g in given)
        return NoFunction(f"{name}({types})", given, position)

    def resolve(
        self, name: str, given: Sequence[ir.Node], position: int, offered: Offered = NOTHING
    ) -> tuple[Proc, tuple[str, ...]]:
        try:
            found = find_proc(name, tuple(type_name(g.type.oid) for g in given), offered=offered)
        except Ambiguous:
            types = ", ".join(shown(g.type) for g in given)
            raise NotUnique(f"{name}({types})", position) from None
        if found is None:
            raise self.missing(name, given, position)
        return found

    def function(
        self, name: str, given: Sequence[ir.Node], position: int, offered: Offered = NOTHING
    ) -> ir.Node:
        """A plain function of bound arguments: one of PostgreSQL's own, or of the extensions that are offered."""
        proc, declared = self.resolve(name, given, position, offered)
        if proc.kind == "a":
            raise PlanError("0A000", f"aggregate {name} cannot be called here", position=position)
        rest = left_out(proc, len(given)) if not proc.variadic else []
        if rest and implementation(f"{name}({', '.join(declared)})") is None:
            given = [*given, *(self.bind(r, Scope(None, 0)) for r in rest)]
            declared = proc.args
        args, result = self.arguments(declared, proc.result, given, position)
        if result.oid == t.RECORD and proc.out:
            bound = bind_polymorphic(declared, [type_name(a.type.oid) for a in args]) or {}
            result = record_of(tuple((n, TypeRef(type_oid(bound.get(k, k)))) for n, k in proc.out))
        cast = input_and_output.as_cast(self.coercions, proc, args, position)
        if cast is not None:
            return cast
        signature = f"{name}({', '.join(declared if not proc.variadic else proc.args)})"
        if proc.variadic and len(declared) == len(proc.args) and declared == proc.args:
            signature = f"{name}({', '.join(proc.args)})"
        if (
            proc.variadic and proc.defaults and declared != proc.args
        ):  # a list, given one by one or not at all
            fixed = len(proc.args) - 1
            listed = TypeRef(type_oid(proc.args[-1]))
            args = (*args[:fixed], ir.Logic(listed, "array", tuple(args[fixed:])))
        if proc.returns_set:
            return ir.SetReturning(result, signature, args, position=position)
        if proc.volatility != "i":
            refuse_unsteady(self.queries.ctx.clause, position)
        runs = own_functions.found(proc.oid)
        if self.queries.routines.expand and runs is not None:
            return routine_runs.call(
                self.queries, routine_resolution.Resolved(runs, list(args), []), position
            )
        return ir.Call(result, signature, args, ir.drawn(proc.volatility == "v"), position)

    # --- calls -----------------------------------------------------------------------------------

    def value_function(self, name: str, node: exp.Expression, scope: Scope) -> ir.Node:
        made = session_function(name, [])
        assert made is not None, name
        refuse_unsteady(self.queries.ctx.clause, first_position(node))
        return made

    def call(self, node: exp.Expression, scope: Scope) -> ir.Node:
        """`f(...)`: a function's call, or a field of the row that is its argument."""
        try:
            return self._function_call(node, scope)
        except NoFunction as e:
            plain = isinstance(node, exp.Anonymous) and len(node.expressions) == 1
            if not plain or len(e.given) != 1 or e.position != first_position(node):
                raise
            field = attribute_notation.field(function_name(node), e.given[0], e.position)
            if field is None:
                raise
            return field

    def _function_call(self, node: exp.Expression, scope: Scope) -> ir.Node:
        """`f(...)` with its FILTER, WITHIN GROUP, IGNORE NULLS and OVER."""
        special = xml_forms.bound(self, node, scope) or queried_texts.rewriting(self, node, scope)
        if special is not None:
            return special
        over: exp.Window | None = None
        condition: exp.Expression | None = None
        within: exp.Order | None = None
        inner, schema = node, ""
        while True:
            if isinstance(inner, exp.Window):
                over, inner = inner, inner.this
            elif isinstance(inner, exp.Filter):
                condition, inner = inner.expression.this, inner.this
            elif isinstance(inner, exp.WithinGroup):
                within, inner = inner.expression, inner.this
            elif isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Anonymous):
                schema = self.queries.called_schema(identifier(inner.this))
                if self.queries.ctx.catalog.find_schema(schema) is None:
                    message = f'schema "{schema}" does not exist'
                    raise PlanError("3F000", message, position=first_position(inner.this))
                inner = inner.expression
            elif isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
                raise PlanError("0A000", "IGNORE NULLS is not supported", position=first_position(inner.this))
            else:
                break
        if not isinstance(inner, exp.Anonymous):
            raise PlanError(
                "42809",
                "OVER specified, but this is not a window function nor an aggregate function",
                position=first_position(inner),
            )
        name, position = function_name(inner), first_position(inner)
        distinct, order, arguments = cut(inner)
        if within is not None and (order or distinct):
            what = "multiple ORDER BY clauses" if order else "DISTINCT"
            at = lowered(self.text).find("within", position)
            raise PlanError("42601", f"cannot use {what} with WITHIN GROUP", position=at + 1)
        if name == "row":
            return row_of(self.row_items(arguments, scope))
        if (
            name in ("array", "exists")
            and len(arguments) == 1
            and isinstance(arguments[0], exp.Query | exp.Values)
        ):
            query = arguments[0]
            return self.array_query(query, scope) if name == "array" else self.exists_query(query, scope)
        if name == "grouping":
            before = outer_aggregates.marks(scope)
            args = tuple(self.bind(a, scope) for a in arguments)
            for arg in args:
                self._no_sets(arg, "aggregate", position)
            grouping = ir.Aggregate(TypeRef(t.INT4), "grouping", args, scope=scope.number, position=position)
            return outer_aggregates.placed(self.queries, grouping, scope, before)
        if len(arguments) == 1 and isinstance(arguments[0], exp.Star):
            arguments, star = [], True
        else:
            star = False
        if len(arguments) > _ARGUMENTS_MAX and name not in _OF_ANY_NUMBER:
            raise PlanError(
                "54023",
                f"cannot pass more than {_ARGUMENTS_MAX} arguments to a function",
                position=first_position(node),
            )
        if name in ("normalize", "is_normalized") and len(arguments) == 2:
            arguments = [arguments[0], _normal_form(arguments[1])]
        offered = self.queries.offered(schema)
        known = procs_named(name, offered)
        if schema:
            self.queries.accesses.enters(schema, first_position(node))
        in_sql = routine_resolution.known(self.queries, name, schema)
        if not in_sql and over is None and not star and (schema or not known):
            made = self._by_type(name, schema, arguments, scope, first_position(node))
            if made is not None:
                return made
        if in_sql or not self._may_be_built_in(name, schema):
            clauses = (
                ("DISTINCT", distinct),
                ("ORDER BY", order),
                ("FILTER", condition),
                ("WITHIN GROUP", within),
            )
            try:
                found = self._in_sql(
                    in_sql, name, schema, arguments, star, over, clauses, scope, first_position(node)
                )
            except NoFunction:
                called = over is None and not star
                found = (
                    self._by_type(name, schema, arguments, scope, first_position(node)) if called else None
                )
                if found is None:
                    raise
            if found is not None:
                return found
        plain = over is None and condition is None and within is None and not distinct and not order
        if plain and not star and not arguments:
            made = session_function(name, [])
            if made is not None:
                refuse_unsteady(self.queries.ctx.clause, first_position(node))
                return made
        if not known:
            if any(isinstance(a, exp.Kwarg) for a in arguments):
                self._named(name, arguments, scope, position)
            given = [self.bind(a.this if isinstance(a, exp.Variadic) else a, scope) for a in arguments]
            made = session_function(name, given) or self._cast_call(name, given, position)
            made = made or true_type(self, name, given, position)
            if made is None:
                if schema:
                    raise self.missing(f"{schema}.{name}", given, first_position(node))
                raise self.missing(name, given, position)
            return made
        kinds = {p.kind for p in known}
        if kinds == {"a", "w"} and within is None:
            kinds = {"w"}  # rank() and its kin: hypothetical-set aggregates only with WITHIN GROUP
        if arguments and isinstance(arguments[-1], exp.Variadic) and kinds & {"a", "w"}:
            given = [self.bind(a.this if isinstance(a, exp.Variadic) else a, scope) for a in arguments]
            raise self.missing(name, given, position)
        if "a" in kinds:
            return self.aggregate(
                name, arguments, star, distinct, order, within, condition, over, scope, position
            )
        if kinds == {"w"} or (over is not None and "w" in kinds):
            return self.window_function(name, arguments, over, scope, position)
        if over is not None:
            raise PlanError(
                "42809",
                f"OVER specified, but {name} is not a window function nor an aggregate function",
                position=position,
            )
        for what, given_clause in (
            ("DISTINCT", distinct),
            ("ORDER BY", order),
            ("FILTER", condition),
            ("WITHIN GROUP", within),
        ):
            if given_clause:
                raise PlanError(
                    "42809", f"{what} specified, but {name} is not an aggregate function", position=position
                )
        if any(isinstance(a, exp.Kwarg) for a in arguments):
            arguments = self._named(name, arguments, scope, position)
        if arguments and isinstance(arguments[-1], exp.Variadic):
            return self._variadic(name, arguments, scope, position)
        given = [self.bind(a, scope) for a in arguments]
        # A parameter of type void is what drivers bind for an OUT parameter: PostgreSQL leaves it out.
        given = [g for g in given if not (isinstance(g, ir.Parm) and g.type.oid == t.VOID)]
        if name.startswith("array_"):
            given = of_their_type(self.coercions, given)
        if name in filled_rows.FUNCTIONS and given:
            given[0] = filled_rows.base_of(self.queries, given[0], position)
        changing = name == "current_setting" and "set_config" in self.queries.text.lower()
        if (
            name == "pg_collation_for"
            and arguments
            and isinstance(said := arguments[0].unnest(), exp.Collate)
        ):
            given = [ir.Collated(given[0].type, given[0], named(said, position, self.queries), True)]
        if name == "current_schemas" and len(given) == 1 and given[0].type.oid == t.UNKNOWN:
            given = [self.coercions.coerce(given[0], TypeRef(t.BOOL), "i", position)]
        special = None if changing else session_function(name, given)
        if special is not None:
            return special
        made = self._cast_call(name, given, position)
        if made is None and len(given) == 1 and name in field_names(given[0].type) and name not in procs():
            made = field_of(given[0], name, position)
        if made is None:
            if name == "normalize" and not schema:  # a word of the grammar
                made = self.standard(name, given, position)
            else:
                made = self.function(name, given, position, offered)
            if name in filled_rows.FUNCTIONS:
                return filled_rows.obedient(self.queries, made, given[0])
        return made

    def _may_be_built_in(self, name: str, schema: str) -> bool:
        found = schema in ("", "pg_catalog", "information_schema", "public")
        return found or bool(procs_named(name, self.queries.offered(schema)))

    def _in_sql(
        self, found: list[Function], name: str, schema: str, arguments: list[exp.Expression], star: bool,
        over: exp.Window | None, clauses: Sequence[tuple[str, object]], scope: Scope, position: int,
    ) -> ir.Node | None:  # fmt: skip
        """A call of a function in SQL; None where it turns out to be of one of PostgreSQL's own."""
        if star and name in procs() and not schema:
            return None
        if any(f.kind == "a" for f in found):
            own = own_aggregates.called(
                self, found, name, schema, arguments, star, over, dict(clauses), scope, position
            )
            if not isinstance(own, routine_resolution.Resolved):
                return own
            made: routine_resolution.Resolved | None = own
        else:
            made = routine_resolution.resolved(self, found, name, schema, arguments, scope, position)
        if made is None:
            return None
        if star:
            raise PlanError(
                "42809", f"{name}(*) specified, but {name} is not an aggregate function", position=position
            )
        for what, given in clauses:
            if given:
                raise PlanError(
                    "42809", f"{what} specified, but {name} is not an aggregate function", position=position
                )
        if over is not None:
            raise PlanError(
                "42809",
                f"OVER specified, but {name} is not a window function nor an aggregate function",
                position=position,
            )
        return routines.call(self.queries, made, scope, position)

    def row_items(self, arguments: Sequence[exp.Expression], scope: Scope) -> tuple[ir.Node, ...]:
        """What a row constructor is of: `t.*` in it are all columns of t."""
        return tuple(self.coercions.settled_in_row(item) for item in self.spread(arguments, scope))

    def spread(self, arguments: Sequence[exp.Expression], scope: Scope) -> list[ir.Node]:
        """Each, and for `t.*` each field of t."""
        made: list[ir.Node] = []
        for a in arguments:
            bound = self.bind(a, scope)
            fields: Sequence[ir.Node] | None = None
            if isinstance(a, exp.Column) and isinstance(a.this, exp.Star):
                fields = items_of(bound)
                if fields is None:  # a composite value: a parameter, or a variable of PL/pgSQL
                    each = each_field(bound, first_position(a))
                    # A function's one column is no row: its star is the value itself.
                    fields = None if each is None else [field for _, field in each]
            made.extend((bound,) if fields is None else fields)
        return made

    def array_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        raise NotImplementedError

    def exists_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        raise NotImplementedError

    def _by_type(
        self, name: str, schema: str, arguments: Sequence[exp.Expression], scope: Scope, position: int
    ) -> ir.Node | None:
        """A call by the name of a user's type: a cast of what it is given, or what a range is made of."""
        single = len(arguments) == 1 and not isinstance(arguments[0], exp.Kwarg | exp.Variadic)
        declared = called_type(self.queries, name, schema) if single else None
        if declared is not None:
            given = self.bind(arguments[0], scope)
            if multirange_of(type_name(given.type.oid)) != type_name(declared.oid):
                made = cast_by_call(self.queries, self.coercions, declared, given, position)
                if made is not None:
                    return made
        return self._constructed(name, schema, arguments, scope, position)

    def _constructed(
        self, name: str, schema: str, arguments: Sequence[exp.Expression], scope: Scope, position: int
    ) -> ir.Node | None:
        """`floatrange(1, 2)`: a range or multirange of a user's type."""
        kind = constructed_type(self.queries.ctx.catalog, name, schema, self.queries.search_path)
        if kind is None or any(isinstance(a, exp.Kwarg) for a in arguments):
            return None
        variadic = bool(arguments) and isinstance(arguments[-1], exp.Variadic)
        given = [self.bind(a.this if isinstance(a, exp.Variadic) else a, scope) for a in arguments]
        found = constructor(kind, given, variadic)
        if found is None:
            raise self.missing(f"{schema}.{name}" if schema else name, given, position)
        op, proc, declared = found
        args, result = self.arguments(declared, proc.result, given, position)
        return ir.Call(result, op, args, False, position)

    def _cast_call(self, name: str, given: Sequence[ir.Node], position: int) -> ir.Node | None:
        """`int4(x)`, `text(x)`, `date(x)`: a cast in the form of a call, when no function takes it."""
        if len(given) != 1 or name not in t.BY_NAME:
            return None
        target = TypeRef(t.BY_NAME[name].oid)
        if not t.is_known(target.oid):
            return None
        kind = given[0].type.oid
        if target.oid in STRINGS and (kind == t.RECORD or t.composite_fields(kind) is not None):
            return None
        return self.coercions.try_coerce(given[0], target, "e", position)

    def _named(
        self, name: str, arguments: list[exp.Expression], scope: Scope, position: int
    ) -> list[exp.Expression]:
        made = ordered(name, arguments)
        if made is not None:
            return made
        types = []
        for a in arguments:
            kind = shown(self.bind(a.expression if isinstance(a, exp.Kwarg) else a, scope).type)
            types.append(f"{a.this.name} => {kind}" if isinstance(a, exp.Kwarg) else kind)
        raise NoFunction(f"{name}({', '.join(types)})", (), position)

    def _variadic(self, name: str, arguments: list[exp.Expression], scope: Scope, position: int) -> ir.Node:
        given = [self.bind(a.this if isinstance(a, exp.Variadic) else a, scope) for a in arguments]
        for p in procs().get(name, ()):
            if p.variadic and len(p.args) == len(given):
                if p.args[-1] == "any" and not t.element_of(given[-1].type.oid):
                    at = first_position(arguments[-1].this)
                    raise PlanError("42804", "VARIADIC argument must be an array", position=at)
                declared = p.args if p.args[-1] != "any" else (*p.args[:-1], "anyarray")
                args, result = self.arguments(declared, p.result, given, position)
                return ir.Call(result, f"{name}(variadic {', '.join(p.args)})", args, False, position)
        raise self.missing(name, given, position)


def _normal_form(node: exp.Expression) -> exp.Expression:
    """The keyword NFC, NFD, NFKC or NFKD where a function takes one."""
    if isinstance(node, exp.Column) and node.name.lower() in ("nfc", "nfd", "nfkc", "nfkd"):
        return exp.Literal.string(node.name.upper())
    return node


__all__ = ["CallBinder", "shown"]
