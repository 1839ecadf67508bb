"""Texts as an attribute of an ICU locale wants them ordered: said otherwise, so that ICU's plain order of the language is the one that is meant.

    kn-true       a10 -> a210, a2 -> a12       a number by its length, then by its digits; zeros before it say nothing
    kf-upper      Ab -> aB                     what is small in it is what comes first: the large letters
    ka-shifted    a-b c -> abc                 blanks and punctuation are not there

DuckDB's ICU knows languages, and no attributes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Final

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V: Final = "VARCHAR"
_NUMBER: Final = re.compile(r"\d+")
_LONG: Final = 9


def with_attributes(text: str, attributes: str) -> str:
    """The text whose plain order is that of the text under these attributes, which blanks part."""
    wanted = attributes.split(" ")
    if "kn-true" in wanted:  # before what parts two numbers is passed over
        text = _NUMBER.sub(_by_length, text)
    if "kf-upper" in wanted:
        text = "".join(map(_other_case, text))
    if "ka-shifted" in wanted:
        text = "".join(c for c in text if not _is_passed_over(c))
    return text


def _is_passed_over(c: str) -> bool:
    return unicodedata.category(c)[0] in "ZP" or c in "\t\n\v\f\r\x85"


def _other_case(c: str) -> str:
    other = c.swapcase()
    return other if len(other) == 1 and other.swapcase() == c else c


def _by_length(found: re.Match[str]) -> str:
    digits = "".join(str(unicodedata.decimal(c)) for c in found[0]).lstrip("0") or "0"
    length = len(digits)
    return (str(length) if length < _LONG else f"{_LONG}{length:010}") + digits


FUNCTIONS: list[Entry] = [("tw_collated_text", with_attributes, (_V, _V), _V)]
