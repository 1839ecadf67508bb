"""The grammar of operators: CREATE, ALTER, DROP OPERATOR, and naming one.

CREATE OPERATOR s.### (LEFTARG = int, RIGHTARG = int, FUNCTION = glue, COMMUTATOR = OPERATOR(s.###), HASHES)
DROP OPERATOR ### (NONE, int)
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import OPERATOR, STRING
from planner.parse import clauses, routines
from planner.parse.cursor import Cursor

_TYPES: Final = ("leftarg", "rightarg")
_FUNCTIONS: Final = ("function", "procedure", "restrict", "join")
_SIGNS: Final = ("commutator", "negator")
_FLAGS: Final = ("hashes", "merges")
_OLD: Final = ("sort1", "sort2", "ltcmp", "gtcmp")
"""What once said that an operator merges, and still does."""


def operator_name(c: Cursor) -> st.Name:
    """`###`, `s.###`. Raises 42601."""
    at, schema = c.position, ""
    while c.token.kind != OPERATOR:
        if schema:
            c.unsupported("a cross-database reference")
        schema = c.name()
        if not c.accept_symbol("."):
            c.fail()
    if c.token.value == "=>":
        c.fail()
    return st.Name(c.advance().value, schema, at)


def _sign(c: Cursor) -> st.Name:
    """`###`, `OPERATOR(s.###)`."""
    if not c.accept("operator"):
        return operator_name(c)
    c.expect_symbol("(")
    name = operator_name(c)
    c.expect_symbol(")")
    return name


def create_operator(c: Cursor) -> st.CreateOperator:
    """After CREATE OPERATOR."""
    name = operator_name(c)
    c.expect_symbol("(")
    options: dict[str, Any] = {}
    unknown: list[str] = []
    while True:
        label = c.label()
        value: Any = _value(c, label) if c.accept_symbol("=") else True
        if value is True and label in (*_TYPES, *_FUNCTIONS, *_SIGNS):
            raise PlanError("42601", f"{label} requires a parameter")
        if label in (*_TYPES, *_FUNCTIONS, *_SIGNS, *_FLAGS):
            options["function" if label == "procedure" else label] = value
        elif label in _OLD:
            options["merges"] = True
        else:
            unknown.append(label)
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return st.CreateOperator(name, options, tuple(unknown))


def _value(c: Cursor, label: str) -> Any:
    if label in _TYPES:
        if c.word == "setof":
            raise PlanError("42P13", "SETOF type not allowed for operator argument")
        return None if c.accept("none") else c.type_name()
    if label in _FUNCTIONS:
        return routines.function_name(c)
    if label in (*_SIGNS, *_OLD):
        return _sign(c)
    if c.token.kind == STRING:
        return c.string()
    return c.advance().value


def signature(c: Cursor) -> st.OperatorSignature:
    """`### (int, int)`. Raises 42601."""
    name = operator_name(c)
    c.expect_symbol("(")
    left = None if c.accept("none") else c.type_name()
    if c.symbol_is(")"):
        lone_operand(c)
    c.expect_symbol(",")
    right = None if c.accept("none") else c.type_name()
    c.expect_symbol(")")
    return st.OperatorSignature(name, left, right)


def lone_operand(c: Cursor) -> NoReturn:
    """One operand where there are two, or NONE. Raises 42601."""
    if not c.symbol_is(")"):
        c.fail()
    raise PlanError(
        "42601",
        "missing argument",
        hint="Use NONE to denote the missing argument of a unary operator.",
        position=c.position,
    )


def drop_operators(c: Cursor) -> st.DropOperators:
    """After DROP OPERATOR."""
    exists = c.accept("if", "exists")
    found = c.listed(signature)
    return st.DropOperators(found, exists, clauses.drop_behaviour(c))


def alter_operator(c: Cursor) -> st.AlterOperator:
    """After ALTER OPERATOR."""
    said = signature(c)
    if c.accept("owner", "to"):
        return st.AlterOperator(said, "owner", c.role())
    if c.accept("set", "schema"):
        return st.AlterOperator(said, "set schema", c.name())
    c.expect("set")
    c.expect_symbol("(")
    options: dict[str, st.Name | None] = {}
    while True:
        label = c.label()
        value = None
        if c.accept_symbol("=") and not c.accept("none"):
            value = _sign(c) if label in _SIGNS else routines.function_name(c)
        if label in (*_TYPES, "function", "procedure", *_SIGNS, *_FLAGS):
            raise PlanError("42601", f'operator attribute "{label}" cannot be changed')
        if label not in ("restrict", "join"):
            raise PlanError("42601", f'operator attribute "{label}" not recognized')
        options[label] = value
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return st.AlterOperator(said, "set", options=options)


__all__ = [
    "alter_operator",
    "create_operator",
    "drop_operators",
    "lone_operand",
    "operator_name",
    "signature",
]
