"""How a process hears that another one has appended to a log: by being told, not by asking again and again.

    SQLite        the write-ahead log's file changes (inotify); whether an entry is there is a look-up of microseconds,
                  made on the caller's turn of the event loop
    PostgreSQL    the append says NOTIFY, a connection of the watch's own LISTENs (postgres_watch.py)
    memory        the dictionary is at hand
    others        nobody tells: asked every `POLL_S`

A watch has two questions. `moved_now(seqno)`: is there an entry after `seqno`, exactly, now, without leaving this turn?
None where that takes a round trip. `wait(seqno, timeout_s)`: sleep until there may be one. What is heard is a hint,
and a hint may be lost (a connection that broke), so whoever waits looks for himself when the time-out has passed.

To add one for another backend: a class with these two methods, and a line in `open_watch`, or a method `watch(shard)` of the
backend where that has a driver to import which others do without.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import ctypes.util
import os
import sqlite3
import sys
from collections.abc import Callable
from typing import Protocol

from storage.abc import Consensus, ShardId
from storage.consensus.memory import MemoryConsensus
from storage.consensus.sqlite import SqliteConsensus

POLL_S = 0.05
"""How often a consensus that tells nobody is asked."""
SQLITE_POLL_S = 0.002
"""The same for SQLite where there is no inotify: a look-up costs microseconds."""

Seqno = Callable[[], int]


class Watch(Protocol):
    """See the module. `seqno` is asked anew whenever it matters: the waiter's own appends move it."""

    def moved_now(self, seqno: int) -> bool | None: ...

    async def wait(self, seqno: Seqno, timeout_s: float) -> None: ...

    async def close(self) -> None: ...


async def open_watch(consensus: Consensus, shard: ShardId) -> Watch:
    """The watch over one log of `consensus`."""
    if isinstance(consensus, SqliteConsensus):
        return SqliteWatch(consensus, shard)
    if isinstance(consensus, MemoryConsensus):
        return MemoryWatch(consensus, shard)
    own: Callable[[ShardId], Watch] | None = getattr(consensus, "watch", None)
    return own(shard) if own is not None else PollingWatch()


class PollingWatch:
    """For a consensus that tells nobody anything."""

    def moved_now(self, seqno: int) -> bool | None:
        return None

    async def wait(self, seqno: Seqno, timeout_s: float) -> None:
        await asyncio.sleep(min(POLL_S, timeout_s))

    async def close(self) -> None:
        pass


class MemoryWatch:
    """Several environments of one process on one dictionary."""

    def __init__(self, consensus: MemoryConsensus, shard: ShardId) -> None:
        self._consensus, self._shard = consensus, shard

    def moved_now(self, seqno: int) -> bool | None:
        return self._consensus.last_now(self._shard) > seqno

    async def wait(self, seqno: Seqno, timeout_s: float) -> None:
        await asyncio.sleep(min(SQLITE_POLL_S, timeout_s))

    async def close(self) -> None:
        pass


class SqliteWatch:
    """A connection of its own for the look-up (it never waits for a writer), and inotify on the write-ahead log."""

    def __init__(self, consensus: SqliteConsensus, shard: ShardId) -> None:
        self._reader = consensus.reader(shard)
        self._changed = asyncio.Event()
        self._fd = -1
        with contextlib.suppress(OSError, AttributeError):
            self._fd = _inotify(f"{consensus.path}-wal")
            asyncio.get_running_loop().add_reader(self._fd, self._read)

    def moved_now(self, seqno: int) -> bool | None:
        try:
            return self._reader.after(seqno)
        except sqlite3.Error:
            return None  # whoever asks asks again by the slower way, and hears what is wrong

    async def wait(self, seqno: Seqno, timeout_s: float) -> None:
        if self._fd < 0:
            await asyncio.sleep(min(SQLITE_POLL_S, timeout_s))
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.moved_now(seqno()) is False:
                    self._changed.clear()
                    await self._changed.wait()

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._fd, 4096):
                pass
        self._changed.set()

    async def close(self) -> None:
        if self._fd >= 0:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1
        self._reader.close()


_IN_MODIFY = 0x2


def _inotify(path: str) -> int:
    """A file descriptor that can be read when `path` was written to. Raises OSError, AttributeError where there is none."""
    if not sys.platform.startswith("linux"):
        raise OSError("inotify is Linux's")
    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    fd: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    if libc.inotify_add_watch(fd, os.fsencode(path), _IN_MODIFY) < 0:
        number = ctypes.get_errno()
        os.close(fd)
        raise OSError(number, "inotify_add_watch", path)
    return fd
