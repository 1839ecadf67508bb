"""What stays while a part of it goes with something else: the columns of a dropped type, a constraint, a default, a trigger, a rule, a policy."""

from __future__ import annotations

from planner import statements as st
from planner.abc import Column, PlanError, Table
from planner.catalog import CompositeType, Domain, View
from planner.ddl import rules
from planner.ddl.dependencies.dependents import Dependent
from planner.ddl.replication import published
from planner.ddl.rights import policies
from planner.ddl.routines import triggers
from planner.ddl.scope import Scope
from planner.ddl.types import domains
from planner.records import replace


def drop_columns(scope: Scope, parts: list[Dependent]) -> None:
    """Columns of a dropped type: those of one table at once."""
    from planner.ddl.tables import alter

    by_table: dict[int, list[st.AlterAction]] = {}
    for p in parts:
        assert p.column is not None
        if isinstance(p.thing, CompositeType):
            _drop_attribute(scope, p.thing, p.column)
            continue
        action = st.AlterAction("drop column", p.column.name, exists=True, cascade=True)
        by_table.setdefault(p.thing.oid, []).append(action)
    for oid, actions in by_table.items():
        table = scope.catalog.table(oid)
        alter.alter_table(scope, table, tuple(actions), above=bool(table.parents or table.children))


def _drop_attribute(scope: Scope, composite: CompositeType, attribute: Column) -> None:
    """An attribute of a dropped type. Values that tables hold would have to be rewritten: 0A000."""
    current = scope.catalog.get(composite.oid)
    assert isinstance(current, CompositeType)
    own = (current.oid, current.array_oid)
    if any(c.type.oid in own for t in scope.catalog.tables_using(*own) for c in t.columns):
        raise PlanError(
            "0A000",
            f"dropping an attribute of composite type {current.name}, which tables use, is not supported",
        )
    kept = tuple(c for c in current.columns if c.attnum != attribute.attnum)
    scope.replace(current, replace(current, columns=kept))


def remove_part(scope: Scope, part: Dependent) -> None:
    table = scope.catalog.get(part.thing.oid)
    if part.published is not None:
        published.without_parts(scope, {part.published[1].oid})
        return
    if part.trigger is not None:
        assert isinstance(table, Table | View)
        triggers.remove(scope, table, [part.trigger])
        return
    if part.rule is not None:
        assert isinstance(table, Table | View)
        rules.remove(scope, table, [part.rule])
        return
    if isinstance(table, Domain):
        assert part.constraint is not None
        domains.without(scope, table, part.constraint)
        return
    assert isinstance(table, Table)
    if part.policy is not None:
        policies.remove(scope, table, [part.policy])
    elif part.constraint is not None:
        kept = tuple(c for c in table.constraints if c.oid != part.constraint.oid)
        scope.replace(table, replace(table, constraints=kept))
        index = scope.catalog.get(part.constraint.index_oid) if part.constraint.index_oid else None
        if index is not None:
            scope.remove(index)
    elif part.column is not None:
        columns = tuple(
            replace(c, default=None, sequence_oid=0) if c.attnum == part.column.attnum else c
            for c in table.columns
        )
        scope.replace(table, replace(table, columns=columns))


__all__ = ["drop_columns", "remove_part"]
