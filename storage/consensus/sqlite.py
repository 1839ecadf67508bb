"""Consensus in one SQLite file: for several servers of one machine, and for what was begun with it.

A group commit of the whole database is one `INSERT` in autocommit, on the event loop's own turn.
The table is as narrow as it can be: the primary key, a rowid, packs the shard's number and the
seqno, so an append touches one B-tree and the compare-and-append is the key's uniqueness.

    position (rowid)                  token    data
    [shard number | seqno, 41 bits]   bytes    bytes

Sketch: SQLite's own work is about 12 microseconds, the write-ahead log's fdatasync the rest (200 on
the disk this was measured on). The guard that keeps the log gapless (the entry before must exist)
reads the page that the insert is about to write, and costs 2.

Durability is `journal_mode=WAL, synchronous=FULL`: an answered append has been synced. Several
processes may share the file (not over a network file system): WAL lets one write at a time, and
the busy timeout queues the rest.

**One connection, one lock.** Appends on the loop and slower operations in a thread share the
connection under a mutex: two connections in one process would meet in SQLite's busy handler, which
sleeps whole milliseconds. Processes that `share` the file do meet, all the time. SQLite's handler is then
switched off: an append on the loop that finds another at work is `Busy` at once, and is tried again in the thread, at
intervals that fit an fdatasync. Looking whether a log has moved (`reader`) waits for nobody: in WAL mode readers never do.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn, TypeVar

from storage.abc import (
    Busy,
    CorruptBlob,
    Determinate,
    FormatTooNew,
    Indeterminate,
    LogEntry,
    SeqnoMismatch,
    ShardId,
    StorageFull,
)
from storage.consensus.append_process import AppendProcess

FORMAT_VERSION = 1
"""Stamped into `user_version`. A file with a greater one belongs to a newer Tidewire."""

APPLICATION_ID = 0x54574C47  # "TWLG": a file of somebody else's is not touched

_SEQNO_BITS = 41
_SEQNO_MAX = (1 << _SEQNO_BITS) - 1
_SHARD_MAX = (1 << (63 - _SEQNO_BITS)) - 1

_TRUNCATE_STEP = 1_000

BUSY_PAUSE_S = 0.0004
"""Between two tries of an append that met another process's: about an fdatasync."""

_T = TypeVar("_T")

_SCHEMA = (
    "CREATE TABLE shard (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE log (position INTEGER PRIMARY KEY, token BLOB NOT NULL, data BLOB NOT NULL)",
)

_APPEND = (
    "INSERT INTO log SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM log WHERE position = ?1 - 1)"
    " ON CONFLICT DO NOTHING"
)
_APPEND_FIRST = (
    "INSERT INTO log SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM shard WHERE number = ?4)"
    " AND NOT EXISTS (SELECT 1 FROM log WHERE position BETWEEN ?1 AND ?5) ON CONFLICT DO NOTHING"
)


class LogReader:
    """Looks whether there is anything in one log after a seqno, over a connection of its own: about 5 microseconds."""

    def __init__(self, path: str, shard: ShardId) -> None:
        self._db = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA query_only = ON")
        self._execute = self._db.execute
        self._shard = shard
        self._low: int | None = None

    def after(self, seqno: int) -> bool:
        """Raises sqlite3.Error."""
        low = self._low
        if low is None:
            row = self._execute("SELECT number FROM shard WHERE name = ?", (self._shard,)).fetchone()
            if row is None:
                return False
            low = self._low = int(row[0]) << _SEQNO_BITS
        found = self._execute(
            "SELECT 1 FROM log WHERE position > ? AND position <= ? LIMIT 1", (low | seqno, low | _SEQNO_MAX)
        )
        return found.fetchone() is not None

    def close(self) -> None:
        self._db.close()


