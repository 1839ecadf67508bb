"""Words as tsvector and tsquery write them: `cat`, `'two words'`, `it''s`, `a\\:b`, and what stands behind them.

'fat':2A,3 cat:5           in a tsvector: positions, each perhaps with a weight
'fat':A* & cat             in a tsquery: weights to be found, and whether it is a beginning
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, NoReturn

from planner.abc import SqlError

WHITESPACE: Final = " \t\n\r\v\f"
WORD_BYTES_MAX: Final = 2046
POSITION_MAX: Final = 16_383
POSITIONS_MAX: Final = 256
WEIGHTS: Final = "DCBA"
"""By their numbers: D, which is not written, is 0."""
OPERATORS: Final = frozenset("!&|()<")
_BLANKS: Final = re.compile(f"[{WHITESPACE}]*")
_PLAIN: Final = re.compile(rf"[^{WHITESPACE}!&|()<:\\'][^{WHITESPACE}!&|()<:\\]*+(?!\\)")
"""A word of a query that stands without quotes, and of which nothing is escaped,"""
_QUOTED: Final = re.compile(r"'([^'\\]++)'(?!')")
"""and one that stands within them. Others are read letter by letter."""


class Position(NamedTuple):
    place: int
    weight: int = 0


class SyntaxFault(Exception):
    """The text is not what it should be; who reads knows what to call it."""


class WordReader:
    """Takes words from a text, from a place on.

    `of_query`: operators end a word, and positions are none of its business. `plainly`: quotes and backslashes are letters
    like others (websearch_to_tsquery), but that a double quote ends a word.
    """

    def __init__(self, text: str, *, of_query: bool = False, plainly: bool = False) -> None:
        self.text, self.at = text, 0
        self.of_query, self.plainly = of_query, plainly

    def blanks(self) -> None:
        """Passes by what stands between words."""
        m = _BLANKS.match(self.text, self.at)
        assert m is not None
        self.at = m.end()

    def _ends(self, c: str) -> bool:
        return (self.of_query and c in OPERATORS) or (self.plainly and c == '"')

    def word(self) -> str | None:
        """The next word; None at the end. Raises SyntaxFault."""
        text, n = self.text, len(self.text)
        self.blanks()
        if self.at >= n:
            return None
        if not self.plainly:
            if (m := _QUOTED.match(text, self.at)) is not None:
                self.at = m.end()
                return m[1]
            if self.of_query and (m := _PLAIN.match(text, self.at)) is not None:
                self.at = m.end()
                return m[0]
        c = text[self.at]
        if c == "'" and not self.plainly:
            self.at += 1
            return self._quoted()
        if self._ends(c):
            raise SyntaxFault
        out: list[str] = []
        first = True
        while self.at < n:
            c = text[self.at]
            if c == "\\" and not self.plainly:
                self.at += 1
                if self.at >= n:
                    raise self._nothing_escaped()
                out.append(text[self.at])
            elif not first and (c in WHITESPACE or self._ends(c)):
                break
            elif not first and c == ":":
                if not out:
                    raise SyntaxFault
                break
            else:
                out.append(c)
            first = False
            self.at += 1
        return "".join(out)

    def _quoted(self) -> str:
        text, n = self.text, len(self.text)
        out: list[str] = []
        while True:
            if self.at >= n:
                raise SyntaxFault
            c = text[self.at]
            self.at += 1
            if c == "'":
                if self.at < n and text[self.at] == "'":
                    self.at += 1
                else:
                    break
            elif c == "\\":
                if self.at >= n:
                    raise self._nothing_escaped()
                c = text[self.at]
                self.at += 1
            out.append(c)
        if not out:
            raise SyntaxFault
        return "".join(out)

    def _nothing_escaped(self) -> SqlError:
        return SqlError("42601", f'there is no escaped character: "{self.text}"')

    def positions(self) -> list[Position]:
        """What stands behind a word of a tsvector: `:3A,5`. Raises SyntaxFault, and 42601 for a place that is none."""
        if self.at >= len(self.text) or self.text[self.at] != ":":
            return []
        found: list[Position] = []
        while True:
            self.at += 1
            digits = self._while("0123456789")
            if not digits:
                raise SyntaxFault
            place = min(int(digits), POSITION_MAX)
            if not place:
                raise SqlError("42601", f'wrong position info in tsvector: "{self.text}"')
            weight = 0
            while (c := self.text[self.at : self.at + 1].upper()) and c in "ABCD*0123456789":
                if not c.isdigit():
                    if weight:
                        raise SyntaxFault
                    weight = 3 if c == "*" else WEIGHTS.index(c)
                self.at += 1
            found.append(Position(place, weight))
            if c != ",":
                if c and c not in WHITESPACE:
                    raise SyntaxFault
                return found

    def _while(self, letters: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in letters:
            self.at += 1
        return self.text[start : self.at]


def quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"


def too_long(size: int, most: int, what: str) -> NoReturn:
    raise SqlError("54000", f"{what} is too long ({size} bytes, max {most} bytes)")
