"""DDL beside open blocks: who defines a table anew waits for those whose outcome depends on it as it is.

    A   BEGIN   INSERT INTO t ...                       COMMIT
    B             ALTER TABLE t ADD COLUMN c, waits ........   ALTER TABLE

The modes are PostgreSQL's, of the table's OID.

    AccessShareLock           has read the table       waits for, and keeps waiting, AccessExclusiveLock alone
    RowShareLock              has locked rows of it    ExclusiveLock, too
    RowExclusiveLock          has written to it        the last four
    ShareUpdateExclusiveLock  concerns nobody (`planner.overtaking`: comments, VALIDATE CONSTRAINT): other definitions, and no statement
    ShareLock                 CREATE INDEX             writers and definitions, and not its like
    ShareRowExclusiveLock     triggers, foreign keys   writers, and its like
    ExclusiveLock             LOCK TABLE alone         everybody but who reads
    AccessExclusiveLock       everything else          everybody

A view is locked as a table is, by those who go through it. Of what else has a definition (types, functions, schemas) two that are made anew wait
for each other.

A block that merely uses a table takes no lock: which tables it uses it notes anyway (`Block.used`). It is given its lock when DDL
comes that would have to wait for it, keeps it to its end like any other, and so DDL queues, times out, is part of circles (40P01) and is
listed (pg_locks, pg_blocking_pids) as who waits for a row is. Who has waited is planned anew, at the present. From then on, and until
its block is over, statements that write to the table, or are a block's first to use it, queue behind (`behind`); so it comes to its end beside
any crowd. What does not wait (other servers' blocks) is refused at admission, 40001, as it always was. Blocks that go on under the new definition
(`planner.overtaking`) are in nobody's way.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final, TypeAlias

from executor.procedural.inside import of_a_reader
from executor.session.locks import foundation_locks
from executor.session.locks.statement_modes import Modes, modes_of
from executor.session.waits import WouldBlock, wait_for
from planner.abc import Oid, Plan, StatementKind, Table
from planner.catalog import CatalogChange, CatalogObject, Counter, Index, Sequence, StatisticsObject, View
from planner.ddl.plan import DdlPlan
from planner.overtaking import asks_of_rows_alone, concerns_nobody, heirs_alone, shows_the_same
from txn.abc import Isolation, LockNotAvailable
from txn.lock_queues import excludes
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.context import SessionContext
    from executor.session.session import Session

SPACE: Final = "definition"
MODES: Final = {
    LockMode.KEY_SHARE: "AccessShareLock",
    LockMode.ROW_SHARE: "RowShareLock",
    LockMode.SHARE: "RowExclusiveLock",
    LockMode.TABLE_UPDATE: "ShareUpdateExclusiveLock",
    LockMode.TABLE_SHARE: "ShareLock",
    LockMode.NO_KEY_UPDATE: "ShareRowExclusiveLock",
    LockMode.EXCLUSIVE: "ExclusiveLock",
    LockMode.UPDATE: "AccessExclusiveLock",
}


LOOKS_MAX: Final = 4
"""How often a definition looks who is in its way: beside a crowd it would come to an end of that never."""


async def ours(
    session: Session, block: Block, bound: DdlPlan, looks: int = 0, *, concurrently: bool = False
) -> bool:
    """Locks the tables that a bound statement defines anew or empties, to the block's end. `looks`: how often that was done before;
    `concurrently`: an index is to come or go beside those who write.

    False: somebody was in the way, and the statement is to be bound again. Raises DeadlockDetected, LockNotAvailable.
    """
    if await foundation_locks.taken(session, block, bound, SPACE):
        await _at_the_present(session, block)
        return False
    waited = False
    wanted = _wanted(block, bound, concurrently)
    heirs = {
        oid
        for oid, (old, new, _) in wanted.items()
        if isinstance(old, Table) and new and heirs_alone(old, new)
    }
    _announce(
        session, block, {oid for oid, (_, _, mode) in wanted.items() if mode > LockMode.TABLE_UPDATE}, heirs
    )
    for (
        old,
        new,
        mode,
    ) in (
        wanted.values()
    ):  # the table that it names comes before those that are only concerned, as in PostgreSQL
        waited |= await _take(session, block, old, new, mode, looks)
    if waited:
        await _at_the_present(session, block)
    return not waited


async def locked(
    session: Session,
    block: Block,
    table: Table | View,
    mode: LockMode,
    looks: int,
    *,
    nowait: bool,
    within_s: float | None = None,
) -> bool:
    """LOCK TABLE: False where it has waited, and the table may be another one by now. `within_s`: for how long it waits, whatever
    `lock_timeout` is. Raises DeadlockDetected, LockNotAvailable."""
    if _is_own(block, table):
        return True
    if mode >= LockMode.TABLE_SHARE:
        _announce(session, block, {table.oid})
    waited = await _take(session, block, table, None, mode, looks, nowait=nowait, within_s=within_s)
    if waited or mode >= LockMode.TABLE_SHARE:
        await _at_the_present(session, block)
    return not waited


def _announce(
    session: Session, block: Block, oids: AbstractSet[Oid], heirs: AbstractSet[Oid] = frozenset()
) -> None:
    """From here on statements look whether it is their turn. `heirs`: of tables whose heirs come or go, and nothing else."""
    if oids:
        defining, letting, txn = session.executor.defining, session.executor.letting, block.transaction()
        before = defining.get(txn, frozenset())
        if heirs or txn in letting:
            letting[txn] = (letting.get(txn, frozenset()) - (oids - heirs)) | (heirs - before)
        defining[txn] = before | oids


async def _take(
    session: Session,
    block: Block,
    old: CatalogObject,
    new: Table | None,
    mode: LockMode,
    looks: int,
    *,
    nowait: bool = False,
    within_s: float | None = None,
) -> bool:
    """Whether it has waited for the lock of a table."""
    locks, txn, key = session.executor.env.locks, block.transaction(), (old.oid,)
    mode = mode.together(_own(block, old)).together(locks.holds(txn, SPACE, key))
    in_the_way = list(_users(session, block, old, new, mode)) if looks < LOOKS_MAX else []
    if in_the_way:
        before = locks.holds(txn, SPACE, key)
        if before is not None and any(excludes(before, held) for _, held in in_the_way):
            # It was ours, and somebody has come since; what the block has used or defined it keeps.
            kept = LockMode.TABLE_UPDATE if old.oid in block.own_oids else _own(block, old)
            locks.weaken(txn, SPACE, key, kept)
        for other, held in in_the_way:
            theirs = locks.holds(other.transaction(), SPACE, key)
            locks.note(other.transaction(), SPACE, key, held.together(theirs))
    if locks.try_acquire(txn, SPACE, key, mode):
        return False
    if nowait:
        assert isinstance(old, Table | View)  # only LOCK TABLE says so
        raise LockNotAvailable(f'could not obtain lock on relation "{old.name}"')
    await wait_for(session, block, WouldBlock(SPACE, key, mode), within_s)
    return True


def _own(block: Block, thing: CatalogObject | None) -> LockMode | None:
    """What PostgreSQL would have given the block for its use of a table so far."""
    if thing is None:
        return None
    if thing.oid in block.drawn:
        return LockMode.SHARE
    used = block.used.get(thing.oid)
    if thing.oid in block.writing or (used is not None and block.has_rows_in(used)):
        return LockMode.SHARE
    if isinstance(thing, Table) and _locks_rows(block, thing):
        return LockMode.ROW_SHARE
    return None if used is None else LockMode.KEY_SHARE


async def _at_the_present(session: Session, block: Block | None) -> None:
    """After a wait: whoever is over is in the snapshot, if what was read before has not changed."""
    # What was admitted is in nobody's catalog before it is durable; what was submitted before the lock was ours comes, too.
    await session.executor.env.committer.caught_up()
    if block is None:
        return
    txn = block.transaction()
    if txn.isolation is not Isolation.READ_COMMITTED:
        txn.refresh()
    elif not of_a_reader(block.party):
        txn.new_statement()


class _Passing:
    """A statement of its own that waits, and keeps nobody waiting."""

    kind = "process"

    def __init__(self, pid: int) -> None:
        self.party = self.id = pid


async def behind(session: Session, plan: Plan) -> bool:
    """Before a statement, while somebody defines tables anew: waits its turn where that is one of its own.

    A block that has used the table before goes on, for it is the definition that waits for it; and so does who reads outside of
    blocks. Whether it has waited. Raises DeadlockDetected, LockNotAvailable.
    """
    executor, block = session.executor, session.block
    await _tidied(session)
    if block is not None and (block.failed or block.as_of is not None):
        return False
    if not executor.defining or (block is None and plan.kind is StatementKind.READ):
        return False
    compiled = session.compiled(plan)
    modes = modes_of(session.catalog, compiled.plan.body, compiled.lock)
    for view, writes in compiled.views:
        modes[view.oid] = LockMode.SHARE if writes else LockMode.KEY_SHARE
    return await _queue(session, modes)


async def behind_of(session: Session, *oids: Oid) -> bool:
    """The same for who writes to what no plan names: COPY into a table, `nextval`, the leaves that rows are dealt to. Whether it has
    waited: they may be others now."""
    await _tidied(session)
    return bool(session.executor.defining) and await _queue(session, dict.fromkeys(oids, LockMode.SHARE))


def must_queue(session: SessionContext, oid: Oid) -> bool:
    """Whether who draws from a sequence is to go by `behind_of` first: somebody alters it, or has and not everybody sees that yet."""
    block = session.block
    own = None if block is None else block.txn
    others = [txn for txn, oids in session.executor.defining.items() if oid in oids and txn is not own]
    if not others:
        return False
    owner = own or _Passing(session.pid)
    return any(txn.has_let_go for txn in others) or not session.executor.env.locks.would_grant(
        owner, SPACE, (oid,), LockMode.SHARE
    )


async def _tidied(session: Session) -> None:
    """Definitions that are over are in nobody's way, once everybody sees them."""
    executor = session.executor
    if any(txn.has_let_go for txn in executor.defining):
        await executor.env.committer.settled()
        for txn in [txn for txn in executor.defining if txn.has_let_go]:
            del executor.defining[txn]
            executor.letting.pop(txn, None)


