"""Two-phase commit, as a server says no to it that is set to no prepared transactions.

    PREPARE TRANSACTION 'x'     ends the block, as ROLLBACK would, and is 55000: max_prepared_transactions is 0
    COMMIT PREPARED 'x'         42704: nobody has prepared it

That is PostgreSQL as it comes, and what transaction managers look for: who finds 0 does not try.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError, Rows
from executor.session.blocks.transactions import NO_BLOCK
from planner import statements as st
from planner.abc import Plan
from planner.alone import refuse_with_others
from planner.catalog import Schema
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_BYTES_MAX: Final = 199
"""Of a transaction's identifier."""


async def prepare(
    session: Session, plan: Plan, s: st.PrepareTransaction, params: Sequence[Datum], autocommit: bool
) -> Rows:
    """Raises 55000, or 22023 for an identifier that is too long; without a block, or in one that has failed, it is ROLLBACK."""
    block = session.block
    alone = block is None or (block.implicit and not block.begun)
    if alone or (block is not None and block.implicit):
        session.notice("WARNING", "25P01", NO_BLOCK)
    failed = block is not None and block.failed
    temporary = block is not None and _on_temporary(session, block)
    session.rollback()
    if alone or failed:
        return Rows("ROLLBACK")
    if len(s.identifier.encode()) > _BYTES_MAX:
        raise ExecutionError("22023", f'transaction identifier "{s.identifier}" is too long')
    if temporary:
        raise ExecutionError("0A000", "cannot PREPARE a transaction that has operated on temporary objects")
    raise ExecutionError(
        "55000",
        "prepared transactions are disabled",
        hint="Set max_prepared_transactions to a nonzero value.",
    )


def _on_temporary(session: Session, block: Block) -> bool:
    """Whether a block has read, written or defined temporary objects, or looks for names among them before there are any."""
    first = session.named_path()[:1]
    if first == (session.temporary_schema,) and session.catalog.find_schema(first[0]) is None:
        return True
    changed = (c for step in block.steps for c in step.changes)
    things = (*block.used.values(), *(c.new or c.old for c in changed))
    catalog = session.catalog
    homes = {getattr(thing, "schema_oid", 0) for thing in things}
    return any(
        isinstance(s := catalog.get(oid), Schema) and s.name == session.temporary_schema for oid in homes
    )


async def end(
    session: Session, plan: Plan, s: st.EndPrepared, params: Sequence[Datum], autocommit: bool
) -> Rows:
    """Raises 42704, and 25001 in a block."""
    if session.block is not None or not autocommit:
        refuse_with_others(s)
    raise ExecutionError("42704", f'prepared transaction with identifier "{s.identifier}" does not exist')


__all__ = ["end", "prepare"]
