"""SELECT ... FOR UPDATE of rows that a query finds, with NOWAIT and SKIP LOCKED.

    query -> rows, each with the ids and keys of what it was made of        (planner.binding.locking)
      |        row by row, in the query's order, until there are as many as LIMIT says
      v
    lock each  --held by another-->  wait, or fail (NOWAIT), or the next row (SKIP LOCKED)
      |        newer than the snapshot?  the snapshot moves forward, and the statement looks again
      v
    the rows that are left, locked and as they are now

A lock is only worth something with the newest version of its row; so if a row has changed since the snapshot, the
statement begins anew at the present: at read committed always, at the other levels if nothing that the
transaction has read before has changed (40001 otherwise). What it has locked it keeps meanwhile, and lets go
in the end of what it does not return.

**Reads.** A query that waits for its rows has read what it looked at. One that skips locked rows asks for no more than
what it gets, and that alone counts as read: consumers of one queue do not conflict with each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.abc import ExecutionError, Rows
from executor.columnar.rows import batch_rows
from executor.keyed.key_values import datum_forms, picked
from executor.keyed.row_ids import as_numpy
from executor.session import queries, read_only
from executor.session.blocks import keyed
from executor.session.blocks.block import LOCK_MODES, Block
from executor.session.few_rows import MORE
from planner import types as t
from planner.abc import Each, LockingQuery, Plan, RowLock, Table, TypeRef
from storage.abc import Datum, Timestamp
from txn.abc import Isolation, Key, Keyspace, LockNotAvailable, SerializationFailure
from txn.read_set import ReadSet

if TYPE_CHECKING:
    from executor.session.queries import Given
    from executor.session.session import Session

ROWS_PER_TURN = 4_096
"""Rows that are locked in one turn of the event loop."""
WEAKENED_MAX = 1_000
"""Locks that a statement lets go of one by one; if there are more it keeps them to the end."""

LockKey = tuple[Keyspace, Key]


async def select(
    session: Session,
    block: Block,
    plan: Plan,
    body: LockingQuery,
    params: Sequence[Datum],
    given: Mapping[str, Given],
    *,
    begins: bool,
) -> Rows:
    """The statement as a whole. Raises SnapshotMoved only if other parts of it have run before, or routines."""
    types = [c.type for c in plan.columns or ()]
    found = await rows(session, block, body, params, given, begins=begins, undo="runs" in plan.extra)
    if not types:
        return Rows(f"SELECT {found.num_rows}", plan.columns, [()] * found.num_rows)
    datums = batch_rows(queries.canonical_table(found, types), types)
    return Rows(f"SELECT {len(datums)}", plan.columns, datums)


async def rows(
    session: Session,
    block: Block,
    body: LockingQuery,
    params: Sequence[Datum],
    given: Mapping[str, Given] | None = None,
    *,
    begins: bool,
    undo: bool = False,
) -> pa.Table:
    """Runs the query and locks its rows; those that it got, with the columns of the result (with one too many if it has none).

    `undo`: what was done in its course is to be undone before it begins anew.
    """
    check(session, block, body)
    if body.each is not None:
        return await _for_each(session, block, body, body.each, params, given, begins=begins)
    for lock in body.locks:
        block.use(lock.table)
    taken: dict[LockKey, None] = {}
    for _ in range(session.executor.limits.retries_max):
        if begins:
            block.since = block.statement().read_ts
        found = await queries.arrow(session, block, body.query, params, None, given, begins=begins)
        walk = _Walk(session, block, body, found, taken)
        kept = await walk.locked()
        if walk.cut_short():
            continue
        if not walk.newest:
            _let_go(session, block, taken, walk.needed)
            for space, key in walk.read:
                block.transaction().reads.point(space, key)
            # SELECT FROM t FOR UPDATE has rows though no columns: a table that Arrow has no rows of without one.
            return found.select(range(max(body.width, 1))).take(pa.array(kept, pa.int64()))
        txn = block.transaction()
        assert walk.stale is not None
        if not txn.refresh(walk.newest, anew=True):
            raise txn.stale(*walk.stale, walk.newest)
        if not begins or undo:
            raise keyed.SnapshotMoved
        txn.reads = ReadSet()  # of this very statement, which begins anew
    raise SerializationFailure("could not serialize access due to concurrent update")


async def _for_each(
    session: Session,
    block: Block,
    body: LockingQuery,
    each: Each,
    params: Sequence[Datum],
    given: Mapping[str, Given] | None,
    *,
    begins: bool,
) -> pa.Table:
    """The query's rows for one after another of those that it is asked for, each with what it was found for."""
    asked = queries.canonical_table(
        await queries.arrow(session, block, each.query, params, None, given, begins=begins), each.types
    )
    alone = replace(body, each=None)
    spare = each.first - 1 - len(params)
    shown = [pa.field(f"c{i}", t.arrow_type(ref)) for i, ref in enumerate(each.shown)]
    found: list[pa.Table] = []
    of: list[int] = []
    for n, values in enumerate(batch_rows(asked, each.types)):
        told = (*params, *(None,) * spare, *values)
        one = await rows(session, block, alone, told, given, begins=False)
        of += [n] * one.num_rows
        if shown:
            found.append(queries.canonical_table(one, each.shown).rename_columns([f.name for f in shown]))
    out = pa.concat_tables([pa.schema(shown).empty_table(), *found])
    cells = dict(
        zip(out.column_names, out.columns, strict=True)
    )  # of a query of no columns there is no table with rows
    for i in range(len(each.types)):
        cells[f"k{i}"] = asked.column(i).take(pa.array(of, pa.int64()))
    return pa.table(cells)


