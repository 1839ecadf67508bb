"""Texts whose plain strings have escapes (`standard_conforming_strings = off`), as texts that say the same by the standard.

    select 'a\'b', E'\n', $$\\$$, "c\\d"       what came
    select 'a''b', E'\n', $$\\$$, "c\\d"       what is read: a string that has a backslash is written anew in its place

What an escape stands for is never longer than the escape, its quote doubled or not: blanks behind the string make up for the rest, so
that every position in what is read is one in what came. Nothing behind this room knows of such texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from planner.abc import PlanError
from planner.lexer import CONTINUED, comment_end, unescape, with_escaped_quotes

_ESCAPED: Final = r"'[^'\\]*+(?:(?:''|\\.)[^'\\]*+)*+'"
_PIECE: Final = re.compile(
    rf"""
    --[^\n\r]*+ | "[^"]*+(?:""[^"]*+)*+" | [bBxX]'[^']*+'
  | [eE]{_ESCAPED}(?:{CONTINUED}{_ESCAPED})*+
  | (?P<unicode> [uU]&' )
  | (?P<dollar> \$(?:[^\W\d]\w*)?\$ )
  | (?P<block> /\* )
  | (?P<string> {_ESCAPED} )
  | [nN](?=') | [^\W\d][\w$]*+
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTES: Final = (
    r"nonstandard use of \' in a string literal",
    "Use '' to write quotes in strings, or use the escape string syntax (E'...').",
)
_BACKSLASHES: Final = (
    r"nonstandard use of \\ in a string literal",
    r"Use the escape string syntax for backslashes, e.g., E'\\'.",
)
_OTHERS: Final = (
    "nonstandard use of escape in a string literal",
    r"Use the escape string syntax for escapes, e.g., E'\r\n'.",
)


class Warned(NamedTuple):
    """What is to be said of a string (`escape_string_warning`); `position` as clients count it."""

    position: int
    message: str
    hint: str


def standard(text: str, warn: Callable[[Warned], None]) -> str:
    """The text by the standard, as long as it was; `warn` is told of each string with escapes, before it is read.

    Raises 42601, 22025, 22021 for escapes that say nothing, 0A000 for strings of Unicode escapes, which PostgreSQL holds unsafe here. A
    string or comment without an end is left to who reads the text.
    """
    if "\\" not in text:
        return text
    made, done = [], 0
    found = _PIECE.search(text)
    while found is not None:
        end = found.end()
        if found.lastgroup == "unicode":
            raise PlanError(
                "0A000",
                "unsafe use of string constant with Unicode escapes",
                position=found.start() + 1,
                detail="String constants with Unicode escapes cannot be used when standard_conforming_strings is off.",
            )
        if found.lastgroup == "dollar":
            close = text.find(found.group(), end)
            end = close + len(found.group()) if close >= 0 else len(text)
        elif found.lastgroup == "block":
            end = comment_end(text, found.start()) or len(text)
        elif found.lastgroup == "string" and "\\" in found.group():
            start = found.start()
            inside = found.group()[1:-1]
            warn(Warned(start + 1, *_advice(inside[inside.index("\\") + 1])))
            value = unescape(with_escaped_quotes(inside), start + 2).replace("'", "''")
            made += [text[done:start], f"'{value}'".ljust(end - start)]
            done = end
        found = _PIECE.search(text, end)
    made.append(text[done:])
    standard_text = "".join(made)
    assert len(standard_text) == len(text), "positions would be others"
    return standard_text


def _advice(escaped: str) -> tuple[str, str]:
    return {"'": _QUOTES, "\\": _BACKSLASHES}.get(escaped, _OTHERS)


__all__ = ["Warned", "standard"]
