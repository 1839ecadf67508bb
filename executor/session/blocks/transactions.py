"""BEGIN, COMMIT, ROLLBACK, savepoints, SET TRANSACTION.

    end_now     BEGIN, COMMIT and ROLLBACK without leaving the turn of the loop
    run_...     the same and the rest from the wide door

`COMMIT` of a failed block answers `ROLLBACK`; a command in the wrong place is a WARNING, as in PostgreSQL,
unless the standard makes it an error (25P01).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import Done, ExecutionError, Portal, Rows, _Pending
from executor.session.settings.guc_table import ISOLATION_LEVELS
from executor.session.settings.session_settings import SNAPSHOT_NAME
from planner import statements as st
from planner.abc import Plan, Utility
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

NO_BLOCK = "there is no transaction in progress"


def end_now(session: Session, statement: Any, done: Done) -> Rows | _Pending | None:
    """BEGIN, COMMIT and ROLLBACK of a block. None: take the wide door."""
    if session.block is not None and session.block.implicit:
        return None
    if isinstance(statement, st.Begin):
        return None if statement.as_of is not None else begin(session, statement)
    advisory = session.executor.advisory
    if advisory.awaited and advisory.holds_in_transaction(session.pid):
        return None
    if isinstance(statement, st.Commit):
        block = session.block
        if block is None or block.failed or statement.chain:
            return None if statement.chain else end(session, commit=True)
        return session.commit_now(done)
    return None if statement.chain else end(session, commit=False)


def begin(session: Session, statement: st.Begin) -> Rows:
    tag = "START TRANSACTION" if statement.start else "BEGIN"
    block = session.block
    if block is not None and not block.implicit:
        session.notice("WARNING", "25001", "there is already a transaction in progress")
        return Rows(tag)
    if block is None:
        session.open_block(implicit=False, begin=statement)
    else:  # BEGIN in the middle of several statements: what was begun implicitly goes on
        block.implicit = False
        session.stands()
        if statement.isolation is not None and not block.begun:
            _put_at(block, statement.isolation)
        if statement.read_only is not None:
            block.read_only = statement.read_only
    return Rows(tag)


def end(session: Session, *, commit: bool) -> Rows:
    """COMMIT without, or of a failed, block; ROLLBACK."""
    block = session.block
    if block is None:
        session.notice("WARNING", "25P01", NO_BLOCK)
        return Rows("COMMIT" if commit else "ROLLBACK")
    session.rollback()
    return Rows("ROLLBACK")


async def run_begin(
    session: Session, plan: Plan, s: st.Begin, params: Sequence[Datum], autocommit: bool
) -> Rows:
    result = begin(session, s)
    if s.as_of is not None and session.block is not None:
        from executor.session import as_of

        session.block.as_of = ts = await as_of.timestamp_of(session, s.as_of.text)
        session.block.read_only = True
        await as_of.look(session, session.block, ts)
    return result


async def run_commit(
    session: Session, plan: Plan, s: st.Commit, params: Sequence[Datum], autocommit: bool
) -> Rows:
    block = session.block
    if s.chain and (block is None or block.implicit):
        raise ExecutionError("25P01", "COMMIT AND CHAIN can only be used in transaction blocks")
    if block is None:
        session.notice("WARNING", "25P01", NO_BLOCK)
        session.rollback()
        return Rows("COMMIT")
    if block.implicit:
        session.notice("WARNING", "25P01", NO_BLOCK)
    tag = "ROLLBACK" if block.failed else "COMMIT"
    if block.failed:
        session.rollback()
    else:
        try:
            await session.commit()
        except BaseException:
            session.rollback()
            raise
    if s.chain:
        assert block is not None
        _chain(session, block)
    return Rows(tag)


async def run_rollback(
    session: Session, plan: Plan, s: st.Rollback, params: Sequence[Datum], autocommit: bool
) -> Rows:
    block = session.block
    if block is None or block.implicit:
        if s.chain:
            raise ExecutionError("25P01", "ROLLBACK AND CHAIN can only be used in transaction blocks")
        session.notice("WARNING", "25P01", NO_BLOCK)
    session.rollback()
    if s.chain and block is not None:
        _chain(session, block)
    return Rows("ROLLBACK")


def _chain(session: Session, block: Any) -> None:
    """AND CHAIN: a new block with the characteristics of the old one."""
    session.open_block(
        implicit=False, begin=st.Begin(block.isolation_name, block.read_only, block.deferrable)
    )


def require_block(session: Session, what: str) -> Any:
    block = session.block
    if block is None or block.implicit:
        raise ExecutionError("25P01", f"{what} can only be used in transaction blocks")
    return block


def outside_block(session: Session, statement: Any) -> None:
    """A statement of a pipeline that is in no block. The settings are warned of and hold up to Sync. Raises 25P01."""
    if session.block is not None and not session.block.implicit:
        return
    match statement:
        case st.DeclareCursor(hold=False):
            raise ExecutionError("25P01", "DECLARE CURSOR can only be used in transaction blocks")
        case st.LockTable():
            raise ExecutionError("25P01", "LOCK TABLE can only be used in transaction blocks")
        case st.SetVariable(local=True):
            what = "SET LOCAL"
        case st.SetTransaction(session_default=False):
            what = "SET TRANSACTION"
        case st.SetConstraints():
            what = "SET CONSTRAINTS"
        case _:
            return
    session.notice("WARNING", "25P01", f"{what} can only be used in transaction blocks")


def joined(session: Session, what: str, autocommit: bool) -> Block | None:
    """The block that a statement about the transaction is about; several statements in one string are one too. None,
    with a warning, where the statement is alone: its transaction ends with it."""
    if session.block is None and autocommit:
        session.notice("WARNING", "25P01", f"{what} can only be used in transaction blocks")
        return None
    return session.block or session.open_block(implicit=True)


async def run_savepoint(
    session: Session, plan: Plan, s: st.Savepoint, params: Sequence[Datum], autocommit: bool
) -> Rows:
    savepoint(session, require_block(session, "SAVEPOINT"), s.name)
    return Rows("SAVEPOINT")


def savepoint(session: Session, block: Block, name: str) -> None:
    portals, began = dict(session.portals), block.txn is not None
    block.savepoint(name, session.settings.savepoint(), portals, session.executor.advisory.mark(session.pid))
    if not began:  # a savepoint is no query: the first one takes the snapshot
        block.transaction().renews = True


def release(session: Session, block: Block, name: str) -> None:
    point = block.release(block.find(name))
    block.read_only = point.read_only  # READ ONLY holds to the end of the subtransaction that said it
    session.settings.release(point.settings_mark)


def _has_rows(portal: Portal) -> bool:
    """A cursor, or a portal of the client's: but for one that says ROLLBACK TO just now, and its like."""
    return portal.from_sql or not isinstance(portal.prepared.plan.body, Utility)


