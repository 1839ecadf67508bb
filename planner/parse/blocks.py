"""DO: the grammar of a block in PL/pgSQL, as far as migrations go.

    block   [DECLARE] BEGIN steps [EXCEPTION WHEN condition [OR ...] THEN steps ...] END
    step    a statement of SQL | PERFORM ... | EXECUTE expression | IF ... | RAISE ... | NULL | RETURN | block

What tools send makes things that may be there already (`EXCEPTION WHEN duplicate_object THEN NULL`), or looks first
(`IF NOT EXISTS (SELECT ...) THEN`). Variables, loops and other languages are 0A000 by name. Statements and expressions are cut out
as text, as PL/pgSQL does it, and read when they are run; an expression is kept as the query that computes it.
"""

from __future__ import annotations

import functools
from typing import Final, NoReturn

from planner.abc import PlanError
from planner.binding.facts import rows_of
from planner.lexer import END, PUNCTUATION, STRING, Token, tokenize
from planner.parse.cursor import Cursor
from planner.parse.errors import syntax_error
from planner.statements.blocks import (
    Do,
    Handler,
    If,
    Nested,
    Nothing,
    Raise,
    Return,
    RunComputed,
    RunSql,
    Step,
)

DEPTH_MAX: Final = 50
_LEVELS: Final = ("debug", "log", "info", "notice", "warning", "exception")
_OPTIONS: Final = (
    "message", "detail", "hint", "errcode", "column", "constraint", "datatype", "table", "schema",
)  # fmt: skip
_REFUSED: Final = {
    "declare": "variables in DO",
    "loop": "LOOP in DO",
    "while": "WHILE in DO",
    "for": "FOR in DO",
    "foreach": "FOREACH in DO",
    "case": "CASE in DO",
    "open": "cursors in DO",
    "get": "GET DIAGNOSTICS in DO",
    "assert": "ASSERT in DO",
    "exit": "EXIT in DO",
    "continue": "CONTINUE in DO",
    "commit": "COMMIT in DO",
    "rollback": "ROLLBACK in DO",
}


@functools.cache
def conditions() -> dict[str, frozenset[str]]:
    """The SQLSTATEs that a condition's name stands for (PostgreSQL's manual, appendix A)."""
    found: dict[str, set[str]] = {}
    for name, sqlstate in rows_of("conditions.tsv"):
        found.setdefault(name, set()).add(sqlstate)
    return {name: frozenset(codes) for name, codes in found.items()}


def do(c: Cursor) -> Do:
    """DO [LANGUAGE name] 'text', in either order. Raises 42601, 0A000."""
    body, language, start = None, "plpgsql", -1
    while not c.ended:
        if c.accept("language"):
            language = c.string() if c.token.kind == STRING else c.name()
        elif c.token.kind == STRING and body is None:
            start = _content(c.text, c.token)
            body = c.string()
        elif c.token.kind == STRING:
            raise PlanError("42601", "conflicting or redundant options", position=c.position)
        else:
            c.fail()
    if body is None:
        c.fail()
    if language != "plpgsql":
        if language in ("sql", "c", "internal"):
            raise PlanError("0A000", f'language "{language}" does not support inline code execution')
        raise PlanError("42704", f'language "{language}" does not exist')
    return Do(_Reader(body, start).whole())


def _content(text: str, token: Token) -> int:
    """Where what a string says begins in the statement; -1 where it is not written there letter by letter."""
    written = text[token.start : token.end]
    quote = len(written) - len(token.value)
    begins = token.start + quote // 2
    return begins if text.startswith(token.value, begins) else -1


