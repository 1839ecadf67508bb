"""Utility statements: one function per kind, found by the dataclass that says it.

    transactions   BEGIN, COMMIT, savepoints         cursors    DECLARE, FETCH, MOVE, CLOSE
    copying        COPY                              explain    EXPLAIN
    as_of          SELECT ... AS OF                  here       settings, PREPARE, LISTEN, VACUUM, ...
    executor.ddl   all DDL

This is the table of contents of what a session can be told. A statement without an entry is 0A000.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, Prepared, Result, Rows
from executor.session import acting, permissions, text_search
from executor.session.blocks import transactions
from executor.session.blocks.transactions import joined, set_isolation, set_read_only, settle
from executor.session.executed import bound
from executor.session.heard import Heeding
from executor.session.locks.table_locks import lock_table
from executor.session.settings.session_defaults import one_value
from planner import statements as st
from planner import types as t
from planner.abc import Plan, ResultColumn, TypeRef
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


class NeedsLease(Exception):
    """A sequence has no values left in memory: lease a block and come again."""

    def __init__(self, sequence_oid: int, count: int = 1) -> None:
        self.sequence_oid, self.count = sequence_oid, count


TEXT = TypeRef(t.TEXT)
Run = Callable[["Session", Plan, Any, Sequence[Datum], bool], Awaitable[Result]]


# --- settings ------------------------------------------------------------------------------------


def set_value(session: Session, name: str, value: str | None, *, local: bool) -> str:
    """SET and set_config, with those settings that belong to the transaction."""
    key = name.lower()
    permissions.require_setting(session, key)
    if key == "transaction_isolation" and value is not None:
        set_isolation(session, value.strip().lower())
    elif key == "transaction_read_only" and value is not None:
        set_read_only(session, session.settings.check(name, value) == "on")
    elif key in acting.NAMES:
        acting.become(session, key, value, local=local)
        settle(session)
    else:
        if key == text_search.SETTING and value is not None:
            value = text_search.in_full(session, value)
        session.settings.set(name, value, local=local)
        shown = show_value(session, name)
        settle(session)
        return shown
    return show_value(session, name)


def show_value(session: Session, name: str) -> str:
    key, block = name.lower(), session.block
    if key in ("transaction_isolation", "tidewire.isolation"):
        level = (
            block.isolation_name
            if block is not None
            else session.settings.raw("default_transaction_isolation")
        )
        return level if key == "tidewire.isolation" else STANDARD_LEVELS.get(level, level)
    if key == "default_transaction_isolation":
        level = session.settings.raw(key)
        return STANDARD_LEVELS.get(level, level)
    if key == "transaction_read_only":
        if block is None:
            return session.settings.raw("default_transaction_read_only")
        return "on" if block.read_only else "off"
    if key == "transaction_deferrable":
        if block is None:
            return session.settings.raw("default_transaction_deferrable")
        return "on" if block.deferrable else "off"
    permissions.require_sight(session, key)
    return session.settings.show(name)


STANDARD_LEVELS = {"strict serializable": "serializable", "snapshot": "repeatable read"}
"""What `transaction_isolation` calls the levels of our own: drivers (asyncpg, SQLAlchemy) look its answer up
in a table of four names and fail on a fifth. `tidewire.isolation` tells which level it is exactly."""


async def _set(
    session: Session, plan: Plan, s: st.SetVariable, params: Sequence[Datum], autocommit: bool
) -> Rows:
    value: str | None = None
    if s.values is not None:
        value = one_value(s.name, s.values)
    if s.local and joined(session, "SET LOCAL", autocommit) is None:
        session.settings.set_for_nothing(s.name, value)
        return Rows("SET")
    set_value(session, s.name, value, local=s.local)
    return Rows("SET")


async def _set_authorization(
    session: Session, plan: Plan, s: st.SetSessionAuthorization, params: Sequence[Datum], autocommit: bool
) -> Rows:
    acting.become(session, "session_authorization", s.user, local=s.local)
    settle(session)
    return Rows("RESET" if s.reset else "SET")


async def _set_role(
    session: Session, plan: Plan, s: st.SetRole, params: Sequence[Datum], autocommit: bool
) -> Rows:
    acting.become(session, "role", s.role or "none", local=s.local)
    settle(session)
    return Rows("RESET" if s.reset else "SET")


async def _set_constraints(
    session: Session, plan: Plan, s: st.SetConstraints, params: Sequence[Datum], autocommit: bool
) -> Rows:
    from executor.session.references import at_work as references

    only = None
    if s.names is not None:
        only = frozenset(oid for name in s.names for oid in _constraints(session, name))
    block = joined(session, "SET CONSTRAINTS", autocommit)
    if block is None:
        return Rows("SET CONSTRAINTS")
    if only is None:
        block.constraint_modes = {0: s.deferred}
    else:
        block.constraint_modes |= dict.fromkeys(only, s.deferred)
    if not s.deferred:
        await references.check_deferred(session, block, only)
    return Rows("SET CONSTRAINTS")


def _constraints(session: Session, name: st.Name) -> list[int]:
    """The deferrable constraints of that name. Raises 42704, 42809, 3F000."""
    catalog = session.catalog
    path = [catalog.schema(name.schema)] if name.schema else catalog.schemas_on(session.search_path())
    for schema in path:
        found = [
            (table, c)
            for table in catalog.with_constraint(schema.oid, name.name)
            for c in (*table.constraints, *(x for x in table.triggers if x.constraint))
            if c.name == name.name
        ]
        if found:
            break
    else:
        raise ExecutionError("42704", f'constraint "{name.name}" does not exist')
    for _, c in found:
        if not c.deferrable:
            raise ExecutionError("42809", f'constraint "{name.name}" is not deferrable')
    wanted = {c.oid for _, c in found}
    above = [table for table, _ in found]
    while above:  # the parts of them that partitions have
        above = [part for table in above for part in catalog.partitions_of(table.oid)]
        wanted |= {c.oid for table in above for c in table.constraints if c.parent in wanted}
    return sorted(wanted)


async def _reset(
    session: Session, plan: Plan, s: st.ResetVariable, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.name is None:
        session.settings.reset_all()
    elif s.name.lower() in acting.NAMES:
        acting.become(session, s.name.lower(), None, local=False)
    elif s.name.lower() == "transaction_isolation":
        set_isolation(session, session.settings.raw("default_transaction_isolation"))
    else:
        permissions.require_setting(session, s.name.lower())
        session.settings.set(s.name, None)
    settle(session)
    return Rows("RESET")


async def _show(
    session: Session, plan: Plan, s: st.ShowVariable, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.name is None:
        columns = plan.columns or tuple(ResultColumn(n, TEXT) for n in ("name", "setting", "description"))
        hidden = permissions.hidden_settings(session)
        return Rows("SHOW", columns, [r for r in session.settings.show_all() if r[0].lower() not in hidden])
    name, value = canonical_name(s.name), show_value(session, s.name)
    return Rows("SHOW", plan.columns or (ResultColumn(name, TEXT),), [(value,)])


def canonical_name(name: str) -> str:
    from executor.session.settings.guc_table import GUCS

    guc = GUCS.get(name.lower())
    return guc.name if guc is not None else name


# --- prepared statements -------------------------------------------------------------------------


async def _prepare(
    session: Session, plan: Plan, s: st.Prepare, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.name in session.statements:
        raise ExecutionError("42P05", f'prepared statement "{s.name}" already exists')
    inner: Plan = plan.extra["query"]
    said = session.statement_text or plan.text  # all of what the client has sent, as PostgreSQL shows it
    prepared = Prepared(s.name, said, inner, inner.extra.get("described", inner.parameters), from_sql=True)
    prepared.plan = acting.plan_here(
        session, prepared
    )  # others are not to run what was planned for a function's owner
    session.statements[s.name] = prepared
    return Rows("PREPARE")


async def _execute(
    session: Session, plan: Plan, s: st.Execute, params: Sequence[Datum], autocommit: bool
) -> Result:
    inner, values = await bound(session, s)
    return await session.run_plan(inner, values, autocommit)


async def _deallocate(
    session: Session, plan: Plan, s: st.Deallocate, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.name is None:
        session.drop_named_statements()
        return Rows("DEALLOCATE ALL")
    if session.statements.pop(s.name, None) is None:
        raise ExecutionError("26000", f'prepared statement "{s.name}" does not exist')
    return Rows("DEALLOCATE")


async def _discard(
    session: Session, plan: Plan, s: st.Discard, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.what == "all":
        for portal in session.portals.values():
            portal.close()
        session.portals.clear()
        session.drop_named_statements()
        session.channels.clear()
        acting.become(session, "session_authorization", None, local=False)  # RESET ALL leaves it alone
        session.settings.reset_all()
        session.currval.clear()
        settle(session)
        released = session.executor.advisory.unlock_all(session.pid)
        if not isinstance(released, bool):
            await released
    elif s.what == "sequences":
        session.currval.clear()
    elif s.what == "temp" and session.block is not None:
        raise ExecutionError("0A000", "DISCARD TEMP in a transaction block is not supported")
    if s.what in ("all", "temp") and session.has_temporary:
        session.keeps_temporary = False
        await session.executor.left_behind.drop([session.temporary_schema], session.database)
    return Rows(f"DISCARD {s.what.upper()}")


# --- notifications -------------------------------------------------------------------------------


async def _listen(
    session: Session, plan: Plan, s: st.Listen, params: Sequence[Datum], autocommit: bool
) -> Rows:
    _heed(session, Heeding(s.channel, True))
    return Rows("LISTEN")


async def _unlisten(
    session: Session, plan: Plan, s: st.Unlisten, params: Sequence[Datum], autocommit: bool
) -> Rows:
    _heed(session, Heeding(s.channel, False))
    return Rows("UNLISTEN")


def _heed(session: Session, heeding: Heeding) -> None:
    """At once, or with the transaction's commit."""
    if session.block is None:
        heeding.take_effect(session.channels)
    else:
        session.block.notifications[heeding] = None


