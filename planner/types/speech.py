"""What a message calls a type that somebody made.

    CREATE TYPE s.mood AS ENUM ('sad')         search_path = public           invalid input value for enum s.mood: "glad"
                                               search_path = s, public        invalid input value for enum mood: "glad"

A type is told by its name alone where whoever hears of it would find it so (PostgreSQL's `format_type_be`, and
`TypeIsVisible`). That depends on the session that asks, its search path at that moment and its catalog; a type knows neither. So
whoever works for a session says how types are called there (`SPEAKER`), and what has a message made asks when it makes one:
nothing is spent on a statement that goes well.

Where nobody is spoken to (at a start, in a thread of the engine), types have their bare names.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

from planner.abc import TypeRef

Speaker = Callable[[TypeRef], str]
SPEAKER: Final[ContextVar[Speaker | None]] = ContextVar("what types are called", default=None)
