"""A running stream keeps the history that it has not read yet.

The server keeps an hour of history, or as long as the table's `retention` says; and it takes nothing from under a
snapshot that somebody holds. So a stream holds one: an open transaction AS OF its offset, on a connection of its own, moved
on as the offset moves. A query that lags behind, because its sink is slow or was away, does not lose its place for that.

The hold is of the driver's process and ends with it. A query that is stopped has the hour (or the retention) to be started
again; a transaction itself may be held for a day.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from pipeline.spark.server import CONNECT_TIMEOUT_S, explained

STEP_US = 60_000_000
"""An offset that moved by less leaves the hold where it is."""
HISTORY_GONE = "22023"


class HistoryHold:
    """Keeps the history of a table from some timestamp on. Not to be pickled."""

    def __init__(self, url: str, table: str) -> None:
        self._url, self._table = url, table
        self._connection: psycopg.Connection[Any] | None = None
        self.ts = 0

    def move(self, ts: int) -> None:
        """Holds from `ts` on, and lets go what was before. Raises TidewireError where that history is gone already.

        A server that cannot be reached now is no reason to stop: whoever reads next is told.
        """
        if self._held() and self.ts <= ts < self.ts + STEP_US:
            return
        before = self._connection
        try:
            made = psycopg.connect(self._url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)
            made.execute("SET idle_in_transaction_session_timeout = 0")
            made.execute(f"BEGIN READ ONLY AS OF TIMESTAMP {ts:d}".encode())
            made.execute(sql.SQL("SELECT FROM {} LIMIT 0").format(sql.SQL(self._table)))
        except psycopg.Error as e:
            if e.sqlstate == HISTORY_GONE:
                raise explained(e) from None
            return
        self._connection, self.ts = made, ts
        if before is not None:
            before.close()

    def _held(self) -> bool:
        return self._connection is not None and not self._connection.closed

    def close(self) -> None:
        """Idempotent."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
