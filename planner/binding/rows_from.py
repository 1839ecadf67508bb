"""ROWS FROM: several functions side by side, the shorter ones filled up with NULLs.

    ROWS FROM (generate_series(1, 2), abs(3))   ->   unnest(ARRAY(SELECT generate_series(1, 2)), ARRAY(SELECT abs(3)))

unnest() of several arrays puts them side by side the same way. The columns are called as the functions were.
"""

from __future__ import annotations

from sqlglot import exp

from planner.abc import PlanError
from planner.binding import ir
from planner.binding.fragments import ARRAY_TEXT
from planner.binding.naming import figure_name

_CALLED = "called"


def side_by_side(node: exp.Table) -> exp.Expression:
    """The functions of a ROWS FROM as one unnest. Raises 0A000."""
    arrays = []
    for function in node.args["rows_from"]:
        if not isinstance(function, exp.Table) or function.args.get("alias"):
            raise PlanError("0A000", "column definitions in ROWS FROM are not supported")
        for call in _spread(function.this):
            arrays.append(exp.Anonymous(this="array", expressions=[exp.select(call)]))
            arrays[-1].meta[_CALLED] = figure_name(call)
    return exp.Anonymous(this="unnest", expressions=arrays)


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
