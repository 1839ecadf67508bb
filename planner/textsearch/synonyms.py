"""Dictionaries that put words in the place of others (the template `synonym`).

postgres  pgsql
indices   index*        in queries whatever begins with index
"""

from __future__ import annotations

from planner.textsearch import files
from planner.textsearch.spelling import Lexeme
from planner.types.letter_case import lowered


def read(name: str, case_sensitive: bool) -> dict[str, Lexeme]:
    """Raises F0000, 22023, 54000."""
    found: dict[str, Lexeme] = {}
    for line in files.lines(name, "syn", "synonym"):
        words = line.split()
        if len(words) < 2:
            continue
        word, other = words[:2] if case_sensitive else map(lowered, words[:2])
        prefix = len(other) > 1 and other.endswith("*")
        found.setdefault(word, Lexeme(other[:-1] if prefix else other, 0, prefix))
    return found


__all__ = ["read"]
