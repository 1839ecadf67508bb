"""The thin I/O loop around the machine: commands become entries, entries become state.

    commit(command):   decide -> compare-and-append -> apply
                          ^            |
                          +-- catch up, if somebody else was there first

**Lost answers.** An append of unknown outcome is sent again with the same token to the same position.
Either it is accepted (once), or recognised, or the position turns out to be taken: then the log says
whether we took it. Only if consensus stays out of reach does the caller see Indeterminate.

**Rollups** are written by whoever finds the log long after its own append; failing at that fails
nobody, the next append tries again.
"""

from __future__ import annotations

import asyncio
import enum
import logging
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from storage import failpoints
from storage.abc import (
    Blob,
    Clock,
    Consensus,
    CorruptBlob,
    Determinate,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    ShardId,
    StorageError,
)
from storage.shard import machine
from storage.shard.state import (
    WRITER_MEMORY_US,
    Diff,
    Rollup,
    Stamp,
    State,
    decode_entry,
    decode_state,
    encode_diff,
    encode_rollup,
    encode_state,
)

_log = logging.getLogger("tidewire.storage")

SCAN_ENTRIES = 1_000
CONTENTION_MAX = 1_000
RESOLVE_ATTEMPTS_MAX = 8
_BACKOFF_FIRST_S = 0.01
_BACKOFF_MAX_S = 1.0


class ShardDeleted(Determinate):
    """The shard's log is gone: its table was dropped."""


class _Outcome(enum.Enum):
    """What became of an entry."""

    APPENDED = enum.auto()  # it is in the log, and the state has yet to hear of it
    FOUND = enum.auto()  # it is in the log, and was met there while catching up
    LOST = enum.auto()  # another has the position, and this entry never will


@dataclass(frozen=True, slots=True)
class LogLimits:
    rollup_entries: int = 1024  # at most about this many diffs follow a rollup: 30 ms to replay
    rollup_bytes_min: int = 64 * 1024  # and at most this many bytes, or the rollup's own size
    inline_rollup_bytes_max: int = 64 * 1024  # a larger one goes to a blob


