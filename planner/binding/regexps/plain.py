"""Regular expressions that DuckDB's own engine reads as PostgreSQL does, and so finds in a twentieth of the time.

^User (1|2)[0-9]+     letters, digits, signs, sets of these, one quantifier behind a piece, alternatives
\\d, \\m, x{3}, a*?    are not: other letters are digits there, and what takes as little as it can is another match
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.binding.regexps.translation import compile_pattern

_LETTERS: Final = r"[A-Za-z0-9 _@,;:=<>/%&#'\"!~-]"
_ESCAPED: Final = r"\\[.^$*+?(){}|\[\]\\-]"
_LENGTH_MAX: Final = 1_000
_SET: Final = r"\[\^?[A-Za-z0-9 _.@-]+\]"
_PLAIN: Final = re.compile(
    rf"(?:(?:{_LETTERS}|\.|{_ESCAPED}|{_SET}|\))(?:[*+?](?![*+?]))?|[\^$|]|\((?:\?:|(?!\?))(?!\)))*"
)


@lru_cache(maxsize=256)
def plain_pattern(pattern: str, flags: str = "") -> str | None:
    """The pattern for DuckDB, if it is one of these; None: it is not, or it cannot be compiled, which is said when it runs.

    `flags`: "i" where letters match in both cases, which are written out: DuckDB's engine knows more letters that are alike (ſ and s).
    """
    if len(pattern) > _LENGTH_MAX or _PLAIN.fullmatch(pattern) is None:
        return None
    try:
        compile_pattern(pattern, "")
    except SqlError:
        return None
    return _PIECE.sub(_in_both_cases, pattern) if "i" in flags else pattern


_PIECE: Final = re.compile(r"\\.|\[\^?([^\]]*)\]|[A-Za-z]", re.DOTALL)
_IN_SET: Final = re.compile(r"(\w)-(\w)|[A-Za-z]")


def _in_both_cases(piece: re.Match[str]) -> str:
    text = piece[0]
    if text[0] == "\\":
        return text
    if text[0] != "[":
        return f"[{text.upper()}{text.lower()}]"
    more = "".join(_other_cases(x) for x in _IN_SET.finditer(text))
    return f"{text[:-1]}{more}]" if more and text[-2] != "-" else f"{text[:-2]}{more}-]" if more else text


def _other_cases(piece: re.Match[str]) -> str:
    """What a letter, or the letters of a range, are in the other case."""
    first, last = (piece[1], piece[2]) if piece[1] else (piece[0], piece[0])
    letters = (chr(c) for c in range(ord(first), ord(last) + 1))
    return "".join(c.swapcase() for c in letters if c.isascii() and c.isalpha())


_BEGINNING: Final = re.compile(r"\^([A-Za-z0-9 _@,;:=<>/%&#'\"!~-]*)([*?]?)")
_SIMILAR: Final = re.compile(r"\^\(\?:([^()]*)\)\$", re.DOTALL)
"""What SIMILAR TO becomes, where it has no groups."""


@lru_cache(maxsize=256)
def beginning(pattern: str) -> str:
    """What every text begins with in which the pattern is found; empty: who knows."""
    similar = _SIMILAR.fullmatch(pattern)
    if similar is not None:
        pattern = f"^{similar[1]}"
    found = _BEGINNING.match(pattern)
    if found is None or "|" in pattern or plain_pattern(pattern) is None:
        return ""
    return found[1][:-1] if found[2] else found[1]


__all__ = ["beginning", "plain_pattern"]
