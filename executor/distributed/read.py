"""Who answers a SELECT: `execution_engine`.

    columnar       DuckDB
    distributed    Spark; what it does not answer is 0A000 and says what it was
    auto           Spark for tables of at least `distributed_min_size` (compressed), if it answers the query; DuckDB otherwise

Lookups by primary key stay with the keyed engine, and queries that read no table (or only the catalog's) with DuckDB
in any case: clients ask such things all the time.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError, Result, Rows, Stream
from executor.columnar.errors import canceled
from executor.columnar.rows import batch_rows, canonical_batch
from executor.distributed.abc import Engine, NotAnswerable, Request, Running
from executor.distributed.snapshot import Leases, relation_at, size_bytes
from executor.session.blocks.block import Block
from executor.session.values import session_value
from planner.abc import Param, Plan, Query, RelationUse, SessionValue, Slot, SqlError
from planner.binding.spark.plan import SparkQuery, spark_query
from planner.binding.spark.values import literal, refused
from storage.abc import Datum, Timestamp

if TYPE_CHECKING:
    from executor.session.session import Session

AUTO = "auto"


async def engine_of(
    session: Session, block: Block | None, plan: Plan, query: Query
) -> tuple[Engine, SparkQuery] | None:
    """The engine and its text for a query; None: DuckDB answers. Raises 0A000 under `distributed`."""
    mode, engine = session.settings.execution_engine, session.executor.distributed
    if engine is None or not any(isinstance(r, RelationUse) for r in query.relations):
        return None
    columnar = session.catalog.columnar
    if any(isinstance(r, RelationUse) and r.part is not None for r in query.relations):
        if session.settings.execution_engine == "distributed":
            raise ExecutionError("0A000", "the distributed engine does not read partitioned tables")
        return None
    if any(isinstance(r, RelationUse) and r.table.oid in columnar for r in query.relations):
        if mode == AUTO:
            return None
        raise ExecutionError(
            "0A000",
            "the distributed engine does not read tables as they were before they were altered or dropped",
        )
    missing = engine.missing()
    if mode == AUTO and (missing or not await _is_large(session, query)):
        return None
    try:
        if missing:
            raise ExecutionError("0A000", "the distributed engine is not available", hint=missing)
        made = spark_query(plan, session.context())
        if block is not None:
            _check_block(block, made)
    except SqlError as e:
        if mode == AUTO and e.sqlstate == "0A000":
            return None
        raise
    return engine, made


async def _is_large(session: Session, query: Query) -> bool:
    env = session.executor.env
    uses = [u for u in query.relations if isinstance(u, RelationUse)]
    shards = [await env.shard(s) for s in dict.fromkeys(u.table.shard for u in uses)]
    return size_bytes(shards) >= session.settings.distributed_min_bytes


def _check_block(block: Block, query: SparkQuery) -> None:
    """What the transaction itself wrote is in no part."""
    for use in query.relations:
        shard = use.table.shard
        writes = block.tables.get(shard)
        if shard in block.created or shard in block.altered or (writes is not None and writes.has_rows):
            raise refused(f'reading table "{use.table.name}", which this transaction has changed,')


async def read(
    session: Session,
    block: Block | None,
    plan: Plan,
    query: Query,
    params: Sequence[Datum],
    as_of: Timestamp | None,
    tag: str,
) -> Result | None:
    """The answer; None: DuckDB is to give it. Raises SqlError."""
    found = await engine_of(session, block, plan, query)
    if found is None:
        return None
    engine, made = found
    mode = session.settings.execution_engine
    run = _Run(session)
    try:
        ts = await _timestamp(session, block, query, params, as_of, run)
        names = {u.slot: f"tw_{secrets.token_hex(4)}_{u.slot}" for u in made.relations}
        relations = [
            await relation_at(session.executor, u, names[u.slot], ts, run.leases) for u in made.relations
        ]
        text = _text(session, made, names, params, ts)
        request = Request(text, relations, sorted(made.functions), len(made.columns))
        run.running = await engine.start(request)
        first, complete = await run.first()
    except NotAnswerable as e:
        run.close()
        if mode == AUTO:
            return None
        raise ExecutionError(
            "0A000", "the distributed engine does not answer this query", detail=str(e)
        ) from e
    except SqlError as e:
        run.close()
        if mode == AUTO and e.sqlstate == "0A000":
            return None
        raise
    except BaseException:
        run.close()
        raise
    types = [c.type for c in made.columns]
    if complete:
        run.close()
        rows = [row for b in first for row in batch_rows(b, types)]
        return Rows(f"{tag} {len(rows)}", plan.columns, rows)
    return _stream(session, run, first, plan, tag)


async def _timestamp(
    session: Session,
    block: Block | None,
    query: Query,
    params: Sequence[Datum],
    as_of: Timestamp | None,
    run: _Run,
) -> Timestamp:
    """At which the query reads, as `queries.prepare` finds it; history is held until the query has ended."""
    from executor.session import relations

    env = session.executor.env
    if block is not None:
        await block.statement().settled()
        ts = block.read_ts
    else:
        if not env.leadership.is_valid:
            await env.lead()
        ts = as_of if as_of is not None else env.oracle.read_ts()
    run.hold = env.holds.acquire(ts)
    if block is not None:
        for above in query.dealing:
            block.use(above)
    for use in query.relations:
        if isinstance(use, RelationUse):
            if as_of is not None or (block is not None and block.as_of is not None):
                relations.was_there(session, use.table, ts)
            if block is not None:
                block.use(use.table)
                relations.record(session, block, use, params)
    return ts


def _text(
    session: Session, made: SparkQuery, names: dict[str, str], params: Sequence[Datum], ts: Timestamp
) -> str:
    out: list[str] = []
    for piece in made.pieces:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Slot):
            out.append(names[piece.name])
        elif isinstance(piece, Param):
            out.append(literal(params[piece.number - 1], piece.type))
        else:
            assert isinstance(piece, SessionValue)
            out.append(literal(session_value(session, piece.name, ts), piece.type))
    return "".join(out)


class _Run:
    """A query under way and all that is held for it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.leases = Leases(session.executor)
        self.hold: Any = None
        self.running: Running | None = None
        self.cancelled = ""
        self.closed = False

    async def first(self) -> tuple[list[pa.RecordBatch], bool]:
        """As many rows as a small result has, and whether they are all."""
        assert self.running is not None
        batches: list[pa.RecordBatch] = []
        count = 0
        while count <= self._session.executor.limits.small_result_rows:
            batch = await self.running.read()
            if batch is None:
                return batches, True
            batches.append(batch)
            count += batch.num_rows
        return batches, False

    def cancel(self, reason: str) -> None:
        """The next batch raises 57014."""
        self.cancelled = reason
        if self.running is not None:
            self.running.close()

    def close(self) -> None:
        """Idempotent."""
        if self.closed:
            return
        self.closed = True
        if self.running is not None:
            self.running.close()
        self.leases.release()
        if self.hold is not None:
            self._session.executor.env.holds.release(self.hold)
        self._session.streams.discard(self)


def _stream(session: Session, run: _Run, first: list[pa.RecordBatch], plan: Plan, tag: str) -> Stream:
    columns = plan.columns or ()
    types = [c.type for c in columns]
    session.streams.add(run)
    timeout_ms = session.settings.statement_timeout_ms
    timer = (
        asyncio.get_running_loop().call_later(
            timeout_ms / 1000, run.cancel, "canceling statement due to statement timeout"
        )
        if timeout_ms
        else None
    )

    async def batches() -> AsyncIterator[pa.RecordBatch]:
        assert run.running is not None
        for batch in first:
            yield canonical_batch(batch, types)
        while True:
            try:
                found = await run.running.read()
            except SqlError:
                if run.cancelled:
                    raise canceled(run.cancelled) from None
                raise
            if run.cancelled:
                raise canceled(run.cancelled)
            if found is None:
                return
            yield canonical_batch(found, types)

    def close() -> None:
        if timer is not None:
            timer.cancel()
        run.close()

    return Stream(tag, columns, batches(), close)
