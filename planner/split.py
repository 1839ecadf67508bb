"""A query string's statements: cut at the semicolons that are tokens, with where each begins.

    "select 1; -- one\\n ;select ';'"   ->   [("select 1", 0), ("select ';'", 19)]

A statement's text runs from its first token to its last, so that comments and blanks around it are nobody's,
and its offset turns a position in the statement into one in the string. Empty statements are left out;
a string of nothing else has no statements. The whole string is read before the first statement runs,
as in PostgreSQL, so an unterminated quote anywhere refuses everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.abc import PlanError
from planner.lexer import END, PUNCTUATION, WORD, Token, tokenize

STATEMENT_BYTES_MAX: Final = 1 << 30
_SPACE: Final = " \t\n\r\f"


def split(text: str) -> list[tuple[str, int]]:
    """The statements with the character offset of each. Raises PlanError 42601 for lexical errors."""
    body = text.strip(_SPACE)
    if body.endswith(";"):
        body = body[:-1].rstrip(_SPACE)
    if _is_plain(body):
        return [(body, text.index(body))] if body else []
    if len(text) > STATEMENT_BYTES_MAX:
        raise PlanError("54000", "query string is too long")
    statements: list[tuple[str, int]] = []
    first, last = -1, 0
    tokens = tokenize(text)
    ends = set(statement_ends(tokens))
    for i, token in enumerate(tokens):
        if token.kind == END or i in ends:
            if first >= 0:
                statements.append((text[first:last], first))
            first = -1
        else:
            if first < 0:
                first = token.start
            last = token.end
    return statements


def statement_ends(tokens: Sequence[Token]) -> list[int]:
    """Which tokens are semicolons that end a statement: those in a function's BEGIN ATOMIC ... END do not,
    nor those between the statements of a rule."""
    ends: list[int] = []
    first, depth, inside = 0, 0, 0
    for i, token in enumerate(tokens):
        if token.kind == PUNCTUATION and token.value == ";":
            if not depth and not inside:
                ends.append(i)
                first = i + 1
        elif token.kind == PUNCTUATION and token.value in "()" and _is_rule(tokens, first):
            inside = max(inside + (1 if token.value == "(" else -1), 0)
        elif token.kind == WORD:
            if depth and token.value in ("begin", "case"):
                depth += 1
            elif depth and token.value == "end":
                depth -= 1
            elif (
                token.value == "atomic" and tokens[i - 1].value == "begin" and tokens[first].value == "create"
            ):
                depth = 1
    return ends


def _is_rule(tokens: Sequence[Token], first: int) -> bool:
    """CREATE [OR REPLACE] RULE, whose statements are in parentheses."""
    words = [t.value for t in tokens[first : first + 4]]
    return words[:2] == ["create", "rule"] or words == ["create", "or", "replace", "rule"]


def _is_plain(body: str) -> bool:
    """Whether this is surely one statement whose quotes are closed: the common case, without tokens."""
    if ";" in body or "--" in body or "/*" in body or "$" in body or '"' in body:
        return False
    return "'" not in body or (body.count("'") % 2 == 0 and "\\" not in body)
