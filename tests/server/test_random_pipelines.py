"""Pipelines by chance, sent to PostgreSQL and to Tidewire: the same replies, message by message.

A driver that sends ahead (psycopg's pipelines, libpq's, pgx's batches) finds out late that a statement has failed, and that the
server has skipped what came behind it, Parse included: what it then believes to be prepared is 26000. So which statements have
names, which portals are open and what is committed has to be the same after every error, wherever Sync stands.

    Parse s1 | Bind s1 | Execute | Parse s2 (fails) | Bind s1 | Parse s3 (skipped) | Sync | Bind s3: 26000 | Sync
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.pgwire.live import Client
from tests.pgwire.script import encode
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres

Address = tuple[str, int, str, str]

STATEMENTS = {
    "SELECT $1::int + 1": 1,
    "INSERT INTO ahead VALUES ($1::int, 'x')": 1,
    "INSERT INTO ahead VALUES ($1, $2)": 2,
    "INSERT INTO ahead VALUES ($1::int, 'x') RETURNING a": 1,
    "INSERT INTO ahead VALUES (1, 'd') ON CONFLICT DO NOTHING": 0,
    "INSERT INTO ahead SELECT g, 'g' FROM generate_series(1, $1::int) g": 1,
    "SELECT a FROM ahead ORDER BY a": 0,
    "SELECT a, b FROM ahead WHERE a = $1": 1,
    "SELECT count(*) FROM ahead": 0,
    "UPDATE ahead SET b = b || 'y' WHERE a = $1": 1,
    "DELETE FROM ahead WHERE a = $1": 1,
    "VALUES (1), (2), (3)": 0,
    "SELECT $1": 1,
    "": 0,
    "SELEC": 0,
    "SELECT * FROM nowhere": 0,
    "SELECT nothing FROM ahead": 0,
    "BEGIN": 0,
    "COMMIT": 0,
    "ROLLBACK": 0,
    "SAVEPOINT s": 0,
    "ROLLBACK TO s": 0,
    "DEALLOCATE s1": 0,
    "DEALLOCATE ALL": 0,
    "PREPARE s2 AS SELECT 2": 0,
    "EXECUTE s2": 0,
    "EXECUTE s3(4)": 0,
    "CREATE TEMP TABLE also(a int)": 0,
    "INSERT INTO also VALUES (1)": 0,
    "DROP TABLE also": 0,
}
NAMES = ("", "", "s1", "s2", "s3")
SETUP = "DROP TABLE IF EXISTS ahead; CREATE TABLE ahead (a int PRIMARY KEY, b text); INSERT INTO ahead VALUES (1, 'one'), (2, 'two')"


def pipeline(chance: random.Random) -> list[str]:
    """Messages, Syncs among them; a Query only behind a Sync, for whoever sends one counts its ReadyForQuery."""
    lines: list[str] = []
    text = dict.fromkeys(NAMES, "")
    for _ in range(chance.randint(4, 24)):
        name, kind = chance.choice(NAMES), chance.random()
        if kind < 0.3:
            text[name] = chance.choice(list(STATEMENTS))
            lines.append(f"Parse name={name} text={text[name]}")
        elif kind < 0.8:
            values = ",".join(
                chance.choice(("0", "1", "2", "5", "6", "x", "NULL"))
                for _ in range(STATEMENTS[text[name]] + (chance.random() < 0.03))
            )
            portal = chance.choice(("", "", "", "p"))
            lines.append(
                f"Bind portal={portal} stmt={name} values={values} results={chance.choice(('', '0', '1'))}"
            )
            if chance.random() < 0.6:
                lines.append(f"Describe portal={portal}")
            if chance.random() < 0.95:
                lines.append(f"Execute portal={portal} limit={chance.choice((0, 0, 0, 1, 2))}")
        elif kind < 0.86:
            lines.append(f"Describe stmt={name}")
        elif kind < 0.9:
            lines.append(chance.choice((f"Close stmt={name}", "Close portal=p", "Flush")))
        else:
            lines += ["Sync", f"Query {chance.choice([s for s, count in STATEMENTS.items() if not count])}"]
        if chance.random() < 0.3:
            lines.append("Sync")
    return [*lines, "Sync"]


def answers(address: Address, lines: list[str]) -> list[str]:
    host, port, user, database = address
    with Client(port, host) as client:
        client.startup(user=user, database=database)
        client.until_ready()
        client.send(encode(f"Query {SETUP}"))
        client.until_ready()
        client.send(b"".join(map(encode, lines)))
        replies: list[str] = []
        for line in lines:
            if line == "Sync" or line.startswith("Query"):
                replies += client.until_ready()
        return replies


@pytest.fixture(scope="module")
def postgres() -> Iterator[Address]:
    try:
        with running_postgres() as url:
            parts = urlsplit(url)
            yield (
                parts.hostname or "127.0.0.1",
                parts.port or 5432,
                parts.username or "postgres",
                parts.path.strip("/") or "postgres",
            )
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("part", range(4))
def test_what_is_left_after_errors_is_the_same(postgres: Address, server: ServerProcess, part: int) -> None:
    address = (server.host, server.port, "tidewire", "tidewire")
    for seed in range(part * 40, part * 40 + 40):
        lines = pipeline(random.Random(seed))
        assert answers(address, lines) == answers(postgres, lines), (seed, lines)
