"""What the snapshot store's paths cost, one by one: `python bench/micro_snapshot.py [rows]`.

Prints nanoseconds per operation (or seconds for bulk work). Numbers are for comparing two versions of the
code on one quiet machine, nothing is asserted.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from executor.snapshot import HydrationSource, SnapshotLimits, SnapshotStore, TableImage
from planner.abc import Column, Constraint, Table, TypeRef
from planner.types import BPCHAR, INT4, INT8, TEXT

SAMPLES = 100_000


def accounts(shard: str, key: str = "int") -> Table:
    """pgbench_accounts, or the same keyed by text or by two columns."""
    kinds = {"int": (INT4, (1,)), "text": (TEXT, (1,)), "pair": (INT4, (1, 2))}
    first, positions = kinds[key]
    columns = (
        Column("aid", TypeRef(first), 1, not_null=True),
        Column("bid", TypeRef(INT4), 2),
        Column("abalance", TypeRef(INT8), 3),
        Column("filler", TypeRef(BPCHAR, 88), 4),
    )
    return Table(1, 1, "accounts", columns, (Constraint(2, "accounts_pkey", "p", positions),), shard)


def rows_of(count: int, key: str, step: int = 1) -> pa.Table:
    ids = np.arange(0, count * step, step)
    first = (
        pa.array(ids, pa.int32()) if key != "text" else pa.array([f"{i * 7919 % count:012d}" for i in ids])
    )
    return pa.table(
        {
            "aid": first,
            "bid": pa.array(ids % 100, pa.int32()),
            "abalance": pa.array(np.zeros(count, np.int64)),
            "filler": pa.array([" " * 84]).take(pa.array(np.zeros(count, np.int32))),
            "_rid": pa.array(np.arange(1, count + 1)),
        }
    )


def per_op(name: str, work: Callable[[Any], Any], items: Iterable[Any]) -> None:
    """Times one call per item, the loop's own cost included (about 30 ns)."""
    items = list(items)
    gc.collect()
    start = time.perf_counter()
    for item in items:
        work(item)
    print(f"{name:58}{(time.perf_counter() - start) / len(items) * 1e9:10.0f} ns")


class Watch:
    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *exc: object) -> None:
        print(f"{self.name:58}{time.perf_counter() - self.start:10.3f} s")


async def loaded(store: SnapshotStore, table: Table, rows: pa.Table) -> TableImage:
    async def opener() -> HydrationSource:
        async def parts() -> Any:
            for at in range(0, rows.num_rows, 1_000_000):
                yield "+", rows.slice(at, 1_000_000), 1

        return HydrationSource(1, parts())

    image = store.attach(table, opener)
    await image.hydrated()
    return image


async def memory(store: SnapshotStore) -> None:
    image = store.create(accounts("t0"), 0)
    rows = [(i, i % 100, 0, " " * 84) for i in range(SAMPLES)]
    per_op("put, new key", lambda r: image.put(r[0], r[0], r, 10), rows)
    per_op("put, known key", lambda r: image.put(r[0], r[0] + SAMPLES, r, 20), rows)
    per_op("get from memory, newest", lambda r: image.get(r[0], 20), rows)
    per_op("get from memory, one version back", lambda r: image.get(r[0], 10), rows)
    with Watch(f"flush of {2 * SAMPLES:,} operations to DuckDB"):
        await store.prepare_read(["t0"], 20)


async def runs(store: SnapshotStore, count: int, key: str) -> None:
    shard = f"t-{key}"
    data = rows_of(count, key, 1)
    with Watch(f"{key}: hydrate {count:,} rows"):
        image = await loaded(store, accounts(shard, key), data)
    run = image.runs[0]
    where = [random.randrange(count) for _ in range(SAMPLES)]
    keys = [run.key_at(i) for i in where]
    per_op(f"{key}: run.find", run.find, keys)
    per_op(f"{key}: get from a run", lambda k: image.get(k, 5), keys)
    per_op(f"{key}: get_columns from a run, one column", lambda k: image.get_columns(k, 5, (2,)), keys)
    per_op(
        f"{key}: scan of 100 rows",
        lambda i: list(zip(image.scan(run.key_at(i), None, 5), range(100), strict=False)),
        where[:300],
    )
    gone = [(k, e[0], e[1]) for k in dict.fromkeys(keys[:10_000]) if (e := image.get(k, 5)) is not None]
    per_op(
        f"{key}: newest, then put over a run",
        lambda e: image.newest(e[0]) and image.put(e[0], e[1] + count, e[2], 7),
        gone,
    )
    with Watch(f"{key}: flush of {len(gone):,} updates into {count:,} rows"):
        await store.prepare_read([shard], 7)
    with Watch(f"{key}: prepare a bulk of 1,000,000 rows"):
        more = image.prepare_bulk(rows_of(1_000_000, key, 1).drop_columns(["_rid"]), 1 << 40)
    with Watch(f"{key}: all their keys looked for"):
        print(len(image.conflicting_keys(more, 8)), "conflicts")


async def main(count: int) -> None:
    store = SnapshotStore(limits=SnapshotLimits(pending_max=1 << 30, versions_max=1 << 30))
    try:
        await memory(store)
        for key in ("int", "pair", "text"):
            await runs(store, count if key == "int" else count // 5, key)
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
