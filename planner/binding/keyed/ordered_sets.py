"""Aggregates of values in an order, for the keyed engine: percentiles, and the value that most rows have.

    percentile_cont(0.5) WITHIN GROUP (ORDER BY n)          of each row n         fold: "in order cont 0 23 0.5"
    percentile_disc(ARRAY[0.5, 0.9]) ... (ORDER BY n)       n                     "in order discs 0 23 0.5 0.9"
    mode() WITHIN GROUP (ORDER BY n DESC)                   n                     "in order mode 1 23"

The places are numbers that are written in the statement; others are DuckDB's, which looks at each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import types as t
from planner.abc import Call, Expr
from planner.binding import ir

_WITHIN: Final = {
    "percentile_cont(float8, float8)": "cont",
    "percentile_cont(_float8, float8)": "conts",
    "percentile_disc(float8, anyelement)": "disc",
    "percentile_disc(_float8, anyelement)": "discs",
    "mode(anyelement)": "mode",
}
_ORDERED: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.FLOAT8, t.BOOL, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.UUID,
    )
)  # fmt: skip
"""Types whose equal values look alike."""


def within(node: ir.Aggregate, inner: Callable[[ir.Node], Expr]) -> tuple[Expr, str] | None:
    """(what is taken of each row, the fold); None for others. `inner`: a tree as an Expr; raises NotKeyed."""
    kind = _WITHIN.get(node.op)
    if kind is None or len(node.order) != 1 or node.distinct:
        return None
    key = node.order[0]
    if key.expr.type.oid not in _ORDERED or any(isinstance(n, ir.Collated) for n in ir.walk(key.expr)):
        return None
    places: list[str] = []
    if kind != "mode":
        bare = _bare(node.direct[0])
        several = isinstance(bare, ir.Logic) and bare.op == "array"
        if several != kind.endswith("s"):
            return None
        for share in map(_bare, bare.args if isinstance(bare, ir.Logic) else (bare,)):
            place = _place(share)
            if place is None:
                return None
            places.append(place)
    taken = inner(key.expr)
    if node.filter is not None:
        taken = Call("case", (inner(node.filter), taken), taken.type)
    return taken, " ".join(("in order", kind, str(int(key.descending)), str(key.expr.type.oid), *places))


def _bare(node: ir.Node) -> ir.Node:
    return node.arg if isinstance(node, ir.Cast) else node


def _place(share: ir.Node) -> str | None:
    """A number between 0 and 1, as Python reads it."""
    if (
        not isinstance(share, ir.Lit)
        or share.type.oid not in (t.FLOAT8, t.NUMERIC, t.INT4)
        or share.value is None
    ):
        return None
    place = float(share.value)
    return repr(place) if 0 <= place <= 1 else None


__all__ = ["within"]
