"""Whether what runs here is waited for by a query of DuckDB's, which no other thread will be free to answer for.

A context variable says whose query that is, for contexts are handed on: whoever waits for a lock, or for a group of commits,
that a function has let go of or begun is called back in the function's context. It is not inside of anything of its own.
"""

from __future__ import annotations

import contextvars
from typing import Final

INSIDE: Final[contextvars.ContextVar[int]] = contextvars.ContextVar("inside a query", default=0)
"""The pid of the session whose query waits for it; 0: none does."""

__all__ = ["INSIDE"]
