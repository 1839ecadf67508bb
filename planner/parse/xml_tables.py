"""XMLTABLE's grammar, said as a call of pairs and fours.

    XMLTABLE(XMLNAMESPACES('http://x' AS x), '/r' PASSING d COLUMNS n FOR ORDINALITY, a int PATH '@a' DEFAULT 0 NOT NULL, b text)

    xmltable('/r', d,  'http://x', 'x',   'columns',  'n', 'ordinality', NULL, CAST(NULL AS integer),
                                                      'a', 'not null',   '@a', CAST(0 AS integer),   'b', '', 'b', CAST(NULL AS text))

Each column is its name, what is asked of it, its path, and its default, whose type is the column's.
`planner.binding.xml.tables` makes rows of it.
"""

from __future__ import annotations

import itertools
from typing import Final

from planner.abc import PlanError
from planner.lexer import PUNCTUATION, QUOTED, STRING, WORD, Token, is_sign
from planner.parse.errors import syntax_error

Tokens = list[Token]
COLUMNS: Final = "columns"
"""Stands where the namespaces end and the columns begin."""
_CLAUSES: Final = ("path", "default", "not", "null")


def written(name: Token, inside: Tokens, end: Token) -> Tokens:
    """The call. Raises 42601, 0A000."""
    args: list[Tokens] = []
    spaces: list[Tokens] = []
    if inside and inside[0].keyword == "xmlnamespaces":
        if len(inside) < 2 or not is_sign(inside[1], "("):
            raise syntax_error(inside[1] if len(inside) > 1 else end)
        close = _closing(inside, 1, end)
        spaces = _namespaces(inside[2:close], inside[close])
        if close + 1 >= len(inside) or not is_sign(inside[close + 1], ","):
            raise syntax_error(inside[close + 1] if close + 1 < len(inside) else end)
        inside = inside[close + 2 :]
    at, columns = _place(inside, "passing"), _place(inside, "columns")
    if at < 1:
        raise syntax_error(inside[0] if at == 0 else inside[columns] if columns >= 0 else end)
    if columns < at:
        raise syntax_error(end)
    document = inside[at + 1 : columns]
    by = (["by", "ref"], ["by", "value"])
    if [t.keyword for t in document[:2]] in by:
        document = document[2:]
    if [t.keyword for t in document[-2:]] in by:
        document = document[:-2]
    if not document:
        raise syntax_error(inside[columns])
    args += [inside[:at], document, *spaces, [_text(COLUMNS, name)]]
    seen: set[str] = set()
    numbered = False
    for part in _split(inside[columns + 1 :]):
        if len(part) < 2:
            raise syntax_error(part[0] if part else end)
        if part[0].kind not in (WORD, QUOTED):
            raise syntax_error(part[0])
        label = part[0].value
        if label in seen:
            raise PlanError("42601", f'column name "{label}" is not unique', position=part[0].start + 1)
        seen.add(label)
        ordinal = [t.keyword for t in part[1:]] == ["for", "ordinality"]
        if ordinal and numbered:
            raise PlanError("42601", "only one FOR ORDINALITY column is allowed", position=part[0].start + 1)
        numbered = numbered or ordinal
        args += _numbers(part[0]) if ordinal else _column(part, end)
    out = [Token(WORD, name.value, name.start, name.end), _sign("(", name)]
    for i, arg in enumerate(args):
        out += [_sign(",", arg[0]), *arg] if i else arg
    return [*out, end]


def _numbers(label: Token) -> list[Tokens]:
    null = [_word("null", label)]
    kind = [
        _word("cast", label),
        _sign("(", label),
        *null,
        _word("as", label),
        _word("integer", label),
        _sign(")", label),
    ]
    return [[_text(label.value, label)], [_text("ordinality", label)], null, kind]


def _column(part: Tokens, end: Token) -> list[Tokens]:
    """`a int PATH '@a' DEFAULT 0 NOT NULL`"""
    label = part[0]
    starts = [
        i for i in range(2, len(part)) if _said(part[i]) in _CLAUSES and not _depth(part[:i])
        and not (part[i].keyword == "null" and (_said(part[i - 1]) in ("not", "default", "path", "is")))
        and not (part[i].keyword == "not" and _said(part[i - 1]) in ("default", "path", "is"))
    ]  # fmt: skip
    kind = part[1 : starts[0]] if starts else part[1:]
    path, default, required = [_text(label.value, label)], [_word("null", label)], ""
    told: set[str] = set()
    for i, stop in itertools.pairwise([*starts, len(part)]):
        word, value = _said(part[i]), part[i + 1 : stop]
        what = "null" if word == "not" else word
        if what in told:
            message = {
                "path": "only one PATH value per column is allowed",
                "default": "only one DEFAULT value is allowed",
                "null": f'conflicting or redundant NULL / NOT NULL declarations for column "{label.value}"',
            }[what]
            raise PlanError("42601", message, position=part[i].start + 1)
        told.add(what)
        if word in ("path", "default"):
            if not value:
                raise syntax_error(part[stop] if stop < len(part) else end)
            if word == "path":
                path = value
            else:
                default = value
        elif word == "not":
            if [t.keyword for t in value] != ["null"]:
                raise syntax_error(value[0] if value else end)
            required = "not null"
        elif value:
            raise syntax_error(value[0])
    typed = [_word("cast", label), _sign("(", label), *default, _word("as", label), *kind, _sign(")", label)]
    return [[_text(label.value, label)], [_text(required, label)], path, typed]


def _said(token: Token) -> str:
    """The word that a token is; PATH is none of PostgreSQL's keywords."""
    return token.value if token.kind == WORD else ""


def _namespaces(inside: Tokens, end: Token) -> list[Tokens]:
    found: list[Tokens] = []
    for part in _split(inside):
        if part and part[0].keyword == "default":
            raise PlanError("0A000", "DEFAULT namespace is not supported")
        if len(part) < 3 or part[-2].keyword != "as" or part[-1].kind not in (WORD, QUOTED):
            raise syntax_error(part[-1] if part else end)
        found += [part[:-2], [_text(part[-1].value, part[-1])]]
    return found


def _depth(tokens: Tokens) -> int:
    return sum((is_sign(t, "(") or is_sign(t, "[")) - (is_sign(t, ")") or is_sign(t, "]")) for t in tokens)


def _closing(tokens: Tokens, at: int, end: Token) -> int:
    depth = 0
    for i in range(at, len(tokens)):
        depth += is_sign(tokens[i], "(") - is_sign(tokens[i], ")")
        if not depth:
            return i
    raise syntax_error(end)


def _place(tokens: Tokens, word: str) -> int:
    """Where a word stands that is in no brackets; -1 if nowhere."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += (is_sign(token, "(") or is_sign(token, "[")) - (is_sign(token, ")") or is_sign(token, "]"))
        if not depth and token.keyword == word:
            return i
    return -1


def _split(tokens: Tokens) -> list[Tokens]:
    """By commas that are in no brackets."""
    parts: list[Tokens] = [[]]
    depth = 0
    for token in tokens:
        depth += (is_sign(token, "(") or is_sign(token, "[")) - (is_sign(token, ")") or is_sign(token, "]"))
        if not depth and is_sign(token, ","):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _sign(sign: str, at: Token) -> Token:
    return Token(PUNCTUATION, sign, at.start, at.start)


def _word(word: str, at: Token) -> Token:
    return Token(WORD, word, at.start, at.start, word)


def _text(text: str, at: Token) -> Token:
    return Token(STRING, text, at.start, at.end)


__all__ = ["COLUMNS", "written"]
