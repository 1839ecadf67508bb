"""Statements that are right by themselves, and not where they stand: in a program, in a function that is not volatile, in one that a
statement calls which writes the same rows.
"""

from __future__ import annotations

from typing import Final

from executor.abc import ExecutionError
from planner import statements as st
from planner.abc import (
    DeleteQuery,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    KeyedRead,
    KeyedUpdate,
    LockingQuery,
    MergeQuery,
    Plan,
    Query,
    UpdateQuery,
    Utility,
    WithWrites,
)
from planner.alone import refuse_with_others

_TRANSACTIONAL: Final = (
    st.Begin,
    st.Commit,
    st.Rollback,
    st.PrepareTransaction,
    st.EndPrepared,
    st.Savepoint,
    st.ReleaseSavepoint,
    st.RollbackTo,
)


class Misplaced(ExecutionError):
    """A statement that a body must not have: what is wrong is not in the statement itself."""


def refuse(plan: Plan, *, dynamic: bool = False) -> None:
    """Raises 0A000 for what a body, or EXECUTE in it, must not have."""
    if not isinstance(plan.body, Utility):
        return
    statement = plan.body.statement
    if isinstance(statement, _TRANSACTIONAL):
        said = "EXECUTE of transaction commands is not implemented"
        raise Misplaced("0A000", said if dynamic else "unsupported transaction command in PL/pgSQL")
    if isinstance(statement, st.Copy):
        raise Misplaced("0A000", "cannot COPY to/from client in PL/pgSQL")
    refuse_with_others(statement)


def refuse_in_non_volatile(plan: Plan) -> None:
    """Raises 0A000 for what is no query that only reads, as PostgreSQL does: SET and EXPLAIN are none either."""
    body, what = plan.body, plan.tag
    if isinstance(body, KeyedRead | Query):
        return
    if isinstance(body, Utility) and what == "SELECT" and not isinstance(body.statement, st.CreateTableAs):
        return  # SELECT pg_sleep(1) and its kin
    if creates_filled(plan):
        what = "CREATE TABLE AS"
    if isinstance(plan.body, LockingQuery) and plan.body.locks:
        what = f"SELECT FOR {plan.body.locks[0].strength.upper()}"
    raise ExecutionError("0A000", f"{what} is not allowed in a non-volatile function")


def refuse_writing(plan: Plan, tables: frozenset[int]) -> None:
    """Raises 0A000 for a statement that changes rows of which a statement around it has made others already."""
    parts = [plan.body]
    if isinstance(plan.body, WithWrites):
        parts = [plan.body.body, *(w.body for w in plan.body.writes)]
    for body in parts:
        changes = isinstance(body, KeyedUpdate | KeyedDelete | UpdateQuery | DeleteQuery | MergeQuery)
        if isinstance(body, InsertValues | InsertQuery):
            changes = body.on_conflict is not None
        if changes and body.table.oid in tables:  # type: ignore[union-attr]
            raise Misplaced(
                "0A000",
                "a function that updates or deletes rows of the table that its statement writes is not supported",
            )


def creates_filled(plan: Plan) -> bool:
    """Whether it is CREATE TABLE AS, a utility statement that may yet name variables."""
    return isinstance(plan.body, Utility) and isinstance(plan.body.statement, st.CreateTableAs)


__all__ = ["Misplaced", "creates_filled", "refuse", "refuse_in_non_volatile", "refuse_writing"]
