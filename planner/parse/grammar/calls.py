"""Functions that have a grammar of their own: CAST(a AS t), EXTRACT(year FROM a), TRIM(BOTH a FROM b), XMLELEMENT(...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.parse.grammar.symbols import FUNCTIONS, NAME, TEXT
from planner.parse.grammar.types import Types

_PARTS: Final = (NAME, "year", "month", "day", "hour", "minute", "second", TEXT)


class Calls(Types):
    """Adds `special_call`: the word is behind us, its parenthesis is next."""

    __slots__ = ()

    def expression(self, least: int = 0, *, narrow: bool = False, labelled: bool = False) -> None:
        raise NotImplementedError

    def operand(self) -> bool:
        raise NotImplementedError

    def query_in_parentheses(self) -> None:
        raise NotImplementedError

    def expressions(self) -> None:
        self.listed(self.expression)

    def argument(self) -> None:
        """`a`, `name => a` or `name := a`."""
        if self.s[self.at + 1] in ("=>", ":=") and self.s[self.at] in FUNCTIONS:
            self.at += 2
        self.expression()

    def special_call(self, word: str) -> None:
        self.expect("(")
        _SPECIAL[word](self)
        self.expect(")")

    def _two(self) -> None:
        self.expression()
        self.expect(",")
        self.expression()

    def _cast(self) -> None:
        self.expression()
        self.expect("as")
        self.type_name()

    def _extract(self) -> None:
        self.one_of(*_PARTS)
        self.expect("from")
        self.expression()

    def _normalize(self) -> None:
        self.expression()
        if self.accept(","):
            self.one_of("nfc", "nfd", "nfkc", "nfkd")

    def _overlay(self) -> None:
        if self.s[self.at] == ")":
            return
        self.argument()
        if self.accept("placing"):
            self.expression()
            self.expect("from")
            self.expression()
            if self.accept("for"):
                self.expression()
        else:
            self._more_arguments()

    def _substring(self) -> None:
        if self.s[self.at] == ")":
            return
        self.argument()
        if self.accept("from"):
            self.expression()
            if self.accept("for"):
                self.expression()
        elif self.accept("for"):
            self.expression()
            if self.accept("from"):
                self.expression()
        elif self.accept("similar"):
            self.expression(8)
            self.expect("escape")
            self.expression()
        else:
            self._more_arguments()

    def _more_arguments(self) -> None:
        while self.accept(","):
            self.argument()

    def _position(self) -> None:
        self.expression(narrow=True)
        self.expect("in")
        self.expression(narrow=True)

    def _trim(self) -> None:
        self.accept("both", "leading", "trailing")
        if self.s[self.at] != "from":
            self.expression()
        if self.accept("from"):
            self.expressions()
        else:
            while self.accept(","):
                self.expression()

    def _collation(self) -> None:
        self.expression()

    def _named(self) -> None:
        """XMLELEMENT."""
        self.expect("name")
        self.label()
        if self.accept(","):
            if self.s[self.at] == "xmlattributes" and self.s[self.at + 1] == "(":
                self.at += 2
                self._forest()
                self.expect(")")
                if not self.accept(","):
                    return
            self.expressions()

    def _forest(self) -> None:
        self.listed(self._forest_item)

    def _forest_item(self) -> None:
        self.expression()
        if self.accept("as"):
            self.label()

    def _instruction(self) -> None:
        self.expect("name")
        self.label()
        if self.accept(","):
            self.expression()

    def _xml_parse(self) -> None:
        self.one_of("document", "content")
        self.expression()
        if self.accept("preserve", "strip"):
            self.expect("whitespace")

    def _xml_root(self) -> None:
        self.expression()
        self.expect(",", "version")
        if self.s[self.at] == "no" and self.s[self.at + 1] == "value":
            self.at += 2
        else:
            self.expression()
        if self.accept(","):
            self.expect("standalone")
            if not self.accept("yes"):
                self.expect("no")
                self.accept("value")

    def _xml_serialize(self) -> None:
        self.one_of("document", "content")
        self.expression()
        self.expect("as")
        self.simple_type()

    def _xml_exists(self) -> None:
        self.operand()
        self.passing()

    def passing(self) -> None:
        self.expect("passing")
        self._passed_by()
        self.operand()
        self._passed_by()

    def _passed_by(self) -> None:
        if self.accept("by"):
            self.one_of("ref", "value")


_SPECIAL: Final[dict[str, Callable[[Calls], None]]] = {
    "cast": Calls._cast,
    "treat": Calls._cast,
    "extract": Calls._extract,
    "normalize": Calls._normalize,
    "overlay": Calls._overlay,
    "substring": Calls._substring,
    "position": Calls._position,
    "trim": Calls._trim,
    "nullif": Calls._two,
    "coalesce": Calls.expressions,
    "greatest": Calls.expressions,
    "least": Calls.expressions,
    "grouping": Calls.expressions,
    "collation": Calls._collation,
    "xmlconcat": Calls.expressions,
    "xmlelement": Calls._named,
    "xmlforest": Calls._forest,
    "xmlpi": Calls._instruction,
    "xmlparse": Calls._xml_parse,
    "xmlroot": Calls._xml_root,
    "xmlserialize": Calls._xml_serialize,
    "xmlexists": Calls._xml_exists,
}
SPECIAL: Final = frozenset(_SPECIAL) - {"cast", "collation"}
"""Words that are such functions in front of a parenthesis, and columns' names elsewhere."""
