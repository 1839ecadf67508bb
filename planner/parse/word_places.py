# ruff: noqa: SIM905 (lists of words read better as words)
"""What a word is at its place, as PostgreSQL's grammar takes it: a keyword here, a name there.

    UPDATE t SET set = 1             SET, and a column
    over (ORDER BY rows)             a call of `over`, of the column `rows`       sum(a) OVER (ROWS 1 PRECEDING)
    (a + CAST(b AS text)).text       a type, and a field

PostgreSQL has one token of lookahead and its grammar; these questions look at the words around, and a little further where they must.
"""

from __future__ import annotations

from typing import Final

from sqlglot.dialects.postgres import Postgres
from sqlglot.tokens import TokenType

from planner.abc import PlanError
from planner.lexer import END, INTEGER, OPERATOR, PARAMETER, PUNCTUATION, STRING, WORD, Token
from planner.parse.cursor import Cursor

_GLOT: Final = Postgres.Tokenizer.KEYWORDS
# Names of types that are ordinary words in PostgreSQL: a type only after :: and AS.
TYPE_WORDS: Final[dict[str, TokenType]] = {
    word: _GLOT[word.upper()]
    for word in (
        "bool bpchar bytea date float4 float8 inet int2 int4 int8 json jsonb money name text timestamptz timetz "
        "uuid xml int4range int8range numrange tsrange tstzrange daterange"
    ).split()
    if word.upper() in _GLOT
}


DML: Final = {
    "insert": TokenType.INSERT,
    "update": TokenType.UPDATE,
    "delete": TokenType.DELETE,
    "merge": TokenType.MERGE,
}
FRAME: Final = {"rows": TokenType.ROWS, "range": TokenType.RANGE, "groups": TokenType.VAR}
_SIDES: Final = ("preceding", "following")


def end_of_type(tokens: list[Token], at: int) -> int:
    """The index after the type name that begins at `at`; `at` if none does (sqlglot will say so)."""
    cursor = Cursor("", tokens)
    cursor.at = at
    try:
        cursor.type_name()
    except PlanError:
        return at
    return cursor.at


def in_brackets(token: Token, tokens: list[Token], at: int) -> bool:
    """Within a type: ARRAY, and the numbers in array brackets, which mean nothing in PostgreSQL either."""
    if token.keyword == "array":
        return True
    previous = tokens[at - 1]
    if any(tokens[at - back].keyword == "array" for back in (1, 2, 3)):
        return token.value in ("[", "]") or token.kind == INTEGER
    return token.kind == INTEGER and previous.kind == PUNCTUATION and previous.value == "["


def opens(token: Token) -> bool:
    return token.kind == PUNCTUATION and token.value == "("


def closes(token: Token | None) -> bool:
    return token is not None and token.kind == PUNCTUATION and token.value == ")"


def _has_side(tokens: list[Token], at: int) -> bool:
    """Whether what follows, as far as the parenthesis around it, ends in PRECEDING or FOLLOWING."""
    depth = 0
    for token in tokens[at:]:
        depth += opens(token) - closes(token)
        if depth < 0:
            return False
        if not depth and token.keyword in _SIDES:
            return True
    return False


def type_expected(previous: Token | None, tokens: list[Token], at: int) -> bool:
    """Whether a word at `at` can only be a type: after ::, or after AS within CAST( ... )."""
    if previous is None:
        return False
    if previous.kind == PUNCTUATION and previous.value == "::":
        return True
    if previous.keyword != "as":
        return False
    depth = 0
    for i in range(at - 2, -1, -1):
        t = tokens[i]
        if t.kind == PUNCTUATION:
            if t.value == ")":
                depth += 1
            elif t.value == "(":
                depth -= 1
                if depth < 0:
                    return i > 0 and tokens[i - 1].keyword == "cast"
    return False


def is_name(previous: Token | None, following: Token) -> bool:
    """Whether VALUES is what a column or an alias is called: a list of rows begins with a parenthesis."""
    if previous is None or previous.keyword == "default" or following.keyword in ("select", "with", "table"):
        return False
    return following.kind in (WORD, OPERATOR, END) or (
        following.kind == PUNCTUATION and following.value != "("
    )


_BEFORE_VALUES: Final = frozenset(
    ("select", "distinct", "all", "where", "and", "or", "not", "when", "then", "else", "case", "on", "by", "having", "from", "in", "like",
     "ilike", "returning", "limit", "offset", "between", "join", "lateral", "default", "return")
)  # fmt: skip


def awaits_a_value(previous: Token | None) -> bool:
    """Whether an expression may begin behind this: `SELECT set(1)` calls a function, `UPDATE t SET (a) = ...` does not."""
    if previous is None or previous.kind == PUNCTUATION:
        return previous is not None and previous.value in ("(", ",", ".", "[")
    return previous.keyword in _BEFORE_VALUES or (previous.kind == OPERATOR and previous.value != "*")


def unreserved(
    word: str, previous: Token | None, following: Token, tokens: list[Token], i: int, seen_like: bool
) -> TokenType:
    """The token type of an unreserved keyword: grammar only where PostgreSQL would take it for that."""
    before = previous.keyword if previous is not None else ""
    if word in DML:
        if (
            previous is None or closes(previous) or opens(previous) or before in ("do", "for", "key", "then")
        ) and not (following.kind == PUNCTUATION and following.value in ".,="):
            return DML[word]
        return TokenType.VAR
    if word == "set":
        called = opens(following) and awaits_a_value(previous)
        return TokenType.VAR if called or names_something(following) else TokenType.SET
    if word == "over":
        return TokenType.OVER if closes(previous) else TokenType.VAR
    if word == "filter":
        return TokenType.FILTER if closes(previous) and opens(following) else TokenType.VAR
    if word in FRAME:
        if following.keyword in ("between", "unbounded", "current") or (
            following.kind in (INTEGER, PARAMETER, STRING) and before != "offset"
        ):
            return FRAME[word]
        if opens(following) and _has_side(tokens, i):
            return FRAME[word]  # rows (SELECT 1) + 1 PRECEDING
        if following.value == "-" and tokens[i + 2 : i + 3] and tokens[i + 2].keyword in _SIDES:
            return FRAME[word]  # rows -1 PRECEDING, an error that the query has when it runs
        if word == "rows" and previous is not None and following.keyword in ("only", "with"):
            return TokenType.ROWS
        return TokenType.VAR
    if word == "first" or word == "next":
        if before == "fetch":
            return TokenType.FIRST if word == "first" else TokenType.NEXT
        return TokenType.VAR
    if word == "recursive":
        named_so = following.keyword == "as" or opens(following)  # WITH recursive AS (...)
        return TokenType.RECURSIVE if before == "with" and not named_so else TokenType.VAR
    if word == "ordinality":
        return TokenType.ORDINALITY if before == "with" else TokenType.VAR
    if word == "escape":
        return TokenType.ESCAPE if seen_like and before != "as" else TokenType.VAR
    if word == "operator":
        return TokenType.OPERATOR if opens(following) else TokenType.VAR
    if word in ("cube", "rollup"):
        if opens(following):
            return TokenType.CUBE if word == "cube" else TokenType.ROLLUP
        return TokenType.VAR
    if word in ("text", "name", "xml"):
        return TYPE_WORDS[word] if type_expected(previous, tokens, i - 1) else TokenType.VAR
    if word == "unknown":
        return TokenType.UNKNOWN if before in ("is", "not") else TokenType.VAR
    return TokenType.VAR


def names_something(token: Token) -> bool:
    return token.kind == PUNCTUATION and token.value in (".", ",", ")")
