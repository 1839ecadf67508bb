"""FROM as steps, one relation after the other: what joins come to where they are inner joins and LEFT JOINs of one relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.binding import ir
from planner.binding.scope import FromStep
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.state import Parts


def joined_steps(
    left: tuple[FromStep, ...], right: tuple[FromStep, ...], side: str, on: tuple[ir.Node, ...]
) -> tuple[FromStep, ...]:
    """A join as steps one after another; none if it is not one of these."""
    if not left or not right or side not in ("", "LEFT") or (side == "LEFT" and len(right) > 1):
        return ()
    last = right[-1]
    if side == "LEFT":
        return (*left, replace(last, on=on, outer=True))
    if last.outer:  # what the inner ON asks is asked of the pool; any inner step may bring it there
        first = right[0]
        return (*left, replace(first, on=(*first.on, *on)), *right[1:])
    return (*left, *right[:-1], replace(last, on=(*last.on, *on)))


def guarded(parts: Parts, steps: Sequence[FromStep]) -> Parts:
    """A SELECT from one table, with what its policies ask in front of what the statement asks."""
    if len(steps) != 1 or not steps[0].guards:
        return parts
    where = parts.asked_of_rows
    return parts.asking_of_rows(ir.all_of([*steps[0].guards, *([where] if where is not None else [])]))


__all__ = ["guarded", "joined_steps"]
