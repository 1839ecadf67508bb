"""Look-ups by indexes over expressions (`CREATE INDEX ON users (lower(email))`): the keyed engine's answers are DuckDB's."""

from __future__ import annotations

import asyncio
import random

import pytest

from planner.keyed_plans import Whole
from tests.executor.changing import answers_hold
from tests.executor.sql import Client, Failed, Server
from tests.executor.test_index_order import asked_both_ways

ROWS = 12_000

READS = [
    "SELECT id FROM t WHERE lower(email) = 'u{id}@x.com' ORDER BY id",
    "SELECT id FROM t WHERE lower(email) IN ('u{id}@x.com', 'u7@x.com', 'ü{id}@x.com') ORDER BY id",
    "SELECT id FROM t WHERE lower(email) = ANY (ARRAY['u{id}@x.com', NULL, 'u7@x.com']) ORDER BY id",
    "SELECT count(*), max(id) FROM t WHERE upper(v) = 'V{v}' AND a = {a}",
    "SELECT id FROM t WHERE upper(v) = 'V{v}' AND a = {a} AND lower(email) > 'u5' ORDER BY id LIMIT 5",
    "SELECT count(*) FROM t WHERE coalesce(w, 'none') = 'none' AND a > 2",
    "SELECT id FROM t WHERE (lower(email) = 'u{id}@x.com' OR lower(email) = 'u9@x.com') AND lower(email) <> 'u9@x.com'",
    "SELECT u.name, t.id FROM t JOIN u ON u.a = t.a WHERE lower(t.email) = 'u{id}@x.com' ORDER BY t.id",
    "SELECT t.id FROM u JOIN x ON x.a = u.a JOIN t ON lower(t.email) = x.mail WHERE u.a = {a} ORDER BY t.id",
    "SELECT id FROM t WHERE lower(email) = NULL",
]  # fmt: skip

CHANGES = [
    "UPDATE t SET email = 'U' || {id} + 1 || '@X.com' WHERE id = {id}",
    "UPDATE t SET email = NULL, v = 'v{v}' WHERE id = {id}",
    "UPDATE t SET a = a + 1 WHERE lower(email) = 'u{id}@x.com'",
    "UPDATE t SET email = 'Ü' || {id} || '@X.COM', w = 'none' WHERE id = {id}",
    "DELETE FROM t WHERE lower(email) IN ('u{id}@x.com', 'u8@x.com')",
    "INSERT INTO t SELECT 50000 + {id}, 'u{id}@X.Com', {a}, 'V{v}', NULL ON CONFLICT DO NOTHING",
]


async def _filled(server: Server) -> Client:
    client = server.client("a")
    for text in (
        "CREATE TABLE t (id int PRIMARY KEY, email text, a int, v varchar(9), w text)",
        "CREATE TABLE u (a int PRIMARY KEY, name text)",
        "CREATE TABLE x (a int PRIMARY KEY, mail text)",
        "CREATE INDEX ON t (lower(email))",
        "CREATE INDEX ON t (upper(v), a)",
        "CREATE INDEX ON t ((coalesce(w, 'none')))",
        "INSERT INTO t SELECT i, nullif('U' || i || '@X.com', 'U5@X.com'), i % 7, 'v' || i % 600, nullif(i % 50, 3)::text"
        f" FROM generate_series(1, {ROWS}) i",
        "UPDATE t SET w = 'some' WHERE id % 50 > 3",
        "INSERT INTO u SELECT i, 'n' || i FROM generate_series(0, 6) i",
        "INSERT INTO x SELECT i, 'u' || i * 11 || '@x.com' FROM generate_series(0, 6) i",
    ):
        await client.query(text)
    return client


def _made(rng: random.Random, text: str) -> str:
    return text.format(id=rng.randrange(1, ROWS), v=rng.randrange(600), a=rng.randrange(7))


async def _sorted(client: Client) -> None:
    for text in READS:
        await asked_both_ways(client, text.format(id=3, v=4, a=5), in_block=False)
    await client.session.executor.store.sort(lambda: None)


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_look_ups_by_what_an_index_computes(in_block: bool) -> None:
    async def run() -> None:
        rng = random.Random(7)
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            await answers_hold(client, rng, READS, CHANGES, _made, asked_both_ways, in_block=in_block)

    asyncio.run(run())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM t WHERE 10 / a = 2",
        "SELECT id FROM t WHERE upper(email) = 'U1@X.COM'",
        "SELECT id FROM t WHERE lower(v) = 'v1'",
    ],
    ids=["what may fail", "another function", "another column"],
)
def test_what_no_index_computes_is_looked_up_in_none(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("DELETE FROM t WHERE a = 0")
            await client.query("CREATE INDEX ON t ((10 / a))")
            plan = client.session.executor.plans.prepared(text, client.session.context(), ())
            keyed = plan.extra.get("keyed")  # a small table is read whole
            assert keyed is None or [step.lookup for step in keyed.steps] == [Whole()]
            await client.rows(text)
            with pytest.raises(Failed, match="division by zero"):
                await client.query("SELECT 10 / a FROM (VALUES (0)) v (a)")

    asyncio.run(run())
