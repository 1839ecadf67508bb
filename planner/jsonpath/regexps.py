"""like_regex: XQuery's flags in terms of PostgreSQL's regular expressions.

i   case does not matter          m   ^ and $ at every line
s   a dot matches newlines too    q   the pattern is plain text, and i the only other flag that counts
x   is not there (0A000), as in PostgreSQL
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.abc import SqlError

if TYPE_CHECKING:
    from planner.binding.regexps.patterns import Pattern


def compiled(pattern: str, flags: str) -> Pattern:
    """Raises 2201B for a malformed pattern, 0A000 for the flag x."""
    from planner.binding.regexps.translation import compile_pattern  # a neighbour that is loaded after types

    options = "i" if "i" in flags else ""
    if "q" in flags:
        return compile_pattern(pattern, options + "q")
    if "x" in flags:
        raise SqlError("0A000", 'XQuery "x" flag (expanded regular expressions) is not implemented')
    if "s" not in flags:
        options += "p"
    if "m" in flags:
        options = options.replace("p", "") + ("n" if "p" in options else "w")
    return compile_pattern(pattern, options)
