"""A test file -> records. The grammar is SQLite's, with the additions of its descendants.

    statement ok | statement error ... | statement count N
    query TYPES [nosort|rowsort|valuesort][,colnames] [label]
    SQL, one or more lines
    [----
    expected lines]

Flavours differ in how expected lines are read; the file says which one it is in a comment
`# slt-flavor: NAME` (or `slt-flavor=NAME`), and without one it is `rs` (one row a line).

    sqlite    one value a line                     serene   a header line with column names first
    rs        one row a line, PostgreSQL's text    crdb     one row a line, Go's formats
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ENGINES = ("postgresql", "postgres")
FLAVORS = ("sqlite", "rs", "serene", "crdb")

_FLAVOR = re.compile(r"^#\s*slt-flavor\s*[:=]?\s*(\w+)", re.MULTILINE)


@dataclass(slots=True)
class Record:
    """One test. `expected` is None where the file has no `----`."""

    line: int
    kind: str  # "statement", "query"
    sql: str
    expect_error: bool = False
    error_pattern: str = ""
    error_sqlstate: str = ""
    error_block: str | None = None
    count: int | None = None
    types: str | None = None
    options: frozenset[str] = frozenset()
    label: str = ""
    expected: list[str] | None = None
    skip_if: list[str] = field(default_factory=list)
    only_if: list[str] = field(default_factory=list)
    column_names: bool = False

    def applies(self, engines: set[str]) -> bool:
        if any(name in engines for name in self.skip_if):
            return False
        return all(name in engines for name in self.only_if)


@dataclass(slots=True)
class TestFile:
    path: Path
    flavor: str
    records: list[Record]


class FormatError(ValueError):
    """The file is not sqllogictest; says where."""


_PGCODE = re.compile(r"^(?:pgcode\s+(\w{5})|\((\w{5})\))\s*(.*)$", re.DOTALL)


def read(path: Path) -> TestFile:
    """Reads one file. Raises FormatError."""
    text = path.read_text(encoding="utf-8")
    found = _FLAVOR.search(text[:4000])
    flavor = found.group(1).lower() if found else "rs"
    if flavor not in FLAVORS:
        raise FormatError(f"{path.name}: unknown flavour {flavor!r}")
    return TestFile(path, flavor, _Reader(path, text.split("\n"), flavor).records())


class _Reader:
    def __init__(self, path: Path, lines: list[str], flavor: str) -> None:
        if lines and lines[-1] == "":
            lines.pop()
        self.path, self.lines, self.flavor, self.at = path, lines, flavor, 0
        self.show_names = True

    def records(self) -> list[Record]:
        found: list[Record] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            words = line.split()
            if not words or line.startswith("#") or words[0] in ("hash-threshold", "control"):
                self.at += 1
            elif words[0] == "show-column-names":
                self.show_names = words[1] != "false"
                self.at += 1
            elif words[0] == "halt":
                break
            else:
                found.append(self.record())
        return found

    def record(self) -> Record:
        first = self.at + 1
        skip_if: list[str] = []
        only_if: list[str] = []
        while True:
            words = self.lines[self.at].split()
            if words and words[0] == "skipif":
                skip_if.append(words[1].lower())
            elif words and words[0] == "onlyif":
                only_if.append(words[1].lower())
            else:
                break
            self.at += 1
        header = self.lines[self.at]
        words = header.split()
        self.at += 1
        kind = words[0].lower() if words else ""
        if kind not in ("statement", "query"):
            raise FormatError(f"{self.path.name}:{self.at}: expected a record, found {header!r}")
        r = Record(first, kind, "", skip_if=skip_if, only_if=only_if)
        self.header(r, words, header)
        sql: list[str] = []
        has_block = False
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line == "----":
                has_block = True
                break
            if line == "" or (line.isspace() and self.flavor != "sqlite"):
                break
            if self.flavor == "sqlite" and line.startswith("#"):
                continue
            sql.append(line)
        r.sql = "\n".join(sql)
        if has_block:
            if r.expect_error:
                r.error_block = "\n".join(self.block(2))
            else:
                r.expected = self.block(1)
        return r

    def block(self, blank_lines: int) -> list[str]:
        """Lines up to as many blank ones in a row."""
        found: list[str] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line == "" and (
                blank_lines == 1 or self.at + 1 >= len(self.lines) or self.lines[self.at + 1] == ""
            ):
                self.at += blank_lines
                break
            found.append(line)
            self.at += 1
        return found

    def header(self, r: Record, words: list[str], header: str) -> None:
        rest = words[1:]
        word = rest[0].lower() if rest else "ok"
        if word == "error":
            r.expect_error = True
            after = header.split(None, 2)
            pattern = after[2] if len(after) > 2 else ""
            code = _PGCODE.match(pattern)
            if code and self.flavor in ("crdb", "rs"):
                r.error_sqlstate = code.group(1) or code.group(2)
                pattern = code.group(3)
            r.error_pattern = pattern.strip()
        elif r.kind == "statement":
            if word == "count":
                r.count = int(rest[1])
        else:
            if self.flavor == "serene":
                options = rest[0] if rest else ""
                r.label = rest[1] if len(rest) > 1 else ""
                r.column_names = self.show_names
            else:
                r.types = rest[0] if rest else ""
                options = rest[1] if len(rest) > 1 else ""
                r.label = rest[2] if len(rest) > 2 else ""
                if options.startswith("label"):
                    options, r.label = "", options
            r.options = frozenset(re.sub(r"partialsort\([^)]*\)", "rowsort", options).split(",")) - {""}
            if "colnames" in r.options:
                r.column_names = True
