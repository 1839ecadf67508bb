"""What a suite is: somebody else's tests, which take a server's address and say how many of them passed."""

from __future__ import annotations

import os
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources

SUITE_TIMEOUT_S = 3 * 3600.0
"""Bounds a hang; the longest suite takes a fraction of it."""


class Missing(Exception):
    """The suite, or something that it needs, cannot be had here."""


class Broken(Exception):
    """The suite ran, and said nothing that could be counted."""


@dataclass(frozen=True)
class Counts:
    """What came of one run. `failures` are the names of what failed or broke off; `note` what else the table says."""

    passed: int
    skipped: int
    failures: tuple[str, ...] = field(default=())
    note: str = ""


class Suite(Protocol):
    @property
    def name(self) -> str:
        """What `--only` calls it."""
        ...

    @property
    def title(self) -> str:
        """What its line in the table is called."""
        ...

    def prepare(self, sources: Sources) -> str:
        """Fetches and installs it; returns what it is called in the table, with its version. Raises Missing."""
        ...

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        """Runs it against an empty server. Raises Broken."""
        ...


def run_tests(
    command: Sequence[str | Path], folder: Path, scratch: Path, more: Mapping[str, str] | None = None
) -> str:
    """Runs a suite's own runner to its end, whatever the end is; its output is also kept in `scratch`/output.txt."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "TIDEWIRE_", "PYTEST_"))}
    scratch.mkdir(parents=True, exist_ok=True)
    output = scratch / "output.txt"
    with output.open("wb") as out:
        subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env=environment | dict(more or {}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=SUITE_TIMEOUT_S,
            check=False,
        )
    return output.read_text(errors="replace")


def junit_counts(report: Path, output: str) -> Counts:
    """The counts in a JUnit report, which pytest writes. Raises Broken where there is none."""
    if not report.exists():
        raise Broken(output[-2000:])
    passed, skipped, failures = 0, 0, list[str]()
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            name = f"{case.get('classname', '').rsplit('.', 1)[-1]}.{case.get('name', '')}"
            if name not in failures:
                failures.append(name)
        elif "skipped" in outcomes:
            skipped += 1
        else:
            passed += 1
    if not passed:
        raise Broken(output[-2000:])
    return Counts(passed, skipped, tuple(sorted(failures)))
