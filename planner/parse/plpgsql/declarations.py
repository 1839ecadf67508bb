"""DECLARE: variables, constants, records, aliases and cursors."""

from __future__ import annotations

import dataclasses

from planner.lexer import OPERATOR, QUOTED, WORD, Token
from planner.parse.plpgsql.reader import Reader
from planner.statements import TypeName
from planner.statements.plpgsql import CopiedType, Dynamic, Kind, Variable

RESERVED = frozenset(
    ("all", "begin", "by", "case", "declare", "else", "end", "execute", "for", "foreach", "from", "if", "in", "into",
     "loop", "not", "null", "or", "then", "to", "using", "when", "while")
)  # fmt: skip
"""Words that no variable is called by unless it is quoted."""


def declarations(r: Reader) -> tuple[Variable, ...]:
    """After DECLARE, up to BEGIN."""
    found: list[Variable] = []
    while r.c.word != "begin":
        if r.c.accept("declare"):
            continue
        made = _declaration(r)
        if made is not None:
            found.append(made)
    return tuple(found)


def _declaration(r: Reader) -> Variable | None:
    c, line, token = r.c, r.line(), r.c.token
    if token.kind != QUOTED and (token.kind != WORD or token.value in RESERVED):
        r.fail()
    name = c.advance().value
    if name in r.names.level.slots:
        r.refuse(f'duplicate declaration at or near "{r.text[token.start : token.end]}"', token=token)
    _note_shadow(r, name, token)
    if c.accept("alias", "for"):
        _alias(r, name)
        return None
    if c.next_is("cursor") or c.next_is("scroll", "cursor") or c.next_is("no", "scroll", "cursor"):
        return _cursor(r, name, line)
    constant = c.accept("constant")
    kind = kind_here(r)
    if c.accept("collate"):
        r.unsupported("COLLATE of a variable in PL/pgSQL")
    refuses_null = c.token
    not_null = c.accept("not", "null")
    default = None
    if c.accept("default") or c.accept_symbol(":=") or c.accept_symbol("="):
        default = r.until(";")
    elif not c.symbol_is(";"):
        r.fail()
    if not_null and default is None:
        r.refuse(
            f'variable "{name}" must have a default value, since it\'s declared NOT NULL',
            "22004",
            refuses_null,
        )
    r.semicolon()
    made = Variable(r.names.slot(name), name, line, kind, constant, not_null, default)
    r.names.variables_seen[made.slot] = made
    return made


def _note_shadow(r: Reader, name: str, token: Token) -> None:
    if r.names.find([name]) is not None:
        r.names.shadows.append((name, r.place(token.start)))


def _alias(r: Reader, name: str) -> None:
    words = r.words_here() or [f"${r.c.token.value}"]
    found = r.names.find(words)
    if found is None or found[1]:
        r.refuse(f'variable "{".".join(words)}" does not exist', "42703", r.c.token)
    r.c.at += 2 * len(words) - 1
    r.semicolon()
    r.names.level.slots[name] = found[0]


def kind_here(r: Reader) -> Kind:
    """A type, RECORD, or what is copied of a column, a variable or a table."""
    c = r.c
    words = r.words_here()
    after = c.tokens[min(c.at + 2 * len(words) - 1, len(c.tokens) - 1)] if words else c.token
    if words and after.kind == OPERATOR and after.value == "%":
        begin = c.token.start
        c.at += 2 * len(words)
        row = c.accept("rowtype")
        if not row and not c.accept("type"):
            r.fail()
        said = c.text[begin : c.token.start]  # as PostgreSQL has it: up to what comes next
        return CopiedType(tuple(words), row, r.names.level, said, r.place(after.start))
    if words == ["record"] and c.token.kind == WORD:
        c.at += 1
        return Dynamic()
    if c.token.kind not in (WORD, QUOTED):
        r.fail()
    position = c.at
    made = c.type_name()
    if made.setof:
        r.fail(c.tokens[position])
    return dataclasses.replace(made, position=r.place(made.position - 1))


def _cursor(r: Reader, name: str, line: int) -> Variable:
    c = r.c
    scroll = False if c.accept("no", "scroll") else True if c.accept("scroll") else None
    c.expect("cursor")
    slots: list[Variable] = []
    r.names.enter()
    if c.accept_symbol("("):
        while True:
            token = r.c.token
            parameter = r.any_name()
            _note_shadow(r, parameter, token)
            kind = kind_here(r)
            slot = r.names.slot(parameter)
            made = r.names.variables_seen[slot] = Variable(slot, parameter, line, kind)
            slots.append(made)
            if not c.accept_symbol(","):
                break
        if not c.accept_symbol(")"):
            r.fail()
    if not c.accept_one("for", "is"):
        r.fail()
    query = r.until(";", statement=True)
    r.names.leave()
    r.semicolon()
    refcursor = TypeName(("refcursor",), (), 0, 0)
    made = Variable(
        r.names.slot(name), name, line, refcursor, query=query, arguments=tuple(slots), scroll=scroll
    )
    r.names.variables_seen[made.slot] = made
    return made


__all__ = ["RESERVED", "declarations", "kind_here"]
