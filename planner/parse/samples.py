"""The arguments of TABLESAMPLE, which are expressions: sqlglot knows numbers there, and reads a list in brackets as a value.

    TABLESAMPLE system ($1 / 2) REPEATABLE (7)        TABLESAMPLE system (($1 / 2, 7))

A list that was made so, and a single argument in brackets of its own, are put where sqlglot would have put numbers.
"""

from __future__ import annotations

from sqlglot import exp

from planner.lexer import PUNCTUATION, Token, is_sign


def bracketed(tokens: list[Token]) -> list[Token]:
    """The tokens of a statement (END last) with the arguments of each TABLESAMPLE as one value."""
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        out.append(token)
        i += 1
        if token.keyword != "tablesample":
            continue
        while i < len(tokens) - 1 and not is_sign(tokens[i], "("):
            out.append(tokens[i])
            i += 1
        end = _closing(tokens, i)
        if end <= i + 1:
            continue
        inside = tokens[i + 1 : end]
        more = end + 1
        if more + 1 < len(tokens) and tokens[more].value == "repeatable" and is_sign(tokens[more + 1], "("):
            last = _closing(tokens, more + 1)
            if last > more + 2:
                inside += [_sign(",", tokens[more]), *tokens[more + 2 : last]]
                end = last
        opened, closed = tokens[i], tokens[end]
        out += [opened, _sign("(", opened), *inside, _sign(")", closed), closed]
        i = end + 1
    return out


def _closing(tokens: list[Token], at: int) -> int:
    """Where the bracket that opens there is closed; -1 where none does, or none closes it."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += is_sign(tokens[i], "(") - is_sign(tokens[i], ")")
        if depth == 0:
            return i if i > at else -1
    return -1


def _sign(sign: str, at: Token) -> Token:
    return Token(PUNCTUATION, sign, at.start, at.start)


def taken_apart(tree: exp.Expression) -> None:
    """Puts the arguments of each TABLESAMPLE in their places."""
    for sample in tree.find_all(exp.TableSample):
        place = "percent" if sample.args.get("percent") is not None else "size"
        given = sample.args.get(place)
        if isinstance(given, exp.Paren):
            sample.set(place, given.this)
        elif isinstance(given, exp.Tuple) and len(given.expressions) == 2:
            percent, seed = given.expressions
            sample.set(place, percent)
            sample.set("seed", seed)