async def _notify(
    session: Session, plan: Plan, s: st.Notify, params: Sequence[Datum], autocommit: bool
) -> Rows:
    notify(session, s.channel, s.payload)
    return Rows("NOTIFY")


def notify(session: Session, channel: str, payload: str) -> None:
    """Delivered at once, or with the transaction's commit."""
    if len(payload.encode()) >= 8000:
        raise ExecutionError("22023", "payload string too long")
    if session.executor.hears_too_slowly:
        raise ExecutionError("54000", "too many notifications in the NOTIFY queue")
    if session.block is None:
        session.executor.notify(session, [(channel, payload)])
    else:
        session.block.notifications.setdefault((channel, payload))


async def _accepted(
    session: Session, plan: Plan, s: st.Accepted, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.warning:
        session.notice("WARNING", "01000", s.warning)
    return Rows(s.tag)


_OF_PLPGSQL: Final = {
    "plpgsql.check_asserts": "on",
    "plpgsql.extra_errors": "none",
    "plpgsql.extra_warnings": "none",
    "plpgsql.print_strict_params": "off",
    "plpgsql.variable_conflict": "error",
}


async def _load(session: Session, plan: Plan, s: st.Load, params: Sequence[Datum], autocommit: bool) -> Rows:
    if not session.superuser:
        raise ExecutionError("42501", f'access to library "{s.file}" is not allowed')
    if s.file.removeprefix("$libdir/") != "plpgsql":
        raise ExecutionError("58P01", f'could not access file "{s.file}": No such file or directory')
    for name in session.settings.take("plpgsql", _OF_PLPGSQL):
        session.notice(
            "WARNING",
            "42602",
            f'invalid configuration parameter name "{name}", removing it',
            detail='"plpgsql" is now a reserved prefix.',
        )
    return Rows("LOAD")


async def _security_label(
    session: Session, plan: Plan, s: st.SecurityLabel, params: Sequence[Datum], autocommit: bool
) -> Rows:
    if s.provider:
        raise ExecutionError("22023", f'security label provider "{s.provider}" is not loaded')
    raise ExecutionError("22023", "no security label providers have been loaded")


# --- the table of contents -----------------------------------------------------------------------


async def run(
    session: Session, plan: Plan, statement: Any, params: Sequence[Datum], autocommit: bool
) -> Result:
    """Runs a utility statement. Raises 0A000 for one that nobody runs."""
    function = _TABLE.get(type(statement)) or _elsewhere().get(type(statement))
    if function is not None:
        return await function(session, plan, statement, params, autocommit)
    return await _definitions()(session, plan, statement, params, autocommit)


@functools.cache
def _definitions() -> Run:
    """What runs all others."""
    from executor.ddl import run as ddl

    return ddl.run


_TABLE: dict[type[Any], Run] = {
    st.Begin: transactions.run_begin,
    st.Commit: transactions.run_commit,
    st.Rollback: transactions.run_rollback,
    st.Savepoint: transactions.run_savepoint,
    st.ReleaseSavepoint: transactions.run_release,
    st.RollbackTo: transactions.run_rollback_to,
    st.SetTransaction: transactions.run_set_transaction,
    st.SetVariable: _set,
    st.SetSessionAuthorization: _set_authorization,
    st.SetRole: _set_role,
    st.SetConstraints: _set_constraints,
    st.ResetVariable: _reset,
    st.ShowVariable: _show,
    st.Prepare: _prepare,
    st.Execute: _execute,
    st.Deallocate: _deallocate,
    st.Discard: _discard,
    st.Listen: _listen,
    st.Unlisten: _unlisten,
    st.Notify: _notify,
    st.Load: _load,
    st.SecurityLabel: _security_label,
    st.LockTable: lock_table,
    st.Accepted: _accepted,
}


@functools.cache
def _elsewhere() -> dict[type[Any], Run]:
    """Statements that have a file of their own."""
    from executor.procedural import calls, do
    from executor.session import (
        as_of,
        cursors,
        large_object_rights,
        large_objects,
        maintenance,
        positioned,
        rules,
    )
    from executor.session.blocks import two_phase
    from executor.session.copying import statement as copying
    from executor.session.explaining import explain
    from executor.session.settings import written_settings

    return {
        st.DeclareCursor: cursors.declare,
        st.Fetch: cursors.fetch,
        st.CloseCursor: cursors.close,
        st.Copy: copying.run,
        st.Call: calls.call,
        st.Do: do.run,
        st.AlterLargeObject: large_objects.alter_owner,
        st.AlterSystem: written_settings.alter,
        st.GrantLargeObject: large_object_rights.grant,
        st.Explain: explain.run,
        st.SelectAsOf: as_of.run,
        st.PositionedWrite: positioned.run,
        st.Vacuum: maintenance.run,
        st.Rewritten: rules.run,
        st.PrepareTransaction: two_phase.prepare,
        st.EndPrepared: two_phase.end,
    }


OWN_TRANSACTION = (
    st.Begin,
    st.Commit,
    st.Rollback,
    st.PrepareTransaction,
    st.EndPrepared,
    st.ShowVariable,
    st.SetTransaction,
    st.Prepare,
    st.Deallocate,
    st.Discard,
    st.Vacuum,
    st.AlterSystem,
)
"""Statements that open no implicit transaction."""

WITHOUT_SNAPSHOT = (*OWN_TRANSACTION, st.Listen, st.Unlisten, st.SetVariable, st.ResetVariable)
"""Statements for which it does not matter how old what they see is."""

__all__ = ["OWN_TRANSACTION", "WITHOUT_SNAPSHOT", "NeedsLease", "run"]
