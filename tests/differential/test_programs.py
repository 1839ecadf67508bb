"""Random programs in PL/pgSQL do the same; see `tests.differential.programs`.

TIDEWIRE_EXAMPLES=200 pytest tests/differential/test_programs.py        searches longer
"""

from __future__ import annotations

import os
from typing import Any

import psycopg
import pytest

from tests.differential.programs import SETUP, STATE, Author
from tests.differential.sessions import Answer, answer, shown
from tests.differential.test_sessions import both
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres
PROGRAMS = int(os.environ.get("TIDEWIRE_EXAMPLES", "12"))
TIMES = 2
"""Each call is asked so often: plans are kept from the first time."""


def test_programs_do_the_same(postgres: str, tidewire: ServerProcess) -> None:
    with both(postgres, tidewire, "programs") as (mine, theirs):
        said: dict[int, list[str]] = {}
        for connection in (mine, theirs):
            said[id(connection)] = notices = []
            connection.add_notice_handler(
                lambda d, to=notices: to.append(f"{d.severity} {d.message_primary}")
            )
            connection.execute("SET statement_timeout = '60s'")
        found = [text for seed in range(PROGRAMS) if (text := _difference(seed, mine, theirs, said))]
    assert not found, "\n\n".join(found)


def _difference(
    seed: int, mine: psycopg.Connection[Any], theirs: psycopg.Connection[Any], said: dict[int, list[str]]
) -> str:
    """What is answered otherwise of a program, on tables of its own; empty: nothing."""
    program, calls = Author(seed).program()
    schema = f"s{seed}"
    for connection in (mine, theirs):
        for text in (f"CREATE SCHEMA {schema}", f"SET search_path = {schema}", *SETUP):
            connection.execute(text.encode())
    for text in (program, *(x for call in calls for x in (*[call] * TIMES, *STATE))):
        told = []
        for connection in (mine, theirs):
            said[id(connection)].clear()
            told.append((_of(answer(connection, text)), list(said[id(connection)])))
        (a, a_said), (b, b_said) = told
        if a.sqlstate[:2] == b.sqlstate[:2] == "22" and a_said == b_said:
            return ""  # of several errors in one expression either may come first
        if told[0] != told[1]:
            return (
                f"seed {seed}:\n{program};\n{text};\n"
                f"    tidewire:   {shown(a)} {a_said}\n    PostgreSQL: {shown(b)} {b_said}"
            )
        if b.sqlstate and text is program:
            return ""
    return ""


def _of(told: Answer) -> Answer:
    """Without what an error says beside its message: DETAIL shows rows, whose order is nobody's; and without its place."""
    if not told.sqlstate:
        return told
    return Answer(sqlstate=told.sqlstate, message=told.message)
