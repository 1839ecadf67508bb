"""Triggers as tools ask for them: pg_trigger, pg_get_triggerdef, information_schema.triggers and its kin.

    pg_get_triggerdef(t)    CREATE TRIGGER t BEFORE UPDATE OF a ON public.x FOR EACH ROW WHEN ((old.a > 1)) EXECUTE FUNCTION f('1')

Those that enforce foreign keys in PostgreSQL are not there: constraints are no triggers here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from planner import triggers
from planner.abc import Oid, Table, Trigger
from planner.catalog import rights
from planner.catalog.catalog import Catalog
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import qualified
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_columns
from planner.catalog.system.written import spelled, trigger_condition
from planner.extensions import trigger_functions
from planner.types.oids import BOOL, OID, TEXT

Holder = Table | View

_ALL: Final = triggers.INSERT | triggers.DELETE | triggers.UPDATE | triggers.TRUNCATE


def listed(catalog: Catalog) -> Iterator[tuple[Holder, Trigger]]:
    """All triggers with their relations."""
    for table in catalog.objects(Table):
        for trigger in table.triggers:
            yield table, trigger
    for view in catalog.objects(View):
        for trigger in view.triggers:
            yield view, trigger


def pg_trigger(context: SystemContext) -> Rows:
    make = RowMaker("pg_trigger")
    return [
        make(
            oid=x.oid,
            tgrelid=holder.oid,
            tgparentid=x.parent,
            tgname=x.name,
            tgfoid=x.function,
            tgtype=x.bits,
            tgenabled=x.enabled,
            tgconstrrelid=x.foreign_table,
            tgconstraint=x.oid if x.constraint else 0,
            tgdeferrable=x.deferrable,
            tginitdeferred=x.deferred,
            tgnargs=len(x.arguments),
            tgattr=list(x.columns),
            tgargs=b"".join(a.encode() + b"\0" for a in x.arguments),
            tgqual=_condition(context.catalog, holder, x, context.search_path, False),
            tgoldtable=x.old_table or None,
            tgnewtable=x.new_table or None,
        )
        for holder, x in listed(context.catalog)
    ]


def _condition(
    catalog: Catalog, holder: Holder, x: Trigger, search_path: tuple[str, ...], pretty: bool
) -> str | None:
    if not x.condition:
        return None
    written = trigger_condition(catalog, holder, x.condition, search_path, pretty)
    return written if written is not None else spelled(x.condition)


def function_name(catalog: Catalog, oid: Oid, search_path: tuple[str, ...]) -> str:
    """A trigger's function, as its definition calls it."""
    found = catalog.get(oid)
    if isinstance(found, Function):
        return qualified(catalog, found.schema_oid, found.name, search_path)
    if oid in trigger_functions.BY_OID:
        extension = catalog.extension(trigger_functions.BY_OID[oid].extension)
        assert extension is not None, "an extension is not dropped while a trigger calls its function"
        return qualified(catalog, extension.schema_oid, trigger_functions.BY_OID[oid].name, search_path)
    return str(next(name for of, name in static_columns("pg_proc", ("oid", "proname")) if of == oid))


