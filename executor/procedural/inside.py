"""Whether what runs here is waited for by a query of DuckDB's, which no other thread will be free to answer for."""

from __future__ import annotations

import contextvars
from typing import Final

INSIDE: Final[contextvars.ContextVar[int]] = contextvars.ContextVar("inside a query", default=0)
"""How many queries wait for it."""

__all__ = ["INSIDE"]
