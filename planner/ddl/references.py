"""Foreign keys from the other side: each table knows which tables refer to it.

Two things rest on `Table.referenced_by`. A write to a table looks for children only there. And adding or dropping
a foreign key changes the definition of *both* tables, so that a write to the parent that was made up without
the new constraint is refused at admission, like any other that an ALTER TABLE has overtaken.

It follows from the constraints alone, and is put right once, when a statement has been bound.
"""

from __future__ import annotations

import dataclasses

from planner.abc import Oid, Table
from planner.ddl.scope import Scope


def settle(scope: Scope) -> None:
    """Brings `referenced_by` in line with the foreign keys that the statement has left."""
    touched: set[Oid] = set()
    for oid, old in scope.first_states():
        for state in (old, scope.catalog.get(oid)):
            if isinstance(state, Table):
                touched.update(c.foreign_table for c in state.constraints if c.kind == "f")
    for oid in sorted(touched):
        parent = scope.catalog.get(oid)
        if not isinstance(parent, Table):
            continue
        children = tuple(
            t.oid
            for t in scope.catalog.tables()
            if any(c.kind == "f" and c.foreign_table == oid for c in t.constraints)
        )
        if children != parent.referenced_by:
            scope.replace(parent, dataclasses.replace(parent, referenced_by=children))
    if touched:
        scope.refresh()
