"""Exceptions of `format("tidewire")` that begin with their cause.

Spark runs a Python source in processes of its own and shows what they raise with the whole traceback of the process before it:
twenty lines of files and carets, and last of all what happened. Of a `TidewireError` nobody needs those lines, for its
text is the cause: an unknown table, columns that do not fit, a hold that has ended. Spark leaves them out where its process has
`SPARK_HIDE_TRACEBACK` in its environment. That would hide the tracebacks of everybody's functions in the session, and those
of our own mistakes, if it were set for all; so it is set in the one process, when the error is on its way out of it: every
process of Spark's ends with the exception that it reports.

    [PYTHON_DATA_SOURCE_ERROR] Failed to create Python data source instance: pipeline.spark.server.TidewireError:
    relation "nope" does not exist (SQLSTATE 42P01)
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from pipeline.spark.server import TidewireError

_OURS_TO_HIDE = "SPARK_HIDE_TRACEBACK"
_OF_A_WORKER = "PYTHON_WORKER_FACTORY_"
"""What Spark tells the processes that it starts, and nobody else."""

C = TypeVar("C", bound=type)


def cause_first(*entries: str) -> Callable[[C], C]:
    """For a class whose methods of these names Spark calls, and nobody catches what they raise."""

    def decorated(kind: C) -> C:
        for name in entries:
            setattr(kind, name, _bare(getattr(kind, name)))
        return kind

    return decorated


def _bare(entry: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.isgeneratorfunction(entry):

        @wraps(entry)
        def rows(*args: Any, **kwargs: Any) -> Iterator[Any]:
            with _leaving():
                yield from entry(*args, **kwargs)

        return rows

    @wraps(entry)
    def called(*args: Any, **kwargs: Any) -> Any:
        with _leaving():
            return entry(*args, **kwargs)

    return called


@contextmanager
def _leaving() -> Iterator[None]:
    try:
        yield
    except TidewireError:
        if any(name.startswith(_OF_A_WORKER) for name in os.environ):
            os.environ[_OURS_TO_HIDE] = "1"
        raise
