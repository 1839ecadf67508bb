"""Statements over a row by its key that say hundreds of things about it: more than the keyed engine has words for is DuckDB's."""

from __future__ import annotations

import pytest

from tests.server.process import ServerProcess

NUMBERS = range(20, 320)
OTHERS = " AND ".join(f"m <> {i}" for i in NUMBERS)
SOME = " OR ".join(f"m = {i}" for i in [*NUMBERS, 6])
CASES = " ".join(f"WHEN m = {i - 17} THEN {i}" for i in NUMBERS)
FIRST = ", ".join(f"nullif(m, {i - 14})" for i in NUMBERS)


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        (f"SELECT n FROM counted WHERE id = 6 AND {OTHERS}", [(6,)]),
        (f"SELECT n FROM counted WHERE id = 6 AND ({SOME})", [(6,)]),
        (f"SELECT n FROM counted WHERE id = 6 AND {OTHERS} FOR UPDATE", [(6,)]),
        (f"SELECT n FROM counted WHERE n = 6 AND {OTHERS}", [(6,)]),
        (f"SELECT n FROM counted WHERE id BETWEEN 6 AND 7 AND {OTHERS} ORDER BY id LIMIT 1", [(6,)]),
        (f"SELECT CASE {CASES} END FROM counted WHERE id = 6", [(23,)]),
        (f"SELECT coalesce({FIRST}) FROM counted WHERE id = 6", [(6,)]),
        (f"UPDATE counted SET n = n WHERE id = 6 AND {OTHERS} RETURNING n", [(6,)]),
        (f"UPDATE counted SET n = CASE {CASES} END WHERE id = 6 RETURNING n", [(23,)]),
        (f"DELETE FROM counted WHERE id = 6 AND {OTHERS} RETURNING n", [(6,)]),
    ],
)
@pytest.mark.parametrize("block", [False, True])
def test_they_are_answered(
    server: ServerProcess, statement: str, rows: list[tuple[int, ...]], block: bool
) -> None:
    with server.connect() as c:
        c.execute("CREATE TEMP TABLE counted (id int PRIMARY KEY, n int, m int)")
        c.execute("CREATE INDEX ON counted (n)")
        c.execute("INSERT INTO counted SELECT g, g, g FROM generate_series(1, 10) AS g")
        if block:
            c.execute("BEGIN")
        assert c.execute(statement.encode()).fetchall() == rows
