"""What most statements of a block are, each as one function: a row by its key read or changed, a row inserted.

    run_in_block      any keyed statement: which door, which view, whose locks, what comes of a row that is not there
    lane(compiled)    the same where nothing of it happens: one key, no row of the block's own under it, nobody in the way

What a lane does is what `keyed.run_in_block` does for such a statement, in the same order: lock, look whether the snapshot has the
newest, note what is read, compute, check, buffer. Where another has the lock it raises WouldBlock as that does, and Unsettled where
rows are to be answered that may come to nothing. Where anything else is not as usual it says None before it has written anything. Then the statement begins at `run_in_block`: what was locked or noted
until then it would have locked and noted itself, and what else raises is written down there, and not here. A row that INSERT has made goes along: its numbers have been drawn from sequences,
and the key that is taken is the one it drew first.

    BEGIN; UPDATE accounts ... WHERE aid = $2; SELECT ... WHERE aid = $1; INSERT INTO history ...; END
           change                              look                       append
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

from executor.abc import Rows
from executor.constraints.rules import TableRules
from executor.keyed.insert import InsertPlan
from executor.keyed.plans import CompiledPlan, Door
from executor.keyed.table_writes import TableWrites
from executor.keyed.write import UpdatePlan
from executor.session.blocks import keyed
from executor.session.blocks.block import LOCK_MODES, Block
from executor.statistics.counts import PRIMARY
from planner.abc import KeyedUpdate, Plan, Table
from storage.abc import Row
from txn.columns import ALL_COLUMNS

if TYPE_CHECKING:
    from executor.executor import Executor

Lane = Callable[[Any, Block, tuple[Any, ...]], Rows | None]
"""(session, block, parameters) -> the answer; None: `run_in_block` gives it. Raises what that raises."""

_ABSENT: Final[Any] = object()


def lane(executor: Executor, compiled: CompiledPlan, plan: Plan) -> Lane | Literal[False]:
    """What runs this plan in blocks that have changed no definition; False if it is no such statement. Of a compiled plan it is one,
    whoever runs it."""
    if compiled.lane is None:
        compiled.lane = _lane(executor, compiled, plan) or False
    found: Lane | Literal[False] = compiled.lane
    return found


def _lane(executor: Executor, compiled: CompiledPlan, plan: Plan) -> Lane | None:
    table = compiled.table
    if type(table) is not Table or compiled.image is None:
        return None
    if compiled.door is Door.READ:
        return _lock(executor, compiled, plan) if compiled.lock else _look(compiled, plan)
    write, rules = compiled.write, compiled.rules
    if type(rules) is not TableRules or rules.table is not table or rules.under is not None:
        return None
    if rules.deferrable:
        return None
    if type(write) is InsertPlan:
        return (
            _append(executor, compiled, write, rules, plan)
            if write.single is not None and not rules.references
            else None
        )
    if type(write) is UpdatePlan and isinstance(write.body, KeyedUpdate) and write.is_of_one_key:
        return _change(executor, write, rules, plan)
    return None


def _opened(executor: Executor, rules: TableRules) -> Callable[[Block], TableWrites | None]:
    """The block's writes to the table, where it has written no rows in bulk; None: it has, or knows the table otherwise."""
    table, store = rules.table, executor.store
    shard, oid = table.shard, table.oid

    def opened(block: Block) -> TableWrites | None:
        writes = block.tables.get(shard)
        if writes is None:
            known = block.used.setdefault(oid, table)
            if known is not table:
                return None
            writes = block.tables[shard] = TableWrites(
                block.transaction(), rules, store.image(shard), store.spill
            )
            return writes
        if writes.rules is not rules or writes.bulk or writes.bulk_deleted or oid not in block.used:
            return None
        return writes

    return opened


def _look(compiled: CompiledPlan, plan: Plan) -> Lane | None:
    """SELECT of columns of one row."""
    read, table = compiled.read, compiled.table
    assert read is not None and table is not None
    columns = read.point_columns
    if columns is None:
        return None
    assert read.lookup.points is not None
    key_of, footprint = read.lookup.points[0], read.footprint
    shard, oid, described = table.shard, table.oid, plan.columns
    image: Any = compiled.image
    get_columns = image.get_columns
    nothing = Rows("SELECT 0", described)
    assert compiled.way is not None
    hit, missed = compiled.way.hit, compiled.way.missed

    def look(session: Any, block: Block, params: tuple[Any, ...]) -> Rows | None:
        key = key_of(params, session)
        if key is None:
            return None
        txn = block.statement()
        writes = block.tables.get(shard)
        own = _ABSENT
        if writes is not None:
            if writes.bulk or writes.bulk_deleted or writes.image is not image:
                return None
            own = writes.by_key.get(key, _ABSENT)
        if block.used.setdefault(oid, table) is not table:
            return None
        if own is _ABSENT:
            txn.reads.point(shard, key, footprint)
            row = get_columns(key, txn.read_ts, columns)
        else:
            row = own and tuple([own[1][i] for i in columns])
        if txn.unsettled is not None and not txn.is_settled:
            raise keyed.Unsettled
        if row is None:
            missed()
            return nothing
        hit()
        return Rows("SELECT 1", described, (row,))

    return look


