"""psycopg2's own tests: connections, cursors, types, COPY, large objects, notifications, cancelling, asynchronous use."""

from __future__ import annotations

import shutil
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources
from docs.compatibility.suites.suite import Counts, Missing, junit_counts, run_tests
from tests.postgres import NoPostgres, postgres_bin

VERSION = "2.9.13"


class Psycopg2:
    name = "psycopg2"
    title = "psycopg2's own tests"

    def prepare(self, sources: Sources) -> str:
        sources.install(f"psycopg2-binary=={VERSION}")
        try:
            tools = postgres_bin()  # with pg_config, without which the sources do not say what they are
        except NoPostgres as reason:
            raise Missing(str(reason)) from None
        sources.source_distribution(f"psycopg2=={VERSION}", tools)
        return f"psycopg2 {VERSION}"

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        server.execute("create extension hstore")
        tests = scratch / "tests"
        shutil.rmtree(tests, ignore_errors=True)
        shutil.copytree(sources.source_distribution(f"psycopg2=={VERSION}") / "tests", tests)
        report = scratch / "report.xml"
        output = run_tests(
            [
                sources.python, "-m", "pytest", "tests", "-q", "-p", "no:cacheprovider", "--tb=short",
                f"--junitxml={report}",
            ],
            scratch,
            scratch,
            {
                "PSYCOPG2_TESTDB": server.database,
                "PSYCOPG2_TESTDB_HOST": server.host,
                "PSYCOPG2_TESTDB_PORT": str(server.port),
                "PSYCOPG2_TESTDB_USER": server.user,
            },
        )  # fmt: skip
        return junit_counts(report, output)
