"""What an index is of is computed of every row: a row that has no such value refuses the index, and then the index refuses the row.

    CREATE INDEX ON t ((a / b))                 22012 where b is 0 in any row
    CREATE INDEX ON t ((d ->> 'n')::int)        22P02 where some document has another n
    CREATE INDEX ON t (a) WHERE b::int > 0      22P02

Nobody needs the values here, for such an index serves no look-ups (`planner.binding.keyed.index_expressions`): of rows that are written
they are computed with the CHECKs (`conditions`), and nothing is asked of them. What never fails is left out. Of unique indexes they are
columns, which are computed anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from planner.abc import Constraint, Table
from planner.catalog import Catalog, Index
from planner.ddl.constraints import definitions as constraints
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.lexer import WORD, is_sign, tokenize
from planner.parse import parse_expression
from planner.records import replace

COMPUTED: Final = "i"
"""The kind of the condition that an index can be computed of the row: it is false of bounds of a range that are not in order."""
_ARITHMETIC: Final = (exp.Div, exp.Mod, exp.Add, exp.Sub, exp.Mul, exp.Pow, exp.Neg)
_RANGES: Final = frozenset(("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"))
_FAILING: Final = _RANGES | frozenset(
    (
        "to_date", "to_timestamp", "to_number", "make_date", "make_time", "make_timestamp", "make_timestamptz", "make_interval", "sqrt", "ln",
        "log", "log10", "power", "pow", "exp", "factorial", "div", "mod", "chr", "substr", "substring", "decode", "convert_from",
        "jsonb_array_length", "json_array_length", "jsonb_object_field", "width_bucket", "abs", "acos", "acosd", "acosh", "asin", "asind", "atanh", "gcd", "lcm",
    )
)  # fmt: skip
"""Functions, as far as they are in indexes at all, that have no value for some of their arguments."""
_COUNTED: Final = frozenset(("int4range", "int8range"))
"""An end that belongs to them is one more, which may be too much. (A date can be, too, in some millions of years.)"""


def computed(scope: Scope, table: Table, index: Index) -> list[DataCheck]:
    """Asks the rows for an index's expressions, and its WHERE. It finds nothing; it fails, or does not."""
    values = [f"coalesce(length(CAST(({k.expression}) AS text)), 0) < 0" for k in index.keys if k.expression]
    if not values and not index.predicate:
        return []
    asked = " OR ".join(values) or "false"
    if index.predicate:
        asked = (
            f"CASE WHEN {index.predicate} THEN {asked} ELSE length(CAST(({index.predicate}) AS text)) < 0 END"
        )
    query = f"SELECT 1 FROM {constraints.qualified(scope, table)} WHERE {asked}"
    rows_of = 0 if table.partitioning is not None else table.oid
    return [DataCheck(query, "XX000", "an index's value is not computed", before=True, rows_of=rows_of)]


def conditions(table: Table, catalog: Catalog) -> Iterator[Constraint]:
    """As constraints that are true unless computing them fails, or a range would end before it begins."""
    for index in catalog.indexes_of(table.oid):
        for test in _tests(index):
            yield Constraint(index.oid, index.name, COMPUTED, (), test)


def is_other(scope: Scope, index: Index) -> None:
    """An index has come, or has gone: who writes from now on has it computed, or no more."""
    if may_fail(index):
        table = scope.catalog.table(index.table_oid)
        scope.replace(table, replace(table, computed_anew=table.computed_anew + 1))


def may_fail(index: Index) -> bool:
    """Whether there are rows of which it cannot be computed, and nobody else finds out."""
    return bool(_tests(index))


def _tests(index: Index) -> list[str]:
    """Of what it computes that may fail, its predicate included."""
    if index.unique:
        return []
    tests = [_test(k.expression) for k in index.keys if k.expression and _may_fail(k.expression)]
    if index.predicate and (tests or _may_fail(index.predicate)):
        return [f"CASE WHEN {index.predicate} THEN {test} END" for test in tests or ["true"]]
    return tests


def _test(text: str) -> str:
    bounds = _bounds(text)
    if bounds is not None:  # to compare them takes no query, where the range itself does
        low, high = bounds
        return f"NOT (({low}) > ({high}))"
    return f"(({text}) IS NULL OR ({text}) IS NOT NULL)"


def _bounds(text: str) -> tuple[str, str] | None:
    """The two ends of an expression that is a range of them, and fails as long as they do not for no other reason."""
    made = parse_expression(text).unnest()
    if not isinstance(made, exp.Anonymous) or str(made.this).lower() not in _RANGES:
        return None
    tokens = [x for x in tokenize(text) if x.value]
    begin = next(i for i, x in enumerate(tokens) if is_sign(x, "("))
    while not (tokens[begin - 1].kind == WORD and begin):  # parentheses around all of it
        begin = next(i for i in range(begin + 1, len(tokens)) if is_sign(tokens[i], "("))
    parts, depth, start = [], 0, tokens[begin].end
    for x in tokens[begin:]:
        depth += is_sign(x, "(") + is_sign(x, "[") - is_sign(x, ")") - is_sign(x, "]")
        if depth == 0 or (depth == 1 and is_sign(x, ",")):
            parts.append(text[start : x.start])
            start = x.end
        if depth == 0:
            break
    kept_open = len(parts) == 2 or str(made.this).lower() not in _COUNTED
    literal = len(parts) == 2 or isinstance(made.expressions[2].find(exp.Literal), exp.Literal)
    return (parts[0], parts[1]) if kept_open and literal else None


def _may_fail(text: str) -> bool:
    return any(map(_fails, parse_expression(text).walk()))


def _fails(node: exp.Expression) -> bool:
    if isinstance(node, exp.Cast):
        return not isinstance(node.this, exp.Literal) and node.to.this != exp.DataType.Type.TEXT
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _FAILING
    return isinstance(node, (*_ARITHMETIC, exp.Substring))


__all__ = ["COMPUTED", "computed", "conditions", "is_other", "may_fail"]
