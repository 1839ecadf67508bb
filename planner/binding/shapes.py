"""What is known of an expression's tree, found out once: how deep it is, and what is in it.

A tree may be in several places of another one (`x IN (1, 2)` is `x = 1 OR x = 2`, with one `x`), and that one again in several of
a third. Whoever follows all ways through it takes a power of its depth; so what is asked again and again on the way is kept
by the tree itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from planner.binding import ir
from planner.binding.fragments import Piece

BEFORE: Final = ir.SubQuery | ir.Aggregate | ir.Window | ir.SetReturning
"""What may not stand in a lambda."""
SHALLOW: Final = 3
"""Trees of so many calls within one another are written as often as templates like."""
_LONG: Final = 1_000
"""Letters of a subquery that is as good as a deep tree."""
A_PLACE: Final = 16
"""What a column, parameter or relation counts: letters, about."""
_ASKS: Final = re.compile(r"\b(?:tw_nextval|tw_setval|random|gen_random_uuid|uuid)\(|\btw_answer\b")


class Shape(NamedTuple):
    """What is known of a tree, found out once however many places it has."""

    node: ir.Node  # kept: its id is its own
    depth: int
    varies: bool
    """Whether there is in it what may be another value each time."""
    computed_before: bool
    """Whether there is in it what may not stand in a lambda."""


def is_deep(node: ir.Node, known: dict[int, Shape]) -> bool:
    """Whether it is worth a thought how often this tree is written."""
    return shape(node, known).depth > SHALLOW


def shape(node: ir.Node, known: dict[int, Shape]) -> Shape:
    found = known.get(id(node))
    if found is None:
        below = [shape(n, known) for n in ir.children(node)]
        depth = max((b.depth for b in below), default=0)
        if isinstance(node, ir.SubQuery) and sum(_size(p) for p in node.query.parts) > _LONG:
            depth = SHALLOW
        found = known[id(node)] = Shape(
            node,
            depth + (not isinstance(node, ir.Collated)),
            varies(node) or any(b.varies for b in below),
            isinstance(node, BEFORE) or any(b.computed_before for b in below),
        )
    return found


def varies(node: ir.Node) -> bool:
    """Whether this node itself may be another value each time: a volatile call, or a subquery whose text has one."""
    if isinstance(node, ir.SubQuery):
        return node.kind == "scalar" and asks(node)
    return ir.is_volatile(node)


def asks(node: ir.SubQuery) -> bool:
    """Whether a subquery's text has a call that may answer otherwise each time."""
    return asked_again(node.query.parts)


def asked_again(text: Iterable[object]) -> bool:
    """Whether a text's pieces have a call that may answer otherwise wherever the text is written."""
    return any(isinstance(p, str) and _ASKS.search(p) for p in text)


def _size(piece: Piece) -> int:
    return len(piece) if isinstance(piece, str) else A_PLACE
