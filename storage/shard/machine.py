"""The shard as a pure state machine: (state, command) -> diff, (state, diff) -> state.

No I/O, no clock, no randomness: what a command may do is decided here and nowhere else, and a test
can read it as a table. `decide` answers with the diff that makes the command true, with None when it
is true already, or raises a Determinate error that says why it cannot be.

    Append         [upper, new_upper) holds these parts
    Evolve         from here on rows have this schema
    AllowSince     nobody here needs times below this any more (clamped by the readers' holds)
    Replace        these parts become those: compaction
    Lease, Release, Expire, Hold, Unhold        readers
    Collect        these blobs of the garbage are gone

**Invariants**, asserted in `apply` and attacked by `tests/storage/test_machine.py`:

    since and upper never decrease;                since <= upper, and below it by AllowSince
    since <= every reader's hold (as long as its lease lasts)
    every part's times lie in [0, upper);          part numbers are never used twice
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import pyarrow as pa

from storage.abc import (
    TIMESTAMP_MAX,
    Determinate,
    LeaseExpired,
    Part,
    ShardId,
    SinceViolation,
    Timestamp,
    UpperMismatch,
)
from storage.parts import HIDDEN
from storage.rows import field_identity
from storage.shard.state import WRITER_MEMORY_US, Diff, Garbage, Heard, Lease, Stamp, State

_K = TypeVar("_K")
_V = TypeVar("_V")

READERS_MAX = 10_000
SCHEMAS_MAX = 10_000


class SchemaMismatch(Determinate):
    """A schema that rows already written cannot be read under, or none where one is needed."""


class PartsGone(Determinate):
    """Another compaction was faster."""


class BadBatch(Determinate):
    """A batch that contradicts itself: a writer's mistake."""


@dataclass(frozen=True, slots=True)
class Append:
    expected_upper: Timestamp
    new_upper: Timestamp
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Evolve:
    schema: bytes


@dataclass(frozen=True, slots=True)
class AllowSince:
    since: Timestamp


@dataclass(frozen=True, slots=True)
class Replace:
    removed: tuple[int, ...]
    added: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class TakeLease:
    """Opens a lease, renews it, or moves it up. `since` None: where it is, or the shard's since."""

    reader: str
    expires_us: int
    since: Timestamp | None = None
    renew: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    reader: str


@dataclass(frozen=True, slots=True)
class Expire:
    now_us: int


@dataclass(frozen=True, slots=True)
class Hold:
    """A critical reader: it holds `since` back until it says otherwise."""

    reader: str
    since: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class Unhold:
    reader: str


@dataclass(frozen=True, slots=True)
class Collect:
    keys: tuple[str, ...]


Command = Append | Evolve | AllowSince | Replace | TakeLease | Release | Expire | Hold | Unhold | Collect


def decide(state: State, command: Command) -> Diff | None:
    """The diff that makes `command` true of `state`; None if it is true already."""
    match command:
        case Append():
            return _append(state, command)
        case Evolve(schema):
            return _evolve(state, schema)
        case AllowSince(since):
            # Below the upper: there is always a time at which everything can be read, after a restart above all.
            allowed = min(since, state.upper - 1, *_holds(state))
            return Diff(since=allowed) if allowed > state.since else None
        case Replace(removed, added):
            return _replace(state, removed, added)
        case TakeLease():
            return _take_lease(state, command)
        case Release(reader):
            return Diff(leased={reader: None}) if reader in state.leased else None
        case Expire(now_us):
            expired: dict[str, Lease | None] = {
                reader: None for reader, lease in state.leased.items() if lease.expires_us <= now_us
            }
            return Diff(leased=expired) if expired else None
        case Hold(reader, since):
            return _hold(state, reader, since)
        case Unhold(reader):
            return Diff(critical={reader: None}) if reader in state.critical else None
        case Collect(keys):
            known = {g.key for g in state.garbage}
            gone = tuple([k for k in keys if k in known])
            return Diff(collected=gone) if gone else None


