"""What clients of a simulation did and were told, and the checker that judges it by the log.

The **truth** is every entry that consensus ever accepted for the txns shard. Each write writes a value
that no other write ever writes and remembers the value it replaced, so the versions of a key must form
one chain, and everything that a client saw can be traced to the commit that wrote it.

The objects are the *columns* of rows: a row `(key, left, right)` of `t0` is the cells `("t0", key)` and
`("t0/right", key)`. Who writes one of them stores the other as it found it.

`check` returns the violations it finds, in words:

    lost           acknowledged, and not in the log
    resurrected    refused for certain, and in the log
    torn           in the log in part, or at two timestamps
    doubled        one value or row id twice
    invented       in the log, and nobody wrote it
    forked         a write replaced a value that was not the newest: a lost update
    brought back   a row's image has a value of a column that another write had replaced
    stale read     a snapshot read that is not what the log says of its timestamp
    not serializable   something read was written between the read and the commit
    backwards      a timestamp below that of something finished before it began
    data           a data shard, or an image rebuilt from it, is not what the log says
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from storage.abc import Timestamp
from tests.simulation.image import value_of
from txn.abc import Isolation, ShardWrites
from txn.group import shard_writes
from txn.log_entry import Entry, decode

Cell = tuple[str, int]
COLUMNS = ("", "/right")
"""What a column adds to the shard's name in a cell."""


@dataclass
class Op:
    """One transaction of a client."""

    id: int
    kind: str
    process: str
    level: Isolation = Isolation.STRICT_SERIALIZABLE
    begin: int = 0
    end: int = 0
    read_ts: Timestamp | None = None
    commit_ts: Timestamp | None = None
    order: int = 0  # of its last admission
    reads: dict[Cell, int | None] = field(default_factory=dict)
    ranges: list[tuple[str, int, int]] = field(default_factory=list)
    writes: dict[Cell, tuple[int | None, int]] = field(default_factory=dict)  # (replaced, written)
    outcome: str = "unknown"  # ok, failed, unknown
    error: str = ""

    @property
    def ts(self) -> Timestamp | None:
        return self.commit_ts if self.writes else self.read_ts


@dataclass
class Truth:
    """The txns shard's whole log, decoded."""

    commits: list[tuple[Timestamp, dict[str, ShardWrites]]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, archive: list[bytes]) -> Truth:
        truth = cls()
        ts = epoch = 0
        for data in archive:
            entry = decode(data)
            if entry.epoch < epoch:
                truth.problems.append(f"backwards: epoch {entry.epoch} after {epoch}")
            epoch = entry.epoch
            if not isinstance(entry, Entry) or not entry.ts:
                continue
            if entry.ts <= ts:
                truth.problems.append(f"backwards: the log has {entry.ts} after {ts}")
            ts = entry.ts
            writes = {shard: shard_writes(parts, ts) for shard, parts in entry.writes.items()}
            if writes:
                truth.commits.append((ts, writes))
        return truth

    def rows(self, shard: str, as_of: Timestamp) -> dict[int, tuple[int, Any]]:
        """rid -> (key, value) as of a timestamp."""
        rows: dict[int, tuple[int, Any]] = {}
        for ts, writes in self.commits:
            if ts <= as_of and shard in writes:
                for rid, row in writes[shard].inserts:
                    rows[rid] = (row[0], value_of(row))
                for rid in writes[shard].deletes:
                    rows.pop(rid, None)
        return rows


def check(history: list[Op], truth: Truth) -> list[str]:
    """All violations of what clients were promised. Empty: none."""
    problems = list(truth.problems)
    written, by_value = _values(truth, problems)
    ops_by_value: dict[int, Op] = {}
    for op in history:
        for _, value in op.writes.values():
            ops_by_value[value] = op
    for value, (ts, cell) in written.items():
        if value not in ops_by_value:
            problems.append(f"invented: {cell} = {value} at {ts}")
    present: dict[int, Timestamp] = {}
    for op in history:
        _check_outcome(op, written, present, problems)
    chains = _chains(by_value, ops_by_value, problems)
    for op in history:
        if op.outcome == "ok" or op.id in present:
            _check_reads(op, chains, ops_by_value, problems)
    _check_real_time(history, problems)
    return problems


def _values(
    truth: Truth, problems: list[str]
) -> tuple[dict[int, tuple[Timestamp, Cell]], dict[Cell, list[tuple[Timestamp, int]]]]:
    written: dict[int, tuple[Timestamp, Cell]] = {}
    cells: dict[Cell, list[tuple[Timestamp, int]]] = {}
    rids: set[int] = set()
    deleted: set[int] = set()
    for ts, shards in truth.commits:
        for shard, writes in shards.items():
            for rid, (key, *values) in writes.inserts:
                if rid in rids:
                    problems.append(f"doubled: row id {rid} at {ts}")
                rids.add(rid)
                for column, value in zip(COLUMNS, values, strict=False):
                    cell = shard + column, key
                    versions = cells.setdefault(cell, [])
                    known = written.get(value)
                    if known is None:
                        written[value] = (ts, cell)
                        versions.append((ts, value))
                    elif known[1] != cell or len(values) == 1:
                        problems.append(f"doubled: value {value} at {known[0]} and {ts}")
                    elif versions[-1][1] != value:
                        problems.append(
                            f"brought back: {cell} = {value} of {known[0]} at {ts}, the newest was {versions[-1][1]}"
                        )
        for shard, writes in shards.items():
            for rid in writes.deletes:
                if rid in deleted or rid not in rids:
                    problems.append(f"doubled: row id {rid} of {shard} deleted at {ts} was not there")
                deleted.add(rid)
    return written, cells


