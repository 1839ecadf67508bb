"""`'now'::timestamp` in a definition is the moment when it was made, as any literal is its value.

    CREATE TABLE t (made timestamp DEFAULT 'now')         the moment of CREATE TABLE, in every row
    CREATE TABLE t (made timestamp DEFAULT now())         the moment of each INSERT

PostgreSQL reads a literal when it parses. Definitions are kept as texts here, so words that mean a moment (`now`,
`today`, `tomorrow`, `yesterday`) are replaced by it where the text itself says that they are of such a type.
"""

from __future__ import annotations

import dataclasses
from typing import Final

from planner import types
from planner.abc import PlanError, SqlError, TypeRef
from planner.ddl.scope import Scope
from planner.ddl.typenames import resolve_type
from planner.lexer import STRING, WORD, Token, is_sign, tokenize, within_parentheses
from planner.parse.cursor import Cursor

_WORDS: Final = frozenset(("now", "today", "tomorrow", "yesterday"))
_BEFORE: Final = frozenset(("date", "time", "timetz", "timestamp", "timestamptz"))


def frozen(scope: Scope, text: str, whole: TypeRef | None = None) -> str:
    """The expression or query with its moments as values. `whole`: the type that a bare literal is to have."""
    if not any(word in text.lower() for word in _WORDS):
        return text
    tokens = tokenize(text)
    settings = dataclasses.replace(scope.ctx.settings, now_us=scope.now_us)
    alone = len(within_parentheses(tokens)) == 2
    pieces: list[str] = []
    done = 0
    for i, token in enumerate(tokens):
        if token.kind != STRING or token.value.strip().lower() not in _WORDS:
            continue
        ref = whole if whole is not None and alone else _type_said(scope, text, tokens, i)
        if ref is None or ref.oid not in types.CLOCK_OIDS:
            continue
        try:
            value = types.input_text(token.value, ref, settings)
        except SqlError:
            continue  # whoever binds the expression says so
        shown = types.output_text(value, ref, dataclasses.replace(settings, date_style="ISO, MDY"))
        pieces += [text[done : token.start], f"'{shown}'"]
        done = token.end
    return "".join(pieces) + text[done:]


def _type_said(scope: Scope, text: str, tokens: list[Token], i: int) -> TypeRef | None:
    """The type that is written with the literal: 'now'::date, CAST('now' AS date), date 'now'."""
    after = tokens[i + 1]
    if is_sign(after, "::") or (after.keyword == "as" and i >= 2 and tokens[i - 2].keyword == "cast"):
        return _read(scope, text, tokens, i + 2)
    words = 4 if i >= 4 and tokens[i - 1].keyword == "zone" else 1  # timestamp with time zone 'now'
    if i >= words and tokens[i - words].kind == WORD and tokens[i - words].value in _BEFORE:
        return _read(scope, text, tokens, i - words)
    return None


def _read(scope: Scope, text: str, tokens: list[Token], at: int) -> TypeRef | None:
    cursor = Cursor(text, tokens)
    cursor.at = at
    try:
        return resolve_type(cursor.type_name(), scope.catalog, scope.search_path)
    except (PlanError, SqlError):
        return None
