"""ALTER TABLE ... DETACH PARTITION p, CONCURRENTLY or not.

A partition that leaves CONCURRENTLY takes along a CHECK that says what its bound said, as in PostgreSQL: it can be attached again without
a look at its rows. Nothing is ever half detached here, so FINALIZE finds nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog.system.bounds import constraint_text
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import references
from planner.ddl.scope import Scope
from planner.records import replace

if TYPE_CHECKING:
    from planner.ddl.tables.alteration import Alteration


def detach(on: Alteration, a: st.AlterAction) -> None:
    scope, parent = on.scope, on.table
    assert a.relation is not None
    if parent.partitioning is None:
        raise PlanError("42P17", f'table "{parent.name}" is not partitioned')
    child = scope.relation(replace(a.relation, position=0))
    if not isinstance(child, Table) or child.partition is None or child.partition.parent != parent.oid:
        raise PlanError("42P01", f'relation "{child.name}" is not a partition of relation "{parent.name}"')
    left = child
    if a.which == "finalize":
        raise PlanError(
            "55000",
            f'cannot complete detaching partition "{child.name}"',
            detail="There's no pending concurrent detach.",
        )
    if a.which == "concurrently":
        left = _checked(scope, parent, child)
    scope.checks += references.still_aimed_at(scope, child)
    alone = tuple(replace(c, parent=0) for c in left.constraints)
    own = tuple(x for x in child.triggers if not x.parent)  # copies go, as there
    scope.replace(child, replace(left, partition=None, constraints=alone, triggers=own))
    for index in scope.catalog.indexes_of(child.oid):
        if index.parent:
            scope.replace(index, replace(index, parent=0))


def _checked(scope: Scope, parent: Table, child: Table) -> Table:
    """The partition with its bound as a CHECK. Raises 55000, 0A000."""
    assert child.partition is not None and parent.partitioning is not None
    beside = scope.catalog.partitions_of(parent.oid)
    if any(t.partition is not None and t.partition.bound.default for t in beside):
        raise PlanError("55000", "cannot detach partitions concurrently when a default partition exists")
    if parent.partitioning.strategy == "h":  # whose bound no expression says
        raise PlanError("0A000", "DETACH PARTITION CONCURRENTLY of a hash partition is not supported")
    text = constraint_text(scope.catalog, child)
    if text is None or any(c.kind == "c" and c.expression == text for c in child.constraints):
        return child
    said = st.ConstraintDef("c", expression=st.Sql(text))
    return constraints.add_check(scope, child, said, has_rows=False, added=True)
