"""Names of conditions, as EXCEPTION WHEN and RAISE have them: `unique_violation` is 23505."""

from __future__ import annotations

import functools

from planner.binding.facts import rows_of


@functools.cache
def conditions() -> dict[str, frozenset[str]]:
    """The SQLSTATEs that a condition's name stands for (PostgreSQL's manual, appendix A)."""
    found: dict[str, set[str]] = {}
    for name, sqlstate in rows_of("conditions.tsv"):
        found.setdefault(name, set()).add(sqlstate)
    return {name: frozenset(codes) for name, codes in found.items()}


__all__ = ["conditions"]
