"""pg_stat_statements keeps to its limits, however many and however long the statements are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from executor.statistics import statements
from executor.statistics.statements import Statements


def _counting() -> tuple[Statements, Any]:
    executor: Any = SimpleNamespace(env=SimpleNamespace(clock=SimpleNamespace(now_us=lambda: 0)), sessions={})
    session = SimpleNamespace(
        settings=SimpleNamespace(raw=lambda name: ""),
        catalog=SimpleNamespace(role=lambda name: None, database_oid=1),
        statements={},
        user="somebody",
    )
    return Statements(executor), session


def test_long_texts_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "LENGTHS_MAX", 100_000)
    counted, session = _counting()
    for _ in range(3):
        counted.executed(session, "SELECT often", 1.0, "SELECT 1")
    for i in range(60):
        counted.executed(session, f"SELECT column{i}, {'x' * 5_000}", 1.0, "SELECT 1")
    texts = [s.query for s in counted._known.values()]
    assert sum(map(len, texts)) <= 100_000 and len(texts) > 5 and "SELECT often" in texts
    assert sum(len(text) for text in counted._texts) < 5_000  # long ones are not remembered
    assert counted.info()["dealloc"] > 1
    counted.reset(0, 1, 0)
    assert not counted._known and counted._lengths == 0


def test_many_statements_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "STATEMENTS_MAX", 50)
    monkeypatch.setattr(statements, "TEXTS_MAX", 20)
    counted, session = _counting()
    for i in range(500):
        counted.executed(session, f"SELECT column{i}", 1.0, "SELECT 1")
    assert 20 < len(counted._known) <= 50 and len(counted._texts) <= 20
    assert counted._lengths == sum(len(s.query) for s in counted._known.values())
