"""CREATE, ALTER and DROP EVENT TRIGGER: functions that are called around definitions.

An event trigger is an object of its database, of no schema. Which commands have events is PostgreSQL's to say: what is of one database,
and no event trigger.
"""

from __future__ import annotations

import re
from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import PlanError
from planner.catalog import EventTrigger, Function, rights
from planner.ddl.constraints.definitions import require_role
from planner.ddl.of_database import OfDatabase
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.records import replace

_BY_NAME: Final = OfDatabase(EventTrigger, "event trigger")
named, existing, require_owner = _BY_NAME.named, _BY_NAME.existing, _BY_NAME.require_owner
EVENTS: Final = ("ddl_command_start", "ddl_command_end", "sql_drop", "table_rewrite")
_KINDS: Final = (
    "ACCESS METHOD|AGGREGATE|CAST|COLLATION|CONVERSION|DOMAIN|EXTENSION|FOREIGN DATA WRAPPER|FOREIGN TABLE|FUNCTION|INDEX|LANGUAGE|"
    "MATERIALIZED VIEW|OPERATOR|OPERATOR CLASS|OPERATOR FAMILY|POLICY|PROCEDURE|PUBLICATION|ROUTINE|RULE|SCHEMA|SEQUENCE|SERVER|"
    "STATISTICS|SUBSCRIPTION|TABLE|TEXT SEARCH CONFIGURATION|TEXT SEARCH DICTIONARY|TEXT SEARCH PARSER|TEXT SEARCH TEMPLATE|"
    "TRANSFORM|TRIGGER|TYPE|USER MAPPING|VIEW"
)
_KNOWN: Final = re.compile(
    rf"(CREATE|ALTER|DROP) ({_KINDS})\Z|CREATE TABLE AS\Z|SELECT INTO\Z|COMMENT\Z|GRANT\Z|REVOKE\Z|SECURITY LABEL\Z|DROP OWNED\Z|"
    r"IMPORT FOREIGN SCHEMA\Z|ALTER DEFAULT PRIVILEGES\Z|ALTER LARGE OBJECT\Z|REFRESH MATERIALIZED VIEW\Z"
)
_WITHOUT: Final = re.compile(
    r"(CREATE|ALTER|DROP) (DATABASE|ROLE|TABLESPACE|EVENT TRIGGER)\Z|ALTER SYSTEM\Z|GRANT ROLE\Z|REVOKE ROLE\Z|"
    r"REASSIGN OWNED\Z|REINDEX\Z|TRUNCATE TABLE\Z|VACUUM\Z|ANALYZE\Z|CLUSTER\Z|SELECT\Z|INSERT\Z|UPDATE\Z|DELETE\Z|MERGE\Z|COPY\Z|"
    r"BEGIN\Z|COMMIT\Z|ROLLBACK\Z|SET\Z|SHOW\Z|LOCK TABLE\Z|DO\Z|CALL\Z|EXPLAIN\Z|PREPARE\Z|EXECUTE\Z|LISTEN\Z|NOTIFY\Z|UNLISTEN\Z|"
    r"DISCARD\Z|CHECKPOINT\Z|LOAD\Z"
)


def has_events(tag: str) -> bool:
    """Whether a command with this tag has events."""
    return _KNOWN.match(tag) is not None


def create_event_trigger(scope: Scope, said: st.CreateEventTrigger) -> None:
    """Raises 42501, 42601, 42710, 42883, 42P17, 0A000."""
    if not rights.is_superuser(scope.catalog, scope.user):
        raise PlanError(
            "42501",
            f'permission denied to create event trigger "{said.name}"',
            hint="Must be superuser to create an event trigger.",
        )
    if said.event not in EVENTS:
        raise PlanError("42601", f'unrecognized event name "{said.event}"')
    tags: tuple[str, ...] | None = None
    for variable, values in said.filters:
        if variable != "tag":
            raise PlanError("42601", f'unrecognized filter variable "{variable}"')
        if tags is not None:
            raise PlanError("42601", f'filter variable "{variable}" specified more than once')
        tags = values
    for tag in tags or ():
        _refuse_tag(tag)
    if said.event == "table_rewrite":
        raise PlanError("0A000", "event triggers for table_rewrite are not supported")
    if named(scope, said.name) is not None:
        raise PlanError("42710", f'event trigger "{said.name}" already exists')
    try:
        f = routine_names.named(scope, st.Signature(said.function, ()))
    except PlanError as error:
        if error.sqlstate != routine_names.REQUIRED:
            raise
        raise PlanError("42P17", f"function {said.function} must return type event_trigger") from None
    if f.result.oid != t.EVENT_TRIGGER:
        raise PlanError("42P17", f"function {said.function} must return type event_trigger")
    kept = tuple(tag.upper() for tag in tags or ())
    scope.add(
        EventTrigger(
            scope.allocate(), said.name, said.event, f.oid, scope.catalog.database_oid, "O", kept, scope.user
        )
    )


def _refuse_tag(tag: str) -> None:
    if has_events(tag.upper()):
        return
    if _WITHOUT.match(tag.upper()):
        raise PlanError("0A000", f"event triggers are not supported for {tag}")
    raise PlanError("42601", f'filter value "{tag}" not recognized for filter variable "tag"')


def alter_event_trigger(scope: Scope, said: st.AlterEventTrigger) -> None:
    """Raises 42704, 42501, 42710."""
    found = existing(scope, said.name)
    require_owner(scope, found)
    if said.what == "rename":
        if named(scope, said.to) is not None:
            raise PlanError("42710", f'event trigger "{said.to}" already exists')
        scope.replace(found, replace(found, name=said.to))
    elif said.what == "owner":
        owner = require_role(scope, said.to)
        if not rights.is_superuser(scope.catalog, owner):
            raise PlanError(
                "42501",
                f'permission denied to change owner of event trigger "{found.name}"',
                hint="The owner of an event trigger must be a superuser.",
            )
        scope.replace(found, replace(found, owner=owner))
    else:
        scope.replace(found, replace(found, enabled=said.to))


def drop_event_trigger(scope: Scope, said: st.DropEventTrigger) -> None:
    """Raises 42704, 42501."""
    found = named(scope, said.name)
    if found is None:
        if not said.if_exists:
            raise PlanError("42704", f'event trigger "{said.name}" does not exist')
        scope.notice(f'event trigger "{said.name}" does not exist, skipping')
        return
    require_owner(scope, found)
    scope.remove(found)


def calling(scope: Scope, f: Function) -> list[EventTrigger]:
    """The event triggers that call a function."""
    return [x for x in scope.catalog.objects(EventTrigger) if x.function == f.oid]


__all__ = [
    "EVENTS", "alter_event_trigger", "calling", "create_event_trigger", "drop_event_trigger", "existing", "has_events",
    "named", "require_owner",
]  # fmt: skip
