"""Percentiles: ordered-set aggregates that give the value at a place among the others (PostgreSQL manual, table 9.61).

    percentile_disc(0.5) WITHIN GROUP (ORDER BY x)   ->   quantile_disc(x, 0.5)
    percentile_disc(p) ... GROUP BY p                ->   list(x ORDER BY x)[...]

DuckDB computes them for constant places; for one that each group has of its own the values are listed.
"""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError
from planner.binding import ir
from planner.binding.fragments import ARRAY_TEXT, Frag, sql
from planner.binding.functions.aggregates import Around, Maker, aggregates
from planner.binding.numeric_forms import as_text_numeric


def _varying_percentile(around: Around, name: str, x: Frag, share: Frag) -> Frag:
    """A percentile that is another one for each group, which DuckDB's own aggregates do not take: of the values in
    order the one at the place, or (quantile_cont) between the two around it."""
    values = around.call("list", [x], order=around.ordering(), distinct=False)
    values = sql("list_filter(", values, ", lambda tw_v: tw_v IS NOT NULL)")
    count = around.call("count", [x], distinct=False)
    if name == "quantile_disc":
        found = sql(values, "[greatest(1, CAST(ceil(", share, " * ", count, ") AS BIGINT))]")
    else:
        place = sql("(", share, " * (", count, " - 1))")
        below, above = (sql(values, f"[CAST({f}(", place, ") AS BIGINT) + 1]") for f in ("floor", "ceil"))
        found = sql("(", below, " + (", place, " - floor(", place, ")) * (", above, " - ", below, "))")
    message = sql("'[22003] percentile value ' || printf('%g', ", share, ") || ' is not between 0 and 1'")
    return sql(
        "CASE WHEN ", share, " BETWEEN 0 AND 1 THEN ", found, " WHEN ", share, " IS NOT NULL THEN error(", message,
        ") END", form=x.form if name == "quantile_disc" else None,
    )  # fmt: skip


def _within(name: str) -> Maker:
    def made(around: Around, args: list[Frag]) -> Frag:
        node = around.node
        direct = [around.emitter.frag(d) for d in node.direct]
        key = node.order[0]
        x = args[0]
        if isinstance(node.direct[0] if node.direct else None, ir.Lit):
            value = node.direct[0].value  # type: ignore[attr-defined]
            if isinstance(value, float) and not 0 <= value <= 1:
                raise PlanError("22003", f"percentile value {value:g} is not between 0 and 1")
        arg = direct[0]
        if arg.form == ARRAY_TEXT:
            raise PlanError(
                "0A000",
                "percentiles of an array of several dimensions are not supported",
                position=node.position,
            )
        if any(isinstance(n, ir.Var) or n == ir.Lit(n.type, None) for n in ir.walk(node.direct[0])):
            if t.element_of(node.direct[0].type.oid):
                raise PlanError(
                    "0A000",
                    "percentiles of an array that varies or has NULLs are not supported",
                    position=node.position,
                )
            return _varying_percentile(around, name, x, arg)
        several = bool(t.element_of(node.direct[0].type.oid))
        if key.descending and name == "quantile_disc":
            within = sql(arg, ") WITHIN GROUP (ORDER BY ", around.guarded(x), " DESC")
            found = around.call("percentile_disc", [within], distinct=False, guard=False)
        else:
            if key.descending:
                arg = (
                    sql("list_transform(", arg, ", lambda tw_p: 1 - tw_p)")
                    if several
                    else sql("(1 - ", arg, ")")
                )
            found = around.call(name, [x, arg], distinct=False)
        if several and node.args[0].type.oid == t.NUMERIC:  # an array's elements are texts
            return sql(
                "list_transform(", found, ", lambda tw_v: ", as_text_numeric(Frag(("tw_v",), x.form)), ")"
            )
        return found.with_form(x.form if name == "quantile_disc" else None)

    return made


@aggregates("percentile_cont(float8, interval)")
def _interval_within(around: Around, args: list[Frag]) -> Frag:
    values = around.call("list", args, order=around.ordering(), distinct=False)
    fraction = around.emitter.frag(around.node.direct[0])
    return sql("tw_interval_within(list_filter(", values, ", lambda v: v IS NOT NULL), ", fraction, ")")


aggregates("percentile_cont(float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(float8, anyelement)")(_within("quantile_disc"))
aggregates("percentile_cont(_float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(_float8, anyelement)")(_within("quantile_disc"))
