"""Keyed statements inside a transaction block.

    run_in_block      at once, or raises WouldBlock (a lock is held by another), NotHydrated, TooOldForKeyed
    LockWait          (executor.session.locks.lock_wait) the same once the lock is there, without a task
    run_waiting       the same from the wide door: waits for whatever it was, and begins anew

**Locks and refresh.** A statement that is about to write known keys takes their locks first. If a row
is newer than the snapshot by then, the snapshot moves forward, provided that nothing the block has read
has changed since; otherwise 40001, unless the level is READ COMMITTED, where the statement simply sees
the new row. The statement begins anew after every wait, so it never mixes two snapshots.

A lock is handed over as soon as its holder's commit is admitted. Until that is durable the block is unsettled
(see `txn.transaction`): its statements go on, but none answers with rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.columnar.lookback import HistoricalView
from executor.ddl.shape import same_shape
from executor.keyed.insert import InsertPlan
from executor.keyed.lookup import Hit, LookupPlan
from executor.keyed.overlay import OverlayView
from executor.keyed.plans import CompiledPlan, Door
from executor.keyed.read import ReadPlan, nearby
from executor.keyed.write import Change, Changes, UpdatePlan
from executor.session import new_keys, read_only
from executor.session.blocks import moved_tables
from executor.session.blocks.block import LOCK_MODES, Block
from executor.session.commands import NeedsLease
from executor.session.waits import Unsettled as Unsettled
from executor.session.waits import WouldBlock as WouldBlock
from executor.session.waits import lock_keys as lock_keys
from executor.session.waits import too_early as too_early
from executor.session.waits import wait_for as wait_for
from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from planner.abc import Plan, SqlError, Table
from storage.abc import Datum, Row
from txn.abc import Key, LockNotAvailable, SerializationFailure
from txn.columns import ALL_COLUMNS, Columns
from txn.locks import LockMode
from txn.transaction import Transaction

if TYPE_CHECKING:
    from executor.session.session import Session


_UNRECORDED: Columns = 0
"""What a view notes of the rows that it finds where the statement does not depend on them."""


class SnapshotMoved(Exception):
    """The snapshot moved forward while the statement waited for locks: it begins anew."""

    begins_anew = True


def run_in_block(
    session: Session,
    block: Block,
    compiled: CompiledPlan,
    plan: Plan,
    params: Sequence[Datum],
    base: Any = None,
    made: Sequence[Row] | None = None,
) -> Rows:
    """A keyed read or write against the block's own view. `base` replaces the image (history): the statement has begun already.

    `made`: the rows of an INSERT, if there are any yet: made again, they would draw other numbers from sequences. Whoever is to wait
    for a lock is told them.
    """
    txn = block.statement() if base is None else block.transaction()
    table = compiled.table
    assert table is not None
    if block.altered and base is None and table.shard in block.altered:
        image = compiled.image
        if image is not None and not same_shape(image.table, table):
            raise TooOldForKeyed  # the image has it as it was: its rows come from DuckDB
    if compiled.door is Door.READ:
        return _read(session, block, txn, compiled, plan, params, base)
    write = compiled.write
    assert write is not None
    if type(write) is InsertPlan:
        if made is None:
            if base is None and compiled.image is not None and write.asks_for(compiled.image):
                raise NotHydrated(table.name)  # before numbers are drawn from sequences
            made = write.values(params, session)
        conflict = write.body.on_conflict
        try:
            view, fresh, (changes, returned, count) = _changes_of_new_rows(
                session, block, txn, write, params, made, base
            )
        except (WouldBlock, NotHydrated, TooOldForKeyed) as blocked:
            blocked.made = made
            raise
        except SqlError:
            if not too_early(block):
                raise
            unsettled = Unsettled()
            unsettled.made = made
            raise unsettled from None
        values: Sequence[Row] = made
    else:
        assert isinstance(write, UpdatePlan)
        mark = session.executor.env.locks.mark(txn) if write.may_move else 0
        hits = lock_for(session, block, txn, table, write, params, base)
        view = block.view(table, ALL_COLUMNS, base)
        conflict = None
        if write.keys_change:
            changes, returned, count = _with_new_keys(session, txn, write, params, view, (), base, mark)
        else:
            if hits is not None:
                bounds = write.lookup.bounds(params, session)
                if bounds is not None:
                    view.note(bounds)
            changes, returned, count = write.changes(params, session, view, txn.read_ts, hits)
        if compiled.way is not None:
            compiled.way.add(count)
        if not changes and write.lookup.points is not None and not write.lookup.index:
            _unlock_absent(session, txn, view, write.lookup.asked_keys(params, session))
    if returned is not None and txn.unsettled is not None and not txn.is_settled:
        unsettled = Unsettled()
        unsettled.made = made
        raise unsettled
    writes = block.writes(table) if block.altered else view.writes
    writes.apply(changes, session.executor.env.rids.next, write.written)
    if conflict is not None:
        new_keys.spare(session, txn, writes, values, changes, fresh, updates=conflict.updates)
    block.last_changes = changes
    return Rows(f"{write.tag}{count}", plan.columns, returned if returned is not None else ())


def _changes_of_new_rows(
    session: Session,
    block: Block,
    txn: Transaction,
    write: InsertPlan,
    params: Sequence[Datum],
    values: Sequence[Row],
    base: Any,
) -> tuple[OverlayView, Sequence[Key], Changes]:
    """What becomes of an INSERT's rows; the keys that were locked for ON CONFLICT."""
    table = write.rules.table
    conflict = write.body.on_conflict
    locks = session.executor.env.locks
    fresh: Sequence[Key] = ()
    if conflict is not None:
        mine = block.used_writes(table)
        new_keys.decided(session, txn, mine, write, values)
        fresh = new_keys.lock_proposed(session, txn, mine, table, write, values)
    if write.rules.key is not None and locks.has_sets(table.shard):
        lock_keys(session, txn, table, [write.rules.key(r) for r in values], write.lock_mode)
        fresh = ()
    view = block.view(table, ALL_COLUMNS if conflict is not None else _UNRECORDED, base)
    if conflict is not None:
        view.writes.evades = True
    if write.rules.key is None and not write.rules.uniques:
        return view, fresh, write.changes(params, session, view, txn.read_ts, values)
    return view, fresh, _with_new_keys(session, txn, write, params, view, values, base)


