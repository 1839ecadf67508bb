"""A transaction: a snapshot, what was read, what was written, and how it commits.

    begin            read_ts = oracle.read_ts(), held so that it stays readable
      read           as of read_ts, noted in the read set (points, ranges, whole tables)
      write          into the buffer, seen by its own reads only
      refresh        the snapshot moves forward, if nothing that was read has changed since
    commit           admission: validate, hand the writes to the group; durable; answered

**How each level arises.** A commit at `ts` is serializable if it could as well have happened wholly
at `ts`: so if nothing that it read was written in `(read_ts, ts)`. What was read are columns of rows, and which rows
there are (`txn.columns` says why that is enough, and why writes are of whole rows). What is checked at admission:

    strict serializable, serializable    reads, and writes      against commits after read_ts
    repeatable read                      writes                 (first committer wins)
    read committed                       writes, each against the snapshot of its own statement

As the group's timestamp is greater than every read timestamp handed out, and the index already holds
what members before it in the same group wrote, admission order is the serial order.

A transaction that wrote nothing never reaches the committer: it is serializable at its read_ts
and can not be refused; nor need the reads of one hold whose writes nobody else can read. Blind writes (of keys
that were not read: an INSERT, whose uniqueness the executor checks at admission) conflict with nothing.

**Refresh** (seeds 4 and 5): a transaction that waited for a lock finds a newer row than its snapshot.
`refresh` moves the snapshot to the present if its reads are unchanged, so that contended workloads
queue instead of failing. The present may be a group that is admitted but not durable yet:

    A   update row   commit: admitted, locks let go ---- append ---- durable, answered
    B   waits for the row ............ refresh to A's group          commit: in a later group
                                       update (its answer says nothing that it read)

B is then **unsettled**: it must not answer with rows until A is durable, and if A's append fails B is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from storage.abc import Part, Row, ShardId, Timestamp
from txn.abc import Group, Key, Keyspace, TxnError
from txn.columns import ALL_COLUMNS, Columns
from txn.read_set import ReadSet
from txn.snapshot import Done, Snapshot
from txn.write_buffer import ShardBuffer


class TransactionTooLarge(TxnError):
    """54000 / 53200: the buffered writes exceed the memory bound, and nobody spills them."""


class NoSavepoint(TxnError):
    """3B001: there is no savepoint of that name."""


class TransactionOver(TxnError):
    """25000: the transaction has already been committed or rolled back."""


class Transaction(Snapshot):
    """See the module. Created by `Environment.begin`; a `Member` of its commit group.

    Hooks, set by the executor:
      on_admit   called in admission after validation, before any write: checks constraints, may raise
      on_apply   called in admission after the writes: puts the new versions into the images
      on_memory  called when the buffer exceeds `memory_max_bytes`: arranges spilling; without it the
                 write raises TransactionTooLarge
    """

    __slots__ = ()

    def overlay(self, shard: ShardId) -> ShardBuffer | None:
        """The transaction's own writes to a shard, over what the snapshot says."""
        return self.writes.shards.get(shard)

    # --- writing -----------------------------------------------------------------------------

    def insert(
        self,
        shard: ShardId,
        key: Key,
        rid: int,
        row: Row,
        *,
        space: Keyspace | None = None,
        blind: bool = False,
        columns: Columns = ALL_COLUMNS,
    ) -> None:
        """A new row under `key`. `blind`: its absence was not read; the executor checks at admission.

        `columns`: those in which it differs from the row that was under the key until now, and was deleted just before.
        """
        if self._state != "open" or self.read_only:
            self._writable()
        if not blind and self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        writes = self.writes
        writes.insert(shard, key, rid, row)
        writes.touched(space or shard, key, None if blind else self.read_ts, columns)
        if writes.size_bytes > self.memory_max_bytes:
            self._too_large()

    def delete(
        self,
        shard: ShardId,
        key: Key,
        rid: int,
        *,
        space: Keyspace | None = None,
        columns: Columns = ALL_COLUMNS,
    ) -> None:
        """Deletes the row `rid`, committed or the transaction's own. `columns`: as of the `insert` that follows."""
        self._writable()
        if self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        self.writes.delete(shard, key, rid)
        self.writes.touched(space or shard, key, self.read_ts, columns)
        if self.writes.size_bytes > self.memory_max_bytes:
            self._too_large()

    def update(
        self,
        shard: ShardId,
        key: Key,
        rid: int,
        new_key: Key,
        new_rid: int,
        new_row: Row,
        *,
        columns: Columns = ALL_COLUMNS,
    ) -> None:
        """Replaces the row `rid` under `key` by a new one, perhaps under another key. `columns`: what differs."""
        if new_key != key:
            self.delete(shard, key, rid)
            self.insert(shard, new_key, new_rid, new_row)
        else:
            self.replace(shard, key, rid, new_rid, new_row, columns)

    def bring(
        self, shard: ShardId, buffer: ShardBuffer, key: Key, rid: int, row: Row, size_bytes: int
    ) -> None:
        """A blind `insert` into the shard's buffer (`overlay`) of a row that takes so much memory (`txn.write_buffer.row_bytes`)."""
        if self._state != "open" or self.read_only:
            self._writable()
        writes = self.writes
        writes.bring(shard, buffer, key, rid, row, size_bytes)
        if writes.size_bytes > self.memory_max_bytes:
            self._too_large()

    def replace(
        self,
        shard: ShardId,
        key: Key,
        rid: int,
        new_rid: int,
        new_row: Row,
        columns: Columns = ALL_COLUMNS,
        size_bytes: int = 0,
    ) -> None:
        """`update` of a row that stays under its key. `size_bytes`: as of `bring`, if that is known."""
        if self._state != "open" or self.read_only:
            self._writable()
        if self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        writes = self.writes
        writes.replace(shard, key, rid, new_rid, new_row, self.read_ts, columns, size_bytes)
        if writes.size_bytes > self.memory_max_bytes:
            self._too_large()

    def replace_each(
        self,
        shard: ShardId,
        keys: Sequence[Key],
        rids: Sequence[int],
        new_rids: Sequence[int],
        rows: Sequence[Row],
        columns: Columns,
        size_bytes: int,
    ) -> None:
        """`replace` of several rows, each under a key of its own, which take `size_bytes` together."""
        if self._state != "open" or self.read_only:
            self._writable()
        if self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        writes = self.writes
        writes.replace_each(shard, keys, rids, new_rids, rows, self.read_ts, columns, size_bytes)
        if writes.size_bytes > self.memory_max_bytes:
            self._too_large()

    def renamed(self, shard: ShardId, key: Key, new: Key) -> None:
        """A row that has no key but its row id has got another one: who has locked it, now or before this ends, has locked it so, too."""
        self._environment.locks.rename(shard, key, new)

    def wrote(
        self, space: Keyspace, key: Key, *, blind: bool = False, columns: Columns = ALL_COLUMNS
    ) -> None:
        """A key of a secondary unique index was written or freed, or (`columns`) the row that keeps it was changed."""
        self._writable()
        if not blind and self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        self.writes.touched(space, key, None if blind else self.read_ts, columns)

    def wrote_all(self, space: Keyspace, *, blind: bool = False) -> None:
        """More keys than are worth listing were written (bulk)."""
        self._writable()
        if not blind and self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        self.writes.touched_all(space, None if blind else self.read_ts)

    def changed_all(self, space: Keyspace, contains: Callable[[Key], bool]) -> None:
        """Rows of more keys than are worth listing were changed: those of which `contains` is true."""
        self._writable()
        if self.first_write_ts is None:
            self.first_write_ts = self.read_ts
        self.writes.touched_all(space, None)
        self.writes.changed_all(space, contains, self.read_ts)

    def add_part(self, shard: ShardId, part: Part) -> None:
        """A part staged with `Environment.stage`; it becomes part of the commit by reference."""
        self._writable()
        self.writes.add_part(shard, part)

    def register(self, shard: ShardId, schema: bytes) -> None:
        """A new data shard, or a new schema for one, as of the commit."""
        self._writable()
        self.writes.register(shard, schema)

    def forget(self, shard: ShardId) -> None:
        """The data shard ends with the commit."""
        self._writable()
        self.writes.forget(shard)

    def _writable(self) -> None:
        if self._state != "open":
            raise TransactionOver(f"the transaction is {self._state}")
        if self.read_only:
            raise TxnError("cannot write in a read-only transaction")  # the executor said 25006 before

    def _too_large(self) -> None:
        if self.on_memory is not None:
            self.on_memory(self)
        else:
            raise TransactionTooLarge(
                f"the transaction's writes exceed {self.memory_max_bytes // (1024 * 1024)} MiB of memory"
            )

    # --- savepoints --------------------------------------------------------------------------

    def savepoint(self, name: str) -> None:
        """Names may repeat: the newest of a name hides the older ones, as in PostgreSQL."""
        self.writes.savepoint(name)
        self._marks.append((self._environment.locks.mark(self), len(self.held)))

    def rollback_to(self, name: str) -> None:
        """Undoes all writes and lets go of all locks since the savepoint. Reads still count.

        Raises NoSavepoint.
        """
        i = self._find_savepoint(name)
        self.writes.rollback_to(i)
        del self._marks[i + 1 :]
        self._environment.held_keys.release(self, *self._marks[i])

    def let_go_since_savepoint(self) -> None:
        """The newest savepoint is all that it can go back to: lets go of the locks that were taken since, or of all."""
        if self._state == "open":
            self._environment.held_keys.release(self, *(self._marks[-1] if self._marks else (-1, 0)))

    def release(self, name: str) -> None:
        """Forgets the savepoint and later ones, keeping their writes. Raises NoSavepoint."""
        i = self._find_savepoint(name)
        self.writes.release(i)
        del self._marks[i:]

    def _find_savepoint(self, name: str) -> int:
        names = self.writes.savepoints
        for i in range(len(names) - 1, -1, -1):
            if names[i] == name:
                return i
        raise NoSavepoint(f'savepoint "{name}" does not exist')

    # --- ending ------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        return self._state == "open"

    def stay_at_snapshot(self) -> None:
        """What it has written nobody else can read, now or later: it is serializable at its snapshot as if it had written nothing,
        so that its reads need not hold at the commit. Before `submit`."""
        self.reads = ReadSet()

    def submit(self, done: Done) -> None:
        """Commits; `done(commit ts or exception)` is called when it is decided, perhaps at once.

        What wrote nothing commits at its own snapshot. Raises QueueFull, or what closed the committer
        (then the transaction is still open).
        """
        if self._state != "open":
            raise TransactionOver(f"the transaction is {self._state}")
        self._done = done
        if not self.writes and self.unsettled is None:
            self.committed(self.read_ts)
            return
        self._environment.committer.submit(self)
        self._state = "committing"

    async def commit(self) -> Timestamp:
        """The same as a coroutine. Raises SerializationFailure, CommitFailed, CommitUnknown, Fenced, ...

        Cancelling it does not undo the commit, which may happen all the same.
        """
        if self._state != "open":
            raise TransactionOver(f"the transaction is {self._state}")
        if self.unsettled is None and not self.writes:
            self.commit_ts = self.read_ts  # as `submit` would, and nobody has to be called for it
            self._end("committed", undone=False)
            return self.read_ts
        committer = self._environment.committer
        future: asyncio.Future[Timestamp] = committer.loop.create_future()
        self._done = partial(_tell, future)
        committer.submit(self)
        self._state = "committing"
        try:
            return await future
        finally:
            del future  # its exception's traceback knows this frame: all that was written would wait for the cycle collector

    def rollback(self) -> None:
        """Lets go of everything. Free of charge, whatever was written. Idempotent."""
        if self._state == "open":
            self._end("rolled back", undone=True)

    def _end(self, state: str, *, undone: bool) -> None:
        handed_over = self._state == "admitted"
        self._state = state
        # The hooks know the block that knows this: apart, all that it wrote is freed at once.
        self.on_admit = self.on_apply = self.on_memory = self.may_move = None
        self._environment.holds.release(self.hold)
        if not handed_over:
            self._let_go()
        self._environment.ended(self, undone=undone)

    # --- the member's side -------------------------------------------------------------------

    def admit(self, group: Group) -> None:
        """Validates, then writes. Raises SerializationFailure, TransactionExpired, and what hooks raise."""
        self.validate()
        if self.on_admit is not None:
            self.on_admit(group)
        writes = self.writes
        for shard, schema in writes.registered:
            group.register(shard, schema)
        for shard, buffer in writes.shards.items():
            if buffer.inserts or buffer.deletes:
                group.write(shard, buffer.inserts, buffer.deletes)
            if buffer.parts:
                for part in buffer.parts:
                    group.add_part(shard, part)
        for shard in writes.forgotten:
            group.forget(shard)
        for space, keys in writes.wrote.items():
            group.wrote_each(space, keys)
        if writes.whole:
            for space, seen_ts in writes.whole.items():
                group.wrote_all(space, fresh=seen_ts is None and not writes.changed.get(space))
        if self.on_apply is not None:
            self.on_apply(group)
        group.on_sealed(self._hand_over)

    def _hand_over(self) -> None:
        """Admitted: the next writers of these rows may go on while the append is under way."""
        self._state = "admitted"
        self._let_go()

    @property
    def has_let_go(self) -> bool:
        """Whether its locks are others' by now: it is over, or admitted and on its way to the disk."""
        return self._state not in ("open", "committing")

    def _let_go(self) -> None:
        if self.held:
            self._environment.held_keys.release(self)
        else:
            self._environment.locks.release_all(self)

    def committed(self, ts: Timestamp) -> None:
        self.commit_ts = ts
        self._end("committed", undone=False)
        assert self._done is not None
        self._done(ts)
        self._done = None

    def failed(self, error: Exception) -> None:
        if self._state != "committed":  # otherwise only the answer went wrong
            self._end("failed", undone=self._state == "committing")
        assert self._done is not None
        self._done(error)
        self._done = None


def _tell(future: asyncio.Future[Timestamp], result: Timestamp | Exception) -> None:
    """The answer to a commit, if anybody still waits for it."""
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
