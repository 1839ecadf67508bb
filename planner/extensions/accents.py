"""unaccent: letters without their accents, and plain signs in the place of typographic ones.

    Hôtel -> Hotel      Æsir -> AEsir      № -> No      ½ -> 1/2

PostgreSQL reads a file of rules, made of Unicode's data and of CLDR's Latin-ASCII. Here the table is made of what Python knows
of Unicode: decompositions (of Latin and Greek letters; of Cyrillic ones Ё alone), names (`LATIN SMALL LETTER B WITH HOOK` is a
b), and a short list of the rest. Of PostgreSQL's rules nine of ten are the same, all of Latin-1, Latin Extended-A and Greek
among them; the rest are rare signs (docs/compatibility.md).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_PLAIN: Final = {
    "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "Đ": "D", "đ": "d", "Ð": "D", "ð": "d", "Þ": "TH", "þ": "th",
    "ß": "ss", "ẞ": "SS", "ı": "i", "ĸ": "q", "Ŋ": "N", "ŋ": "n", "ſ": "s", "ŉ": "'n", "Ŀ": "L", "ŀ": "l", "ƕ": "hv", "Ɩ": "I", "Ɖ": "D",
    "Ɛ": "E", "ɛ": "e", "Ƣ": "OI", "ƣ": "oi", "ȸ": "db", "ȹ": "qp", "Ё": "Е", "ё": "е",
    "ȷ": "j", "Ʉ": "U", "ʉ": "u", "ẚ": "a", "ẜ": "s", "ẝ": "s", "Ǆ": "DZ", "ǅ": "Dz", "ǆ": "dz", "℃": "°C", "℉": "°F", "㏗": "pH",
    "¡": "!", "¿": "?", "«": "<<", "»": ">>", "×": "*", "÷": "/", "±": "+/-", "©": "(C)", "®": "(R)", "\xad": "-",
    "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "―": "-", "−": "-", "‖": "||", "‘": "'", "’": "'", "‚": ",", "‛": "'",
    "“": '"', "”": '"', "„": ",,", "‟": '"', "‹": "<", "›": ">", "′": "'", "″": '"', "⁄": "/", "⁎": "*", "⁅": "[", "⁆": "]",
    "₠": "CE", "₢": "Cr", "₣": "Fr.", "₤": "L.", "₧": "Pts", "₹": "Rs", "₺": "TL", "∕": "/", "∖": "\\", "∣": "|", "∥": "||", "≪": "<<",
    "≫": ">>", "⦅": "((", "⦆": "))", "℗": "(P)", "℘": "P", "℞": "Rx", "ʹ": "'", "ʺ": '"', "ʻ": "'", "ʼ": "'", "ʽ": "'", "˂": "<", "˃": ">",
    "˄": "^", "ˆ": "^", "ˈ": "'", "ˋ": "`", "ː": ":", "˖": "+", "˗": "-", "˜": "~", "、": ",", "。": ".", "〇": "0", "〈": "<", "〉": ">",
    "《": "<<", "》": ">>", "〔": "[", "〕": "]", "〘": "[", "〙": "]", "〚": "[", "〛": "]", "〝": '"', "〞": '"',
}  # fmt: skip
_NAMED: Final = re.compile(
    r"LATIN (CAPITAL|SMALL) (?:LETTER|LIGATURE|LETTER SCRIPT|LETTER MIDDLE-WELSH) ([A-Z]{1,2})(?: DIGRAPH)?(?: WITH [A-Z -]*)?"
)
_SMALL_CAPITAL: Final = re.compile(
    r"LATIN (?:LETTER|CAPITAL LETTER) SMALL CAPITAL ([A-Z]{1,2})(?: WITH [A-Z -]*)?"
)
_KEPT: Final = frozenset(
    ("<super>", "<sub>", "<circle>", "<noBreak>", "<initial>", "<final>", "<isolated>", "<medial>")
)
_STAY: Final = frozenset("ƟǢǣǼǽǾǿȠȢȣɋ")


@lru_cache(maxsize=1)
def rules() -> dict[int, str]:
    """What each character becomes that does not stay."""
    found = {}
    for code in (
        *range(0x80, 0x3400),
        *range(0xA720, 0xAB70),
        *range(0xFB00, 0xFB07),
        *range(0xFE00, 0xFFEF),
        *range(0x1F100, 0x1F12A),
    ):
        made = _rule(chr(code))
        if made is not None:
            found[code] = made
    return found


def _rule(c: str) -> str | None:
    if c in _PLAIN or c in _STAY:
        return _PLAIN.get(c)
    code = ord(c)
    if 0x300 <= code <= 0x362 or (0x20DD <= code <= 0x20E4 and code != 0x20E1):
        return ""
    shape = unicodedata.decomposition(c)
    how = shape.split(" ")[0] if shape.startswith("<") else ""
    if shape and how not in _KEPT:
        return _decomposed(c, how)
    name = unicodedata.name(c, "")
    named = _NAMED.fullmatch(name)
    if named is not None and how not in _KEPT:
        return named[2] if named[1] == "CAPITAL" else named[2].lower()
    small = _SMALL_CAPITAL.fullmatch(name)
    return small[1] if small is not None else None


def _decomposed(c: str, how: str) -> str | None:
    """A letter without its marks, or the plain signs that a character stands for."""
    whole = unicodedata.normalize("NFKD", c)
    if how == "<fraction>":
        return whole.replace("⁄", "/")
    bare = "".join(_PLAIN.get(x, x) for x in whole if unicodedata.category(x) != "Mn")
    if not bare or bare == c or bare.isspace() or (how and len(whole) != len(bare)):
        return None
    if how:
        return bare if bare.isascii() else None
    bare = "".join(x for x in whole if unicodedata.category(x) != "Mn")
    greek = all(unicodedata.name(x, "").startswith("GREEK ") for x in bare)
    single = " " not in unicodedata.decomposition(c)
    return bare if not single and (bare.isascii() or greek) and bare.isalpha() else None


def unaccent(text: str) -> str:
    """The text without accents."""
    return text if text.isascii() else text.translate(rules())
