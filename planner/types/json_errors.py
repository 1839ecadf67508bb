r"""Where in a JSON text something is wrong, as PostgreSQL says it: the line, as far as what could not be read.

    {"a": "\ud83dX", "b": 1}          CONTEXT:  JSON data, line 1: {"a": "\ud83dX...

The syntax of escapes is asked for by json's input already. Whether what they say can be text at all (not \u0000, nor half of
a pair of surrogates) only by those who read strings: jsonb's input, and every function that takes json apart, whichever
part of it is asked for.
"""

from __future__ import annotations

import re
from typing import Final

from planner.abc import SqlError

_SHOWN_MAX: Final = 50
_NEAR: Final = 3
"""Bytes that are shown at a line's beginning rather than dots."""
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SIGN: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\?.", re.DOTALL)


def invalid(detail: str, text: str, end: int) -> SqlError:
    """22P02, of what ends here."""
    return SqlError("22P02", "invalid input syntax for type json", detail=detail, context=context(text, end))


def context(text: str, end: int) -> str:
    """The line up to here; of a long one the last bytes."""
    line = text.count("\n", 0, end) + 1
    line_start = text.rfind("\n", 0, end) + 1
    shown = text[max(line_start, end - _SHOWN_MAX) : end]
    while len(shown.encode("utf-8", "surrogatepass")) >= _SHOWN_MAX:
        shown = shown[1:]
    cut = text[line_start : end - len(shown)]
    excerpt = "..." + shown if len(cut.encode("utf-8", "surrogatepass")) > _NEAR else cut + shown
    if end < len(text) and text[end] not in "\r\n":
        excerpt += "..."
    return f"JSON data, line {line}: {excerpt}"


def refuse_escapes(text: str) -> None:
    """Of a valid JSON text: 22P05 for a NUL among its strings, 22P02 for half of a pair of surrogates."""
    if "\\u" not in text:
        return
    for string in _STRING.finditer(text):
        if "\\u" in string[1]:
            _refuse(text, string.start(1), string.end(1))


def _refuse(text: str, start: int, stop: int) -> None:
    high = False
    for sign in _SIGN.finditer(text, start, stop):
        # An escape is read to its end, of other signs as much as tells that they are no low surrogate.
        code = int(sign[1], 16) if sign[1] else -1
        if high and 0xD800 <= code <= 0xDBFF:
            raise invalid("Unicode high surrogate must not follow a high surrogate.", text, sign.end())
        if high != (0xDC00 <= code <= 0xDFFF):
            raise invalid("Unicode low surrogate must follow a high surrogate.", text, sign.end())
        if code == 0:
            raise SqlError(
                "22P05",
                "unsupported Unicode escape sequence",
                detail="\\u0000 cannot be converted to text.",
                context=context(text, sign.end()),
            )
        high = 0xD800 <= code <= 0xDBFF
    if high:
        raise invalid("Unicode low surrogate must follow a high surrogate.", text, stop + 1)
