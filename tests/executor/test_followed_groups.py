"""Transactions that commit together have one place in the log: followers are told what they came to, taken together."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Server

TOLD = "select data from pg_logical_slot_get_changes('s', null, null, 'include-xids', '0') where data like 'table%'"


@pytest.mark.parametrize("identity", ["full", "default"])
def test_rows_that_come_and_go_in_one_group(identity: str) -> None:
    """Such a row has never been there."""

    async def run() -> None:
        async with Server() as server:
            a, b, c = (server.client(name) for name in "abc")
            await a.query("create table hot (id int primary key, n text)")
            await a.query(f"alter table hot replica identity {identity}")
            await a.query("insert into hot values (1, '')")
            await a.query("select pg_create_logical_replication_slot('s', 'test_decoding')")
            await asyncio.gather(
                a.query("insert into hot values (2, 'a')"),
                b.query("update hot set n = n || 'b' where id = 2"),
                c.query("update hot set n = n || 'c' where id = 2"),
            )
            assert await a.rows("select n from hot where id = 2") == [("abc",)]
            assert await a.rows(TOLD) == [("table public.hot: INSERT: id[integer]:2 n[text]:'abc'",)]
            await asyncio.gather(
                a.query("update hot set n = n || '1' where id = 1"),
                b.query("update hot set n = n || '2' where id = 1"),
                c.query("insert into hot values (3, 'x')"),
                server.client("d").query("delete from hot where id = 3"),
            )
            changed = ["UPDATE: id[integer]:1 n[text]:'12'"]
            if identity == "full":  # rows are told apart by nothing
                changed = ["DELETE: id[integer]:1 n[text]:''", "INSERT: id[integer]:1 n[text]:'12'"]
            assert await a.rows(TOLD) == [(f"table public.hot: {change}",) for change in changed]
            await asyncio.gather(
                a.query("update hot set n = n || '3' where id = 1"), b.query("delete from hot where id = 1")
            )
            gone = " n[text]:'12'" if identity == "full" else ""
            assert await a.rows(TOLD) == [(f"table public.hot: DELETE: id[integer]:1{gone}",)]

    asyncio.run(run())
