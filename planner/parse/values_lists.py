"""What may stand behind the rows of VALUES: clauses, and no name.

    INSERT INTO t VALUES (1) t       syntax error at or near "t"
    (VALUES (1)) AS t                behind the parenthesis it is FROM's

sqlglot takes a name there for an alias, and drops it.
"""

from __future__ import annotations

from typing import Final

from planner.lexer import QUOTED, WORD, Token, is_sign
from planner.parse.errors import syntax_error

_BEHIND: Final = frozenset(
    ("on", "returning", "order", "limit", "offset", "fetch", "for", "union", "intersect", "except", "when", "with",
     "into", "loop", "minus")
)  # fmt: skip


def refuse_names_of_rows(tokens: list[Token], text: str) -> None:
    """Raises 42601."""
    for i, token in enumerate(tokens):
        if (
            token.keyword != "values"
            or (i and is_sign(tokens[i - 1], "."))
            or not is_sign(tokens[i + 1], "(")
        ):
            continue
        at = _after_rows(tokens, i + 1)
        behind = tokens[at]
        if behind.kind == QUOTED or (behind.kind == WORD and behind.value not in _BEHIND):
            raise syntax_error(behind, text)


def _after_rows(tokens: list[Token], at: int) -> int:
    """The place behind rows that begin at a parenthesis."""
    last = len(tokens) - 1
    while True:
        depth = 0
        while at < last:
            depth += is_sign(tokens[at], "(") - is_sign(tokens[at], ")")
            at += 1
            if depth == 0:
                break
        if at + 1 > last or not is_sign(tokens[at], ",") or not is_sign(tokens[at + 1], "("):
            return at
        at += 1
