"""FOR READ ONLY, what cursors of the standard say: it locks nothing, and sqlglot does not know it."""

from __future__ import annotations

from typing import Final

from planner.lexer import Token

_READ_ONLY: Final = ["for", "read", "only"]


def without_read_only(tokens: list[Token]) -> list[Token]:
    """The same without it."""
    for i in range(len(tokens) - 3, -1, -1):
        if [t.keyword for t in tokens[i : i + 3]] == _READ_ONLY:
            tokens = tokens[:i] + tokens[i + 3 :]
    return tokens
