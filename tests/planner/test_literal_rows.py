"""Which INSERTs are read as rows of literals, and as what; all others are the parser's."""

from __future__ import annotations

import random
import re

import pytest

from planner.literal_rows import read
from tests.planner.world import World


def rows(*cells: str, more: int = 3) -> str:
    """`INSERT INTO t VALUES` of these rows, the last one once more so many times."""
    return "INSERT INTO t VALUES " + ", ".join([*cells, *[cells[-1]] * more])


READ: list[tuple[str, str, str, list[list[str | None]]]] = [
    (rows("(1)"), "INSERT INTO t VALUES ($i)", "i", [["1"] * 4]),
    (rows("(1, 'a')", "(-2, NULL)"), "INSERT INTO t VALUES ($i, $s)", "is",
     [["1", "-2", "-2", "-2", "-2"], ["a", None, None, None, None]]),
    (rows("(2147483648)", "(1)"), "INSERT INTO t VALUES ($l)", "l", [["2147483648", "1", "1", "1", "1"]]),
    (rows("(1.5)", "(1)"), "INSERT INTO t VALUES ($n)", "n", [["1.5", "1", "1", "1", "1"]]),
    (rows("(9223372036854775808)"), "INSERT INTO t VALUES ($n)", "n", [["9223372036854775808"] * 4]),
    (rows("('it''s')", "('')", "('''')"), "INSERT INTO t VALUES ($s)", "s", [["it's", "", "'", "'", "'", "'"]]),
    (rows("(1, default, true)"), "INSERT INTO t VALUES ($i, default, $s::boolean)", "is", [["1"] * 4, ["true"] * 4]),
    (rows("(true)", "(FALSE)", "(null)"), "INSERT INTO t VALUES ($s::boolean)", "s", [["true", "FALSE", *[None] * 4]]),
    ("INSERT INTO t (a, b, c) SELECT p0::int, p1, p2::numeric(9, 2) FROM (VALUES ('1', 'a', 1, 0), ('2', 'b', 2.5, 1), ('3', NULL, NULL, 2), ('4', 'd', 1, 3)) AS imp_sen(p0, p1, p2, sen_counter) ORDER BY sen_counter RETURNING t.a",
     "INSERT INTO t (a, b, c) VALUES ($s::int, $s::text, $n::numeric(9, 2)) RETURNING t.a", "ssn",
     [["1", "2", "3", "4"], ["a", "b", None, "d"], ["1", "2.5", None, "1"]]),
    (rows("('2020-01-01'::date)", "(null)"), "INSERT INTO t VALUES ($s::date)", "s", [["2020-01-01", *[None] * 4]]),
    (rows("( 1 ,'a')") + " ON CONFLICT (k) DO UPDATE SET v = excluded.v ;", "INSERT INTO t VALUES ($i, $s) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
     "is", [["1"] * 4, ["a"] * 4]),
    (rows("(1)") + ' RETURNING "Id", c12', 'INSERT INTO t VALUES ($i) RETURNING "Id", c12', "i", [["1"] * 4]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "kinds", "columns"), READ, ids=[r[0][:60] for r in READ])
def test_rows_of_literals(text: str, key: str, kinds: str, columns: list[list[str | None]]) -> None:
    said = read(text)
    assert said is not None
    assert (re.sub(r"\(\s*(?=\$)", "(", said.key), said.kinds, said.columns) == (key, kinds, columns)
    assert said.row_count == len(columns[0])


@pytest.mark.parametrize(
    "text",
    [
        rows("(1)", more=2),
        rows("(1)", "('1')"),
        rows("(1)", "(1, 2)"),
        rows("(1)", "(1 + 1)"),
        rows("(1)", "(now())"),
        rows("('now')"),
        rows("(E'a')"),
        rows("('a' 'b')"),
        rows("('a'\n'b')"),
        rows("(true)", "('false')"),
        rows("(true)", "(default)"),
        rows("(true)", "(1)"),
        rows("(default)", "(1)"),
        rows("(null)"),
        rows("(1)", "(b)"),
        rows("(-1::int2)"),
        rows("(1::int2)", "(1)"),
        rows("(1.)"),
        rows("(.5)"),
        rows("(1)", "(-- 1\n 1)"),
        rows("(1)", "(/* 1 */ 1)"),
        rows("(1)") + " RETURNING 1",
        rows("(1)") + " RETURNING 'a'",
        rows("(1)") + " RETURNING a -- all",
        rows("(1)") + "; SELECT 1",
        rows("(1)") + ", (2",
        rows("(1)") + " UNION SELECT 2",
        rows("($1)"),
        "SELECT " + "1, " * 50 + "1",
        "INSERT INTO t SELECT 1",
        *[
            f"INSERT INTO t (a) SELECT p0 FROM (VALUES {rest}"
            for rest in (
                "(1, 0), (2, 1), (3, 2), (4, 4)) AS a_b(p0, n_o) ORDER BY n_o",
                "(1, 0), (2, 1), (3, 2), (4, 3)) AS a_b(p0, n_o) ORDER BY p0",
                "(1, 0), (2, 1), (3, 2), (4, 3)) AS a_b(p0, n_o)",
                "(1), (2), (3), (4)) AS a_b(p0, n_o) ORDER BY n_o",
                "(default, 0), (default, 1), (default, 2), (default, 3)) AS a_b(p0, n_o) ORDER BY n_o",
                "(1, 0::int2), (2, 1::int2), (3, 2::int2), (4, 3::int2)) AS a_b(p0, n_o) ORDER BY n_o",
            )
        ],
        "INSERT INTO t VALUES ",
    ],
)
def test_what_is_the_parsers(text: str) -> None:
    assert read(text) is None


def test_no_text_takes_long() -> None:
    """Each character is looked at a few times at most, whatever comes in the middle."""
    chance = random.Random(5)
    for _ in range(300):
        text = rows("(1, 'a')", more=200)
        at = chance.randrange(20, len(text))
        read(text[:at] + chance.choice("'(),;$\"\\-:") * chance.randrange(1, 50) + text[at:])
    assert read("INSERT INTO t VALUES (" + "'" * 100_001) is None
    assert read("INSERT INTO t VALUES ('" + "''" * 50_000 + "')") is None
    assert read(rows("(1)") + " RETURNING " + "a" * 50_000 + "'") is None


def test_of_plans_of_many_rows_the_last_is_kept() -> None:
    """Each number of rows would be another plan, of as many parameters."""
    world = World()
    world.run("a", "create table t (a int, b text)")
    context = world.context()
    for count in (100, 2_000, 2_001, 2_001, 40_000):
        plan, values = world.planner.plan(rows("(1, 'a')", more=count - 1), context)
        assert len(values) == len(plan.parameters) == 2 * count
    kept = world.planner.partition(context).values()
    assert sorted(len(cached.plan.parameters) for cached in kept) == [200, 4_002]
