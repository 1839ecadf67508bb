"""OPEN, FETCH, MOVE and CLOSE."""

from __future__ import annotations

from planner.parse.plpgsql.queries import dynamically, into_here
from planner.parse.plpgsql.reader import Reader
from planner.statements.plpgsql import CloseCursor, Dynamically, FetchCursor, OpenCursor, Text, Variable


def _slot(r: Reader) -> int:
    token, shown = r.c.token, ".".join(r.words_here())
    found = r.target()
    if found is None and not shown:
        r.fail()
    if found is None:
        r.refuse(f'"{shown}" is not a known variable', token=token)
    if found.field:
        r.refuse("cursor variable must be a simple variable", token=token)
    return found.slot


def arguments(r: Reader, variable: Variable) -> tuple[Text, ...]:
    """What a bound cursor is opened with, in the order of its parameters. Raises 42601."""
    c, names = r.c, [v.name for v in variable.arguments]
    shown = f'cursor "{variable.name}"'
    if not c.symbol_is("("):
        if names:
            r.refuse(f"{shown} has arguments", token=c.token)
        return ()
    if not names:
        r.refuse(f"{shown} has no arguments", token=c.token)
    c.at += 1
    found: dict[str, Text] = {}
    while True:
        first = c.token
        if c.ahead().value == ":=":
            name = r.any_name()
            c.at += 1
            if name not in names:
                r.refuse(f'{shown} has no argument named "{name}"', token=first)
        elif len(found) >= len(names):
            r.refuse(f"too many arguments for {shown}", token=first)
        else:
            name = names[len(found)]
        if name in found:
            r.refuse(f'value for parameter "{name}" of {shown} specified more than once', token=first)
        found[name] = r.until(",", ")")
        if c.symbol_is(",") and len(found) == len(names):
            r.refuse(f"too many arguments for {shown}", token=c.token)
        if not c.accept_symbol(","):
            break
    if len(found) < len(names):
        r.refuse(f"not enough arguments for {shown}", token=c.token)
    if not c.accept_symbol(")"):
        r.fail()
    return tuple(found[name] for name in names)


def opened(r: Reader, line: int) -> OpenCursor:
    """After OPEN."""
    c, slot = r.c, _slot(r)
    variable = r.names.variables_seen[slot]
    if variable is not None and variable.query is not None:
        given = arguments(r, variable)
        r.semicolon()
        return OpenCursor(line, slot, None, given, variable.scroll)
    scroll = False if c.accept("no", "scroll") else True if c.accept("scroll") else None
    if not c.accept("for"):
        r.fail()
    query: Text | Dynamically = dynamically(r, ";") if c.accept("execute") else r.until(";", statement=True)
    r.semicolon()
    return OpenCursor(line, slot, query, (), scroll)


def fetched(r: Reader, line: int, *, moves: bool) -> FetchCursor:
    """After FETCH or MOVE. Raises 0A000 for a FETCH of several rows."""
    first = r.c.tokens[r.c.at - 1]
    direction, rows, count, several = _direction(r)
    if several and not moves:
        r.refuse("FETCH statement cannot return multiple rows", "0A000", first)
    if direction != "forward" or rows is None or count is not None:
        r.scrolls = True
    slot = _slot(r)
    into = None
    if not moves:
        r.expect("into")
        into = into_here(r)
    r.semicolon()
    return FetchCursor(line, slot, into, direction, rows, count)


def _direction(r: Reader) -> tuple[str, int | None, Text | None, bool]:
    """Whereto, how many rows, or an expression that says it; and whether that may be several rows. FROM or IN is taken."""
    c = r.c
    word = c.word if r.names.find(r.words_here()[:1]) is None or c.ahead().keyword in ("from", "in") else ""
    count: Text | None = None
    found: tuple[str, int | None, bool] = ("forward", 1, False)
    if word in ("next", "prior", "first", "last", "absolute", "relative", "all", "forward", "backward"):
        c.at += 1
        found = {
            "prior": ("backward", 1, False),
            "first": ("first", 1, False),
            "last": ("last", 1, False),
            "all": ("forward", None, True),
            "backward": ("backward", 1, False),
            "absolute": ("absolute", 1, False),
            "relative": ("relative", 1, False),
        }.get(word, found)
        if word in ("absolute", "relative"):
            count = r.until("from", "in", ";")
        elif word in ("forward", "backward") and c.word not in ("from", "in"):
            found = (found[0], None, True)
            if not c.accept("all"):
                count = r.until("from", "in", ";")
        if not c.accept_one("from", "in"):
            r.refuse("expected FROM or IN", token=c.token)
    elif word in ("from", "in"):
        c.at += 1
    elif r.names.find(r.words_here()) is None:
        count, found = r.until("from", "in", ";"), ("forward", 1, True)
        if not c.accept_one("from", "in"):
            r.refuse("expected FROM or IN", token=c.token)
    return found[0], found[1], count, found[2]


def closed(r: Reader, line: int) -> CloseCursor:
    """After CLOSE."""
    slot = _slot(r)
    r.semicolon()
    return CloseCursor(line, slot)


__all__ = ["arguments", "closed", "fetched", "opened"]
