"""Sessions of SQL that mean the same on both servers: a file of statements, run from top to bottom.

    -- blanks and comments are nothing; a statement is a line, or several that end in one with a semicolon
    CREATE DOMAIN posint AS int CHECK (VALUE > 0);
    SELECT 5::posint, '-1'::posint;

Compared are the command tag, the columns' names, types and modifiers, the rows as text, and of an error the SQLSTATE,
message, detail, hint and position. Types that a session made itself have other OIDs on each server; they compare as
one. Rows come in the order in which the server gives them, so a query of several rows has an ORDER BY.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import pq

FIRST_USER_OID: Final = 16_384


@dataclass(frozen=True)
class Answer:
    columns: tuple[tuple[str, int, int], ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    tag: str = ""
    sqlstate: str = ""
    message: str = ""
    detail: str = ""
    hint: str = ""
    position: str = ""


def statements(path: Path) -> list[str]:
    """The statements of a file."""
    out: list[str] = []
    pending = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not pending and (not line.strip() or line.startswith("--")):
            continue
        pending += ("\n" if pending else "") + line
        if line.rstrip().endswith(";"):
            out.append(pending.rstrip()[:-1])
            pending = ""
    assert not pending, f"{path.name}: the last statement has no semicolon"
    return out


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode()


def answer(connection: psycopg.Connection[Any], text: str) -> Answer:
    """What a server says to one statement."""
    result = connection.pgconn.exec_(text.encode())
    if result.status == pq.ExecStatus.FATAL_ERROR:
        of = result.error_field
        return Answer(
            sqlstate=_text(of(pq.DiagnosticField.SQLSTATE)),
            message=_text(of(pq.DiagnosticField.MESSAGE_PRIMARY)),
            detail=_text(of(pq.DiagnosticField.MESSAGE_DETAIL)),
            hint=_text(of(pq.DiagnosticField.MESSAGE_HINT)),
            position=_text(of(pq.DiagnosticField.STATEMENT_POSITION)),
        )
    columns = tuple(
        (
            _text(result.fname(i)),
            min(result.ftype(i), FIRST_USER_OID),
            result.fmod(i),
        )
        for i in range(result.nfields)
    )
    rows = tuple(
        tuple(None if (v := result.get_value(r, c)) is None else v.decode() for c in range(result.nfields))
        for r in range(result.ntuples)
    )
    return Answer(columns, rows, _text(result.command_status))


def differences(path: Path, mine: psycopg.Connection[Any], theirs: psycopg.Connection[Any]) -> list[str]:
    """Every statement of a file that the two answer differently, shown with both answers."""
    out = []
    for text in statements(path):
        a, b = answer(mine, text), answer(theirs, text)
        if a != b:
            out.append(f"{text}\n    tidewire:   {shown(a)}\n    PostgreSQL: {shown(b)}")
    return out


def shown(a: Answer) -> str:
    if a.sqlstate:
        more = f" DETAIL {a.detail}" if a.detail else ""
        more += f" HINT {a.hint}" if a.hint else ""
        return f"{a.sqlstate} {a.message}{more} at {a.position or '-'}"
    return f"{a.tag} {list(a.columns)} {list(a.rows)}"
