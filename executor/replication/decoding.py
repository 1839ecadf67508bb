"""Committed changes of many tables, as transactions in the order of their commits.

    catalog       |-------- as of then --------|---------- as of now -------->
    orders           I  U     I                    I  D
    lines            II       I                    II
                     ^ one transaction: all that has this timestamp

Which tables there are, and how they are defined, is what the catalog said at the time (`executor.past`), so that a follower who is hours behind is
told of rows as they were then, of tables that are gone since, and of columns under the names that they had.
"""

from __future__ import annotations

import heapq
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from executor.catalogs import CATALOG_SHARD
from executor.replication import eras
from executor.replication.eras import Change, Timed
from planner.abc import Table
from planner.binding.writes.replica_identity import identity
from planner.catalog import Catalog
from planner.catalog.system.measures import publishable
from storage.abc import TIMESTAMP_MAX, Timestamp

if TYPE_CHECKING:
    from executor.executor import Executor

Tables = Callable[[Catalog], Sequence[Table]]


@dataclass(frozen=True, slots=True)
class Transaction:
    """`ts`: its place in the log, and the time of its commit in microseconds since 1970. `changes` can be gone through once."""

    ts: Timestamp
    catalog: Catalog
    changes: Iterator[Change]


async def transactions(
    executor: Executor, database: str, tables: Tables, after: Timestamp, upto: Timestamp
) -> AsyncIterator[Transaction]:
    """All that committed in (after, upto] and changed one of the tables. The caller holds `after`, and has seen `upto`.

    Who asks for the next transaction has done with the one before.
    """
    start = after
    before: Catalog | None = None
    while start < upto:
        catalog, until = await _catalog_at(executor, start + 1, database)
        end = min(upto, until - 1)
        if before is None:
            before = (await _catalog_at(executor, start, database))[0]
        async for transaction in _era(executor, catalog, before, tables, start, end):
            yield transaction
        before, start = catalog, end


async def _catalog_at(executor: Executor, ts: Timestamp, database: str) -> tuple[Catalog, Timestamp]:
    if ts >= executor.env.last_write(CATALOG_SHARD):
        return executor.catalogs.of(database), TIMESTAMP_MAX
    catalog = await executor.past.at(ts, database)
    return catalog, executor.past.until(ts)


async def _era(
    executor: Executor, catalog: Catalog, before: Catalog, tables: Tables, after: Timestamp, upto: Timestamp
) -> AsyncIterator[Transaction]:
    sources: list[Iterator[Timed]] = []
    for table in tables(catalog):
        earlier = before.get(table.oid)
        known = earlier if isinstance(earlier, Table) else None
        is_todays = (
            executor.catalog.get(table.oid) is table
        )  # of a shard that is gone the log may say nothing any more
        if known is table and is_todays and executor.env.last_write(table.shard) <= after:
            continue
        loan = executor.past_tables.lend({table.shard, table.shard if known is None else known.shard})
        try:
            sources.append(await eras.changes(executor, table, identity(catalog, table), known, after, upto))
        finally:
            loan.release()
    heads: list[tuple[Timestamp, int, Change]] = []
    for place, source in enumerate(sources):
        _push(heads, place, source)
    while heads:
        ts = heads[0][0]
        changes = _at(heads, sources, ts)
        yield Transaction(ts, catalog, changes)
        for _ in changes:  # what was not looked at
            pass


def _push(heads: list[tuple[Timestamp, int, Change]], place: int, source: Iterator[Timed]) -> None:
    head = next(source, None)
    if head is not None:
        heapq.heappush(heads, (head[0], place, head[1]))


def _at(
    heads: list[tuple[Timestamp, int, Change]], sources: Sequence[Iterator[Timed]], ts: Timestamp
) -> Iterator[Change]:
    while heads and heads[0][0] == ts:
        _, place, change = heapq.heappop(heads)
        yield change
        _push(heads, place, sources[place])


def logged(catalog: Catalog) -> list[Table]:
    """Every table whose rows a follower may be told of, in order of OID."""
    found = [t for t in catalog.objects(Table) if publishable(catalog, t) and t.partitioning is None]
    return sorted(found, key=lambda t: t.oid)


__all__ = ["Tables", "Transaction", "logged", "transactions"]
