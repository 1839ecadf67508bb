"""Rows of many INSERTs, gathered by columns until somebody wants them.

    batch --columns--> checked: NOT NULL, CHECK, keys, references --> Block.gathered      `insert`
    batch --columns--> checked ------------------------------------> Block.gathered
    any other statement, COMMIT -----------------------------------> `flush`: the block's own writes

Clients load tables with thousands of single-row INSERTs in one transaction. Each is checked when it comes, as any
statement is, so that its error is told in its place; but to keep it among the transaction's writes, row by row, costs
ten times what its columns do. So checked rows wait as Arrow beside the block. Whatever else the session does in the
block flushes them first, so nobody ever sees a block without them; what is many by then is written in bulk. What
becomes many before that (ROWS_MAX) goes on its way into the blob store while the client sends the next rows.

A batch is wholly in, or has left no trace. It is for rows that nothing can make wait, and not in doubt: whatever else
there is to be said about a row (`Refused`), the same statements say it one by one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.constraints.rules import TableRules
from executor.keyed.compile import NotCompilable
from executor.keyed.plans import CompiledPlan, Door
from executor.keyed.row_batches import RowBatch
from executor.session import bulk, current, row_checks, row_security
from executor.session.copying import staging
from executor.session.references import at_work as references
from planner import types as t
from planner.abc import Plan, SqlError, Table
from storage.abc import Part, Row
from txn.abc import Key

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

ROWS_MAX: Final = 65_536
BYTES_MAX: Final = 32 << 20
"""What is gathered at most before it is written in bulk."""
STAGING_MAX: Final = 2
"""So many times that much may be on its way while more is gathered."""


class Refused(Exception):
    """Some row of the batch is not simply to be inserted: one by one it will show which, and why."""


@dataclass(slots=True)
class Staging:
    """Rows that are becoming parts, which the block does not have yet."""

    parts: asyncio.Task[tuple[pa.Table, list[Part]]]
    keys: dict[int, set[Key]]


@dataclass(slots=True)
class Gathered:
    """Rows of one table that wait beside their block."""

    table: Table
    rules: TableRules
    pieces: list[pa.Table] = field(default_factory=list)
    row_count: int = 0
    size_bytes: int = 0
    keys: dict[int, set[Key]] = field(default_factory=dict)
    """By constraint OID, 0 for the primary key."""
    staging: list[Staging] = field(default_factory=list)
    """Rows before these."""

    def known_keys(self, oid: int) -> list[set[Key]]:
        return [keys[oid] for keys in (self.keys, *(s.keys for s in self.staging)) if oid in keys]


def batch_of(session: Session, plan: Plan) -> RowBatch | None:
    """The plan's rows as columns, if they may be gathered here and now."""
    executor, block = session.executor, session.block
    if block is None:
        if session.pinned is not None or session.settings.raw("default_transaction_read_only") == "on":
            return None
    elif block.failed or block.read_only or block.as_of is not None or block.catalog is not None:
        return None
    if executor.read_only:
        return None
    compiled = session.compiled(plan)
    batch = compiled.batch
    if batch is None:
        try:
            batch = _compiled(compiled)
        except NotCompilable:
            batch = False
        compiled.batch = batch
    if not batch:
        return None
    table = compiled.table
    assert table is not None and compiled.rules is not None
    if block is None and compiled.rules.references:
        return None  # a statement of its own is tried again where parents come and go
    return batch if not executor.env.locks.has_sets(table.shard) else None


def _compiled(compiled: CompiledPlan) -> RowBatch:
    table = compiled.table
    if compiled.door is not Door.WRITE or table is None or table.on_commit or compiled.image is None:
        raise NotCompilable("not a plain table's")
    if compiled.fires:
        raise NotCompilable("rows that triggers are asked about")
    if row_security.asks(table):
        raise NotCompilable("rows that policies are asked about")
    if any(c.kind == "x" for c in table.constraints):
        raise NotCompilable("rows that exclude each other")
    if table.oid in table.referenced_by:
        raise NotCompilable("rows that refer to each other")
    return RowBatch(compiled.plan)


async def insert(session: Session, plan: Plan, given: Sequence[pa.Array], count: int) -> None:
    """Takes `count` rows from their parameters' columns.

    Raises Refused if not all are surely right, and anything that a statement may raise; then none was taken.
    """
    executor = session.executor
    if not executor.env.leadership.is_valid:
        await current.led(session, session.block)
    batch = batch_of(session, plan)
    if batch is None:
        raise Refused("not now")
    block = session.block or session.open_block(implicit=True)
    compiled = session.compiled(plan)
    table, rules = compiled.table, compiled.rules
    assert table is not None and rules is not None
    await bulk.hydrated(block, table)
    gathered = block.gathered
    if gathered is not None and gathered.rules is not rules:
        await flush(session, block)
        gathered = None
    block.statement()
    block.use(table)
    marks = len(block.reference_checks), len(block.deferred)
    try:
        numbers = [await executor.sequences.take_many(session, oid, count) for oid in batch.sequences]
        columns = batch.columns(given, count, session, numbers)
        rows = pa.table(columns, names=[f"c{c.attnum}" for c in table.columns])
        row_checks.check_rows(rules, rows, session)
        fresh = _fresh_keys(block, rules, rows, gathered)
        _hold(block, rules, fresh)
        if rules.wide_checks or rules.references:
            zeros = pa.array(np.zeros(count, np.int64))
            whole = pa.table([zeros, *columns], names=["_rid", *rows.column_names])
            await row_checks.check_wide(session, block, table, staging.physical(table, whole))
            await references.after_bulk(session, block, table, whole, certain=True)
    except BaseException as reason:
        del block.reference_checks[marks[0] :], block.deferred[marks[1] :]
        if isinstance(reason, SqlError | pa.ArrowInvalid):
            raise Refused(str(reason)) from None
        raise
    if gathered is None:
        gathered = block.gathered = Gathered(table, rules)
    gathered.pieces.append(rows)
    gathered.row_count += count
    gathered.size_bytes += rows.nbytes
    for oid, keys in fresh.items():
        gathered.keys.setdefault(oid, set()).update(keys)
    if gathered.row_count >= ROWS_MAX or gathered.size_bytes >= BYTES_MAX:
        await _stage(session, block, gathered)


