"""What a shard is at one seqno of its log, and the bytes of that.

A state is immutable: whoever took one can go on reading from it while the log moves. The log is a
chain of diffs with a **rollup** (a whole state) now and then; entries below a rollup are truncated,
so a log is at most one rollup and a bounded run of diffs long.

    [rollup @57] [diff 58] [diff 59] ... [diff 171] [rollup @172]     <- then below 172 is forgotten

Every entry says which format it is of and carries a checksum; it also says which writer wrote it, and the writer's own count of its
commands. State keeps that count, one per writer that was heard of lately: the **idempotency
token**. A writer whose answer was lost looks itself up and knows, even when the entry is long
truncated.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import msgpack

from storage import rows as codec
from storage.abc import CorruptBlob, FormatTooNew, Part, ShardId, Timestamp
from storage.parts import part_from_list, part_to_list

FORMAT = 1
"""Of entries and states. Greater ones were written by a newer Tidewire."""

WRITER_MEMORY_US = 60 * 60 * 1_000_000
"""A writer that was silent for longer has had its answer, or never will."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A reader's hold: reads at `since` and later, of states at `seqno` and later, until it expires."""

    since: Timestamp
    seqno: int
    expires_us: int


@dataclass(frozen=True, slots=True)
class Garbage:
    """A blob that states from `seqno` on no longer name."""

    key: str
    seqno: int
    dropped_us: int


@dataclass(frozen=True, slots=True)
class Heard:
    """The last command of a writer."""

    count: int
    at_us: int


@dataclass(frozen=True, slots=True)
class State:
    """See the module. `parts` pairs each part with its number, by which compaction names it."""

    shard: ShardId
    seqno: int = 0
    since: Timestamp = 0
    upper: Timestamp = 0
    schemas: tuple[bytes, ...] = ()
    parts: tuple[tuple[int, Part], ...] = ()
    next_part: int = 1
    leased: dict[str, Lease] = field(default_factory=dict)
    critical: dict[str, Timestamp] = field(default_factory=dict)
    writers: dict[bytes, Heard] = field(default_factory=dict)
    garbage: tuple[Garbage, ...] = ()
    rollup_seqno: int = 0
    rollup_bytes: int = 0
    rollup_key: str | None = None
    log_bytes: int = 0  # of diffs since the rollup

    @property
    def hold(self) -> Timestamp | None:
        """The least time that some reader still wants; None without readers."""
        holds = [lease.since for lease in self.leased.values()] + list(self.critical.values())
        return min(holds, default=None)


@dataclass(frozen=True, slots=True)
class Diff:
    """What one command changes. Everything absent stays as it is."""

    since: Timestamp | None = None
    upper: Timestamp | None = None
    schema: bytes | None = None
    added: tuple[Part, ...] = ()
    removed: tuple[int, ...] = ()
    leased: dict[str, Lease | None] = field(default_factory=dict)
    critical: dict[str, Timestamp | None] = field(default_factory=dict)
    collected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who wrote an entry, as its how many-eth, and when by its own clock."""

    writer: bytes
    count: int
    at_us: int

    @property
    def token(self) -> bytes:
        return self.writer + self.count.to_bytes(8, "big")


@dataclass(frozen=True, slots=True)
class Rollup:
    """A whole state, here or in a blob."""

    state: State | None
    key: str | None = None
    size_bytes: int = 0
    checksum: int = 0


_MISSHAPEN = (ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What taking foreign bytes apart may raise. The checksum makes that a matter of bugs, not of disks."""


# --- bytes -------------------------------------------------------------------------------------


def encode_diff(diff: Diff, stamp: Stamp) -> bytes:
    body: dict[str, Any] = {}
    if diff.since is not None:
        body["s"] = diff.since
    if diff.upper is not None:
        body["u"] = diff.upper
    if diff.schema is not None:
        body["c"] = diff.schema
    if diff.added:
        body["+"] = [part_to_list(p) for p in diff.added]
    if diff.removed:
        body["-"] = list(diff.removed)
    if diff.leased:
        body["l"] = {k: None if v is None else _lease_list(v) for k, v in diff.leased.items()}
    if diff.critical:
        body["k"] = diff.critical
    if diff.collected:
        body["g"] = list(diff.collected)
    return _sealed(msgpack.packb(["d", stamp.writer, stamp.count, stamp.at_us, body]))


