"""PostgreSQL's own regress SQL through psql: a file passes if all that psql prints is what PostgreSQL's authors expect.

    sql/NAME.sql --psql -a--> output  ==  expected/NAME.out, or one of its variants NAME_1.out, ...

Most files try something that Tidewire leaves out (functions in other languages, triggers, plans as PostgreSQL shows
them), and one such statement fails a file. So the single answers are counted too: psql echoes each line that it
reads, and what stands between two echoed lines is the answer to the first.

The files come with Debian's source package of the PostgreSQL that is under test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources
from docs.compatibility.suites.suite import Counts, Missing

FILE_TIMEOUT_S = 240.0
DATABASE = "regression"
SETTINGS = {
    "PGTZ": "America/Los_Angeles",
    "PGDATESTYLE": "Postgres, MDY",
    "PGOPTIONS": "-c intervalstyle=postgres_verbose",
    "LC_MESSAGES": "C",
}
"""What PostgreSQL's own runner sets: the expected output has dates in this style."""

COPY_IN = re.compile(r"^(?!--).*\bfrom std ?in\b.*;\s*(--.*)?$", re.IGNORECASE)
ECHO = re.compile(r"\\set ECHO (\w+)")


@dataclass
class Regress:
    name: str = "regress"
    title: str = "PostgreSQL's regress SQL through psql, by file"
    _folder: Path = field(default_factory=Path)

    def prepare(self, sources: Sources) -> str:
        if shutil.which("psql") is None:
            raise Missing("psql is not installed")
        said = subprocess.run(["psql", "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"(\d+)\.(\d+)", said)
        assert found is not None, said
        self._folder = sources.debian_source(f"postgresql-{found[1]}") / "src" / "test" / "regress"
        return f"PostgreSQL {found[0]}"

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        scratch.mkdir(parents=True, exist_ok=True)
        server.execute(f"create database {DATABASE}")
        passed, failures, equal, answers = 0, list[str](), 0, 0
        for name in scheduled(self._folder / "parallel_schedule"):
            output = self._output(name, server, scratch)
            expected = [p.read_text(errors="replace") for p in self._expected(name)]
            if output in expected:
                passed += 1
            else:
                failures.append(name)
            script = (self._folder / "sql" / f"{name}.sql").read_text(errors="replace")
            same, of = compared(script, output, expected[0])
            equal, answers = equal + same, answers + of
        return Counts(
            passed, 0, tuple(failures), f"of {answers:,} answers {100 * equal / answers:.1f} % are equal"
        )

    def _output(self, name: str, server: Server, scratch: Path) -> str:
        places = {
            "PG_ABS_SRCDIR": str(self._folder),
            "PG_ABS_BUILDDIR": str(scratch),
            "PG_LIBDIR": str(self._folder),
            "PG_DLSUFFIX": ".so",
        }
        environment = os.environ | server.environment | SETTINGS | places | {"PGDATABASE": DATABASE}
        output = scratch / f"{name}.out"
        (scratch / "results").mkdir(exist_ok=True)
        command = ["psql", "-X", "-a", "-q", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on"]
        with (self._folder / "sql" / f"{name}.sql").open("rb") as script, output.open("wb") as out:
            try:
                subprocess.run(
                    command,
                    cwd=self._folder,
                    env=environment,
                    stdin=script,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    timeout=FILE_TIMEOUT_S,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                out.write(b"\n-- stopped\n")
        return output.read_text(errors="replace")

    def _expected(self, name: str) -> Iterator[Path]:
        """The output that is expected, and its variants (other encodings, locales, platforms)."""
        folder = self._folder / "expected"
        yield folder / f"{name}.out"
        yield from sorted(folder.glob(f"{name}_[0-9].out"))


def scheduled(schedule: Path) -> list[str]:
    """The files in the order in which they are run: later ones use what earlier ones made."""
    return [
        name
        for line in schedule.read_text().splitlines()
        if line.startswith("test:")
        for name in line.removeprefix("test:").split()
    ]


def compared(script: str, output: str, expected: str) -> tuple[int, int]:
    """How many answers are equal, of how many: lines of the script that are answered on either side."""
    sides = [answered(script, text) for text in (output, expected)]
    pairs = [pair for pair in zip_longest(*sides, fillvalue=[]) if pair[0] or pair[1]]
    return sum(here == there for here, there in pairs), len(pairs)


def answered(script: str, output: str) -> list[list[str]]:
    """For each line that psql echoes what was printed after it. Pure."""
    answers, waiting = list[list[str]](), echoed(script)
    for line in output.removesuffix("\n").split("\n"):
        if len(answers) < len(waiting) and line == waiting[len(answers)]:
            answers.append([])
        elif answers:
            answers[-1].append(line)
    return answers


def echoed(script: str) -> list[str]:
    """The lines of a script that psql echoes: neither empty ones nor the rows of a COPY, nor what it is told not to echo."""
    lines, in_rows, echo = list[str](), False, True
    for line in script.split("\n"):
        if not in_rows and line and echo:
            lines.append(line)
        if (said := ECHO.match(line)) is not None:
            echo = said[1] == "all"
        in_rows = line != "\\." if in_rows else bool(COPY_IN.search(line))
    return lines
