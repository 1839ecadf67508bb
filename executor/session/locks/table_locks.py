"""LOCK TABLE: who locks a table keeps other lockers waiting, and hears of it if somebody writes nevertheless.

    SHARE                                    excludes the modes below        \
    SHARE ROW EXCLUSIVE and stronger         exclude each other and SHARE     } nobody else may write until the end
    SHARE UPDATE EXCLUSIVE                   excludes the same                  anybody may write
    ACCESS SHARE, ROW SHARE, ROW EXCLUSIVE   as statements that read or write

Lockers wait for one another as for transaction-level advisory locks, which hold among all servers of an environment; the key is the
table's. Statements of the same server are kept waiting, and waited for, as beside DDL (`definition_locks`), by SHARE and
stronger modes: that costs nothing as long as nobody locks a table. Of what others write the locker hears when he commits:
he is refused with 40001, whatever his level, if another has written to the table since he locked it (`Transaction.locked`).

    A (READ COMMITTED)   LOCK t          max(id) = 1   INSERT 2   COMMIT
    B (READ COMMITTED)        LOCK t, waits ..............................   max(id) = 2   INSERT 3   COMMIT

The snapshot of who has waited is moved to the time at which he got the lock, if what he has read before is still so.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.procedural.inside import of_a_reader
from executor.session import permissions
from executor.session.blocks.transactions import require_block
from executor.session.locks import definition_locks
from executor.session.locks.advisory import RELATION, Key
from planner import statements as st
from planner.abc import Plan, Table
from planner.catalog import Index, View
from planner.catalog.names import missing_relation
from planner.catalog.system.relations import relations
from planner.ddl.scope import behind
from planner.inheritance import family
from planner.relations import TransitionTable
from storage.abc import Datum
from txn.abc import Isolation, LockNotAvailable
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_FOR_NOBODY = frozenset({"access share", "row share", "row exclusive"})
_BESIDE_STATEMENTS = {
    "access share": LockMode.KEY_SHARE,
    "row share": LockMode.ROW_SHARE,
    "row exclusive": LockMode.SHARE,
    "share update exclusive": LockMode.TABLE_UPDATE,
    "share": LockMode.TABLE_SHARE,
    "share row exclusive": LockMode.NO_KEY_UPDATE,
    "exclusive": LockMode.EXCLUSIVE,
    "access exclusive": LockMode.UPDATE,
}
"""The modes that wait for statements, and that these wait for, as definitions do (`definition_locks`)."""
_KEEPS_WRITERS_OUT = frozenset({"share", "share row exclusive", "exclusive", "access exclusive"})


async def lock_table(
    session: Session, plan: Plan, s: st.LockTable, params: Sequence[Datum], autocommit: bool
) -> Rows:
    """Raises 55P03 with NOWAIT or at `lock_timeout`, 40P01, and what is wrong with the names."""
    block = session.block or require_block(session, "LOCK TABLE")  # DO's is one as well
    # It is no query: the first one takes the snapshot, behind a savepoint too.
    first = block.txn is None or (block.txn.renews and not block.txn.reads)
    for place, name in enumerate(s.tables):
        if (name.schema or "pg_catalog", name.name) in relations():
            continue  # DDL waits for nobody, and nobody for it
        looks = 0
        while not await _locked(session, block, s, _named(session, s, name), place in s.only, looks):
            looks += 1  # as things are by now
    if first:
        block.transaction().renews = True
    return Rows("LOCK TABLE")


def _named(session: Session, s: st.LockTable, name: st.Name) -> Table | View:
    found = session.catalog.commanded_relation(name.name, name.schema, session.search_path())
    if isinstance(found, TransitionTable):
        behind_it = behind(session.catalog, found, session.search_path())
        if behind_it is None:
            raise missing_relation(name.name)
        found = behind_it
    if not isinstance(found, Table | View) or getattr(found, "foreign", None) is not None:
        what = "indexes" if isinstance(found, Index) else "sequences"
        what = "foreign tables" if isinstance(found, Table) else what
        raise ExecutionError(
            "42809",
            f'cannot lock relation "{found.name}"',
            detail=f"This operation is not supported for {what}.",
        )
    permissions.require_lock(session, found, s.mode)
    return found


async def _locked(
    session: Session, block: Block, s: st.LockTable, found: Table | View, only: bool, looks: int
) -> bool:
    """False: somebody was in the way, and the name may be another table's by now."""
    at_once = True
    for table in _locked_with(session, found, only, s.mode):
        if (
            isinstance(table, Table) and s.mode not in _FOR_NOBODY
        ):  # a view's rows are other tables', which come next
            await _until_ours(session, table, s)
        mode = _BESIDE_STATEMENTS[s.mode]
        at_once &= await definition_locks.locked(session, block, table, mode, looks, nowait=s.nowait)
        if isinstance(table, View):
            continue
        if at_once:
            block.use(table)
            if s.mode not in _FOR_NOBODY:
                _from_now_on(block, table, s.mode)
    return at_once


def _locked_with(session: Session, relation: Table | View, only: bool, mode: str) -> list[Table | View]:
    """The table and its partitions, or a view and what it reads, however far down. Raises 42501 where a view's owner may not lock these.

    It is the leaves that have rows: a lock of the table above alone would hear of nobody who writes.
    """
    seen: dict[int, Any] = {relation.oid: relation}
    for oid in (todo := [relation.oid]):
        at, below = seen[oid], []
        if isinstance(at, View):
            below = [session.catalog.get(inner) for inner in at.depends]
            owner = "" if at.security_invoker else at.owner
            for inner in below:
                if isinstance(inner, Table | View):
                    permissions.require_lock(session, inner, mode, owner)
        elif isinstance(at, Table) and at.partitioning is not None and not only:
            below = session.catalog.partitions_of(oid)
        elif isinstance(at, Table) and at.children and not only:
            below = family(session.catalog, at)[1:]
        for inner in below:
            if inner.oid not in seen:
                seen[inner.oid] = inner
                todo.append(inner.oid)
    return [found for found in seen.values() if isinstance(found, Table | View)]


async def _until_ours(session: Session, table: Table, s: st.LockTable) -> None:
    locks, pid = session.executor.advisory, session.pid
    key: Key = (session.database, table.oid, RELATION)  # not its name, which may change meanwhile
    shared = s.mode == "share"

    async def granted(wait: bool) -> bool:
        asked = (locks.lock if wait else locks.try_lock)(pid, key, shared=shared, transaction=True)
        return await asked if inspect.isawaitable(asked) else asked

    if not s.nowait:
        timeout_s = session.settings.lock_timeout_ms / 1000 or None
        await locks.until_granted(pid, timeout_s, lambda: granted(True))
    elif not await granted(False):
        raise LockNotAvailable(f'could not obtain lock on relation "{table.name}"')


def _from_now_on(block: Block, table: Table, mode: str) -> None:
    txn = block.transaction()
    if txn.isolation is not Isolation.READ_COMMITTED:
        txn.refresh()
    elif not of_a_reader(block.party):
        txn.new_statement()
    if mode in _KEEPS_WRITERS_OUT:
        txn.locked.setdefault(table.shard, txn.read_ts)
