"""The environment: one log, one clock, and everything that stands on them, assembled.

    Environment.open(blob, consensus)
      load         the txns shard: newest rollup, and what follows
      take over    append the next epoch: an older leader is fenced from here on
      ready        oracle above all that was handed out, row ids above all that were leased

    oracle  committer  conflicts  locks  holds  rids        what the executor works with
    begin -> Transaction          submit(member)            two ways to commit: interactive, at admission
    background                    apply, tidy, rollup, collection; lazily, in large steps

**Background work** keeps the log short and the memory bounded. Nothing waits for it: reads are served
from the log as it is committed. A pass advances `since`, trims the conflict index, applies what is
outstanding when there is enough of it or the log has become quiet, and rolls the log up. `work()` is one
pass, so a simulation can place it where it likes. A pass that fails is reported and tried again.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence

import pyarrow as pa

from storage.abc import Blob, Clock, Consensus, Part, ShardId, StorageError, Timestamp
from storage.blob import open_blob
from storage.consensus import open_consensus
from storage.parts import Offload, PartLimits
from storage.shard.log import LogLimits
from storage.shard.shard import Shard
from txn.abc import (
    Commit,
    CommitFailed,
    Isolation,
    Key,
    Keyspace,
    ShardWrites,
    TransactionExpired,
    TxnError,
)
from txn.apply import Applier
from txn.calls import Call
from txn.committer import Committer
from txn.conflicts import ConflictIndex
from txn.data_shards import DataShards
from txn.group import CommitGroup, commit_of, shard_writes
from txn.held_keys import HeldKeys
from txn.holds import ReadHolds
from txn.lease import Lease, LeaseLapsed
from txn.limits import Limits, Statistics
from txn.locks import CallLater, KeyLocks
from txn.log_entry import Entry
from txn.oracle import LeasedOracle, SystemClock
from txn.resolve import resolve
from txn.retention import Retention
from txn.rids import RidAllocator
from txn.sizes import stored_bytes
from txn.staging import Staging
from txn.transaction import Transaction
from txn.txns_shard import ModeMismatch, TxnsShard
from txn.txns_state import TxnsState
from txn.upkeep import Upkeep

_log = logging.getLogger("tidewire.txn")


class Environment:
    """See the module. Everything happens on the event loop that opened it."""

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
        self.holds = ReadHolds(clock, retention_s=limits.retention_s, age_max_s=limits.hold_age_max_s)
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

    # --- opening and closing -----------------------------------------------------------------

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
    ) -> Environment:
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

    # --- transactions ------------------------------------------------------------------------

    def begin(
        self,
        isolation: Isolation = Isolation.STRICT_SERIALIZABLE,
        read_only: bool = False,
        *,
        as_of: Timestamp | None = None,
    ) -> Transaction:
        """A transaction at the present, or read-only at `as_of`.

        Raises TransactionExpired when `as_of` is out of retention or there are too many transactions.
        """
        if len(self.transactions) >= self.limits.transactions_max:
            raise TransactionExpired(f"more than {self.limits.transactions_max} transactions are open")
        if as_of is None:
            ts = self.snapshot_ts()
        else:
            ts = as_of
            if ts > self.oracle.read_ts():
                raise ValueError(f"timestamp {ts} has not come yet: `await readable({ts})` first")
        transaction = Transaction(
            self,
            self._next_transaction,
            isolation,
            read_only or as_of is not None,
            self.holds.acquire(ts),
            memory_max_bytes=self.limits.transaction_memory_max_bytes,
        )
        self._next_transaction += 1
        self.transactions[transaction] = None
        return transaction

    def ended(self, transaction: Transaction, *, undone: bool) -> None:
        """Called by a transaction when it is over; `undone`: nothing of it was, or will be, committed."""
        self.transactions.pop(transaction, None)
        if transaction.staged:
            self.staging.ended(transaction, undone=undone)

    @property
    def open_transactions(self) -> int:
        return len(self.transactions)

    async def readable(self, ts: Timestamp) -> None:
        """Makes a timestamp that has not been written at readable (AS OF the present).

        Appends an empty entry beyond it if need be. Raises ValueError for a time in the clock's future.
        """
        if ts <= self.oracle.read_ts():
            return
        if ts > max(self.clock.now_us(), self.oracle.last):
            raise ValueError(f"timestamp {ts} lies in the future")
        await self.advance()
        if ts > self.oracle.read_ts():
            raise AssertionError("an advance ends at or after the present")

    async def advance(self) -> Timestamp:
        """Moves the upper of every registered shard past the present; returns the entry's timestamp."""

        def work(group: CommitGroup) -> None:
            group.advance = True

        return (await self.call(work))[0]

    async def drain(self) -> None:
        """Returns when everything submitted so far has been answered."""
        await self.committer.drain()

    async def confirm_leadership(self) -> None:
        """Reads the end of the log. Raises Fenced if another leader has taken over."""
        await self.committer.confirm_leadership()

    def _leader_read_ts(self) -> Timestamp:
        if not self.leadership.is_valid:
            raise LeaseLapsed("the leader's lease has lapsed")
        return self.oracle.read_ts()

    async def lead(self) -> None:
        """Returns when this process may answer reads: at once while its lease is good. Raises Fenced.

        All who ask at the same time share one look at the log.
        """
        while not self.leadership.is_valid:
            if self._confirming is None or self._confirming.done():
                self._confirming = asyncio.ensure_future(self.committer.confirm_leadership())
            await asyncio.shield(self._confirming)

    # --- leases and registrations ------------------------------------------------------------

    async def lease(self, name: str, n: int, *, start: int = 1) -> int:
        """The first of `n` numbers of `name` that nobody else gets, ever; durable when it returns.

        The first block begins at `start`. Sequences take their values from such blocks.
        """
        if n < 1:
            raise ValueError("a lease is of at least one number")
        _, first = await self.call(lambda group: group.lease(name, n, start))
        assert first is not None
        return first

    def leased(self, name: str, *, start: int = 1) -> int:
        """The first number of `name` that no lease has taken yet, as far as this process knows."""
        return self.txns.state.leases.get(name, start)

    async def drop_lease(self, name: str) -> None:
        """Forgets a name, whose numbers then begin anew."""

        def work(group: CommitGroup) -> None:
            group.drop_lease(name)

        await self.call(work)

    async def register(self, shards: dict[ShardId, bytes]) -> Timestamp:
        """Registers data shards (id -> serialised Arrow schema). Idempotent. Returns the timestamp."""

        def work(group: CommitGroup) -> None:
            for shard, schema in shards.items():
                group.register(shard, schema)

        return (await self.call(work))[0]

    async def forget(self, shard: ShardId) -> None:
        """Ends a data shard: no more writes, all its work applied, its registration retracted.

        (A `Member` that calls `group.forget` does the first; the rest then happens in the background.)
        """

        def work(group: CommitGroup) -> None:
            group.forget(shard)

        await self.call(work)
        await self.upkeep.finish_forget(shard)
        await self.upkeep.flush_riders()

    async def call(self, work: Callable[[CommitGroup], int | None]) -> tuple[Timestamp, int | None]:
        call = Call(work, asyncio.get_running_loop().create_future())
        self.committer.submit(call)
        return await call.future

    def registered(self) -> dict[ShardId, bytes]:
        """The live data shards and their schemas."""
        return {s: r.schema for s, r in self.txns.state.registered.items() if r.forget_ts is None}

    def outstanding(self, shard: ShardId) -> list[tuple[Timestamp, ShardWrites]]:
        """Commits that may not have reached the data shard yet, in order: what hydration adds to its parts.

        Those with a timestamp below the data shard's upper are in it already.
        """
        state = self.txns.state
        return [(ts, shard_writes(parts, ts)) for ts, parts in state.outstanding_le(shard, state.upper)]

    def since_when(self, shard: ShardId) -> Timestamp:
        """When the shard was registered first: it says nothing of times before. 0 for an unknown one."""
        registration = self.txns.state.registered.get(shard)
        if registration is None:
            return 0
        return registration.older[0][0] if registration.older else registration.ts

    def last_write(self, shard: ShardId) -> Timestamp:
        """The shard's newest commit; 0: it was never written to."""
        return self.txns.state.last_write.get(shard, 0)

    # --- data shards -------------------------------------------------------------------------

    async def shard(self, id: ShardId) -> Shard:
        """The handle on a data shard; one per process, opened at first use."""
        return await self._data.open(id)

    def stored_bytes(self, shard: ShardId) -> int:
        """What the shard's parts take, as far as this process has seen them. See `txn.sizes`."""
        return stored_bytes(self._data.handles.get(shard), self.txns.state.outstanding.get(shard, ()))

    async def stage(
        self, shard: ShardId, kind: str, table: pa.Table, transaction: Transaction | None = None
    ) -> Part:
        """Writes rows ahead of their commit: inline when small, else a blob. `_rid` comes first.

        `kind` is "+" (with the shard's columns) or "-" (`_rid` alone). An orphan until it is committed, and
        deleted if the `transaction` ends without naming it.
        """
        part = await self._data.stage(shard, kind, table)
        if transaction is not None:
            self.staging.staged(transaction, part)
        return part

    async def spill(self, transaction: Transaction) -> None:
        """Moves a transaction's buffered rows to staged parts, so that it may go on growing.

        Rows under a savepoint stay. What the transaction wrote is still found by key (`by_key`), which
        the caller may clear if it reads its own writes from the parts.
        """
        await self._data.spill(transaction, self.txns.state.registered)

    # --- apply, tidy, rollup -----------------------------------------------------------------

    async def apply_le(self, ts: Timestamp) -> None:
        """Everything committed at or before `ts` is in the data shards when this returns."""
        await self.applier.apply_le(ts)

    async def make_physical(self, shard: ShardId, as_of: Timestamp) -> None:
        """The data shard itself can be read at `as_of`: applied, schema in place, upper advanced.

        For readers that do not go through this process's log (Spark, other tools).
        """
        await self.readable(as_of)
        await self.applier.apply_shard(shard, as_of)
        await self.applier.settle_schema(shard)
        # The latest write <= as_of is applied and nothing lies between it and as_of.
        await (await self.shard(shard)).advance_upper(as_of + 1)

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

    async def compact_to(self, ts: Timestamp) -> Timestamp:
        """Moves the txns shard's since up to `ts`, or as far as unapplied work lets it. Returns it."""
        state = self.txns.state

        def work(group: CommitGroup) -> None:
            target = min(ts, state.least_outstanding())
            if target > state.since:
                group.since = target

        await self.call(work)
        return state.since

    # --- statistics --------------------------------------------------------------------------

    def statistics(self) -> Statistics:
        state, committer = self.txns.state, self.committer
        return Statistics(
            epoch=self.txns.epoch,
            read_ts=self.oracle.read_ts(),
            since=self.holds.since,
            rounds=committer.rounds,
            members=committer.members,
            refused=committer.refused,
            append_s=committer.append_s,
            queued=committer.queued,
            outstanding_commits=state.outstanding_commits,
            outstanding_bytes=state.outstanding_bytes,
            applied_commits=self.applier.commits_applied,
            log_entries=self.txns.entries_since_rollup,
            open_transactions=len(self.transactions),
            holds=len(self.holds),
            locks=len(self.locks),
            lock_waiters=self.locks.waiting_count,
            conflict_keys=len(self.conflicts),
            failed_passes=self.upkeep.failed_passes,
        )


def _describe_key(space: Keyspace, key: Key | None) -> str:
    return f"key {key!r} of {space}" if key is not None else f"rows of {space}"
