"""Locks of many keys at once, and of keys that change their names.

* **Sets.** Who is about to write millions of keys locks the set of them: a function that says whether a key is in it. A
  request for a key in another's set finds it locked, as if it had been locked by itself; other keys are free.
* **Names.** A row without a key is locked by its row id, and every UPDATE gives it another (`txn.lock_names`). The new one is a
  further name of the same lock, for as long as anybody has or awaits that.

A key of a set becomes a lock of its own when somebody asks for it: as long as nobody does, a set of millions is one function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from txn.abc import Key, Keyspace
from txn.lock_queues import Contains, Lock, LockKey, LockMode, LockQueues

SET: Final = object()
"""In the list of what an owner has taken: not a key, but a set of them."""


class LockSets(LockQueues):
    """All sets and names of the process."""

    def try_acquire_set(
        self, owner: Hashable, space: Keyspace, contains: Contains, mode: LockMode
    ) -> Key | None:
        """Locks all keys of which `contains` is true, to the owner's end; or says which of them another has locked.

        Who wants to lock a set locks something that stands for the whole first, so that there is one set at a time.
        """
        queues: list[LockKey] = []
        for lock_key, lock in self._locks.items():
            if lock_key[0] == space:
                if not lock.admits(owner, mode):
                    if contains(lock_key[1]):
                        return lock_key[1]
                elif lock.queue:
                    queues.append(lock_key)
        self._sets.setdefault(space, []).append((owner, contains, mode, None))
        self._apart.add(space)
        self._remember(owner, (space, SET), None)
        for lock_key in queues:  # while the owner waits for nobody: so this closes no circle
            self._hold(owner, lock_key, contains, mode)
        return None

    def has_sets(self, space: Keyspace) -> bool:
        return bool(self._sets) and space in self._sets

    def rename(self, space: Keyspace, key: Key, new: Key) -> None:
        """What is under `key` is under `new` from now on, and whoever has locked it has so under either name."""
        key = self.name(space, key)
        if (space, key) in self._locks:
            self._names.add(space, key, new)
            self._apart.add(space)

    def name(self, space: Keyspace, key: Key) -> Key:
        """The name under which the lock of `key` is kept: mostly the key itself."""
        return self._names.first(space, key) if self._apart and space in self._apart else key

    def _found(self, space: Keyspace, key: Key) -> Key:
        """The same of a space that has sets or names; the lock has left the sets that it was in.

        A key of a set becomes a lock of its own when somebody asks for it, and before anybody waits for it.
        """
        key = self._names.first(space, key)
        lock = self._locks.get((space, key))
        if lock is None or not lock.queue:
            latest = key
            for owner, contains, mode, renamed in self._sets.get(space, ()):
                self._hold(owner, (space, key), contains, mode)
                if renamed is not None and contains(latest):  # and perhaps once more, by a later statement
                    latest = renamed(latest)
                    self.rename(space, key, latest)
        return key

    def rename_set(self, owner: Hashable, space: Keyspace, renamed: Callable[[Key], Key]) -> None:
        """`rename` of all keys of the set that the owner has locked last."""
        sets = self._sets[space]
        at = max(i for i, item in enumerate(sets) if item[0] == owner)
        _, contains, mode, _ = sets[at]
        sets[at] = owner, contains, mode, renamed
        known = [key for other, key in self._locks if other == space]
        for key in [*known, *self._names.spaces.get(space, ())]:
            if contains(key):
                self.rename(space, key, renamed(key))

    def _hold(self, owner: Hashable, lock_key: LockKey, contains: Contains, mode: LockMode) -> None:
        """One key of an owner's set, if it is in it.

        What another holds against it is not: who locks a set waits for those. (`contains` may come to say more, when it can
        no longer tell; but no key has two holders that exclude each other.)
        """
        lock = self._locks.get(lock_key)
        before = None if lock is None else lock.holders.get(owner)
        if before is not None and before >= mode:
            return
        if (lock is None or lock.admits(owner, mode)) and contains(lock_key[1]):
            if lock is None:
                lock = self._locks[lock_key] = Lock()
            lock.holders[owner] = mode
            self._remember(owner, lock_key, before)

    def _leave(self, owner: Hashable) -> None:
        """An owner that ends: its sets go, and the further names of locks that end with it."""
        for space in [s for s, sets in self._sets.items() if any(item[0] == owner for item in sets)]:
            self._sets[space] = [item for item in self._sets[space] if item[0] != owner]
            if not self._sets[space]:
                del self._sets[space]
        if self._names:
            for lock_key, _ in self._held.get(owner, ()):
                lock = self._locks.get(lock_key)
                if lock is not None and not lock.queue and len(lock.holders) == 1 and owner in lock.holders:
                    self._names.forget(lock_key)
        self._apart = {*self._sets, *self._names.spaces}

    def _forget_set(self, owner: Hashable, space: Keyspace) -> None:
        """The newest that the owner has locked."""
        sets = self._sets[space]
        del sets[max(i for i, item in enumerate(sets) if item[0] == owner)]
        if not sets:
            del self._sets[space]
            self._apart = {*self._sets, *self._names.spaces}

    def _remember(self, owner: Hashable, lock_key: LockKey, before: LockMode | None) -> None:
        held = self._held.get(owner)
        if held is None:
            self._held[owner] = [(lock_key, before)]
        else:
            held.append((lock_key, before))