def check(session: Session, block: Block, body: LockingQuery) -> None:
    """Raises what keeps the statement from being tried at all."""
    strength = body.locks[0].strength.upper() if body.locks else "UPDATE"
    read_only.refuse(session, block, body, f"SELECT FOR {strength}")
    validated = block.isolation in (Isolation.SERIALIZABLE, Isolation.STRICT_SERIALIZABLE)
    if body.derived and not (validated and all(lock.wait == "wait" for lock in body.locks)):
        raise ExecutionError(
            "0A000",
            f"FOR {strength} of tables inside subqueries and views is not supported",
            hint="Put the locking clause into the subquery, or name the tables to be locked with OF.",
        )


class _Walk:
    """One walk down the rows that a query found."""

    def __init__(
        self, session: Session, block: Block, body: LockingQuery, found: pa.Table, taken: dict[LockKey, None]
    ) -> None:
        self._session, self._block, self._body, self._taken = session, block, body, taken
        self._count = found.num_rows
        self._passed = False
        self._skip, self._wanted = _limits(body, found)
        self._asked = self._count + 1
        if MORE in found.column_names and self._count:
            limit, offset = (found.column(body.width + n)[0].as_py() for n in (0, 1))
            self._asked = limit + offset + found.column(MORE)[0].as_py()
        self._keys = [list(keys_of(session, block, lock, found)) for lock in body.locks]
        self.newest: Timestamp = 0
        """The newest commit of a row that is locked now and younger than the snapshot; 0: there is none."""
        self.stale: LockKey | None = None
        self.needed: set[LockKey] = set()
        self.read: list[LockKey] = []

    async def locked(self) -> list[int]:
        """Locks row by row; the positions of those that it got, OFFSET left out."""
        kept: list[int] = []
        for i in range(self._count):
            if len(kept) >= self._wanted:
                break
            if i % ROWS_PER_TURN == ROWS_PER_TURN - 1:
                await asyncio.sleep(0)
            if await self._row(i):
                kept.append(i)
        self._passed = len(kept) < self._wanted
        return kept[self._skip :]

    def cut_short(self) -> bool:
        """Whether there may be rows behind those that were skipped: others were locked after the query had been told how many are."""
        return self._passed and self._count >= self._asked

    async def _row(self, i: int) -> bool:
        """Whether all that the row was made of is ours now."""
        held: list[tuple[RowLock, LockKey]] = []
        for lock, keys in zip(self._body.locks, self._keys, strict=True):
            table, lock_key = keys[i]
            if not await self._one(lock, table, lock_key):
                return False
            held.append((lock, lock_key))
        name = self._session.executor.env.locks.name
        self.needed.update((space, name(space, key)) for _, (space, key) in held)
        self.read += [lock_key for lock, lock_key in held if lock.wait == "skip"]
        return True

    async def _one(self, lock: RowLock, table: Table, lock_key: LockKey) -> bool:
        session, block = self._session, self._block
        env, txn = session.executor.env, block.transaction()
        space, key = lock_key
        mode = LOCK_MODES[lock.strength]
        before = env.locks.holds(txn, space, key)
        if not env.locks.try_acquire(txn, space, key, mode):
            if lock.wait == "skip":
                return False
            if lock.wait == "nowait":
                raise LockNotAvailable(f'could not obtain lock on row in relation "{table.name}"')
            await keyed.wait_for(session, block, keyed.WouldBlock(space, key, mode))
        if before is None:
            self._taken[space, env.locks.name(space, key)] = None
        ts = env.conflicts.point(space, key, min(block.since or txn.read_ts, txn.read_ts))
        if ts > self.newest:
            self.newest, self.stale = ts, lock_key
        return True


