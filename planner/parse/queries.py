"""Queries, DML and expressions: our tokens through sqlglot's parser, errors in PostgreSQL's words.

    parse_query("select a from t where b = $1")  ->  sqlglot.exp.Select
    parse_expression("lower(a) <> ''")           ->  sqlglot.exp.NEQ

What the nodes look like is sqlglot's business, but for what `planner.parse.dialect` says of functions and
operators. Identifiers, literals and function calls carry `meta["start"]` and `meta["end"]`, character
offsets in the statement; `position(node)` finds where a tree begins, 1-based as in error messages (`beginnings`).
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.tokens import Token as GlotToken

from planner import nesting
from planner.abc import PlanError
from planner.lexer import END, QUOTED, Token, is_sign, keywords_of, tokenize
from planner.parse import samples
from planner.parse.beginnings import TEXT
from planner.parse.column_lists import joined
from planner.parse.dialect import TidewirePostgres
from planner.parse.errors import end_of_input, too_deep
from planner.parse.feed import calls_in_quotes, feed, marked, unmarked
from planner.parse.forms import rewritten
from planner.parse.grammar import check_expression, check_query
from planner.parse.insert_targets import Cut, table_start, without_parts
from planner.parse.joins import with_aliases
from planner.parse.read_only import without_read_only

_DIALECT: Final = TidewirePostgres()
ARRAYS_MAX: Final = 12
"""ARRAY[...] inside of one another; PostgreSQL's arrays have 6 dimensions."""
NODES_MAX: Final = 200_000
"""A statement of more syntax nodes than this is refused (54001)."""

BRACKETS_MAX: Final = 1_000
"""Brackets inside of brackets, in a statement; deeper is 54001."""


def parse_query(text: str, tokens: list[Token] | None = None) -> exp.Expression:
    """A SELECT, VALUES, TABLE, INSERT, UPDATE, DELETE or MERGE. Raises PlanError 42601 with position."""
    tokens = tokenize(text) if tokens is None else tokens
    return _parse(text, tokens, None)


def parse_expression(text: str, tokens: list[Token] | None = None) -> exp.Expression:
    """A scalar expression, as in DEFAULT, CHECK and USING clauses."""
    tokens = tokenize(text) if tokens is None else tokens
    return _parse(text, tokens, exp.Condition)


def _parse(text: str, tokens: list[Token], into: type[exp.Expression] | None) -> exp.Expression:
    if tokens[0].kind == END:
        raise _error(text, tokens, None)
    _refuse_deep_brackets(tokens)
    words = keywords_of(tokens)
    if "array" in words:
        _refuse_deep_arrays(tokens)
    tokens = rewritten(_checked(tokens, text, into), text)
    overriding = ""
    parts: Cut = {}
    if not words.isdisjoint(("search", "cycle")):
        tokens = joined(tokens)
    if "overriding" in words:
        tokens, overriding = _without_overriding(tokens)
    if "insert" in words:
        tokens, parts = without_parts(tokens)
    if "read" in words:
        tokens = without_read_only(tokens)
    if "using" in words:
        tokens = with_aliases(tokens)
    fed = feed(tokens)
    if not fed:
        raise _error(text, tokens, None)
    marks = ("[" in text and marked(fed)) or calls_in_quotes(text)
    parser = TidewirePostgres.Parser(dialect=_DIALECT, error_level=ErrorLevel.IMMEDIATE, max_nodes=NODES_MAX)
    try:
        with nesting.calls_up_to(nesting.READING):
            trees = parser.parse(fed, text) if into is None else parser.parse_into(into, fed, text)
    except ParseError as e:
        if "Maximum number of AST nodes" in str(e):
            raise PlanError("54001", "statement is too complex") from None
        raise _error(text, tokens, _where(e, fed, parser)) from None
    except RecursionError:
        raise too_deep() from None
    tree = trees[0] if trees else None
    if tree is None or (into is None and isinstance(tree, exp.Command)):
        raise _error(text, tokens, fed[0])
    assert isinstance(tree, exp.Expression)
    if marks:
        unmarked(tree)
    if overriding:
        for insert in tree.find_all(exp.Insert):
            insert.set("overriding", overriding)
    if parts:
        for insert in tree.find_all(exp.Insert):
            found = parts.get(table_start(insert))
            if found is not None:
                end = tokens[-1]
                insert.set("targets", {i: parse_expression(text, [*t, end]) for i, t in found.items()})
    tree.meta[TEXT] = text
    if "tablesample" in words:
        samples.taken_apart(tree)
    if not words.isdisjoint(("filter", "within")):
        tree = _with_schemas_inside(tree)
    return tree


