"""Indexes of parts (gin): what they lead to is what looking through the table finds, whatever was written since, by whomever."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import executor.executor  # noqa: F401 (rooms import one another in its order)
from executor.keyed.terms_read import TermsRead
from executor.session import searching
from executor.snapshot import rows_by_id, terms
from tests.executor.changing import answers_hold
from tests.executor.sql import Client, Failed, Server
from tests.executor.test_time_travel import now

ROWS = 3_000

COLUMNS = "doc jsonb, tags text[], ns int[], ts tsvector, name text, body text, part int"
VALUES = (
    (
        "(CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '[\"t' || i % 40 || '\", ' || i % 60 || '.50]' "
        'ELSE \'{{"a": {{"b": \' || i % 300 || \'.0}}, "t": ["t\' || i % 40 || \'", null], "k\' || i % 90 || \'": "v\\"\' || i % 200 || \'"}}\' END)::jsonb, '
        "CASE WHEN i % 11 > 0 THEN ARRAY['g' || i % 100, 'h, ' || i % 70, nullif('n' || i % 5, 'n3')] END, ARRAY[i % 90, i % 17, NULL], "
        "CASE WHEN i % 13 > 0 THEN to_tsvector('simple', 'w' || i % 90 || ' o''' || i % 70 || ' x') END, "
        "CASE WHEN i % 9 > 0 THEN 'Ann' || i || ' Müller%_' || i % 50 END, 'the foxes' || i % 80 || ' running', i % 3"
    )
    .replace("{{", "{")
    .replace("}}", "}")
)

READS = [
    "SELECT id FROM t WHERE doc @> '{{\"a\": {{\"b\": {n}}}}}' ORDER BY id",
    "SELECT id, doc FROM t WHERE doc @> '{{\"t\": [\"t{m}\"]}}' AND part = 1 ORDER BY id",
    "SELECT count(*) FROM t WHERE '\"t{m}\"' <@ doc OR doc ? 'k{n}'",
    "SELECT id FROM t WHERE doc @> '[{m}.5]' OR doc @> '{{\"k{m}\": \"v\\\"{n}\"}}' ORDER BY id",
    "SELECT id FROM t WHERE doc ?| ARRAY['k{m}', NULL, 't7'] ORDER BY id",
    "SELECT id FROM t WHERE doc ?& ARRAY['k{m}', 't'] ORDER BY id",
    "SELECT id FROM t WHERE tags @> ARRAY['g{m}', 'h, {m}'] ORDER BY id",
    "SELECT id FROM t WHERE tags && ARRAY['g{m}', 'h, {n}', NULL] ORDER BY id",
    "SELECT id FROM t WHERE tags = '{{g{m},\"h, {m}\",n2}}' OR ns && ARRAY[{n}] ORDER BY id",
    "SELECT id FROM t WHERE ns @> ARRAY[{m}, 3] ORDER BY id",
    "SELECT id FROM t WHERE ts @@ to_tsquery('simple', 'w{m} & !o''''{n}') ORDER BY id",
    "SELECT id FROM t WHERE ts @@ '''w{m}'' | ''o''''''''{m}'':*'::tsquery ORDER BY id",
    "SELECT id FROM t WHERE to_tsvector('english', body) @@ plainto_tsquery('english', 'fox foxes{m}') ORDER BY id",
    "SELECT id FROM t WHERE name ILIKE '%nN{n}%' ORDER BY id",
    "SELECT id FROM t WHERE name LIKE '%ü_ler\\%\\_{m}' ORDER BY id",
    "SELECT id FROM t WHERE lower(name) LIKE 'ann{n}%' ORDER BY id",
    "SELECT t.id, u.id FROM t LEFT JOIN t u ON u.id = t.id + 1 WHERE t.tags @> ARRAY['g{m}'] AND u.ns && ARRAY[{m}] ORDER BY 1",
    "SELECT part, count(*) FROM t WHERE tags @> ARRAY['g{m}'] GROUP BY part HAVING count(*) > 1 ORDER BY part",
    "SELECT * FROM t WHERE tags @> ARRAY['g{m}'] ORDER BY name DESC NULLS LAST, id LIMIT 5",
    "WITH x AS (SELECT id, part FROM t WHERE ts @@ 'w{m}'::tsquery) SELECT part, count(*) FROM x GROUP BY part ORDER BY part",
    "SELECT count(*) FROM t WHERE part = 1 AND NOT EXISTS (SELECT 1 FROM t u WHERE u.id = t.id + 1 AND u.tags && ARRAY['g{m}', 'g{n}'])",
    "SELECT count(*), sum(id), min(name), max(part + 1), avg(id) FROM t WHERE tags && ARRAY['g{m}', 'g{n}'] AND part < 2",
    "SELECT count(name), string_agg(name, ',' ORDER BY id) FROM t WHERE ts @@ 'w{m} | w7'::tsquery HAVING count(*) > 3",
    "SELECT name || '!', doc FROM t WHERE (tags @> ARRAY['g{m}'] AND part = 1) OR ns @> ARRAY[{m}, 3] ORDER BY part, id DESC",
    "SELECT DISTINCT part, 7 FROM t WHERE tags @> ARRAY['g{m}'] OR tags @> ARRAY['g1', 'h, 1'] ORDER BY part",
    "SELECT count(*) FROM t WHERE doc @> '{{\"a\": {{\"b\": {n}.0}}}}' AND tags && ARRAY['g{m}', 'n1', 'n2', 'n4']",
    "SELECT tags, ns FROM t WHERE tags @> ARRAY['g{m}'] AND ns && ARRAY[{m}, {n}] AND NOT ts @@ 'w{n}'::tsquery ORDER BY id",
    "SELECT count(*) FROM t WHERE NOT tags @> ARRAY['g{m}']",
    "SELECT id, (SELECT max(u.id) FROM t u WHERE u.part = t.part AND u.tags @> ARRAY['g{m}']) FROM t WHERE ns @> ARRAY[{m}, 5] ORDER BY id",
    "SELECT id FROM t WHERE doc @> NULL OR tags @> NULL::text[]",
    "SELECT id FROM t WHERE tags @> '{{}}' AND doc @> '{{}}' AND ts @@ to_tsquery('simple', '!w{m}') AND id < 40 ORDER BY id",
]  # fmt: skip

CHANGES = [
    "UPDATE t SET doc = jsonb_set(doc, '{{a,b}}', '{n}.00') WHERE id % 50 = {m} AND doc ? 'a'",
    "UPDATE t SET tags = tags || 'g{m}'::text WHERE id = {n}",
    "UPDATE t SET name = 'ANN{n}', body = 'a fox foxes{m}' WHERE id = {n} + 7",
    "UPDATE t SET part = part + 10, ts = ts || to_tsvector('simple', 'w{m} brought') WHERE tags @> ARRAY['g{m}'] AND id < 500",
    "DELETE FROM t WHERE doc @> '{{\"a\": {{\"b\": {n}}}}}'",
    "DELETE FROM t WHERE id = {n} * 3",
    "INSERT INTO t SELECT (SELECT max(id) FROM t) + i, " + VALUES.replace("{", "{{").replace("}", "}}") + " FROM generate_series({n}, {n} + 20) i",
    "INSERT INTO t (id, tags) SELECT max(id) + 1, ARRAY['g{m}'] FROM t",
]  # fmt: skip

INDEXES = [
    "gin (doc)", "gin (tags, ns)", "gin (ts)", "gin (to_tsvector('english', body))", "gin (name gin_trgm_ops)",
    "gist (lower(name) gist_trgm_ops)",
]  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, chunks and what is common are small."""
    monkeypatch.setattr(searching, "ROWS_MIN", 100)
    monkeypatch.setattr(searching, "SHARE", 2)
    monkeypatch.setattr(rows_by_id, "ONE_BY_ONE_MAX", 40)
    monkeypatch.setattr(rows_by_id, "TOGETHER_MAX", 60)
    monkeypatch.setattr(terms, "CHUNK_ROWS", 1_000)
    monkeypatch.setattr(terms, "BUCKET", 500)
    monkeypatch.setattr(terms, "COMMON_ROWS_MIN", 200)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether an index led to the rows, of each relation that one might lead to."""
    seen: list[bool] = []
    asked = searching._search

    def search(*given: object) -> object:
        made = asked(*given)  # type: ignore[arg-type]
        seen.append(made is not None)
        return made

    monkeypatch.setattr(searching, "_search", search)
    yield seen


@pytest.fixture
def by_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Whether the keyed engine had the answer, each time that it was asked."""
    seen: list[bool] = []
    asked = TermsRead.rows

    def rows(self: TermsRead, *given: Any) -> Any:
        made = asked(self, *given)
        seen.append(made is not None)
        return made

    monkeypatch.setattr(TermsRead, "rows", rows)
    yield seen


