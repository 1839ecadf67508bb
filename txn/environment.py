"""The environment: one log, one clock, and everything that stands on them, assembled.

    Environment.open(blob, consensus)                       takes it over (`txn.assembly`)
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

import pyarrow as pa

from storage.abc import Part, ShardId, Timestamp
from storage.rows import reshaper
from txn.abc import (
    Isolation,
    ShardWrites,
    TransactionExpired,
)
from txn.assembly import Assembly
from txn.group import CommitGroup, shard_writes
from txn.limits import Statistics
from txn.sizes import stored_bytes
from txn.transaction import Transaction


class Environment(Assembly):
    """See the module. Everything happens on the event loop that opened it."""

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

    async def drain(self) -> None:
        """Returns when everything submitted so far has been answered."""
        await self.committer.drain()

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

    def registered(self) -> dict[ShardId, bytes]:
        """The live data shards and their schemas."""
        return {s: r.schema for s, r in self.txns.state.registered.items() if r.forget_ts is None}

    def outstanding(self, shard: ShardId) -> list[tuple[Timestamp, ShardWrites]]:
        """Commits that may not have reached the data shard yet, in order: what hydration adds to its parts. Rows are of the newest schema.

        Those with a timestamp below the data shard's upper are in it already.
        """
        state = self.txns.state
        found = [(ts, shard_writes(parts, ts)) for ts, parts in state.outstanding_le(shard, state.upper)]
        registration = state.registered.get(shard)
        if registration is not None and registration.older:
            schema = _schema(registration.schema)
            for ts, writes in found:
                if writes.inserts and (shape := reshaper(_schema(registration.schema_at(ts)), schema)):
                    writes.inserts[:] = [(rid, shape(row)) for rid, row in writes.inserts]
        return found

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

    async def make_physical(self, shard: ShardId, as_of: Timestamp) -> None:
        """The data shard itself can be read at `as_of`: applied, schema in place, upper advanced.

        For readers that do not go through this process's log (Spark, other tools).
        """
        await self.readable(as_of)
        await self.applier.apply_shard(shard, as_of)
        await self.applier.settle_schema(shard)
        # The latest write <= as_of is applied and nothing lies between it and as_of.
        await (await self.shard(shard)).advance_upper(as_of + 1)

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


def _schema(data: bytes) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(data))
