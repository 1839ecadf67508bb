"""What is read of tables that no key leads into: rows that fulfil what is asked of them, whichever engine finds them.

Whoever changes what a query has found is a conflict, and whoever writes rows that the query cannot have found, then or now, is none. The first is
asked of random queries and writes: where the answer is another behind the write, COMMIT must refuse.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from executor.keyed import whole_tables
from executor.snapshot import SnapshotLimits
from tests.executor.sql import Client, Failed, Server

SMALL = SnapshotLimits(versions_max=12, check_every=3, runs_max=2)
"""Rows leave memory for runs, and these are merged, all the time."""

TABLES = (
    "CREATE TABLE c (id int PRIMARY KEY, name text, region int, at timestamptz, balance numeric(9, 2))",
    "CREATE TABLE o (id int PRIMARY KEY, c int, state text, total int, note text)",
    "CREATE TABLE plain (a int, b text)",
    "CREATE TABLE out (x int)",
    "INSERT INTO c SELECT g, 'n' || g % 7, g % 4, timestamptz '2024-01-01' + g * interval '1 day', g FROM generate_series(1, 24) g",
    "INSERT INTO o SELECT g, CASE WHEN g % 9 > 0 THEN g % 24 + 1 END, 's' || g % 5, g % 11, NULL FROM generate_series(1, 60) g",
    "INSERT INTO plain SELECT g, 'p' || g % 5 FROM generate_series(1, 20) g",
)


async def _outcome(a: Client, b: Client, read: str, write: str) -> tuple[Any, str]:
    """What a read finds, and what its COMMIT comes to behind another's write."""
    await a.query("BEGIN")
    await b.query("BEGIN")
    found = await a.query(read)
    await b.query("SELECT count(*) FROM out")
    await b.query(write)
    await b.query("COMMIT")
    await a.query("INSERT INTO out VALUES (1)")
    try:
        await a.query("COMMIT")
    except Failed as failed:
        await a.query("ROLLBACK")
        return found, failed.sqlstate
    return found, "fine"


OF_A_STATE = "SELECT id, total FROM o WHERE state = 's2'"
OF_WORDS = "SELECT id FROM c WHERE name LIKE '%3' AND region <> 0"
SUMMED = (
    "SELECT state, sum(total) FROM o WHERE state IN ('s1', 's2') AND total BETWEEN 3 AND 8 GROUP BY state"
)
JOINED = "SELECT stddev(o.total) FROM o JOIN c ON c.id = o.c WHERE c.id = 5 AND o.state <> 's1'"
BESIDE = "SELECT c.id, mode() WITHIN GROUP (ORDER BY o.total) FROM c LEFT JOIN o ON o.c = c.id AND o.state = 's2' WHERE c.region = 2 GROUP BY c.id"
WITHOUT = (
    "SELECT c.id FROM c WHERE region = 1 AND NOT EXISTS (SELECT 1 FROM o WHERE o.c = c.id AND o.state = 's4')"
)
SINCE = "SELECT count(*) FROM c WHERE at > now() - interval '1 day' * 30"
OF_DATES = "SELECT count(*) FROM o WHERE id > 56 AND to_date(note, 'YYYY') < date '2020-01-01'"
KEYLESS = "SELECT a FROM plain WHERE b = 'p2'"
CHANGED = "UPDATE o SET note = 'x' WHERE state = 's2' AND total > 3"

