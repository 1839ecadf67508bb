"""format(): `%[position$][-][width]type`, where the width too may be an argument (`*`, `*position$`).

A specifier without a position takes the argument after the one that was taken last, widths counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from planner.abc import SqlError
from planner.binding.prelude.text import quote_ident, quote_literal

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]

_HINT: Final = 'For a single "%" use "%%".'
_INT_MAX: Final = (1 << 31) - 1
_LENGTH_MAX: Final = 1 << 30
_DIGITS: Final = "0123456789"
_INTEGER: Final = re.compile(r"\s*[+-]?[0-9]{1,20}\s*", re.ASCII)


def _zero_position() -> SqlError:
    return SqlError("22023", "format specifies argument 0, but arguments are numbered from 1")


class _Template:
    """A format string that is read from left to right, and the arguments it takes."""

    def __init__(self, text: str, args: list[str | None]) -> None:
        self.text, self.args = text, args
        self.at = 0
        self.taken = 0  # the number of the argument that was taken last

    def run(self) -> str:
        out: list[str] = []
        while True:
            found = self.text.find("%", self.at)
            if found < 0:
                return "".join([*out, self.text[self.at :]])
            out.append(self.text[self.at : found])
            self.at = found
            self._advance()
            if self.text[self.at] == "%":
                out.append("%")
            else:
                out.append(self._specifier())
            self.at += 1

    def _advance(self) -> None:
        self.at += 1
        if self.at >= len(self.text):
            raise SqlError("22023", "unterminated format() type specifier", hint=_HINT)

    def _number(self) -> int | None:
        start = self.at
        while self.text[self.at] in _DIGITS:
            self._advance()
        if self.at == start:
            return None
        number = int(self.text[start : self.at])
        if number > _INT_MAX:
            raise SqlError("22003", "number is out of range")
        return number

    def _take(self, position: int) -> str | None:
        self.taken = position or self.taken + 1
        if self.taken > len(self.args):
            raise SqlError("22023", "too few arguments for format()")
        return self.args[self.taken - 1]

    def _specifier(self) -> str:
        position, width, left = 0, 0, False
        width_position: int | None = None
        first = self._number()
        if first is not None and self.text[self.at] != "$":
            width = first
        else:
            if first is not None:
                if first == 0:
                    raise _zero_position()
                position = first
                self._advance()
            while self.text[self.at] == "-":
                left = True
                self._advance()
            if self.text[self.at] == "*":
                width_position = self._width_position()
            else:
                width = self._number() or 0
        kind = self.text[self.at]
        if kind not in "sIL":
            raise SqlError("22023", f'unrecognized format() type specifier "{kind}"', hint=_HINT)
        if width_position is not None:
            width = _width(self._take(width_position))
        shown = _shown(kind, self._take(position))
        if abs(width) >= _LENGTH_MAX:
            raise SqlError("54000", "requested length too large")
        return shown.ljust(abs(width)) if left or width < 0 else shown.rjust(width)

    def _width_position(self) -> int:
        """Which argument the width is; 0: the next one."""
        self._advance()
        position = self._number()
        if position is None:
            return 0
        if self.text[self.at] != "$":
            raise SqlError("22023", 'width argument position must be ended by "$"')
        if position == 0:
            raise _zero_position()
        self._advance()
        return position


def _width(value: str | None) -> int:
    if value is None:
        return 0
    if _INTEGER.fullmatch(value) is None:
        raise SqlError("22P02", f'invalid input syntax for type integer: "{value}"')
    width = int(value)
    if not -_INT_MAX <= width <= _INT_MAX:
        raise SqlError("22003", "number is out of range")
    return width


def _shown(kind: str, value: str | None) -> str:
    if kind == "s":
        return value or ""
    if kind == "L":
        return "NULL" if value is None else quote_literal(value)
    if value is None:
        raise SqlError("22004", "null values cannot be formatted as an SQL identifier")
    return quote_ident(value)


FUNCTIONS: list[Entry] = [
    ("tw_format", lambda text, args: _Template(text, args).run(), ("VARCHAR", "VARCHAR[]"), "VARCHAR"),
]
