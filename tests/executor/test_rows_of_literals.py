"""INSERTs of many rows of literals mean the same whether they are read by columns or parsed, and whatever the literals are.

A comment at the end leaves a statement to the parser, so the same statements are told to two servers, one of which
never reads by columns.
"""

from __future__ import annotations

import asyncio
import random

import pytest

from planner.abc import Call, Const, Param, TypeRef
from planner.alike_rows import AlikeRows
from planner.literal_rows import read
from planner.types import INT4
from tests.executor.sql import Server

TABLES = {
    "no key": "create table t (a int, b text, c numeric(9, 2), d date)",
    "primary key": "create table t (a int primary key, b text, c numeric(9, 2), d date)",
    "key of two": "create table t (a int, b text, c numeric(9, 2), d date, primary key (b, a))",
    "numeric key": "create table t (a int, b text, c numeric(9, 2) primary key, d date)",
    "unique": "create table t (a int unique, b text, c numeric unique, d timestamp)",
    "checks": "create table t (a smallint not null, b varchar(9) check (b <> 'no'), c float8 check (c < 20000), d date)",
    "identity": "create table t (i int generated always as identity primary key, a int, b char(9), c numeric, d date)",
    "default": "create sequence q; create table t (a bigint, b text, c numeric(5), d date, s int default nextval('q'))",
    "generated": "create table t (a int primary key, b text, c numeric, d date, g int generated always as (a * 2) stored)",
    "reference": "create table p (k int primary key); insert into p select generate_series(-9, 20000);"
    " create table t (a int references p, b text, c numeric, d date)",
    "partitions": "create table t (a int, b text, c numeric, d date) partition by hash (a);"
    " create table t0 partition of t for values with (modulus 2, remainder 0);"
    " create table t1 partition of t for values with (modulus 2, remainder 1)",
}
ENDS = ["", "", "", " on conflict do nothing", " returning a, c", " returning *"]


def _whole(rng: random.Random) -> str:
    return str(rng.choice([rng.randint(-9, 40), rng.randint(1, 1000), rng.randint(1, 10**6)]))


def _number(rng: random.Random) -> str:
    odd = [
        "0",
        "-0",
        "-0.00",
        "00.5",
        "007",
        "1e2",
        "-1.5E-1",
        "1.005",
        "99999.99",
        "0.0",
        "12345678",
        "1.10",
    ]
    return rng.choice(
        [f"{rng.randint(-99, 99)}.{rng.randint(0, 99):02}", f"{rng.randint(0, 900)}.5", rng.choice(odd)]
    )


def _text(rng: random.Random) -> str:
    return rng.choice(
        [
            "'a'",
            "'it''s'",
            "''",
            "'no'",
            "'ab  '",
            "'Ä€😀'",
            r"'a\n'",
            "'(1, 2), ('",
            "'12'",
            f"'n{rng.randint(0, 99)}'",
        ]
    )


def _day(rng: random.Random) -> str:
    return rng.choice([f"'2024-02-{rng.randint(1, 29):02}'", "'infinity'", "'Jan 8, 1999'"])


def _statement(rng: random.Random, first: int) -> str:
    """Mostly right; now and then something is wrong with a row, or not a literal."""
    count = rng.choice([4, 5, 12, 40, 300, 400])
    null, odd = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0, 1])
    whole = rng.random() < 0.3
    rows = []
    for i in range(count):
        a = str(first + i) if rng.random() > odd / count else _whole(rng)
        c = _whole(rng) if whole else _number(rng) if odd else f"{first + i}.{rng.randint(0, 9)}"
        cells = [a, _text(rng), c, _day(rng)]
        if odd and rng.random() < 0.3 / count:
            cells[rng.randrange(4)] = rng.choice(
                ["'x'", "default", "1 + 1", "E'a'", "true", "99999999999", "1.5", "'now'"]
            )
        rows.append(f"({', '.join('null' if rng.random() < null and j else c for j, c in enumerate(cells))})")
    between = rng.choice([", ", ",", " ,\n  "])
    if rng.random() < 0.3:  # as ORMs count them
        counted = between.join(f"{row[:-1]}, {i})" for i, row in enumerate(rows))
        casts = rng.choice([("", "", "", "::date"), ("::int", "::text", "::NUMERIC(9, 2)", "::date")])
        items = ", ".join(f"p{i}{cast}" for i, cast in enumerate(casts))
        end = rng.choice([end for end in ENDS if "conflict" not in end])
        return (
            f"insert into t (a, b, c, d) select {items} from (values {counted})"
            f" as imp_sen(p0, p1, p2, p3, sen_counter) order by sen_counter{end}"
        )
    return f"insert into t (a, b, c, d) values {between.join(rows)}{rng.choice(ENDS)}"


async def _outcome(server: Server, sql: str) -> str:
    return await server.run("a", sql)


@pytest.mark.parametrize("table", TABLES)
def test_read_by_columns_is_as_parsed(table: str) -> None:
    async def run() -> None:
        rng, by_columns = random.Random(table), 0
        async with Server() as fast, Server() as slow:
            for server in (fast, slow):
                for statement in TABLES[table].split(";"):
                    await server.run("a", statement)
            for i in range(25):
                sql = _statement(rng, 1 + i * 400 if rng.random() < 0.8 else rng.randint(1, 9000))
                by_columns += read(sql) is not None
                assert read(f"{sql} /**/") is None
                in_block = rng.random() < 0.3
                for server in (fast, slow):
                    if in_block:
                        await server.run("a", "begin")
                assert await _outcome(fast, sql) == await _outcome(slow, f"{sql} /**/"), sql
                for server in (fast, slow):
                    if in_block:
                        await server.run("a", "commit")
            order = "select * from t order by 1, 2, 3, 4"
            stored = await _outcome(fast, order)
            assert stored == await _outcome(slow, order)
            await fast.restart()
            assert stored == await _outcome(fast, order)
        assert by_columns >= 10

    asyncio.run(run())


def test_a_row_again_and_again() -> None:
    """What a plan keeps as one row is read as all of them."""
    kind = TypeRef(INT4)
    first = (Param(1, kind), Call("+", (Param(2, kind), Const(1, kind)), kind), Const(None, kind))
    rows = AlikeRows((first,), 2, 3)
    told = [
        (Param(i, kind), Call("+", (Param(i + 1, kind), Const(1, kind)), kind), Const(None, kind))
        for i in (1, 3, 5)
    ]
    assert list(rows) == told
    assert (len(rows), rows[-1], list(rows[1:])) == (3, told[2], told[1:])
    with pytest.raises(IndexError):
        rows[3]
