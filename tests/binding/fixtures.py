"""Tables and rows that the queries of these tests run on."""

from __future__ import annotations

import random

from tests.binding.world import World, make_table

TABLES = (
    make_table(20000, "dept", "id int4; name text; budget numeric(12,2)", key="id"),
    make_table(
        20010,
        "emp",
        "id int4; name varchar(20); dept int4; boss int4; pay numeric(10,2); hired date; rate float8; notes text; code char(3)",
        key="id",
    ),
    make_table(20020, "nums", "i int4; b int8; s int2; n numeric; f float8; r float4"),
    make_table(
        20030,
        "ev",
        "at timestamp; tz timestamptz; kind text; span interval; tags text[]; data jsonb; flag bool",
    ),
    make_table(20040, "pair", "a int4; b text; v int4", key="a,b"),
    make_table(
        20050,
        "defaults",
        "id int4; n int4 default 7; t text default 'x' || 'y'; u varchar(3); g int4 generated n * 2",
        key="id",
        unique="u",
    ),
)

DDL = """
CREATE TABLE dept (id int4 primary key, name text, budget numeric(12,2));
CREATE TABLE emp (id int4 primary key, name varchar(20), dept int4, boss int4, pay numeric(10,2), hired date, rate float8, notes text, code char(3));
CREATE TABLE nums (i int4, b int8, s int2, n numeric, f float8, r float4);
CREATE TABLE ev (at timestamp, tz timestamptz, kind text, span interval, tags text[], data jsonb, flag bool);
CREATE TABLE pair (a int4, b text, v int4, primary key (a, b));
CREATE TABLE defaults (id int4 primary key, n int4 default 7, t text default 'x' || 'y', u varchar(3) unique, g int4 generated always as (n * 2) stored);
"""


def fill(world: World) -> None:
    """The same rows every time."""
    rng = random.Random(7)
    world.load(
        "dept",
        [("1", "sales", "1000.50"), ("2", "dev", "20000.00"), ("3", "ops", None), ("4", "empty", "0.00")],
    )
    emps = []
    for i in range(1, 31):
        emps.append(
            (
                str(i), f"emp{i}", str(rng.choice([1, 2, 3])) if i % 10 else None, str(i // 3) if i > 2 else None,
                f"{rng.randint(1000, 9000)}.{rng.randint(0, 99):02d}" if i % 7 else None, f"20{rng.randint(10, 20)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
                str(rng.randint(1, 100) / 8), f"note {i % 5}" if i % 4 else None, f"c{i % 3}",
            )
        )  # fmt: skip
    world.load("emp", emps)
    world.load("nums", [
        ("1", "10", "3", "1.10", "1.5", "0.5"), ("2", "9000000000", "4", "1.1", "2.5", "1.5"), ("-3", "-7", "-5", "100.000", "-0.25", "2"),
        (None, None, None, None, None, None), ("2", "20", "3", "NaN", "NaN", "3"), ("7", "0", "0", "-2.55", "Infinity", "-1"),
    ])  # fmt: skip
    world.load("ev", [
        ("2020-01-01 10:00:00", "2020-01-01 10:00:00+00", "a", "1 day", "{x,y}", '{"k": 1}', "t"),
        ("2020-02-01 11:30:00.5", "2020-02-01 11:30:00+00", "b", "2 hours", "{}", '{"k": 2, "l": [1, 2]}', "f"),
        ("2020-02-15 00:00:00", None, "a", None, None, None, None),
        ("2021-03-01 23:59:59", "2021-03-01 23:59:59+00", None, "1 mon", "{y,z,NULL}", "[1, 2]", "t"),
    ])  # fmt: skip
    world.load("pair", [("1", "x", "10"), ("1", "y", "20"), ("2", "x", "30"), ("2", "z", None)])
