"""Which keys go by values: those made since this is known. Those of integers and texts cost what they did."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pytest

from executor.keyed.key_values import column_forms, primary_key_of, secondary_key_of
from executor.snapshot.runs import RunShape, build_run
from planner.abc import Table
from planner.catalog.codec import decode, encode
from tests.executor.sql import Failed, Server

ROWS = [("1.0", 1), ("1.00", 2), ("2", 3)]


def table_of(ddl: str) -> Table:
    async def run() -> Table:
        async with Server() as server:
            await server.client("a").query(ddl)
            catalog = server.client("a").session.catalog
            return next(t for t in catalog.objects(Table) if t.name == "t")

    return asyncio.run(run())


def as_before(table: Table) -> Table:
    """The table as a server wrote it that knew nothing of values."""
    oid, kind, payload = encode(table)
    fields = json.loads(payload)
    for constraint in fields["constraints"]:
        del constraint["by_value"]
    read = decode((oid, kind, json.dumps(fields)))
    assert isinstance(read, Table)
    return read


def run_keys(table: Table) -> list[object]:
    primary = table.primary_key
    assert primary is not None
    shape = RunShape((pa.string(), pa.int32()), table.key_indexes, (), column_forms(table, primary))
    rows = [r for i, r in enumerate(ROWS) if not primary.by_value or i != 1]
    columns = [pa.array([r[0] for r in rows]), pa.array([r[1] for r in rows], pa.int32())]
    run = build_run(shape, np.arange(len(rows)), columns, 1, 1)
    return [run.key_at(i) for i in range(run.size)]


def test_keys_made_before_go_on_as_they_were() -> None:
    table = table_of("create table t (r numeric primary key, v int)")
    before = as_before(table)
    assert before.primary_key != table.primary_key
    key, key_before = primary_key_of(table), primary_key_of(before)
    assert key is not None and key_before is not None
    assert [key(row) for row in ROWS] == ["1", "1", "2"]
    assert [key_before(row) for row in ROWS] == ["1.0", "1.00", "2"]
    assert run_keys(table) == ["1", "2"]
    assert run_keys(before) == ["1.0", "1.00", "2"]  # such a table opens, with all of its rows


@pytest.mark.parametrize(
    "kind", ["int", "bigint", "text", "uuid", "date", "timestamptz", "numeric(10, 2)", "char(3)"]
)
def test_most_keys_are_made_as_ever(kind: str) -> None:
    table = table_of(f"create table t (k {kind} primary key, v {kind} unique)")
    assert all(c.by_value for c in table.constraints if c.kind in "pu")
    assert isinstance(primary_key_of(table), itemgetter)
    assert all(isinstance(secondary_key_of(table, c), itemgetter) for c in table.constraints if c.kind == "u")


def test_a_null_is_no_key_but_where_nulls_are_not_distinct() -> None:
    table = table_of("create table t (i int, r numeric, unique (r), unique (i, r))")
    alone, both = (c for c in table.constraints if c.kind == "u")
    assert secondary_key_of(table, alone)((1, None)) is None
    assert secondary_key_of(table, both)((1, None)) is None
    assert secondary_key_of(table, both)((1, "2.50")) == (1, "2.5")
    assert secondary_key_of(table, dataclasses.replace(alone, nulls_not_distinct=True))((1, None)) == (None,)
    assert secondary_key_of(table, dataclasses.replace(both, nulls_not_distinct=True))((1, None)) == (1, None)


@pytest.mark.parametrize(
    "text",
    [
        "insert into t values ('NaN', 1)",
        "insert into t select 'NaN', g from generate_series(1, 60000) g",
        "update t set r = 'NaN'",
        "alter table u add primary key (r)",
        "create unique index on u (r)",
        "create unique index on u ((r * 2))",
        "alter table n alter r type float8",
    ],
)
def test_nan_is_refused_before_it_is_a_key_of_floating_point_numbers(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("create table t (r float8 unique, v int)")
            await a.query("create table u (r float4, v int)")
            await a.query("create table n (r numeric unique, v int)")
            for name in ("u", "n"):
                await a.query(f"insert into {name} values ('NaN', 1)")
            await a.query("insert into t values (5, 1)")
            with pytest.raises(Failed) as failed:
                await a.query(text)
            assert failed.value.sqlstate == "0A000"
            assert await a.rows("select count(*) from t") == [(1,)]
            await a.query("delete from u")
            await a.query("delete from n")

    asyncio.run(run())
