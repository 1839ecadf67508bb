"""The binder: a statement's syntax and a catalog become a plan.

    sqlglot tree                                                        planner.abc.Plan
      |  scope, sources     names to relations and columns                    ^
      |  expressions, calls operators, functions, types (resolve, coerce)     |
      |  queries, grouping  SELECT and its kin                                |
      |  dml                INSERT, UPDATE, DELETE                            |
      v                                                                       |
    typed tree (ir) --- keyed: Expr for the keyed engine ---------------------+
                    --- emit + functions/: DuckDB SQL -------------------------+

A plan holds no parameter values: `bind` runs once, its plan many times. Everything that PostgreSQL finds
while it analyses a statement (unknown names, types that do not fit, wrong grouping) is raised here as
`PlanError` with PostgreSQL's code, words and position. What is valid there and missing here is 0A000.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from planner import nesting
from planner.abc import Plan, PlanError
from planner.binding.statements import bind_statement
from planner.catalog import Catalog
from planner.types import TypeSettings


class Context(Protocol):
    """What the binder needs of `planner.planner.PlanContext`."""

    @property
    def catalog(self) -> Catalog: ...
    @property
    def search_path(self) -> tuple[str, ...]: ...
    @property
    def user(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def settings(self) -> TypeSettings: ...


def bind(
    ast: exp.Expression,
    ctx: Context,
    parameter_types: Sequence[int] = (),
    text: str = "",
    normalised_kinds: Sequence[str] | None = None,
    *,
    prefer_keyed: bool = True,
) -> Plan:
    """The plan of a SELECT, VALUES, INSERT, UPDATE or DELETE.

    `parameter_types` are the OIDs that the client states (0: to be inferred). With `normalised_kinds` (`i4`,
    `i8`, `num`, `s`) the parameters stand for literals that were taken out of the text. Without `prefer_keyed`
    the plan is DuckDB's in any case (a read at a timestamp that row versions in memory no longer reach).
    Raises PlanError.
    """
    try:
        with nesting.calls_up_to(nesting.BINDING):
            return bind_statement(ast, ctx, parameter_types, text, normalised_kinds, prefer_keyed)
    except RecursionError:
        raise PlanError("54001", "stack depth limit exceeded") from None


__all__ = ["bind"]
