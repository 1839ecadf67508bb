"""Clauses that many statements end with."""

from __future__ import annotations

from typing import Final

from planner.parse.cursor import Cursor


def drop_behaviour(c: Cursor) -> bool:
    """[CASCADE | RESTRICT]: whether CASCADE."""
    if c.accept("cascade"):
        return True
    c.accept("restrict")
    return False


REFUSED: Final = frozenset(
    ("foreign", "tablespace",
     "language", "access", "transform", "assertion")
)  # fmt: skip
"""What begins to name objects of which there are none here."""
_TWO_WORDS: Final = (
    ("event", "trigger"), ("operator", "class"), ("operator", "family"), ("foreign", "table"), ("foreign", "data", "wrapper"),
    ("text", "search"), ("access", "method"),
)  # fmt: skip


def named_in_full(c: Cursor) -> str:
    """A kind of objects that is refused, by all the words that it has. Nothing is taken."""
    found = next((words for words in _TWO_WORDS if c.next_is(*words)), (c.word,))
    return " ".join(found).upper()