def _with_new_keys(
    session: Session,
    txn: Transaction,
    write: InsertPlan | UpdatePlan,
    params: Sequence[Datum],
    view: OverlayView,
    values: Sequence[Row],
    base: Any,
    mark: int = 0,
) -> Changes:
    """The changes of a statement that brings keys, which it holds then, and the rows that ON CONFLICT has met are locked.

    `values`: the rows that INSERT proposes. `mark`: of the locks, before it locked the rows that UPDATE is of.
    """
    evades = type(write) is InsertPlan and write.body.on_conflict is not None
    table = write.rules.table
    while True:
        ts = txn.read_ts
        try:
            if type(write) is InsertPlan:
                made = write.changes(params, session, view, ts, values)
                if evades and (met := write.met(values, view, ts, made[0])):
                    lock_keys(session, txn, table, met, write.lock_mode)
            else:
                made = write.changes(params, session, view, ts)
            if isinstance(write, UpdatePlan) and write.may_move:
                _strengthen(session, txn, write, made[0], mark)
            if txn.read_ts == ts and new_keys.hold(
                session, txn, view.writes, made[0], view.put_off, evades=evades
            ):
                return made
        except ExecutionError as refused:
            if not new_keys.may_be_free(session, txn, view.writes, refused):
                raise
        if base is not None:
            raise TooOldForKeyed  # the snapshot has moved: its history is another one's


def _read(
    session: Session,
    block: Block,
    txn: Transaction,
    compiled: CompiledPlan,
    plan: Plan,
    params: Sequence[Datum],
    base: Any,
) -> Rows:
    read, table = compiled.read, compiled.table
    assert read is not None and table is not None
    view = block.view(table, read.footprint, base)
    if compiled.lock:
        if not read_only.may_write(session, block, table):
            raise ExecutionError(
                "25006", f"cannot execute SELECT FOR {compiled.lock.upper()} in a read-only transaction"
            )
        looking = block.view(table, _UNRECORDED, base)
        rows: Sequence[Any] = _locking_read(session, block, txn, compiled, params, view, looking)
    else:
        rows = read.run(params, session, view, txn.read_ts)
    if txn.unsettled is not None and not txn.is_settled:
        raise Unsettled
    if compiled.way is not None:
        compiled.way.add(len(rows))
    return Rows(f"SELECT {len(rows)}", plan.columns, rows)


def lock_for(
    session: Session,
    block: Block,
    txn: Transaction,
    table: Table,
    write: UpdatePlan,
    params: Sequence[Datum],
    base: Any,
    mode: LockMode | None = None,
) -> list[Hit] | None:
    """Locks the rows that an UPDATE or DELETE will write. It only looks for them: to have read them before
    they are locked would keep the snapshot from moving to their newest versions.

    Of a range: the rows, as they are in the snapshot by now. Those of which WHERE is not true are left alone.
    """
    lookup, mode, condition = write.lookup, mode or write.lock_mode, write.condition
    if lookup.points is not None and not lookup.index:
        if lookup.single:
            key = lookup.points[0](params, session)
            keys: Sequence[Key] = () if key is None else (key,)
        else:
            keys = lookup.asked_keys(params, session)
        if condition is not None:
            keys = _that_may_pass(session, block, txn, table, write, params, base, keys)
        if keys:
            lock_keys(session, txn, table, keys, mode)
        return None
    before, hits = None, None
    while txn.read_ts != before:  # the snapshot has moved: there may be other rows in the range
        before = txn.read_ts
        view = block.view(table, _UNRECORDED, base)
        hits = list(lookup.hits(params, session, view, before))
        if condition is not None:
            hits = [hit for hit in hits if condition(params, hit[2], session)]
        lock_keys(session, txn, table, [hit[0] for hit in hits], mode)
    return hits if lookup.range is not None else None


