"""What was counted, kept in suites.json, and the table in docs/compatibility.md that is written from it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from docs.compatibility.suites.servers import POSTGRES, TIDEWIRE
from docs.compatibility.suites.sources import ROOT
from docs.compatibility.suites.suite import Counts

RESULTS = ROOT / "docs" / "compatibility" / "suites.json"
DOCUMENT = ROOT / "docs" / "compatibility.md"
BEGIN, END = "<!-- suites: written by `make compat` -->", "<!-- /suites -->"
NAMED_MAX = 12
"""How many failures are named below the table; suites.json has them all."""


@dataclass
class Line:
    """One suite's line: what ran, and what came of it on each kind of server."""

    title: str
    version: str
    servers: dict[str, str] = field(default_factory=dict)  # kind -> its version
    counts: dict[str, Counts] = field(default_factory=dict)
    minutes: dict[str, float] = field(default_factory=dict)


def load(path: Path = RESULTS) -> dict[str, Line]:
    if not path.exists():
        return {}

    def line(stored: dict[str, Any]) -> Line:
        counts = {
            kind: Counts(c["passed"], c["skipped"], tuple(c["failures"]), c.get("note", ""))
            for kind, c in stored["counts"].items()
        }
        return Line(stored["title"], stored["version"], stored["servers"], counts, stored["minutes"])

    return {name: line(stored) for name, stored in json.loads(path.read_text()).items()}


def save(lines: dict[str, Line], path: Path = RESULTS) -> None:
    path.write_text(json.dumps({name: asdict(line) for name, line in lines.items()}, indent=1) + "\n")


def written(lines: dict[str, Line]) -> str:
    """The table, and below it what fails here and passes there."""
    out = [
        "| suite | version | Tidewire | minutes | PostgreSQL | minutes |",
        "|---|---|---|---|---|---|",
    ]
    for line in lines.values():
        cells = [line.title, line.version]
        for kind in (TIDEWIRE, POSTGRES):
            cells += [_cell(line, kind), f"{line.minutes[kind]:.1f}" if kind in line.minutes else "-"]
        out.append(f"| {' | '.join(cells)} |")
    for line in lines.values():
        only_here = _only_here(line)
        if only_here:
            more = f" and {len(only_here) - NAMED_MAX} more" if len(only_here) > NAMED_MAX else ""
            named = ", ".join(f"`{name}`" for name in only_here[:NAMED_MAX])
            out += ["", f"{line.title}, what fails here and passes on PostgreSQL: {named}{more}."]
    return "\n".join(out)


def _cell(line: Line, kind: str) -> str:
    counts = line.counts.get(kind)
    if counts is None:
        return "not run"
    told = f"{counts.passed:,} passed, {len(counts.failures):,} failed, {counts.skipped:,} skipped"
    told += f"; {counts.note}" if counts.note else ""
    return f"{told} ({line.servers[kind]})" if kind == POSTGRES else told


def _only_here(line: Line) -> list[str]:
    here, there = line.counts.get(TIDEWIRE), line.counts.get(POSTGRES)
    if here is None or there is None:
        return []
    return sorted(set(here.failures) - set(there.failures))


def write(lines: dict[str, Line], document: Path = DOCUMENT) -> None:
    """Puts the table between its marks in the document."""
    text = document.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"{document.name} has no place for the table"
    document.write_text(f"{before}{BEGIN}\n{written(lines)}\n{END}{after}")
