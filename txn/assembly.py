"""How an environment begins and ends: its parts, put together; the take-over from whoever led before; the last append.

    Environment.open(blob, consensus)
      load         the txns shard: newest rollup, and what follows
      take over    append the next epoch: an older leader is fenced from here on
      ready        oracle above all that was handed out, row ids above all that were leased

What upkeep needs is here as well: the handles on data shards, apply, and calls of the group that is to come.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Self

from storage.abc import Blob, Clock, Consensus, ShardId, StorageError, Timestamp
from storage.blob import open_blob
from storage.consensus import open_consensus
from storage.parts import Offload, PartLimits
from storage.shard.log import LogLimits
from storage.shard.shard import Shard
from txn.abc import (
    Commit,
    CommitFailed,
    Key,
    Keyspace,
    TxnError,
)
from txn.apply import Applier
from txn.calls import Call
from txn.committer import Committer
from txn.conflicts import ConflictIndex
from txn.data_shards import DataShards
from txn.group import CommitGroup, commit_of
from txn.held_keys import HeldKeys
from txn.holds import ReadHolds
from txn.lease import Lease, LeaseLapsed
from txn.limits import Limits
from txn.locks import CallLater, KeyLocks
from txn.log_entry import Entry
from txn.oracle import LeasedOracle, SystemClock
from txn.resolve import resolve
from txn.retention import Retention
from txn.rids import RidAllocator
from txn.staging import Staging
from txn.transaction import Transaction
from txn.txns_shard import ModeMismatch, TxnsShard
from txn.txns_state import TxnsState
from txn.upkeep import Upkeep

_log = logging.getLogger("tidewire.txn")


class Assembly:
    """What `txn.environment.Environment` is made of: as much as upkeep and the take-over need."""

    def __init__(
        self,
        blob: Blob,
        consensus: Consensus,
        clock: Clock,
        rng: random.Random,
        limits: Limits,
        *,
        offload: Offload = asyncio.to_thread,
        call_later: CallLater | None = None,
        monotonic_s: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        part_limits: PartLimits | None = None,
        log_limits: LogLimits | None = None,
    ) -> None:
        self.blob, self.consensus, self.clock, self.rng, self.limits = blob, consensus, clock, rng, limits
        self.monotonic_s, self.sleep = monotonic_s, sleep
        loop = asyncio.get_running_loop()
        self._writer = rng.getrandbits(64).to_bytes(8, "big")
        self._token_count = 0
        self.txns = TxnsShard(consensus, blob, self._token, rollup_entries=limits.rollup_entries)
        self.locks = KeyLocks(call_later or loop.call_later, locks_max=limits.locks_max)
        self.held_keys = HeldKeys(self.locks)
        self.describe_key: Callable[[Keyspace, Key | None], str] = _describe_key
        """How errors name a key, or (None) some rows of a keyspace. Set by who knows tables and columns."""
        self.locks.describe = self._describe
        self.holds = ReadHolds(
            clock,
            retention_s=limits.retention_s,
            age_max_s=limits.hold_age_max_s,
            monotonic_s=monotonic_s,
        )
        self.retention = Retention(self.holds, clock, limits.retention_s)
        self.on_commit: list[Callable[[Commit], None]] = []
        """Called with every commit learnt from another process, before it becomes readable here. Whoever
        listens also records the written keys in `conflicts`."""
        self.on_fenced: list[Callable[[TxnError], None]] = []
        """Called once when the committer closes for good (fenced, or an outcome stayed unknown)."""
        self.oracle: LeasedOracle
        self.rids: RidAllocator
        self.conflicts: ConflictIndex
        self.committer: Committer
        self.applier = Applier(lambda: self.txns.state, self.shard, self._applied, offload=offload)
        self.staging = Staging(blob)
        self._data = DataShards(
            blob,
            consensus,
            clock,
            rng,
            writer=self._writer.hex(),
            offload=offload,
            part_limits=part_limits,
            log_limits=log_limits,
            abandoned=self.staging.abandoned,
        )
        self.shards: dict[ShardId, Shard] = self._data.handles
        self.transactions: dict[Transaction, None] = {}
        self._next_transaction = 1
        self.upkeep = Upkeep(self)
        self._background: list[asyncio.Task[None]] = []
        self.sort_by: Callable[[ShardId], Sequence[str]] = lambda shard: ()
        """The columns that compaction sorts a shard's parts by: its primary key. Set by the executor."""
        self.is_closed = False
        self.leadership = Lease(limits.lease_s, monotonic_s)
        self._confirming: asyncio.Future[None] | None = None
        self.read_ts: Callable[[], Timestamp]
        """The oracle's, for who answers a client: raises LeaseLapsed when this process may lead no more (`lead`)."""
        self.snapshot_ts: Callable[[], Timestamp]
        """The same for a statement that was led at its beginning."""

    @classmethod
    async def open(
        cls,
        *,
        blob: Blob | str,
        consensus: Consensus | str,
        clock: Clock | None = None,
        rng: random.Random | None = None,
        limits: Limits | None = None,
        background: bool = True,
        offload: Offload = asyncio.to_thread,
        call_later: CallLater | None = None,
        monotonic_s: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        part_limits: PartLimits | None = None,
        log_limits: LogLimits | None = None,
    ) -> Self:
        """Opens (or creates) the environment and becomes its leader, which fences the one before.

        Stores are given as objects or URLs. Raises what storage raises, FormatTooNew and CorruptBlob
        above all, ModeMismatch for an environment of several servers, CommitUnknown when consensus
        did not answer within `resolve_limit_s`.
        """
        clock = clock or SystemClock()
        rng = rng or random.Random()
        if isinstance(blob, str):
            blob = await open_blob(blob, rng, clock)
        opened = isinstance(consensus, str)
        if isinstance(consensus, str):
            consensus = await open_consensus(consensus)
        self = cls(
            blob,
            consensus,
            clock,
            rng,
            limits or Limits(),
            offload=offload,
            call_later=call_later,
            monotonic_s=monotonic_s,
            sleep=sleep,
            part_limits=part_limits,
            log_limits=log_limits,
        )
        try:
            await self._take_over()
        except BaseException:
            if opened:
                await consensus.close()
            raise
        if background:
            self.begin_background()
        return self

    def begin_background(self) -> None:
        """Upkeep, from now on by itself."""
        loop = asyncio.get_running_loop()
        self._background = [
            loop.create_task(self.upkeep.run(once)) for once in (self.upkeep.work, self.upkeep.maintain)
        ]

    async def _take_over(self) -> None:
        txns, limits = self.txns, self.limits
        await self._resolve(txns.load)

        def first(state: TxnsState) -> Entry:
            if state.mode not in ("", "leased"):
                raise ModeMismatch(
                    f"this environment belongs to several servers at once (mode {state.mode!r}),"
                    " and this one was started to lead it alone: start it with --shared"
                )
            # Above all that may have been handed out, durable or not; and so is the first timestamp.
            self.oracle = LeasedOracle(
                self.clock, max(state.reserved, state.upper), window_us=limits.oracle_window_us
            )
            ts = self.oracle.write_ts()
            self.rids = RidAllocator(state.rids, block_size=limits.rid_block)
            entry = Entry(0, ts, reserve=self.oracle.due(ts) or 0, rids=self.rids.due() or 0)
            if not state.mode:
                entry.mode = "leased"
            return entry

        entry = await txns.take_over(first, self._resolve)
        self.oracle.extended(entry.reserve)
        self.oracle.apply_write(entry.ts)
        self.rids.leased(entry.rids)
        # What was written before the take-over is unknown to the index, but no snapshot is older.
        self.conflicts = ConflictIndex(keys_max=limits.conflict_keys_max, floor=entry.ts)
        self.holds.since = max(self.holds.since, txns.state.since)
        self.committer = Committer(
            txns,
            self.oracle,
            self.conflicts,
            self.rids,
            learnt=self._learnt,
            queue_max=limits.queue_max,
            group_max=limits.group_max,
            loop_append_limit_s=limits.loop_append_limit_s,
            beside_append_limit_s=limits.beside_append_limit_s,
            resolve_limit_s=limits.resolve_limit_s,
            monotonic_s=self.monotonic_s,
            sleep=self.sleep,
            lease=self.leadership,
        )
        self.committer.open_transactions = self.transactions.__len__
        self.committer.waiting = lambda: self.locks.waiting_count
        self.committer.beside = getattr(self.consensus, "beside", None)
        self.read_ts = self.oracle.read_ts if not self.leadership.lease_s else self._leader_read_ts
        self.snapshot_ts = self.read_ts
        if self.leadership.lease_s and txns.epoch > 1:
            # Whoever led before may answer reads until then: nothing new may be acknowledged or shown.
            await self.sleep(self.leadership.wait_s)
        if self.leadership.lease_s:
            await self._resolve(self.committer.confirm_leadership)
        self.committer.on_closed.append(self._fenced)

    async def _resolve(self, attempt: Callable[[], Awaitable[None]]) -> None:
        """What the take-over asks of consensus, when there is no committer yet: the same rules."""
        await resolve(attempt, None, self.limits.resolve_limit_s, self.monotonic_s, self.sleep)

    async def close(self, *, apply: bool = True) -> None:
        """Answers what was submitted, applies and tidies everything, rolls the log up. Idempotent.

        With `apply` false only the first; a crash does not even that, and loses nothing either.
        """
        if self.is_closed:
            return
        self.is_closed = True
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        for transaction in list(self.transactions):
            transaction.rollback()
        await self.committer.drain()
        if self.committer.closed_by is None:
            try:
                if apply:
                    await self._tidy_up()
            except (StorageError, TxnError) as error:
                _log.warning("closing: the log keeps unapplied work: %s", error)
            self.committer.close(CommitFailed("the environment is closed"))
        await self._disconnect()

    async def _tidy_up(self) -> None:
        """The last thing that a leader does: nothing is left to apply, and the log is a rollup."""
        await self.apply_le(self.txns.state.upper - 1)
        await self.upkeep.flush_riders()
        if self.txns.entries_since_rollup > 1:
            await self.committer.exclusively(self.txns.rollup)

    async def _disconnect(self) -> None:
        await self.consensus.close()

    def abandon(self) -> None:
        """Stops at once, as a crash would: no append, no apply. For tests and fenced leaders."""
        self.is_closed = True
        for task in self._background:
            task.cancel()
        self.committer.close(CommitFailed("the environment was abandoned"))

    def _describe(self, space: Keyspace, key: Key) -> str:
        return self.describe_key(space, key)

    def _fenced(self, error: TxnError) -> None:
        for callback in self.on_fenced:
            callback(error)

    @property
    def closed_by(self) -> TxnError | None:
        """Why nothing can be committed any more: fenced, or an outcome that stayed unknown. Open again."""
        return self.committer.closed_by

    def _token(self) -> bytes:
        self._token_count += 1
        return self._writer + self._token_count.to_bytes(8, "big")

    def _leader_read_ts(self) -> Timestamp:
        if not self.leadership.is_valid:
            raise LeaseLapsed("the leader's lease has lapsed")
        return self.oracle.read_ts()

    def _applied(self, shard: ShardId, le_ts: Timestamp, count: int) -> None:
        self.committer.riders.tidy(shard, le_ts, count)
        self.upkeep.due[shard] = None

    def _learnt(self, entry: Entry) -> None:
        """Another process's entry: images first, then (by the committer) the oracle."""
        if not entry.writes and not entry.register and not entry.forget:
            return
        if self.on_commit:
            commit = commit_of(entry)
            for callback in self.on_commit:
                callback(commit)
        else:
            for shard in entry.writes:
                self.conflicts.record_all(shard, entry.ts)

    async def advance(self) -> Timestamp:
        """Moves the upper of every registered shard past the present; returns the entry's timestamp."""

        def work(group: CommitGroup) -> None:
            group.advance = True

        return (await self.call(work))[0]

    async def call(self, work: Callable[[CommitGroup], int | None]) -> tuple[Timestamp, int | None]:
        call = Call(work, asyncio.get_running_loop().create_future())
        self.committer.submit(call)
        return await call.future

    async def shard(self, id: ShardId) -> Shard:
        """The handle on a data shard; one per process, opened at first use."""
        return await self._data.open(id)

    async def apply_le(self, ts: Timestamp) -> None:
        """Everything committed at or before `ts` is in the data shards when this returns."""
        await self.applier.apply_le(ts)

    async def compact_to(self, ts: Timestamp) -> Timestamp:
        """Moves the txns shard's since up to `ts`, or as far as unapplied work lets it. Returns it."""
        state = self.txns.state

        def work(group: CommitGroup) -> None:
            target = min(ts, state.least_outstanding())
            if target > state.since:
                group.since = target

        await self.call(work)
        return state.since

    async def confirm_leadership(self) -> None:
        """Reads the end of the log. Raises Fenced if another leader has taken over."""
        await self.committer.confirm_leadership()


def _describe_key(space: Keyspace, key: Key | None) -> str:
    return f"key {key!r} of {space}" if key is not None else f"rows of {space}"
