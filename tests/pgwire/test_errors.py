"""The one table: every exception of every room has its SQLSTATE, and the unforeseen has an id."""

from __future__ import annotations

import errno
import inspect
from unittest.mock import ANY

import pytest

import storage.abc
import txn.abc
from pgwire.errors import describe
from pgwire.messages import ProtocolViolation
from planner.abc import SqlError
from storage.abc import (
    CorruptBlob,
    Determinate,
    Indeterminate,
    SeqnoMismatch,
    SinceViolation,
    StorageError,
    StorageFull,
    UpperMismatch,
)
from tests.pgwire.script import fields
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
)
from txn.transaction import TransactionTooLarge


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "sqlstate"),
    [
        (SqlError("42P01", "x"), "42P01"),
        (SerializationFailure("could not serialize access"), "40001"),
        (DeadlockDetected("deadlock detected"), "40P01"),
        (LockNotAvailable("x"), "55P03"),
        (TransactionExpired("x"), "25P04"),
        (CommitUnknown("x"), "08007"),
        (NoLongerCommitting("x"), "57P01"),
        (AnswerFailed("x"), "08007"),
        (CommitFailed("x"), "58030"),
        (_caused(CommitFailed("x"), StorageFull("disk full")), "53100"),
        (_caused(Determinate("x"), OSError(errno.EMFILE, "Too many open files")), "53000"),
        (_caused(Indeterminate("x"), OSError(errno.ENOSPC, "No space left")), "58030"),
        (OSError(errno.ENFILE, "Too many open files in system"), "53000"),
        (Fenced("x"), "57P01"),
        (QueueFull("x"), "53300"),
        (TransactionTooLarge("x"), "54000"),
        (StorageFull("x"), "53100"),
        (CorruptBlob("part-7", "checksum"), "XX001"),
        (SinceViolation("t1", 1, 2), "72000"),
        (MemoryError(), "53200"),
        (RecursionError(), "54001"),
        (ConnectionResetError("x"), "58030"),
        (ProtocolViolation("x"), "08P01"),
        (KeyError("x"), "XX000"),
        (AssertionError("x"), "XX000"),
    ],
)
def test_codes(error: Exception, sqlstate: str) -> None:
    assert describe(error).sqlstate == sqlstate
    assert describe(error).message


def _all_errors(module: object, root: type[Exception]) -> list[type[Exception]]:
    return [c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, root)]


def test_no_error_of_the_rooms_below_is_unforeseen() -> None:
    samples = {
        SeqnoMismatch: ("s", 1, 2),
        UpperMismatch: ("s", 1, 2),
        SinceViolation: ("s", 1, 2),
        CorruptBlob: ("k", "r"),
        TimestampTaken: (1, 2),
    }
    for kind in [*_all_errors(storage.abc, StorageError), *_all_errors(txn.abc, TxnError)]:
        try:
            error = kind(*samples.get(kind, ("message",)))
        except TypeError:
            continue  # takes more than a message: its own room's tests make one
        assert describe(error).sqlstate != "XX000", kind


def test_a_corrupt_part_is_named() -> None:
    assert "part-7" in describe(CorruptBlob("part-7", "the checksum differs")).message


def test_all_fields_reach_the_wire() -> None:
    error = SqlError(
        "23505",
        "m",
        position=3,
        detail="d",
        hint="h",
        about_oid=42,
        table="t",
        column="c",
        constraint="n",
        datatype="y",
    )
    assert fields(describe(error, offset=10, schema="s").encode()[5:]) == {
        "S": "ERROR",
        "V": "ERROR",
        "C": "23505",
        "M": "m",
        "D": "d",
        "H": "h",
        "P": "13",
        "s": "s",
        "t": "t",
        "c": "c",
        "d": "y",
        "n": "n",
        "F": "test_errors.py",
        "L": ANY,
        "R": "test_all_fields_reach_the_wire",
    }


def test_the_unforeseen_has_an_id_in_the_message_and_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError as bug:
        found = describe(bug)
    error_id = found.message.split()[2].rstrip(":")
    printed = capsys.readouterr()
    logged = printed.out + printed.err
    assert error_id in found.hint and error_id in logged
    assert "test_errors.py" in logged, "the log has the traceback"


def test_a_message_with_a_nul_does_not_break_the_frame() -> None:
    assert fields(describe(SqlError("22021", "a\0b")).encode()[5:])["M"] == "ab"
