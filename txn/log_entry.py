"""The entries of the txns shard's log, and their bytes.

One entry is one append: one timestamp, one atomic step of the whole environment. Everything that
must happen together is in the same entry.

    Entry
      epoch        of the writer: a newer one fences the older
      ts           the entry's timestamp; 0 if it does not advance time
      writes       shard -> parts, each inline (rows as bytes) or a blob          (+1)
      tidy         shard -> (le_ts, count): retracts exactly those parts' commits   (-1)
      register     (shard, schema)                                                (+1)
      forget       shard: no more writes; retracted when all its work is applied
      retract      (shard, ts, schema): the exact registration that goes          (-1)
      bury         shard: a forgotten one, whose log and blobs have been deleted
      rids, leases, reserve, since      high-water marks that ride along
      marks        which keys were written, for the other servers of a shared environment (`txn.shared.marks`)
      locks        what advisory locks of all servers have become (`txn.lock_table`)
      expelled     servers that were silent for too long: they have lost all of those
      token        the writer and its count, by which a lost answer is found again
    Rollup
      the whole state, so that what precedes it may be truncated

Bytes are the format's number, a checksum, and a msgpack array: a bit that flipped in the log is told from an entry
that nobody ever wrote. (Format 1 was the bare array, and is still read.) An entry is packed once, whatever the
number of its members. A retraction of writes names what it takes out by shard, bound and exact
count; as the writes of a shard are applied in the order of their timestamps, that identifies
each of them without repeating its bytes, and the state machine verifies the count.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import msgpack

from storage.abc import CorruptBlob, FormatTooNew, Part, ShardId, Timestamp
from txn.lock_table import RawRecord

FORMAT = 2
_BARE = 1
"""The format without number and checksum before the array, which begins with this."""
_SEAL_BYTES = 5
_NUMBERS_MAX = 0x7F
"""Beyond are the first bytes of msgpack arrays."""

RawPart = tuple[Any, ...]
"""(kind, rows, data) inline, or (kind, rows, key, size_bytes, checksum, rid_min, rid_max) in a blob."""


class Entry:
    """One append to the txns shard. See the module's opening for the fields.

    Most entries are **plain**: writes and nothing else. What rides along on others is an attribute of theirs alone, so a plain
    one costs no more than its four fields, and who looks at entries one by one finds out at a glance.
    """

    tidy: Mapping[ShardId, tuple[Timestamp, int]] = MappingProxyType({})
    register: Sequence[tuple[ShardId, bytes]] = ()
    forget: Sequence[ShardId] = ()
    retract: Sequence[tuple[ShardId, Timestamp, bytes]] = ()
    rids: int = 0
    leases: Mapping[str, int] = MappingProxyType({})
    unlease: Sequence[str] = ()
    bury: Sequence[ShardId] = ()
    reserve: Timestamp = 0
    since: Timestamp = 0
    mode: str = ""
    marks: bytes = b""
    locks: Sequence[RawRecord] = ()
    expelled: Sequence[int] = ()

    def __init__(
        self,
        epoch: int,
        ts: Timestamp,
        writes: dict[ShardId, list[RawPart]] | None = None,
        *,
        token: bytes = b"",
        **riders: Any,
    ) -> None:
        self.epoch = epoch
        self.ts = ts
        self.writes = {} if writes is None else writes
        self.token = token
        for name, value in riders.items():
            if name not in _RIDERS:
                raise TypeError(f"an entry has no {name}")
            setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and _told(self) == _told(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Entry({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    @property
    def is_plain(self) -> bool:
        """Writes, and nothing else."""
        return len(self.__dict__) == _PLAIN_FIELDS

    @property
    def is_empty(self) -> bool:
        """Nothing but, perhaps, the passing of time."""
        return not self.writes and not _riders(self)


@dataclass(frozen=True, slots=True)
class Rollup:
    """A snapshot of the state, inline (`state`) or in a blob (`key`, `checksum`)."""

    epoch: int
    state: dict[str, Any] | None
    key: str | None = None
    checksum: int = 0


_PLAIN_FIELDS = 4
# A packer is reused: creating one costs as much as packing a small entry.
_packer = msgpack.Packer(autoreset=True, use_bin_type=True)
_RIDERS = (
    "tidy", "register", "forget", "retract", "rids", "leases", "unlease", "bury", "reserve", "since", "mode", "marks", "locks",
    "expelled",
)  # fmt: skip


def encode(entry: Entry) -> bytes:
    """The bytes of an entry. Riders that are absent cost nothing."""
    riders = {} if entry.is_plain else _riders(entry)
    return _sealed(_packer.pack((FORMAT, "e", entry.epoch, entry.ts, entry.writes, riders, entry.token)))


def _riders(entry: Entry) -> dict[str, Any]:
    return {name: value for name in _RIDERS if (value := getattr(entry, name))}


def _told(entry: Entry) -> list[Any]:
    """All fields, those that the entry does not have included."""
    return [entry.epoch, entry.ts, entry.writes, entry.token, *(getattr(entry, name) for name in _RIDERS)]


def encode_rollup(rollup: Rollup) -> bytes:
    return _sealed(_packer.pack((FORMAT, "r", rollup.epoch, rollup.state, rollup.key, rollup.checksum)))


def _sealed(body: bytes) -> bytes:
    return bytes((FORMAT,)) + zlib.crc32(body, FORMAT).to_bytes(4, "big") + body


def _opened(data: bytes, where: str) -> bytes:
    """The msgpack array, once its checksum was found true."""
    if not data or data[0] > _NUMBERS_MAX:
        return data
    if data[0] > FORMAT:
        raise FormatTooNew(f"{where} has format {data[0]}, this version of Tidewire reads up to {FORMAT}")
    body = data[_SEAL_BYTES:]
    if zlib.crc32(body, data[0]) != int.from_bytes(data[1:_SEAL_BYTES], "big"):
        raise CorruptBlob(where, "an entry's checksum is not that of its bytes")
    return body


def decode(data: bytes, where: str = "txns") -> Entry | Rollup:
    """The inverse of both encoders. Raises FormatTooNew, and CorruptBlob for bytes that are neither."""
    body = _opened(data, where)
    try:
        fields = msgpack.unpackb(body, use_list=False, strict_map_key=False)
    except (ValueError, msgpack.UnpackException) as e:
        raise CorruptBlob(where, f"not msgpack: {e}") from e
    if not isinstance(fields, tuple) or not fields or not isinstance(fields[0], int):
        raise CorruptBlob(where, "not an entry of the txns shard")
    if body is data and fields[0] != _BARE:
        raise CorruptBlob(where, "an entry without its checksum")
    try:
        if fields[1] == "r":
            _, _, epoch, state, key, checksum = fields
            return Rollup(epoch, state, key, checksum)
        _, kind, epoch, ts, writes, riders, token = fields
        if kind != "e":
            raise CorruptBlob(where, f"unknown kind of entry {kind!r}")
        entry = Entry(epoch, ts, {shard: list(parts) for shard, parts in writes.items()}, token=token)
        for name, value in riders.items():
            if name not in _RIDERS:
                raise FormatTooNew(f"{where} has an unknown rider {name!r}")
            setattr(entry, name, list(value) if isinstance(value, tuple) else value)
        return entry
    except (TypeError, ValueError) as e:
        raise CorruptBlob(where, f"malformed entry: {e}") from e


def raw_part(part: Part) -> RawPart:
    """A part as an entry carries it; its timestamp is the entry's."""
    if part.has_ts:
        raise AssertionError("a part with times of its own cannot be committed at another time")
    if part.data is not None:
        return (part.kind, part.row_count, part.data)
    if part.key is None:
        raise AssertionError("a part is inline or in a blob")
    return (part.kind, part.row_count, part.key, part.size_bytes, part.checksum, part.rid_min, part.rid_max)


def part_at(raw: RawPart, ts: Timestamp) -> Part:
    """The part as the data shard gets it."""
    if len(raw) == 3:
        kind, rows, data = raw
        return Part(kind, rows, len(data), ts, data=data)
    kind, rows, key, size_bytes, checksum, rid_min, rid_max = raw
    return Part(kind, rows, size_bytes, ts, key=key, checksum=checksum, rid_min=rid_min, rid_max=rid_max)
