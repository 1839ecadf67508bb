"""One lock under several keys: that of a row whose key is its row id, which an UPDATE changes.

    A  FOR KEY SHARE          row 4          a lock under 4: A
    B  UPDATE, COMMIT         row 4 -> 90    90 -> 4
    C  DELETE                 row 90         the lock under 4: A has it, and C waits
    A  COMMIT, C  COMMIT                     nobody has the lock: its names go with it

Who comes by an older snapshot asks for 4 or 90, gets the lock in turn, and finds that the row has been written since, as with any
key. So a name has to last as long as somebody has the lock or waits for it, and no longer.
"""

from __future__ import annotations

from txn.abc import Key, Keyspace


class LockNames:
    """Names beyond the first, under which the lock is kept."""

    __slots__ = ("_further", "spaces")

    def __init__(self) -> None:
        self.spaces: dict[Keyspace, dict[Key, Key]] = {}
        """By keyspace: a further name, and the first; keyspaces without any are not there."""
        self._further: dict[tuple[Keyspace, Key], list[Key]] = {}

    def __bool__(self) -> bool:
        return bool(self._further)

    def first(self, space: Keyspace, key: Key) -> Key:
        names = self.spaces.get(space)
        return key if names is None else names.get(key, key)

    def add(self, space: Keyspace, first: Key, name: Key) -> None:
        names = self.spaces.setdefault(space, {})
        if name not in names:
            names[name] = first
            self._further.setdefault((space, first), []).append(name)

    def forget(self, lock_key: tuple[Keyspace, Key]) -> None:
        """The lock is nobody's any more."""
        further = self._further.pop(lock_key, None)
        if further is None:
            return
        space = lock_key[0]
        names = self.spaces[space]
        for name in further:
            del names[name]
        if not names:
            del self.spaces[space]


__all__ = ["LockNames"]
