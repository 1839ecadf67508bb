"""A place in the symbols of a statement, and the few steps that everything is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NoReturn

from planner.keywords import RESERVED, TYPE_FUNCTION_NAME
from planner.lexer import END, Token
from planner.parse.errors import end_of_input, syntax_error
from planner.parse.grammar.symbols import COLUMNS, LABELS, NOT_BEFORE, WITH_BEFORE, symbols

_UNLIKE_NAMES: Final = RESERVED | TYPE_FUNCTION_NAME | {NOT_BEFORE, WITH_BEFORE, "between"}


class Reading:
    """`s[at]` is the next symbol."""

    __slots__ = ("at", "default_at", "labels", "s", "text", "tokens")

    def __init__(self, tokens: list[Token], text: str) -> None:
        self.tokens, self.text = tokens, text
        self.s = symbols(tokens)
        self.at = 0
        self.default_at = -1
        """Where DEFAULT stands in an expression, which is grammar and means nothing; -1: nowhere."""
        self.labels: list[int] = []
        """Keywords that stand where any word is a name."""

    def refuse(self) -> NoReturn:
        """Raises 42601 at the next token."""
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        raise end_of_input(self.tokens, self.text) if token.kind == END else syntax_error(token, self.text)

    def expect(self, *words: str) -> None:
        for word in words:
            if self.s[self.at] != word:
                self.refuse()
            self.at += 1

    def accept(self, *words: str) -> bool:
        """Whether the next symbol is one of these; then it is behind us."""
        if self.s[self.at] in words:
            self.at += 1
            return True
        return False

    def one_of(self, *words: str) -> None:
        if self.s[self.at] not in words:
            self.refuse()
        self.at += 1

    def column_name(self) -> None:
        if self.s[self.at] not in COLUMNS:
            self.refuse()
        self.named()

    def label(self) -> None:
        if self.s[self.at] not in LABELS:
            self.refuse()
        self.named()

    def named(self) -> None:
        """Steps over what is a name here, whatever the word is elsewhere."""
        if self.s[self.at] in _UNLIKE_NAMES:
            self.labels.append(self.at)
        self.at += 1

    def qualified(self) -> None:
        """A table's name: with a schema and a database, if need be."""
        self.column_name()
        while self.accept("."):
            self.label()

    def listed(self, item: Callable[[], object]) -> None:
        """Items with commas between them."""
        item()
        while self.s[self.at] == ",":
            self.at += 1
            item()

    def names(self) -> None:
        """Columns' names in parentheses."""
        self.expect("(")
        self.listed(self.column_name)
        self.expect(")")
