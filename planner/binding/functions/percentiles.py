"""Percentiles: ordered-set aggregates that give the value at a place among the others (PostgreSQL manual, table 9.61).

    percentile_disc(0.5) WITHIN GROUP (ORDER BY x)   ->   quantile_disc(x, 0.5)
    percentile_disc(p) ... GROUP BY p                ->   list(x ORDER BY x)[...]

DuckDB finds the one at a constant place; for one that each group has of its own the values are listed. So they are for what is between
two of them: its quantile_cont weighs both, which may differ from PostgreSQL's `low + share * (high - low)` in the last digit.
"""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.comparable import needs_key
from planner.binding.fragments import ARRAY_TEXT, Frag, join, sql
from planner.binding.functions.aggregates import Around, Maker, aggregates
from planner.binding.numeric_forms import as_text_numeric


def _varying_percentile(around: Around, name: str, x: Frag, share: Frag) -> Frag:
    """Of the values in order the one at a place that may be another for each group, or (quantile_cont) between the two around it."""
    values = around.call("list", [x], order=around.ordering(), distinct=False)
    values = sql("list_filter(", values, ", lambda tw_v: tw_v IS NOT NULL)")
    count = around.call("count", [x], distinct=False)
    if name == "quantile_disc":
        found = sql(values, "[greatest(1, CAST(ceil(", share, " * ", count, ") AS BIGINT))]")
    else:
        place = sql("(", share, " * (", count, " - 1))")
        below, above = (sql(values, f"[CAST({f}(", place, ") AS BIGINT) + 1]") for f in ("floor", "ceil"))
        rest = sql("(", place, " - floor(", place, "))")
        # Between a number and itself there is nothing to weigh: infinities would be no numbers.
        found = sql(
            "(CASE WHEN ", rest, " = 0 THEN ", below, " ELSE ", below, " + ", rest, " * (", above, " - ", below, ") END)"
        )  # fmt: skip
    return _checked(share, found).with_form(x.form if name == "quantile_disc" else None)


def _checked(share: Frag, found: Frag) -> Frag:
    message = sql("'[22003] percentile value ' || printf('%g', ", share, ") || ' is not between 0 and 1'")
    return sql(
        "CASE WHEN ", share, " BETWEEN 0 AND 1 THEN ", found, " WHEN ", share, " IS NOT NULL THEN error(", message, ") END"
    )  # fmt: skip


def _shares(direct: ir.Node) -> tuple[ir.Node, ...]:
    """What stands for one place each: the items of ARRAY[...], or the one argument."""
    bare = direct.arg if isinstance(direct, ir.Cast) else direct
    return bare.args if isinstance(bare, ir.Logic) and bare.op == "array" else (direct,)


def _constant(share: ir.Node) -> float | None:
    """The number that is written there; None for all else."""
    bare = share.arg if isinstance(share, ir.Cast) else share
    known = isinstance(bare, ir.Lit) and bare.type.oid in (t.FLOAT8, t.NUMERIC, t.INT4)
    return float(bare.value) if known and bare.value is not None else None  # type: ignore[attr-defined]


def _varies(direct: ir.Node) -> bool:
    return any(isinstance(n, ir.Var) or n == ir.Lit(n.type, None) for n in ir.walk(direct))


def _within(name: str) -> Maker:
    def made(around: Around, args: list[Frag]) -> Frag:
        node = around.node
        direct, x = node.direct[0], args[0]
        several = bool(t.element_of(direct.type.oid))
        shares = _shares(direct)
        places = [_constant(share) for share in shares]
        for place in places:
            if place is not None and not 0 <= place <= 1:
                raise PlanError("22003", f"percentile value {place:g} is not between 0 and 1")
        listed = several and shares != (direct,) and not any(t.element_of(s.type.oid) for s in shares)
        # DuckDB's own order the values as it compares them.
        by_key = name == "quantile_disc" and needs_key(x, node.args[0].type)
        between = name == "quantile_cont"
        if listed and (between or by_key or None in places):
            found = _each(around, name, x, shares)
        elif several and by_key:
            what = f"several places at once among values of type {t.format_type(node.args[0].type)}"
            raise PlanError("0A000", f"percentiles of {what} are not supported", position=node.position)
        elif several:
            found = _of_constants(around, name, x, _whole(around, direct), several=True)
        else:
            arg = around.emitter.frag(direct)
            if between or _varies(direct) or by_key:
                return _varying_percentile(around, name, x, arg)
            if None not in places:
                return _of_constants(around, name, x, arg, several=False)
            within = sql("CASE WHEN ", arg, " BETWEEN 0 AND 1 THEN ", arg, " ELSE 0 END")
            found = _of_constants(around, name, x, within, several=False)
            return _checked(arg, found).with_form(found.form)
        if node.args[0].type.oid == t.NUMERIC:  # an array's elements are texts
            return sql(
                "list_transform(", found, ", lambda tw_v: ", as_text_numeric(Frag(("tw_v",), x.form)), ")"
            )
        return found.with_form(x.form if name == "quantile_disc" else None)

    return made


def _whole(around: Around, direct: ir.Node) -> Frag:
    """An array of places that DuckDB takes as it is. Raises 0A000."""
    arg = around.emitter.frag(direct)
    if arg.form == ARRAY_TEXT:
        what = "an array of several dimensions"
    elif _varies(direct):
        what = "an array that varies or has NULLs"
    else:
        return arg
    raise PlanError("0A000", f"percentiles of {what} are not supported", position=around.node.position)


def _each(around: Around, name: str, x: Frag, shares: tuple[ir.Node, ...]) -> Frag:
    """A list of percentiles, one by one; NULL where there are no values."""
    found = [_varying_percentile(around, name, x, around.emitter.frag(_fraction(s))) for s in shares]
    count = around.call("count", [x], distinct=False)
    return sql("CASE WHEN ", count, " > 0 THEN [", join(", ", found), "] END")


def _fraction(share: ir.Node) -> ir.Node:
    ref = TypeRef(t.FLOAT8)
    if share == ir.Lit(share.type, None):
        return ir.Lit(ref, None)
    return share if share.type.oid == t.FLOAT8 else ir.Cast(ref, share)


def _of_constants(around: Around, name: str, x: Frag, arg: Frag, *, several: bool) -> Frag:
    descending = around.node.order[0].descending
    if descending and name == "quantile_disc":
        within = sql(arg, ") WITHIN GROUP (ORDER BY ", around.guarded(x), " DESC")
        found = around.call("percentile_disc", [within], distinct=False, guard=False)
    else:
        if descending:
            arg = (
                sql("list_transform(", arg, ", lambda tw_p: 1 - tw_p)") if several else sql("(1 - ", arg, ")")
            )
        found = around.call(name, [x, arg], distinct=False)
    return found.with_form(x.form if name == "quantile_disc" else None)


@aggregates("percentile_cont(float8, interval)")
def _interval_within(around: Around, args: list[Frag]) -> Frag:
    values = around.call("list", args, order=around.ordering(), distinct=False)
    fraction = around.emitter.frag(around.node.direct[0])
    return sql("tw_interval_within(list_filter(", values, ", lambda v: v IS NOT NULL), ", fraction, ")")


aggregates("percentile_cont(float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(float8, anyelement)")(_within("quantile_disc"))
aggregates("percentile_cont(_float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(_float8, anyelement)")(_within("quantile_disc"))
