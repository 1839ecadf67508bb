"""Answers inside of transactions go out together, in their order, and nobody waits who is alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pgwire.bundling import HELD_S, LONELY_MAX, REST_S, Bundling


class World:
    """A loop whose turns the test makes, its clock, and what was sent in which order."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.soon: list[Callable[[], None]] = []
        self.later: list[tuple[float, Callable[[], None]]] = []
        self.sent: list[tuple[str, bytes]] = []
        self.bundling = Bundling(
            self.soon.append,
            lambda delay_s, call: self.later.append((delay_s, call)),
            monotonic_s=lambda: self.now_s,
        )

    def turn(self) -> None:
        soon, self.soon[:] = self.soon[:], []
        for call in soon:
            call()


class Client:
    """As a connection does it (`pgwire.connection`)."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.write = self._transport_write

    def _transport_write(self, data: bytes) -> None:
        self.world.sent.append((self.name, data))

    def hold(self) -> None:
        self.write = self._write_behind

    def say(self, data: bytes) -> None:
        self.write = self._transport_write
        self.write(data)

    def _write_behind(self, data: bytes) -> None:
        self.world.bundling.send()
        self.write(data)


def add(client: Client, data: bytes) -> None:
    wire: Any = client
    client.world.bundling.add(wire, data)


def clients(count: int) -> tuple[World, list[Client]]:
    world = World()
    return world, [Client(world, chr(ord("a") + i)) for i in range(count)]


def test_a_turns_answers_are_sent_at_its_end_in_their_order() -> None:
    world, (a, b, c) = clients(3)
    for client in (b, a, c):
        add(client, b"1")
    assert not world.sent
    world.turn()
    assert world.sent == [("b", b"1"), ("a", b"1"), ("c", b"1")]
    assert not world.soon, "it is scheduled anew with the next answer"


def test_they_wait_for_a_few_short_statements_at_most() -> None:
    world, (a, b, c) = clients(3)
    add(a, b"1")
    world.now_s = HELD_S / 2
    add(b, b"1")
    assert not world.sent
    world.now_s = HELD_S
    add(c, b"1")
    assert [name for name, _ in world.sent] == ["a", "b", "c"]
    add(a, b"2")
    world.turn()
    assert world.sent[-1] == ("a", b"2")


def test_nothing_overtakes_what_is_held() -> None:
    world, (a, b) = clients(2)
    add(a, b"answer")
    add(b, b"answer")
    b.write(b"notification")
    assert world.sent == [("a", b"answer"), ("b", b"answer"), ("b", b"notification")]
    b.write(b"more")
    assert world.sent[-1] == ("b", b"more")
    world.turn()
    assert len(world.sent) == 4, "nothing is sent twice"


def test_an_append_finds_nothing_held() -> None:
    world, (a,) = clients(1)
    add(a, b"1")
    world.bundling.send()
    assert world.sent == [("a", b"1")]


@pytest.mark.parametrize("together", [1, 2])
def test_who_is_alone_is_not_held_for_a_while(together: int) -> None:
    world, some = clients(together)
    for _ in range(LONELY_MAX):
        assert world.bundling.holds
        for client in some:
            add(client, b"1")
        world.turn()
    if together > 1:
        assert world.bundling.holds and not world.later
        return
    assert not world.bundling.holds
    ((delay_s, again),) = world.later
    assert delay_s == REST_S
    again()
    assert world.bundling.holds


def test_company_in_between_counts() -> None:
    world, (a, b) = clients(2)
    for n in range(3 * LONELY_MAX):
        add(a, b"1")
        if n % LONELY_MAX == 1:
            add(b, b"1")
        world.turn()
    assert world.bundling.holds
