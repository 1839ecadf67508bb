"""`python -m slt FILE... --dsn DSN`: run sqllogictest files against a server, print what fails."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import psycopg

from slt.runner import empty_database, run_files


def main() -> int:
    parser = argparse.ArgumentParser(prog="slt", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="files, or folders of .slt files")
    parser.add_argument("--dsn", default="host=127.0.0.1 port=5488 user=tidewire dbname=tidewire")
    parser.add_argument("--extended", action="store_true", help="Parse, Bind, Execute instead of Query")
    parser.add_argument("--show", type=int, default=5, help="how many failures of a file to print")
    parser.add_argument("--no-reset", action="store_true", help="leave the database as it is between files")
    options = parser.parse_args()
    paths: list[Path] = []
    for path in options.paths:
        paths += sorted(path.glob("**/*.slt")) if path.is_dir() else [path]

    def connect() -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(options.dsn, autocommit=True)

    totals: Counter[str] = Counter()
    prepare = (lambda conn: None) if options.no_reset else empty_database
    for outcome in run_files(paths, connect, extended=options.extended, prepare=prepare):
        totals["passed"] += outcome.passed
        totals["failed"] += len(outcome.failures)
        totals["skipped"] += outcome.skipped
        print(f"{outcome.file}: {outcome.passed} of {outcome.total}", flush=True)
        for failure in outcome.failures[: options.show]:
            print(f"  line {failure.line}: {failure.reason}\n    {failure.sql[:300]!r}")
    print(f"slt: {totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
