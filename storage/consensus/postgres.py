"""Consensus in a table of a PostgreSQL: for several machines on one environment.

    tidewire_log(shard text, seqno bigint, token bytea, data bytea, primary key (shard, seqno))

An append is one statement in its own transaction: insert if the entry before is there, and let the
primary key decide between writers. `synchronous_commit` is switched on for our sessions whatever the
server's default is, so an answered append is on its disk.

**What a lost connection means.** Before the statement was sent nothing can have happened
(Determinate); after that it may have (Indeterminate), and whoever asked asks again with its token.
A connection that failed is thrown away, never used again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg import errors as pgx

from storage.abc import (
    Determinate,
    FormatTooNew,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    ShardId,
    StorageFull,
)
from storage.consensus.watch import Watch

FORMAT_VERSION = 1

CONNECTIONS_MAX = 4
"""Of one process. One append is under way per shard and process; the rest are reads."""

OPERATION_TIMEOUT_S = 60.0
"""An answer that takes longer is lost: the connection is closed, the outcome unknown."""

_NETWORK: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}

_SETUP_LOCK = 0x54574C47  # an advisory lock: only one process at a time creates the tables

_SETUP = (
    "CREATE TABLE IF NOT EXISTS tidewire_format (version int NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tidewire_log (shard text NOT NULL, seqno bigint NOT NULL,"
    " token bytea NOT NULL, data bytea NOT NULL, PRIMARY KEY (shard, seqno))",
    # Entries are small and already dense: no attempts to compress them.
    "ALTER TABLE tidewire_log ALTER COLUMN data SET STORAGE EXTERNAL",
)

_APPEND = """
INSERT INTO tidewire_log (shard, seqno, token, data)
SELECT %(shard)s, %(expected)s + 1, %(token)s, %(data)s
WHERE CASE WHEN %(expected)s = 0
    THEN NOT EXISTS (SELECT 1 FROM tidewire_log WHERE shard = %(shard)s)
    ELSE EXISTS (SELECT 1 FROM tidewire_log WHERE shard = %(shard)s AND seqno = %(expected)s)
    END
ON CONFLICT DO NOTHING
"""

CHANNEL = "tidewire_log"
"""Where appends to an announced log are told of, as `shard seqno`, when they are durable."""

_APPEND_AND_TELL = f"""
WITH appended AS ({_APPEND} RETURNING seqno)
SELECT pg_notify('{CHANNEL}', %(shard)s::text || ' ' || seqno) FROM appended
"""

_LOST = """
SELECT (SELECT token FROM tidewire_log WHERE shard = %(shard)s AND seqno = %(expected)s + 1),
    (SELECT coalesce(max(seqno), 0) FROM tidewire_log WHERE shard = %(shard)s)
