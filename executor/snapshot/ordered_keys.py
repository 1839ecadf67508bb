"""Keys in order, of which some are added at a time and stretches are asked for: a list in pieces.

    lasts     19          41          97                where a key belongs: bisect the lasts, then a piece
    pieces    [3 7 19]    [20 33 41]  [60 88 97]
    a place   (1, 2): before 41                         from place to place: a slice of a piece, or of some

Written out because this is how short ranges are read beside writes, a few keys added and a few asked for each time, and because a
place is never asked for its number: what keeps numbers up (an index over the pieces' lengths) would cost most of an addition.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any, Final

PIECE_KEYS: Final = 512
"""In a piece that was just made; one that has twice as many is two."""
FEW_KEYS: Final = 32
"""Of a long stretch so many are taken at once."""
MANY: Final = 4
"""More than a so-manieth of the keys that there are is sorted in together."""

Place = tuple[int, int]
"""The piece, and the position in it; behind all keys: the number of pieces, and 0."""


class OrderedKeys:
    """Distinct keys, sorted. A bound may be a tuple that is shorter than the keys: it is before all that begin with it."""

    __slots__ = ("_lasts", "_pieces", "_size")

    def __init__(self, keys: Iterable[Any] = ()) -> None:
        self._take(sorted(keys))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._pieces)

    def _take(self, keys: list[Any]) -> None:
        self._size = len(keys)
        self._pieces: list[list[Any]] = [keys[at : at + PIECE_KEYS] for at in range(0, len(keys), PIECE_KEYS)]
        self._lasts: list[Any] = [piece[-1] for piece in self._pieces]

    def update(self, keys: Collection[Any]) -> None:
        """Adds keys that are not there."""
        if len(keys) * MANY > self._size:
            self._take(sorted(chain(self, keys)))
            return
        pieces, lasts = self._pieces, self._lasts
        for key in keys:
            p = bisect_left(lasts, key)
            if p == len(lasts):
                p -= 1
                pieces[p].append(key)
                lasts[p] = key
            else:
                insort(pieces[p], key)
            if len(pieces[p]) > 2 * PIECE_KEYS:
                self._split(p)
        self._size += len(keys)

    def _split(self, p: int) -> None:
        piece = self._pieces[p]
        half = len(piece) // 2
        self._pieces.insert(p + 1, piece[half:])
        del piece[half:]
        self._lasts.insert(p, piece[-1])

    def remove(self, key: Any) -> None:
        """Takes out a key that is there."""
        p, at = self.left(key)
        piece = self._pieces[p]
        assert piece[at] == key, "a key is taken out that is there"
        del piece[at]
        self._size -= 1
        if not piece:
            del self._pieces[p], self._lasts[p]
        elif at == len(piece):
            self._lasts[p] = piece[-1]

    def left(self, bound: Any) -> Place:
        """Before the first key that is not below the bound."""
        p = bisect_left(self._lasts, bound)
        return (p, bisect_left(self._pieces[p], bound)) if p < len(self._pieces) else (p, 0)

    def right(self, bound: Any) -> Place:
        """Before the first key that is above the bound."""
        p = bisect_right(self._lasts, bound)
        return (p, bisect_right(self._pieces[p], bound)) if p < len(self._pieces) else (p, 0)

    @property
    def end(self) -> Place:
        return len(self._pieces), 0

    def count(self, start: Place, stop: Place) -> int:
        """How many keys are between two places."""
        p, at = start
        q, to = stop
        return to - at + sum(map(len, self._pieces[p:q])) if p <= q else 0

    def between(self, start: Place, stop: Place, descending: bool) -> Iterator[Any]:
        """The keys between two places, in order. To be taken before keys come or go."""
        p, at = start
        q, to = stop
        pieces = self._pieces
        if p == q:
            return _some(pieces[p], at, to, descending) if at < to else iter(())
        if p > q:
            return iter(())
        last = _some(pieces[q], 0, to, descending) if to else iter(())
        first, whole = pieces[p], pieces[p + 1 : q]
        if descending:
            middle = chain.from_iterable(map(reversed, reversed(whole)))
            return chain(last, middle, _some(first, at, len(first), True))
        return chain(_some(first, at, len(first), False), chain.from_iterable(whole), last)


def _some(piece: list[Any], at: int, to: int, descending: bool) -> Iterator[Any]:
    """A stretch of a piece, a few keys at a time: who asks for the first ones of a long one does without a copy of all."""
    if to - at <= FEW_KEYS:
        some = piece[at:to]
        return reversed(some) if descending else iter(some)
    if descending:
        return chain.from_iterable(
            reversed(piece[max(at, end - FEW_KEYS) : end]) for end in range(to, at, -FEW_KEYS)
        )
    return chain.from_iterable(piece[i : min(to, i + FEW_KEYS)] for i in range(at, to, FEW_KEYS))


__all__ = ["OrderedKeys", "Place"]
