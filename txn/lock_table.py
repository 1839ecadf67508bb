"""Who holds which lock of the whole environment, and who waits for it: a part of the txns shard's state.

Locks that sessions of *several servers* have to respect (advisory locks) are decided where everything is decided, in the log:

    (db, 7)    held by  server 3, pid 12 (exclusive)     queue: server 4, pid 2 (exclusive); server 3, pid 15 (shared)
               12 lets go
               held by  server 4, pid 2                  queue: server 3, pid 15

* **A lock is one immutable value** (`Record`). An entry of the log carries each lock that it changes as what it has become, so
  applying an entry twice is applying it once, and taking back what was never appended is putting the old value back.
* **Rules are applied at admission only**, by the server that asks; whoever reads the log afterwards just takes over the outcome. As who
  appends has read everything before, there is one order of all requests, and everybody sees the same.
* First come, first served, as `txn.locks` has it: a request waits behind an incompatible one that came before it, and who
  strengthens a lock that he has goes to the front. An owner waits for one lock at a time: who asks for another one has given up
  the first, even if he could not say so yet.

Two modes: shared goes with shared, exclusive with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

Owner = tuple[int, int]
"""(number of the server, pid of the session)."""

LockId = tuple[Any, ...]
"""(database, number, number or None)."""

SHARED, EXCLUSIVE = 1, 2

Claim = tuple[int, int, int]
"""(server, pid, mode): held, or asked for."""

RawRecord = tuple[LockId, tuple[Claim, ...], tuple[Claim, ...]]
"""A lock as an entry and a rollup carry it; without claims it is gone."""


class Record(NamedTuple):
    """One lock: who holds it, and who waits, in order."""

    holders: tuple[Claim, ...] = ()
    queue: tuple[Claim, ...] = ()

    def held(self, owner: Owner) -> int:
        """The owner's mode; 0: does not hold it."""
        return next((mode for server, pid, mode in self.holders if (server, pid) == owner), 0)

    def opponents(self, owner: Owner, mode: int) -> list[Owner]:
        """Other holders that keep a request from being granted."""
        return [(s, p) for s, p, held in self.holders if (s, p) != owner and EXCLUSIVE in (held, mode)]

    def is_free(self, owner: Owner, mode: int) -> bool:
        """Whether the owner has it already, or may have it without waiting."""
        held = self.held(owner)
        return held >= mode or (not self.opponents(owner, mode) and (held > 0 or not self.queue))

    def ahead(self, owner: Owner, mode: int) -> list[Owner]:
        """Whom a request waits for: one that is in the queue, or one that is about to be."""
        owners = self.opponents(owner, mode)
        if not self.held(owner):
            for server, pid, _ in self.queue:
                if (server, pid) == owner:
                    break
                owners.append((server, pid))
        return owners

    def granted(self, owner: Owner, mode: int) -> Record:
        """The owner holds it in this mode, or the stronger one that he had."""
        mode = max(mode, self.held(owner))
        return Record((*(c for c in self.holders if c[:2] != owner), (*owner, mode)), self.queue)

    def queued(self, owner: Owner, mode: int) -> Record:
        claim = (*owner, mode)
        return self._replace(queue=(claim, *self.queue) if self.held(owner) else (*self.queue, claim))

    def withdrawn(self, owner: Owner) -> Record:
        """The owner waits no more; what he holds he keeps."""
        return self.reduced(owner.__eq__, self.held(owner))

    def reduced(self, owners: Callable[[Owner], bool], mode: int = 0) -> Record:
        """Those owners wait no more and hold it in `mode` at most (0: not at all); the queue is served as far as that goes."""
        holders = [
            (s, p, min(held, mode) if owners((s, p)) else held)
            for s, p, held in self.holders
            if mode or not owners((s, p))
        ]
        record = Record(tuple(holders), tuple(c for c in self.queue if not owners(c[:2])))
        while record.queue:
            server, pid, asked = record.queue[0]
            if record.opponents((server, pid), asked):
                break
            record = Record(record.holders, record.queue[1:]).granted((server, pid), asked)
        return record


_NOBODY = Record()


class LockTable:
    """All locks. Mutated by `put` alone."""

    __slots__ = ("_held", "_records", "_waits")

    def __init__(self, raw: Iterable[RawRecord] = ()) -> None:
        self._records: dict[LockId, Record] = {}
        self._held: dict[Owner, dict[LockId, int]] = {}
        self._waits: dict[Owner, LockId] = {}
        for lock, holders, queue in raw:
            self.put(lock, Record(holders, queue))

    def put(self, lock: LockId, record: Record) -> Record:
        """The lock is this now. Returns what it was."""
        before = self._records.pop(lock, _NOBODY)
        for server, pid, _ in before.holders:
            mine = self._held[server, pid]
            del mine[lock]
            if not mine:
                del self._held[server, pid]
        for server, pid, _ in before.queue:
            if (
                self._waits.get((server, pid)) == lock
            ):  # a log may hold entries that let an owner wait for two
                del self._waits[server, pid]
        if record.holders or record.queue:
            self._records[lock] = record
        for server, pid, mode in record.holders:
            self._held.setdefault((server, pid), {})[lock] = mode
        for server, pid, _ in record.queue:
            self._waits[server, pid] = lock
        return before

    # --- questions ---------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, lock: LockId) -> Record:
        return self._records.get(lock, _NOBODY)

    def __iter__(self) -> Iterator[tuple[LockId, Record]]:
        return iter(list(self._records.items()))

    def held_by(self, owner: Owner) -> dict[LockId, int]:
        """The owner's locks and their modes."""
        return self._held.get(owner, {})

    def awaited_by(self, owner: Owner) -> LockId | None:
        return self._waits.get(owner)

    def owners(self) -> set[Owner]:
        """Whoever holds or awaits a lock."""
        return {*self._held, *self._waits}

    def of(self, owners: Callable[[Owner], bool]) -> list[LockId]:
        """The locks that any of those owners holds or awaits."""
        found = dict.fromkeys(lock for owner, held in self._held.items() if owners(owner) for lock in held)
        return list(found | dict.fromkeys(lock for owner, lock in self._waits.items() if owners(owner)))

    def blockers(self, owner: Owner, without: Owner | None = None) -> list[Owner]:
        """Whom the owner waits for; nobody if he does not wait. `without`: as if that one waited for nothing."""
        lock = self._waits.get(owner)
        if lock is None:
            return []
        record = self._records[lock]
        mode = next(mode for s, p, mode in record.queue if (s, p) == owner)
        return (record if without is None else record.withdrawn(without)).ahead(owner, mode)

    def circle(
        self, owner: Owner, lock: LockId, mode: int, beyond: Callable[[Owner], Iterable[Owner]]
    ) -> list[Owner]:
        """Who would wait for whom in a circle if the owner waited for this lock and no other, the owner first; empty: nobody.

        `beyond`: whom somebody waits for because of locks that are not in this table.
        """
        came_from: dict[Owner, Owner] = {}
        pending = [(owner, blocker) for blocker in self[lock].withdrawn(owner).ahead(owner, mode)]
        while pending:
            waiter, blocker = pending.pop()
            if blocker == owner:
                path = [waiter]
                while path[-1] != owner:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if blocker not in came_from:
                came_from[blocker] = waiter
                pending += [(blocker, other) for other in (*self.blockers(blocker, owner), *beyond(blocker))]
        return []

    def raw(self) -> list[RawRecord]:
        return [(lock, *record) for lock, record in self._records.items()]


__all__ = ["EXCLUSIVE", "SHARED", "Claim", "LockId", "LockTable", "Owner", "RawRecord", "Record"]
