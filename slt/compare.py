"""Is this the expected result? Formatting and comparison by flavour; no I/O.

A result comes as PostgreSQL's text values with the type OID of each column. Every flavour brings
them into its own written form, sorts as the record asks, and compares; a hash stands for long
results.
"""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass

from slt.format import Record

BOOL, INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC = 16, 20, 21, 23, 26, 700, 701, 1700
DATE, TIME, TIMESTAMP, TIMESTAMPTZ = 1082, 1083, 1114, 1184
NUMBERS = {INT8, INT2, INT4, OID, FLOAT4, FLOAT8, NUMERIC}

_HASH = re.compile(r"^(\d+) values? hashing to ([0-9a-f]{32})$")


@dataclass(slots=True)
class Result:
    """What the server sent: names, type OIDs, and text values (None: NULL)."""

    names: list[str]
    types: list[int]
    rows: list[list[str | None]]
    tag_count: int = 0


def collapse(text: str) -> str:
    return " ".join(text.split())


def _sqlite_value(value: str | None, oid: int, letter: str) -> str:
    if value is None:
        return "NULL"
    if letter == "I":
        if oid == BOOL:
            return "1" if value == "t" else "0"
        try:
            return str(int(value))
        except ValueError:
            try:
                return str(int(float(value)))
            except (ValueError, OverflowError):
                return "0"
    if letter == "R":
        if oid == BOOL:
            return "1.000" if value == "t" else "0.000"
        try:
            return f"{float(value):.3f}"
        except ValueError:
            return "0.000"
    if value == "":
        return "(empty)"
    return "".join(c if " " <= c <= "~" else "@" for c in value)


def _crdb_value(value: str | None, oid: int) -> str:
    if value is None:
        return "NULL"
    if value == "":
        return "·"
    if oid == BOOL:
        return "true" if value == "t" else "false"
    if value in ("infinity", "-infinity"):
        return value
    if oid == DATE:
        return f"{value} 00:00:00 +0000 +0000"
    if oid == TIME:
        return f"0000-01-01 {value} +0000 UTC"
    if oid == TIMESTAMP:
        return f"{value} +0000 +0000"
    if oid == TIMESTAMPTZ:
        return f"{value.removesuffix('+00')} +0000 UTC"
    return value


def _row_value(value: str | None, flavor: str) -> str:
    if value is None:
        return "NULL"
    if value == "":
        return "(empty)"
    if flavor == "serene":
        return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return value


def _ordered(sql: str) -> bool:
    """Whether the SQL has an ORDER BY outside parentheses, literals and comments."""
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL)
    depth = 0
    flat = []
    for c in bare:
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif depth == 0:
            flat.append(c)
    return re.search(r"\border\s+by\b", "".join(flat), re.IGNORECASE) is not None


