"""RAISE and ASSERT."""

from __future__ import annotations

from typing import Final

from planner.lexer import STRING
from planner.parse.plpgsql.reader import Reader
from planner.statements.plpgsql import Assert, Raise, Text

_LEVELS: Final = ("debug", "log", "info", "notice", "warning", "exception")
_OPTIONS: Final = (
    "message", "detail", "hint", "errcode", "column", "constraint", "datatype", "table", "schema",
)  # fmt: skip


def raised(r: Reader, line: int) -> Raise:
    """After RAISE."""
    c = r.c
    level = c.accept_one(*_LEVELS) or "exception"
    template, sqlstate, condition = None, "", ""
    arguments: list[Text] = []
    options: list[tuple[str, Text]] = []
    if c.accept_symbol(";"):
        return Raise(line, "again", None)
    if c.token.kind == STRING:
        template = c.advance().value
        while c.accept_symbol(","):
            arguments.append(r.until(",", ";", "using"))
    elif c.accept("sqlstate"):
        sqlstate = condition = r.sqlstate()
    elif c.word != "using":
        condition = c.word
        sqlstate = min(r.condition())
    if template is not None and template.replace("%%", "").count("%") != len(arguments):
        few = template.replace("%%", "").count("%") > len(arguments)
        r.refuse(f"too {'few' if few else 'many'} parameters specified for RAISE")
    if c.accept("using"):
        while True:
            name = c.accept_one(*_OPTIONS)
            if not name:
                r.refuse("unrecognized RAISE statement option", token=c.token)
            if not (c.accept_symbol("=") or c.accept_symbol(":=")):
                r.fail()
            options.append((name, r.until(",", ";")))
            if not c.accept_symbol(","):
                break
    r.semicolon()
    return Raise(line, level, template, sqlstate, condition, tuple(arguments), tuple(options))


def asserted(r: Reader, line: int) -> Assert:
    """After ASSERT."""
    condition = r.until(",", ";")
    message = r.until(";") if r.c.accept_symbol(",") else None
    r.semicolon()
    return Assert(line, condition, message)


__all__ = ["asserted", "raised"]
