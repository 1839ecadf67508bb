"""Aggregates and window functions: what may stand in their calls, in which order rows come to them.

    count(DISTINCT a ORDER BY a) FILTER (WHERE b)     arguments, order, test
    percentile_cont(0.5) WITHIN GROUP (ORDER BY a)    a direct argument, and the order that is the argument
    rank() OVER w                                     goes on to `windows`

Where an aggregate is of an outer query's rows it is placed there (`outer_aggregates`). PostgreSQL's manual, 4.2.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.abc import PlanError, TypeRef
from planner.binding import ir, outer_aggregates
from planner.binding.comparable import refuse_unequal, refuse_unordered
from planner.binding.facts import Proc
from planner.binding.offered import NOTHING, Offered
from planner.binding.scope import Scope
from planner.binding.unresolved import NoFunction
from planner.binding.windows import INSIDE, WindowBinder
from planner.binding.written_calls import WrittenCall
from planner.parse import position as first_position


def _spelled_alike(
    keys: Sequence[ir.SortKey], order: Sequence[exp.Ordered], arguments: Sequence[exp.Expression], given: Sequence[ir.Node]
) -> tuple[ir.SortKey, ...]:  # fmt: skip
    """Sort keys that say the same subquery as an argument: each is bound for itself, and no node of another."""
    out = []
    for key, said in zip(keys, order, strict=True):
        if said.this.find(exp.Query) is not None:
            at = next((i for i, a in enumerate(arguments) if a == said.this), None)
            key = key if at is None else ir.SortKey(given[at], key.descending, key.nulls_first)
        out.append(key)
    return tuple(out)


def _as_argument(key: ir.SortKey, given: Sequence[ir.Node], args: Sequence[ir.Node]) -> ir.SortKey:
    """ORDER BY an argument is by what the aggregate gets of it: `string_agg(c, ',' ORDER BY c)` of a citext is by texts
    (PostgreSQL's `findTargetlistEntrySQL99`, which looks through implicit casts)."""
    for said, got in zip(given, args, strict=False):
        if said == key.expr and said.type.oid != got.type.oid:
            return ir.SortKey(got, key.descending, key.nulls_first)
    return key


class AggregateBinder(WindowBinder):
    """The part of binding calls that knows aggregates."""

    def as_boolean(self, bound: ir.Node, what: str, position: int) -> ir.Node:
        raise NotImplementedError

    def arguments(
        self, declared: Sequence[str], result: str, given: Sequence[ir.Node], position: int
    ) -> tuple[tuple[ir.Node, ...], TypeRef]:
        raise NotImplementedError

    def to_common(
        self, nodes: Sequence[ir.Node], what: str, positions: Sequence[int]
    ) -> tuple[list[ir.Node], TypeRef]:
        raise NotImplementedError

    def missing(self, name: str, given: Sequence[ir.Node], position: int) -> NoFunction:
        raise NotImplementedError

    def resolve(
        self, name: str, given: Sequence[ir.Node], position: int, offered: Offered = NOTHING
    ) -> tuple[Proc, tuple[str, ...]]:
        raise NotImplementedError

    def aggregate(self, call: WrittenCall, scope: Scope) -> ir.Node:
        """Raises 42803, 42809, 42883, 42P10, 0A000."""
        name, arguments, position = call.name, call.arguments, call.position
        order, within, over, distinct = call.order, call.within, call.over, call.distinct
        clause, before = scope.clause, outer_aggregates.marks(scope)
        if over is None:
            scope.clause = INSIDE
        given = [self.bind(a, scope) for a in arguments]
        keys = self.sort_keys(within.expressions if within is not None else order, scope)
        scope.clause = clause
        direct: tuple[ir.Node, ...] = ()
        if within is not None:
            proc, declared = self.resolve(name, [*given, *(k.expr for k in keys)], position)
            if proc.kind != "a" or proc.aggregate == "n":
                raise PlanError(
                    "42809",
                    f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
                    position=position,
                )
            asked, sorted_by = tuple(given), tuple(k.expr for k in keys)
            if proc.aggregate == "h" and len(asked) == len(sorted_by):
                self.refuse_nested(given, (), False, position)
                asked, sorted_by = self._matched(asked, sorted_by, arguments, within)
            args, result = self.arguments(declared, proc.result, [*asked, *sorted_by], position)
            direct, args = args[: len(given)], args[len(given) :]
            if proc.aggregate == "h":
                if len(direct) != len(args):
                    missing = self.missing(name, [*given, *(k.expr for k in keys)], position)
                    missing.hint = (
                        f"To use the hypothetical-set aggregate {name}, the number of hypothetical direct arguments "
                        f"(here {len(direct)}) must match the number of ordering columns (here {len(args)})."
                    )
                    raise missing
                declared = ("any",)
            keys = tuple(ir.SortKey(a, k.descending, k.nulls_first) for a, k in zip(args, keys, strict=True))
        else:
            proc, declared = self.resolve(name, given, position, self.queries.offered())
            if proc.kind == "a" and proc.aggregate != "n":
                raise PlanError(
                    "42809", f"WITHIN GROUP is required for ordered-set aggregate {name}", position=position
                )
            if not given and not call.star:
                raise PlanError(
                    "42809",
                    f"{name}(*) must be used to call a parameterless aggregate function",
                    position=position,
                )
            args, result = self.arguments(declared, proc.result, given, position)
            if distinct:
                keys = _spelled_alike(keys, order, arguments, given)
            keys = tuple(_as_argument(k, given, args) for k in keys)
        self.refuse_nested((*args, *direct), keys, over is not None, position)
        scope.clause = "FILTER"
        test = None
        if call.condition is not None:
            test = self.filter_of(call.condition, scope)
        scope.clause = clause
        self.refuse_unsorted(given, args, keys, order, distinct)
        made = ir.Aggregate(
            result,
            f"{name}({', '.join(declared)})",
            args,
            distinct,
            keys,
            test,
            direct,
            scope.number,
            position,
        )
        if over is not None:
            return self.over(made, over, scope, position)
        return outer_aggregates.placed(self.queries, made, scope, before)

    def _matched(
        self, given: Sequence[ir.Node], sorted_by: Sequence[ir.Node], arguments: Sequence[exp.Expression], within: exp.Order
    ) -> tuple[tuple[ir.Node, ...], tuple[ir.Node, ...]]:  # fmt: skip
        """The row that a hypothetical-set aggregate is asked for and those that there are, in types that both have."""
        direct: list[ir.Node] = []
        others: list[ir.Node] = []
        for d, a, said, key in zip(given, sorted_by, arguments, within.expressions, strict=True):
            places = (first_position(key), first_position(said))
            (other, made), _ = self.to_common((a, d), "WITHIN GROUP", places)
            direct.append(made)
            others.append(other)
        return tuple(direct), tuple(others)

    def filter_of(self, condition: exp.Expression, scope: Scope) -> ir.Node:
        return self.as_boolean(self.bind(condition, scope), "FILTER", first_position(condition))

    def refuse_nested(
        self, args: Sequence[ir.Node], keys: Sequence[ir.SortKey], windowed: bool, position: int
    ) -> None:
        """What may not stand in an aggregate's call. Raises 42803, 0A000."""
        for a in args:
            self._no_sets(a, "window" if windowed else "aggregate", position)
        for n in (a for g in (*args, *(k.expr for k in keys)) for a in ir.walk(g)):
            if isinstance(n, ir.Aggregate) and not windowed:
                raise PlanError("42803", "aggregate function calls cannot be nested", position=n.position)
            if isinstance(n, ir.Window) and not windowed:
                raise PlanError(
                    "42803",
                    "aggregate function calls cannot contain window function calls",
                    position=position,
                )

    def refuse_unsorted(
        self,
        given: Sequence[ir.Node],
        args: Sequence[ir.Node],
        keys: Sequence[ir.SortKey],
        order: Sequence[exp.Ordered],
        distinct: bool,
    ) -> None:
        """What an aggregate cannot be DISTINCT of, or in the order of. Raises 42883, 42P10."""
        for argument in given if distinct else ():
            refuse_unequal(argument.type, getattr(argument, "position", 0))
        for k in keys:
            refuse_unordered(k.expr.type, getattr(k.expr, "position", 0))
        if distinct and order:
            for k in keys:
                if k.expr not in args and k.expr not in given:
                    raise PlanError(
                        "42P10",
                        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                        position=first_position(order[0].this),
                    )

    def _no_sets(self, node: ir.Node, kind: str, position: int) -> None:
        inner = next((n for n in ir.walk(node) if isinstance(n, ir.SetReturning)), None)
        if inner is not None:
            raise PlanError(
                "0A000",
                f"{kind} function calls cannot contain set-returning function calls",
                hint="You might be able to move the set-returning function into a LATERAL FROM item.",
                position=inner.position or position,
            )

    def window_function(self, call: WrittenCall, scope: Scope) -> ir.Node:
        name, position = call.name, call.position
        given = [self.bind(a, scope) for a in call.arguments]
        proc, declared = self.resolve(name, given, position)
        if call.over is None:
            raise PlanError("42809", f"window function {name} requires an OVER clause", position=position)
        for a in given:
            self._no_sets(a, "window", position)
        args, result = self.arguments(declared, proc.result, given, position)
        made = ir.Call(result, f"{name}({', '.join(declared)})", args, False, position)
        return self.over(made, call.over, scope, position)

    def sort_keys(self, order: Sequence[exp.Expression], scope: Scope) -> tuple[ir.SortKey, ...]:
        keys = []
        for o in order:
            node = self.coercions.settled(self.bind(o.this if isinstance(o, exp.Ordered) else o, scope))
            descending = bool(o.args.get("desc")) if isinstance(o, exp.Ordered) else False
            keys.append(ir.SortKey(node, descending, nulls_first(o, descending)))
        return tuple(keys)


def nulls_first(node: exp.Expression, descending: bool) -> bool:
    given = node.args.get("nulls_first")
    return bool(given) if given is not None else descending


__all__ = ["AggregateBinder", "nulls_first"]
