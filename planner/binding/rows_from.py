"""ROWS FROM: several functions side by side, the shorter ones filled up with NULLs.

    ROWS FROM (generate_series(1, 2), abs(3))   ->   unnest(ARRAY(SELECT generate_series(1, 2)), ARRAY(SELECT abs(3)))

unnest() of several arrays puts them side by side the same way. The columns are called as the functions were. Where a query says what
a function's records are, the array is one of rows: ARRAY(SELECT r FROM f(x) AS r (a int, b text)).
"""

from __future__ import annotations

from sqlglot import exp

from planner.abc import PlanError
from planner.binding import ir
from planner.binding.fragments import ARRAY_TEXT
from planner.binding.naming import figure_name

_CALLED = "called"
_ROWS = "tw_rows"


def side_by_side(node: exp.Table) -> exp.Expression:
    """The functions of a ROWS FROM as one unnest. Raises 0A000."""
    arrays = []
    for function in node.args["rows_from"]:
        if not isinstance(function, exp.Table):
            raise PlanError("0A000", "such a function in ROWS FROM is not supported")
        if function.args.get("alias"):
            arrays.append(exp.Anonymous(this="array", expressions=[_described(function)]))
            arrays[-1].meta[_CALLED] = figure_name(function.this)
            continue
        for call in _spread(function.this):
            arrays.append(exp.Anonymous(this="array", expressions=[exp.select(call)]))
            arrays[-1].meta[_CALLED] = figure_name(call)
    return exp.Anonymous(this="unnest", expressions=arrays)


def _described(function: exp.Table) -> exp.Select:
    """The rows of `f(x) AS (a int, b text)`, whole."""
    alone = function.copy()
    alone.args["alias"].set("this", exp.to_identifier(_ROWS))
    return exp.select(exp.column(_ROWS)).from_(alone)


def _spread(call: exp.Expression) -> list[exp.Expression]:
    """unnest() of several arrays is one of each."""
    name = call.name.lower() if isinstance(call, exp.Anonymous) else ""
    if len(call.expressions) > 1 and (isinstance(call, exp.Unnest) or name == "unnest"):
        alone = []
        for array in call.expressions:
            one = call.copy()
            one.set("expressions", [array.copy()])
            alone.append(one)
        return alone
    return [call.copy()]


def called(argument: exp.Expression) -> str:
    """What the column of an argument of unnest() is called."""
    return str(argument.meta.get(_CALLED, "unnest"))


def refuse_arrays(argument: exp.Expression, array: ir.Node) -> None:
    """Raises 0A000 for a function whose values are arrays: unnest() would take these apart too."""
    if _CALLED in argument.meta and isinstance(array, ir.SubQuery) and array.form == ARRAY_TEXT:
        raise PlanError("0A000", "functions that return arrays beside others in ROWS FROM are not supported")


__all__ = ["called", "refuse_arrays", "side_by_side"]
