"""ALTER TABLE (and RENAME, OWNER, SET SCHEMA of any relation): a list of actions over one table.

alter_table ── Alteration(table) ──> action, action, ... ──> finish
                   │                 alter_columns, alter_constraints, alter_identity
                   └── the table in the making, and what becomes of its rows (`alteration`)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import aims
from planner import statements as st
from planner.abc import PlanError, Table
from planner.catalog import Index, Relation, Sequence, View, rights
from planner.ddl import rules, views
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import unique_indexes
from planner.ddl.dependencies import renamed_in_queries
from planner.ddl.foreign import tables as foreign_tables
from planner.ddl.partitions import alter as alter_partitions
from planner.ddl.partitions import creation as partitions
from planner.ddl.partitions import detaching
from planner.ddl.replication import identity as replicas
from planner.ddl.replication import published
from planner.ddl.retention import NAME, retention_us
from planner.ddl.routines import triggers
from planner.ddl.scope import Scope
from planner.ddl.tables import (
    access_methods,
    action_words,
    alter_columns,
    alter_constraints,
    alter_heirs,
    alter_identity,
    clustered,
    column_settings,
    inherits,
    moves,
    passes,
    typed_tables,
    view_defaults,
)
from planner.ddl.tables.alteration import Alteration
from planner.ddl.tables.columns import refuse_column_name
from planner.ddl.types import composites
from planner.parse import storage
from planner.records import replace


def alter_relation(scope: Scope, said: st.AlterTable) -> None:
    found = scope.find(said.name)
    if found is None and said.if_exists:
        scope.notice(f'relation "{said.name.name}" does not exist, skipping')
        return
    found = scope.relation(st.Name(said.name.name, said.name.schema))
    expected = {"view": View, "index": Index, "sequence": Sequence, "foreign table": Table}.get(said.kind)
    not_foreign = said.kind == "foreign table" and getattr(found, "foreign", None) is None
    if said.kind == "index" and {a.what for a in said.actions} == {"rename"}:
        expected = None  # PostgreSQL renames whatever it is
    if expected is not None and (not_foreign or not isinstance(found, expected)):
        article = "an" if said.kind == "index" else "a"
        raise PlanError("42809", f'"{said.name.name}" is not {article} {said.kind}')
    if isinstance(found, Table):
        _refuse_kind(found, said)
        alter_table(scope, found, said.actions, only=said.only)
        return
    if said.kind == "materialized view":
        raise PlanError("42809", f'"{said.name.name}" is not a materialized view')
    for action in said.actions:
        current = scope.catalog.get(found.oid)
        assert isinstance(current, Relation)
        _alter_other(scope, current, action)


_OF_MATERIALIZED: Final = frozenset(
    (
        "rename",
        "rename column",
        "set schema",
        "owner",
        "cluster on",
        "without cluster",
        "ignore",
        "set access method",
        "set options",
        "reset options",
        *column_settings.ACTIONS,
    )
)


def _refuse_kind(table: Table, said: st.AlterTable) -> None:
    """ALTER MATERIALIZED VIEW is for materialized views, and these take few actions (42809)."""
    if table.materialized is None:
        if said.kind == "materialized view":
            raise PlanError("42809", f'"{table.name}" is not a materialized view')
        return
    for action in said.actions:
        if action.what not in _OF_MATERIALIZED:
            raise action_words.refused(table, action)


def add_unique_index(scope: Scope, table: Table, index: Index) -> None:
    """The table with what enforces a unique index: its constraint, and columns where it needs some."""
    alteration = Alteration(scope, table)
    alteration.table, alteration.sources = unique_indexes.hidden_columns(scope, table, index)
    alteration.reshaped = bool(alteration.sources) and not scope.made_here(table)
    alteration.finish()


def settle_unique_indexes(scope: Scope, table: Table) -> None:
    """After indexes of the table were removed: what enforced them goes too."""
    Alteration(scope, table).finish()


def alter_table(
    scope: Scope,
    table: Table,
    actions: tuple[st.AlterAction, ...],
    *,
    only: bool = False,
    above: bool = False,
    by_type: bool = False,
) -> None:
    """A list of actions over one table, and over its partitions. `above`: they were said of the table above; `by_type`: of its type."""
    actions = passes.in_order(actions)
    foreign_tables.refuse_actions(scope, table, actions, only=only)
    if not by_type:
        typed_tables.refuse(table, actions)
    if table.partitioning is not None or table.partition is not None:
        alter_partitions.refuse(scope, table, actions, only=only, above=above)
    first = alter_partitions.makes_sequences(scope, table, actions)
    if not first:
        _alter_partitions(scope, table, actions, only=only)
    if table.children or table.parents:
        alter_heirs.alter_family(scope, table, actions, _ACTIONS, only=only, alone=above)
        return
    alteration = Alteration(scope, scope.catalog.table(table.oid))
    alteration.only = only
    for action in actions:
        _ACTIONS[action.what](alteration, action)
    composites.change_rows(scope, table, alteration.table)
    alteration.finish()
    if first:
        _alter_partitions(scope, table, actions, only=only)


def _alter_partitions(scope: Scope, table: Table, actions: tuple[st.AlterAction, ...], *, only: bool) -> None:
    for below, same in alter_partitions.handed_down(scope, table, actions, only=only):
        alter_table(scope, below, same, above=True)


def _alter_other(scope: Scope, found: Relation, action: st.AlterAction) -> None:
    """What can be done to a relation that is no table."""
    if action.what == "rename":
        moves.rename_relation(scope, found, action.new_name)
    elif action.what == "set schema" and isinstance(found, View | Sequence):
        if isinstance(found, Sequence) and found.table_oid:
            owner = scope.catalog.table(found.table_oid).name
            raise PlanError(
                "0A000",
                "cannot move an owned sequence into another schema",
                detail=f'Sequence "{found.name}" is linked to table "{owner}".',
            )
        moves.move_relation(scope, found, action.name)
    elif action.what == "owner" and not isinstance(found, Index):
        scope.replace(found, replace(found, owner=constraints.require_role(scope, action.name)))
    elif action.what == "switch rule" and isinstance(found, View):
        switched = rules.switched(found, action.name, action.enabled)
        scope.replace(found, replace(found, rules=switched))
    elif action.what == "set logged" and isinstance(found, Sequence):
        scope.replace(found, replace(found, unlogged=action.name == "unlogged"))
    elif action.what in ("set default", "drop default") and isinstance(found, View):
        view_defaults.change(scope, found, action)
    elif action.what == "rename column" and isinstance(found, View):
        names = [c.name for c in found.columns]
        if action.name not in names:
            raise PlanError("42703", f'column "{action.name}" does not exist')
        if action.new_name in names:
            message = f'column "{action.new_name}" of relation "{found.name}" already exists'
            raise PlanError("42701", message)
        refuse_column_name(action.new_name, [])
        columns = tuple(
            replace(c, name=action.new_name) if c.name == action.name else c for c in found.columns
        )
        rules.refuse_renaming(scope, found, action.name)
        renamed_in_queries.with_column(scope, found, action.name, action.new_name)
        scope.replace(found, replace(found, columns=columns))
    elif action.what == "attach partition" and isinstance(found, Index):
        if action.bound is not None:
            raise PlanError("42809", f'"{found.name}" is not a partitioned table')
        partitions.attach_index(scope, found, action)
    elif action.what in ("set options", "reset options") and isinstance(found, Index):
        reset = action.what == "reset options"
        if not reset:
            storage.check(found.method, action.options)
        options = storage.kept(found.options, action.options, reset=reset)
        scope.replace(found, replace(found, options=options))
    elif action.what in ("set options", "reset options") and isinstance(found, View):
        view_options(scope, found, action)
    elif action.what in column_settings.ACTIONS and isinstance(found, Index):
        column_settings.of_index(scope, found, action)
    elif action.what not in ("ignore", "set options", "reset options"):
        raise action_words.refused(found, action)


def view_options(scope: Scope, view: View, action: st.AlterAction) -> None:
    """ALTER VIEW ... SET (...), RESET (...)."""
    sets = action.what == "set options"
    if sets:
        storage.check("view", action.options)
    named = dict(action.options)
    kept = tuple(o for o in view.options if o.partition("=")[0] not in named)
    changed = replace(view, options=kept + (views.view_options(action.options) if sets else ()))
    if changed.check_option and changed.check_option != view.check_option:
        views.refuse_check_option(scope, changed)
    scope.replace(view, changed)


def owner(on: Alteration, a: st.AlterAction) -> None:
    role = constraints.require_role(on.scope, a.name)
    on.table = replace(on.table, owner=role)
    for sequence in on.scope.catalog.sequences_of(on.table.oid):
        on.scope.replace(sequence, replace(sequence, owner=role))


def set_logged(on: Alteration, a: st.AlterAction) -> None:
    """SET LOGGED | UNLOGGED, of the table and the sequences that it owns. Foreign keys must not lead out of what lasts."""
    table, scope = on.table, on.scope
    unlogged = a.name == "unlogged"
    if table.temporary:
        raise PlanError(
            "42P16", f'cannot change logged status of table "{table.name}" because it is temporary'
        )
    if unlogged:
        published.refuse_unlogged(scope, table)
    near = {t.oid: t for t in (table, *scope.catalog.referring_to(table.oid))}
    for _, holder in sorted(near.items()):
        for c in holder.constraints:
            from_here, to_here = holder.oid == table.oid, c.foreign_table == table.oid
            if c.kind != "f" or from_here == to_here:
                continue
            other = scope.catalog.table(c.foreign_table) if from_here else holder
            if to_here and unlogged and not other.unlogged:
                relation = "references logged"
            elif from_here and not unlogged and other.unlogged:
                relation = "references unlogged"
            else:
                continue
            raise PlanError(
                "42P16",
                f'could not change table "{table.name}" to {a.name} because it {relation} table "{other.name}"',
            )
    on.table = replace(table, unlogged=unlogged)
    for sequence in scope.catalog.sequences_of(table.oid):
        scope.replace(sequence, replace(sequence, unlogged=unlogged))


def row_security(on: Alteration, a: st.AlterAction) -> None:
    """ENABLE | DISABLE | FORCE | NO FORCE ROW LEVEL SECURITY."""
    on.table = (
        replace(on.table, force_row_security=a.which == "force")
        if "force" in a.which
        else replace(on.table, row_security=a.which == "enable")
    )


def switch_triggers(on: Alteration, a: st.AlterAction) -> None:
    """ENABLE | DISABLE TRIGGER. ALL are those that enforce foreign keys too, of both their tables."""
    table, scope = on.table, on.scope
    switched = triggers.switched(table, a)
    if a.which == "all":
        keys = [c for c in table.constraints if c.kind == "f"]
        keys += [c for c, _ in aims.into(scope.catalog, table)]
        if keys and not rights.is_superuser(scope.catalog, scope.user):
            shown = f"RI_ConstraintTrigger_{'c' if keys[0].foreign_table != table.oid else 'a'}_{keys[0].oid}"
            raise PlanError("42501", f'permission denied: "{shown}" is a system trigger')
        on.table = replace(table, unheeded=a.off and bool(keys), triggers=switched)
    else:
        on.table = replace(table, triggers=switched)
    if not on.only:
        meant = frozenset(x.oid for x in table.triggers if a.which or x.name == a.name)
        triggers.switch_below(scope, table.oid, meant, a.enabled)


def switch_rule(on: Alteration, a: st.AlterAction) -> None:
    on.table = replace(on.table, rules=rules.switched(on.table, a.name, a.enabled))


def set_options(on: Alteration, a: st.AlterAction) -> None:
    storage.check("table", a.options)
    on.table = replace(
        on.table,
        retention_us=retention_us(dict(a.options), on.table.retention_us),
        options=storage.kept(on.table.options, a.options),
    )


def reset_options(on: Alteration, a: st.AlterAction) -> None:
    if NAME in dict(a.options):
        on.table = replace(on.table, retention_us=None)
    on.table = replace(on.table, options=storage.kept(on.table.options, a.options, reset=True))


_ACTIONS: Final[dict[str, Callable[[Alteration, st.AlterAction], None]]] = {
    "add column": alter_columns.add_column,
    "drop column": alter_columns.drop_column,
    "set default": alter_columns.set_default,
    "drop default": alter_columns.drop_default,
    "set not null": alter_columns.set_not_null,
    "drop not null": alter_columns.drop_not_null,
    "set type": alter_columns.set_type,
    "drop expression": alter_columns.drop_expression,
    "add constraint": alter_constraints.add_constraint,
    "drop constraint": alter_constraints.drop_constraint,
    "alter constraint": alter_constraints.alter_constraint,
    "validate constraint": alter_constraints.validate_constraint,
    "rename": lambda on, a: moves.rename_relation(on.scope, on.table, a.new_name),
    "rename column": alter_columns.rename_column,
    "rename constraint": alter_constraints.rename_constraint,
    "set schema": lambda on, a: moves.move_relation(on.scope, on.table, a.name),
    "owner": owner,
    "add identity": alter_identity.add_identity,
    "set identity": alter_identity.set_identity,
    "drop identity": alter_identity.drop_identity,
    "set logged": set_logged,
    "switch triggers": switch_triggers,
    "row security": row_security,
    "switch rule": switch_rule,
    "replica identity": replicas.set_identity,
    "set options": set_options,
    "reset options": reset_options,
    "attach partition": partitions.attach,
    "detach partition": detaching.detach,
    "inherit": inherits.inherit,
    "no inherit": inherits.no_inherit,
    "foreign options": foreign_tables.set_options,
    "foreign column options": foreign_tables.set_column_options,
    "of": typed_tables.become,
    "not of": typed_tables.leave,
    "cluster on": clustered.mark,
    "without cluster": clustered.mark,
    "ignore": lambda on, a: None,
    "set access method": access_methods.set_access_method,
    **dict.fromkeys(column_settings.ACTIONS, column_settings.of_table),
}
