"""What a text is made of for a search: words, numbers, addresses, paths, tags, and what stands between them.

    tokens("a well-kept site: example.com/x")
        asciiword a | asciihword well-kept, hword_asciipart well, hword_asciipart kept | url example.com/x, host example.com, url_path /x

PostgreSQL's default parser, by the kinds of tokens that its manual describes; which of several readings it takes where they
overlap was found by asking it. At each place the readings are tried in an order; what none of them takes is blank.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

ASCIIWORD, WORD, NUMWORD, EMAIL, URL, HOST, SFLOAT, VERSION = 1, 2, 3, 4, 5, 6, 7, 8
NUMPART, PART, ASCIIPART, BLANK, TAG, PROTOCOL = 9, 10, 11, 12, 13, 14
NUMHWORD, ASCIIHWORD, HWORD, URL_PATH, FILE, FLOAT, INT, UINT, ENTITY = 15, 16, 17, 18, 19, 20, 21, 22, 23
KINDS: Final = {
    ASCIIWORD: ("asciiword", "Word, all ASCII"),
    WORD: ("word", "Word, all letters"),
    NUMWORD: ("numword", "Word, letters and digits"),
    EMAIL: ("email", "Email address"),
    URL: ("url", "URL"),
    HOST: ("host", "Host"),
    SFLOAT: ("sfloat", "Scientific notation"),
    VERSION: ("version", "Version number"),
    NUMPART: ("hword_numpart", "Hyphenated word part, letters and digits"),
    PART: ("hword_part", "Hyphenated word part, all letters"),
    ASCIIPART: ("hword_asciipart", "Hyphenated word part, all ASCII"),
    BLANK: ("blank", "Space symbols"),
    TAG: ("tag", "XML tag"),
    PROTOCOL: ("protocol", "Protocol head"),
    NUMHWORD: ("numhword", "Hyphenated word, letters and digits"),
    ASCIIHWORD: ("asciihword", "Hyphenated word, all ASCII"),
    HWORD: ("hword", "Hyphenated word, all letters"),
    URL_PATH: ("url_path", "URL path"),
    FILE: ("file", "File or path name"),
    FLOAT: ("float", "Decimal notation"),
    INT: ("int", "Signed integer"),
    UINT: ("uint", "Unsigned integer"),
    ENTITY: ("entity", "XML entity"),
}
"""By number: the alias and the description."""


class Token(NamedTuple):
    kind: int
    text: str


_LETTERS: Final = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd"))
_CIRCLED: Final = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))


def _is_letter(c: str, *, first: bool) -> bool:
    category = unicodedata.category(c)
    if category in _LETTERS:
        return True
    if category[0] == "M":  # of marks those that are vowels stand for themselves
        return not first or not unicodedata.combining(c)
    return category == "So" and any(low <= ord(c) <= high for low, high in _CIRCLED)


_PLANES: Final = (range(0x80, 0xD800), range(0xE000, 0x40000), range(0xE0000, 0xF0000))
"""Where letters may be: what is between is nobody's yet, what is behind is private."""


def _class(*, first: bool) -> str:
    """The letters beyond ASCII, as ranges of a pattern's class."""
    out: list[str] = []
    category = unicodedata.category
    for plane in _PLANES:
        start = -1
        for code in plane:
            c = chr(code)
            said = category(c)
            inside = said in _LETTERS or (said[0] in "MS" and _is_letter(c, first=first))
            if inside and start < 0:
                start = code
            elif not inside and start >= 0:
                out.append(f"{chr(start)}-{chr(code - 1)}")
                start = -1
        if start >= 0:
            out.append(f"{chr(start)}-{chr(plane[-1])}")
    return "".join(out)


_HOST: Final = r"[A-Za-z0-9]+(?:[-_]+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:[-_]+[A-Za-z0-9]+)*)*\.[A-Za-z]{2,}(?![A-Za-z0-9])(?::[0-9]+)?"
_LOCAL: Final = r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*"
_PATH: Final = r"/[!#$%&'()*+,\-./:;=?@_~A-Za-z0-9]+"
_PIECE: Final = r"[A-Za-z0-9_][A-Za-z0-9_-]*"
_PIECES: Final = rf"(?:[./]{_PIECE}|/\.{_PIECE}|/\.\.?(?=/[A-Za-z0-9_.])|/\.\.(?![A-Za-z0-9_.]))"
_ROOTED: Final = rf"(?:~|\.\.?)?(?:/\.\.?(?=/))*/\.?{_PIECE}{_PIECES}*|~{_PIECE}{_PIECES}*|(?:\.\.)?/\.\.(?![A-Za-z0-9_.])|\.\.(?=[\s/]|$)"
_TAG: Final = (
    r"<!--(?:.*?)-->|<\?xml[^>]*>|<![Dd][Oo][^>]*>"
    r"""|</?[A-Za-z_:][A-Za-z0-9_:.-]*(?:/?>|[\s](?:[\sA-Za-z0-9=\-_#/:.&?%~]|"[^"]*"|'[^']*')*>)"""
)


