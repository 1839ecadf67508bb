"""Levels of names while a body is read: which slot a variable has, and what a dotted name means.

x            the variable of the innermost level that has one
r.f          field f of r; or variable f of the block that is labelled r
b.r.f        field f of r of the block that is labelled b
"""

from __future__ import annotations

from collections.abc import Sequence

from planner.statements.plpgsql import Level, Variable


def looked_up(level: Level | None, words: Sequence[str], seen: int) -> tuple[int, list[str]] | None:
    """The slot that a dotted name begins with, and the fields that are left."""
    if not words:
        return None
    at = level
    while at is not None:
        slot = at.slots.get(words[0], seen)
        if slot < seen:
            return slot, list(words[1:])
        if at.label == words[0] and len(words) > 1 and at.slots.get(words[1], seen) < seen:
            return at.slots[words[1]], list(words[2:])
        at = at.above
    return None


class Names:
    """`variables_seen`: by slot; None for those that nothing declares (parameters, FOUND)."""

    def __init__(self, outer: Level, count: int) -> None:
        self.level = outer
        self.variables_seen: list[Variable | None] = [None] * count
        self.labels: list[tuple[str, bool]] = []
        """Of the blocks and loops around; whether it is a loop."""
        self.shadows: list[tuple[str, int]] = []
        """What is declared again further in, and where."""

    def enter(self, label: str = "") -> None:
        self.level = Level(label, {}, self.level)

    def leave(self) -> None:
        assert self.level.above is not None
        self.level = self.level.above

    def slot(self, name: str) -> int:
        """A new slot under that name, in the innermost level."""
        self.variables_seen.append(None)
        slot = len(self.variables_seen) - 1
        if name:
            self.level.slots[name] = slot
        return slot

    def find(self, words: Sequence[str]) -> tuple[int, list[str]] | None:
        return looked_up(self.level, words, len(self.variables_seen))


__all__ = ["Names", "looked_up"]
