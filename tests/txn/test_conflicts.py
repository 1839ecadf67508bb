"""The conflict index against a list of all writes that anybody could understand."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from txn.abc import TransactionExpired
from txn.columns import ALL_COLUMNS, THE_ROW, column
from txn.conflicts import LAYERS_MAX, ConflictIndex
from txn.read_set import POINTS_MAX, ReadSet
from txn.written_keys import BLOCK

KEYS = st.tuples(st.integers(0, 3), st.integers(0, 3))
BOUNDS = st.none() | KEYS | st.tuples(st.integers(0, 3))
SPACES = st.sampled_from(["a", "b"])
WRITTEN = st.sampled_from([ALL_COLUMNS, column(1), column(2), column(1) | column(3)])
USED = st.sampled_from([ALL_COLUMNS, THE_ROW, THE_ROW | column(1), THE_ROW | column(3), THE_ROW | column(4)])
STEPS = st.one_of(
    st.tuples(st.just("write"), SPACES, KEYS, WRITTEN, st.integers(0, 2)),
    st.tuples(st.just("all"), SPACES, st.integers(0, 2)),
    st.tuples(st.just("point"), SPACES, KEYS, USED, st.integers(0, 30)),
    st.tuples(st.just("whole"), SPACES, USED, st.integers(0, 30)),
    st.tuples(
        st.just("range"), SPACES, BOUNDS, BOUNDS, st.booleans(), st.booleans(), USED, st.integers(0, 30)
    ),
    st.tuples(st.just("collect"), st.integers(0, 10)),
    st.tuples(st.just("fail"), st.lists(st.tuples(SPACES, KEYS, WRITTEN), max_size=4)),
)


class Naive:
    """Every write that ever was; a check looks at all of them."""

    def __init__(self) -> None:
        self.writes: list[tuple[str, Any, int, int]] = []  # key None: all

    def newest(self, space: str, covers: Any, used: int, after: int) -> int:
        return max(
            (
                ts
                for s, k, written, ts in self.writes
                if s == space and ts > after and written & used and (k is None or covers(k))
            ),
            default=0,
        )


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
            space, key, written, step = args
            now += step
            index.record(space, key, now, written)
            naive.writes.append((space, key, written, now))
        elif what == "all":
            space, step = args
            now += step
            index.record_all(space, now)
            naive.writes.append((space, None, ALL_COLUMNS, now))
        elif what == "collect":
            horizon = max(horizon, now - args[0])
            index.collect(horizon)
        elif what == "fail":
            # A group that failed: its records are taken back, and nothing is left of them.
            now += 1
            index.restore([index.record(space, key, now, written) for space, key, written in args[0]], [])
        else:
            # Snapshots older than the horizon do not exist: that is what collection relies on.
            after = max(args[-1], horizon)
            space, used = args[0], args[-2]
            if what == "point":
                found = index.point(space, args[1], after, used)
                expected = naive.newest(space, lambda k, key=args[1]: k == key, used, after)
                assert found == expected
            elif what == "whole":
                found = index.whole(space, after, used)
                expected = naive.newest(space, lambda k: True, used, after)
                assert found == expected
            else:
                low, high, low_inclusive, high_inclusive = args[1:5]
                found = index.range(
                    space, low, high, after, used, low_inclusive=low_inclusive, high_inclusive=high_inclusive
                )
                expected = naive.newest(
                    space,
                    lambda k, b=(low, high, low_inclusive, high_inclusive): in_range(k, *b),
                    used,
                    after,
                )
            assert bool(found) == bool(expected)
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


def test_a_column_is_written_by_those_who_write_it() -> None:
    """Two updates of different columns of one row, and who is told of which."""
    index, tax, paid = ConflictIndex(), column(3), column(4)
    index.record("warehouse", 1, 10)
    for ts in range(11, 500):
        index.record("warehouse", 1, ts, paid)
    assert index.point("warehouse", 1, 10, THE_ROW | tax) == 0
    assert index.point("warehouse", 1, 10, THE_ROW | paid) == 499
    assert index.point("warehouse", 1, 10) == 499
    assert index.point("warehouse", 1, 9, THE_ROW | tax) == 10  # it was inserted then
    assert len(index) == 2  # a hot row takes no more room than any other
    index.record("warehouse", 1, 500)  # and now it is gone
    assert index.point("warehouse", 1, 499, THE_ROW) == 500


def test_more_sets_of_columns_than_are_kept_apart_count_as_all() -> None:
    index = ConflictIndex()
    for n in range(2 * LAYERS_MAX):
        index.record("t", n, n + 1, 2 * n + 2)  # each another set of columns
    for n in range(2 * LAYERS_MAX):
        assert index.point("t", n, n, 2 * n + 2) == n + 1
    told_apart = [n for n in range(2 * LAYERS_MAX) if not index.point("t", n, n, THE_ROW)]
    assert len(told_apart) == LAYERS_MAX - 1
    index.collect(2 * LAYERS_MAX - 1)  # what nobody asks about makes room for others
    index.record("t", 1, 100, column(50))
    assert index.point("t", 1, 99, THE_ROW) == 0


def test_columns_far_to_the_right_are_one() -> None:
    assert column(61) != column(62) == column(63) == column(1600)
    assert column(1600) & ALL_COLUMNS and column(1600) < 1 << 63


def test_a_read_set_past_its_bound_has_read_everything_that_it_had_read_of_any() -> None:
    index, reads = ConflictIndex(), ReadSet()
    for key in range(POINTS_MAX + 1):
        reads.point("t", key, THE_ROW | column(1 + key % 2))
    index.record("t", -1, 5, column(3))
    assert reads.changed_since(index, 4) is None
    index.record("t", -1, 6, column(2))
    assert reads.changed_since(index, 4) == ("t", None, 6)
    reads.point("t", -1, THE_ROW | column(3))  # what it reads from now on is added to that
    index.record("t", -1, 7, column(3))
    assert reads.changed_since(index, 6) == ("t", -1, 7)


@pytest.mark.parametrize("before", [(), (1, 2), range(POINTS_MAX)], ids=["fresh", "some", "many"])
@pytest.mark.parametrize(
    "keys", [(), (2, 3), range(POINTS_MAX, 2 * POINTS_MAX + 1)], ids=["none", "two", "too many"]
)
def test_several_points_are_as_good_as_one_after_the_other(
    before: Collection[int], keys: Collection[int]
) -> None:
    """What was written to one of them is a change, and by the others' columns it is not."""
    together, single = ReadSet(), ReadSet()
    for reads in (together, single):
        for key in before:
            reads.point("t", key, column(1))
    together.points("t", keys, column(2))
    for key in keys:
        single.point("t", key, column(2))
    index = ConflictIndex()
    for ts, key in enumerate((-1, 1, 2, 3, POINTS_MAX), 1):
        for written in (1, 2, 3):
            index.record("t", key, ts * 10 + written, column(written))
            after = ts * 10 + written - 1
            assert together.changed_since(index, after) == single.changed_since(index, after)


def test_what_a_key_was_read_for_adds_up() -> None:
    index, reads, more = ConflictIndex(), ReadSet(), ReadSet()
    reads.point("t", 1, column(1))
    reads.range("t", 5, 9, column(1))
    more.point("t", 1, column(2))
    more.range("t", 5, 9, column(2))
    reads.merge(more)
    for key, written, changed in ((1, 3, False), (7, 3, False), (1, 1, True), (1, 2, True), (7, 2, True)):
        index.record("t", key, index.whole("t", 0) + 1, column(written))
        assert bool(reads.changed_since(index, index.whole("t", 0) - 1)) == changed


def test_keys_that_were_all_taken_back_are_no_write() -> None:
    index = ConflictIndex()
    index.record("a", 1, 10)
    assert index.record_each("a", {}, 20) == []
    assert index.whole("a", 10) == 0 and index.among("a", 10, lambda _: True) is None
