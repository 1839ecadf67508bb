"""What partitions have from the tables above them: constraints, indexes, and what their rows are asked for.

It follows from the tables above alone, and is put right once, when a statement has been bound:

    t   PRIMARY KEY (id, day)   CHECK (n > 0)   INDEX (n)         what is new here
    │       │ parent                │               │
    p   p_pkey                  CHECK (n > 0)   p_n_idx           is made there, or found there if it is alike; what t has lost goes
"""

from __future__ import annotations

from planner import statements as st
from planner import triggers
from planner.abc import Constraint, Oid, PlanError, Table
from planner.catalog import Index
from planner.ddl import naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import foreign_keys, index_values, table_constraints, unique_indexes
from planner.ddl.constraints import names as constraint_names
from planner.ddl.partitions import columns as partition_columns
from planner.ddl.partitions import creation as partitions
from planner.ddl.routines.triggers import put
from planner.ddl.scope import Scope
from planner.ddl.tables import alter, inherits
from planner.partitioning import ancestors, descendants
from planner.partitions import Partition, PartitionTest
from planner.records import replace


def settle(scope: Scope) -> None:
    """Brings partitions in line with the tables above them that the statement has touched."""
    _tell_parents(scope)
    touched: set[Oid] = set()
    for oid, old in scope.first_states():
        for state in (old, scope.catalog.get(oid)):
            holder = scope.catalog.get(state.table_oid) if isinstance(state, Index) else state
            if not isinstance(holder, Table):
                continue
            if holder.partitioning is not None:
                touched.add(holder.oid)
            if holder.partition is not None:
                touched.add(holder.partition.parent)
    if not touched:
        return
    above: dict[Oid, None] = {}
    for oid in sorted(touched):
        table = scope.catalog.get(oid)
        if isinstance(table, Table):
            above.update(dict.fromkeys([oid, *(t.oid for t in descendants(scope.catalog, table))]))
    partition_columns.let_go(scope)
    for oid in sorted(touched):
        table = scope.catalog.get(oid)
        if isinstance(table, Table):
            for upper in (table, *ancestors(scope.catalog, table)):
                partition_columns.given(scope, upper.oid)
    for oid in _parents_first(scope, above):
        for child in scope.catalog.partitions_of(oid):
            partition_columns.given(scope, child.oid)
            _in_line(scope, scope.catalog.table(oid), child.oid)
    for oid in above:
        table = scope.catalog.get(oid)
        if isinstance(table, Table) and table.partition is not None:
            tests = _tests(scope, table)
            if tests != table.partition.tests:
                scope.replace(table, replace(table, partition=replace(table.partition, tests=tests)))
    scope.refresh()


def _tell_parents(scope: Scope) -> None:
    """Tables whose partitions have come or gone are other ones by that, for those who have read all of them and for those who make
    another one meanwhile."""
    parents: set[Oid] = set()
    for oid, old in scope.first_states():
        before, after = _parent_of(old), _parent_of(scope.catalog.get(oid))
        if before != after:
            parents |= {before, after}
    for oid in sorted(parents):
        parent = scope.catalog.get(oid)
        if isinstance(parent, Table):
            scope.replace(parent, replace(parent, dealt_anew=parent.dealt_anew + 1))


def _parent_of(thing: object) -> Oid:
    return thing.partition.parent if isinstance(thing, Table) and thing.partition is not None else 0


def _parents_first(scope: Scope, tables: dict[Oid, None]) -> list[Oid]:
    def depth(oid: Oid) -> int:
        table, found = scope.catalog.table(oid), 0
        while table.partition is not None:
            table, found = scope.catalog.table(table.partition.parent), found + 1
        return found

    return sorted(tables, key=depth)


