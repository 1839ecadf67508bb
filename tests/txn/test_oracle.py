"""The oracle: timestamps never go backwards, whatever the clock and the process do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.txn.clocks import SetClock
from txn.oracle import LeasedOracle


def test_follows_the_clock_counts_on_where_it_stands_and_ignores_it_going_back() -> None:
    clock = SetClock(100)
    oracle = LeasedOracle(clock, 1)
    given_out = []
    for now in (100, 100, 100, 500, 40, 40, 501):
        clock.now = now
        given_out.append(oracle.write_ts())
    assert given_out == [100, 101, 102, 500, 501, 502, 503]


def test_a_read_sees_what_was_applied_and_nothing_that_is_under_way() -> None:
    oracle = LeasedOracle(SetClock(100), 1)
    first = oracle.write_ts()
    assert oracle.read_ts() < first
    oracle.apply_write(first)
    assert oracle.read_ts() == first
    assert oracle.write_ts() > first


def test_the_window_is_extended_before_it_ends() -> None:
    clock = SetClock(1_000)
    oracle = LeasedOracle(clock, 1_000, window_us=100)
    assert oracle.due(1_000) == 1_100
    oracle.extended(1_100)
    assert oracle.due(1_010) is None, "half a window is left"
    assert oracle.due(1_050) == 1_150
    assert oracle.due(5_000) == 5_100, "also after a long silence"


def test_the_present_can_be_made_readable_inside_the_window_only() -> None:
    oracle = LeasedOracle(SetClock(10), 10)
    oracle.extended(100)
    oracle.observe(50)
    assert oracle.read_ts() == 50
    assert oracle.write_ts() == 51
    with pytest.raises(ValueError, match="reserved"):
        oracle.observe(100)


@given(st.lists(st.tuples(st.sampled_from("rwaX"), st.integers(1, 1_000)), max_size=60))
def test_no_timestamp_goes_backwards_across_clock_jumps_and_restarts(steps: list[tuple[str, int]]) -> None:
    """r: read, w: take a write timestamp, a: it is appended with what is due, X: crash and restart."""
    clock = SetClock(1)
    oracle = LeasedOracle(clock, 1, window_us=50)
    reserved = durable = 1  # what the log holds
    newest_read = newest_durable = 0
    pending: int | None = None
    for what, now in steps:
        clock.now = now
        if what == "w" or (what == "a" and pending is None):
            pending = oracle.write_ts()
            assert pending > newest_read and pending > newest_durable
        if what == "a":
            assert pending is not None
            bound = oracle.due(pending)
            if bound is not None:
                reserved = max(reserved, bound)
                oracle.extended(bound)
            durable = pending + 1
            assert pending < oracle.reserved
            oracle.apply_write(pending)
            newest_durable, pending = pending, None
        elif what == "r":
            ts = oracle.read_ts()
            assert ts >= newest_durable and ts >= newest_read
            newest_read = ts
        elif what == "X":
            oracle, pending = LeasedOracle(clock, max(reserved, durable), window_us=50), None
            oracle.extended(reserved)