def _append(state: State, command: Append) -> Diff | None:
    if command.expected_upper != state.upper:
        raise UpperMismatch(state.shard, command.expected_upper, state.upper)
    if command.new_upper == state.upper and not command.parts:
        return None
    if not state.upper < command.new_upper <= TIMESTAMP_MAX:
        raise BadBatch(f"shard {state.shard}: upper would go from {state.upper} to {command.new_upper}")
    for part in command.parts:
        if not state.upper <= part.ts <= part.newest_ts < command.new_upper:
            raise BadBatch(
                f"shard {state.shard}: a part at {part.ts} to {part.newest_ts}"
                f" in a batch of [{state.upper}, {command.new_upper})"
            )
    return Diff(upper=command.new_upper, added=_checked(state, command.parts))


def _checked(state: State, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts with their schema's version filled in, each known to make sense."""
    newest = len(state.schemas)
    checked = []
    for part in parts:
        if part.kind not in ("+", "-") or part.row_count <= 0 or (part.key is None) == (part.data is None):
            raise BadBatch(f"shard {state.shard}: {part!r} is no part")
        if part.kind == "+" and newest == 0:
            raise SchemaMismatch(f"shard {state.shard} has no schema yet")
        if part.schema_version > newest:
            raise SchemaMismatch(
                f"shard {state.shard}: schema {part.schema_version} of {newest} is not known here"
            )
        checked.append(part if part.schema_version else replace(part, schema_version=newest))
    return tuple(checked)


def _evolve(state: State, schema: bytes) -> Diff | None:
    if state.schemas and state.schemas[-1] == schema:
        return None
    if len(state.schemas) >= SCHEMAS_MAX:
        raise SchemaMismatch(f"shard {state.shard} has had {SCHEMAS_MAX} schemas")
    new = decode_schema(state.shard, schema)
    if state.schemas:
        check_evolution(state.shard, [decode_schema(state.shard, s) for s in state.schemas], new)
    return Diff(schema=schema)


def decode_schema(shard: ShardId, data: bytes) -> pa.Schema:
    """A serialised Arrow schema, checked to be one that a shard can have."""
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(data))
    except (pa.ArrowException, OSError) as e:
        raise SchemaMismatch(f"shard {shard}: not an Arrow schema: {e}") from e
    identities = set()
    names = set()
    for f in schema:
        if f.name in HIDDEN:
            raise SchemaMismatch(f"shard {shard}: column name {f.name!r} is reserved")
        identities.add(field_identity(f))
        names.add(f.name)
    if len(identities) != len(schema) or len(names) != len(schema):
        raise SchemaMismatch(f"shard {shard}: two columns of the schema are the same one")
    return schema


_WIDENED: Final = pa.int64(), pa.uint64()
"""Numbers that are never negative, and were held without the upper half of them: what there is of them is read as the new type."""


def check_evolution(shard: ShardId, earlier: Sequence[pa.Schema], new: pa.Schema) -> None:
    """Columns may come, go and be renamed; a column that stays, or comes back, keeps its type, or has one that holds all that it held."""
    types = {field_identity(f): f.type for schema in earlier for f in schema}
    for f in new:
        before = types.get(field_identity(f))
        if before is not None and not before.equals(f.type) and (before, f.type) != _WIDENED:
            raise SchemaMismatch(f"shard {shard}: column {f.name!r} was {before} and cannot be {f.type}")
        if before is None and not f.nullable:
            raise SchemaMismatch(f"shard {shard}: new column {f.name!r} must be nullable: older rows lack it")


def _replace(state: State, removed: tuple[int, ...], added: tuple[Part, ...]) -> Diff:
    numbers = {number for number, _ in state.parts}
    if not removed or not numbers.issuperset(removed):
        raise PartsGone(f"shard {state.shard}: parts {sorted(set(removed) - numbers)} are not there")
    for part in added:
        if part.newest_ts >= state.upper:
            raise BadBatch(f"shard {state.shard}: compaction made {part.newest_ts}, upper is {state.upper}")
    return Diff(removed=removed, added=_checked(state, added))


def _take_lease(state: State, command: TakeLease) -> Diff:
    held = state.leased.get(command.reader)
    if held is None and command.renew:
        raise LeaseExpired(f"shard {state.shard}: reader {command.reader} is not known any more")
    if held is None and len(state.leased) >= READERS_MAX:
        raise Determinate(f"shard {state.shard} has {READERS_MAX} readers already")
    since = command.since
    if since is None:
        since = state.since if held is None else held.since
    floor = state.since if held is None else held.since
    if since < floor:
        raise SinceViolation(state.shard, since, floor)
    return Diff(leased={command.reader: Lease(since, state.seqno, command.expires_us)})


