"""`*` and `t.*` written out: a stored query keeps meaning the columns that there were when it was made.

    SELECT t.*, 1 AS k FROM t              SELECT t.a, t.b, 1 AS k FROM t
    SELECT * FROM t JOIN u USING (a)       SELECT a, t.b, u.c FROM t JOIN u USING (a)

Only the outermost lists are written out, and those of every branch of a UNION: what a subquery has more than
before, nobody asks it for.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, Final

from sqlglot import exp

from planner import statements as st
from planner.binding import ir
from planner.binding.naming import identifier
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.scope import Scope
from planner.catalog import quote_identifier
from planner.lexer import tokenize
from planner.parse.queries import parse_query

_NAME = r'(?:"(?:[^"]|"")*"|[\w$]+)'
_BEFORE_STARS: Final = frozenset(("select", "distinct", "all", ",", ".", ")"))
_OF_RELATION = re.compile(rf"{_NAME}(?:\s*\.\s*{_NAME})*\s*\.\s*\*")


def written_out(query: st.Sql, ctx: Any) -> str:
    """The query's text with its outermost stars as lists of columns."""
    if not _has_stars(query.text):
        return query.text
    text = " " * query.offset + query.text
    tree = parse_query(text)
    binder = QueryBinder(ctx, text, Parameters((), None))
    found: list[tuple[int, int, str]] = []
    _walk(binder, tree, binder.new_scope(None), text, found)
    for start, end, columns in sorted(found, reverse=True):
        text = text[:start] + columns + text[end:]
    return text[query.offset :]


def _has_stars(text: str) -> bool:
    """Whether a `*` may be one, by what is before it: as a rule it multiplies."""
    if "*" not in text:
        return False
    tokens = tokenize(text)
    return any(
        token.value == "*" and (before.keyword in _BEFORE_STARS or before.value in _BEFORE_STARS)
        for before, token in pairwise(tokens)
    )


def _walk(
    binder: QueryBinder, node: exp.Expression, scope: Scope, text: str, found: list[tuple[int, int, str]]
) -> None:
    while isinstance(node, exp.Subquery | exp.Paren):
        binder.with_clause(node, scope)
        node = node.this
    if isinstance(node, exp.SetOperation):
        binder.with_clause(node, scope)
        for branch in (node.this, node.expression):
            inner = binder.new_scope(None)
            inner.ctes = dict(scope.ctes)
            _walk(binder, branch, inner, text, found)
        return
    if not isinstance(node, exp.Select) or not any(_is_star(e) for e in node.expressions):
        return
    binder.with_clause(node, scope)
    binder.sources.from_clause(node, scope)
    for item in node.expressions:
        if isinstance(item, exp.Star):
            start = item.meta.get("start")
            if start is not None:
                found.append((start, start + 1, _every(scope)))
        elif _is_star(item):
            table = item.args["table"]
            start = table.meta.get("start")
            relation = scope.find_relation(identifier(table))
            match = _OF_RELATION.match(text, start) if start is not None else None
            if match is not None and relation is not None:
                columns = [c.name for c in relation.columns if not c.hidden]
                found.append((start, match.end(), ", ".join(_of(relation.name, c) for c in columns)))


def _is_star(item: exp.Expression) -> bool:
    return isinstance(item, exp.Star) or (
        isinstance(item, exp.Column)
        and isinstance(item.this, exp.Star)
        and item.args.get("table") is not None
    )


def _every(scope: Scope) -> str:
    """What a bare `*` stands for: the merged columns of USING by their bare names, all others by their relations'."""
    names = {r.number: r.name for r in scope.relations}
    seen = [c.name for c in scope.columns]
    out = []
    for c in scope.columns:
        relation = names.get(c.node.relation, "") if isinstance(c.node, ir.Var) else ""
        bare = not relation or seen.count(c.name) == 1
        out.append(quote_identifier(c.name) if bare else _of(relation, c.name))
    return ", ".join(out)


def _of(relation: str, column: str) -> str:
    return f"{quote_identifier(relation)}.{quote_identifier(column)}"
