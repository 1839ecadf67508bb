"""What a copy takes over that is not in the catalog (CREATE DATABASE ... TEMPLATE): rows, and where sequences stand.

Rows are what the transaction sees of the tables, under the copy's own types, and are not looked at: they were right there. Who wants to
write to one of these tables waits until the copy is made (ShareLock, so several copies are made at once): it is of one moment, and comes to
its end beside any crowd of writers. Whom no lock of this server keeps away has it refused (`old_rows.keep`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from executor.ddl import old_rows
from executor.session import bulk
from executor.session.blocks.block import Block
from executor.session.locks import definition_locks
from planner.abc import Oid, Table
from planner.catalog import Sequence
from planner.ddl.plan import DdlPlan
from planner.types import oids
from txn.abc import SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.session import Session

_NAMING: Final = frozenset((
    *(oids.REGCLASS, oids.REGTYPE, oids.REGPROC, oids.REGPROCEDURE, oids.REGOPER, oids.REGOPERATOR),
    *(oids.REGNAMESPACE, oids.REGCOLLATION, oids.REGCONFIG, oids.REGDICTIONARY),
))  # fmt: skip
"""Types whose values are numbers of objects, shown by their names: in a copy they mean the copies."""


def standing(session: Session, bound: DdlPlan, made: Sequence) -> Sequence:
    """A sequence as it is to be made: a copy goes on from where the other one stands."""
    old = bound.copies.get(made.oid)
    if not isinstance(old, Sequence):
        return made
    last, called = session.executor.sequences.position(old)
    return dataclasses.replace(made, restarted_at=last, called=called)


async def until_still(session: Session, block: Block, bound: DdlPlan) -> None:
    """Waits for whoever writes to what is to be copied, and keeps others from it until the block is over. Raises DeadlockDetected,
    LockNotAvailable, and SerializationFailure where it is another table by then."""
    tables = [old for old in bound.copies.values() if isinstance(old, Table) and old.foreign is None]
    for table in sorted(tables, key=lambda old: old.oid):
        looks = 0
        while not await definition_locks.locked(
            session, block, table, LockMode.TABLE_SHARE, looks, nowait=False
        ):
            looks += 1
        if session.executor.catalogs.newest.get(table.oid) is not table:
            raise SerializationFailure(
                f'could not serialize access: table "{table.name}" was altered by a concurrent transaction'
            )


async def fill(session: Session, block: Block, bound: DdlPlan) -> None:
    """The rows of the copies, table by table."""
    if not bound.copies:
        return
    numbers = {old.oid: new for new, old in bound.copies.items()}
    for table in bound.created:
        old = bound.copies.get(table.oid)
        if isinstance(old, Table) and old.partitioning is None and old.foreign is None:
            txn = block.transaction()
            if session.executor.store.image(old.shard).is_empty:
                txn.locked.setdefault(old.shard, txn.read_ts)
                continue
            rows = _renumbered(await old_rows.under(session, block, old, table), table, numbers)
            if rows.num_rows:
                await bulk.insert_bulk(session, block, table, rows, checked=True, moved=True)


def _renumbered(rows: pa.Table, table: Table, numbers: Mapping[Oid, Oid]) -> Any:
    for i, column in enumerate(table.columns):
        if column.type.oid in _NAMING and rows.num_rows:
            told = rows.column(i).combine_chunks().dictionary_encode()
            meant = pa.array(
                [numbers.get(x, x) for x in told.dictionary.to_pylist()], type=told.dictionary.type
            )
            rows = rows.set_column(i, rows.schema.field(i), pc.take(meant, told.indices))
    return rows


__all__ = ["fill", "standing", "until_still"]
