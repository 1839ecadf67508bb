"""Compaction changes no answer at or after since, keeps a shard small, and stops when there is nothing to do."""

from __future__ import annotations

import asyncio
import random

import pyarrow as pa
import pytest

from storage import gc
from storage.abc import Part, Row
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits, choose
from storage.parts import PartLimits, inline_deletes, inline_inserts
from storage.shard import LogLimits, Shard
from storage.shard.state import State, encode_state
from tests.storage.world import AB, World, contents

SMALL = CompactionLimits(
    inline_parts_max=4, inline_bytes_max=1000, fanout=3, full_bytes=3000, output_bytes_max=2000
)


@pytest.mark.parametrize("seed", range(6))
def test_every_time_at_or_after_since_reads_the_same_whatever_is_done(seed: int) -> None:
    """A random life of a shard beside a model that keeps every version of everything."""

    async def main() -> None:
        rng = random.Random(seed)
        world = World(rng=rng, part_limits=PartLimits(inline_bytes_max=300, row_group_rows=7))
        shard = await world.open(schema=AB)
        compactor = Compactor(shard, sort_by=("a",), limits=SMALL)
        live: dict[int, Row] = {}
        history: list[tuple[int, dict[int, Row]]] = []
        rid = ts = jobs = 0
        for _ in range(150):
            ts += rng.randint(1, 3)
            inserts: list[tuple[int, Row]] = [
                (rid + i, (rng.randint(0, 99), "x" * rng.randint(0, 20))) for i in range(rng.randint(0, 8))
            ]
            rid += len(inserts)
            deletes = rng.sample(sorted(live), min(len(live), rng.randint(0, 7)))
            live = {r: row for r, row in live.items() if r not in deletes} | dict(inserts)
            parts = [inline_inserts(inserts, ts)] if inserts else []
            parts += [inline_deletes(deletes, ts)] if deletes else []
            await shard.apply(parts, ts + 1)
            history.append((ts, live))
            if rng.random() < 0.3:
                await shard.allow_since(ts - rng.randint(0, 30))
            if rng.random() < 0.4:
                jobs += await compactor.run(3)
            if rng.random() < 0.1:
                world.clock.us += gc.GcLimits().grace_us
                await gc.collect(shard)
            as_of, expected = rng.choice([h for h in history if h[0] >= shard.since] or [history[-1]])
            assert await contents(shard, as_of) == expected
        assert jobs > 10
        await shard.allow_since(ts)
        await compactor.run()
        assert await contents(shard, ts) == live
        assert sum(p.row_count for _, p in shard.state.parts) < 3 * len(live) + 100

    asyncio.run(main())


def test_a_shard_of_very_many_small_commits_stays_small() -> None:
    """State, log and number of blobs are bounded however many commits there were.

    Scaled down from a million: the same numbers at two sizes, the second four times the first.
    """

    async def life(commits: int) -> dict[str, int]:
        world = World(part_limits=PartLimits(inline_bytes_max=1024))
        shard = await world.open(schema=AB)
        compactor = Compactor(shard, limits=CompactionLimits(inline_parts_max=16, inline_bytes_max=2048))
        largest_state = longest_log = 0
        for i in range(commits):
            # A counter: each commit replaces one row of five.
            parts = [inline_inserts([(i, (i, "row"))], i)]
            if i >= 5:
                parts.append(inline_deletes([i - 5], i))
            await shard.append(parts, i, i + 1)
            if i % 8 == 7:
                await shard.allow_since(i - 3)
                await compactor.run()
            if i % 64 == 63:
                world.clock.us += gc.GcLimits().grace_us
                await gc.collect(shard)
                largest_state = max(largest_state, len(encode_state(shard.state)))
                longest_log = max(longest_log, len(await world.consensus.scan("s", 1)))
        late = await world.open()
        assert set(await contents(late, commits - 1)) == set(range(commits - 5, commits))
        return {
            "state bytes": largest_state,
            "log entries": longest_log,
            "parts": len(shard.state.parts),
            "blobs": len(world.blob.blobs),
        }

    small, large = asyncio.run(life(500)), asyncio.run(life(2000))
    assert large["state bytes"] <= max(small["state bytes"] * 1.5, 4096)
    assert large["log entries"] <= LogLimits().rollup_entries + 2
    assert large["parts"] <= small["parts"] + 16
    assert large["blobs"] <= small["blobs"] + 8


