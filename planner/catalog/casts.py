"""Casts that users have made: for each pair of types, what leads from one to the other.

A database's casts are one value, the same object as long as none is made or dropped; so what was found out under it can be remembered
under it (`planner.binding.resolve`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from planner.abc import Oid
from planner.catalog.routine_objects import Cast


class Casts:
    """Immutable. Equal to nothing but itself."""

    __slots__ = ("_by_types", "_kept")

    def __init__(self, casts: Iterable[Cast] = ()) -> None:
        self._by_types = {(c.source, c.target): c for c in casts}
        self._kept: dict[frozenset[Oid], Casts] = {}

    def __bool__(self) -> bool:
        return bool(self._by_types)

    def get(self, source: Oid, target: Oid) -> Cast | None:
        """What leads from one type to another."""
        return self._by_types.get((source, target))

    def with_(self, cast: Cast) -> Casts:
        """With one more."""
        return Casts((*self._by_types.values(), cast))

    def without(self, cast: Cast) -> Casts:
        """With one less; `NO_CASTS` if that was the last."""
        left = [c for c in self._by_types.values() if c.oid != cast.oid]
        return Casts(left) if left else NO_CASTS

    def among(self, oids: Collection[Oid]) -> Casts:
        """Those that a definition names: it was made when there were no others."""
        if not self._by_types:
            return self
        wanted = frozenset(c.oid for c in self._by_types.values() if c.oid in oids)
        if len(wanted) == len(self._by_types):
            return self
        if not wanted:
            return NO_CASTS
        if wanted not in self._kept:
            self._kept[wanted] = Casts(c for c in self._by_types.values() if c.oid in wanted)
        return self._kept[wanted]


NO_CASTS: Final = Casts()

__all__ = ["NO_CASTS", "Casts"]
