"""Exceptions to SQLSTATEs: the one table.

Each room raises what its own trade calls for; only here do those become codes on the wire. The two
rooms that speak SQL raise `SqlError`, which carries its code; all else is looked up in `_table`,
most special first. What nobody foresaw is XX000: the client gets an id, the log gets the id with
the traceback, and the session goes on.
"""

from __future__ import annotations

import asyncio
import errno
import secrets
from dataclasses import dataclass, replace
from typing import Final

import structlog

from executor.abc import Notice
from pgwire import replies
from pgwire.messages import ProtocolViolation
from planner import source_places
from planner.abc import SqlError
from planner.source_places import NOWHERE, Place
from storage.abc import CorruptBlob, FormatTooNew, Indeterminate, SinceViolation, StorageError, StorageFull
from txn.abc import (
    AnswerFailed,
    CommitFailed,
    CommitUnknown,
    DeadlockDetected,
    Fenced,
    LockNotAvailable,
    NoLongerCommitting,
    QueueFull,
    SerializationFailure,
    TimestampTaken,
    TransactionExpired,
    TxnError,
    Unregistered,
)
from txn.locks import LockLimitExceeded
from txn.shared import LocksLost
from txn.transaction import TransactionTooLarge

_log = structlog.get_logger("pgwire")

INTERNAL_ERROR: Final = "XX000"


@dataclass(frozen=True, slots=True)
class ErrorFields:
    """What an ErrorResponse says. `position` counts characters from 1 in the whole query string."""

    sqlstate: str
    message: str
    severity: str = "ERROR"
    detail: str = ""
    hint: str = ""
    position: int = 0
    where: str = ""
    schema: str = ""
    table: str = ""
    column: str = ""
    datatype: str = ""
    constraint: str = ""
    routine: str = ""
    query: str = ""  # an inner one, in which the position counts
    place: Place = NOWHERE  # in our source; `routine` comes before its own

    def encode(self) -> bytes:
        return replies.fields(
            b"E",
            (
                ("S", self.severity),
                ("V", self.severity),
                ("C", self.sqlstate),
                ("M", self.message),
                ("D", self.detail),
                ("H", self.hint),
                ("p" if self.query else "P", str(self.position) if self.position > 0 else ""),
                ("q", self.query if self.position > 0 else ""),
                ("W", self.where),
                ("s", self.schema),
                ("t", self.table),
                ("c", self.column),
                ("d", self.datatype),
                ("n", self.constraint),
                ("F", self.place.file),
                ("L", str(self.place.line or "")),
                ("R", self.routine or self.place.routine),
            ),
        )

    def fatal(self) -> ErrorFields:
        return replace(self, severity="FATAL")


_table: Final[tuple[tuple[type[BaseException], str, str], ...]] = (
    # exception, SQLSTATE, message ("" for the exception's own)
    (SerializationFailure, "40001", ""),
    (DeadlockDetected, "40P01", ""),
    (LockNotAvailable, "55P03", ""),
    (TransactionExpired, "25P04", ""),
    (CommitUnknown, "08007", ""),
    (CommitFailed, "58030", ""),
    (NoLongerCommitting, "57P01", ""),
    (AnswerFailed, "08007", ""),
    (Fenced, "57P01", ""),
    (QueueFull, "53300", ""),
    (TransactionTooLarge, "54000", ""),
    (LockLimitExceeded, "53200", ""),
    (LocksLost, "57P01", ""),
    (Unregistered, "55000", ""),
    (TimestampTaken, "40001", ""),
    (TxnError, "25000", ""),
    (StorageFull, "53100", ""),
    (CorruptBlob, "XX001", ""),
    (SinceViolation, "72000", ""),
    (FormatTooNew, "0A000", ""),
    (Indeterminate, "58030", ""),
    (StorageError, "58030", ""),
    (MemoryError, "53200", "out of memory"),
    (RecursionError, "54001", "stack depth limit exceeded"),
    (asyncio.CancelledError, "57014", "canceling statement due to user request"),
    (TimeoutError, "57014", "canceling statement due to statement timeout"),
    (OSError, "58030", ""),
)

_resources: Final = {
    errno.ENOSPC: "53100",
    errno.EDQUOT: "53100",
    errno.EMFILE: "53000",
    errno.ENFILE: "53000",
    errno.ENOMEM: "53200",
}

_hints: Final = {
    "54001": "The query is nested too deeply.",
    "53000": "Too many files and connections are open. Raise the limit of open files (ulimit -n), or lower connections_max.",
    "72000": "The history before this point has been compacted away.",
}


def describe(error: BaseException, *, offset: int = 0, schema: str = "") -> ErrorFields:
    """The fields for an exception, never failing.

    `offset`: where the statement begins in its string. `schema`: that of the table or type that it is about.
    Its place is where it was raised; of one that was handed on as an answer, and never raised, it is who tells it.
    """
    return replace(
        _fields(error, offset, schema), place=source_places.raising(error) or source_places.calling()
    )


def _fields(error: BaseException, offset: int, schema: str) -> ErrorFields:
    if isinstance(error, SqlError):
        return ErrorFields(
            error.sqlstate,
            error.message,
            detail=error.detail,
            hint=error.hint,
            position=error.position + (0 if error.query else offset) if error.position > 0 else 0,
            where=str(getattr(error, "context", "") or ""),
            schema=schema,
            table=error.table,
            column=error.column,
            datatype=error.datatype,
            constraint=error.constraint,
            routine=error.routine,
            query=error.query,
        )
    if isinstance(error, ProtocolViolation):
        return ErrorFields(error.sqlstate, error.message, severity="FATAL" if error.fatal else "ERROR")
    for kind, sqlstate, message in _table:
        if isinstance(error, kind):
            if sqlstate == "58030":
                sqlstate = _lacking(error) or sqlstate
            text = message or str(error) or kind.__name__
            if sqlstate == "53000":  # nothing is wrong with what it was about: no traceback
                _log.error("no file can be opened", error=text)
            elif sqlstate[:2] in ("58", "XX"):
                _log.error("statement failed below SQL", sqlstate=sqlstate, error=text, exc_info=error)
            return ErrorFields(
                sqlstate,
                text,
                detail=str(getattr(error, "detail", "") or ""),
                hint=str(getattr(error, "hint", "") or _hints.get(sqlstate, "")),
            )
    error_id = secrets.token_hex(4)
    _log.error("unexpected error", error_id=error_id, exc_info=error)
    return ErrorFields(
        INTERNAL_ERROR,
        f"internal error {error_id}: {type(error).__name__}: {error}",
        hint=f"This is a defect of Tidewire. The server's log has the details under {error_id}.",
    )


def _lacking(error: BaseException) -> str:
    """The SQLSTATE of the resource that was missing, if that is why the error, which is sure that nothing has happened, came about."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, Indeterminate):
        if isinstance(cause, StorageFull):
            return "53100"
        if isinstance(cause, OSError) and cause.errno in _resources:
            return _resources[cause.errno]
        cause = cause.__cause__
    return ""


def encode_notice(notice: Notice) -> bytes:
    return replies.fields(
        b"N",
        (
            ("S", notice.severity),
            ("V", notice.severity),
            ("C", notice.sqlstate),
            ("M", notice.message),
            ("D", notice.detail),
            ("H", notice.hint),
            ("P", str(notice.position) if notice.position else ""),
            ("W", notice.context),
            ("F", notice.place.file),
            ("L", str(notice.place.line or "")),
            ("R", notice.place.routine),
        ),
    )
