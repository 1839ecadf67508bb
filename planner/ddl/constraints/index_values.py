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
from planner.parse import parse_expression
from planner.records import replace

COMPUTED: Final = "i"
"""The kind of the condition that an index can be computed of the row: it is never false."""
_ARITHMETIC: Final = (exp.Div, exp.Mod, exp.Add, exp.Sub, exp.Mul, exp.Pow, exp.Neg)
_FAILING: Final = frozenset(
    (
        "to_date", "to_timestamp", "to_number", "make_date", "make_time", "make_timestamp", "make_timestamptz", "make_interval", "sqrt", "ln",
        "log", "log10", "power", "pow", "exp", "factorial", "div", "mod", "chr", "substr", "substring", "decode", "convert_from",
        "jsonb_array_length", "json_array_length", "jsonb_object_field", "width_bucket", "int4range", "int8range", "numrange", "daterange",
        "tsrange", "tstzrange", "abs", "acos", "acosd", "acosh", "asin", "asind", "atanh", "gcd", "lcm",
    )
)  # fmt: skip
"""Functions, as far as they are in indexes at all, that have no value for some of their arguments."""


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
    """As constraints that are always true, whose computing may fail."""
    for index in catalog.indexes_of(table.oid):
        for value in _failing(index):
            yield Constraint(
                index.oid, index.name, COMPUTED, (), f"({value}) IS NULL OR ({value}) IS NOT NULL"
            )


def is_other(scope: Scope, index: Index) -> None:
    """An index has come, or has gone: who writes from now on has it computed, or no more."""
    if may_fail(index):
        table = scope.catalog.table(index.table_oid)
        scope.replace(table, replace(table, computed_anew=table.computed_anew + 1))


def may_fail(index: Index) -> bool:
    """Whether there are rows of which it cannot be computed, and nobody else finds out."""
    return bool(_failing(index))


def _failing(index: Index) -> list[str]:
    """What it computes that may fail, its predicate included."""
    if index.unique:
        return []
    values = [k.expression for k in index.keys if k.expression and _may_fail(k.expression)]
    if index.predicate and (values or _may_fail(index.predicate)):
        return [f"CASE WHEN {index.predicate} THEN ({v}) IS NULL END" for v in values or ["true"]]
    return values


def _may_fail(text: str) -> bool:
    return any(map(_fails, parse_expression(text).walk()))


def _fails(node: exp.Expression) -> bool:
    if isinstance(node, exp.Cast):
        return not isinstance(node.this, exp.Literal) and node.to.this != exp.DataType.Type.TEXT
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _FAILING
    return isinstance(node, (*_ARITHMETIC, exp.Substring))


__all__ = ["COMPUTED", "computed", "conditions", "is_other", "may_fail"]