def _table(kind: str) -> list[str]:
    if kind == "keyed":
        return [f"CREATE TABLE t (id int PRIMARY KEY, {COLUMNS})"]
    if kind == "without a key":
        return [f"CREATE TABLE t (id int, {COLUMNS})"]
    return [
        f"CREATE TABLE t (id int, {COLUMNS}) PARTITION BY RANGE (id)",
        "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (MINVALUE) TO (1000)",
        f"CREATE TABLE t2 (part int, {COLUMNS.removesuffix(', part int')}, id int)",
        "ALTER TABLE t ATTACH PARTITION t2 FOR VALUES FROM (1000) TO (MAXVALUE)",
    ]


async def _filled(server: Server, kind: str) -> Client:
    client = server.client("a")
    await client.query("CREATE EXTENSION pg_trgm")
    for text in _table(kind):
        await client.query(text)
    for key in INDEXES:
        await client.query(f"CREATE INDEX ON t USING {key}")
    await client.query(f"INSERT INTO t SELECT i, {VALUES} FROM generate_series(1, {ROWS}) i")
    return client


def _made(rng: random.Random, text: str) -> str:
    return text.format(n=rng.randrange(300), m=rng.randrange(40))


async def _asked_both_ways(client: Client, text: str, *, in_block: bool) -> bool:
    """The answer with indexes is the one without."""
    found = await client.rows(text)
    looked_through = re.sub(
        r"\b(FROM|JOIN) t (?:(u) )?", lambda m: f"{m[1]} (SELECT * FROM t OFFSET 0) {m[2] or 't'} ", text
    )
    assert found == await client.rows(looked_through), text
    return True


