"""Compaction from outside: tables that are too large for the server's own, which leaves parts alone once they are full.

    all insertions, in groups --> each group rewritten without its dead rows, in large sorted parts    (one job each)
    all deletions             --> those that hit nothing any more go                                  (when all are done)

Each step is one compare-and-append of "these parts become those" on the table's own log, so a server may run meanwhile,
and a job that is killed leaves the table as it is or a group further. Reads at or after the shard's `since` give what
they gave before. Groups are independent: with a Spark master they are tasks, which open the stores themselves.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from executor.ddl.schema import shard_schema
from pipeline.jobs.progress import Progress
from pipeline.jobs.verify import CATALOG_COLUMNS, CATALOG_SHARD, WallClock
from planner.abc import Table
from planner.catalog import Catalog
from storage.abc import Part, ShardId, Timestamp
from storage.blob import open_blob
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits, Job, Numbered
from storage.consensus import open_consensus
from storage.shard import Shard
from storage.shard.machine import PartsGone
from txn.txns_shard import TxnsShard

GROUP_BYTES: Final = 512 << 20
PART_BYTES: Final = 512 << 20
DELETES_MAX: Final = 200_000_000
"""Row ids in memory at once, 8 bytes each."""


class CompactError(Exception):
    """The job cannot be done; the message says why."""


@dataclass(slots=True)
class TableReport:
    """What became of a table's parts."""

    name: str
    parts_before: int = 0
    parts_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    rows_before: int = 0
    rows_after: int = 0
    """Insertions, dead ones included."""
    disturbed: int = 0
    """Groups that somebody else compacted meanwhile."""

    def __str__(self) -> str:
        dropped = max(self.rows_before - self.rows_after, 0)
        line = (
            f"{self.name}: {self.parts_before:,} parts, {self.bytes_before:,} bytes -> "
            f"{self.parts_after:,} parts, {self.bytes_after:,} bytes; {dropped:,} dead rows dropped"
        )
        return line + (f"; {self.disturbed} groups were changed by somebody else" if self.disturbed else "")


@dataclass(slots=True)
class CompactReport:
    tables: list[TableReport] = field(default_factory=list)
    elapsed_s: float = 0.0

    def __str__(self) -> str:
        lines = [str(t) for t in self.tables]
        count = len(self.tables)
        return "\n".join([*lines, f"{count} table{'s' * (count != 1)} in {self.elapsed_s:.1f} s"])


@dataclass(frozen=True, slots=True)
class Group:
    """Insertions to be rewritten together, by their numbers. Goes to Spark's executors."""

    blob_url: str
    consensus_url: str
    shard: ShardId
    inserts: tuple[int, ...]
    since: Timestamp
    sort_by: tuple[str, ...]
    part_bytes: int


@dataclass(frozen=True, slots=True)
class Done:
    """The blobs that hold no dead row now, and whether the group was still there."""

    clean: tuple[str, ...]
    undisturbed: bool


def compact_stores(
    blob_url: str,
    consensus_url: str,
    tables: Sequence[str] = (),
    *,
    master: str = "",
    group_bytes: int = GROUP_BYTES,
    part_bytes: int = PART_BYTES,
) -> CompactReport:
    """Compacts tables (all, if none are named). Raises CompactError, StorageError."""
    progress = Progress("groups")
    report = CompactReport()
    found = asyncio.run(_tables(blob_url, consensus_url))
    unknown = [t for t in tables if t not in {x.name for x in found}]
    if unknown:
        raise CompactError(
            f'there is no table "{unknown[0]}" in the stores (what was made just now may be in the log only)'
        )
    for table in found:
        if tables and table.name not in tables:
            continue
        groups, made = asyncio.run(_groups(blob_url, consensus_url, table, group_bytes, part_bytes))
        done = _on_spark(groups, master) if master and groups else []
        for group in groups if not master else ():
            done.append(run_group(group))
            progress.step(1)
        made.disturbed = sum(not d.undisturbed for d in done)
        asyncio.run(_finish(blob_url, consensus_url, table, groups, done, made))
        report.tables.append(made)
    report.elapsed_s = progress.done()
    return report


def run_group(group: Group) -> Done:
    """One group, in whatever process: opens the stores, rewrites, commits."""
    return asyncio.run(_run_group(group))


def _on_spark(groups: Sequence[Group], master: str) -> list[Done]:
    from pipeline.spark.session import spark_session

    spark = spark_session("tidewire compact", master=master)
    try:
        return list(spark.sparkContext.parallelize(groups, len(groups)).map(run_group).collect())
    finally:
        spark.stop()


class _Stores:
    """An environment's stores, open."""

    def __init__(self, blob_url: str, consensus_url: str) -> None:
        self._blob_url, self._consensus_url = blob_url, consensus_url

    async def __aenter__(self) -> _Stores:
        self.blob = await open_blob(self._blob_url)
        self.consensus = await open_consensus(self._consensus_url)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.consensus.close()

    async def shard(self, id: ShardId) -> Shard:
        return await Shard.open(
            id, blob=self.blob, consensus=self.consensus, clock=WallClock(), rng=random.Random()
        )


