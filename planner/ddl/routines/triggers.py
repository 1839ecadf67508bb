"""CREATE, DROP and ALTER TRIGGER: what PostgreSQL asks of a trigger, and what becomes of the table that has it.

A trigger is a part of its table's (or view's) definition. So whoever has planned a write to the table without it is refused at
admission, as after any other ALTER TABLE, and begins anew; servers that follow the log learn of it with the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner import statements as st
from planner import triggers
from planner import types as t
from planner.abc import Column, Oid, PlanError, SqlError, Table, Trigger
from planner.binding.writes import trigger_conditions
from planner.catalog import Function, Index, View, rights
from planner.catalog.objects import Sequence as SequenceObject
from planner.catalog.uses import HAS_TRIGGERS
from planner.ddl import moments
from planner.ddl.constraints import definitions as constraints
from planner.ddl.operators import definitions as operators
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope, describe_part
from planner.ddl.types.named_types import with_schemas
from planner.extensions import trigger_functions
from planner.lexer import QUOTED, WORD, tokenize
from planner.records import replace
from planner.triggers import BEFORE, DELETE, INSERT, INSTEAD, ROW, TRUNCATE, UPDATE

REDUNDANT: Final = 1291
"""suppress_redundant_updates_trigger()"""
TEXT_SEARCH: Final = 3752
"""tsvector_update_trigger()"""
TEXT_SEARCH_BY_COLUMN: Final = 3753
"""tsvector_update_trigger_column()"""
BUILT_IN: Final = {
    "suppress_redundant_updates_trigger": REDUNDANT,
    "tsvector_update_trigger": TEXT_SEARCH,
    "tsvector_update_trigger_column": TEXT_SEARCH_BY_COLUMN,
}
_OF_OTHERS: Final = {SequenceObject: "sequences", Index: "indexes"}

Holder = Table | View


# --- CREATE ---------------------------------------------------------------------------------------------


def create_trigger(scope: Scope, said: st.CreateTrigger) -> None:
    holder = _holder(scope, said.table)
    _may_make(scope, holder)
    _refuse_kind(holder, said)
    _refuse_transition(holder, said)
    columns = _columns(holder, said)
    condition = _condition(scope, holder, said)
    function = _function(scope, said)
    foreign = scope.relation(said.foreign_table) if said.foreign_table is not None else None
    old = next((x for x in holder.triggers if x.name == said.name), None)
    if old is not None and not said.replace:
        raise PlanError("42710", f'trigger "{said.name}" for relation "{holder.name}" already exists')
    if old is not None and old.parent:
        raise PlanError(
            "42710", f'trigger "{said.name}" for relation "{holder.name}" is an internal or a child trigger'
        )
    if old is not None and old.constraint:
        raise PlanError(
            "42710", f'trigger "{said.name}" for relation "{holder.name}" is a constraint trigger'
        )
    if said.replace and isinstance(holder, Table) and said.bits & ROW:
        _make_room(scope, holder, said.name)
    bits = said.bits | {"before": BEFORE, "instead of": INSTEAD}.get(said.when, 0)
    made = Trigger(
        old.oid if old is not None else scope.allocate(),
        said.name,
        function,
        bits,
        columns,
        condition,
        said.arguments,
        constraint=said.constraint,
        deferrable=said.deferrable,
        deferred=said.deferred,
        foreign_table=foreign.oid if foreign is not None else 0,
        old_table=next((x.name for x in said.transition if not x.is_new), ""),
        new_table=next((x.name for x in said.transition if x.is_new), ""),
    )
    put(scope, holder, [*(x for x in holder.triggers if x is not old), made])


def _make_room(scope: Scope, parent: Table, name: str) -> None:
    """OR REPLACE on a partitioned table: partitions' own triggers of this name are replaced by what they get of the new one."""
    for child in scope.catalog.partitions_of(parent.oid):
        own = next((x for x in child.triggers if x.name == name and not x.parent), None)
        if own is not None and own.constraint:
            raise PlanError("42710", f'trigger "{name}" for relation "{child.name}" is a constraint trigger')
        if own is not None:
            remove(scope, child, [own])
        _make_room(scope, child, name)


def put(scope: Scope, holder: Holder, kept: Sequence[Trigger]) -> None:
    """The relation with these triggers, in the order in which they fire."""
    ordered = tuple(sorted(kept, key=lambda x: x.name.encode()))
    if isinstance(holder, Table):
        scope.replace(holder, replace(holder, triggers=ordered))
    else:
        scope.replace(holder, replace(holder, triggers=ordered))


