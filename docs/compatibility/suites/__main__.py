"""Runs the suites one after the other, on PostgreSQL and on Tidewire, and writes the table."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from pathlib import Path

from docs.compatibility.suites import table
from docs.compatibility.suites.asyncpg import Asyncpg
from docs.compatibility.suites.django import Django
from docs.compatibility.suites.node_postgres import NodePostgres
from docs.compatibility.suites.psycopg2 import Psycopg2
from docs.compatibility.suites.regress import Regress
from docs.compatibility.suites.servers import POSTGRES, TIDEWIRE, running
from docs.compatibility.suites.sources import NotFetched, Sources
from docs.compatibility.suites.sqlalchemy import SqlAlchemy
from docs.compatibility.suites.sqllogictest import Sqllogictest
from docs.compatibility.suites.suite import Broken, Missing, Suite
from tests.postgres import NoPostgres


def main() -> int:
    parser = argparse.ArgumentParser(prog="docs.compatibility.suites", description=__doc__)
    parser.add_argument(
        "--only", action="append", default=[], metavar="SUITE", help="this suite (may be repeated)"
    )
    parser.add_argument("--server", choices=(TIDEWIRE, POSTGRES), help="on this kind of server only")
    parser.add_argument("--sqllogictest", type=Path, metavar="DIR", help="a folder of sqllogictest files")
    parser.add_argument("--scratch", type=Path, help="where each suite's output is kept (else it is deleted)")
    parser.add_argument("--table", action="store_true", help="run nothing, write the table anew")
    options = parser.parse_args()
    suites: list[Suite] = [
        SqlAlchemy("psycopg"), SqlAlchemy("asyncpg"), SqlAlchemy("psycopg", whole=True), Asyncpg(), Psycopg2(), Django(), Django(of_postgres=True), NodePostgres(), Regress(),
        Sqllogictest(options.sqllogictest, False), Sqllogictest(options.sqllogictest, True),
    ]  # fmt: skip
    unknown = set(options.only) - {suite.name for suite in suites}
    if unknown:
        parser.error(
            f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in suites)}"
        )
    kinds = [options.server] if options.server else [POSTGRES, TIDEWIRE]
    broken = False
    with contextlib.ExitStack() as stack:
        scratch = options.scratch or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="tw-suites-"))
        )
        for suite in [] if options.table else suites:
            if not options.only or suite.name in options.only:
                broken |= not counted(suite, kinds, scratch.resolve())
    lines = table.load()
    table.write({suite.name: lines[suite.name] for suite in suites if suite.name in lines})
    return 1 if broken else 0


def counted(suite: Suite, kinds: list[str], scratch: Path) -> bool:
    """Runs a suite on each kind of server and keeps what came of it; False if it broke off."""
    sources = Sources()
    try:
        version = suite.prepare(sources)
    except (Missing, NotFetched) as reason:
        print(f"{suite.name}: skipped: {reason}", flush=True)
        return True
    whole = True
    for kind in kinds:
        began = time.monotonic()
        try:
            with running(kind) as server:
                served_by = server.version()
                counts = suite.run(sources, server, scratch / suite.name / kind)
        except NoPostgres as reason:
            print(f"{suite.name}: not on {kind}: {reason}", flush=True)
            continue
        except Broken as reason:
            print(f"{suite.name}: broken off on {kind}:\n{reason}", flush=True)
            whole = False
            continue
        minutes = (time.monotonic() - began) / 60
        told = (
            f"{counts.passed} passed, {len(counts.failures)} failed, {counts.skipped} skipped {counts.note}"
        )
        print(f"{suite.name}: {kind}: {told}, {minutes:.1f} minutes", flush=True)
        lines = table.load()
        line = lines.setdefault(suite.name, table.Line(suite.title, version))
        line.title, line.version = suite.title, version
        line.servers[kind], line.counts[kind], line.minutes[kind] = served_by, counts, round(minutes, 1)
        table.save(lines)
    return whole


if __name__ == "__main__":
    sys.exit(main())
