"""A crash, a lost answer or a refusal at every single point of a shard's life loses and doubles nothing.

A scenario is run again and again; in the n-th run the n-th call to consensus or blob goes wrong
(before it was done, or after). Then the process is gone: another opens the shard, finds either
what was there before or what the command promised, finishes the work, and leaves no blob behind.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from storage import gc
from storage.abc import Indeterminate, StorageError
from storage.compaction import Compactor
from storage.compaction_jobs import CompactionLimits
from storage.parts import PartLimits, inline_deletes, inline_inserts
from storage.shard import LogLimits, Shard
from tests.storage.world import AB, Crash, Script, World, contents, lost, refused


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between retries take no time here."""
    sleep = asyncio.sleep

    async def nap(delay_s: float) -> None:
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", nap)


Scenario = Callable[[Shard], Awaitable[None]]

LIMITS = CompactionLimits(inline_parts_max=3, fanout=3)


async def prepared() -> tuple[World, dict[int, dict[int, Any]]]:
    """A shard with parts of all sorts, and what a read as of each time must say."""
    world = World(
        part_limits=PartLimits(inline_bytes_max=120),
        log_limits=LogLimits(rollup_entries=1000, inline_rollup_bytes_max=100),
    )
    shard = await world.open(schema=AB)
    rows = {rid: (rid, "x" * 20) for rid in range(1, 13)}
    for i in range(4):
        some = [(rid, rows[rid]) for rid in range(1 + 3 * i, 4 + 3 * i)]
        await shard.append([inline_inserts(some, 10 + i)], shard.upper, 11 + i)
    await shard.append([inline_deletes([2, 5], 14)], shard.upper, 15)
    await shard.append([inline_deletes([7], 16)], shard.upper, 17)
    await shard.allow_since(15)
    at15 = {rid: row for rid, row in rows.items() if rid not in (2, 5)}
    at16 = {rid: row for rid, row in at15.items() if rid != 7}
    return world, {15: at15, 16: at16}


async def compact(shard: Shard) -> None:
    await Compactor(shard, limits=LIMITS).run()


async def roll_up_twice(shard: Shard) -> None:
    await shard.log.roll_up()
    await shard.advance_upper(shard.upper + 1)
    await shard.log.roll_up()


async def compact_and_collect(shard: Shard) -> None:
    await compact(shard)
    await shard.log.roll_up()
    shard.log.clock.us += 48 * 3600 * 1_000_000  # type: ignore[attr-defined]
    await gc.collect(shard)
    await gc.collect_orphans(shard)


async def lease_and_move(shard: Shard) -> None:
    reader = await shard.lease("r", 1_000_000)
    await shard.hold("backup")
    await reader.renew(15)
    await reader.release()


SCENARIOS: list[Scenario] = [compact, roll_up_twice, compact_and_collect, lease_and_move]

FAULTS: dict[str, Callable[[], BaseException]] = {"crash": Crash, "lost": lost, "refused": refused}


async def check(world: World, expected: dict[int, dict[int, Any]]) -> None:
    """What any process finds, now and after everything was tidied up."""
    world.fail(None)
    shard = await world.open()
    for as_of, rows in expected.items():
        assert await contents(shard, as_of) == rows
    await compact(shard)
    await shard.log.roll_up()
    world.clock.us += 48 * 3600 * 1_000_000
    await gc.collect(shard)
    await gc.collect_orphans(shard)
    shard = await world.open()
    for as_of, rows in expected.items():
        assert await contents(shard, as_of) == rows
    named = {part.key for _, part in shard.state.parts if part.key is not None}
    assert shard.state.rollup_key is not None
    assert set(world.blob.blobs) == named | {shard.state.rollup_key}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_a_fault_at_every_call(scenario: Scenario, fault: str) -> None:
    async def run(n: int) -> bool:
        """Whether the scenario got as far as its n-th call."""
        world, expected = await prepared()
        shard = await world.open()
        script = Script({n: FAULTS[fault]()})
        world.fail(script)
        with contextlib.suppress(Crash, StorageError):
            await scenario(shard)
        await check(world, expected)
        return script.calls >= n

    n = 1
    while asyncio.run(run(n)):
        n += 1
        assert n < 300, "the scenario does not end"
    assert n > 4, "the scenario does nothing"


