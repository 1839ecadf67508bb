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
    written_calls,
)
from planner.binding.clauses import refuse_unsteady
from planner.binding.collating import named
from planner.binding.facts import Proc, multirange_of, procs, type_name, type_oid
from planner.binding.functions.registry import implementation
from planner.binding.functions.system import session_function
from planner.binding.named_arguments import left_out, ordered
from planner.binding.naming import function_name
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
from planner.binding.written_calls import WrittenCall
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
        special = xml_forms.bound(self, node, scope) or queried_texts.rewriting(self, node, scope)
        if special is not None:
            return special
        call = written_calls.read(self.queries, node)
        made = self._of_grammar(call, scope)
        if made is not None:
            return made
        name, position = call.name, call.position
        if len(call.arguments) > _ARGUMENTS_MAX and name not in _OF_ANY_NUMBER:
            message = f"cannot pass more than {_ARGUMENTS_MAX} arguments to a function"
            raise PlanError("54023", message, position=call.start)
        if name in ("normalize", "is_normalized") and len(call.arguments) == 2:
            call.arguments = [call.arguments[0], _normal_form(call.arguments[1])]
        offered = self.queries.offered(call.schema)
        known = procs_named(name, offered)
        if call.schema:
            self.queries.accesses.enters(call.schema, call.start)
        made = self._of_users(call, bool(known), scope)
        if made is not None:
            return made
        if call.bare and not call.arguments:
            made = session_function(name, [])
            if made is not None:
                refuse_unsteady(self.queries.ctx.clause, call.start)
                return made
        if not known:
            return self._of_no_function(call, scope)
        kinds = {p.kind for p in known}
        if kinds == {"a", "w"} and call.within is None:
            kinds = {"w"}  # rank() and its kin: hypothetical-set aggregates only with WITHIN GROUP
        if call.has_variadic and kinds & {"a", "w"}:
            raise self.missing(name, self._one_by_one(call.arguments, scope), position)
        if "a" in kinds:
            return self.aggregate(call, scope)
        if kinds == {"w"} or (call.over is not None and "w" in kinds):
            return self.window_function(call, scope)
        if call.within is not None:  # what rows are sorted by counts as an argument
            sorted_by = [k.expr for k in self.sort_keys(call.within.expressions, scope)]
            self.resolve(name, [*self._one_by_one(call.arguments, scope), *sorted_by], position, offered)
        call.refuse_over(position)
        call.refuse_clauses(position)
        if call.star and any(not p.args for p in known):
            message = f"{name}(*) specified, but {name} is not an aggregate function"
            raise PlanError("42809", message, position=position)
        return self._plain(call, offered, scope)

    def _of_grammar(self, call: WrittenCall, scope: Scope) -> ir.Node | None:
        """What has the form of a call, and is syntax of its own: ROW, ARRAY and EXISTS of a query, GROUPING."""
        name, arguments = call.name, call.arguments
        if name == "row" and not call.star:
            return row_of(self.row_items(arguments, scope))
        if name == "grouping":
            before = outer_aggregates.marks(scope)
            args = tuple(self.bind(a, scope) for a in arguments)
            for arg in args:
                self._no_sets(arg, "aggregate", call.position)
            made = ir.Aggregate(TypeRef(t.INT4), name, args, scope=scope.number, position=call.position)
            return outer_aggregates.placed(self.queries, made, scope, before)
        query = arguments[0] if len(arguments) == 1 and name in ("array", "exists") else None
        if isinstance(query, exp.Query | exp.Values):
            return self.array_query(query, scope) if name == "array" else self.exists_query(query, scope)
        return None

    def _of_users(self, call: WrittenCall, known: bool, scope: Scope) -> ir.Node | None:
        """A call of a function or type that somebody has made; None: of one of PostgreSQL's own, if of any. `known`: there is one of its name."""
        name, schema = call.name, call.schema
        in_sql = routine_resolution.known(self.queries, name, schema)
        called = call.over is None and not call.star
        if not in_sql and called and (schema or not known):
            made = self._by_type(call, scope)
            if made is not None:
                return made
        if not in_sql and self._may_be_built_in(name, schema):
            return None
        try:
            return self._in_sql(in_sql, call, scope)
        except NoFunction:
            made = self._by_type(call, scope) if called else None
            if made is None:
                raise
            return made

    def _of_no_function(self, call: WrittenCall, scope: Scope) -> ir.Node:
        """There is no function of the name: it may be that of a type, or a word of the session's. Raises 42883."""
        name, position = call.name, call.position
        if call.has_names:
            self._named(call, scope)
        given = self._one_by_one(call.arguments, scope)
        if call.within is not None:  # what rows are sorted by counts as an argument
            given += [k.expr for k in self.sort_keys(call.within.expressions, scope)]
        made = session_function(name, given) or self._cast_call(name, given, position)
        made = made or true_type(self, name, given, position)
        if made is None:
            if call.schema:
                raise self.missing(f"{call.schema}.{name}", given, call.start)
            raise self.missing(name, given, position)
        return made

    def _one_by_one(self, arguments: Sequence[exp.Expression], scope: Scope) -> list[ir.Node]:
        return [self.bind(a.this if isinstance(a, exp.Variadic) else a, scope) for a in arguments]

    def _plain(self, call: WrittenCall, offered: Offered, scope: Scope) -> ir.Node:
        """A call of one of PostgreSQL's functions, or of an extension's, that is no aggregate."""
        name, position = call.name, call.position
        if call.has_names:
            call.arguments = self._named(call, scope)
        if call.has_variadic:
            return self._variadic(name, call.arguments, scope, position)
        given = [self.bind(a, scope) for a in call.arguments]
        # A parameter of type void is what drivers bind for an OUT parameter: PostgreSQL leaves it out.
        given = [g for g in given if not (isinstance(g, ir.Parm) and g.type.oid == t.VOID)]
        if name.startswith("array_"):
            given = of_their_type(self.coercions, given)
        if name in filled_rows.FUNCTIONS and given:
            given[0] = filled_rows.base_of(self.queries, given[0], position)
        if name == "pg_collation_for" and call.arguments:
            said = call.arguments[0].unnest()
            if isinstance(said, exp.Collate):
                given = [ir.Collated(given[0].type, given[0], named(said, position, self.queries), True)]
        if name == "current_schemas" and len(given) == 1 and given[0].type.oid == t.UNKNOWN:
            given = [self.coercions.coerce(given[0], TypeRef(t.BOOL), "i", position)]
        changing = name == "current_setting" and "set_config" in self.queries.text.lower()
        special = None if changing else session_function(name, given)
        if special is not None:
            return special
        made = self._cast_call(name, given, position)
        if made is None and len(given) == 1 and name in field_names(given[0].type) and name not in procs():
            made = field_of(given[0], name, position)
        if made is not None:
            return made
        if name == "normalize" and not call.schema:  # a word of the grammar
            made = self.standard(name, given, position)
        else:
            made = self.function(name, given, position, offered)
        if name in filled_rows.FUNCTIONS:
            return filled_rows.obedient(self.queries, made, given[0])
        return made

    def _may_be_built_in(self, name: str, schema: str) -> bool:
        found = schema in ("", "pg_catalog", "information_schema", "public")
        return found or bool(procs_named(name, self.queries.offered(schema)))

    def _in_sql(self, found: list[Function], call: WrittenCall, scope: Scope) -> ir.Node | None:
        """A call of a function in SQL; None where it turns out to be of one of PostgreSQL's own."""
        name, schema, position = call.name, call.schema, call.start
        if call.star and name in procs() and not schema:
            return None
        if any(f.kind == "a" for f in found):
            own = own_aggregates.called(self, found, call, scope)
            if not isinstance(own, routine_resolution.Resolved):
                return own
            made: routine_resolution.Resolved | None = own
        else:
            made = routine_resolution.resolved(self, found, name, schema, call.arguments, scope, position)
        if made is None:
            return None
        if call.star:
            raise PlanError(
                "42809", f"{name}(*) specified, but {name} is not an aggregate function", position=position
            )
        call.refuse_clauses(position)
        call.refuse_over(position)
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

    def _by_type(self, call: WrittenCall, scope: Scope) -> ir.Node | None:
        """A call by the name of a user's type: a cast of what it is given, or what a range is made of."""
        single = len(call.arguments) == 1 and not call.has_names and not call.has_variadic
        declared = called_type(self.queries, call.name, call.schema) if single else None
        if declared is not None:
            given = self.bind(call.arguments[0], scope)
            if multirange_of(type_name(given.type.oid)) != type_name(declared.oid):
                made = cast_by_call(self.queries, self.coercions, declared, given, call.start)
                if made is not None:
                    return made
        return self._constructed(call, scope)

    def _constructed(self, call: WrittenCall, scope: Scope) -> ir.Node | None:
        """`floatrange(1, 2)`: a range or multirange of a user's type."""
        name, schema, position = call.name, call.schema, call.start
        kind = constructed_type(self.queries.ctx.catalog, name, schema, self.queries.search_path)
        if kind is None or call.has_names:
            return None
        given = self._one_by_one(call.arguments, scope)
        found = constructor(kind, given, call.has_variadic)
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

    def _named(self, call: WrittenCall, scope: Scope) -> list[exp.Expression]:
        """The arguments in their places. Raises 42883."""
        made = ordered(call.name, call.arguments)
        if made is not None:
            return made
        types = []
        for a in call.arguments:
            kind = shown(self.bind(a.expression if isinstance(a, exp.Kwarg) else a, scope).type)
            types.append(f"{a.this.name} => {kind}" if isinstance(a, exp.Kwarg) else kind)
        raise NoFunction(f"{call.name}({', '.join(types)})", (), call.position)

    def _variadic(self, name: str, arguments: list[exp.Expression], scope: Scope, position: int) -> ir.Node:
        given = self._one_by_one(arguments, scope)
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
