"""The text of a function's body as the one query that it is, in whatever form it was written.

    'SELECT a + 1;'                  SELECT a + 1
    RETURN a + 1                     SELECT a + 1
    BEGIN ATOMIC SELECT a + 1; END   SELECT a + 1

Blanks take the place of what is left out, so that positions in the body stay what they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding.facts import procs
from planner.binding.naming import function_name
from planner.binding.resolve import assignable
from planner.catalog import Function
from planner.catalog.casts import Casts
from planner.lexer import END, PUNCTUATION, WORD, Token, tokenize
from planner.split import statement_ends

_QUERIES: Final = frozenset(("select", "values", "table", "with"))
_WRITES: Final = frozenset(("insert", "update", "delete", "merge"))


def statements_of(f: Function) -> str:
    """The statements of a body, whatever words are around them."""
    return _inside(f.body) if f.standard else f.body


@lru_cache(maxsize=512)
def _inside(body: str) -> str:
    tokens = tokenize(body)
    if tokens[0].value == "return":
        return _blanked(body, tokens[0], "SELECT")
    inner = tokens[2:-2]
    for before, token in itertools.pairwise(tokens[1:-2]):
        if token.keyword == "return" and (before is tokens[1] or before.value == ";"):
            body = _blanked(body, token, "SELECT")  # of the same length
    return " " * inner[0].start + body[inner[0].start : inner[-1].end] if inner else ""


def statements_in(body: str) -> list[str]:
    """One by one, with blanks for what is before each."""
    tokens = tokenize(body)
    cuts = [-1, *statement_ends(tokens), len(tokens) - 1]
    found = [tokens[a + 1 : b] for a, b in itertools.pairwise(cuts) if b > a + 1]
    return [" " * x[0].start + body[x[0].start : x[-1].end] for x in found]


def body_of(f: Function) -> str:
    """The query. Raises 0A000 for bodies that are none, 42P13 for empty ones."""
    if is_empty(statements_of(f)):
        raise mismatch(f, "Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
    return query_text(statements_of(f))


@lru_cache(maxsize=512)
def query_text(body: str) -> str:
    tokens = tokenize(body)
    ends = statement_ends(tokens)
    cuts = [-1, *ends, len(tokens) - 1]
    statements = [tokens[a + 1 : b] for a, b in itertools.pairwise(cuts) if b > a + 1]
    if len(statements) > 1:
        raise PlanError("0A000", "functions of several statements are not supported")
    (only,) = statements
    word = only[0].value if only[0].kind == WORD else ""
    if word in _WRITES or (word == "with" and _writes(only)):
        named = word if word in _WRITES else next(x.value for x in only if x.value in _WRITES)
        raise PlanError("0A000", f"{named.upper()} in functions is not supported")
    if word not in _QUERIES and not (only[0].kind == PUNCTUATION and only[0].value == "("):
        from planner.parse.statement import parse_statement

        parse_statement(body[: only[-1].end])
        raise PlanError("0A000", f"{word.upper()} in functions is not supported")
    depth = 0
    for i, token in enumerate(only):
        if token.kind == PUNCTUATION:
            depth += (token.value in "([") - (token.value in ")]")
        elif not depth and token.keyword == "into":
            raise PlanError("0A000", "SELECT INTO in functions is not supported", position=token.start + 1)
        elif not depth and token.keyword == "for" and _locks(only, i):
            raise PlanError(
                "0A000", "locking clauses in functions are not supported", position=token.start + 1
            )
        elif (
            not depth
            and token.keyword == "as"
            and [x.value for x in only[i + 1 : i + 3]] == ["of", "timestamp"]
        ):
            raise PlanError("0A000", "AS OF in functions is not supported", position=token.start + 1)
    return " " * only[0].start + body[only[0].start : only[-1].end]


def mismatch(f: Function, detail: str) -> PlanError:
    """What the body finds is not what the function is declared to return."""
    kind = t.type_in_words(f.result.oid)
    return PlanError("42P13", f"return type mismatch in function declared to return {kind}", detail=detail)


def unlike(found: Sequence[TypeRef], wanted: Sequence[TypeRef], casts: Casts, *, is_row: bool) -> str:
    """In what way the columns that a last statement finds are not what is returned; "": they are."""
    if not is_row and len(found) != 1:
        return "Final statement must return exactly one column."
    for place, (ref, to) in enumerate(zip(found, wanted, strict=False), 1):
        if ref.oid != to.oid and not assignable(ref.oid, to.oid, casts):
            a, b = t.type_in_words(ref.oid), t.type_in_words(to.oid)
            return (
                f"Final statement returns {a} instead of {b} at column {place}."
                if is_row
                else f"Actual return type is {a}."
            )
    if len(found) != len(wanted):
        few = "few" if len(found) < len(wanted) else "many"
        return f"Final statement returns too {few} columns."
    return ""


def is_empty(body: str) -> bool:
    return all(x.kind == END or x.value == ";" for x in tokenize(body))


def _writes(tokens: list[Token]) -> bool:
    return any(
        x.kind == WORD and x.value in _WRITES and tokens[i - 1].value in ("(", ")")
        for i, x in enumerate(tokens)
    )


def _locks(tokens: list[Token], i: int) -> bool:
    after = tokens[i + 1].value if i + 1 < len(tokens) else ""
    return after in ("update", "share", "no", "key")


def _blanked(body: str, token: Token, word: str) -> str:
    return body[: token.start] + word + body[token.end :]


def is_expression(tree: exp.Expression) -> bool:
    """`SELECT expression` and nothing else."""
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return False
    item = tree.expressions[0]
    if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
        return False
    return not any(value for key, value in tree.args.items() if key not in ("expressions", "kind", "hint"))


def one_row(tree: exp.Expression) -> exp.Expression:
    """The query, of which only the first row is asked for. Raises 0A000."""
    node = tree
    if isinstance(node, exp.Select) and not node.args.get("group") and _is_aggregate(node):
        return node
    limit = node.args.get("limit")
    if isinstance(limit, exp.Fetch):
        options = limit.args.get("limit_options")
        if options is not None and (options.args.get("with_ties") or options.args.get("percent")):
            raise PlanError("0A000", "WITH TIES in functions that return one value is not supported")
        count = limit.args.get("count")
    else:
        count = limit.expression if limit is not None else None
    one: exp.Expression = exp.Literal.number(1)
    if isinstance(count, exp.Identifier):
        count = exp.Column(this=count)
    if isinstance(count, exp.Literal) and not count.is_string and str(count.this).isdigit():
        one = exp.Literal.number(
            min(int(str(count.this)), 1)
        )  # which DuckDB wants to see, in a query of each row
    elif count is not None and not isinstance(count, exp.Null) and count.name.lower() != "all":
        one = exp.Least(this=count, expressions=[one], ignore_nulls=True)
    if not isinstance(node, exp.Select | exp.SetOperation):
        if limit is not None or node.args.get("offset") is not None or node.args.get("order") is not None:
            raise PlanError("0A000", "such a query in functions that return one value is not supported")
        alias = exp.TableAlias(this=exp.to_identifier("tw_only"))
        node = exp.Select(expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=node, alias=alias)))
    node.set("limit", exp.Limit(expression=one))
    return node


def _is_aggregate(node: exp.Select) -> bool:
    """Whether all rows become one: what is selected is an aggregate."""
    found = False
    for item in node.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        if not isinstance(inner, exp.Anonymous):
            return False
        kinds = {p.kind for p in procs().get(function_name(inner), ())}
        if kinds != {"a"}:
            return False
        found = True
    return found


__all__ = [
    "body_of",
    "is_empty",
    "is_expression",
    "mismatch",
    "one_row",
    "query_text",
    "statements_in",
    "statements_of",
]
