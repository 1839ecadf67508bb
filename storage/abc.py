"""The shapes that cross this room's walls.

Everything durable goes through two narrow doors. A **blob store** keeps immutable bytes under
names; a **consensus** keeps, per shard, a gapless log of small entries and lets exactly one
writer win each position. Whatever is built above is a function of those two.

    blob         put-once bytes          parts (Parquet), rollups
    consensus    shard -> [entry 1, entry 2, ...]    compare-and-append, scan, truncate

**Datums.** Rows travel as tuples of *datums*: the physical Python value of a column, chosen so
that msgpack, Arrow and a comparison in memory all take it as it is. The Arrow type of the
column says which:

    Arrow type                         datum
    bool                               bool
    int16 / int32 / int64              int
    float32 / float64                  float
    decimal128(p, s)                   decimal.Decimal with exactly s places
    string                             str         (text, varchar, uuid, json, numeric without typmod, ...)
    binary                             bytes
    date32                             int         days since 1970-01-01; ±infinity are ±2147483647
    time64[us]                         int         microseconds since midnight
    timestamp[us] (tz UTC or none)     int         microseconds since 1970; ±infinity are ±(2**63-1)
    struct<months: int32, days: int32, micros: int64>   (int, int, int)   an interval
    list<T>                            list of datums
    any                                None        NULL
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Datum = Any
Row = tuple[Any, ...]
ShardId = str
"""Names a shard for ever: `txns`, `catalog`, or `t` and a number that is never used again."""

Timestamp = int
"""Microseconds since the Unix epoch, logical, unsigned 64 bits."""

TIMESTAMP_MAX: Timestamp = (1 << 64) - 1
RID_MAX = (1 << 63) - 1


class StorageError(Exception):
    """Root of this room's errors."""


class Determinate(StorageError):
    """It did not happen, and never will."""


class Indeterminate(StorageError):
    """It may have happened: ask again with the idempotency token before you say anything."""


class SeqnoMismatch(Determinate):
    """Another writer holds the position. `current` is the log's last seqno (0: empty log)."""

    def __init__(self, shard: ShardId, expected: int, current: int) -> None:
        super().__init__(f"shard {shard}: expected seqno {expected}, found {current}")
        self.shard, self.expected, self.current = shard, expected, current


class Busy(Determinate):
    """Another process was writing to the consensus at this moment: nothing was done."""


class UpperMismatch(Determinate):
    """The shard's upper is not where the writer believed it to be."""

    def __init__(self, shard: ShardId, expected: Timestamp, current: Timestamp) -> None:
        super().__init__(f"shard {shard}: expected upper {expected}, found {current}")
        self.shard, self.expected, self.current = shard, expected, current


class SinceViolation(Determinate):
    """A read below `since` cannot be right any more."""

    def __init__(self, shard: ShardId, as_of: Timestamp, since: Timestamp) -> None:
        super().__init__(f"shard {shard}: as_of {as_of} is before since {since}")
        self.shard, self.as_of, self.since = shard, as_of, since


class CorruptBlob(Determinate):
    """A blob's bytes are not those that were written (or are gone). Names the blob."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"blob {key!r} is corrupt: {reason}")
        self.key, self.reason = key, reason


class InvalidDatum(Determinate):
    """A row that its column's type, or the codec, cannot hold: a caller's mistake, found before storing."""


class LeaseExpired(Determinate):
    """A reader did not renew its lease in time: what it held back may be gone."""


class FormatTooNew(Determinate):
    """Written by a newer Tidewire than this one."""


class StorageFull(Determinate):
    """No space left where the log or the parts are kept (becomes 53100 on the wire)."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of a shard's log in consensus. Seqnos start at 1 and have no gaps."""

    seqno: int
    data: bytes


class Consensus(Protocol):
    """A gapless log per shard; the only place in the whole system where writers race."""

    synchronous: bool
    """Whether `append_now` exists and is worth calling on the event loop (a local, fast disk)."""

    async def head(self, shard: ShardId) -> LogEntry | None:
        """The newest entry, or None for a shard that has none."""

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        """Entries with seqno >= from_seqno in order, at most `limit`. Truncated ones are absent."""

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        """Appends entry `expected_seqno + 1` if the log's last seqno is `expected_seqno` (0: empty).

        Durable when it returns. Returns the new seqno. Appending again with the token that the
        entry at `expected_seqno + 1` carries returns that seqno too: so an answer that was lost is
        found again. Raises SeqnoMismatch, Determinate, Indeterminate.
        """

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        """`compare_and_append` without leaving the caller's turn of the event loop.

        Only where `synchronous` is true.
        """

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        """Forgets entries with seqno < below_seqno (never the newest). Returns how many."""

    async def shards(self) -> list[ShardId]:
        """All shards that have a log."""

    async def delete(self, shard: ShardId) -> None:
        """Forgets a shard's log altogether (after its table was dropped and forgotten)."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class BlobInfo:
    key: str
    size_bytes: int
    modified_us: int


class Blob(Protocol):
    """Immutable bytes under names. A put is atomic: all of it or none."""

    url: str

    async def get(self, key: str) -> bytes:
        """Raises CorruptBlob when it is absent: whoever asks holds a reference to it."""

    async def put(self, key: str, data: bytes) -> None: ...

    async def delete(self, key: str) -> None:
        """Deleting what is absent is no error."""

    async def settle(self, key: str) -> None:
        """Makes a blob that another program has written as durable as one of our own puts."""

    def list(self, prefix: str) -> AsyncIterator[BlobInfo]: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a batch: rows of one shard, inserted or deleted.

    Inline parts carry msgpack in `data`; the others name a Parquet blob. All rows happen at `ts`,
    unless `has_ts`: then (compacted parts) the column `_ts` says when each happened.
    Insertions hold `_rid` and the columns, deletions `_rid` alone.

    With `has_ts`, `ts` is the least of the rows' times and `ts_max` the greatest, so `ts <= as_of`
    says of every part whether a read needs it. `schema_version` counts the shard's schemas from 1;
    0 means "the shard's newest when the part is appended", which is right for every writer that
    appends in timestamp order.
    """

    kind: str  # "+" insertions, "-" deletions
    row_count: int
    size_bytes: int
    ts: Timestamp
    has_ts: bool = False
    key: str | None = None
    data: bytes | None = None
    checksum: int = 0  # CRC-32 of the blob's bytes
    rid_min: int = 0
    rid_max: int = 0
    ts_max: Timestamp = 0  # with has_ts: the greatest time in the part; otherwise unused
    schema_version: int = 0

    @property
    def newest_ts(self) -> Timestamp:
        """The time of the part's last update."""
        return self.ts_max if self.has_ts else self.ts

    def at(self, ts: Timestamp) -> Part:
        """The same rows at another time: a metadata change, no data is touched."""
        if self.has_ts:
            raise AssertionError("a compacted part has its own times")
        return Part(
            self.kind,
            self.row_count,
            self.size_bytes,
            ts,
            False,
            self.key,
            self.data,
            self.checksum,
            self.rid_min,
            self.rid_max,
            0,
            self.schema_version,
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that happened to one shard in `[lower, upper)`."""

    lower: Timestamp
    upper: Timestamp
    parts: Sequence[Part]


class Clock(Protocol):
    """Where the machines get the time from; a simulated one in tests."""

    def now_us(self) -> int: ...