CASES = [
    (OF_A_STATE, "INSERT INTO o VALUES (100, 1, 's3', 1)", "fine"),
    (OF_A_STATE, "INSERT INTO o VALUES (100, 1, 's2', 1)", "40001"),
    (OF_A_STATE, "UPDATE o SET state = 's3' WHERE id = 2", "40001"),
    (OF_A_STATE, "UPDATE o SET state = 's2' WHERE id = 3", "40001"),
    (OF_A_STATE, "UPDATE o SET state = 's4' WHERE id = 3", "fine"),
    (OF_A_STATE, "UPDATE o SET total = total + 1 WHERE id = 2", "40001"),
    (OF_A_STATE, "UPDATE o SET total = total + 1 WHERE id = 3", "fine"),
    (OF_A_STATE, "UPDATE o SET note = 'x' WHERE id = 2", "fine"),  # a column that was not read
    (OF_A_STATE, "DELETE FROM o WHERE id = 2", "40001"),
    (OF_A_STATE, "DELETE FROM o WHERE id = 3", "fine"),
    (OF_A_STATE, "UPDATE o SET id = 100 WHERE id = 2", "40001"),
    (OF_A_STATE, "UPDATE o SET state = NULL WHERE id = 3", "fine"),
    (OF_WORDS, "INSERT INTO c VALUES (100, 'n4', 1)", "fine"),
    (OF_WORDS, "INSERT INTO c VALUES (100, 'n3', 0)", "fine"),
    (OF_WORDS, "INSERT INTO c VALUES (100, 'n3', 1)", "40001"),
    (SUMMED, "INSERT INTO o VALUES (100, 1, 's1', 9)", "fine"),
    (SUMMED, "INSERT INTO o VALUES (100, 1, 's1', 8)", "40001"),
    (JOINED, "INSERT INTO o VALUES (100, 6, 's2', 9)", "fine"),
    (JOINED, "INSERT INTO o VALUES (100, 5, 's1', 9)", "fine"),
    (JOINED, "INSERT INTO o VALUES (100, 5, 's2', 9)", "40001"),
    (JOINED, "UPDATE c SET balance = 0 WHERE id = 5", "fine"),
    (JOINED, "DELETE FROM c WHERE id = 5", "40001"),
    (BESIDE, "INSERT INTO o VALUES (100, 2, 's3', 9)", "fine"),
    (BESIDE, "INSERT INTO o VALUES (100, 2, 's2', 9)", "40001"),
    (BESIDE, "INSERT INTO c VALUES (100, 'x', 3)", "fine"),
    (BESIDE, "INSERT INTO c VALUES (100, 'x', 2)", "40001"),
    (WITHOUT, "INSERT INTO o VALUES (100, 1, 's3', 9)", "fine"),
    (WITHOUT, "INSERT INTO o VALUES (100, 1, 's4', 9)", "40001"),
    (WITHOUT, "INSERT INTO o VALUES (100, NULL, 's4', 9)", "fine"),  # whose row it is nobody asks
    (SINCE, "INSERT INTO c VALUES (100, 'x', 2, '2024-02-01')", "fine"),
    (SINCE, "INSERT INTO c VALUES (100, 'x', 2, now())", "40001"),
    (
        OF_DATES,
        "INSERT INTO o VALUES (100, 1, 's1', 300, 'x')",
        "40001",
    ),  # what fails of a row counts as true of it
    (KEYLESS, "INSERT INTO plain VALUES (100, 'p3')", "fine"),
    (KEYLESS, "INSERT INTO plain VALUES (100, 'p2')", "40001"),
    (CHANGED, "INSERT INTO o VALUES (100, 1, 's2', 3)", "fine"),
    (CHANGED, "INSERT INTO o VALUES (100, 1, 's2', 4)", "40001"),
    (CHANGED, "UPDATE o SET total = 9 WHERE id = 3", "fine"),
]


