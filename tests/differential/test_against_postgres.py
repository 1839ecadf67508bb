"""Generated statements mean on Tidewire what they mean on PostgreSQL 15: names, types, values, and SQLSTATEs.

Bounded by default. `TIDEWIRE_EXAMPLES=5000 pytest tests/differential` searches longer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from psycopg import pq

from tests.binding.world import Answer, World, make_table
from tests.differential.queries import ROWS, TABLE, statement
from tests.differential.relations import query
from tests.postgres import NoPostgres, running_postgres

EXAMPLES = int(os.environ.get("TIDEWIRE_EXAMPLES", "150"))
# Of several errors in one statement either server may meet another first.
ERRORS_OF_VALUES = frozenset(
    ("22003", "22012", "22P02", "22008", "22007", "22011", "22023", "2201F", "54000", "22015", "2201E")
)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    try:
        with running_postgres({"fsync": "off", "timezone": "UTC"}) as dsn:
            server = pq.PGconn.connect(dsn.encode())
            server.exec_(f"CREATE TABLE x ({TABLE.replace(';', ',')})".encode())
            made = World([make_table(20000, "x", TABLE)], server)
            made.load("x", ROWS)
            yield made
            server.finish()
    except NoPostgres as e:
        pytest.skip(str(e))


SEARCHED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)


def agree(mine: Answer, theirs: Answer) -> bool:
    if mine.sqlstate and theirs.sqlstate:
        return mine.sqlstate == theirs.sqlstate or {mine.sqlstate, theirs.sqlstate} <= ERRORS_OF_VALUES
    if mine.sqlstate or theirs.sqlstate:
        return False
    return (mine.names, mine.types) == (theirs.names, theirs.types) and len(mine.rows) == len(theirs.rows) and all(
        same_value(a, b, kind) for x, y in zip(mine.rows, theirs.rows, strict=True) for a, b, kind in zip(x, y, mine.types, strict=True)
    )  # fmt: skip


def same_value(a: str | None, b: str | None, kind: str) -> bool:
    if a == b:
        return True
    if a is None or b is None or kind not in ("double precision", "real"):
        return False
    x, y = float(a), float(b)
    return abs(x - y) <= 1e-14 * max(abs(x), abs(y))


@SEARCHED
@given(statement())
def test_a_statement_means_the_same(world: World, text: str) -> None:
    theirs = world.postgres(text)
    mine = world.tidewire(text)
    if theirs.sqlstate == "22003" and " WHERE " in text:
        return  # see EXCLUDED: overflow within comparisons
    assert agree(mine, theirs), f"{text}\nTidewire   {mine}\nPostgreSQL {theirs}"


@SEARCHED
@given(query())
def test_a_query_means_the_same(world: World, text: str) -> None:
    theirs = world.postgres(text)
    mine = world.tidewire(text)
    if theirs.sqlstate == "22003":
        return  # see EXCLUDED: overflow within comparisons
    if theirs.sqlstate in ERRORS_OF_VALUES and not mine.sqlstate and not any(v for r in mine.rows for v in r):
        return  # see EXCLUDED: constants that no row asks for
    assert agree(mine, theirs), f"{text}\nTidewire   {mine}\nPostgreSQL {theirs}"


def test_the_comparison_can_fail() -> None:
    one = Answer(("v",), ("integer",), (("1",),))
    assert agree(one, one)
    assert not agree(one, Answer(("v",), ("integer",), (("2",),)))
    assert not agree(one, Answer(("v",), ("bigint",), (("1",),)))
    assert not agree(one, Answer(sqlstate="22003"))
    assert not agree(Answer(sqlstate="42883"), Answer(sqlstate="22003"))
