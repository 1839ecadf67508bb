"""What goes wrong on a path and not in its text: such errors are unknown to predicates and silenced by `silent`."""

from __future__ import annotations

from planner.abc import SqlError


class PathError(SqlError):
    """An error of the items met, not of the call."""