def _that_may_pass(
    session: Session,
    block: Block,
    txn: Transaction,
    table: Table,
    write: UpdatePlan,
    params: Sequence[Datum],
    base: Any,
    keys: Sequence[Key],
) -> list[Key]:
    """The keys but those of rows of which WHERE is not true, and has not become so since the snapshot."""
    condition, ts = write.condition, txn.read_ts
    assert condition is not None
    get, newer = block.view(table, _UNRECORDED, base).get, session.executor.env.conflicts.point
    return [
        key
        for key in keys
        if (hit := get(key, ts)) is None or condition(params, hit[1], session) or newer(table.shard, key, ts)
    ]


def _strengthen(
    session: Session, txn: Transaction, write: UpdatePlan, changes: Sequence[Change], mark: int
) -> None:
    """Locks the rows that get other keys as DELETE does. Who has to wait for that waits with empty hands, as for any lock: he whom
    he waits for may be about to write the row himself. Raises WouldBlock, 40001."""
    rules, locks = write.rules, session.executor.env.locks
    for key, _, old, _, new in changes:
        if old is None or new is None or rules.lock_mode(old, new) is LockMode.NO_KEY_UPDATE:
            continue
        try:
            lock_keys(session, txn, rules.table, (key,), LockMode.UPDATE)
        except WouldBlock:
            locks.release_since(txn, rules.table.shard, key, mark)
            raise


def _unlock_absent(session: Session, txn: Transaction, view: OverlayView, keys: Iterable[Key]) -> None:
    """An UPDATE or DELETE has found nothing: who brings a row under one of these keys, or looks for one, need not wait for that."""
    writes, locks = view.writes, session.executor.env.locks
    if writes.in_bulk:
        return
    absent = [
        (writes.shard, key)
        for key in keys
        if key is not None and key not in writes.by_key and view.unnoted.get(key, txn.read_ts) is None
    ]
    locks.let_go(txn, absent)


def _locking_read(
    session: Session,
    block: Block,
    txn: Transaction,
    compiled: CompiledPlan,
    params: Sequence[Datum],
    view: OverlayView,
    looking: OverlayView,
) -> list[tuple[Any, ...]]:
    """SELECT ... FOR UPDATE and its weaker kin, with NOWAIT and SKIP LOCKED.

    Looks for the rows, locks them, and only then reads them through `view`: what SKIP LOCKED left out was not read.
    """
    read = compiled.read
    assert read is not None and compiled.table is not None
    mode = LOCK_MODES[compiled.lock]
    wait = read.body.lock_wait
    locks, shard = session.executor.env.locks, compiled.table.shard
    limit = None
    if wait == "skip" and read.limit is not None:
        limit = read.limit(params, None, session)
        if limit is not None and limit < 0:
            raise ExecutionError("2201W", "LIMIT must not be negative")
    while True:
        hits: list[Any] = []
        for hit in _candidates(read, params, session, looking, txn, unlimited=wait == "skip"):
            if limit is not None and len(hits) >= limit:
                break
            if wait == "wait" or locks.try_acquire(txn, shard, hit[0], mode):
                hits.append(hit)
            elif wait == "nowait":
                raise LockNotAvailable(f'could not obtain lock on row in relation "{compiled.table.name}"')
        before = txn.read_ts
        lock_keys(session, txn, compiled.table, [h[0] for h in hits], mode)
        if txn.read_ts == before:
            break
        # The snapshot moved: look again. Rows found now that are not locked yet are locked as well.
    txn.follow()
    if wait == "skip":
        for key, _, _ in hits:
            txn.reads.point(shard, key)
    elif looking.looked_at is not None:  # the first rows of a range, which are not looked for twice
        view.note(looking.looked_at)
    else:
        hits = list(read.rows(params, session, view, txn.read_ts))
    return [read.project(params, row, session) for _, _, row in hits]


def _candidates(
    read: ReadPlan,
    params: Sequence[Datum],
    session: Session,
    view: OverlayView,
    txn: Transaction,
    *,
    unlimited: bool,
) -> Any:
    if not unlimited:
        return list(read.rows(params, session, view, txn.read_ts))
    condition, lookup = read.condition, read.lookup
    hits = lookup.hits(params, session, view, txn.read_ts, read.body.descending, at_once=True)
    if lookup.range is not None:
        hits = nearby(hits)
    return (h for h in hits if condition is None or condition(params, h[2], session))


