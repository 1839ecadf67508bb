"""The alias of the columns that a join merges, which sqlglot does not know.

    a JOIN b USING (i) AS x     the columns that USING merges, called x (SQL:2016)

The alias reaches the binder as a part of the last name in the list, which a unit separator cuts off (as in
`planner.parse.column_lists`).
"""

from __future__ import annotations

from planner.lexer import QUOTED, WORD, Token, is_sign
from planner.parse.column_lists import SEPARATOR


def with_aliases(tokens: list[Token]) -> list[Token]:
    """The tokens with `USING (a, b) AS x` folded into `USING (a, b<separator>x)`."""
    if not any(t.keyword == "using" for t in tokens):
        return tokens
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        out.append(tokens[i])
        i += 1
        if tokens[i - 1].keyword != "using" or not is_sign(tokens[i], "("):
            continue
        end = i + 1
        while tokens[end].kind in (WORD, QUOTED) and is_sign(tokens[end + 1], ","):
            end += 2
        last, closing, word, name = (tokens + tokens[-1:] * 4)[end : end + 4]
        if last.kind in (WORD, QUOTED) and is_sign(closing, ")") and word.keyword == "as":
            if name.kind not in (WORD, QUOTED):
                continue
            folded = Token(QUOTED, f"{last.value}{SEPARATOR}{name.value}", last.start, last.end)
            out += [*tokens[i:end], folded, closing]
            i = end + 4
    return out
