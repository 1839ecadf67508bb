"""tsvector: the words of a document, each with its places there.

    'cat':3 'fat':2A,11 'sat':4          kept as PostgreSQL shows it: words in the order of their bytes, each once

A vector is a text everywhere. What searches looks for words in the text as it stands (`find`): behind a blank, within quotes, a word
can be nothing else, for quotes inside of words are doubled.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.textsearch.words import (
    POSITION_MAX,
    POSITIONS_MAX,
    WEIGHTS,
    WORD_BYTES_MAX,
    Position,
    SyntaxFault,
    WordReader,
    quoted,
    too_long,
)

Words = dict[str, list[Position]]
_BYTES_MAX: Final = (1 << 20) - 1
_ENTRY: Final = re.compile(r"'((?:[^'\\]|''|\\\\)*)'(?::([0-9A-D,]+))?(?: |$)")


def shown(words: Mapping[str, Iterable[Position]]) -> str:
    """The vector of words in any order, places sorted and each once."""
    out = []
    for word in sorted(words):
        places = ",".join(f"{p}{WEIGHTS[w] if w else ''}" for p, w in words[word])
        out.append(f"{quoted(word)}:{places}" if places else quoted(word))
    return " ".join(out)


def _unquoted(text: str) -> str:
    return text.replace("''", "'").replace("\\\\", "\\") if "'" in text or "\\" in text else text


def _places(text: str | None) -> list[Position]:
    if not text:
        return []
    return [
        Position(int(item[:-1]), WEIGHTS.index(item[-1])) if item[-1] in "ABC" else Position(int(item))
        for item in text.split(",")
    ]


def words_of(vector: str) -> Words:
    """A vector taken apart, in its order."""
    return {_unquoted(m[1]): _places(m[2]) for m in _ENTRY.finditer(vector)}


def names_of(vector: str) -> list[str]:
    """Its words alone."""
    return [_unquoted(m[1]) for m in _ENTRY.finditer(vector)]


def unique(places: Iterable[Position], most: int = POSITIONS_MAX) -> list[Position]:
    """Sorted, each place once with its highest weight, and not more than a vector holds."""
    given = list(places)
    best: dict[int, int] = {}
    alone = all(p.place == POSITION_MAX for p in given)
    for place, weight in given:
        if place not in best:
            best[place] = weight
        elif place != POSITION_MAX or alone:  # behind others the last place of all is not looked at twice
            best[place] = max(weight, best[place])
    return [Position(p, best[p]) for p in sorted(best)][:most]


def vector_in(text: str) -> str:
    """The input function. Raises 42601, 54000."""
    reader = WordReader(text)
    found: Words = {}
    try:
        while (word := reader.word()) is not None:
            size = len(word.encode())
            if size > WORD_BYTES_MAX:
                too_long(size, WORD_BYTES_MAX, "word")
            found.setdefault(word, []).extend(reader.positions())
    except SyntaxFault:
        raise SqlError("42601", f'syntax error in tsvector: "{text}"') from None
    return checked({word: unique(places) for word, places in found.items()})


def checked(words: Words) -> str:
    """The vector, if it is not too long. Raises 54000."""
    size = sum(len(w.encode()) for w in words)
    if size > _BYTES_MAX:
        raise SqlError("54000", f"string is too long for tsvector ({size} bytes, max {_BYTES_MAX} bytes)")
    return shown(words)


def of_document(words: Iterable[tuple[str, int]]) -> str:
    """The vector of words with their places, in the order of the document. Raises 54000."""
    found: dict[str, list[Position]] = {}
    for word, place in words:
        places = found.setdefault(word, [])
        place = min(place, POSITION_MAX)
        if places and (len(places) >= POSITIONS_MAX - 1 or places[-1].place in (POSITION_MAX, place)):
            continue
        places.append(Position(place))
    return checked(found)


# --- looking for words --------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _finder(word: str, prefix: bool) -> re.Pattern[str]:
    body = re.escape(quoted(word)[1:-1])
    rest = r"(?:[^'\\]|''|\\\\)*" if prefix else ""
    return re.compile(rf"(?:^| )'{body}{rest}'(?::([0-9A-D,]+))?(?= |$)")


def find(vector: str, word: str, prefix: bool) -> list[list[Position]]:
    """The places of the word, or of each word with that beginning; none: it is not there."""
    if not prefix:
        m = _finder(word, False).search(vector)
        return [] if m is None else [_places(m[1])]
    return [_places(m[1]) for m in _finder(word, True).finditer(vector)]


def places_of(vector: str, word: str) -> str | None:
    """Of one of its words, as an array's text; None: it is stripped."""
    return _listed(str(p.place) for places in find(vector, word, False) for p in places)


def weights_of(vector: str, word: str) -> str | None:
    return _listed(WEIGHTS[p.weight] for places in find(vector, word, False) for p in places)


def count_of(vector: str, word: str, weights: str) -> int:
    """How often one of its words is there, with one of these weights; without any, a stripped word is there once."""
    asked = weights.upper()
    found = [
        p for places in find(vector, word, False) for p in places if not asked or WEIGHTS[p.weight] in asked
    ]
    return len(found) or int(not asked)


