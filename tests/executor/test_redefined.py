"""A statement that many have asked before, of definitions that have changed since, is answered as if nobody had.

    a definition       of few names (`tests.executor.redefining`), in a block that is rolled back now and then
    asked warm         with all plans, compiled statements and bodies that have come up
    asked cold         by a session that has just come, of a planner that knows nothing

TIDEWIRE_REDEFINED=50 pytest tests/executor/test_redefined.py        searches longer
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
from collections.abc import Iterator
from random import Random

import pytest

from planner.catalog.reads import Reads, Remembered
from tests.executor.redefining import ASKED, PATHS, SETUP, definition
from tests.executor.sql import Client, Server

SEEDS = int(os.environ.get("TIDEWIRE_REDEFINED", "3"))
DEFINITIONS = 60
USERS = ("tidewire", "tidewire", "r1", "r2")
REMEMBERED = [x for x in gc.get_objects() if isinstance(x, Remembered)]
"""What modules keep of definitions, apart from plans."""
ASKED_EACH = 14


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_statement_is_answered_as_if_it_were_new(seed: int) -> None:
    found = asyncio.run(difference(seed))
    assert not found, found


def test_a_plan_that_is_kept_too_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for remembered in REMEMBERED:  # other servers' tables have the same OIDs
        monkeypatch.setattr(remembered, "_kept", {})
        monkeypatch.setattr(remembered, "_version", {})
    monkeypatch.setattr(Reads, "hold", lambda self, catalog: True)
    assert asyncio.run(difference(0))


async def difference(seed: int) -> str:
    """What led to the first answer that is another one; empty: there is none."""
    r = Random(seed)
    said: list[str] = []
    async with Server() as server:
        definer = server.client("definer")
        told = await definer.run(SETUP)
        assert "ERROR" not in told, told
        names = [f"warm{i}" for i in range(2)]
        asked = r.sample(ASKED, ASKED_EACH)
        of = {name: (r.choice(USERS), r.choice(PATHS)) for name in names}
        for _ in range(DEFINITIONS):
            if r.random() < 0.05:
                name = r.choice(names)
                of[name] = r.choice(USERS), r.choice(PATHS)
            rolled_back = r.random() < 0.15
            if rolled_back:
                await definer.run("begin")
            for _ in range(r.choice((1, 1, 2))):
                said.append(definition(r))
                told = await definer.run(said[-1])
                if "ERROR" in told:
                    said.pop()
            inside = rolled_back and "ERROR" not in told
            if inside:  # the plans of a block that has changed the catalog
                for text in asked[:3]:
                    await definer.run(f"savepoint s; {text}; rollback to s")
            if rolled_back:
                said.append("rollback")
                await definer.run("rollback")
            name = r.choice(names)
            user, path = of[name]
            for text in asked:
                warm = await answered(server.client(name), user, path, text)
                with forgotten(server):
                    cold = await answered(server.client("cold"), user, path, text)
                    await server.run("cold", "quit")
                if warm != cold:
                    said += [f"-- as {user}, {path}", text, f"-- warm: {warm}", f"-- cold: {cold}"]
                    return ";\n".join(said)
    return ""


async def answered(client: Client, user: str, path: str, text: str) -> str:
    """What a client hears, who undoes what it has done."""
    await client.run(f"set role {user}" if user != "tidewire" else "reset role")
    await client.run(f"set search_path = {path}")
    if text.startswith("select") and not any(word in text for word in ("pw(", "nextval", "for update")):
        return await client.run(text)
    await client.run("begin")
    told = await client.run(text)
    if "ERROR" not in told:
        told += "\n" + await client.run("select * from public.log")
    await client.run("rollback")
    return told


@contextlib.contextmanager
def forgotten(server: Server) -> Iterator[None]:
    """Within, nothing is known of what was planned before; afterwards it is again."""
    executor = server.executor
    kept: list[tuple[object, str, object]] = []
    holders: list[tuple[object, str]] = [
        (executor.planner, "_partitions"),
        (executor.planner, "_exact_only"),
        (executor.plans, "_rules"),
        (executor.plans, "_triggers"),
        (executor.plans, "_prepared"),
    ]
    for remembered in REMEMBERED:
        holders += [(remembered, "_kept"), (remembered, "_version")]
    for holder, name in holders:
        kept.append((holder, name, getattr(holder, name)))
        setattr(holder, name, {})
    try:
        yield
    finally:
        for holder, name, value in kept:
            setattr(holder, name, value)