def _close(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    if math.isinf(x) or math.isinf(y):
        return x == y
    return abs(x - y) <= 1e-9 * max(abs(x), abs(y))


def _lines_close(a: str, b: str) -> bool:
    left, right = a.split(" "), b.split(" ")
    return len(left) == len(right) and all(_close(x, y) for x, y in zip(left, right, strict=True))


def _digest(values: list[str]) -> str:
    return hashlib.md5("".join(v + "\n" for v in values).encode(), usedforsecurity=False).hexdigest()


class Labels:
    """Results that carry one label must be equal within a file."""

    def __init__(self) -> None:
        self.seen: dict[str, list[str]] = {}

    def check(self, label: str, values: list[str]) -> str | None:
        if not label:
            return None
        if self.seen.setdefault(label, values) != values:
            return f"differs from the earlier result with label {label}"
        return None


def compare(record: Record, result: Result, flavor: str, labels: Labels) -> str | None:
    """None if the result is the expected one, else what differs."""
    if flavor == "sqlite":
        return _compare_values(record, result, labels)
    return _compare_rows(record, result, flavor)


def _compare_values(record: Record, result: Result, labels: Labels) -> str | None:
    letters = record.types or ""
    width = len(result.types)
    if len(letters) != width:
        return f"{width} columns, expected {len(letters)}"
    rows = [[_sqlite_value(v, result.types[i], letters[i]) for i, v in enumerate(row)] for row in result.rows]
    expected = record.expected if record.expected is not None else []
    hashed = _HASH.match(expected[0]) if len(expected) == 1 else None
    if "rowsort" in record.options:
        rows.sort()
    values = [v for row in rows for v in row]
    if "valuesort" in record.options:
        values.sort()
    wrong = labels.check(record.label, values)
    if wrong:
        return wrong
    if hashed:
        if len(values) != int(hashed.group(1)):
            return f"{len(values)} values, expected {hashed.group(1)}"
        return None if _digest(values) == hashed.group(2) else "the hash of the values differs"
    if not (record.options & {"rowsort", "valuesort"}) and len(rows) > 1 and not _ordered(record.sql):
        if len(expected) % width:
            return f"expected {len(expected)} values, which is no multiple of {width}"
        cut = sorted(expected[i : i + width] for i in range(0, len(expected), width))
        return None if sorted(rows) == cut else _difference(sorted(rows), cut)
    return None if values == expected else _difference(values, expected)


def _compare_rows(record: Record, result: Result, flavor: str) -> str | None:
    if record.expected is None:
        if flavor == "crdb" and result.rows:
            return f"{len(result.rows)} rows, expected none"
        return None
    expected = list(record.expected)
    if flavor == "crdb":
        expected = [line.replace("␠", " ").replace("⏎", " ") for line in expected]
        if record.types is not None and len(record.types) != len(result.types):
            return f"{len(result.types)} columns, expected {len(record.types)}"
    if record.column_names and result.types:
        header = expected.pop(0).split() if expected else []
        names = " ".join(result.names).split()
        if header != names:
            return f"columns {names}, expected {header}"
    cells = [
        [
            _crdb_value(v, result.types[i]) if flavor == "crdb" else _row_value(v, flavor)
            for i, v in enumerate(row)
        ]
        for row in result.rows
    ]
    if any("<slt:ignore>" in line for line in expected):
        text = "\n".join("\t".join(row) for row in cells)
        for line in expected:
            for piece in line.split("<slt:ignore>"):
                if collapse(piece) not in collapse(text):
                    return f"{piece!r} does not occur in {text!r}"
        return None
    hashed = _HASH.match(expected[0]) if len(expected) == 1 else None
    actual = [collapse(" ".join(row)) for row in cells]
    wanted = [collapse(line) for line in expected]
    unordered = bool(record.options & {"rowsort"}) or (
        not hashed and "valuesort" not in record.options and len(actual) > 1 and not _ordered(record.sql)
    )
    if "valuesort" in record.options:
        actual = sorted(collapse(v) for row in cells for v in row)
        wanted = sorted(v for line in wanted for v in (line.split(" ") if flavor == "crdb" else [line]))
    if hashed:
        order = sorted(range(len(actual)), key=actual.__getitem__) if unordered else range(len(actual))
        values = (
            [collapse(v) for i in order for v in cells[i]] if "valuesort" not in record.options else actual
        )
        if flavor == "crdb" and len(result.types) > 1:
            values = [piece for v in values for piece in v.split(" ")]
        if len(values) != int(hashed.group(1)):
            return f"{len(values)} values, expected {hashed.group(1)}"
        return None if _digest(values) == hashed.group(2) else "the hash of the values differs"
    if unordered:
        actual.sort()
        wanted.sort()
    if actual == wanted:
        return None
    fuzzy = {FLOAT4, FLOAT8} | ({NUMERIC} if flavor == "crdb" else set())
    if len(actual) == len(wanted) and any(t in fuzzy for t in result.types):
        lines_agree = all(_lines_close(a, b) for a, b in zip(actual, wanted, strict=True))
        if lines_agree:
            return None
    if flavor == "crdb" and not unordered and " ".join(actual).split() == " ".join(wanted).split():
        return None
    return _difference(actual, wanted)


def _difference(actual: object, wanted: object) -> str:
    a, w = str(actual), str(wanted)
    return f"got {a[:400]}, expected {w[:400]}"


def compare_error(
    record: Record, flavor: str, sqlstate: str, primary: str, full: str, known: str | None
) -> str | None:
    """None if this is an error that the record allows. `known`: the SQLSTATE that PostgreSQL gave."""
    if known is not None:
        return None if sqlstate == known else f"SQLSTATE {sqlstate} ({primary}), expected {known}"
    if record.error_sqlstate and sqlstate != record.error_sqlstate:
        return f"SQLSTATE {sqlstate} ({primary}), expected {record.error_sqlstate}"
    if record.error_pattern and not re.search(record.error_pattern, primary):
        return f"message {primary!r} does not match {record.error_pattern!r}"
    if record.error_block:
        text = collapse(full)
        at = 0
        for piece in collapse(record.error_block.removeprefix("db error: ")).split("<slt:ignore>"):
            found = text.find(piece.strip(), at)
            if found < 0:
                return f"{piece.strip()!r} does not occur in {text!r}"
            at = found + len(piece.strip())
    return None
