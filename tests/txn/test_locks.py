"""Key locks: order, compatibility, deadlocks, time-outs."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable

import pytest

from txn.abc import DeadlockDetected, LockNotAvailable
from txn.locks import KeyLocks, LockLimitExceeded, LockMode

KEY_SHARE, ROW_SHARE, SHARE, TABLE_UPDATE, TABLE_SHARE, NO_KEY_UPDATE, EXCLUSIVE, UPDATE = LockMode


class Timers:
    """`call_later` by hand."""

    def __init__(self) -> None:
        self.pending: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timers.One:
        one = (delay, callback)
        self.pending.append(one)
        return Timers.One(self, one)

    def fire(self) -> None:
        pending, self.pending = self.pending, []
        for _, callback in pending:
            callback()

    class One:
        def __init__(self, timers: Timers, one: tuple[float, Callable[[], None]]) -> None:
            self.timers, self.one = timers, one

        def cancel(self) -> None:
            if self.one in self.timers.pending:
                self.timers.pending.remove(self.one)


class Room:
    """Owners are letters; what they are told is written down."""

    def __init__(self, **kwargs: int) -> None:
        self.timers = Timers()
        self.locks = KeyLocks(self.timers.call_later, **kwargs)
        self.locks.in_turn = frozenset({"t"})
        self.told: list[str] = []

    def ask(
        self,
        owner: str,
        key: int,
        mode: LockMode = UPDATE,
        timeout_s: float | None = None,
        space: str = "t",
    ) -> bool:
        """True: granted at once."""

        def granted(error: Exception | None) -> None:
            self.told.append(f"{owner}{key}" if error is None else f"{owner}{key} {type(error).__name__}")

        return self.locks.acquire(owner, space, key, mode, granted, timeout_s=timeout_s) is None


# PostgreSQL's tables of conflicts between locks of tables and, in four of these modes, of rows: rows are held, columns are requested.
COMPATIBLE = {
    KEY_SHARE: (True, True, True, True, True, True, True, False),
    ROW_SHARE: (True, True, True, True, True, True, False, False),
    SHARE: (True, True, True, True, False, False, False, False),
    TABLE_UPDATE: (True, True, True, False, False, False, False, False),
    TABLE_SHARE: (True, True, False, False, True, False, False, False),
    NO_KEY_UPDATE: (True, True, False, False, False, False, False, False),
    EXCLUSIVE: (True, False, False, False, False, False, False, False),
    UPDATE: (False, False, False, False, False, False, False, False),
}


@pytest.mark.parametrize("held", list(LockMode))
@pytest.mark.parametrize("asked", list(LockMode))
def test_modes_are_compatible_as_in_postgresql(held: LockMode, asked: LockMode) -> None:
    room = Room()
    assert room.ask("A", 1, held)
    assert room.ask("B", 1, asked) is COMPATIBLE[held][asked]


@pytest.mark.parametrize("one", list(LockMode))
@pytest.mark.parametrize("other", list(LockMode))
def test_two_modes_together_exclude_what_either_excludes(one: LockMode, other: LockMode) -> None:
    both = one.together(other)
    assert both is other.together(one)
    for asked in LockMode:
        assert COMPATIBLE[both][asked] is (COMPATIBLE[one][asked] and COMPATIBLE[other][asked])


def test_first_come_first_served() -> None:
    room = Room()
    assert room.ask("A", 1)
    for owner in "BCD":
        assert not room.ask(owner, 1)
    for owner in "ABC":
        room.locks.release_all(owner)
    assert room.told == ["B1", "C1", "D1"]


def test_readers_do_not_overtake_a_waiting_writer() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE)
    assert not room.ask("B", 1, UPDATE)
    assert not room.ask("C", 1, SHARE), "it would fit with A, but B came first"
    room.locks.release_all("A")
    assert room.told == ["B1"]
    room.locks.release_all("B")
    assert room.told == ["B1", "C1"]


def test_who_keeps_nobody_waiting_does_not_wait_behind_them() -> None:
    """A child's look for its parent, beside those who queue to change the parent's other columns."""
    room = Room()
    assert room.ask("a", 7, NO_KEY_UPDATE)
    assert not room.ask("b", 7, NO_KEY_UPDATE)
    assert room.locks.would_grant("c", "t", 7, KEY_SHARE)
    assert room.ask("c", 7, KEY_SHARE)
    assert not room.locks.would_grant("d", "t", 7, SHARE)
    assert not room.ask("e", 7, UPDATE)
    assert not room.ask("f", 7, KEY_SHARE)  # now it would keep e waiting
    room.locks.release_all("a")
    assert room.told == ["b7"]
    room.locks.release_all("b")
    room.locks.release_all("c")
    assert room.told == ["b7", "e7"]


def test_rows_are_shared_past_who_waits_for_them() -> None:
    """In a space without turns: B waits for all who have the row, however late they came."""
    room = Room()
    assert room.ask("A", 1, SHARE, space="rows")
    assert not room.ask("B", 1, UPDATE, space="rows")
    assert room.locks.would_grant("C", "rows", 1, SHARE)
    assert room.ask("C", 1, SHARE, space="rows")
    assert not room.ask("D", 1, NO_KEY_UPDATE, space="rows")
    room.locks.release_all("A")
    assert room.told == []
    room.locks.release_all("C")
    assert room.told == ["B1"]
    assert not room.ask("E", 1, SHARE, space="rows"), "it does not go with B, and so comes after D"
    room.locks.release_all("B")
    assert room.told == ["B1", "D1"]
    room.locks.release_all("D")
    assert room.told == ["B1", "D1", "E1"]


def test_who_has_passed_by_is_found_in_a_circle() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE, space="rows") and room.ask("B", 2, space="rows")
    assert not room.ask("B", 1, UPDATE, space="rows")
    assert room.ask("C", 1, SHARE, space="rows")
    with pytest.raises(DeadlockDetected):
        room.ask("C", 2, space="rows")


def test_those_that_go_together_are_granted_together() -> None:
    room = Room()
    assert room.ask("A", 1)
    for owner, mode in (("B", SHARE), ("C", SHARE), ("D", UPDATE), ("E", SHARE)):
        assert not room.ask(owner, 1, mode)
    room.locks.release_all("A")
    assert room.told == ["B1", "C1"]


def test_an_owner_may_ask_again_and_for_more() -> None:
    room = Room()
    assert room.ask("A", 1, KEY_SHARE)
    assert room.ask("A", 1, UPDATE)
    assert room.ask("A", 1, SHARE)
    assert room.locks.holds("A", "t", 1) is UPDATE
    room.locks.release_all("A")
    assert len(room.locks) == 0


def test_strengthening_goes_to_the_front_of_the_queue() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE) and room.ask("B", 1, SHARE)
    assert not room.ask("C", 1, UPDATE)
    assert not room.ask("A", 1, UPDATE)
    room.locks.release_all("B")
    assert room.told == ["A1"]


def test_two_that_strengthen_are_a_deadlock() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE) and room.ask("B", 1, SHARE)
    assert not room.ask("A", 1, UPDATE)
    with pytest.raises(DeadlockDetected):
        room.ask("B", 1, UPDATE)
    room.locks.release_all("B")
    assert room.told == ["A1"]


@pytest.mark.parametrize("length", [2, 3, 10])
def test_a_cycle_of_waits_fails_for_who_closes_it(length: int) -> None:
    room = Room()
    owners = [f"o{i}" for i in range(length)]
    for i, owner in enumerate(owners):
        assert room.ask(owner, i)
    for i, owner in enumerate(owners[:-1]):
        assert not room.ask(owner, i + 1)
    with pytest.raises(DeadlockDetected) as caught:
        room.ask(owners[-1], 0)
    assert len(caught.value.detail.splitlines()) == length, "each wait of the cycle is told"
    # The others are served as soon as the victim lets go.
    room.locks.release_all(owners[-1])
    assert room.told == [f"{owners[-2]}{length - 1}"]


def test_waiting_behind_a_waiter_counts_as_a_wait() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE) and room.ask("B", 2)
    assert not room.ask("B", 1, UPDATE)
    assert not room.ask("C", 1, SHARE), "behind B"
    with pytest.raises(DeadlockDetected):
        room.ask("A", 2)


def test_a_circle_through_two_owners_of_one_party_is_a_deadlock() -> None:
    class Owner(str):
        """A letter that waits and is waited for in another's name."""

        party = "session"

    room = Room()
    assert room.ask(Owner("a"), 1) and room.ask("b", 2)
    assert not room.ask("b", 1)
    with pytest.raises(DeadlockDetected):
        room.ask(Owner("c"), 2)


