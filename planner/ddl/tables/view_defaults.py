"""ALTER VIEW ... ALTER COLUMN ... SET DEFAULT: what an INSERT into the view gives a column that it does not name.

It comes before the default of the table under the view, and before those of views under it; where the view has triggers or rules
instead, it is what they find in NEW. What it calls would have to know of it before it is dropped, so it calls what PostgreSQL has itself.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import Column, PlanError, SqlError, Table
from planner.catalog import View
from planner.ddl import moments
from planner.ddl.constraints import definitions as constraints
from planner.ddl.dependencies import depends
from planner.ddl.scope import Scope
from planner.ddl.tables.columns import verify_default
from planner.ddl.types.named_types import with_schemas
from planner.lexer import tokenize, within_parentheses
from planner.records import replace


def change(scope: Scope, view: View, action: st.AlterAction) -> None:
    """SET DEFAULT, or DROP DEFAULT. Raises 42703, and what is wrong with the expression."""
    rows = view.as_table()
    column = constraints.find_column(rows, action.name)
    if column is None:
        message = f'column "{action.name}" of relation "{view.name}" does not exist'
        raise PlanError("42703", message)
    default = None
    if action.what == "set default":
        assert action.expression is not None
        default = _stored(scope, rows, column, action.expression)
    columns = tuple(replace(c, default=default) if c is column else c for c in view.columns)
    scope.replace(view, replace(view, columns=columns))


def _stored(scope: Scope, rows: Table, column: Column, expression: st.Sql) -> str | None:
    """The text that is kept; None where NULL is said: then there is no default. Errors have no positions."""
    if [t.keyword for t in within_parentheses(tokenize(expression.text))][:-1] == ["null"]:
        return None
    try:
        verify_default(scope, rows, column.name, st.Sql(expression.text))
    except SqlError as e:
        e.position = 0
        raise
    _refuse_own(scope, expression)
    said = depends.qualified_constants(scope, expression)
    return with_schemas(scope, moments.frozen(scope, said, column.type), column.type)


def _refuse_own(scope: Scope, expression: st.Sql) -> None:
    """Raises 0A000 for what calls a user's function or takes from a sequence: neither would know who needs it."""
    if any(token.value in ("nextval", "currval") for token in tokenize(expression.text)):
        raise PlanError("0A000", "defaults of view columns that take from a sequence are not supported")
    if scope.plan_expression(st.Sql(expression.text)).extra.get("functions"):
        raise PlanError("0A000", "defaults of view columns that call users' functions are not supported")


__all__ = ["change"]