def _holder(scope: Scope, name: st.Name) -> Holder:
    found = scope.relation(st.Name(name.name, name.schema))
    if isinstance(found, View) or (isinstance(found, Table) and found.materialized is None):
        return found
    kind = (
        "materialized views" if isinstance(found, Table) else _OF_OTHERS.get(type(found), "composite types")
    )
    raise PlanError(
        "42809",
        f'relation "{found.name}" cannot have triggers',
        detail=f"This operation is not supported for {kind}.",
    )


def _may_make(scope: Scope, holder: Holder) -> None:
    if not rights.is_superuser(scope.catalog, scope.user):
        rights.require(scope.catalog, scope.user, holder, "trigger")


def _refuse_kind(holder: Holder, said: st.CreateTrigger) -> None:
    """What no trigger of this relation may be."""

    def wrong(what: str, detail: str) -> PlanError:
        return PlanError("42809", f'"{holder.name}" is a {what}', detail=detail)

    instead, row = said.when == "instead of", bool(said.bits & ROW)
    if isinstance(holder, Table) and holder.foreign is not None:
        if instead:
            raise wrong("foreign table", "Foreign tables cannot have INSTEAD OF triggers.")
        if said.constraint:
            raise wrong("foreign table", "Foreign tables cannot have constraint triggers.")
    elif isinstance(holder, Table):
        if instead:
            raise wrong("table", "Tables cannot have INSTEAD OF triggers.")
    else:
        if not instead and row:
            raise wrong("view", "Views cannot have row-level BEFORE or AFTER triggers.")
        if said.bits & TRUNCATE:
            raise wrong("view", "Views cannot have TRUNCATE triggers.")
    if row and said.bits & TRUNCATE:
        raise PlanError("0A000", "TRUNCATE FOR EACH ROW triggers are not supported")
    if instead:
        if not row:
            raise PlanError("0A000", "INSTEAD OF triggers must be FOR EACH ROW")
        if said.condition is not None:
            raise PlanError("0A000", "INSTEAD OF triggers cannot have WHEN conditions")
        if said.columns:
            raise PlanError("0A000", "INSTEAD OF triggers cannot have column lists")


def _refuse_transition(holder: Holder, said: st.CreateTrigger) -> None:
    """REFERENCING: what PostgreSQL refuses, in its order."""
    if said.transition and said.bits & ROW and isinstance(holder, Table):
        if holder.partitioning is not None:
            raise PlanError(
                "0A000",
                f'"{holder.name}" is a partitioned table',
                detail="ROW triggers with transition tables are not supported on partitioned tables.",
            )
        if holder.partition is not None:
            raise PlanError("0A000", "ROW triggers with transition tables are not supported on partitions")
        if holder.parents:
            raise PlanError(
                "0A000", "ROW triggers with transition tables are not supported on inheritance children"
            )
    seen: dict[bool, str] = {}
    for x in said.transition:
        word = "NEW" if x.is_new else "OLD"
        if not x.is_table:
            raise PlanError(
                "0A000",
                "ROW variable naming in the REFERENCING clause is not supported",
                hint="Use OLD TABLE or NEW TABLE for naming transition tables.",
            )
        if isinstance(holder, Table) and holder.foreign is not None:
            raise PlanError(
                "42809",
                f'"{holder.name}" is a foreign table',
                detail="Triggers on foreign tables cannot have transition tables.",
            )
        if isinstance(holder, View):
            raise PlanError(
                "42809",
                f'"{holder.name}" is a view',
                detail="Triggers on views cannot have transition tables.",
            )
        if said.when != "after":
            raise PlanError("42P17", "transition table name can only be specified for an AFTER trigger")
        if said.bits & TRUNCATE:
            raise PlanError("0A000", "TRUNCATE triggers with transition tables are not supported")
        if bin(said.bits & (INSERT | UPDATE | DELETE)).count("1") > 1:
            raise PlanError(
                "0A000", "transition tables cannot be specified for triggers with more than one event"
            )
        if said.columns:
            raise PlanError("0A000", "transition tables cannot be specified for triggers with column lists")
        allowed = (INSERT if x.is_new else DELETE) | UPDATE
        if not said.bits & allowed:
            other = "an INSERT or UPDATE" if x.is_new else "a DELETE or UPDATE"
            raise PlanError("42P17", f"{word} TABLE can only be specified for {other} trigger")
        if x.is_new in seen:
            raise PlanError("42P17", f"{word} TABLE cannot be specified multiple times")
        seen[x.is_new] = x.name
    if len(seen) == 2 and seen[True] == seen[False]:
        raise PlanError("42P17", "OLD TABLE name and NEW TABLE name cannot be the same")