def test_a_long_queue_is_no_deadlock() -> None:
    room = Room()
    assert room.ask("A", 1)
    for i in range(100):
        assert not room.ask(f"w{i}", 1)
    assert room.locks.waiting_count == 100


def test_lock_timeout() -> None:
    room = Room()
    assert room.ask("A", 1)
    assert not room.ask("B", 1, timeout_s=1.0)
    assert not room.ask("C", 1)
    room.timers.fire()
    assert room.told == ["B1 LockNotAvailable"]
    room.locks.release_all("A")
    assert room.told == ["B1 LockNotAvailable", "C1"]
    assert not room.timers.pending


def test_a_granted_lock_does_not_time_out() -> None:
    room = Room()
    assert room.ask("A", 1)
    assert not room.ask("B", 1, timeout_s=1.0)
    room.locks.release_all("A")
    room.timers.fire()
    assert room.told == ["B1"]


def test_a_timed_out_writer_lets_those_behind_it_through() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE)
    assert not room.ask("B", 1, UPDATE, timeout_s=1.0)
    assert not room.ask("C", 1, SHARE)
    room.timers.fire()
    assert room.told == ["C1", "B1 LockNotAvailable"]


def test_nowait_and_skip_locked_ask_without_waiting() -> None:
    room = Room()
    assert room.locks.try_acquire("A", "t", 1)
    assert not room.locks.try_acquire("B", "t", 1)
    assert room.locks.try_acquire("B", "t", 2)
    assert not room.locks.is_free("t", 1) and room.locks.is_free("t", 3)
    assert room.locks.waiting_count == 0


