"""A Python function that DuckDB calls ends when its statement does, wherever it is.

    loop      cancel: cursor.interrupt()   . the function knows nothing of that .   stop(thread)
    thread        DuckDB -> tw_to_char_numeric(1, a template of a hundred megabytes) ... Stopped -> DuckDB: it was interrupted

DuckDB looks whether it has been interrupted between two batches of rows. What Python computes of one batch may take minutes,
so it is sent an exception, which the interpreter raises before the next jump or call. Such an exception must find nobody but the function
that it was meant for: it is sent, and withdrawn, while the thread is known to be in one, under a lock.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final


class Stopped(BaseException):
    """No error that anybody could handle: the statement has been given up."""


_LOCK: Final = threading.Lock()
_WITHIN: Final[set[int]] = set()
"""Threads that are in such a function and have not been sent anything."""
_send: Final = ctypes.pythonapi.PyThreadState_SetAsyncExc
_send.argtypes = (ctypes.c_ulong, ctypes.py_object)
_WITHDRAW: Final = ctypes.py_object()


def stoppable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; its thread may be sent `Stopped` while it works."""

    def run(*columns: Any) -> Any:
        thread = threading.get_ident()
        if thread in _WITHIN:  # called by another one, which ends as a whole
            return function(*columns)
        _WITHIN.add(thread)
        try:
            return function(*columns)
        finally:
            with _LOCK:
                _WITHIN.discard(thread)
                _send(thread, _WITHDRAW)  # what has been sent and not yet raised

    return run


def stop(thread: int) -> None:
    """Ends what the thread computes in a stoppable function; nothing happens to a thread that is in none."""
    with _LOCK:
        if thread in _WITHIN:
            _WITHIN.discard(thread)
            _send(thread, Stopped)


__all__ = ["Stopped", "stop", "stoppable"]
