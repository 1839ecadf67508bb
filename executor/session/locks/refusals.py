"""A lock that does not come, in SQL's words: an error as any other, which handlers of programs take and DuckDB hands on.

lock_timeout, NOWAIT    55P03
a circle of waits       40P01, which statistics count
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from txn.abc import DeadlockDetected, LockNotAvailable

if TYPE_CHECKING:
    from executor.session.session import Session

REFUSALS: Final = (LockNotAvailable, DeadlockDetected)


def in_sql(error: LockNotAvailable | DeadlockDetected) -> ExecutionError:
    if isinstance(error, DeadlockDetected):
        return ExecutionError("40P01", str(error), detail=error.detail)
    return ExecutionError("55P03", str(error))


def refused(session: Session, error: LockNotAvailable | DeadlockDetected) -> ExecutionError:
    """The same in the course of a session's statement, which may go on: nobody else counts it."""
    if isinstance(error, DeadlockDetected):
        session.executor.plans.counts.database(session.catalog.database_oid).deadlocks += 1
    return in_sql(error)


__all__ = ["REFUSALS", "in_sql", "refused"]
