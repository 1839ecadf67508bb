"""Windows over the few rows that keys have found: each is one value more behind the columns of a row.

    SELECT id, rank() OVER (PARTITION BY status ORDER BY total DESC) FROM orders WHERE customer = $1 ORDER BY 2 LIMIT 3

    rows  -->  groups, if any  -->  (row, rank)  -->  ORDER BY, outputs and LIMIT are about these

So a query is planned as one without windows: what stands in their places are columns of `WINDOWS`. Frames are those that
applications write: all rows of a partition, those up to the row at hand, and so many rows before and behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from planner.abc import Const, TypeRef
from planner.binding import ir
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.endings import WINDOWS, fold, order_keys
from planner.keyed_plans import KeyedWindow
from planner.records import replace
from planner.types import INT4

if TYPE_CHECKING:
    from planner.binding.state import Parts

_UP_TO_IT: Final = ("UNBOUNDED PRECEDING", None), ("CURRENT ROW", None)


def windows_of(parts: Parts) -> list[ir.Window]:
    """Those among what is selected and what it is ordered by, each once."""
    nodes = [x.node for x in parts.targets] + [k.expr for k in parts.order] + list(parts.distinct_on or ())
    return list(dict.fromkeys(w for n in nodes for w in ir.walk(n) if isinstance(w, ir.Window)))


def without(parts: Parts, windows: Sequence[ir.Window]) -> Parts:
    """The parts with columns in place of the windows."""
    columns = {w: ir.Var(w.type, WINDOWS, i) for i, w in enumerate(windows)}

    def put(node: ir.Node) -> ir.Node:
        return columns[node] if isinstance(node, ir.Window) else ir.replace_children(node, put)

    return replace(
        parts,
        targets=[replace(x, node=put(x.node)) for x in parts.targets],
        order=[replace(k, expr=put(k.expr)) for k in parts.order],
        distinct_on=[put(n) for n in parts.distinct_on] if parts.distinct_on is not None else None,
    )


def keyed_window(node: ir.Window, offsets: Mapping[int, int]) -> KeyedWindow:
    """`offsets`: of the rows that the window looks at. Raises NotKeyed."""
    partition = tuple(keyed.expression(n, offsets) for n in node.partition)
    if any(not keyed_catalog.is_alike(n.type.oid) for n in node.partition):
        raise keyed.NotKeyed("equality of partitions")
    order = order_keys(node.order, offsets)
    by, start, end = _frame(node)
    call = node.call
    if isinstance(call, ir.Aggregate):
        if call.distinct or call.order or call.direct:
            raise keyed.NotKeyed("an aggregate that is in no window")
        value, name = fold(call, offsets, Const(1, TypeRef(INT4)))
        return KeyedWindow(f"fold {name}", (value,), partition, order, by, start, end)
    assert isinstance(call, ir.Call)
    name = call.op.partition("(")[0]
    args = list(call.args)
    if name in ("ntile", "nth_value") and not isinstance(args[-1], ir.Lit):
        raise keyed.NotKeyed("a count that is computed")
    if name in _VALUES:
        args[::2] = [a if a.type == node.type else ir.Cast(node.type, a, False) for a in args[::2]]
    if name not in _FUNCTIONS:
        raise keyed.NotKeyed(call.op)
    return KeyedWindow(
        name, tuple(keyed.expression(a, offsets) for a in args), partition, order, by, start, end
    )


_VALUES: Final = ("lag", "lead", "first_value", "last_value", "nth_value")
"""Whose first argument is what they come to, and so is the third."""
_FUNCTIONS: Final = frozenset(
    ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value",
     "nth_value")
)  # fmt: skip

_End = tuple[str, int]


def _frame(node: ir.Window) -> tuple[str, _End, _End]:
    """Raises NotKeyed."""
    kind, start, end, exclude = node.frame if node.frame is not None else ("RANGE", *_UP_TO_IT, "")
    if exclude not in ("", "NO OTHERS"):
        raise keyed.NotKeyed("a frame without some of its rows")
    return kind, _end(kind, start), _end(kind, end)


def _end(kind: str, said: tuple[str, Any]) -> _End:
    side, offset = said
    if offset is None:
        return side, 0
    value = offset.value if isinstance(offset, ir.Lit) else None
    if kind != "ROWS" or not isinstance(value, int) or value < 0:
        raise keyed.NotKeyed("a frame that is measured")
    return side, value


__all__ = ["keyed_window", "windows_of", "without"]
