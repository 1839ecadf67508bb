"""Statements that differ in their constants only, as one: what pg_stat_statements counts by, and calls them.

    SELECT * FROM t WHERE id = 7 ORDER BY 2     ->   SELECT * FROM t WHERE id = $1 ORDER BY 2,   -5171...

A constant becomes a parameter, behind those that the statement has. What looks like one and is none in PostgreSQL's tree stays as
it is: the number of a column in ORDER BY and GROUP BY, the length of a type. The number of a statement is made of its words,
whatever stands between them and however they are written; utility statements keep their text and have its number.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from planner.abc import SqlError
from planner.lexer import (
    BITS,
    DECIMAL,
    END,
    HEX,
    INTEGER,
    PARAMETER,
    PUNCTUATION,
    QUOTED,
    STRING,
    WORD,
    Token,
    tokenize,
)

_CONSTANTS: Final = frozenset((STRING, BITS, HEX, INTEGER, DECIMAL))
_VALUES: Final = frozenset(("null", "true", "false"))
_NOT_VALUES_BEHIND: Final = frozenset(("is", "not", "distinct"))
"""IS NULL, IS NOT TRUE, NOT NULL: tests and constraints."""
_PLANNED: Final = frozenset(("select", "with", "values", "table", "insert", "update", "delete", "merge"))
"""What a statement begins with that has constants."""
_ENDS_LIST: Final = frozenset(
    ("limit", "offset", "fetch", "for", "having", "window", "union", "intersect", "except", "where")
)
_BEFORE_SIGN: Final = frozenset(
    ("select", "where", "and", "or", "not", "then", "else", "when", "in", "between", "like", "limit", "offset", "values",
     "returning", "by", "on", "case", "any", "all", "distinct", "as", "set", "having")
)  # fmt: skip
"""Behind these a sign belongs to the number that follows it."""


def fingerprint(text: str) -> tuple[str, int, bool]:
    """(the statement as it is called, its number, whether it is a utility statement). No number is 0. What cannot be read is itself."""
    said = text.strip().removesuffix(";").rstrip()
    try:
        tokens = [t for t in tokenize(said) if t.kind != END]
    except SqlError:
        return said, _number(said), True
    begins = next((t.keyword for t in tokens if not (t.kind == PUNCTUATION and t.value == "(")), "")
    if begins == "prepare":
        at = next((i for i, t in enumerate(tokens) if t.keyword == "as"), len(tokens) - 1)
        return *_called(said, tokens, at + 1), False
    if begins not in _PLANNED or (begins in ("select", "with") and _makes_table(tokens)):
        return said, _number(said), True
    return *_called(said, tokens, 0), False


def _makes_table(tokens: list[Token]) -> bool:
    """SELECT ... INTO a table is CREATE TABLE AS."""
    depth, before = 0, ""
    for token in tokens:
        if token.kind == PUNCTUATION and token.value in "()":
            depth += 1 if token.value == "(" else -1
        elif not depth and token.keyword == "into" and before not in ("insert", "merge"):
            return True
        before = token.keyword
    return False


def _called(text: str, tokens: list[Token], first: int) -> tuple[str, int]:
    """Of a statement whose tokens begin at `first`."""
    number = max((int(t.value.lstrip("$")) for t in tokens if t.kind == PARAMETER), default=0)
    out: list[str] = []
    words: list[str] = []
    at = 0
    kept, labels = _kept(tokens, first), _labels(tokens, first)
    for i, token in enumerate(tokens):
        if i < first or i in labels:
            continue
        if i in kept or not _is_constant(tokens, i):
            words.append(token.value.upper() if token.keyword else f"{token.kind}{token.value}")
            continue
        start = token.start
        if i > first and token.kind in (INTEGER, DECIMAL) and _is_signed(tokens, i):
            start = tokens[i - 1].start
            words.pop()
        number += 1
        out += [text[at:start], f"${number}"]
        at = token.end
        # Of which type a string is, and NULL, the place says.
        words.append(f"?{STRING if token.keyword == 'null' else token.kind}")
    return "".join([*out, text[at:]]), _number("\0".join(words))


def _labels(tokens: list[Token], first: int) -> set[int]:
    """AS and what a column or a relation is called by it: it is the same statement whatever that is."""
    found: set[int] = set()
    casts = [False]
    for i in range(first, len(tokens) - 1):
        token = tokens[i]
        if token.kind == PUNCTUATION and token.value == "(":
            casts.append(i > first and tokens[i - 1].keyword == "cast")
        elif token.kind == PUNCTUATION and token.value == ")" and len(casts) > 1:
            casts.pop()
        elif token.keyword == "as" and not casts[-1] and tokens[i + 1].kind in (WORD, QUOTED):
            found |= {i, i + 1}
    return found


def _is_constant(tokens: list[Token], i: int) -> bool:
    token = tokens[i]
    if token.kind in _CONSTANTS:
        return True
    if token.kind != WORD or token.keyword not in _VALUES:
        return False
    return not (i and tokens[i - 1].keyword in _NOT_VALUES_BEHIND)


def _is_signed(tokens: list[Token], i: int) -> bool:
    """Whether a minus in front of a number is its sign, and no operator between two things."""
    sign = tokens[i - 1]
    if sign.value != "-" or sign.kind in _CONSTANTS:
        return False
    if i < 2:
        return True
    before = tokens[i - 2]
    if before.keyword in _BEFORE_SIGN:
        return True
    return before.kind not in _CONSTANTS and before.value in (
        "(",
        ",",
        "[",
        "=",
        "<",
        ">",
        "<=",
        ">=",
        "<>",
        "+",
        "*",
        "/",
        "||",
    )


def _kept(tokens: list[Token], first: int) -> set[int]:
    """Where numbers stand that are no constants: columns by their number, and what is said of a type."""
    kept: set[int] = set()
    selects = [False]
    """By depth: whether a SELECT stands there, whose ORDER BY and GROUP BY take numbers of columns,"""
    lists = [False]
    """and whether one is inside of such a list."""
    types = [False]
    """Whether parentheses are a type's."""
    for i in range(first, len(tokens)):
        token = tokens[i]
        before = tokens[i - 1] if i > first else None
        if token.kind == PUNCTUATION and token.value in "([":
            selects.append(False)
            lists.append(False)
            types.append(token.value == "(" and _ends_type(tokens, i - 1, first))
        elif token.kind == PUNCTUATION and token.value in ")]":
            if len(lists) > 1:
                selects.pop(), lists.pop(), types.pop()
        elif token.keyword == "select":
            selects[-1], lists[-1] = True, False
        elif token.keyword == "by" and before is not None and before.keyword in ("order", "group"):
            lists[-1] = selects[-1]
        elif token.keyword in _ENDS_LIST:
            lists[-1] = False
        elif token.kind == INTEGER and (
            types[-1]
            or (
                lists[-1]
                and before is not None
                and (before.keyword == "by" or before.value == ",")
                and _alone(tokens, i)
            )
        ):
            kept.add(i)
    return kept


def _alone(tokens: list[Token], i: int) -> bool:
    """Whether nothing is computed with the number."""
    if i + 1 >= len(tokens):
        return True
    behind = tokens[i + 1]
    return behind.keyword != "" or behind.value in (",", ")")


def _ends_type(tokens: list[Token], i: int, first: int) -> bool:
    """Whether the words that end here are a type's name: behind `::`, or AS in a CAST."""
    words = 0
    while i >= first and tokens[i].kind == WORD and words < 3 and tokens[i].keyword != "as":
        words += 1
        i -= 1
    return words > 0 and i >= first and (tokens[i].value == "::" or tokens[i].keyword == "as")


def _number(text: str) -> int:
    found = int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True
    )
    return found or 1


__all__ = ["fingerprint"]
