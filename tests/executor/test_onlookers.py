"""Which functions a statement goes row by row for: those alone whose words lead to the table that it writes."""

from __future__ import annotations

import asyncio

import pytest

from executor.session import stepwise
from tests.executor.sql import Server

_TABLES = """
CREATE TABLE t (a int, n int);
CREATE TABLE other (a int, n int);
CREATE TABLE told (a int);
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER c AFTER INSERT ON told FOR EACH ROW EXECUTE FUNCTION counts();
CREATE TABLE above (a int);
CREATE TABLE child (n int) INHERITS (above);
CREATE VIEW over_t AS SELECT n FROM t;
CREATE VIEW over_that AS SELECT n FROM over_t;
CREATE VIEW over_other AS SELECT n FROM other;
CREATE FUNCTION inner_one() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT max(n) FROM t); END $$;
"""


@pytest.mark.parametrize(
    ("body", "table", "looks"),
    [
        ("RETURN (SELECT max(n) FROM t)", "t", True),
        ('RETURN (SELECT max(n) FROM public."t" AS x)', "t", True),
        ("RETURN (SELECT max(x.n) FROM other AS o, t AS x)", "t", True),
        ("RETURN inner_one()", "t", True),
        ("EXECUTE 'SELECT 1'; RETURN 1", "t", True),
        ("RETURN (SELECT max(n) FROM over_that)", "t", True),
        ("RETURN (SELECT max(a) FROM above)", "child", True),
        ("INSERT INTO told VALUES (1); RETURN 1", "t", True),
        ("RETURN (SELECT max(n) FROM t)", "other", False),
        ("RETURN (SELECT max(n) FROM over_other)", "t", False),
        ("RETURN (SELECT max(a) FROM told)", "t", False),  # no trigger fires where one only reads
        ("RETURN length('t')", "t", False),
        ("DECLARE t int; BEGIN t := 3; RETURN t + 1; END", "t", False),
        ("RETURN (SELECT max(n) FROM other)", "t", False),
    ],
)
def test_who_looks_at_what_is_written(
    body: str, table: str, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []
    write = stepwise.write

    async def noted(*arguments: object) -> object:
        went.append(table)
        return await write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(stepwise, "write", noted)

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query(_TABLES)
            await a.query(f"CREATE FUNCTION f(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN {body}; END $$")
            assert "INSERT 0 2" in await a.run(
                f"INSERT INTO {table} (a) SELECT f(i) FROM generate_series(1, 2) AS i"
            )
            assert bool(went) is looks
            went.clear()
            await a.query(
                "CREATE OR REPLACE FUNCTION f(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN x; END $$"
            )
            assert "INSERT 0 2" in await a.run(
                f"INSERT INTO {table} (a) SELECT f(i) FROM generate_series(1, 2) AS i"
            )
            assert not went, "the plan is of the function as it was"

    asyncio.run(run())