@pytest.mark.parametrize("fault", FAULTS)
def test_an_append_that_was_answered_is_there_and_one_that_was_not_is_whole_or_not_at_all(fault: str) -> None:
    async def run(n: int) -> bool:
        world, expected = await prepared()
        shard = await world.open()
        script = Script({n: FAULTS[fault]()})
        world.fail(script)
        new = {20 + i: (i, "y" * 20) for i in range(10)}  # two inline parts that become one Parquet part
        parts = [inline_inserts(list(new.items())[:5], 20), inline_inserts(list(new.items())[5:], 20)]
        answered = False
        try:
            await shard.append(parts, 17, 21)
            answered = True
        except (Crash, StorageError):
            pass
        world.fail(None)
        found = await world.open()
        if answered or found.upper == 21:
            expected[20] = expected[16] | new
        else:
            assert found.upper == 17
        await check(world, expected)
        return script.calls >= n

    n = 1
    while asyncio.run(run(n)):
        n += 1
        assert n < 100
    assert n > 3


@pytest.mark.parametrize("first", range(1, 8))
def test_lost_answers_one_after_the_other(first: int) -> None:
    """Retries that fail again, in every pattern of two and three: appended once, or not at all."""

    async def run(second: int, third: int) -> None:
        world, expected = await prepared()
        shard = await world.open()
        world.fail(Script({first: lost(), first + second: lost(), first + second + third: refused()}))
        try:
            await shard.append([inline_inserts([(50, (0, ""))], 20)], 17, 21)
        except StorageError as e:
            raise AssertionError(f"resolvable, and not resolved: {e}") from e
        world.fail(None)
        found = await world.open()
        assert found.upper == 21 and shard.state == found.state
        expected[20] = expected[16] | {50: (0, "")}
        await check(world, expected)

    for second in range(1, 5):
        for third in range(1, 5):
            asyncio.run(run(second, third))


def test_a_lost_answer_is_found_even_when_its_entry_is_truncated() -> None:
    """The state remembers the writer, so the log need not."""

    async def main() -> None:
        world, expected = await prepared()
        shard, other = await world.open(), await world.open()

        class Meanwhile(Script):
            async def after(self, op: str, shard_id: str) -> None:
                if op == "compare_and_append" and self.calls == 0:
                    self.calls = 1
                    world.fail(None)
                    await other.refresh()
                    await other.advance_upper(30)
                    await other.log.roll_up()
                    raise lost()

            async def before(self, op: str, shard_id: str) -> None:
                return

        world.fail(Meanwhile())
        await shard.append([inline_inserts([(50, (0, ""))], 20)], 17, 21)
        assert shard.upper == 30
        entries = await world.consensus.scan("s", 1)
        assert len(entries) == 1, "the entry in question is gone"
        expected[20] = expected[16] | {50: (0, "")}
        await check(world, expected)

    asyncio.run(main())


def test_an_append_that_never_arrived_is_not_found_when_others_took_its_place() -> None:
    async def main() -> None:
        world, expected = await prepared()
        shard, other = await world.open(), await world.open()

        class Meanwhile(Script):
            async def before(self, op: str, shard_id: str) -> None:
                if op == "compare_and_append" and self.calls == 0:
                    self.calls = 1
                    world.fail(None)
                    await other.append([inline_inserts([(60, (1, ""))], 20)], 17, 21)
                    await other.log.roll_up()
                    raise lost()

            async def after(self, op: str, shard_id: str) -> None:
                return

        world.fail(Meanwhile())
        applied = await shard.apply([inline_inserts([(60, (1, ""))], 20)], 21)
        assert not applied, "another process applied it"
        expected[20] = expected[16] | {60: (1, "")}
        await check(world, expected)

    asyncio.run(main())


