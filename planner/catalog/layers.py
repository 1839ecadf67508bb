"""Dictionaries that many catalogs share, each with changes of its own.

    base    {1: a, 2: b, 3: c, ...}      one dictionary, of all who descend from it; nobody changes it
    over    {2: B, 4: d, 3: gone}        what is otherwise here; whoever forks takes a copy of this alone

A DDL statement goes through half a dozen catalogs. To copy what thousands of tables are found by for each of them would take
milliseconds, so what is copied is what has changed since the base was made; when that has become more than about the square root
of it, the next fork makes a new base, and hands it to the one that it was forked from.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

_GONE: Final[Any] = object()
_NOWHERE: Final[Any] = object()
_FEW: Final = 1_024
"""Added to the base's size, so that small dictionaries are not made anew all the time."""


class Layered(Generic[K, V]):
    """A dictionary that forks cheaply. Changed by its `owner` alone, and by nobody once it was forked."""

    __slots__ = ("_base", "_over", "owner")

    def __init__(self, owner: int = 0) -> None:
        self.owner = owner
        """Who may change it in place: the version of the catalog that it was made for."""
        self._base: dict[K, V] = {}
        self._over: dict[K, V] = {}

    def fork(self, owner: int = 0) -> Layered[K, V]:
        """One that is the same now, and goes its own way from here."""
        over = self._over
        if len(over) ** 2 > len(self._base) + _FEW:
            self._base, self._over = base, over = self._together(), {}
        else:
            base = self._base
        fork: Layered[K, V] = Layered.__new__(Layered)
        fork.owner, fork._base, fork._over = owner, base, over.copy()
        return fork

    def _together(self) -> dict[K, V]:
        over = self._over
        if not self._base and _GONE not in over.values():
            return over
        merged = self._base | over
        for key in [k for k, v in over.items() if v is _GONE]:
            del merged[key]
        return merged

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: D) -> V | D: ...
    def get(self, key: K, default: Any = None) -> Any:
        found = self._over.get(key, _NOWHERE)
        if found is _NOWHERE:
            return self._base.get(key, default)
        return default if found is _GONE else found

    def __getitem__(self, key: K) -> V:
        found = self.get(key, _NOWHERE)
        if found is _NOWHERE:
            raise KeyError(key)
        return found

    def __contains__(self, key: K) -> bool:
        return self.get(key, _NOWHERE) is not _NOWHERE

    def __setitem__(self, key: K, value: V) -> None:
        self._over[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        if key in self._base:
            self._over[key] = _GONE
        else:
            del self._over[key]

    def items(self) -> Iterator[tuple[K, V]]:
        over = self._over
        if not over:
            yield from self._base.items()
            return
        for key, value in self._base.items():
            if key not in over:
                yield key, value
        for key, value in over.items():
            if value is not _GONE:
                yield key, value

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self.items())

    def values(self) -> Iterator[V]:
        return (value for _, value in self.items())

    def __bool__(self) -> bool:
        over = self._over
        if not over:
            return bool(self._base)
        return next((True for v in over.values() if v is not _GONE), False) or len(self) > 0

    def __len__(self) -> int:
        base = self._base
        more = sum(-1 if v is _GONE else k not in base for k, v in self._over.items())
        return len(base) + more


__all__ = ["Layered"]
