"""A reader of tokens for the grammars that are written by hand: look, accept, expect, or fail at the right place.

Every statement's grammar is a function over a `Cursor`. `accept` takes words if they are next, `expect` insists,
`fail` raises what PostgreSQL says at the token where it stands. Names obey the keyword drawers; type names have their own
grammar; expressions are read to their ends (`planner.parse.grammar`) and cut out as `Sql`, queries as what stands between balanced
brackets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from planner import nesting
from planner.abc import PlanError
from planner.keywords import COLUMN_NAME, RESERVED, TYPE_FUNCTION_NAME
from planner.lexer import DECIMAL, END, INTEGER, OPERATOR, PUNCTUATION, QUOTED, STRING, WORD, Token
from planner.parse.errors import syntax_error, too_deep
from planner.parse.grammar.writes import Writes as Reader
from planner.statements import Name, Sql, TypeName

_NO_COLUMN = RESERVED | TYPE_FUNCTION_NAME
_NO_TYPE = RESERVED | COLUMN_NAME
_PLAIN = frozenset(("bigint", "boolean", "int", "integer", "real", "smallint"))
"""Types that are words of the grammar, without a modifier, and with one:"""
_MODIFIED = frozenset(("dec", "decimal", "float", "numeric", "varchar"))
_MEASURED = frozenset(("float", "varchar"))
"""Of these, those whose modifier is one number."""
_QUERIES = frozenset(("select", "values", "table"))
_WRITES = frozenset(("insert", "update", "delete", "merge"))
_T = TypeVar("_T")
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")


class Cursor:
    """Stands at one token of a statement's list, whose last is END."""

    __slots__ = ("_reader", "at", "farthest", "text", "tokens")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text, self.tokens, self.at = text, tokens, 0
        self.farthest = 0  # where a list of words stopped to match: the error is there, not at its first
        self._reader: Reader | None = None  # of the expressions in the text

    # --- looking ---------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    @property
    def word(self) -> str:
        """The unquoted word here, or ""."""
        token = self.tokens[self.at]
        return token.value if token.kind == WORD else ""

    def ahead(self, distance: int = 1) -> Token:
        return self.tokens[min(self.at + distance, len(self.tokens) - 1)]

    @property
    def ended(self) -> bool:
        return self.tokens[self.at].kind == END

    def next_is(self, *words: str) -> bool:
        """Whether these unquoted words come next."""
        token = self.tokens[self.at]
        if (
            token.value != words[0] or token.kind != WORD
        ):  # as it mostly is: a grammar asks for one thing after the other
            return False
        for i, word in enumerate(words[1:], 1):
            token = self.ahead(i)
            if token.kind != WORD or token.value != word:
                if self.at + i > self.farthest:
                    self.farthest = min(self.at + i, len(self.tokens) - 1)
                return False
        return True

    def symbol_is(self, symbol: str) -> bool:
        token = self.tokens[self.at]
        return token.kind in (PUNCTUATION, OPERATOR) and token.value == symbol

    # --- moving ----------------------------------------------------------------------------------

    def accept(self, *words: str) -> bool:
        """Takes these words if all of them come next."""
        token = self.tokens[self.at]
        if token.value == words[0] and token.kind == WORD and (len(words) == 1 or self.next_is(*words)):
            self.at += len(words)
            return True
        return False

    def accept_one(self, *words: str) -> str:
        """Takes one of these words; which one, or ""."""
        word = self.word
        if word and word in words:
            self.at += 1
            return word
        return ""

    def accept_symbol(self, symbol: str) -> bool:
        if self.symbol_is(symbol):
            self.at += 1
            return True
        return False

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.accept(word):
                self.fail()

    def expect_symbol(self, symbol: str) -> None:
        if not self.accept_symbol(symbol):
            self.fail()

    def expect_end(self) -> None:
        if not self.ended:
            self.fail()

    def advance(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != END:
            self.at += 1
        return token

    def fail(self, token: Token | None = None) -> NoReturn:
        """Syntax error at the token here (or another one)."""
        raise syntax_error(token or self.tokens[max(self.at, self.farthest)], self.text)

    def unsupported(self, feature: str, token: Token | None = None) -> NoReturn:
        raise PlanError("0A000", f"{feature} is not supported", position=(token or self.token).start + 1)

    @property
    def position(self) -> int:
        return self.token.start + 1

    # --- names and literals ------------------------------------------------------------------------

    def _is_name(self, forbidden: frozenset[str]) -> bool:
        token = self.token
        return token.kind == QUOTED or (token.kind == WORD and token.keyword not in forbidden)

    def is_name(self) -> bool:
        """Whether a column or table name (ColId) is here."""
        return self._is_name(_NO_COLUMN)

    def name(self) -> str:
        """A column, table or other object's name (ColId)."""
        if not self._is_name(_NO_COLUMN):
            self.fail()
        return self.advance().value

    def unreserved(self) -> str:
        """A word that is not reserved (NonReservedWord)."""
        if not self._is_name(RESERVED):
            self.fail()
        return self.advance().value

    def label(self) -> str:
        """Any word at all (ColLabel)."""
        if self.token.kind not in (WORD, QUOTED):
            self.fail()
        return self.advance().value

    def role(self) -> str:
        """A role's name; CURRENT_USER and its kin come as the word itself."""
        token = self.token
        if token.kind == WORD and token.value in ("current_user", "session_user", "current_role", "user"):
            self.at += 1
            return "current_user" if token.value in ("user", "current_role") else token.value
        if token.kind == WORD and token.value in ("public", "none") and token.keyword == "none":
            raise PlanError("42939", f'role name "{token.value}" is reserved', position=token.start + 1)
        return self.name()

    def qualified(self) -> Name:
        """[[database.]schema.]name"""
        position = self.position
        parts = [self.name()]
        while self.accept_symbol("."):
            parts.append(self.label())
        if len(parts) > 3:
            raise PlanError(
                "42601",
                f"improper qualified name (too many dotted names): {'.'.join(parts)}",
                position=position,
            )
        database = parts[-3] if len(parts) == 3 else ""
        return Name(parts[-1], parts[-2] if len(parts) > 1 else "", position, database)

    def relation(self) -> tuple[Name, bool]:
        """name [*], ONLY name or ONLY (name): the table, and whether it is meant without its heirs and partitions."""
        if not self.accept("only"):
            name = self.qualified()
            self.accept_symbol("*")
            return name, False
        opened = self.accept_symbol("(")
        name = self.qualified()
        if opened:
            self.expect_symbol(")")
        return name, True

    def relations(self) -> tuple[tuple[Name, ...], frozenset[int]]:
        """Names of relations with commas between, and which of them are meant without what inherits from them."""
        found = self.listed(Cursor.relation)
        return tuple(name for name, _ in found), frozenset(i for i, (_, only) in enumerate(found) if only)

    def collation(self) -> str:
        """A collation's name; one that says its schema as `schema` NUL `name`, for no name has a NUL."""
        name = self.qualified()
        return f"{name.schema}\0{name.name}" if name.schema else name.name

    def listed(self, read: Callable[[Cursor], _T]) -> tuple[_T, ...]:
        """One or several, with commas between: each is what `read` takes."""
        found = [read(self)]
        while self.accept_symbol(","):
            found.append(read(self))
        return tuple(found)

    def bracketed(self, read: Callable[[Cursor], _T]) -> tuple[_T, ...]:
        """( one, ... )"""
        self.expect_symbol("(")
        found = self.listed(read)
        self.expect_symbol(")")
        return found

    def qualified_list(self) -> tuple[Name, ...]:
        return self.listed(Cursor.qualified)

    def name_list(self) -> tuple[str, ...]:
        """( name, ... )"""
        return self.bracketed(Cursor.name)

    def string(self) -> str:
        if self.token.kind != STRING:
            self.fail()
        return self.advance().value

    def integer(self) -> int:
        """A signed integer literal."""
        sign = 1
        if self.accept_symbol("-"):
            sign = -1
        else:
            self.accept_symbol("+")
        if self.token.kind != INTEGER:
            self.fail()
        return sign * int(self.advance().value)

    def number(self) -> str:
        """A signed numeric literal as it is written."""
        sign = ""
        if self.accept_symbol("-"):
            sign = "-"
        else:
            self.accept_symbol("+")
        if self.token.kind not in (INTEGER, DECIMAL):
            self.fail()
        return sign + self.advance().value

    # --- slices ----------------------------------------------------------------------------------

    def slice(self, first: int, last: int) -> Sql:
        """The text from token `first` up to but without token `last`."""
        start = self.tokens[first].start
        end = self.tokens[last - 1].end if last > first else start
        return Sql(self.text[start:end], start)

    def refuse_writes(self) -> None:
        """A query stands here, behind WITH, too: it gives rows and is nothing that writes any. Raises 42601."""
        depth = 0
        for i in range(self.at, len(self.tokens)):
            token = self.tokens[i]
            if token.kind == PUNCTUATION:
                depth += (token.value in "([") - (token.value in ")]")
            elif depth == 0 and (i == self.at or self.tokens[i - 1].value == ")"):
                if token.keyword in _WRITES:
                    self.fail(token)
                if token.keyword in _QUERIES:
                    return

    def _read(self, read: Callable[[Reader], object]) -> Sql:
        first = self.at
        if self._reader is None:
            self._reader = Reader(self.tokens, self.text)
        reader = self._reader
        reader.at = first
        try:
            with nesting.calls_up_to(nesting.BINDING):
                read(reader)
        except RecursionError:
            raise too_deep() from None
        self.at = reader.at
        return self.slice(first, self.at)

    def expression(self, *, narrow: bool = False) -> Sql:
        """An expression, to where it ends (a_expr). `narrow`: of those that need no brackets before a keyword (b_expr)."""
        return self._read(lambda reader: reader.expression(narrow=narrow))

    def call(self) -> Sql:
        """A function's call, without FILTER and OVER (func_expr_windowless)."""
        return self._read(lambda reader: reader.operand())

    def enclosed(self) -> Sql:
        """( an expression ): what is inside the brackets."""
        self.expect_symbol("(")
        inside = self.expression()
        self.expect_symbol(")")
        return inside

    def parenthesised(self) -> Sql:
        """( anything balanced ): what is inside the brackets."""
        self.expect_symbol("(")
        first = self.at
        depth = 1
        while True:
            token = self.token
            if token.kind == END:
                self.fail()
            if token.kind == PUNCTUATION:
                if token.value in _OPEN:
                    depth += 1
                elif token.value in _CLOSE:
                    depth -= 1
                    if depth == 0:
                        break
            self.at += 1
        if self.at == first:
            self.fail()
        inside = self.slice(first, self.at)
        self.at += 1
        return inside

    def rest(self) -> Sql:
        """All that is left, at least one token."""
        if self.ended:
            self.fail()
        found = self.slice(self.at, len(self.tokens) - 1)
        self.at = len(self.tokens) - 1
        return found

    # --- types -----------------------------------------------------------------------------------

    def type_name(self) -> TypeName:
        """A type with modifiers and array brackets, as Typename in PostgreSQL's grammar."""
        position = self.position
        setof = self.accept("setof")
        fields = ""
        modifiers: tuple[int | str, ...] = ()
        token = self.token
        if token.kind == QUOTED or (token.kind == WORD and not token.keyword):
            names = self._type_words()
            modifiers = self._modifiers()
        elif token.kind != WORD:
            self.fail()
        elif self.accept("double"):
            if self.accept("precision"):
                names = ("double precision",)
            else:
                names = ("double",)
        elif word := self.accept_one("character", "char", "nchar"):
            names = ("varchar",) if self.accept("varying") else ("char",)
            modifiers = self._length()
        elif self.accept("national"):
            if not self.accept_one("character", "char"):
                self.fail()
            names = ("varchar",) if self.accept("varying") else ("char",)
            modifiers = self._length()
        elif self.accept("bit"):
            names = ("bit varying",) if self.accept("varying") else ("bit",)
            modifiers = self._modifiers()
        elif word := self.accept_one("time", "timestamp"):
            modifiers = self._length()
            if self.accept("with", "time", "zone"):
                word += "tz"
            else:
                self.accept("without", "time", "zone")
            names = (word,)
        elif self.accept("interval"):
            names = ("interval",)
            modifiers = self._length()
            if not modifiers:
                fields, modifiers = self._interval_fields()
        elif token.keyword in COLUMN_NAME:
            if token.keyword not in _PLAIN and token.keyword not in _MODIFIED:
                self.fail()
            names = (self.advance().value,)
            if token.keyword in _MODIFIED:
                modifiers = self._length() if token.keyword in _MEASURED else self._modifiers()
        elif token.keyword in _NO_TYPE:
            self.fail()
        else:
            names = self._type_words()
            modifiers = self._modifiers()
        dimensions = 0
        if self.accept("array"):
            dimensions = 1
            if self.accept_symbol("["):
                self.integer()
                self.expect_symbol("]")
        while self.accept_symbol("["):
            if not self.symbol_is("]"):
                self.integer()
            self.expect_symbol("]")
            dimensions += 1
        return TypeName(names, modifiers, dimensions, position, setof, fields)

    def _type_words(self) -> tuple[str, ...]:
        words: list[str] = []
        while True:
            token = self.token
            if token.kind == QUOTED:
                words.append('"char"' if token.value == "char" else token.value)
            elif token.kind == WORD and (words or token.keyword not in _NO_TYPE):
                words.append(token.value)
            else:
                self.fail()
            self.at += 1
            if not self.accept_symbol("."):
                return tuple(words)

    def _length(self) -> tuple[int | str, ...]:
        """`(n)`, if it is here: a number without a sign (Iconst)."""
        if not self.accept_symbol("("):
            return ()
        if self.token.kind != INTEGER:
            self.fail()
        length = int(self.advance().value)
        self.expect_symbol(")")
        return (length,)

    def _modifiers(self) -> tuple[int | str, ...]:
        if not self.accept_symbol("("):
            return ()
        found: list[int | str] = []
        while True:
            token = self.token
            if token.kind == INTEGER or token.value in ("-", "+"):
                found.append(self.integer())
            elif token.kind in (STRING, WORD, QUOTED):
                found.append(self.advance().value)
            else:
                self.fail()
            if not self.accept_symbol(","):
                break
        self.expect_symbol(")")
        return tuple(found)

    def _interval_fields(self) -> tuple[str, tuple[int | str, ...]]:
        field = self.accept_one("year", "month", "day", "hour", "minute", "second")
        if not field:
            return "", ()
        if self.next_is("to"):
            self.at += 1
            last = self.accept_one("month", "hour", "minute", "second")
            if not last:
                self.fail()
            field += " to " + last
        return field, self._length() if field.endswith("second") else ()
