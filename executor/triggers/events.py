"""Event triggers: functions that are called before a definition, after it, and when it has dropped something.

    ddl_command_start       before the definition is bound: what the function changes is seen by it, and its error is the end of it
    sql_drop                what is gone                   pg_event_trigger_dropped_objects()
    ddl_command_end         what was done                  pg_event_trigger_ddl_commands()

All in the definition's block, so an error takes everything back. What a function is told of the event is in the catalog that it
sees, under a version of its own: no plan and no row of a system relation outlives it. A database without event triggers meets one look at
a tuple for each definition.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.procedural.frame import Code, Frame, code_of
from executor.procedural.routines import DEPTH_MAX, STACK
from executor.procedural.walk import Walk
from executor.session.acting import around
from planner import statements as st
from planner import types as t
from planner.abc import Plan, TypeRef
from planner.catalog import Catalog, EventTrigger, Function
from planner.catalog.system.event_triggers import Event
from planner.ddl.plan import DdlPlan
from planner.ddl.routines import events, procedural
from planner.ddl.routines.declarations import Declarations
from planner.ddl.routines.event_triggers import has_events

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


_WITHOUT: Final = ("database", "role", "tablespace", "event trigger", "parameter")
"""What COMMENT and GRANT may be of without an event."""


class Around:
    """The event triggers around one definition."""

    def __init__(self, session: Session, block: Block, plan: Plan, statement: Any) -> None:
        self._session, self._block, self._statement = session, block, statement
        self._tag = _tag(plan, statement)
        self._before: Catalog = session.catalog

    async def start(self) -> None:
        await self._fire(Event("ddl_command_start", self._tag))
        self._before = self._session.catalog

    async def end(self, bound: DdlPlan) -> None:
        session, before = self._session, self._before
        path = session.search_path()
        gone = events.dropped(self._statement, before, bound, path)
        done = events.commands(self._statement, self._tag, session.catalog, bound, path)
        if gone:
            await self._fire(Event("sql_drop", self._tag, (), gone))
        await self._fire(Event("ddl_command_end", self._tag, done))

    async def _fire(self, event: Event) -> None:
        session = self._session
        replica = session.settings.raw("session_replication_role") == "replica"
        wanted = "RA" if replica else "OA"
        found = [
            x
            for x in session.catalog.objects(EventTrigger)
            if x.event == event.name and x.enabled in wanted and (not x.tags or self._tag in x.tags)
        ]
        for trigger in sorted(found, key=lambda x: x.name):
            f = session.catalog.get(trigger.function)
            assert isinstance(f, Function)
            await self._call(f, event)

    async def _call(self, f: Function, event: Event) -> None:
        session, block = self._session, self._block
        if session.routine_depth >= DEPTH_MAX:
            raise ExecutionError("54001", "stack depth limit exceeded")
        kept = block.catalog
        shown = session.catalog.at_event(event)
        block.catalog = shown
        session.routine_depth += 1
        try:
            work = _run(session, f, event)
            await (work if session.routine_depth % STACK else asyncio.create_task(work))
        finally:
            session.routine_depth -= 1
            if block.catalog is shown:
                block.catalog = kept
            elif block.catalog is not None:  # the function has changed it
                block.catalog = block.catalog.at_event(None)


async def _run(session: Session, f: Function, event: Event) -> None:
    with around(session, f) if f.is_apart else nullcontext():
        code = _code(session, f)
        frame = Frame(code)
        first = code.program.outer.slots["tg_event"]
        frame.values[first : first + 2] = [event.name, event.tag]
        block = session.block
        assert block is not None
        outside, block.level = block.level, None
        try:
            await Walk(session, code, frame).whole()
        finally:
            block.level = outside


def _code(session: Session, f: Function) -> Code:
    text, path = TypeRef(t.TEXT), session.search_path()
    with procedural.compiling(f):
        kinds = [TypeRef(t.BOOL), text, text]
        found = Declarations(session.catalog, path, procedural.program_of(f), kinds, f.name)
    return code_of(found, procedural.shown(f, session.catalog, path))


def of(session: Session, block: Block, plan: Plan, statement: Any) -> Around | None:
    """Those around a definition; None where there are none."""
    if not any(True for _ in session.catalog.objects(EventTrigger)):
        return None
    shared = isinstance(statement, st.Comment | st.Grant) and statement.kind in _WITHOUT
    if shared or not has_events(_tag(plan, statement)):
        return None
    return Around(session, block, plan, statement)


def _tag(plan: Plan, statement: Any) -> str:
    """The command's name: CREATE TABLE AS and its kin are tagged SELECT."""
    if isinstance(statement, st.CreateTableAs):
        if statement.materialized:
            return "CREATE MATERIALIZED VIEW"
        return "CREATE TABLE AS" if plan.text.lstrip()[:6].lower() == "create" else "SELECT INTO"
    if isinstance(statement, st.Grant):
        return "REVOKE" if statement.revoke else "GRANT"
    return plan.tag


__all__ = ["of"]
