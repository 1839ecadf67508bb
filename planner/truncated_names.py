"""Identifiers that are longer than names may be: they are cut to 63 bytes, and whoever said them is told (42622).

    SELECT 1 AS <64 letters>      NOTICE:  identifier "<64 letters>" will be truncated to "<63 letters>"

PostgreSQL's scanner tells it whenever it reads a text, once for each place where one stands (`truncate_identifier`). Here a text is
looked through when it is planned, if it has so long a word at all, and what there is to say is kept with the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from planner.abc import Plan
from planner.lexer import QUOTED, WORD, lowered, tokenize, truncate

NOTICES: Final = "notices"
"""In `Plan.extra`: messages for whoever has the text read."""
_LONG: Final = re.compile(r'"(?:[^"]|""){64}|[\w$]{64}')
_LONG_IN_BYTES: Final = re.compile(r'"(?:[^"]|""){16}|[\w$]{16}')
"""Of characters that have up to four bytes."""


def note(plan: Plan, text: str) -> None:
    """Keeps with a plan what is to be told of its statement's text."""
    if NOTICES not in plan.extra and (told := told_of(text)):
        plan.extra[NOTICES] = told


def told_of(text: str) -> tuple[str, ...]:
    """Messages for whoever has a text read. Raises PlanError if it does not tokenize."""
    if (_LONG if text.isascii() else _LONG_IN_BYTES).search(text) is None:
        return ()
    cut = [(name, truncate(name)) for name in _names(text)]
    return tuple(f'identifier "{name}" will be truncated to "{kept}"' for name, kept in cut if kept != name)


def _names(text: str) -> Iterator[str]:
    for token in tokenize(text):
        if token.kind == WORD:
            yield lowered(text[token.start : token.end])
        elif token.kind == QUOTED and text[token.start] == '"':
            yield text[token.start + 1 : token.end - 1].replace('""', '"')


__all__ = ["NOTICES", "note", "told_of"]
