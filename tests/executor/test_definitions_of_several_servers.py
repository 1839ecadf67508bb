"""Definitions of several servers at once: the OIDs of one server's are none of another's, so what they make does not collide."""

from __future__ import annotations

import pytest

from tests.executor.shared import Servers
from tests.txn.test_shared import run

TABLES = 70
_TABLE = "create table {} (a serial primary key, b int unique, c int unique, d int check (d > 0), e serial, unique (b, c))"


@pytest.mark.parametrize("synchronous", [True, False])
def test_who_makes_many_things_in_a_transaction_meets_nobody(synchronous: bool) -> None:
    """Each goes through several blocks of OIDs while the other has not told of its own."""

    async def test() -> None:
        async with Servers(synchronous=synchronous) as servers:
            for name in "ab":
                await servers.run(name, "begin")
            for i in range(TABLES):
                for name in "ab":
                    await servers.run(name, _TABLE.format(f"{name}{i}"))
            for name in "ab":
                assert await servers.run(name, "commit") == "COMMIT"
            count = "select count(distinct oid) from pg_class where relkind = 'r' and relname ~ '^[ab][0-9]'"
            assert (await servers.run("a", count)).startswith(f"{2 * TABLES}\n")

    run(test())


@pytest.mark.parametrize(
    ("there", "first", "second"),
    [
        ("create schema s", "drop schema s", "create table s.t (x int)"),
        ("create schema s", "create table s.t (x int)", "drop schema s"),
        ("create type e as enum ('a')", "drop type e", "create table t (x e)"),
        ("create type e as enum ('a')", "create table t (x e)", "drop type e"),
        ("create table t (x int)", "drop table t", "create view v as select * from t"),
        ("create table t (x int)", "create view v as select * from t", "drop table t"),
        ("create table t (x int, y int)", "alter table t drop y", "create view v as select y from t"),
        ("create view w as select 1 as x", "create view v as select * from w", "drop view w"),
        ("create role r", "drop role r", "create schema s authorization r"),
        ("create role r", "create schema s authorization r", "drop role r"),
    ],
)
def test_nothing_is_left_without_what_it_builds_on(there: str, first: str, second: str) -> None:
    """Between servers nobody waits: whoever commits later is refused."""

    async def test() -> None:
        async with Servers(synchronous=True) as servers:
            await servers.run("a", there)
            await servers.run("b", "select 1")
            await servers.run("a", "begin")
            assert "rror" not in await servers.run("a", first)
            assert "rror" not in await servers.run("b", second)
            assert "40001" in await servers.run("a", "commit")

    run(test())
