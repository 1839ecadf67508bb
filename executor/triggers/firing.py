"""When which trigger fires: the two ends of a statement, its rows, and the queue of what comes after.

    Statement    one statement's writes to one table: BEFORE triggers at once, AFTER triggers into the level's queue
    Level        what a statement of the client (or of a function) has to fire when it is over; foreign keys' actions, which are
                 parts of it, fire into the same one; statements inside of trigger functions have levels of their own
    Deferred     a constraint trigger's row that waits for COMMIT or SET CONSTRAINTS

AFTER triggers fire in the order of the rows, each row's by name. A statement-level one fires once a level for each table and
kind of write, however many actions of foreign keys have written there.
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from executor.keyed.write import Change
from executor.procedural.triggers import TriggerContext, fire
from executor.triggers import of_extensions, text_search, transition
from executor.triggers.table import Holder, TableTriggers, fires, wants_transition
from planner import triggers
from planner.abc import Table, Trigger
from planner.catalog import Function
from planner.ddl.routines.triggers import REDUNDANT, TEXT_SEARCH, TEXT_SEARCH_BY_COLUMN
from planner.extensions import trigger_functions
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

IN_USE: Final[contextvars.ContextVar[frozenset[int]]] = contextvars.ContextVar("in use", default=frozenset())
"""The tables and views whose triggers' functions run: nothing within may give them another shape."""
_NAMES: Final = {bit: name for name, bit in triggers.EVENTS.items()}


@dataclass(slots=True)
class Gathered:
    """What a level has done to one table in one way."""

    began: bool = False
    """BEFORE STATEMENT triggers have fired."""
    old: list[Row] = field(default_factory=list)
    new: list[Row] = field(default_factory=list)


@dataclass(slots=True)
class Event:
    """A trigger that is to fire, of a row or (neither `old` nor `new`) of the statement."""

    on: TableTriggers
    trigger: Trigger
    event: int
    old: Row | None = None
    new: Row | None = None
    updated: Collection[int] = ()
    """Of a row before it is written: the positions that the UPDATE sets."""


@dataclass(slots=True)
class Deferred:
    """A constraint trigger's row, kept among what the block has put off."""

    event: Event

    @property
    def constraint_oid(self) -> int:
        return self.event.trigger.oid


class Above:
    """Takes down what is written to a leaf, as rows of the partitioned table that the statement names."""

    def __init__(self, table: Table, leaf: Table, wanted: Mapping[int, Gathered]) -> None:
        where = {c.name: i for i, c in enumerate(leaf.columns)}
        self._places = tuple(where.get(c.name) for c in table.columns)  # hidden ones may be the table's alone
        self._wanted = wanted

    def take(self, event: int, old: Row | None, new: Row | None) -> None:
        seen = self._wanted.get(event)
        if seen is None:
            return
        if old is not None:
            seen.old.append(self._shown(old))
        if new is not None:
            seen.new.append(self._shown(new))

    def _shown(self, row: Row) -> Row:
        return tuple(None if i is None else row[i] for i in self._places)


