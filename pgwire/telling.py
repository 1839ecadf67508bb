"""What a client is told besides results: that a statement is complete, or has failed, notices, notifications, settings, silence.

complete            CommandComplete, behind the notices that came up
fail                ErrorResponse, to the client and to the session
ready               notifications, ParameterStatus, ReadyForQuery: the client's turn, and a clock where it has a limit
flush, push         what was collected goes to the socket, in the client's encoding
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import time_ns
from typing import Final

import structlog

from executor.abc import Session
from pgwire import replies
from pgwire.abc import Io
from pgwire.errors import describe, encode_notice
from pgwire.transcoding import said, spoken
from planner.abc import SqlError

_log = structlog.get_logger("pgwire")

STATEMENT_LOGGED_MAX: Final = 16_384
"""Characters of a statement that are logged with its duration."""
NOTIFICATIONS_AT_ONCE: Final = 64
"""So many are handed to the socket before it is asked whether the client takes them."""


class Telling:
    """A conversation, as far as it talks. Everything happens on the loop's thread."""

    __slots__ = (
        "_cut", "_ending", "_silence", "busy", "encoding", "gone", "io", "logged_ns", "out", "session", "working",
    )  # fmt: skip

    def __init__(self, session: Session, io: Io) -> None:
        self.session = session
        self.io = io
        self.encoding = spoken(session.type_settings)
        """The client's, where that is not UTF-8; renewed before ReadyForQuery."""
        self.out: list[bytes] = []
        self.busy = False  # a statement runs: messages wait
        self.working = False  # the connection's task is alive
        self.gone = False
        self.logged_ns = 0  # when the statement came whose duration is logged already, or of no interest
        self._ending: Exception | None = None
        self._cut = False
        self._silence: asyncio.TimerHandle | None = None

    @property
    def idle(self) -> bool:
        return not (self.busy or self.working)

    def terminate(self, error: Exception) -> None:
        """Ends the conversation with a FATAL error as soon as no statement runs: now, or after it."""
        raise NotImplementedError

    def flush(self) -> None:
        out = self.out
        if out:
            data = out.pop() if len(out) == 1 else b"".join(out)
            out.clear()
            if not self.gone:
                self.io.write(data if self.encoding is None else said(data, self.session.type_settings))

    async def push(self) -> None:
        """Flushes, and waits while the client does not take it: backpressure for long results."""
        self.flush()
        if not self.io.writable:
            await self.io.drain()

    def tell_notices(self, count: int | None = None) -> None:
        """Before what the client gets next: what came up until now (`count`: the first of it)."""
        notices = self.session.notices
        self.out += [encode_notice(notice) for notice in notices[:count]]
        del notices[:count]

    async def _tell_notices(self) -> None:
        """While a statement runs. A client that is gone is noticed by who sends it the answer."""
        self.tell_notices()
        with suppress(ConnectionError):
            await self.push()

    def complete(self, tag: str, *, told: bool = False) -> None:
        """CommandComplete, after the notices that came up. `told`: the session knows of it."""
        session = self.session
        if session.notices:
            self.tell_notices()
        self.out.append(replies.command_complete(tag))
        if session.watched and not told:
            session.executed(session.statement_text, session.statement_began_ns, tag)

    def ready(self) -> None:
        session = self.session
        if session.notices:
            self.tell_notices()
        if session.heard and session.transaction_status == b"I":
            self._drain_heard()
        changes = session.parameter_changes
        if changes:
            self.out += [replies.parameter_status(name, value) for name, value in changes]
            changes.clear()
            self.encoding = spoken(session.type_settings)
        if self._cut:
            return
        self.out.append(replies.READY[session.transaction_status])
        if session.watched:
            self._watch_silence()
            self.log_duration()

    def _watch_silence(self) -> None:
        """The client's turn: it may take so long, and then the connection ends."""
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None
        limit = self.session.silence_limit()
        if limit is not None and not self.gone:
            self._silence = asyncio.get_running_loop().call_later(limit[0], self.terminate, limit[1])

    def log_duration(self) -> None:
        """A statement is answered: it is logged if it has taken as long as `log_min_duration_statement` says.

        PostgreSQL's manual, 20.8.2. Those that fail are not logged, and of a query string of several statements the whole is.
        """
        session = self.session
        limit_ms, began_ns = session.duration_logged_ms, session.statement_began_ns
        if limit_ms < 0 or began_ns == self.logged_ns:
            return
        self.logged_ns = began_ns
        duration_ms = (time_ns() - began_ns) / 1e6
        if duration_ms >= limit_ms:
            _log.info(
                "duration",
                duration_ms=round(duration_ms, 3),
                statement=session.statement_text[:STATEMENT_LOGGED_MAX],
                user=session.user,
                database=session.database,
                pid=session.pid,
            )

    def _drain_heard(self) -> None:
        """Notifications, as many as the client takes."""
        heard = self.session.heard
        while heard and self.io.writable:
            self.out += [replies.notification(*one) for one in heard.taken(NOTIFICATIONS_AT_ONCE)]
            if heard:
                self.flush()

    def _hear(self) -> None:
        """A NOTIFY reached the session: it is told at once if it is idle, else before ReadyForQuery."""
        session = self.session
        quiet = self.idle and not self.gone and session.transaction_status == b"I"
        if quiet and not session.in_implicit:
            self._drain_heard()
            self.flush()

    def fail(self, error: BaseException, offset: int = 0) -> None:
        """Reports a failed statement, to the client and to the session."""
        if self.session.notices:
            self.tell_notices()
        ending = self._ending
        if ending is not None and (error is ending or getattr(error, "sqlstate", "") == "57014"):
            self._cut = True  # it was stopped because the session ends: that is what the client is told
        else:
            if isinstance(error, SqlError) and error.told is not None:
                self.session.conceal(error)
            about_oid = getattr(error, "about_oid", 0)
            schema = self.session.schema_name(about_oid) if about_oid else getattr(error, "schema", "")
            self.out.append(describe(error, offset=offset, schema=schema).encode())
        self.logged_ns = self.session.statement_began_ns
        if isinstance(error, Exception):
            self.session.statement_failed(error)
