"""OPEN, FETCH, MOVE and CLOSE, as far as they go forward."""

from __future__ import annotations

from planner.parse.plpgsql.queries import dynamically, into_here
from planner.parse.plpgsql.reader import Reader
from planner.statements.plpgsql import CloseCursor, Dynamically, FetchCursor, OpenCursor, Text


def _slot(r: Reader) -> int:
    token = r.c.token
    found = r.target()
    if found is None or found.field:
        r.refuse("cursor variable must be a simple variable", token=token)
    return found.slot


def arguments(r: Reader) -> tuple[Text, ...]:
    """What a bound cursor is opened with."""
    found: list[Text] = []
    if r.c.accept_symbol("("):
        while True:
            if r.c.ahead().value in (":=", "=>"):
                r.unsupported("named arguments of a cursor in PL/pgSQL")
            found.append(r.until(",", ")"))
            if not r.c.accept_symbol(","):
                break
        if not r.c.accept_symbol(")"):
            r.fail()
    return tuple(found)


def opened(r: Reader, line: int) -> OpenCursor:
    """After OPEN."""
    slot = _slot(r)
    variable = r.names.variables_seen[slot]
    if variable is not None and variable.query is not None:
        given = arguments(r)
        r.semicolon()
        return OpenCursor(line, slot, None, given)
    r.c.accept("no")
    r.c.accept("scroll")
    if not r.c.accept("for"):
        r.fail()
    query: Text | Dynamically = dynamically(r, ";") if r.c.accept("execute") else r.until(";", statement=True)
    r.semicolon()
    return OpenCursor(line, slot, query)


def fetched(r: Reader, line: int, *, moves: bool) -> FetchCursor:
    """After FETCH or MOVE."""
    c = r.c
    if c.accept_one("next", "forward"):
        if not c.accept_one("from", "in"):
            r.unsupported("FETCH of more than the next row in PL/pgSQL")
    elif c.word in ("prior", "first", "last", "absolute", "relative", "backward", "all"):
        r.unsupported(f"FETCH {c.word.upper()} in PL/pgSQL")
    else:
        c.accept_one("from", "in")
    slot = _slot(r)
    into = None
    if not moves:
        r.expect("into")
        into = into_here(r)
    r.semicolon()
    return FetchCursor(line, slot, into)


def closed(r: Reader, line: int) -> CloseCursor:
    """After CLOSE."""
    slot = _slot(r)
    r.semicolon()
    return CloseCursor(line, slot)


__all__ = ["arguments", "closed", "fetched", "opened"]
