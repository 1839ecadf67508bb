"""Upper and lower case as ICU has them for a language, which may make one letter two.

    upper('straße')            STRASSE
    lower('ΟΔΟΣ')              οδος         the last sigma of a word has a form of its own
    lower('KISA', 'tr')        kısa         Turkish and Azeri tell the dotted i from the one without
    initcap('l''été', 'fr')    L'été        an apostrophe within a word does not end it

Python has Unicode's rules for all languages; those of single ones are here, or refused (`collating`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Final

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]

_V: Final = "VARCHAR"
DOTTED: Final = frozenset(("tr", "az"))
"""Languages with a dotted and a dotless i."""
OF_THEIR_OWN: Final = {
    "lower": frozenset(("lt",)),
    "upper": frozenset(("lt", "el", "hy")),
    "initcap": frozenset(("lt", "nl", "el", "hy")),
}
"""Languages with rules for single letters that are not here."""

_DOT: Final = "\u0307"
_WORD: Final = re.compile(r"\w(?:\w|['.\u00b7\u2018\u2019\u2024\u2027](?=[^\W\d_])|[',.;](?=\d))*")


def lower(text: str, language: str) -> str:
    if language not in DOTTED or not ("I" in text or "İ" in text):
        return text.lower()
    return _lower_dotted(text)


def _lower_dotted(text: str) -> str:
    out: list[str] = []
    for i, c in enumerate(text):
        if c == "İ" or (c == "I" and _dotted(text, i + 1)):
            out.append("i")
        elif c == "I":
            out.append("ı")
        elif c == _DOT and _after_i(text, i):
            continue
        else:
            out.append(c)
    return "".join(out).lower()


def _dotted(text: str, at: int) -> bool:
    """Whether a dot above follows the letter, with nothing but marks of other places between."""
    for c in text[at:]:
        if c == _DOT:
            return True
        if unicodedata.combining(c) in (0, 230):
            return False
    return False


def _after_i(text: str, at: int) -> bool:
    for c in reversed(text[:at]):
        if c == "I":
            return True
        if unicodedata.combining(c) in (0, 230):
            return False
    return False


def upper(text: str, language: str) -> str:
    return (text.replace("i", "İ") if language in DOTTED else text).upper()


def initcap(text: str, language: str) -> str:
    return _WORD.sub(lambda m: _titled(m[0], language), text)


def _titled(word: str, language: str) -> str:
    first = "İ" if word[0] == "i" and language in DOTTED else word[0].title()
    return first + lower(word, language)[len(lower(word[0], language)) :]


FUNCTIONS: list[Entry] = [
    ("tw_lower_as", lower, (_V, _V), _V),
    ("tw_upper_as", upper, (_V, _V), _V),
    ("tw_initcap_as", initcap, (_V, _V), _V),
]
