"""What an index is of is computed of every row when it is made: a row that has no such value refuses the index, as in PostgreSQL.

    CREATE INDEX ON t ((a / b))                 22012 where b is 0 in any row
    CREATE INDEX ON t ((d ->> 'n')::int)        22P02 where some document has another n
    CREATE INDEX ON t (a) WHERE b::int > 0      22P02

Of unique indexes, whose values are compared, this is known anyway.
"""

from __future__ import annotations

from planner.abc import Table
from planner.catalog import Index
from planner.ddl.constraints import definitions as constraints
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope


def computed(scope: Scope, table: Table, index: Index) -> list[DataCheck]:
    """Asks the rows for an index's expressions, and its WHERE. It finds nothing; it fails, or does not."""
    values = [f"coalesce(length(CAST(({k.expression}) AS text)), 0) < 0" for k in index.keys if k.expression]
    if not values and not index.predicate:
        return []
    asked = " OR ".join(values) or "false"
    if index.predicate:
        asked = (
            f"CASE WHEN {index.predicate} THEN {asked} ELSE length(CAST(({index.predicate}) AS text)) < 0 END"
        )
    query = f"SELECT 1 FROM {constraints.qualified(scope, table)} WHERE {asked}"
    rows_of = 0 if table.partitioning is not None else table.oid
    return [DataCheck(query, "XX000", "an index's value is not computed", before=True, rows_of=rows_of)]


__all__ = ["computed"]
