"""Tests of node-postgres' own packages: its pool and its cursors.

The driver publishes none of its tests; these two did until they moved into its repository, so they are of that time
(2.0) and run against the driver of today. What has changed between the two fails on either server.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from docs.compatibility.suites.servers import Server
from docs.compatibility.suites.sources import Sources
from docs.compatibility.suites.suite import Broken, Counts, Missing, run_tests

DRIVER = "pg@8.23.1"
TESTED = ("pg-pool@2.0.10", "pg-cursor@2.0.0")
RUNNER = (
    "mocha@5.2.0",
    "expect.js@0.3.1",
    "co@4.6.0",
    "lodash@4.17.21",
    "bluebird@3.4.1",
    "pg-cursor@2.15.3",
)

LEFT_OUT = "test/bring-your-own-promise.js"
"""Gives the pool promises of another make, of which the driver of today warns that they are deprecated; the tests' own
set-up ends the process at any warning, so no test after it would run, whatever the server."""


class NodePostgres:
    name = "node-postgres"
    title = "node-postgres' pool and cursors"

    def prepare(self, sources: Sources) -> str:
        if shutil.which("node") is None:
            raise Missing("node is not installed")
        sources.node_packages("driver", [DRIVER, *RUNNER])
        for package in TESTED:
            sources.node_package(package)
        return ", ".join([DRIVER, *TESTED]).replace("@", " ")

    def run(self, sources: Sources, server: Server, scratch: Path) -> Counts:
        passed, skipped, failures = 0, 0, list[str]()
        modules = sources.node_packages("driver", [DRIVER, *RUNNER]) / "node_modules"
        for package in TESTED:
            # Beside the driver's node_modules, where `require` looks for what the package names.
            folder = scratch / package
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(sources.node_package(package), folder)
            (folder / "node_modules").symlink_to(modules)
            # Options of another version of the runner, and to stop at the first failure: not here.
            (folder / "test" / "mocha.opts").unlink(missing_ok=True)
            setup = ["--require", "test/setup.js"] if (folder / "test" / "setup.js").exists() else []
            mocha = modules / "mocha" / "bin" / "_mocha"
            options = ["--exit", "--timeout", "60000", "--exclude", LEFT_OUT, "--reporter", "json", *setup]
            command: list[str | Path] = ["node", mocha, *options]
            output = run_tests(command, folder, folder, server.environment)
            told = json.loads(_report(output))
            passed += told["stats"]["passes"]
            skipped += told["stats"]["pending"]
            failures += [f"{package.partition('@')[0]}: {test['fullTitle']}" for test in told["failures"]]
        return Counts(passed, skipped, tuple(sorted(set(failures))))


def _report(output: str) -> str:
    """Mocha's report, from among what the tests print."""
    start = re.search(r"^\{\s*\"stats\"", output, re.MULTILINE)
    if start is None:
        raise Broken(output[-2000:])
    text = output[start.start() :]
    _, end = json.JSONDecoder().raw_decode(text)
    return text[:end]
