"""Maintenance does what is due, and no I/O when nothing is; garbage collection hurts nobody who reads."""

from __future__ import annotations

import asyncio

import pytest

from storage import gc
from storage.abc import CorruptBlob
from storage.compaction_jobs import CompactionLimits
from storage.maintenance import Done, Maintenance
from storage.parts import PartLimits, inline_deletes, inline_inserts
from storage.shard import Shard
from tests.storage.world import AB, Script, World, contents

DAY_US = 24 * 60 * 60 * 1_000_000
FAR = CompactionLimits(inline_parts_max=4, fanout=4)


async def filled(world: World, commits: int = 8) -> Shard:
    shard = await world.open(schema=AB)
    for i in range(commits):
        await shard.append([inline_inserts([(i, (i, "x" * 30))], i)], i, i + 1)
    await shard.allow_since(commits - 1)
    return shard


def small_parts() -> World:
    return World(part_limits=PartLimits(inline_bytes_max=10))


def test_a_step_with_nothing_to_do_does_no_io() -> None:
    async def main() -> None:
        world = small_parts()
        shard = await filled(world)
        maintenance = Maintenance(shard, compaction=FAR)
        assert (await maintenance.step()).jobs == 1
        script = Script()
        world.fail(script)
        assert await maintenance.step() == Done()
        assert script.calls == 0

    asyncio.run(main())


def test_a_life_with_a_step_after_every_commit_leaves_nothing_behind() -> None:
    async def main() -> None:
        world = small_parts()
        shard = await world.open(schema=AB)

        async def nothing() -> list[str]:
            return []

        maintenance = Maintenance(shard, compaction=FAR, named_elsewhere=nothing)
        for i in range(100):
            parts = [inline_inserts([(i, (i, "x" * 30))], i)]
            await shard.append(parts + ([inline_deletes([i - 3], i)] if i >= 3 else []), i, i + 1)
            await shard.allow_since(i)
            await maintenance.step()
            world.clock.us += DAY_US // 50
        assert set(await contents(shard, 99)) == {97, 98, 99}
        world.clock.us += 2 * DAY_US
        await maintenance.step()
        named = {p.key for _, p in shard.state.parts} - {None}
        assert set(world.blob.blobs) <= named | {shard.state.rollup_key}
        assert len(named) < 15

    asyncio.run(main())


def test_staged_parts_are_orphans_only_when_old_and_named_nowhere() -> None:
    async def main() -> None:
        world = small_parts()
        shard = await filled(world)
        staged = [
            await shard.parts.write("s", "+", await shard.fetch(shard.state.parts[0][1])) for _ in "abc"
        ]
        keys = [part.key for part in staged]
        named_above = keys[0]
        assert named_above is not None

        async def above() -> list[str]:
            return [named_above]

        assert await gc.collect_orphans(shard, above) == 0, "they are young"
        world.clock.us += 2 * DAY_US
        await shard.append([staged[1].at(20)], shard.upper, 21)
        assert await gc.collect_orphans(shard, above) == 1
        assert set(keys) & set(world.blob.blobs) == set(keys[:2])

    asyncio.run(main())


def test_without_knowing_what_is_named_above_nothing_is_an_orphan() -> None:
    async def main() -> None:
        world = small_parts()
        shard = await filled(world)
        maintenance = Maintenance(shard)
        await world.blob.put("s/dead/1.parquet", b"x")
        world.clock.us += 3 * DAY_US
        assert (await maintenance.step()).orphans == 0
        assert "s/dead/1.parquet" in world.blob.blobs

    asyncio.run(main())


def test_a_reader_that_did_not_renew_loses_its_blobs_and_is_told_so() -> None:
    """The planted mistake: reading on without a lease. It must be an error, never a wrong answer."""

    async def main() -> None:
        world = small_parts()
        shard, reader = await filled(world), await world.open()
        await reader.lease("scan", DAY_US)
        parts = await reader.snapshot(7)
        await Maintenance(shard, compaction=FAR).step()
        world.clock.us += DAY_US // 2
        await shard.refresh()
        await Maintenance(shard).step()
        for part in parts:
            await reader.fetch(part)
        world.clock.us += DAY_US
        await Maintenance(shard).step()
        with pytest.raises(CorruptBlob, match="absent"):
            await reader.fetch(parts[0])

    asyncio.run(main())


def test_dropping_a_shard_leaves_nothing_of_it_and_can_be_interrupted() -> None:
    async def main() -> None:
        for fault in range(1, 40):
            world = small_parts()
            await filled(world)
            await world.open("s2", schema=AB)
            await world.blob.put("s2/w/other.parquet", b"x")
            script = Script({fault: RuntimeError("power cut")})
            world.fail(script)
            try:
                await gc.drop("s", world.blob, world.consensus)
            except RuntimeError:
                world.fail(None)
                if world.blob.blobs.keys() - {"s2/w/other.parquet"}:
                    assert "s" in await world.consensus.shards(), "else nobody would find it again"
                await gc.drop("s", world.blob, world.consensus)
            world.fail(None)
            assert set(world.blob.blobs) == {"s2/w/other.parquet"}
            assert await world.consensus.shards() == ["s2"]
            if script.calls < fault:
                return
        raise AssertionError("dropping does not end")

    asyncio.run(main())