def test_many_commits_applied_at_once_become_one_part() -> None:
    async def main() -> None:
        world = World()
        shard = await world.open(schema=AB)
        await shard.apply([inline_inserts([(i, (i, "x" * 50))], i) for i in range(5000)], 5000)
        ((_, part),) = shard.state.parts
        assert part.has_ts and (part.ts, part.ts_max) == (0, 4999)
        assert part.key is not None, "too large to stay in the log"
        assert len(await contents(shard, 2500)) == 2501

    asyncio.run(main())


def test_settled_parts_carry_no_times_and_are_sorted_as_asked() -> None:
    async def main() -> None:
        world = World()
        shard = await world.open(schema=AB)
        for i in range(8):
            await shard.append([inline_inserts([(i, (100 - i, "x"))], i)], i, i + 1)
        await shard.allow_since(5)
        await Compactor(shard, sort_by=("a",), limits=SMALL).run()
        settled, timed = sorted((p for _, p in shard.state.parts), key=lambda p: p.has_ts)
        assert not settled.has_ts and settled.ts == 5 and timed.has_ts
        assert (await shard.fetch(settled)).column("a").to_pylist() == [95, 96, 97, 98, 99, 100]
        assert (await shard.fetch(timed)).column("_ts").to_pylist() == [7, 6]

    asyncio.run(main())


def test_large_inputs_become_several_outputs_of_bounded_size() -> None:
    async def main() -> None:
        world = World(part_limits=PartLimits(inline_bytes_max=100, row_group_rows=50))
        shard = await world.open(schema=AB)
        for i in range(10):
            rows: list[tuple[int, Row]] = [(60 * i + j, (j, "x" * 10)) for j in range(60)]
            await shard.append([inline_inserts(rows, i)], i, i + 1)
        await shard.allow_since(9)
        limits = CompactionLimits(fanout=10, output_bytes_max=4000)
        assert await Compactor(shard, limits=limits).run(1) == 1
        assert 2 < len(shard.state.parts) < 10
        for _, part in shard.state.parts:
            assert (await shard.fetch(part)).nbytes <= 4000 + 50 * 40
        assert len(await contents(shard, 9)) == 600

    asyncio.run(main())


def test_deletions_of_rows_that_nobody_has_any_more_go() -> None:
    async def main() -> None:
        world = World()
        shard = await world.open(schema=AB)
        await shard.append([inline_inserts([(i, (i, "")) for i in range(20)], 0)], 0, 1)
        await shard.append([inline_deletes(list(range(20)), 1)], 1, 2)
        await shard.allow_since(1)
        await Compactor(shard, limits=SMALL).run()
        assert shard.state.parts == ()

    asyncio.run(main())


def test_what_changes_nothing_is_not_tried_for_ever() -> None:
    """Deletions that seem to hit a part and do not (their row ids only lie in its range)."""

    async def main() -> None:
        world = World(part_limits=PartLimits(inline_bytes_max=10))
        shard = await world.open(schema=AB)
        await shard.append([inline_inserts([(i, (i, "")) for i in range(0, 100, 2)], 0)], 0, 1)
        await shard.append([inline_inserts([(i, (i, "")) for i in range(1, 100, 2)], 1)], 1, 2)
        await shard.append([inline_deletes(list(range(1, 99, 2)), 2)], 2, 3)
        await shard.allow_since(2)
        compactor = Compactor(shard, limits=CompactionLimits(dead_fraction=0.2, input_bytes_max=1))
        runs = 0
        while compactor.due():
            await compactor.run()
            runs += 1
            assert runs < 10, "compaction does not come to rest"
        assert set(await contents(shard, 2)) == set(range(0, 100, 2)) | {99}

    asyncio.run(main())


