"""SQLAlchemy's dialect suite, which every dialect must pass, by driver.

Its source distribution has the suite and PostgreSQL's answers to "what does this database support". The set-up asks for
extensions (hstore, citext), which are not what is tested here: a plugin empties their list, for both servers.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources, pinned
from docs.compatibility.suites.suite import Counts, junit_counts, run_tests

SUITE = ("test/dialect/test_suite.py",)
WHOLE = (
    "test/dialect/postgresql", "test/engine/test_reflection.py", "test/sql/test_query.py", "test/sql/test_returning.py",
    "test/sql/test_types.py", "test/sql/test_insert_exec.py", "test/sql/test_functions.py",
)  # fmt: skip
PLUGIN = "from sqlalchemy.dialects.postgresql import provision\nprovision._extensions = []\n"


@dataclass(frozen=True)
class SqlAlchemy:
    driver: str
    whole: bool = False
    """What it tests of PostgreSQL alone, of reflection, queries and types, instead of the suite that every dialect has to pass."""

    @property
    def name(self) -> str:
        return f"sqlalchemy-{self.driver}" + "-whole" * self.whole

    @property
    def title(self) -> str:
        if self.whole:
            return f"SQLAlchemy's tests of PostgreSQL, reflection, queries and types, with {self.driver}"
        return f"SQLAlchemy's dialect suite, with {self.driver}"

    def prepare(self, sources: Sources) -> str:
        packages = {"psycopg": ("psycopg", "psycopg-binary"), "asyncpg": ("asyncpg", "greenlet")}[self.driver]
        sources.install("sqlalchemy", *packages)
        sources.source_distribution("sqlalchemy")
        return pinned("sqlalchemy").replace("==", " ")

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        server.execute("create schema test_schema", "create schema test_schema_2")
        folder = sources.source_distribution("sqlalchemy")
        scratch.mkdir(parents=True, exist_ok=True)
        (scratch / "without_extensions.py").write_text(PLUGIN)
        report = scratch / "report.xml"
        output = run_tests(
            [
                sources.python, "-m", "pytest", *(WHOLE if self.whole else SUITE), "-q", "-p", "without_extensions",
                "-p", "no:cacheprovider", "--tb=short", f"--junitxml={report}", f"--basetemp={scratch / 'tmp'}",
                "--dburi", server.url(f"postgresql+{self.driver}"),
            ],
            folder,
            scratch,
            {"PYTHONPATH": f"{folder / 'lib'}:{scratch}"},
        )  # fmt: skip
        counts = junit_counts(report, output)
        # Classes are named after driver and server version; a failure is the same on either.
        names = (re.sub(r"_postgresql\+[a-z0-9]+(?:_async)?_[\d_]+", "", name) for name in counts.failures)
        return dataclasses.replace(counts, failures=tuple(names))
