"""The grammar of aggregates: CREATE AGGREGATE, in its form of today and in the one before, and naming one.

CREATE AGGREGATE first (anyelement) (SFUNC = first_of, STYPE = anyelement)
CREATE AGGREGATE counted (*) (sfunc = int8inc, stype = int8, initcond = '0')
CREATE AGGREGATE glued (basetype = text, sfunc = glue, stype = text)
DROP AGGREGATE counted (*), first (anyelement)
"""

from __future__ import annotations

from typing import Any, Final

from planner import statements as st
from planner.lexer import DECIMAL, INTEGER, OPERATOR, QUOTED, STRING, WORD, Token
from planner.parse import clauses, routines
from planner.parse.cursor import Cursor

_TYPES: Final = ("stype", "stype1", "mstype", "basetype")
_FUNCTIONS: Final = ("sfunc", "sfunc1", "finalfunc", "combinefunc", "serialfunc", "deserialfunc", "msfunc", "minvfunc", "mfinalfunc")  # fmt: skip


def create_aggregate(c: Cursor, replace: bool, at: Token) -> st.CreateAggregate:
    """After CREATE [OR REPLACE] AGGREGATE. Raises 42601, 0A000."""
    name = routines.function_name(c)
    parameters: tuple[st.ParameterDef, ...] | None = None
    if not _is_old(c):
        parameters = arguments(c, at)
    c.expect_symbol("(")
    options: dict[str, Any] = {}
    unknown: list[str] = []
    while True:
        label = c.label()
        value = _value(c, label) if c.accept_symbol("=") else True
        if label in _KNOWN:
            options[label] = value
        else:
            unknown.append(label)
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    return st.CreateAggregate(name, parameters, options, tuple(unknown), replace)


_KNOWN: Final = frozenset(
    (*_TYPES, *_FUNCTIONS, "sspace", "msspace", "finalfunc_extra", "mfinalfunc_extra", "finalfunc_modify", "mfinalfunc_modify",
     "initcond", "initcond1", "minitcond", "sortop", "parallel", "hypothetical")
)  # fmt: skip


def _is_old(c: Cursor) -> bool:
    """Whether the definition follows at once: `(basetype = ...`."""
    return c.symbol_is("(") and c.ahead().kind in (WORD, QUOTED) and c.ahead(2).value == "="


def arguments(c: Cursor, at: Token) -> tuple[st.ParameterDef, ...]:
    """`(*)`, or parameters. Raises 0A000 for those of ordered-set aggregates."""
    c.expect_symbol("(")
    found: tuple[st.ParameterDef, ...] = ()
    if not c.accept_symbol("*"):
        if not c.next_is("order", "by"):
            found = c.listed(routines.parameter)
        if c.next_is("order", "by"):
            c.unsupported("an ordered-set aggregate", at)
    c.expect_symbol(")")
    return found


def _value(c: Cursor, label: str) -> Any:
    token = c.token
    if token.kind == STRING:
        return c.string()
    if token.kind in (INTEGER, DECIMAL) or c.symbol_is("-") or c.symbol_is("+"):
        return c.number()
    if label in _TYPES:
        return c.type_name()
    if label in _FUNCTIONS:
        name = routines.function_name(c)
        if c.accept_symbol("("):  # read as a type is, whose modifiers say nothing here
            while not c.accept_symbol(")"):
                if c.ended:
                    c.fail()
                c.advance()
        return name
    if c.accept("operator"):
        c.expect_symbol("(")
        while not c.symbol_is(")"):
            sign = c.advance().value
        c.expect_symbol(")")
        return sign
    if token.kind == OPERATOR:
        return c.advance().value
    return c.label()


def signature(c: Cursor) -> st.Signature:
    """`counted (*)`, `first (anyelement)`."""
    name = routines.function_name(c)
    return st.Signature(name, arguments(c, c.token))


def drop_aggregates(c: Cursor) -> st.DropFunctions:
    """After DROP AGGREGATE."""
    exists = c.accept("if", "exists")
    found = c.listed(signature)
    return st.DropFunctions(found, exists, clauses.drop_behaviour(c), "aggregate")


def alter_aggregate(c: Cursor) -> st.AlterFunction:
    """After ALTER AGGREGATE."""
    said, tag = signature(c), "ALTER AGGREGATE"
    action = routines.renamed_or_moved(c)
    if action is None:
        c.fail()
    return st.AlterFunction(said, action, tag=tag)


__all__ = ["alter_aggregate", "create_aggregate", "drop_aggregates", "signature"]