def _tests(scope: Scope, table: Table) -> tuple[PartitionTest, ...]:
    found: list[PartitionTest] = []
    at: Partition | None = table.partition
    level = table.oid
    attnums = {c.name: c.attnum for c in table.columns}
    while at is not None:
        parent = scope.catalog.table(at.parent)
        key = parent.partitioning
        assert key is not None
        columns = tuple(attnums[parent.columns[parent.index_of(n)].name] for n in key.columns)
        siblings = scope.catalog.partitions_of(parent.oid) if at.bound.default else ()
        others = tuple(o.partition.bound for o in siblings if o.oid != level and o.partition is not None)
        found.insert(0, PartitionTest(key.strategy, columns, at.bound, others))
        level, at = parent.oid, parent.partition
    return tuple(found)


def _in_line(scope: Scope, parent: Table, oid: Oid) -> None:
    """One partition's constraints and indexes."""
    known = {c.oid: c for c in parent.constraints}
    child = scope.catalog.table(oid)
    for mine in child.constraints:
        if mine.parent and mine.parent not in known:
            index = scope.catalog.get(mine.index_oid) if mine.index_oid else None
            if index is not None:
                scope.remove(index)
            _put(scope, child, tuple(c for c in scope.catalog.table(oid).constraints if c.oid != mine.oid))
        elif mine.parent:
            _follow(scope, oid, mine, known[mine.parent])
    for theirs in parent.listed:
        if theirs.no_inherit and theirs.kind == "c":
            continue
        child = scope.catalog.table(oid)
        if child.foreign is not None and theirs.kind != "c":
            continue
        if not any(c.parent == theirs.oid for c in child.constraints):
            _constraint(scope, parent, child, theirs)
    for index in scope.catalog.indexes_of(parent.oid):
        there = any(i.parent == index.oid for i in scope.catalog.indexes_of(oid))
        of_rows = scope.catalog.table(oid).foreign is None
        if of_rows and not index.constraint_oid and index.valid and not there:
            _index(scope, parent, scope.catalog.table(oid), index)
    _triggers(scope, parent, oid)


def _triggers(scope: Scope, parent: Table, oid: Oid) -> None:
    """Row triggers of the table above, each copied."""
    child = scope.catalog.table(oid)
    wanted = [x for x in parent.triggers if x.bits & triggers.ROW]
    if not wanted and not any(x.parent for x in child.triggers):
        return
    below = {c.name: c.attnum for c in child.columns}
    above = {c.attnum: c.name for c in parent.columns}
    mine = {x.parent: x for x in child.triggers if x.parent}
    kept = [x for x in child.triggers if not x.parent]
    for theirs in wanted:
        known = mine.get(theirs.oid)
        if (known is None or known.name != theirs.name) and any(x.name == theirs.name for x in kept):
            raise PlanError("42710", f'trigger "{theirs.name}" for relation "{child.name}" already exists')
        kept.append(
            replace(
                theirs,
                oid=known.oid if known is not None else scope.allocate(),
                columns=tuple(below[above[n]] for n in theirs.columns),
                enabled=known.enabled if known is not None else theirs.enabled,
                parent=theirs.oid,
            )
        )
    if sorted(kept, key=lambda x: x.oid) != sorted(child.triggers, key=lambda x: x.oid):
        put(scope, child, kept)


def _put(scope: Scope, table: Table, kept: tuple[Constraint, ...]) -> None:
    current = scope.catalog.table(table.oid)
    scope.replace(current, replace(current, constraints=kept))


def _changed(scope: Scope, oid: Oid, changed: Constraint) -> None:
    table = scope.catalog.table(oid)
    _put(scope, table, tuple(changed if c.oid == changed.oid else c for c in table.constraints))


def _follow(scope: Scope, oid: Oid, mine: Constraint, theirs: Constraint) -> None:
    """What ALTER and RENAME CONSTRAINT have changed above."""
    if theirs.kind == "c" and mine.name != theirs.name:
        _changed(scope, oid, replace(mine, name=theirs.name))
    elif theirs.kind == "f" and (mine.deferrable, mine.deferred) != (theirs.deferrable, theirs.deferred):
        _changed(scope, oid, replace(mine, deferrable=theirs.deferrable, deferred=theirs.deferred))


