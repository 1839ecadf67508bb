"""Documents nested more deeply than their functions follow, and paths without an end in sight, are 54001, and the session goes on."""

from __future__ import annotations

import asyncio

import pytest

from planner.jsonpath import evaluation
from tests.executor.sql import Server

DEEP = "(repeat('[', 3000) || repeat(']', 3000))::jsonb"


@pytest.mark.parametrize(
    "asked",
    [f"length(jsonb_pretty({DEEP}))", f"jsonb_path_query_array({DEEP}, '$.**') is null"],
    ids=["jsonb_pretty", "jsonpath"],
)
def test_a_deep_document(asked: str) -> None:
    async def run() -> None:
        async with Server() as server:
            assert "54001" in await server.run("a", f"select {asked}")
            assert "7" in await server.run("a", "select 7")

    asyncio.run(run())


def test_a_path_of_loops_within_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "EVALUATING_S_MAX", 0.1)
    loops = "$[*] ? (exists ($[*] ? (exists ($[*] ? (@ < 0)))))"

    async def run() -> None:
        async with Server() as server:
            answer = await server.run(
                "a", f"select jsonb_path_exists(jsonb_agg(g), '{loops}') from generate_series(1, 300) g"
            )
            assert "54001: jsonpath is too complex" in answer
            assert "7" in await server.run("a", "select 7")

    asyncio.run(run())
