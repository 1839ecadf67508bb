"""The golden scripts of DDL, said to PostgreSQL: the same tags, errors, positions, details, hints and notices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg.pq import DiagnosticField as Field

from tests.golden import parse, scripts
from tests.planner.world import World
from tests.postgres import NoPostgres, running_postgres

FOLDER = Path(__file__).parent / "ddl"

DIFFERENT = {
    "create table p (a int) partition by range (a)": "0A000 here",
    "alter type shade rename value 'light' to 'pale'": "0A000 here: a default that is no bare label keeps its text",
    "alter type lamp rename value 'lit' to 'bright'": "0A000 here: a policy says the label",
}
"""Statements that are known to be answered otherwise than by PostgreSQL 15."""

_TASKS = (
    "+ ",
    "- ",
    "~ ",
    "register ",
    "forget ",
    "truncate t",
    "truncate p",
    "truncate k",
    "rewrite ",
    "check ",
    "rows ",
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    try:
        with running_postgres() as url:
            with psycopg.connect(url, autocommit=True) as c:
                c.execute("create role tidewire superuser login")
            yield url
    except NoPostgres as e:
        pytest.skip(f"no PostgreSQL to compare with: {e}")


@pytest.mark.postgres
@pytest.mark.parametrize("script", scripts(FOLDER), ids=lambda p: p.stem)
def test_postgresql_says_the_same(server: str, script: Path) -> None:
    with psycopg.connect(server, autocommit=True) as admin:
        for statement in (
            "drop database if exists app",
            "drop database if exists tidewire",
            "drop role if exists alice, bob",
            "create database tidewire owner tidewire",
        ):
            admin.execute(statement)
        url = urlunsplit(urlsplit(server)._replace(path="/tidewire"))
        differences = []
        with psycopg.connect(url, autocommit=True, user="tidewire") as theirs:
            notices: list[list[str]] = []
            theirs.add_notice_handler(
                lambda n, kept=notices: kept.append(  # type: ignore[misc]
                    [
                        f"{(n.severity or '').lower()} {n.message_primary}",
                        *(f"  {x}" for x in (n.message_detail or "").split("\n") if x),
                    ]
                )
            )
            ours = World()
            for block in parse(script.read_text()):
                for client, command in block.commands:
                    mine = [x for x in ours.run(client, command).split("\n") if not _is_task(x)]
                    notices.clear()
                    expected = _answer(theirs, command, notices)
                    if command not in DIFFERENT and mine != expected:
                        differences.append(f"{command}\n  here       {mine}\n  PostgreSQL {expected}")
        assert not differences, "\n".join(differences)


def _is_task(line: str) -> bool:
    return line.startswith(_TASKS) and not line.startswith("truncate cascades")


def _answer(connection: psycopg.Connection[Any], command: str, notices: list[list[str]]) -> list[str]:
    result = connection.pgconn.exec_(command.encode())

    def field(which: Field) -> str:
        return (result.error_field(which) or b"").decode()

    if field(Field.SQLSTATE):
        where = field(Field.STATEMENT_POSITION)
        lines = [
            f"ERROR {field(Field.SQLSTATE)} {field(Field.MESSAGE_PRIMARY)}"
            + (f" at {where}" if where else "")
        ]
        lines += [f"DETAIL {x}" for x in field(Field.MESSAGE_DETAIL).split("\n") if x]
        return lines + ([f"HINT {field(Field.MESSAGE_HINT)}"] if field(Field.MESSAGE_HINT) else [])
    lines = [(result.command_status or b"").decode().split(" 0")[0].split(" 1")[0]]
    return lines + [line for notice in notices for line in notice]
