"""Event triggers as tools ask for them, and what their functions are told of the command that they are called for.

A function that runs for an event sees a catalog that knows the event (`Catalog.event`); outside of one these functions are 39P03.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from planner.abc import SqlError
from planner.catalog.objects import Role
from planner.catalog.routine_objects import EventTrigger
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.rowmaker import RowMaker
from planner.types import array_datum
from planner.types.oids import BOOL, INT4, OID, PG_DDL_COMMAND, RECORD, TEXT, TEXT_ARRAY

_OF_COMMANDS: Final = (
    ("classid", OID), ("objid", OID), ("objsubid", INT4), ("command_tag", TEXT), ("object_type", TEXT), ("schema_name", TEXT),
    ("object_identity", TEXT), ("in_extension", BOOL), ("command", PG_DDL_COMMAND),
)  # fmt: skip
_OF_DROPPED: Final = (
    ("classid", OID), ("objid", OID), ("objsubid", INT4), ("original", BOOL), ("normal", BOOL), ("is_temporary", BOOL),
    ("object_type", TEXT), ("schema_name", TEXT), ("object_name", TEXT), ("object_identity", TEXT), ("address_names", TEXT_ARRAY),
    ("address_args", TEXT_ARRAY),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """What has happened: rows of the two functions, by column."""

    name: str
    tag: str
    commands: tuple[dict[str, Any], ...] = ()
    dropped: tuple[dict[str, Any], ...] = ()


def pg_event_trigger(context: SystemContext) -> Rows:
    make = RowMaker("pg_event_trigger")
    found: Rows = []
    for x in context.catalog.objects(EventTrigger):
        owner = context.catalog.role(x.owner)
        found.append(
            make(
                oid=x.oid,
                evtname=x.name,
                evtevent=x.event,
                evtowner=owner.oid if isinstance(owner, Role) else 0,
                evtfoid=x.function,
                evtenabled=x.enabled,
                evttags=list(x.tags) or None,
            )
        )
    return found


def _event(context: SystemContext, name: str, function: str) -> Event:
    event = context.catalog.event
    if not isinstance(event, Event) or event.name != name:
        kind = (
            "an event trigger function" if name == "ddl_command_end" else f"a {name} event trigger function"
        )
        raise SqlError("39P03", f"{function}() can only be called in {kind}")
    return event


@system("pg_event_trigger_ddl_commands", (), RECORD, columns=_OF_COMMANDS)
def _commands(context: SystemContext) -> list[dict[str, Any]]:
    return list(_event(context, "ddl_command_end", "pg_event_trigger_ddl_commands").commands)


@system("pg_event_trigger_dropped_objects", (), RECORD, columns=_OF_DROPPED)
def _dropped(context: SystemContext) -> list[dict[str, Any]]:
    rows = _event(context, "sql_drop", "pg_event_trigger_dropped_objects").dropped
    return [
        {**row, **{c: array_datum(row[c], TEXT_ARRAY) for c in ("address_names", "address_args")}}
        for row in rows
    ]


__all__ = ["Event", "pg_event_trigger"]