def test_rollback_to_a_savepoint_lets_go_of_what_came_after_it() -> None:
    room = Room()
    assert room.ask("A", 1, SHARE)
    mark = room.locks.mark("A")
    assert room.ask("A", 1, UPDATE) and room.ask("A", 2)
    assert not room.ask("B", 1, SHARE)
    assert not room.ask("C", 2)
    room.locks.release_to("A", mark)
    assert room.told == ["C2", "B1"]
    assert room.locks.holds("A", "t", 1) is SHARE


def test_a_cancelled_statement_leaves_the_queue() -> None:
    async def scenario() -> list[bool]:
        locks = KeyLocks(asyncio.get_running_loop().call_later)
        assert not await locks.lock("A", "t", 1)
        waiting = asyncio.ensure_future(locks.lock("B", "t", 1))
        last = asyncio.ensure_future(locks.lock("C", "t", 1))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        locks.release_all("A")
        return [await last, waiting.cancelled()]

    assert asyncio.run(scenario()) == [True, True]


def test_as_a_coroutine_it_raises_what_happened() -> None:
    async def scenario() -> None:
        locks = KeyLocks(asyncio.get_running_loop().call_later)
        await locks.lock("A", "t", 1)
        with pytest.raises(LockNotAvailable):
            await locks.lock("B", "t", 1, timeout_s=0.001)

    asyncio.run(scenario())


