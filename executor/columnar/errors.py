"""DuckDB's errors as PostgreSQL's.

The rewrite of the planner makes most of them itself: a macro that finds a division by zero says
`error('[22012] division by zero')`, and the prefix is the code. What DuckDB raises of its own accord
is mapped by its class; whatever is left is XX000 with DuckDB's text, so that nobody is misled.
"""

from __future__ import annotations

import errno
import re

import duckdb

from executor.abc import ExecutionError
from executor.columnar.unaided import SAID, Unplanned
from planner.abc import SqlError

_PREFIXED = re.compile(r"\[([0-9A-Z]{5})\] ?(.*?)(?:\n\s*\n|\n?LINE \d+:|\Z)", re.DOTALL)
_FRAME_OFFSET = re.compile(
    r"(?:Window ROWS|Invalid GROUPS) (PRECEDING|FOLLOWING) (?:expression cannot be (?:negative|(NULL))|value)"
)
_DATE_TOO_LATE = re.compile(
    r"Type INT32 with value -?\d+-\d\d-\d\d\b.* can't be cast to the destination type INT64"
)
_DETAIL = re.compile(r"\s*\[(DETAIL|HINT|CONTEXT)\] ?")
_KIND = re.compile(r"\A[A-Z][A-Za-z -]* Error: ")
_OVERFLOW = re.compile(r"Overflow in (\w+) of (?:\w+ )?(INT\w*)", re.IGNORECASE)
_LEAST = re.compile(r"Overflow (?:on abs\(|in division of )(-\d+)")
_INTERVAL_TOO_LONG = re.compile(r"Interval \w+ value out of range")
_IN_LAMBDA = "subqueries in lambda expressions are not supported"  # what a function makes of an argument that is a query
_OF_LEAST = {-(1 << 15): "smallint", -(1 << 31): "integer", -(1 << 63): "bigint"}
_INTEGERS = {"INT16": "smallint", "INT32": "integer", "INT64": "bigint", "INT128": "numeric"}


def canceled(reason: str = "") -> ExecutionError:
    return ExecutionError("57014", reason or "canceling statement due to user request")


def _plain(text: str) -> str:
    text = text.split("\n\nStack Trace:")[0]  # of an assertion inside DuckDB: for its developers
    return _KIND.sub("", text.split("\n\nLINE ")[0].split("\nLINE ")[0]).strip()


def worded(error: SqlError) -> str:
    """An error on its way through DuckDB, which knows texts alone: what `sql_error` reads again."""
    said = [f"[{error.sqlstate}] {error.message}"]
    said += [f"[{what}] {text}" for what, text in (("DETAIL", error.detail), ("HINT", error.hint)) if text]
    return " ".join(said)


_BY_ZERO = re.compile(r"(?:[\w ]+: )?Division by zero in expression\b")
_TOO_DEEP = re.compile(r"\bRecursionError:")
"""A Python function went as deep as Python goes."""