def _refuse_deep_brackets(tokens: list[Token]) -> None:
    """Raises 54001 where so many brackets are inside of one another that sqlglot's compiled parser would come to the end of the
    process's stack: not all of its calls are counted as Python's are."""
    if len(tokens) <= BRACKETS_MAX:
        return
    depth = 0
    for token in tokens:
        if is_sign(token, "(") or is_sign(token, "["):
            depth += 1
            if depth > BRACKETS_MAX:
                raise PlanError(
                    "54001",
                    "stack depth limit exceeded",
                    detail=f"More than {BRACKETS_MAX} brackets are inside of one another.",
                )
        elif is_sign(token, ")") or is_sign(token, "]"):
            depth -= 1


def _checked(tokens: list[Token], text: str, into: type[exp.Expression] | None) -> list[Token]:
    """The tokens with keywords that are names here as quoted ones.

    Raises 42601 for what PostgreSQL's grammar does not take, 54001 for what nests too deeply.
    """
    try:
        with nesting.calls_up_to(nesting.BINDING):
            names = (check_query if into is None else check_expression)(tokens, text)
    except RecursionError:
        raise too_deep() from None
    if not names:
        return tokens
    tokens = list(tokens)
    for i in names:
        token = tokens[i]
        tokens[i] = Token(QUOTED, token.value, token.start, token.end)
    return tokens


def _refuse_deep_arrays(tokens: list[Token]) -> None:
    """Raises 54001 where ARRAY[...] are so many inside of one another that sqlglot would take all memory: it reads each twice."""
    if sum(t.keyword == "array" for t in tokens) <= ARRAYS_MAX:
        return
    inside: list[bool] = []
    depth = 0
    for before, token in itertools.pairwise(tokens):
        if is_sign(token, "["):
            inside.append(before.keyword == "array")
            depth += inside[-1]
            if depth > ARRAYS_MAX:
                raise PlanError(
                    "54001",
                    "stack depth limit exceeded",
                    detail=f"More than {ARRAYS_MAX} ARRAY[...] are inside of one another.",
                )
        elif is_sign(token, "]") and inside:
            depth -= inside.pop()


def _with_schemas_inside(tree: exp.Expression) -> exp.Expression:
    """`s.f(x) FILTER (...)`, of which sqlglot makes `s.(f(x) FILTER (...))`, a column even, as `(s.f(x)) FILTER (...)`."""
    for node in list(tree.find_all(exp.Column, exp.Dot)):
        column = isinstance(node, exp.Column)
        clause = node.this if column else node.expression
        schema = node.args.get("table") if column else node.this
        if not isinstance(clause, exp.Filter | exp.WithinGroup) or not isinstance(schema, exp.Identifier):
            continue
        call = clause
        while isinstance(call, exp.Filter | exp.WithinGroup):
            call = call.this
        dot = exp.Dot(this=schema)
        call.replace(dot)
        dot.set("expression", call)  # the same nodes: there may be more such calls in them
        clause.pop()
        if node is tree:
            tree = clause
        else:
            node.replace(clause)
    return tree


def _without_overriding(tokens: list[Token]) -> tuple[list[Token], str]:
    """INSERT's `OVERRIDING { SYSTEM | USER } VALUE`, which sqlglot does not know, taken out."""
    for i in range(len(tokens) - 3):
        first, which, last, after = tokens[i : i + 4]
        if (
            first.keyword == "overriding"
            and which.keyword in ("system", "user")
            and last.keyword == "value"
            and (after.keyword in ("select", "values", "with", "table", "default") or after.value == "(")
        ):
            return [*tokens[:i], *tokens[i + 3 :]], which.keyword
    return tokens, ""


def _where(error: ParseError, fed: list[GlotToken], parser: Any) -> GlotToken | None:
    """The token at which sqlglot gave up; None: the end."""
    if not parser._curr:
        return None
    index = (error.errors[0] if error.errors else {}).get("line")
    return fed[index] if isinstance(index, int) and 0 <= index < len(fed) else None


def _error(text: str, tokens: list[Token], at: GlotToken | None) -> PlanError:
    if at is None:
        return end_of_input(tokens, text)
    shown = next((text[t.start : t.end] for t in tokens if t.start == at.start), text[at.start : at.end + 1])
    return PlanError("42601", f'syntax error at or near "{shown}"', position=at.start + 1)
