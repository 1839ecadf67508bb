"""Templates of dates and times, cut into pieces: `FMMonth DD "of" YYYY` -> Month without blanks, a space, DD, ...

Patterns are written in capitals or in small letters; of some the case says how a name is shown (`Mon`). Whatever is no pattern
is text: a space, a separator (any other sign), or a character, which is also what stands in double quotes. Writing makes no
difference between them, reading does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

CHARACTER: Final = "character"
SPACE: Final = "space"
SEPARATOR: Final = "separator"

_UPPER: Final = [
    "A.D.",
    "A.M.",
    "AD",
    "AM",
    "B.C.",
    "BC",
    "CC",
    "DAY",
    "DDD",
    "DD",
    "DY",
    "D",
    "FF1",
    "FF2",
    "FF3",
    "FF4",
    "FF5",
    "FF6",
    "FX",
    "HH24",
    "HH12",
    "HH",
    "IDDD",
    "ID",
    "IW",
    "IYYY",
    "IYY",
    "IY",
    "I",
    "J",
    "MI",
    "MM",
    "MONTH",
    "MON",
    "MS",
    "OF",
    "P.M.",
    "PM",
    "Q",
    "RM",
    "SSSSS",
    "SSSS",
    "SS",
    "TZH",
    "TZM",
    "TZ",
    "US",
    "WW",
    "W",
    "Y,YYY",
    "YYYY",
    "YYY",
    "YY",
    "Y",
]
_PATTERNS: Final = sorted(
    [*_UPPER, *(p.lower() for p in _UPPER), "Day", "Dy", "Month", "Mon"], key=len, reverse=True
)
_BY_LETTER: Final = {c: [p for p in _PATTERNS if p[0] == c] for c in {p[0] for p in _PATTERNS}}
_NAMES: Final = frozenset(("MONTH", "DAY"))
_NO_DIGITS: Final = frozenset(
    [
        "A.D.",
        "A.M.",
        "AD",
        "AM",
        "B.C.",
        "BC",
        "DAY",
        "DY",
        "FX",
        "MONTH",
        "MON",
        "OF",
        "P.M.",
        "PM",
        "RM",
        "TZH",
        "TZ",
    ]
)


@dataclass(frozen=True, slots=True)
class Piece:
    pattern: str  # "" for literal text
    text: str = ""  # one character of it
    fill: bool = True
    suffix: str = ""
    literal: str = CHARACTER

    @property
    def takes_digits(self) -> bool:
        """Whether what this piece matches may begin with a digit that the piece before would have taken, too."""
        if self.pattern:
            return self.pattern.upper() not in _NO_DIGITS
        return self.text.isascii() and self.text.isdigit()


@lru_cache(maxsize=512)
def pieces(template: str) -> tuple[Piece, ...]:
    out: list[Piece] = []
    i, n = 0, len(template)
    while i < n:
        prefix = template[i : i + 2].upper() if template[i : i + 2] in ("FM", "fm", "TM", "tm") else ""
        i += len(prefix)
        if i >= n:
            break
        found = next((p for p in _BY_LETTER.get(template[i], ()) if template.startswith(p, i)), None)
        if found is not None:
            i += len(found)
            suffix = template[i : i + 2] if template[i : i + 2] in ("TH", "th", "SP") else ""
            i += len(suffix)
            fill = prefix != "FM" and not (prefix == "TM" and found.upper() in _NAMES)
            out.append(Piece(found, "", fill, suffix if suffix != "SP" else ""))
        elif template[i] == '"':
            i = _quoted(template, i + 1, out)
        else:
            # A backslash means something only before a double quote.
            i += template.startswith('\\"', i)
            out.append(Piece("", template[i], literal=_kind(template[i])))
            i += 1
    return tuple(out)


def _quoted(template: str, i: int, out: list[Piece]) -> int:
    """Takes the characters up to the closing quote; answers where it goes on."""
    while i < len(template) and template[i] != '"':
        i += template[i] == "\\" and i + 1 < len(template)
        out.append(Piece("", template[i]))
        i += 1
    return i + 1


def _kind(c: str) -> str:
    if is_separator(c):
        return SEPARATOR
    return SPACE if c.isspace() else CHARACTER


def is_separator(c: str) -> bool:
    """A printable ASCII character that is no letter and no digit."""
    return "\x20" < c < "\x7f" and not c.isalnum()
