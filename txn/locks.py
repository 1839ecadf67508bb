"""Key locks: who may write a row next.

Snapshots alone make contended workloads a storm of retries: sixty-four clients increment a row, one
commits, sixty-three find out at the end that they worked in vain. So a statement that is about to
write a *known* key first queues for it. Locks order writers; they never make a commit correct (validation
does) and readers never take them.

    key 7   held by A (update)     queue: B (update), C (share), D (share)
            A ends            ->   held by B         queue: C, D
            B ends            ->   held by C and D   (share goes with share)

* Modes and their compatibility are those of PostgreSQL's row locks, weakest first: FOR KEY SHARE, FOR
  SHARE, FOR NO KEY UPDATE (what UPDATE takes if it leaves the key alone), FOR UPDATE (DELETE).
* Who waits for a key gets it first come, first served. A request for a *row* that is compatible with its holders does not wait, not
  behind those either who wait for them, as in PostgreSQL: a child that comes does not stop because somebody else waits to delete its
  parent. In spaces whose locks are taken in turn (`in_turn`: tables, names, advisory locks) it waits behind whom it would keep waiting, as
  there, too. An owner that strengthens a lock it has goes to the front.
* **Deadlocks** are found when a request is about to wait: if what it waits for waits, directly or
  not, for its owner, the request fails (DeadlockDetected). A cycle can only close with a new wait, so
  no timer is needed. Where somebody of the cycle waits for his turn alone, behind others whom no holder lets go on, he gets the
  lock before them, and nobody fails.
* A free lock is granted in `try_acquire` without callback, task or future (one dict operation). Waiting
  is a callback, `granted(error or None)`, called at most once.

Sets of keys, and locks that go by several names, are `txn.lock_sets`.

An **owner** is anything hashable: a transaction, a statement. It waits for one lock at a time. Owners that stand and
fall together (a session's transaction, and the session itself with its advisory locks) name the same `party`: who waits
for one of them waits for all, so circles through both kinds of locks are found.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Hashable, Iterable

from txn.abc import DeadlockDetected, Key, Keyspace, LockNotAvailable
from txn.lock_queues import (
    NOBODY,
    CallLater,
    Granted,
    Lock,
    LockKey,
    LockLimitExceeded,
    LockMode,
    Waiter,
    party_of,
)
from txn.lock_sets import SET, LockSets

_log = logging.getLogger("tidewire.txn")


class KeyLocks(LockSets):
    """All key locks of the process. `call_later` is the event loop's, or a simulation's."""

    # --- taking ------------------------------------------------------------------------------

    def try_acquire(
        self, owner: Hashable, space: Keyspace, key: Key, mode: LockMode = LockMode.NO_KEY_UPDATE
    ) -> bool:
        """Takes the lock if that needs no waiting (NOWAIT and SKIP LOCKED ask with this)."""
        if self._apart and space in self._apart:
            key = self._found(space, key)
        lock_key = (space, key)
        lock = self._locks.get(lock_key)
        if lock is None:
            if len(self._locks) >= self.locks_max:
                raise LockLimitExceeded(f"more than {self.locks_max} keys are locked")
            lock = self._locks[lock_key] = Lock()
            held = None
        else:
            held = lock.holders.get(owner)
            if held is not None and held >= mode:
                return True
            if not lock.admits(owner, mode) or (
                held is None and lock.queue and self._behind(space, lock, mode)
            ):
                return False
        lock.holders[owner] = mode
        self._remember(owner, lock_key, held)
        return True

    def _behind(self, space: Keyspace, lock: Lock, mode: LockMode) -> bool:
        """Whether a request that the holders admit waits behind those in the queue."""
        return space in self.in_turn and not lock.passes(mode)

    def would_grant(self, owner: Hashable, space: Keyspace, key: Key, mode: LockMode) -> bool:
        """Whether `try_acquire` would take the lock."""
        if self._apart and space in self._apart:
            key = self._found(space, key)
        lock = self._locks.get((space, key))
        if lock is None:
            return True
        held = lock.holders.get(owner)
        if held is not None and held >= mode:
            return True
        return lock.admits(owner, mode) and (
            held is not None or not lock.queue or not self._behind(space, lock, mode)
        )

    def acquire(
        self,
        owner: Hashable,
        space: Keyspace,
        key: Key,
        mode: LockMode,
        granted: Granted,
        *,
        timeout_s: float | None = None,
    ) -> Waiter | None:
        """Takes the lock now (returns None, `granted` is not called) or queues for it.

        `granted(None)` follows when it is the owner's, `granted(LockNotAvailable())` when `timeout_s`
        passed, never after `cancel`. Raises DeadlockDetected, LockLimitExceeded.
        """
        if self.try_acquire(owner, space, key, mode):
            return None
        return self.queue(owner, space, key, mode, granted, timeout_s=timeout_s)

    def queue(
        self,
        owner: Hashable,
        space: Keyspace,
        key: Key,
        mode: LockMode,
        granted: Granted,
        *,
        timeout_s: float | None = None,
    ) -> Waiter | None:
        """`acquire` of a lock that `try_acquire` has not given in this very turn of the loop."""
        if owner in self._waiting:
            raise AssertionError("an owner waits for one lock at a time")
        lock_key = (space, self.name(space, key))
        lock = self._locks[lock_key]
        waiter = Waiter(owner, lock_key, mode, granted)
        if lock.queue is NOBODY:
            lock.queue = deque()
        if owner in lock.holders:
            lock.queue.appendleft(waiter)
        else:
            lock.queue.append(waiter)
        self._queues[lock_key] = lock
        self._waiting[owner] = self._parties[party_of(owner)] = waiter
        cycle = self._cycle_through(party_of(owner)) if self._may_close_circle(waiter, lock) else []
        while cycle and (passes := self._only_queued(cycle)) is not None:
            self._let_pass(passes)
            if passes is waiter:
                return None
            self._granted.append(passes)
            self._call_later(0, self._tell)  # not in this turn, in which nobody knows of the new waiter yet
            cycle = self._cycle_through(party_of(owner))
        if cycle:
            detail = self._spell(cycle)
            self._withdraw(waiter)
            raise DeadlockDetected("deadlock detected", detail=detail)
        if timeout_s is not None and timeout_s > 0:
            waiter.timer = self._call_later(timeout_s, lambda: self._timed_out(waiter))
        return waiter

    async def lock(
        self,
        owner: Hashable,
        space: Keyspace,
        key: Key,
        mode: LockMode = LockMode.NO_KEY_UPDATE,
        *,
        timeout_s: float | None = None,
    ) -> bool:
        """The same as a coroutine. Returns whether it had to wait (then the snapshot may be stale)."""
        future: asyncio.Future[None] | None = None

        def granted(error: Exception | None) -> None:
            assert future is not None
            if future.done():
                return
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

        waiter = self.acquire(owner, space, key, mode, granted, timeout_s=timeout_s)
        if waiter is None:
            return False
        future = asyncio.get_running_loop().create_future()
        try:
            await future
        except asyncio.CancelledError:
            self.cancel(owner)
            raise
        return True

    # --- letting go --------------------------------------------------------------------------

    def release_all(self, owner: Hashable) -> None:
        """At the end of a transaction: everything held, and a wait if there is one."""
        if self._waiting:
            self.cancel(owner)
        if self._apart:
            self._leave(owner)
        if self._granted:
            self._granted = deque(w for w in self._granted if w.owner != owner)
        held = self._held.pop(owner, None)
        if held:
            locks = self._locks
            for lock_key, _ in held:
                lock = locks.get(lock_key)
                if lock is None or owner not in lock.holders:
                    continue  # a set; or it is in the list again, for it became stronger
                if not lock.queue and len(lock.holders) == 1:
                    del locks[lock_key]  # what `_drop` comes to where nobody else has to do with it
                else:
                    self._drop(owner, lock_key, None)

    def weaken(self, owner: Hashable, space: Keyspace, key: Key, mode: LockMode | None) -> None:
        """One lock of an owner becomes weaker, or (None) goes. Marks taken before do not bring it back."""
        lock_key = (space, self.name(space, key))
        lock = self._locks.get(lock_key)
        before = None if lock is None else lock.holders.get(owner)
        if before is None or (mode is not None and mode >= before):
            return
        held = [item for item in self._held[owner] if item[0] != lock_key]
        if mode is not None:
            held.append((lock_key, None))
        if held:
            self._held[owner] = held
        else:
            del self._held[owner]
        self._drop(owner, lock_key, mode)

    def let_go(self, owner: Hashable, keys: Iterable[tuple[Keyspace, Key]]) -> None:
        """`weaken` of many to nothing: what the owner holds is looked through once."""
        gone: dict[LockKey, None] = {}
        for space, key in keys:
            lock_key = (space, self.name(space, key))
            lock = self._locks.get(lock_key)
            if lock is not None and owner in lock.holders:
                gone[lock_key] = None
        if not gone:
            return
        held = [item for item in self._held[owner] if item[0] not in gone]
        if held:
            self._held[owner] = held
        else:
            del self._held[owner]
        for lock_key in gone:
            self._drop(owner, lock_key, None)

    def note(self, owner: Hashable, space: Keyspace, key: Key, mode: LockMode) -> None:
        """A lock that the owner has had all along, past whoever waits for the key: it is let go like one that was asked for."""
        lock_key = (space, key)
        lock = self._locks.get(lock_key)
        if lock is None:
            lock = self._locks[lock_key] = Lock()
        before = lock.holders.get(owner)
        if before is None or before < mode:
            lock.holders[owner] = mode
            self._remember(owner, lock_key, before)

    def lend(self, owner: Hashable, space: Keyspace, key: Key, mode: LockMode) -> None:
        """A lock of the owner for what it has by other means already (`txn.held_keys`), until `take_back`: nothing else lets go of it."""
        lock = self._locks.get((space, key))
        if lock is None:
            lock = self._locks[space, key] = Lock()
        lock.holders[owner] = mode

    def take_back(self, owner: Hashable, space: Keyspace, key: Key) -> None:
        lock_key = (space, key)
        lock = self._locks[lock_key]
        del lock.holders[owner]
        self._grant(lock_key, lock)

    def mark(self, owner: Hashable) -> int:
        """A savepoint's mark for `release_to`."""
        return len(self._held.get(owner, ()))

    def release_to(self, owner: Hashable, mark: int) -> None:
        """ROLLBACK TO: lets go (or weakens again) what was taken after the mark."""
        held = self._held.get(owner)
        if held is None:
            return
        for (space, key), _ in held[mark:]:
            if key is SET:  # first: whoever is told below that a key is free must not find it locked again
                self._forget_set(owner, space)
        back = dict(reversed(held[mark:]))  # of each key as it was at the mark
        del held[mark:]
        for lock_key, before in back.items():
            if lock_key[1] is not SET:
                self._drop(owner, lock_key, before)

    def release_since(self, owner: Hashable, space: Keyspace, key: Key, mark: int) -> None:
        """What the owner has taken of one lock after the mark."""
        lock_key = (space, self.name(space, key))
        held = self._held.get(owner, [])
        taken = [i for i in range(mark, len(held)) if held[i][0] == lock_key]
        if taken:
            before = held[taken[0]][1]
            for i in reversed(taken):
                del held[i]
            if not held:
                del self._held[owner]
            self._drop(owner, lock_key, before)

    def cancel(self, owner: Hashable) -> None:
        """Takes the owner's request out of its queue, if it waits (its statement was cancelled)."""
        waiter = self._waiting.get(owner)
        if waiter is not None:
            self._withdraw(waiter)
        elif self._granted:
            self._granted = deque(w for w in self._granted if w.owner != owner)

    # --- questions ---------------------------------------------------------------------------

    def is_free(self, space: Keyspace, key: Key) -> bool:
        """Whether nobody holds or awaits the key: one dictionary look-up."""
        if self._apart and space in self._apart:
            key = self._found(space, key)
        return (space, key) not in self._locks

    def holds(self, owner: Hashable, space: Keyspace, key: Key) -> LockMode | None:
        lock = self._locks.get((space, self.name(space, key) if self._apart else key))
        return None if lock is None else lock.holders.get(owner)

    def holders(self, space: Keyspace, key: Key) -> list[tuple[Hashable, LockMode]]:
        """Who has a lock of the key, and which."""
        lock = self._locks.get((space, self.name(space, key)))
        return [] if lock is None else list(lock.holders.items())

    def held_by(self, owner: Hashable) -> list[LockKey]:
        """What the owner holds."""
        keys = (lock_key for lock_key, _ in self._held.get(owner, ()) if lock_key[1] is not SET)
        return list(dict.fromkeys(keys))

    def holds_in(self, owner: Hashable, space: Keyspace) -> bool:
        """Whether the owner holds anything of a keyspace, a set of keys included."""
        return any(key[0] == space for key, _ in self._held.get(owner, ()))

    def listing(self, space: Keyspace) -> list[tuple[Key, Hashable, LockMode, bool]]:
        """All locks of a keyspace: (key, owner, mode, whether granted)."""
        found: list[tuple[Key, Hashable, LockMode, bool]] = []
        for (other, key), lock in self._locks.items():
            if other == space:
                found += [(key, owner, mode, True) for owner, mode in lock.holders.items()]
                found += [(key, waiter.owner, waiter.mode, False) for waiter in lock.queue]
        return found

    def is_waiting(self, owner: Hashable) -> bool:
        return owner in self._waiting

    def recheck(self) -> None:
        """Waits elsewhere have changed: who is part of a circle by now fails with DeadlockDetected."""
        for party in list(self._parties):
            waiter = self._parties.get(party)
            cycle = self._cycle_through(party) if waiter is not None else []
            if waiter is not None and cycle:
                detail = self._spell(cycle)
                self._withdraw(waiter)
                waiter.granted(DeadlockDetected("deadlock detected", detail=detail))

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    @property
    def awaited_count(self) -> int:
        """How many keys somebody waits for."""
        return len(self._queues)

    def __len__(self) -> int:
        """How many keys are locked, a set counting as one."""
        return len(self._locks) + len(self._sets)

    # --- inside ------------------------------------------------------------------------------

    def _drop(self, owner: Hashable, lock_key: LockKey, before: LockMode | None) -> None:
        lock = self._locks[lock_key]
        if before is None:
            del lock.holders[owner]
        else:
            lock.holders[owner] = before
        if lock.queue and self._sets:
            for other, contains, mode, _ in self._sets.get(lock_key[0], ()):
                if (
                    other == owner
                ):  # who goes back behind what he asked for last keeps the set that it was in before
                    self._hold(owner, lock_key, contains, mode)
        self._grant(lock_key, lock)

    def _grant(self, lock_key: LockKey, lock: Lock) -> None:
        """Serves the queue from the front, as far as it goes, and tells them in this very turn of the loop."""
        ready = self._granted
        queue = lock.queue
        while queue and lock.admits(queue[0].owner, queue[0].mode):
            waiter = queue.popleft()
            self._settle(waiter)
            before = lock.holders.get(waiter.owner)
            lock.holders[waiter.owner] = waiter.mode
            self._remember(waiter.owner, lock_key, before)
            ready.append(waiter)
        if not queue:
            self._queues.pop(lock_key, None)
            if not lock.holders:
                del self._locks[lock_key]
                if self._names:
                    self._names.forget(lock_key)
        if ready:
            self._tell()

    def _let_pass(self, waiter: Waiter) -> None:
        """The lock becomes that of who has waited behind others alone."""
        lock = self._locks[waiter.key]
        lock.queue.remove(waiter)
        if not lock.queue:
            self._queues.pop(waiter.key, None)
        self._settle(waiter)
        before = lock.holders.get(waiter.owner)
        lock.holders[waiter.owner] = waiter.mode
        self._remember(waiter.owner, waiter.key, before)

    def _tell(self) -> None:
        """Tells those who have got a lock."""
        if self._telling:
            return
        # Whoever is told may end at once and let go in turn: a loop, not a recursion as deep as the queue.
        self._telling = True
        try:
            while self._granted:
                waiter = self._granted.popleft()
                try:
                    waiter.granted(None)
                except Exception:  # noqa: BLE001 - one waiter's fault must not keep the others' locks
                    _log.exception("being told of a granted lock, %r raised", waiter.owner)
        finally:
            self._telling = False

    def _settle(self, waiter: Waiter) -> None:
        del self._waiting[waiter.owner]
        self._parties.pop(party_of(waiter.owner), None)
        if waiter.timer is not None:
            waiter.timer.cancel()
            waiter.timer = None

    def _withdraw(self, waiter: Waiter) -> None:
        lock = self._locks[waiter.key]
        lock.queue.remove(waiter)
        self._settle(waiter)
        self._grant(waiter.key, lock)

    def _timed_out(self, waiter: Waiter) -> None:
        if self._waiting.get(waiter.owner) is waiter:
            self._withdraw(waiter)
            waiter.granted(LockNotAvailable("canceling statement due to lock timeout"))


__all__ = ["CallLater", "KeyLocks", "LockLimitExceeded", "LockMode", "party_of"]
