"""Series of integers as rows that nobody holds: generate_series in FROM, or of no table.

    generate_series(1, 20000000)      DuckDB's table function: a batch of rows at a time
    generate_series(1, t.n)           a list for each row of t, unnested; of so many elements at most
    SELECT generate_series(now(), 'infinity', '1 month') LIMIT 10       a list of ten

DuckDB does not count lists among the memory that it may use. A list of twenty million integers, with its growing and its cast, takes three gigabytes before the first row is out. So
where the bounds stand in the statement (constants and parameters) the rows come from the function of that name which
DuckDB has for FROM; it differs from the list's in nothing but a step of zero, which is left to the list to refuse.

Moments by the calendar and numerics are lists that Python makes, element by element. Where LIMIT takes the first rows as they come,
it takes no more of any list than it has rows (with those of OFFSET), so that many are made and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, sql
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.state import Parts

_WHOLE = {
    "generate_series(int4, int4)": "INTEGER",
    "generate_series(int4, int4, int4)": "INTEGER",
    "generate_series(int8, int8)": "BIGINT",
    "generate_series(int8, int8, int8)": "BIGINT",
}
_BY_ELEMENT: Final = {
    "generate_series(timestamp, timestamp, interval)": 3,
    "generate_series(timestamptz, timestamptz, interval)": 3,
    "generate_series(numeric, numeric)": 2,
    "generate_series(numeric, numeric, numeric)": 3,
}
"""And how many arguments they have."""
_ALL: Final = 1 << 60


def cut_by_limit(parts: Parts) -> None:
    """Tells the lists among the targets how many of their elements LIMIT may take: two arguments more, its own and OFFSET's."""
    if parts.limit is None or parts.order or parts.distinct or parts.distinct_on or parts.ties:
        return
    limit, offset = parts.limit, parts.offset or ir.Lit(TypeRef(t.INT8), 0)
    if not (_stands(limit) and _stands(offset)):
        return

    def told(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.SetReturning) and len(node.args) == _BY_ELEMENT.get(node.op):
            return replace(node, args=(*node.args, limit, offset))
        return ir.replace_children(node, told)

    parts.targets = [replace(x, node=told(x.node)) for x in parts.targets]


def asked_for(told: Sequence[Frag]) -> Frag:
    """How many elements are asked for, of what a list has been told."""
    if not told:
        return sql(str(_ALL))
    limit, offset = told
    return sql("least(coalesce(", limit, f", {_ALL}), {_ALL}) + least(coalesce(", offset, f", 0), {_ALL})")


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
