"""Letters in both cases, as PostgreSQL means them: itself, what it is in lower case, and what it is in upper case.

    ~* 'k'      k K         not the Kelvin sign, whose lower case is a k
    ~* 'ſ'      ſ S         the long s has an S, which has another s
    ~* 'ς'      ς Σ         not σ

`regex` takes all letters for one that any mapping connects, so where these are more, what is meant is written out: `(?-i:[kK])`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LETTERS_MAX: Final = 100_000
"""Of a range beyond as many, PostgreSQL looks for no other cases."""
_MORE_ALIKE: Final = frozenset(
    "IKSiks\u00b5\u00c5\u00df\u00e5\u017f\u01c4\u01c6\u01c7\u01c9\u01ca\u01cc\u01f1\u01f3\u0390\u0392"
    "\u0395\u0398\u0399\u039a\u039c\u03a0\u03a1\u03a3\u03a6\u03a9\u03b0\u03b2\u03b5\u03b8\u03b9\u03ba"
    "\u03bc\u03c0\u03c1\u03c2\u03c3\u03c6\u03c9\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f4\u03f5\u0412"
    "\u0414\u041e\u0421\u0422\u042a\u0432\u0434\u043e\u0441\u0442\u044a\u0462\u0463\u1c80\u1c81\u1c82"
    "\u1c83\u1c84\u1c85\u1c86\u1c87\u1c88\u1e60\u1e61\u1e9b\u1e9e\u1fbe\u1fd3\u1fe3\u2126\u212a\u212b"
    "\ua64a\ua64b\ufb05\ufb06"
)
"""Letters like which `regex` knows others than PostgreSQL does."""
_SET: Final = re.compile(r"\[\^?")
_WRITTEN: Final = re.compile(r"\\(?:U[0-9a-f]{8}|x[0-9a-f]{2})")
_PIECE: Final = re.compile(r"\\p\{\w+\}|\\(?:U[0-9a-f]{8}|u[0-9a-f]{4}|x[0-9a-f]{2}|.)|.", re.DOTALL)


def either_case(letter: str) -> str:
    """A letter that stands for itself."""
    if letter not in _MORE_ALIKE:
        return letter
    return f"(?-i:[{''.join(_cases(letter))}])"


def in_both_cases(piece: str) -> str:
    """A set, or a letter that is written by its number."""
    if _WRITTEN.fullmatch(piece):
        letter = chr(int(piece[2:], 16))
        return either_case(letter) if letter in _MORE_ALIKE else piece
    opening = _SET.match(piece)
    if opening is None or not piece.endswith("]"):
        return piece
    inside = piece[opening.end() : -1]
    return f"(?-i:{opening[0]}{inside}{''.join(_others(inside))}])"


def classes_in_both_cases(classes: dict[str, str]) -> dict[str, str]:
    """Of letters in one case it is any letter."""
    return {**classes, "lower": classes["alpha"], "upper": classes["alpha"]}


def _others(inside: str) -> Iterator[str]:
    """What is not written there, and is one of its letters in the other case."""
    pieces = _PIECE.findall(inside)
    i = 0
    while i < len(pieces):
        first = last = _one(pieces[i])
        if first is not None and pieces[i + 1 : i + 2] == ["-"] and i + 2 < len(pieces):
            last = _one(pieces[i + 2]) or first
            i += 2
        i += 1
        if first is None or last is None:
            continue
        low, high = ord(first), ord(last)
        for code in range(low, min(high, low + _LETTERS_MAX) + 1):
            letter = chr(code)
            if letter.isalpha():
                yield from (c for c in _cases(letter) if not low <= ord(c) <= high)


def _one(piece: str) -> str | None:
    """The one character that it is."""
    if piece[0] != "\\":
        return piece
    if len(piece) == 2:
        return piece[1] if not piece[1].isalnum() else None
    return chr(int(piece[2:], 16)) if piece[1] in "Uux" else None


def _cases(letter: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((letter, _lower(letter), _upper(letter))))


def _lower(letter: str) -> str:
    lower = letter.lower()
    return lower if len(lower) == 1 else lower[0]  # İ is an i with a dot, and without it to the C library


def _upper(letter: str) -> str:
    found = (letter.upper(), letter.title())
    return next((c for c in found if len(c) == 1), letter)
