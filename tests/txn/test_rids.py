"""Row ids are never used twice, whatever crashes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.abc import RID_MAX
from txn.rids import RidAllocator, RidsExhausted


@given(st.lists(st.sampled_from(["next", "take", "append", "crash"]), max_size=80))
def test_ids_in_the_log_are_unique_across_crashes(steps: list[str]) -> None:
    """An id counts when the append that carries it is durable; that append carries what is due."""
    mark = 1
    rids = RidAllocator(mark, block_size=8)
    waiting: list[int] = []
    durable: set[int] = set()
    for step in steps:
        if step == "next":
            waiting.append(rids.next())
        elif step == "take":
            first = rids.take(5)
            waiting += range(first, first + 5)
        elif step == "append":
            due = rids.due()
            if due is not None:
                mark = due
                rids.leased(due)
            assert not durable & set(waiting)
            assert len(set(waiting)) == len(waiting)
            assert all(rid < mark for rid in waiting)
            durable |= set(waiting)
            waiting = []
        else:
            rids, waiting = RidAllocator(mark, block_size=8), []


def test_a_process_among_several_stays_inside_its_lease() -> None:
    rids = RidAllocator(1, exclusive=False)
    with pytest.raises(RidsExhausted):
        rids.next()
    rids.new_block(100, 102)
    assert [rids.next(), rids.next()] == [100, 101]
    with pytest.raises(RidsExhausted):
        rids.block(1)


def test_the_last_id_is_not_passed() -> None:
    rids = RidAllocator(RID_MAX - 1)
    with pytest.raises(RidsExhausted):
        rids.take(2)
