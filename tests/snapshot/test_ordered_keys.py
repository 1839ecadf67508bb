"""Keys in pieces are the sorted list that they stand for: whatever came and went, and wherever pieces end."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from typing import Any

import pytest

from executor.snapshot import ordered_keys
from executor.snapshot.keys import TOP
from executor.snapshot.ordered_keys import OrderedKeys


def _alike(keys: OrderedKeys, known: list[Any], bounds: list[Any]) -> None:
    assert list(keys) == known and len(keys) == len(known)
    places = [((0, 0), 0), (keys.end, len(known))]
    places += [(keys.left(b), bisect_left(known, b)) for b in bounds]
    places += [(keys.right(b), bisect_right(known, b)) for b in bounds]
    for start, i in places:
        for stop, j in places:
            assert (start < stop) == (i < j)
            assert max(0, keys.count(start, stop)) == max(0, j - i)
            assert list(keys.between(start, stop, False)) == known[i:j]
            assert list(keys.between(start, stop, True)) == known[i:j][::-1]


@pytest.mark.parametrize("seed", range(20))
def test_keys_in_pieces_are_a_sorted_list(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered_keys, "PIECE_KEYS", 1 + seed % 5)
    monkeypatch.setattr(ordered_keys, "FEW_KEYS", 1 + seed % 3)
    rng = random.Random(seed)
    known = sorted(rng.sample(range(1000), rng.choice((0, 1, 30))))
    keys = OrderedKeys(known)
    for _ in range(60):
        if known and rng.random() < 0.4:
            gone = rng.choice(known)
            keys.remove(gone)
            known.remove(gone)
        else:
            new = [k for k in rng.sample(range(1000), rng.choice((0, 1, 2, 40))) if k not in known]
            keys.update(new)
            known = sorted(known + new)
        _alike(keys, known, [rng.randrange(-1, 1001), *rng.choices(known or [0], k=2)])


def test_a_bound_that_is_shorter_than_the_keys_is_a_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordered_keys, "PIECE_KEYS", 3)
    known = [(a, b) for a in range(6) for b in range(5)]
    keys = OrderedKeys(known)
    keys.update([(9, 1)])
    for a in range(-1, 8):
        found = list(keys.between(keys.left((a,)), keys.left((a, TOP)), False))
        assert found == [k for k in known if k[0] == a]


def test_a_key_that_is_not_there_is_not_taken_out() -> None:
    keys = OrderedKeys([1, 3])
    with pytest.raises(AssertionError):
        keys.remove(2)
