"""Consensus in one append-only file of our own: the embedded default, and the hot path of every commit.

An append is a look whether others have written (8 microseconds of system calls), one checksum, and one write that returns when the
disk has it (`O_DSYNC` into space that was written before: `log_records`). SQLite, which does all this and more (`sqlite`), takes
two to three times the CPU and the time for it: it writes two pages and a header of its own log.

    LogFileConsensus    the contract: compare and append, one thread beside the loop, the append process
      LogFile           the file: turns with other processes, replacing, failing disks             log_store
        records         its bytes: what is a record, and where they end                            log_records

**One file, one mutex.** Appends on the loop and slower operations in the thread take turns, as with other processes, for whose
turns they wait `busy_timeout_s` at most.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from storage.abc import Determinate, LogEntry, SeqnoMismatch, ShardId, StorageError
from storage.consensus import log_records as records
from storage.consensus.append_process import AppendProcess
from storage.consensus.log_store import GARBAGE_MAX_BYTES, STEP_BYTES, Log, LogFile

SEQNO_MAX = (1 << 41) - 1
_T = TypeVar("_T")


class LogFileConsensus:
    """See `storage.abc.Consensus`. `path` is the log file, beside which `PATH.lock` is made; its folder must exist.

    Raises FormatTooNew, CorruptBlob, StorageFull, and Determinate when the file cannot be opened.
    """

    synchronous = True

    def __init__(
        self,
        path: str | Path,
        *,
        busy_timeout_s: float = 10.0,
        step_bytes: int = STEP_BYTES,
        garbage_max_bytes: int = GARBAGE_MAX_BYTES,
    ) -> None:
        self.path = str(path)
        self._mutex = threading.Lock()
        self._busy_timeout_s = self._patience_s = busy_timeout_s
        self._file = LogFile(
            self.path, patience_s=busy_timeout_s, step_bytes=step_bytes, garbage_max_bytes=garbage_max_bytes
        )
        self._closed = False
        self._beside: AppendProcess | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="log-consensus")

    def share(self) -> None:
        """Others append all the time: an append on the loop that finds one at work is `Busy` at once."""
        self._patience_s = 0.0

    @property
    def beside(self) -> AppendProcess:
        """Appends that do not keep the event loop waiting."""
        if self._beside is None:
            self._beside = AppendProcess("logfile", os.path.abspath(self.path))
        return self._beside

    # --- the hot path ------------------------------------------------------------------------------

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        """One durable append, on the caller's thread. See `Consensus.compare_and_append`."""
        with self._mutex:
            return self._append(shard, expected_seqno, data, token, self._patience_s)

    def _append(self, shard: ShardId, expected: int, data: bytes, token: bytes, patience_s: float) -> int:
        self._file.acquire(patience_s)
        try:
            self._file.catch_up()
            log = self._file.logs.get(shard)
            last = 0 if log is None else log.last
            if last != expected:
                return self._lost(shard, log, expected, token)
            if last >= SEQNO_MAX:
                raise Determinate(f"shard {shard}: seqno {last} is the last that the log can count")
            self._file.write(records.APPEND, shard, last + 1, token, data)
            return last + 1
        finally:
            self._file.release()

    def _lost(self, shard: ShardId, log: Log | None, expected: int, token: bytes) -> int:
        """The position is taken, or beyond the end: by whom?"""
        if log is None:
            raise SeqnoMismatch(shard, expected, 0)
        if log.first <= expected + 1 <= log.last:
            found, _ = self._file.payload(*log.places[expected + 1 - log.first])
            if found == token:
                self._file.make_durable()
                return expected + 1
        raise SeqnoMismatch(shard, expected, log.last)

    # --- the rest, in the thread -----------------------------------------------------------------------

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        def append() -> int:
            with self._mutex:
                return self._append(shard, expected_seqno, data, token, self._busy_timeout_s)

        return await self._in_thread(append)

    async def head(self, shard: ShardId) -> LogEntry | None:
        def read() -> LogEntry | None:
            log = self._file.logs.get(shard)
            return None if log is None else LogEntry(log.last, self._file.payload(*log.places[-1])[1])

        return await self._locked(read)

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        def read() -> list[LogEntry]:
            log = self._file.logs.get(shard)
            if log is None:
                return []
            start = max(from_seqno, log.first)
            places = log.places[start - log.first : start - log.first + limit]
            return [
                LogEntry(seqno, self._file.payload(*place)[1]) for seqno, place in enumerate(places, start)
            ]

        return await self._locked(read)

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        def work() -> int:
            log = self._file.logs.get(shard)
            if log is None:
                return 0
            bound = min(below_seqno, log.last)
            count = bound - log.first
            if count <= 0:
                return 0
            self._file.write(records.TRUNCATE, shard, bound, b"", b"")
            self._file.make_room()
            return count

        return await self._locked(work)

    async def shards(self) -> list[ShardId]:
        return await self._locked(lambda: sorted(self._file.logs))

    async def delete(self, shard: ShardId) -> None:
        def work() -> None:
            if shard in self._file.logs:
                self._file.write(records.DELETE, shard, 0, b"", b"")
                self._file.make_room()

        await self._locked(work)

    async def close(self) -> None:
        """Lets go of the file."""
        if not self._closed:
            if self._beside is not None:
                self._beside.close()
            await self._in_thread(self._close)
            self._thread.shutdown(wait=True)

    def _close(self) -> None:
        with self._mutex:
            if self._file.wrote:
                with contextlib.suppress(
                    StorageError
                ):  # then the last record may be taken for a torn one if it is damaged
                    self._file.acquire(self._busy_timeout_s)
                    try:
                        self._file.catch_up()
                        self._file.write(records.CLOSED, "", 0, b"", b"")
                    finally:
                        self._file.release()
            self._closed = True
            self._file.close()

    async def _locked(self, work: Callable[[], _T]) -> _T:
        def run() -> _T:
            with self._mutex:
                self._file.acquire(self._busy_timeout_s)
                try:
                    if self._file.catch_up():
                        self._file.make_durable()
                    return work()
                finally:
                    self._file.release()

        return await self._in_thread(run)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        if self._closed:
            raise Determinate(f"consensus {self.path} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
