"""Keys that transactions bring: held by one, awaited by others, handed on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.txn.test_locks import Timers
from txn.abc import DeadlockDetected
from txn.held_keys import HELD_MAX, HeldKeys
from txn.locks import KeyLocks, LockMode


class Owner:
    """As much of a transaction as holding keys asks for."""

    def __init__(self, name: str) -> None:
        self.name, self.held = name, list[tuple[str, Any]]()

    def __repr__(self) -> str:
        return self.name


class Room:
    def __init__(self) -> None:
        self.locks = KeyLocks(Timers().call_later)
        self.keys = HeldKeys(self.locks)
        self.told: list[str] = []

    def brings(self, owner: Any, key: int) -> bool:
        """False: it waits, and tries again when it is told."""
        if self.keys.hold(owner, "t", key):
            return True

        def granted(error: Exception | None) -> None:
            assert error is None and self.brings(owner, key)
            self.told.append(f"{owner}{key}")

        assert self.locks.acquire(owner, "t", key, LockMode.UPDATE, granted) is not None
        return False

    @property
    def is_empty(self) -> bool:
        return not self.keys.spaces and not len(self.locks)


def test_who_brings_a_held_key_waits_and_then_holds_it() -> None:
    room, a, b, c = Room(), Owner("a"), Owner("b"), Owner("c")
    assert room.brings(a, 1) and room.brings(a, 1) and room.brings(b, 2)
    assert len(room.locks) == 0, "nobody waits, so there is no lock"
    assert not room.brings(b, 1)
    assert not room.brings(c, 1)
    room.keys.release(a)
    assert room.told == ["b1"]
    assert not room.keys.is_free(a, "t", 1)
    room.keys.release(b)
    assert room.told == ["b1", "c1"]
    assert room.brings(a, 2)
    for owner in (c, a):
        room.keys.release(owner)
    assert room.is_empty


def test_a_key_held_before_a_mark_stays_held_though_it_became_a_lock_after_it() -> None:
    room, a, b, c = Room(), Owner("a"), Owner("b"), Owner("c")
    assert room.brings(a, 1)
    marks = room.locks.mark(a), len(a.held)
    assert room.brings(a, 2)
    assert not room.brings(b, 1)
    assert not room.brings(c, 2)
    assert room.brings(a, 1) and room.brings(a, 2)
    room.keys.release(a, *marks)
    assert room.told == ["c2"]
    room.keys.release(a)
    assert room.told == ["c2", "b1"]
    for owner in (b, c):
        room.keys.release(owner)
    assert room.is_empty


def test_who_stops_waiting_leaves_nothing_behind() -> None:
    room, a, b = Room(), Owner("a"), Owner("b")
    assert room.brings(a, 1)
    assert not room.brings(b, 1)
    room.locks.cancel(b)
    room.keys.release(b)
    assert not room.keys.is_free(b, "t", 1)
    room.keys.release(a)
    assert room.keys.is_free(b, "t", 1)
    room.keys.release(b)
    assert room.is_empty


def test_circles_are_found() -> None:
    room, a, b = Room(), Owner("a"), Owner("b")
    assert room.brings(a, 1) and room.brings(b, 2)
    assert not room.brings(a, 2)
    with pytest.raises(DeadlockDetected):
        room.brings(b, 1)
    room.keys.release(b)
    assert room.told == ["a2"]
    room.keys.release(a)
    assert room.is_empty


def test_beyond_the_bound_keys_are_not_held() -> None:
    room, a, b = Room(), Owner("a"), Owner("b")
    for key in range(HELD_MAX + 10):
        assert room.brings(a, key)
    assert len(room.keys.spaces["t"]) == HELD_MAX
    assert room.brings(b, HELD_MAX) and not room.brings(b, HELD_MAX - 1)
    room.keys.release(a)
    room.keys.release(b)
    assert room.is_empty
