"""Characters in brackets by POSIX's names: `[[.hyphen.]]`, `[[.a.]]`, and equivalence classes, which have one member each.

"[.hyphen.]x]"  at 0    ->   "-", 10          "[=a=]-z]"  at 0   ->   "a", 5
"""

from __future__ import annotations

from typing import Final

from planner.abc import SqlError

_CONTROLS: Final = "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC IS4 IS3 IS2 IS1"
_PRINTED: Final = (
    "space exclamation-mark quotation-mark number-sign dollar-sign percent-sign ampersand apostrophe left-parenthesis "
    "right-parenthesis asterisk plus-sign comma hyphen period slash zero one two three four five six seven eight nine colon "
    "semicolon less-than-sign equals-sign greater-than-sign question-mark commercial-at"
)
_NAMED: Final = {
    **{name: chr(i) for i, name in enumerate(_CONTROLS.split())},
    **{name: chr(32 + i) for i, name in enumerate(_PRINTED.split())},
    **dict(zip(["alert", "backspace", "tab", "newline", "vertical-tab", "form-feed", "carriage-return"], "\a\b\t\n\v\f\r", strict=True)),
    "hyphen-minus": "-", "full-stop": ".", "solidus": "/", "left-square-bracket": "[", "backslash": "\\",
    "reverse-solidus": "\\", "right-square-bracket": "]", "circumflex": "^", "circumflex-accent": "^", "underscore": "_",
    "low-line": "_", "grave-accent": "`", "left-brace": "{", "left-curly-bracket": "{", "vertical-line": "|",
    "right-brace": "}", "right-curly-bracket": "}", "tilde": "~", "DEL": "\x7f",
}  # fmt: skip


def element(pattern: str, at: int) -> tuple[str, int]:
    """The character of `[.name.]` or `[=name=]` at a place, and what comes after it. Raises 2201B."""
    end = pattern.find(pattern[at + 1] + "]", at + 2)
    if end < 0:
        raise SqlError("2201B", "invalid regular expression: brackets [] not balanced")
    name = pattern[at + 2 : end]
    found = name if len(name) == 1 else _NAMED.get(name)
    if found is None:
        raise SqlError("2201B", "invalid regular expression: invalid collating element")
    return found, end + 2


__all__ = ["element"]
