"""ALTER TABLE's actions on constraints: add, drop, validate, rename."""

from __future__ import annotations

from planner import statements as st
from planner.abc import Constraint, PlanError, Table
from planner.catalog import Index
from planner.ddl import drop
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import foreign_keys
from planner.ddl.dependencies import standing
from planner.ddl.tables.alteration import Alteration
from planner.records import replace


def add_constraint(on: Alteration, a: st.AlterAction) -> None:
    assert a.constraint is not None
    on.add(a.constraint)


def drop_constraint(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    found = next((c for c in table.constraints if c.name == a.name and not c.index_only), None)
    if found is None and any(x.name == a.name for c in table.constraints for x in c.aims):
        raise PlanError("42P16", f'cannot drop inherited constraint "{a.name}" of relation "{table.name}"')
    if found is None:
        message = f'constraint "{a.name}" of relation "{table.name}" does not exist'
        if a.exists:
            scope.notice(message + ", skipping")
            return
        raise PlanError("42704", message)
    own = scope.catalog.get(found.index_oid) if found.index_oid else None
    if isinstance(own, Index) and own.parent and not found.parent:
        raise drop.of_index_above(scope, own)
    standing.free_key(scope, table, found, a.cascade)
    table = on.table
    kept = tuple(c for c in table.constraints if c.oid != found.oid)
    on.remove_index(found)
    on.table = replace(table, constraints=kept)


def alter_constraint(on: Alteration, a: st.AlterAction) -> None:
    """[NOT] DEFERRABLE, INITIALLY DEFERRED | IMMEDIATE of a foreign key: what is not said is not so."""
    table, said = on.table, a.constraint
    assert said is not None
    found = next((c for c in table.constraints if c.name == a.name and not c.index_only), None)
    for key in table.constraints:
        if any(x.name == a.name for x in key.aims):
            raise _derived(a.name, table, key, table)
    if found is not None and found.kind == "f" and found.parent:
        above, of = table, found
        while of.parent and above.partition is not None:
            above = on.scope.catalog.table(above.partition.parent)
            of = next(c for c in above.constraints if c.oid == of.parent)
        raise _derived(a.name, table, of, above)
    if found is None:
        raise PlanError("42704", f'constraint "{a.name}" of relation "{table.name}" does not exist')
    if found.kind != "f":
        raise PlanError(
            "42809", f'constraint "{a.name}" of relation "{table.name}" is not a foreign key constraint'
        )
    changed = replace(found, deferrable=said.deferrable, deferred=said.initially_deferred)
    on.table = replace(
        table, constraints=tuple(changed if c.oid == found.oid else c for c in table.constraints)
    )


def _derived(name: str, table: Table, of: Constraint, above: Table) -> PlanError:
    return PlanError(
        "XX000",
        f'cannot alter constraint "{name}" on relation "{table.name}"',
        detail=f'Constraint "{name}" is derived from constraint "{of.name}" of relation "{above.name}".',
        hint="You may alter the constraint it derives from, instead.",
    )


def validate_constraint(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    found = next((c for c in table.constraints if c.name == a.name), None)
    if found is None:
        raise PlanError("42704", f'constraint "{a.name}" of relation "{table.name}" does not exist')
    if found.kind not in "cf":
        raise PlanError(
            "42809",
            f'constraint "{a.name}" of relation "{table.name}" is not a foreign key or check constraint',
        )
    if found.validated:
        return
    checked = replace(found, validated=True)
    on.table = replace(
        table, constraints=tuple(checked if c.oid == found.oid else c for c in table.constraints)
    )
    if found.kind == "c":
        asked = [constraints.check_check(scope, on.table, checked)]
    else:
        target = scope.catalog.table(found.foreign_table)
        mine = {c.attnum: c for c in table.columns}
        theirs = {c.attnum: c for c in target.columns}
        asked = foreign_keys.check_rows(
            scope,
            on.table,
            checked,
            [mine[n] for n in found.columns],
            target,
            [theirs[n] for n in found.foreign_columns],
        )
    scope.checks += [replace(check, heeded=found.oid) for check in asked]


def rename_constraint(on: Alteration, a: st.AlterAction) -> None:
    scope, table = on.scope, on.table
    found = next((c for c in table.constraints if c.name == a.name), None)
    aim = next((x for c in table.constraints for x in c.aims if x.name == a.name), None)
    if found is None and aim is None:
        raise PlanError("42704", f'constraint "{a.name}" for table "{table.name}" does not exist')
    if a.new_name in table.constraint_names:
        raise PlanError("42710", f'constraint "{a.new_name}" for relation "{table.name}" already exists')
    if found is None:
        renamed = tuple(
            replace(
                c,
                aims=tuple(replace(x, name=a.new_name) if x is aim else x for x in c.aims),
            )
            for c in table.constraints
        )
        on.table = replace(table, constraints=renamed)
        return
    index = scope.catalog.get(found.index_oid) if found.index_oid else None
    if isinstance(index, Index):
        scope.refuse_duplicate(scope.catalog.schema_of(table.schema_oid), a.new_name)
        scope.replace(index, replace(index, name=a.new_name))
    on.table = replace(
        table,
        constraints=tuple(
            replace(c, name=a.new_name) if c.oid == found.oid else c for c in table.constraints
        ),
    )