"""

_Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class PostgresConsensus:
    """See `storage.abc.Consensus`. Use `open`."""

    synchronous = False

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._idle: list[_Connection] = []
        self._slots = asyncio.Semaphore(CONNECTIONS_MAX)
        self._closed = False
        self.announced: set[ShardId] = set()
        """Logs whose appends are told to whoever LISTENs: a few microseconds more for each."""

    @classmethod
    async def open(cls, dsn: str) -> PostgresConsensus:
        """Connects and creates the tables where needed. Raises Determinate, FormatTooNew."""
        self = cls(dsn)
        try:
            async with self._connection() as c, c.transaction():
                await c.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                for statement in _SETUP:
                    await c.execute(statement)
                row = await (await c.execute("SELECT max(version) FROM tidewire_format")).fetchone()
                version = None if row is None else row[0]
                if version is None:
                    await c.execute("INSERT INTO tidewire_format VALUES (%s)", (FORMAT_VERSION,))
                elif version > FORMAT_VERSION:
                    raise FormatTooNew(
                        f"the consensus tables have format {version}, this is {FORMAT_VERSION}"
                    )
        except Indeterminate as e:
            await self.close()
            raise Determinate(str(e)) from e  # setting up twice is setting up once
        except BaseException:
            await self.close()
            raise
        return self

    def watch(self, shard: ShardId) -> Watch:
        """Hears of others' appends to one log (`open_watch`)."""
        from storage.consensus.postgres_watch import PostgresWatch

        return PostgresWatch(self, shard)

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        values = {"shard": shard, "expected": expected_seqno, "data": data, "token": token}
        async with self._connection() as c:
            append = _APPEND_AND_TELL if shard in self.announced else _APPEND
            if (await c.execute(append, values)).rowcount == 1:
                return expected_seqno + 1
            row = await (await c.execute(_LOST, values)).fetchone()
        assert row is not None, "a SELECT without FROM has a row"
        if row[0] is not None and bytes(row[0]) == token:
            return expected_seqno + 1
        raise SeqnoMismatch(shard, expected_seqno, row[1])

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        raise AssertionError("a remote consensus is not to be waited for on the loop")

    async def head(self, shard: ShardId) -> LogEntry | None:
        rows = await self._fetch(
            "SELECT seqno, data FROM tidewire_log WHERE shard = %s ORDER BY seqno DESC LIMIT 1", (shard,)
        )
        return LogEntry(rows[0][0], rows[0][1]) if rows else None

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        rows = await self._fetch(
            "SELECT seqno, data FROM tidewire_log WHERE shard = %s AND seqno >= %s ORDER BY seqno LIMIT %s",
            (shard, from_seqno, limit),
        )
        return [LogEntry(seqno, data) for seqno, data in rows]

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        async with self._connection() as c:
            cursor = await c.execute(
                "DELETE FROM tidewire_log WHERE shard = %(shard)s AND seqno < %(below)s"
                " AND seqno < (SELECT max(seqno) FROM tidewire_log WHERE shard = %(shard)s)",
                {"shard": shard, "below": below_seqno},
            )
            return cursor.rowcount

    async def shards(self) -> list[ShardId]:
        rows = await self._fetch("SELECT DISTINCT shard FROM tidewire_log", ())
        return sorted(row[0] for row in rows)

    async def delete(self, shard: ShardId) -> None:
        async with self._connection() as c:
            await c.execute("DELETE FROM tidewire_log WHERE shard = %s", (shard,))

    async def close(self) -> None:
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    async def _fetch(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        async with self._connection() as c:
            return await (await c.execute(sql, values, binary=True)).fetchall()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[_Connection]:
        """A connection in autocommit; errors become this room's, and end the connection."""
        async with self._slots:
            if self._closed:
                raise Determinate("the consensus is closed")
            connection = await self._take()
            try:
                async with asyncio.timeout(OPERATION_TIMEOUT_S):
                    yield connection
            except psycopg.Error as e:
                await connection.close()
                raise _translated(e) from e
            except TimeoutError as e:
                await connection.close()
                raise Indeterminate(f"consensus: no answer in {OPERATION_TIMEOUT_S} s") from e
            except (SeqnoMismatch, FormatTooNew):
                self._idle.append(connection)
                raise
            except BaseException:  # cancelled half-way: its protocol state is unknown
                await connection.close()
                raise
            else:
                self._idle.append(connection)

    async def _take(self) -> _Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not connection.broken:
                return connection
        return await self.connect()

    async def connect(self) -> _Connection:
        """A connection that is the caller's alone, and his to close. Raises Determinate."""
        try:
            connection = await psycopg.AsyncConnection.connect(
                self._dsn, autocommit=True, application_name="tidewire", **_NETWORK
            )
            try:
                await connection.execute("SET synchronous_commit = on")
            except BaseException:
                await connection.close()
                raise
            return connection
        except psycopg.Error as e:
            raise Determinate(f"consensus: {e}") from e


def _translated(e: psycopg.Error) -> Exception:
    text = f"consensus: {e}"
    if isinstance(e, pgx.DiskFull | pgx.OutOfMemory):
        return StorageFull(text)
    if e.sqlstate is not None and not e.sqlstate.startswith(("08", "57P", "58", "XX")):
        return Determinate(text)  # the server refused the statement: it was rolled back
    return Indeterminate(text)
