"""ts_rank and ts_rank_cd: how well a document fits a query, to the float that PostgreSQL says.

`ts_rank` goes by how often words occur, and with & by how near they are to each other; `ts_rank_cd` by covers, the shortest stretches
of the document that have what is asked for. PostgreSQL computes the former in single precision; so it is rounded here
wherever it is there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from planner.abc import SqlError
from planner.textsearch.matching import NO, YES, execute
from planner.textsearch.queries import AND, PHRASE, Both, Node, Word, tree_of, words
from planner.textsearch.vectors import Words, find, words_of
from planner.textsearch.words import POSITION_MAX, Position

_F4: Final = struct.Struct("f")
_LOG_LENGTH, _LENGTH, _DISTANCE, _UNIQUE, _LOG_UNIQUE, _SELF = 1, 2, 4, 8, 16, 32
_PI2_6: Final = 1.64493406685


def _f(value: float) -> float:
    """Rounded to single precision."""
    return float(_F4.unpack(_F4.pack(value))[0])


_DEFAULT: Final = (_f(0.1), _f(0.2), _f(0.4), 1.0)
Weights = Sequence[float | None]


def weights_of(given: Weights | None) -> tuple[float, ...]:
    """Of D, C, B, A. Raises 2202E, 22004, 22023."""
    if given is None:
        return _DEFAULT
    if len(given) < len(_DEFAULT):
        raise SqlError("2202E", "array of weight is too short")
    out = []
    for mine, usual in zip(given, _DEFAULT, strict=False):
        if mine is None:
            raise SqlError("22004", "array of weight must not contain nulls")
        weight = _f(mine) if mine >= 0 else usual
        if weight > 1:
            raise SqlError("22023", "weight out of range")
        out.append(weight)
    return tuple(out)


def _count(parts: Words) -> int:
    return sum(len(places) or 1 for places in parts.values())


def _nearness(distance: int) -> float:
    return _f(1e-30) if distance > 100 else _f(1.0 / (1.005 + 0.05 * math.exp(_f(distance) / 1.5 - 2)))


_NEAR: Final = [_nearness(d) for d in range(102)]


def rank(vector: str, query: str, given: Weights | None = None, method: int = 0) -> float:
    """`ts_rank`."""
    w = weights_of(given)
    node = tree_of(query)
    if node is None or not vector:
        return 0.0
    together = isinstance(node, Both) and node.op in (AND, PHRASE)
    operands = _operands(node)
    res = _of_pairs(w, vector, operands) if together and len(operands) > 1 else _of_words(w, vector, operands)
    if res < 0:
        res = _f(1e-20)
    if method & (_LOG_LENGTH | _LENGTH | _UNIQUE | _LOG_UNIQUE):
        parts = words_of(vector)
        if method & _LOG_LENGTH:
            res = _f(res / (math.log(_count(parts) + 1) / math.log(2.0)))
        if method & _LENGTH:
            res = _f(res / _count(parts))
        if method & _UNIQUE:
            res = _f(res / len(parts))
        if method & _LOG_UNIQUE:
            res = _f(res / (math.log(len(parts) + 1) / math.log(2.0)))
    if method & _SELF:
        res = _f(res / _f(res + 1))
    return res


def _operands(node: Node) -> list[Word]:
    """Each word once, in the order of bytes."""
    found: dict[str, Word] = {}
    for word in reversed(words(node)):
        found.setdefault(word.text, word)
    return [found[text] for text in sorted(found)]


def _of_words(w: Sequence[float], vector: str, operands: Sequence[Word]) -> float:
    res = 0.0
    for word in operands:
        for places in find(vector, word.text, word.prefix):
            sum_, best, at = 0.0, -1.0, 0
            for j, (_, weight) in enumerate(places or [Position(0)]):
                sum_ = _f(sum_ + _f(w[weight] / ((j + 1) * (j + 1))))
                if w[weight] > best:
                    best, at = w[weight], j
            once = _f(_f(best + sum_) - _f(best / ((at + 1) * (at + 1))))
            res = _f(res + once / _PI2_6)
    return _f(res / len(operands)) if operands else res


def _of_pairs(w: Sequence[float], vector: str, operands: Sequence[Word]) -> float:
    res = -1.0
    before: list[tuple[list[Position], bool]] = []
    for word in operands:
        last: tuple[list[Position], bool] | None = None
        for places in find(vector, word.text, word.prefix):
            last = (places or [Position(POSITION_MAX)], not places)
            for others, unplaced in before:
                for p, a in last[0]:
                    for q, b in others:
                        distance = abs(p - q)
                        if not distance:
                            if not (last[1] or unplaced):
                                continue
                            distance = POSITION_MAX + 1
                        near = _NEAR[min(distance, 101)]
                        current = _f(math.sqrt(_f(_f(w[a] * w[b]) * near)))
                        res = current if res < 0 else _f(1.0 - (1.0 - res) * (1.0 - current))
        if last is not None:
            before.append(last)
    return res


# --- covers ----------------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    """A place in the document where words of the query are."""

    place: int
    weight: int
    words: tuple[Word, ...]


def rank_cd(vector: str, query: str, given: Weights | None = None, method: int = 0) -> float:
    """`ts_rank_cd`."""
    inverse = [1.0 / x if x else math.inf for x in weights_of(given)]
    node = tree_of(query)
    if node is None or not vector:
        return 0.0
    doc = _document(vector, node)
    if not doc:
        return 0.0
    total, distances, before, extents = 0.0, 0.0, 0.0, 0
    for begin, end in _covers(doc, node):
        inside = sum(inverse[doc[i].weight] for i in range(begin, end + 1))
        noise = doc[end].place - doc[begin].place - (end - begin)
        if noise < 0:
            noise = (end - begin) // 2
        total += (end - begin + 1) / inside / (1 + noise)
        middle = (doc[end].place + doc[begin].place) / 2.0
        if extents and middle > before:
            distances += 1.0 / (middle - before)
        before = middle
        extents += 1
    return _f(_normal(total, vector, method, distances, extents))


def _normal(total: float, vector: str, method: int, distances: float, extents: int) -> float:
    parts = words_of(vector) if method & (_LOG_LENGTH | _LENGTH | _UNIQUE | _LOG_UNIQUE) else {}
    if method & _LOG_LENGTH:
        total /= math.log(_count(parts) + 1)
    if method & _LENGTH:
        total /= _count(parts)
    if method & _DISTANCE and extents and distances > 0:
        total /= extents / distances
    if method & _UNIQUE:
        total /= len(parts)
    if method & _LOG_UNIQUE:
        total /= math.log(len(parts) + 1) / math.log(2.0)
    if method & _SELF:
        total /= total + 1
    return total


def _document(vector: str, node: Node) -> list[_Found]:
    """Where the query's words are, in order: what stands at one place in several words is several."""
    parts = words_of(vector)
    order = {text: i for i, text in enumerate(parts)}
    at: dict[tuple[int, int, int], list[Word]] = {}
    for word in dict.fromkeys(words(node)):
        for text in [t for t in parts if t.startswith(word.text)] if word.prefix else [word.text]:
            for place, weight in parts.get(text, ()):
                if not word.weights or word.weights & 1 << weight:
                    at.setdefault((place, weight, order[text]), []).append(word)
    return [_Found(k[0], k[1], tuple(at[k])) for k in sorted(at)]


def _covers(doc: Sequence[_Found], node: Node) -> Iterator[tuple[int, int]]:
    """The first and the last place of each."""
    start = 0
    while True:
        end = _reached(doc, node, range(start, len(doc)))
        if end is None:
            return
        begin = _reached(doc, node, range(end, start - 1, -1))
        if begin is not None and doc[begin].place <= doc[end].place:
            start = begin + 1
            yield begin, end
        else:
            start += 1


def _reached(doc: Sequence[_Found], node: Node, way: range) -> int | None:
    """Where on the way the query is fulfilled by what was passed."""
    seen: dict[Word, list[int]] = {}

    def lookup(word: Word, _placed: bool) -> tuple[int, list[int]]:
        places = seen.get(word)
        return (NO, []) if places is None else (YES, sorted(places))

    for i in way:
        for word in doc[i].words:
            places = seen.setdefault(word, [])
            if not places or places[-1] != doc[i].place:
                places.append(doc[i].place)
        if execute(node, lookup) != NO:
            return i
    return None