def _check_outcome(
    op: Op,
    written: dict[int, tuple[Timestamp, Cell]],
    present: dict[int, Timestamp],
    problems: list[str],
) -> None:
    if not op.writes:
        return
    found = {value: written[value][0] for _, value in op.writes.values() if value in written}
    times = set(found.values())
    if op.outcome == "ok" and not found:
        problems.append(f"lost: {op.kind} {op.id} was acknowledged at {op.commit_ts}")
    elif op.outcome == "failed" and found:
        problems.append(f"resurrected: {op.kind} {op.id} failed ({op.error}) and is at {sorted(times)}")
    if found and (len(found) < len(op.writes) or len(times) > 1):
        problems.append(
            f"torn: {op.kind} {op.id} has {len(found)} of {len(op.writes)} writes at {sorted(times)}"
        )
    if found and len(times) == 1:
        present[op.id] = ts = next(iter(times))
        if op.outcome == "ok" and op.commit_ts != ts:
            problems.append(f"lost: {op.kind} {op.id} was acknowledged at {op.commit_ts} and is at {ts}")


Chains = dict[Cell, list[tuple[Timestamp, int]]]


def _chains(
    cells: dict[Cell, list[tuple[Timestamp, int]]], ops: dict[int, Op], problems: list[str]
) -> Chains:
    """Per cell its versions in the order in which they replaced each other."""
    chains: Chains = {}
    for cell, versions in cells.items():
        chain: list[tuple[Timestamp, int]] = []
        current: int | None = None
        waiting = sorted(versions)
        while waiting:
            ts = waiting[0][0]
            following = [
                (t, v) for t, v in waiting if t == ts and v in ops and ops[v].writes[cell][0] == current
            ]
            if len(following) != 1:
                t, v = waiting[0]
                replaced = ops[v].writes[cell][0] if v in ops else None
                problems.append(f"forked: {cell} = {v} at {t} replaced {replaced}, the newest was {current}")
                chain += waiting
                break
            chain.append(following[0])
            current = following[0][1]
            waiting.remove(following[0])
        chains[cell] = chain
    return chains


def _check_reads(op: Op, chains: Chains, ops: dict[int, Op], problems: list[str]) -> None:
    if op.read_ts is None:
        return  # evaluated at admission: what it read is what it replaced, and the chain has shown that
    if op.level is Isolation.READ_COMMITTED:
        return  # every statement had a snapshot of its own; what it replaced is in the chain as well
    for cell, value in op.reads.items():
        seen = None
        for ts, version in chains.get(cell, []):
            if ts <= op.read_ts:
                seen = version
        if seen != value:
            problems.append(f"stale read: {op.kind} {op.id} at {op.read_ts} saw {cell} = {value}, not {seen}")
    if not op.writes or op.level is Isolation.REPEATABLE_READ:
        return
    commit_ts = next((ts for c, (_, v) in op.writes.items() for ts, w in chains.get(c, []) if w == v), 0)
    wanted = set(op.reads)
    for shard, low, high in op.ranges:
        wanted |= {c for c in chains if c[0] == shard and low <= c[1] <= high}
    for cell in wanted:
        for ts, version in chains.get(cell, []):
            other = ops.get(version)
            if other is None or other is op or not op.read_ts < ts <= commit_ts:
                continue
            if ts < commit_ts or other.order < op.order:
                problems.append(
                    f"not serializable: {op.kind} {op.id} read {cell} at {op.read_ts}, {version} was written"
                    f" at {ts}, it committed at {commit_ts}"
                )


def _check_real_time(history: list[Op], problems: list[str]) -> None:
    events: list[tuple[int, int, Op]] = []
    for op in history:
        if op.outcome == "ok" and op.ts is not None:
            events += [(op.begin, 0, op), (op.end, 1, op)]
    events.sort(key=lambda e: (e[0], e[1]))
    newest = newest_at_begin = 0
    floors: dict[int, int] = {}
    for _, is_end, op in events:
        assert op.ts is not None
        if not is_end:
            floors[op.id] = newest
            continue
        newest_at_begin = floors[op.id]
        if op.ts < newest_at_begin or (op.writes and op.ts == newest_at_begin):
            problems.append(
                f"backwards: {op.kind} {op.id} at {op.ts} began after something at {newest_at_begin} was done"
            )
        newest = max(newest, op.ts)
