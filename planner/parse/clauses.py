"""Clauses that many statements end with."""

from __future__ import annotations

from planner.parse.cursor import Cursor


def drop_behaviour(c: Cursor) -> bool:
    """[CASCADE | RESTRICT]: whether CASCADE."""
    if c.accept("cascade"):
        return True
    c.accept("restrict")
    return False
