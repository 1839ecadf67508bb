"""Every row that the catalog's shard has had since the history begins that is kept.

Parts say when each of their rows came and went, as they do for tables, and the log adds what was not applied yet. So
the catalog as of a timestamp is a filter: `begins <= ts < ends`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from executor.abc import ExecutionError
from executor.catalogs import CATALOG_SHARD, fetch_part
from planner.catalog.codec import CatalogRow
from storage.abc import TIMESTAMP_MAX, Part, Timestamp
from txn.environment import Environment
from txn.shared import SharedEnvironment


@dataclass(frozen=True, slots=True)
class Version:
    """One object's row, and when it was the catalog's."""

    row: CatalogRow
    begins: Timestamp
    ends: Timestamp


async def versions(env: Environment, ts: Timestamp) -> list[Version]:
    """All that are kept. Raises 22023 if those of `ts` are not any more."""
    outstanding = env.outstanding(CATALOG_SHARD)  # first: what is applied meanwhile is then found below
    shard = await env.shard(CATALOG_SHARD)
    if isinstance(env, SharedEnvironment):
        await env.needs_history()
        await shard.refresh()
    # Another server may have applied what this one has not read from the log yet.
    upto = min(shard.upper, env.txns.state.upper) - 1
    came: dict[int, tuple[CatalogRow, Timestamp]] = {}
    went: dict[int, Timestamp] = {}
    if upto >= 0 and shard.schema is not None:
        for part in [p for _, p in shard.state.parts if p.ts <= upto]:
            _note(part, await shard.fetch(part, upto), came, went)
    for commit_ts, writes in outstanding:
        if commit_ts <= upto:
            continue
        for rid, row in writes.inserts:
            came[rid] = ((row[0], row[1], row[2]), commit_ts)
        for rid in writes.deletes:
            went[rid] = commit_ts
        for part in writes.parts:
            _note(part, await fetch_part(env, CATALOG_SHARD, part), came, went, commit_ts)
    if ts < shard.since:
        raise ExecutionError(
            "22023",
            "the timestamp is older than the history that is kept",
            detail=f"History is kept from timestamp {shard.since} on.",
        )
    return [Version(row, begins, went.get(rid, TIMESTAMP_MAX)) for rid, (row, begins) in came.items()]


def _note(
    part: Part,
    rows: pa.Table,
    came: dict[int, tuple[CatalogRow, Timestamp]],
    went: dict[int, Timestamp],
    ts: Timestamp | None = None,
) -> None:
    """What a part says of rows that came or went; `ts`: when all of them did."""
    if part.kind == "-":
        went.update((rid, when) for rid, when, _ in _timed(part, rows, ts))
    else:
        came.update((rid, ((row[0], row[1], row[2]), when)) for rid, when, row in _timed(part, rows, ts))


def _timed(
    part: Part, rows: pa.Table, ts: Timestamp | None
) -> Iterator[tuple[int, Timestamp, tuple[int, str, str]]]:
    has_ts = "_ts" in rows.column_names
    times = rows["_ts"].to_pylist() if has_ts else [part.ts if ts is None else ts] * rows.num_rows
    columns = [rows[n].to_pylist() for n in rows.column_names if n not in ("_rid", "_ts")]
    values = zip(*columns, strict=True) if columns else iter([(0, "", "")] * rows.num_rows)
    return zip(rows["_rid"].to_pylist(), times, values, strict=True)


__all__ = ["Version", "versions"]
