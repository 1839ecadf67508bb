"""What a definition is found by goes with the definition: thousands that come and go leave nothing behind."""

from __future__ import annotations

import asyncio

from tests.executor.sql import Server


def test_a_catalog_forgets_the_words_of_what_is_gone() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            sizes = []
            for i in range(12):
                await a.query(f"CREATE TABLE t{i} (id serial PRIMARY KEY, w{i} int CHECK (w{i} > 0))")
                await a.query(f"CREATE SCHEMA s{i} CREATE VIEW v AS SELECT w{i} FROM t{i}")
                await a.query(f"DROP SCHEMA s{i} CASCADE; DROP TABLE t{i}")
                catalog = server.executor.catalogs.newest
                sizes.append((len(catalog._uses), len(catalog._homes), len(catalog._objects)))
            assert sizes[0] == sizes[-1]

    asyncio.run(run())
