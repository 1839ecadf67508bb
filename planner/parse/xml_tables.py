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
from planner.lexer import QUOTED, WORD, Token, is_sign
from planner.parse.errors import syntax_error
from planner.parse.written_calls import Tokens, call, depth_of, passed, sign, split, text, word

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
    document = passed(inside[at + 1 : columns])
    if not document:
        raise syntax_error(inside[columns])
    args += [inside[:at], document, *spaces, [text(COLUMNS, name)]]
    seen: set[str] = set()
    numbered = False
    for part in split(inside[columns + 1 :]):
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
    return call(name, args, end)


def _numbers(label: Token) -> list[Tokens]:
    null = [word("null", label)]
    kind = [
        word("cast", label),
        sign("(", label),
        *null,
        word("as", label),
        word("integer", label),
        sign(")", label),
    ]
    return [[text(label.value, label)], [text("ordinality", label)], null, kind]


def _column(part: Tokens, end: Token) -> list[Tokens]:
    """`a int PATH '@a' DEFAULT 0 NOT NULL`"""
    label = part[0]
    starts = [
        i for i in range(2, len(part)) if _said(part[i]) in _CLAUSES and not _depth(part[:i])
        and not (part[i].keyword == "null" and (_said(part[i - 1]) in ("not", "default", "path", "is")))
        and not (part[i].keyword == "not" and _said(part[i - 1]) in ("default", "path", "is"))
    ]  # fmt: skip
    kind = part[1 : starts[0]] if starts else part[1:]
    path, default, required = [text(label.value, label)], [word("null", label)], ""
    told: set[str] = set()
    for i, stop in itertools.pairwise([*starts, len(part)]):
        said, value = _said(part[i]), part[i + 1 : stop]
        what = "null" if said == "not" else said
        if what in told:
            message = {
                "path": "only one PATH value per column is allowed",
                "default": "only one DEFAULT value is allowed",
                "null": f'conflicting or redundant NULL / NOT NULL declarations for column "{label.value}"',
            }[what]
            raise PlanError("42601", message, position=part[i].start + 1)
        told.add(what)
        if said in ("path", "default"):
            if not value:
                raise syntax_error(part[stop] if stop < len(part) else end)
            if said == "path":
                path = value
            else:
                default = value
        elif said == "not":
            if [t.keyword for t in value] != ["null"]:
                raise syntax_error(value[0] if value else end)
            required = "not null"
        elif value:
            raise syntax_error(value[0])
    typed = [word("cast", label), sign("(", label), *default, word("as", label), *kind, sign(")", label)]
    return [[text(label.value, label)], [text(required, label)], path, typed]


def _said(token: Token) -> str:
    """The word that a token is; PATH is none of PostgreSQL's keywords."""
    return token.value if token.kind == WORD else ""


def _namespaces(inside: Tokens, end: Token) -> list[Tokens]:
    found: list[Tokens] = []
    for part in split(inside):
        if part and part[0].keyword == "default":
            raise PlanError("0A000", "DEFAULT namespace is not supported")
        if len(part) < 3 or part[-2].keyword != "as" or part[-1].kind not in (WORD, QUOTED):
            raise syntax_error(part[-1] if part else end)
        found += [part[:-2], [text(part[-1].value, part[-1])]]
    return found


def _depth(tokens: Tokens) -> int:
    return sum(map(depth_of, tokens))


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
        depth += depth_of(token)
        if not depth and token.keyword == word:
            return i
    return -1


__all__ = ["COLUMNS", "written"]
