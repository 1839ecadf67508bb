"""Fail points: named places, before and after each step that lasts, at which a test can have the process die.

    TIDEWIRE_FAIL_AT=txns.append.before:3      dies when it comes to this point for the third time

Dying is SIGKILL: no handler, no `finally`, no flush; what the operating system has is there, what it has not is lost.
The variable is read once, when the process starts. Where it is not set, `point` does nothing (one call of an empty
function for each durable step, none for each statement), and `armed` is false, for sites that would have to work
out a name first. A name that no site has is refused at start, so a test cannot pass by a slip of the pen.

The sites are what a reader finds by searching for a name of `POINTS`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

VARIABLE = "TIDEWIRE_FAIL_AT"

_STEPS = (
    # Blobs in a local folder.
    "blob.put",
    "blob.delete",
    # A data shard's log, by command: apply, schema, since, compaction, garbage; and its own rollups.
    "shard.append",
    "shard.evolve",
    "shard.allowsince",
    "shard.replace",
    "shard.collect",
    "shard.rollup",
    "shard.drop",
    # The txns shard's log: any append, and by what is in the entry.
    "txns.append",
    "txns.staged",
    "txns.register",
    "txns.forget",
    "txns.tidy",
    "txns.retract",
    "txns.bury",
    "txns.since",
    "txns.leases",
    "txns.reserve",
    "txns.rids",
    "txns.takeover",
    "txns.rollup",
    # The table of servers that share an environment.
    "members.write",
    # The log file that takes the place of one that is mostly garbage.
    "logfile.replace",
    # The process that appends beside the event loop: there it is that process which dies.
    "append_process",
)
POINTS = frozenset(
    [f"{step}.{when}" for step in _STEPS for when in ("before", "after")]
    + [
        "blob.put.unnamed",  # the bytes are on the disk, under no name yet
        "logfile.replace.unnamed",
        "txns.append.sent",  # handed to the append process, or to a task
        "txns.rollup.untruncated",  # in the log, and what it replaces is still there
    ]
)


class UnknownFailPoint(ValueError):
    """`TIDEWIRE_FAIL_AT` names no point, or not a number of times."""


def _parsed(text: str) -> dict[str, int]:
    """name -> passes until death. Raises UnknownFailPoint."""
    wanted: dict[str, int] = {}
    for item in filter(None, text.split(",")):
        name, _, times = item.partition(":")
        if name not in POINTS or not (times or "1").isdigit() or times == "0":
            raise UnknownFailPoint(f"{VARIABLE}={text}: {item!r} is no fail point")
        wanted[name] = int(times or "1")
    return wanted


def _counting(left: dict[str, int]) -> Callable[[str], None]:
    def passed(name: str) -> None:
        assert name in POINTS, f"{name} is no fail point"
        if name in left:
            left[name] -= 1
            if left[name] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return passed


def _nothing(name: str) -> None:
    """No point is armed."""


armed = VARIABLE in os.environ
point: Callable[[str], None] = _counting(_parsed(os.environ[VARIABLE])) if armed else _nothing
"""Says that the process has come to this point."""