def roll_back_to(session: Session, block: Block, name: str) -> None:
    point = block.rollback_to(block.find(name))
    changed = session.settings.rollback_to(point.settings_mark)
    session.executor.advisory.back_to(session.pid, point.advisory)
    later = [n for n, p in session.portals.items() if point.portals.get(n) is not p and _has_rows(p)]
    for portal in later:
        session.portals.pop(portal).close()
    block.failed, block.read_only = False, point.read_only
    session.stands()
    if changed:
        session.settings_changed()


async def run_release(
    session: Session, plan: Plan, s: st.ReleaseSavepoint, params: Sequence[Datum], autocommit: bool
) -> Rows:
    release(session, require_block(session, "RELEASE SAVEPOINT"), s.name)
    return Rows("RELEASE")


async def run_rollback_to(
    session: Session, plan: Plan, s: st.RollbackTo, params: Sequence[Datum], autocommit: bool
) -> Rows:
    roll_back_to(session, require_block(session, "ROLLBACK TO SAVEPOINT"), s.name)
    return Rows("ROLLBACK")


def _late(block: Any, what: str) -> None:
    if block.begun:
        raise ExecutionError("25001", f"SET TRANSACTION {what} must be called before any query")
    if block.savepoints:
        raise ExecutionError("25001", f"SET TRANSACTION {what} must not be called in a subtransaction")