def _columns(holder: Holder, said: st.CreateTrigger) -> tuple[int, ...]:
    found: list[int] = []
    for name in said.columns:
        column = next((c for c in holder.columns if c.name == name and not c.hidden), None)
        if column is None:
            raise PlanError("42703", f'column "{name}" of relation "{holder.name}" does not exist')
        if column.attnum in found:
            raise PlanError("42701", f'column "{name}" specified more than once')
        found.append(column.attnum)
    return tuple(found)


def _condition(scope: Scope, holder: Holder, said: st.CreateTrigger) -> str:
    """WHEN, bound now for its errors. Raises what binding raises, 42P17, 0A000."""
    if said.condition is None:
        return ""
    constraints.refuse_subqueries(said.condition, "trigger WHEN condition")
    text = " " * said.condition.offset + said.condition.text
    bound = trigger_conditions.bind(scope.context(), trigger_conditions.rows_of(holder), text)
    trigger_conditions.refuse(bound, said.bits, before=said.when == "before")
    operators.refuse_hidden(
        trigger_conditions.bind(scope.context(), bound.table, text, expand=False).node, text
    )
    return with_schemas(scope, moments.frozen_condition(scope, said.condition.text, bound.table))


def _function(scope: Scope, said: st.CreateTrigger) -> Oid:
    """Raises 42883, 42501, 42P17."""
    name = said.function
    if name.name in BUILT_IN and name.schema in ("", "pg_catalog"):
        return BUILT_IN[name.name]
    of_extension = trigger_functions.BY_NAME.get(name.name)
    if of_extension is not None and of_extension.extension in scope.catalog.offered(
        name.schema, scope.search_path
    ):
        return of_extension.oid
    try:
        function = routine_names.named(scope, st.Signature(name, ()))
    except SqlError as e:
        if e.sqlstate != "2BP01":
            raise
        raise PlanError("42P17", f"function {name} must return type trigger") from None
    if not rights.is_superuser(scope.catalog, scope.user):
        rights.require(scope.catalog, scope.user, function, "execute")
    if function.result.oid != t.TRIGGER:
        raise PlanError("42P17", f"function {name} must return type trigger")
    return function.oid


# --- DROP, ALTER ----------------------------------------------------------------------------------------


def drop_trigger(scope: Scope, said: st.DropTrigger) -> None:
    name = said.table
    if scope.passes_relation(name, said.if_exists):
        return
    found = scope.relation(st.Name(name.name, name.schema))
    trigger = _named(found, said.name)
    if trigger is None:
        if not said.if_exists:
            raise _missing(said.name, found.name)
        scope.notice(f'trigger "{said.name}" for relation "{name}" does not exist, skipping')
        return
    assert isinstance(found, Holder)
    above = scope.catalog.holder_of(trigger.parent) if trigger.parent else None
    if isinstance(above, Table):
        of = describe_part("trigger", said.name, above, scope)
        raise PlanError(
            "2BP01",
            f"cannot drop {describe_part('trigger', said.name, found, scope)} because {of} requires it",
            hint=f"You can drop {of} instead.",
        )
    remove(scope, found, [trigger])


def remove(scope: Scope, holder: Holder, doomed: Sequence[Trigger]) -> None:
    """Takes triggers from a relation, with what was said of them."""
    gone = {x.oid for x in doomed}
    scope.forget_comments(gone)
    put(scope, holder, [x for x in holder.triggers if x.oid not in gone])


def rename_trigger(scope: Scope, said: st.RenameTrigger) -> None:
    holder = _holder(scope, said.table)
    trigger = _named(holder, said.name)
    if trigger is None:
        raise _missing(said.name, holder.name)
    above = scope.catalog.holder_of(trigger.parent) if trigger.parent else None
    if above is not None:
        raise PlanError(
            "XX000",
            f'cannot rename trigger "{said.name}" on table "{holder.name}"',
            hint=f'Rename the trigger on the partitioned table "{above.name}" instead.',
        )
    if said.new_name == said.name:
        return
    if _named(holder, said.new_name) is not None:
        raise PlanError("42710", f'trigger "{said.new_name}" for relation "{holder.name}" already exists')
    renamed = replace(trigger, name=said.new_name)
    put(scope, holder, [*(x for x in holder.triggers if x is not trigger), renamed])


