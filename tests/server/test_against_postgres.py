"""The same conversations with PostgreSQL and with Tidewire: the same replies, message by message.

PostgreSQL is the specification. Only object identifiers that each server gives out for itself are left
out of the comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.pgwire.live import Client
from tests.pgwire.script import encode
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres

SETUP = [
    "CREATE TABLE w (id int PRIMARY KEY, v text)",
    "INSERT INTO w VALUES (1, 'one'), (2, 'two'), (3, NULL)",
]

CONVERSATIONS = {
    "simple": ["Query SELECT id, v FROM w ORDER BY id", "Query UPDATE w SET v = v WHERE id = 9", "Query "],
    "several": ["Query SELECT 1; INSERT INTO w VALUES (7, 'x'); SELECT 2", "Query DELETE FROM w WHERE id = 7"],
    "several, one fails": ["Query INSERT INTO w VALUES (7, 'x'); SELECT 1/0; SELECT 2", "Query SELECT id FROM w WHERE id = 7"],
    "several, one is not SQL": ["Query INSERT INTO w VALUES (7, 'x'); SELEC 1", "Query SELECT id FROM w WHERE id = 7"],
    "begin inside": ["Query INSERT INTO w VALUES (8, 'x'); BEGIN; SELECT 1", "Query ROLLBACK", "Query SELECT id FROM w WHERE id = 8"],
    "commit inside": ["Query BEGIN; INSERT INTO w VALUES (8, 'x'); COMMIT; SELECT 1/0", "Query DELETE FROM w WHERE id = 8"],
    "failed block": ["Query BEGIN", "Query SELECT 1/0", "Query SELECT 1", "Query COMMIT", "Query SELECT 1"],
    "extended": [
        "Parse name=s text=SELECT v FROM w WHERE id = $1|Describe stmt=s|Sync",
        "Bind stmt=s values=1|Describe portal=|Execute|Sync",
        "Bind stmt=s values=2|Execute|Sync",
        "Bind stmt=s values=x|Execute|Sync",
        "Bind stmt=s|Execute|Sync",
        "Close stmt=s|Sync",
        "Bind stmt=s values=1|Execute|Sync",
    ],
    "binary": ["Parse text=SELECT id, v FROM w ORDER BY id|Bind results=1,0|Describe portal=|Execute|Sync"],
    "no rows": ["Parse text=DELETE FROM w WHERE id = $1|Describe stmt=|Bind values=99|Describe portal=|Execute|Sync"],
    "empty": ["Parse text=|Describe stmt=|Bind|Describe portal=|Execute|Sync"],
    "skipped until sync": ["Parse text=SELEC|Bind|Execute|Query SELECT 1|Sync", "Query SELECT 2"],
    "pipeline rolled back": [
        "Parse name=i text=INSERT INTO w VALUES ($1, 'p')|Bind stmt=i values=20|Execute|Bind stmt=i values=1|Execute"
        "|Bind stmt=i values=21|Execute|Sync",
        "Query SELECT id FROM w WHERE id >= 20",
    ],
    "a pipeline is no block": [
        "Parse text=INSERT INTO w VALUES (50, 'p')|Bind|Execute|Parse text=DECLARE c CURSOR FOR SELECT 1|Bind|Execute|Sync",
        "Parse text=DECLARE c CURSOR FOR SELECT 1|Bind|Execute|Parse text=FETCH c|Bind|Execute|Sync",
        "Query SELECT id FROM w WHERE id = 50", "Query DECLARE c CURSOR FOR SELECT id FROM w ORDER BY id; FETCH c",
        "Parse text=SELECT 1|Bind|Execute|Parse text=LOCK TABLE w|Bind|Execute|Sync",
        "Parse text=SET LOCAL search_path = nowhere|Bind|Execute|Parse text=SELECT id FROM w|Bind|Execute|Sync",
        "Parse text=SELECT 1|Bind|Execute|Parse text=SET LOCAL work_mem = 'x'|Bind|Execute|Sync",
        "Parse text=SET TRANSACTION READ ONLY|Bind|Execute|Parse text=DELETE FROM w|Bind|Execute|Sync",
        "Parse text=SELECT 1|Bind|Execute|Parse text=SET CONSTRAINTS ALL DEFERRED|Bind|Execute|Sync",
        "Parse text=BEGIN|Bind|Execute|Parse text=SET LOCAL work_mem = '1MB'|Bind|Execute|Parse text=LOCK TABLE w|Bind|Execute"
        "|Parse text=DECLARE c CURSOR FOR SELECT 1|Bind|Execute|Parse text=COMMIT|Bind|Execute|Sync",
        "Parse text=SELECT 1|Bind|Execute|Parse text=DO 'begin set local work_mem = 1024; end'|Bind|Execute|Sync",
    ],
    "row limits": [
        "Query BEGIN",
        "Parse name=s text=SELECT id FROM w ORDER BY id|Bind portal=p stmt=s|Execute portal=p limit=2|Sync",
        "Execute portal=p limit=1|Sync",
        "Execute portal=p limit=1|Sync",
        "Execute portal=p limit=1|Sync",
        "Query COMMIT",
        "Execute portal=p|Sync",
    ],
    "row limits and returning": [
        "Query BEGIN",
        "Parse text=UPDATE w SET v = v RETURNING 1|Bind portal=p|Execute portal=p limit=2|Execute portal=p limit=2|Sync",
        "Query ROLLBACK",
    ],
    "run twice": ["Query BEGIN", "Parse text=DELETE FROM w WHERE id = 99|Bind|Execute|Execute|Sync", "Query ROLLBACK"],
    "portals": [
        "Query BEGIN",
        "Parse name=s text=SELECT id FROM w ORDER BY id|Bind portal=a stmt=s|Bind portal=b stmt=s|Execute portal=a limit=1"
        "|Execute portal=b limit=2|Execute portal=a limit=1|Close portal=a|Execute portal=a limit=1|Sync",
        "Query ROLLBACK",
    ],
    "portals of what was undone": [
        "Query BEGIN", "Parse name=s text=SELECT id FROM w ORDER BY id|Bind portal=before stmt=s|Execute portal=before limit=1|Sync",
        "Query SAVEPOINT a", "Bind portal=p stmt=s|Execute portal=p limit=1|Sync", "Query ROLLBACK TO a",
        "Execute portal=p limit=1|Sync", "Query ROLLBACK TO a", "Execute portal=before limit=1|Sync",
        "Parse name=f text=SELECT 1 / (id - 1) FROM w|Bind portal=p stmt=f|Execute portal=p|Sync", "Query ROLLBACK TO a",
        "Bind portal=p stmt=s|Execute portal=p limit=1|Sync", "Parse text=ROLLBACK TO a|Bind portal=q|Execute portal=q|Sync",
        "Bind portal=p stmt=s|Execute portal=p limit=1|Sync", "Query ROLLBACK", "Close stmt=s|Close stmt=f|Sync",
    ],
    "portal exists": ["Query BEGIN", "Parse name=s text=SELECT 1|Bind portal=a stmt=s|Bind portal=a stmt=s|Sync", "Query ROLLBACK"],
    "statement exists": ["Parse name=s text=SELECT 1|Parse name=s text=SELECT 1|Sync"],
    "statement exists, and the other is wrong": ["Parse name=s text=SELECT 1|Parse name=s text=SELECT * FROM nowhere|Sync"],
    "a query ends the unnamed statement": ["Parse text=SELECT 1|Sync", "Query SELECT 2", "Bind|Execute|Sync"],
    "all but the unnamed one": ["Parse name=s text=SELECT 1|Parse text=DISCARD ALL|Bind|Execute|Bind|Sync", "Bind stmt=s|Sync"],
    "arguments that nobody wants": ["Query PREPARE s AS SELECT 1", "Query EXECUTE s(4, x)", "Query CREATE TEMP TABLE n AS EXECUTE s(4); TABLE n"],
    "two commands": ["Parse text=SELECT 1; SELECT 2|Sync"],
    "copy in": ["Query COPY w FROM STDIN|CopyData 30\\tx\\n|CopyData 31\\t\\\\N\\n|CopyDone", "Query DELETE FROM w WHERE id >= 30"],
    "copy fails": ["Query COPY w FROM STDIN|CopyData 30\\tx\\n|CopyFail why", "Query SELECT id FROM w WHERE id = 30"],
    "copy fails behind a bad line": [
        "Query COPY w FROM STDIN|CopyData 30\\tx\\nx\\ty\\n|CopyFail why", "Query COPY w FROM STDIN|CopyData 30\\tx\\n|CopyData x\\ty|CopyFail why",
        "Query COPY w FROM STDIN CSV|CopyData 30,x\\n31\\n|CopyFail why", "Query SELECT id FROM w WHERE id >= 30",
    ],
    "copy of a bad line": ["Query COPY w FROM STDIN|CopyData x\\tx\\n|CopyDone"],
    "copy out": ["Query COPY (SELECT id, v FROM w ORDER BY id) TO STDOUT"],
    "copy, extended": ["Parse text=COPY w FROM STDIN|Bind|Execute|Sync|CopyData 30\\tx\\n|CopyDone|Sync", "Query DELETE FROM w WHERE id = 30"],
    "functions": [
        "Function oid=2311 values=ABC", "Function oid=2311 values=NULL", "Function oid=2311 values=ABC result=1",
        "Function oid=177 values=4,5 formats=0", "Function oid=177 values=0x00000004,0x00000005 formats=1 result=1",
        "Function oid=177 values=0x00000004,5 formats=1,0", "Function oid=2626 values=0",
        "Function oid=89999 values=1", "Function oid=2311 values=a,b", "Function oid=1067 values=1,2",
        "Function oid=177 values=x,5", "Function oid=154 values=1,0", "Function oid=177 values=4,5 formats=0,1,0",
        "Function oid=2803 values=x", "Raw 4600000006aaaa", "Query SELECT 1",
    ],
    "functions in blocks": [
        "Query BEGIN", "Function oid=154 values=1,0", "Function oid=2311 values=A", "Query ROLLBACK",
        "Parse text=INSERT INTO w VALUES (40, 'f')|Bind|Execute|Function oid=2311 values=A|Sync",
        "Query ROLLBACK", "Query DELETE FROM w WHERE id = 40",
    ],
    "cursors as portals": [
        "Query BEGIN", "Query DECLARE c CURSOR FOR SELECT id FROM w ORDER BY id", "Query FETCH 1 FROM c",
        "Describe portal=c|Execute portal=c limit=1|Sync", "Query FETCH 1 FROM c", "Execute portal=c limit=1|Sync",
        "Execute portal=c|Execute portal=c|Sync", "Query FETCH BACKWARD 1 FROM c",
        "Parse text=SELECT 1|Bind portal=c|Sync", "Query ROLLBACK",
    ],
    "cursors run to the end": [
        "Query BEGIN; DECLARE c CURSOR FOR SELECT id FROM w ORDER BY id", "Execute portal=c|Close portal=c|Sync",
        "Query FETCH c", "Query ROLLBACK",
    ],
    "binary cursors": [
        "Query BEGIN", "Query DECLARE c BINARY CURSOR FOR SELECT id, v FROM w ORDER BY id", "Query FETCH 1 FROM c",
        "Query FETCH 1 FROM c; SELECT 1",
        "Parse text=FETCH 1 FROM c|Bind|Describe portal=|Execute|Sync", "Query MOVE ABSOLUTE 0 c",
        "Execute portal=c limit=1|Sync", "Query ROLLBACK",
    ],
    "not with others": [
        "Query SELECT 1; VACUUM", "Query BEGIN; COMMIT; VACUUM", "Query VACUUM; SELECT 1", "Query VACUUM",
        "Query CREATE DATABASE not_made; SELECT 1", "Query DROP DATABASE IF EXISTS not_made; SELECT 1",
        "Query CREATE INDEX CONCURRENTLY ON w (v); SELECT 1", "Query BEGIN", "Query CREATE DATABASE not_made",
        "Query ROLLBACK", "Query BEGIN", "Query CREATE INDEX CONCURRENTLY ON w (v)", "Query ROLLBACK",
        "Query BEGIN", "Query DISCARD ALL", "Query ROLLBACK",
        "Parse text=VACUUM|Bind|Execute|Sync",
    ],
    "malformed": ["Raw 510000000541", "Query SELECT 1"],
    "not a message": ["Raw 5a00000004"],
}  # fmt: skip


def _known(reply: str) -> str:
    """Without the log-only details that differ by design."""
    return re.sub(r"(FATAL 08P01 invalid frontend message type \d+)", r"\1", reply)


def _talk(host: str, port: int, user: str, database: str, steps: list[str]) -> list[str]:
    seen: list[str] = []
    with Client(port, host) as client:
        client.startup(user=user, database=database)
        client.until_ready()
        for step in steps:
            lines = step.split("|")
            seen += [f"> {line}" for line in lines]
            client.send(b"".join(encode(line) for line in lines))
            replies = client.until_ready()
            seen += [_known(reply) for reply in replies]
            if replies[-1] == "closed":
                break
    return seen


@pytest.fixture(scope="module")
def postgres() -> Iterator[tuple[str, int, str, str]]:
    try:
        with running_postgres() as url:
            parts = urlsplit(url)
            database = parts.path.strip("/") or "postgres"
            address = (
                parts.hostname or "127.0.0.1",
                parts.port or 5432,
                parts.username or "postgres",
                database,
            )
            _talk(*address, [f"Query {s}" for s in SETUP])
            yield address
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def tidewire(server: ServerProcess) -> Iterator[tuple[str, int, str, str]]:
    address = (server.host, server.port, "tidewire", "tidewire")
    _talk(*address, [f"Query {s}" for s in SETUP])
    yield address
    _talk(*address, ["Query DROP TABLE w"])


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_same_replies(
    postgres: tuple[str, int, str, str], tidewire: tuple[str, int, str, str], name: str
) -> None:
    steps = CONVERSATIONS[name]
    assert _talk(*tidewire, steps) == _talk(*postgres, steps)