@pytest.mark.parametrize("small", [True, False], ids=["small tables", "by DuckDB"])
def test_what_refuses_whom(small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not small:
        monkeypatch.setattr(whole_tables, "WHOLE_ROWS_MAX", 0)

    async def run() -> None:
        wrong = []
        async with Server() as server:
            client, a, b = server.client(), server.client("a"), server.client("b")
            for read, write, expected in CASES:
                await client.query("DROP TABLE IF EXISTS c, o, plain, out")
                for text in TABLES:
                    await client.query(text)
                _, said = await _outcome(a, b, read, write)
                if said != expected:
                    wrong.append((read, write, said, expected))
        assert wrong == []

    asyncio.run(run())


def _condition(r: random.Random, table: str, depth: int = 0) -> str:
    if depth < 2 and r.random() < 0.35:
        a, b = _condition(r, table, depth + 1), _condition(r, table, depth + 1)
        return r.choice(("({} AND {})", "({} OR {})", "({} AND NOT {})")).format(a, b)
    n = r.randint(0, 12)
    of_c = (
        f"{{0}}.region = {n % 4}", f"{{0}}.name = 'n{n % 7}'", f"{{0}}.name LIKE '%{n % 7}'", "{0}.name IS NULL",
        f"{{0}}.id BETWEEN {n} AND {n + 6}", f"{{0}}.at < timestamptz '2024-01-01' + interval '{n} day'",
        f"{{0}}.at::date = date '2024-01-0{n % 9 + 1}'", f"{{0}}.balance > {n}.5", f"{{0}}.id IN ({n}, {n + 1}, {n * 2})",
        f"coalesce({{0}}.name, 'n1') = 'n{n % 3}'", f"100 / nullif({{0}}.region, {n % 4}) > 30",
        f"{{0}}.balance IS DISTINCT FROM {n}", f"upper({{0}}.name) ~ 'N[{n % 7}0]'",
    )  # fmt: skip
    of_o = (
        f"{{0}}.state = 's{n % 5}'", f"{{0}}.state <> 's{n % 5}'", f"{{0}}.total >= {n}", f"{{0}}.c = {n}", "{0}.c IS NULL",
        f"{{0}}.state = ANY ('{{{{s{n % 5},s{n % 3}}}}}')", f"{{0}}.total % 3 = {n % 3}", f"{{0}}.id < {n * 4}",
        f"({{0}}.c, {{0}}.total) > ({n}, 5)", f"CASE WHEN {{0}}.total > 5 THEN {{0}}.state = 's1' ELSE {{0}}.c = {n} END",
        f"{{0}}.note IS NOT NULL AND length({{0}}.note) = {n % 3}",
    )  # fmt: skip
    return r.choice(of_c if table == "c" else of_o).format(table)


def _read(r: random.Random) -> str:
    of_c, of_o = _condition(r, "c"), _condition(r, "o")
    where = r.choice(
        (f"{of_c} AND {of_o}", of_c, of_o, f"({of_c} OR {of_o})", "o.id IS NULL", f"{of_c} AND o.id IS NULL")
    )
    on = r.choice(("c.id = o.c", f"c.id = o.c AND {of_o}", f"c.id = o.c AND {of_c}"))
    how = (
        r.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        if on == "c.id = o.c"
        else r.choice(("JOIN", "LEFT JOIN"))
    )
    some = r.choice(
        (
            "count(*), sum(o.total), min(c.name)",
            "c.id, c.name, o.id, o.total",
            "var_pop(o.total), max(c.region)",
        )
    )
    order = " ORDER BY 1, 3" if some.startswith("c.id") else ""
    return r.choice((
        f"SELECT {some} FROM c {how} o ON {on} WHERE {where}{order}",
        f"SELECT id, name, region FROM c WHERE {of_c} ORDER BY id",
        f"SELECT state, count(*), sum(total) FROM o WHERE {of_o} GROUP BY state HAVING count(*) > 1 ORDER BY 1",
        f"SELECT id FROM c WHERE {of_c} AND {r.choice(('EXISTS', 'NOT EXISTS'))} (SELECT 1 FROM o WHERE o.c = c.id AND {of_o}) ORDER BY 1",
        f"SELECT id, rank() OVER (ORDER BY total, id) FROM o WHERE {of_o} ORDER BY 1 LIMIT 5",
        f"SELECT id FROM c WHERE id IN (SELECT o.c FROM o WHERE {of_o}) AND {of_c} ORDER BY 1",
        f"SELECT c.id, x.n FROM c LEFT JOIN (SELECT o.c, count(*) n FROM o WHERE {of_o} GROUP BY o.c) x ON x.c = c.id WHERE {of_c} ORDER BY 1",
        f"WITH w AS (SELECT * FROM o WHERE {of_o}) SELECT count(*) FROM w o JOIN c ON c.id = o.c AND {of_c}",
        f"SELECT id, total FROM o WHERE {of_o} UNION ALL SELECT id, region FROM c WHERE {of_c} ORDER BY 1, 2",
    ))  # fmt: skip


def _write(r: random.Random, number: int) -> str:
    n, k = r.randint(1, 24), r.randint(1, 60)
    return r.choice((
        f"INSERT INTO o VALUES ({number}, {r.choice((n, 'NULL'))}, 's{n % 5}', {k % 13}, 'ab')",
        f"INSERT INTO c VALUES ({number}, 'n{n % 7}', {n % 4}, timestamptz '2024-01-01' + interval '{k} day', {n})",
        f"UPDATE o SET state = 's{n % 5}' WHERE id = {k}", f"UPDATE o SET c = {n} WHERE id = {k}",
        f"UPDATE o SET total = {n % 13}, note = 'x' WHERE id BETWEEN {k} AND {k + 2}", f"DELETE FROM o WHERE id = {k}",
        f"UPDATE c SET region = {k % 4}, name = 'n{k % 7}' WHERE id = {n}", f"UPDATE c SET name = NULL WHERE id = {n}",
        f"DELETE FROM c WHERE id = {n}", f"UPDATE c SET at = at + interval '1 day', balance = {k} WHERE id = {n}",
        f"UPDATE o SET id = {number} WHERE id = {k}",
    ))  # fmt: skip


@pytest.mark.parametrize("limits", [SnapshotLimits(), SMALL], ids=["in memory", "in runs"])
@pytest.mark.parametrize("small", [True, False], ids=["small tables", "by DuckDB"])
def test_whoever_changes_an_answer_is_a_conflict(
    small: bool, limits: SnapshotLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(whole_tables, "WHOLE_ROWS_MAX", 0)
    r = random.Random(7 + small)

    async def run() -> None:
        changed = refused = fine = 0
        async with Server() as server:
            server.executor.store.limits = limits
            client, a, b = server.client(), server.client("a"), server.client("b")
            for text in TABLES:
                await client.query(text)
            for number in range(100, 350):
                read, write = _read(r), _write(r, number)
                try:
                    found, said = await _outcome(a, b, read, write)
                except Failed as failed:  # a division by zero, perhaps
                    assert failed.sqlstate in ("22012", "2201X"), (read, failed)
                    await a.query("ROLLBACK")
                    await b.query("ROLLBACK")
                    continue
                if await client.query(read) != found:
                    assert said == "40001", (read, write)
                    changed += 1
                elif said == "fine":
                    fine += 1
                else:
                    refused += 1
        assert changed > 15
        assert fine > refused, (changed, refused, fine)

    asyncio.run(run())


def test_equal_parameters_that_are_shown_otherwise_are_other_reads() -> None:
    """As `1.0` and `1.00` are."""

    async def run() -> None:
        async with Server() as server:
            client, a, b = server.client(), server.client("a"), server.client("b")
            for text in TABLES:
                await client.query(text)
            await a.query("PREPARE p (numeric) AS SELECT a FROM plain WHERE concat(b, $1) = 'x1.00'")
            await a.query("BEGIN")
            assert await a.rows("EXECUTE p (1.0)") == await a.rows("EXECUTE p (1.00)") == []
            await b.query("INSERT INTO plain VALUES (100, 'x')")
            await a.query("INSERT INTO out VALUES (1)")
            with pytest.raises(Failed, match="could not serialize"):
                await a.query("COMMIT")

    asyncio.run(run())
