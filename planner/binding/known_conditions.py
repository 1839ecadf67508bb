"""Conditions that are known when a statement is planned: what they leave out is never computed, nor written for DuckDB.

    CASE WHEN false THEN gcd(5, 1 / 0) ELSE 3 END      3
    CASE 1 WHEN 2 THEN 1 / 0 END                       NULL
    coalesce(1, 1 / 0), true OR 1 / 0 = 1              1, true

PostgreSQL leaves such branches out before it computes other constants. DuckDB computes the constants of a CASE within a
CASE while it plans, and fails of those that no row would have asked for.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.binding import ir

_INTEGERS: Final = (t.INT2, t.INT4, t.INT8)


def truth(node: ir.Node) -> bool | None:
    """Whether a condition is known to be true, or known not to be (false or NULL); None: it depends on rows, or nobody looked."""
    found = _known(node)
    return None if found is _UNKNOWN else found is True


def decided(node: ir.Logic) -> ir.Logic | ir.Node:
    """A CASE, COALESCE, AND or OR without what it never computes; itself where all of it may be computed."""
    if node.op == "case":
        return _case(node)
    if node.op == "coalesce":
        return _first_value(node)
    last = node.op == "or"  # the value that decides, wherever it stands
    if any(isinstance(a, ir.Lit) and a.value is last for a in node.args) or any(
        _known(a) is last for a in node.args if _is_plain(a)
    ):
        return ir.Lit(node.type, last)
    return node


_UNKNOWN: Final = object()


def _is_plain(node: ir.Node) -> bool:
    return isinstance(node, ir.Lit) or (
        isinstance(node, ir.Call | ir.Logic)
        and len(node.args) <= 2
        and all(isinstance(a, ir.Lit) for a in node.args)
    )


def _known(node: ir.Node) -> object:
    """True, False, None for NULL; _UNKNOWN."""
    if isinstance(node, ir.Lit):
        return node.value if node.type.oid == t.BOOL else _UNKNOWN
    if isinstance(node, ir.Logic):
        return _known_logic(node)
    if not isinstance(node, ir.Call) or len(node.args) != 2 or not _is_plain(node):
        return _UNKNOWN
    a, b = node.args
    assert isinstance(a, ir.Lit) and isinstance(b, ir.Lit)
    if a.type.oid not in _INTEGERS or b.type.oid not in _INTEGERS or node.type.oid != t.BOOL:
        return _UNKNOWN
    words = node.op.split(" ")
    if len(words) != 3 or words[1] not in _SIGNS:
        return _UNKNOWN
    if a.value is None or b.value is None:
        return None
    return _SIGNS[words[1]](int(a.value), int(b.value))


def _known_logic(node: ir.Logic) -> object:
    if node.op in ("is null", "is not null") and isinstance(node.args[0], ir.Lit):
        return (node.args[0].value is None) == (node.op == "is null")
    if node.op == "not":
        inner = _known(node.args[0])
        return inner if inner is _UNKNOWN or inner is None else not inner
    if node.op not in ("and", "or"):
        return _UNKNOWN
    parts = [_known(a) for a in node.args]
    decides = node.op == "or"
    if any(p is decides for p in parts):
        return decides
    if any(p is _UNKNOWN for p in parts):
        return _UNKNOWN
    return None if None in parts else not decides


_SIGNS: Final = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _case(node: ir.Logic) -> ir.Logic | ir.Node:
    kept: list[ir.Node] = []
    otherwise = node.args[-1] if len(node.args) % 2 else None
    for condition, value in zip(node.args[:-1:2], node.args[1::2], strict=False):
        known = truth(condition)
        if known is None:
            kept += [condition, value]
        elif known:
            otherwise = value
            break
    if not kept:
        return otherwise if otherwise is not None else ir.Lit(node.type, None)
    made = (*kept, otherwise) if otherwise is not None else tuple(kept)
    return node if len(made) == len(node.args) else ir.Logic(node.type, "case", made)


def _first_value(node: ir.Logic) -> ir.Logic | ir.Node:
    """COALESCE up to the first argument that is surely a value."""
    for i, arg in enumerate(node.args):
        if isinstance(arg, ir.Lit) and arg.value is not None:
            if i == 0:
                return arg
            return ir.Logic(node.type, "coalesce", node.args[: i + 1]) if i + 1 < len(node.args) else node
    return node


__all__ = ["decided", "truth"]