class SqliteConsensus:
    """See `storage.abc.Consensus`. `path` is the database file; its folder must exist.

    Raises FormatTooNew, StorageFull, and Determinate when the file cannot be opened.
    """

    synchronous = True

    def __init__(
        self, path: str | Path, *, busy_timeout_s: float = 10.0, checkpoint_pages: int = 4000
    ) -> None:
        self.path = str(path)
        self._lock = threading.Lock()
        self._closed = False
        self._busy_timeout_s = busy_timeout_s
        self._numbers: dict[ShardId, int] = {}
        self._beside: AppendProcess | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite-consensus")
        try:
            self._db = sqlite3.connect(
                self.path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as e:
            raise Determinate(f"consensus {self.path}: {e}") from e
        try:
            self._prepare(checkpoint_pages)
        except BaseException:
            self._db.close()
            self._thread.shutdown(wait=False)
            raise
        self._execute = self._db.execute

    def _prepare(self, checkpoint_pages: int) -> None:
        db = self._db
        try:
            (application,) = db.execute("PRAGMA application_id").fetchone()
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if application not in (0, APPLICATION_ID):
                raise Determinate(f"consensus {self.path}: not a Tidewire consensus file")
            if version > FORMAT_VERSION:
                raise FormatTooNew(f"consensus {self.path} has format {version}, this is {FORMAT_VERSION}")
            (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise Determinate(f"consensus {self.path}: no write-ahead log on this file system ({mode})")
            db.execute("PRAGMA synchronous = FULL")
            db.execute(f"PRAGMA wal_autocheckpoint = {checkpoint_pages:d}")
            if version == 0:
                self._create()
        except sqlite3.Error as e:
            self._fail(e, Determinate)

    def _create(self) -> None:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version == 0:  # another process may have been here while we waited
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def share(self) -> None:
        """Other processes append to this file all the time: see the module."""
        with self._lock:
            self._db.execute("PRAGMA busy_timeout = 0")

    def reader(self, shard: ShardId) -> LogReader:
        """For watching a log. Raises Determinate."""
        try:
            return LogReader(self.path, shard)
        except sqlite3.Error as e:
            raise Determinate(f"consensus {self.path}: {e}") from e

    @property
    def beside(self) -> AppendProcess:
        """Appends that do not keep the event loop waiting."""
        if self._beside is None:
            self._beside = AppendProcess("sqlite", os.path.abspath(self.path))
        return self._beside

    # --- the hot path ------------------------------------------------------------------------------

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        """One durable append, on the caller's thread. See `Consensus.compare_and_append`."""
        with self._lock:
            number = self._numbers.get(shard)
            try:
                if number is None:
                    number = self._number(shard, create=expected_seqno == 0)
                if number is not None:
                    position = (number << _SEQNO_BITS) | (expected_seqno + 1)
                    if expected_seqno:
                        cursor = self._execute(_APPEND, (position, token, data))
                    else:
                        last = (number << _SEQNO_BITS) | _SEQNO_MAX
                        cursor = self._execute(_APPEND_FIRST, (position, token, data, number, last))
                    if cursor.rowcount == 1:
                        return expected_seqno + 1
                return self._lost(shard, number, expected_seqno, token)
            except sqlite3.Error as e:
                # Busy, full and read-only are decided before anything is written; whatever else
                # happens inside a commit (an I/O error in the sync) may have left it in the log.
                self._fail(e, Indeterminate)

    def _lost(self, shard: ShardId, number: int | None, expected: int, token: bytes) -> int:
        """The key was taken (or the entry before is missing): by whom?"""
        if expected >= _SEQNO_MAX:
            raise Determinate(f"shard {shard}: seqno {expected} is beyond what the log can count")
        if number is None:
            raise SeqnoMismatch(shard, expected, 0)
        low = number << _SEQNO_BITS
        row = self._execute("SELECT token FROM log WHERE position = ?", (low | (expected + 1),)).fetchone()
        if row is not None and row[0] == token:
            return expected + 1
        (top,) = self._execute(
            "SELECT max(position) FROM log WHERE position BETWEEN ? AND ?", (low, low | _SEQNO_MAX)
        ).fetchone()
        current = 0 if top is None else top - low
        if top is None:
            self._numbers.pop(shard, None)  # deleted, perhaps by another process
        raise SeqnoMismatch(shard, expected, current)

    def _number(self, shard: ShardId, create: bool = False) -> int | None:
        """The shard's number, or None. Called with the lock held."""
        row = self._execute("SELECT number FROM shard WHERE name = ?", (shard,)).fetchone()
        if row is None:
            if not create:
                return None
            self._execute("INSERT INTO shard (name) VALUES (?) ON CONFLICT DO NOTHING", (shard,))
            row = self._execute("SELECT number FROM shard WHERE name = ?", (shard,)).fetchone()
            if row is None:
                raise Determinate(f"shard {shard}: deleted while its first entry was written")
        number = int(row[0])
        if number > _SHARD_MAX:
            raise Determinate(f"consensus {self.path}: more than {_SHARD_MAX} shards were ever made")
        self._numbers[shard] = number
        return number

    # --- the rest, in the thread -------------------------------------------------------------------

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        return await self._in_thread(lambda: self.append_now(shard, expected_seqno, data, token))

    async def head(self, shard: ShardId) -> LogEntry | None:
        def read() -> LogEntry | None:
            number = self._number(shard)
            if number is None:
                return None
            low = number << _SEQNO_BITS
            row = self._execute(
                "SELECT position, data FROM log WHERE position BETWEEN ? AND ? ORDER BY position DESC LIMIT 1",
                (low, low | _SEQNO_MAX),
            ).fetchone()
            return None if row is None else LogEntry(row[0] - low, row[1])

        return await self._locked(read)

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        def read() -> list[LogEntry]:
            number = self._number(shard)
            if number is None:
                return []
            low = number << _SEQNO_BITS
            rows = self._execute(
                "SELECT position, data FROM log WHERE position BETWEEN ? AND ? ORDER BY position LIMIT ?",
                (low | max(from_seqno, 0), low | _SEQNO_MAX, limit),
            ).fetchall()
            return [LogEntry(position - low, data) for position, data in rows]

        return await self._locked(read)

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        # In steps, each its own transaction: an append on the loop waits for one of them at most.
        def step() -> int:
            number = self._number(shard)
            if number is None:
                return 0
            low = number << _SEQNO_BITS
            first, top = self._execute(
                "SELECT (SELECT min(position) FROM log WHERE position BETWEEN ?1 AND ?2),"
                " (SELECT max(position) FROM log WHERE position BETWEEN ?1 AND ?2)",
                (low, low | _SEQNO_MAX),
            ).fetchone()
            if first is None:
                return 0
            bound = min(low + min(max(below_seqno, 0), _SEQNO_MAX), top, first + _TRUNCATE_STEP)
            if bound <= first:
                return 0
            return self._execute(
                "DELETE FROM log WHERE position >= ? AND position < ?", (low, bound)
            ).rowcount

        removed = 0
        while count := await self._locked(step):
            removed += count
        return removed

    async def shards(self) -> list[ShardId]:
        def read() -> list[ShardId]:
            return [
                name
                for name, number in self._execute("SELECT name, number FROM shard ORDER BY name").fetchall()
                if self._execute(
                    "SELECT EXISTS (SELECT 1 FROM log WHERE position BETWEEN ? AND ?)",
                    (number << _SEQNO_BITS, (number << _SEQNO_BITS) | _SEQNO_MAX),
                ).fetchone()[0]
            ]

        return await self._locked(read)

    async def delete(self, shard: ShardId) -> None:
        def remove() -> None:
            self._execute("BEGIN IMMEDIATE")
            try:
                number = self._number(shard)
                if number is not None:
                    low = number << _SEQNO_BITS
                    self._execute("DELETE FROM log WHERE position BETWEEN ? AND ?", (low, low | _SEQNO_MAX))
                    self._execute("DELETE FROM shard WHERE number = ?", (number,))
                self._execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._execute("ROLLBACK")
                raise
            finally:
                self._numbers.pop(shard, None)

        await self._locked(remove)

    async def close(self) -> None:
        """Checkpoints the write-ahead log (SQLite does at the last close) and lets go of the file."""
        if not self._closed:
            if self._beside is not None:
                self._beside.close()
            await self._in_thread(self._close)
            self._thread.shutdown(wait=True)

    def _close(self) -> None:
        with self._lock:
            self._closed = True
            self._db.close()

    async def _locked(self, work: Callable[[], _T]) -> _T:
        def run() -> _T:
            with self._lock:
                try:
                    return work()
                except sqlite3.Error as e:
                    self._fail(e, Indeterminate)

        return await self._in_thread(run)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        if self._closed:
            raise Determinate(f"consensus {self.path} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._patiently, work)

    def _patiently(self, work: Callable[[], _T]) -> _T:
        """In the thread: what meets another process's write is done again until `busy_timeout_s` have passed."""
        deadline_s = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                return work()
            except Busy:
                if time.monotonic() > deadline_s:
                    raise
                time.sleep(BUSY_PAUSE_S * random.uniform(0.2, 1.2))

    def _fail(self, e: sqlite3.Error, otherwise: type[Determinate] | type[Indeterminate]) -> NoReturn:
        name = getattr(e, "sqlite_errorname", "") or ""
        text = f"consensus {self.path}: {e}"
        if name.startswith("SQLITE_FULL"):
            raise StorageFull(text) from e
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise CorruptBlob(self.path, str(e)) from e
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise Busy(text) from e
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_TOOBIG")):
            raise Determinate(text) from e
        if isinstance(e, sqlite3.ProgrammingError):  # used after close: nothing was sent
            raise Determinate(text) from e
        raise otherwise(text) from e
