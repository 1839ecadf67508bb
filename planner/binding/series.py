"""Series of integers as rows that nobody holds: generate_series in FROM, or of no table.

    generate_series(1, 20000000)      DuckDB's table function: a batch of rows at a time
    generate_series(1, t.n)           a list for each row of t, unnested; of so many elements at most

DuckDB does not count lists among the memory that it may use. A list of twenty million integers, with its growing and its cast, takes three gigabytes before the first row is out. So
where the bounds stand in the statement (constants and parameters) the rows come from the function of that name which
DuckDB has for FROM; it differs from the list's in nothing but a step of zero, which is left to the list to refuse.
"""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, sql

_WHOLE = {
    "generate_series(int4, int4)": "INTEGER",
    "generate_series(int4, int4, int4)": "INTEGER",
    "generate_series(int8, int8)": "BIGINT",
    "generate_series(int8, int8, int8)": "BIGINT",
}


def streamed(emitter: Emitter, node: ir.Node) -> Frag | None:
    """`SELECT ... AS c0 FROM ...` of a series whose bounds are known when the query begins; None: not such a one."""
    if not isinstance(node, ir.SetReturning) or node.op not in _WHOLE:
        return None
    if not all(_stands(a) for a in node.args):
        return None
    if len(node.args) == 3 and not (isinstance(node.args[2], ir.Lit) and node.args[2].value):
        return None
    bounds = [sql("CAST(", emitter.frag(a), " AS BIGINT)") for a in node.args]
    made = sql("generate_series(", join(", ", bounds), ")")
    return sql(f"SELECT CAST(s.i AS {_WHOLE[node.op]}) AS c0 FROM ", made, " s(i)")


def _stands(node: ir.Node) -> bool:
    """Whether an argument depends on nothing but the statement's text and parameters."""
    if isinstance(node, ir.Cast):
        return _stands(node.arg)
    return isinstance(node, ir.Lit | ir.Parm)


__all__ = ["streamed"]
