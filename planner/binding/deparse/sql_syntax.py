"""Calls that the standard spells without a call's commas, written as they were said: PostgreSQL keeps which way it was.

    c AT TIME ZONE 'UTC'        (c AT TIME ZONE 'UTC'::text)         timezone('UTC', c)     timezone('UTC'::text, c)
    substring(b FROM 2)         SUBSTRING(b FROM 2)                  substring(b, 2)        "substring"(b, 2)
    trim(LEADING FROM b)        TRIM(LEADING FROM b)                 ltrim(b)               ltrim(b)

The tree has one function for both ways, so the text is looked at, from where the call begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from planner import types as t
from planner.binding import ir
from planner.lexer import END, Token, is_sign, tokenize

_SIDES: Final = {"btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}
_BETWEEN: Final = frozenset(("from", "for", "in", "placing", "similar"))
NAMES: Final = frozenset(("timezone", "overlaps", "substring", "position", "overlay", *_SIDES))

Write = Callable[[ir.Node], str]


def spelled(
    name: str, args: Sequence[ir.Node], text: str, position: int, write: Write, inner: Write
) -> str | None:
    """The call in the standard's spelling, if it was said so. `inner` writes what stands beside words.

    `position` is where the call, its first argument or its operator stands in the text, from 1; 0 is not known.
    """
    if not position:
        return None
    words = tokenize(text[position - 1 :])
    called = words[0].value.lower() == name and is_sign(words[1], "(")
    if called and name == "overlaps":  # which stands between two rows otherwise
        called = not text[: position - 1].rstrip().endswith(")")
    if name in ("timezone", "overlaps"):
        if called:
            return None
        if name == "timezone" and len(args) == 2:
            return f"({inner(args[1])} AT TIME ZONE {inner(args[0])})"
        if name == "overlaps" and len(args) == 4:
            a, b, c, d = map(write, args)
            return f"(({a}, {b}) OVERLAPS ({c}, {d}))"
        return None
    said = _words_inside(words[2:], 1) if called else _words_inside(words, _opened(text[: position - 1]))
    if name in _SIDES:
        if called:
            return None
        chars = f" {write(args[1])}" if len(args) > 1 else ""
        return f"TRIM({_SIDES[name]}{chars} FROM {write(args[0])})"
    if not said:
        return None
    if name == "position":
        return f"POSITION(({write(args[1])}) IN ({write(args[0])}))"
    parts = list(map(write, args))
    if name == "overlay":
        tail = f" FOR {parts[3]}" if len(parts) > 3 else ""
        return f"OVERLAY({parts[0]} PLACING {parts[1]} FROM {parts[2]}{tail})"
    if "similar" in said:
        return f"SUBSTRING({parts[0]} SIMILAR {parts[1]} ESCAPE {parts[2]})" if len(parts) == 3 else None
    if args[1].type.oid == t.TEXT:  # a pattern, for which PostgreSQL has no other spelling
        return None
    tail = f" FOR {parts[2]}" if len(parts) > 2 else ""
    return f"SUBSTRING({parts[0]} FROM {parts[1]}{tail})"


def _opened(before: str) -> int:
    """How many parentheses are opened where a call's first argument begins."""
    inside = before.rstrip()
    return sum(c == "(" for c in inside[len(inside.rstrip("( \t\n")) :])


def words_in_call(text: str, position: int) -> set[str]:
    """The standard's words in the call that stands there: empty where it is spelled with commas."""
    return _words_inside(tokenize(text[position - 1 :])[2:], 1) if position else set()


def _words_inside(tokens: list[Token], depth: int) -> set[str]:
    """The standard's words between the call's own parentheses, not those of what is inside."""
    found = set()
    for token in tokens:
        depth += is_sign(token, "(") - is_sign(token, ")")
        if depth == 0 or token.kind == END:
            break
        if depth == 1 and token.keyword in _BETWEEN:
            found.add(token.keyword)
    return found