def _lock(executor: Executor, compiled: CompiledPlan, plan: Plan) -> Lane | None:
    """SELECT ... FOR UPDATE, or a weaker kin, of columns of one row."""
    read, table = compiled.read, compiled.table
    assert read is not None and table is not None
    columns = read.point_columns
    if columns is None or read.body.lock_wait != "wait":
        return None
    assert read.lookup.points is not None
    key_of, footprint, mode = read.lookup.points[0], read.footprint, LOCK_MODES[compiled.lock]
    env, try_acquire = executor.env, executor.env.locks.try_acquire
    shard, oid, described = table.shard, table.oid, plan.columns
    image: Any = compiled.image
    get_columns = image.get_columns
    assert compiled.way is not None
    hit = compiled.way.hit

    def lock(session: Any, block: Block, params: tuple[Any, ...]) -> Rows | None:
        key = key_of(params, session)
        if key is None or block.read_only:
            return None
        txn = block.statement()
        writes = block.tables.get(shard)
        if writes is not None and (
            writes.bulk or writes.bulk_deleted or writes.image is not image or key in writes.buffer.by_key
        ):
            return None
        if block.used.setdefault(oid, table) is not table:
            return None
        ts = txn.read_ts
        row = get_columns(key, ts, columns)
        if row is None:
            return None
        if not try_acquire(txn, shard, key, mode):
            raise keyed.WouldBlock(shard, key, mode)
        if env.conflicts.point(shard, key, ts):
            return None
        txn.follow()
        txn.reads.point(shard, key, footprint)
        if txn.unsettled is not None and not txn.is_settled:
            raise keyed.Unsettled
        hit()
        return Rows("SELECT 1", described, (row,))

    return lock


def _change(executor: Executor, write: UpdatePlan, rules: TableRules, plan: Plan) -> Lane:
    """UPDATE of one row that stays under its key."""
    env, next_rid = executor.env, executor.env.rids.next
    try_acquire, mode = env.locks.try_acquire, write.lock_mode
    opened, shard = _opened(executor, rules), rules.table.shard
    assert write.lookup.points is not None and write.update is not None
    key_of, condition, update = write.lookup.points[0], write.condition, write.update
    check, written, returning = rules.check, write.written, write.returning
    alone, size_bytes, changed = (
        not (rules.uniques or rules.references),
        rules.size_bytes,
        rules.counts.changed,
    )
    looked_up = rules.counts.way(PRIMARY).hit
    done = Rows(f"{write.tag}1", plan.columns)

    def change(session: Any, block: Block, params: tuple[Any, ...]) -> Rows | None:
        key = key_of(params, session)
        if key is None:
            return None
        txn = block.statement()
        if condition is not None:  # a row of which it is not true is not locked
            writes = opened(block)
            if writes is None or key in writes.buffer.by_key:
                return None
            seen = writes.image.get_to_change(key, txn.read_ts)  # type: ignore[union-attr]
            if seen is None or not condition(params, seen[1], session):
                return None
        if not try_acquire(txn, shard, key, mode):
            raise keyed.WouldBlock(shard, key, mode)
        newest = env.conflicts.point(shard, key, txn.read_ts)
        if newest and not txn.refresh(newest):
            return None
        if returning is not None and txn.unsettled is not None and not txn.is_settled:
            raise keyed.Unsettled
        ts = txn.read_ts
        writes = opened(block)
        if writes is None or key in writes.buffer.by_key:
            return None
        txn.reads.point(shard, key, ALL_COLUMNS)
        hit = writes.image.get_to_change(key, ts)  # type: ignore[union-attr]
        if hit is None:
            return None
        rid, row = hit
        if condition is not None and not condition(params, row, session):
            return None
        new = update(params, row, session)
        check(new, session)
        answer = done
        if returning is not None:
            answer = Rows(done.tag, done.columns, (returning(params, new, session),))
        if alone:
            txn.replace(shard, key, rid, next_rid(), new, written, size_bytes(new))
            changed()
        else:
            looked_up()
            writes.apply(((key, rid, row, key, new),), next_rid, written)
        return answer

    return change


def _append(
    executor: Executor, compiled: CompiledPlan, write: InsertPlan, rules: TableRules, plan: Plan
) -> Lane:
    """INSERT of one row, of which at most its primary key may be taken."""
    env, next_rid = executor.env, executor.env.rids.next
    locks, hold, key_space = env.locks, env.held_keys.hold, rules.key_space
    opened, shard, size_bytes = _opened(executor, rules), rules.table.shard, rules.size_bytes
    key_of, make, check = rules.key, write.single, rules.check
    returns, appended = write.returning is not None, rules.counts.appended
    assert make is not None
    done = Rows("INSERT 0 1", plan.columns)

    def longer(session: Any, block: Block, params: tuple[Any, ...], row: Row) -> Rows:
        return keyed.run_in_block(session, block, compiled, plan, params, made=(row,))

    def append(session: Any, block: Block, params: tuple[Any, ...]) -> Rows | None:
        txn = block.statement()
        writes = opened(block)
        if writes is None:
            return None
        if locks.has_sets(shard):
            return None
        row = make(params, None, session)
        check(row, session)
        rid = None
        if key_of is None:
            key = rid = next_rid()
        else:
            key, ts = key_of(row), txn.read_ts
            own = writes.buffer.by_key.get(key, _ABSENT)
            if own is _ABSENT:
                if writes.image.get_to_bring(key, ts) is not None:  # type: ignore[union-attr]
                    return longer(session, block, params, row)
            elif own is not None:
                return longer(session, block, params, row)
            if not hold(txn, key_space, key) or env.conflicts.point(shard, key, ts):
                return longer(session, block, params, row)
        answer = done
        if returns:
            answer = Rows(done.tag, done.columns, (write.returned(params, row, session, 0),))  # type: ignore[arg-type]
            if txn.unsettled is not None and not txn.is_settled:
                return longer(session, block, params, row)
        txn.bring(shard, writes.buffer, key, rid or next_rid(), row, size_bytes(row))
        appended()
        return answer

    return append


__all__ = ["Lane", "lane"]