def _limits(body: LockingQuery, found: pa.Table) -> tuple[int, int]:
    """OFFSET, and how many rows are to be locked with it."""
    if not body.limited or not found.num_rows:
        return 0, found.num_rows
    limit, offset = (found.column(body.width + i)[0].as_py() for i in (0, 1))
    return offset, min(limit + offset, found.num_rows)


def keys_of(
    session: Session, block: Block, lock: RowLock, found: pa.Table
) -> Iterable[tuple[Table, LockKey]]:
    """The table and the lock key of each row: its primary key, or its row id in a table without one."""
    table = lock.table
    if lock.leaf_keys is None:
        return ((table, (table.shard, key)) for key in _keys_of(table, lock, found, table.key_indexes))
    names = [table.columns[i].name for i in lock.leaf_keys]
    homes = as_numpy(found.column(lock.column + 1 + len(names)))
    out: list[tuple[Table, LockKey]] = [(table, (table.shard, 0))] * found.num_rows
    for oid in set(homes.tolist()):
        leaf = session.catalog.table(oid)
        block.use(leaf)
        at = (homes == oid).nonzero()[0]
        places = [names.index(leaf.columns[i].name) for i in leaf.key_indexes]
        for i, key in zip(at.tolist(), _keys_of(leaf, lock, found.take(pa.array(at)), places), strict=True):
            out[i] = leaf, (leaf.shard, key)
    return out


def _keys_of(table: Table, lock: RowLock, found: pa.Table, places: Sequence[int]) -> Sequence[Key]:
    """`places`: which of the columns behind the row's id the key is made of, of a leaf; the first ones of any other table."""
    indexes = table.key_indexes
    if not indexes:
        rids: list[int] = as_numpy(found.column(lock.column)).tolist()
        return rids
    types: list[TypeRef] = [table.columns[i].type for i in indexes]
    first = lock.column + 1
    at = range(len(indexes)) if lock.leaf_keys is None else places
    columns = found.select([first + i for i in at])
    datums = batch_rows(queries.canonical_table(columns, types), types)
    primary = table.primary_key
    assert primary is not None
    key_of = picked(range(len(indexes)), datum_forms(table, primary))
    return [key_of(row) for row in datums]


def _let_go(session: Session, block: Block, taken: dict[LockKey, None], needed: set[LockKey]) -> None:
    """What an earlier walk has locked and the last one did not return."""
    spare = [lock_key for lock_key in taken if lock_key not in needed]
    if len(spare) <= WEAKENED_MAX:
        for space, key in spare:
            session.executor.env.locks.weaken(block.transaction(), space, key, None)


__all__ = ["ROWS_PER_TURN", "LockKey", "check", "keys_of", "rows", "select"]
