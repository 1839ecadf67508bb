"""Blobs of tables that never came to be: found by listing, when they are old, and only if nothing names them."""

from __future__ import annotations

import asyncio

import pyarrow as pa

from storage.abc import Part
from storage.gc import GcLimits
from storage.parts import RID_FIELD, PartLimits
from tests.txn.clocks import SCHEMA, Stores
from txn.environment import Environment

AGED = GcLimits(orphan_age_us=1_000)
ROWS = pa.table(
    [pa.array([1, 2]), pa.array([10, 20]), pa.array(["x" * 100, "y" * 100])],
    schema=pa.schema([RID_FIELD, ("key", pa.int64()), ("value", pa.string())]),
)


async def opened(stores: Stores) -> Environment:
    return await Environment.open(
        blob=stores.blob,
        consensus=stores.consensus,
        clock=stores.clock,
        background=False,
        part_limits=PartLimits(inline_bytes_max=1),
    )


def test_what_a_transaction_staged_that_died_before_it_made_its_table_is_collected() -> None:
    async def scenario() -> None:
        stores = Stores()
        env = await opened(stores)
        await env.register({"t1": SCHEMA})
        part = await env.stage("t2", "+", ROWS)
        assert part.key is not None and part.key in stores.blob.blobs
        assert await env.upkeep.collect_strangers(AGED) == 0, "it is young: perhaps about to be committed"
        stores.clock.now += 10_000
        assert await env.upkeep.collect_strangers(AGED) == 1
        assert part.key not in stores.blob.blobs
        await env.close()

    asyncio.run(scenario())


def test_what_something_names_stays() -> None:
    async def scenario() -> None:
        stores = Stores()
        env = await opened(stores)
        await env.register({"t1": SCHEMA, "gone": SCHEMA})

        committed, uncommitted = await env.stage("t1", "+", ROWS), await env.stage("t2", "+", ROWS)
        dropped = await env.stage("gone", "+", ROWS)
        await commit(env, {"t1": committed, "gone": dropped})
        await env.forget("gone")
        transaction = env.begin()
        transaction.register("t2", SCHEMA)
        transaction.add_part("t2", uncommitted)
        stores.clock.now += 10_000
        assert await env.upkeep.collect_strangers(AGED) == 0
        await transaction.commit()
        assert await env.upkeep.collect_strangers(AGED) == 0
        assert {committed.key, uncommitted.key, dropped.key} <= set(stores.blob.blobs)
        await env.close()

    async def commit(env: Environment, parts: dict[str, Part]) -> None:
        transaction = env.begin()
        for shard, part in parts.items():
            transaction.add_part(shard, part)
        await transaction.commit()

    asyncio.run(scenario())