def _listed(items: Iterable[str]) -> str | None:
    text = ",".join(items)
    return f"{{{text}}}" if text else None


# --- operators and functions ---------------------------------------------------------------------------------


def concatenated(a: str, b: str) -> str:
    """`a || b`: places of the second are counted on from the last one of the first. Raises 54000."""
    if not a or not b:
        return a or b
    first, second = words_of(a), words_of(b)
    last = max((p.place for places in first.values() for p in places), default=0)
    for word, places in second.items():
        moved = [Position(min(p + last, POSITION_MAX), w) for p, w in places]
        mine = first.setdefault(word, [])
        for place in moved:
            if len(mine) >= POSITIONS_MAX - 1 or (mine and mine[-1].place == POSITION_MAX):
                break
            mine.append(place)
    return checked(first)


def stripped(vector: str) -> str:
    return shown(dict.fromkeys(names_of(vector), ()))


def length(vector: str) -> int:
    return sum(1 for _ in _ENTRY.finditer(vector))


def weight_number(letter: str) -> int:
    """Raises 22000 (XX000 in PostgreSQL) for a letter that is none."""
    found = WEIGHTS.find(letter.upper()) if letter else -1
    if found < 0:
        code = letter.encode()[0] if letter else 0
        raise SqlError("XX000", f"unrecognized weight: {code}")
    return found


def with_weight(vector: str, letter: str, only: Iterable[str | None] | None = None) -> str:
    """`setweight`: of all words, or of those listed. Raises 22004."""
    weight = weight_number(letter)
    chosen = None if only is None else set(only)
    return shown(
        {
            word: [Position(p, weight) for p, _ in places] if chosen is None or word in chosen else places
            for word, places in words_of(vector).items()
        }
    )


def _given(items: Iterable[str | None], what: str) -> list[str]:
    out = []
    for item in items:
        if item is None:
            raise SqlError("22004", f"{what} array may not contain nulls")
        out.append(item)
    return out


def without(vector: str, gone: Iterable[str | None]) -> str:
    """`ts_delete`; nulls among the words are none."""
    doomed = set(gone)
    return shown({word: places for word, places in words_of(vector).items() if word not in doomed})


def filtered(vector: str, letters: Iterable[str | None]) -> str:
    """`ts_filter`: what stands somewhere with one of the weights. Raises 22004, 22023."""
    wanted = set()
    for letter in _given(letters, "weight"):
        found = WEIGHTS.find(letter.upper()) if letter else -1
        if found < 0:
            raise SqlError("22023", f'unrecognized weight: "{letter}"')
        wanted.add(found)
    kept = {word: [p for p in places if p.weight in wanted] for word, places in words_of(vector).items()}
    return shown({word: places for word, places in kept.items() if places})


def of_array(items: Iterable[str | None]) -> str:
    """`array_to_tsvector`. Raises 22004, 2202F for an empty word."""
    words = _given(items, "lexeme")
    if "" in words:
        raise SqlError("2200F", "lexeme array may not contain empty strings")
    return checked({word: [] for word in words})


# --- order and bytes ------------------------------------------------------------------------------------------


def order_key(vector: str) -> bytes:
    """What compares as PostgreSQL compares vectors: by their size in memory first."""
    words = words_of(vector)
    data = 0
    out = bytearray()
    for word, places in words.items():
        coded = word.encode()
        data += len(coded)
        out += (b"\0" if places else b"\1") + coded + b"\0"
        if places:
            data += data % 2 + 2 + 2 * len(places)
            out += struct.pack(">H", 0xFFFF - len(places))
            for place, weight in places:
                out += struct.pack(">HB", 0xFFFF - place, 3 - weight)
    return struct.pack(">II", 8 + 4 * len(words) + data, len(words)) + bytes(out)


def to_binary(vector: str) -> bytes:
    words = words_of(vector)
    out = bytearray(struct.pack(">i", len(words)))
    for word, places in words.items():
        out += word.encode() + b"\0" + struct.pack(">H", len(places))
        for place, weight in places:
            out += struct.pack(">H", weight << 14 | place)
    return bytes(out)


def from_binary(data: bytes) -> str:
    """Raises 22P03, 08P01."""
    try:
        (count,) = struct.unpack_from(">i", data)
        at, words = 4, Words()
        if not 0 <= count <= len(data):
            raise SqlError("XX000", "invalid size of tsvector")
        for _ in range(count):
            end = data.index(b"\0", at)
            if end - at > WORD_BYTES_MAX:
                raise SqlError("XX000", "invalid tsvector: lexeme too long")
            word = data[at:end].decode()
            (n,) = struct.unpack_from(">H", data, end + 1)
            if n > POSITIONS_MAX - 1:
                raise SqlError("XX000", "unexpected number of tsvector positions")
            coded = struct.unpack_from(f">{n}H", data, end + 3)
            places = [Position(c & POSITION_MAX, c >> 14) for c in coded]
            if any(a.place >= b.place for a, b in pairwise(places)):
                raise SqlError("XX000", "position information is misordered")
            words[word] = places
            at = end + 3 + 2 * n
    except (struct.error, ValueError):
        raise SqlError("08P01", "insufficient data left in message") from None
    if at != len(data):
        raise BytesLeftOver()
    return checked(words)
