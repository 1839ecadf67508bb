"""Typed literals as the casts that they are.

    date '2020-01-01'              CAST('2020-01-01' AS date)
    s.mood 'ok'                    CAST('ok' AS s.mood)
    char 'abc'                     CAST('abc' AS bpchar)       of any length, where a column that is CHAR has one letter
    interval '1' day               CAST('1' AS interval day)
    interval '1' second(2)         CAST(CAST('1' AS interval second) AS interval(2))

All tokens that are put stand at the places of the two or three that were written, so an error points at these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot.tokens import Token as GlotToken
from sqlglot.tokens import TokenType

from planner.lexer import INTEGER, PUNCTUATION, QUOTED, STRING, Token
from planner.parse.word_places import TYPE_WORDS, opens

Emit = Callable[..., None]
"""(kind, text, the token at whose place it is)"""
_INTERVAL_FIELDS: Final = frozenset(("year", "month", "day", "hour", "minute", "second"))


def digits_of_seconds(tokens: list[Token], i: int) -> int | None:
    """Where the 2 of `second(2)` or `day to second(2)` is, if that begins here; None: it does not."""
    if tokens[i].keyword in _INTERVAL_FIELDS and tokens[i + 1].keyword == "to":
        i += 2
    if tokens[i].keyword != "second" or not opens(tokens[i + 1]) or tokens[i + 2].kind != INTEGER:
        return None
    closing = tokens[i + 3]
    return i + 2 if closing.kind == PUNCTUATION and closing.value == ")" else None


def put_cast(emit: Emit, name: Token, literal: Token, kind: TokenType | None = None) -> None:
    """CAST('literal' AS name), all at the places of the two tokens."""
    word = name.value
    if kind is None:
        kind = TokenType.IDENTIFIER if name.kind == QUOTED else TYPE_WORDS.get(word, TokenType.VAR)
    emit(TokenType.VAR, "cast", name)
    emit(TokenType.L_PAREN, "(", name)
    emit(TokenType.STRING, literal.value, literal)
    emit(TokenType.ALIAS, "as", literal)
    emit(kind, word, name)
    emit(TokenType.R_PAREN, ")", literal)


def literal_behind(tokens: list[Token], i: int) -> int:
    """Where the string of `varbit(2) '101'` stands, whose bracket is at `i`; 0: there is none."""
    while tokens[i + 1].kind == INTEGER:
        i += 2
        if tokens[i].kind != PUNCTUATION or tokens[i].value not in ",)":
            return 0
        if tokens[i].value == ")":
            return i + 1 if tokens[i + 1].kind == STRING else 0
    return 0


def put_fitted_cast(
    emit: Emit, name: Token, tokens: list[Token], i: int, literal: int, called: str = ""
) -> int:
    """CAST('literal' AS name(2)), whose bracket is at `i`; where it goes on."""
    word = called or name.value
    emit(TokenType.VAR, "cast", name)
    emit(TokenType.L_PAREN, "(", name)
    emit(TokenType.STRING, tokens[literal].value, tokens[literal])
    emit(TokenType.ALIAS, "as", tokens[literal])
    emit(TYPE_WORDS.get(word, TokenType.VAR), word, name)
    for token in tokens[i:literal]:
        kinds = {"(": TokenType.L_PAREN, ")": TokenType.R_PAREN, ",": TokenType.COMMA}
        emit(kinds.get(token.value, TokenType.NUMBER), token.value, token)
    emit(TokenType.R_PAREN, ")", tokens[literal])
    return literal + 1


OF_ANY_LENGTH: Final = {
    "bit": ("pg_catalog", "bit"), "char": ("bpchar",), "character": ("bpchar",), "nchar": ("bpchar",),
    "bit varying": ("varbit",), "national character": ("bpchar",), "national char": ("bpchar",),
}  # fmt: skip
"""Types of the standard's whose literals are as long as they are written, by what they are called where nothing bounds them."""


def put_unbounded(emit: Emit, names: tuple[str, ...], name: Token, literal: Token) -> None:
    """CAST('literal' AS one of these)."""
    emit(TokenType.VAR, "cast", name)
    emit(TokenType.L_PAREN, "(", name)
    emit(TokenType.STRING, literal.value, literal)
    emit(TokenType.ALIAS, "as", literal)
    for i, word in enumerate(names):
        if i:
            emit(TokenType.DOT, ".", name)
        emit(TokenType.VAR, word, name)
    emit(TokenType.R_PAREN, ")", literal)


def put_interval(emit: Emit, tokens: list[Token], i: int) -> int:
    """`interval '1' day` as CAST('1' AS interval day), with `second(2)` as a cast to interval(2) around it. `i`: the string's
    place; where it goes on."""
    word, literal = tokens[i - 1], tokens[i]
    digits = digits_of_seconds(tokens, i + 1)
    fields = i + 1
    if digits is not None:
        emit(TokenType.VAR, "cast", word)
        emit(TokenType.L_PAREN, "(", word)
    emit(TokenType.VAR, "cast", word)
    emit(TokenType.L_PAREN, "(", word)
    emit(TokenType.STRING, literal.value, literal)
    emit(TokenType.ALIAS, "as", literal)
    emit(TokenType.INTERVAL, word.value, word)
    last = literal
    if tokens[fields].keyword in _INTERVAL_FIELDS:
        spans = tokens[fields + 1].keyword == "to"
        for last in tokens[fields : fields + (3 if spans else 1)]:
            emit(TokenType.VAR, last.value, last)
        fields += 3 if spans else 1
    emit(TokenType.R_PAREN, ")", last)
    if digits is not None:
        emit(TokenType.ALIAS, "as", last)
        emit(TokenType.INTERVAL, word.value, word)
        for kind, at in (
            (TokenType.L_PAREN, digits - 1),
            (TokenType.NUMBER, digits),
            (TokenType.R_PAREN, digits + 1),
        ):
            emit(kind, tokens[at].value, tokens[at])
        emit(TokenType.R_PAREN, ")", tokens[digits + 1])
        fields = digits + 2
    return fields


def put_qualified_cast(out: list[GlotToken], name: Token, literal: Token) -> None:
    """The same of `schema.name 'literal'`, whose first two tokens are out already."""
    schema, dot = out.pop(-2), out.pop()

    def emit(kind: TokenType, text: str, start: int, end: int) -> None:
        out.append(GlotToken(kind, text, len(out), 0, start, end))

    emit(TokenType.VAR, "cast", schema.start, schema.end)
    emit(TokenType.L_PAREN, "(", schema.start, schema.end)
    emit(TokenType.STRING, literal.value, literal.start, literal.end - 1)
    emit(TokenType.ALIAS, "as", literal.start, literal.end - 1)
    plain = TokenType.VAR if schema.text == "pg_catalog" else schema.token_type
    emit(plain, schema.text, schema.start, schema.end)
    emit(TokenType.DOT, ".", dot.start, dot.end)
    emit(TokenType.VAR, name.value, name.start, name.end - 1)
    emit(TokenType.R_PAREN, ")", literal.start, literal.end - 1)