async def _queue(session: Session, modes: Modes) -> bool:
    """Whether it has waited for one of the tables."""
    executor, block = session.executor, session.block
    busy = frozenset().union(*executor.defining.values())
    if executor.letting and (block is None or block.isolation is Isolation.READ_COMMITTED):
        letting = executor.letting
        busy = frozenset().union(*(o - letting.get(txn, frozenset()) for txn, o in executor.defining.items()))
    locks = executor.env.locks
    waits_s = session.settings.lock_timeout_ms / 1000 or None
    waited = False
    for oid in sorted(modes.keys() & busy):
        mode = modes[oid]
        if block is not None and (oid in block.used or oid in block.own_oids):
            if mode is LockMode.KEY_SHARE or oid in block.own_oids:
                continue
            own = _own(block, executor.catalogs.newest.get(oid)) or LockMode.KEY_SHARE
            if mode <= own:
                continue
            # Who has only read keeps nobody from keeping writers out. Strengthened, its lock is before all that wait.
            locks.note(block.transaction(), SPACE, (oid,), own)
        owner = _Passing(session.pid) if block is None else block.transaction()
        mode = mode.together(locks.holds(owner, SPACE, (oid,)))
        try:
            if await locks.lock(owner, SPACE, (oid,), mode, timeout_s=waits_s):
                waited = True
                await _at_the_present(session, block)
        finally:
            if block is None:
                locks.release_all(owner)
    return waited


