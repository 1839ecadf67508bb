"""What a driver does when its executors have written their files: one transaction that makes rows of them.

    BEGIN
      has this writer committed this batch already?  then that is all           tidewire_spark.commits
      CREATE TABLE IF NOT EXISTS t                                              a table that is to be made
      DELETE FROM t                                                             overwrite
      COPY t FROM 'staging/...' (FORMAT parquet, FILES ..., MODE ...)           for each table
      the batch's number into tidewire_spark.commits
    COMMIT

The number rides in the same transaction as the rows, so the two cannot part: whoever commits a batch again (a sink
after a crash, a driver whose connection broke in the very COMMIT) finds the number and leaves it at that. When this
returns, the server has answered the COMMIT: the global timestamp has reached it, and whoever hears of it from us
can read the rows.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import errors, sql

from pipeline.spark.server import CONNECT_TIMEOUT_S, TidewireError, explained, qualified

ATTEMPTS_MAX = 12
BACKOFF_FIRST_S, BACKOFF_MAX_S = 0.1, 5.0
LEDGER = "tidewire_spark.commits"
"""In a schema that no user is called like: `"$user"` is the first place where names are looked for, and made."""
_LEDGER = (
    "CREATE SCHEMA IF NOT EXISTS tidewire_spark",
    f"CREATE TABLE IF NOT EXISTS {LEDGER} (writer text PRIMARY KEY, batch bigint NOT NULL,"
    " committed timestamptz NOT NULL DEFAULT now())",
)

_RIGHTS = (
    f"HINT: Which writes were committed is kept in {LEDGER}. A superuser's first write makes it; a role that is none"
    " needs GRANT USAGE ON SCHEMA tidewire_spark and GRANT SELECT, INSERT, UPDATE, DELETE ON tidewire_spark.commits."
)


@dataclass(frozen=True)
class StagedTable:
    """Files for one table. `mode`: append, upsert, delete; `overwrite` empties the table first, `create` makes it."""

    table: str
    folder: str
    files: Sequence[str] = field(default_factory=tuple)
    columns: Sequence[str] = field(default_factory=tuple)
    mode: str = "append"
    overwrite: bool = False
    create: str = ""


def commit(url: str, writer: str, batch: int, tables: Sequence[StagedTable], *, last: bool = False) -> bool:
    """Commits the batch, once. False: it had been committed before. Raises TidewireError; then nothing was written.

    `last`: the writer will never ask again, and leaves the ledger once it has its answer.
    What may pass (a conflict with another transaction, a broken connection) is tried again a bounded number of times.
    """
    delay_s, said = BACKOFF_FIRST_S, TidewireError("the commit was not tried")
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            time.sleep(delay_s * (0.5 + random.random()))
            delay_s = min(2 * delay_s, BACKOFF_MAX_S)
        try:
            # Closed, and no more: nothing may fail between what is forgotten and the answer, or it would be done again.
            with closing(
                psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
            ) as connection:
                _prepare(connection)
                fresh = _commit(connection, writer, batch, tables)
                if last:
                    _forget(connection, writer)
                return fresh
        except (errors.SerializationFailure, errors.DeadlockDetected) as e:
            said = explained(e)
        except psycopg.OperationalError as e:
            # The answer of the COMMIT may be what was lost: the ledger tells at the next attempt.
            said = explained(e)
            if e.sqlstate is not None and not e.sqlstate.startswith(("08", "57", "53300")):
                raise said from None
            if attempt >= 4 and e.sqlstate is None:
                raise TidewireError(f"the server cannot be reached: {said}") from None
        except psycopg.Error as e:
            raise explained(e) from None
    raise said


def _prepare(connection: psycopg.Connection[Any]) -> None:
    """Makes the ledger where it is not: several writers may try at once."""
    with _of_the_ledger():
        found = connection.execute("SELECT to_regclass(%s)", [LEDGER]).fetchone()
        if found is not None and found[0] is not None:
            return
        for statement in _LEDGER:
            # Another one may be faster.
            with suppress(errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateSchema):
                connection.execute(statement)


@contextmanager
def _of_the_ledger() -> Iterator[None]:
    """Who may write the table, and not the ledger, is told what is missing."""
    try:
        yield
    except errors.InsufficientPrivilege as e:
        raise TidewireError(f"{explained(e)}\n{_RIGHTS}", e.sqlstate or "") from None


def _commit(
    connection: psycopg.Connection[Any], writer: str, batch: int, tables: Sequence[StagedTable]
) -> bool:
    with connection.transaction():
        with _of_the_ledger():
            row = connection.execute(f"SELECT batch FROM {LEDGER} WHERE writer = %s", [writer]).fetchone()
        if row is not None and row[0] >= batch:
            return False
        for staged in tables:
            name = sql.SQL(qualified(staged.table))
            if staged.create:
                connection.execute(staged.create.encode())
            if staged.overwrite:
                connection.execute(sql.SQL("DELETE FROM {}").format(name))
            if staged.files:
                connection.execute(_copy(name, staged))
        with _of_the_ledger():
            connection.execute(
                f"INSERT INTO {LEDGER} (writer, batch) VALUES (%s, %s)"
                " ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, committed = now()",
                [writer, batch],
            )
    return True


def _copy(name: sql.SQL, staged: StagedTable) -> sql.Composed:
    columns = sql.SQL(", ").join(map(sql.Identifier, staged.columns))
    return sql.SQL("COPY {} ({}) FROM {} (FORMAT parquet, MODE {}, FILES {})").format(
        name,
        columns,
        sql.Literal(staged.folder),
        sql.SQL(staged.mode),
        sql.Literal(json.dumps(list(staged.files))),
    )


def _forget(connection: psycopg.Connection[Any], writer: str) -> None:
    with suppress(psycopg.Error):  # a line too many in the ledger harms nobody
        connection.execute(f"DELETE FROM {LEDGER} WHERE writer = %s", [writer])
