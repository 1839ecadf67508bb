"""Whether what runs here is waited for by a query of DuckDB's, which no other thread will be free to answer for.

A context variable says whose query that is, for contexts are handed on: whoever waits for a lock, or for a group of commits,
that a function has let go of or begun is called back in the function's context. It is not inside of anything of its own.
"""

from __future__ import annotations

import contextvars
from typing import Final

INSIDE: Final[contextvars.ContextVar[int]] = contextvars.ContextVar("inside a query", default=0)
"""The pid of the session whose query waits for it; 0: none does."""

RENEWS: Final[contextvars.ContextVar[bool]] = contextvars.ContextVar("renews the snapshot", default=False)
"""Whether that query has nothing of its own to read (`SELECT * FROM f(1)`): at READ COMMITTED what it waits for may see what others have
committed since it began, as a statement of a function does in PostgreSQL."""
STEADY: Final[contextvars.ContextVar[int]] = contextvars.ContextVar("keeps the snapshot", default=0)
"""The pid of the session whose function that is not volatile runs: its statements see what was there when it was called; 0: none does."""


def of_a_reader(party: int | None) -> bool:
    """Whether what runs is part of a statement of this session's that has its snapshot, and sees what that sees."""
    return STEADY.get() == party or (INSIDE.get() == party and not RENEWS.get())


__all__ = ["INSIDE", "RENEWS", "STEADY", "of_a_reader"]