def _fresh_keys(
    block: Block, rules: TableRules, rows: pa.Table, gathered: Gathered | None
) -> dict[int, set[Key]]:
    """The unique keys of rows. Raises Refused where one is taken, or twice among them."""
    if rules.key is None and not rules.uniques:
        return {}
    view = block.view(rules.table, record=False)
    ts = block.transaction().read_ts
    sparse = _sparse(rules, rows)
    known = gathered.known_keys if gathered is not None else _no_keys
    out: dict[int, set[Key]] = {}
    if rules.key is not None:
        keys = list(map(rules.key, sparse))
        out[0] = _distinct(keys, known(0))
        if any(view.get(k, ts) is not None for k in keys):
            raise Refused("a key is taken")
    for rule in rules.uniques:
        oid = rule.constraint.oid
        keys = [k for k in map(rule.key, sparse) if k is not None]
        out[oid] = _distinct(keys, known(oid))
        if any(view.find_unique(oid, k, ts) is not None for k in keys):
            raise Refused("a key is taken")
    return out


def _hold(block: Block, rules: TableRules, fresh: dict[int, set[Key]]) -> None:
    """Raises Refused where somebody else is about to bring one of the keys, or has done so behind the snapshot."""
    env, txn = block.executor.env, block.transaction()
    shard = rules.table.shard
    for oid, keys in fresh.items():
        space = f"{shard}/{oid}" if oid else rules.key_space
        if not all(env.held_keys.hold(txn, space, key) for key in keys):
            raise Refused("a key is held")
        if not env.conflicts.quiet(space if oid else shard, keys, txn.read_ts):
            raise Refused("a key has come")


def _no_keys(_: int) -> list[set[Key]]:
    return []


def _distinct(keys: list[Key], known: Sequence[set[Key]]) -> set[Key]:
    out = set(keys)
    if len(out) < len(keys) or not all(out.isdisjoint(others) for others in known):
        raise Refused("a key comes twice")
    return out


def _sparse(rules: TableRules, rows: pa.Table) -> list[Row]:
    """Rows with nothing but what is in keys."""
    table = rules.table
    looked_at = {
        *rules.key_indexes,
        *(table.index_of(a) for r in rules.uniques for a in r.constraint.columns),
    }
    nothing = [None] * rows.num_rows
    columns: list[Any] = [
        t.to_datums(rows.column(i), c.type) if i in looked_at else nothing
        for i, c in enumerate(table.columns[: max(looked_at) + 1])
    ]
    return list(zip(*columns, strict=True))


async def _stage(session: Session, block: Block, gathered: Gathered) -> None:
    """What has been gathered goes on its way; what went first becomes the block's own, if enough is under way."""
    while len(gathered.staging) >= STAGING_MAX:
        await _add_staged(session, block, gathered)
    work = staging.staged_ahead(session, gathered.table, pa.concat_tables(gathered.pieces))
    parts = asyncio.get_running_loop().create_task(work)
    parts.add_done_callback(_looked_at)
    gathered.staging.append(Staging(parts, gathered.keys))
    gathered.pieces, gathered.keys = [], {}
    gathered.row_count = gathered.size_bytes = 0


def _looked_at(done: asyncio.Task[tuple[pa.Table, list[Part]]]) -> None:
    """Of a block that has ended nobody asks what became of its rows."""
    if not done.cancelled():
        done.exception()


async def _add_staged(session: Session, block: Block, gathered: Gathered) -> None:
    first = gathered.staging[0]
    await asyncio.wait([first.parts])  # who is cancelled leaves them to be finished
    numbered, parts = first.parts.result()
    await bulk.add_bulk(session, block, gathered.table, numbered, parts, checked=True)
    del gathered.staging[0]


async def flush(session: Session, block: Block) -> None:
    """What was gathered becomes the block's own writes."""
    gathered, block.gathered = block.gathered, None
    if gathered is None:
        return
    executor, table = session.executor, gathered.table
    while gathered.staging:
        await _add_staged(session, block, gathered)
    if not gathered.pieces:
        return
    rows = pa.concat_tables(gathered.pieces)
    if rows.num_rows >= executor.limits.stage_rows:
        await bulk.insert_bulk(session, block, table, rows, checked=True)
        return
    key = gathered.rules.key
    changes = [
        (None, 0, None, key(row) if key is not None else None, row)
        for row in batch_rows(rows, [c.type for c in table.columns])
    ]
    block.writes(table).apply(changes, executor.env.rids.next)


__all__ = ["Gathered", "Refused", "batch_of", "flush", "insert"]