def _merge(scope: Scope, parent: Table, child: Table, mine: Constraint, theirs: Constraint) -> None:
    """A CHECK that the partition says, too: told, where a statement says it, and refused where it is another one. Raises 42804, 42710, 42P17."""
    alike = inherits.shown_check(scope, child, mine) == inherits.shown_check(scope, parent, theirs)
    attached = not scope.made_here(child) and not _was_partition(scope, child)
    if attached:
        if not alike:
            raise PlanError(
                "42804",
                f'child table "{child.name}" has different definition for check constraint "{theirs.name}"',
            )
        if mine.no_inherit or (theirs.validated and not mine.validated):
            kind = "non-inherited" if mine.no_inherit else "NOT VALID"
            raise PlanError(
                "42P17",
                f'constraint "{theirs.name}" conflicts with {kind} constraint on child table "{child.name}"',
            )
        return
    if not alike:
        raise PlanError("42710", f'constraint "{theirs.name}" for relation "{child.name}" already exists')
    if mine.no_inherit or (theirs.validated and not mine.validated):
        kind = "inherited" if scope.made_here(child) else "non-inherited" if mine.no_inherit else "NOT VALID"
        raise PlanError(
            "42P17",
            f'constraint "{theirs.name}" conflicts with {kind} constraint on relation "{child.name}"',
        )
    scope.notice(f'merging constraint "{theirs.name}" with inherited definition')


def _constraint(scope: Scope, parent: Table, child: Table, theirs: Constraint) -> None:
    """A constraint of the table above, found in its partition or made there."""
    index = scope.catalog.get(theirs.index_oid) if theirs.index_oid else None
    if isinstance(index, Index) and not index.valid:
        return  # ALTER TABLE ONLY: partitions get theirs by ATTACH
    above = {c.attnum: c.name for c in parent.columns}
    below = {c.name: c.attnum for c in child.columns}
    columns = tuple(below[above[n]] for n in theirs.columns)
    for mine in child.constraints:
        if mine.parent or mine.kind != theirs.kind or mine.index_only:
            continue
        if theirs.kind == "c":
            if mine.name != theirs.name:
                continue
            _merge(scope, parent, child, mine, theirs)
        elif mine.columns != columns or not _same_target(mine, theirs):
            continue
        own = scope.catalog.get(mine.index_oid) if mine.index_oid else None
        if isinstance(own, Index) and own.parent:
            continue  # part of an index above that is no constraint's
        _changed(scope, child.oid, replace(mine, parent=theirs.oid))
        if isinstance(own, Index):
            scope.replace(own, replace(own, parent=theirs.index_oid))
        return
    has_rows = not scope.made_here(child)
    if theirs.kind == "c" and has_rows and child.partition is not None and not _was_partition(scope, child):
        raise PlanError("42804", f'child table is missing constraint "{theirs.name}"')
    before = {c.oid for c in child.constraints}
    if theirs.kind == "f":
        _foreign_key(scope, child, theirs, columns, has_rows)
        return
    names = {c.attnum: c.name for c in child.columns}
    said = st.ConstraintDef(
        theirs.kind,
        theirs.name if theirs.kind == "c" else "",
        columns=tuple(names[n] for n in columns) if theirs.kind != "c" else (),
        expression=st.Sql(theirs.expression) if theirs.kind == "c" else None,
        include=tuple(above[n] for n in index.include) if isinstance(index, Index) else (),
        nulls_not_distinct=theirs.nulls_not_distinct,
        deferrable=theirs.deferrable,
        initially_deferred=theirs.deferred,
        not_valid=not theirs.validated,
    )
    made = table_constraints.add(scope, child, said, has_rows=has_rows and child.partitioning is None)
    scope.replace(child, made)
    for c in made.constraints:
        if c.oid not in before:
            _changed(scope, child.oid, replace(c, parent=theirs.oid))
            own = scope.catalog.get(c.index_oid) if c.index_oid else None
            if isinstance(own, Index):
                scope.replace(own, replace(own, parent=theirs.index_oid))


