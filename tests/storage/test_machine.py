"""The shard's pure machine: its invariants under any commands, and that its bytes are its state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgpack
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.abc import CorruptBlob, Determinate, FormatTooNew, Part, SinceViolation, UpperMismatch
from storage.shard import machine as m
from storage.shard.state import (
    FORMAT,
    Diff,
    Rollup,
    Stamp,
    State,
    _sealed,
    decode_entry,
    decode_state,
    encode_diff,
    encode_rollup,
    encode_state,
)
from tests.storage.world import AB

SCHEMA = AB.serialize().to_pybytes()
READERS = st.sampled_from(["r1", "r2", "r3"])
TIMES = st.integers(0, 40)


def part(kind: str, ts: int, blob: int = 0) -> Part:
    key, data = (f"s/w/{blob}", None) if blob else (None, b"rows")
    return Part(kind, 1, 4, ts, key=key, data=data, checksum=7, rid_min=1, rid_max=1)


@st.composite
def appends(draw: st.DrawFn) -> m.Append:
    lower, width = draw(TIMES), draw(st.integers(0, 5))
    parts = draw(
        st.lists(st.builds(part, st.sampled_from("+-"), TIMES, st.integers(0, 5)), max_size=3).map(tuple)
    )
    return m.Append(lower, lower + width, parts)


COMMANDS = st.one_of(
    appends(),
    st.just("append where the upper is"),
    st.just(m.Evolve(SCHEMA)),
    st.builds(m.AllowSince, TIMES),
    st.builds(
        m.Replace,
        st.lists(st.integers(1, 8), max_size=3, unique=True).map(tuple),
        st.lists(st.builds(part, st.just("+"), TIMES, st.integers(6, 9)), max_size=1).map(tuple),
    ),
    st.builds(m.TakeLease, READERS, st.integers(0, 100), st.none() | TIMES, st.booleans()),
    st.builds(m.Release, READERS),
    st.builds(m.Expire, st.integers(0, 100)),
    st.builds(m.Hold, READERS, st.none() | TIMES),
    st.builds(m.Unhold, READERS),
    st.builds(m.Collect, st.lists(st.integers(0, 9).map(lambda n: f"s/w/{n}"), max_size=3).map(tuple)),
)


def check(before: State, after: State) -> None:
    assert before.since <= after.since <= after.upper
    assert before.upper <= after.upper
    assert after.seqno == before.seqno + 1
    assert all(lease.since >= before.since for lease in after.leased.values())
    if before.hold is not None:
        assert after.since <= max(before.hold, before.since)
    numbers = [n for n, _ in after.parts]
    assert len(set(numbers)) == len(numbers) and all(n < after.next_part for n in numbers)
    assert all(0 <= p.ts <= p.newest_ts < after.upper for _, p in after.parts)
    assert all(p.schema_version >= 1 for _, p in after.parts if p.kind == "+")
    # A blob is named by parts, or waits to be collected, or somebody said that it is gone: never merely lost.
    lost = {p.key for _, p in before.parts} - {p.key for _, p in after.parts} - {None}
    assert lost <= {g.key for g in after.garbage}


@settings(max_examples=300, deadline=None)
@given(st.lists(COMMANDS, max_size=25))
def test_invariants_hold_and_every_process_arrives_at_the_same_state(commands: list[Any]) -> None:
    state = State("s")
    follower = State("s")
    for i, command in enumerate(commands):
        if isinstance(command, str):
            command = m.Append(state.upper, state.upper + 3, (part("+", state.upper + 1, 1 + i % 5),))
        try:
            diff = m.decide(state, command)
        except Determinate:
            continue
        if diff is None:
            continue
        stamp = Stamp(b"writer01", i, i)
        data = encode_diff(diff, stamp)
        after = m.apply(state, diff, stamp, len(data))
        check(state, after)
        assert not _idempotent(command) or m.decide(after, command) is None
        # Another process knows only the bytes.
        their_stamp, their_diff = decode_entry("s", data)
        assert isinstance(their_diff, Diff) and their_stamp == stamp
        follower = m.apply(follower, their_diff, their_stamp, len(data))
        assert follower == after
        # A third one comes late, and knows only a rollup.
        assert decode_state("s", encode_state(after)) == replace(after, log_bytes=0)
        state = after


def _idempotent(command: m.Command) -> bool:
    """Commands that are true once they were obeyed (an append is not: the upper has moved)."""
    return isinstance(command, m.Evolve | m.AllowSince | m.Release | m.Expire | m.Hold | m.Unhold | m.Collect)


def at(upper: int, since: int = 0, **more: Any) -> State:
    return State("s", seqno=1, since=since, upper=upper, schemas=(SCHEMA,), **more)


def stored(kind: pa.DataType) -> bytes:
    """A schema of one column."""
    return bytes(pa.schema([pa.field("a", kind)]).serialize().to_pybytes())


def of(kind: pa.DataType) -> State:
    """A shard whose rows have one column."""
    return replace(at(5), schemas=(stored(kind),))


TABLE: list[tuple[str, State, m.Command, type[Exception] | Diff | None]] = [
    ("append at the upper", at(5), m.Append(5, 6, ()), Diff(upper=6)),
    ("append behind it", at(5), m.Append(4, 6, ()), UpperMismatch),
    ("append beyond it", at(5), m.Append(6, 7, ()), UpperMismatch),
    ("an empty interval", at(5), m.Append(5, 5, ()), None),
    ("an interval that runs back", at(5), m.Append(5, 4, ()), m.BadBatch),
    ("a part in the past", at(5), m.Append(5, 7, (part("+", 4),)), m.BadBatch),
    ("a part in the future", at(5), m.Append(5, 7, (part("+", 7),)), m.BadBatch),
    ("an empty part", at(5), m.Append(5, 7, (replace(part("+", 5), row_count=0),)), m.BadBatch),
    ("a part that is nowhere", at(5), m.Append(5, 7, (replace(part("+", 5), data=None),)), m.BadBatch),
    ("rows without a schema", State("s"), m.Append(0, 7, (part("+", 5),)), m.SchemaMismatch),
    (
        "rows of a schema to come",
        at(5),
        m.Append(5, 7, (replace(part("+", 5), schema_version=2),)),
        m.SchemaMismatch,
    ),
    ("since stays below the upper", at(5), m.AllowSince(9), Diff(since=4)),
    ("since back", at(9, since=4), m.AllowSince(3), None),
    ("since held by a reader", at(9, critical={"r": 2}), m.AllowSince(5), Diff(since=2)),
    ("compaction of what is gone", at(9), m.Replace((1,), ()), m.PartsGone),
    ("compaction of nothing", at(9), m.Replace((), ()), m.PartsGone),
    ("a hold on the past", at(9, since=4), m.Hold("r", 3), SinceViolation),
    ("a hold that goes back", at(9, critical={"r": 5}), m.Hold("r", 4), SinceViolation),
    ("a schema that is none", at(9), m.Evolve(b"nonsense"), m.SchemaMismatch),
    (
        "a column that has all 64 bits now",
        of(pa.int64()),
        m.Evolve(stored(pa.uint64())),
        Diff(schema=stored(pa.uint64())),
    ),
    ("a column that loses a bit", of(pa.uint64()), m.Evolve(stored(pa.int64())), m.SchemaMismatch),
    ("a column that has become narrower", of(pa.int64()), m.Evolve(stored(pa.int32())), m.SchemaMismatch),
]


@pytest.mark.parametrize(("state", "command", "expected"), [t[1:] for t in TABLE], ids=[t[0] for t in TABLE])
def test_decisions(state: State, command: m.Command, expected: type[Exception] | Diff | None) -> None:
    if isinstance(expected, type):
        with pytest.raises(expected):
            m.decide(state, command)
    else:
        assert m.decide(state, command) == expected


@pytest.mark.parametrize(
    "diff",
    [Diff(upper=3), Diff(since=3), Diff(since=6), Diff(added=(part("+", 5),))],
    ids=["upper back", "since back", "since beyond upper", "part beyond upper"],
)
def test_a_planted_diff_that_breaks_an_invariant_is_caught(diff: Diff) -> None:
    """`decide` would never make these; `apply` refuses them nevertheless."""
    with pytest.raises(AssertionError):
        m.apply(at(5, since=4), diff, Stamp(b"w", 1, 1))


@pytest.mark.parametrize("newer", ["entry", "state"])
def test_a_newer_format_is_told_and_not_guessed_at(newer: str) -> None:
    stamp = Stamp(b"w", 1, 1)
    if newer == "entry":
        data = bytes([FORMAT + 1]) + b"who knows"
    else:
        state = msgpack.packb([FORMAT + 1, "who knows"])
        data = _sealed(msgpack.packb(["r", stamp.writer, 1, 1, state]))
    with pytest.raises(FormatTooNew):
        decode_entry("s", data)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_entry_are_corrupt_and_say_whose_log(data: bytes) -> None:
    with pytest.raises((CorruptBlob, FormatTooNew), match="s"):
        decode_entry("s", data)


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_flipped_bit_in_the_log_is_found(place: int, mask: int) -> None:
    """SQLite does not check the bytes that it keeps: entries carry their own checksum."""
    state = at(9, parts=((1, part("+", 5, 3)),), critical={"r": 2}, next_part=2)
    data = bytearray(encode_rollup(Rollup(state), Stamp(b"writer01", 1, 1)))
    data[place % len(data)] ^= mask
    with pytest.raises((CorruptBlob, FormatTooNew)):
        decode_entry("s", bytes(data))


@settings(deadline=None)
@given(st.recursive(st.none() | st.integers(0, 9) | st.text(max_size=2), st.lists, max_leaves=20))
def test_an_entry_of_another_shape_is_corrupt(body: object) -> None:
    """Right checksum, wrong content: still a typed error."""
    for kind in ("d", "r", "x"):
        data = _sealed(msgpack.packb([kind, b"writer01", 1, 1, msgpack.packb(body) if kind == "r" else body]))
        with pytest.raises((CorruptBlob, FormatTooNew)):
            decode_entry("s", data)
    with pytest.raises((CorruptBlob, FormatTooNew)):
        decode_entry("s", _sealed(msgpack.packb(body)))
