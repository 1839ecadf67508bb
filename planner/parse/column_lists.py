"""Lists of columns where sqlglot's parser takes one: `SEARCH DEPTH FIRST BY a, b SET ...`, `CYCLE a, b SET ...`.

The parser's methods are compiled and closed, its tokens are ours. So such a list reaches it as one quoted name whose
parts a unit separator joins (no identifier of PostgreSQL can hold a control character by accident of spelling), before them
where the clause begins, for errors; `planner.binding.search_and_cycle` cuts it again.
"""

from __future__ import annotations

from typing import Final

from planner.lexer import QUOTED, WORD, Token

SEPARATOR: Final = "\x1f"
_SEARCHES: Final = (["search", "depth", "first"], ["search", "breadth", "first"])


def joined(tokens: list[Token]) -> list[Token]:
    """The tokens with each list behind SEARCH ... BY and CYCLE as one name."""
    if not any(t.kind == WORD and t.value in ("search", "cycle") for t in tokens):
        return tokens
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        out.append(token)
        i += 1
        searches = token.value == "by" and [t.value for t in out[-4:-1]] in _SEARCHES
        if token.kind != WORD or not (searches or token.value == "cycle"):
            continue
        clause = out[-4] if searches else token
        # `UPDATE cycle c SET ...` begins alike; the clause follows a query in brackets, or SEARCH ... SET column.
        alone = searches or [t.value for t in out[-2:-1]] == [")"] or [t.value for t in out[-3:-2]] == ["set"]
        end = i
        while end + 1 < len(tokens) and tokens[end].kind in (WORD, QUOTED) and tokens[end + 1].value == ",":
            end += 2
        after = end + 1 < len(tokens) and tokens[end + 1]
        if (
            end >= (i if alone else i + 1)
            and end < len(tokens)
            and tokens[end].kind in (WORD, QUOTED)
            and after
            and after.kind == WORD
            and after.value == "set"
        ):
            names = [str(clause.start + 1), *(t.value for t in tokens[i : end + 1 : 2])]
            out.append(Token(QUOTED, SEPARATOR.join(names), tokens[i].start, tokens[end].end))
            i = end + 1
    return out
