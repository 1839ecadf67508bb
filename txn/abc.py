"""The shapes that cross this room's walls.

A transaction reads as of one timestamp and, if it writes, becomes a **member** of a commit group.
The committer takes the queue as it stands, gives the group one write timestamp, lets each member
*admit* itself in order, makes one append, and answers everybody:

    submit(m) submit(m) submit(m)             submit(m) submit(m)
        \\________|________/                      \\______/
          group at ts=101      --append-->          group at ts=102   ...
          m.admit(group) each                       (forms while 101 becomes durable)
          m.committed(101) each

Admission order is the serial order inside a timestamp: a member sees what the members before it
wrote. **Multi-version rows make publication free**: a member's `admit` puts its new versions
where readers look, stamped with the group's timestamp, which is greater than every read timestamp
handed out so far; they become visible when the oracle's read timestamp passes it. Should the
append fail, the group's `undo` callbacks take the versions out again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from storage.abc import Part, Row, ShardId, Timestamp
from txn.columns import ALL_COLUMNS, Columns

Key = Any
"""What orders and names a row inside a keyspace: a datum, or a tuple of datums for several columns.
A table without a primary key uses its row ids."""

Keyspace = str
"""A shard's id (primary key or row id), or `shard/index` for a secondary unique key."""


class Isolation(enum.Enum):
    """Levels as `SET transaction_isolation` spells them; order says which is stronger."""

    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"
    STRICT_SERIALIZABLE = "strict serializable"


class TxnError(Exception):
    """Root of this room's errors."""


class SerializationFailure(TxnError):
    """40001: something that was read or written has changed since the snapshot."""

    def __init__(
        self, message: str, *, detail: str = "", hint: str = "The transaction might succeed if retried."
    ) -> None:
        super().__init__(message)
        self.detail, self.hint = detail, hint


class DeadlockDetected(TxnError):
    """40P01. `detail` has a line for each wait of the cycle."""

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class LockNotAvailable(TxnError):
    """55P03: `lock_timeout` passed, or NOWAIT."""


class TransactionExpired(TxnError):
    """The transaction outlived the conflict window or its read hold's maximum age (25P04 / 40001)."""


class CommitUnknown(TxnError):
    """08007 / 40003: the append may or may not have happened, and it could not be found out in time."""


class CommitFailed(TxnError):
    """The append definitely did not happen (disk full, consensus gone before sending): no trace is left."""


class NoLongerCommitting(TxnError):
    """57P01: nothing of this was ever sent, and never will be: the outcome of an earlier commit is unknown, and
    until the environment is opened again nobody may build on it."""


class AnswerFailed(TxnError):
    """08007: the commit is durable (the message says so), and what was to be done upon it went wrong."""


class Fenced(TxnError):
    """A newer leader owns the environment: this process may neither write nor answer as the leader."""


class Unregistered(TxnError):
    """The shard is not registered with the txns shard (or was forgotten)."""


class TimestampTaken(TxnError):
    """`commit_at` came too late. `least` is the least timestamp that is still free."""

    def __init__(self, wanted: Timestamp, least: Timestamp) -> None:
        super().__init__(f"timestamp {wanted} is taken, the least free one is {least}")
        self.wanted, self.least = wanted, least


class QueueFull(TxnError):
    """53300: more transactions wait to commit than the configured limit."""


@dataclass(slots=True)
class ShardWrites:
    """What one group does to one shard, in the order of admission."""

    inserts: list[tuple[int, Row]] = field(default_factory=list)  # (rid, row)
    deletes: list[int] = field(default_factory=list)  # rids
    parts: list[Part] = field(default_factory=list)  # staged earlier, re-timestamped to the group


class Group(Protocol):
    """The group that a member is being admitted to."""

    ts: Timestamp

    def leased(self, name: str, start: int = 1) -> int:
        """The first number of `name` that no lease has taken yet, those of this group included."""

    def insert_each(self, shard: ShardId, rows: Sequence[tuple[int, Row]]) -> None:
        """`insert` of many (row id, row)."""

    def insert(self, shard: ShardId, rid: int, row: Row) -> None: ...

    def insert_new(self, shard: ShardId, key: Key, rid: int, row: Row) -> None:
        """`insert` and `wrote` of a row under a key that nobody has."""

    def delete(self, shard: ShardId, rid: int) -> None: ...

    def write(self, shard: ShardId, inserts: Mapping[int, Row], deletes: Collection[int]) -> None:
        """All rows of one member to one shard: rows by row id, and the row ids that go."""

    def add_part(self, shard: ShardId, part: Part) -> None: ...

    def register(self, shard: ShardId, schema: bytes) -> None:
        """Starts a data shard in this very append. `schema` is a serialised Arrow schema."""

    def forget(self, shard: ShardId) -> None: ...

    def wrote(self, space: Keyspace, key: Key, columns: Columns = ALL_COLUMNS) -> None:
        """Tells the conflict index. Also for keys of deleted rows and secondary unique keys. `columns`: all but of rows that
        stay under this key (`txn.columns`)."""

    def wrote_each(self, space: Keyspace, keys: Mapping[Key, tuple[object, Columns]]) -> None:
        """`wrote` for all keys of one member in a keyspace; of the pairs the second is what counts."""

    def wrote_all(self, space: Keyspace, *, fresh: bool = False) -> None:
        """A write too large to list by key: conflicts with whatever read any key of it, and, unless the rows are new
        (`fresh`), with whatever wrote one."""

    def on_sealed(self, callback: Callable[[], None]) -> None:
        """Called once everybody is admitted and the append has begun, if it takes longer than this turn of
        the loop: the time to let the next writer of a row go on."""

    def undo(self, callback: Callable[[], None]) -> None:
        """Called (last first) if the append definitely fails after this member was admitted."""


class Member(Protocol):
    """One transaction waiting to commit. All calls come on the event loop's thread."""

    def admit(self, group: Group) -> None:
        """Validates, then writes. Raises to be refused; must not raise after its first write.

        May be called again, on another group, if another process moved the log meanwhile (its
        undo callbacks have run by then).
        """

    def committed(self, ts: Timestamp) -> None:
        """Durable and readable."""

    def failed(self, error: Exception) -> None:
        """Refused, failed or unknown (CommitUnknown): the error says which."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One append as others see it: what a tailing reader applies to its image."""

    ts: Timestamp
    writes: dict[ShardId, ShardWrites]
    registered: Sequence[tuple[ShardId, bytes]] = ()
    forgotten: Sequence[ShardId] = ()
