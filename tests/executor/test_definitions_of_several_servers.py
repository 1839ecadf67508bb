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
