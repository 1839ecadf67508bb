"""LIKE, as PostgreSQL matches: `%` is any text, `_` one character, a backslash takes the next character as it is.

    'ab%c_e%'   ->   ab at the beginning, then c?e somewhere behind, then anything

What stands between two `%` is of a fixed length, so it is enough to look for each of these in turn, from where the one before it
ended: nothing is tried twice, however long the text. A pattern that ends with a backslash is an error only where the match comes
to it; such a pattern is walked through as PostgreSQL walks.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from executor.abc import ExecutionError
from executor.keyed.registry import scalar
from planner.types.letter_case import lowered

_ESCAPE: Final = "\\"


@lru_cache(maxsize=1_024)
def _pieces(pattern: str) -> tuple[tuple[re.Pattern[str], int], ...] | None:
    """What stands between the `%`s, each with its length; None: the pattern ends with a backslash."""
    pieces: list[list[str]] = [[]]
    characters = iter(pattern)
    for c in characters:
        if c == "%":
            pieces.append([])
            continue
        if c == _ESCAPE:
            taken = next(characters, None)
            if taken is None:
                return None
            pieces[-1].append(re.escape(taken))
        else:
            pieces[-1].append("." if c == "_" else re.escape(c))
    return tuple((re.compile("".join(p), re.DOTALL), len(p)) for p in pieces)


@scalar("text ~~ text")
def like(text: str, pattern: str) -> bool:
    pieces = _pieces(pattern)
    if pieces is None:
        return _walked(text, 0, pattern, 0) is True
    first, length = pieces[0]
    if len(pieces) == 1:
        return first.fullmatch(text) is not None
    if first.match(text) is None:
        return False
    at = length
    for piece, length in pieces[1:-1]:
        found = piece.search(text, at)
        if found is None:
            return False
        at = found.start() + length
    last, length = pieces[-1]
    return len(text) - length >= at and last.match(text, len(text) - length) is not None


@scalar("text !~~ text")
def not_like(text: str, pattern: str) -> bool:
    return not like(text, pattern)


@scalar("text ~~* text")
def like_in_any_case(text: str, pattern: str) -> bool:
    return like(lowered(text), lowered(pattern))


@scalar("text !~~* text")
def not_like_in_any_case(text: str, pattern: str) -> bool:
    return not like(lowered(text), lowered(pattern))


def _walked(text: str, i: int, pattern: str, j: int) -> bool | None:
    """Whether the rest of the text matches the rest of the pattern; None: nor does any shorter rest."""
    while i < len(text) and j < len(pattern):
        c = pattern[j]
        if c == "%":
            return _behind_any(text, i, pattern, j + 1)
        if c == _ESCAPE:
            j += 1
            c = _next(pattern, j)
            if c != text[i]:
                return False
        elif c not in ("_", text[i]):
            return False
        i, j = i + 1, j + 1
    if i < len(text):
        return False
    return True if not pattern[j:].strip("%") else None


def _behind_any(text: str, i: int, pattern: str, j: int) -> bool | None:
    while j < len(pattern) and pattern[j] in "%_":
        if pattern[j] == "_":
            if i >= len(text):
                return None
            i += 1
        j += 1
    if j >= len(pattern):
        return True
    first = pattern[j] if pattern[j] != _ESCAPE else _next(pattern, j + 1)
    for k in range(i, len(text)):
        if text[k] == first:
            matched = _walked(text, k, pattern, j)
            if matched is not False:
                return matched
    return None


def _next(pattern: str, j: int) -> str:
    if j >= len(pattern):
        raise ExecutionError("22025", "LIKE pattern must not end with escape character")
    return pattern[j]
