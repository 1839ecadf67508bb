"""Values that grow in a program end at a limit, as PostgreSQL's do, and not where the memory does."""

from __future__ import annotations

import asyncio

import pytest

from executor.keyed import text
from planner.types import array_values, jsons
from tests.executor.sql import Server

GROWN = {
    "text": ("'x'", "v || v"),
    "bytea": ("'x'", "v || v"),
    "jsonb": ("'[]'", "jsonb_build_array(v, v)"),
    "jsonb objects": ("'{}'", "jsonb_build_object('a', v, 'b', v)"),
    "jsonb elements": ("'[1]'", "v || v"),
    "json": ("'[]'", "json_build_array(v, v)"),
    "json objects": ("'{}'", "json_build_object('a', v, 'b', v)"),
    "int[]": ("'{1}'", "v || v"),
    "text[]": ("'{a}'", "array_cat(v, v)"),
}


@pytest.mark.parametrize("kind", GROWN)
def test_a_value_that_doubles(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "LONGEST", 1 << 20)
    monkeypatch.setattr(jsons, "LONGEST", 1 << 20)
    first, more = GROWN[kind]
    program = f"do $$ declare v {kind.split()[0]} := {first}; begin for i in 1..64 loop v := {more}; end loop; end $$"

    async def run() -> None:
        async with Server() as server:
            assert "54000" in await server.run("a", program)
            assert "1" in await server.run("a", "select 1")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("array", "appended", "doubled"),
    [
        ("{}", "{x}", "{}"),
        ("{a}", "{a,x}", "{a,a}"),
        ('{"{",NULL,"a,b"}', '{"{",NULL,"a,b",x}', '{"{",NULL,"a,b","{",NULL,"a,b"}'),
        ("[2:3]={a,b}", "[2:4]={a,b,x}", "[2:5]={a,b,a,b}"),
        ("{{a},{b}}", "22000", "{{a},{b},{a},{b}}"),
    ],
)
def test_arrays_that_grow(array: str, appended: str, doubled: str) -> None:
    async def run() -> None:
        async with Server() as server:
            await server.run("a", "create table grown (id int primary key, v text[])")
            await server.run("a", f"insert into grown values (1, '{array}')")
            assert appended in await server.run("a", "select array_append(v, 'x') from grown where id = 1")
            assert doubled in await server.run("a", "select v || v from grown where id = 1")

    asyncio.run(run())


def test_an_array_that_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred million elements took 15 GB and longer than statement_timeout could end."""
    monkeypatch.setattr(array_values, "FILLED_MAX", 1_000)

    async def run() -> None:
        async with Server() as server:
            for size, answer in (
                ("10, 100", "1000\nSELECT 1"),
                ("10, 101", "ERROR 54000: array size exceeds"),
            ):
                told = await server.run("a", f"select cardinality(array_fill('x'::text, array[{size}]))")
                assert told.startswith(answer)

    asyncio.run(run())


@pytest.mark.parametrize("replaced", ["replace(v, 'x', v)", "regexp_replace(v, 'x', v, 'g')"])
def test_a_text_of_which_every_letter_becomes_a_text(replaced: str) -> None:
    """A hundred thousand times a hundred thousand letters; PostgreSQL's buffers end at a gigabyte, too."""
    program = f"do $$ declare v text := repeat('x', 100000); begin v := {replaced}; end $$"

    async def run() -> None:
        async with Server() as server:
            told = await server.run("a", program)
            assert told.startswith("ERROR 54000: out of memory")

    asyncio.run(run())
