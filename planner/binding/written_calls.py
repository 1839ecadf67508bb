"""A call as it stands in a text, before anybody knows what is called.

    s.f(DISTINCT a, b ORDER BY c) FILTER (WHERE d) OVER w
    |   |         |            |               |       |
    schema        arguments    order           condition
        distinct                                       over        and WITHIN GROUP (ORDER BY ...)

The parser hangs each clause around what stands before it. What a clause is good for depends on what the name turns out to
be: only aggregates take DISTINCT, ORDER BY, FILTER and WITHIN GROUP, only they and window functions OVER (PostgreSQL's
manual, 4.2.7 and 4.2.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from planner.abc import PlanError
from planner.binding.naming import function_name, identifier, lowered
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.state import QueryState


@dataclass(slots=True)
class WrittenCall:
    """`position`: of the name; `start`: of the whole, which may begin with a schema. `star`: `count(*)`."""

    name: str
    schema: str
    arguments: list[exp.Expression]
    star: bool
    distinct: bool
    order: list[exp.Ordered]
    within: exp.Order | None
    condition: exp.Expression | None
    over: exp.Window | None
    position: int
    start: int

    @property
    def bare(self) -> bool:
        """Nothing but a name and arguments."""
        return not (self.over or self.star or self.condition or self.within or self.distinct or self.order)

    @property
    def has_variadic(self) -> bool:
        return bool(self.arguments) and isinstance(self.arguments[-1], exp.Variadic)

    @property
    def has_names(self) -> bool:
        return any(isinstance(a, exp.Kwarg) for a in self.arguments)

    def refuse_over(self, position: int) -> None:
        """What is called is no window function, nor an aggregate. Raises 42809."""
        if self.over is not None:
            raise _not_over(self.name, position)

    def refuse_clauses(self, position: int) -> None:
        """What is called is no aggregate. Raises 42809."""
        for said, clause in (
            (self.distinct, "DISTINCT"),
            (self.order, "ORDER BY"),
            (self.condition, "FILTER"),
            (self.within, "WITHIN GROUP"),
        ):
            if said:
                raise PlanError(
                    "42809",
                    f"{clause} specified, but {self.name} is not an aggregate function",
                    position=position,
                )


def read(queries: QueryState, node: exp.Expression) -> WrittenCall:
    """Takes a call's clauses off it. Raises 3F000, 42601, 42809, and 0A000 for IGNORE NULLS."""
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
            schema = queries.called_schema(identifier(inner.this))
            if queries.ctx.catalog.find_schema(schema) is None:
                message = f'schema "{schema}" does not exist'
                raise PlanError("3F000", message, position=first_position(inner.this))
            inner = inner.expression
        elif isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
            raise PlanError("0A000", "IGNORE NULLS is not supported", position=first_position(inner.this))
        else:
            break
    if not isinstance(inner, exp.Anonymous):
        raise _not_over("this", first_position(inner))
    position = first_position(inner)
    distinct, order, arguments = _cut(inner)
    if within is not None and (order or distinct):
        what = "multiple ORDER BY clauses" if order else "DISTINCT"
        at = lowered(queries.text).find("within", position)
        raise PlanError("42601", f"cannot use {what} with WITHIN GROUP", position=at + 1)
    star = len(arguments) == 1 and isinstance(arguments[0], exp.Star)
    return WrittenCall(
        function_name(inner), schema, [] if star else arguments, star, distinct, order, within, condition, over,
        position, position if inner is node else first_position(node),
    )  # fmt: skip


def _not_over(name: str, position: int) -> PlanError:
    message = f"OVER specified, but {name} is not a window function nor an aggregate function"
    return PlanError("42809", message, position=position)


def _cut(node: exp.Anonymous) -> tuple[bool, list[exp.Ordered], list[exp.Expression]]:
    """DISTINCT, ORDER BY and the plain arguments: sqlglot hangs the first two on the last argument."""
    arguments = list(node.expressions)
    order: list[exp.Ordered] = []
    distinct = False
    if arguments and isinstance(arguments[-1], exp.Order):
        last = arguments.pop()
        order = list(last.expressions)
        if last.this is not None:
            arguments.append(last.this)
    if len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        distinct = True
        arguments = list(arguments[0].expressions)
        if any(isinstance(a, exp.Star) for a in arguments):
            raise PlanError("42601", 'syntax error at or near "*"')
    return distinct, order, arguments


__all__ = ["WrittenCall", "read"]
