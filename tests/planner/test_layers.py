"""Dictionaries with layers: what an ordinary dictionary would answer, for forks of forks, whoever is changed first."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.catalog.layers import Layered

_STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "delete", "fork"]), st.integers(0, 60), st.integers(0, 9)), max_size=300
)


def _same(mine: Layered[int, int], model: dict[int, int]) -> None:
    assert dict(mine.items()) == model
    assert len(mine) == len(model) and bool(mine) == bool(model)
    assert sorted(mine) == sorted(model) and sorted(mine.values()) == sorted(model.values())
    for key in range(61):
        assert (key in mine) == (key in model) and mine.get(key, -1) == model.get(key, -1)


@settings(deadline=None)
@given(_STEPS, st.integers(0, 40))
def test_a_fork_is_a_dictionary_of_its_own(steps: list[tuple[str, int, int]], many: int) -> None:
    mine: Layered[int, int] = Layered()
    model: dict[int, int] = {}
    for i in range(many):  # enough for a base, when there are forks
        mine[i] = model[i] = i
    left: list[tuple[Layered[int, int], dict[int, int]]] = []
    for what, key, value in steps:
        if what == "put":
            mine[key] = model[key] = value
        elif what == "delete" and key in model:
            del mine[key], model[key]
        elif what == "fork":
            left.append((mine, model))
            mine, model = mine.fork(), dict(model)
    for then, was in [*left, (mine, model)]:
        _same(then, was)


def test_many_changes_make_a_new_base_for_both() -> None:
    first: Layered[int, int] = Layered()
    for i in range(5_000):
        first[i] = i
    forks = [first]
    for i in range(2_000):
        forks.append(forks[-1].fork())
        del forks[-1][i]
        forks[-1][10_000 + i] = i
    for n, fork in enumerate(forks[::97]):
        n *= 97
        assert len(fork) == 5_000 and 10_000 + n not in fork
        assert all(i not in fork for i in range(n)) and n in fork
