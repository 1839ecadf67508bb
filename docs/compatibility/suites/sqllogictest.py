"""sqllogictest files of a folder that is given: records, not tests. None come with this project."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import ROOT, Sources
from docs.compatibility.suites.suite import Broken, Counts, Missing, run_tests

USER = "postgres"
"""Whom files expect that ask who they are."""


@dataclass(frozen=True)
class Sqllogictest:
    folder: Path | None
    extended: bool

    @property
    def name(self) -> str:
        return "sqllogictest-extended" if self.extended else "sqllogictest"

    @property
    def title(self) -> str:
        return f"sqllogictest, {'extended' if self.extended else 'simple'} protocol"

    def prepare(self, sources: Sources) -> str:
        if self.folder is None:
            raise Missing("no folder of sqllogictest files was given (--sqllogictest DIR)")
        files = len(list(self.folder.glob("**/*.slt")))
        if not files:
            raise Missing("the folder that was given has no .slt files")
        return f"{files} files that were given, of four projects" if files > 1 else "1 file that was given"

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        assert self.folder is not None
        if server.user != USER:
            server.execute(f"create role {USER} superuser login")
        command = [
            sys.executable,
            "-m",
            "slt",
            str(self.folder.resolve()),
            "--dsn",
            replace(server, user=USER).dsn,
            "--show",
            "1000",
        ]
        output = run_tests(command + ["--extended"] * self.extended, ROOT, scratch)
        totals = re.search(r"^slt: (\d+) passed, (\d+) failed, (\d+) skipped$", output, re.MULTILINE)
        if totals is None:
            raise Broken(output[-2000:])
        failures, file = list[str](), ""
        for line in output.splitlines():
            if found := re.match(r"(\S.*): \d+ of \d+$", line):
                file = Path(found[1]).stem
            elif found := re.match(r"  line (\d+): ", line):
                failures.append(f"{file}:{found[1]}")
        assert len(failures) == int(totals[2]), "every failure is named"
        return Counts(int(totals[1]), int(totals[3]), tuple(failures))