def test_the_number_of_locks_is_bounded() -> None:
    room = Room(locks_max=2)
    assert room.ask("A", 1) and room.ask("A", 2)
    with pytest.raises(LockLimitExceeded):
        room.ask("A", 3)


def test_a_set_that_was_locked_behind_a_savepoint_goes_with_it() -> None:
    """Else it would hold keys of the next one's set for ever: who has them and waits for them would never get on."""
    locks = Room().locks

    def some(key: object) -> bool:
        return key in (1, 2)

    locks.try_acquire("a", "t", 7)
    mark = locks.mark("a")
    assert locks.try_acquire_set("a", "t", some, UPDATE) is None
    assert not locks.try_acquire("c", "t", 1), "it is in the set"
    locks.release_to("a", mark)
    assert locks.held_by("a") == [("t", 7)] and not locks.has_sets("t")
    assert locks.try_acquire_set("b", "t", some, UPDATE) is None
    assert not locks.try_acquire("c", "t", 1)
    assert locks.holds("a", "t", 1) is None and locks.holds("b", "t", 1) is UPDATE
    assert locks.try_acquire_set("b", "t", some, UPDATE) is None, "it has them all"
    locks.release_all("b")
    locks.release_all("a")
    assert locks.try_acquire("c", "t", 1) and not locks.has_sets("t")


def test_a_set_that_was_locked_before_a_savepoint_stays() -> None:
    room = Room()
    locks = room.locks
    assert locks.try_acquire_set("a", "t", lambda key: key in (1, 2), UPDATE) is None
    mark = locks.mark("a")
    assert locks.try_acquire_set("a", "t", lambda key: key == 3, UPDATE) is None
    assert not room.ask("b", 3)
    locks.release_to("a", mark)
    assert room.told == ["b3"], "who waited for a key of the later one has it now"
    assert not locks.try_acquire("c", "t", 2)
    locks.release_all("a")
    assert locks.try_acquire("c", "t", 2)


def test_a_key_of_a_set_that_stays_is_not_let_go_by_rollback_to() -> None:
    """It was asked for behind the savepoint. Who got it then would hold it beside the set's owner, for ever in its way."""
    room = Room()
    locks = room.locks
    assert locks.try_acquire_set("a", "t", lambda key: key in (1, 2), NO_KEY_UPDATE) is None
    mark = locks.mark("a")
    assert not room.ask("b", 1)
    for _ in range(2):
        locks.release_to("a", mark)
        assert room.told == [] and locks.holds("a", "t", 1) is NO_KEY_UPDATE
    assert locks.try_acquire_set("a", "t", lambda key: key in (1, 2), NO_KEY_UPDATE) is None
    locks.release_all("a")
    assert room.told == ["b1"]
    locks.release_all("b")
    assert not len(locks)


def test_a_set_makes_locks_stronger_that_its_owner_has() -> None:
    room = Room()
    locks = room.locks
    assert room.ask("a", 1, KEY_SHARE)
    assert locks.try_acquire_set("a", "t", lambda key: key == 1, UPDATE) is None
    assert not locks.try_acquire("b", "t", 1, KEY_SHARE)
    locks.release_all("a")
    assert locks.try_acquire("b", "t", 1, KEY_SHARE)


def test_a_set_that_comes_to_say_more_takes_nobody_a_key_away() -> None:
    room = Room()
    locks = room.locks
    keys = {1}
    assert room.ask("b", 2)
    assert locks.try_acquire_set("a", "t", keys.__contains__, UPDATE) is None
    keys.add(2)
    assert not room.ask("c", 2)
    assert locks.holds("a", "t", 2) is None and locks.holds("b", "t", 2) is UPDATE
    assert locks.try_acquire_set("a", "t", keys.__contains__, UPDATE) == 2
    assert not room.ask("a", 2)
    locks.release_all("b")
    assert room.told == ["c2"], "who asked for it first"
    locks.release_all("c")
    assert room.told == ["c2", "a2"]


