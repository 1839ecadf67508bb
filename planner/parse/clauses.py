"""Clauses that many statements end with."""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.parse.cursor import Cursor


def drop_behaviour(c: Cursor) -> bool:
    """[CASCADE | RESTRICT]: whether CASCADE."""
    if c.accept("cascade"):
        return True
    c.accept("restrict")
    return False


INDEX_METHODS: Final = ("btree", "hash", "gin", "gist", "brin", "spgist", "hnsw", "ivfflat")
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


def tablespace(c: Cursor) -> None:
    """A tablespace's name: everything lies in the one for all relations, and nobody makes another. Raises 42704, 22023."""
    name = c.name()
    if name == "pg_global":
        raise PlanError("22023", "only shared relations can be placed in pg_global tablespace")
    if name != "pg_default":
        raise PlanError("42704", f'tablespace "{name}" does not exist')


def table_method(name: str) -> None:
    """What a table's rows are kept by: by nothing but heap. Raises 42704, 42809."""
    if name in INDEX_METHODS:
        raise PlanError("42809", f'access method "{name}" is not of type TABLE')
    if name != "heap":
        raise PlanError("42704", f'access method "{name}" does not exist')
