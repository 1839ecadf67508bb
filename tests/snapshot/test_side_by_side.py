"""Memory over one run, and own rows over both, are walked side by side: the rows are those of the general merges."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from executor.keyed import overlay
from executor.snapshot.abc import TooFarToLook
from executor.snapshot.ranges import merged, over_one_run

Chains = dict[int, list[tuple[int, bool]]]


class Rows:
    """A run, as far as a scan asks it: keys in order, some of them of tombstones."""

    def __init__(self, keys: dict[int, bool]) -> None:
        self._keys = sorted(keys)
        self._alive = keys

    def __len__(self) -> int:
        return len(self._keys)

    def key_at(self, i: int) -> int:
        return self._keys[i]

    def entry(self, i: int) -> tuple[int, tuple[object, ...]] | None:
        key = self._keys[i]
        return (key, (key, "run")) if self._alive[key] else None


def _heads(chains: Chains, *, descending: bool) -> list[tuple[int, Any]]:
    found = []
    for key in sorted(chains, reverse=descending):
        version: Any = None
        for ts, alive in sorted(chains[key]):
            version = (ts, 1000 + key, (key, ts) if alive else None, version)
        found.append((key, version))
    return found


def _taken(rows: Any) -> list[Any]:
    found = []
    try:
        for row in rows:
            found.append(row)
    except TooFarToLook:
        found.append("too far")
    return found


keys = st.integers(0, 12)


@given(
    st.dictionaries(keys, st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=3)),
    st.dictionaries(keys, st.booleans(), min_size=1),
    st.integers(0, 10),
    st.booleans(),
    st.integers(0, 12),
)
def test_rows_are_those_of_the_general_merge(
    chains: Chains, of_run: dict[int, bool], ts: int, descending: bool, dead_max: int
) -> None:
    run: Any = Rows(of_run)
    span = range(len(run) - 1, -1, -1) if descending else range(len(run))
    heads = _heads(chains, descending=descending)
    expected = _taken(merged(iter(heads), [(run, span)], ts, descending, dead_max))
    assert _taken(over_one_run(iter(heads), run, span, ts, descending, dead_max)) == expected


@given(
    st.dictionaries(keys, st.booleans(), min_size=1),
    st.dictionaries(keys, st.booleans()),
    st.booleans(),
)
def test_own_rows_are_as_in_the_general_merge(
    own: dict[int, bool], there: dict[int, bool], descending: bool
) -> None:
    mine = [(k, (k, (k, "own")) if own[k] else None) for k in sorted(own, reverse=descending)]
    base: list[Any] = [(k, 100 + k, (k, "base")) for k in sorted(there, reverse=descending)]
    general = overlay._merged([iter(mine), iter([(k, (r, row)) for k, r, row in base])], descending)
    assert list(overlay._side_by_side(mine, iter(base), descending)) == list(general)
