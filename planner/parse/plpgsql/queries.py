"""Statements of SQL in a body: where INTO stands, what EXECUTE computes, which variables CALL gives back to."""

from __future__ import annotations

import dataclasses
from typing import Final

from planner.lexer import END, PUNCTUATION
from planner.parse.plpgsql.reader import Reader
from planner.statements.plpgsql import (
    Assign,
    Call,
    Dynamically,
    Execute,
    Into,
    RunSql,
    Target,
    Text,
)

WORDS_SHOWN: Final = 3
"""Of a name that is no variable's, so many are named."""


def statement(r: Reader, line: int) -> RunSql:
    """A statement up to its semicolon; INTO is taken out of it."""
    c, first, depth = r.c, r.c.at, 0
    into: Into | None = None
    cut = (0, 0)
    start = c.word
    while True:
        token = c.token
        if token.kind == END or (token.kind == PUNCTUATION and token.value == ";" and not depth):
            break
        if token.kind == PUNCTUATION:
            depth += (token.value in ("(", "[")) - (token.value in (")", "]"))
            if token.value == ";":
                r.refuse("mismatched parentheses", token=token)
        if token.keyword == "into" and c.at > first:
            before = c.tokens[c.at - 1].keyword
            if before not in ("insert", "merge") and start != "import":
                if into is not None:
                    r.refuse("INTO specified more than once", token=token)
                begins = token.start
                c.at += 1
                into = into_here(r)
                cut = (begins, c.tokens[c.at - 1].end)
                continue
        c.at += 1
    if token.kind == END:
        r.fail()
    made = r.made(first, c.at)
    if into is not None:
        text, at = made.text, made.start
        blank = "".join(x if x == "\n" else " " for x in text[cut[0] - at : cut[1] - at])
        made = dataclasses.replace(made, text=(text[: cut[0] - at] + blank + text[cut[1] - at :]).rstrip())
    r.check(made, "")
    r.semicolon()
    return RunSql(line, made, into)


def into_here(r: Reader) -> Into:
    """After INTO: [STRICT] target, ..."""
    strict = r.c.accept("strict")
    return Into(targets(r), strict)


def targets(r: Reader) -> tuple[Target, ...]:
    found = [r.require_target()]
    while r.c.accept_symbol(","):
        found.append(r.require_target())
    return tuple(found)


def using_here(r: Reader, *stops: str) -> tuple[Text, ...]:
    """After USING: the values."""
    found = [r.until(",", *stops)]
    while r.c.accept_symbol(","):
        found.append(r.until(",", *stops))
    return tuple(found)


def execute(r: Reader, line: int) -> Execute:
    """After EXECUTE: INTO and USING, in either order."""
    query = r.until("into", "using", ";")
    into: Into | None = None
    using: tuple[Text, ...] = ()
    while True:
        token = r.c.token
        if r.c.accept("into"):
            if into is not None:
                r.fail(token)
            into = into_here(r)
        elif r.c.accept("using"):
            if using:
                r.fail(token)
            using = using_here(r, "into", ";")
        else:
            break
    r.semicolon()
    return Execute(line, Dynamically(query, using), into)


def dynamically(r: Reader, stop: str) -> Dynamically:
    """After EXECUTE in FOR, RETURN QUERY and OPEN; `stop` is left."""
    query = r.until("using", stop)
    return Dynamically(query, using_here(r, stop) if r.c.accept("using") else ())


def assignment(r: Reader, line: int) -> Assign | None:
    """`target := expression;`, if that is what stands here."""
    c = r.c
    words = r.words_here()
    if not words:
        return None
    after = c.ahead(max(2 * len(words) - 1, 1))
    assigns = after.value in (":=", "=")
    if not assigns and after.value != "[":
        return None
    token = c.token
    found = r.target(parts=True)
    if found is None:
        if assigns:
            r.refuse(f'"{".".join(words[:WORDS_SHOWN])}" is not a known variable', token=token)
        return None
    r.refuse_constant(found, token)
    if not (c.accept_symbol(":=") or c.accept_symbol("=")):
        r.fail()
    value = r.expression(";")
    end = value.start + len(value.text)
    return Assign(line, found, dataclasses.replace(value, said=r.text[token.start : end]))


def call(r: Reader, line: int) -> Call:
    """At CALL: what its arguments are, where they are variables."""
    c, first = r.c, r.c.at
    text = r.until(";", statement=True)
    end = c.at
    c.at = first + 1
    given: list[Target | None] = []
    while c.at < end and not c.symbol_is("("):
        c.at += 1
    c.at += 1
    while c.at < end and not c.symbol_is(")"):
        if c.ahead().value in ("=>", ":="):
            c.at += 2  # a named argument: which parameter it is for the plan knows
        begin = c.at
        words = r.words_here()
        # An element of an array is a value here: what a procedure gives back cannot go into it.
        part = bool(words) and c.tokens[c.at + 2 * len(words) - 1].value == "["
        found = r.target(parts=False) if words and not part else None
        if found is None or not (c.symbol_is(",") or c.symbol_is(")")):
            found = None
            c.at, depth = begin, 0
            while c.at < end and (depth or not (c.symbol_is(",") or c.symbol_is(")"))):
                depth += (c.symbol_is("(") or c.symbol_is("[")) - (c.symbol_is(")") or c.symbol_is("]"))
                c.at += 1
        given.append(found)
        c.accept_symbol(",")
    c.at = end
    r.semicolon()
    r.ends = True
    return Call(line, text, tuple(given))


__all__ = ["assignment", "call", "dynamically", "execute", "into_here", "statement", "targets", "using_here"]
