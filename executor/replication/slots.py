"""Replication slots: how far each follower has come, and the history that is kept for it.

    ----|------------------|---------------------------|------------> time
        noted              confirmed                   read_ts
        ^ history is       ^ the follower has          ^ what there is
          kept from here     everything before it

A place in the log is a timestamp: every transaction has one of its own, so a slot is a name and a number. The number is kept where the
log keeps how far sequences have come (`Environment.lease`); it goes there every few seconds and when a follower leaves, and history is held back
by the number that is there. So after a crash a follower is told a little again, as PostgreSQL tells it, and never too little.

A follower that stays away for longer than the oldest snapshot may get (`txn.holds`), or while more is written than a slot may keep
(`slot_kept_bytes_max`), loses its slot: what it would have to be told is not kept any more, and the slot says so (`wal_status` lost) to
whoever uses it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from executor.replication.written import STEPS, Written
from planner.abc import SqlError
from storage.abc import Timestamp
from txn.abc import TransactionExpired
from txn.holds import Hold
from txn.shared import SharedEnvironment

if TYPE_CHECKING:
    from txn.environment import Environment

_log = logging.getLogger("tidewire.replication")

PLUGINS: Final = ("pgoutput", "test_decoding")
SLOTS_MAX: Final = 64
NAME_MAX_BYTES: Final = 63
NOTE_EVERY_S: Final = 0.2
"""A follower's place is made durable so often: a PostgreSQL that is told again, after `kill -9`, of what it has confirmed takes rows twice of
a table that it was just done with copying, for it remembers no place of what it has left out meanwhile;"""
NOTE_AT_REST_S: Final = 60.0
"""so often where nothing has committed."""
_MARK: Final = "slot "
_NAME: Final = re.compile("[a-z0-9_]+")


@dataclass(slots=True, eq=False)
class Slot:
    """`confirmed`: the follower has all transactions before it. `holder`: the session of a temporary slot, 0 for others."""

    name: str
    plugin: str
    database_oid: int
    confirmed: Timestamp
    noted: Timestamp
    holder: int = 0
    active_pid: int = 0
    told: Timestamp = 0
    """As far as the follower's stream has told it."""
    hold: Hold | None = field(default=None, repr=False)

    @property
    def lost(self) -> bool:
        """Whether history that it would have to tell is gone."""
        return self.hold is None or self.hold.lapsed

    @property
    def key(self) -> str:
        return f"{_MARK}{self.database_oid} {self.plugin} {self.name}"


