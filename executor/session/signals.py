"""Ending a statement, or a session, by its number: pg_cancel_backend and pg_terminate_backend, and what asks from outside.

Where several processes serve one port, a number may be of a session in another one: the request is passed on, and true
then means that it is on its way. Who asks goes with it, for only there is known whose session it is (`permitted`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from executor.abc import ExecutionError
from planner.catalog import Catalog, predefined, rights

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session

_log = structlog.get_logger("tidewire.executor")


def signal(executor: Executor, pid: int, *, end: bool, asker: Session | None = None) -> bool:
    """Cancels what a session runs, or (`end`) ends the session too. False: there is none with this number."""
    session = executor.sessions.get(pid)
    if session is None:
        name = "" if asker is None or asker.superuser else asker.user
        return executor.signal_elsewhere is not None and executor.signal_elsewhere(pid, end, name)
    if asker is not None:
        _permit(asker.catalog, asker.user, session, end=end)
    if not end:
        session.cancel()
        return True
    _end(session, ExecutionError("57P01", "terminating connection due to administrator command"), asker)
    return True


def permitted(executor: Executor, pid: int, role: str, *, end: bool) -> bool:
    """Whether a role that was asked for in another process may do so ("": a superuser, who may); it is logged if not."""
    session = executor.sessions.get(pid)
    if session is None or not role:
        return True
    try:
        _permit(session.catalog, role, session, end=end)
    except ExecutionError as error:
        _log.warning("a request to end something was refused", pid=pid, role=role, reason=error.message)
        return False
    return True


def _permit(catalog: Catalog, role: str, session: Session, *, end: bool) -> None:
    """Ending what others do: for members of their role and of pg_signal_backend; of superusers for these. Raises 42501."""
    logged = session.settings.raw("session_authorization")
    if rights.is_superuser(catalog, logged) and not rights.is_superuser(catalog, role):
        what = "terminate superuser process" if end else "cancel superuser query"
        raise ExecutionError("42501", f"must be a superuser to {what}")
    if not any(rights.has_role(catalog, role, r) for r in (logged, predefined.SIGNAL_BACKEND)):
        what = "process is being terminated" if end else "query is being canceled"
        raise ExecutionError(
            "42501", f"must be a member of the role whose {what} or member of pg_signal_backend"
        )


def end(executor: Executor, pid: int, reason: ExecutionError) -> None:
    """Ends a session of this process, if it is still there, for a reason of the server's own."""
    session = executor.sessions.get(pid)
    if session is not None:
        _end(session, reason)


def _end(session: Session, reason: ExecutionError, asker: Session | None = None) -> None:
    """Ends it as soon as its statement has stopped. Who asks for its own end gets no answer, as in PostgreSQL."""
    if session is asker:
        if session.on_terminate is None:
            raise reason
        session.on_terminate(reason)  # before the statement fails: what the client is told is this reason
        raise ExecutionError("57014", "canceling statement due to user request")
    loop = asyncio.get_running_loop()
    if session.on_terminate is None:
        loop.call_soon(session.cancel)
    else:
        loop.call_soon(session.on_terminate, reason)
        loop.call_soon(session.stop)  # in this order: a statement that stops knows why it does
