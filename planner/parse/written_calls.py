"""Tokens written in the places of others: the calls that grammars of their own are said as (`xml_forms`, `xml_tables`).

    xmlelement(NAME a, x)   ->   xmlelement('a', x)       what is new stands where that was which it is for

So errors found later point into what the client has sent.
"""

from __future__ import annotations

from planner.lexer import PUNCTUATION, STRING, WORD, Token, is_sign

Tokens = list[Token]


def depth_of(token: Token) -> int:
    """1: a bracket opens; -1: one closes."""
    return (is_sign(token, "(") or is_sign(token, "[")) - (is_sign(token, ")") or is_sign(token, "]"))


def split(tokens: Tokens) -> list[Tokens]:
    """By commas that are in no brackets."""
    parts: list[Tokens] = [[]]
    depth = 0
    for token in tokens:
        depth += depth_of(token)
        if not depth and is_sign(token, ","):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def sign(said: str, at: Token) -> Token:
    return Token(PUNCTUATION, said, at.start, at.start)


def word(said: str, at: Token) -> Token:
    return Token(WORD, said, at.start, at.start, said)


def text(said: str, at: Token) -> Token:
    return Token(STRING, said, at.start, at.end)


def call(name: Token, args: list[Tokens], end: Token) -> Tokens:
    """`end` is the bracket that closes it."""
    out = [Token(WORD, name.value, name.start, name.end), sign("(", name)]
    for i, arg in enumerate(args):
        out += [sign(",", arg[0]), *arg] if i else arg
    return [*out, end]


_PASSED: tuple[list[str], ...] = (["by", "ref"], ["by", "value"])


def passed(tokens: Tokens) -> Tokens:
    """What PASSING is followed by, without BY REF and BY VALUE on either side, which mean nothing."""
    if [t.keyword for t in tokens[:2]] in _PASSED:
        tokens = tokens[2:]
    if [t.keyword for t in tokens[-2:]] in _PASSED:
        tokens = tokens[:-2]
    return tokens


__all__ = ["Tokens", "call", "depth_of", "passed", "sign", "split", "text", "word"]