TABLE = 99
"""Stands for all keys: there is one set at a time."""


@pytest.mark.parametrize("seed", range(100))
def test_no_key_has_two_holders_that_exclude_each_other(seed: int) -> None:
    rng = random.Random(seed)
    room = Room()
    locks = room.locks
    owners = "abcd"
    marks: dict[str, list[int]] = {o: [] for o in owners}
    for _ in range(80):
        owner = rng.choice(owners)
        waits = bool(locks.blockers(owner))
        match rng.randrange(6):
            case 0 | 1 if not waits:
                key = rng.randrange(4)
                with contextlib.suppress(DeadlockDetected):
                    room.ask(owner, key, rng.choice(list(LockMode)).together(locks.holds(owner, "t", key)))
            case 2 if not waits:
                keys = frozenset(rng.sample(range(4), 2))
                mode = rng.choice([NO_KEY_UPDATE, UPDATE])
                with contextlib.suppress(DeadlockDetected):
                    if locks.holds(owner, "t", TABLE) is UPDATE or room.ask(owner, TABLE):
                        locks.try_acquire_set(owner, "t", keys.__contains__, mode)
            case 3 if not waits:
                marks[owner].append(locks.mark(owner))
            case 4 if marks[owner]:
                locks.cancel(owner)
                del marks[owner][rng.randrange(len(marks[owner])) + 1 :]
                locks.release_to(owner, marks[owner][-1])
            case 5 if rng.random() < 0.3:
                locks.release_all(owner)
                marks[owner].clear()
        held: dict[object, list[LockMode]] = {}
        for key, _, mode, granted in locks.listing("t"):
            if granted:
                held.setdefault(key, []).append(mode)
        for modes in held.values():
            assert all(COMPATIBLE[a][b] for i, a in enumerate(modes) for b in modes[:i]), held
        waiting = {o: set(locks.blockers(o)) for o in owners if locks.blockers(o)}
        assert len(waiting) == locks.waiting_count, "nobody waits for nobody"
        while waiting:  # there is always one who waits for somebody that does not
            free = [o for o, others in waiting.items() if not others & waiting.keys()]
            assert free, f"a circle: {waiting}"
            for o in free:
                del waiting[o]
    for owner in owners:
        locks.release_all(owner)
    assert not len(locks) and not locks.waiting_count and not locks.awaited_count


def test_a_row_that_gets_another_id_is_locked_under_both() -> None:
    room = Room()
    locks = room.locks
    assert room.ask("a", 4, KEY_SHARE) and room.ask("b", 4, NO_KEY_UPDATE)
    locks.rename("t", 4, 90)
    locks.rename("t", 90, 91)
    locks.release_all("b")
    assert not room.ask("c", 91) and not locks.is_free("t", 90)
    assert locks.holders("t", 91) == [("a", KEY_SHARE)] and locks.holds("a", "t", 90) is KEY_SHARE
    assert not locks.try_acquire("d", "t", 4, KEY_SHARE), (
        "who comes by an older snapshot queues with the others"
    )
    locks.release_all("a")
    assert room.told == ["c91"] and locks.holds("c", "t", 91) is UPDATE
    locks.release_all("c")
    assert locks.try_acquire("d", "t", 91) and locks.try_acquire("e", "t", 4), "names end with their lock"


def test_a_further_name_ends_with_what_was_locked_behind_a_savepoint() -> None:
    locks = Room().locks
    locks.try_acquire("a", "t", 1)
    mark = locks.mark("a")
    locks.try_acquire("a", "t", 4)
    locks.rename("t", 1, 10)
    locks.rename("t", 4, 40)
    locks.release_to("a", mark)
    assert locks.try_acquire("b", "t", 40) and not locks.try_acquire("b", "t", 10)
    locks.weaken("a", "t", 10, None)
    assert locks.try_acquire("b", "t", 10) and locks.try_acquire("c", "t", 1)