class Level:
    """See the module."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._gathered: dict[tuple[int, int], Gathered] = {}

    def gathered(self, holder: Holder, event: int) -> Gathered:
        return self._gathered.setdefault((holder.oid, event), Gathered())

    def put(self, event: Event) -> None:
        self._events.append(event)

    def statement_over(self, on: TableTriggers, event: int, found: Sequence[Trigger]) -> None:
        """AFTER STATEMENT triggers go to the end of the queue; those that were there already are not fired twice."""
        mine = {x.oid for x in found}
        if any(e.trigger.oid in mine for e in self._events):
            self._events = deque(
                e for e in self._events if not (e.trigger.oid in mine and e.event == event and e.on is on)
            )
        for trigger in found:
            self.put(Event(on, trigger, event))

    async def drain(self, session: Session, block: Block) -> None:
        """Fires what is queued; functions of triggers have levels of their own, actions of foreign keys add to this one."""
        if self._events and not session.trigger_depth and not session.routine_depth:
            session.said_of_rows = len(session.notices)
        while self._events:
            event = self._events.popleft()
            seen = self.gathered(event.on.holder, event.event)
            await call(session, block, event, seen)


def level(block: Block) -> Level:
    """The level of the statement that runs."""
    found: Level | None = block.level
    if found is None:
        found = block.level = Level()
    return found


async def over(session: Session, block: Block) -> None:
    """The statement is over: what comes after it fires."""
    if block.level is not None:
        await block.level.drain(session, block)


async def call(session: Session, block: Block, event: Event, seen: Gathered | None = None) -> Row | None:
    """Fires one trigger. The row that goes on, of BEFORE and INSTEAD OF ROW triggers."""
    trigger, holder = event.trigger, event.on.holder
    if trigger.function == REDUNDANT:
        return _not_redundant(event)
    if trigger.function in (TEXT_SEARCH, TEXT_SEARCH_BY_COLUMN):
        by_column = trigger.function == TEXT_SEARCH_BY_COLUMN
        columns = event.on.rows.columns
        return text_search.with_vector(
            session, trigger, event.event, columns, event.new, event.updated, by_column=by_column
        )
    if trigger.function in trigger_functions.BY_OID:
        return of_extensions.fired(session, event)
    routine = session.catalog.get(trigger.function)
    assert isinstance(routine, Function), "a function is not dropped while a trigger calls it"
    on = event.on
    context = TriggerContext(
        trigger.name,
        triggers.timing(trigger),
        triggers.level(trigger),
        _NAMES[event.event],
        on.seen,
        session.catalog.schema_of(holder.schema_oid).name,
        trigger.arguments,
        on.shown(event.new),
        on.shown(event.old),
    )
    around, block.level = block.level, None
    routed, block.routed = block.routed, {}
    session.trigger_depth += 1
    token = IN_USE.set(IN_USE.get() | {holder.oid})
    try:
        if seen is None or not (trigger.old_table or trigger.new_table):
            made = await fire(session, routine, context)
            if made is None or on.seen is on.rows:
                return made
            if made is context.new or made is context.old:  # left alone
                return event.new if made is context.new else event.old
            return on.whole(made)
        rows = {trigger.old_table: seen.old, trigger.new_table: seen.new}
        with transition.shown(session, block, on.rows, trigger, rows):
            return await fire(session, routine, context)
    finally:
        IN_USE.reset(token)
        session.trigger_depth -= 1
        block.level, block.routed = around, routed


def _not_redundant(event: Event) -> Row | None:
    """suppress_redundant_updates_trigger(): no row where nothing changes."""
    name = "suppress_redundant_updates_trigger"
    trigger = event.trigger
    for wrong, words in (
        (event.event != triggers.UPDATE, "must be called on update"),
        (not trigger.bits & triggers.BEFORE, "must be called before update"),
        (not trigger.bits & triggers.ROW, "must be called for each row"),
    ):
        if wrong:
            raise ExecutionError("39P01", f"{name}: {words}")
    old, new = event.old, event.new
    assert old is not None and new is not None
    places = [i for i in range(len(new)) if i not in event.on.generated]
    same = all(
        type(old[i]) is type(new[i]) and (old[i] == new[i] and repr(old[i]) == repr(new[i])) for i in places
    )
    return None if same else new


class Statement:
    """One statement's writes to one table or view."""

    def __init__(self, session: Session, block: Block, holder: Holder) -> None:
        self.session, self.block = session, block
        self.on = session.executor.triggers_of(holder)
        self.asks = session.rules(holder).asks if isinstance(holder, Table) else ""
        """Whether the table's CHECKs call functions that look around (`TableRules.asks`)."""
        self._replica = session.settings.replica
        self._routed = holder.oid in block.routed
        self._above: Above | None = block.routed.get(holder.oid)
        self._found: dict[tuple[int, int, bool], tuple[Trigger, ...]] = {}
        self._columns: dict[int, Collection[int]] = {}

    def of(self, event: int, when: int, *, row: bool) -> tuple[Trigger, ...]:
        if self._routed and not row:
            return ()  # they are those of the table that the statement has named
        key = event, when, row
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self.on.heeded(
                event, when, row=row, replica=self._replica, columns=self._columns.get(event, ())
            )
        return found

    @property
    def row_by_row(self) -> bool:
        """Whether some trigger, or a CHECK's function, is asked before each row is written."""
        if self.asks and not self._columns.keys().isdisjoint((triggers.INSERT, triggers.UPDATE)):
            return True
        return self.changes_rows

    @property
    def changes_rows(self) -> bool:
        """Whether some trigger is asked what each row is to be."""
        return any(
            self.of(event, triggers.BEFORE, row=True)
            for event in (triggers.INSERT, triggers.UPDATE, triggers.DELETE)
            if event in self._columns
        )

    def wants_rows(self, event: int) -> bool:
        """Whether rows are asked for after they have been written."""
        if self._above is not None or self.of(event, 0, row=True):
            return True
        return wants_transition(self.of(event, 0, row=False))

    def above(self, block: Block, table: Table, leaf: Table, event: int | None = None) -> Above | None:
        """Who takes down the rows of a leaf for transition tables of this statement's table; None: it has none.

        `event`: what the statement is, whatever is done to the leaf.
        """
        wanted = {
            kind: level(block).gathered(self.on.holder, event or kind)
            for kind in (triggers.INSERT, triggers.UPDATE, triggers.DELETE)
            if wants_transition(self.of(event or kind, 0, row=False))
        }
        return Above(table, leaf, wanted) if wanted else None

    async def begin(self, event: int, columns: Collection[int] = ()) -> None:
        """BEFORE STATEMENT. `columns`: the row positions that an UPDATE sets."""
        self.expect(event, columns)
        found = self.of(event, triggers.BEFORE, row=False)
        if found:
            seen = level(self.block).gathered(self.on.holder, event)
            if seen.began:
                return
            seen.began = True
        for trigger in found:
            if await self.on.passes(self.session, self.block, trigger, None, None):
                await call(self.session, self.block, Event(self.on, trigger, event))

    def expect(self, event: int, columns: Collection[int] = ()) -> None:
        """The statement is of this kind."""
        self._columns[event] = columns

    async def before_row(self, event: int, old: Row | None, new: Row | None) -> Row | None:
        """The row that is to be written (of DELETE: the old one); None: this one is left alone."""
        return await self._changed(event, triggers.BEFORE, old, new)

    async def instead_of_row(self, event: int, old: Row | None, new: Row | None) -> Row | None:
        """The row that the trigger says it has written; None: it has not."""
        return await self._changed(event, triggers.INSTEAD, old, new)

    async def _changed(self, event: int, when: int, old: Row | None, new: Row | None) -> Row | None:
        on = self.on
        if new is not None and when == triggers.BEFORE:
            new = on.without_generated(new)
        for trigger in self.of(event, when, row=True):
            if not await on.passes(self.session, self.block, trigger, old, new):
                continue
            made = await call(
                self.session, self.block, Event(on, trigger, event, old, new, self._columns.get(event, ()))
            )
            if made is None:
                return None
            if new is not None:
                same = made is new
                new = on.without_generated(made) if when == triggers.BEFORE else made
                if event == triggers.INSERT and trigger.parent and not same and when == triggers.BEFORE:
                    await self._stays(trigger, new)
        return old if new is None else new

    async def _stays(self, trigger: Trigger, row: Row) -> None:
        """Raises 0A000 where a trigger of the table above has made a new row another partition's."""
        leaf = self.on.holder
        assert isinstance(leaf, Table)
        within = self.session.rules(leaf).within
        if within is not None and not within(await self.on.completed(self.session, self.block, row)):
            schema = self.session.catalog.schema_of(leaf.schema_oid).name
            raise ExecutionError(
                "0A000",
                "moving row to another partition during a BEFORE FOR EACH ROW trigger is not supported",
                detail=f'Before executing trigger "{trigger.name}", the row was to be in partition "{schema}.{leaf.name}".',
            )

    async def wrote(self, event: int, old: Row | None, new: Row | None) -> None:
        """A row has been written: AFTER ROW triggers are queued."""
        if self._above is not None:
            self._above.take(event, old, new)
        found = self.of(event, 0, row=True)
        if wants_transition((*found, *self.of(event, 0, row=False))):
            seen = level(self.block).gathered(self.on.holder, event)
            if old is not None:
                seen.old.append(old)
            if new is not None:
                seen.new.append(new)
        for trigger in found:
            if not await self.on.passes(self.session, self.block, trigger, old, new):
                continue
            queued = Event(self.on, trigger, event, old, new)
            if trigger.deferrable and is_deferred(self.block, trigger):
                self.block.deferred.append(Deferred(queued))
            else:
                level(self.block).put(queued)

    async def wrote_all(self, changes: Sequence[Change], event: int | None = None) -> None:
        """The same of changes, which say what they are unless `event` does."""
        for _, _, old, _, new in changes:
            kind = event
            if kind is None:
                kind = triggers.INSERT if old is None else triggers.DELETE if new is None else triggers.UPDATE
            await self.wrote(kind, old, new)

    async def end(self, event: int) -> None:
        """AFTER STATEMENT: queued."""
        found = [
            x
            for x in self.of(event, 0, row=False)
            if await self.on.passes(self.session, self.block, x, None, None)
        ]
        if found:
            level(self.block).statement_over(self.on, event, found)