class _Reader:
    """Reads one block's text. `start`: where that begins in the statement, for the places of errors; -1: it does not."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._start = text, start
        self._c = Cursor(text, tokenize(text))
        self._depth = 0

    def whole(self) -> Nested:
        block = self._block()
        self._c.accept_symbol(";")
        if not self._c.ended:
            self._fail()
        return block

    def _fail(self, token: Token | None = None) -> NoReturn:
        error = syntax_error(token or self._c.token, self._text)
        error.position = error.position + self._start if self._start >= 0 else 0
        raise error

    def _refuse_condition(self, message: str, sqlstate: str = "42601") -> NoReturn:
        near = f'compilation of PL/pgSQL function "inline_code_block" near line {self._line()}'
        raise PlanError(sqlstate, message, context=near)

    def _line(self) -> int:
        return self._text.count("\n", 0, self._c.token.start) + 1

    def _refuse(self, feature: str) -> NoReturn:
        raise PlanError("0A000", f"{feature} is not supported")

    def _block(self) -> Nested:
        c, line = self._c, self._line()
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise PlanError("54001", "blocks are nested too deeply")
        if c.symbol_is("<<"):
            self._refuse("labels in DO")
        if c.accept("declare") and not c.next_is("begin"):
            self._refuse(_REFUSED["declare"])
        if not c.accept("begin"):
            self._fail()
        steps = self._steps("end", "exception")
        handlers: list[Handler] = []
        if c.accept("exception"):
            while c.accept("when"):
                sqlstates = self._conditions()
                handlers.append(Handler(sqlstates, self._steps("when", "end")))
            if not handlers:
                self._fail()
        if not c.accept("end"):
            self._fail()
        self._depth -= 1
        return Nested(line, steps, tuple(handlers))

    def _conditions(self) -> frozenset[str]:
        c = self._c
        found: set[str] = set()
        others = False
        while True:
            if c.accept("sqlstate"):
                found.add(self._sqlstate())
            elif c.accept("others"):
                others = True
            else:
                found |= self._condition()
            if c.accept("then"):
                return frozenset() if others else frozenset(found)
            if not c.accept("or"):
                self._fail()

    def _condition(self) -> frozenset[str]:
        if not self._c.word:
            self._fail()
        name = self._c.advance().value
        known = conditions().get(name)
        if known is None:
            self._refuse_condition(f'unrecognized exception condition "{name}"', "42704")
        return known

    def _sqlstate(self) -> str:
        c = self._c
        if c.token.kind != STRING:
            self._fail()
        code = c.token.value
        if len(code) != 5 or not code.isascii() or not code.isalnum() or code != code.upper():
            written = self._text[c.token.start : c.token.end]
            position = c.position + self._start if self._start >= 0 else 0
            raise PlanError("42601", f'invalid SQLSTATE code at or near "{written}"', position=position)
        c.advance()
        return code

    def _steps(self, *stops: str) -> tuple[Step, ...]:
        made: list[Step] = []
        while self._c.word not in stops:
            if self._c.ended:
                self._fail()
            made.append(self._step())
        return tuple(made)

    def _step(self) -> Step:
        c, line = self._c, self._line()
        word = c.word
        if word == "begin" or c.symbol_is("<<"):
            block = self._block()
            self._semicolon()
            return block
        if word in _REFUSED:
            self._refuse(_REFUSED[word])
        if c.accept("null"):
            self._semicolon()
            return Nothing(line)
        if c.accept("return"):
            self._semicolon()
            return Return(line)
        if c.accept("if"):
            return self._if(line)
        if c.accept("raise"):
            return self._raise(line)
        if c.accept("execute"):
            query = self._until(";")
            if any(t.keyword in ("into", "using") for t in tokenize(query)):
                self._refuse("EXECUTE with INTO or USING in DO")
            return RunComputed(line, f"SELECT ({query})::text")
        if c.accept("perform"):
            return RunSql(line, f"SELECT {self._until(';')}", discards=True)
        if c.token.kind == PUNCTUATION or c.ahead().value in (":=", "="):
            if c.token.kind != PUNCTUATION:
                self._refuse(_REFUSED["declare"])
            self._fail()
        return RunSql(line, self._until(";"))

    def _if(self, line: int) -> If:
        c = self._c
        branches = [(self._condition_query(), self._steps("elsif", "elseif", "else", "end"))]
        while c.accept_one("elsif", "elseif"):
            branches.append((self._condition_query(), self._steps("elsif", "elseif", "else", "end")))
        otherwise = self._steps("end") if c.accept("else") else ()
        if not (c.accept("end") and c.accept("if")):
            self._fail()
        self._semicolon()
        return If(line, tuple(branches), otherwise)

    def _condition_query(self) -> str:
        return f"SELECT ({self._until('then')})::boolean"

    def _raise(self, line: int) -> Raise:
        c = self._c
        level = c.accept_one(*_LEVELS) or "exception"
        template, sqlstate, condition = None, "", ""
        arguments: list[str] = []
        options: list[tuple[str, str]] = []
        if c.accept_symbol(";"):
            return Raise(line, "again", None)
        if c.token.kind == STRING:
            template = c.advance().value
            while c.accept_symbol(","):
                arguments.append(f"SELECT ({self._until(',', ';', 'using')})::text")
                if not c.symbol_is(","):
                    break
        elif c.accept("sqlstate"):
            sqlstate = condition = self._sqlstate()
        elif c.word != "using":
            condition = c.word
            sqlstate = min(self._condition())
        if template is not None and template.replace("%%", "").count("%") != len(arguments):
            few = template.replace("%%", "").count("%") > len(arguments)
            self._refuse_condition(f"too {'few' if few else 'many'} parameters specified for RAISE")
        if c.accept("using"):
            while True:
                name = c.accept_one(*_OPTIONS)
                if not name:
                    self._fail()
                if not (c.accept_symbol("=") or c.accept_symbol(":=")):
                    self._fail()
                options.append((name, f"SELECT ({self._until(',', ';')})::text"))
                if not c.accept_symbol(","):
                    break
        self._semicolon()
        return Raise(line, level, template, sqlstate, condition, tuple(arguments), tuple(options))

    def _semicolon(self) -> None:
        if not self._c.accept_symbol(";"):
            self._fail()

    def _until(self, *stops: str) -> str:
        """The text up to one of these words or signs outside of brackets; a semicolon among them is taken."""
        c, first, depth = self._c, self._c.at, 0
        while True:
            token = c.token
            if token.kind == END:
                self._fail()
            sign = token.value if token.kind == PUNCTUATION else token.keyword
            if not depth and sign in stops and sign:
                break
            if token.kind == PUNCTUATION and token.value == ";":
                self._fail()
            if token.kind == PUNCTUATION:
                depth += (token.value in "([") - (token.value in ")]")
            c.at += 1
        if c.at == first:
            self._fail()
        found = c.slice(first, c.at).text
        if sign in (";", "then") and stops in ((";",), ("then",)):
            c.at += 1
        return found


__all__ = ["DEPTH_MAX", "conditions", "do"]