def _hold(state: State, reader: str, since: Timestamp | None) -> Diff | None:
    held = state.critical.get(reader)
    if since is None:
        since = state.since if held is None else held
    if since == held:
        return None
    if held is None and len(state.critical) >= READERS_MAX:
        raise Determinate(f"shard {state.shard} has {READERS_MAX} readers already")
    floor = state.since if held is None else held
    if since < floor:
        raise SinceViolation(state.shard, since, floor)
    return Diff(critical={reader: since})


def _holds(state: State) -> list[Timestamp]:
    hold = state.hold
    return [] if hold is None else [hold]


# --- applying ----------------------------------------------------------------------------------


def apply(state: State, diff: Diff, stamp: Stamp, size_bytes: int = 0) -> State:
    """The next state. Total: whatever `decide` let into the log can be applied, by anybody, for ever."""
    seqno = state.seqno + 1
    parts = state.parts
    garbage = state.garbage
    if diff.removed:
        gone = set(diff.removed)
        garbage += tuple(
            [Garbage(p.key, seqno, stamp.at_us) for n, p in parts if n in gone and p.key is not None]
        )
        parts = tuple([numbered for numbered in parts if numbered[0] not in gone])
    if diff.added:
        parts += tuple([(state.next_part + i, part) for i, part in enumerate(diff.added)])
    if diff.collected:
        collected = set(diff.collected)
        garbage = tuple([g for g in garbage if g.key not in collected])
    leased = state.leased
    if diff.leased:
        leased = _changed(leased, diff.leased)
    critical = state.critical
    if diff.critical:
        critical = _changed(critical, diff.critical)
    since = state.since if diff.since is None else diff.since
    upper = state.upper if diff.upper is None else diff.upper
    assert state.since <= since, "since went backwards"
    assert state.upper <= upper, "upper went backwards"
    assert since <= upper, "since passed upper"
    assert all(p.newest_ts < upper for p in diff.added), "a part beyond upper"
    return replace(
        state,
        seqno=seqno,
        since=since,
        upper=upper,
        schemas=state.schemas if diff.schema is None else (*state.schemas, diff.schema),
        parts=parts,
        next_part=state.next_part + len(diff.added),
        leased=leased,
        critical=critical,
        garbage=garbage,
        writers=heard(state.writers, stamp),
        log_bytes=state.log_bytes + size_bytes,
    )


def apply_rollup(state: State, stamp: Stamp, key: str | None, size_bytes: int) -> State:
    """A rollup changes nothing of the shard, only where its log begins."""
    garbage = state.garbage
    if state.rollup_key is not None:
        garbage += (Garbage(state.rollup_key, state.seqno + 1, stamp.at_us),)
    return replace(
        state,
        seqno=state.seqno + 1,
        writers=heard(state.writers, stamp),
        garbage=garbage,
        rollup_seqno=state.seqno + 1,
        rollup_bytes=size_bytes,
        rollup_key=key,
        log_bytes=0,
    )


def log_time_us(writers: dict[bytes, Heard]) -> int:
    """The log's own time: the latest that any of its writers had on its clock. Never goes back."""
    return max([h.at_us for h in writers.values()], default=0)


def heard(writers: dict[bytes, Heard], stamp: Stamp) -> dict[bytes, Heard]:
    """Remembers the stamp's writer, forgets those that were silent for an hour of the log's own time.

    A writer that was forgotten can see it: its stamp is more than that hour behind the log's time.
    """
    now_us = max(stamp.at_us, log_time_us(writers))
    oldest_us = now_us - WRITER_MEMORY_US
    kept = {w: h for w, h in writers.items() if h.at_us >= oldest_us}
    kept[stamp.writer] = Heard(stamp.count, now_us)
    return kept


def _changed(before: dict[_K, _V], changes: dict[_K, _V | None]) -> dict[_K, _V]:
    after = dict(before)
    for key, value in changes.items():
        if value is None:
            after.pop(key, None)
        else:
            after[key] = value
    return after
