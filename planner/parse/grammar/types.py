"""Names of types: `int`, `numeric(10, 2)`, `s.t[]`, `timestamp(3) with time zone`, `interval day to second`.

Many of the words are columns' names as well: `select int from t` is a column, `select int '5'` a literal.
"""

from __future__ import annotations

from typing import Final

from planner.parse.grammar.reading import Reading
from planner.parse.grammar.symbols import FUNCTIONS, TEXT, WHOLE, WITH_BEFORE

_PLAIN: Final = frozenset(("int", "integer", "smallint", "bigint", "real", "boolean"))
_SIZED: Final = frozenset(("decimal", "dec", "numeric"))
_CHARACTERS: Final = frozenset(("character", "char", "nchar"))
_TIMES: Final = frozenset(("time", "timestamp"))
BUILT_IN: Final = _PLAIN | _SIZED | _CHARACTERS | _TIMES | {"float", "bit", "varchar", "national", "interval"}
"""Words for types that are no functions' names."""
_AFTER_UNIT: Final = {
    "year": ("month",),
    "day": ("hour", "minute", "second"),
    "hour": ("minute", "second"),
    "minute": ("second",),
}
_UNITS: Final = frozenset(("year", "month", "day", "hour", "minute", "second"))


class Types(Reading):
    """Adds `type_name` and its parts."""

    __slots__ = ()

    def expressions(self) -> None:
        raise NotImplementedError

    def type_name(self) -> None:
        self.accept("setof")
        self.simple_type()
        if self.accept("array"):
            if self.accept("["):
                self.expect(WHOLE, "]")
            return
        while self.accept("["):
            self.accept(WHOLE)
            self.expect("]")

    def simple_type(self) -> None:
        word = self.s[self.at]
        if word in BUILT_IN:
            self.at += 1
            self.rest_of_built_in(word)
            if word == "interval":
                self.units()
        elif word == "double" and self.s[self.at + 1] == "precision":
            self.at += 2
        elif word in FUNCTIONS:
            self.named()
            while self.accept("."):
                self.label()
            self.modifiers()
        else:
            self.refuse()

    def modifiers(self) -> None:
        if self.accept("("):
            self.expressions()
            self.expect(")")

    def size(self) -> bool:
        if self.accept("("):
            self.expect(WHOLE, ")")
            return True
        return False

    def rest_of_built_in(self, word: str) -> None:
        """What is behind the first word of such a type, but for an interval's units."""
        if word in _SIZED:
            self.modifiers()
        elif word == "bit":
            self.accept("varying")
            self.modifiers()
        elif word == "national":
            self.one_of("character", "char")
            self.accept("varying")
            self.size()
        elif word in _CHARACTERS:
            self.accept("varying")
            self.size()
        elif word in _TIMES:
            self.size()
            if self.accept(WITH_BEFORE, "without"):
                self.expect("time", "zone")
        elif word not in _PLAIN:  # float, varchar, interval
            self.size()

    def units(self) -> None:
        """An interval's `DAY TO SECOND(3)`."""
        first = self.s[self.at]
        if first not in _UNITS:
            return
        self.at += 1
        last = first
        if self.s[self.at] == "to" and first in _AFTER_UNIT:
            self.at += 1
            last = self.s[self.at]
            self.one_of(*_AFTER_UNIT[first])
        if last == "second":
            self.size()

    def begins_typed_literal(self) -> bool:
        """Whether the built-in type's word that is next is that of a literal, and no column's name."""
        word, follows = self.s[self.at], self.s[self.at + 1]
        if word == "national":
            return follows in ("character", "char")
        if follows == TEXT or (follows == "varying" and (word == "bit" or word in _CHARACTERS)):
            return True
        if word in _TIMES and follows in (WITH_BEFORE, "without"):
            return True
        return follows == "(" and word not in _PLAIN

    def typed_literal(self) -> None:
        word = self.s[self.at]
        self.at += 1
        if word == "interval":
            sized = self.size()
            self.expect(TEXT)
            if not sized:
                self.units()
            return
        self.rest_of_built_in(word)
        self.expect(TEXT)
