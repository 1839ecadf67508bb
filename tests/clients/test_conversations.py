"""Conversations that no driver leads, played on PostgreSQL and here: every message of the answers, and how the connection ends.

Steps are what is sent at once; between them the client waits for what the step before is answered with.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.pgwire.live import Client
from tests.pgwire.script import decode, encode
from tests.server.process import ServerProcess

Step: TypeAlias = Sequence[str]
HALF_CLOSED: Final = "half closed"
"""The client says nothing more, and waits."""

CONVERSATIONS: dict[str, Sequence[Step]] = {
    "a statement that takes its time is answered to a client that has closed its side": (
        ["Query SELECT pg_sleep(0.2), 5", HALF_CLOSED],
    ),
    "so is all that was said before": (
        [
            "Query SELECT 1",
            "Query SELECT pg_sleep(0.1)",
            "Query INSERT INTO said VALUES (1) RETURNING a",
            "Query BEGIN",
            "Query INSERT INTO said VALUES (2)",
            "Query COMMIT",
            "Query SELECT count(*) FROM generate_series(1, 100000)",
            HALF_CLOSED,
        ],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "a goodbye ends nothing that was said before it": (
        ["Query SELECT pg_sleep(0.1)", "Query INSERT INTO said VALUES (3)", "Terminate", HALF_CLOSED],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "prepared ones": (
        [
            "Parse text=SELECT pg_sleep(0.1), $1::int",
            "Bind values=7",
            "Describe portal=",
            "Execute",
            "Sync",
            "Query SELECT 8",
            HALF_CLOSED,
        ],
    ),
    "a message that is cut off is none": (["Query SELECT 1", "Raw 51000000", HALF_CLOSED],),
    "a block that is left open has not been": (
        ["Query BEGIN", "Query INSERT INTO said VALUES (4)", "Query SELECT pg_sleep(0.1)", HALF_CLOSED],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "a long answer": (
        ["Query SELECT repeat('x', 1000), g FROM generate_series(1, 5000) g", HALF_CLOSED],
    ),
    "rows of a COPY and what follows": (
        ["Query COPY said FROM stdin", r"CopyData 5\n", "CopyDone", "Query SELECT 3", HALF_CLOSED],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "rows of a COPY that have no end": (
        ["Query COPY said FROM stdin", r"CopyData 6\n", HALF_CLOSED],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "with an eye on clients nobody is waited for": (
        ["Query SET client_connection_check_interval = 100"],
        ["Query SELECT pg_sleep(60)", HALF_CLOSED],
    ),
    "something else among rows of a COPY": (
        ["Query COPY said FROM stdin", r"CopyData 7\n", "Query SELECT 1", "Query SELECT 2"],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "a goodbye among them": (
        ["Query COPY said FROM stdin", r"CopyData 8\n", "Terminate", HALF_CLOSED],
        ["Query SELECT * FROM said ORDER BY a"],
    ),
    "no message begins with a zero": (["Query SELECT 1"], ["Raw 0000000004", "Query SELECT 2"]),
    "a portal reads as of its Bind, whatever comes between": (
        ["Query BEGIN"],
        [
            "Parse text=SELECT a FROM said ORDER BY a",
            "Bind portal=all",
            "Parse text=SELECT count(*) FROM said",
            "Bind portal=counted",
            "Sync",
        ],
        ["Query DELETE FROM said"],
        ["Execute portal=all limit=2", "Execute portal=counted", "Execute portal=all", "Sync"],
        ["Query SELECT count(*) FROM said"],
        ["Query ROLLBACK"],
    ),
    "and so it does beside prepared writes": (
        ["Query BEGIN"],
        [
            "Parse text=SELECT a FROM said ORDER BY a",
            "Bind portal=all",
            "Parse text=DELETE FROM said WHERE a = $1",
            "Bind values=2",
            "Execute",
            "Execute portal=all",
            "Sync",
        ],
        ["Parse text=SELECT a FROM said WHERE a = 1", "Bind portal=one", "Sync"],
        ["Parse text=UPDATE said SET a = 100 WHERE a = 1", "Bind", "Execute", "Sync"],
        ["Execute portal=one", "Sync"],
        ["Query ROLLBACK"],
    ),
    "an error that is found so waits for who asks for rows": (
        ["Query BEGIN"],
        ["Parse text=SELECT 1 / (a - 1) FROM said WHERE a = 1", "Bind portal=bad", "Sync"],
        ["Query DELETE FROM said"],
        ["Query SELECT count(*) FROM said"],
        ["Execute portal=bad", "Sync"],
        ["Query ROLLBACK"],
    ),
    "what is to be alone is not within a pipeline": (
        [
            "Parse text=SELECT 1", "Bind", "Execute",
            "Parse text=VACUUM said", "Bind", "Execute", "Sync",
        ],
        ["Query SELECT 1; VACUUM said"],
        ["Query BEGIN", "Query VACUUM said", "Query ROLLBACK"],
    ),
    "in a failed block nothing is bound, not even nothing": (
        ["Query BEGIN"],
        ["Query SELECT 1/0"],
        ["Query  "],
        ["Parse text=", "Bind", "Execute", "Sync"],
        ["Parse text=ROLLBACK", "Bind", "Describe portal=", "Execute", "Sync"],
    ),
}  # fmt: skip


@contextlib.contextmanager
def connected(address: tuple[str, int], user: str) -> Iterator[Client]:
    with Client(address[1], address[0]) as client:
        client.startup(user=user, database="postgres")
        assert client.until_ready()[-1] == "ReadyForQuery I"
        yield client


def answers(client: Client, end: int) -> Iterator[str]:
    """Up to the `end`th answer that says that the next may be asked, or up to the end."""
    while end:
        found = client.frame()
        if found is None:
            yield "closed"
            return
        kind, payload = found
        end -= kind == "Z"
        yield decode(kind, payload)


def played(dsn: str) -> dict[str, list[str]]:
    """Each conversation has connections of its own: a new one wherever the last has ended."""
    place = conninfo_to_dict(dsn)
    address, user = (str(place["host"]), int(str(place["port"]))), str(place["user"])
    with psycopg.connect(dsn, dbname="postgres", autocommit=True) as c:
        c.execute("CREATE TABLE said (a int PRIMARY KEY)")
    seen: dict[str, list[str]] = {}
    with contextlib.ExitStack() as stack:
        for name, steps in CONVERSATIONS.items():
            seen[name], client = [], stack.enter_context(connected(address, user))
            for step in steps:
                if seen[name][-1:] == ["closed"]:
                    client = stack.enter_context(connected(address, user))
                said = [line for line in step if line != HALF_CLOSED]
                client.send(b"".join(map(encode, said)))
                if HALF_CLOSED in step:
                    client.socket.shutdown(socket.SHUT_WR)
                asked = len([line for line in said if line.startswith(("Query", "Sync"))])
                seen[name] += answers(client, 1 + asked if HALF_CLOSED in step else asked)
    with psycopg.connect(dsn, dbname="postgres", autocommit=True) as c:
        c.execute("DROP TABLE said")
    return seen


def test_answered_alike(server: ServerProcess, postgres: str) -> None:
    here = played(f"host=127.0.0.1 port={server.port} user=tidewire dbname=postgres")
    for name, theirs in played(postgres).items():
        assert here[name] == theirs, name