class Slots:
    """All slots of the environment. Everything on the event loop."""

    def __init__(self, env: Environment, kept_bytes_max: int) -> None:
        self._env, self.kept_bytes_max = env, kept_bytes_max
        self._written = Written(kept_bytes_max // STEPS)
        self._slots: dict[str, Slot] = {}
        self._noted: dict[str, tuple[float, int]] = {}
        """When a slot's place was made durable (by the clock that nobody sets), and how many commits there had been."""

    def load(self) -> None:
        """At the start: the slots that the log knows, and holds for them."""
        for key, noted in self._env.txns.state.leases.items():
            if key.startswith(_MARK):
                database_oid, plugin, name = key[len(_MARK) :].split(" ")
                slot = Slot(name, plugin, int(database_oid), noted, noted)
                try:
                    slot.hold = self._env.holds.acquire(noted - 1)
                except TransactionExpired:
                    slot.hold = None
                self._slots[name] = slot
        self._env.holds.on_advance.append(self._bound)

    def _bound(self, now: Timestamp) -> None:
        """Slots that keep more than they may are lost. What is written while there are none is noted, too: it is not the next one's."""
        self._note_written(now)
        for slot in self._keeping():
            kept = self.kept_bytes(slot)
            if kept <= self.kept_bytes_max:
                continue
            assert slot.hold is not None
            self._env.holds.lapse(slot.hold)
            _log.warning(
                "replication slot %r is lost: %d bytes were written since its follower's place, and it may keep %d",
                slot.name,
                kept,
                self.kept_bytes_max,
            )

    def _keeping(self) -> list[Slot]:
        return [slot for slot in self._slots.values() if not slot.lost]

    def _note_written(self, now: Timestamp) -> None:
        oldest = min((slot.noted for slot in self._keeping()), default=now)
        self._written.note(now, self._env.txns.state.written_bytes, oldest)

    def kept_bytes(self, slot: Slot) -> int:
        """How much was written since the place that is kept for it, as far as this server has seen it."""
        return self._written.since(slot.noted, self._env.txns.state.written_bytes)

    def __bool__(self) -> bool:
        return bool(self._slots)

    async def end(self, gone: Iterable[Slot]) -> None:
        """They are no more, and nothing is kept for them."""
        for slot in gone:
            self._release(slot)
            if not slot.holder:
                await self._env.drop_lease(slot.key)

    def all(self) -> list[Slot]:
        return list(self._slots.values())

    def find(self, name: str) -> Slot:
        """Raises 42704."""
        found = self._slots.get(name)
        if found is None:
            raise SqlError("42704", f'replication slot "{name}" does not exist')
        return found

    async def create(
        self, name: str, plugin: str, database_oid: int, holder: int = 0, source: Slot | None = None
    ) -> Slot:
        """A slot that begins now: every transaction that has not committed yet will be told.

        Raises 42602, 42710, 53400, 58P01, 0A000 in an environment of several servers.
        """
        check_name(name)
        if isinstance(self._env, SharedEnvironment):
            raise SqlError(
                "0A000", "replication slots in an environment of several servers are not supported"
            )
        if plugin not in PLUGINS:
            raise SqlError("58P01", f'could not access file "{plugin}": No such file or directory')
        if name in self._slots:
            raise SqlError("42710", f'replication slot "{name}" already exists')
        if len(self._slots) >= SLOTS_MAX:
            raise SqlError(
                "53400",
                "all replication slots are in use",
                hint="Free one or increase max_replication_slots.",
            )
        if source is not None and source.lost:
            raise lost(source)
        self._note_written(self._env.oracle.read_ts())  # what there is now is not kept for it
        seen = self._env.oracle.read_ts() if source is None else source.noted - 1
        slot = Slot(name, plugin, database_oid, seen + 1, seen + 1, holder)
        slot.hold = self._env.holds.acquire(seen)
        self._slots[name] = slot
        if not holder:
            try:
                await self._env.lease(slot.key, 1, start=seen)
            except BaseException:
                self._release(slot)
                raise
        return slot

    async def drop(self, name: str) -> None:
        """Raises 42704, 55006."""
        slot = self.find(name)
        if slot.active_pid:
            raise in_use(slot)
        await self.end([slot])

    def acquire(self, name: str, pid: int, database_oid: int) -> Slot:
        """For one follower at a time. Raises 42704, 55006, 55000."""
        slot = self.find(name)
        if slot.active_pid and slot.active_pid != pid:
            raise in_use(slot)
        if slot.database_oid != database_oid:
            raise SqlError("55000", f'replication slot "{name}" was not created in this database')
        if slot.lost:
            raise lost(slot)
        slot.active_pid = pid
        return slot

    def confirm(self, slot: Slot, upto: Timestamp) -> None:
        """The follower has everything before `upto`. It never goes back, nor beyond what there is."""
        slot.confirmed = max(slot.confirmed, min(upto, self._env.oracle.read_ts() + 1))

    async def note(self, slot: Slot) -> None:
        """Makes the place durable, and lets history go that lies before it."""
        upto = slot.confirmed
        if upto <= slot.noted or self._slots.get(slot.name) is not slot:
            return
        self._noted[slot.name] = self._env.monotonic_s(), self._env.txns.state.commits
        # Who has everything that there is keeps nothing of it, however long ago the last note was made.
        self._note_written(self._env.oracle.read_ts())
        if not slot.holder:
            await self._env.lease(slot.key, upto - slot.noted, start=slot.noted)
        slot.noted = upto
        if slot.hold is not None and not slot.hold.lapsed:
            self._env.holds.move(slot.hold, upto - 1)

    def is_note_due(self, slot: Slot) -> bool:
        noted_s, commits = self._noted.get(slot.name, (-NOTE_AT_REST_S, -1))
        often = NOTE_AT_REST_S if commits == self._env.txns.state.commits else NOTE_EVERY_S
        return slot.confirmed > slot.noted and self._env.monotonic_s() - noted_s >= often

    async def release(self, slot: Slot) -> None:
        """The follower has gone."""
        slot.active_pid = 0
        await self.note(slot)

    def ended(self, pid: int) -> None:
        """A session has, or a statement of it has failed: its temporary slots go."""
        if self._slots:
            for slot in [s for s in self._slots.values() if s.holder == pid and not s.active_pid]:
                self._release(slot)

    def _release(self, slot: Slot) -> None:
        self._slots.pop(slot.name, None)
        self._noted.pop(slot.name, None)
        if slot.hold is not None:
            self._env.holds.release(slot.hold)
            slot.hold = None


def in_use(slot: Slot) -> SqlError:
    return SqlError("55006", f'replication slot "{slot.name}" is active for PID {slot.active_pid}')


def lost(slot: Slot) -> SqlError:
    return SqlError(
        "55000",
        f'cannot read from logical replication slot "{slot.name}"',
        detail="This slot has been invalidated because it exceeded the maximum reserved size.",
    )


def check_name(name: str) -> None:
    """Raises 42602, 42622 as PostgreSQL's ReplicationSlotValidateName."""
    if not name:
        raise SqlError("42602", f'replication slot name "{name}" is too short')
    if len(name.encode()) > NAME_MAX_BYTES:
        raise SqlError("42622", f'replication slot name "{name}" is too long')
    if not _NAME.fullmatch(name):
        raise SqlError(
            "42602",
            f'replication slot name "{name}" contains invalid character',
            hint="Replication slot names may only contain lower case letters, numbers, and the underscore character.",
        )


__all__ = ["PLUGINS", "SLOTS_MAX", "Slot", "Slots", "check_name", "in_use", "lost"]
