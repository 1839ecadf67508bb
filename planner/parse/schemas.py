"""The grammar of CREATE SCHEMA, which may go on with what is to be in the schema.

    CREATE SCHEMA s  CREATE TABLE t (...)  CREATE VIEW v AS ...  GRANT SELECT ON t TO r

Nothing stands between two of its elements, so they are cut where a word begins the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import END, PUNCTUATION, Token
from planner.parse import privileges
from planner.parse.cursor import Cursor

_ELEMENTS: Final = (
    st.CreateTable,
    st.CreateView,
    st.CreateIndex,
    st.CreateSequence,
    st.CreateTrigger,
    st.Grant,
)


def schema(c: Cursor, create: Callable[[Cursor], Any]) -> st.CreateSchema:
    """After CREATE SCHEMA; `create` reads what comes after CREATE."""
    exists = c.accept("if", "not", "exists")
    position = c.position
    name = "" if c.next_is("authorization") else c.name()
    owner = c.role() if c.accept("authorization") else ""
    if exists and not c.ended and _begins(c.tokens, c.at):
        raise PlanError(
            "0A000", "CREATE SCHEMA IF NOT EXISTS cannot include schema elements", position=c.position
        )
    elements = []
    while not c.ended:
        if not _begins(c.tokens, c.at):
            c.fail()
        elements.append(_element(c, create))
    return st.CreateSchema(name or owner, owner, exists, position, tuple(elements))


def _element(c: Cursor, create: Callable[[Cursor], Any]) -> Any:
    """The statement here, read from tokens that end where the next one begins."""
    first, end, depth = c.token, c.at + 1, 0
    while c.tokens[end].kind != END and (depth or not _begins(c.tokens, end)):
        if c.tokens[end].kind == PUNCTUATION:
            depth += {"(": 1, ")": -1}.get(c.tokens[end].value, 0)
        end += 1
    after = c.tokens[end]
    # What follows is shown in errors, so the end is said to be at the next element.
    inner = Cursor(c.text, [*c.tokens[c.at : end], Token(END, "", after.start, after.start)])
    inner.advance()
    made = create(inner) if first.value == "create" else privileges.grant(inner)
    inner.expect_end()
    if not isinstance(made, _ELEMENTS):
        words = c.tokens[c.at + 1 : end]
        filled = (token for token in words if token.keyword == "as" and isinstance(made, st.CreateTableAs))
        c.fail(next(filled, words[0]))
    c.at = end
    return made


def _begins(tokens: list[Token], at: int) -> bool:
    """CREATE and GRANT begin an element, where they are not the name of a right or of an option."""
    before = tokens[at - 1]
    if tokens[at].keyword == "grant":
        return before.keyword != "with"
    return tokens[at].keyword == "create" and before.keyword != "grant" and before.value != ","
