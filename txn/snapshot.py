"""What a transaction sees, and whether all of it still is so: its snapshot, how that moves, and what conflicts with it.

    read_ts      the snapshot: what was committed at or before it is seen
    refresh      the snapshot moves forward, if nothing that was read has changed since
    validate     at admission: nothing that counts at its level has changed

`txn.transaction` says how the levels of isolation arise from this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from storage.abc import Timestamp
from txn.abc import Group, Isolation, Key, Keyspace, SerializationFailure
from txn.holds import Hold
from txn.read_set import ReadSet
from txn.write_buffer import WriteBuffer

if TYPE_CHECKING:
    from txn.environment import Environment
    from txn.transaction import Transaction

Done = Callable[[Timestamp | Exception], None]
Hook = Callable[[Group], None]

MEMORY_MAX_BYTES = 256 * 1024 * 1024

_FEW = 3
"""Keys that are looked at one by one: mostly they are new ones, of which nothing is asked here."""
_READS_COUNT = (Isolation.SERIALIZABLE, Isolation.STRICT_SERIALIZABLE)
_READ_COMMITTED = Isolation.READ_COMMITTED


class Snapshot:
    """A transaction before it writes anything. `txn.transaction.Transaction` is what others know."""

    __slots__ = (
        "_done",
        "_environment",
        "_marks",
        "_state",
        "commit_ts",
        "earlier",
        "first_write_ts",
        "follows",
        "found_ts",
        "held",
        "hold",
        "id",
        "isolation",
        "locked",
        "may_move",
        "memory_max_bytes",
        "on_admit",
        "on_apply",
        "on_memory",
        "party",
        "read_only",
        "read_ts",
        "reads",
        "renews",
        "staged",
        "unsettled",
        "writes",
    )

    def __init__(
        self,
        environment: Environment,
        id: int,
        isolation: Isolation,
        read_only: bool,
        hold: Hold,
        *,
        memory_max_bytes: int = MEMORY_MAX_BYTES,
    ) -> None:
        self._environment = environment
        self.id = id
        self.isolation = isolation
        self.read_only = read_only
        self.hold = hold
        self.read_ts: Timestamp = hold.ts
        self.reads = ReadSet()
        self.earlier: tuple[ReadSet, ...] = ()
        """The reads of earlier statements, and of those that this one runs in, while one runs that may begin anew
        (`statement_reads`)."""
        self.locked: dict[Keyspace, Timestamp] = {}
        """Where nobody else may have written since, whatever the level (LOCK TABLE)."""
        self.held: list[tuple[Keyspace, Key]] = []
        """Keys that it brings, or waits for (`txn.held_keys`)."""
        self.writes = WriteBuffer()
        self.staged: list[str] = []
        """Blobs that were written for it, committed or not (`txn.staging`)."""
        self.memory_max_bytes = memory_max_bytes
        self.on_admit: Hook | None = None
        self.on_apply: Hook | None = None
        self.on_memory: Callable[[Transaction], None] | None = None
        self.may_move: Callable[[], bool] | None = None
        """Whether what was read is so at present as far as others know who keep more than keys: definitions (`refresh`)."""
        self.party: object = None
        """Whose transaction it is, for whoever else holds locks in the same name (`txn.locks`)."""
        self.commit_ts: Timestamp | None = None
        self.first_write_ts: Timestamp | None = None
        self.found_ts: Timestamp = 0
        """The snapshot in which a statement under way has found rows that it is to write; 0: there is none."""
        self.follows: Timestamp = 0
        """The group in flight in which somebody may be of whom it has got a lock (`follow`)."""
        self.renews = isolation is Isolation.READ_COMMITTED
        """Whether the next statement gets a newer snapshot, if it may."""
        self.unsettled: tuple[Timestamp, int] | None = None
        """The group in flight that the snapshot includes, and how many had been taken back by then."""
        self._done: Done | None = None
        self._marks: list[tuple[int, int]] = []
        self._state = "open"

    def check_readable(self) -> None:
        """Before a read. Raises TransactionExpired when the snapshot was held for too long."""
        self.hold.check()

    @contextmanager
    def statement_reads(self) -> Iterator[None]:
        """Around a statement that begins anew if the snapshot moves: its own reads are then void.

        They are forgotten if it ends with an exception that says so (`begins_anew`), and kept otherwise. A statement
        may run within another one (in a function, or a trigger), whose reads are then earlier ones.
        """
        around, earlier, self.reads = self.earlier, self.reads, ReadSet()
        self.earlier = (*around, earlier)
        keep = True
        try:
            yield
        except Exception as error:
            keep = not getattr(error, "begins_anew", False)
            raise
        finally:
            if keep:
                earlier.merge(self.reads)
            self.reads, self.earlier = earlier, around

    @contextmanager
    def reads_aside(self) -> Iterator[ReadSet]:
        """Around an attempt to read: what it notes is kept by whoever decides that it is the answer (`reads.merge`), or else is nothing."""
        around, before, self.reads = self.earlier, self.reads, ReadSet()
        self.earlier = (*around, before)
        try:
            yield self.reads
        finally:
            self.reads, self.earlier = before, around

    def refresh(self, least: Timestamp = 0, *, anew: bool = False) -> bool:
        """Moves the snapshot forward to the present if no read has changed since.

        `anew`: only earlier statements' reads count; if the snapshot moves, this one must begin anew.
        `least`: the commit that must be in it, which may be in flight (then `is_settled` is false for a
        while). False: something has changed, and the snapshot stays. Own writes stay valid in either case:
        they are checked at commit against the snapshot at which their rows were seen, so a row that
        another has rewritten since makes the answer False as well.
        """
        environment = self._environment
        ts = environment.oracle.read_ts()
        in_flight = least > ts
        if in_flight:
            ts = environment.committer.in_flight_ts
            if ts < least and environment.committer.closed_by is not None:
                raise environment.committer.refusal  # nobody knows what became of it, or will
            assert ts >= least, "a write that is neither durable nor in flight"
        if ts <= self.read_ts:
            return True
        may_move = self.may_move
        if self.isolation is not Isolation.READ_COMMITTED and (
            self._changed(anew) is not None or (may_move is not None and not may_move())
        ):
            return False
        if in_flight:
            self.depend_on(ts)
        self._move(ts)
        return True

    def forget_reads(self, space: Keyspace) -> None:
        """What was read there, or of keys of it, counts no more."""
        for reads in (*self.earlier, self.reads):
            for read in [s for s in reads if s == space or s.startswith(f"{space}/")]:
                del reads[read]

    def _changed(self, anew: bool = False) -> tuple[str, Keyspace, Key | None, Timestamp] | None:
        """What keeps the snapshot from moving: (read or wrote, where, which key, by which commit)."""
        index = self._environment.conflicts
        index.validatable(self.read_ts)
        for reads in self.earlier if anew and self.earlier else (*self.earlier, self.reads):
            changed = reads.changed_since(index, self.read_ts)
            if changed is not None:
                return "read", *changed
        changed = self._write_conflict(self.read_ts)
        return None if changed is None else ("wrote", *changed)

    def stale(self, space: Keyspace, key: Key, ts: Timestamp) -> SerializationFailure:
        """The error of a statement that may not go on: `refresh` said no, because of a newer version of `key`."""
        verb, *what = self._changed() or ("is about to write", space, key, ts)
        return self._failure("could not serialize access due to concurrent update", verb, *what)  # type: ignore[arg-type]

    @property
    def is_settled(self) -> bool:
        """Whether everything in the snapshot is durable. Raises SerializationFailure if it never will be."""
        if self.unsettled is None:
            return True
        ts, unwound = self.unsettled
        if self._environment.committer.unwound != unwound:
            raise SerializationFailure(
                "could not serialize access: a commit that was being made durable has failed",
                detail=f"The snapshot of this transaction included the commit at {ts}.",
            )
        if self._environment.oracle.read_ts() < ts:
            return False
        self.unsettled = None
        return True

    def depend_on(self, ts: Timestamp) -> None:
        """What is about to be said is true only if the commit at `ts`, which is in flight, becomes durable.

        Raises SerializationFailure if what it was true of before has failed: that must not be forgotten here.
        """
        if self.unsettled is not None:
            assert self.is_settled or self.unsettled[0] <= ts, "later commits become durable later"
        self.unsettled = ts, self._environment.committer.unwound

    async def settled(self) -> None:
        """Waits until everything in the snapshot is durable. Raises SerializationFailure, what closed the committer."""
        committer = self._environment.committer
        while not self.is_settled:
            if committer.closed_by is not None:
                raise committer.refusal
            assert committer.in_flight_ts, "what it waits for is on its way to the log"
            await committer.settled()

    def new_statement(self) -> None:
        """READ COMMITTED: every statement has a fresh snapshot. Serializable levels: one that has got a lock since then has what the
        lock's last holder wrote, if nothing that was read has changed. No effect otherwise."""
        if self.isolation is Isolation.READ_COMMITTED:
            if self.follows:
                self._catch_up()
            self._move(self._environment.snapshot_ts())
        elif self.renews:
            self.renews, least, self.follows = False, self.follows, 0
            in_flight = self._environment.committer.in_flight_ts
            self.refresh(least if least <= in_flight else 0)

    def follow(self, *, waited: bool = False) -> None:
        """It has got a lock, whose last holder's commit may be in flight: statements that begin from now on see what that wrote, though
        nothing of it may be under the lock (a parent that is locked while its children are written).

        Where reads are validated they do so if they may, and as soon as it is durable; who has waited for the lock does not wait for that.
        """
        if self.isolation is Isolation.READ_COMMITTED:
            self.follows = self._environment.committer.in_flight_ts
        elif self.isolation is not Isolation.REPEATABLE_READ:
            self.renews = True
            if waited and self._environment.committer.settles_in_order:
                self.follows = self._environment.committer.in_flight_ts

    def _catch_up(self) -> None:
        environment, least, self.follows = self._environment, self.follows, 0
        # Neither durable nor taken back.
        if environment.oracle.read_ts() < least <= environment.committer.in_flight_ts:
            self.refresh(least)

    def check_written(self) -> None:
        """Whether what was written here is still as it was seen. Raises SerializationFailure: another server, whose writers no
        lock here keeps away, has written it since, and a new snapshot has its rows beside the ones of this transaction."""
        conflict = self._write_conflict(None)
        if conflict is not None:
            raise self._failure("could not serialize access due to concurrent update", "wrote", *conflict)

    def _move(self, ts: Timestamp) -> None:
        if ts > self.read_ts:
            self._environment.holds.move(self.hold, ts)
            self.read_ts = ts

    def validate(self) -> None:
        """Whether it may commit now. Raises SerializationFailure (naming key and commit), TransactionExpired."""
        index = self._environment.conflicts
        if self.hold.lapsed:
            self.hold.check()
        if self.unsettled is not None and not self.is_settled:
            raise AssertionError("a group is admitted while the one before it is in flight")
        if self.reads and self.isolation in _READS_COUNT:
            self._check(self.reads)
        for space, since in self.locked.items() if self.locked else ():
            index.validatable(since)
            if ts := index.whole(space, since):
                message = "could not serialize access due to concurrent update"
                raise self._failure(message, "locked", space, None, ts)
        self.check_written()

    def check_reads(self) -> None:
        """Whether what was read still is so: a serializable transaction of which it is not can only fail. Raises SerializationFailure."""
        if self.isolation in _READS_COUNT:
            for reads in (*self.earlier, self.reads):
                if reads:
                    self._check(reads)

    def _check(self, reads: ReadSet) -> None:
        index = self._environment.conflicts
        index.validatable(self.read_ts)
        changed = reads.changed_since(index, self.read_ts)
        if changed is not None:
            raise self._failure(
                "could not serialize access due to read/write dependencies among transactions",
                "read",
                *changed,
            )

    def _write_conflict(self, after: Timestamp | None) -> tuple[Keyspace, Key | None, Timestamp] | None:
        """A key written here that another has written since it was seen here.

        At snapshot levels what counts is the snapshot (which refresh only moves when nothing changed),
        at READ COMMITTED the one of the statement that wrote. `after` overrides both.
        """
        index, writes = self._environment.conflicts, self.writes
        snapshot = None if self.isolation is _READ_COMMITTED else self.read_ts
        common = after or snapshot
        for space, keys in writes.wrote.items():
            listed = len(keys) > _FEW and common is not None and common >= index.floor
            if listed and index.quiet(space, keys, common):  # type: ignore[arg-type]
                continue
            for key, (seen_ts, _) in keys.items():  # whatever the columns: see `txn.columns`
                if seen_ts is None:
                    continue
                base = after or snapshot or seen_ts
                ts = index.point(space, key, base)
                if ts:
                    return space, key, ts
                if base < index.floor:
                    index.validatable(base)
        if writes.whole or writes.changed:
            return self._bulk_conflict(after or snapshot)
        return None

    def _bulk_conflict(self, common: Timestamp | None) -> tuple[Keyspace, Key | None, Timestamp] | None:
        """The same for what was written without listing the keys."""
        index = self._environment.conflicts
        for space, seen_ts in self.writes.whole.items():
            if seen_ts is not None:
                base = common or seen_ts
                index.validatable(base)
                ts = index.whole(space, base)
                if ts:
                    return space, None, ts
        for space, sets in self.writes.changed.items():
            for contains, seen_ts in sets:
                base = common or seen_ts
                index.validatable(base)
                found = index.among(space, base, contains)
                if found is not None:
                    return space, *found
        return None

    @property
    def horizon(self) -> Timestamp:
        """The oldest snapshot that validation may still ask about."""
        first = self.read_ts if self.first_write_ts is None else min(self.first_write_ts, self.read_ts)
        if self.locked:  # a table that is locked is asked about from then on, wherever the snapshot is by now
            first = min(first, *self.locked.values())
        return min(first, self.found_ts) if self.found_ts else first

    def _failure(
        self, message: str, verb: str, space: Keyspace, key: Key | None, ts: Timestamp
    ) -> SerializationFailure:
        what = self._environment.describe_key(space, key)
        return SerializationFailure(
            message,
            detail=f"This transaction {verb} {what}, which the commit at {ts} wrote"
            f" after the transaction's snapshot at {self.read_ts}.",
        )
