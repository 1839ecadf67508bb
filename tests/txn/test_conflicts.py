"""The conflict index against a list of all writes that anybody could understand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from txn.abc import TransactionExpired
from txn.conflicts import BLOCK, ConflictIndex

KEYS = st.tuples(st.integers(0, 3), st.integers(0, 3))
BOUNDS = st.none() | KEYS | st.tuples(st.integers(0, 3))
SPACES = st.sampled_from(["a", "b"])
STEPS = st.one_of(
    st.tuples(st.just("write"), SPACES, KEYS, st.integers(0, 2)),
    st.tuples(st.just("all"), SPACES, st.integers(0, 2)),
    st.tuples(st.just("point"), SPACES, KEYS, st.integers(0, 30)),
    st.tuples(st.just("whole"), SPACES, st.integers(0, 30)),
    st.tuples(st.just("range"), SPACES, BOUNDS, BOUNDS, st.booleans(), st.booleans(), st.integers(0, 30)),
    st.tuples(st.just("collect"), st.integers(0, 10)),
    st.tuples(st.just("fail"), st.lists(st.tuples(SPACES, KEYS), max_size=4)),
)


class Naive:
    """Every write that ever was; a check looks at all of them."""

    def __init__(self) -> None:
        self.writes: list[tuple[str, Any, int]] = []  # key None: all

    def conflict(self, space: str, covers: Any, after: int) -> bool:
        return any(s == space and ts > after and (k is None or covers(k)) for s, k, ts in self.writes)


def in_range(key: Any, low: Any, high: Any, low_inclusive: bool, high_inclusive: bool) -> bool:
    if low is not None:
        cut = key[: len(low)]
        if cut < low or (cut == low and not low_inclusive):
            return False
    if high is not None:
        cut = key[: len(high)]
        if cut > high or (cut == high and not high_inclusive):
            return False
    return True


@settings(max_examples=400)
@given(st.lists(STEPS, max_size=60))
def test_says_what_a_list_of_all_writes_says(steps: list[Any]) -> None:
    index, naive, now, horizon = ConflictIndex(), Naive(), 1, 0
    for what, *args in steps:
        if what == "write":
            space, key, step = args
            now += step
            index.record(space, key, now)
            naive.writes.append((space, key, now))
        elif what == "all":
            space, step = args
            now += step
            index.record_all(space, now)
            naive.writes.append((space, None, now))
        elif what == "collect":
            horizon = max(horizon, now - args[0])
            index.collect(horizon)
        elif what == "fail":
            # A group that failed: its records are taken back, and nothing is left of them.
            now += 1
            index.restore([(space, key, index.record(space, key, now)) for space, key in args[0]], [])
        else:
            # Snapshots older than the horizon do not exist: that is what collection relies on.
            after = max(args[-1], horizon)
            space = args[0]
            if what == "point":
                found = index.point(space, args[1], after)
                expected = naive.conflict(space, lambda k, key=args[1]: k == key, after)
            elif what == "whole":
                found = index.whole(space, after)
                expected = naive.conflict(space, lambda k: True, after)
            else:
                low, high, low_inclusive, high_inclusive = args[1:5]
                found = index.range(
                    space, low, high, after, low_inclusive=low_inclusive, high_inclusive=high_inclusive
                )
                expected = naive.conflict(
                    space,
                    lambda k, b=(low, high, low_inclusive, high_inclusive): in_range(k, *b),
                    after,
                )
            assert bool(found) == expected
            assert found == 0 or found > after


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_ranges_over_many_blocks(rng: Any) -> None:
    """Enough keys that blocks are built, split and skipped."""
    index, last = ConflictIndex(), {}
    for now in range(1, 1 + rng.choice((1, BLOCK, 5 * BLOCK))):
        key = rng.randrange(10 * BLOCK)
        index.record("a", key, now)
        last[key] = now
        if rng.random() < 0.01:
            low, after = rng.randrange(10 * BLOCK), rng.randrange(now + 1)
            high = low + rng.choice((0, 5, 3 * BLOCK, 9 * BLOCK))
            expected = any(low <= k <= high and ts > after for k, ts in last.items())
            assert bool(index.range("a", low, high, after)) == expected


def test_a_range_that_found_nothing_counts() -> None:
    index = ConflictIndex()
    index.record("t", 5, 10)
    assert index.range("t", 6, 9, after=5) == 0
    index.record("t", 7, 11)
    assert index.range("t", 6, 9, after=10) == 11


def test_past_its_bound_it_forgets_and_old_snapshots_expire() -> None:
    index = ConflictIndex(keys_max=100)
    for ts in range(1, 202):
        index.record("t", ts, ts)
    index.collect(0)
    assert len(index) < 150
    index.validatable(index.floor)
    with pytest.raises(TransactionExpired, match="conflict window"):
        index.validatable(index.floor - 1)
    assert index.point("t", 201, after=150) == 201


def test_what_no_snapshot_can_conflict_with_goes() -> None:
    index = ConflictIndex()
    for ts in range(1, 10_001):
        index.record("t", ts, ts)
    assert index.collect(9_990) == 10
    assert index.collect(10_000) == 0