def definition(
    catalog: Catalog, holder: Holder, x: Trigger, search_path: tuple[str, ...], pretty: bool
) -> str:
    """As pg_get_triggerdef()."""
    events: list[str] = []
    for name, bit in triggers.EVENTS.items():
        if not x.bits & bit:
            continue
        if bit == triggers.UPDATE and x.columns:
            names = {c.attnum: quote_identifier(c.name) for c in holder.columns}
            name += f" OF {', '.join(names[a] for a in x.columns)}"
        events.append(name)
    schema = catalog.schema_of(holder.schema_oid).name
    table = (
        qualified(catalog, holder.schema_oid, holder.name, search_path)
        if pretty
        else quote_qualified(schema, holder.name)
    )
    words = [
        "CREATE CONSTRAINT TRIGGER" if x.constraint else "CREATE TRIGGER",
        quote_identifier(x.name),
        triggers.timing(x),
        " OR ".join(events),
        "ON",
        table,
    ]
    if x.constraint:
        foreign = catalog.get(x.foreign_table) if x.foreign_table else None
        if isinstance(foreign, Table | View):
            words += ["FROM", qualified(catalog, foreign.schema_oid, foreign.name, search_path)]
        words += ["DEFERRABLE INITIALLY" if x.deferrable else "NOT DEFERRABLE INITIALLY"]
        words += ["DEFERRED" if x.deferred else "IMMEDIATE"]
    if x.old_table or x.new_table:
        words.append("REFERENCING")
        words += [f"OLD TABLE AS {quote_identifier(x.old_table)}"] if x.old_table else []
        words += [f"NEW TABLE AS {quote_identifier(x.new_table)}"] if x.new_table else []
    words.append(f"FOR EACH {triggers.level(x)}")
    condition = _condition(catalog, holder, x, search_path, pretty)
    if condition is not None:
        words.append(f"WHEN ({condition})")
    arguments = ", ".join(_literal(a) for a in x.arguments)
    words.append(f"EXECUTE FUNCTION {function_name(catalog, x.function, search_path)}({arguments})")
    return " ".join(words)


def _literal(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


@system("pg_get_triggerdef", (OID, BOOL), TEXT, optional=1)
def _get_triggerdef(context: SystemContext, oid: Oid | None, pretty: bool | None = False) -> str | None:
    if oid is None or pretty is None:
        return None
    for holder, x in listed(context.catalog):
        if x.oid == oid:
            return definition(context.catalog, holder, x, context.search_path, pretty)
    return None


# --- information_schema ---------------------------------------------------------------------------------


def _seen(context: SystemContext) -> Iterator[tuple[Holder, Trigger]]:
    """Those of relations that the user may write to, or owns."""
    catalog, user = context.catalog, context.user
    for holder, x in listed(catalog):
        if rights.owns(catalog, user, holder) or any(
            rights.holds(catalog, user, holder, p)
            for p in ("insert", "update", "delete", "truncate", "references", "trigger")
        ):
            yield holder, x


def information_triggers(context: SystemContext) -> Rows:
    catalog, make = context.catalog, RowMaker("triggers", "information_schema", nulls=True)
    found: Rows = []
    order: dict[tuple[Oid, str, int], int] = {}
    for holder, x in _seen(context):
        schema = catalog.schema_of(holder.schema_oid).name
        for name, bit in triggers.EVENTS.items():
            if not x.bits & bit & ~triggers.TRUNCATE:
                continue
            place = holder.oid, name, x.bits & ~_ALL
            order[place] = order.get(place, 0) + 1
            arguments = ", ".join(_literal(a) for a in x.arguments)
            condition = _condition(catalog, holder, x, context.search_path, False)
            function = function_name(catalog, x.function, context.search_path)
            found.append(
                make(
                    trigger_catalog=context.database,
                    trigger_schema=schema,
                    trigger_name=x.name,
                    event_manipulation=name,
                    event_object_catalog=context.database,
                    event_object_schema=schema,
                    event_object_table=holder.name,
                    action_order=order[place],
                    action_condition=condition if rights.owns(catalog, context.user, holder) else None,
                    action_statement=f"EXECUTE FUNCTION {function}({arguments})",
                    action_orientation=triggers.level(x),
                    action_timing=triggers.timing(x),
                    action_reference_old_table=x.old_table or None,
                    action_reference_new_table=x.new_table or None,
                )
            )
    return found


def triggered_update_columns(context: SystemContext) -> Rows:
    catalog, make = context.catalog, RowMaker("triggered_update_columns", "information_schema", nulls=True)
    return [
        make(
            trigger_catalog=context.database,
            trigger_schema=schema,
            trigger_name=x.name,
            event_object_catalog=context.database,
            event_object_schema=schema,
            event_object_table=holder.name,
            event_object_column=column.name,
        )
        for holder, x in _seen(context)
        for schema in [catalog.schema_of(holder.schema_oid).name]
        for column in holder.columns
        if column.attnum in x.columns
    ]


__all__ = ["definition", "information_triggers", "listed", "pg_trigger", "triggered_update_columns"]
