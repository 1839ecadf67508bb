"""Reading a body's tokens: what stands here, where errors are, which text goes up to where.

An error's place is one in the statement that carries the body, where that is written there letter by letter (`start`).
"""

from __future__ import annotations

from typing import Final, NoReturn

from planner.abc import PlanError
from planner.lexer import END, PARAMETER, PUNCTUATION, QUOTED, STRING, WORD, Token, tokenize
from planner.parse.cursor import Cursor
from planner.parse.errors import syntax_error
from planner.parse.plpgsql.conditions import conditions
from planner.parse.plpgsql.names import Names
from planner.parse.queries import parse_query
from planner.statements import QueryStatement
from planner.statements.plpgsql import Target, Text

_SHOWN: Final = {"then": "THEN", "loop": "LOOP", ";": ";", "..": "..", "]": "]", "when": "WHEN"}


class Reader:
    """Stands at one token of a body. `what`: how messages name the function; `start`: -1: nowhere."""

    def __init__(self, text: str, what: str, start: int, names: Names) -> None:
        self.text, self.what, self.start, self.names = text, what, start, names
        try:
            tokens = tokenize(text)
        except PlanError as error:
            error.position = self.place(error.position - 1) if error.position else 0
            raise
        self.c = Cursor(text, tokens)
        self.texts = 0
        self.scrolls = False
        """A FETCH or MOVE that goes elsewhere than to the next row has been read."""
        self.ends = False
        """COMMIT, ROLLBACK or CALL has been read."""
        self.checks = True
        """Whether texts are looked at for syntax errors: when the body is written, and not each time that it is read."""

    # --- places --------------------------------------------------------------------------------------

    def place(self, offset: int) -> int:
        return offset + self.start + 1 if self.start >= 0 else 0

    def line(self, token: Token | None = None) -> int:
        return self.text.count("\n", 0, (token or self.c.token).start) + 1

    def fail(self, token: Token | None = None) -> NoReturn:
        token = token or self.c.token
        error = syntax_error(token, self.text)
        error.position = self.place(token.start)
        raise error

    def refuse(
        self, message: str, sqlstate: str = "42601", token: Token | None = None, *, detail: str = "", hint: str = ""
    ) -> NoReturn:  # fmt: skip
        """What the compilation of a function says that is no syntax error."""
        near = f'compilation of PL/pgSQL function "{self.what}" near line {self.line()}'
        position = self.place(token.start) if token is not None else 0
        raise PlanError(
            sqlstate, message, position=position, detail=detail, hint=hint, context="" if position else near
        )

    def refuse_missing(self, what: str) -> NoReturn:
        """Where there is nothing, and something has to be."""
        token = self.c.token
        near = (
            f'at or near "{self.c.text[token.start : token.end]}"' if not self.c.ended else "at end of input"
        )
        self.refuse(f"missing {what} {near}", token=token)

    def unsupported(self, feature: str) -> NoReturn:
        raise PlanError("0A000", f"{feature} is not supported", position=self.place(self.c.token.start))

    # --- single tokens ---------------------------------------------------------------------------------

    def semicolon(self) -> None:
        if not self.c.accept_symbol(";"):
            self.fail()

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.c.accept(word):
                self.fail()

    def any_name(self) -> str:
        if self.c.token.kind not in (WORD, QUOTED):
            self.fail()
        return self.c.advance().value

    def label(self) -> str:
        """<<label>>, if one is here."""
        if not self.c.accept_symbol("<<"):
            return ""
        found = self.any_name()
        if not self.c.accept_symbol(">>"):
            self.fail()
        return found

    def end_label(self, label: str) -> None:
        """The label that END may repeat."""
        if self.c.token.kind not in (WORD, QUOTED):
            return
        token = self.c.token
        found = self.any_name()
        if not label:
            self.refuse(f'end label "{found}" specified for unlabeled block', token=token)
        if found != label:
            self.refuse(f'end label "{found}" differs from block\'s label "{label}"', token=token)

    def sqlstate(self) -> str:
        token = self.c.token
        if token.kind != STRING:
            self.fail()
        code = token.value
        if len(code) != 5 or not code.isascii() or not code.isalnum() or code != code.upper():
            written = self.text[token.start : token.end]
            raise PlanError(
                "42601", f'invalid SQLSTATE code at or near "{written}"', position=self.place(token.start)
            )
        self.c.advance()
        return code

    def condition(self) -> frozenset[str]:
        if not self.c.word:
            self.fail()
        name = self.c.token.value
        known = conditions().get(name)
        if known is None:
            self.refuse(f'unrecognized exception condition "{name}"', "42704")
        self.c.advance()
        return known

    # --- texts -----------------------------------------------------------------------------------------

    def made(self, first: int, last: int) -> Text:
        """The text of the tokens from `first` up to but without `last`."""
        found = self.c.slice(first, last)
        self.texts += 1
        return Text(
            found.text, found.offset, self.texts - 1, self.names.level, len(self.names.variables_seen)
        )

    def until(self, *stops: str, statement: bool = False) -> Text:
        """The text up to one of these words or signs outside of brackets; it stays there."""
        c, first, depth = self.c, self.c.at, 0
        while True:
            token = c.token
            sign = token.value if token.kind == PUNCTUATION else token.keyword or c.word
            if not depth and sign and sign in stops:
                break
            if token.kind == END or (token.kind == PUNCTUATION and sign == ";"):
                if depth:
                    self.refuse("mismatched parentheses", token=token)
                what = "statement" if statement else "expression"
                self.refuse(f'missing "{_SHOWN.get(stops[-1], stops[-1])}" at end of SQL {what}', token=token)
            if token.kind == PUNCTUATION:
                depth += (sign in ("(", "[")) - (sign in (")", "]"))
                if depth < 0:
                    self.refuse("mismatched parentheses", token=token)
            c.at += 1
        if c.at == first:
            self.refuse_missing("SQL statement" if statement else "expression")
        made = self.made(first, c.at)
        self.check(made, "" if statement else "SELECT ")
        return made

    def check(self, made: Text, before: str) -> None:
        """Raises 42601 at its place for what is no SQL. What it means is asked when it is reached."""
        if not self.checks:
            return
        from planner.parse.statement import parse_statement

        try:
            found = parse_statement(before + made.text)
            if isinstance(found, QueryStatement):
                parse_query(before + made.text, list(found.tokens))
        except PlanError as error:
            if error.sqlstate != "42601":
                return
            at = max(error.position - 1 - len(before), 0) if error.position else len(made.text)
            error.position = self.place(made.start + at)
            raise

    def expression(self, *stops: str) -> Text:
        """A text, and what ends it is taken."""
        found = self.until(*stops)
        self.c.at += 1
        return found

    # --- targets ---------------------------------------------------------------------------------------

    def words_here(self) -> list[str]:
        """A dotted name, not taken yet; it may begin with a parameter's number."""
        c, at, found = self.c, self.c.at, list[str]()
        while c.tokens[at].kind in (WORD, QUOTED) or (c.tokens[at].kind == PARAMETER and not found):
            value = c.tokens[at].value
            found.append(f"${value}" if c.tokens[at].kind == PARAMETER else value)
            if c.tokens[at + 1].value != "." or c.tokens[at + 1].kind != PUNCTUATION:
                break
            at += 2
        return found

    def target(self, *, parts: bool = False) -> Target | None:
        """The variable or field that is named here, if there is one; it is taken. `parts`: elements of arrays and fields of fields, too."""
        c, words = self.c, self.words_here()
        found = self.names.find(words)
        if found is None:
            return None
        slot, fields = found
        first = c.at
        c.at += 2 * len(words) - 1
        inside = len(fields) > 1
        if inside and not parts:
            self.unsupported("a field of a field as a target of INTO or CALL in PL/pgSQL")
        while c.symbol_is("[") or (inside and c.symbol_is(".")):
            if not parts:
                self.fail()
            if c.accept_symbol("."):
                c.name()
            else:
                self._subscript()
            inside = True
        return Target(slot, fields[0] if fields else "", self.made(first, c.at) if inside else None)

    def _subscript(self) -> None:
        """`[...]` is taken."""
        c, depth = self.c, 0
        while depth or c.symbol_is("["):
            if c.token.kind == END:
                self.fail()
            depth += c.symbol_is("[") - c.symbol_is("]")
            c.at += 1
            if not depth:
                return

    def require_target(self) -> Target:
        token = self.c.token
        found = self.target()
        if found is None:
            if self.words_here():
                self.refuse(f'"{".".join(self.words_here())}" is not a known variable', token=token)
            self.fail()
        self.refuse_constant(found, token)
        return found

    def refuse_constant(self, target: Target, token: Token) -> None:
        variable = self.names.variables_seen[target.slot]
        if variable is not None and variable.constant:
            self.refuse(f'variable "{variable.name}" is declared CONSTANT', "22005", token)


__all__ = ["Reader"]
