"""The grammar of text search: CREATE and ALTER TEXT SEARCH CONFIGURATION and DICTIONARY.

CREATE TEXT SEARCH CONFIGURATION s.fr (COPY = french)
ALTER TEXT SEARCH CONFIGURATION fr ALTER MAPPING FOR hword, word WITH unaccent, french_stem
CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = simple, STOPWORDS = english, ACCEPT = false)
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.lexer import DECIMAL, INTEGER, STRING, Token
from planner.parse.cursor import Cursor

_KINDS: Final = ("configuration", "dictionary", "parser", "template")


def kind(c: Cursor) -> str:
    """After TEXT SEARCH: which kind of objects."""
    word = c.accept_one(*_KINDS)
    if not word:
        c.fail()
    return f"text search {word}"


def _option(c: Cursor) -> st.TextSearchOption:
    label = c.label()
    if not c.accept_symbol("="):
        return st.TextSearchOption(label)
    if c.token.kind == STRING:
        return st.TextSearchOption(label, c.string())
    if c.token.kind in (INTEGER, DECIMAL) or c.symbol_is("-") or c.symbol_is("+"):
        return st.TextSearchOption(label, c.number(), number=True)
    words = [c.label()]
    while c.accept_symbol("."):
        words.append(c.label())
    return st.TextSearchOption(label, ".".join(words), st.Name(words[-1], ".".join(words[:-1])))


def create(c: Cursor, at: Token) -> st.CreateTextSearch:
    """After CREATE TEXT SEARCH."""
    what = kind(c)
    if what.endswith(("parser", "template")):
        c.unsupported(f"CREATE {what.upper()}", at)
    return st.CreateTextSearch(what, c.qualified(), c.bracketed(_option))


def alter(c: Cursor, at: Token) -> st.AlterTextSearch:
    """After ALTER TEXT SEARCH."""
    what = kind(c)
    if what.endswith(("parser", "template")):
        c.unsupported(f"ALTER {what.upper()}", at)
    name = c.qualified()
    if c.accept("rename", "to"):
        return st.AlterTextSearch(what, name, "rename", c.name())
    if c.accept("owner", "to"):
        return st.AlterTextSearch(what, name, "owner", c.role())
    if c.accept("set", "schema"):
        return st.AlterTextSearch(what, name, "set schema", c.name())
    if what.endswith("dictionary"):
        return st.AlterTextSearch(what, name, "options", options=c.bracketed(_option))
    if c.accept("add", "mapping", "for"):
        return _with(c, name, "add", c.listed(Cursor.name))
    if c.accept("alter", "mapping", "replace"):
        return _replaced(c, name, ())
    if c.accept("alter", "mapping", "for"):
        tokens = c.listed(Cursor.name)
        if c.accept("replace"):
            return _replaced(c, name, tokens)
        return _with(c, name, "alter", tokens)
    c.expect("drop")
    c.expect("mapping")
    exists = c.accept("if", "exists")
    c.expect("for")
    return st.AlterTextSearch(
        "text search configuration", name, "drop", tokens=c.listed(Cursor.name), if_exists=exists
    )


def _with(c: Cursor, name: st.Name, what: str, tokens: tuple[str, ...]) -> st.AlterTextSearch:
    c.expect("with")
    return st.AlterTextSearch(
        "text search configuration", name, what, tokens=tokens, dictionaries=c.qualified_list()
    )


def _replaced(c: Cursor, name: st.Name, tokens: tuple[str, ...]) -> st.AlterTextSearch:
    old = c.qualified()
    c.expect("with")
    return st.AlterTextSearch(
        "text search configuration", name, "replace", tokens=tokens, dictionaries=(old, c.qualified())
    )
