"""A constraint of any kind, added to a table: the door to `constraints`, `exclusions` and `foreign_keys`."""

from __future__ import annotations

from planner import statements as st
from planner.abc import PlanError, Table
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import exclusions, foreign_keys
from planner.ddl.foreign import tables as foreign_tables
from planner.ddl.scope import Scope


def add(scope: Scope, table: Table, said: st.ConstraintDef, *, has_rows: bool) -> Table:
    """The table with one more constraint; its index and the check of its rows go to the scope."""
    if said.name and said.kind in "pu" and not said.using_index and has_rows:
        scope.refuse_duplicate(scope.catalog.schema_of(table.schema_oid), said.name)  # its index comes first
    taken = {c.name for c in table.listed} | {a.name for c in table.constraints for a in c.aims}
    if said.name and said.name in taken:
        raise PlanError("42710", f'constraint "{said.name}" for relation "{table.name}" already exists')
    added = has_rows
    if table.partitioning is not None:
        if said.kind == "x":
            raise PlanError(
                "0A000",
                "exclusion constraints are not supported on partitioned tables",
                position=said.position,
            )
        if said.kind == "c" and said.no_inherit:
            raise PlanError("42P16", f'cannot add NO INHERIT constraint to partitioned table "{table.name}"')
        foreign_tables.refuse_key_above(scope, table, said)
        if said.kind == "f" and said.not_valid:
            raise PlanError(
                "42809",
                f'cannot add NOT VALID foreign key on partitioned table "{table.name}" referencing relation "{said.foreign}"',
                detail="This feature is not yet supported on partitioned tables.",
            )
        has_rows = False  # its partitions have them, and constraints of their own
    if said.kind in "pu":
        return constraints.add_key(scope, table, said, has_rows)
    if said.kind == "c":
        return constraints.add_check(scope, table, said, has_rows, added=added)
    if said.kind == "x":
        return exclusions.add(scope, table, said, has_rows)
    return foreign_keys.add(scope, table, said, has_rows)
