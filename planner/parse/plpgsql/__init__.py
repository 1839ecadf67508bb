"""The grammar of PL/pgSQL: a body's text to a `Program`.

    reader         tokens, places of errors, texts that are cut out
    names          levels of names, and the variables that are declared in them
    declarations   DECLARE
    raising        RAISE, ASSERT, and conditions
    moving         OPEN, FETCH, CLOSE: cursors
    steps          all other statements

Statements and expressions of SQL are cut out as text, as PostgreSQL does it, and planned when they are first reached.
"""

from planner.parse.plpgsql.conditions import conditions
from planner.parse.plpgsql.program import DEPTH_MAX, do, parse_program

__all__ = ["DEPTH_MAX", "conditions", "do", "parse_program"]
