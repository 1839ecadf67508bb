"""The grammar of rules.

CREATE [OR REPLACE] RULE name AS ON { SELECT | INSERT | UPDATE | DELETE } TO t [WHERE condition]
    DO [ALSO | INSTEAD] { NOTHING | statement | ( statement; ... ) }
ALTER RULE name ON t RENAME TO other
DROP RULE [IF EXISTS] name ON t [CASCADE | RESTRICT]
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.lexer import END, PUNCTUATION, WORD
from planner.parse import clauses
from planner.parse.cursor import Cursor

_EVENTS: Final = {"select": "1", "update": "2", "insert": "3", "delete": "4"}
_ACTIONS: Final = ("select", "insert", "update", "delete", "notify", "values", "with", "(")


def create_rule(c: Cursor, replace: bool) -> st.CreateRule:
    """After CREATE [OR REPLACE] RULE."""
    name = c.name()
    c.expect("as")
    c.expect("on")
    event = _EVENTS[c.accept_one(*_EVENTS) or c.fail()]
    c.expect("to")
    table = c.qualified()
    condition = None
    if c.accept("where"):
        condition = c.expression()
    c.expect("do")
    instead = c.accept_one("also", "instead") == "instead"
    if c.accept("nothing"):
        return st.CreateRule(name, event, table, condition, instead, (), replace)
    actions: list[st.Sql] = []
    if c.symbol_is("(") and c.ahead().value in _ACTIONS[:-1]:
        c.advance()
        while True:
            first = c.at
            _skip(c, ";", ")")
            if c.at > first:
                actions.append(_action(c, first))
            if c.accept_symbol(")"):
                break
            c.expect_symbol(";")
    else:
        first = c.at
        _skip(c)
        actions.append(_action(c, first))
    return st.CreateRule(name, event, table, condition, instead, tuple(actions), replace)


def _action(c: Cursor, first: int) -> st.Sql:
    if c.at == first or c.tokens[first].value not in _ACTIONS:
        c.fail(c.tokens[first])
    return c.slice(first, c.at)


def _skip(c: Cursor, *ends: str) -> None:
    """To the next of these that is in no brackets, or to the end where none is asked for."""
    depth = 0
    while c.token.kind != END:
        token = c.token
        if token.kind in (PUNCTUATION, WORD) and not depth and token.value in ends:
            return
        if token.kind == PUNCTUATION:
            depth += (token.value in "([") - (token.value in ")]")
            if depth < 0:
                c.fail()
        c.at += 1
    if ends or depth:
        c.fail()


def alter_rule(c: Cursor) -> st.RenameRule:
    """After ALTER RULE."""
    name = c.name()
    c.expect("on")
    table = c.qualified()
    c.expect("rename", "to")
    return st.RenameRule(name, table, c.name())


def drop_rule(c: Cursor) -> st.DropRule:
    """After DROP RULE."""
    exists = c.accept("if", "exists")
    name = c.name()
    c.expect("on")
    return st.DropRule(name, c.qualified(), exists, clauses.drop_behaviour(c))
