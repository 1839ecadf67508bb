"""The words of a path, by PostgreSQL's lexical rules.

Words may hold escapes, `$name` and `$"any name"` are variables, comments are `/* */`, and a number that runs on into a
word is an error. Tokens are made on demand, so that of several errors the first in the text is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from planner.abc import SqlError

_OTHER = r"[^?%$.\[\]{}()|&!=<>@#,*:\-+/\\\" \t\n\r\f]"
_WORD: Final = re.compile(_OTHER + "+")
_ONE: Final = re.compile(_OTHER)
_BLANK: Final = re.compile(r"[ \t\n\r\f]+")
_INTEGER = r"(?:0|[1-9][0-9]*)"
_DECIMAL = rf"(?:{_INTEGER}\.[0-9]*|\.[0-9]+)"
_NUMBER: Final = re.compile(rf"(?:{_DECIMAL}|{_INTEGER})(?:[Ee][-+]?[0-9]+)?")
_CUT_OFF: Final = re.compile(rf"(?:{_DECIMAL}|{_INTEGER})[Ee][-+]")
_UNICODE: Final = re.compile(r"\\u([0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,6}\})")
_UNICODE_CUT: Final = re.compile(r"\\u([0-9A-Fa-f]{0,3}|\{[0-9A-Fa-f]{0,6})")
_HEX: Final = re.compile(r"\\x([0-9A-Fa-f]{2})")
_HEX_CUT: Final = re.compile(r"\\x[0-9A-Fa-f]{0,1}")
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OPERATORS: Final = ("&&", "||", "**", "<=", "==", "<>", "!=", ">=", "<", ">", "!")
_KEYWORDS: Final = frozenset(
    [
        "is",
        "to",
        "abs",
        "lax",
        "flag",
        "last",
        "null",
        "size",
        "true",
        "type",
        "with",
        "false",
        "floor",
        "double",
        "exists",
        "starts",
        "strict",
        "ceiling",
        "unknown",
        "datetime",
        "keyvalue",
        "like_regex",
    ]
)
_LOWER_ONLY: Final = frozenset(("null", "true", "false"))


@dataclass(frozen=True, slots=True)
class Token:
    """kind: `word`, `string`, `variable`, `number`, `integer`, `end`, a keyword, or the operator itself.

    `shown` is what an error says that it is near to: of a word the blanks behind it.
    """

    kind: str
    value: str
    shown: str


def path_error(message: str, shown: str) -> SqlError:
    place = f'at or near "{shown}"' if shown else "at end"
    return SqlError("42601", f"{message} {place} of jsonpath input")


def tokens(text: str) -> Iterator[Token]:
    """Raises 42601, 22P02, 22P05 where it gets to."""
    at = 0
    while True:
        at = _skipped(text, at)
        if at >= len(text):
            yield Token("end", "", "")
            return
        c = text[at]
        if c == '"':
            value, at = _quoted(text, at + 1)
            yield Token("string", value, '"')
        elif c == "$" and text.startswith('$"', at):
            value, at = _quoted(text, at + 2)
            yield Token("variable", value, '"')
        elif c == "$" and (word := _WORD.match(text, at + 1)) is not None:
            at = word.end()
            yield Token("variable", word[0], "$" + word[0])
        elif (number := _NUMBER.match(text, at)) is not None:
            at = number.end()
            _refuse_junk(text, number)
            yield Token("integer" if number[0].isdigit() else "number", number[0], number[0])
        elif c == "\\" or _ONE.match(text, at):
            token, at = _word(text, at)
            yield token
        else:
            found = next((o for o in _OPERATORS if text.startswith(o, at)), c)
            at += len(found)
            yield Token({"<>": "!="}.get(found, found), found, found)


def _skipped(text: str, at: int) -> int:
    """Behind blanks and comments."""
    while True:
        blank = _BLANK.match(text, at)
        if blank is not None:
            at = blank.end()
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise path_error("unexpected end of comment", "")
            at = end + 2
        else:
            return at


def _refuse_junk(text: str, number: re.Match[str]) -> None:
    end = number.end()
    cut = _CUT_OFF.match(text, number.start())
    if cut is not None and cut.end() > end:
        raise path_error("trailing junk after numeric literal", cut[0])
    if _ONE.match(text, end):
        raise path_error("trailing junk after numeric literal", text[number.start() : end + 1])


def _word(text: str, at: int) -> tuple[Token, int]:
    """A word without quotes, with its escapes; a keyword if it is spelled like one."""
    out = ""
    while at < len(text):
        plain = _WORD.match(text, at)
        if plain is not None:
            out, at = out + plain[0], plain.end()
        elif text[at] == "\\":
            part, at = _escape(text, at)
            out += part
        else:
            break
    blank = _BLANK.match(text, at)
    lower = out.lower()
    is_keyword = lower in _KEYWORDS and (lower not in _LOWER_ONLY or out == lower)
    return Token(lower if is_keyword else "word", out, blank[0] if blank is not None else ""), at


def _quoted(text: str, at: int) -> tuple[str, int]:
    out = ""
    while True:
        if at >= len(text):
            raise path_error("unexpected end of quoted string", "")
        if text[at] == '"':
            return out, at + 1
        if text[at] == "\\":
            part, at = _escape(text, at)
        else:
            part, at = text[at], at + 1
        out += part


def _escape(text: str, at: int) -> tuple[str, int]:
    """What a backslash (and the Unicode escapes right behind it) stands for."""
    if _UNICODE_CUT.match(text, at):
        return _unicode(text, at)
    if text.startswith("\\x", at):
        found = _HEX.match(text, at)
        if found is None:
            cut = _HEX_CUT.match(text, at)
            assert cut is not None
            raise path_error("invalid hex character sequence", cut[0])
        return _character(int(found[1], 16)), found.end()
    if at + 1 >= len(text):
        raise path_error("unexpected end after backslash", "\\")
    return _SHORT.get(text[at + 1], text[at + 1]), at + 2


def _unicode(text: str, at: int) -> tuple[str, int]:
    start, codes = at, []
    while (found := _UNICODE.match(text, at)) is not None:
        codes.append(int(found[1].strip("{}"), 16))
        at = found.end()
    cut = _UNICODE_CUT.match(text, at)
    if cut is not None:
        raise path_error("invalid unicode sequence", text[start : cut.end()])
    out, high = "", 0
    for code in codes:
        if 0xD800 <= code <= 0xDBFF:
            if high:
                raise _invalid("Unicode high surrogate must not follow a high surrogate.")
            high = code
        elif 0xDC00 <= code <= 0xDFFF:
            if not high:
                raise _invalid("Unicode low surrogate must follow a high surrogate.")
            out, high = out + _character(0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)), 0
        elif high:
            raise _invalid("Unicode low surrogate must follow a high surrogate.")
        else:
            out += _character(code)
    if high:
        raise _invalid("Unicode low surrogate must follow a high surrogate.")
    return out, at


def _invalid(detail: str) -> SqlError:
    return SqlError("22P02", "invalid input syntax for type jsonpath", detail=detail)


def _character(code: int) -> str:
    if code == 0:
        raise SqlError(
            "22P05", "unsupported Unicode escape sequence", detail="\\u0000 cannot be converted to text."
        )
    if code > 0x10FFFF:
        raise SqlError(
            "22P02", "invalid input syntax for type jsonpath", detail="Unicode code point is out of range."
        )
    return chr(code)