async def _tables(blob_url: str, consensus_url: str) -> list[Table]:
    """The tables whose shards are registered, as far as the catalog's own shard tells: large ones are not new."""
    async with _Stores(blob_url, consensus_url) as stores:
        txns = TxnsShard(stores.consensus, stores.blob, lambda: random.randbytes(16))
        await txns.load()
        registered = {s for s, r in txns.state.registered.items() if r.forget_ts is None}
        if CATALOG_SHARD not in registered:
            return []
        catalog = await stores.shard(CATALOG_SHARD)
        if catalog.schema is None:
            return []
        rows = await catalog.read(catalog.upper - 1)
        columns = (rows.column(n).to_pylist() for n in CATALOG_COLUMNS)
        objects = Catalog.from_rows([(o, k, p) for o, k, p in zip(*columns, strict=True)])
        return sorted((t for t in objects.all_tables() if t.shard in registered), key=lambda t: t.name)


async def _groups(
    blob_url: str, consensus_url: str, table: Table, group_bytes: int, part_bytes: int
) -> tuple[list[Group], TableReport]:
    async with _Stores(blob_url, consensus_url) as stores:
        shard = await stores.shard(table.shard)
        state = shard.state
        report = TableReport(
            table.name, len(state.parts), bytes_before=sum(p.size_bytes for _, p in state.parts)
        )
        report.rows_before = sum(p.row_count for _, p in _inserts(shard))
        names = shard_schema(table).names
        sort_by = tuple(names[i] for i in table.key_indexes)
        groups: list[Group] = []
        pile: list[Numbered] = []
        for numbered in sorted(_inserts(shard), key=lambda n: n[1].rid_min):
            if pile and sum(p.size_bytes for _, p in pile) + numbered[1].size_bytes > group_bytes:
                groups += _worth(shard, pile, blob_url, consensus_url, sort_by, part_bytes)
                pile = []
            pile.append(numbered)
        if pile:
            groups += _worth(shard, pile, blob_url, consensus_url, sort_by, part_bytes)
        return groups, report


def _inserts(shard: Shard) -> list[Numbered]:
    return [n for n in shard.state.parts if n[1].kind == "+"]


def _worth(
    shard: Shard,
    pile: Sequence[Numbered],
    blob_url: str,
    consensus_url: str,
    sort_by: tuple[str, ...],
    part_bytes: int,
) -> list[Group]:
    """The pile as a group, unless it is one part without anything to drop."""
    since = shard.state.since
    if len(pile) == 1 and not _hits(shard, [p for _, p in pile], since):
        return []
    numbers = tuple(n for n, _ in pile)
    return [Group(blob_url, consensus_url, shard.id, numbers, since, sort_by, part_bytes)]


def _hits(shard: Shard, inserts: Sequence[Part], since: Timestamp) -> tuple[Numbered, ...]:
    """Deletions at or before `since` that may hit the insertions."""
    return tuple(
        (n, d)
        for n, d in shard.state.parts
        if d.kind == "-"
        and d.ts <= since
        and any(p.rid_min <= d.rid_max and d.rid_min <= p.rid_max for p in inserts)
    )


async def _run_group(group: Group) -> Done:
    async with _Stores(group.blob_url, group.consensus_url) as stores:
        shard = await stores.shard(group.shard)
        there = dict(shard.state.parts)
        if any(n not in there for n in group.inserts):
            return Done((), False)
        inserts = tuple((n, there[n]) for n in group.inserts)
        deletes = _hits(shard, [p for _, p in inserts], group.since)
        if sum(p.row_count for _, p in deletes) > DELETES_MAX:
            raise CompactError(
                f"more than {DELETES_MAX:,} deletions in one group: say a smaller --group-size"
            )
        limits = replace(CompactionLimits(), output_bytes_max=group.part_bytes)
        compactor = Compactor(shard, sort_by=group.sort_by, limits=limits)
        try:
            committed = await compactor.do(Job(inserts, deletes, False, group.since, keep_deletes=True))
        except PartsGone:
            return Done((), False)
        parts = compactor.written if committed else [p for _, p in inserts]
        return Done(tuple(p.key for p in parts if p.key is not None), True)


async def _finish(
    blob_url: str,
    consensus_url: str,
    table: Table,
    groups: Sequence[Group],
    done: Sequence[Done],
    report: TableReport,
) -> None:
    async with _Stores(blob_url, consensus_url) as stores:
        shard = await stores.shard(table.shard)
        if groups:
            clean = frozenset(key for d in done for key in d.clean)
            since = min(g.since for g in groups)
            for _ in range(5):
                try:
                    await Compactor(shard).drop_deletes(since, clean)
                    break
                except PartsGone:
                    await shard.refresh()  # somebody else compacts: by what there is now
        state = shard.state
        report.parts_after = len(state.parts)
        report.bytes_after = sum(p.size_bytes for _, p in state.parts)
        report.rows_after = sum(p.row_count for _, p in _inserts(shard))


__all__ = ["CompactError", "CompactReport", "Group", "TableReport", "compact_stores", "run_group"]
