"""asyncpg's own tests, but for those that start clusters of their own to test how connections are made."""

from __future__ import annotations

import shutil
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources, pinned
from docs.compatibility.suites.suite import Counts, junit_counts, run_tests

ELSEWHERE = ("test_connect.py", "test__environment.py", "test__sourcecode.py")
"""Of clusters of its own, of its continuous integration, of its own source's style."""


class Asyncpg:
    name = "asyncpg"
    title = "asyncpg's own tests"

    def prepare(self, sources: Sources) -> str:
        sources.install("asyncpg")
        sources.source_distribution("asyncpg")
        return pinned("asyncpg").replace("==", " ")

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        # Copied away from the package's source, which is not built and would be imported instead of the installed one.
        tests = scratch / "tests"
        shutil.rmtree(tests, ignore_errors=True)
        shutil.copytree(sources.source_distribution("asyncpg") / "tests", tests)
        report = scratch / "report.xml"
        output = run_tests(
            [
                sources.python, "-m", "pytest", "tests", "-q", "-p", "no:cacheprovider", "--tb=short",
                f"--junitxml={report}", *(f"--ignore=tests/{name}" for name in ELSEWHERE),
            ],
            scratch,
            scratch,
            server.environment,
        )  # fmt: skip
        return junit_counts(report, output)