_Wanted: TypeAlias = tuple[CatalogObject, Table | None, LockMode]
"""A table (or whatever else has a definition) as it is, as it is to be (None: nobody can go on as before), and the mode."""


def _wanted(block: Block, bound: DdlPlan, concurrently: bool) -> dict[Oid, _Wanted]:
    """What a statement locks, by OID."""
    found: dict[Oid, _Wanted] = {}
    for change in bound.changes:
        old = change.old
        if isinstance(old, View) and not _is_own(block, old):
            found[old.oid] = old, None, _mode_of_view(old, change.new)
        elif isinstance(old, Sequence) and not _is_own(block, old):
            new_sequence = change.new if isinstance(change.new, Sequence) else None
            found[old.oid] = old, None, _mode_of_sequence(old, new_sequence)
        elif isinstance(old, Table) and not _is_own(block, old):
            new = change.new if isinstance(change.new, Table) else None
            found[old.oid] = old, new, LockMode.UPDATE if new is None else _mode(old, new)
    for table in bound.truncated:
        if not _is_own(block, table):
            found[table.oid] = table, None, LockMode.UPDATE
    for change in bound.changes:
        thing = change.new or change.old
        if isinstance(thing, Index | StatisticsObject) and (mode := _mode_of_part(change)) is not None:
            of = bound.catalog.get(thing.table_oid)
            if isinstance(of, Table) and not _is_own(block, of):
                mode = LockMode.TABLE_UPDATE if concurrently else mode
                known = found.get(of.oid)
                if known is None or known[2] < mode:
                    found[of.oid] = of, None, mode
        elif (old := change.old) is not None and not isinstance(old, Counter) and not _is_own(block, old):
            # Who builds on a type, a function or a role minds that it goes, and not that it is made anew.
            mode = LockMode.UPDATE if change.new is None else LockMode.NO_KEY_UPDATE
            found.setdefault(old.oid, (old, None, mode))
    return found