def encode_rollup(rollup: Rollup, stamp: Stamp) -> bytes:
    if rollup.state is not None:
        body: Any = encode_state(rollup.state)
    else:
        body = [rollup.key, rollup.size_bytes, rollup.checksum]
    return _sealed(msgpack.packb(["r", stamp.writer, stamp.count, stamp.at_us, body]))


def _sealed(body: bytes) -> bytes:
    return bytes((FORMAT,)) + zlib.crc32(body, FORMAT).to_bytes(4, "big") + body


def decode_entry(shard: ShardId, data: bytes) -> tuple[Stamp, Diff | Rollup]:
    """Raises FormatTooNew, and CorruptBlob naming the shard's log for bytes that are no entry."""
    log = f"log of shard {shard}"
    if len(data) < 5:
        raise CorruptBlob(log, f"an entry of {len(data)} bytes")
    if data[0] > FORMAT:
        raise FormatTooNew(f"shard {shard} has an entry of format {data[0]}, this is {FORMAT}")
    if zlib.crc32(data[5:], data[0]) != int.from_bytes(data[1:5], "big"):
        raise CorruptBlob(log, "an entry's checksum is not that of its bytes")
    try:
        kind, writer, count, at_us, body = codec.unpack(data[5:])
        stamp = Stamp(writer, count, at_us)
        if kind == "d":
            return stamp, _diff_from(body)
        if kind == "r":
            if isinstance(body, bytes):
                return stamp, Rollup(decode_state(shard, body))
            return stamp, Rollup(None, *body)
    except _MISSHAPEN as e:
        raise CorruptBlob(log, str(e)) from e
    raise CorruptBlob(log, f"an entry of kind {kind!r}")


def _diff_from(body: dict[str, Any]) -> Diff:
    return Diff(
        since=body.get("s"),
        upper=body.get("u"),
        schema=body.get("c"),
        added=tuple([part_from_list(p) for p in body.get("+", ())]),
        removed=tuple(body.get("-", ())),
        leased={k: None if v is None else Lease(*v) for k, v in body.get("l", {}).items()},
        critical=body.get("k", {}),
        collected=tuple(body.get("g", ())),
    )


def encode_state(state: State) -> bytes:
    packed: bytes = msgpack.packb(
        [
            FORMAT,
            state.shard,
            state.seqno,
            state.since,
            state.upper,
            list(state.schemas),
            [[number, part_to_list(part)] for number, part in state.parts],
            state.next_part,
            {k: _lease_list(v) for k, v in state.leased.items()},
            state.critical,
            [[w, h.count, h.at_us] for w, h in state.writers.items()],
            [[g.key, g.seqno, g.dropped_us] for g in state.garbage],
            state.rollup_key,
        ]
    )
    return packed


def decode_state(shard: ShardId, data: bytes) -> State:
    """Raises FormatTooNew, and ValueError for other bytes."""
    try:
        return _state_from(shard, codec.unpack(data))
    except _MISSHAPEN as e:
        raise ValueError(f"not a state: {e}") from e


def _state_from(shard: ShardId, fields: Any) -> State:
    if fields[0] > FORMAT:
        raise FormatTooNew(f"shard {shard} has a state of format {fields[0]}, this is {FORMAT}")
    _, name, seqno, since, upper, schemas, parts, next_part, leased, critical, writers, garbage, key = fields
    if name != shard:
        raise ValueError(f"the state of shard {name}")
    return State(
        shard,
        seqno,
        since,
        upper,
        tuple(schemas),
        tuple([(number, part_from_list(part)) for number, part in parts]),
        next_part,
        {k: Lease(*v) for k, v in leased.items()},
        critical,
        {w: Heard(count, at_us) for w, count, at_us in writers},
        tuple([Garbage(*g) for g in garbage]),
        rollup_key=key,
    )


def _lease_list(lease: Lease) -> list[int]:
    return [lease.since, lease.seqno, lease.expires_us]
