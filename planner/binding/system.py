"""The door through which pg_catalog and information_schema are known to the binder.

The relations belong to `planner.catalog.system`; the binder leaves a `SystemUse` slot in the text, and the
executor puts the rows there.
"""

from __future__ import annotations

from planner.abc import ResultColumn
from planner.catalog.system.relations import relation, whole_path

Columns = tuple[ResultColumn, ...]


def system_relation(schema: str, name: str) -> Columns | None:
    """The columns of a system relation; None for a name that PostgreSQL does not know either."""
    found = relation(schema, name)
    return found.columns if found is not None else None


__all__ = ["Columns", "system_relation", "whole_path"]
