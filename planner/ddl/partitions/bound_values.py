"""The values in partitions' bounds: constants, read here, and expressions, which somebody else computes.

    FOR VALUES FROM ('2024-01-01') TO (MAXVALUE)                      texts and numbers: nothing to compute
    FOR VALUES FROM (current_date) TO (current_date + interval '1 month')

Binding a definition computes nothing. So an expression that is no constant is looked at for what may not be in it, and
`NotComputed` says what is wanted; whoever binds computes it, as a query of its own, and binds once more with the value
in `Scope.computed`, under the expression's place. A bound keeps the value, as in PostgreSQL: it is computed once.
"""

from __future__ import annotations

from sqlglot import exp

from planner import statements as st
from planner import types
from planner.abc import Column, PlanError, SqlError, TypeRef
from planner.binding.facts import type_name
from planner.binding.resolve import castable, see_casts
from planner.ddl.constraints import definitions as constraints
from planner.ddl.scope import Scope
from planner.lexer import DECIMAL, INTEGER, STRING, Token, tokenize
from planner.parse import position as first_position

CLAUSE = "partition bound"


class NotComputed(PlanError):
    """The value of an expression is wanted, as one of the column's type."""

    def __init__(self, said: st.Sql, column: Column, what: str = "a partition bound") -> None:
        super().__init__("0A000", f"{what} that is computed is not supported here")
        self.said = said
        self.ref = types.base_of(column.type)


def text_of(scope: Scope, column: Column, said: st.Sql) -> str | None:
    """A value of a bound in its type's canonical text; None is NULL. Raises what is wrong with it, and NotComputed."""
    ref = types.base_of(column.type)
    raw, kind = _literal(said.text, ref)
    if not kind:
        if said.offset not in scope.computed:
            _look_at(scope, column, said)
            raise NotComputed(said, column)
        datum = scope.computed[said.offset]
        return None if datum is None else types.output_text(datum, ref, types.TypeSettings())
    if raw is None:
        return None
    if kind != types.UNKNOWN:
        _refuse_type(scope, column, kind, said)
    try:
        datum = types.input_text(raw, ref, scope.ctx.settings)
    except SqlError as e:
        e.position = said.offset + 1
        raise
    return types.output_text(datum, ref, types.TypeSettings())


def _literal(text: str, ref: TypeRef) -> tuple[str | None, int]:
    """A constant's text and type, or no type for what is none. A cast of a string into the column's own type says nothing."""
    tokens = tokenize(text)[:-1]
    while len(tokens) > 2 and tokens[0].value == "(" and tokens[-1].value == ")" and _one_pair(tokens):
        tokens = tokens[1:-1]
    sign = ""
    if len(tokens) == 2 and tokens[0].value in ("-", "+"):
        sign, tokens = tokens[0].value.strip("+"), tokens[1:]
        if tokens[0].kind not in (INTEGER, DECIMAL):
            return None, 0
    own = types.format_type(ref)
    if len(tokens) == 1:
        only = tokens[0]
        if only.keyword == "null":
            return None, types.UNKNOWN
        if only.keyword in ("true", "false"):
            return only.keyword, types.BOOL
        if only.kind == INTEGER:
            return sign + only.value, _whole(int(only.value))
        if only.kind == DECIMAL:
            return sign + only.value, types.NUMERIC
        return (only.value, types.UNKNOWN) if only.kind == STRING else (None, 0)
    if len(tokens) == 3 and tokens[0].kind == STRING and tokens[1].value == "::" and tokens[2].value == own:
        return tokens[0].value, types.UNKNOWN
    if len(tokens) == 2 and tokens[0].value == own and tokens[1].kind == STRING:
        return tokens[1].value, types.UNKNOWN
    return None, 0


def _whole(number: int) -> int:
    if number < 1 << 31:
        return types.INT4
    return types.INT8 if number < 1 << 63 else types.NUMERIC


def _one_pair(tokens: list[Token]) -> bool:
    """Whether the first parenthesis is closed by the last token: not in `(1) + (2)`."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.value, 0)
        if not depth:
            return at == len(tokens) - 1
    return False


def _look_at(scope: Scope, column: Column, said: st.Sql) -> None:
    """Raises 0A000, 42803, 42P20 for what may not be in a bound, 42804, and what binding raises."""
    for node in constraints.parsed(said).find_all(exp.Column):
        raise PlanError(
            "0A000",
            "cannot use column reference in partition bound expression",
            position=first_position(node),
        )
    constraints.refuse_subqueries(said, CLAUSE, windows=False)
    plan = scope.plan_expression(said, clause=CLAUSE)
    assert plan.columns is not None
    _refuse_type(scope, column, plan.columns[0].type.oid, said)


def _refuse_type(scope: Scope, column: Column, oid: int, said: st.Sql) -> None:
    """Raises 42804 for a value that cannot be assigned to the column."""
    ref = types.base_of(column.type)
    if oid in (ref.oid, types.UNKNOWN):
        return
    see_casts(scope.catalog.casts)
    if not castable(type_name(oid), type_name(ref.oid), "a"):
        raise PlanError(
            "42804",
            f'specified value cannot be cast to type {types.format_type(ref)} for column "{column.name}"',
            position=said.offset + 1,
        )