def _was_partition(scope: Scope, child: Table) -> bool:
    before = scope.before.get(child.oid)
    return isinstance(before, Table) and before.partition is not None


def _same_target(mine: Constraint, theirs: Constraint) -> bool:
    if theirs.kind != "f":
        return mine.nulls_not_distinct == theirs.nulls_not_distinct
    return (
        (mine.foreign_table, mine.foreign_columns, mine.on_update, mine.on_delete, mine.match)
        == (theirs.foreign_table, theirs.foreign_columns, theirs.on_update, theirs.on_delete, theirs.match)
        and (mine.deferrable, mine.deferred) == (theirs.deferrable, theirs.deferred)
        and mine.validated
    )  # fmt: skip


def _foreign_key(
    scope: Scope, child: Table, theirs: Constraint, columns: tuple[int, ...], has_rows: bool
) -> None:
    taken = constraint_names.is_taken_for_condition(scope, child)
    names = {c.attnum: c for c in child.columns}
    name = theirs.name
    if any(c.name == name for c in child.constraints):
        name = naming.choose(child.name, naming.joined(names[n].name for n in columns), "fkey", taken)
    deleted = tuple(columns[theirs.columns.index(n)] for n in theirs.delete_columns)
    made = replace(
        theirs,
        oid=scope.allocate(),
        name=name,
        columns=columns,
        parent=theirs.oid,
        delete_columns=deleted,
        aims=(),
    )
    _put(scope, child, (*child.constraints, made))
    if has_rows and theirs.validated and child.partitioning is None:
        target = scope.catalog.table(theirs.foreign_table)
        key = {c.attnum: c for c in target.columns}
        mine = [names[n] for n in columns]
        scope.checks += foreign_keys.check_rows(
            scope,
            scope.catalog.table(child.oid),
            made,
            mine,
            target,
            [key[n] for n in theirs.foreign_columns],
        )


def _index(scope: Scope, parent: Table, child: Table, theirs: Index) -> None:
    """An index of the table above, found in its partition or made there."""
    wanted = partitions.shape(parent, theirs)
    for mine in scope.catalog.indexes_of(child.oid):
        if not mine.parent and partitions.shape(child, mine) == wanted:
            scope.replace(mine, replace(mine, parent=theirs.oid))
            unique_indexes.named_as_above(scope, parent, theirs, child.oid, mine)
            return
    above = {c.attnum: c.name for c in parent.columns}
    below = {c.name: c.attnum for c in child.columns}
    keys = tuple(replace(k, attnum=below[above[k.attnum]]) if k.attnum else k for k in theirs.keys)
    if theirs.unique:
        constraints.refuse_key_without(child, tuple(k.attnum for k in keys), "UNIQUE")
    label = naming.joined(
        [
            *(above[k.attnum] if k.attnum else naming.of_expression(k.expression) for k in theirs.keys),
            *(above[n] for n in theirs.include),
        ]
    )
    made = replace(
        theirs,
        oid=scope.allocate(),
        schema_oid=child.schema_oid,
        name=naming.choose(child.name, label, "idx", constraint_names.is_taken_for_index(scope, child)),
        table_oid=child.oid,
        keys=keys,
        include=tuple(below[above[n]] for n in theirs.include),
        parent=theirs.oid,
    )
    scope.add(made)
    if made.unique:
        alter.add_unique_index(scope, child, made)
        unique_indexes.named_as_above(scope, parent, theirs, child.oid, made)
        if child.partitioning is None and not scope.made_here(child):
            found = unique_indexes.check(scope, child, made)
            scope.checks.append(replace(found, before=True))
        return
    if index_values.may_fail(made) and child.partitioning is None and not scope.made_here(child):
        scope.checks += index_values.computed(scope, child, made)
    index_values.is_other(scope, made)


__all__ = ["settle"]
