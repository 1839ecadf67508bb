"""When the loop looks for the next message instead of sleeping: the clock, the loop and the kernel are this test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pgwire.wakefulness import ASK_S, REST_MAX_S, REST_S, STAY_S, Wakefulness, stay_awake
from tests.pgwire.live import Client, LiveServer

SOON_S = STAY_S / 4


class World:
    """What a loop would do, a turn at a time."""

    def __init__(self, stay_s: float = STAY_S) -> None:
        self.now_s, self.delay_s = 100.0, 0.0
        self.waiting: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.wakefulness = Wakefulness(
            lambda call, *given: self.waiting.append((call, given)),
            lambda: self.delay_s,
            stay_s,
            monotonic_s=lambda: self.now_s,
        )

    def hear(self, after_s: float) -> None:
        self.now_s += after_s
        self.wakefulness.heard += 1
        if not self.wakefulness.awake:
            self.wakefulness.stir()

    def turns(self, count: int, each_s: float) -> None:
        for _ in range(count):
            self.now_s += each_s
            waiting, self.waiting = self.waiting, []
            for call, given in waiting:
                call(*given)

    @property
    def looks(self) -> bool:
        assert self.wakefulness.awake == bool(self.waiting)
        return self.wakefulness.awake


def test_two_messages_in_quick_succession_keep_it_awake_and_a_pause_lets_it_sleep() -> None:
    world = World()
    world.hear(1.0)
    assert not world.looks
    world.hear(SOON_S)
    assert world.looks
    for _ in range(50):  # much longer than it would stay without them
        world.turns(3, SOON_S / 4)
        world.hear(SOON_S / 4)
        assert world.looks and len(world.waiting) == 1
    world.turns(3, SOON_S)
    assert world.looks
    world.turns(2, SOON_S)
    assert not world.looks


def test_who_takes_his_time_is_not_waited_for() -> None:
    world = World()
    for _ in range(20):
        world.hear(2 * STAY_S)
        assert not world.looks


def test_the_time_of_a_commit_is_none_in_which_nothing_came() -> None:
    world = World()
    world.hear(1.0)
    world.hear(SOON_S)
    world.turns(1, SOON_S / 10)
    world.turns(1, 20 * STAY_S)  # the disk
    assert world.looks
    world.turns(1, SOON_S)
    assert world.looks


def busy(world: World, for_s: float, waiting: float) -> None:
    """Messages in quick succession, for so long; of which it waits for a core."""
    end_s = world.now_s + for_s
    while world.now_s < end_s:
        world.hear(SOON_S)
        world.delay_s += waiting * SOON_S
        world.turns(1, SOON_S / 10)


def test_a_core_that_others_want_is_left_to_them_for_longer_each_time() -> None:
    world = World()
    for rest_s in (REST_S, 2 * REST_S, 4 * REST_S):
        busy(world, 2 * ASK_S, 0.5)
        assert not world.looks
        busy(world, 0.9 * rest_s - 2 * ASK_S, 0.0)
        assert not world.looks
        busy(world, 0.2 * rest_s, 0.0)
        assert world.looks


def test_after_a_time_without_others_rests_are_short_again() -> None:
    world = World()
    for _ in range(3):
        busy(world, 2 * ASK_S, 0.5)
        world.now_s += REST_MAX_S
    busy(world, 17 * REST_S, 0.0)
    assert world.looks
    busy(world, 2 * ASK_S, 0.5)
    assert not world.looks
    busy(world, 1.1 * REST_S, 0.0)
    assert world.looks


def test_others_are_noticed_though_it_is_never_awake_for_long() -> None:
    world = World()
    for _ in range(200):
        world.hear(2 * STAY_S)
        world.hear(SOON_S)
        world.turns(6, SOON_S)
        world.delay_s += STAY_S
    world.hear(2 * STAY_S)
    world.hear(SOON_S)
    assert not world.looks


def test_who_waits_for_a_core_now_and_then_is_in_nobodys_way() -> None:
    world = World()
    busy(world, 100 * ASK_S, 0.05)
    assert world.looks


def test_where_it_is_turned_off_nobody_looks() -> None:
    world = World(0.0)
    world.hear(1.0)
    world.hear(SOON_S)
    assert world.wakefulness.awake and not world.waiting  # so that nobody asks


def test_a_real_loop_falls_asleep() -> None:
    async def run() -> None:
        wakefulness = stay_awake(asyncio.get_running_loop().call_soon, STAY_S)
        wakefulness.heard += 2
        if not wakefulness.awake:  # more than one core
            wakefulness.stir()
            wakefulness.stir()
            while wakefulness.awake:
                await asyncio.sleep(0)

    asyncio.run(run())


def test_a_server_hears_every_message_of_its_clients() -> None:
    with LiveServer() as live, Client(live.port) as client:
        client.startup()
        client.until_ready()
        for n in range(3):
            client.query("SELECT 1")
            assert live.server is not None and live.server.wakefulness.heard == n + 1