async def _known(client: Client) -> None:
    """Indexes are made when they are first asked for, beside the loop."""
    for text in READS:
        await client.rows(text.format(n=3, m=4))
    await client.session.executor.store.settled()


@pytest.mark.parametrize("kind", ["keyed", "without a key", "partitioned"])
@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_what_is_found_by_parts(kind: str, in_block: bool, searches: list[bool], by_key: list[bool]) -> None:
    async def run() -> None:
        rng = random.Random(11)
        async with Server() as server:
            client = await _filled(server, kind)
            await _known(client)

            async def second_run() -> None:
                await client.query(
                    f"INSERT INTO t SELECT 50000 + i, {VALUES} FROM generate_series(1, 6000) i"
                )
                searches.clear()
                await _known(client)

            await answers_hold(
                client, rng, READS, CHANGES, _made, _asked_both_ways, in_block=in_block, second_run=second_run
            )
            assert sum(searches) > len(searches) // 2
            assert in_block or kind != "keyed" or sum(by_key) > 20

    asyncio.run(run())


def test_a_snapshot_finds_what_was() -> None:
    """Rows that others have changed since are found as they were."""

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server, "keyed"), server.client("b")
            await _known(client)
            asked = "SELECT id, name FROM t WHERE tags @> ARRAY['g7'] ORDER BY id"
            await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            was, ts = await client.rows(asked), await now(client)
            await other.query("UPDATE t SET tags = ARRAY['g7'], name = 'new' WHERE id < 50")
            await other.query("DELETE FROM t WHERE tags @> ARRAY['g7'] AND id > 900")
            assert await client.rows(asked) == was
            await client.query("COMMIT")
            assert await client.rows(f"{asked} AS OF TIMESTAMP {ts}") == was
            present = await client.rows(asked)
            assert [row[0] for row in present[:49]] == list(range(1, 50))
            await _asked_both_ways(client, asked, in_block=False)

    asyncio.run(run())


