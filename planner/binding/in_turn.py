"""AND and OR whose sides call functions that run: from left to right, and no further than it takes.

    mail IS NULL OR is_mail(mail)       CASE WHEN mail IS NULL THEN true ELSE (mail IS NULL OR is_mail(mail)) END

PostgreSQL asks the right side only where the left one leaves it open, and CHECKs are written so: the function may raise what the left
side keeps from it, and writes nothing where it is not asked. DuckDB computes both sides of all rows, but a CASE's branch of those rows alone
that come to it. What is asked before is said twice, so it must be the same twice; a function that runs is never said twice.

The conditions that WHERE and ON consist of stay apart, for DuckDB looks at each by itself: joins by what is equal, parts by what they hold.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.binding import ir
from planner.binding.fragments import Frag, sql


def _runs(node: ir.Node) -> bool:
    return any(isinstance(n, ir.Call) and n.op == ir.RUN for n in ir.walk(node))


def _is_said_twice(node: ir.Node) -> bool:
    return (
        not _runs(node) and not ir.varies(node) and not any(isinstance(n, ir.SubQuery) for n in ir.walk(node))
    )


def in_turn(node: ir.Node, emitted: Callable[[ir.Node], Frag]) -> Frag | None:
    """The text of an AND or OR; None where nothing that runs comes behind something else."""
    if not isinstance(node, ir.Logic) or node.op not in ("and", "or") or not any(map(_runs, node.args[1:])):
        return None
    sign, decided = (" AND ", "false") if node.op == "and" else (" OR ", "true")
    *before, last = node.args
    made, runs = _side(last, emitted), _runs(last)
    for side in reversed(before):
        frag = _side(side, emitted)
        both = sql("(", frag, sign, made, ")")
        if runs and _is_said_twice(side):
            test = sql("(NOT ", frag, ")") if node.op == "and" else frag
            both = sql("(CASE WHEN ", test, f" THEN {decided} ELSE ", both, " END)")
        made, runs = both, runs or _runs(side)
    return made


def _side(node: ir.Node, emitted: Callable[[ir.Node], Frag]) -> Frag:
    return in_turn(node, emitted) or emitted(node)


__all__ = ["in_turn"]
