"""Where in this source a message comes from: the file, line and routine that PostgreSQL tells with every error and notice.

    \\set VERBOSITY verbose
    ERROR:  42P01: relation "t" does not exist
    LINE 1: SELECT * FROM t
    LOCATION:  undefined_table, planner/binding/names.py:88

Clients show them to who looks for the message in the source, so they are those of this source. A few know a routine of
PostgreSQL's by its name, and do something about it: such an error or notice has that name (`SqlError.routine`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, TracebackType
from typing import Final

_ROOT: Final = str(Path(__file__).resolve().parents[1]) + "/"
_ROOMS: Final = tuple(
    f"{_ROOT}{room}/" for room in ("tidewire", "pgwire", "planner", "executor", "txn", "storage", "pipeline")
)


@dataclass(frozen=True, slots=True)
class Place:
    """`file` is below the folder of the rooms, or a library's file by its mere name."""

    file: str = ""
    line: int = 0
    routine: str = ""


NOWHERE: Final = Place()


def calling(depth: int = 1) -> Place:
    """The line that called this function's caller; with a greater `depth`, one further out."""
    frame = sys._getframe(depth + 1)
    return _place(frame.f_code, frame.f_lineno)


def raising(error: BaseException) -> Place | None:
    """The innermost line of ours that an error came through; of errors that have only crossed libraries, theirs. None: never raised."""
    found: TracebackType | None = None
    step = error.__traceback__
    while step is not None:
        if found is None or _is_ours(step) or not _is_ours(found):
            found = step
        step = step.tb_next
    return _place(found.tb_frame.f_code, found.tb_lineno) if found is not None else None


def _is_ours(step: TracebackType) -> bool:
    return step.tb_frame.f_code.co_filename.startswith(_ROOMS)


def _place(code: CodeType, line: int) -> Place:
    file = code.co_filename
    return Place(file.removeprefix(_ROOT) if file.startswith(_ROOMS) else Path(file).name, line, code.co_name)
