"""The checker is shown histories with one anomaly planted in each: it must name it, and nothing else."""

from __future__ import annotations

import itertools

import pytest

from tests.histories.checker import EXCLUDED, anomalies, check
from tests.histories.history import Append, History, Read, Txn


def txn(id: int, *operations: Append | Read, outcome: str = "ok", at: tuple[float, float] = (0, 100)) -> Txn:
    return Txn(id, list(operations), outcome, at[0], at[1])  # type: ignore[arg-type]


a, r = Append, Read
X, Y = 1, 2

PLANTED = {
    "nothing": ([txn(1, a(X, 1)), txn(2, r(X, (1,)), a(X, 2)), txn(3, r(X, (1, 2)))], set()),
    "an unknown one that happened": ([txn(1, a(X, 1), outcome="unknown"), txn(2, r(X, (1,)))], set()),
    "an unknown one that did not": (
        [txn(1, a(X, 1), outcome="unknown"), txn(2, r(X, ()), at=(200, 201))],
        set(),
    ),
    "an unknown one that did not, and had seen itself": (
        [
            txn(1, a(X, 1), r(X, (1,)), outcome="unknown"),
            txn(2, a(X, 2)),
            txn(3, r(X, (2,)), at=(200, 201)),
        ],
        set(),
    ),
    "G0": (
        [
            txn(1, a(X, 1), a(Y, 1)),
            txn(2, a(X, 2), a(Y, 2)),
            txn(3, r(X, (1, 2))),
            txn(4, r(Y, (2, 1))),
        ],
        {"G0"},
    ),
    "G1a": ([txn(1, a(X, 1), outcome="fail"), txn(2, r(X, (1,)))], {"G1a"}),
    "G1b": ([txn(1, a(X, 1), a(X, 2)), txn(2, r(X, (1,))), txn(3, r(X, (1, 2)))], {"G1b", "G-single"}),
    "G1c": ([txn(1, a(X, 1), r(Y, (1,))), txn(2, a(Y, 1), r(X, (1,)))], {"G1c"}),
    "internal": ([txn(1, a(X, 1), r(X, ()))], {"internal"}),
    "lost append": ([txn(1, a(X, 1), at=(0, 1)), txn(2, r(X, ()), at=(2, 3))], {"lost append"}),
    "duplicate": ([txn(1, a(X, 1)), txn(2, r(X, (1, 1)))], {"duplicate"}),
    "incompatible order": (
        [txn(1, a(X, 1)), txn(2, a(X, 2)), txn(3, r(X, (1, 2))), txn(4, r(X, (2, 1)))],
        {"incompatible order"},
    ),
    "lost update": (
        [txn(1, r(X, ()), a(X, 1)), txn(2, r(X, ()), a(X, 2)), txn(3, r(X, (1, 2)))],
        {"lost update", "G-single"},
    ),
    "read skew": (
        [txn(1, r(X, ()), r(Y, (1,))), txn(2, a(X, 1), a(Y, 1)), txn(3, r(X, (1,)))],
        {"G-single"},
    ),
    "write skew": (
        [txn(1, r(X, ()), a(Y, 1)), txn(2, r(Y, ()), a(X, 1)), txn(3, r(X, (1,)), r(Y, (1,)))],
        {"G2"},
    ),
    "long fork": (
        [
            txn(1, a(X, 1)),
            txn(2, a(Y, 1)),
            txn(3, r(X, (1,)), r(Y, ())),
            txn(4, r(X, ()), r(Y, (1,))),
        ],
        {"G2"},
    ),
    "stale read": (
        [
            txn(1, a(X, 1), at=(0, 1)),
            txn(2, r(X, ()), at=(2, 3)),
            txn(3, r(X, (1,)), at=(4, 5)),
        ],
        {"G-single-realtime"},
    ),
    "writes out of real-time order": (
        [txn(1, a(X, 1), at=(0, 1)), txn(2, a(X, 2), at=(2, 3)), txn(3, r(X, (2, 1)), at=(4, 5))],
        {"G0-realtime"},
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_the_planted_anomaly_is_named(name: str) -> None:
    txns, expected = PLANTED[name]
    assert {found.name for found in anomalies(History(txns))} == expected


def test_every_level_excludes_what_the_weaker_ones_exclude() -> None:
    levels = ["read committed", "repeatable read", "serializable", "strict serializable"]
    for weaker, stronger in itertools.pairwise(levels):
        assert EXCLUDED[weaker] < EXCLUDED[stronger]


@pytest.mark.parametrize(
    ("name", "weakest"),
    [
        ("G0", "read committed"),
        ("G1a", "read committed"),
        ("read skew", "repeatable read"),
        ("lost update", "repeatable read"),
        ("write skew", "serializable"),
        ("stale read", "strict serializable"),
    ],
)
def test_a_level_reports_what_it_excludes_and_only_that(name: str, weakest: str) -> None:
    levels = ["read committed", "repeatable read", "serializable", "strict serializable"]
    history = History(PLANTED[name][0])
    for level in levels:
        assert bool(check(history, level)) == (levels.index(level) >= levels.index(weakest)), level


def test_a_value_appended_twice_is_no_evidence() -> None:
    with pytest.raises(ValueError, match="appended twice"):
        anomalies(History([txn(1, a(X, 1)), txn(2, a(X, 1))]))