def sql_error(error: BaseException) -> ExecutionError:
    """The SqlError that stands for an exception of DuckDB."""
    text = str(error)
    if _BY_ZERO.match(text):  # it shows the expression, in which words of other errors may stand
        return ExecutionError("22012", "division by zero")
    found = _PREFIXED.search(text)
    if found is not None:
        pieces = _DETAIL.split(found[2].strip())
        extra = dict(zip(pieces[1::2], pieces[2::2], strict=True))
        return ExecutionError(
            found[1],
            pieces[0].strip(),
            detail=extra.get("DETAIL", ""),
            hint=extra.get("HINT", ""),
            context=extra.get("CONTEXT", ""),
        )
    plain = _plain(text)
    if plain.startswith("Division by zero"):
        return ExecutionError("22012", "division by zero")
    if plain.startswith("Max expression depth limit") or _TOO_DEEP.search(plain):
        return ExecutionError("54001", "stack depth limit exceeded")
    if plain.startswith("Like pattern must not end"):
        return ExecutionError("22025", "LIKE pattern must not end with escape character")
    offset = _FRAME_OFFSET.match(plain)
    if offset is not None:
        end = "starting" if offset[1] == "PRECEDING" else "ending"
        if offset[2] is not None:
            return ExecutionError("22004", f"frame {end} offset must not be null")
        return ExecutionError("22013", f"frame {end} offset must not be negative")
    if plain.startswith(("Invalid RANGE PRECEDING", "Invalid RANGE FOLLOWING")):
        return ExecutionError("22013", "invalid preceding or following size in window function")
    if plain.startswith("Cannot subtract infinite"):
        return ExecutionError("22008", plain[0].lower() + plain[1:])
    if _INTERVAL_TOO_LONG.match(plain):
        return ExecutionError("22008", "interval out of range")
    if _DATE_TOO_LATE.match(plain):
        return ExecutionError("22008", "date out of range for timestamp")
    if plain.startswith("Date out of range"):
        return ExecutionError("22008", "timestamp out of range" if ":" in plain else "date out of range")
    if plain.startswith(
        (
            "Epoch seconds out of range",
            "Date and time not in timestamp range",
            "ICU date overflows timestamp",
            "Timestamp out of range",
        )
    ):
        return ExecutionError("22008", "timestamp out of range")
    least = _LEAST.search(plain)
    if least is not None and int(least[1]) in _OF_LEAST:
        return ExecutionError("22003", f"{_OF_LEAST[int(least[1])]} out of range")
    kind = _kind(error, text)
    if kind == "interrupt":
        return canceled()
    if kind == "out of memory":
        said = plain.split("\n", 1)[0]  # what it advises are settings of its own, which nobody here can set
        if _DISK_USED_UP in plain:
            return ExecutionError(
                "53100", "could not write temporary data: no space left on device", detail=said
            )
        return ExecutionError("53200", "out of memory", detail=said)
    if kind == "out of range":
        overflow = _OVERFLOW.search(plain)
        if overflow is not None and overflow[2].upper() in _INTEGERS:
            return ExecutionError("22003", f"{_INTEGERS[overflow[2].upper()]} out of range")
        return ExecutionError("22003", plain)
    if kind == "conversion":
        if "out of range" in plain or "overflow" in plain.lower():
            return ExecutionError("22003", plain)
        return ExecutionError("22P02", plain)
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    if full or (kind == "io" and "No space left" in plain):
        return ExecutionError(
            "53100", "could not write temporary data: no space left on device", detail=plain
        )
    if (isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)) or (
        kind == "io" and "Too many open files" in plain
    ):
        return ExecutionError("53000", "out of file descriptors; release and retry", detail=plain)
    if kind == "invalid input" and "More than one row returned" in plain:
        return ExecutionError("21000", "more than one row returned by a subquery used as an expression")
    if any(words in plain for words in SAID):
        return Unplanned("XX000", plain)
    if kind == "not implemented" or _IN_LAMBDA in plain:
        return ExecutionError("0A000", plain)
    return ExecutionError("XX000", plain or type(error).__name__)


def _kind(error: BaseException, text: str) -> str:
    """Which of DuckDB's errors it is: by its class, or by its text where Arrow has wrapped it."""
    for cls, kind in _CLASSES:
        if isinstance(error, cls):
            return kind
    found = _KIND.match(text)
    return found[0].removesuffix(" Error: ").lower() if found is not None else ""


_DISK_USED_UP = "max_temp_directory_size"
"""What DuckDB names when its temporary files have taken the room that the disk had when it started."""
_CLASSES: tuple[tuple[type[BaseException], str], ...] = (
    (duckdb.InterruptException, "interrupt"),
    (duckdb.OutOfMemoryException, "out of memory"),
    (duckdb.OutOfRangeException, "out of range"),
    (duckdb.ConversionException, "conversion"),
    (duckdb.IOException, "io"),
    (duckdb.InvalidInputException, "invalid input"),
    (duckdb.NotImplementedException, "not implemented"),
)
