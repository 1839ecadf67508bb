"""Bytes that are to lie in a mapped file, and whose writer does not wait for that.

    COPY of staged files     in memory, as they came              if there is room for them in `Spill.size_bytes_min`
                             in a mapped file at once             if not
    LATER_S afterwards       from memory to mapped files          by a thread that has stepped back (`moved`)

Later, and not at once, for two kinds of readers come right behind a writer: those of the parts themselves, who want the
processors, and those of the table, who decode what is here, and then there is nothing left to move.

A third of what a server does for a native Spark write was to copy its files once more, to where they cost no memory, before it
answered. The room is the whole process's and not a statement's, for whoever writes a hundred tables that nobody reads
would have them all in memory otherwise.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

import numpy as np
import pyarrow as pa

from executor.niceness import step_back
from executor.snapshot.spill import Spill, mapped

LATER_S: Final = 2.0


class KeptBytes:
    """Where they are: `data` is bytes or a buffer, and may be exchanged for the same elsewhere at any time."""

    __slots__ = ("__weakref__", "data")

    def __init__(self, data: Any) -> None:
        self.data = data


class KeptLater:
    """The account of what is in memory and is to go. `keep` may be called on any thread, all else on the event loop."""

    def __init__(self) -> None:
        self.later_s = LATER_S
        self._timer: asyncio.TimerHandle | None = None
        self._there: list[tuple[weakref.ref[KeptBytes], int]] = []
        self._lock = threading.Lock()
        self.size_bytes = 0

    def keep(self, data: bytes, spill: Spill) -> KeptBytes:
        """Raises OSError when the disk is full."""
        with self._lock:
            if self.size_bytes + len(data) > spill.size_bytes_min:
                self._forget_what_is_gone()
            room = self.size_bytes + len(data) <= spill.size_bytes_min
            if room:
                kept = KeptBytes(data)
                self.size_bytes += len(data)
                self._there.append((weakref.ref(kept), len(data)))
        return kept if room else KeptBytes(_in_file(data, spill))

    def _forget_what_is_gone(self) -> None:
        there = [one for one in self._there if one[0]() is not None]
        self.size_bytes -= sum(size for _, size in self._there) - sum(size for _, size in there)
        self._there = there

    def arrange(self, spawn: Callable[[Coroutine[Any, Any, None]], object], spill: Spill) -> None:
        """Has `spawn` do the moving, `later_s` from the first time that there is something to move."""
        if not self.size_bytes or self._timer is not None:
            return
        if self.later_s:
            self._timer = asyncio.get_running_loop().call_later(self.later_s, self._begin, spawn, spill)
        else:
            self._begin(spawn, spill)

    def _begin(self, spawn: Callable[[Coroutine[Any, Any, None]], object], spill: Spill) -> None:
        self._timer = None
        spawn(self.moved(spill))

    def stop(self) -> None:
        """What has not been moved stays where it is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def moved(self, spill: Spill) -> None:
        """What is in memory goes to files, one after the other; what nobody has any more goes as well."""
        with ThreadPoolExecutor(1, "keeping", step_back) as thread:
            while (one := self._next()) is not None:
                await asyncio.get_running_loop().run_in_executor(thread, self._move, *one, spill)

    def _next(self) -> tuple[weakref.ref[KeptBytes], int] | None:
        with self._lock:
            return self._there.pop() if self._there else None

    def _move(self, place: weakref.ref[KeptBytes], size_bytes: int, spill: Spill) -> None:
        kept = place()
        if kept is not None:
            with suppress(OSError):  # a disk that is full: they stay where they are, which is no less safe
                kept.data = _in_file(kept.data, spill)
        with self._lock:
            self.size_bytes -= size_bytes


def _in_file(data: bytes, spill: Spill) -> Any:
    return pa.py_buffer(mapped(np.frombuffer(data, np.uint8), spill))
