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
from planner.binding.dimensions import as_list, as_text, element_ref, is_text, stored_items, with_items
from planner.binding.evaluation import has_query
from planner.binding.fragments import ARRAY_TEXT, Frag, join, sql
from planner.binding.functions.aggregates import Around, Maker, aggregates
from planner.binding.numeric_forms import as_text_numeric


def _varying_percentile(around: Around, name: str, x: Frag, share: Frag) -> Frag:
    """Of the values in order the one at a place that may be another for each group, or (quantile_cont) between the two around it."""
    values = sql(
        "list_filter(",
        around.call("list", [x], order=around.ordering(), distinct=False),
        ", lambda tw_v: tw_v IS NOT NULL)",
    )
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
        elif several:
            arg = around.emitter.frag(direct)
            if by_key or is_text(arg) or _varies(direct) or has_query(arg):
                what = "value" if name == "quantile_disc" else "number"
                return _in_places(around, what, x, arg)
            found = _of_constants(around, name, x, arg, several=True)
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


def _values(around: Around, x: Frag) -> Frag:
    """What there is, in order, as a list; of numerics their texts."""
    values = around.call("list", [x], order=around.ordering(), distinct=False)
    values = sql("list_filter(", values, ", lambda tw_v: tw_v IS NOT NULL)")
    if around.node.args[0].type.oid != t.NUMERIC:
        return values
    return sql("list_transform(", values, ", lambda tw_v: ", as_text_numeric(Frag(("tw_v",), x.form)), ")")


def _in_places(around: Around, what: str, x: Frag, shares: Frag) -> Frag:
    """An array of the places' shape, each with its percentile; NULL where there are no values. `what`: of which macro.

    All rows of a group have the same places, and which columns it is grouped by DuckDB may see under other names. Raises 42704.
    What a lambda sees of a group goes into it as a struct: DuckDB does not take aggregates from outside of one.
    """
    kind = around.node.args[0].type
    if t.element_of(kind.oid):
        raise PlanError("42704", f"could not find array type for data type {t.format_type(kind)}")
    values = _values(around, x)
    if any(isinstance(n, ir.Var) for n in ir.walk(around.node.direct[0])):
        # Beside a column of its own it is no aggregate of rows around the query, whose columns the places may be.
        beside = sql("{'p': ", shares, ", 'x': ", x, " IS NULL}")
        shares = sql("struct_extract(any_value(", beside, "), 'p')", form=shares.form)
    kinds = TypeRef(t.array_of(t.FLOAT8))
    group = sql("{'v': ", values, ", 'p': ", as_list(shares, kinds), "}")
    each = f"list_transform(tw_g.p, lambda tw_p: tw_{what}_within(tw_g.v, tw_p))"
    found = sql("list_transform([", group, f"], lambda tw_g: {each})[1]")
    items = stored_items(found, element_ref(around.node.type))
    shaped = with_items(as_text(shares, kinds), items)
    return sql("CASE WHEN len(", values, ") > 0 THEN ", shaped, " END", form=ARRAY_TEXT)


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
    fraction = around.emitter.frag(around.node.direct[0])
    return sql("tw_interval_within(", _values(around, args[0]), ", ", fraction, ")")


@aggregates("percentile_cont(_float8, interval)")
def _intervals_within(around: Around, args: list[Frag]) -> Frag:
    return _in_places(around, "interval", args[0], around.emitter.frag(around.node.direct[0]))


aggregates("percentile_cont(float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(float8, anyelement)")(_within("quantile_disc"))
aggregates("percentile_cont(_float8, float8)")(_within("quantile_cont"))
aggregates("percentile_disc(_float8, anyelement)")(_within("quantile_disc"))
