"""A session that follows changes: what the commands of a replication connection do, and the stream of changes itself.

    slot.confirmed ---> [told] ---------------> read_ts
    ^ the follower's word   ^ this stream's

A stream looks at what has committed since it looked last, all of it at once, and then waits until there is more. What it has told
stays in its slot until the follower says that it has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from executor.catalogs import CATALOG_SHARD
from executor.replication import decoding
from executor.replication.pgoutput import PgOutput
from executor.replication.plugin import Plugin
from executor.replication.slots import Slot, lost
from executor.replication.test_decoding import TestDecoding
from planner.abc import SqlError
from planner.catalog import rights
from storage.abc import Timestamp

if TYPE_CHECKING:
    from executor.session.session import Session


TURN_MESSAGES: Final = 256
"""So many are made in one turn of the loop, ten milliseconds or so: a transaction may have millions, and all sessions would wait for it."""


def plugin_of(slot: Slot, options: Mapping[str, str | None]) -> Plugin:
    """Raises what the plugin has against the options."""
    try:
        return (PgOutput if slot.plugin == "pgoutput" else TestDecoding)(options)
    except SqlError as error:
        error.context = f'slot "{slot.name}", output plugin "{slot.plugin}", in the startup callback'
        raise


class Follower:
    """What a session asks of slots. See the module."""

    def __init__(self, session: Session) -> None:
        """Raises 42501."""
        if not rights.may_follow(session.catalog, session.user):
            raise SqlError("42501", "must be superuser or replication role to use replication slots")
        self._session = session
        self._slots = session.executor.slots

    @property
    def here(self) -> Timestamp:
        """The place behind all that has committed."""
        return self._session.executor.env.oracle.read_ts() + 1

    @property
    def system(self) -> str:
        """A number that only this environment has: when its catalog began."""
        return str(self._session.executor.env.since_when(CATALOG_SHARD))

    async def create(self, name: str, plugin: str, *, temporary: bool) -> Slot:
        """Raises as `Slots.create`."""
        session = self._session
        holder = session.pid if temporary else 0
        return await self._slots.create(name, plugin, session.catalog.database_oid, holder)

    async def drop(self, name: str) -> None:
        await self._slots.drop(name)

    async def copy(self, slot: Slot, name: str, plugin: str, *, temporary: bool) -> Slot:
        """Another slot that begins where this one is. Raises as `Slots.create`, and 55000."""
        holder = self._session.pid if temporary else 0
        return await self._slots.create(name, plugin, slot.database_oid, holder, source=slot)

    def find(self, name: str) -> Slot:
        return self._slots.find(name)

    def acquire(self, name: str) -> Slot:
        """Raises 42704, 55006, 55000."""
        return self._slots.acquire(name, self._session.pid, self._session.catalog.database_oid)

    def confirm(self, slot: Slot, upto: Timestamp) -> None:
        self._slots.confirm(slot, upto)

    async def release(self, slot: Slot) -> None:
        await self._slots.release(slot)

    async def look_from(self, slot: Slot) -> None:
        """The session's block, which has not read yet, sees what there was when the slot was made. Raises 0A000."""
        session, block = self._session, self._session.block
        if block is None or session.in_implicit:
            raise ExecutionError(
                "0A000", "CREATE_REPLICATION_SLOT ... (SNAPSHOT 'use') must be called inside a transaction"
            )
        if block.isolation_name != "repeatable read":
            raise ExecutionError(
                "0A000",
                "CREATE_REPLICATION_SLOT ... (SNAPSHOT 'use') must be called in REPEATABLE READ isolation mode transaction",
            )
        plan, params = session.plan(f"SET TRANSACTION SNAPSHOT '{snapshot_name(slot)}'")
        await session.execute(plan, params, autocommit=False)

    def stream(self, name: str, place: Timestamp, options: Mapping[str, str | None]) -> Changes:
        """Raises 42704, 55006, 55000, and what the plugin has against the options."""
        session = self._session
        slot = self.acquire(name)
        try:
            return Changes(session, slot, plugin_of(slot, options), place)
        except BaseException:
            slot.active_pid = 0
            raise


def snapshot_name(slot: Slot) -> str:
    """Of what there was when a new slot begins, for SET TRANSACTION SNAPSHOT."""
    return f"{slot.confirmed - 1:016X}-1"


class Changes:
    """A slot's changes from a place on, for the one follower that has it."""

    def __init__(self, session: Session, slot: Slot, plugin: Plugin, place: Timestamp = 0) -> None:
        self._session, self._plugin = session, plugin
        self.slot = slot
        self.told = max(place, slot.confirmed) - 1
        """Everything up to it has been told."""

    @property
    def has_more(self) -> bool:
        """Whether the log has something that it has not looked at. If not, it has told everything up to now."""
        env = self._session.executor.env
        now = env.oracle.read_ts()
        if env.txns.state.upper - 1 > self.told:  # it may be readable only in a moment
            return True
        self.told = max(self.told, now)
        return False

    async def messages(self, upto: Timestamp | None = None) -> AsyncIterator[tuple[Timestamp, bytes, bool]]:
        """What there is to tell (up to a place): messages with their places, and whether each is its transaction's last. Raises SqlError."""
        executor = self._session.executor
        end = executor.env.oracle.read_ts()
        if upto is not None:
            end = min(end, upto)
        if end <= self.told:
            return
        self.check()
        database, tables = self._session.database, self._plugin.tables
        made = 0
        async for transaction in decoding.transactions(executor, database, tables, self.told, end):
            self.check()  # what was read before history went is whole
            last: tuple[Timestamp, bytes] | None = None
            for message in self._plugin.messages(transaction):
                if last is not None:
                    yield (*last, False)
                last = message
                made += 1
                if made % TURN_MESSAGES == 0:
                    await asyncio.sleep(0)
            if last is not None:
                yield (*last, True)
            self.told = transaction.ts
        self.told = max(self.told, end)
        self.slot.told = self.told + 1

    def check(self) -> None:
        """Raises 55000 where history that would have to be told is gone."""
        if self.slot.lost:
            raise lost(self.slot)

    async def confirm(self, place: Timestamp) -> None:
        """The follower has everything before it; made durable now and then."""
        slots = self._session.executor.slots
        slots.confirm(self.slot, place)
        if slots.is_note_due(self.slot):
            await slots.note(self.slot)

    async def close(self) -> None:
        """The follower has gone, or has enough."""
        await self._session.executor.slots.release(self.slot)


__all__ = ["Changes", "Follower", "plugin_of", "snapshot_name"]
