"""A commit group whose entry tells the other servers what was written (`marks`)."""

from __future__ import annotations

from collections.abc import Sequence

from storage.abc import Timestamp
from txn.conflicts import ConflictIndex
from txn.group import CommitGroup
from txn.lock_table import LockId, Record
from txn.log_entry import Entry
from txn.shared.marks import Marks, Told
from txn.txns_state import TxnsState


class SharedGroup(CommitGroup):
    """See `txn.abc.Group`, and what only an environment of several servers has."""

    __slots__ = ("_locks", "_rids", "_told", "expelled")

    def __init__(self, ts: Timestamp, state: TxnsState, conflicts: ConflictIndex) -> None:
        super().__init__(ts, state, conflicts)
        self._told: list[Told] = []
        self._rids = 0
        self._locks: dict[LockId, None] = {}
        self.expelled: list[int] = []
        """Servers whose locks are taken out."""

    def put_lock(self, lock: LockId, record: Record) -> None:
        """The lock becomes this, at once for later members, and for everybody when the group is durable."""
        table = self._state.locks
        before = table.put(lock, record)
        self.operations += 1
        self._locks[lock] = None

        def put_back() -> None:
            table.put(lock, before)

        self.undo(put_back)

    def tell(self, notifications: Sequence[Told]) -> None:
        """NOTIFYs that the other servers deliver when they learn of this commit."""
        self.operations += 1
        self._told += notifications

    def lease_rids(self, n: int) -> int:
        """The first of `n` row ids that nobody else gets, ever."""
        first = self._rids or self._state.rids
        self.operations += 1
        self._rids = first + n
        return first

    @property
    def has_work(self) -> bool:
        return bool(self._told or self._rids or self._locks) or super().has_work

    def seal(self, epoch: int) -> Entry:
        entry = super().seal(epoch)
        marks = Marks.of(
            ((keys.space, key, keys.columns) for keys, key, _ in self._records),
            (s for s, _ in self._wholes),
            self._told,
        )
        if marks:
            entry.marks = marks.pack()
        if self._rids:
            entry.rids = self._rids
        if self._locks:
            table = self._state.locks
            entry.locks = [(lock, *table[lock]) for lock in self._locks]
            entry.expelled = self.expelled
        return entry
