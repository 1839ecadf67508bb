"""Who defines something waits for who takes its name, or removes what it builds on, and the other way round.

    A   BEGIN   CREATE TABLE IF NOT EXISTS t ...            COMMIT
    B              CREATE TABLE IF NOT EXISTS t, waits ........   there is one by now: a notice

    A   BEGIN   CREATE VIEW v AS ... FROM t      COMMIT
    B              DROP TABLE t, waits ............   2BP01: v needs it

A name is locked by who gives it to something; what a definition builds on (a schema, a role, a type, a function, what a view
reads) is locked as if it was read, so that who drops it waits (`definition_locks`). Where nobody has waited, because the other is
of another server, the later one is refused at admission (`Catalogs.admit`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from executor.session.waits import WouldBlock, wait_for
from planner.catalog.foundations import built_on, name_of
from planner.ddl.plan import DdlPlan
from txn.abc import Key
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

NAMES: Final = "definition name"


async def taken(session: Session, block: Block, bound: DdlPlan, space: str) -> bool:
    """Locks what a statement builds on, in `space`, and the names that it gives. Whether it has waited. Raises DeadlockDetected,
    LockNotAvailable."""
    locks, txn = session.executor.env.locks, block.transaction()
    waited = False
    for found, key, mode in _wanted(session, bound, space):
        if not locks.try_acquire(txn, found, key, mode):
            await wait_for(session, block, WouldBlock(found, key, mode))
            waited = True
    return waited


def _wanted(session: Session, bound: DdlPlan, space: str) -> Iterator[tuple[str, Key, LockMode]]:
    known = session.executor.catalogs.newest
    of_all: dict[int, None] = {}
    for change in bound.changes:
        of_all.update(dict.fromkeys(sorted(built_on(bound.catalog, change))))
    for oid in of_all:
        if known.get(oid) is not None:  # else it is the block's own, or everybody's
            yield space, (oid,), LockMode.KEY_SHARE
    for change in bound.changes:
        name = None if change.new is None else name_of(change.new)
        if name is not None and (change.old is None or name_of(change.old) != name):
            yield NAMES, name, LockMode.UPDATE


__all__ = ["NAMES", "taken"]
