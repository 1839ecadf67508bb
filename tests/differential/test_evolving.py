"""Sessions whose tables come, change and go are answered alike; see `tests.differential.evolving`.

TIDEWIRE_SESSIONS=200 pytest tests/differential/test_evolving.py        searches longer
"""

from __future__ import annotations

import os
import re
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from tests.differential.evolving import SETUP, Author, relations
from tests.differential.sessions import Answer, answer, shown
from tests.differential.test_sessions import both
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres
SESSIONS = int(os.environ.get("TIDEWIRE_SESSIONS", "4"))
STATEMENTS = 120
_NESTED = re.compile(r"\([^()]*\)")
LIMITS = (
    "temporary tables that inherit", "used by a view or rule", "unique index on expressions uses", "used in a trigger definition",
    "used by a generated column", "must include all partitioning columns",
)  # fmt: skip
"""What is refused here that PostgreSQL does, or refuses for another reason: docs/compatibility.md names each."""


@pytest.mark.parametrize("seed", range(SESSIONS))
def test_a_session_is_answered_alike(seed: int, postgres: str, tidewire: ServerProcess) -> None:
    with both(postgres, tidewire, f"evolving_{seed}") as (mine, theirs):
        for connection in (mine, theirs):
            connection.execute("SET client_min_messages = error")
            connection.execute(SETUP)
        found = difference(Author(seed), mine, theirs)
        for connection in (mine, theirs):
            connection.execute("ROLLBACK")
    assert not found, found


def difference(author: Author, mine: psycopg.Connection[Any], theirs: psycopg.Connection[Any]) -> str:
    """The session up to the first statement that is answered otherwise; empty: there is none."""
    said: list[str] = []
    for number in range(STATEMENTS):
        text = author.statement()
        said.append(text)
        a, b = answer(mine, text), answer(theirs, text)
        if _excused(a, b):
            if bool(a.sqlstate) != bool(b.sqlstate):
                return ""  # they have gone apart
        elif _of(text, a) != _of(text, b) or mine.info.transaction_status != theirs.info.transaction_status:
            return ";\n".join(said) + f";\n    tidewire:   {shown(a)}\n    PostgreSQL: {shown(b)}"
        if theirs.info.transaction_status == TransactionStatus.INERROR:
            said.append("ROLLBACK")
            assert not answer(mine, "ROLLBACK").sqlstate and not answer(theirs, "ROLLBACK").sqlstate
        author.in_block = theirs.info.transaction_status == TransactionStatus.INTRANS
        author.savepoints = _kept(author.savepoints, text, "SAVEPOINT ", b) if author.in_block else []
        author.cursors = _kept(author.cursors, text, "DECLARE ", b) if author.in_block else []
        author.there = relations(theirs)
        if number % 30 == 29:
            for table in author.there:
                text = f"SELECT * FROM {table.name}"
                if _of(text, answer(mine, text)) != _of(text, answer(theirs, text)):
                    return ";\n".join(said) + f";\n{text} is otherwise"
    return ""


def _kept(names: list[str], text: str, word: str, told: Answer) -> list[str]:
    return [*names, text.split()[1]] if text.startswith(word) and not told.sqlstate else names


def _excused(mine: Answer, theirs: Answer) -> bool:
    """Values that do not fit where no row asks for them, which PostgreSQL computes when it plans; and limits."""
    return "22001" in (mine.sqlstate, theirs.sqlstate) or theirs.sqlstate == "22003" or (
        mine.sqlstate == "0A000" and any(limit in mine.message for limit in LIMITS)
    )  # fmt: skip


def _of(text: str, told: Answer) -> object:
    """What is compared: of errors, that there is one; of rows without an order, which they are."""
    if told.sqlstate:
        return told.sqlstate if told.sqlstate.startswith("XX") else "an error"
    while (bare := _NESTED.sub("", text)) != text:
        text = bare
    ordered = " ORDER BY " in text and not text.startswith(("FETCH", "WITH"))
    return told.tag, told.columns, list(told.rows) if ordered else sorted(told.rows, key=repr)


def test_the_comparison_can_fail() -> None:
    one, other = Answer(tag="SELECT 2", rows=(("1",), ("2",))), Answer(tag="SELECT 2", rows=(("2",), ("1",)))
    assert _of("SELECT a FROM t", one) == _of("SELECT a FROM t", other)
    assert _of("SELECT a FROM t ORDER BY a", one) != _of("SELECT a FROM t ORDER BY a", other)
    assert _of("SELECT (SELECT a ORDER BY a)", one) == _of("SELECT (SELECT a ORDER BY a)", other)
    assert _of("x", Answer(sqlstate="XX000")) != _of("x", Answer(sqlstate="42601"))
    assert _of("x", one) != _of("x", Answer(sqlstate="42601"))
