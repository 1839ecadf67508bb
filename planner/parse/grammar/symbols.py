"""Tokens as the grammar sees them: one short string for each, and the sets that they are looked up in.

    select "A", 1.5 || $1 :: int       select ~name , ~number ~operator ~parameter :: int

A keyword is its word, whatever it will mean; what has many spellings and one meaning begins with `~`.
"""

from __future__ import annotations

from typing import Final

from planner.keywords import COLUMN_NAME, KEYWORDS, NOT_BARE_LABEL, TYPE_FUNCTION_NAME, UNRESERVED
from planner.lexer import (
    BITS,
    DECIMAL,
    END,
    HEX,
    INTEGER,
    OPERATOR,
    PARAMETER,
    QUOTED,
    STRING,
    WORD,
    Token,
)

NAME: Final = "~name"
TEXT: Final = "~string"
WHOLE: Final = "~integer"
NUMBER: Final = "~number"
BIT_TEXT: Final = "~bits"
GIVEN: Final = "~parameter"
OTHER: Final = "~operator"
"""Any operator but those that have a precedence of their own."""
FINISH: Final = "~end"
NOT_BEFORE: Final = "~not"
"""NOT in front of BETWEEN, IN, LIKE, ILIKE and SIMILAR."""
WITH_BEFORE: Final = "~with"
"""WITH in front of TIME and ORDINALITY."""
NULLS_BEFORE: Final = "~nulls"
"""NULLS in front of FIRST and LAST."""

_KINDS: Final = {
    WORD: NAME,
    QUOTED: NAME,
    STRING: TEXT,
    BITS: BIT_TEXT,
    HEX: BIT_TEXT,
    INTEGER: WHOLE,
    DECIMAL: NUMBER,
    PARAMETER: GIVEN,
    END: FINISH,
}
OWN_OPERATORS: Final = frozenset(("+", "-", "*", "/", "%", "^", "<", ">", "=", "<=", ">=", "<>", "=>"))
_LOOKING: Final = {
    "not": (frozenset(("between", "in", "like", "ilike", "similar")), NOT_BEFORE),
    "with": (frozenset(("time", "ordinality")), WITH_BEFORE),
    "nulls": (frozenset(("first", "last")), NULLS_BEFORE),
}

_LOOKED_AHEAD_MAX: Final = 3

COLUMNS: Final = frozenset((NAME, NULLS_BEFORE)) | UNRESERVED | COLUMN_NAME
"""What may name a column or a table."""
FUNCTIONS: Final = frozenset((NAME, NULLS_BEFORE)) | UNRESERVED | TYPE_FUNCTION_NAME
"""What may name a function or a type."""
LABELS: Final = frozenset((NAME, NOT_BEFORE, WITH_BEFORE, NULLS_BEFORE)) | KEYWORDS
"""What may stand behind AS or a point."""
BARE_LABELS: Final = LABELS - NOT_BARE_LABEL - {WITH_BEFORE}
"""What may name a column of the answer without AS."""
QUERY_WORDS: Final = frozenset(("select", "with", WITH_BEFORE, "table"))
SETS: Final = frozenset(("union", "intersect", "except"))
TAILS: Final = SETS | {"order", "limit", "offset", "fetch", "for"}
"""What goes on behind a query in parentheses."""
BEHIND_TARGETS: Final = TAILS | {FINISH, ")", ",", "from", "where", "into", "group", "having", "window"}


def symbols(tokens: list[Token]) -> list[str]:
    """One for each token, and FINISH a few times more."""
    out = [
        t.keyword
        or _KINDS.get(t.kind)
        or (OTHER if t.kind == OPERATOR and t.value not in OWN_OPERATORS else t.value)
        for t in tokens
    ]
    for word, (ahead, instead) in _LOOKING.items():
        if word in out:
            for i, symbol in enumerate(out):
                if symbol == word and out[i + 1] in ahead:
                    out[i] = instead
    out += [FINISH] * _LOOKED_AHEAD_MAX
    return out
