"""Unique keys that statements of a block bring: two transactions that bring one do it one after the other, as in PostgreSQL.

    computed, and no row of the snapshot has its key     ->  hold it         nobody else has: it is ours until the block ends
                                                             another has     wait; it is free then, or the row is there: 23505
    a row of the snapshot has its key                    ->  is it written?  another transaction has changed or deleted it:
                                                                             wait; otherwise 23505

Whether a row is there is asked of the present, at every isolation level: a key that was committed behind the snapshot is as
taken as any other. Transactions of other servers are not seen before they commit: who is second hears of it at COMMIT, which
looks at all keys once more (`Block`). So it is with keys that come in bulk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from executor.constraints.rules import UniqueRule
from executor.keyed.deferred_keys import NOTHING
from executor.keyed.insert import InsertPlan
from executor.keyed.table_writes import TableWrites
from executor.keyed.write import Change
from executor.keyed.writers import is_written, writer_of
from executor.session.waits import Unsettled, WouldBlock, lock_keys, wait_for
from planner.abc import Table
from storage.abc import Row, Timestamp
from txn.abc import Key, Keyspace
from txn.locks import LockMode
from txn.transaction import Transaction

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


def hold(
    session: Session,
    txn: Transaction,
    writes: TableWrites,
    changes: Iterable[Change],
    put_off: frozenset[int] = NOTHING,
    *,
    evades: bool = False,
) -> bool:
    """Holds the keys that rows have now and had not before.

    `put_off`: constraints of which nobody asks before the end. `evades`: for ON CONFLICT a key that has been taken behind the
    snapshot is no error: False, the snapshot has moved and the statement looks again. Raises WouldBlock, Unsettled, 23505, 40001.
    """
    if writes.image is None:
        return True  # the table is the transaction's own
    rules, env = writes.rules, session.executor.env
    held, point, read_ts = env.held_keys.hold, env.conflicts.point, txn.read_ts
    for old_key, _, old_row, key, row in changes:
        if row is None:
            continue
        if rules.key is not None and (old_row is None or key != old_key):
            assert key is not None
            if not held(txn, rules.key_space, key):
                raise WouldBlock(rules.key_space, key, LockMode.UPDATE)
            newer = point(writes.shard, key, read_ts)
            if newer and _is_taken(writes, None, key, newer):
                return _refuse(session, txn, writes, None, key, row, newer, evades=evades)
        for rule in rules.uniques:
            k = rule.key(row)
            if (
                k is None
                or rule.constraint.oid in put_off
                or (old_row is not None and rule.key(old_row) == k)
            ):
                continue
            if not held(txn, rule.space, k):
                raise WouldBlock(rule.space, k, LockMode.UPDATE)
            newer = point(rule.space, k, read_ts)
            if newer and _is_taken(writes, rule, k, newer):
                return _refuse(session, txn, writes, rule, k, row, newer, evades=evades)
    return True


def _is_taken(writes: TableWrites, rule: UniqueRule | None, key: Key, ts: Timestamp) -> bool:
    """Whether a row has the key at the present, of which `ts` is the newest of the key."""
    image = writes.image
    assert image is not None
    if rule is None:
        v = image.newest(key)
        rid = v[1] if v is not None and v[2] is not None else None
    else:
        found = image.find_unique(rule.constraint.oid, key, ts)
        rid = found[1] if found is not None else None
    if rid is None or rid in writes.buffer.deletes:
        return False
    return not (writes.bulk_deleted and rid in writes.deleted_rids())


def _refuse(
    session: Session,
    txn: Transaction,
    writes: TableWrites,
    rule: UniqueRule | None,
    key: Key,
    row: Row,
    ts: Timestamp,
    *,
    evades: bool,
) -> bool:
    """The key was taken by the commit at `ts`, behind the snapshot."""
    space = writes.shard if rule is None else rule.space
    if evades:
        if not txn.refresh(ts):
            raise txn.stale(space, key, ts)
        return False
    _durable(session, txn, ts)
    txn.check_reads()
    raise writes.rules.unique_violation(rule.constraint if rule is not None else None, key, row)


def _durable(session: Session, txn: Transaction, ts: Timestamp) -> None:
    """Before an error that is about the commit at `ts`. Raises Unsettled while it may still come to nothing."""
    if ts > session.executor.env.oracle.read_ts():
        txn.depend_on(ts)
        raise Unsettled


def decided(
    session: Session, txn: Transaction, writes: TableWrites, plan: InsertPlan, rows: Sequence[Row]
) -> None:
    """Before ON CONFLICT looks for rows in the place of these: that nobody is about to bring one, and that the snapshot has just those
    that are there. Only of the keys that it is about: the row's others are looked at when it turns out to be new.

    Raises WouldBlock, 40001. Who waits for one of the keys has none of them meanwhile: the row may never be brought.
    """
    env = session.executor.env
    held_keys, point = env.held_keys, env.conflicts.point
    rules = plan.rules
    primary = rules.key is not None and plan.covers(None)
    uniques = [rule for rule in rules.uniques if plan.covers(rule)]
    for row in rows if held_keys.spaces else ():
        if primary and not held_keys.is_free(txn, rules.key_space, key := rules.key(row)):  # type: ignore[misc]
            spare(session, txn, writes, rows)
            raise WouldBlock(rules.key_space, key, LockMode.UPDATE)
        for rule in uniques:
            k = rule.key(row)
            if k is None or held_keys.is_free(txn, rule.space, k):
                continue
            if not (primary and _is_settled(session, txn, writes, plan, row)):
                spare(session, txn, writes, rows)
                raise WouldBlock(rule.space, k, LockMode.UPDATE)
    if writes.image is None:
        return
    for rule in uniques:  # (of primary keys that is seen to when their rows are locked)
        for row in rows:
            k = rule.key(row)
            if k is None:
                continue
            # A row that came, or that the snapshot has and that is gone.
            newer = point(rule.space, k, txn.read_ts)
            place = None
            if plan.leaves_alone:
                place = writer_of(env.locks, writes.image, writes.shard, rule, k, txn)
            if not newer and place is None:
                continue
            if primary and _is_settled(session, txn, writes, plan, row):
                continue
            if newer and not txn.refresh(newer):
                raise txn.stale(rule.space, k, newer)
            if place is not None:
                spare(session, txn, writes, rows)
                raise WouldBlock(writes.shard, place, LockMode.SHARE, passing=True)


def _is_settled(session: Session, txn: Transaction, writes: TableWrites, plan: InsertPlan, row: Row) -> bool:
    """Whether DO NOTHING leaves a row alone for its primary key already, whatever becomes of its others: a row of the snapshot has it,
    which nobody else has written."""
    env, key_of = session.executor.env, plan.rules.key
    if key_of is None or not plan.leaves_alone or writes.image is None:
        return False
    key = key_of(row)
    if env.conflicts.point(writes.shard, key, txn.read_ts) or is_written(env.locks, writes.shard, key, txn):
        return False
    if key in writes.by_key:
        return writes.by_key[key] is not None
    return _is_taken(writes, None, key, 0)


def lock_proposed(
    session: Session,
    txn: Transaction,
    writes: TableWrites,
    table: Table,
    plan: InsertPlan,
    rows: Sequence[Row],
) -> list[Key]:
    """For ON CONFLICT: locks the rows that have the primary keys of these, if it is about those. Returns which it had not locked before.

    DO NOTHING leaves a row alone that others have merely locked: who works on a job that is there already has no part in it.
    Raises WouldBlock, 40001.
    """
    key_of = plan.rules.key
    if key_of is None or not plan.covers(None):
        return []
    locks, keys = session.executor.env.locks, [key_of(row) for row in rows]
    conflict = plan.body.on_conflict
    if conflict is not None and not conflict.updates:
        keys = [key for key in keys if not _is_there_locked(session, txn, writes, table.shard, key)]
    fresh = [key for key in keys if locks.holds(txn, table.shard, key) is None]
    lock_keys(session, txn, table, keys, plan.lock_mode)
    return fresh


def spare(
    session: Session,
    txn: Transaction,
    writes: TableWrites,
    rows: Iterable[Row],
    changes: Iterable[Change] = (),
    fresh: Collection[Key] = (),
    *,
    updates: bool = True,
) -> None:
    """When ON CONFLICT has written: the keys that it has waited for and that rows of others turned out to have are theirs.

    `fresh`: rows that were locked in case they are there. They stay so if DO UPDATE has met them.
    """
    env, rules = session.executor.env, writes.rules
    if fresh:
        brought = {key for _, _, old, key, _ in changes if old is None}
        env.locks.let_go(txn, [(writes.shard, key) for key in fresh if key in brought or not updates])
    if not env.held_keys.spaces:
        return
    theirs: list[tuple[Keyspace, Key]] = []
    for row in rows:
        asked = [(rule.space, rule.key(row), rule.constraint.oid) for rule in rules.uniques]
        for space, key, oid in asked:
            if key is not None and writes.own_unique(oid, key) is None:
                theirs.append((space, key))
        if rules.key is not None and writes.by_key.get(key := rules.key(row)) is None:
            theirs.append((rules.key_space, key))
    env.locks.let_go(txn, theirs)


def may_be_free(session: Session, txn: Transaction, writes: TableWrites, refused: ExecutionError) -> bool:
    """Of a statement that has found a key taken: whether to look again, for the snapshot has moved to where the row is gone.

    Raises WouldBlock if another transaction is yet to decide that, Unsettled, 40001.
    """
    if refused.sqlstate != "23505" or refused.taken is None or writes.image is None:
        return False
    oid, key = refused.taken
    env, shard, rules = session.executor.env, writes.shard, writes.rules
    rule = next((r for r in rules.uniques if r.constraint.oid == oid), None)
    space = rules.key_space
    place: Key | None = key
    if rule is None:
        if writes.by_key.get(key) is not None:
            return False  # its own
        newer = env.conflicts.point(shard, key, txn.read_ts)
    else:
        if writes.own_unique(oid, key) is not None:
            return False
        space, newer = rule.space, env.conflicts.point(rule.space, key, txn.read_ts)
        there = writes.image.find_unique(oid, key, max(newer, txn.read_ts))
        place = there[0] if there is not None else None
    if newer:
        if not _is_taken(writes, rule, key, newer):
            if not txn.refresh(newer):
                raise txn.stale(shard if rule is None else space, key, newer)
            return True
        _durable(session, txn, newer)
    if not env.held_keys.is_free(txn, space, key):
        raise WouldBlock(space, key, LockMode.UPDATE)
    if place is not None and is_written(session.executor.env.locks, shard, place, txn):
        raise WouldBlock(shard, place, LockMode.SHARE)
    return False


def _is_there_locked(session: Session, txn: Transaction, writes: TableWrites, shard: str, key: Key) -> bool:
    """Whether a row that everybody sees has this primary key, and another transaction has locked it and not written it. The
    snapshot has it then. Raises 40001."""
    env = session.executor.env
    if writes.image is None or env.locks.is_free(shard, key) or env.locks.holds(txn, shard, key) is not None:
        return False
    if is_written(env.locks, shard, key, txn) or not _is_taken(writes, None, key, 0):
        return False
    newer = env.conflicts.point(shard, key, txn.read_ts)
    if newer and not txn.refresh(newer):
        raise txn.stale(shard, key, newer)
    return True


async def met(
    session: Session, block: Block, table: Table, plan: InsertPlan, rows: Sequence[Row]
) -> list[Key]:
    """For ON CONFLICT: locks the rows that may be in the place of these, once it is decided whether there are any. Returns which it
    had not locked before."""
    txn = block.transaction()
    while True:
        try:
            writes = block.used_writes(table)
            decided(session, txn, writes, plan, rows)
            return lock_proposed(session, txn, writes, table, plan, rows)
        except WouldBlock as blocked:
            await wait_for(session, block, blocked, writing=table)


async def locked(session: Session, block: Block, table: Table, plan: InsertPlan, met: Sequence[Key]) -> bool:
    """Locks the rows that ON CONFLICT has met; False: one was newer, and the statement looks again."""
    txn, keys = block.transaction(), list(met)
    before = txn.read_ts
    while keys:
        try:
            lock_keys(session, txn, table, keys, plan.lock_mode)
            break
        except WouldBlock as blocked:
            await wait_for(session, block, blocked, writing=table)
    return txn.read_ts == before


async def held(
    session: Session,
    block: Block,
    writes: TableWrites,
    changes: Sequence[Change],
    put_off: frozenset[int] = NOTHING,
    *,
    evades: bool = False,
) -> bool:
    """`hold`, which waits for what there is to wait for."""
    rules = writes.rules
    if rules.key is None and not rules.uniques:
        return True
    txn = block.transaction()
    while True:
        try:
            return hold(session, txn, writes, changes, put_off, evades=evades)
        except WouldBlock as blocked:
            await wait_for(session, block, blocked, writing=rules.table)
        except Unsettled:
            await txn.settled()


async def came_free(session: Session, block: Block, writes: TableWrites, refused: ExecutionError) -> bool:
    """`may_be_free`, which waits for what there is to wait for."""
    txn = block.transaction()
    while True:
        try:
            return may_be_free(session, txn, writes, refused)
        except WouldBlock as blocked:
            await wait_for(session, block, blocked, writing=writes.rules.table)
        except Unsettled:
            await txn.settled()


__all__ = ["came_free", "decided", "held", "hold", "lock_proposed", "locked", "may_be_free", "met", "spare"]