class _Patterns:
    """Compiled when the first text is read: the letters of all scripts are many."""

    def __init__(self) -> None:
        first, letter = f"A-Za-z{_class(first=True)}", f"A-Za-z{_class(first=False)}"
        self.word = re.compile(f"[{first}][{letter}]*|[0-9]+[{letter}][{letter}0-9]*")
        self.numbered = re.compile(f"[{letter}0-9]*")
        self.email = re.compile(f"({_LOCAL})@({_HOST})")
        self.host = re.compile(_HOST)
        self.path = re.compile(_PATH)
        self.protocol = re.compile(r"[A-Za-z]+://")
        self.file = re.compile(f"(?:[A-Za-z0-9]+|[{letter}]*[0-9][{letter}0-9]*){_PIECES}+")
        self.rooted = re.compile(_ROOTED)
        self.hyphenated = re.compile(
            f"(?:[{first}][{letter}0-9]*|[0-9]+[{letter}][{letter}0-9]*)(?:-[0-9]*[{letter}][{letter}0-9]*)+"
        )
        self.part = re.compile(f"[{letter}0-9]+|-")
        self.number = re.compile(
            r"(?P<sfloat>[-+]?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]+)|(?P<version>[0-9]+(?:\.[0-9]+){2,})"
            r"|(?P<float>[-+]?[0-9]+\.[0-9]+)|(?P<int>[-+][0-9]+)|(?P<uint>[0-9]+)"
        )
        # A word between blanks can be nothing else.
        self.easy = re.compile(r"([A-Za-z]+)(?:([ ]+)(?=[A-Za-z0-9])|(?=[\s,;!?()]|\Z))")
        self.tag = re.compile(_TAG, re.DOTALL)
        self.entity = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[A-Za-z_:][A-Za-z0-9_:.-]*);")
        self.blank = re.compile(f"[^{first}0-9][^{letter}0-9<+&/-]*")
        self.starts = re.compile(f"[{first}]")
        self.continues = re.compile(f"[{letter}]")


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    return _Patterns()


def tokens(text: str) -> Iterator[Token]:
    p = _patterns()
    at, n = 0, len(text)
    while at < n:
        if m := p.easy.match(text, at):
            yield Token(ASCIIWORD, m[1])
            if m[2]:
                yield Token(BLANK, m[2])
            at = m.end()
            continue
        found = list(_at(p, text, at))
        yield from found
        at += len(found[0].text)
        if found[0].kind in (NUMHWORD, ASCIIHWORD, HWORD) and text[at : at + 1] == "-":
            m = p.blank.match(text, at)
            assert m is not None, "a hyphen is blank"
            yield Token(BLANK, m[0])
            at += len(m[0])


_NUMBERS: Final = {"sfloat": SFLOAT, "version": VERSION, "float": FLOAT, "int": INT, "uint": UINT}


def _at(p: _Patterns, text: str, at: int) -> Iterator[Token]:
    """The token at a place, and those that it consists of."""
    c = text[at]
    if c == "<" and (m := p.tag.match(text, at)):
        yield Token(TAG, m[0])
        return
    if c == "&" and (m := p.entity.match(text, at)):
        yield Token(ENTITY, m[0])
        return
    if c in "/~." and (m := p.rooted.match(text, at)):
        yield Token(FILE, m[0])
        return
    if c in "+-0123456789":
        m = p.number.match(text, at)
        if m and _stands(text, m) and not (m.lastgroup == "uint" and _goes_on(p, text, m)):
            address = c in "0123456789" and (p.email.match(text, at) or p.host.match(text, at))
            if not address:
                yield Token(_NUMBERS[str(m.lastgroup)], m[0])
                return
    if c.isascii() and c.isalnum():
        yield from _ascii(p, text, at)
        return
    if p.starts.match(c):
        yield from _word(p, text, at)
        return
    m = p.blank.match(text, at)
    yield Token(BLANK, m[0] if m else c)


def _stands(text: str, m: re.Match[str]) -> bool:
    """Whether the number is none that only begins like one."""
    return not (
        m.lastgroup == "float" and m[0][0] in "+-" and re.match(r"\.[0-9]", text[m.end() : m.end() + 2])
    )


def _goes_on(p: _Patterns, text: str, m: re.Match[str]) -> bool:
    """Whether digits are the beginning of a word or of a path."""
    behind = text[m.end() : m.end() + 1]
    return bool(behind) and (p.continues.match(behind) is not None or behind == "/")


def _ascii(p: _Patterns, text: str, at: int) -> Iterator[Token]:
    if m := p.protocol.match(text, at):
        yield Token(PROTOCOL, m[0])
        return
    if m := p.email.match(text, at):
        yield Token(EMAIL, m[0])
        return
    if m := p.host.match(text, at):
        path = p.path.match(text, m.end())
        if path:
            yield Token(URL, m[0] + path[0])
        yield Token(HOST, m[0])
        if path:
            yield Token(URL_PATH, path[0])
        return
    yield from _word(p, text, at)


def _word(p: _Patterns, text: str, at: int) -> Iterator[Token]:
    if m := p.hyphenated.match(text, at):
        yield Token(_kind(m[0].replace("-", ""), NUMHWORD, ASCIIHWORD, HWORD), m[0])
        for part in p.part.findall(m[0]):
            yield Token(BLANK if part == "-" else _kind(part, NUMPART, ASCIIPART, PART), part)
        return
    m = p.file.match(text, at)
    if m:
        yield Token(FILE, m[0])
        return
    m = p.numbered.match(text, at)
    word = m[0] if m and m[0] else text[at]
    if word.isascii() and word.isdigit():
        yield Token(UINT, word)
        return
    yield Token(_kind(word, NUMWORD, ASCIIWORD, WORD), word)


def _kind(word: str, with_digits: int, ascii_letters: int, letters: int) -> int:
    if any(c in "0123456789" for c in word):
        return with_digits
    return ascii_letters if word.isascii() else letters