class ShardLog:
    """One shard's state in this process, and the way to change it. One command at a time."""

    def __init__(
        self,
        shard: ShardId,
        blob: Blob,
        consensus: Consensus,
        clock: Clock,
        rng: random.Random,
        limits: LogLimits | None = None,
    ) -> None:
        self.shard, self.blob, self.consensus, self.clock, self.rng = shard, blob, consensus, clock, rng
        self.limits = limits or LogLimits()
        self.state = State(shard)
        self.writer = rng.getrandbits(64).to_bytes(8, "big")
        self._count = 0
        self._lock = asyncio.Lock()

    # --- reading the log ---------------------------------------------------------------------------

    async def load(self) -> None:
        """From nothing to the newest state: the last rollup and what follows it."""
        for _ in range(RESOLVE_ATTEMPTS_MAX):
            entries = await self._scan_all(1)
            try:
                self.state = await self._replay(State(self.shard), entries)
                return
            except CorruptBlob:
                # A rollup that was replaced, and its blob collected, while we were reading: look again.
                head = await self.consensus.head(self.shard)
                if not entries or head is None or head.seqno == entries[-1].seqno:
                    raise
        raise Indeterminate(f"shard {self.shard}: its log moves faster than it can be read")

    async def catch_up(self) -> bool:
        """Applies what others have appended since. False: some of it was truncated, and not seen."""
        entries = await self._scan_all(self.state.seqno + 1)
        if entries and entries[0].seqno != self.state.seqno + 1:
            await self.load()
            return False
        self.state = await self._replay(self.state, entries)
        return True

    async def refresh(self) -> None:
        """`catch_up` for whoever is not in the middle of a command."""
        async with self._lock:
            await self.catch_up()

    async def _scan_all(self, from_seqno: int) -> list[LogEntry]:
        entries: list[LogEntry] = []
        while True:
            found = await self.consensus.scan(self.shard, from_seqno, SCAN_ENTRIES)
            if entries and found and found[0].seqno != entries[-1].seqno + 1:
                entries = []  # truncated in between: what is there now begins with a rollup
            entries += found
            if len(found) < SCAN_ENTRIES:
                return entries
            from_seqno = found[-1].seqno + 1

    async def _replay(self, state: State, entries: list[LogEntry]) -> State:
        """Applies entries to a state that ends right before them, or begins with the last rollup."""
        decoded = [(e, *decode_entry(self.shard, e.data)) for e in entries]
        start = 0
        if (entries and entries[0].seqno != state.seqno + 1) or state.seqno == 0:
            for i in range(len(decoded) - 1, -1, -1):
                if isinstance(decoded[i][2], Rollup):
                    start = i
                    break
        for entry, stamp, what in decoded[start:]:
            if isinstance(what, Rollup):
                if entry.seqno != state.seqno + 1:
                    state = await self._rolled(entry, what)
                state = machine.apply_rollup(state, stamp, what.key, what.size_bytes or len(entry.data))
            else:
                if entry.seqno != state.seqno + 1:
                    raise CorruptBlob(
                        f"log of shard {self.shard}", f"entry {entry.seqno} does not follow {state.seqno}"
                    )
                state = machine.apply(state, what, stamp, len(entry.data))
        return state

    async def _rolled(self, entry: LogEntry, rollup: Rollup) -> State:
        state = rollup.state
        if state is None:
            assert rollup.key is not None
            data = await self.blob.get(rollup.key)
            if zlib.crc32(data) != rollup.checksum:
                raise CorruptBlob(rollup.key, "checksum differs")
            try:
                state = decode_state(self.shard, data)
            except ValueError as e:
                raise CorruptBlob(rollup.key, str(e)) from e
        if state.seqno != entry.seqno - 1:
            raise CorruptBlob(
                rollup.key or f"log of shard {self.shard}",
                f"a state of seqno {state.seqno} at position {entry.seqno}",
            )
        return state

    # --- writing it --------------------------------------------------------------------------------

    async def commit(self, command: machine.Command) -> Diff | None:
        """Makes `command` true. None: it was already.

        Raises what `machine.decide` raises (after catching up, so the refusal is about the newest
        state), and Indeterminate if consensus could not tell in time what happened.
        """
        return await self.commit_with(lambda state: command)

    async def commit_with(self, choose: Callable[[State], machine.Command | None]) -> Diff | None:
        """`commit` of a command that is chosen anew for every state that it meets."""
        async with self._lock:
            refreshed = False
            for _ in range(CONTENTION_MAX):
                command = choose(self.state)
                try:
                    diff = None if command is None else machine.decide(self.state, command)
                except Determinate:
                    if refreshed:
                        raise
                    await self.catch_up()
                    refreshed = True
                    continue
                if diff is None:
                    return None
                stamp = self._stamp()
                data = encode_diff(diff, stamp)
                _passes(command, "before")
                outcome = await self._append(stamp, data)
                _passes(command, "after")
                if outcome is not _Outcome.LOST:
                    if outcome is _Outcome.APPENDED:
                        self.state = machine.apply(self.state, diff, stamp, len(data))
                    await self._maybe_roll_up()
                    return diff
                refreshed = True
        raise Determinate(f"shard {self.shard}: lost {CONTENTION_MAX} races for its log")

    def _stamp(self) -> Stamp:
        self._count += 1
        return Stamp(self.writer, self._count, self.clock.now_us())

    async def _append(self, stamp: Stamp, data: bytes) -> _Outcome:
        unsure: StorageError | None = None
        delay_s = _BACKOFF_FIRST_S
        for _ in range(RESOLVE_ATTEMPTS_MAX):
            try:
                await self.consensus.compare_and_append(self.shard, self.state.seqno, data, stamp.token)
                return _Outcome.APPENDED
            except SeqnoMismatch as e:
                if e.current < self.state.seqno:
                    raise ShardDeleted(f"shard {self.shard} has no log any more") from e
                # The entry there is not ours (consensus would have known our token), or it is truncated.
                seen_all = await self.catch_up()
                heard = self.state.writers.get(self.writer)
                if heard is not None and heard.count == stamp.count:
                    return _Outcome.FOUND
                behind_us = machine.log_time_us(self.state.writers) - stamp.at_us
                if not seen_all and heard is None and unsure is not None and behind_us > WRITER_MEMORY_US:
                    # Not remembered: either it never arrived, or it did and was forgotten since.
                    raise Indeterminate(f"shard {self.shard}: {unsure}") from unsure
                return _Outcome.LOST
            except Indeterminate as e:
                unsure = e
            except Determinate as e:
                if unsure is None:
                    raise
                _log.warning("shard %s: still resolving an append: %s", self.shard, e)
            await asyncio.sleep(delay_s * (0.5 + self.rng.random()))
            delay_s = min(delay_s * 2, _BACKOFF_MAX_S)
        raise Indeterminate(f"shard {self.shard}: {unsure}") from unsure

    async def _maybe_roll_up(self) -> None:
        state, limits = self.state, self.limits
        long = state.seqno - state.rollup_seqno >= limits.rollup_entries
        heavy = state.log_bytes > max(limits.rollup_bytes_min, state.rollup_bytes)
        if not (long or heavy):
            return
        try:
            await self._roll_up()
        except StorageError as e:
            _log.warning("shard %s: rollup put off: %s", self.shard, e)

    async def roll_up(self) -> None:
        """Writes a rollup now and forgets the log below it."""
        async with self._lock:
            await self.catch_up()
            await self._roll_up()

    async def _roll_up(self) -> None:
        state = self.state
        stamp = self._stamp()
        data = encode_state(state)
        rollup = Rollup(state)
        if len(data) > self.limits.inline_rollup_bytes_max:
            key = f"{self.shard}/rollup/{self.rng.getrandbits(128):032x}"
            await self.blob.put(key, data)
            rollup = Rollup(None, key, len(data), zlib.crc32(data))
        entry = encode_rollup(rollup, stamp)
        failpoints.point("shard.rollup.before")
        outcome = await self._append(stamp, entry)
        failpoints.point("shard.rollup.after")
        if outcome is _Outcome.LOST:
            return  # others are active: one of them, or our next append, will do it
        if outcome is _Outcome.APPENDED:
            self.state = machine.apply_rollup(state, stamp, rollup.key, rollup.size_bytes or len(entry))
        await self.consensus.truncate(self.shard, self.state.rollup_seqno)


def _passes(command: machine.Command | None, when: str) -> None:
    """A fail point, named after the command that is made true."""
    if failpoints.armed and (name := f"shard.{type(command).__name__.lower()}.{when}") in failpoints.POINTS:
        failpoints.point(name)
