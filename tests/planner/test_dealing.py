"""Rows dealt out by columns go where `Router.leaf` says of each: kinds of keys, levels, NULLs, and values at the ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from planner import types as t
from planner.catalog import Catalog
from planner.dealing import first_outside, leaves
from planner.parse.statement import parse_statement
from planner.partitioning import Router, meets, router
from planner.plan_context import PlanContext
from planner.planner import Planner
from planner.relations import Table
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY

ROWS = 3_000
SEED = 15
EPOCH_2024 = 1_704_067_200_000_000
DAY = 86_400_000_000
ENDLESS = (-TIMESTAMP_INFINITY, TIMESTAMP_INFINITY)


def whole(bits: int) -> Callable[[random.Random], int]:
    ends = (0, -1, 1, 9, 10, 11, 99, 100, (1 << bits - 1) - 1, -(1 << bits - 1))
    return lambda rng: rng.choice((rng.choice(ends), rng.randrange(-20, 130), rng.getrandbits(bits - 1)))


def moment(rng: random.Random) -> int:
    edges = (EPOCH_2024, EPOCH_2024 - 1, EPOCH_2024 + 31 * DAY, EPOCH_2024 + 31 * DAY - 1, 0, *ENDLESS)
    return rng.choice((rng.choice(edges), EPOCH_2024 + rng.randrange(-50 * DAY, 50 * DAY)))


def day(rng: random.Random) -> int:
    at = moment(rng)
    return at // DAY if at not in ENDLESS else DATE_INFINITY if at > 0 else -DATE_INFINITY


def text(rng: random.Random) -> str:
    return rng.choice(
        (
            "",
            "a",
            "m",
            "mé",
            "z",
            "\U0001f600" * rng.randrange(9),
            "x" * rng.randrange(40),
            chr(rng.randrange(32, 9000)),
        )
    )


def uuid(rng: random.Random) -> str:
    digits = f"{rng.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


MADE: dict[str, Callable[[random.Random], Any]] = {
    "smallint": whole(16),
    "int": whole(32),
    "bigint": whole(64),
    "date": day,
    "time": lambda rng: rng.randrange(DAY),
    "timestamp": moment,
    "timestamptz": moment,
    "text": text,
    "varchar(99)": text,
    "char(3)": lambda rng: rng.choice(("a  ", "b  ", "mm ")),
    "boolean": lambda rng: rng.random() < 0.5,
    "uuid": uuid,
    "numeric": lambda rng: str(Decimal(rng.randrange(-50, 1500)) / 10),
    "float8": lambda rng: rng.choice((0.0, -0.0, float("nan"), float("inf"), rng.random() * 100)),
}
RANGES = ("FROM (MINVALUE) TO ({0})", "FROM ({0}) TO ({1})", "FROM ({1}) TO (MAXVALUE)")
EDGES = {
    **dict.fromkeys(("smallint", "int", "bigint", "numeric", "float8"), ("10", "100")),
    **dict.fromkeys(("date", "timestamp", "timestamptz"), ("'2024-01-01'", "'2024-02-01'")),
    **dict.fromkeys(("text", "varchar(99)"), ("'a'", "'m'")),
    "time": ("'08:00'", "'16:00'"),
}
HASHED = [k for k in MADE if k not in ("numeric", "float8")]


def world(*statements: str) -> Catalog:
    planner, catalog = Planner(), Catalog()
    for statement in statements:
        context = PlanContext(catalog, ("public",), user="tidewire")
        catalog = planner.bind_ddl(parse_statement(statement), context).catalog
    return catalog


def check(catalog: Catalog, kinds: tuple[str, ...]) -> None:
    table = catalog.resolve_relation("t", "", ("public",))
    assert isinstance(table, Table)
    way = router(catalog, table)
    rng = random.Random(SEED)
    rows = [[None if rng.random() < 0.05 else MADE[kind](rng) for kind in kinds] for _ in range(ROWS)]
    columns = {
        i: t.from_datums([row[i] for row in rows], way.table.columns[i].type) for i in range(len(kinds))
    }
    assert all(isinstance(c, pa.Array) for c in columns.values())
    found, which = leaves(way, columns)
    expected = [named(way.leaf(row)) for row in rows]
    assert [named(found[n]) for n in which.tolist()] == expected
    assert len(set(expected)) > 1
    for leaf in (to for to in found if not isinstance(to, Router)):
        assert leaf.partition is not None
        asked = [meets(leaf, test) for test in leaf.partition.tests]
        outside = [i for i, row in enumerate(rows) if not all(passes(row) for passes in asked)]
        assert first_outside(leaf, columns.__getitem__) == min(outside, default=None)
        mine = pa.array([i for i, name in enumerate(expected) if name == leaf.name])
        its = {i: column.take(mine) for i, column in columns.items()}
        assert first_outside(leaf, its.__getitem__) is None


def named(found: Table | Router) -> str:
    """A leaf by its name, the table that has none for a row by its own and a mark."""
    return f"{found.table.name}?" if isinstance(found, Router) else found.name


@pytest.mark.parametrize("kind", HASHED)
def test_hash(kind: str) -> None:
    parts = (
        f"CREATE TABLE t{i} PARTITION OF t FOR VALUES WITH (MODULUS 5, REMAINDER {i})" for i in (0, 1, 3, 4)
    )
    check(world(f"CREATE TABLE t (a {kind}) PARTITION BY HASH (a)", *parts), (kind,))


def test_hash_of_several_columns() -> None:
    parts = (f"CREATE TABLE t{i} PARTITION OF t FOR VALUES WITH (MODULUS 4, REMAINDER {i})" for i in range(4))
    kinds = ("int", "text", "timestamp")
    check(world("CREATE TABLE t (a int, b text, c timestamp) PARTITION BY HASH (c, a, b)", *parts), kinds)


@pytest.mark.parametrize("left", [(), (0,), (1,), (2,), (0, 2)])
@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize("kind", EDGES)
def test_range(kind: str, default: bool, left: tuple[int, ...]) -> None:
    parts = [
        f"CREATE TABLE t{i} PARTITION OF t FOR VALUES {bounds.format(*EDGES[kind])}"
        for i, bounds in enumerate(RANGES)
        if i not in left
    ]
    if default:
        parts.append("CREATE TABLE td PARTITION OF t DEFAULT")
    check(world(f"CREATE TABLE t (a {kind}) PARTITION BY RANGE (a)", *parts), (kind,))


def test_levels() -> None:
    catalog = world(
        "CREATE TABLE t (a text, b int, c date) PARTITION BY LIST (a)",
        "CREATE TABLE t1 PARTITION OF t FOR VALUES IN ('a', 'm', NULL) PARTITION BY RANGE (b, c)",
        "CREATE TABLE t11 PARTITION OF t1 FOR VALUES FROM (0, MINVALUE) TO (10, '2024-01-01')",
        "CREATE TABLE t12 PARTITION OF t1 FOR VALUES FROM (10, '2024-01-01') TO (MAXVALUE, MAXVALUE)",
        "CREATE TABLE t2 PARTITION OF t DEFAULT PARTITION BY HASH (c)",
        "CREATE TABLE t21 PARTITION OF t2 FOR VALUES WITH (MODULUS 2, REMAINDER 0) PARTITION BY RANGE (b)",
        "CREATE TABLE t211 PARTITION OF t21 FOR VALUES FROM (5) TO (50)",
        "CREATE TABLE t212 PARTITION OF t21 DEFAULT",
    )
    check(catalog, ("text", "int", "date"))