def is_deferred(block: Block, trigger: Trigger) -> bool:
    mode = block.constraint_modes.get(trigger.oid, block.constraint_modes.get(0))
    return trigger.deferred if mode is None else mode


def statement(
    session: Session, block: Block, holder: Holder, event: int, columns: Collection[int] = ()
) -> Statement | None:
    """What fires for a statement; None: nothing does, as for most."""
    fired = bool(holder.triggers) and fires(holder, event, columns)
    asks = event != triggers.DELETE and isinstance(holder, Table) and asked(session, holder)
    if not fired and not asks and block.routed.get(holder.oid) is None:
        return None
    made = Statement(session, block, holder)
    made.expect(event, columns)
    return made


def asked(session: Session, table: Table) -> bool:
    """Whether functions that the table's CHECKs call are asked of its rows, one by one."""
    return table.partitioning is None and session.rules(table).asks == "v"


async def fire_deferred(session: Session, block: Block, waiting: Deferred) -> None:
    """At COMMIT, or when the constraint becomes immediate."""
    event = waiting.event
    holder = session.catalog.get(event.on.holder.oid)
    if holder is None or all(x.oid != event.trigger.oid for x in getattr(holder, "triggers", ())):
        return  # dropped since
    await call(session, block, event)


__all__ = [
    "IN_USE", "Deferred", "Event", "Level", "Statement", "asked", "call", "fire_deferred", "is_deferred", "level", "over", "statement",
]  # fmt: skip
