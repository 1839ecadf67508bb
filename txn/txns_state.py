"""The txns shard as a pure state machine: (state, entry) -> state.

The state says, for the whole environment, which data shards take part, which committed work has
not reached them yet, and how far every high-water mark has come. It does no I/O, so whoever reads the
same log comes to the same state: the leader that wrote it, another server, a restart, a test.

    registered    shard -> (since when, schema, forgotten when?)
    outstanding   shard -> [(ts, parts), ...] in order of ts       committed, not yet applied and tidied
    last_write    shard -> ts                                      nothing between it and upper
    writers       writer -> its last append's count, so that a lost answer is found even in a rollup
    graves        shard -> ts    forgotten then; its log and blobs are deleted when since has passed
    locks         advisory locks of sessions of several servers: who holds them, who waits
    upper         the least timestamp that is still free
    since         exact history is kept from here on; <= the oldest outstanding ts

Invariants, asserted at every step:

* timestamps grow: an entry with a time has `ts >= upper`; afterwards `upper = ts + 1`;
* epochs grow: an entry of an older epoch than the state's is `Fenced` (its writer's append should
  never have been accepted);
* writes go to registered shards that are not being forgotten;
* a retraction takes out exactly what was put in: the count of commits, the bytes of a registration;
* `since <= oldest outstanding ts`, and `since <= upper`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from storage.abc import CorruptBlob, ShardId, Timestamp
from txn.abc import Fenced, TimestampTaken, Unregistered
from txn.lock_table import LockTable, Record
from txn.log_entry import Entry, RawPart

WRITERS_MAX = 256
"""Writers whose last append is remembered, the newest of them."""

Outstanding = deque[tuple[Timestamp, list[RawPart]]]


class InvalidEntry(CorruptBlob):
    """An entry in the log breaks an invariant: the log was damaged, or written by a faulty writer."""

    def __init__(self, reason: str) -> None:
        super().__init__("txns", reason)


@dataclass(slots=True)
class Registration:
    """A data shard in the txns set. `forget_ts`: dropped then, leaves when its work is applied.

    `older` are (ts, schema) pairs that unapplied commits were still written under.
    """

    ts: Timestamp
    schema: bytes
    forget_ts: Timestamp | None = None
    older: tuple[tuple[Timestamp, bytes], ...] = ()

    def schema_at(self, ts: Timestamp) -> bytes:
        """The schema that a commit at `ts` was written under."""
        if ts >= self.ts:
            return self.schema
        for registered_ts, schema in reversed(self.older):
            if ts >= registered_ts:
                return schema
        raise InvalidEntry(f"a commit at {ts} precedes every registration of its shard")


class TxnsState:
    """What the log says, up to some entry. Mutated only by `apply`."""

    __slots__ = (
        "commits",
        "epoch",
        "graves",
        "last_write",
        "leases",
        "leaving",
        "locks",
        "mode",
        "outstanding",
        "outstanding_bytes",
        "outstanding_commits",
        "registered",
        "reserved",
        "rids",
        "since",
        "tidied_bytes",
        "upper",
        "writers",
    )

    def __init__(self) -> None:
        self.epoch = 0
        self.upper: Timestamp = 1
        self.since: Timestamp = 0
        self.registered: dict[ShardId, Registration] = {}
        self.leaving: set[ShardId] = set()  # the forgotten among them: nobody looks for these through all
        self.outstanding: dict[ShardId, Outstanding] = {}
        self.outstanding_commits = 0
        self.outstanding_bytes = 0
        self.tidied_bytes = 0
        self.last_write: dict[ShardId, Timestamp] = {}
        self.graves: dict[ShardId, Timestamp] = {}
        self.rids = 1
        self.leases: dict[str, int] = {}
        self.reserved: Timestamp = 1
        self.mode = ""
        self.commits = 0
        self.writers: dict[bytes, int] = {}
        self.locks = LockTable()

    # --- what may be appended ----------------------------------------------------------------

    def check(self, entry: Entry) -> None:
        """The pair of `apply`'s assertions, before an append: a faulty entry must not become durable.

        Raises Fenced, TimestampTaken, Unregistered for what a caller may get wrong, InvalidEntry for
        what only a fault of ours could cause. Costs next to nothing when there are no riders.
        """
        if entry.epoch < self.epoch:
            raise Fenced(f"epoch {entry.epoch} was fenced by epoch {self.epoch}")
        if entry.ts and entry.ts < self.upper:
            raise TimestampTaken(entry.ts, self.upper)
        if not entry.ts and (entry.writes or entry.register or entry.forget):
            raise InvalidEntry("writes, registrations and forgettings need a timestamp")
        registered = self.registered
        plain = entry.is_plain
        fresh = () if plain else {shard for shard, _ in entry.register}
        for shard in entry.writes:
            known = registered.get(shard)
            if (known is None or known.forget_ts is not None) and shard not in fresh:
                self.require(shard)
        if plain:
            return
        for shard in entry.forget:
            if shard not in fresh:
                self.require(shard)
        for shard, _ in entry.register:
            known = registered.get(shard)
            if known is not None and known.forget_ts is not None:
                raise Unregistered(f"shard {shard} was forgotten at {known.forget_ts} and has not left yet")
        for shard, (le_ts, count) in entry.tidy.items():
            found = sum(1 for _ in self.outstanding_le(shard, le_ts))
            if found + (shard in entry.writes and entry.ts <= le_ts) != count:
                raise InvalidEntry(f"shard {shard}: would retract {count} commits <= {le_ts} of {found}")
        for shard, registered_ts, schema in entry.retract:
            known = registered.get(shard)
            if known is None or known.ts != registered_ts or known.schema != schema:
                raise InvalidEntry(f"shard {shard}: would retract a registration that was not made")
            left = len(self.outstanding.get(shard, ())) - entry.tidy.get(shard, (0, 0))[1]
            if left or shard in entry.writes:
                raise InvalidEntry(f"shard {shard}: would leave with {left} unapplied commits")
        if entry.rids and entry.rids < self.rids:
            raise InvalidEntry(f"the mark of row ids would go back from {self.rids} to {entry.rids}")
        if entry.since and not self.since <= entry.since <= self.least_outstanding():
            raise InvalidEntry(f"since would go from {self.since} to {entry.since}")

    def require(self, shard: ShardId) -> Registration:
        """The registration of a shard that may be written. Raises Unregistered."""
        registration = self.registered.get(shard)
        if registration is None:
            raise Unregistered(f"shard {shard} is not registered")
        if registration.forget_ts is not None:
            raise Unregistered(f"shard {shard} was forgotten at {registration.forget_ts}")
        return registration

    # --- the step ----------------------------------------------------------------------------

    def apply(self, entry: Entry) -> None:
        """One entry of the log. Raises InvalidEntry if it breaks an invariant."""
        ts = entry.ts
        if entry.epoch < self.epoch:
            raise InvalidEntry(f"epoch {entry.epoch} after {self.epoch}")
        if ts:
            if ts < self.upper:
                raise InvalidEntry(f"timestamp {ts} below upper {self.upper}")
            self.upper = ts + 1
        self.epoch = entry.epoch
        token = entry.token
        if token:
            writers = self.writers
            writer = token[:8]
            if writer not in writers and len(writers) >= WRITERS_MAX:
                del writers[next(iter(writers))]
            writers[writer] = int.from_bytes(token[8:], "big")
        for shard, schema in entry.register:
            self._register(shard, schema, ts)
        if entry.writes:
            self._write(entry.writes, ts)
        if entry.is_plain:
            return
        if entry.forget:
            for shard in entry.forget:
                self._forget(shard, ts)
        if entry.tidy:
            for shard, (le_ts, count) in entry.tidy.items():
                self._tidy(shard, le_ts, count)
        if entry.retract:
            for shard, registered_ts, schema in entry.retract:
                self._retract(shard, registered_ts, schema)
        if entry.bury:
            for shard in entry.bury:
                if shard in self.registered:
                    raise InvalidEntry(f"shard {shard} is buried alive")
                self.graves.pop(shard, None)
        if entry.rids:
            if entry.rids < self.rids:
                raise InvalidEntry(f"the mark of row ids goes back from {self.rids} to {entry.rids}")
            self.rids = entry.rids
        if entry.leases:
            self.leases.update(entry.leases)
        if entry.unlease:
            for name in entry.unlease:
                self.leases.pop(name, None)
        if entry.reserve:
            self.reserved = max(self.reserved, entry.reserve)
        if entry.mode:
            self.mode = entry.mode
        if entry.since:
            self._compact(entry.since)
        if entry.locks:
            for lock, holders, queue in entry.locks:
                self.locks.put(lock, Record(holders, queue))

    def _write(self, writes: dict[ShardId, list[RawPart]], ts: Timestamp) -> None:
        if not ts:
            raise InvalidEntry("writes without a timestamp")
        registered, outstanding, last_write, size_bytes = (
            self.registered,
            self.outstanding,
            self.last_write,
            0,
        )
        for shard, parts in writes.items():
            registration = registered.get(shard)
            if registration is None or registration.forget_ts is not None:
                raise InvalidEntry(f"writes to shard {shard}, which is not registered")
            queue = outstanding.get(shard)
            if queue is None:
                queue = outstanding[shard] = deque()
            queue.append((ts, parts))
            last_write[shard] = ts
            for part in parts:
                size_bytes += len(part[2]) if len(part) == 3 else 64
        self.outstanding_bytes += size_bytes
        self.outstanding_commits += len(writes)
        self.commits += 1

    def _register(self, shard: ShardId, schema: bytes, ts: Timestamp) -> None:
        known = self.registered.get(shard)
        if known is not None:
            if known.forget_ts is not None:
                raise InvalidEntry(f"shard {shard} is registered again while it is being forgotten")
            if known.schema == schema:
                return  # idempotent
            if not ts:
                raise InvalidEntry("a schema changes at no timestamp")
            older = known.older
            if shard in self.outstanding:
                older = (*older, (known.ts, known.schema))
            self.registered[shard] = Registration(ts, schema, None, older)
            return
        if not ts:
            raise InvalidEntry("a registration without a timestamp")
        self.registered[shard] = Registration(ts, schema)
        self.graves.pop(shard, None)

    def _forget(self, shard: ShardId, ts: Timestamp) -> None:
        registration = self.registered.get(shard)
        if registration is None or registration.forget_ts is not None:
            raise InvalidEntry(f"shard {shard} is forgotten without being registered")
        if not ts:
            raise InvalidEntry("a shard is forgotten at no timestamp")
        registration.forget_ts = ts
        self.leaving.add(shard)

    def _tidy(self, shard: ShardId, le_ts: Timestamp, count: int) -> None:
        queue = self.outstanding.get(shard)
        taken = 0
        while queue and queue[0][0] <= le_ts:
            _, parts = queue.popleft()
            for part in parts:
                self.outstanding_bytes -= len(part[2]) if len(part) == 3 else 64
                self.tidied_bytes += len(part[2]) if len(part) == 3 else part[3]
            taken += 1
        if taken != count:
            raise InvalidEntry(f"shard {shard}: {count} commits <= {le_ts} retracted, {taken} outstanding")
        self.outstanding_commits -= taken
        if queue is not None and not queue:
            del self.outstanding[shard]
        registration = self.registered.get(shard)
        if registration is not None and registration.older and (not queue or queue[0][0] >= registration.ts):
            registration.older = ()

    def _retract(self, shard: ShardId, registered_ts: Timestamp, schema: bytes) -> None:
        known = self.registered.get(shard)
        if known is None or known.ts != registered_ts or known.schema != schema:
            raise InvalidEntry(f"the retracted registration of shard {shard} is not the one that was made")
        if shard in self.outstanding:
            raise InvalidEntry(f"shard {shard} leaves with committed work that is not applied")
        del self.registered[shard]
        self.leaving.discard(shard)
        self.last_write.pop(shard, None)
        self.graves[shard] = known.ts if known.forget_ts is None else known.forget_ts

    def _compact(self, since: Timestamp) -> None:
        if since < self.since:
            raise InvalidEntry(f"since goes back from {self.since} to {since}")
        if since > self.least_outstanding():
            raise InvalidEntry(f"since {since} passes unapplied work at {self.least_outstanding()}")
        self.since = since

    # --- questions ---------------------------------------------------------------------------

    def heard(self, token: bytes) -> bool | None:
        """Whether the append with this token is in the log; None: its writer has been forgotten.

        A writer makes its appends one after the other, each of a greater count.
        """
        count = self.writers.get(token[:8])
        return None if count is None else count >= int.from_bytes(token[8:], "big")

    def least_outstanding(self) -> Timestamp:
        """The oldest commit that is not applied (and tidied) everywhere; `upper` if there is none."""
        least = self.upper
        for queue in self.outstanding.values():
            if queue[0][0] < least:
                least = queue[0][0]
        return least

    @property
    def written_bytes(self) -> int:
        """How much has been written since this process has followed the log: rows and parts, the latter once they are applied."""
        return self.tidied_bytes + self.outstanding_bytes

    def outstanding_le(self, shard: ShardId, ts: Timestamp) -> Iterator[tuple[Timestamp, list[RawPart]]]:
        """A shard's unapplied commits at or before `ts`, in order."""
        for commit_ts, parts in self.outstanding.get(shard, ()):
            if commit_ts > ts:
                return
            yield commit_ts, parts

    def data_ts(self, shard: ShardId, as_of: Timestamp) -> Timestamp | None:
        """The latest write of `shard` at or before `as_of` that a reader must wait for to be applied.

        None: nothing to wait for, all writes `<= as_of` are applied. `as_of` must be below `upper`.
        """
        if as_of >= self.upper:
            raise ValueError(f"the txns shard has only reached {self.upper}, not {as_of}")
        latest = None
        for ts, _ in self.outstanding_le(shard, as_of):
            latest = ts
        return latest

    # --- rollups -----------------------------------------------------------------------------

    def to_plain(self) -> dict[str, Any]:
        """The state in msgpack's types, for a rollup."""
        return {
            "epoch": self.epoch,
            "upper": self.upper,
            "since": self.since,
            "registered": {s: (r.ts, r.schema, r.forget_ts, r.older) for s, r in self.registered.items()},
            "outstanding": {s: list(q) for s, q in self.outstanding.items()},
            "last_write": self.last_write,
            "graves": self.graves,
            "rids": self.rids,
            "leases": self.leases,
            "reserved": self.reserved,
            "mode": self.mode,
            "commits": self.commits,
            "writers": self.writers,
            "locks": self.locks.raw(),
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> TxnsState:
        """The inverse of `to_plain`. Raises CorruptBlob when fields are missing."""
        state = cls()
        try:
            state.epoch, state.upper, state.since = plain["epoch"], plain["upper"], plain["since"]
            for shard, (ts, schema, forget_ts, older) in plain["registered"].items():
                state.registered[shard] = Registration(ts, schema, forget_ts, tuple(older))
                if forget_ts is not None:
                    state.leaving.add(shard)
            for shard, commits in plain["outstanding"].items():
                state.outstanding[shard] = deque((ts, list(parts)) for ts, parts in commits)
                state.outstanding_commits += len(commits)
                state.outstanding_bytes += sum(
                    len(part[2]) if len(part) == 3 else 64 for _, parts in commits for part in parts
                )
            state.last_write, state.graves = dict(plain["last_write"]), dict(plain["graves"])
            state.rids, state.leases = plain["rids"], dict(plain["leases"])
            state.writers = dict(plain["writers"])
            state.locks = LockTable(plain.get("locks", ()))
            state.reserved, state.mode, state.commits = plain["reserved"], plain["mode"], plain["commits"]
        except (KeyError, TypeError, ValueError) as e:
            raise CorruptBlob("txns", f"malformed rollup: {e!r}") from e
        return state