def test_nothing_to_do() -> None:
    assert choose(State("s"), CompactionLimits()) is None
    one = Part("+", 10, 100, 5, key="s/w/1", rid_max=10)
    assert choose(State("s", since=9, upper=10, parts=((1, one),)), CompactionLimits()) is None


@pytest.mark.parametrize("sizes", [[1] * 8, [100_000] * 8, [1_000_000, *[100] * 8]], ids=str)
def test_a_tier_that_is_full_is_merged_with_all_that_is_smaller(sizes: list[int]) -> None:
    parts = tuple(
        [(i, Part("+", 10, size, 1, key=f"s/{i}", rid_min=i, rid_max=i)) for i, size in enumerate(sizes)]
    )
    job = choose(State("s", upper=2, parts=parts), CompactionLimits(fanout=8))
    assert job is not None
    assert len(job.inserts) == 8
    assert max(p.size_bytes for _, p in job.inserts) == min(sizes[-8:])


def test_compaction_rewrites_under_the_newest_schema() -> None:
    async def main() -> None:
        world = World()
        shard = await world.open(schema=AB)
        for i in range(3):
            await shard.append([inline_inserts([(i, (i, "x"))], i)], i, i + 1)
        await shard.register(pa.schema([("b", pa.string()), ("c", pa.float64())]))
        await shard.append([inline_inserts([(3, ("y", 1.5))], 3)], 3, 4)
        await shard.allow_since(3)
        await Compactor(shard, limits=SMALL).run()
        ((_, part),) = shard.state.parts
        assert part.schema_version == 2
        assert await contents(shard, 3) == {
            0: ("x", None), 1: ("x", None), 2: ("x", None), 3: ("y", 1.5)
        }  # fmt: skip

    asyncio.run(main())


@pytest.mark.parametrize("narrows", [False, True])
def test_dropped_columns_stay_until_nobody_reads_under_an_older_schema(narrows: bool) -> None:
    async def main() -> None:
        world = World()
        shard = await world.open(schema=AB)
        for i in range(5):
            await shard.append([inline_inserts([(i, (i, "x"))], i)], i, i + 1)
        await shard.register(pa.schema([("b", pa.string())]))
        await shard.append([inline_inserts([(5, ("y",))], 5)], 5, 6)
        await shard.register(pa.schema([("b", pa.string()), ("c", pa.int64())]))
        limits = CompactionLimits(inline_parts_max=2, fanout=2)
        for _ in range(4):  # what is kept in a file is kept by the next compaction, too
            assert await Compactor(shard, limits=limits, narrows=lambda since: narrows).run() > 0
            for upper in range(shard.upper, shard.upper + 3):
                await shard.append([inline_inserts([(upper, ("z", upper))], upper)], upper, upper + 1)
        assert await contents(shard, 5) == {i: ("x" if i < 5 else "y", None) for i in range(6)}
        was = {}
        for part in await shard.snapshot(5):
            rows = await shard.fetch(part, 5, AB)
            was |= dict(zip(rows["_rid"].to_pylist(), rows["a"].to_pylist(), strict=True))
        assert was == {i: None if narrows or i == 5 else i for i in range(6)}

    asyncio.run(main())


def test_two_compactors_at_once_do_no_harm() -> None:
    async def main() -> None:
        world = World(part_limits=PartLimits(inline_bytes_max=100))
        one = await world.open(schema=AB)
        for i in range(30):
            await one.append([inline_inserts([(i, (i, "x" * 30))], i)], i, i + 1)
        two: Shard = await world.open()
        await asyncio.gather(*(Compactor(s, limits=SMALL).run() for s in (one, two)))
        for shard in (one, two, await world.open()):
            assert len(await contents(shard, 29)) == 30
            assert len(await contents(shard, 14)) == 15

    asyncio.run(main())
