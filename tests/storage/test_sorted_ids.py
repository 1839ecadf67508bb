"""Sorted arrays of row ids are what numpy makes of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storage.sorted_ids import ascending, first_places, sorted_distinct

IDS = st.lists(st.integers(-5, 40), max_size=60).map(lambda ids: np.array(ids, np.int64))


@given(IDS)
def test_each_once_and_in_order(ids: np.ndarray) -> None:
    assert sorted_distinct(ids).tolist() == sorted(set(ids.tolist()))
    assert ascending(ids) == (ids.tolist() == sorted(set(ids.tolist())))


@given(IDS)
def test_where_each_is_first(ids: np.ndarray) -> None:
    there = ids.tolist()
    assert first_places(ids).tolist() == [there.index(i) for i in sorted(set(there))]
