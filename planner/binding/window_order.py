"""Rows in the order of their window, where a query says nothing else.

PostgreSQL sorts the rows for a window and sends them as they are then. No standard promises it, but people read such results, and
tests of libraries compare them; DuckDB's workers hand them out as they come. So the keys of the window become those of the query:

    SELECT rank() OVER (PARTITION BY a ORDER BY b DESC) FROM t      ... ORDER BY a, b DESC
"""

from __future__ import annotations

from planner.binding import ir
from planner.binding.state import Parts


def keys(parts: Parts) -> list[ir.SortKey]:
    """The keys of the longest window, if all others begin it; PostgreSQL sorts for that one only. None where another order rules."""
    if parts.order or parts.distinct or parts.distinct_on is not None:
        return []
    nodes = [n for x in parts.targets for n in ir.walk(x.node)]
    if any(isinstance(n, ir.SetReturning) for n in nodes):
        return []
    windows = [_sorted_by(n) for n in nodes if isinstance(n, ir.Window)]
    longest = max(windows, key=len, default=[])
    if any(w != longest[: len(w)] for w in windows) or any(ir.varies(k.expr) for k in longest):
        return []
    return longest


def _sorted_by(window: ir.Window) -> list[ir.SortKey]:
    out: list[ir.SortKey] = []
    for key in (*map(ir.SortKey, window.partition), *window.order):
        if all(key.expr != k.expr for k in out) and not isinstance(key.expr, ir.Lit):
            out.append(key)
    return out
