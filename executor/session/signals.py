"""Ending a statement, or a session, by its number: pg_cancel_backend and pg_terminate_backend, and what asks from outside.

Where several processes serve one port, a number may be of a session in another one: the request is passed on, and true
then means that it is on its way.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from executor.abc import ExecutionError

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session


def signal(executor: Executor, pid: int, *, end: bool, asker: Session | None = None) -> bool:
    """Cancels what a session runs, or (`end`) ends the session too. False: there is none with this number."""
    session = executor.sessions.get(pid)
    if session is None:
        return executor.signal_elsewhere is not None and executor.signal_elsewhere(pid, end)
    if not end:
        session.cancel()
        return True
    _end(session, ExecutionError("57P01", "terminating connection due to administrator command"), asker)
    return True


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
    if session.on_terminate is not None:
        loop.call_soon(session.on_terminate, reason)
    loop.call_soon(session.cancel)  # in this order: a statement that stops knows why it does
