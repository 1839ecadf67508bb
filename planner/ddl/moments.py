"""`'now'::timestamp` in a definition is the moment when it was made, as any literal is its value.

    CREATE TABLE t (made timestamp DEFAULT 'now')         the moment of CREATE TABLE, in every row
    CREATE TABLE t (made timestamp DEFAULT now())         the moment of each INSERT
    CREATE TABLE t (made date CHECK (made > '3.4.2021'))  the third of April, if DateStyle said so then

PostgreSQL reads a literal when it parses. Definitions are kept as texts here, so words that mean a moment (`now`,
`today`, `tomorrow`, `yesterday`) are replaced by it where the text itself says that they are of such a type; and
literals that another DateStyle, TimeZone or IntervalStyle would read otherwise by words that all read alike.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from planner import types
from planner.abc import PlanError, SqlError, Table, TypeRef
from planner.binding import readings
from planner.catalog import Function
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type
from planner.lexer import STRING, WORD, Token, is_sign, tokenize, within_parentheses
from planner.parse.cursor import Cursor

_WORDS: Final = frozenset(("now", "today", "tomorrow", "yesterday"))
_MOMENTS: Final = re.compile(r"now|today|tomorrow|yesterday|epoch|infinity|allballs", re.IGNORECASE)
_NAME: Final = re.compile(r'[A-Za-z_"][\w."$]*')
_READ: Final = tuple(map(TypeRef, (*sorted(types.CLOCK_OIDS), types.INTERVAL)))
_BEFORE: Final = frozenset(("date", "time", "timetz", "timestamp", "timestamptz"))


def frozen(scope: Scope, text: str, whole: TypeRef | None = None, table: Table | None = None) -> str:
    """An expression with its moments and dates as values. `whole`: the type that a bare literal is to have.

    `table`: whose columns the expression names.
    """

    def read(text: str) -> dict[int, str]:
        tokens = tokenize(text)
        if whole is None or len(within_parentheses(tokens)) != 2:
            return readings.of_expression(scope.context(), text, table, whole)
        literal = next(x for x in tokens if x.kind == STRING)
        return readings.of_literal(scope.context(), literal.value, literal.start, whole)

    return _frozen(_without_clock_words(scope, text, whole), read)


def frozen_condition(scope: Scope, text: str, table: Table) -> str:
    """The same of a trigger's WHEN."""
    return _frozen(
        _without_clock_words(scope, text, None),
        lambda text: readings.of_condition(scope.context(), text, table),
    )


def frozen_query(scope: Scope, text: str) -> str:
    """The same of a query."""
    return _frozen(
        _without_clock_words(scope, text, None), lambda text: readings.of_query(scope.context(), text)
    )


def frozen_body(scope: Scope, f: Function) -> str:
    """The same of a body of the standard's form, which is read when the function is made."""
    return _frozen(
        _without_clock_words(scope, f.body, None),
        lambda text: readings.of_body(scope.context(), dataclasses.replace(f, body=text)),
    )


def frozen_statements(scope: Scope, f: Function) -> str:
    """The same of one that runs."""
    return _frozen(
        _without_clock_words(scope, f.body, None),
        lambda text: readings.of_statements(scope.context(), dataclasses.replace(f, body=text)),
    )


def _frozen(text: str, read: Callable[[str], dict[int, str]]) -> str:
    strings = [x for x in tokenize(text) if x.kind == STRING] if "'" in text else []
    if not any(_may_differ(x.value) for x in strings):
        return text
    try:
        said = read(text)
    except SqlError:
        return text  # whoever binds the definition says so
    return _said_so(text, strings, said)


@lru_cache(maxsize=1024)
def _may_differ(literal: str) -> bool:
    """Whether a literal can say a moment, or have one in it: where none can, nobody has to bind the text to see of what types they are."""
    if _MOMENTS.search(literal) is not None:
        return True
    if not any(c.isdigit() for c in literal):
        return False
    return _NAME.fullmatch(literal) is None or any(_is_read_as(literal, ref) for ref in _READ)


def _is_read_as(literal: str, ref: TypeRef) -> bool:
    try:
        types.input_text(literal, ref)
    except SqlError:
        return False
    return True


def _said_so(text: str, strings: list[Token], said: dict[int, str]) -> str:
    pieces: list[str] = []
    done = 0
    for token in strings:
        shown = said.get(token.start)
        if shown is not None:
            quoted = shown.replace("'", "''")
            pieces += [text[done : token.start], f"'{quoted}'"]
            done = token.end
    return "".join(pieces) + text[done:]


def _without_clock_words(scope: Scope, text: str, whole: TypeRef | None) -> str:
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
