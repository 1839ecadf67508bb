"""TRUNCATE: the tables that are emptied, those below them and, with CASCADE, those that refer to them.

Who may empty the tables that are named is asked before (`planner.ddl.rights.permits`), here of those that are found on the way.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import unreachable
from planner.catalog.system.relations import relations
from planner.ddl import sequences
from planner.ddl.rights.permits import must_own
from planner.ddl.scope import Scope
from planner.inheritance import family
from planner.partitioning import descendants


def truncate(scope: Scope, said: st.Truncate) -> None:
    tables: list[Table] = []
    for at, name in enumerate(said.tables):
        found = scope.find(name)
        if found is None:
            scope.require_schema(name)
            if (name.schema or "pg_catalog", name.name) in relations():
                raise PlanError("42501", f'permission denied: "{name.name}" is a system catalog')
            shown = f"{name.schema}.{name.name}" if name.schema else name.name
            raise PlanError("42P01", f'relation "{shown}" does not exist')
        if not isinstance(found, Table) or found.materialized is not None:
            raise PlanError("42809", f'"{name.name}" is not a table')
        if found.partitioning is not None and at in said.only:
            raise PlanError(
                "42809",
                "cannot truncate only a partitioned table",
                hint="Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.",
            )
        below = descendants(scope.catalog, found)
        if at not in said.only:
            below += family(scope.catalog, found)[1:]
        for table in (found, *below):
            if table.foreign is not None:
                raise unreachable(scope.catalog, table)
        tables += [t for t in [found, *below] if t not in tables]
    i = 0
    while i < len(tables):
        for other in map(scope.catalog.table, tables[i].referenced_by):
            if other in tables:
                continue
            if not said.cascade:
                if any(other.name == n.name for n in said.tables):
                    continue
                raise PlanError(
                    "0A000",
                    "cannot truncate a table referenced in a foreign key constraint",
                    detail=f'Table "{other.name}" references "{tables[i].name}".',
                    hint=f'Truncate table "{other.name}" at the same time, or use TRUNCATE ... CASCADE.',
                )
            scope.notice(f'truncate cascades to table "{other.name}"')
            rights.require(scope.catalog, scope.user, other, "truncate")
            tables.append(other)
        i += 1
    scope.truncated += tables
    if said.restart_identity:
        for table in tables:
            for sequence in scope.catalog.sequences_of(table.oid):
                must_own(scope, sequence)
                scope.replace(sequence, sequences.restarted(sequence))


__all__ = ["truncate"]
