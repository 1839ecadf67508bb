"""What to compact: a job is chosen of what a shard's state says of its parts, without a look into them.

Parts are tiered by size. A tier that has filled up becomes one part of the next, with all that lies below it; so a row is
rewritten a logarithmic number of times. Inline parts are the lowest tier. A part of which a fifth is dead is rewritten
wherever it stands.

    tier   0: inline        1: < 64 KiB      2: < 512 KiB     3: < 4 MiB      ...     full: left alone
           64 of them -->   8 of them -->    8 of them -->    8 of them -->

Pure: no I/O. Doing a job is `storage/compaction.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storage.abc import Part, Timestamp
from storage.shard.state import State

Numbered = tuple[int, Part]


@dataclass(frozen=True, slots=True)
class CompactionLimits:
    inline_parts_max: int = 64  # this many inline parts of one kind become one
    inline_bytes_max: int = 256 * 1024  # or this many bytes of them
    fanout: int = 8  # parts of one tier that become one of the next
    full_bytes: int = 16 * 1024 * 1024  # a part this large (compressed) is not merged any more,
    full_rows: int = 1_000_000  # nor one of so many rows
    input_bytes_max: int = 256 * 1024 * 1024  # compressed bytes that a job reads
    output_bytes_max: int = 128 * 1024 * 1024  # Arrow bytes of an output part, in memory at once
    deletes_max: int = 16_000_000  # row ids of deletions that a job holds in memory
    dead_fraction: float = 0.2  # a part with more dead rows than this is rewritten


@dataclass(frozen=True, slots=True)
class Job:
    """Parts to rewrite, by their numbers in the state. `deletes` are consulted, and rewritten if they shrink.

    With `keep_deletes` they are left as they are: several jobs can then work on disjoint insertions at once, and
    `drop_deletes` takes what hits nothing any more when all of them are done.
    """

    inserts: tuple[Numbered, ...]
    deletes: tuple[Numbered, ...]
    merge_deletes: bool
    since: Timestamp
    keep_deletes: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple([n for n, _ in self.inserts] + [n for n, _ in self.deletes])


def choose(
    state: State, limits: CompactionLimits, futile: frozenset[tuple[int, ...]] = frozenset()
) -> Job | None:
    """The most useful job, or None. `futile` are jobs (by numbers and since) known to change nothing."""
    inserts = [n for n in state.parts if n[1].kind == "+"]
    deletes = [n for n in state.parts if n[1].kind == "-"]
    for job in (
        _tier_job(state, inserts, deletes, limits),
        _deletes_job(state, deletes, limits),
        _dead_job(state, inserts, deletes, limits),
    ):
        if job is not None and (state.since, *job.numbers) not in futile:
            return job
    return None


def _tier_job(
    state: State, inserts: list[Numbered], deletes: list[Numbered], limits: CompactionLimits
) -> Job | None:
    chosen = _filled_tier(inserts, limits)
    if not chosen:
        return None
    return Job(tuple(chosen), _relevant(state, chosen, deletes, limits), False, state.since)


def _deletes_job(state: State, deletes: list[Numbered], limits: CompactionLimits) -> Job | None:
    chosen = _filled_tier(deletes, limits)
    return Job((), tuple(chosen), True, state.since) if chosen else None


def _dead_job(
    state: State, inserts: list[Numbered], deletes: list[Numbered], limits: CompactionLimits
) -> Job | None:
    settled = [p for _, p in deletes if p.newest_ts <= state.since]
    chosen: list[Numbered] = []
    size = 0
    for number, part in sorted(inserts, key=lambda n: n[1].rid_min):
        dead = sum(_overlap(part, d) for d in settled)
        if dead >= max(1.0, limits.dead_fraction * part.row_count):
            if chosen and size + part.size_bytes > limits.input_bytes_max:
                break
            chosen.append((number, part))
            size += part.size_bytes
    if chosen:
        return Job(tuple(chosen), _relevant(state, chosen, deletes, limits), False, state.since)
    if settled and not inserts:
        return Job((), tuple(deletes), True, state.since)
    return None


def _filled_tier(parts: list[Numbered], limits: CompactionLimits) -> list[Numbered]:
    """All parts up to the lowest tier that is full, as far as the limit on input goes; else nothing."""
    tiers: dict[int, list[Numbered]] = {}
    for numbered in parts:
        part = numbered[1]
        if part.data is not None:
            tiers.setdefault(0, []).append(numbered)
        elif part.size_bytes < limits.full_bytes and part.row_count < limits.full_rows:
            tiers.setdefault(_tier(part.size_bytes, limits.fanout), []).append(numbered)
    for tier in sorted(tiers):
        members = tiers[tier]
        if tier == 0:
            full = len(members) >= limits.inline_parts_max or (
                len(members) > 1 and sum(p.size_bytes for _, p in members) >= limits.inline_bytes_max
            )
        else:
            full = len(members) >= limits.fanout
        if full:
            below = [n for t in sorted(tiers) if t <= tier for n in tiers[t]]
            return _bounded(below, limits.input_bytes_max)
    return []


def _tier(size_bytes: int, fanout: int) -> int:
    tier, bound = 1, 64 * 1024
    while size_bytes >= bound:
        tier, bound = tier + 1, bound * fanout
    return tier


def _bounded(parts: list[Numbered], bytes_max: int) -> list[Numbered]:
    chosen: list[Numbered] = []
    size = 0
    for numbered in parts:
        size += numbered[1].size_bytes
        if size > bytes_max and len(chosen) > 1:
            break
        chosen.append(numbered)
    return chosen


def _relevant(
    state: State, inserts: Sequence[Numbered], deletes: list[Numbered], limits: CompactionLimits
) -> tuple[Numbered, ...]:
    """Deletions behind since that may hit the chosen insertions."""
    found: list[Numbered] = []
    count = 0
    for numbered in deletes:
        d = numbered[1]
        if d.ts <= state.since and any(p.rid_min <= d.rid_max and d.rid_min <= p.rid_max for _, p in inserts):
            count += d.row_count
            if count > limits.deletes_max and found:
                break
            found.append(numbered)
    return tuple(found)


def _overlap(part: Part, deletes: Part) -> float:
    """How many of the deletions probably hit the part, if they are spread evenly."""
    low, high = max(part.rid_min, deletes.rid_min), min(part.rid_max, deletes.rid_max)
    if low > high:
        return 0.0
    return deletes.row_count * (high - low + 1) / (deletes.rid_max - deletes.rid_min + 1)
