"""INSERT's target list with parts of columns: `INSERT INTO t (a[1], c.street)`.

sqlglot takes plain names there, so subscripts and fields are cut out of what it is fed, and come back to the INSERT's
node as `targets`: by place in the list, the whole target as an expression.
"""

from __future__ import annotations

from sqlglot import exp

from planner.lexer import END, PUNCTUATION, QUOTED, WORD, Token

_NAMES = (WORD, QUOTED)
Cut = dict[int, dict[int, list[Token]]]
"""By where the table's name stands: by place in the list, the tokens of a target that is not a plain name."""


def without_parts(tokens: list[Token]) -> tuple[list[Token], Cut]:
    """The tokens with plain names for targets."""
    cut: Cut = {}
    if not any(t.keyword == "insert" for t in tokens):
        return tokens, cut
    tokens = _in_brackets(tokens)
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        if tokens[at].keyword == "insert" and at + 1 < len(tokens) and tokens[at + 1].keyword == "into":
            end, found = _list(tokens, at + 2)
            if found is not None:
                name, plain, parts = found
                out += [*tokens[at : end[0]], *plain]
                cut[name] = parts
                at = end[1]
                continue
        out.append(tokens[at])
        at += 1
    return out, cut


def _in_brackets(tokens: list[Token]) -> list[Token]:
    """`INSERT INTO t (VALUES (1, 2))` with brackets around the query's own: sqlglot would read a list of columns."""
    doubled: set[int] = set()
    for at in [i for i, t in enumerate(tokens) if t.keyword == "insert"]:
        if tokens[at + 1].keyword != "into":
            continue
        start = _after_name(tokens, at + 2)[1]
        if _is(tokens[start], "(") and tokens[start + 1].keyword == "values" and _is(tokens[start + 2], "("):
            doubled |= {start, _closing(tokens, start)}
    if not doubled:
        return tokens
    return [t for at, token in enumerate(tokens) for t in [token] * (2 if at in doubled else 1)]


def _closing(tokens: list[Token], at: int) -> int:
    depth = 0
    while tokens[at].kind != END:
        depth += _is(tokens[at], "(") - _is(tokens[at], ")")
        if not depth:
            break
        at += 1
    return at


def _after_name(tokens: list[Token], at: int) -> tuple[int, int]:
    """Of a table: where its name stands, and what comes after it and its alias."""
    name = at
    while _is(tokens[at + 1], "."):
        at += 2
        name = at
    at += 1
    if tokens[at].keyword == "as":
        at += 2
    elif tokens[at].kind in _NAMES and not tokens[at].keyword:
        at += 1
    return name, at


def _list(
    tokens: list[Token], at: int
) -> tuple[tuple[int, int], tuple[int, list[Token], dict[int, list[Token]]] | None]:
    """Where the list is, and: the name's place, the list's tokens without parts, the targets that have some."""
    name, at = _after_name(tokens, at)
    if not _is(tokens[at], "("):
        return (at, at), None
    start = at
    at += 1
    plain: list[Token] = [tokens[start]]
    parts: dict[int, list[Token]] = {}
    place = depth = 0
    item: list[Token] = []
    while at < len(tokens) and tokens[at].kind != END:
        token = tokens[at]
        at += 1
        depth += _is(token, "[") + _is(token, "(") - _is(token, "]")
        if depth < 1 and (_is(token, ",") or _is(token, ")")):
            if not item or item[0].kind not in _NAMES:
                break
            if len(item) > 1:
                if not (_is(item[1], "[") or _is(item[1], ".")):
                    break
                parts[place] = item
            plain += [item[0], token]
            item, place = [], place + 1
            if _is(token, ")"):
                return (start, at), ((tokens[name].start, plain, parts) if parts else None)
            continue
        depth -= _is(token, ")")
        item.append(token)
    return (start, start), None


def _is(token: Token, mark: str) -> bool:
    return token.kind == PUNCTUATION and token.value == mark


def table_start(insert: exp.Insert) -> int:
    """Where an INSERT's table name stands."""
    node = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
    return int(node.this.meta.get("start", -1))
