"""Sums, averages and spreads of floats, and the spreads of all numbers.

sum(x ORDER BY y)   each step of adding up floats rounds: they are listed, and added in order (`prelude.float_folds`)
stddev(numeric)     exactly: of sums (`exact_sums`), or of the list of texts (`numerics.deviation`)
"""

from __future__ import annotations

from planner.binding.fragments import Frag, join, sql
from planner.binding.functions.aggregates import Around, Maker, aggregates, plain
from planner.binding.functions.exact_sums import spread


def _growing(around: Around) -> bool:
    """Whether each row has a frame of its own: to list them all would take the square of the rows."""
    return around.over is not None


@aggregates("sum(float4)")
def _sum_float4(around: Around, args: list[Frag]) -> Frag:
    if _growing(around):
        return sql("CAST(", around.call("sum", args), " AS FLOAT)")
    return sql("tw_float4_sum(", around.values(sql("CAST(", args[0], " AS FLOAT)")), ")")


@aggregates("sum(float8)")
def _sum_float8(around: Around, args: list[Frag]) -> Frag:
    if around.node.distinct or around.node.order:
        return _folded("sum")(around, args)
    return around.call("sum", args)


def _folded(name: str, otherwise: Maker | None = None) -> Maker:
    """An aggregate over floats as a function of their list, in PostgreSQL's steps (`prelude.float_folds`)."""

    def made(around: Around, args: list[Frag]) -> Frag:
        if otherwise is not None and (_growing(around) or (len(args) > 1 and around.node.distinct)):
            return otherwise(around, args)
        values = [sql("CAST(", a, " AS DOUBLE)") for a in args]
        if len(values) == 1:
            return sql(f"tw_float8_{name}(", around.values(values[0]), ")")
        y, x = values
        both = sql(x, " IS NOT NULL AND ", y, " IS NOT NULL")
        lists = [around.values(v, filtered=both) for v in values]
        return sql(f"tw_float8_{name}(", join(", ", lists), ")")

    return made


@aggregates("avg(float4)", "avg(float8)")
def _avg_float(around: Around, args: list[Frag]) -> Frag:
    if around.node.distinct or around.node.order:
        return _folded("avg")(around, args)
    return around.call("avg", [sql("CAST(", args[0], " AS DOUBLE)")])


# --- statistics ------------------------------------------------------------------------------------


def _exact_deviation(name: str, integer: str) -> Maker:
    return lambda around, args: spread(around, name, integer, args[0])


def _deviation(name: str) -> Maker:
    """Of what is infinite or no number nothing is known, not even of one value alone (DuckDB says 0)."""
    if not name.endswith("_pop"):
        return plain(name)

    def made(around: Around, args: list[Frag]) -> Frag:
        odd = around.call("bool_or", [sql("NOT isfinite(", args[0], ")")], distinct=False)
        return sql("CASE WHEN ", odd, " THEN CAST('NaN' AS DOUBLE) ELSE ", around.call(name, args), " END")

    return made


for _name, _duck in (
    ("stddev", "stddev_samp"),
    ("stddev_samp", "stddev_samp"),
    ("stddev_pop", "stddev_pop"),
    ("variance", "var_samp"),
    ("var_samp", "var_samp"),
    ("var_pop", "var_pop"),
):
    for _type in ("float4", "float8"):
        aggregates(f"{_name}({_type})")(_folded(_duck, _deviation(_duck)))
    aggregates(f"{_name}(numeric)")(_exact_deviation(_duck, ""))
    for _type in ("int2", "int4", "int8"):
        aggregates(f"{_name}({_type})")(_exact_deviation(_duck, _type))


def _over_spread(name: str, axes: str) -> Maker:
    """A quotient of spreads: NULL where one of them, a divisor, is zero (DuckDB says NaN)."""

    def made(around: Around, args: list[Frag]) -> Frag:
        divisors = [sql(around.call(f"regr_s{axis}{axis}", args), " <> 0") for axis in axes]
        return sql("CASE WHEN ", join(" AND ", divisors), " THEN ", around.call(name, args), " END")

    return made


def _regr_r2(around: Around, args: list[Frag]) -> Frag:
    """All of nothing is explained: 1 where y does not vary, NULL where x does not (manual, table 9.60)."""
    sxx, syy = around.call("regr_sxx", args), around.call("regr_syy", args)
    r2 = around.call("regr_r2", args)
    return sql("CASE WHEN ", sxx, " <> 0 THEN CASE WHEN ", syy, " = 0 THEN 1e0 ELSE ", r2, " END END")


aggregates("corr(float8, float8)")(_folded("corr", _over_spread("corr", "xy")))
aggregates("regr_slope(float8, float8)")(_folded("regr_slope", _over_spread("regr_slope", "x")))
aggregates("regr_intercept(float8, float8)")(_folded("regr_intercept", _over_spread("regr_intercept", "x")))
aggregates("regr_r2(float8, float8)")(_folded("regr_r2", _regr_r2))


def _of_pairs(name: str, axes: str) -> Maker:
    """A sum over pairs of what they are apart: of what is infinite or no number nothing is known (DuckDB says -Infinity, or 0)."""

    def made(around: Around, args: list[Frag]) -> Frag:
        y, x = args
        odd = join(" OR ", [sql("NOT isfinite(", x if axis == "x" else y, ")") for axis in axes])
        odd = sql("(", odd, ") AND ", x, " IS NOT NULL AND ", y, " IS NOT NULL")  # other pairs do not count
        value, any_odd = around.call(name, args), around.call("bool_or", [odd])
        few = sql(around.call("regr_count", args), " < 2") if name.endswith("_samp") else sql("false")
        return sql(
            "CASE WHEN ", any_odd, " AND NOT (", few, ") THEN CAST('NaN' AS DOUBLE) ELSE ", value, " END"
        )

    return made


for _name in ("regr_avgx", "regr_avgy"):
    aggregates(f"{_name}(float8, float8)")(_folded(_name, plain(_name)))
for _name, _axes in (
    ("covar_pop", "xy"),
    ("covar_samp", "xy"),
    ("regr_sxy", "xy"),
    ("regr_sxx", "x"),
    ("regr_syy", "y"),
):
    aggregates(f"{_name}(float8, float8)")(_folded(_name, _of_pairs(_name, _axes)))
aggregates("regr_count(float8, float8)")(
    lambda around, args: sql("CAST(", around.call("regr_count", args), " AS BIGINT)")
)
