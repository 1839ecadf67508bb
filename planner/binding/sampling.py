"""TABLESAMPLE: a condition on row ids, in place of the table.

t TABLESAMPLE BERNOULLI (10)                  rows whose hash of row id and seed is in the first tenth
t TABLESAMPLE SYSTEM (10)                     the same of pages: 128 row ids that follow each other
t TABLESAMPLE BERNOULLI (10) REPEATABLE (7)   with this seed instead of a random one
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.fragments import Frag, sql
from planner.binding.from_items import Source
from planner.binding.naming import identifier
from planner.binding.scope import Scope
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_TABLESAMPLE: Final = re.compile(r"\btablesample\s+", re.IGNORECASE)
_UNITS = {"bernoulli": "_rid", "system": "(_rid >> 7)"}


def not_a_table(position: int) -> PlanError:
    return PlanError(
        "0A000",
        "TABLESAMPLE clause can only be applied to tables and materialized views",
        position=position,
    )


def sampled(queries: QueryBinder, source: Source, sample: exp.Expression, scope: Scope) -> Source:
    """The table with the rows that the sample takes. Raises PlanError."""

    method = sample.args["method"]
    name = identifier(method).lower() if isinstance(method, exp.Identifier) else str(method.name).lower()
    unit = _UNITS.get(name)
    if unit is None:
        raise PlanError(
            "42704",
            f"tablesample method {name} does not exist",
            position=_named_at(queries.text, first_position(sample)),
        )
    percent = _argument(
        queries, sample.args.get("percent") or sample.args.get("size"), t.FLOAT4, scope, source
    )
    part = sql(
        "(SELECT CASE WHEN tw_p IS NULL THEN error('[2202H] TABLESAMPLE parameter cannot be null') "
        "WHEN tw_p < 0 OR tw_p > 100 OR isnan(tw_p) "
        "THEN error('[2202H] sample percentage must be between 0 and 100') ELSE tw_p / 100 END "
        "FROM (SELECT ", percent, " AS tw_p))",
    )  # fmt: skip
    seed = sample.args.get("seed")
    if seed is None:
        queries.volatile = True
        salt = sql("(SELECT CAST(random() * 1e18 AS BIGINT))")  # one for the whole statement
    else:
        salt = sql(
            "(SELECT CASE WHEN tw_s IS NULL THEN error('[2202G] TABLESAMPLE REPEATABLE parameter cannot be null') "
            "ELSE hash(tw_s) END FROM (SELECT ", _argument(queries, seed, t.FLOAT8, scope, source), " AS tw_s))",
        )  # fmt: skip
    relation = source.relations[0]
    relation.rid = True
    slot, alias = source.frag.parts[0], f"r{relation.number}"
    frag = sql(
        "(SELECT * FROM ", slot, f" AS tw_t WHERE hash({unit}, ", salt, ") / 18446744073709551616.0 < ", part,
        f") AS {alias}",
    )  # fmt: skip
    return Source(frag, source.relations, source.columns)


def _named_at(text: str, argument: int) -> int:
    """Where the method's name stands, before its argument."""
    at = 0
    for found in _TABLESAMPLE.finditer(text, 0, argument):
        at = found.end() + 1
    return at


def _argument(
    queries: QueryBinder, node: exp.Expression | None, oid: int, scope: Scope, source: Source
) -> Frag:
    """An argument of the clause, which sees the columns around its query, and none of its own."""
    if node is None:
        raise PlanError("42601", "tablesample method requires 1 argument, not 0")
    inner = Scope(scope.parent, scope.number, ctes=scope.ctes, clause="TABLESAMPLE", beyond=source.relations)
    bound: ir.Node = queries.expressions.bind(node, inner)
    return queries.emitter.frag(queries.coercions.coerce(bound, TypeRef(oid), "a", first_position(node)))