def _put_at(block: Block, level: str) -> None:
    """Another level than it began with, before its first query."""
    block.isolation_name = level
    if block.txn is not None:  # it has locked tables, and has no snapshot yet
        block.txn.isolation, block.txn.renews = block.isolation, True


def set_isolation(session: Session, level: str) -> None:
    block = session.block
    if level not in ISOLATION_LEVELS:
        raise ExecutionError("22023", f'invalid value for parameter "transaction_isolation": "{level}"')
    if block is None:
        return
    if block.isolation_name != level:
        _late(block, "ISOLATION LEVEL")
        _put_at(block, level)


def set_read_only(session: Session, read_only: bool) -> None:
    block = session.block
    if block is None:
        return
    if block.read_only and not read_only:
        if block.savepoints:
            raise ExecutionError(
                "25001", "cannot set transaction read-write mode inside a read-only transaction"
            )
        if block.begun:
            raise ExecutionError("25001", "transaction read-write mode must be set before any query")
        if block.as_of is not None:
            raise ExecutionError("25006", "a transaction in the past cannot be read-write")
    block.read_only = read_only


async def run_set_transaction(
    session: Session, plan: Plan, s: st.SetTransaction, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.session_default:
        for name, value in (
            ("default_transaction_isolation", s.isolation),
            ("default_transaction_read_only", _on_off(s.read_only)),
            ("default_transaction_deferrable", _on_off(s.deferrable)),
        ):
            if value is not None:
                session.settings.set(name, value)
        settle(session)
        return Rows("SET")
    block = joined(session, "SET TRANSACTION", autocommit)
    if block is None:
        return Rows("SET")
    if s.isolation is not None:
        set_isolation(session, s.isolation)
    if s.read_only is not None:
        set_read_only(session, s.read_only)
    if s.deferrable is not None:
        block.deferrable = s.deferrable
    if s.snapshot is not None:
        from executor.session import as_of

        ts = _import_snapshot(block, s.snapshot)
        await as_of.look(session, block, await as_of.readable(session, ts))
    return Rows("SET")


def export_snapshot(session: Session) -> str:
    """pg_export_snapshot(): the name of what this transaction sees. It is good for as long as the history."""
    block = session.block
    if session.pinned is not None or block is not None:
        return f"{block.read_ts if block is not None else session.pinned:016X}-1"
    return f"{session.executor.env.oracle.read_ts():016X}-1"


def _import_snapshot(block: Block, name: str) -> int:
    """The block sees what the exporter saw; unlike PostgreSQL's importer it may only read."""
    _late(block, "SNAPSHOT")
    if block.isolation_name.startswith("read "):
        raise ExecutionError(
            "0A000",
            "a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ",
        )
    if not SNAPSHOT_NAME.fullmatch(name):
        raise ExecutionError("22023", f'invalid snapshot identifier: "{name}"')
    block.as_of, block.read_only = int(name[:16], 16), True
    return block.as_of


def _on_off(value: bool | None) -> str | None:
    return None if value is None else "on" if value else "off"


def settle(session: Session) -> None:
    """A SET outside a block is its own transaction, set_config() is of its statement's."""
    if session.block is None:
        if session.in_statement:
            session.unsettled = True
        else:
            session.settings.commit()
    session.settings_changed()


def settle_statement(session: Session, *, well: bool) -> None:
    """The end of a statement outside a block that has changed settings: what it set stays if it has gone well."""
    session.unsettled = False
    if session.block is None:
        if well:
            session.settings.commit()
        else:
            session.settings.rollback()
    session.settings_changed()