def test_definitions_change_beside_it() -> None:
    """A table that is altered, emptied, renamed or without its index is searched as it is."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server, "keyed")
            asked = "SELECT id FROM t WHERE tags @> ARRAY['g7'] AND doc @> '{\"t\": [\"t7\"]}' ORDER BY id"
            for text in (
                "ALTER TABLE t ADD COLUMN more int DEFAULT 5",
                "ALTER TABLE t DROP COLUMN ns",
                "UPDATE t SET tags = tags || 'g7'::text WHERE id % 100 = 5",
                "ALTER TABLE t RENAME COLUMN tags TO labels",
                "ALTER TABLE t RENAME COLUMN labels TO tags",
                "ALTER TABLE t ALTER COLUMN part TYPE bigint",
                "DROP INDEX t_tags_ns_idx",
                "TRUNCATE t",
                f"INSERT INTO t (id, tags, doc) SELECT i, ARRAY['g' || i % 9], '{{\"t\": [\"t7\"]}}' FROM generate_series(1, {ROWS}) i",
            ):
                try:
                    await client.query(text)
                except Failed:
                    assert text.startswith("DROP INDEX"), text  # it went with a column of its
                for _ in range(2):
                    if "TO labels" not in text:
                        await _asked_both_ways(client, asked, in_block=False)
                    await client.session.executor.store.settled()

    asyncio.run(run())


def test_it_is_made_anew_after_a_restart(searches: list[bool]) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server, "keyed")
            await client.query("UPDATE t SET tags = tags || 'g7'::text WHERE id % 100 = 5")
            asked = "SELECT id FROM t WHERE tags @> ARRAY['g7'] ORDER BY id"
            was = await client.rows(asked)
            await server.restart()
            client = server.client("c")
            for _ in range(2):
                searches.clear()
                assert await client.rows(asked) == was
                await client.session.executor.store.settled()
            assert searches and all(searches)

    asyncio.run(run())


def test_one_that_has_no_room_is_not_kept(searches: list[bool]) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server, "keyed")
            kept = client.session.executor.store.terms_kept
            kept.bytes_max = 1_000
            for _ in range(3):
                await _known(client)
            assert not any(searches)
            await _asked_both_ways(client, READS[0].format(n=3, m=4), in_block=False)

    asyncio.run(run())


def test_an_index_has_a_size_when_it_is_known() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server, "keyed")
            size = "SELECT pg_relation_size('t_doc_idx')"
            assert await client.rows(size) == [(0,)]
            await _known(client)
            assert (await client.rows(size))[0][0] > 10_000

    asyncio.run(run())


def test_few_rows_are_the_keyed_engines(by_key: list[bool]) -> None:
    """Also beside writes, of others and in bulk; who wrote in his own block is answered by DuckDB."""

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server, "keyed"), server.client("b")
            await _known(client)
            asked = (
                "SELECT id, part FROM t WHERE tags @> ARRAY['g7'] AND part < 2 ORDER BY part, id DESC LIMIT 7"
            )

            async def answered() -> bool:
                by_key.clear()
                await _asked_both_ways(client, asked, in_block=False)
                return by_key == [True]

            assert await answered()
            for i in range(40):
                await other.query(
                    f"UPDATE t SET tags = ARRAY['g{7 + i % 3}'], part = {i % 4} WHERE id = {i * 70 + 3}"
                )
                assert await answered()
            await other.query("DELETE FROM t WHERE tags @> ARRAY['g7'] AND part = 0")
            await _asked_both_ways(client, asked, in_block=False)
            await client.query("BEGIN")
            await client.query("INSERT INTO t (id, tags, part) VALUES (90001, '{g7}', 1)")
            await _asked_both_ways(client, asked, in_block=True)
            await client.query("ROLLBACK")
            await other.query(f"INSERT INTO t SELECT 50000 + i, {VALUES} FROM generate_series(1, 3000) i")
            await _asked_both_ways(client, asked, in_block=False)
            await client.session.executor.store.settled()
            await _asked_both_ways(client, asked, in_block=False)

    asyncio.run(run())