def test_many_locks_are_let_go_at_once_and_who_waits_for_one_has_it() -> None:
    room = Room()
    locks = room.locks
    for key in range(50_000):  # looked through for each of them it would take minutes
        assert locks.try_acquire("a", "t", key)
    waits = room.ask("b", 7)
    assert not waits
    locks.let_go("a", [("t", key) for key in range(49_999)] + [("t", -1), ("t", 7)])
    assert locks.holds("b", "t", 7) is not None and locks.holds("a", "t", 7) is None
    assert locks.try_acquire("c", "t", 48_000) and not locks.try_acquire("c", "t", 49_999)
    locks.let_go("a", [("t", 49_999)])
    assert locks.try_acquire("c", "t", 49_999)
    locks.let_go("a", [("t", 1)])


def test_a_row_that_nobody_has_locked_needs_no_further_name() -> None:
    locks = Room().locks
    locks.rename("t", 4, 90)
    assert locks.name("t", 90) == 90


def test_rows_of_a_set_get_other_ids_be_they_locked_before_or_behind() -> None:
    room = Room()
    locks = room.locks
    assert room.ask("b", 1, KEY_SHARE)
    assert locks.try_acquire_set("a", "t", lambda key: key in (1, 2, 3), NO_KEY_UPDATE) is None
    locks.rename_set("a", "t", lambda key: int(str(key)) + 10)
    assert locks.try_acquire_set("a", "t", lambda key: key in (11, 12, 13), NO_KEY_UPDATE) is None
    locks.rename_set("a", "t", lambda key: int(str(key)) + 10)
    assert room.ask("c", 2, KEY_SHARE)
    locks.release_all("a")
    assert not room.ask("d", 21) and not room.ask("e", 22) and room.ask("f", 23)
    locks.release_all("b")
    locks.release_all("c")
    assert room.told == ["d21", "e22"]
    for owner in "def":
        locks.release_all(owner)
    assert not len(locks)


def test_who_waits_for_his_turn_alone_is_let_pass_before_anybody_fails() -> None:
    """a, who keeps b waiting, waits for c, who is only behind b."""
    room = Room()
    assert room.ask("a", 1, KEY_SHARE) and room.ask("c", 2)
    assert not room.ask("b", 1) and not room.ask("c", 1, KEY_SHARE)
    assert not room.ask("a", 2)
    assert room.told == [], "nobody hears of it within another's request"
    room.timers.fire()
    assert room.told == ["c1"]
    room.locks.release_all("c")
    assert room.told == ["c1", "a2"]
    room.locks.release_all("a")
    assert room.told == ["c1", "a2", "b1"]


def test_who_closes_a_circle_in_a_queue_alone_goes_on_at_once() -> None:
    room = Room()
    assert room.ask("a", 1, KEY_SHARE) and room.ask("c", 2)
    assert not room.ask("b", 1) and not room.ask("a", 2)
    assert room.ask("c", 1, KEY_SHARE)
    room.locks.release_all("c")
    assert room.told == ["a2"]


def test_a_circle_of_holders_is_a_deadlock_all_the_same() -> None:
    room = Room()
    assert room.ask("a", 1, KEY_SHARE) and room.ask("c", 2)
    assert not room.ask("b", 1) and not room.ask("a", 2)
    with pytest.raises(DeadlockDetected):
        room.ask("c", 1)


def test_who_was_let_pass_and_gave_up_before_he_heard_of_it_hears_nothing() -> None:
    room = Room()
    assert room.ask("a", 1, KEY_SHARE) and room.ask("c", 2)
    assert not room.ask("b", 1) and not room.ask("c", 1, KEY_SHARE) and not room.ask("a", 2)
    room.locks.cancel("c")
    room.timers.fire()
    assert room.told == []
    room.locks.release_all("c")
    assert room.told == ["a2"]