def _named(holder: object, name: str) -> Trigger | None:
    return next((x for x in getattr(holder, "triggers", ()) if x.name == name), None)


def named(scope: Scope, name: st.Name, trigger: str) -> Trigger:
    """Of a relation, for COMMENT. Raises 42704, 42P01."""
    found = scope.relation(st.Name(name.name, name.schema))
    known = _named(found, trigger)
    if known is None:
        raise _missing(trigger, name.name)
    return known


def _missing(name: str, table: str) -> PlanError:
    return PlanError("42704", f'trigger "{name}" for table "{table}" does not exist')


def switched(table: Table, action: st.AlterAction) -> tuple[Trigger, ...]:
    """The triggers after ENABLE | DISABLE TRIGGER. Raises 42704."""
    if not action.which and _named(table, action.name) is None:
        raise _missing(action.name, table.name)
    return tuple(
        replace(x, enabled=action.enabled) if action.which or x.name == action.name else x
        for x in table.triggers
    )


def switch_below(scope: Scope, above: Oid, meant: frozenset[Oid], enabled: str) -> None:
    """The partitions' copies of triggers that a statement without ONLY switches."""
    for oid in [p.oid for p in scope.catalog.partitions_of(above)]:
        part = scope.catalog.table(oid)
        copies = frozenset(x.oid for x in part.triggers if x.parent in meant)
        if copies:
            put(scope, part, [replace(x, enabled=enabled) if x.oid in copies else x for x in part.triggers])
            switch_below(scope, oid, copies, enabled)


# --- what depends on what ---------------------------------------------------------------------------------


def firing(scope: Scope, function: Oid) -> list[tuple[Holder, Trigger]]:
    """The triggers that call a function, without those of partitions, which go with their parents'."""
    holders = [h for h in scope.catalog.using(function) if isinstance(h, Table | View)]
    found = [(h, x) for h in holders for x in h.triggers if x.function == function and not x.parent]
    return sorted(found, key=lambda pair: pair[1].oid)


def asking(scope: Scope, function: Function) -> list[tuple[Holder, Trigger]]:
    """The triggers whose WHEN calls a function, without those of partitions."""
    holders = [h for h in scope.catalog.using(HAS_TRIGGERS) if isinstance(h, Table | View)]
    found = [(h, x) for h in holders for x in h.triggers if not x.parent and _asks(scope, h, x, function)]
    return sorted(found, key=lambda pair: pair[1].oid)


def _asks(scope: Scope, holder: Holder, trigger: Trigger, function: Function) -> bool:
    if function.name not in trigger.condition:
        return False
    rows = trigger_conditions.rows_of(holder)
    try:
        bound = trigger_conditions.bind(scope.context(), rows, trigger.condition, expand=False)
    except SqlError:
        return False
    return function.oid in bound.rows.queries.routines.used


def using(table: Table, column: Column) -> list[Trigger]:
    """The triggers that name a column in UPDATE OF or in WHEN."""
    return [
        x
        for x in table.triggers
        if column.attnum in x.columns or (x.condition and names_column(x.condition, column.name))
    ]


def names_column(condition: str, name: str) -> bool:
    """Whether a WHEN condition says `old.name` or `new.name`."""
    return any(token[1] == name for token in _columns_named(condition))


def _columns_named(condition: str) -> list[tuple[int, str]]:
    """Of each `old.x` and `new.x`: which token `x` is, and `x`."""
    tokens = tokenize(condition)
    return [
        (i, tokens[i].value)
        for i in range(2, len(tokens))
        if tokens[i].kind in (WORD, QUOTED)
        and tokens[i - 1].value == "."
        and tokens[i - 2].value in ("old", "new")
    ]


def renamed_column(triggers_before: Sequence[Trigger], old: str, new: str) -> tuple[Trigger, ...]:
    """The triggers of a table of which a column has another name."""
    return tuple(
        replace(x, condition=constraints.rename_in_expression(x.condition, old, new))
        if x.condition and names_column(x.condition, old)
        else x
        for x in triggers_before
    )


__all__ = [
    "BUILT_IN", "DELETE", "INSERT", "UPDATE", "create_trigger", "drop_trigger", "firing", "named", "names_column", "put", "remove",
    "rename_trigger", "renamed_column", "switched", "triggers", "using",
]  # fmt: skip
