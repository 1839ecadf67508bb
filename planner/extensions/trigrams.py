"""pg_trgm: how alike two texts are, by the groups of three characters that they have in common.

    "word"  ->  "  w", " wo", "wor", "ord", "rd "        words are letters and digits, in lower case

A trigram is three bytes. Of characters that take more bytes it is a checksum's first three, as PostgreSQL makes it, so
that the order of trigrams, and what `show_trgm` says of them, is its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from planner.extensions.letters import is_word, lower

Trigram = bytes


def _table() -> tuple[int, ...]:
    out = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ 0xEDB88320 if n & 1 else n >> 1
        out.append(n)
    return tuple(out)


_CRC: Final = _table()


@lru_cache(maxsize=1 << 16)
def _compact(three: str) -> Trigram:
    """Three characters as three bytes."""
    data = three.encode()
    if len(data) == 3:
        return data
    crc = 0xFFFFFFFF
    for byte in data:  # a reflected table read as one that is not: PostgreSQL's "legacy" checksum
        crc = _CRC[(crc >> 24 ^ byte) & 0xFF] ^ (crc << 8 & 0xFFFFFFFF)
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "little")[:3]


def _order(trigram: Trigram) -> tuple[int, ...]:
    """PostgreSQL compares signed bytes."""
    return tuple(b - 256 if b > 127 else b for b in trigram)


def words(text: str) -> Iterator[str]:
    """Its words, in lower case."""
    start = -1
    for i, c in enumerate(text):
        if is_word(c):
            if start < 0:
                start = i
        elif start >= 0:
            yield lower(text[start:i])
            start = -1
    if start >= 0:
        yield lower(text[start:])


def _sequence(text: str) -> list[list[Trigram]]:
    """The trigrams of each word, as they follow each other."""
    out = []
    for word in words(text):
        padded = f"  {word} "
        out.append([_compact(padded[i : i + 3]) for i in range(len(padded) - 2)])
    return out


@lru_cache(maxsize=4096)
def _trigrams(text: str) -> frozenset[Trigram]:
    return frozenset(t for word in _sequence(text) for t in word)


def show_trgm(text: str) -> list[str | None]:
    """The trigrams of a text; those that cannot be printed as numbers."""
    return [_shown(t) for t in sorted(_trigrams(text), key=_order)]


def _shown(trigram: Trigram) -> str:
    if all(b < 128 and (chr(b).isalnum() or b == 32) for b in trigram):
        return trigram.decode("ascii")
    return f"0x{int.from_bytes(trigram, 'big'):06x}"


def similarity(a: str, b: str) -> float:
    """The share of common trigrams in all that there are."""
    one, other = _trigrams(a), _trigrams(b)
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def word_similarity(a: str, b: str) -> float:
    """The greatest similarity of `a` and a continuous stretch of `b`."""
    return _within(a, b, strict=False)


def strict_word_similarity(a: str, b: str) -> float:
    """As `word_similarity`, with stretches that begin and end where words do."""
    return _within(a, b, strict=True)


def _within(a: str, b: str, *, strict: bool) -> float:
    """Walks over the trigrams of `b` and moves both ends of the stretch, as PostgreSQL does.

    Its answer is not in all cases the greatest: the lower end only moves up, and where it moves to is decided at once.
    """
    wanted = _trigrams(a)
    there: list[Trigram] = []
    begins: set[int] = set()
    ends: set[int] = set()
    for word in _sequence(b):
        begins.add(len(there))
        there += word
        ends.add(len(there) - 1)
    best = 0.0
    last: dict[Trigram, int] = {}
    lower_end = 0 if strict else -1
    distinct = common = 0
    for i, trigram in enumerate(there):
        if lower_end >= 0 or trigram in wanted:
            if trigram not in last:
                distinct += 1
                common += trigram in wanted
            last[trigram] = i
        if not (i in ends if strict else trigram in wanted):
            continue
        if lower_end == -1:
            lower_end, distinct = i, 1
        now = _share(common, len(wanted), distinct)
        before, fewer, fewer_common = lower_end, distinct, common
        for k in range(lower_end, i + 1):
            if not strict or k in begins:
                other = _share(fewer_common, len(wanted), fewer)
                if other > now:
                    now, distinct, lower_end, common = other, fewer, k, fewer_common
            if last.get(there[k]) == k:
                fewer -= 1
                fewer_common -= there[k] in wanted
        best = max(best, now)
        for k in range(before, lower_end):
            if last.get(there[k]) == k:
                del last[there[k]]
    return best


def _share(common: int, one: int, other: int) -> float:
    both = one + other - common
    return common / both if both else 0.0