async def run_waiting(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum]
) -> Rows:
    """Runs it as often as it takes to get every lock and everything hydrated; then fires what comes after it."""
    around, block.level = block.level, None
    try:
        result = await _run_waiting(session, block, compiled, plan, params)
        if block.level is not None:
            await block.level.drain(session, block)
        return result
    finally:
        block.level = around


async def _run_waiting(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum]
) -> Rows:
    from executor.session import relations
    from executor.session.references import at_work as references
    from executor.triggers import keyed_writes

    executor = session.executor
    if block.as_of is not None:
        assert compiled.table is not None
        relations.was_there(session, compiled.table, block.as_of)
    base: Any = None
    made = session.drawn_by(compiled)
    while True:
        try:
            if compiled.fires:
                return await keyed_writes.run(session, block, compiled, plan, params, base)
            if made is None and base is None:
                made = await widely_checked_rows(session, block, compiled, params)
            result = run_in_block(session, block, compiled, plan, params, base, made)
            await check_wide(session, block, compiled)
            if compiled.door is Door.WRITE:
                assert compiled.table is not None
                await references.enforce(session, block, compiled.table, block.last_changes)
            return result
        except WouldBlock as blocked:
            made = made or blocked.made
            writing = compiled.table if compiled.write is not None else None
            await wait_for(session, block, blocked, writing=writing)
            base = None
        except Unsettled as unsettled:
            made = made or unsettled.made
            await block.transaction().settled()
        except SqlError:
            if too_early(block):
                await block.transaction().settled()
            raise
        except NotHydrated as cold:
            assert compiled.image is not None
            made = made or cold.made
            await compiled.image.hydrated()
            if block.as_of is not None and compiled.table is not None:
                relations.was_there(session, compiled.table, block.as_of)
        except NeedsLease as lease:
            await executor.sequences.lease(session, lease.sequence_oid, lease.count)
        except TooOldForKeyed as old:
            assert compiled.table is not None
            made = made or old.made
            if moved_tables.catch_up(session, block, [compiled.table]):
                base = None
                continue
            if base is not None and base.ts == block.read_ts:
                freshen(block)
                base = None
                continue
            relation = ""
            if compiled.table.shard in block.altered:
                await executor.store.prepare_read([compiled.table.shard], block.read_ts)
                relation = relations.as_altered(executor, compiled.table, block.read_ts)
            base = await HistoricalView.load(
                executor, compiled.table, _lookups(compiled), params, session, block.read_ts, relation
            )


async def widely_checked_rows(
    session: Session, block: Block, compiled: CompiledPlan, params: Sequence[Datum]
) -> Sequence[Row] | None:
    """The rows of an INSERT whose CHECKs DuckDB has to compute, which come before any key is looked for, as in PostgreSQL.

    None: there are no such CHECKs, or it inserts nothing.
    """
    write, table = compiled.write, compiled.table
    if type(write) is not InsertPlan or not write.rules.wide_checks:
        return None
    from executor.session import row_checks

    assert table is not None
    if compiled.image is not None and write.asks_for(compiled.image):
        raise NotHydrated(table.name)
    block.statement()
    made = write.values(params, session)
    await row_checks.check_wide_proposed(session, block, table, made)
    return made


async def check_wide(session: Session, block: Block, compiled: CompiledPlan) -> None:
    """CHECKs that DuckDB has to compute, of what a keyed statement has just written and `widely_checked_rows` has not asked about."""
    rules, table = compiled.rules, compiled.table
    if rules is None or not rules.wide_checks:
        return
    from executor.session import row_checks
    from executor.session.copying import staging

    assert table is not None
    if type(compiled.write) is InsertPlan:
        await row_checks.check_wide_decided(session, block, table, block.last_changes)
    else:
        rows = [c[4] for c in block.last_changes if c[4] is not None]
        await row_checks.check_wide(session, block, table, staging.written_rows(table, rows))


def freshen(block: Block) -> None:
    """Memory has let go of what keys were like in the snapshot: READ COMMITTED takes another. Raises SerializationFailure elsewhere."""
    txn = block.transaction()
    before = txn.read_ts
    txn.new_statement()
    if txn.read_ts == before:
        raise SerializationFailure("could not serialize access due to concurrent update")


def _lookups(compiled: CompiledPlan) -> tuple[LookupPlan, ...]:
    if compiled.read is not None:
        return (compiled.read.lookup,)
    if isinstance(compiled.write, UpdatePlan):
        return (compiled.write.lookup,)
    return ()
