"""Verification: reads every byte that a server would rely on, and says what is wrong with it.

    txns log        replayed from its last rollup: every entry's checksum is right, every invariant of the state machine holds
    catalog         its objects decode; every table's shard is registered
    each shard      frontiers: since <= upper; a commit that was written is applied or still outstanding
      each part     bytes have the length and checksum that the log says, the rows their count, and row ids
                    and times the ranges of the part's description; row ids are below the mark
                    that was ever handed out
      all parts     no row id inserted twice
      newest rows   NOT NULL, and primary keys and unique constraints unique
    blobs           those that no state names are counted: of crashed writers, or not yet collected

Nothing is changed, no lock is taken and no server asked: only the blob store and the consensus are opened. A server
may run meanwhile; each shard is judged by one state of its log, whose blobs stay for longer than a check takes.
Memory holds, for one table at a time, the row ids and the columns of its keys.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from executor.ddl.schema import shard_schema
from pipeline.jobs.progress import Progress
from planner.abc import Constraint, Table
from planner.catalog import Catalog
from storage import parts as partlib
from storage.abc import Blob, Consensus, CorruptBlob, Part, ShardId, StorageError, Timestamp
from storage.blob import open_blob
from storage.consensus import open_consensus
from storage.rows import conform
from storage.shard import Shard
from storage.shard.machine import decode_schema
from txn.abc import TxnError
from txn.log_entry import part_at
from txn.txns_shard import TxnsShard

CATALOG_SHARD: ShardId = "catalog"
CATALOG_COLUMNS = ("oid", "kind", "payload")
"""Where `executor.executor` keeps the catalog, whose import would bring a whole server along."""
SHOWN_MAX = 3
"""Examples in one problem's text."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong, and where."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(slots=True)
class ShardReport:
    """What was read of one shard."""

    name: str
    parts: int = 0
    rows: int = 0
    """Rows at the newest time."""
    size_bytes: int = 0

    def __str__(self) -> str:
        return f"{self.name}: {self.rows:,} rows, {self.parts:,} parts, {self.size_bytes:,} bytes"


@dataclass(slots=True)
class VerifyReport:
    """Everything that was read, and everything that was wrong with it."""

    shards: list[ShardReport] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    upper: Timestamp = 0
    unnamed_blobs: int = 0
    unnamed_bytes: int = 0
    elapsed_s: float = 0.0

    def __str__(self) -> str:
        lines = [str(s) for s in self.shards]
        if self.unnamed_blobs:
            lines.append(
                f"{self.unnamed_blobs:,} blobs ({self.unnamed_bytes:,} bytes) that no table needs: "
                "garbage collection takes them in time"
            )
        lines += [f"WRONG  {p}" for p in self.problems]
        parts, size = sum(s.parts for s in self.shards), sum(s.size_bytes for s in self.shards)
        verdict = f"{len(self.problems)} problems" if self.problems else "all is well"
        lines.append(
            f"{len(self.shards)} shards, {parts:,} parts, {size:,} bytes read in {self.elapsed_s:.1f} s,"
            f" up to {self.upper}: {verdict}"
        )
        return "\n".join(lines)


class WallClock:
    """For shards that are only read: nothing is decided by it."""

    def now_us(self) -> int:
        return time.time_ns() // 1000


def verify_stores(blob_url: str, consensus_url: str) -> VerifyReport:
    """Opens an environment's stores and verifies it. Raises StorageError where they cannot be opened."""
    import asyncio

    async def run() -> VerifyReport:
        blob = await open_blob(blob_url)
        try:
            consensus = await open_consensus(consensus_url)
        except CorruptBlob as e:  # all of a log file is read when it is opened
            return VerifyReport(problems=[Problem("consensus", str(e))])
        try:
            return await verify(blob, consensus)
        finally:
            await consensus.close()

    return asyncio.run(run())


async def verify(blob: Blob, consensus: Consensus) -> VerifyReport:
    """Reads everything. What is wrong is in the report; only stores that fail to answer raise."""
    verifier = _Verifier(blob, consensus)
    return await verifier.run()


