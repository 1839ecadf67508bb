"""Names of relations inside expressions that PostgreSQL keeps as OIDs: regclass constants.

`nextval('s')` in a default means the sequence that was `s` when the default was made, whatever it is called later and
whatever the search path is then. The catalog keeps expressions as texts, so the text must say the schema, follow
renames, and be shown as the reader's search path has it: three times the same walk over its literals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.lexer import STRING, WORD, Token, tokenize

BY_REGCLASS: Final = frozenset(("nextval", "currval", "setval", "pg_sequence_last_value", "pg_relation_size"))
"""Functions whose first argument is a regclass."""


def with_constants(text: str, renamed: Callable[[Token], str]) -> str:
    """An expression with each name that is a regclass constant put as `renamed` says.

    `'I-' || nextval('s')` becomes `'I-' || nextval('public.s')`: what PostgreSQL keeps as an OID is kept here as a
    name that no search path can turn.
    """
    tokens = tokenize(text)
    pieces: list[str] = []
    done = 0
    for i, token in enumerate(tokens):
        if token.kind != STRING:
            continue
        called = (
            i >= 2
            and tokens[i - 1].value == "("
            and tokens[i - 2].kind == WORD
            and tokens[i - 2].value in BY_REGCLASS
        )
        words = [t.value for t in tokens[i + 1 : i + 5]]
        cast = words[:2] == ["::", "regclass"] or words == ["::", "pg_catalog", ".", "regclass"]
        if cast or (called and words[:1] in ([")"], [","])):
            shown = renamed(token).replace("'", "''")
            pieces += [text[done : token.start], f"'{shown}'"]
            done = token.end
    return "".join(pieces) + text[done:]
