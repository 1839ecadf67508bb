"""Stepping back: threads for work that nobody waits for run when nobody else wants the core.

Python's scheduling is the operating system's, thread by thread. A thread inherits the niceness of the one that starts it.
"""

from __future__ import annotations

import contextlib
import os
import threading

NICENESS = 10


def step_back() -> None:
    """The thread that calls it, and those that it starts, run when nobody else wants to."""
    with contextlib.suppress(
        OSError, AttributeError
    ):  # a system without threads' niceness: they are as any other
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
