"""Sessions that are played twice, with the keyed engine and without: tags, rows and errors are the same.

They are files of `tests/clients/alike`, where the first way is compared with PostgreSQL. Each statement that reads is asked three times, for
the later executions of one take other ways than the first.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from planner import planner
from planner.binding import bind
from tests.executor.sql import Failed, Server

_SESSIONS = Path(__file__).parents[1] / "clients" / "alike"
SESSIONS = ("rows_written_from_documents", "labels_compared", "literals_by_their_scale", "jobs_of_queues")
_READS = re.compile(r"\s*(select|execute|values)\b", re.IGNORECASE)


def _statements(name: str) -> list[str]:
    text = (_SESSIONS / f"{name}.sql").read_text()
    return [line for line in text.splitlines() if line and not line.startswith(("--", "\\"))]


async def _played(name: str) -> list[Any]:
    answers: list[Any] = []
    async with Server() as server:
        client = server.client("a")
        for text in _statements(name):
            for _ in range(3 if _READS.match(text) else 1):
                try:
                    answers.append((text, [(tag, rows) for tag, rows, _ in await client.query(text)]))
                except Failed as failed:
                    answers.append((text, failed.sqlstate, str(failed)))
    return answers


@pytest.mark.parametrize("name", SESSIONS)
def test_both_doors_answer_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_keys = asyncio.run(_played(name))
    monkeypatch.setattr(planner, "bind", lambda *a, **k: bind(*a, **{**k, "prefer_keyed": False}))
    assert asyncio.run(_played(name)) == by_keys