def test_a_writer_that_was_forgotten_says_that_it_does_not_know() -> None:
    """Another clock runs an hour ahead, the log forgets us, our entry is truncated: no guess is made."""

    async def main() -> None:
        world, expected = await prepared()
        shard, other = await world.open(), await world.open()

        class Meanwhile(Script):
            async def after(self, op: str, shard_id: str) -> None:
                if op == "compare_and_append" and self.calls == 0:
                    self.calls = 1
                    world.fail(None)
                    world.clock.us += 2 * 3600 * 1_000_000
                    await other.advance_upper(30)
                    await other.log.roll_up()
                    raise lost()

            async def before(self, op: str, shard_id: str) -> None:
                return

        world.fail(Meanwhile())
        with pytest.raises(Indeterminate):
            await shard.append([inline_inserts([(50, (0, ""))], 20)], 17, 21)
        expected[20] = expected[16] | {50: (0, "")}
        await check(world, expected)

    asyncio.run(main())


def test_a_writer_that_was_forgotten_still_finds_its_entry_in_the_log() -> None:
    """As before, but nothing was truncated: the entry itself is the proof."""

    async def main() -> None:
        world, expected = await prepared()
        shard, other = await world.open(), await world.open()

        class Meanwhile(Script):
            async def after(self, op: str, shard_id: str) -> None:
                if op == "compare_and_append" and self.calls == 0:
                    self.calls = 1
                    world.fail(None)
                    world.clock.us += 2 * 3600 * 1_000_000
                    await other.advance_upper(30)
                    raise lost()

            async def before(self, op: str, shard_id: str) -> None:
                return

        world.fail(Meanwhile())
        await shard.append([inline_inserts([(50, (0, ""))], 20)], 17, 21)
        await shard.refresh()
        assert shard.upper == 30
        expected[20] = expected[16] | {50: (0, "")}
        await check(world, expected)

    asyncio.run(main())


def test_out_of_reach_for_good_is_indeterminate_and_the_handle_recovers() -> None:
    async def main() -> None:
        world, expected = await prepared()
        shard = await world.open()
        world.fail(Script({n: lost() for n in range(1, 1_000)}))
        with pytest.raises(StorageError):
            await shard.advance_upper(30)
        world.fail(None)
        await shard.advance_upper(31)
        assert shard.upper == 31
        await check(world, expected)

    asyncio.run(main())


def test_a_task_cancelled_at_any_await_leaves_a_handle_that_works() -> None:
    """The same handle goes on: it finds out by itself whether the cancelled append had happened."""

    async def run(steps: int) -> bool:
        world, expected = await prepared()
        shard = await world.open()
        world.fail(Script())  # awaits before and after every call
        new = {50: (0, "new")}
        append = asyncio.create_task(shard.append([inline_inserts(list(new.items()), 20)], 17, 21))
        for _ in range(steps):
            await asyncio.sleep(0)
        finished = append.done()
        append.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await append
        again = await shard.apply([inline_inserts(list(new.items()), 20)], 21)
        assert not (finished and again)
        await shard.append([inline_deletes([50], 22)], 21, 23)
        expected[20] = expected[16] | new
        expected[22] = expected[16]
        await check(world, expected)
        return not finished

    steps = 0
    while asyncio.run(run(steps)):
        steps += 1
        assert steps < 100
    assert steps > 2


def test_tasks_of_one_process_share_a_handle() -> None:
    """Appends, holds, schema changes and compaction from many tasks: each in its turn."""

    async def main() -> None:
        world, expected = await prepared()
        world.fail(Script())
        shard = await world.open()

        async def appending() -> None:
            for i in range(20):
                await shard.apply([inline_inserts([(100 + i, (i, "z"))], 30 + i)], 31 + i)

        async def holding(name: str) -> None:
            for _ in range(5):
                reader = await shard.lease(name, 1_000_000)
                await reader.renew()
                await reader.release()

        async def compacting() -> None:
            for _ in range(10):
                await compact(shard)
                await shard.refresh()

        await asyncio.gather(appending(), appending(), holding("a"), holding("b"), compacting())
        expected[49] = expected[16] | {100 + i: (i, "z") for i in range(20)}
        assert shard.state.leased == {}
        await check(world, expected)

    asyncio.run(main())


def test_a_caller_who_vouches_for_the_upper_still_sees_what_others_applied() -> None:
    async def main() -> None:
        world, expected = await prepared()
        stale, other = await world.open(), await world.open()
        await other.append([inline_inserts([(50, (0, ""))], 20)], 17, 21)
        rows = await stale.read(1_000, complete=True)
        assert set(rows.column("_rid").to_pylist()) == {*expected[16], 50}

    asyncio.run(main())
