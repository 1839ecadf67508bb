"""What the parameters of a routine are when a call leaves them out: an expression, bound anew by each such call.

    CREATE FUNCTION greet(who text DEFAULT app.my_name()) ...        what it calls has to stay as long as greet() does

A default means wherever it is called what it meant when it was made, so functions and types of users and regclass constants are kept
with their schemas.
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, SqlError, TypeRef
from planner.binding.clauses import refuse_sets
from planner.binding.facts import procs
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.catalog import Function, quote_qualified
from planner.ddl import moments
from planner.ddl.constraints import definitions as constraints
from planner.ddl.dependencies import depends
from planner.ddl.scope import Scope
from planner.ddl.types import named_types
from planner.lexer import QUOTED, WORD, is_sign, tokenize
from planner.parse import parse_expression

_CLAUSE: Final = "DEFAULT expressions"
_REFUSED: Final = (
    "defaults of parameters that read tables, or call functions in SQL without their names, are not supported"
)


def kept(scope: Scope, p: st.ParameterDef, kind: TypeRef) -> tuple[str, set[Oid]]:
    """The text, and what it needs: functions, types, relations that are regclass constants. Raises 42804, 42P10, and 0A000 for what would be another one elsewhere."""
    assert p.default is not None
    constraints.refuse_subqueries(p.default, "DEFAULT expression")
    text = " " * p.default.offset + p.default.text
    queries = QueryBinder(scope.context(trusted=True), text, Parameters((), None))
    queries.routines.expand = False
    around = queries.new_scope(None)
    around.clause = _CLAUSE
    try:
        value = queries.expressions.bind(parse_expression(text), around)
    except SqlError as e:
        if e.sqlstate in ("42703", "42P01"):
            raise PlanError(
                "42P10", "cannot use table references in parameter default value", position=0
            ) from None
        raise
    refuse_sets(value, _CLAUSE)
    if queries.coercions.try_coerce(value, kind, "a") is None:
        a, b = t.type_in_words(kind.oid), t.type_in_words(value.type.oid)
        raise PlanError(
            "42804",
            f"argument of DEFAULT must be type {a}, not type {b}",
            position=p.default.offset + 1,
        )
    if queries.tables or queries.system:
        raise PlanError("0A000", _REFUSED)
    called = set(queries.routines.used)
    said = named_types.with_schemas(scope, depends.qualified_constants(scope, p.default), kind)
    needs = called | depends.needs_of_expression(scope, p.default.text)
    return _with_schemas(scope, moments.frozen(scope, said, kind), called), needs


def _with_schemas(scope: Scope, text: str, called: set[Oid]) -> str:
    """The text with the schema before each name of a function that it calls. Raises 0A000."""
    names: dict[str, Function] = {}
    for oid in called:
        f = scope.catalog.get(oid)
        if not isinstance(f, Function) or f.name in names or procs().get(f.name):
            raise PlanError("0A000", _REFUSED)
        names[f.name] = f
    out, done, seen = "", 0, set[str]()
    tokens = tokenize(text)
    for i, token in enumerate(tokens[:-1]):
        if token.kind not in (WORD, QUOTED) or token.value not in names or not is_sign(tokens[i + 1], "("):
            continue
        seen.add(token.value)
        if i and is_sign(tokens[i - 1], "."):
            continue
        home = scope.catalog.schema_of(names[token.value].schema_oid).name
        out += text[done : token.start] + quote_qualified(home, token.value)
        done = token.end
    if seen != set(names):
        raise PlanError("0A000", _REFUSED)
    return out + text[done:]


__all__ = ["kept"]
