"""Texts that grow in a program end at a gigabyte, as PostgreSQL's do, and not where the memory does."""

from __future__ import annotations

import asyncio

import pytest

from executor.keyed import text
from tests.executor.sql import Server

GROWS = "do $$ declare t text := 'x'; begin for i in 1..64 loop t := t || t; end loop; end $$"
GROWS_IN_BYTES = "do $$ declare t bytea := 'x'; begin for i in 1..64 loop t := t || t; end loop; end $$"


@pytest.mark.parametrize("program", [GROWS, GROWS_IN_BYTES], ids=["text", "bytea"])
def test_a_value_that_doubles(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST", 1 << 20)

    async def run() -> None:
        async with Server() as server:
            assert "54000" in await server.run("a", program)
            assert "1" in await server.run("a", "select 1")

    asyncio.run(run())