def _mode_of_part(change: CatalogChange) -> LockMode | None:
    """How a table is locked of whose indexes one comes, goes, or is marked; None: not at all."""
    old, new = change.old, change.new
    if isinstance(old or new, StatisticsObject):
        return LockMode.TABLE_UPDATE if old is None or new is None else None
    if new is None:
        return LockMode.UPDATE
    if old is None:
        return LockMode.TABLE_SHARE
    assert isinstance(old, Index) and isinstance(new, Index)
    return LockMode.TABLE_UPDATE if old.clustered != new.clustered else None


def _mode_of_view(old: View, new: CatalogObject | None) -> LockMode:
    """CREATE TRIGGER keeps writers out; everything else everybody."""
    if not isinstance(new, View) or not shows_the_same(old, new):
        return LockMode.UPDATE
    kept = {t.name for t in old.triggers} <= {t.name for t in new.triggers}
    return LockMode.NO_KEY_UPDATE if kept else LockMode.UPDATE


def _mode_of_sequence(old: Sequence, new: Sequence | None) -> LockMode:
    """ALTER SEQUENCE keeps out who draws from it; who gives it another name or owner, or drops it, everybody."""
    if new is None or (old.name, old.schema_oid, old.owner) != (new.name, new.schema_oid, new.owner):
        return LockMode.UPDATE
    return LockMode.NO_KEY_UPDATE


def _is_own(block: Block, table: CatalogObject) -> bool:
    """Whether nobody else knows of the table yet."""
    return block.executor.catalogs.newest.get(table.oid) is None


def _mode(old: Table, new: Table) -> LockMode:
    """CREATE TRIGGER, ADD FOREIGN KEY (at either end) and unique indexes keep writers out alone; some keep nobody out."""
    if concerns_nobody(old, new):
        return LockMode.TABLE_UPDATE
    if not {t.name for t in old.triggers} <= {t.name for t in new.triggers}:
        return LockMode.UPDATE
    return LockMode.NO_KEY_UPDATE if asks_of_rows_alone(old, new) else LockMode.UPDATE


def _users(
    session: Session,
    block: Block,
    old: CatalogObject,
    new: Table | None,
    mode: LockMode,
) -> Iterator[tuple[Block, LockMode]]:
    """The blocks of other sessions that stand in the way, with the locks that PostgreSQL would have given them."""
    if mode <= LockMode.TABLE_UPDATE:
        return
    for other in session.executor.sessions.values():
        theirs = other.block
        if theirs is None or theirs is block or theirs.as_of is not None:
            continue
        if theirs.txn is None or theirs.txn.has_let_go:
            continue
        if theirs.failed and not theirs.savepoints:
            continue
        held = _own(theirs, old)
        if held is None or not excludes(mode, held):
            continue
        used = theirs.used.get(old.oid)
        if (
            used is None
            or new is None
            or old.oid in theirs.drawn
            or not theirs.goes_on(used, new, only_adds=False)
        ):
            yield theirs, held


def _locks_rows(block: Block, table: Table) -> bool:
    """Whether it has locked rows of the table (FOR UPDATE and its kin, a row that a new one refers to)."""
    return block.executor.env.locks.holds_in(block.transaction(), table.shard)


__all__ = ["MODES", "SPACE", "behind", "behind_of", "locked", "must_queue", "ours"]
