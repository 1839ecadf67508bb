"""Hypothetical-set aggregates: where a row would stand among the others, if it were one of them.

    rank(3) WITHIN GROUP (ORDER BY x)   ->   1 + how many rows come before 3

(PostgreSQL manual, table 9.62.) All four count rows before the hypothetical one, and its equals.
"""

from __future__ import annotations

from collections.abc import Callable

from planner import types as t
from planner.binding import collating
from planner.binding.comparable import comparable
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.functions.aggregates import Around, aggregates


def _tests(around: Around) -> tuple[Frag, Frag, Frag]:
    """Whether a row comes before the hypothetical one, whether it is its equal, and its keys as one value."""
    before: list[Item] = []
    equals: list[Item] = []
    fields: list[Item] = []
    for i, (key, direct) in enumerate(zip(around.node.order, around.node.direct, strict=True)):
        row = around.emitter.sort_key(key.expr)
        said = around.emitter.frag(direct)
        given = collating.sort_key(said, key.expr) or comparable(said, direct.type)
        if direct.type.oid == t.NUMERIC:  # which DuckDB's text has in two forms
            both, form = around.emitter.unified((key.expr, direct), direct.type)
            row, given = (comparable(sql(x, form=form), direct.type) for x in both)
        sign = ">" if key.descending else "<"
        null, other = (row, given) if key.nulls_first else (given, row)
        first = sql(
            "(coalesce(",
            row,
            f" {sign} ",
            given,
            ", false) OR (",
            null,
            " IS NULL AND ",
            other,
            " IS NOT NULL))",
        )
        before.append(join(" AND ", [*equals, first]))
        equals.append(sql(row, " IS NOT DISTINCT FROM ", given))
        fields.append(sql(f"k{i} := ", row))
    return (
        sql("(", join(" OR ", before), ")"),
        sql("(", join(" AND ", equals), ")"),
        sql("struct_pack(", join(", ", fields), ")"),
    )


def _count(around: Around, what: Item, test: Frag | None) -> Frag:
    return around.call("count", [what], distinct=False, filtered=test)


def _rank(around: Around, args: list[Frag]) -> Frag:
    before, _, _ = _tests(around)
    return sql("(1 + ", _count(around, "*", before), ")")


def _dense_rank(around: Around, args: list[Frag]) -> Frag:
    before, _, key = _tests(around)
    different = sql("DISTINCT ", around.guarded(key))
    return sql("(1 + ", around.call("count", [different], distinct=False, guard=False, filtered=before), ")")


def _percent_rank(around: Around, args: list[Frag]) -> Frag:
    before, _, _ = _tests(around)
    rows = _count(around, "*", None)
    share = sql("CAST(", _count(around, "*", before), " AS DOUBLE) / ", rows)
    return sql("CASE WHEN ", rows, " = 0 THEN 0e0 ELSE ", share, " END")


def _cume_dist(around: Around, args: list[Frag]) -> Frag:
    before, equal, _ = _tests(around)
    upto = _count(around, "*", sql("(", before, " OR ", equal, ")"))
    return sql("(CAST(", upto, " + 1 AS DOUBLE) / (", _count(around, "*", None), " + 1))")


_MAKERS: dict[str, Callable[[Around, list[Frag]], Frag]] = {
    "rank": _rank,
    "dense_rank": _dense_rank,
    "percent_rank": _percent_rank,
    "cume_dist": _cume_dist,
}
for _name, _maker in _MAKERS.items():
    aggregates(f"{_name}(any)")(_maker)