class _Verifier:
    def __init__(self, blob: Blob, consensus: Consensus) -> None:
        self._blob, self._consensus = blob, consensus
        self._report = VerifyReport()
        self._progress = Progress("parts")
        self._rng = random.Random()
        self._txns = TxnsShard(consensus, blob, lambda: self._rng.randbytes(16))
        self._named: set[str] = set()

    def _wrong(self, where: str, what: str) -> None:
        self._report.problems.append(Problem(where, what))

    async def run(self) -> VerifyReport:
        report = self._report
        try:
            await self._txns.load()
        except (StorageError, TxnError) as e:
            self._wrong("txns log", str(e))
            return report
        state = self._txns.state
        report.upper = state.upper
        if state.since > state.upper:
            self._wrong("txns log", f"since {state.since} is beyond upper {state.upper}")
        if self._txns.rollup_blob is not None:
            self._named.add(self._txns.rollup_blob)
        registered = {s: r.schema for s, r in state.registered.items() if r.forget_ts is None}
        tables = await self._catalog(registered)
        for shard in sorted(registered):
            if shard != CATALOG_SHARD:
                table = tables.get(shard)
                name = table.name if table is not None else shard
                if table is None:
                    self._wrong(f"shard {shard}", "is registered, but no table of the catalog has it")
                await self._shard(shard, registered[shard], name, table)
        await self._unnamed()
        report.elapsed_s = self._progress.done()
        return report

    async def _catalog(self, registered: dict[ShardId, bytes]) -> dict[ShardId, Table]:
        """The tables by shard, after the catalog's own shard was verified."""
        if CATALOG_SHARD not in registered:
            if registered:
                self._wrong("catalog", "its shard is not registered")
            return {}
        rows = await self._shard(CATALOG_SHARD, registered[CATALOG_SHARD], "(catalog)", None, CATALOG_COLUMNS)
        if rows is None:
            return {}
        try:
            columns = (rows.column(n).to_pylist() for n in CATALOG_COLUMNS)
            catalog = Catalog.from_rows([(o, k, p) for o, k, p in zip(*columns, strict=True)])
            tables = {table.shard: table for table in catalog.all_tables()}
        except (ValueError, KeyError, TypeError, AssertionError, json.JSONDecodeError) as e:
            self._wrong("catalog", f"its objects cannot be read: {e}")
            return {}
        for shard, table in tables.items():
            if shard not in registered:
                self._wrong(f"table {table.name}", f"its shard {shard} is not registered")
        return tables

    async def _shard(
        self,
        id: ShardId,
        schema: bytes,
        name: str,
        table: Table | None,
        columns: Sequence[str] = (),
    ) -> pa.Table | None:
        """Verifies a shard; returns the newest rows: `_rid` and the columns asked for, or those of keys."""
        where = f"table {name} (shard {id})" if table else name
        unreadable = False
        report = ShardReport(name)
        self._report.shards.append(report)
        txns = self._txns.state
        try:
            shard = await Shard.open(
                id, blob=self._blob, consensus=self._consensus, clock=WallClock(), rng=self._rng
            )
            wanted = decode_schema(id, schema)
        except StorageError as e:
            self._wrong(where, str(e))
            return None
        state = shard.state
        self._named |= {p.key for _, p in state.parts if p.key is not None} | {g.key for g in state.garbage}
        if state.rollup_key is not None:
            self._named.add(state.rollup_key)
        if state.since > state.upper:
            self._wrong(where, f"since {state.since} is beyond upper {state.upper}")
        outstanding = list(txns.outstanding_le(id, txns.upper))
        last = txns.last_write.get(id, 0)
        if last and last >= state.upper and not any(ts == last for ts, _ in outstanding):
            self._wrong(
                where, f"the commit at {last} is neither applied (upper {state.upper}) nor outstanding"
            )
        if last >= txns.upper:
            self._wrong(where, f"a commit at {last} is beyond the log's upper {txns.upper}")
        parts = [(p, self._written(shard, p)) for _, p in state.parts]
        for part, _ in parts:
            if part.newest_ts >= state.upper:
                self._wrong(where, f"a part at {part.newest_ts} is beyond upper {state.upper}")
        for ts, raws in outstanding:
            if ts >= state.upper:
                written = decode_schema(id, txns.registered[id].schema_at(ts))
                parts += [(part_at(raw, ts), written) for raw in raws]
        self._named |= {p.key for p, _ in parts if p.key is not None}
        if table is not None:
            columns = _key_columns(table)
        inserted: list[pa.Table] = []
        gone: list[pa.ChunkedArray] = []
        for part, written in parts:
            rows = await self._part(where, part, written, wanted)
            if rows is None:
                unreadable = True
                continue
            report.parts += 1
            report.size_bytes += part.size_bytes
            self._progress.step(1)
            if part.kind == "+":
                inserted.append(rows.select(["_rid", *columns]))
            else:
                gone.append(rows.column(0))
        newest = self._newest(where, inserted, gone)
        report.rows = newest.num_rows if newest is not None else 0
        if table is not None and newest is not None and not unreadable:
            self._constraints(where, table, newest)
        return newest

    def _written(self, shard: Shard, part: Part) -> pa.Schema | None:
        schemas = shard.state.schemas
        version = part.schema_version or len(schemas)
        return decode_schema(shard.id, schemas[version - 1]) if 1 <= version <= len(schemas) else None

    async def _part(
        self, where: str, part: Part, written: pa.Schema | None, wanted: pa.Schema
    ) -> pa.Table | None:
        """The rows of a part, once everything that its description says of them was found true."""
        what = f"part {part.key}" if part.key is not None else f"inline part at {part.ts}"
        try:
            if part.key is not None:
                rows = partlib.decode_parquet(part, await self._blob.get(part.key))
            else:
                rows = partlib.inline_table(part, written if part.kind == "+" else None)
            if part.kind == "+":
                rows = conform(rows, wanted, written)
        except StorageError as e:
            self._wrong(where, str(e) if part.key is not None else f"{what}: {e}")
            return None
        except (pa.ArrowException, KeyError, AssertionError) as e:
            self._wrong(where, f"{what}: {e}")
            return None
        if rows.num_rows != part.row_count:
            self._wrong(where, f"{what}: {rows.num_rows} rows instead of {part.row_count}")
        rids = pc.min_max(rows.column("_rid")).as_py()
        if part.rid_max and (rids["min"], rids["max"]) != (part.rid_min, part.rid_max):
            self._wrong(
                where,
                f"{what}: row ids {rids['min']} to {rids['max']}, described as {part.rid_min} to {part.rid_max}",
            )
        if rids["max"] >= self._txns.state.rids:
            self._wrong(where, f"{what}: row id {rids['max']} was never handed out")
        if part.has_ts:
            times = pc.min_max(rows.column("_ts")).as_py()
            if (times["min"], times["max"]) != (part.ts, part.ts_max):
                self._wrong(
                    where, f"{what}: times {times['min']} to {times['max']} are not the described ones"
                )
        return rows

    def _newest(
        self, where: str, inserted: Sequence[pa.Table], gone: Sequence[pa.ChunkedArray]
    ) -> pa.Table | None:
        """Insertions less deletions."""
        if not inserted:
            return None
        rows = pa.concat_tables(inserted)
        distinct = pc.count_distinct(rows.column("_rid")).as_py()
        if distinct != rows.num_rows:
            self._wrong(where, f"{rows.num_rows - distinct} row ids were inserted twice")
        if gone:
            deleted = pa.chunked_array([c for column in gone for c in column.chunks], pa.int64())
            rows = rows.filter(pc.invert(pc.is_in(rows.column("_rid"), value_set=deleted)))
        return rows

    def _constraints(self, where: str, table: Table, rows: pa.Table) -> None:
        names = dict(zip((c.attnum for c in table.columns), shard_schema(table).names, strict=True))
        for column in table.columns:
            if column.not_null and rows.column(names[column.attnum]).null_count:
                count = rows.column(names[column.attnum]).null_count
                self._wrong(where, f'{count} nulls in column "{column.name}", which is NOT NULL')
        for constraint in table.constraints:
            if constraint.kind in ("p", "u"):
                self._unique(where, constraint, [names[a] for a in constraint.columns], rows)

    def _unique(self, where: str, constraint: Constraint, columns: Sequence[str], rows: pa.Table) -> None:
        cells = ", ".join('"' + c.replace('"', '""') + '"' for c in columns)
        filled = " AND ".join('"' + c.replace('"', '""') + '" IS NOT NULL' for c in columns)
        condition = "" if constraint.nulls_not_distinct else f"WHERE {filled}"
        with duckdb.connect(config={"threads": 2}) as connection:
            connection.register("newest", rows)
            twice = connection.execute(
                f"SELECT {cells}, count(*) FROM newest {condition} GROUP BY {cells} HAVING count(*) > 1 LIMIT {SHOWN_MAX}"
            ).fetchall()
        for *key, count in twice:
            shown = ", ".join(map(str, key))
            self._wrong(where, f'key ({shown}) of "{constraint.name}" exists {count} times')

    async def _unnamed(self) -> None:
        """Counts what nobody names. States of shards that were dropped, or that moved on meanwhile, name some."""
        try:
            async for info in self._blob.list(""):
                if info.key not in self._named:
                    self._report.unnamed_blobs += 1
                    self._report.unnamed_bytes += info.size_bytes
        except StorageError as e:
            self._wrong("blob store", str(e))


def _key_columns(table: Table) -> list[str]:
    """The stored names of columns whose values are checked."""
    checked = {c.attnum for c in table.columns if c.not_null}
    for constraint in table.constraints:
        if constraint.kind in ("p", "u"):
            checked.update(constraint.columns)
    names = zip(table.columns, shard_schema(table).names, strict=True)
    return [name for column, name in names if column.attnum in checked]
