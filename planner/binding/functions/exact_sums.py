"""Sums and spreads of exact numbers that DuckDB adds up as it reads, in as many threads as it likes: no list of all the rows is made.

    sum(n)       n is text       tw_num_total( sum of those that fit DECIMAL(29,20), their largest scale, LIST of the others )
    stddev(i)    i is whole      tw_num_stddev_samp_of( count, sum, sum of squares, LIST of what is too large to be squared )

A text fits if it has nine digits at most before its point and is not longer than 22 characters, so not more than twenty behind it: hundreds of
millions of such are below what a DECIMAL(38,20) holds. NaN and the infinities fit nothing. Both functions add the
others up one by one, and the result has every digit and the scale that it would have if all had been. `LIST`: see `executor.columnar.parallel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planner.binding import ir
from planner.binding.fragments import Frag, sql
from planner.binding.numeric_forms import as_text_numeric

if TYPE_CHECKING:
    from planner.binding.functions.aggregates import Around

_TEXT_MAX: Final = 22
_SQUARED_DIGITS_MAX: Final = 14
"""Of a DECIMAL: its squares have 28, and ten thousand millions of them are below 38."""
_WHOLE_MAX: Final = 10**12
"""Of a bigint that is squared beside others."""
_NOBODY: Final = "CAST([] AS VARCHAR[])"


def text_sum(around: Around, x: Frag) -> Frag:
    """sum() of numerics in text form. What is computed is named once, so it goes into a list, whose numbers are added up by columns."""
    if around.node.distinct or not isinstance(around.node.args[0], ir.Var):
        return sql("tw_num_sum(", around.call("list" if around.node.distinct else "LIST", [x]), ")")
    number = sql("TRY_CAST(", x, " AS DECIMAL(29,20))")
    # One expression each, without AND and CASE: in those DuckDB computes anew what stands elsewhere, too.
    fits = sql("strlen(", x, ") + 100 * CAST(", number, f" IS NULL AS INTEGER) <= {_TEXT_MAX}")
    scale = sql("(strlen(", x, ") - instr(", x, ", '.')) * sign(instr(", x, ", '.'))")
    total = around.call("sum", [number], filtered=fits)
    largest = around.call("max", [scale], filtered=fits)
    others = around.call("LIST", [x], filtered=sql("NOT (", fits, ")"))
    return sql(
        "tw_num_total(coalesce(CAST(", total, " AS VARCHAR), ''), CAST(coalesce(", largest, ", 0) AS INTEGER), coalesce(", others,
        f", {_NOBODY}))",
    )  # fmt: skip


def spread(around: Around, name: str, integer: str, x: Frag) -> Frag:
    """A deviation of whole numbers, or of numerics. `name`: of `numerics.deviation`; `integer`: their type, if they are such."""
    if integer in ("int2", "int4"):
        square: Frag | None = sql("CAST(", x, " AS BIGINT) * ", x)
    elif integer == "int8":
        return _of_bigints(around, name, x)
    elif x.form is not None and x.form[0] <= _SQUARED_DIGITS_MAX:
        square = sql("CAST(", x, f" AS DECIMAL(19,{x.form[1]})) * ", x)
    else:
        square = None
    if square is None or around.node.distinct:
        text = sql("CAST(", x, " AS VARCHAR)") if integer else as_text_numeric(x)
        return sql(f"tw_num_{name}(", around.call("list", [text]), ")")
    parts = [around.call("count", [x]), around.call("sum", [x]), around.call("sum", [square])]
    return _spread_of(name, parts, sql(_NOBODY))


def _of_bigints(around: Around, name: str, x: Frag) -> Frag:
    text = sql("CAST(", x, " AS VARCHAR)")
    if around.node.distinct:
        return sql(f"tw_num_{name}(", around.call("list", [text]), ")")
    small = sql(x, f" BETWEEN {-_WHOLE_MAX} AND {_WHOLE_MAX}")
    parts = [
        around.call("count", [x], filtered=small),
        around.call("sum", [x], filtered=small),
        # DuckDB computes what it filters afterwards: the squares of all others, too, and 128 bits hold any.
        around.call("sum", [sql("CAST(", x, " AS HUGEINT) * ", x)], filtered=small),
    ]
    others = around.call("LIST", [text], filtered=sql("NOT (", small, ")"))
    return _spread_of(name, parts, sql("coalesce(", others, f", {_NOBODY})"))


def _spread_of(name: str, parts: list[Frag], others: Frag) -> Frag:
    count, total, squares = parts
    return sql(
        f"tw_num_{name}_of(", count, ", CAST(coalesce(", total, ", 0) AS VARCHAR), CAST(coalesce(", squares,
        ", 0) AS VARCHAR), ", others, ")",
    )  # fmt: skip


__all__ = ["spread", "text_sum"]
